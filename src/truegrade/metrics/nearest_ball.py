"""Nearest-ball precision, recall and F: only the ball of the nearest sample of the other set counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import Answers, Knn, Nearest, Need
from truegrade.metrics.balls import share, zero_radius_notices
from truegrade.metrics.base import Means, Metric, MetricInfo, Outcome, check_k, check_k_fits


@dataclass(frozen=True, kw_only=True)
class NearestBallPrecision(Metric):
    """Share of synthetic samples that lie in the ball of their nearest real sample.

    (1/M) sum_j 1[ d(y_j, x*) <= r* ], x* the real sample nearest to y_j and r* its distance to its k-th
    nearest other real sample. Real (n, d), synthetic (m, d). Range [0, 1], higher is better; stricter than
    precision. Per sample: 0 or 1 for each synthetic sample. Among equally near real samples the first in the
    set is x*.

    Raises InputError for k < 1 and k >= n.
    Source: the rule `pr_dist` of ECGEN-Eval, after Kynkäänniemi et al. 2019.
    """

    k: int = 3

    info: ClassVar[MetricInfo] = MetricInfo(
        key="nearest_ball_precision",
        title="Nearest-ball precision",
        family="fidelity",
        direction="higher",
        range=(0.0, 1.0),
        identical=1.0,
        formula="share of y_j with d(y_j, x*) <= r*, x* nearest real sample",
        reading="Share of synthetic samples that their nearest real sample would call a neighbour.",
        reference="ecgeneval",
        symmetric=False,
    )

    def __post_init__(self) -> None:
        check_k(self.k)

    def check_sizes(self, n_real: int, n_synthetic: int) -> None:
        check_k_fits(self.k, n_real, "real")

    def needs(self) -> tuple[Need, ...]:
        return _needs("real", "synthetic", self.k)

    def compute(self, answers: Answers) -> Outcome:
        notices = zero_radius_notices(answers[Knn("real", self.k)].radii, "real", self.k)
        return share(_inside(answers, "real", "synthetic", self.k), "synthetic", notices)


@dataclass(frozen=True, kw_only=True)
class NearestBallRecall(Metric):
    """Share of real samples that lie in the ball of their nearest synthetic sample.

    (1/N) sum_i 1[ d(x_i, y*) <= s* ], y* the synthetic sample nearest to x_i and s* its distance to its k-th
    nearest other synthetic sample. Real (n, d), synthetic (m, d). Range [0, 1], higher is better. Per sample:
    0 or 1 for each real sample. Among equally near synthetic samples the first in the set is y*.

    Raises InputError for k < 1 and k >= m.
    Source: the rule `pr_dist` of ECGEN-Eval, after Kynkäänniemi et al. 2019.
    """

    k: int = 3

    info: ClassVar[MetricInfo] = MetricInfo(
        key="nearest_ball_recall",
        title="Nearest-ball recall",
        family="coverage",
        direction="higher",
        range=(0.0, 1.0),
        identical=1.0,
        formula="share of x_i with d(x_i, y*) <= s*, y* nearest synthetic sample",
        reading="Share of real samples that their nearest synthetic sample would call a neighbour.",
        reference="ecgeneval",
        symmetric=False,
    )

    def __post_init__(self) -> None:
        check_k(self.k)

    def check_sizes(self, n_real: int, n_synthetic: int) -> None:
        check_k_fits(self.k, n_synthetic, "synthetic")

    def needs(self) -> tuple[Need, ...]:
        return _needs("synthetic", "real", self.k)

    def compute(self, answers: Answers) -> Outcome:
        notices = zero_radius_notices(answers[Knn("synthetic", self.k)].radii, "synthetic", self.k)
        return share(_inside(answers, "synthetic", "real", self.k), "real", notices)


@dataclass(frozen=True, kw_only=True)
class NearestBallF(Metric):
    """Harmonic mean of nearest-ball precision P and recall R.

    F = 2 P R / (P + R), and 0 when both are 0. Real (n, d), synthetic (m, d). Range [0, 1], higher is better.
    `details` holds P and R.

    Raises InputError for k < 1, k >= n and k >= m.
    Source: the rule `pr_dist` of ECGEN-Eval, after Kynkäänniemi et al. 2019.
    """

    k: int = 3

    info: ClassVar[MetricInfo] = MetricInfo(
        key="nearest_ball_f",
        title="Nearest-ball F",
        family="fidelity",
        direction="higher",
        range=(0.0, 1.0),
        identical=1.0,
        formula="2 P R / (P + R) of nearest-ball precision and recall",
        reading="Fidelity and coverage in one number; low as soon as one of them is low.",
        reference="ecgeneval",
        symmetric=True,
    )

    def __post_init__(self) -> None:
        check_k(self.k)

    def check_sizes(self, n_real: int, n_synthetic: int) -> None:
        check_k_fits(self.k, n_real, "real")
        check_k_fits(self.k, n_synthetic, "synthetic")

    def needs(self) -> tuple[Need, ...]:
        return _needs("real", "synthetic", self.k) + _needs("synthetic", "real", self.k)

    def compute(self, answers: Answers) -> Outcome:
        precise = _inside(answers, "real", "synthetic", self.k).astype(np.float64)
        covered = _inside(answers, "synthetic", "real", self.k).astype(np.float64)
        means = Means((("synthetic", precise), ("real", covered)), harmonic_mean)
        notices = [
            n
            for side in ("real", "synthetic")
            for n in zero_radius_notices(answers[Knn(side, self.k)].radii, side, self.k)
        ]
        return Outcome(
            means.value(),
            per_sample={"synthetic": precise, "real": covered},
            details={"precision": float(precise.mean()), "recall": float(covered.mean())},
            warnings=tuple(notices),
            means=means,
        )


def harmonic_mean(a: float, b: float) -> float:
    """2ab / (a + b), and 0 when both are 0."""
    return 2 * a * b / (a + b) if a + b > 0 else 0.0


def _needs(centres: str, points: str, k: int) -> tuple[Need, ...]:
    return (Knn(centres, k), Nearest(points, centres, 1))


def _inside(answers: Answers, centres: str, points: str, k: int) -> NDArray[Any]:
    """Which points lie in the closed ball of their nearest centre."""
    nearest = answers[Nearest(points, centres, 1)]
    squared_radii = answers[Knn(centres, k)].squared[:, -1]
    return np.asarray(nearest.squared[:, 0] <= squared_radii[nearest.indices[:, 0]])
