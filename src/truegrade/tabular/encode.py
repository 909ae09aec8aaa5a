"""Rows of a table as vectors: one documented rule, fixed by the real table, so that it is the same for every model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError, Notice, notice
from truegrade.samples import Samples
from truegrade.tables import Coded, Column, Facts

WHOLE_ROWS = 20_000  # rows a side that are compared with all others
MOST_PLACES = 50  # levels of a column that have a coordinate of their own
MOST_COORDINATES = 2_000  # beyond it, fewer levels of each column have one
FARTHEST = 1e6  # standard deviations beyond which a number counts as so far away
UNSEEN = "(unseen)"
_PILOT = 20_000  # real rows that ranks and tails are taken from
_KNOTS = 1_001
_HEAVY = 5.0  # times the standard deviation that the quartiles tell

Scale = Literal["standard", "rank"]
Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
_HALF = math.sqrt(0.5)


@dataclass(frozen=True, eq=False)
class Encoding:
    """How rows become vectors; `Encoding.fit(real)` makes it from the real table alone.

    The squared distance of two rows is a sum over their columns.

    - Numbers and dates: (x - mean) / sd of the real column, so that two real rows differ by 2 on average. With
      scale="rank" instead the share of the real column below x (ties: half), times sqrt(12): the spread of a uniform
      number is 1 too. Choose that where columns have heavy tails, which `words` says: few huge values make the
      standard deviation, and all others hardly differ. Beyond the real range ranks go on as standard deviations do.
    - Few-valued numbers: standardised, as numbers.
    - A real column with one value: 0 where equal to it, 1 where not.
    - Categories and booleans: a coordinate for each of the most frequent levels (at most MOST_PLACES) and one for all
      others, sqrt(1/2) in that of the row: two different ones lie at distance 1.
    - Missing: a coordinate of its own with 1 (categories: a level like any other), numbers at the real mean.
    - What the real table never shows (a level that it does not have where all of its own have a place; a gap in a
      column that has none): one coordinate for all columns together, `(unseen)`, holds the root of the sum of their
      squared distances, so that the distance to a real row is right.
    - A column that the other table lacks is missing in every row. Identifiers, free text and columns without a value
      in the real table are left out.
    """

    parts: tuple[NumberPart | LevelPart, ...]
    left_out: Mapping[str, str]

    @staticmethod
    def fit(real: Coded, *, scale: Scale = "standard") -> Encoding:
        """The encoding of a real table. Raises InputError where no column can be encoded."""
        if scale not in get_args(Scale):
            raise InputError(f"scale={scale!r} given; 'standard' or 'rank' is accepted.")
        left_out = {c.name: why for c in real.schema.columns if (why := _unfit(c, real))}
        columns = [c for c in real.schema.columns if c.name not in left_out]
        if not columns:
            raise InputError(
                f"No column of {real.name} can become a coordinate: " + "; ".join(left_out.values()) + ". "
                "Give the types of the columns, or other columns."
            )
        most = _places(columns)
        rows = np.unique(np.linspace(0, len(real) - 1, min(len(real), _PILOT)).astype(np.intp))
        pilot = real.take([c.name for c in columns], rows)
        return Encoding(tuple(_part(c, real.facts[c.name], pilot[c.name], most, scale) for c in columns), left_out)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return (*(name for part in self.parts for name in part.names), UNSEEN)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that are encoded."""
        return tuple(part.column.name for part in self.parts)

    def words(self) -> dict[str, str]:
        """By column, how it is encoded, for the reader."""
        return {part.column.name: part.words for part in self.parts} | {
            name: f"left out: {why}" for name, why in self.left_out.items()
        }

    def encode(self, coded: Coded, rows: NDArray[np.intp] | None = None) -> Samples:
        """The rows of a table (all, or those given, which ascend) as float32 vectors, with its labels and ids."""
        count = len(coded) if rows is None else len(rows)
        out = np.zeros((count, len(self.names)), np.float32)
        at = 0
        for block in self._blocks(coded, rows, count):
            size = len(next(iter(block.values())))
            self._write(coded, block, out[at : at + size])
            at += size
        table = coded.table
        return Samples.from_array(
            out,
            name=table.name,
            source=table.source,
            ids=_chosen(table.ids, rows),
            labels=_chosen(table.labels, rows),
            columns=_different(self.names),
        )

    def draw(self, coded: Coded, *, seed: int = 0, most: int = WHOLE_ROWS) -> Drawn:
        """Rows for what compares every row with every other: all, or `most` of them drawn with the seed."""
        rows = None
        if len(coded) > most:
            rows = coded.sample_rows(most, seed)
        return Drawn(coded, self.encode(coded, rows), rows, seed)

    def _blocks(self, coded: Coded, rows: NDArray[np.intp] | None, count: int) -> Iterator[dict[str, NDArray[Any]]]:
        names = [name for name in self.columns if coded.has(name)]
        if not names:
            yield {"": np.empty(count)}
        elif rows is None:
            yield from coded.blocks(names)
        else:
            yield coded.take(names, rows)

    def _write(self, coded: Coded, block: Mapping[str, NDArray[Any]], out: NDArray[np.float32]) -> None:
        unseen = np.zeros(len(out))
        at = 0
        for part in self.parts:
            values = block.get(part.column.name)
            if values is None:
                values = part.gone(len(out))
            part.write(values, coded, out[:, at : at + len(part.names)], unseen)
            at += len(part.names)
        out[:, -1] = np.sqrt(unseen)


