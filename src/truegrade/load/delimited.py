"""Tables in UTF-8 text, row by row: separator, header, names, and cells in batches of whole rows."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from truegrade.errors import InputError
from truegrade.load.choice import Choice, Split, split_columns
from truegrade.tables.texts import number_of

_BATCH = 2048  # rows


@dataclass(frozen=True)
class Delimited:
    """An open table: the names of its columns, what they are for, and its rows in batches, read once."""

    names: tuple[str, ...]
    split: Split
    batches: Iterator[list[list[str]]]


@contextmanager
def open_delimited(path: Path, choice: Choice) -> Iterator[Delimited]:
    """The table of a .csv or .tsv file, open as long as it is read.

    The separator is a tab in .tsv, else the one of comma, semicolon and tab that splits the first row into
    most cells. A first row without numbers is a header; so is 0, 1, 2 ... A first column whose name is empty
    is the index of another program: it becomes the ids. Raises InputError, also while it is read, for rows of
    different lengths, and when it is unclear whether the first row is a header.
    """
    choice.refuse_key()
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            yield _opened(file, choice, "\t" if path.suffix.lower() == ".tsv" else None)
    except UnicodeDecodeError as error:
        raise InputError(f"{choice.who} is not UTF-8 text ({error.reason}); save it as UTF-8.") from error
    except csv.Error as error:
        raise InputError(f"{choice.who} cannot be read as a table: {error}.") from error


def _opened(file: TextIO, choice: Choice, separator: str | None) -> Delimited:
    reader = csv.reader(file, delimiter=separator or separator_of(file), skipinitialspace=True)
    head = list(itertools.islice((row for row in reader if row), 2))
    if not head:
        raise InputError(f"{choice.who} is empty. Give one row per sample and one column per feature.")
    named = is_header(head, choice)
    names = head[0] if named else [str(i) for i in range(len(head[0]))]
    index = ("",) if names[0] == "" else ()
    split = split_columns(names, choice, index)
    if index and choice.ids is None:
        split = replace(split, ids=0)
    rows = itertools.chain(head[named:], reader)
    return Delimited(tuple(names), split, batches_of(rows, len(names), choice))


def separator_of(file: TextIO) -> str:
    counts = {}
    for mark in ",;\t":
        counts[mark] = len(next(csv.reader(file, delimiter=mark), []))
        file.seek(0)
    return max(counts, key=lambda mark: counts[mark])


def is_header(head: Sequence[Sequence[str]], choice: Choice) -> bool:
    """Whether the first row holds names; InputError when that cannot be told."""
    first, second = head[0], head[-1]
    text = [number_of(cell) is None for cell in first]
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


def batches_of(rows: Iterator[list[str]], width: int, choice: Choice) -> Iterator[list[list[str]]]:
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


def _is_number(cell: str) -> bool:
    value = number_of(cell)
    return value is not None and value == value
