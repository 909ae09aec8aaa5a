"""Errors from the linear part of a value: what each sample adds to it (influence function, Hájek projection).

One pass over the samples, no repetition. Sources: Hoeffding 1948 (U-statistics); van der Vaart, Asymptotic
Statistics, 1998, chapters 11, 12 and 20.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truegrade.metrics.base import Expansion, Influence, Outcome, Pairs, Quadratic
from truegrade.result import Interval, Trace
from truegrade.samples import Samples
from truegrade.uncertainty.analytic import Curved, curved

GROUPS = 50  # of the real rows, in a trace
_MOST_ROWS = 500  # of each side, from which the second-order variance of pair sums is estimated
_TRUSTED = 0.4  # features a sample from which on nothing is taken off for the second-order part
_ROWS = 4096  # read at once

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Linear:
    """An error from the linear part. parts: by side, what each sample adds to the statistic, shape (n,)."""

    curved: Curved
    parts: Mapping[str, Floats]

    def trace(self, real: Samples, seed: int, slope: float = 1.0) -> Trace:
        """Means over fixed random groups of the real rows, scaled so that the trace has this very error."""
        n = len(self.parts["real"])
        count = min(GROUPS, n // 2)
        group = np.random.default_rng([seed, n]).permutation(np.arange(n) % count)
        means = np.bincount(group, self.parts["real"], count) / np.bincount(group, minlength=count)
        shares = {side: p.var(ddof=1) / len(p) for side, p in self.parts.items()}
        real_share = shares["real"] / (sum(shares.values()) or 1.0)
        variance, spread = self.curved.variance * slope**2, float(means.var(ddof=1)) / count
        factor = np.sqrt(variance * real_share / spread) if spread > 0 else 0.0
        basis = f"linear part over {count} groups of the {n} real samples {real.fingerprint}, seed {seed}"
        return Trace(means * factor, count**-0.5, basis, float(variance * (1.0 - real_share)))


def of_pairs(pairs: Pairs, sides: Mapping[str, Samples], seed: int) -> Linear:
    """The error of a statistic of sums over pairs."""
    second = _second_order(pairs, sides, seed)
    linear = sum(float(part.var(ddof=1)) / len(part) for part in pairs.parts.values())
    # the slope is 4 times a weighted mean of the eigenvalues of the kernel, and `second` twice the sum of their squares
    steepest = 4.0 * (second / 2.0) ** 0.5
    return Linear(curved(pairs.statistic - pairs.bias, linear, second, steepest=steepest), pairs.parts)


def of_expansion(value: float, expansion: Expansion, sides: Mapping[str, Samples]) -> Linear:
    """The error of a value with an expansion; reads the samples once.

    That each sample's influence holds its own share of the second-order part is known for many samples a feature and
    laws that are near each other; what is taken off for it shrinks to nothing outside of that, and the error is then
    rather too large.
    """
    parts = {side: values_of(quadratic, sides[side]) for side, quadratic in expansion.influence().items()}
    linear = sum(float(p.var(ddof=1)) / len(p) for p in parts.values())
    crowded = max(sides[side].d / (_TRUSTED * sides[side].n) for side in parts)
    near = min(1.0, 2.0 * expansion.variance / linear) if linear > 0 else 1.0
    shared = max(0.0, 1.0 - crowded) * near**2
    found = curved(value - expansion.bias, linear, expansion.variance, steepest=expansion.steepest, shared=shared)
    return Linear(found, parts)


def of_influence(influence: Influence) -> Linear:
    """The error of a value that is no distance: nothing vanishes where the laws are equal, so nothing is taken off."""
    linear = sum(float(p.var(ddof=1)) / len(p) for p in influence.parts.values())
    return Linear(curved(0.0, linear, influence.second, steepest=0.0, shared=0.0), influence.parts)


def floor_error(outcome: Outcome, sides: Mapping[str, Samples], seed: int) -> float | None:
    """Standard error of a value of real samples against real ones; None where neither way of this module is known.

    Of a distance: both sides have one law, so there is only the second-order part.
    """
    if outcome.value is None or min(sides["real"].n, sides["synthetic"].n) < 4:
        return None
    if isinstance(outcome.influence, Influence):
        return of_influence(outcome.influence).curved.error
    if outcome.pairs is not None:
        error = float(np.sqrt(_second_order(outcome.pairs, sides, seed)))
        return error * slope_of(outcome.pairs, error)
    return None if outcome.expand is None else float(np.sqrt(outcome.expand().variance))


def values_of(quadratic: Quadratic, samples: Samples) -> Floats:
    """The quadratic at every sample, shape (n,)."""
    out = []
    for block in samples.blocks(_ROWS):
        rows = block.astype(np.float64) - quadratic.centre
        out.append(rows @ quadratic.slope + np.einsum("ij,ij->i", rows @ quadratic.matrix, rows))
    return np.concatenate(out) - quadratic.constant


def interval_of_pairs(pairs: Pairs, found: Curved, limits: tuple[float, float], level: float = 0.95) -> Interval:
    """In the metric's unit, clipped to its range."""
    below, above = found.bounds(level)
    ends = (pairs.finish(pairs.statistic + below), pairs.finish(pairs.statistic + above))
    return _clipped(ends, limits, level, "Hájek projection")