@dataclass(frozen=True, eq=False)
class Drawn:
    """The rows of a table that are compared as wholes: as vectors, and which rows they are (None: all)."""

    coded: Coded
    samples: Samples
    rows: NDArray[np.intp] | None = None
    seed: int = 0

    def __len__(self) -> int:
        return self.samples.n

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Says that rows were drawn."""
        if self.rows is None:
            return ()
        return (
            notice("table_rows", used=len(self.rows), rows=len(self.coded), side=self.coded.name, seed=self.seed),
        )

    def values(self, name: str) -> NDArray[Any]:
        """One column of these rows, as Coded gives it."""
        rows = np.arange(len(self.coded), dtype=np.intp) if self.rows is None else self.rows
        return self.coded.take([name], rows)[name]


# --- columns -----------------------------------------------------------------------------------------------


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


def _part(column: Column, facts: Facts, pilot: NDArray[Any], most: int, scale: Scale) -> NumberPart | LevelPart:
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


def _unfit(column: Column, real: Coded) -> str:
    """Why a column has no coordinates; empty if it has."""
    if column.type in ("identifier", "text"):
        return {"identifier": "an identifier", "text": "free text"}[column.type]
    facts = real.facts.get(column.name)
    if facts is None or facts.missing >= facts.rows:
        return "no value in the real table"
    return ""


def _places(columns: Sequence[Column]) -> int:
    """Levels of a column that have a place of their own: MOST_PLACES, or fewer if all together would be too many."""
    counts = [len(c.levels) if c.type in ("category", "boolean") else 1 for c in columns]
    most = MOST_PLACES
    while most > 2 and sum(min(count, most) for count in counts) > MOST_COORDINATES:
        most = max(2, most // 2)
    return most


def _chosen(values: NDArray[Any] | None, rows: NDArray[np.intp] | None) -> NDArray[Any] | None:
    return values if values is None or rows is None else values[rows]


def _different(names: Sequence[str]) -> tuple[str, ...]:
    """Names that all differ: of equal ones the later get a number."""
    taken: dict[str, int] = {}
    out = []
    for name in names:
        while name in taken:
            taken[name] += 1
            name = f"{name} #{taken[name]}"
        taken[name] = 1
        out.append(name)
    return tuple(out)
