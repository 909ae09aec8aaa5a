"""Tables in files: .csv and .tsv (no extra needed), .parquet (extra `tabular`)."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TextIO

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError, MissingExtra
from truegrade.load.choice import Choice, Split, given_names, refuse_text, split_columns
from truegrade.load.frames import load_frame
from truegrade.rows import ArrayRows, refuse_integer
from truegrade.samples import Samples

_BATCH = 2048  # rows
_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "<na>"})


def load_parquet(path: Path, choice: Choice) -> Samples:
    """Samples of the numeric columns of a .parquet file; see `load_frame`. Needs pyarrow."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra(
            f"Reading {path} needs pyarrow. Install it with: pip install 'truegrade[tabular]'"
        ) from error
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            table = file.read()
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"{choice.who} is not a .parquet file, or it is damaged: {error}") from error
    return load_frame(nw.from_native(table, eager_only=True), choice)


def load_csv(path: Path, choice: Choice) -> Samples:
    """Samples of the numeric columns of a table in UTF-8 text, one row per sample, as float64.

    The separator is a tab in .tsv, else the one of comma, semicolon and tab that splits the first row into
    most cells. A first row without numbers is a header; so is 0, 1, 2 ... A first column whose name is empty
    is the index of another program: it becomes the ids. Raises InputError for rows of different lengths, for
    columns of text (all are listed), for missing values (row and column are named), and when it is unclear
    whether the first row is a header.
    """
    choice.refuse_key()
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            return _read(file, choice, "\t" if path.suffix.lower() == ".tsv" else None)
    except UnicodeDecodeError as error:
        raise InputError(f"{choice.who} is not UTF-8 text ({error.reason}); save it as UTF-8.") from error
    except csv.Error as error:
        raise InputError(f"{choice.who} cannot be read as a table: {error}.") from error


def _read(file: TextIO, choice: Choice, separator: str | None) -> Samples:
    reader = csv.reader(file, delimiter=separator or _separator(file), skipinitialspace=True)
    head = list(itertools.islice((row for row in reader if row), 2))
    if not head:
        raise InputError(f"{choice.who} is empty. Give one row per sample and one column per feature.")
    named = _is_header(head, choice)
    names = head[0] if named else [str(i) for i in range(len(head[0]))]
    index = ("",) if names[0] == "" else ()
    split = split_columns(names, choice, index)
    if index and choice.ids is None:
        split = replace(split, ids=0)
    cells = _Cells(names, split, choice)
    for batch in _batches(itertools.chain(head[named:], reader), len(names), choice):
        cells.add(batch)
    return cells.samples()


def _separator(file: TextIO) -> str:
    counts = {}
    for mark in ",;\t":
        counts[mark] = len(next(csv.reader(file, delimiter=mark), []))
        file.seek(0)
    return max(counts, key=lambda mark: counts[mark])


def _is_header(head: Sequence[Sequence[str]], choice: Choice) -> bool:
    """Whether the first row holds names; InputError when that cannot be told."""
    first, second = head[0], head[-1]
    text = [_number(cell) is None for cell in first]
    numbers = [cell for cell in first if _is_number(cell)]
    if not numbers:
        return any(text)
    if len(numbers) > 2 and numbers == [str(i) for i in range(len(numbers))]:
        return True  # columns without names, as counted by another program
    if not any(text):
        return False
    if any(a and _is_number(b) for a, b in zip(text, second, strict=False)):
        return True
    raise InputError(
        f"{choice.who}: the first row mixes numbers and text ({', '.join(first)[:60]}), so it may be names "
        "or a sample. Put a row of column names above the samples."
    )


def _batches(rows: Iterator[list[str]], width: int, choice: Choice) -> Iterator[list[list[str]]]:
    """Rows in batches, all of the same width; blank lines are left out where there are several columns."""
    seen = 0
    while batch := list(itertools.islice(rows, _BATCH)):
        filled = [row or [""] for row in batch] if width == 1 else [row for row in batch if row]
        for i, row in enumerate(filled):
            if len(row) != width:
                raise InputError(
                    f"{choice.who}: row {seen + i} (counted from 0, without header and blank lines) has "
                    f"{len(row)} cells, the first row has {width}."
                )
        seen += len(filled)
        yield filled


def _number(cell: str) -> float | None:
    """The cell's value, NaN when it is missing, None when it is text."""
    if cell.strip().lower() in _MISSING:
        return float("nan")
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return None


def _is_number(cell: str) -> bool:
    value = _number(cell)
    return value is not None and value == value


@dataclass(eq=False)
class _Cells:
    """The table as far as it was read; `text` holds an example of each value column that is not numeric."""

    names: Sequence[str]
    split: Split
    choice: Choice
    blocks: list[NDArray[np.float64]] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)
    ids: list[str | None] = field(default_factory=list)
    text: dict[str, object] = field(default_factory=dict)

    def add(self, batch: list[list[str]]) -> None:
        chosen = self.split.values
        if chosen == tuple(range(len(self.names))):
            cells = list(itertools.chain.from_iterable(batch))
        else:
            cells = [row[i] for row in batch for i in chosen]
        self.blocks.append(self._floats(cells).reshape(len(batch), len(chosen)))
        for column, kept in ((self.split.labels, self.labels), (self.split.ids, self.ids)):
            if column is not None:
                kept.extend(row[column] or None for row in batch)

    def _floats(self, cells: list[str]) -> NDArray[np.float64]:
        try:
            if "_" in "".join(cells):  # float("1_0") is 10
                raise ValueError
            values = np.fromiter(map(float, cells), np.float64, len(cells))
        except ValueError:
            values = self._checked(cells)
        for at in np.flatnonzero(np.abs(values) > 2**53):
            if cells[at].strip().lstrip("+-").isdigit():
                name = self.names[self.split.values[at % len(self.split.values)]]
                refuse_integer(int(cells[at]), f"column {name!r} of {self.choice.who}")
        return values

    def _checked(self, cells: list[str]) -> NDArray[np.float64]:
        """Cell by cell: missing ones become NaN, text is remembered."""
        values = np.full(len(cells), np.nan)
        for at, cell in enumerate(cells):
            number = _number(cell)
            if number is None:
                self.text.setdefault(self.names[self.split.values[at % len(self.split.values)]], cell)
            else:
                values[at] = number
        return values

    def samples(self) -> Samples:
        refuse_text(self.choice, self.text)
        chosen = [self.names[i] for i in self.split.values]
        return Samples.from_rows(
            ArrayRows(np.concatenate(self.blocks or [np.empty((0, len(chosen)))])),
            name=self.choice.name,
            source=self.choice.source,
            labels=self.choice.labels if self.split.labels is None else np.array(self.labels, dtype=object),
            ids=self.choice.ids if self.split.ids is None else np.array(self.ids, dtype=object),
            columns=given_names(chosen),
        )
