"""Density and coverage: how many real balls hold a synthetic sample, how many real balls are hit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from truegrade.engine.needs import BallCounts, Balls
from truegrade.errors import Notice, notice
from truegrade.metrics.balls import BallMetric, mean_of, share
from truegrade.metrics.base import MetricInfo, Outcome


@dataclass(frozen=True, kw_only=True)
class Density(BallMetric):
    """Mean number of real balls that hold a synthetic sample, divided by k.

    (1/(kM)) sum_j #{ i : d(x_i, y_j) <= r_i }. Real (n, d), synthetic (m, d). Range [0, n/k]; 1 is expected
    for fresh samples of the same law at any sizes, more than 1 means crowding in dense places. Per sample:
    the number of balls over k for each synthetic sample.

    With ties="strict" (d < r_i) it is the density of the prdc package; strict ties with every r_i = 0 leave
    it undefined.

    Raises InputError for k < 1, an unknown tie rule, and k >= n.
    Source: Naeem et al. 2020, section 3 (definition of density).
    """

    info: ClassVar[MetricInfo] = MetricInfo(
        key="density",
        title="Density",
        family="fidelity",
        direction="target",
        range=(0.0, float("inf")),
        identical=None,
        target=1.0,
        formula="(1/(kM)) sum_j #{i : d(x_i, y_j) <= r_i}",
        reading=(
            "How densely surrounded by real samples the synthetic ones are: 1 is what fresh real samples "
            "get, below 1 they land in thin places, above 1 they crowd."
        ),
        reference="naeem2020",
        symmetric=False,
        default=True,
    )

    def needs(self) -> tuple[BallCounts, ...]:
        return (BallCounts("real", "synthetic", self.k),)

    def judge(self, balls: tuple[Balls, ...], warnings: tuple[Notice, ...]) -> Outcome:
        counts = balls[0].per_point(self.ties).astype(np.float64)
        return mean_of(counts, "synthetic", (notice("unbounded"), *warnings), factor=1.0 / self.k)


@dataclass(frozen=True, kw_only=True)
class Coverage(BallMetric):
    """Share of real samples whose ball holds at least one synthetic sample.

    (1/N) sum_i 1[ min_j d(x_i, y_j) <= r_i ]. Real (n, d), synthetic (m, d). Range [0, 1], higher is better;
    for fresh samples of the same law with n = m it tends to 1 - 2^-k. Per sample: 0 or 1 for each real
    sample.

    With ties="strict" (d < r_i) it is the coverage of the prdc package; strict ties with every r_i = 0 leave
    it undefined.

    Raises InputError for k < 1, an unknown tie rule, and k >= n.
    Source: Naeem et al. 2020, section 3 (definition of coverage).
    """

    info: ClassVar[MetricInfo] = MetricInfo(
        key="coverage",
        title="Coverage",
        family="coverage",
        direction="higher",
        range=(0.0, 1.0),
        identical=1.0,
        formula="share of x_i with min_j d(x_i, y_j) <= r_i",
        reading=(
            "Share of real samples with a synthetic one in their neighbourhood. It saturates: half of the "
            "synthetic samples can be bad and it hardly falls; clipped coverage is calibrated for that."
        ),
        reference="naeem2020",
        symmetric=False,
        default=True,
    )

    def needs(self) -> tuple[BallCounts, ...]:
        return (BallCounts("real", "synthetic", self.k),)

    def judge(self, balls: tuple[Balls, ...], warnings: tuple[Notice, ...]) -> Outcome:
        return share(balls[0].per_centre(self.ties) > 0, "real", warnings)
