"""Recordings in .csv and .tsv files: one recording with a column or a row per lead, or one recording per row."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError
from truegrade.recordings.axes import MOST_LEADS
from truegrade.recordings.leads import LEADS_12, canonical
from truegrade.tables.naming import listed, quoted, shown

SUFFIXES = (".csv", ".tsv")
_CLOCK = re.compile(r"(time|t|sample|samples|index|seconds|ms)?([ _]?\(?(s|ms|sec|seconds)\)?)?", re.I)
_UNIT = re.compile(r"[ _]?\(?(s|ms|sec|seconds)\)?$", re.I)
_ONE = re.compile(r"(?P<name>\D{1,8})(?P<at>\d{1,9})")
USUAL_LEADS = (1, 2, 3, 4, 5, 6, 8, 9, 12, 14, 15, 16, 18)
_FLAT = re.compile(r"(?P<lead>.*[^_\-. ])[_\-. ](?P<at>\d{1,9})", re.S)
_PER_RECORD = {"id": "ids", "ids": "ids", "record": "ids", "patient": "patients", "patients": "patients",
               "label": "labels", "labels": "labels"}  # fmt: skip
_BATCH = 256  # rows that are held as text at once
_LARGEST_CELL = 2**20


@dataclass(frozen=True, eq=False)
class Text:
    """What a file holds: values (N, L, T), the leads where it names them, texts per recording, the rate in Hz where it
    has a column of times with their unit."""

    values: NDArray[np.float64]
    leads: tuple[str, ...] | None
    beside: dict[str, list[str]]
    flat: bool
    fs: float | None = None


def read_text(path: Path, leads: Sequence[str] | None = None, axes: str | None = None) -> Text:
    """The recordings of a .csv or .tsv file, float64; empty cells are NaN.

    - columns named by leads (I, II, V1 ...): one recording, a row per sample; a column named time, sample or the
      like is left out, and "time (s)" or "t_ms" gives the rate. Without names, the shorter side is the leads if it is
      a usual number of them; axes="NT" says that rows are recordings of one lead, "LT" and "TL" that they are leads or
      samples of one recording.
    - a first column of lead names: one recording, a row per lead.
    - columns named I_0, I_1 ... II_0 ...: one recording per row; columns named record, patient and label are read as
      such, and then columns named s0, s1 ... are one lead. With `leads` the columns may also be unnamed, all samples of
      a lead after another.

    Raises InputError for what is none of these, for cells that are no numbers and for rows of different lengths.
    """
    who = shown(str(path), 200)
    with _opened(path, who) as (head, rows):
        names = [cell.strip() for cell in head] if _are_names(head) else None
        body = rows if names else itertools.chain([head], rows)
        flat = _flat_columns(names) if names else None
        if flat is not None:
            return _flat(names or [], flat, body, who)
        texts, values = _columns(names, body, len(head), who)
    if texts and names and names[0] and _CLOCK.fullmatch(names[0]):  # times as text
        return _one(names[1:], values, leads, axes, who)
    if texts:
        return _rows_are_leads(texts[0], values, who)
    return _one(names, values, leads, axes, who)


@contextmanager
def _opened(path: Path, who: str) -> Iterator[tuple[list[str], Iterator[list[str]]]]:
    """The first row and the others; cells may be separated by comma, semicolon or tab."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, delimiter=_separator(file, path), skipinitialspace=True)
            rows = (row for row in reader if row)
            head = next(rows, None)
            if head is None:
                raise InputError(f"{who} is empty.")
            yield head, rows
    except UnicodeDecodeError as error:
        raise InputError(f"{who} is not UTF-8 text ({error.reason}); save it as UTF-8.") from error
    except csv.Error as error:
        raise InputError(f"{who} cannot be read as a table: {error}.") from error


def _separator(file: TextIO, path: Path) -> str:
    line = file.readline(_LARGEST_CELL)
    file.seek(0)
    return "\t" if path.suffix.lower() == ".tsv" else max(",;\t", key=line.count)


def _number(cell: str) -> float | None:
    try:
        return float(cell) if cell.strip() else float("nan")
    except ValueError:
        return None


