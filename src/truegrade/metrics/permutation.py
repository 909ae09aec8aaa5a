"""The permutation p-value of a Gaussian MMD."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import Floats
from truegrade.metrics.distances import squared_distances
from truegrade.metrics.drawing import drawn_rows
from truegrade.samples import Samples

POOLED_LIMIT = 4000  # rows; the kernel matrix is held in memory
_MEDIAN_ROWS = 1000  # per side, evenly spaced, as for `Bandwidth`
_AT_ONCE = 256


@dataclass(frozen=True)
class PermutationTest:
    """p_value = (k + 1) / (permutations + 1) for the observed value, on n real and m synthetic rows."""

    p_value: float
    observed: float
    n: int
    m: int


def permutation_test(
    real: Samples,
    synthetic: Samples,
    *,
    bandwidth: float | str,
    permutations: int,
    scales: tuple[float, ...],
    seed: int,
    unbiased: bool,
) -> PermutationTest:
    """Compare the observed MMD with those of `permutations` random relabellings of the pooled rows."""
    rng = np.random.default_rng(seed)
    x, y = _rows(real, synthetic, rng)
    pooled = np.concatenate([x, y])
    pooled -= pooled.mean(0)
    squared = squared_distances(pooled, pooled)
    length = _median(squared, len(x)) if isinstance(bandwidth, str) else float(bandwidth)
    kernel = np.zeros_like(squared)
    for s in scales:
        kernel += np.exp(squared / (-2.0 * (s * length) ** 2))
    kernel /= len(scales)
    labels = np.zeros((len(pooled), 1))
    labels[: len(x)] = 1.0
    observed = float(_statistics(kernel, labels, unbiased)[0])
    reached, left = 0, permutations
    while left:
        columns = np.tile(labels, min(left, _AT_ONCE))
        values = _statistics(kernel, rng.permuted(columns, axis=0), unbiased)
        reached += int((values >= observed - 1e-12).sum())
        left -= columns.shape[1]
    return PermutationTest((reached + 1) / (permutations + 1), observed, len(x), len(y))


def _rows(real: Samples, synthetic: Samples, rng: np.random.Generator) -> tuple[Floats, Floats]:
    n, m = real.n, synthetic.n
    if n + m > POOLED_LIMIT:
        n = min(max(2, round(POOLED_LIMIT * real.n / (real.n + synthetic.n))), POOLED_LIMIT - 2)
        m = POOLED_LIMIT - n
    return drawn_rows(real, n, rng), drawn_rows(synthetic, m, rng)


def _median(squared: Floats, n: int) -> float:
    rows = np.concatenate([_spaced(n), n + _spaced(len(squared) - n)])
    part = squared[np.ix_(rows, rows)]
    distances = np.sqrt(part[np.triu_indices(len(rows), 1)])
    for length in (float(np.median(distances)), float(distances.mean())):
        if length > 0.0:
            return length
    return 1.0


def _spaced(n: int) -> NDArray[np.intp]:
    return np.unique(np.linspace(0, n - 1, min(n, _MEDIAN_ROWS)).astype(np.intp))


def _statistics(kernel: Floats, labels: Floats, unbiased: bool) -> Floats:
    """MMD of each labelling; labels (P, B) are 1 for real and 0 for synthetic rows."""
    n = labels[:, 0].sum()
    m = len(labels) - n
    to_real = kernel @ labels
    within_real = np.einsum("ij,ij->j", labels, to_real)
    across = to_real.sum(0) - within_real
    within_synthetic = kernel.sum() - within_real - 2.0 * across
    itself = 1.0 if unbiased else 0.0
    first = (within_real - itself * n) / (n * (n - itself))
    second = (within_synthetic - itself * m) / (m * (m - itself))
    return np.asarray(first + second - 2.0 * across / (n * m))
