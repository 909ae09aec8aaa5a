"""Coded: a table in the terms of the real one: numbers as floats, categories as numbers of shared levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import Notice
from truegrade.tables.dates import Order
from truegrade.tables.readers import Reader
from truegrade.tables.table import Stored, Table

ColumnType = Literal["number", "few", "category", "boolean", "date", "identifier", "text"]
NUMERIC: tuple[ColumnType, ...] = ("number", "date")  # float64, compared as densities; dates in days since 1970
LEVELLED: tuple[ColumnType, ...] = ("few", "category", "boolean")  # int32 codes, compared as shares


@dataclass(frozen=True)
class Column:
    """One column of the real table: its type, what made it that, and its levels (texts, the most frequent first).

    stored: how the real table holds it. zone: of its dates. order: of day and month in dates that are texts, where
    the real table tells it.
    """

    name: str
    type: ColumnType
    why: str
    levels: tuple[str, ...] = ()
    stored: Stored = "number"
    zone: str | None = None
    order: Order | None = None


@dataclass(frozen=True)
class Schema:
    """The columns of the real table, in its order. notices: what was noted while typing them (left out, unclear)."""

    columns: tuple[Column, ...]
    notices: tuple[Notice, ...] = ()

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

    sd is that of a sample (n - 1), None for fewer than two values. What cannot be read counts as missing.
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
    follow those of the schema's levels. readers: by column that is compared, what turns a block of the store into
    numbers or codes.
    """

    table: Table
    schema: Schema
    facts: Mapping[str, Facts]
    extra: Mapping[str, tuple[str, ...]]
    absent: tuple[str, ...] = ()
    surplus: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    readers: Mapping[str, Reader] = field(default_factory=dict, repr=False)

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
        """By column float64 (NaN is missing) or int32 codes (-1 is missing), in blocks of BLOCK rows.

        Do not write to them. Raises KeyError for columns that are absent, or left out as identifiers and texts.
        """
        readers = {name: self.readers[name] for name in names}
        for block in self.table.store.blocks(list(readers)):
            yield {name: reader(block[name]) for name, reader in readers.items()}

    def take(self, names: Sequence[str], rows: NDArray[np.intp]) -> dict[str, NDArray[Any]]:
        """The same of the given rows, which ascend."""
        readers = {name: self.readers[name] for name in names}
        block = self.table.store.take(list(readers), np.asarray(rows, dtype=np.intp))
        return {name: reader(block[name]) for name, reader in readers.items()}

    def sample_rows(self, most: int, seed: int) -> NDArray[np.intp]:
        """At most `most` rows drawn without replacement, ascending; all rows where there are no more."""
        if len(self) <= most:
            return np.arange(len(self))
        return np.sort(np.random.default_rng(seed).choice(len(self), most, replace=False))
