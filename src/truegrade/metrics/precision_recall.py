"""Precision and recall by neighbour balls, and the per-sample realism and rarity scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from truegrade.engine.needs import Answers, BallCounts, BallRatio, Balls, Knn, Need, OwnBallCounts
from truegrade.errors import Notice
from truegrade.metrics.balls import BallMetric, share, zero_radius_notices
from truegrade.metrics.base import Metric, MetricInfo, Outcome, check_k, check_k_fits, undefined


@dataclass(frozen=True, kw_only=True)
class Precision(BallMetric):
    """Share of synthetic samples that lie in some real sample's neighbour ball.

    (1/M) sum_j 1[ exists i: d(x_i, y_j) <= r_i ], r_i = distance of x_i to its k-th nearest other real
    sample. Real (n, d), synthetic (m, d). Range [0, 1], higher is better. Per sample: 0 or 1 for each
    synthetic sample.

    With ties="strict" (d < r_i) it is the precision of the prdc package. When every r_i is 0, closed ties
    still count exact copies; strict ties leave the value undefined.

    Raises InputError for k < 1, an unknown tie rule, and k >= n.
    Source: Kynkäänniemi et al. 2019, equations 1 and 2 (they use k = 3).
    """

    info: ClassVar[MetricInfo] = MetricInfo(
        key="precision",
        title="Precision",
        family="fidelity",
        direction="higher",
        range=(0.0, 1.0),
        identical=1.0,
        formula="share of y_j with d(x_i, y_j) <= r_i for some i",
        reading=(
            "Share of synthetic samples inside the region the real samples span; one far-out real sample can "
            "let bad samples in, so read it beside clipped density."
        ),
        reference="kynkaanniemi2019",
        symmetric=False,
        default=True,
    )

    def needs(self) -> tuple[BallCounts, ...]:
        return (BallCounts("real", "synthetic", self.k),)

    def judge(self, balls: tuple[Balls, ...], warnings: tuple[Notice, ...]) -> Outcome:
        return share(balls[0].per_point(self.ties) > 0, "synthetic", warnings)


@dataclass(frozen=True, kw_only=True)
class Recall(BallMetric):
    """Share of real samples that lie in some synthetic sample's neighbour ball.

    (1/N) sum_i 1[ exists j: d(x_i, y_j) <= s_j ], s_j = distance of y_j to its k-th nearest other synthetic
    sample. Real (n, d), synthetic (m, d). Range [0, 1], higher is better. Per sample: 0 or 1 for each real
    sample. Ties as in `Precision`.

    Raises InputError for k < 1, an unknown tie rule, and k >= m.
    Source: Kynkäänniemi et al. 2019, equations 1 and 2 (they use k = 3).
    """

    info: ClassVar[MetricInfo] = MetricInfo(
        key="recall",
        title="Recall",
        family="coverage",
        direction="higher",
        range=(0.0, 1.0),
        identical=1.0,
        formula="share of x_i with d(x_i, y_j) <= s_j for some j",
        reading=(
            "Share of real samples inside the region the synthetic samples span; far-out synthetic samples "
            "raise it wrongly, so read it beside clipped coverage."
        ),
        reference="kynkaanniemi2019",
        symmetric=False,
        default=True,
    )

    def needs(self) -> tuple[BallCounts, ...]:
        return (BallCounts("synthetic", "real", self.k),)

    def judge(self, balls: tuple[Balls, ...], warnings: tuple[Notice, ...]) -> Outcome:
        return share(balls[0].per_point(self.ties) > 0, "real", warnings)


@dataclass(frozen=True, kw_only=True)
class RealismScore(Metric):
    """Median realism of the synthetic samples.

    R(y_j) = max_i r_i / d(x_i, y_j) over the real samples whose radius r_i is at most the median radius; a
    value of at least 1 means that y_j is inside one of those balls. Real (n, d), synthetic (m, d). Range [0,
    inf), higher is more realistic. Per sample: R for each synthetic sample, infinite for an exact copy.

    Undefined when half of the synthetic samples are exact copies (the median is infinite) and when the median
    radius is 0 (no ball is left).

    Raises InputError for k < 1 and k >= n.
    Source: Kynkäänniemi et al. 2019, equation 3.
    """

    k: int = 3

    info: ClassVar[MetricInfo] = MetricInfo(
        key="realism",
        title="Realism score (median)",
        family="fidelity",
        direction="higher",
        range=(0.0, float("inf")),
        identical=None,
        formula="median_j max{ r_i / d(x_i, y_j) : r_i <= median r }",
        reading=(
            "How near the typical synthetic sample is to a densely surrounded real one, as a ratio: 1 or "
            "more is inside. Very large values mean copies, not quality."
        ),
        reference="kynkaanniemi2019",
        symmetric=False,
    )

    def __post_init__(self) -> None:
        check_k(self.k)

    def check_sizes(self, n_real: int, n_synthetic: int) -> None:
        check_k_fits(self.k, n_real, "real")

    def needs(self) -> tuple[Need, ...]:
        return (BallRatio("real", "synthetic", self.k), Knn("real", self.k))

    def compute(self, answers: Answers) -> Outcome:
        radii = answers[Knn("real", self.k)].radii
        notices = zero_radius_notices(radii, "real", self.k)
        if np.median(radii) == 0:
            return undefined(f"half of the real samples have {self.k} or more exact duplicates", notices)
        ratio = answers[BallRatio("real", "synthetic", self.k)]
        middle = float(np.median(ratio))
        reason = None if np.isfinite(middle) else "half of the synthetic samples are exact copies of real ones"
        return Outcome(
            middle if reason is None else None,
            per_sample={"synthetic": ratio},
            details={"share_at_least_1": float((ratio >= 1).mean())},
            warnings=notices,
            reason=reason,
        )


@dataclass(frozen=True, kw_only=True)
class Rarity(Metric):
    """Median rarity of the synthetic samples that lie inside the real region.

    rarity(y_j) = min{ r_i : d(x_i, y_j) <= r_i }, the radius of the smallest real ball that holds y_j:
    samples in thinly populated places score high. Real (n, d), synthetic (m, d). Range [0, inf), in the unit
    of the features; as near as possible to the real set's own rarity, which `details` gives ("real_rarity":
    each real sample against the balls of the others). Per sample: rarity of each synthetic sample, infinite
    outside.

    Undefined when no synthetic sample is inside any ball.

    Raises InputError for k < 1 and k >= n.
    Source: Han et al. 2022 (definition of the rarity score).
    """

    k: int = 3

    info: ClassVar[MetricInfo] = MetricInfo(
        key="rarity",
        title="Rarity score (median)",
        family="fidelity",
        direction="target",
        range=(0.0, float("inf")),
        identical=None,
        formula="median over samples inside of min{ r_i : d(x_i, y_j) <= r_i }",
        reading=(
            "How thinly populated the places are where synthetic samples land, in feature units; far below "
            "the real set's own rarity means that only typical samples are made."
        ),
        reference="han2022",
        symmetric=False,
        invariances=frozenset({"order", "shift", "rotation"}),
    )

    def __post_init__(self) -> None:
        check_k(self.k)

    def check_sizes(self, n_real: int, n_synthetic: int) -> None:
        check_k_fits(self.k, n_real, "real")

    def needs(self) -> tuple[Need, ...]:
        return (BallCounts("real", "synthetic", self.k), OwnBallCounts("real", self.k))

    def compute(self, answers: Answers) -> Outcome:
        balls = answers[BallCounts("real", "synthetic", self.k)]
        own = answers[OwnBallCounts("real", self.k)].smallest
        notices = zero_radius_notices(balls.radii, "real", self.k)
        smallest = balls.smallest
        inside, own_inside = smallest[np.isfinite(smallest)], own[np.isfinite(own)]
        return Outcome(
            float(np.median(inside)) if len(inside) else None,
            per_sample={"synthetic": smallest},
            details={
                "share_outside": 1.0 - len(inside) / len(smallest),
                "real_rarity": float(np.median(own_inside)),
            },
            warnings=notices,
            reason=None if len(inside) else "no synthetic sample lies inside any real neighbour ball",
        )
