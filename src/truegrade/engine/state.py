"""What a sweep fills while it runs: neighbour lists, ball counts, ball ratios, and the channels of its sums."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import (
    BallCounts,
    BallRatio,
    Balls,
    Cubic,
    CubicSums,
    DistanceSum,
    Floats,
    Gaussian,
    Ints,
    KernelSum,
    Knn,
    Need,
    Neighbours,
    PairSums,
    Side,
)
from truegrade.engine.plan import Sweep
from truegrade.engine.radii import ball_radii2, pruned_radii2

Lookup = Callable[[Need], Any]
"""Gives the answer to a need that was answered before."""


@dataclass
class Lists:
    """Running neighbour lists of one side's rows: exact entries, and candidates that wait to be decided.

    values, indices (n, k) and beyond (n,): see Neighbours. bounds (n, k): upper bounds of the k smallest squared
    distances seen so far. pending, lows (n, room): row numbers and lower bounds of `count` (n,) candidates.
    """

    values: Floats
    indices: Ints
    beyond: Ints
    bounds: Floats
    pending: Ints
    lows: Floats
    count: Ints

    @staticmethod
    def empty(n: int, k: int) -> Lists:
        room = 3 * k + 8 if k else 0
        unknown = np.full((2, n, k), np.inf)
        listed, pending = np.full((n, k), -1, np.int64), np.empty((n, room), np.int64)
        beyond, count = np.zeros((2, n), np.int64)
        return Lists(unknown[0], listed, beyond, unknown[1], pending, np.empty((n, room)), count)

    def rows(self, at: slice) -> tuple[Any, ...]:
        arrays = (self.values, self.indices, self.beyond, self.bounds, self.pending, self.lows, self.count)
        return tuple(a[at] for a in arrays)

    def answer(self) -> Neighbours:
        return Neighbours(self.values, self.indices, self.beyond)


@dataclass
class BallState:
    """Balls of one side's rows over the other side's: squared radii (n, b) and counts, one column per need."""

    needs: Sequence[BallCounts]
    radii2: Floats
    centre_closed: Ints
    centre_strict: Ints
    point_closed: Ints
    point_strict: Ints
    smallest: Floats

    @staticmethod
    def of(sweep: Sweep, side: Side, n: int, m: int, lookup: Lookup) -> BallState:
        """The balls whose centres are the n samples of `side`, over m points."""
        needs = [] if sweep.within else [x for x in sweep.needs if isinstance(x, BallCounts) and x.centres == side]
        radii2 = _table([ball_radii2(lookup(Knn(x.centres, x.k)), x.clip) for x in needs], n)
        b = len(needs)
        (closed, strict), (closed_of, strict_of) = np.zeros((2, n, b), np.int64), np.zeros((2, m, b), np.int64)
        return BallState(needs, radii2, closed, strict, closed_of, strict_of, np.full((m, b), np.inf))

    def tile(self, centres: slice, points: slice) -> tuple[Floats, Ints, Ints, Ints, Ints, Floats]:
        return (
            self.radii2[centres],
            self.centre_closed[centres],
            self.centre_strict[centres],
            self.point_closed[points],
            self.point_strict[points],
            self.smallest[points],
        )

    def answers(self) -> dict[Need, Any]:
        return {
            need: Balls(
                per_point_closed=np.ascontiguousarray(self.point_closed[:, b]),
                per_point_strict=np.ascontiguousarray(self.point_strict[:, b]),
                per_centre_closed=np.ascontiguousarray(self.centre_closed[:, b]),
                per_centre_strict=np.ascontiguousarray(self.centre_strict[:, b]),
                smallest=np.sqrt(self.smallest[:, b]),
                radii=np.sqrt(self.radii2[:, b]),
            )
            for b, need in enumerate(self.needs)
        }


@dataclass
class RatioState:
    """Squared radii (n, b) of the centres that count (0 = left out), best d2 / radius2 (m, b) of the points so far."""

    needs: Sequence[BallRatio]
    radii2: Floats
    best: Floats

    @staticmethod
    def of(sweep: Sweep, side: Side, n: int, m: int, lookup: Lookup) -> RatioState:
        """The ratios whose centres are the n samples of `side`, over m points."""
        needs = [] if sweep.within else [x for x in sweep.needs if isinstance(x, BallRatio) and x.centres == side]
        radii2 = _table([pruned_radii2(lookup(Knn(x.centres, x.k))) for x in needs], n)
        return RatioState(needs, radii2, np.full((m, len(needs)), np.inf))

    def tile(self, centres: slice, points: slice) -> tuple[Floats, Floats]:
        return self.radii2[centres], self.best[points]

    def answers(self) -> dict[Need, Any]:
        with np.errstate(divide="ignore"):
            return {need: 1.0 / np.sqrt(self.best[:, b]) for b, need in enumerate(self.needs)}


@dataclass
class Channels:
    """Which sums a sweep makes, in the order of the kernel's channels: Gaussians, distance, three of the cubic.

    gauss (s, c): exponents of each need's kernels; squarings (s, c): see `scan_sums`.
    """

    gaussians: Sequence[KernelSum]
    gauss: Floats
    squarings: Ints
    distances: Sequence[DistanceSum]
    cubics: Sequence[KernelSum]

    @property
    def count(self) -> int:
        return len(self.gaussians) + bool(self.distances) + 3 * bool(self.cubics)

    @staticmethod
    def of(sweep: Sweep, lookup: Lookup) -> Channels:
        """The sums of a sweep, with bandwidths resolved to numbers."""
        sums = [x for x in sweep.needs if isinstance(x, KernelSum)]
        gaussians = [x for x in sums if isinstance(x.kernel, Gaussian)]
        factors = [gaussian_factors(x, lookup) for x in gaussians]
        shape = (len(factors), max((len(f) for f in factors), default=0))
        gauss, squarings = np.zeros(shape), np.zeros(shape, np.int64)
        for s, row in enumerate(factors):
            gauss[s, : len(row)] = row
            squarings[s, : len(row)] = _squarings(row)
        distances = [x for x in sweep.needs if isinstance(x, DistanceSum)]
        cubics = [x for x in sums if isinstance(x.kernel, Cubic)]
        return Channels(gaussians, gauss, squarings, distances, cubics)

    def answers(self, a: Side, row_sums: Floats, column_sums: Floats, offset: float) -> dict[Need, Any]:
        """The answers from the sums over the rows of side `a` and over those of the other side."""
        out: dict[Need, Any] = {}
        channels: list[tuple[int, KernelSum | DistanceSum]]
        channels = [*enumerate(self.gaussians), *((len(self.gaussians), need) for need in self.distances)]
        for at, need in channels:
            mine, other = row_sums[at], column_sums[at]
            out[need] = PairSums(mine, other) if need.a == a else PairSums(other, mine)
        mine, other = row_sums[-3:], column_sums[-3:]
        for cubic in self.cubics:
            out[cubic] = CubicSums(mine, other, offset) if cubic.a == a else CubicSums(other, mine, offset)
        return out


def gaussian_factors(need: KernelSum, lookup: Lookup) -> Floats:
    """-1 / (2 (scale h)^2) for each scale, nearest to zero first, kept within the range of numbers."""
    kernel = need.kernel
    assert isinstance(kernel, Gaussian)
    h = float(lookup(need.requires()[0])) if isinstance(kernel.bandwidth, str) else kernel.bandwidth
    widths = np.clip([s * h for s in kernel.scales], 1e-150, 1e150)
    return np.sort(-1.0 / (2.0 * widths**2))[::-1]


def _squarings(factors: Floats) -> list[int]:
    """How often the kernel before must be squared to give each kernel; 0 where that does not work."""
    out = [0]
    for before, this in itertools.pairwise(factors):
        power = round(np.log2(this / before))
        out.append(power if 1 <= power <= 2 and abs(this / before / 2.0**power - 1) < 1e-12 else 0)
    return out[: len(factors)]


def _table(columns: Sequence[NDArray[np.float64]], n: int) -> Floats:
    return np.ascontiguousarray(np.stack(columns, axis=1)) if columns else np.empty((n, 0))
