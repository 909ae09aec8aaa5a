"""The divergence where a grid cannot give it: where the synthetic density is next to nothing, and at real points that
the grid does not hold. Both by exact kernels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from truegrade.density.histogram import WEIGHT, Histogram
from truegrade.density.stats import Floats, SideStats

_SHOWN = 32  # real points outside the grid that are looked at, evenly over all
_NODES = np.array([-1.0, 0.0, 1.0]) * math.sqrt(3.0)  # of a normal law, for means over a kernel: exact to degree 5
_WEIGHTS = np.array([1.0, 4.0, 1.0]) / 6.0
NOTHING = 1e-13  # of the mass: what a block with less could add to a divergence is below 1e-8


def distant_terms(
    distant: NDArray[np.float64], synthetic: Histogram, kernel: Floats, block: int, nothing: float
) -> float:
    """Sum of -p log q over the cells that are far from every synthetic point.

    distant: (bx, by, 3) mass of p in blocks of such cells and its first moments in cells. Both it and the synthetic
    points are taken block by block (half a kernel sd wide) at their centres of mass; log q is that of exact kernels.
    """
    from truegrade.density.loops import distant_sum

    sd = np.maximum(kernel, math.sqrt(1.0 / 6.0))
    return float(-distant_sum(distant, synthetic.counts, sd, block, nothing, float(WEIGHT * synthetic.n)))


def beyond_terms(
    histograms: tuple[Histogram, Histogram], stats: tuple[SideStats, SideStats], kernels: tuple[Floats, Floats]
) -> tuple[float, float]:
    """Mass of the real points that the grid does not hold, and the sum of p log(p / q) over their kernels.

    They are taken from the sample; (0, 0) where it has none. kernels: (2,) sd of both sides in cells.
    """
    at, share = outside(histograms[0], stats[0])
    if not len(at):
        return 0.0, 0.0
    shown = at[np.linspace(0, len(at) - 1, min(len(at), _SHOWN)).astype(int)]
    nodes = np.stack(np.meshgrid(_NODES, _NODES, indexing="ij"), axis=-1).reshape(-1, 2)
    places = (shown[:, None] + nodes * kernels[0]).reshape(-1, 2)
    logs = [_log_density(places, h, s, kernel) for h, s, kernel in zip(histograms, stats, kernels, strict=True)]
    means = (logs[0] - logs[1]).reshape(len(shown), -1) @ np.outer(_WEIGHTS, _WEIGHTS).ravel()
    return share, share * float(means.mean())


def outside(histogram: Histogram, stats: SideStats) -> tuple[Floats, float]:
    """Places (k, 2) in cells of those sampled points that the grid does not hold, and the share of all such points."""
    if not histogram.outside or not len(stats.sample):
        return np.empty((0, 2)), 0.0
    at = (stats.sample - histogram.centre) @ histogram.matrix.T - histogram.offset
    off = (at < -1 / 32) | (at >= np.array(histogram.shape) - 1 - 1 / 32)  # places are rounded to sixteenths
    return at[off.any(axis=1)], histogram.outside / histogram.n


def _log_density(places: Floats, histogram: Histogram, stats: SideStats, kernel: Floats) -> Floats:
    """(k,) of exact kernels at the points, those on the grid block by block (half a kernel sd wide), per cell."""
    from truegrade.density.loops import block_sums, log_sums

    block = max(1, round(min(kernel) / 2), -(-max(histogram.shape) // 256))
    held = block_sums(histogram.counts, block)
    held = held[held[..., 0] > 0]
    beyond, share = outside(histogram, stats)
    points = np.concatenate([held[:, 1:] / held[:, :1], beyond])
    masses = np.concatenate([held[:, 0] / (WEIGHT * histogram.n), np.full(len(beyond), share / max(len(beyond), 1))])
    sd = np.maximum(kernel, math.sqrt(1.0 / 6.0))
    at, of = (np.ascontiguousarray((x / sd).T) for x in (places, points))
    logs: Floats = log_sums(at[0], at[1], of[0], of[1], np.log(masses / (2.0 * math.pi * sd[0] * sd[1])))
    return logs
