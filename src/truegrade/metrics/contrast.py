"""What kernel and energy statistics share: pairs within each set against pairs across.

For a symmetric function h the statistic is U = E h(X, X') + E h(Y, Y') - 2 E h(X, Y). Per real sample
d_i = mean_{l != i} h(x_i, x_l) - mean_j h(x_i, y_j), per synthetic sample e_j likewise; U = mean d + mean e.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from truegrade.engine.needs import Floats, PairSums
from truegrade.metrics.base import Pairs

Estimator = Literal["unbiased", "biased"]


@dataclass(frozen=True)
class Contrast:
    """Per-sample contrasts: real (n,), synthetic (m,); positive where a sample is nearer to its own set.

    bias: by how much the value exceeds that of the unbiased estimator.
    """

    real: Floats
    synthetic: Floats
    bias: float = 0.0

    @property
    def value(self) -> float:
        """mean d + mean e."""
        return float(self.real.mean() + self.synthetic.mean())

    @property
    def standard_error(self) -> float:
        """First-order standard error of U: sqrt(4 var(d)/n + 4 var(e)/m).

        U is a function of two samples with the projections h_1(x) = 2 (E h(x, X') - E h(x, Y)) and the mirror
        image, estimated by 2 d_i and 2 e_j (Hoeffding 1948). For two samples of one law h_1 is 0 and what is
        left in d and e is the second-order noise, which this formula counts twice: the error is then too
        large by a factor of about sqrt(2), never too small; the intervals take that part off.
        """
        n, m = len(self.real), len(self.synthetic)
        return float(2.0 * np.sqrt(self.real.var(ddof=1) / n + self.synthetic.var(ddof=1) / m))


def pairs_of(parts: Contrast, gram: Callable[[Floats], Floats], sign: float = 1.0) -> Pairs:
    """What the error of `sign` times the value is made from; `gram` is that of sign * h."""
    both = {"real": 2.0 * sign * parts.real, "synthetic": 2.0 * sign * parts.synthetic}
    return Pairs(sign * parts.value, sign * parts.bias, both, gram)


def contrast(
    real: PairSums, synthetic: PairSums, across: PairSums, *, estimator: Estimator, itself: float
) -> Contrast:
    """Contrasts from the pair sums; `itself` is h(x, x), which only the biased (V) estimator counts."""
    n, m = len(real.rows), len(synthetic.rows)
    if estimator == "unbiased":
        own_real, own_synthetic = real.rows / (n - 1), synthetic.rows / (m - 1)
    else:
        own_real, own_synthetic = (real.rows + itself) / n, (synthetic.rows + itself) / m
    bias = sum(
        float(own.mean() - sums.rows.mean() / (size - 1))
        for own, sums, size in ((own_real, real, n), (own_synthetic, synthetic, m))
    )
    return Contrast(own_real - across.rows / m, own_synthetic - across.columns / n, bias)


def clamp_rounding(value: float, size: float) -> float:
    """The value, or 0 where a biased estimate is below the accuracy of the sums (1e-9 of their terms' size).

    For the V-statistics, which are never negative and exactly 0 for identical sets.
    """
    return 0.0 if abs(value) <= 1e-9 * size else max(value, 0.0)
