"""Columns of any type of a table in text: what all of a column's cells agree on decides what it holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError
from truegrade.load.choice import Choice
from truegrade.load.delimited import open_delimited
from truegrade.tables import MemoryStore, Stored
from truegrade.tables.dates import joint_zone, read_date, reading_of
from truegrade.tables.naming import quoted
from truegrade.tables.texts import canonical, has_decimal_commas, is_code, number_of

_CODES = re.compile(r"\n[+-]?0\d", re.ASCII)
_DAY = 86_400e6  # microseconds


@dataclass(frozen=True, eq=False)
class Cells:
    """A table as it was read. Labels and ids are texts."""

    store: MemoryStore
    labels: NDArray[Any] | None
    ids: NDArray[Any] | None


def read_cells(path: Path, choice: Choice) -> Cells:
    """The columns of a .csv or .tsv file.

    A column holds numbers when all its cells are (infinities included; 007 and whole numbers beyond 2^53 are texts),
    truth values when all are true or false, dates when all are ISO dates or others that can be read in one way
    only, else texts. Empty cells and the marks of `truegrade.tables.texts.MISSING` are missing values. Raises
    InputError as `open_delimited` does, and for numbers with a decimal comma.
    """
    texts: set[int] = set()
    while True:  # once more where a column turned out to hold text only after numbers
        columns, names, choices = _read(path, choice, texts)
        late = {at for at, column in columns.items() if isinstance(column, _Numbers) and column.late}
        if not late:
            break
        texts |= late
    done = {names[at]: column.done(names[at], choice) for at, column in columns.items()}
    store = MemoryStore(
        {name: column.values for name, column in done.items()},
        {name: column.stored for name, column in done.items()},
        {name: column.zone for name, column in done.items()},
    )
    return Cells(store, *choices)


@dataclass(frozen=True, eq=False)
class _Done:
    values: NDArray[Any]
    stored: Stored
    zone: str | None = None


def _read(
    path: Path, choice: Choice, texts: set[int]
) -> tuple[dict[int, _Numbers | _Texts], Sequence[str], tuple[NDArray[Any] | None, NDArray[Any] | None]]:
    """One pass over the file; the columns of `texts` are not tried as numbers."""
    with open_delimited(path, choice) as table:
        split = table.split
        columns: dict[int, _Numbers | _Texts] = {at: _Texts() if at in texts else _Numbers() for at in split.values}
        per_row: tuple[list[str | None], list[str | None]] = ([], [])
        for batch in table.batches:
            cells = list(zip(*batch, strict=True))
            for at, column in columns.items() if cells else ():
                columns[at] = column.add(cells[at])
            for place, kept in zip((split.labels, split.ids), per_row, strict=True):
                if place is not None and cells:
                    kept.extend(cell or None for cell in cells[place])
    places = (split.labels, split.ids)
    labels, ids = (None if at is None else np.array(k, dtype=object) for at, k in zip(places, per_row, strict=True))
    return columns, table.names, (labels, ids)


@dataclass(eq=False)
class _Numbers:
    """A column whose cells so far are numbers or missing. late: text came after numbers, whose spelling is lost."""

    blocks: list[NDArray[np.float64]] = field(default_factory=list)
    seen: bool = False
    late: bool = False

    def add(self, cells: Sequence[str]) -> _Numbers | _Texts:
        if self.late:
            return self
        values = _floats(cells)
        if values is not None:
            self.seen = self.seen or not np.isnan(values).all()
            self.blocks.append(values)
            return self
        if self.seen:
            self.late = True
            return self
        texts = _Texts()
        texts.add([""] * sum(map(len, self.blocks)))
        return texts.add(cells)

    def done(self, name: str, choice: Choice) -> _Done:
        return _Done(np.concatenate(self.blocks or [np.empty(0)]), "number")


def _floats(cells: Sequence[str]) -> NDArray[np.float64] | None:
    """The cells as numbers, None where some is none."""
    if _misread("\n" + "\n".join(cells)):
        return None
    try:
        values = np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        read = [number_of(cell) for cell in cells]
        if None in read:
            return None
        values = np.array(read, dtype=np.float64)
    wide = np.flatnonzero(np.abs(values) > 2**53)
    return None if any(is_code(cells[int(at)]) for at in wide) else values


def _misread(lines: str) -> bool:
    """Whether some cell is text that float reads all the same: 1_0, 007. Said at once of most columns."""
    if "_" in lines:
        return True
    zero = "\n0" in lines or "\n-0" in lines or "\n+0" in lines
    return zero and _CODES.search(lines) is not None


class _Texts:
    """A column of which some cell is no number: each different cell once, and which of them stands where."""

    def __init__(self) -> None:
        self._codes: list[NDArray[np.int32]] = []
        self._known = _Numbered()

    def add(self, cells: Sequence[str]) -> _Texts:
        self._codes.append(np.fromiter(map(self._known.__getitem__, cells), np.int32, len(cells)))
        return self

    def done(self, name: str, choice: Choice) -> _Done:
        codes = np.concatenate(self._codes or [np.empty(0, dtype=np.int32)])
        words = [word.strip() for word in self._known]
        plain = [canonical(word) for word in words]
        present = [word for word, known in zip(words, plain, strict=True) if known is not None]
        if has_decimal_commas(present):
            comma = next(word for word in present if "," in word)
            raise InputError(
                f"Column {quoted(name)} of {choice.who} holds numbers with a comma, such as {quoted(comma)}. Write "
                "decimals with a point and no marks between thousands."
            )
        if present and set(plain) <= {"true", "false", None}:
            truth = {"true": 1.0, "false": 0.0}
            return _Done(np.array([truth.get(known or "", np.nan) for known in plain])[codes], "boolean")
        if present and reading_of(present) == "clear" and (dates := _dates(words, plain)) is not None:
            return _Done(dates.values[codes], "date", dates.zone)
        texts = np.array([None if k is None else w for w, k in zip(words, plain, strict=True)], dtype=object)
        return _Done(texts[codes], "text")


class _Numbered(dict[str, int]):
    """Texts numbered as they first occur."""

    def __missing__(self, text: str) -> int:
        self[text] = len(self)
        return len(self) - 1


def _dates(words: Sequence[str], plain: Sequence[str | None]) -> _Done | None:
    """The words as dates; None where they state several zones, which stay texts."""
    read = [(np.nan, None) if known is None else read_date(word) for word, known in zip(words, plain, strict=True)]
    zones = {zone for (_, zone), known in zip(read, plain, strict=True) if known is not None}
    if len(zones) > 1:
        return None
    days = np.array([value for value, _ in read])
    values = np.full(len(days), "NaT", dtype="datetime64[us]")
    there = ~np.isnan(days)
    values[there] = np.round(days[there] * _DAY).astype(np.int64).astype("datetime64[us]")
    return _Done(values, "date", joint_zone(zones))
