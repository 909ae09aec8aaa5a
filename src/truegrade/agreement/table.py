"""Tables with named columns of text and numbers: from a .csv or .tsv file, a data frame, or a dict of columns."""

from __future__ import annotations

import csv
import itertools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError
from truegrade.load.frames import as_frame

_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "<na>", "nat"})


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of equal length by name, as text; what is missing is an empty text. `who` names it in messages."""

    who: str
    columns: Mapping[str, Sequence[str]]

    @property
    def n(self) -> int:
        return len(next(iter(self.columns.values())))

    @property
    def header(self) -> str:
        """The names of the columns, for messages."""
        return ", ".join(repr(name[:40]) for name in list(self.columns)[:30])

    def named(self, *names: str) -> str | None:
        """The first of these columns that is there, whatever its case."""
        have = {name.strip().casefold(): name for name in reversed(list(self.columns))}
        return next((have[name] for name in names if name in have), None)

    def text(self, name: str) -> Sequence[str]:
        """A column that must be there."""
        if name not in self.columns:
            raise InputError(f"{self.who} have no column {name!r}; the columns are {self.header}.")
        return self.columns[name]

    def is_text(self, name: str) -> bool:
        """Does a column hold text, without a single number?"""
        cells = [cell for cell in self.text(name) if cell]
        return bool(cells) and all(_number(cell) is None for cell in cells)

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A column as numbers, NaN where it is missing; InputError that names the row of a text or an infinity."""
        values = [float("nan") if not cell else _number(cell) for cell in self.text(name)]
        for row, value in enumerate(values):
            if value is None or np.isinf(value):
                raise InputError(
                    f"{self.who}, row {row + 1} below the header, hold {self.columns[name][row][:40]!r} in the column "
                    f"{name!r}; finite numbers and empty cells are accepted. Correct it, or choose other columns."
                )
        return np.array(values, dtype=np.float64)


def _number(cell: str) -> float | None:
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return None


def as_table(given: object, who: str) -> Table:
    """A table of what was given; `who` is its role ("Ratings").

    Raises InputError for what is no table, has no rows, columns of different lengths, or two of one name.
    """
    if isinstance(given, (str, os.PathLike)):
        return _read(Path(given), who)
    if isinstance(given, Mapping):
        columns = {str(name): [*values] for name, values in given.items()}
    else:
        frame = as_frame(given, who)
        if frame is None:
            raise InputError(
                f"{who} are of type {type(given).__name__}; the path of a .csv or .tsv file, a data frame, or a dict "
                "of columns is accepted."
            )
        columns = {str(name): frame[name].to_list() for name in frame.columns}
    return _checked(who, list(columns), list(columns.values()))


def _checked(who: str, names: list[str], columns: Sequence[Sequence[object]]) -> Table:
    lengths = {len(column) for column in columns}
    if lengths in (set(), {0}):
        raise InputError(f"{who} have no rows. Give column names and at least one row.")
    if len(lengths) > 1:
        raise InputError(f"{who} have columns of different lengths ({sorted(lengths)}); give one cell per row.")
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise InputError(f"{who} have two columns {twice[0]!r}; column names must differ.")
    return Table(who, {name: [_cell(v) for v in column] for name, column in zip(names, columns, strict=True)})


def _cell(value: object) -> str:
    text = "" if value is None else str(value).strip()
    return "" if text.casefold() in _MISSING else text


def _read(path: Path, who: str) -> Table:
    if not path.is_file():
        raise InputError(f"There is no file {path}; {who.lower()} are read from a .csv or .tsv file.")
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            mark = "\t" if path.suffix.lower() == ".tsv" else _separator(file)
            rows = [row for row in csv.reader(file, delimiter=mark, skipinitialspace=True) if row]
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text ({error.reason}); save it as UTF-8.") from error
    except (csv.Error, OSError) as error:
        raise InputError(f"{path} cannot be read as a table: {error}.") from error
    who = f"{who} in {path}"
    for number, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise InputError(f"{path}: row {number} below the header has {len(row)} cells, the header {len(rows[0])}.")
    names = [name.strip() for name in rows[0]] if rows else []
    return _checked(who, names, [list(column) for column in zip(*rows[1:], strict=True)] if len(rows) > 1 else [])


def _separator(file: TextIO) -> str:
    """Of comma, semicolon and tab, the one that splits the header into most cells."""
    header = "".join(itertools.islice(file, 1))
    file.seek(0)
    return max(",;\t", key=lambda mark: len(next(csv.reader([header], delimiter=mark), [])))
