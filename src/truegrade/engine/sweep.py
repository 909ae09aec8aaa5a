"""One sweep over all tiles of a pair of sides: the state it fills, the work of one tile, the ordered merge.

The only place where matrix products are made. A tile writes neighbour lists and ball counts of its own rows and
columns in place (no other tile that runs at the same time has them) and hands sums and products to the merge.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from truegrade.engine import kernels
from truegrade.engine.executors import Task, run_tasks
from truegrade.engine.needs import (
    BallCounts,
    BallRatio,
    Balls,
    Cubic,
    CubicSums,
    DistanceSum,
    Floats,
    Gaussian,
    KernelSum,
    Knn,
    Nearest,
    Need,
    Neighbours,
    PairSums,
    ProductWithin,
)
from truegrade.engine.plan import Sweep
from truegrade.engine.radii import ball_radii2, pruned_radii2
from truegrade.engine.tiles import Block, Prepared, error_bound, typical_error

_SETTLED = 1e-40  # a product of squares below this leaves 1 - sqrt(product) at 1.0 exactly


@dataclass
class Lists:
    """Running neighbour lists of one side's rows."""

    values: Floats
    indices: NDArray[np.int64]
    beyond: NDArray[np.int64]

    @staticmethod
    def empty(n: int, k: int) -> Lists:
        return Lists(np.full((n, k), np.inf), np.full((n, k), -1, np.int64), np.zeros(n, np.int64))

    def rows(self, at: slice) -> tuple[Any, Any, Any]:
        return self.values[at], self.indices[at], self.beyond[at]


@dataclass
class BallState:
    """Balls of one side's rows over the other side's: squared radii (n, b) and counts, one column per need."""

    needs: list[BallCounts]
    radii2: Floats
    centre_closed: NDArray[np.int64]
    centre_strict: NDArray[np.int64]
    point_closed: NDArray[np.int64]
    point_strict: NDArray[np.int64]
    smallest: Floats

    @staticmethod
    def of(needs: list[BallCounts], radii2: list[Floats], n: int, m: int) -> BallState:
        table = np.stack(radii2, axis=1) if radii2 else np.empty((n, 0))
        b = len(needs)
        zeros = [np.zeros((size, b), np.int64) for size in (n, n, m, m)]
        return BallState(needs, np.ascontiguousarray(table), *zeros, np.full((m, b), np.inf))

    def tile(self, centres: slice, points: slice) -> tuple[Any, ...]:
        return (
            self.radii2[centres], self.centre_closed[centres], self.centre_strict[centres],
            self.point_closed[points], self.point_strict[points], self.smallest[points],
        )  # fmt: skip

    def answers(self) -> dict[Need, Any]:
        cols = lambda a, b: np.ascontiguousarray(a[:, b])  # noqa: E731
        return {
            need: Balls(
                cols(self.point_closed, b), cols(self.point_strict, b), cols(self.centre_closed, b),
                cols(self.centre_strict, b), np.sqrt(cols(self.smallest, b)), np.sqrt(cols(self.radii2, b)),
            )
            for b, need in enumerate(self.needs)
        }  # fmt: skip


@dataclass
class RatioState:
    """Squared radii (n, b) of the centres that count (0 = left out), best d2 / radius2 (m, b) of the points so far."""

    needs: list[BallRatio]
    radii2: Floats
    best: Floats

    @staticmethod
    def of(needs: list[BallRatio], radii2: list[Floats], n: int, m: int) -> RatioState:
        table = np.stack(radii2, axis=1) if radii2 else np.empty((n, 0))
        return RatioState(needs, np.ascontiguousarray(table), np.full((m, len(needs)), np.inf))

    def tile(self, centres: slice, points: slice) -> tuple[Floats, Floats]:
        return self.radii2[centres], self.best[points]

    def answers(self) -> dict[Need, Any]:
        with np.errstate(divide="ignore"):
            return {need: 1.0 / np.sqrt(self.best[:, b]) for b, need in enumerate(self.needs)}


@dataclass
class Channels:
    """Which sums a sweep makes, in the order of the kernel's channels."""

    kernels: list[KernelSum]
    gauss: Floats
    squarings: NDArray[np.int64]
    distance: DistanceSum | None
    cubic: KernelSum | None

    @property
    def count(self) -> int:
        return len(self.kernels) + (self.distance is not None) + 3 * (self.cubic is not None)


@dataclass
class Partial:
    """What one tile hands to the merge."""

    i: int
    j: int
    row_sums: Floats
    column_sums: Floats
    row_products: Floats
    column_products: Floats


