"""The planner: turns the needs of all metrics into the least work, in stages. Never reads a sample's value.

Closes the needs over what they require, widens neighbour counts (k = 3, 5, 9 become one list), groups everything
by pair of sides so that each pair is swept once, and orders the work so that radii are there before they are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from truegrade.engine.needs import (
    BallCounts,
    BallRatio,
    DistanceSum,
    KernelSum,
    Knn,
    Nearest,
    Need,
    OwnBallCounts,
    Part,
    ProductWithin,
    Side,
)

T = TypeVar("T")


@dataclass(frozen=True)
class Sweep:
    """One pass over all tiles of the pair (a, b); a == b is the pairs inside one side, which costs half.

    k_a: length of the neighbour lists of a's rows (in b), k_b: of b's rows (in a); 0 = none.
    needs: the pair needs that this pass answers, neighbour lists excluded.
    """

    a: Side
    b: Side
    k_a: int
    k_b: int
    needs: tuple[Need, ...]

    @property
    def within(self) -> bool:
        return self.a == self.b

    def pairs(self, sizes: Mapping[Side, int]) -> int:
        """Pairs of samples that are looked at."""
        n, m = sizes[self.a], sizes[self.b]
        return n * (n - 1) // 2 if self.within else n * m


@dataclass(frozen=True)
class Plan:
    """What will be done: `first` needs no sweep, then the sweeps in order, `last` follows from their answers."""

    first: tuple[Need, ...]
    sweeps: tuple[Sweep, ...]
    last: tuple[Need, ...]
    sizes: Mapping[Side, int] = field(hash=False)
    dimension: int = 0

    def explain(self) -> str:
        """The plan in words, with its cost."""
        lines = [f"{side_name(s)}: {n:,} samples x {self.dimension} features" for s, n in self.sizes.items()]
        lines += [f"before the sweeps: {describe(need)}" for need in self.first]
        for number, sweep in enumerate(self.sweeps, 1):
            lines.append(f"sweep {number}: {_sweep_title(sweep, self.sizes)}")
            lines += [f"    {text}" for text in _sweep_contents(sweep)]
        lines += [f"after the sweeps: {describe(need)}" for need in self.last]
        flops = sum(2.0 * s.pairs(self.sizes) * self.dimension for s in self.sweeps)
        lines.append(f"cost: {len(self.sweeps)} sweeps, {flops / 1e9:,.1f} GFLOP of matrix products")
        return "\n".join(lines)


def make_plan(needs: Iterable[Need], sizes: Mapping[str, int], dimension: int, have: Iterable[Need] = ()) -> Plan:
    """Plan for `needs`; `have` are needs whose answers exist already (from a cache)."""
    wanted = close({canonical(need, sizes) for need in needs})
    known = {canonical(need, sizes) for need in have}
    wanted = {need for need in wanted if not _answered(need, known)}
    pairs = sorted({_pair(need) for need in wanted if _is_pair(need)}, key=_pair_order)
    sweeps = tuple(_sweep(pair, wanted) for pair in pairs)
    first = tuple(n for n in wanted if not _is_pair(n) and not isinstance(n, OwnBallCounts))
    last = tuple(n for n in wanted if isinstance(n, OwnBallCounts))
    sides = {side for need in wanted for side in need.sides()}
    return Plan(_stable(first), sweeps, _stable(last), {s: _size(s, sizes) for s in _ordered(sides)}, dimension)


def close(needs: Iterable[Need]) -> set[Need]:
    """The needs and everything that they require."""
    closed: set[Need] = set()
    todo = list(needs)
    while todo:
        need = todo.pop()
        if need not in closed:
            closed.add(need)
            todo += need.requires()
    return closed


def canonical(need: T, sizes: Mapping[str, int]) -> T:
    """The same need with every Part that is no smaller than its whole replaced by the whole."""
    changes = {
        name: value.side
        for name, value in vars(need).items()
        if isinstance(value, Part) and sizes[value.side] <= sizes[value.like]
    }
    return replace(need, **changes) if changes else need  # type: ignore[type-var]


def _widest(needs: Iterable[Need], kind: Callable[[Need], int]) -> int:
    """The largest neighbour count that `kind` finds, 0 if none."""
    return max((kind(need) for need in needs), default=0)


def side_name(side: Side) -> str:
    return side if isinstance(side, str) else f"{side.side} (as many as {side.like}, seed {side.seed})"


def describe(need: Need) -> str:
    """One need in words."""
    sides = " and ".join(side_name(s) for s in need.sides())
    skip = {"side", "frm", "to", "centres", "points", "a", "b", "of", "rule", "function"}
    numbers = ", ".join(f"{k}={v}" for k, v in vars(need).items() if k not in skip and v not in ((), False))
    names = [getattr(vars(need).get("function"), "__name__", ""), str(vars(need).get("rule", ""))]
    return " ".join(t for t in (type(need).__name__, *names, f"of {sides}", f"({numbers})" if numbers else "") if t)


def _answered(need: Need, known: set[Need]) -> bool:
    if need in known:
        return True
    if isinstance(need, Knn):
        return any(isinstance(o, Knn) and o.side == need.side and o.k >= need.k for o in known)
    return False


def _is_pair(need: Need) -> bool:
    return isinstance(need, (Knn, Nearest, BallCounts, BallRatio, ProductWithin, KernelSum, DistanceSum))


def _pair(need: Need) -> tuple[Side, Side]:
    sides = need.sides()
    if len(sides) == 1:
        return sides[0], sides[0]
    a, b = sorted(sides, key=_side_order)
    return a, b


def _side_order(side: Side) -> tuple[int, str]:
    name = side if isinstance(side, str) else side.side
    return ["real", "synthetic", "holdout"].index(name) if name in ("real", "synthetic", "holdout") else 3, str(side)


def _pair_order(pair: tuple[Side, Side]) -> tuple[bool, tuple[int, str], tuple[int, str]]:
    """Within-side sweeps first: what they find (radii) is what the others need."""
    return pair[0] != pair[1], _side_order(pair[0]), _side_order(pair[1])


def _sweep(pair: tuple[Side, Side], needs: set[Need]) -> Sweep:
    a, b = pair
    mine = [need for need in needs if _is_pair(need) and _pair(need) == pair]
    if a == b:
        k = _widest(mine, lambda n: n.k if isinstance(n, Knn) else 0)
        return Sweep(a, b, k, k, _stable(n for n in mine if not isinstance(n, Knn)))
    k_a = _widest(mine, lambda n: n.k if isinstance(n, Nearest) and n.frm == a else 0)
    k_b = _widest(mine, lambda n: n.k if isinstance(n, Nearest) and n.frm == b else 0)
    return Sweep(a, b, k_a, k_b, _stable(n for n in mine if not isinstance(n, Nearest)))


def _stable(needs: Iterable[Need]) -> tuple[Need, ...]:
    return tuple(sorted(needs, key=repr))


def _ordered(sides: Iterable[Side]) -> list[Side]:
    return sorted(sides, key=_side_order)


def _size(side: Side, sizes: Mapping[str, int]) -> int:
    return sizes[side] if isinstance(side, str) else min(sizes[side.side], sizes[side.like])


def _sweep_title(sweep: Sweep, sizes: Mapping[Side, int]) -> str:
    what = f"inside {side_name(sweep.a)}" if sweep.within else f"{side_name(sweep.a)} against {side_name(sweep.b)}"
    return f"{what}, {sweep.pairs(sizes):,} pairs"


def _sweep_contents(sweep: Sweep) -> list[str]:
    lines = []
    if sweep.within and sweep.k_a:
        lines.append(f"{sweep.k_a} nearest neighbours")
    elif not sweep.within:
        for k, frm, to in ((sweep.k_a, sweep.a, sweep.b), (sweep.k_b, sweep.b, sweep.a)):
            if k:
                lines.append(f"{k} nearest of {side_name(to)} to each of {side_name(frm)}")
    return lines + [describe(need) for need in sweep.needs]
