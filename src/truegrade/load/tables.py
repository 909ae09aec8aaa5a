"""Tables in files: .csv and .tsv (no extra needed), .parquet (extra `tabular`)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError, MissingExtra
from truegrade.load.choice import Choice, Split, given_names, refuse_text
from truegrade.load.delimited import open_delimited
from truegrade.load.frames import load_frame
from truegrade.rows import ArrayRows, refuse_integer
from truegrade.samples import Samples
from truegrade.tables.texts import number_of


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

    Separator, header and index as `open_delimited` finds them. Raises InputError for rows of different lengths, for
    columns of text (all are listed), for missing values (row and column are named), and when it is unclear
    whether the first row is a header.
    """
    with open_delimited(path, choice) as table:
        cells = _Cells(table.names, table.split, choice)
        for batch in table.batches:
            cells.add(batch)
    return cells.samples()


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
            number = number_of(cell)
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
