"""Symmetric precision and recall: the worse of two views, so that neither view's blind side can hide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import BallCounts, Balls
from truegrade.errors import Notice
from truegrade.metrics.balls import BallMetric, Ties, share
from truegrade.metrics.base import Means, MetricInfo, Outcome


@dataclass(frozen=True, kw_only=True)
class ComplementPrecision(BallMetric):
    """Share of synthetic samples whose own ball holds at least one real sample.

    (1/M) sum_j 1[ min_i d(x_i, y_j) <= s_j ], s_j = distance of y_j to its k-th nearest other synthetic
    sample; coverage with the roles swapped. Real (n, d), synthetic (m, d). Range [0, 1], higher is better.
    Per sample: 0 or 1 for each synthetic sample.

    Raises InputError for k < 1, an unknown tie rule, and k >= m.
    Source: Khayatkhoei and AbdAlmageed 2023 (complement precision).
    """

    info: ClassVar[MetricInfo] = MetricInfo(
        key="complement_precision",
        title="Complement precision",
        family="fidelity",
        direction="higher",
        range=(0.0, 1.0),
        identical=1.0,
        formula="share of y_j with min_i d(x_i, y_j) <= s_j",
        reading=(
            "Share of synthetic samples with a real one in their own neighbourhood; it falls when the "
            "synthetic samples huddle or sit where real balls are large but empty."
        ),
        reference="khayatkhoei2023",
        symmetric=False,
    )

    def needs(self) -> tuple[BallCounts, ...]:
        return (BallCounts("synthetic", "real", self.k),)

    def judge(self, balls: tuple[Balls, ...], warnings: tuple[Notice, ...]) -> Outcome:
        return share(balls[0].per_centre(self.ties) > 0, "synthetic", warnings)


@dataclass(frozen=True, kw_only=True)
class SymmetricPrecision(BallMetric):
    """The smaller of precision and complement precision.

    min( share of y_j in some real ball, share of y_j whose own ball holds a real sample ). Real (n, d),
    synthetic (m, d). Range [0, 1], higher is better. Per sample: 1 for each synthetic sample that passes both
    tests.

    Raises InputError for k < 1, an unknown tie rule, k >= n and k >= m.
    Source: Khayatkhoei and AbdAlmageed 2023 (symmetric precision and recall).
    """

    info: ClassVar[MetricInfo] = MetricInfo(
        key="symmetric_precision",
        title="Symmetric precision",
        family="fidelity",
        direction="higher",
        range=(0.0, 1.0),
        identical=1.0,
        formula="min(precision, complement_precision)",
        reading=(
            "Are the synthetic samples realistic when looked at from both sides? Low when they are far "
            "off, and also when they huddle inside the real region."
        ),
        reference="khayatkhoei2023",
        symmetric=False,
        default=True,
    )

    def needs(self) -> tuple[BallCounts, ...]:
        return (BallCounts("real", "synthetic", self.k), BallCounts("synthetic", "real", self.k))

    def judge(self, balls: tuple[Balls, ...], warnings: tuple[Notice, ...]) -> Outcome:
        return _worse_view(balls, self.ties, "synthetic", ("precision", "complement_precision"), warnings)


@dataclass(frozen=True, kw_only=True)
class SymmetricRecall(BallMetric):
    """The smaller of recall and coverage.

    min( share of x_i in some synthetic ball, share of x_i whose own ball holds a synthetic sample ). Real (n,
    d), synthetic (m, d). Range [0, 1], higher is better. Per sample: 1 for each real sample that passes both
    tests.

    Raises InputError for k < 1, an unknown tie rule, k >= n and k >= m.
    Source: Khayatkhoei and AbdAlmageed 2023 (symmetric precision and recall).
    """

    info: ClassVar[MetricInfo] = MetricInfo(
        key="symmetric_recall",
        title="Symmetric recall",
        family="coverage",
        direction="higher",
        range=(0.0, 1.0),
        identical=1.0,
        formula="min(recall, coverage)",
        reading=(
            "Is every kind of real sample produced, looked at from both sides? Low when kinds are missing, "
            "also when only their centres are produced."
        ),
        reference="khayatkhoei2023",
        symmetric=False,
        default=True,
    )

    def needs(self) -> tuple[BallCounts, ...]:
        return (BallCounts("synthetic", "real", self.k), BallCounts("real", "synthetic", self.k))

    def judge(self, balls: tuple[Balls, ...], warnings: tuple[Notice, ...]) -> Outcome:
        return _worse_view(balls, self.ties, "real", ("recall", "coverage"), warnings)


def _worse_view(
    balls: tuple[Balls, ...], ties: Ties, graded: str, names: tuple[str, str], warnings: tuple[Notice, ...]
) -> Outcome:
    """The smaller of two shares of `graded`: in some ball of the other side; own ball holds some of it."""
    theirs, own = balls
    inside = np.stack([theirs.per_point(ties) > 0, own.per_centre(ties) > 0], axis=1).astype(np.float64)
    means = Means(((graded, inside),), _smaller)
    return Outcome(
        means.value(),
        per_sample={graded: inside.min(1)},
        details=dict(zip(names, inside.mean(0).tolist(), strict=True)),
        warnings=warnings,
        means=means,
    )


def _smaller(means: NDArray[Any]) -> float:
    return float(means.min())
