"""The coordinates of one column of an encoded table: numbers and categories."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from truegrade.tables import Coded, Column, Facts

Scale = Literal["standard", "rank"]
Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
FARTHEST = 1e6  # standard deviations beyond which a number counts as so far away
_HALF = math.sqrt(0.5)
_KNOTS = 1_001
_HEAVY = 5.0  # times the standard deviation that the quartiles tell


@dataclass(frozen=True, eq=False)
class NumberPart:
    """A number: its value, and whether it is missing if the real column has gaps.

    levels: of few-valued numbers their numbers. knots: values and the shares below them, for ranks.
    sd: None where the real column has one value.
    """

    column: Column
    mean: float
    sd: float | None
    gaps: bool
    levels: Floats | None = None
    knots: tuple[Floats, Floats] | None = None
    heavy: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        name = self.column.name
        return (name, f"{name} (missing)") if self.gaps else (name,)

    @property
    def words(self) -> str:
        kind = {"date": "date, in days", "few": "few-valued number"}.get(self.column.type, "number")
        gaps = "; missing: the mean, and a coordinate of its own" if self.gaps else ""
        if self.sd is None:
            return f"{kind}: 0 where equal to the only real value {self.mean:g}, 1 where not{gaps}"
        if self.knots is not None:
            return f"{kind}: the share of the real column below, times sqrt(12){gaps}"
        tail = "; heavy tails: its extremes count most, scale='rank' evens them" if self.heavy else ""
        return f"{kind}: minus {self.mean:.6g}, divided by {self.sd:.6g} (real mean and standard deviation){gaps}{tail}"

    def gone(self, count: int) -> NDArray[Any]:
        """The column of a table that lacks it."""
        return np.full(count, np.nan) if self.levels is None else np.full(count, -1, np.int32)

    def write(self, values: NDArray[Any], coded: Coded, out: NDArray[np.float32], unseen: Floats) -> None:
        """Write the coordinates of some rows, and add to `unseen`."""
        if self.levels is not None:
            values = numbers_of(values, self._levels_of(coded))
        missing = np.isnan(values)
        scaled = self._scaled(values)
        scaled[missing] = 0.0
        out[:, 0] = scaled
        if self.gaps:
            out[:, 1] = missing
        else:
            unseen += missing

    def _levels_of(self, coded: Coded) -> Floats:
        assert self.levels is not None
        return np.concatenate([self.levels, level_numbers(coded.extra.get(self.column.name, ()))])

    def _scaled(self, values: Floats) -> Floats:
        if self.sd is None:
            return np.asarray(values != self.mean, np.float64)
        with np.errstate(over="ignore"):
            out = np.clip((values - self.mean) / self.sd, -FARTHEST, FARTHEST)
            if self.knots is None:
                return out
            at, below = self.knots
            excess = np.maximum(values - at[-1], 0.0) - np.maximum(at[0] - values, 0.0)
            ranked = (np.interp(values, at, below) - 0.5) * math.sqrt(12.0)
            return np.asarray(np.clip(ranked + excess / self.sd, -FARTHEST, FARTHEST))


@dataclass(frozen=True, eq=False)
class LevelPart:
    """Categories: a coordinate for each of the first `places` levels, one for the others, one for missing.

    others: whether the real table has levels without a place.
    """

    column: Column
    places: int
    others: bool
    gaps: bool

    @property
    def names(self) -> tuple[str, ...]:
        name = self.column.name
        own = [f"{name} = {level}" for level in self.column.levels[: self.places]]
        own += [f"{name} (other)"] if self.others else []
        return (*own, f"{name} (missing)") if self.gaps else tuple(own)

    @property
    def words(self) -> str:
        kind, count = self.column.type, len(self.column.levels)
        if not self.others:
            return f"{kind}: one coordinate for each of {count} levels; two different ones lie at distance 1"
        return (
            f"{kind}: one coordinate for each of the {self.places} most frequent of {count} levels, one for all "
            "others together; two different ones lie at distance 1"
        )

    def gone(self, count: int) -> NDArray[Any]:
        """The column of a table that lacks it."""
        return np.full(count, -1, np.int32)

    def write(self, values: Codes, coded: Coded, out: NDArray[np.float32], unseen: Floats) -> None:
        """Write the coordinates of some rows, and add to `unseen`."""
        place = np.where(values < 0, self.places + self.others, np.minimum(values, self.places))
        known = np.where(values < 0, self.gaps, (values < self.places) | self.others)
        out[np.flatnonzero(known), place[known]] = _HALF
        unseen += np.where(known, 0.0, 0.5)


def part_of(column: Column, facts: Facts, pilot: NDArray[Any], most: int, scale: Scale) -> NumberPart | LevelPart:
    """How a column is encoded. pilot: some of its real values; most: levels that have a coordinate of their own."""
    gaps = facts.missing > 0
    if column.type in ("category", "boolean"):
        places = min(len(column.levels), most)
        return LevelPart(column, places, len(column.levels) > places, gaps)
    levels = level_numbers(column.levels) if column.type == "few" else None
    values = pilot if levels is None else numbers_of(pilot, levels)
    values = np.sort(values[~np.isnan(values)])
    mean, sd = _moments(facts, values)
    if sd is None or levels is not None:
        return NumberPart(column, mean, sd, gaps, levels)
    quartiles = np.quantile(values, [0.25, 0.75]) if len(values) else np.zeros(2)
    told = float(quartiles[1] - quartiles[0]) / 1.349  # of a normal column the standard deviation
    knots = _ranks(values) if scale == "rank" and len(values) else None
    return NumberPart(column, mean, sd, gaps, None, knots, bool(0.0 < told * _HEAVY < sd))


def _moments(facts: Facts, values: Floats) -> tuple[float, float | None]:
    """Mean and standard deviation of a real column; its only value and None, where there is only one."""
    if facts.low is not None and facts.low == facts.high:
        return float(facts.low), None
    mean = facts.mean if facts.mean is not None else float(values.mean()) if len(values) else 0.0
    sd = facts.sd if facts.sd is not None else float(values.std()) if len(values) else 0.0
    if not (sd > 0.0 and math.isfinite(sd)):
        return float(values[0]) if len(values) else mean, None
    return mean, sd


def _ranks(values: Floats) -> tuple[Floats, Floats]:
    """Different values, ascending, and the share of the column below each (ties: half)."""
    at, counts = np.unique(values, return_counts=True)
    below = (np.cumsum(counts) - 0.5 * counts) / len(values)
    chosen = np.unique(np.linspace(0, len(at) - 1, min(len(at), _KNOTS)).astype(np.intp))
    return at[chosen], below[chosen]


def numbers_of(codes: Codes, levels: Floats) -> Floats:
    """Numbers of codes, NaN for missing."""
    return np.append(levels, np.nan)[np.where(codes < 0, len(levels), codes)]


def level_numbers(levels: Sequence[str]) -> Floats:
    """The numbers that levels of a few-valued number are texts of; NaN for what is none."""
    return np.array([_number(text) for text in levels], np.float64)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan
