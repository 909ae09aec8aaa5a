"""Rank correlations: Spearman's rho and Kendall's tau-b with p-values and intervals.

p is two-sided: up to 9 pairs over all permutations (exact, ties included), beyond that from Student's t (rho) and
from the normal law with Kendall's variance under ties (tau-b). Intervals are Fisher's z with the errors of Bonett
and Wright, Psychometrika 65, 2000: sqrt((1 + rho^2 / 2) / (n - 3)) and sqrt(0.437 / (n - 4)).
Sources: Spearman, American Journal of Psychology 15, 1904; Kendall, Biometrika 33, 1945.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr

from truegrade.agreement.records import Coefficient
from truegrade.result import Interval
from truegrade.uncertainty.paired import kendall as tau_b

LEVEL = 0.95
ENUMERATED = 9  # pairs up to which all permutations are looked at
_FEWEST = 3
_SAME = 1e-9
Floats = NDArray[np.float64]


def average_ranks(values: Floats) -> Floats:
    """Ranks from 1, ties sharing the mean of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[place], dtype=np.float64)


def spearman(x: Floats, y: Floats) -> Coefficient:
    """Pearson's correlation of the ranks, in [-1, 1]; undefined for fewer than 3 pairs and for a constant."""
    return _coefficient(x, y, _rho, _rho_tail, lambda r, n: math.sqrt((1 + r * r / 2) / (n - 3)) if n > 3 else math.inf)


def kendall(x: Floats, y: Floats) -> Coefficient:
    """(concordant - discordant) / sqrt(pairs untied in x * pairs untied in y); undefined as `spearman` is."""
    return _coefficient(x, y, _tau, _tau_tail, lambda r, n: math.sqrt(0.437 / (n - 4)) if n > 4 else math.inf)


Statistic = Callable[[Floats, Floats, bool], Floats]
"""The value for x and y, or for x and y in every order."""


def _coefficient(
    x: Floats,
    y: Floats,
    statistic: Statistic,
    tail: Callable[[float, Floats, Floats], tuple[float, str]],
    error: Callable[[float, int], float],
) -> Coefficient:
    n = len(x)
    if n < _FEWEST:
        return Coefficient(None, reason=f"{n} models; at least {_FEWEST} are needed")
    for values, what in ((x, "the human number"), (y, "the score")):
        if len(np.unique(values)) == 1:
            return Coefficient(None, reason=f"{what} is the same for all {n} models")
    value = float(np.clip(statistic(x, y, False)[0], -1.0, 1.0))
    if n <= ENUMERATED:
        every = np.abs(statistic(x, y, True))
        p, test = float((every >= abs(value) - _SAME).mean()), f"all permutations of {n}"
    else:
        p, test = tail(value, x, y)
    interval = _interval(value, error(value, n))
    reason = None if isinstance(interval, Interval) else interval
    return Coefficient(value, p, interval if isinstance(interval, Interval) else None, test, reason)


def _interval(value: float, error: float) -> Interval | str:
    if not math.isfinite(error):
        return "too few models for an interval"
    if abs(value) > 1 - _SAME:
        return "a perfect order has no interval"
    reach = float(ndtri((1 + LEVEL) / 2)) * error
    centre = math.atanh(value)
    return Interval(math.tanh(centre - reach), math.tanh(centre + reach), LEVEL, "Fisher's z, Bonett and Wright")


@lru_cache(maxsize=2)
def _orders(n: int) -> NDArray[np.uint8]:
    """All orders of n things, (n!, n)."""
    return np.array(list(permutations(range(n))), dtype=np.uint8)


@lru_cache(maxsize=2)
def _pairs(n: int) -> NDArray[np.uint8]:
    """Where each pair of positions i < j finds its entry of an (n, n) table in each order: (pairs, n!)."""
    i, j = np.triu_indices(n, 1)
    return np.ascontiguousarray((_orders(n)[:, i] * np.uint8(n) + _orders(n)[:, j]).T)


def _rho(x: Floats, y: Floats, every: bool) -> Floats:
    a, b = (r - r.mean() for r in (average_ranks(x), average_ranks(y)))
    ordered = b[_orders(len(x))] if every else b[None]
    return np.asarray((ordered @ a) / math.sqrt(float(a @ a) * float(b @ b)))


def _rho_tail(rho: float, x: Floats, _: Floats) -> tuple[float, str]:
    freedom = len(x) - 2
    t = abs(rho) * math.sqrt(freedom / max(1 - rho * rho, 1e-300))
    return float(2 * stdtr(freedom, -t)), "Student's t"


def _tau(x: Floats, y: Floats, every: bool) -> Floats:
    if not every:
        return np.array([tau_b(x, y)], dtype=np.float64)
    i, j = np.triu_indices(len(x), 1)
    a, b = (np.sign(values[:, None] - values[None, :]).astype(np.int8) for values in (x, y))
    total = np.zeros(math.factorial(len(x)), dtype=np.int8)  # at most 36 pairs
    for sign, places in zip(a[i, j], _pairs(len(x)), strict=True):
        total += sign * b.ravel()[places]
    untied = (int(np.count_nonzero(s[i, j])) for s in (a, b))
    return np.asarray(total / math.sqrt(math.prod(untied)), dtype=np.float64)


def _tau_tail(tau: float, x: Floats, y: Floats) -> tuple[float, str]:
    n = len(x)
    ties = [np.unique(values, return_counts=True)[1].astype(float) for values in (x, y)]
    one, two = (float((t * (t - 1)).sum()) for t in ties)
    long_one, long_two = (float((t * (t - 1) * (2 * t + 5)).sum()) for t in ties)
    triple_one, triple_two = (float((t * (t - 1) * (t - 2)).sum()) for t in ties)
    pairs = n * (n - 1)
    variance = (pairs * (2 * n + 5) - long_one - long_two) / 18 + one * two / (2 * pairs)
    variance += triple_one * triple_two / (9 * pairs * (n - 2))
    excess = tau * math.sqrt((pairs - one) * (pairs - two)) / 2  # concordant - discordant
    return float(2 * ndtr(-abs(excess) / math.sqrt(variance))), "normal law"
