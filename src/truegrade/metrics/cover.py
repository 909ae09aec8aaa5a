"""Precision Cover and Recall Cover: balls with many of one set must hold some of the other.

Naming. Here `precision_cover` puts its balls on the synthetic samples and counts the synthetic ones that
pass, so it speaks about fidelity, as the Clipped Density and Coverage paper names it. The authors' own code
counts the other side, and the column "C-Prec" of Räisä et al. 2025 has the roles of our `recall_cover` (and
the other way round).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from truegrade.engine.needs import Answers, BallCounts, Need
from truegrade.errors import InputError
from truegrade.metrics.balls import share, zero_radius_notices
from truegrade.metrics.base import Metric, MetricInfo, Outcome, check_flag, check_k, check_k_fits


@dataclass(frozen=True, kw_only=True)
class PrecisionCover(Metric):
    """Share of synthetic samples whose ball of k' = multiple * k synthetic samples holds at least k real ones.

    (1/M) sum_j 1[ #{ i : d(x_i, y_j) <= s_j } >= k ], s_j = radius of the smallest closed ball about y_j that
    holds k' synthetic samples, y_j itself counted among them (so the distance to its (k' - 1)-th nearest
    other). Real (n, d), synthetic (m, d). Range [0, 1], higher is better. Per sample: 0 or 1 for each
    synthetic sample. count_self=False: k' others, as Räisä et al. 2025 count.

    Raises InputError for k < 1, multiple < 1, k' < 2, and k' > m.
    Source: Cheema and Urner 2023, the paper's pseudocode (k = 3, C = 3 here); roles: see the module's text.
    """

    k: int = 3
    multiple: int = 3
    count_self: bool = True

    info: ClassVar[MetricInfo] = MetricInfo(
        key="precision_cover",
        title="Precision cover",
        family="fidelity",
        direction="higher",
        range=(0.0, 1.0),
        identical=1.0,
        formula="share of y_j whose ball of k' = C k synthetic samples holds >= k real ones",
        reading=(
            "Share of synthetic samples around which real samples are at least a third as frequent as "
            "synthetic ones (at the default k and C); low where too much is produced."
        ),
        reference="cheema2023",
        symmetric=False,
    )

    def __post_init__(self) -> None:
        _check_cover(self.k, self.multiple, self.count_self)

    def check_sizes(self, n_real: int, n_synthetic: int) -> None:
        check_k_fits(_others(self), n_synthetic, "synthetic", "k * multiple - 1" if self.count_self else "k * multiple")

    def needs(self) -> tuple[Need, ...]:
        return (BallCounts("synthetic", "real", _others(self)),)

    def compute(self, answers: Answers) -> Outcome:
        return _share_covered(answers, "synthetic", "real", self.k, _others(self))


@dataclass(frozen=True, kw_only=True)
class RecallCover(Metric):
    """Share of real samples whose ball of k' = multiple * k real samples holds at least k synthetic ones.

    (1/N) sum_i 1[ #{ j : d(x_i, y_j) <= r_i } >= k ], r_i = radius of the smallest closed ball about x_i that
    holds k' real samples, x_i itself counted among them. Real (n, d), synthetic (m, d). Range [0, 1], higher
    is better. Per sample: 0 or 1 for each real sample. count_self=False: k' others, as Räisä et al. 2025 count.

    Raises InputError for k < 1, multiple < 1, k' < 2, and k' > n.
    Source: Cheema and Urner 2023, the paper's pseudocode (k = 3, C = 3 here); roles: see the module's text.
    """

    k: int = 3
    multiple: int = 3
    count_self: bool = True

    info: ClassVar[MetricInfo] = MetricInfo(
        key="recall_cover",
        title="Recall cover",
        family="coverage",
        direction="higher",
        range=(0.0, 1.0),
        identical=1.0,
        formula="share of x_i whose ball of k' = C k real samples holds >= k synthetic ones",
        reading=(
            "Share of real samples around which synthetic samples are at least a third as frequent as real "
            "ones (at the default k and C); low where kinds are missing or thinned out."
        ),
        reference="cheema2023",
        symmetric=False,
    )

    def __post_init__(self) -> None:
        _check_cover(self.k, self.multiple, self.count_self)

    def check_sizes(self, n_real: int, n_synthetic: int) -> None:
        check_k_fits(_others(self), n_real, "real", "k * multiple - 1" if self.count_self else "k * multiple")

    def needs(self) -> tuple[Need, ...]:
        return (BallCounts("real", "synthetic", _others(self)),)

    def compute(self, answers: Answers) -> Outcome:
        return _share_covered(answers, "real", "synthetic", self.k, _others(self))


def _others(metric: PrecisionCover | RecallCover) -> int:
    """How many samples beside its centre a ball holds."""
    return metric.k * metric.multiple - metric.count_self


def _check_cover(k: int, multiple: int, count_self: bool) -> None:
    check_k(k)
    check_k(multiple, "multiple")
    check_flag("count_self", count_self)
    if k * multiple - count_self < 1:
        raise InputError("k=1 with multiple=1 gives balls of one sample; k * multiple of at least 2 is accepted.")


def _share_covered(answers: Answers, graded: str, other: str, k: int, others: int) -> Outcome:
    balls = answers[BallCounts(graded, other, others)]
    notices = zero_radius_notices(balls.radii, graded, others)
    return share(balls.per_centre_closed >= k, graded, notices)
