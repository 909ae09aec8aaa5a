"""Counts of points on a grid, in whole numbers: they add in any order and any pieces to the same."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.density.stats import Floats

WEIGHT = 256  # of one point, over its four cells
LINE_WEIGHT = 16  # of one value, over its two cells


class Histogram:
    """Points spread linearly over the cells of a grid, each with the weight WEIGHT in all.

    counts: (gx, gy) uint32, int64 once that many points would not fit; n: points seen; outside: how many of them the
    grid does not hold. matrix, offset: place in cells = matrix @ (point - centre) - offset.
    """

    def __init__(self, centre: Floats, matrix: Floats, offset: Floats, shape: tuple[int, int]) -> None:
        self.centre, self.matrix, self.offset = centre, matrix, offset
        self.counts: NDArray[Any] = np.zeros(shape, np.uint32)
        self.n = self.outside = 0

    def add(self, block: Floats) -> None:
        """Counts points (k, 2)."""
        self.add_columns(block[:, 0], block[:, 1])

    def add_columns(self, first: Floats, second: Floats) -> None:
        """Counts points given by their columns (k,); rows with a NaN are passed over."""
        from truegrade.density.loops import bin_plane

        self._make_room(len(first))
        seen, outside = bin_plane(first, second, self.centre, self.matrix, self.offset, self.counts)
        self.n += seen
        self.outside += outside

    def __add__(self, other: Histogram) -> Histogram:
        """Both together; they must be of one frame."""
        total = self.like(self.counts, self.n, self.outside)
        total._make_room(other.n)
        total.counts = total.counts + other.counts
        total.n, total.outside = self.n + other.n, self.outside + other.outside
        return total

    def like(self, counts: NDArray[Any], n: int, outside: int = 0) -> Histogram:
        """A histogram on the same grid with these counts, as of n points (resampling makes such)."""
        made = Histogram(self.centre, self.matrix, self.offset, (0, 0))
        made.counts, made.n, made.outside = counts, n, outside
        return made

    def _make_room(self, more: int) -> None:
        if self.counts.dtype == np.uint32 and (self.n + more) * WEIGHT >= 2**32:
            self.counts = self.counts.astype(np.int64)


class LineHistogram:
    """Values spread linearly over the cells of a line, each with the weight LINE_WEIGHT in all; as Histogram."""

    def __init__(self, low: float, scale: float, cells: int) -> None:
        self.low, self.scale = low, scale
        self.counts: NDArray[np.int64] = np.zeros(cells, np.int64)
        self.n = self.outside = 0

    def add(self, values: Floats) -> None:
        """Counts values (k,); NaN is passed over."""
        from truegrade.density.loops import bin_line

        seen, outside = bin_line(values, self.scale, self.low, self.counts)
        self.n += seen
        self.outside += outside

    def __add__(self, other: LineHistogram) -> LineHistogram:
        total = LineHistogram(self.low, self.scale, len(self.counts))
        total.counts = self.counts + other.counts
        total.n, total.outside = self.n + other.n, self.outside + other.outside
        return total