def _are_names(head: Sequence[str]) -> bool:
    """Whether a first row names columns: texts, or counts from 0 (after one other cell at most)."""
    texts = sum(_number(cell) is None for cell in head)
    return texts > 1 or (texts == 1 and len(head) == 1) or _all_counts(head)


def _all_counts(head: Sequence[str] | None) -> bool:
    """Whether the cells, the first perhaps left out, count 0, 1, 2 ... or 1, 2, 3 ..."""
    numbers = [cell.strip() for cell in head or ()]
    for cells in (numbers, numbers[1:]):
        if len(cells) > 2 and cells[0] in ("0", "1") and cells == [str(int(cells[0]) + at) for at in range(len(cells))]:
            return True
    return False


def _flat_columns(names: Sequence[str]) -> dict[str, list[int]] | None:
    """lead -> its columns in the order of samples, of columns named I_0, I_1 ...; None of others."""
    found: dict[str, dict[int, int]] = {}
    others = 0
    for column, name in enumerate(names):
        parts = _FLAT.fullmatch(name)
        if parts is None:
            others += name.casefold() not in _PER_RECORD and name != ""
        else:
            found.setdefault(canonical(parts["lead"]), {})[int(parts["at"])] = column
    longest = max((len(columns) for columns in found.values()), default=0)
    if others or longest < 2:
        return _one_lead(names)
    return {lead: [columns[at] for at in sorted(columns)] for lead, columns in found.items()}


def _one_lead(names: Sequence[str]) -> dict[str, list[int]] | None:
    """The columns s0, s1 ... of one unnamed lead beside a column of records, in the order of samples, or None."""
    parts = {at: _ONE.fullmatch(name) for at, name in enumerate(names) if name.casefold() not in _PER_RECORD}
    found = {at: part for at, part in parts.items() if part is not None}
    same = len({part["name"] for part in found.values()}) == 1
    if len(parts) == len(names) or len(found) < len(parts) or not same or len(found) <= MOST_LEADS:
        return None
    return {"": sorted(found, key=lambda at: int(found[at]["at"]))}


