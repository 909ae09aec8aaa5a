"""Per-sample bootstrap for values that are functions of per-sample means.

One set of resampling weights per side serves all metrics: the contributions of all of them are laid side by
side and every replicate is one row of a matrix product. Source: Efron & Tibshirani 1993, chapter 13
(percentile intervals).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from truegrade.engine.blas import single_thread
from truegrade.metrics.base import Means
from truegrade.result import Interval

REPLICATES = 1000
LEVEL = 0.95
_MOST_UNITS = 5_000  # above this, random groups of samples are resampled instead of single samples
_DRAWS_PER_CHUNK = 1_000_000

Floats = NDArray[np.float64]
Part = tuple[str, int]  # side and number of contributions


def bootstrap_intervals(
    means: Mapping[str, Means],
    ranges: Mapping[str, tuple[float, float]],
    *,
    seed: int,
    replicates: int = REPLICATES,
    level: float = LEVEL,
) -> dict[str, Interval | str]:
    """Percentile intervals, clipped to each metric's range; a string says why there is none.

    Contributions that are all 0 or all 1 show no spread however often they are resampled; there the mean is
    also moved to its exact binomial bound (Clopper & Pearson 1934): no interval has width 0 by accident.

    Args:
        means: by key, the per-sample contributions (n,) or (n, c) of each part and how they combine.
        ranges: by key, the lowest and highest possible value.
    """
    with single_thread():  # the same sums in the same order on every machine, and faster
        resampled = _resample(_columns(means), seed, replicates)
    return {
        key: _interval(m, [resampled[key, i] for i in range(len(m.parts))], ranges[key], level)
        for key, m in means.items()
    }


def _columns(means: Mapping[str, Means]) -> dict[Part, list[tuple[tuple[str, int], Floats]]]:
    """Every part of every metric, grouped by the samples it is a mean over."""
    grouped: dict[Part, list[tuple[tuple[str, int], Floats]]] = {}
    for key, m in means.items():
        for i, (side, values) in enumerate(m.parts):
            table = np.asarray(values, np.float64).reshape(len(values), -1)
            grouped.setdefault((side, len(table)), []).append(((key, i), table))
    return grouped


def _resample(
    grouped: dict[Part, list[tuple[tuple[str, int], Floats]]], seed: int, replicates: int
) -> dict[tuple[str, int], Floats]:
    """Resampled means, shape (replicates, c), of every part."""
    out: dict[tuple[str, int], Floats] = {}
    for (side, n), columns in grouped.items():
        rng = np.random.default_rng([seed, n, *str(side).encode()])
        table = np.concatenate([values for _, values in columns], axis=1)
        drawn = _resampled_means(table, rng, replicates)
        at = 0
        for name, values in columns:
            out[name] = drawn[:, at : at + values.shape[1]]
            at += values.shape[1]
    return out


def _resampled_means(table: Floats, rng: np.random.Generator, replicates: int) -> Floats:
    """Means of `replicates` multinomial resamples of the rows of `table` (n, c); memory n c + a chunk."""
    sums, sizes = _units(table, rng)
    units = len(sums)
    means = np.empty((replicates, table.shape[1]))
    step = max(1, _DRAWS_PER_CHUNK // units)
    for start in range(0, replicates, step):
        rows = min(step, replicates - start)
        draws = rng.integers(0, units, size=(rows, units), dtype=np.int32)
        draws += (np.arange(rows, dtype=np.int32) * units)[:, None]
        weights = np.bincount(draws.ravel(), minlength=rows * units).reshape(rows, units).astype(np.float64)
        means[start : start + rows] = (weights @ sums) / (weights @ sizes)[:, None]
    return means


def _units(table: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """What is resampled: sums (u, c) and sizes (u,) of single rows, or of random groups when there are many.

    Means over random groups have the same sampling variance as the rows, at a cost that does not grow with n.
    """
    n = len(table)
    if n <= _MOST_UNITS:
        return table, np.ones(n)
    edges = np.linspace(0, n, _MOST_UNITS, endpoint=False).astype(np.intp)
    return np.add.reduceat(table[rng.permutation(n)], edges, axis=0), np.diff(edges, append=n).astype(float)


def _interval(
    means: Means, drawn: Sequence[Floats], limits: tuple[float, float], level: float
) -> Interval | str:
    with np.errstate(all="ignore"):
        rows = (_shaped([d[b] for d in drawn], means) for b in range(len(drawn[0])))
        values = np.array([_combine(means.combine, row) for row in rows])
    finite = values[np.isfinite(values)]
    if len(finite) < 0.95 * len(values):
        return f"the value is undefined in {len(values) - len(finite)} of {len(values)} bootstrap replicates"
    tail = (1 - level) / 2
    low, high = (float(q) for q in np.quantile(finite, [tail, 1 - tail]))
    for value in (means.value(), *binomial_bounds(means, tail, few=0)):
        low, high = min(low, value), max(high, value)
    low, high = (float(np.clip(v, *limits)) for v in (low, high))
    return Interval(low, high, level, "per-sample bootstrap")


def _combine(combine: Callable[..., float], means: Sequence[Any]) -> float:
    try:
        return float(combine(*means))
    except ArithmeticError:
        return np.nan


def binomial_bounds(means: Means, tail: float, few: int) -> list[float]:
    """Values with each share that is nearly 0 or 1 moved to its exact binomial bounds (Clopper & Pearson 1934).

    Nearly: of contributions that are 0 or 1, at most `few` are the rarer of the two. Their spread tells little then,
    and nothing if there is none.
    """
    full = [np.atleast_1d(values.mean(0)) for _, values in means.parts]
    found = []
    for part, (_, values) in enumerate(means.parts):
        for column, contributions in enumerate(values.reshape(len(values), -1).T):
            for bound in _share_bounds(contributions, tail, few):
                moved = [m.copy() for m in full]
                moved[part][column] = bound
                found.append(_combine(means.combine, _shaped(moved, means)))
    return [value for value in found if np.isfinite(value)]


def _share_bounds(contributions: Floats, tail: float, few: int) -> list[float]:
    n, ones = len(contributions), int(np.count_nonzero(contributions == 1.0))
    zeros = int(np.count_nonzero(contributions == 0.0))
    if ones + zeros < n or min(ones, zeros) > few:
        return []
    low = float(betaincinv(ones, zeros + 1, tail)) if ones else 0.0
    high = float(betaincinv(ones + 1, zeros, 1 - tail)) if zeros else 1.0
    return [low, high]


def _shaped(rows: Sequence[Floats], means: Means) -> list[Any]:
    """Means of each part as `combine` takes them: a float, or an array for parts with columns."""
    return [r if v.ndim > 1 else float(r[0]) for r, (_, v) in zip(rows, means.parts, strict=True)]