@dataclass(eq=False)
class SweepRun:
    """A sweep under way."""

    sweep: Sweep
    a: Prepared
    b: Prepared
    lists_a: Lists
    lists_b: Lists
    balls_a: BallState
    balls_b: BallState
    ratio_a: RatioState
    ratio_b: RatioState
    channels: Channels
    products_a: list[tuple[ProductWithin, float]]
    products_b: list[tuple[ProductWithin, float]]
    offset: float
    row_sums: Floats = field(init=False)
    column_sums: Floats = field(init=False)
    row_products: Floats = field(init=False)
    column_products: Floats = field(init=False)
    eps: float = field(init=False)
    floor: float = field(init=False)
    buffers: threading.local = field(default_factory=threading.local)

    def __post_init__(self) -> None:
        n, m = self.a.samples.n, self.b.samples.n
        self.row_sums = np.zeros((self.channels.count, n))
        self.column_sums = self.row_sums if self.sweep.within else np.zeros((self.channels.count, m))
        self.row_products = np.ones((len(self.products_b), n))
        self.column_products = np.ones((len(self.products_a), m))
        self.eps = error_bound(self.a.samples.d, self.a.dtype)
        self.floor = typical_error(self.a.samples.d, self.a.dtype)

    # one tile

    def tile(self, i: int, j: int) -> Partial:
        a, b = self.a.block(i), self.b.block(j)
        g = self._products_of(a, b)
        diagonal = self.sweep.within and i == j
        self._neighbours(g, a, b, diagonal)
        rows = np.zeros((self.channels.count, len(a.raw)))
        columns = np.zeros((self.channels.count, len(b.raw)))
        if self.channels.count:
            c = self.channels
            kernels.scan_sums(
                g, a.norms, b.norms, self.floor, diagonal, c.gauss, c.squarings, c.distance is not None, c.cubic is not None,
                1.0 / self.a.samples.d, a.shifts, b.shifts, rows, columns,
            )  # fmt: skip
        return Partial(i, j, rows, columns, *self._ball_products(g, a, b))

    def _products_of(self, a: Block, b: Block) -> NDArray[np.floating]:
        shape = (len(a.raw), len(b.raw))
        whole = getattr(self.buffers, "g", None)
        if whole is None or whole.size < shape[0] * shape[1]:
            whole = self.buffers.g = np.empty(shape[0] * shape[1], self.a.dtype)
        g: NDArray[np.floating] = whole[: shape[0] * shape[1]].reshape(shape)
        np.matmul(a.centred, b.centred.T, out=g)
        return g

    def _neighbours(self, g: NDArray[np.floating], a: Block, b: Block, diagonal: bool) -> None:
        if not (self.sweep.k_a or self.sweep.k_b or self._has_balls()):
            return
        at, bt = slice(a.start, a.stop), slice(b.start, b.stop)
        kernels.scan_neighbours(
            g, a.raw, b.raw, a.norms, b.norms, self.eps, a.start, b.start, diagonal,
            self.lists_a.rows(at), self.lists_b.rows(bt), self.balls_a.tile(at, bt), self.balls_b.tile(bt, at),
            self.ratio_a.tile(at, bt), self.ratio_b.tile(bt, at),
        )  # fmt: skip

    def _has_balls(self) -> bool:
        return bool(self.balls_a.needs or self.balls_b.needs or self.ratio_a.needs or self.ratio_b.needs)

    def _ball_products(self, g: NDArray[np.floating], a: Block, b: Block) -> tuple[Floats, Floats]:
        rows, columns = np.ones((len(self.products_b), len(a.raw))), np.ones((len(self.products_a), len(b.raw)))
        open_rows = (self.row_products[:, a.start : a.stop] > _SETTLED).any()
        open_columns = (self.column_products[:, b.start : b.stop] > _SETTLED).any()
        if open_rows or open_columns:
            of_columns = np.array([inverse for _, inverse in self.products_a if open_columns])
            of_rows = np.array([inverse for _, inverse in self.products_b if open_rows])
            kernels.scan_products(g, a.norms, b.norms, self.floor, of_columns, of_rows, columns, rows)
        return rows, columns

    # merge and finish

    def merge(self, part: Partial) -> None:
        at, bt = self.a.span(part.i), self.b.span(part.j)
        self.row_sums[:, at] += part.row_sums
        if not (self.sweep.within and part.i == part.j):
            self.column_sums[:, bt] += part.column_sums
        self.row_products[:, at] *= part.row_products
        self.column_products[:, bt] *= part.column_products

    def tasks(self) -> list[Task[Partial]]:
        """Tiles in the order in which they are merged; the longer side outside, so that it is read once."""
        n, m = self.a.count, self.b.count
        if self.sweep.within:
            order = [(i, j) for i in range(n) for j in range(i, n)]
        elif n >= m:
            order = [(i, j) for i in range(n) for j in range(m)]
        else:
            order = [(i, j) for j in range(m) for i in range(n)]
        second = "a" if self.sweep.within else "b"
        return [
            Task(lambda i=i, j=j: self.tile(i, j), frozenset({("a", i), (second, j)}))  # type: ignore[misc]
            for i, j in order
        ]

    def answers(self) -> dict[Need, Any]:
        s, out = self.sweep, dict[Need, Any]()
        if s.k_a:
            out[Knn(s.a, s.k_a) if s.within else Nearest(s.a, s.b, s.k_a)] = _neighbours(self.lists_a)
        if s.k_b and not s.within:
            out[Nearest(s.b, s.a, s.k_b)] = _neighbours(self.lists_b)
        for state in (self.balls_a, self.balls_b, self.ratio_a, self.ratio_b):
            out |= state.answers()
        out |= self._sum_answers()
        out |= {need: np.sqrt(p) for (need, _), p in zip(self.products_a, self.column_products, strict=True)}
        out |= {need: np.sqrt(p) for (need, _), p in zip(self.products_b, self.row_products, strict=True)}
        return out

    def _sum_answers(self) -> dict[Need, Any]:
        out, c = dict[Need, Any](), self.channels
        pick = lambda need, at: (  # noqa: E731
            (self.row_sums[at], self.column_sums[at])
            if need.a == self.sweep.a
            else (self.column_sums[at], self.row_sums[at])
        )
        at = len(c.kernels)
        for channel, need in enumerate(c.kernels):
            out[need] = PairSums(*pick(need, channel))
        if c.distance is not None:
            out[c.distance] = PairSums(*pick(c.distance, at))
            at += 1
        if c.cubic is not None:
            out[c.cubic] = CubicSums(*pick(c.cubic, slice(at, at + 3)), self.offset)
        return out


