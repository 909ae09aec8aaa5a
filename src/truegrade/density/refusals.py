"""When a pair of columns has no density: constant, too few rows or values, all on one line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from truegrade.density.line import line_eden
from truegrade.density.settings import Names, PairOutcome, Settings
from truegrade.density.stats import Floats, SideStats

FEW = 3  # a column with at most so many distinct values on both sides is compared by shares
_COLLINEAR = 1e-10  # of 1 - |correlation|: below it all points are on one line
_BINS = 10  # of a column with many values in the joint table
_SIDES = ("real", "synthetic")


def refusal(real: SideStats, synthetic: SideStats, settings: Settings, names: Names) -> PairOutcome | None:
    """Why these two sides have no densities; None where they have."""
    sides = (real, synthetic)
    short = [f"{side.n} {name}" for name, side in zip(_SIDES, sides, strict=True) if side.n < 3]
    if short:
        return PairOutcome("degenerate", f"A density needs at least 3 rows on each side; {' and '.join(short)} given.")
    return (
        _constant(sides, names)
        or _out_of_range(sides, names)
        or _few_valued(sides, names)
        or _collinear(sides, settings, names)
    )


def _constant(sides: tuple[SideStats, SideStats], names: Names) -> PairOutcome | None:
    found = [
        (side, names[axis], float(stats.low[axis]))
        for axis in (0, 1)
        for side, stats in zip(_SIDES, sides, strict=True)
        if stats.low[axis] == stats.high[axis]
    ]
    if not found:
        return None
    told = "; ".join(f"{shown(name)} is {value:g} in every {side} row" for side, name, value in found)
    return PairOutcome("constant", f"No density: {told}.", details={"sides": _named(side for side, _, _ in found)})


def _out_of_range(sides: tuple[SideStats, SideStats], names: Names) -> PairOutcome | None:
    """Spreads whose squares float64 cannot hold."""
    for axis in (0, 1):
        for side, stats in zip(_SIDES, sides, strict=True):
            if not 1e-290 < stats.cov[axis, axis] < 1e290:
                told = f"the spread of {shown(names[axis])} in the {side} set cannot be squared in float64; rescale it"
                return PairOutcome("degenerate", f"No density: {told}.", details={"sides": (side,)})
    return None


def _few_valued(sides: tuple[SideStats, SideStats], names: Names) -> PairOutcome | None:
    few = [axis for axis in (0, 1) if all(len(stats.sample) and _few(stats.sample[:, axis]) for stats in sides)]
    if not few:
        return None
    real, synthetic = (stats.sample for stats in sides)
    told = " and ".join(shown(names[axis]) for axis in few)
    reason = f"No density: {told} has at most {FEW} distinct values on both sides; compare shares."
    return PairOutcome("degenerate", reason, details=joint_table(real, synthetic))


def _few(values: Floats) -> bool:
    return len(np.unique(values[:256])) <= FEW and len(np.unique(values)) <= FEW


def joint_table(real: Floats, synthetic: Floats) -> Mapping[str, Any]:
    """Shares of both sides in one table: values where there are few, else bins at the deciles of both together.

    total_variation: half the sum of the absolute differences of the shares, 0 for equal tables, at most 1.
    """
    codes, marks = zip(*(_coded(real[:, axis], synthetic[:, axis]) for axis in (0, 1)), strict=True)
    width = int(codes[1].max()) + 1
    cells = codes[0] * width + codes[1]
    size = (int(codes[0].max()) + 1) * width
    shares = [np.bincount(part, minlength=size) / len(part) for part in (cells[: len(real)], cells[len(real) :])]
    return {
        "total_variation": float(np.abs(shares[0] - shares[1]).sum() / 2),
        "joint_table": {"first": marks[0], "second": marks[1]}
        | {side: part.reshape(-1, width).tolist() for side, part in zip(_SIDES, shares, strict=True)},
    }


def _coded(real: Floats, synthetic: Floats) -> tuple[np.ndarray[Any, np.dtype[np.intp]], list[float]]:
    """Codes of both sides in turn, and the values (or the inner edges of the bins) that they stand for."""
    both = np.concatenate([real, synthetic])
    values, codes = np.unique(both, return_inverse=True)
    if len(values) <= 2 * FEW:
        return codes, values.tolist()
    halves = [np.quantile(part, np.arange(1, _BINS) / _BINS) for part in (real, synthetic)]
    edges = np.unique((halves[0] + halves[1]) / 2)
    return np.searchsorted(edges, both, side="right"), edges.tolist()


def _collinear(sides: tuple[SideStats, SideStats], settings: Settings, names: Names) -> PairOutcome | None:
    flat = [side for side, stats in zip(_SIDES, sides, strict=True) if 1.0 - abs(correlation(stats)) < _COLLINEAR]
    if not flat:
        return None
    where = f"the {flat[0]} set" if len(flat) == 1 else "both sets"
    reason = f"No density: {shown(names[0])} and {shown(names[1])} lie on one line in {where}."
    return PairOutcome("collinear", reason, details={"sides": tuple(flat), **_along(sides, flat[0], settings)})


def _along(sides: tuple[SideStats, SideStats], which: str, settings: Settings) -> Mapping[str, Any]:
    """Both sides projected on the line of one of them: Eden along it, and how far the points lie off it (in its sd)."""
    line = sides[_SIDES.index(which)]
    sd = np.sqrt(np.diag(line.cov))
    direction = np.array([1.0, math.copysign(1.0, line.cov[0, 1])]) / math.sqrt(2.0)
    along, off = [], []
    for stats in sides:
        z = (stats.sample - line.mean) / sd
        along.append(z @ direction)
        off.append(float(np.sqrt(np.mean((z @ np.array([-direction[1], direction[0]])) ** 2))) if len(z) else math.nan)
    found = line_eden(along[0], along[1], settings)
    told = {"eden_line": found} if isinstance(found, float) else {"eden_line_reason": found}
    return told | {"off_line": tuple(off), "correlations": tuple(correlation(stats) for stats in sides)}


def correlation(stats: SideStats) -> float:
    """Pearson's, -1 to 1."""
    first, second = math.sqrt(stats.cov[0, 0]), math.sqrt(stats.cov[1, 1])
    return float(min(1.0, max(-1.0, stats.cov[0, 1] / first / second)))


def shown(name: str) -> str:
    """A column's name in a sentence, cut where it is long; whoever prints the sentence escapes it."""
    return f"'{name if len(name) <= 60 else name[:59] + '…'}'"


def _named(sides: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(sides))
