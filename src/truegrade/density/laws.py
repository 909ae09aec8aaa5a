"""Sides of a pair from which sets can be drawn again: the points themselves, or the histogram of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from truegrade.density.frame import Frame
from truegrade.density.histogram import WEIGHT, Histogram
from truegrade.density.stats import SAMPLE, Floats, SideStats, sample_rows, side_stats

Side = tuple[Histogram, SideStats]


class Law(Protocol):
    """One side, from which sets can be drawn."""

    stats: SideStats

    @property
    def n(self) -> int: ...

    def draw(self, size: int, rng: np.random.Generator) -> Side:
        """So many points, each with replacement."""
        ...

    def nested(self, part: int, size: int, rng: np.random.Generator) -> tuple[Side, Side]:
        """A draw of `part` points, and these and more, `size` in all."""
        ...

    def parts(self, first: int, second: int, rng: np.random.Generator) -> tuple[Side, Side]:
        """Two parts of the side without a common point."""
        ...


class Points:
    """The points (n, 2) themselves: rows are drawn, the same ones for one seed whatever the grid."""

    def __init__(self, points: Floats, frame: Frame) -> None:
        self.points, self.frame, self.stats = points, frame, side_stats(points)

    @property
    def n(self) -> int:
        return len(self.points)

    def draw(self, size: int, rng: np.random.Generator) -> Side:
        return self._side(rng.integers(0, self.n, size))

    def nested(self, part: int, size: int, rng: np.random.Generator) -> tuple[Side, Side]:
        rows = rng.integers(0, self.n, size)
        return self._side(rows[:part]), self._side(rows)

    def parts(self, first: int, second: int, rng: np.random.Generator) -> tuple[Side, Side]:
        order = rng.permutation(self.n)
        return self._side(order[:first]), self._side(order[first : first + second])

    def _side(self, rows: NDArray[np.intp]) -> Side:
        from truegrade.density.grid import moments

        mine = self.points[rows]
        histogram = self.frame.histogram()
        histogram.add(mine)
        mean, cov, low, high = moments(mine)
        sample = mine if len(mine) <= SAMPLE else mine[sample_rows(len(mine))]
        return histogram, SideStats(len(mine), mean, cov, low, high, sample)


class Cells:
    """A histogram: points in the middles of its cells, and some outside of it.

    Covariances of drawn sets are those of the side, changed by as much as the draw changed them on the grid.
    """

    def __init__(self, histogram: Histogram, frame: Frame, stats: SideStats) -> None:
        self.histogram, self.frame, self.stats = histogram, frame, stats
        flat = histogram.counts.ravel()
        self.at = np.flatnonzero(flat)
        self.masses = flat[self.at].astype(np.int64)
        self.places = np.stack(np.unravel_index(self.at, histogram.counts.shape), axis=1).astype(np.float64)
        self.own = self._covariance(self.masses)
        masses = np.append(self.masses, histogram.outside * WEIGHT).astype(np.float64)
        self.shares = masses / masses.sum()

    @property
    def n(self) -> int:
        return self.histogram.n

    def draw(self, size: int, rng: np.random.Generator) -> Side:
        return self._side(rng.multinomial(size, self.shares), size)

    def nested(self, part: int, size: int, rng: np.random.Generator) -> tuple[Side, Side]:
        few = rng.multinomial(part, self.shares)
        return self._side(few, part), self._side(few + rng.multinomial(size - part, self.shares), size)

    def parts(self, first: int, second: int, rng: np.random.Generator) -> tuple[Side, Side]:
        whole = self._whole_points(rng)
        one = rng.multivariate_hypergeometric(whole, first, method="marginals")
        rest = whole - one
        two = rest if rest.sum() == second else rng.multivariate_hypergeometric(rest, second, method="marginals")
        return self._side(one, first), self._side(two, second)

    def _whole_points(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Each point whole in one of its cells, so that all are n again: rounded along the running sum."""
        sums = np.cumsum(self.masses) + int(rng.integers(0, WEIGHT))
        return np.append(np.diff(sums // WEIGHT, prepend=0), self.histogram.outside)

    def _side(self, drawn: NDArray[np.int64], size: int) -> Side:
        counts = np.zeros(self.histogram.counts.size, np.int64)
        counts[self.at] = drawn[:-1] * WEIGHT
        histogram = self.histogram.like(counts.reshape(self.histogram.counts.shape), size, int(drawn[-1]))
        change = self._covariance(drawn[:-1]) - self.own
        back = np.linalg.inv(self.frame.matrix)
        cov = self.stats.cov + back @ change @ back.T
        return histogram, replace(self.stats, n=size, cov=cov, sample=np.empty((0, 2)))

    def _covariance(self, masses: NDArray[np.int64]) -> Floats:
        """Of the points on the grid, in the coordinates of the frame; 0 where there are none."""
        total = float(masses.sum())
        if total == 0.0:
            return np.zeros((2, 2))
        steps = (self.places - masses @ self.places / total) * self.frame.step
        return np.asarray((steps * masses[:, None]).T @ steps / total)
