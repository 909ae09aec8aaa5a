"""Densities of a pair of columns as small pictures: axis-aligned, eight bits, cut to where either is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truegrade.density.frame import Frame
from truegrade.density.smoothing import Density
from truegrade.density.stats import Floats

_SEEN = 1e-3  # of its maximum: below it a density is not drawn
_FINE = 3  # places a side in each cell, over which its density is taken as a mean


@dataclass(frozen=True, eq=False)
class Contours:
    """Both densities in (cells, cells), rows along the second column from low to high.

    real, synthetic: 255 times the root of the density over its own largest; levels: by side its iso-mass levels on that
    scale; extent: low and high of the first column, low and high of the second.
    """

    real: NDArray[np.uint8]
    synthetic: NDArray[np.uint8]
    levels: Mapping[str, tuple[float, ...]]
    extent: tuple[float, float, float, float]


def contour_cells(real: Density, synthetic: Density, frame: Frame, cells: int = 64) -> Contours:
    """Both densities on the same axis-aligned cells, cut to where one of them is above a thousandth of its largest."""
    low, high = _extent(real, synthetic, frame)
    steps = (np.arange(cells * _FINE) + 0.5) / (cells * _FINE)
    first, second = (low[i] + (high[i] - low[i]) * steps for i in (0, 1))
    places = np.stack(np.meshgrid(first, second), axis=-1).reshape(-1, 2)
    drawn = [_drawn(density, places, frame, cells) for density in (real, synthetic)]
    levels = {
        side: tuple(float(255.0 * np.sqrt(level / density.top)) for level in density.levels)
        for side, density in (("real", real), ("synthetic", synthetic))
    }
    return Contours(drawn[0], drawn[1], levels, (float(low[0]), float(high[0]), float(low[1]), float(high[1])))


def _extent(real: Density, synthetic: Density, frame: Frame) -> tuple[Floats, Floats]:
    seen = (real.values > _SEEN * real.top) | (synthetic.values > _SEEN * synthetic.top)
    points = frame.points(np.argwhere(seen).astype(np.float64))
    return points.min(axis=0), points.max(axis=0)


def _drawn(density: Density, places: Floats, frame: Frame, cells: int) -> NDArray[np.uint8]:
    from truegrade.density.grid import densities_at

    grid = frame.histogram()
    found = densities_at(density.values, places, grid.centre, grid.matrix, grid.offset)
    mean = found.reshape(cells, _FINE, cells, _FINE).mean(axis=(1, 3))
    drawn: NDArray[np.uint8] = np.rint(255.0 * np.sqrt(np.minimum(mean / density.top, 1.0))).astype(np.uint8)
    return drawn
