"""The law behind counted cells, those included that no row has shown: what a second sample of it would look like.

The cells of a table are a sample too: many rare ones are missing, and those that occur once are too frequent in it. The
distribution of expected counts over cells is found by maximum likelihood from how many cells occur once, twice, ...
(a mixture of Poisson distributions, cut off at 0, on fixed expectations). Each cell then gets an expectation drawn from
what its count leaves likely, and as many cells are added as the distribution says are missing.

Sources: Norris & Pollock 1998 (the likelihood), Efron & Thisted 1976 (unseen kinds). Up to sizes a few times the
sample's it agrees with fresh samples of geometric, uniform and Zipf laws; beyond that the data do not tell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_KNOWN = 60  # rows from which on a cell's share is taken as it is
_LOWEST, _PLACES = 0.05, 48  # expectations of rare cells, from this on
_STEPS, _STILL = 1_000, 1e-6
_MOST = 500_000  # unseen cells


@dataclass(frozen=True, eq=False)
class Law:
    """frequent: (f,) counts of cells whose share is known well. expected: (e,) expectations of the rare ones.
    kinds: (k,) the counts of the others; rare: (k,) how many cells have each; likely: (k, e) what is then expected.
    unseen: (e,) cells that no row has shown, on average."""

    frequent: Floats
    expected: Floats
    kinds: Ints
    rare: Ints
    likely: Floats
    unseen: Floats

    def shares(self, rng: np.random.Generator) -> Floats:
        """(c,) shares of cells of one law that may stand behind the counts; the order of cells means nothing."""
        seen = sum((rng.multinomial(count, likely) for count, likely in zip(self.rare, self.likely, strict=True)), 0)
        cells = np.concatenate([self.frequent, np.repeat(self.expected, seen + rng.poisson(self.unseen))])
        return np.asarray(cells / cells.sum())

    def expectations(self, counts: Ints, rng: np.random.Generator) -> Floats:
        """(c,) what may be expected of cells in a second sample of this size, given their counts (c,) in this one."""
        out = counts.astype(np.float64)
        for kind, likely in zip(self.kinds, self.likely, strict=True):
            there = np.flatnonzero(counts == kind)
            out[there] = rng.choice(self.expected, len(there), p=likely)
        return out


def law_of(counts: Ints) -> Law:
    """Of counts (c,) that are not all 0."""
    counts = counts[counts > 0]
    small = counts[counts < _KNOWN]
    frequent = counts[counts >= _KNOWN].astype(np.float64)
    kinds, rare = np.unique(small, return_counts=True)
    expected = np.geomspace(max(_LOWEST, len(small) / _MOST), 1.6 * _KNOWN, _PLACES)
    if not len(small):
        return Law(frequent, expected, kinds, rare, np.zeros((0, _PLACES)), np.zeros(_PLACES))
    given = _likelihood(kinds, expected)
    weights = _weights(given, rare / len(small))
    likely = given * weights
    absent = weights * len(small) / np.expm1(expected)
    return Law(frequent, expected, kinds, rare, likely / likely.sum(axis=1, keepdims=True), absent)


def _likelihood(kinds: Ints, expected: Floats) -> Floats:
    """(k, e) probability of a count, given that it is not 0."""
    from scipy.special import gammaln

    exponent = kinds[:, None] * np.log(expected) - expected - gammaln(kinds + 1.0)[:, None]
    return np.asarray(np.exp(exponent) / -np.expm1(-expected))


def _weights(given: Floats, shares: Floats) -> Floats:
    """(e,) weights of the mixture that makes shares (k,) of counts most likely, by expectation-maximisation."""
    weights = np.full(given.shape[1], 1.0 / given.shape[1])
    for _ in range(_STEPS):
        better = weights * (given.T @ (shares / (given @ weights)))
        change = np.abs(better - weights).max()
        weights = better
        if change < _STILL:
            break
    return np.asarray(weights / weights.sum())