def _flat(names: Sequence[str], flat: dict[str, list[int]], body: Iterator[list[str]], who: str) -> Text:
    lengths = {lead: len(columns) for lead, columns in flat.items()}
    if len(set(lengths.values())) > 1:
        text = ", ".join(f"{shown(lead)} {count:,}" for lead, count in list(lengths.items())[:12])
        raise InputError(f"{who} has leads of different lengths: {text} columns.")
    order = [column for columns in flat.values() for column in columns]
    named = 0 if "" in flat else sum(_FLAT.fullmatch(name) is not None for name in names)
    if len(order) != len(set(order)) or len(order) < named:
        raise InputError(f"{who} names a sample of a lead twice.")
    texts = {at: _PER_RECORD[name.casefold()] for at, name in enumerate(names) if name.casefold() in _PER_RECORD}
    beside: dict[str, list[str]] = {what: [] for what in texts.values()}
    blocks: list[NDArray[np.float64]] = []
    for batch in _batches(body, len(names), who):
        for at, what in texts.items():
            beside[what] += [row[at].strip() for row in batch]
        blocks.append(_floats([[row[column] for column in order] for row in batch], who))
    if not blocks:
        raise InputError(f"{who} has names of columns and no recordings.")
    values = np.concatenate(blocks).reshape(-1, len(flat), len(order) // len(flat))
    return Text(values, None if "" in flat else tuple(flat), beside, True)


def _columns(
    names: Sequence[str] | None, body: Iterator[list[str]], width: int, who: str
) -> tuple[dict[int, list[str]], NDArray[np.float64]]:
    """Columns of text (by number; only the first may be one), and all others as numbers."""
    texts: list[str] = []
    blocks: list[NDArray[np.float64]] = []
    textual = False
    for batch in _batches(body, width, who):
        textual = textual or (not blocks and width > 1 and _number(batch[0][0]) is None)
        texts += [row[0].strip() for row in batch] if textual else []
        blocks.append(_floats([row[1:] for row in batch] if textual else batch, who))
    if not blocks:
        raise InputError(f"{who} has names of columns and no numbers.")
    return ({0: texts} if textual else {}), np.concatenate(blocks)


def _batches(body: Iterator[list[str]], width: int, who: str) -> Iterator[list[list[str]]]:
    seen = 0
    while batch := list(itertools.islice(body, _BATCH)):
        for at, row in enumerate(batch):
            if len(row) != width:
                raise InputError(
                    f"{who}: row {seen + at} (counted from 0) has {len(row):,} cells, the first has {width:,}."
                )
        seen += len(batch)
        yield batch


def _floats(rows: list[list[str]], who: str) -> NDArray[np.float64]:
    try:
        return np.array(rows, dtype=np.float64)
    except ValueError:
        cells = [[_number(cell) for cell in row] for row in rows]
    for row, given in zip(cells, rows, strict=True):
        for value, cell in zip(row, given, strict=True):
            if value is None:
                hint = " Write decimals with a point." if re.fullmatch(r"\s*[+-]?\d+,\d+\s*", cell) else ""
                raise InputError(f"{who} has the cell {quoted(cell)}, which is no number.{hint}")
    return np.array(cells, dtype=np.float64)


def _rows_are_leads(texts: Sequence[str], values: NDArray[np.float64], who: str) -> Text:
    leads = tuple(canonical(lead) for lead in texts)
    if len(leads) > MOST_LEADS and not set(leads) & set(LEADS_12):
        raise InputError(
            f"{who} has a first column of text and {len(leads):,} rows: as a row per lead these are too many. Name the "
            "columns of a file with a recording per row I_0, I_1 ... II_0 ..."
        )
    return Text(values[None], leads, {}, False)


def _one(
    names: Sequence[str] | None,
    values: NDArray[np.float64],
    leads: Sequence[str] | None,
    axes: str | None,
    who: str,
) -> Text:
    """Numbers alone: one recording with a column per lead, a row per lead, or, with `leads`, recordings in rows."""
    if axes is not None:
        return _as_told(values, axes, who)
    if names is not None and not _all_counts(names):
        kept = [at for at, name in enumerate(names) if _CLOCK.fullmatch(name) is None]
        if len(kept) > MOST_LEADS:
            raise InputError(f"{who} has {len(kept):,} named columns, which are too many leads: {listed(names, 3)}.")
        if not kept:
            raise InputError(f"{who} has no column of a lead, only {listed(names, 3)}.")
        rate = next((found for at, name in enumerate(names) if (found := _rate(name, values[:, at]))), None)
        return Text(values[:, kept].T[None], tuple(canonical(names[at]) for at in kept), {}, False, rate)
    rows, columns = values.shape
    if leads is not None and columns > MOST_LEADS and columns % len(leads) == 0 and rows != len(leads):
        return Text(values.reshape(rows, len(leads), -1), None, {}, True)
    usual = USUAL_LEADS if leads is None else (len(leads),)
    if columns <= MOST_LEADS < rows and columns in usual:
        return Text(values.T[None], None, {}, False)
    if rows <= MOST_LEADS < columns and rows in usual:
        return Text(values[None], None, {}, False)
    raise InputError(
        f"{who} holds {rows:,} rows of {columns:,} numbers without names, which may be many things. Name the columns "
        "by leads (I, II ...; a row per sample), or I_0, I_1 ... II_0 ... (a row per recording), or give leads=... "
        "(--leads), or axes='NT' (--axes NT) if every row is a recording of one lead."
    )


def _as_told(values: NDArray[np.float64], axes: str, who: str) -> Text:
    """By the order of its axes."""
    if axes == "NT":
        return Text(values[:, None, :], None, {}, True)
    if axes in ("LT", "TL"):
        return Text((values if axes == "LT" else values.T)[None], None, {}, False)
    raise InputError(f"axes={quoted(axes)} given for {who}, a table: NT, LT and TL are accepted.")


def _rate(name: str, times: NDArray[np.float64]) -> float | None:
    """Hz by a column of times whose name says the unit; None of other columns, and of steps that are not equal."""
    unit = _UNIT.search(name.strip())
    if unit is None or len(times) < 3 or not np.isfinite(times).all():
        return None
    scale = 1e-3 if unit[0].casefold().strip("() _").startswith("m") else 1.0
    steps = np.diff(times) * scale
    step = float(steps.mean())
    if not step > 0 or np.abs(steps - step).max() > 0.51 * step:  # half a step is rounding of the times
        return None
    return float(f"{1.0 / step:.6g}")
