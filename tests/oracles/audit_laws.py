"""What neighbour metrics are expected to be for one law, by counting orders; nothing of the package is used."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb


def coverage_by_counting(n, m, k):
    """Share of the orders of n - 1 real and m synthetic samples in which a synthetic one is not behind k real ones."""
    places = n - 1 + m
    hit = total = 0
    for real in combinations(range(places), n - 1):
        total += 1
        hit += real[:k] != tuple(range(k))
    return Fraction(hit, total)


def coverage(n, m, k):
    """1 - C(n - 1 + m - k, m) / C(n - 1 + m, m)."""
    return 1 - Fraction(comb(n - 1 + m - k, m), comb(n - 1 + m, m))