def interval_of_expansion(value: float, found: Curved, limits: tuple[float, float], level: float = 0.95) -> Interval:
    """Also of an influence. Clipped to the metric's range."""
    below, above = found.bounds(level)
    return _clipped((value + below, value + above), limits, level, "influence function")


def _clipped(ends: tuple[float, float], limits: tuple[float, float], level: float, method: str) -> Interval:
    low, high = (float(np.clip(v, *limits)) for v in ends)
    return Interval(low, high, level, method)


def slope_of(pairs: Pairs, error: float) -> float:
    """What one unit of the statistic is in the metric's unit, over one error to either side."""
    if error <= 0:
        return 1.0
    return (pairs.finish(pairs.statistic + error) - pairs.finish(pairs.statistic - error)) / (2.0 * error)


# --- the second-order part of pair sums -------------------------------------------------------------------


def _second_order(pairs: Pairs, sides: Mapping[str, Samples], seed: int) -> float:
    """2 s_xx / (n (n-1)) + 2 s_yy / (m (m-1)) + 4 s_xy / (n m), s the variances of the doubly centred kernel.

    The kernel is read on random rows of each side, at most `_MOST_ROWS`.
    """
    rows = [_some_rows(sides[side], seed) for side in ("real", "synthetic")]
    n, m, cut = sides["real"].n, sides["synthetic"].n, len(rows[0])
    gram = pairs.gram(np.concatenate(rows))
    within_real, within_synthetic = _within(gram[:cut, :cut]), _within(gram[cut:, cut:])
    across = _across(gram[:cut, cut:])
    return 2.0 * within_real / (n * (n - 1)) + 2.0 * within_synthetic / (m * (m - 1)) + 4.0 * across / (n * m)


def _some_rows(samples: Samples, seed: int) -> Floats:
    if samples.n <= _MOST_ROWS:
        return samples.rows.take(np.arange(samples.n)).astype(np.float64)
    chosen = np.random.default_rng([seed, samples.n]).choice(samples.n, _MOST_ROWS, replace=False)
    return samples.rows.take(np.sort(chosen)).astype(np.float64)


def _within(gram: Floats) -> float:
    """Variance of h(X, X') - E[h | X] - E[h | X'] + E h, without bias but at least 0; the diagonal is left out."""
    n = len(gram)
    if n < 3:
        return 0.0
    h = gram - gram[~np.eye(n, dtype=bool)].mean()
    np.fill_diagonal(h, 0.0)
    squares, rows = float((h * h).sum()), h.sum(1)
    return max(0.0, squares / (n * (n - 1)) - 2.0 * (float(rows @ rows) - squares) / (n * (n - 1) * (n - 2)))


def _across(gram: Floats) -> float:
    """The same for independent X and Y."""
    n, m = gram.shape
    h = gram - gram.mean()
    squares, rows, columns = float((h * h).sum()), h.sum(1), h.sum(0)
    by_row = (float(rows @ rows) - squares) / (n * m * (m - 1))
    by_column = (float(columns @ columns) - squares) / (n * m * (n - 1))
    return float(max(0.0, squares / (n * m) - by_row - by_column))
