"""One sweep over all tiles of a pair of sides: the work of one tile and the ordered merge.

The only place where matrix products of samples are made. A tile writes neighbour lists and ball counts of its own
rows and columns in place (no other tile that runs at the same time has them) and hands sums and products to the merge.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.engine import kernels
from truegrade.engine.executors import Task, run_tasks
from truegrade.engine.needs import Floats, Knn, Nearest, Need, ProductWithin, Side
from truegrade.engine.plan import Sweep
from truegrade.engine.state import BallState, Channels, Lists, Lookup, RatioState
from truegrade.engine.tiles import Block, Prepared, error_bound, typical_error

_SETTLED = 1e-40  # a product of squares below this counts as 0: 1 - sqrt(product) is 1.0 exactly


@dataclass(frozen=True)
class Partial:
    """What one tile hands to the merge."""

    i: int
    j: int
    row_sums: Floats
    column_sums: Floats
    row_products: Floats
    column_products: Floats


class SweepRun:
    """A sweep under way over blocks of sides `a` (rows of a tile) and `b` (columns)."""

    def __init__(self, sweep: Sweep, a: Prepared, b: Prepared, lookup: Lookup, offset: float) -> None:
        """`lookup` gives the radii and bandwidths that the sweep requires; `offset`: see CubicSums."""
        n, m = a.samples.n, b.samples.n
        self.sweep, self.a, self.b, self.offset = sweep, a, b, offset
        self.lists_a = Lists.empty(n, sweep.k_a)
        self.lists_b = self.lists_a if sweep.within else Lists.empty(m, sweep.k_b)
        self.balls_a = BallState.of(sweep, sweep.a, n, m, lookup)
        self.balls_b = BallState.of(sweep, sweep.b, m, n, lookup)
        self.ratio_a = RatioState.of(sweep, sweep.a, n, m, lookup)
        self.ratio_b = RatioState.of(sweep, sweep.b, m, n, lookup)
        self.channels = Channels.of(sweep, lookup)
        self.products_a, self.products_b = _products(sweep, sweep.a, lookup), _products(sweep, sweep.b, lookup)
        self.row_sums = np.zeros((self.channels.count, n))
        self.column_sums = self.row_sums if sweep.within else np.zeros((self.channels.count, m))
        self.row_products = np.ones((len(self.products_b), n))
        self.column_products = np.ones((len(self.products_a), m))
        self.eps = error_bound(a.samples.d, a.dtype)
        self.floor = typical_error(a.samples.d, a.dtype)
        # with all raw rows in memory, candidates wait until the end: few of the early ones are still needed then
        self.keeps = a.whole is not None and b.whole is not None
        self._buffers = threading.local()

    def tile(self, i: int, j: int) -> Partial:
        """All work on block i of a against block j of b."""
        diagonal = self.sweep.within and i == j
        a = self.a.block(i)
        b = a if diagonal else self.b.block(j)  # the same array twice rounds in its own way
        g = self._matrix_product(a, b)
        self._neighbours(g, a, b, diagonal)
        return Partial(i, j, *self._sums(g, a, b, diagonal), *self._products(g, a, b))

    def _matrix_product(self, a: Block, b: Block) -> NDArray[np.floating]:
        n, m = len(a.raw), len(b.raw)
        whole = getattr(self._buffers, "g", None)
        if whole is None or whole.size < n * m:
            whole = self._buffers.g = np.empty(n * m, self.a.dtype)
        g: NDArray[np.floating] = whole[: n * m].reshape(n, m)
        np.matmul(a.centred, b.centred.T, out=g)
        return g

    def _neighbours(self, g: NDArray[np.floating], a: Block, b: Block, diagonal: bool) -> None:
        rare = (self.balls_a.needs, self.balls_b.needs, self.ratio_a.needs, self.ratio_b.needs)
        if not (self.sweep.k_a or self.sweep.k_b or any(rare)):
            return
        at, bt = a.span, b.span
        lists = (self.lists_a.rows(at), self.lists_b.rows(bt))
        others = (*self._others(self.b, b), *self._others(self.a, a))
        balls = (self.balls_a.tile(at, bt), self.balls_b.tile(bt, at))
        ratios = (self.ratio_a.tile(at, bt), self.ratio_b.tile(bt, at))
        tile = (g, a.raw, b.raw, a.norms, b.norms, self.eps, at.start, bt.start, diagonal)
        kernels.scan_neighbours(*tile, *lists, *others, *balls, *ratios)
        if not self.keeps:
            self._settle(a, self.lists_a, self.b, b)
            if not diagonal:
                self._settle(b, self.lists_b, self.a, a)

    def _others(self, side: Prepared, block: Block) -> tuple[NDArray[np.floating], int]:
        """Raw rows in which candidates are looked up, and the number of the first: all, or the block at hand."""
        return (side.whole, 0) if self.keeps and side.whole is not None else (block.raw, block.span.start)

    def _settle(self, block: Block, lists: Lists, side: Prepared, other: Block) -> None:
        if lists.values.shape[1]:
            kernels.settle_all(block.raw, *self._others(side, other), lists.rows(block.span))

    def _sums(self, g: NDArray[np.floating], a: Block, b: Block, diagonal: bool) -> tuple[Floats, Floats]:
        c = self.channels
        rows, columns = np.zeros((c.count, len(a.raw))), np.zeros((c.count, len(b.raw)))
        if c.count:
            wanted = (c.gauss, c.squarings, bool(c.distances), bool(c.cubics))
            cubic = (1.0 / self.a.samples.d, a.shifts, b.shifts)
            kernels.scan_sums(g, a.norms, b.norms, self.floor, diagonal, *wanted, *cubic, rows, columns)
        return rows, columns

    def _products(self, g: NDArray[np.floating], a: Block, b: Block) -> tuple[Floats, Floats]:
        rows, columns = np.ones((len(self.products_b), len(a.raw))), np.ones((len(self.products_a), len(b.raw)))
        open_rows = bool((self.row_products[:, a.span] > _SETTLED).any())
        open_columns = bool((self.column_products[:, b.span] > _SETTLED).any())
        if open_rows or open_columns:
            of_columns = np.array([inverse for inverse in self.products_a.values() if open_columns])
            of_rows = np.array([inverse for inverse in self.products_b.values() if open_rows])
            kernels.scan_products(g, a.norms, b.norms, self.floor, of_columns, of_rows, columns, rows)
        return rows, columns

    def merge(self, part: Partial) -> None:
        """Take in the results of a tile; called in the order of `tasks`."""
        at, bt = self.a.span(part.i), self.b.span(part.j)
        self.row_sums[:, at] += part.row_sums
        if not (self.sweep.within and part.i == part.j):
            self.column_sums[:, bt] += part.column_sums
        self.row_products[:, at] *= part.row_products
        self.column_products[:, bt] *= part.column_products

    def tasks(self) -> list[Task[Partial]]:
        """Tiles in the order in which they are merged."""
        n, m = self.a.count, self.b.count
        if self.keeps:
            order = rounds_within(n) if self.sweep.within else rounds_across(n, m)
        elif self.sweep.within:
            order = [(i, j) for i in range(n) for j in range(i, n)]
        elif n >= m:  # the longer side outside, so that it is read once
            order = [(i, j) for i in range(n) for j in range(m)]
        else:
            order = [(i, j) for j in range(m) for i in range(n)]
        return [self._task(i, j) for i, j in order]

    def _task(self, i: int, j: int) -> Task[Partial]:
        second = "a" if self.sweep.within else "b"
        return Task(lambda: self.tile(i, j), frozenset({("a", i), (second, j)}))

    def closing_tasks(self) -> list[Task[None]]:
        """Decides the candidates that were kept, block by block; runs after the last tile."""
        x, y = self.a.whole, self.b.whole
        if x is None or y is None:
            return []
        sides = [(self.a, x, self.lists_a, y)] + ([] if self.sweep.within else [(self.b, y, self.lists_b, x)])
        return [
            Task(partial(kernels.settle_all, rows[span], others, 0, lists.rows(span)), frozenset())
            for side, rows, lists, others in sides
            if lists.values.shape[1]
            for span in map(side.span, range(side.count))
        ]

    def answers(self) -> dict[Need, Any]:
        """The answers, once all tiles are merged."""
        s, out = self.sweep, dict[Need, Any]()
        if s.k_a:
            out[Knn(s.a, s.k_a) if s.within else Nearest(s.a, s.b, s.k_a)] = self.lists_a.answer()
        if s.k_b and not s.within:
            out[Nearest(s.b, s.a, s.k_b)] = self.lists_b.answer()
        for state in (self.balls_a, self.balls_b, self.ratio_a, self.ratio_b):
            out |= state.answers()
        out |= self.channels.answers(s.a, self.row_sums, self.column_sums, self.offset)
        out |= zip(self.products_a, _roots(self.column_products), strict=True)
        out |= zip(self.products_b, _roots(self.row_products), strict=True)
        return out


def run_sweep(run: SweepRun, threads: int, tick: Callable[[], None]) -> dict[Need, Any]:
    """Run all tiles of a sweep and return its answers; BLAS must be limited to one thread."""
    run_tasks(run.tasks(), run.merge, threads, tick)
    run_tasks(run.closing_tasks(), lambda _: None, threads, lambda: None)
    return run.answers()


def rounds_within(n: int) -> list[tuple[int, int]]:
    """All pairs i <= j < n: first every block with itself, then in rounds in which no block meets two others.

    Tiles that are near in this order share no block, so workers do not wait for each other. (The rounds of a
    tournament: one block stays, the others turn.)
    """
    order = [(i, i) for i in range(n)]
    players = list(range(n + n % 2))
    for _ in range(len(players) - 1):
        half = len(players) // 2
        pairs = zip(players[:half], reversed(players[half:]), strict=True)
        order += [(min(p), max(p)) for p in pairs if max(p) < n]
        players = [players[0], players[-1], *players[1:-1]]
    return order


def rounds_across(n: int, m: int) -> list[tuple[int, int]]:
    """All pairs i < n, j < m, in rounds in which no block of the shorter side is met twice."""
    if n < m:
        return [(i, j) for j, i in rounds_across(m, n)]
    return [((j + turn) % n, j) for turn in range(n) for j in range(m)]


def _roots(products: Floats) -> Floats:
    """Square roots; 0 for what is settled, where the factors that were left out depend on the number of threads."""
    roots: Floats = np.sqrt(np.where(products > _SETTLED, products, 0.0))
    return roots


def _products(sweep: Sweep, side: Side, lookup: Lookup) -> dict[ProductWithin, float]:
    """The products with centres on `side`, with 1 / R^2 (huge where all radii are 0: then only d = 0 counts)."""
    if sweep.within:
        return {}
    needs = [x for x in sweep.needs if isinstance(x, ProductWithin) and x.centres == side]
    lengths = [x.scale * float(lookup(Knn(x.centres, x.k)).radii.mean()) for x in needs]
    return {x: 1.0 / length**2 if length > 1e-150 else 1e300 for x, length in zip(needs, lengths, strict=True)}
