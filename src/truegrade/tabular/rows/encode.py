"""Rows of a table as vectors: one documented rule, fixed by the real table, so that it is the same for every model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError, Notice, notice
from truegrade.samples import Samples
from truegrade.tables import Coded, Column
from truegrade.tabular.rows.coordinates import LevelPart, NumberPart, Scale, part_of

WHOLE_ROWS = 20_000  # rows a side that are compared with all others
MOST_PLACES = 50  # levels of a column that have a coordinate of their own
MOST_COORDINATES = 2_000  # beyond it, fewer levels of each column have one
UNSEEN = "(unseen)"
_PILOT = 20_000  # real rows that ranks and tails are taken from

Floats = NDArray[np.float64]


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
        return Encoding(tuple(part_of(c, real.facts[c.name], pilot[c.name], most, scale) for c in columns), left_out)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return (*(name for part in self.parts for name in part.names), UNSEEN)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that are encoded."""
        return tuple(part.column.name for part in self.parts)

    @property
    def spans(self) -> dict[str, slice]:
        """By column, its coordinates."""
        ends = np.cumsum([len(part.names) for part in self.parts]).tolist()
        return {p.column.name: slice(end - len(p.names), end) for p, end in zip(self.parts, ends, strict=True)}

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
        return Drawn(coded, self.encode(coded, rows), self, rows, seed)

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
    """The rows of a table that are compared as wholes: as vectors, by what, and which rows they are (None: all)."""

    coded: Coded
    samples: Samples
    encoding: Encoding
    rows: NDArray[np.intp] | None = None
    seed: int = 0

    def __len__(self) -> int:
        return self.samples.n

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Says that rows were drawn."""
        if self.rows is None:
            return ()
        return (notice("table_rows", used=len(self.rows), rows=len(self.coded), side=self.coded.name, seed=self.seed),)

    def values(self, name: str) -> NDArray[Any]:
        """One column of these rows, as Coded gives it."""
        rows = np.arange(len(self.coded), dtype=np.intp) if self.rows is None else self.rows
        if not self.coded.has(name):
            return next(p for p in self.encoding.parts if p.column.name == name).gone(len(rows))
        return self.coded.take([name], rows)[name]


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
