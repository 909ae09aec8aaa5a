"""From which similarity on two recordings are called copies: the tail of the similarity of real ones to others."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.001  # of fresh real recordings come above the threshold
FEWEST = 10
FIXED = 0.99  # the threshold where there are too few real recordings to learn it from
_EQUAL = 0.99  # two real recordings this similar are one twice, unless that is common
_COMMON = 0.2
_START = 0.75  # quantile at which the tail starts
_LEAST = 0.02  # its least scale

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Tail:
    """How similar a fresh recording is to its most similar real one: above `start` (of atanh similarity) the excess is
    exponential with the mean `scale`; largest: of those seen. doubles: real recordings that are there twice."""

    start: float
    scale: float
    largest: float
    doubles: int
    n: int

    @property
    def threshold(self) -> float:
        """Similarity that LEVEL of fresh recordings exceed, and not below the largest seen; FIXED of too few."""
        if self.n < FEWEST:
            return FIXED
        return math.tanh(max(self.largest, self.start + self.scale * math.log((1.0 - _START) / LEVEL)))

    def beyond(self, similarity: float) -> float:
        """Share of fresh recordings that are as similar to a real one, at least."""
        if self.n < FEWEST:
            return 0.0 if similarity >= FIXED else 1.0
        excess = float(_stretched(np.array(similarity))) - self.start
        return min(1.0, (1.0 - _START) * math.exp(-max(0.0, excess) / self.scale))


def fit_tail(nearest: Floats) -> Tail:
    """From the similarity of each real recording to the most similar one of another patient, (n,).

    Pairs of real recordings that are as good as equal are data given twice and would hide copies; they are left out,
    unless so many are that the recordings are simply alike.
    """
    known = nearest[nearest > -1.0]
    equal = known >= _EQUAL
    doubles = int(equal.sum()) if equal.sum() <= _COMMON * len(known) else 0
    if doubles:
        known = known[~equal]
    if len(known) < FEWEST:
        return Tail(0.0, 1.0, 0.0, doubles, len(known))
    z = _stretched(known)
    start = float(np.quantile(z, _START))
    return Tail(start, max(_LEAST, float((z[z > start] - start).mean())), float(z.max()), doubles, len(known))


def _stretched(similarity: Floats) -> Floats:
    return np.asarray(np.arctanh(np.clip(similarity, -1 + 1e-7, 1 - 1e-7)))
