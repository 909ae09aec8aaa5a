"""From which similarity on two recordings are called copies: the tail of the similarity of real ones to others."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.001  # of fresh real recordings come above the threshold
FEWEST = 10
LOWEST = 0.95  # less similar recordings are no copies, however rare; a copy with noise at -10 dB
CERTAIN = 0.995  # at least as similar ones are, where real recordings stay below ALIKE; a copy with noise at -20 dB
ALIKE = 0.99  # two real recordings this similar are one twice, unless that is common
_COMMON = 0.2
_START = 0.75  # quantile at which the tail starts
_LEAST = 0.02  # its least scale

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Tail:
    """How similar a fresh recording is to its most similar real one: above `start` (of atanh similarity) the excess is
    exponential, with the mean `scale` over `seen` of them. largest: similarity. doubles: real recordings that are there
    twice. n: recordings it is learnt from.

    A new excess over the mean of k seen ones, itself uncertain, is above x with the chance (1 + x / k)^-k."""

    start: float
    scale: float
    seen: int
    largest: float
    doubles: int
    n: int

    @property
    def threshold(self) -> float:
        """Similarity that LEVEL of fresh recordings exceed, and not below the largest seen; from LOWEST to CERTAIN, but
        higher where real ones are alike. CERTAIN where there are too few to learn from."""
        if self.n < FEWEST:
            return CERTAIN
        reach = self.seen * (((1.0 - _START) / LEVEL) ** (1.0 / self.seen) - 1.0)
        found = math.tanh(self.start + self.scale * reach)
        return max(LOWEST, self.largest, found if self.largest >= ALIKE else min(found, CERTAIN))

    def beyond(self, similarity: float) -> float:
        """Share of fresh recordings that are at least as similar to a real one."""
        if similarity >= CERTAIN and (self.n < FEWEST or self.largest < ALIKE):
            return 0.0
        if self.n < FEWEST or similarity < self.threshold:
            return 1.0
        excess = float(_stretched(np.array(similarity))) - self.start
        return float((1.0 - _START) * (1.0 + max(0.0, excess) / self.scale / self.seen) ** -self.seen)


def fit_tail(nearest: Floats) -> Tail:
    """From the similarity of each real recording to the most similar one of another patient, (n,).

    Pairs of real recordings that are as good as equal are data given twice and would hide copies; they are left out,
    unless so many are that the recordings are simply alike.
    """
    known = nearest[nearest > -1.0]
    equal = known >= ALIKE
    doubles = int(equal.sum()) if equal.sum() <= _COMMON * len(known) else 0
    if doubles:
        known = known[~equal]
    if len(known) < FEWEST:
        return Tail(0.0, 1.0, 1, 0.0, doubles, len(known))
    z = _stretched(known)
    start = float(np.quantile(z, _START))
    excess = z[z > start] - start
    scale = max(_LEAST, float(excess.mean())) if len(excess) else _LEAST
    return Tail(start, scale, max(1, len(excess)), float(known.max()), doubles, len(known))


def _stretched(similarity: Floats) -> Floats:
    return np.asarray(np.arctanh(np.clip(similarity, -1 + 1e-7, 1 - 1e-7)))
