"""Counts of points on a grid, in whole numbers: they add in any order and any pieces to the same."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.density.stats import Floats

WEIGHT = 256  # of one point, over its four cells
LINE_WEIGHT = 16  # of one value, over its two cells
BINNED = 1.0 / 6.0 + 1.0 / (12 * 16**2)  # variance that binning adds, in squared cells: linear, places in sixteenths


_PACKED = 2**24 - 1  # points that half of a uint64 holds the weights of


class Histogram:
    """Points spread linearly over the cells of a grid, each with the weight WEIGHT in all.

    n: points seen; outside: how many of them the grid does not hold. matrix, offset: place in cells =
    matrix @ (point - centre) - offset.
    """

    def __init__(self, centre: Floats, matrix: Floats, offset: Floats, shape: tuple[int, int]) -> None:
        self.centre, self.matrix, self.offset, self.shape = centre, matrix, offset, shape
        self.n = self.outside = 0
        self._counts: NDArray[Any] | None = None
        self._packed: NDArray[np.uint64] | None = None  # counted since the last unpacking, in pairs of cells
        self._waiting = 0

    @property
    def counts(self) -> NDArray[Any]:
        """(gx, gy) uint32, int64 once there are more points than that holds."""
        if self._counts is None:
            self._counts = np.zeros(self.shape, np.uint32)
        if self._packed is not None and self._waiting:
            from truegrade.density.grid import unpack

            self._counts = _roomy(self._counts, self.n)
            unpack(self._packed, self._counts)
            self._waiting = 0
        return self._counts

    def add(self, block: Floats) -> None:
        """Counts points (k, 2)."""
        self.add_columns(block[:, 0], block[:, 1])

    def add_columns(self, first: Floats, second: Floats) -> None:
        """Counts points given by their columns (k,); rows with a NaN are passed over."""
        from truegrade.density.grid import bin_plane

        for start in range(0, len(first), _PACKED):
            part = slice(start, start + _PACKED)
            if self._waiting + len(first[part]) > _PACKED:
                self.counts  # noqa: B018  makes room
            if self._packed is None:
                self._packed = np.zeros(self.shape, np.uint64)
            seen, outside = bin_plane(first[part], second[part], self.centre, self.matrix, self.offset, self._packed)
            self._waiting += seen
            self.n += seen
            self.outside += outside

    def __add__(self, other: Histogram) -> Histogram:
        """Both together; they must be of one frame."""
        n = self.n + other.n
        return self.like(_roomy(self.counts, n) + other.counts, n, self.outside + other.outside)

    def like(self, counts: NDArray[Any], n: int, outside: int = 0) -> Histogram:
        """A histogram on the same grid with these counts, as of n points (resampling makes such)."""
        made = Histogram(self.centre, self.matrix, self.offset, self.shape)
        made._counts, made.n, made.outside = counts, n, outside
        return made


def _roomy(counts: NDArray[Any], n: int) -> NDArray[Any]:
    """The counts as a type that holds the weights of n points."""
    return counts.astype(np.int64) if counts.dtype == np.uint32 and n > _PACKED else counts


class LineHistogram:
    """Values spread linearly over the cells of a line, each with the weight LINE_WEIGHT in all; as Histogram."""

    def __init__(self, low: float, scale: float, cells: int) -> None:
        self.low, self.scale = low, scale
        self.counts: NDArray[np.int64] = np.zeros(cells, np.int64)
        self.n = self.outside = 0

    def add(self, values: Floats) -> None:
        """Counts values (k,); NaN is passed over."""
        from truegrade.density.grid import bin_line

        seen, outside = bin_line(values, self.scale, self.low, self.counts)
        self.n += seen
        self.outside += outside

    def __add__(self, other: LineHistogram) -> LineHistogram:
        total = LineHistogram(self.low, self.scale, len(self.counts))
        total.counts = self.counts + other.counts
        total.n, total.outside = self.n + other.n, self.outside + other.outside
        return total
