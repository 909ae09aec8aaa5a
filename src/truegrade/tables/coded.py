"""Coded: a table in the terms of the real one: numbers as floats, categories as numbers of shared levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import Notice
from truegrade.tables.table import Table

ColumnType = Literal["number", "few", "category", "boolean", "date", "identifier", "text"]
NUMERIC: tuple[ColumnType, ...] = ("number", "date")  # float64, compared as densities; dates in days since 1970
LEVELLED: tuple[ColumnType, ...] = ("few", "category", "boolean")  # int32 codes, compared as shares


@dataclass(frozen=True)
class Column:
    """One column of the real table: its type, what made it that, and its levels (texts, the most frequent first)."""

    name: str
    type: ColumnType
    why: str
    levels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Schema:
    """The columns that are compared, as the real table fixes them, in its order."""

    columns: tuple[Column, ...]

    def __getitem__(self, name: str) -> Column:
        return self.by_name[name]

    @cached_property
    def by_name(self) -> Mapping[str, Column]:
        return {column.name: column for column in self.columns}

    def names(self, *types: ColumnType) -> tuple[str, ...]:
        """Names of the columns of these types (of all, without any)."""
        return tuple(c.name for c in self.columns if not types or c.type in types)


@dataclass(frozen=True)
class Facts:
    """What one table holds of a column. low, high, mean, sd: of numbers, and of dates in days since 1970.

    rows, missing, distinct: counts; distinct is capped at 100,000. stored: how the source holds it ("number",
    "boolean", "text", "date"). zone: of dates.
    """

    rows: int
    missing: int
    distinct: int
    stored: str
    low: float | None = None
    high: float | None = None
    mean: float | None = None
    sd: float | None = None
    zone: str | None = None


@dataclass(frozen=True, eq=False)
class Coded:
    """A table read by a schema. Columns of the schema that it lacks are in `absent`, further ones in `surplus`.

    facts: by column that it has. extra: by levelled column, the levels that the real table does not have; their codes
    follow those of the schema's levels.
    """

    table: Table
    schema: Schema
    facts: Mapping[str, Facts]
    extra: Mapping[str, tuple[str, ...]]
    absent: tuple[str, ...] = ()
    surplus: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()

    def __len__(self) -> int:
        return len(self.table)

    @property
    def name(self) -> str:
        return self.table.name

    def has(self, name: str) -> bool:
        return name not in self.absent

    def levels(self, name: str) -> tuple[str, ...]:
        """Texts of all codes of a levelled column: the schema's levels, then its own."""
        return self.schema[name].levels + self.extra.get(name, ())

    def blocks(self, names: Sequence[str]) -> Iterator[dict[str, NDArray[Any]]]:
        """By column float64 (NaN is missing) or int32 codes (-1 is missing), in blocks of BLOCK rows."""
        raise NotImplementedError

    def take(self, names: Sequence[str], rows: NDArray[np.intp]) -> dict[str, NDArray[Any]]:
        """The same of the given rows, which ascend."""
        raise NotImplementedError