def run_sweep(run: SweepRun, threads: int, tick: Callable[[], None]) -> dict[Need, Any]:
    """Run all tiles of a sweep and return its answers."""
    with threadpool_limits(1, user_api="blas"):
        run_tasks(run.tasks(), run.merge, threads, tick)
    return run.answers()


def start_sweep(sweep: Sweep, a: Prepared, b: Prepared, lookup: Callable[[Need], Any], offset: float) -> SweepRun:
    """The state of a sweep before its first tile; `lookup` gives the radii and bandwidths that it requires."""
    n, m = a.samples.n, b.samples.n
    knn = lambda need: lookup(Knn(need.centres, need.k))  # noqa: E731
    of = lambda kind, side: [] if sweep.within else [x for x in sweep.needs if isinstance(x, kind) and x.centres == side]  # noqa: E731
    balls_a, balls_b = of(BallCounts, sweep.a), of(BallCounts, sweep.b)
    ratio_a, ratio_b = of(BallRatio, sweep.a), of(BallRatio, sweep.b)
    lists = Lists.empty(n, sweep.k_a)
    return SweepRun(
        sweep, a, b, lists, lists if sweep.within else Lists.empty(m, sweep.k_b),
        BallState.of(balls_a, [ball_radii2(knn(x), x.clip) for x in balls_a], n, m),
        BallState.of(balls_b, [ball_radii2(knn(x), x.clip) for x in balls_b], m, n),
        RatioState.of(ratio_a, [pruned_radii2(knn(x)) for x in ratio_a], n, m),
        RatioState.of(ratio_b, [pruned_radii2(knn(x)) for x in ratio_b], m, n),
        channels_of(sweep, lookup),
        [(x, _inverse_square(x, knn)) for x in of(ProductWithin, sweep.a)],
        [(x, _inverse_square(x, knn)) for x in of(ProductWithin, sweep.b)],
        offset,
    )  # fmt: skip


def channels_of(sweep: Sweep, lookup: Callable[[Need], Any]) -> Channels:
    """The sums of a sweep, with bandwidths resolved to numbers."""
    gaussians = [x for x in sweep.needs if isinstance(x, KernelSum) and isinstance(x.kernel, Gaussian)]
    cubics = [x for x in sweep.needs if isinstance(x, KernelSum) and isinstance(x.kernel, Cubic)]
    distances = [x for x in sweep.needs if isinstance(x, DistanceSum)]
    factors = [gaussian_factors(x, lookup) for x in gaussians]
    width = max((len(f) for f in factors), default=0)
    gauss, squarings = np.zeros((len(factors), width)), np.zeros((len(factors), width), np.int64)
    for s, row in enumerate(factors):
        gauss[s, : len(row)] = row
        squarings[s, : len(row)] = _squarings(row)
    return Channels(gaussians, gauss, squarings, *(x[0] if x else None for x in (distances, cubics)))


def gaussian_factors(need: KernelSum, lookup: Callable[[Need], Any]) -> Floats:
    """-1 / (2 (scale h)^2) for each scale, nearest to zero first."""
    assert isinstance(need.kernel, Gaussian)
    h = lookup(need.requires()[0]) if need.requires() else need.kernel.bandwidth
    return np.sort([-1.0 / (2.0 * (s * h) ** 2) for s in need.kernel.scales])[::-1]


def _squarings(factors: Floats) -> list[int]:
    """How often the kernel before must be squared to give each kernel; 0 where that does not work."""
    out = [0]
    for before, this in zip(factors, factors[1:], strict=False):
        power = round(np.log2(this / before))
        out.append(power if 1 <= power <= 3 and abs(this / before / 2.0**power - 1) < 1e-12 else 0)
    return out[: len(factors)]


def _inverse_square(need: ProductWithin, knn: Callable[[Any], Neighbours]) -> float:
    length = need.scale * float(knn(need).radii.mean())
    return 1.0 / length**2 if length > 1e-150 else 1e300


def _neighbours(lists: Lists) -> Neighbours:
    return Neighbours(lists.values, lists.indices, lists.beyond)
