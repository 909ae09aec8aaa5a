"""Answers needs: plan, prepare, sweep, collect. The one entry point of the engine for the layers above."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from truegrade.cores import usable_cores
from truegrade.engine.bandwidth import bandwidth
from truegrade.engine.blas import single_thread
from truegrade.engine.cache import ENGINE_VERSION, AnswerCache
from truegrade.engine.moments import moments
from truegrade.engine.needs import (
    Answers,
    Bandwidth,
    Direct,
    DistanceSum,
    Floats,
    Gaussian,
    KernelSum,
    Knn,
    Moments,
    Nearest,
    Need,
    OwnBallCounts,
    Part,
    ProductWithin,
    Side,
)
from truegrade.engine.plan import Plan, Sweep, canonical, close, make_plan, side_name
from truegrade.engine.precision import product_dtype
from truegrade.engine.radii import own_balls
from truegrade.engine.state import gaussian_factors
from truegrade.engine.sweep import SweepRun, run_sweep
from truegrade.engine.tiles import Prepared, robust_centre, tile_size
from truegrade.engine.tree import tree_answers, tree_fits
from truegrade.errors import InputError
from truegrade.samples import Samples

Progress = Callable[[int, int, str], None]
"""Called with the tiles done, the tiles in all, and what is being swept."""


def answer(
    needs: Iterable[Need],
    sides: Mapping[str, Samples],
    *,
    threads: int | None = None,
    tile: int | None = None,
    cache: AnswerCache | None = None,
    progress: Progress | None = None,
) -> Answers:
    """Answer `needs` about `sides` ("real", "synthetic", "holdout").

    threads: default all processors this process may use; values do not depend on it. tile: rows per block, for
    tests. cache: keeps what concerns the real side alone. Raises InputError for a need about a side that is missing.
    """
    wanted = list(dict.fromkeys(needs))
    _check_sides(wanted, sides)
    return _Run(dict(sides), threads or usable_cores(), tile, cache, progress).answer(wanted)


def _check_sides(needs: Iterable[Need], sides: Mapping[str, Samples]) -> None:
    for need in close(needs):
        for side in need.sides():
            for name in (side,) if isinstance(side, str) else (side.side, side.like):
                if name not in sides:
                    raise InputError(f"{type(need).__name__} needs a {name} set, and none was given.")


@dataclass(eq=False)
class _Run:
    """One call of `answer`: the sides, what was prepared of them, and the answers so far (canonical needs)."""

    sides: dict[str, Samples]
    threads: int
    tile: int | None
    cache: AnswerCache | None
    progress: Progress | None
    answers: dict[Need, Any] = field(default_factory=dict)
    parts: dict[Side, Samples] = field(default_factory=dict)
    prepared: dict[tuple[Any, ...], Prepared] = field(default_factory=dict)
    closed: set[Need] = field(default_factory=set)

    @cached_property
    def centre(self) -> Floats:
        """The point that all sides are centred by."""
        return robust_centre(self._some)

    @property
    def _some(self) -> Samples:
        return self.sides.get("real", next(iter(self.sides.values())))

    def answer(self, wanted: list[Need]) -> Answers:
        sizes = {name: samples.n for name, samples in self.sides.items()}
        self.closed = close(canonical(need, sizes) for need in wanted)
        for need in self.closed:
            if isinstance(need, Bandwidth):
                self.answers[need] = bandwidth(need, [self.samples(s) for s in need.sides()])
        self._recall()
        plan = make_plan(wanted, sizes, self._some.d, self.answers)
        for need in plan.first:
            self.answers[need] = self._direct(need)
        self._sweeps(plan)
        for need in plan.last:
            self.answers[need] = self._own_balls(need)
        return Answers({need: self.lookup(canonical(need, sizes)) for need in close(wanted)}, sizes, self._some.d)

    def samples(self, side: Side) -> Samples:
        """The samples of a side; a Part is drawn once."""
        if not isinstance(side, Part):
            return self.sides[side]
        if side not in self.parts:
            whole, size = self.sides[side.side], self.sides[side.like].n
            rows = np.sort(np.random.default_rng(side.seed).choice(whole.n, size, replace=False))
            self.parts[side] = whole.subset(rows)
        return self.parts[side]

    def lookup(self, need: Need) -> Any:
        """The answer to a canonical need; neighbour lists are cut from the widest that was made."""
        if need in self.answers:
            return self.answers[need]
        assert isinstance(need, (Knn, Nearest)), need
        found = self.answers[replace(need, k=self._widest(need))].first(need.k)
        self.answers[need] = found
        return found

    def _widest(self, need: Knn | Nearest) -> int:
        return max(n.k for n in self.answers if type(n) is type(need) and n.sides() == need.sides())

    # work that is no sweep

    def _direct(self, need: Need) -> Any:
        if isinstance(need, Moments):
            return moments(self.samples(need.side))
        assert isinstance(need, Direct)
        return need.function(*(self.samples(s) for s in need.of), **dict(need.parameters))

    def _own_balls(self, need: Need) -> Any:
        assert isinstance(need, OwnBallCounts)
        samples = self.samples(need.side)
        lists = self.answers[Knn(need.side, self._widest(Knn(need.side, need.k)))]
        return own_balls(lists, need.k, need.clip, self._prepare(need.side, samples.dtype, samples.dtype))

    # sweeps

    def _sweeps(self, plan: Plan) -> None:
        trees = [tree_fits(s, self.samples(s.a), self.samples(s.b)) for s in plan.sweeps]
        total, done = sum(self._tiles(s) for s, tree in zip(plan.sweeps, trees, strict=True) if not tree), 0
        for sweep, tree in zip(plan.sweeps, trees, strict=True):
            what = side_name(sweep.a) if sweep.within else f"{side_name(sweep.a)} against {side_name(sweep.b)}"

            def tick(what: str = what) -> None:
                nonlocal done
                done += 1
                if self.progress is not None:
                    self.progress(done, total, what)

            a, b = self.samples(sweep.a), self.samples(sweep.b)
            with single_thread():  # one worker per core instead
                found = (
                    tree_answers(sweep, a, b, self.lookup, self.threads) if tree else self._by_tiles(sweep, a, b, tick)
                )
            self.answers |= found
            self._remember(found)

    def _by_tiles(self, sweep: Sweep, a: Samples, b: Samples, tick: Callable[[], None]) -> dict[Need, Any]:
        dtype = self._precision(sweep.a, sweep.b)
        raw = np.dtype(np.float32 if a.dtype == b.dtype == np.float32 else np.float64)
        left, right = self._prepare(sweep.a, dtype, raw), self._prepare(sweep.b, dtype, raw)
        offset = float(self.centre @ self.centre) / a.d + 1.0
        return run_sweep(SweepRun(sweep, left, right, self.lookup, offset), self.threads, tick)

    def _tiles(self, sweep: Sweep) -> int:
        n, m = (-(-s.n // tile_size(s.n, s.d, self.tile)) for s in map(self.samples, (sweep.a, sweep.b)))
        return n * (n + 1) // 2 if sweep.within else n * m

    def _prepare(self, side: Side, dtype: np.dtype[Any], raw: np.dtype[Any]) -> Prepared:
        key = (side, dtype, raw)
        if key not in self.prepared:
            samples = self.samples(side)
            size = tile_size(samples.n, samples.d, self.tile)
            self.prepared[key] = Prepared(samples, self.centre, dtype, raw, size)
        return self.prepared[key]

    def _precision(self, a: Side, b: Side) -> np.dtype[Any]:
        """The type of the products of two sides; what is in the cache does not change it."""
        return product_dtype(self.samples(a), self.samples(b), self.centre, self._lengths2(a, b))

    def _lengths2(self, a: Side, b: Side) -> list[float]:
        """Squared lengths that enter the sums and products of two sides."""
        out: list[float] = []
        for need in self.closed:
            if set(need.sides()) != {a, b}:
                continue
            if isinstance(need, KernelSum) and isinstance(need.kernel, Gaussian):
                out += [-0.5 / f for f in gaussian_factors(need, self.lookup)]
            elif isinstance(need, ProductWithin):
                out.append(float((need.scale * self.lookup(Knn(need.centres, need.k)).radii.mean()) ** 2))
        return out

    # cache

    def _key(self, need: Need) -> str | None:
        """The cache key of a need about the real side alone, with its numbers resolved; None for any other."""
        if need.sides() != ("real",) or not isinstance(need, (Knn, KernelSum, DistanceSum)):
            return None
        kernel = getattr(need, "kernel", None)
        numbers = [type(need).__name__, type(kernel).__name__]
        if isinstance(kernel, Gaussian):
            assert isinstance(need, KernelSum)
            numbers += [float(f).hex() for f in gaussian_factors(need, self.lookup)]
        if not isinstance(need, Knn):  # neighbours are exact in any precision
            numbers.append(str(self._precision("real", "real")))
        numbers += [str(self.tile), "identity", str(ENGINE_VERSION), self.sides["real"].fingerprint]
        return " ".join(numbers)

    def _recall(self) -> None:
        if self.cache is None:
            return
        for need in self.closed:
            key = self._key(need)
            found = None if key is None else self.cache.get(key)
            if found is None:
                continue
            if isinstance(need, Knn):
                have = found.squared.shape[1]
                if have >= need.k:
                    self.answers[Knn(need.side, have)] = found
            else:
                self.answers[need] = found

    def _remember(self, found: Mapping[Need, Any]) -> None:
        for need, value in found.items():
            key = self._key(need) if self.cache is not None else None
            if key is not None and self.cache is not None:
                self.cache.put(key, value)


__all__ = ["Progress", "answer"]
