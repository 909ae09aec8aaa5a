"""Densities on a grid: a histogram under its kernel, and the iso-mass levels that bound its annuli."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truegrade.density.frame import Frame
from truegrade.density.histogram import BINNED, WEIGHT, Histogram
from truegrade.density.settings import Settings
from truegrade.density.stats import Floats, SideStats

REACH = 7.5  # kernel sd that a point's kernel is drawn to; there it is 6e-13 of its maximum


@dataclass(frozen=True, eq=False)
class Density:
    """A density on the cells of a frame, in shares of the points a cell: it sums to the share that the grid holds.

    values: (gx, gy) float32. levels: (levels,) densities below which the shares linspace(thresh, 1, levels) of the
    points lie; the last is the maximum. kernel: (2,) standard deviations of the kernel in cells.
    """

    values: NDArray[np.float32]
    levels: NDArray[np.float32]
    kernel: Floats

    @property
    def top(self) -> float:
        return float(self.levels[-1])


def densities(histogram: Histogram, frame: Frame, stats: SideStats, settings: Settings) -> Density:
    """The kernel density of one side on the grid.

    The kernel is axis-aligned in the frame, so the convolution is exact in two passes along the axes; what linear
    binning adds to the variance is taken off the kernel. Points outside the grid count as mass below every level.
    """
    from truegrade.density.grid import smooth_plane

    kernel = frame.kernel(stats, settings)
    first, second = (taps(sd, cells).astype(np.float32) for sd, cells in zip(kernel, frame.shape, strict=True))
    values = smooth_plane(histogram.counts, first, second, np.float32(1.0 / (WEIGHT * histogram.n)))
    return Density(values, iso_mass(values, settings), kernel)


def iso_mass(values: NDArray[np.float32], settings: Settings) -> NDArray[np.float32]:
    """The levels of a density given in shares a cell; what its sum lacks of 1 lies below them all."""
    from truegrade.density.loops import mass_levels

    flat = values.ravel()
    levels: NDArray[np.float32] = mass_levels(flat, flat.view(np.int32), np.asarray(settings.shares))
    return levels


def taps(sd: float, cells: int) -> Floats:
    """The kernel on whole cells, an odd number of them, summing to 1; as wide as the grid at most."""
    from truegrade.density.grid import gaussian_taps

    left = math.sqrt(max(float(sd) ** 2 - BINNED, 0.0))
    weights: Floats = gaussian_taps(left, min(math.ceil(REACH * left), cells))
    return weights
