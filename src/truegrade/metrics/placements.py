"""How many of m newcomers fall among the first of n known samples: the law behind clipped coverage.

Line up n - 1 known samples and m newcomers of one continuous law by their distance to a further known sample.
J, the number of newcomers before the k-th known one, is beta-binomial: P(J = i) = BetaBinomial(i; m, k, n -
k), with

    P_0 = prod_{t=1..k} (n - t) / (n + m - t),    P_{i+1} = P_i (m - i)(k + i) / ((i + 1)(n - k + m - i - 1)).

Everything is computed from logarithms, so no term under- or overflows at any k, n and m.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def probabilities(n: NDArray[Any] | int, m: NDArray[Any] | int, k: NDArray[Any] | int, count: int) -> Iterator[Floats]:
    """P(J = i) for i = 0 .. count - 1; n, m and k broadcast, with 1 <= k < n and m >= 0."""
    n, m, k = (np.asarray(v, dtype=np.float64) for v in np.broadcast_arrays(n, m, k))
    log_p = np.zeros(n.shape)
    for t in range(1, int(k.max(initial=0)) + 1):
        needed = t <= k
        log_p += np.log(np.where(needed, n - t, 1.0) / np.where(needed, n + m - t, 1.0))
    for i in range(count):
        yield np.exp(log_p)
        more = m > i  # beyond m the probability is 0
        up = np.where(more, (m - i) * (k + i), 1.0)
        down = np.where(more, (i + 1) * (n - k + m - i - 1), 1.0)
        log_p = np.where(more, log_p + np.log(up / down), -np.inf)


def expected_hits(n: int, m: int, k: int) -> tuple[Floats, Floats]:
    """The table f(0) .. f(m) of E[min(J, k)] / k, and its m + 1 increments f(i + 1) - f(i), all positive.

    f(i + 1) - f(i) = (1/k) sum_{h<k} P_h(i) (k + h) / (n + i). The last increment leads beyond the table. The
    first entries are i / n exactly (i <= k).
    """
    sizes = np.arange(m + 1)
    rising: Floats = np.zeros(m + 1)
    for h, p in enumerate(probabilities(n, sizes, k, k)):
        rising += p * (k + h)
    increments: Floats = rising / (k * (n + sizes.astype(np.float64)))
    table: Floats = np.concatenate([[0.0], np.cumsum(increments[:-1])])
    exact = min(k, m) + 1
    head = np.arange(exact) / n
    table[exact:] += head[-1] - table[exact - 1]
    table[:exact] = head
    return table, increments


def expected_minimum(
    certain: NDArray[Any], tied_known: NDArray[Any], rank: NDArray[Any], tied_new: NDArray[Any], k: int
) -> Floats:
    """E[min(c + H, k)], H = how many of s tied newcomers come before the q-th of t tied known samples.

    Arrays of one shape: `certain` c >= 0, `tied_known` t, `rank` q with 1 <= q <= t, `tied_new` s >= 0; all
    orders of the t + s tied samples are equally likely, so that P(H = h) = C(h+q-1, h) C(t-q+s-h, s-h) /
    C(t+s, s).
    """
    least: Floats = np.minimum(certain, k).astype(np.float64)
    open_ = (tied_new > 0) & (certain < k)
    if not open_.any():
        return least
    kinds, which = np.unique(
        np.stack([certain[open_], tied_known[open_], rank[open_], tied_new[open_]]),
        axis=1,
        return_inverse=True,
    )
    c, t, q, s = kinds
    short = np.zeros(kinds.shape[1])
    for h, p in enumerate(probabilities(t + 1, s, q, k)):
        short += np.maximum(k - c - h, 0) * p
    least[open_] = (k - short)[which.ravel()]
    return least
