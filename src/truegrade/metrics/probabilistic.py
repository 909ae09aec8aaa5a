"""Probabilistic precision and recall: soft balls of one common radius instead of hard ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from truegrade.engine.needs import Answers, Knn, Need, ProductWithin
from truegrade.metrics.balls import mean_of, zero_radius_notices
from truegrade.metrics.base import Metric, MetricInfo, Outcome, check_k, check_k_fits, check_number


@dataclass(frozen=True, kw_only=True)
class PPrecision(Metric):
    """Mean probability that a synthetic sample belongs to the real region.

    R = a * mean_i r_i;  P = (1/M) sum_j [ 1 - prod_i min( d(x_i, y_j) / R, 1 ) ]. Real (n, d), synthetic (m,
    d). Range [0, 1], higher is better. Per sample: the probability for each synthetic sample.

    When R is 0 (every real sample has k or more exact duplicates) an exact copy has probability 1 and
    anything else 0.

    Raises InputError for k < 1, k >= n and a scale that is not positive.
    Source: Park and Kim 2023 (k = 4, a = 1.2).
    """

    k: int = 4
    scale: float = 1.2

    info: ClassVar[MetricInfo] = MetricInfo(
        key="p_precision",
        title="Probabilistic precision",
        family="fidelity",
        direction="higher",
        range=(0.0, 1.0),
        identical=1.0,
        formula="mean_j [1 - prod_i min(d(x_i, y_j) / R, 1)], R = a * mean r_i",
        reading=(
            "Mean probability that a synthetic sample lies in the real region; less upset by single outliers "
            "than precision. Its level depends on the data: compare with real against real."
        ),
        reference="park2023",
        symmetric=False,
    )

    def __post_init__(self) -> None:
        check_k(self.k)
        check_number("scale", self.scale)

    def check_sizes(self, n_real: int, n_synthetic: int) -> None:
        check_k_fits(self.k, n_real, "real")

    def needs(self) -> tuple[Need, ...]:
        return (ProductWithin("real", "synthetic", self.k, self.scale), Knn("real", self.k))

    def compute(self, answers: Answers) -> Outcome:
        return _mean_probability(answers, "real", "synthetic", self.k, self.scale)


@dataclass(frozen=True, kw_only=True)
class PRecall(Metric):
    """Mean probability that a real sample belongs to the synthetic region.

    S = a * mean_j s_j;  (1/N) sum_i [ 1 - prod_j min( d(x_i, y_j) / S, 1 ) ]. Real (n, d), synthetic (m, d).
    Range [0, 1], higher is better. Per sample: the probability for each real sample. S = 0 as in
    `PPrecision`.

    Raises InputError for k < 1, k >= m and a scale that is not positive.
    Source: Park and Kim 2023 (k = 4, a = 1.2).
    """

    k: int = 4
    scale: float = 1.2

    info: ClassVar[MetricInfo] = MetricInfo(
        key="p_recall",
        title="Probabilistic recall",
        family="coverage",
        direction="higher",
        range=(0.0, 1.0),
        identical=1.0,
        formula="mean_i [1 - prod_j min(d(x_i, y_j) / S, 1)], S = a * mean s_j",
        reading=(
            "Mean probability that a real sample lies in the synthetic region; wide-spread synthetic samples "
            "still raise it. Compare with real against real."
        ),
        reference="park2023",
        symmetric=False,
    )

    def __post_init__(self) -> None:
        check_k(self.k)
        check_number("scale", self.scale)

    def check_sizes(self, n_real: int, n_synthetic: int) -> None:
        check_k_fits(self.k, n_synthetic, "synthetic")

    def needs(self) -> tuple[Need, ...]:
        return (ProductWithin("synthetic", "real", self.k, self.scale), Knn("synthetic", self.k))

    def compute(self, answers: Answers) -> Outcome:
        return _mean_probability(answers, "synthetic", "real", self.k, self.scale)


def _mean_probability(answers: Answers, centres: str, points: str, k: int, scale: float) -> Outcome:
    radii = answers[Knn(centres, k)].radii
    missed = answers[ProductWithin(centres, points, k, scale)]
    notices = () if (radii > 0).any() else zero_radius_notices(radii, centres, k)
    return mean_of(1.0 - missed, points, notices, radius=scale * float(radii.mean()))
