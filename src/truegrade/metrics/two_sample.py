"""Can a nearest neighbour tell real from synthetic?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from truegrade.engine.needs import Answers, Floats, Knn, Nearest, Need, Part, Side
from truegrade.errors import notice
from truegrade.metrics.base import Means, Metric, MetricInfo, Outcome, check_whole


@dataclass(frozen=True)
class NearestNeighbourTwoSample(Metric):
    """Leave-one-out accuracy of the 1-nearest-neighbour classifier of real against synthetic.

    Each sample of the pooled set is classified by its nearest other sample. A sample whose own class is at
    exactly the same distance as the other class counts one half. Value: accuracy over all N + M samples,
    range 0 to 1. About one half is right; near 1 the sets are told apart; well below one half synthetic
    samples sit nearer to real samples than real samples do to each other (copies; 0 for an exact copy of the
    real set).

    Details: accuracy_real, accuracy_synthetic, and `chance`, the expected value for two samples of one law,
    (N (N-1) + M (M-1)) / ((N+M) (N+M-1)). With equal_sizes (default) the larger set is sub-sampled to the
    size of the smaller one with `seed`, so that chance is (N-1) / (2N-1). per_sample: 1 right, 0 wrong, 0.5
    tied, for real (N,) and synthetic (M,).

    Raises InputError for a negative seed. Source: Lopez-Paz & Oquab 2017, "Revisiting classifier two-sample
    tests", section 3; Xu et al. 2018 for real and synthetic accuracy apart.
    """

    equal_sizes: bool = True
    seed: int = 0

    info: ClassVar[MetricInfo] = MetricInfo(
        key="nn_two_sample",
        title="1-NN two-sample accuracy",
        family="two-sample",
        direction="target",
        range=(0.0, 1.0),
        identical=0.0,
        formula="share of the pooled samples whose nearest other sample is of their own set",
        reading="About 0.5: neighbours cannot tell the sets apart; near 1: they can; below 0.5: copies.",
        reference="lopezpaz2017",
        symmetric=True,
        target=0.5,
        default=True,
    )

    def __post_init__(self) -> None:
        check_whole("seed", self.seed, 0)

    def _sides(self) -> tuple[Side, Side]:
        if not self.equal_sizes:
            return "real", "synthetic"
        return Part("real", "synthetic", self.seed), Part("synthetic", "real", self.seed)

    def needs(self) -> tuple[Need, ...]:
        real, synthetic = self._sides()
        return (Knn(real, 1), Knn(synthetic, 1), Nearest(real, synthetic, 1), Nearest(synthetic, real, 1))

    def compute(self, answers: Answers) -> Outcome:
        real, synthetic = self._sides()
        right_real = _right(answers[Knn(real, 1)].squared, answers[Nearest(real, synthetic, 1)].squared)
        right_synthetic = _right(
            answers[Knn(synthetic, 1)].squared, answers[Nearest(synthetic, real, 1)].squared
        )
        n, m = len(right_real), len(right_synthetic)

        def overall(on_real: float, on_synthetic: float) -> float:
            return float((n * on_real + m * on_synthetic) / (n + m))

        means = Means((("real", right_real), ("synthetic", right_synthetic)), overall)
        reduced = n < answers.n_real or m < answers.n_synthetic
        return Outcome(
            means.value(),
            per_sample={"real": right_real, "synthetic": right_synthetic},
            details={
                "accuracy_real": float(right_real.mean()),
                "accuracy_synthetic": float(right_synthetic.mean()),
                "chance": chance_level(n, m),
                "n_used": n,
                "m_used": m,
            },
            warnings=(notice("equalised", n=min(n, m), seed=self.seed),) if reduced else (),
            means=means,
        )


def chance_level(n: int, m: int) -> float:
    """Expected overall accuracy for n and m samples of one law: any other sample may be the nearest."""
    return (n * (n - 1) + m * (m - 1)) / ((n + m) * (n + m - 1))


def _right(own: Floats, other: Floats) -> Floats:
    """1 where the own class is strictly nearer, 0.5 where it is exactly as near, else 0."""
    return np.asarray((own[:, 0] < other[:, 0]) + 0.5 * (own[:, 0] == other[:, 0]), np.float64)
