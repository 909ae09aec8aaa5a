"""The energy distance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from scipy.spatial.distance import cdist

from truegrade.engine.needs import Answers, DistanceSum, Floats, Need
from truegrade.errors import InputError
from truegrade.metrics.base import Metric, MetricInfo, Outcome
from truegrade.metrics.contrast import clamp_rounding, contrast, pairs_of


@dataclass(frozen=True)
class EnergyDistance(Metric):
    """Energy distance 2 E|X - Y| - E|X - X'| - E|Y - Y'|, Euclidean norm, not squared and not rooted.

    estimator "U" (default) leaves a sample's distance to itself out of the means: unbiased, so it scatters
    about 0 for two samples of one law and may be negative. "V" divides by n^2 and m^2: never negative, biased
    upwards by c/n, exactly 0 for identical sets. The detail `estimator` says which one a value is.
    Samples (N, d) and (M, d); unit: that of the features; range: unbounded ("V": from
    0); lower is better. The standard error is analytic
    (first-order projection, see `Contrast.standard_error`).

    Raises InputError for another estimator. Source: Székely & Rizzo 2013, "Energy statistics", two-sample
    case.
    """

    estimator: Literal["U", "V"] = "U"

    info: ClassVar[MetricInfo] = MetricInfo(
        key="energy_distance",
        title="Energy distance",
        family="distance",
        direction="lower",
        range=(float("-inf"), float("inf")),
        identical=None,
        formula="2 E|X - Y| - E|X - X'| - E|Y - Y'|",
        reading="Near 0 (within its interval) means no difference was found; larger means further apart.",
        reference="szekely2013",
        symmetric=True,
        invariances=frozenset({"order", "shift", "rotation"}),
        target=0.0,
        default=True,
    )

    def __post_init__(self) -> None:
        if self.estimator not in ("U", "V"):
            raise InputError(f"estimator={self.estimator!r} given; 'U' or 'V' is accepted.")
        if self.estimator == "V":
            v_info = replace(self.info, range=(0.0, float("inf")), identical=0.0, target=None, bias="1/n")
            object.__setattr__(self, "info", v_info)

    def needs(self) -> tuple[Need, ...]:
        return (
            DistanceSum("real", "real"),
            DistanceSum("synthetic", "synthetic"),
            DistanceSum("real", "synthetic"),
        )

    def compute(self, answers: Answers) -> Outcome:
        real, synthetic, across = (answers[need] for need in self.needs())
        biased = self.estimator == "V"
        parts = contrast(real, synthetic, across, estimator="biased" if biased else "unbiased", itself=0.0)
        n, m = len(real.rows), len(synthetic.rows)
        between = across.total / (n * m)
        value = -parts.value
        if biased:
            value = clamp_rounding(value, between)
        return Outcome(
            value,
            per_sample={"real": -parts.real, "synthetic": -parts.synthetic},
            details={
                "estimator": self.estimator,
                "mean_across": between,
                "mean_real": real.total / (n * (n - 1)),
                "mean_synthetic": synthetic.total / (m * (m - 1)),
            },
            pairs=pairs_of(parts, _distances, sign=-1.0),
            standard_error=parts.standard_error,
        )


def _distances(rows: Floats) -> Floats:
    """-|x - y| of all pairs of rows: the negative distance, because nearness is what the other kernels measure."""
    return np.asarray(-cdist(rows, rows))
