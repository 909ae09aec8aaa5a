"""Where recordings end: in time (padding) and in frequency (bandwidth)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truegrade.recordings import Recordings

NOTHING = 1e-5  # share of the energy above a frequency from which on there is nothing
_BLOCK = 64
_BANDS = 100
_APART = 0.85  # ratio of two bandwidths below which they differ

Floats = NDArray[np.float64]
Index = NDArray[np.intp]


def padding(side: Recordings) -> Index:
    """(N, 2) how many samples at the begin and at the end repeat their neighbour in all leads that have a signal."""
    out = np.zeros((len(side), 2), np.intp)
    for start in range(0, len(side), _BLOCK):
        block = side.values[start : start + _BLOCK]
        missing = side.missing[start : start + _BLOCK]
        moves = ((block[:, :, 1:] != block[:, :, :-1]) & ~missing[:, :, None]).any(axis=1)
        some = moves.any(axis=1)
        out[start : start + _BLOCK, 0] = np.where(some, moves.argmax(axis=1), 0)
        out[start : start + _BLOCK, 1] = np.where(some, moves[:, ::-1].argmax(axis=1), 0)
    out[out < 3] = 0  # a few equal values are chance
    return out


@dataclass(frozen=True, eq=False)
class Shares:
    """frequency: (b,) in Hz, or cycles per sample without a known rate; shares: (N, b) of the energy above it."""

    frequency: Floats
    shares: Floats

    @property
    def edge(self) -> float:
        """The frequency above which half of the recordings have nothing; the highest one where they have."""
        nothing = np.flatnonzero(np.median(self.shares, axis=0) < NOTHING)
        return float(self.frequency[nothing[0]] if len(nothing) else self.frequency[-1])


def shares_above(side: Recordings) -> Shares:
    """Over all leads that have a signal, by a window without sharp ends (else the ends of a recording count)."""
    window = np.hanning(side.length + 2)[1:-1]
    count = side.length // 2 + 1
    edges = np.unique(np.linspace(0, count - 1, min(_BANDS, count)).astype(np.intp))
    out = np.zeros((len(side), len(edges)))
    for start, block in side.blocks(_BLOCK):
        block[side.missing[start : start + len(block)]] = 0.0
        block -= block.mean(axis=2, keepdims=True)
        power = (np.abs(np.fft.rfft(block * window, axis=2)) ** 2).sum(axis=1)
        above = np.cumsum(power[:, ::-1], axis=1)[:, ::-1]
        whole = above[:, :1]
        out[start : start + len(block)] = np.divide(
            above[:, edges], whole, out=np.zeros_like(above[:, edges]), where=whole > 0
        )
    return Shares(edges / side.length * (side.fs or 1.0), out)


def sharper_edge(real: Shares, synthetic: Shares) -> tuple[int, tuple[float, float]] | None:
    """The band at which the narrower side ends, and the bandwidths of both; None where they are about the same."""
    edges = real.edge, synthetic.edge
    if min(edges) > _APART * max(edges):
        return None
    narrower = real if edges[0] < edges[1] else synthetic
    return int(np.searchsorted(narrower.frequency, min(edges))), edges
