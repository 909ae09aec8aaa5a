"""Patients and labels of recordings, from mappings, functions, comments, folders and .csv files."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError
from truegrade.recordings.record import Recordings
from truegrade.samples import per_row
from truegrade.tables.naming import listed, near, quoted, shown

Comments = Mapping[str, str]
PerRecord = (
    Mapping[str, object] | Callable[[str, Comments], object] | Sequence[object] | NDArray[Any] | str | Path | None
)
_TABLES = (".csv", ".tsv")


def whose(found: Recordings, comments: Mapping[str, Comments], patients: PerRecord, labels: PerRecord) -> Recordings:
    """The recordings with patients and labels; their ids are keys of `comments`. See `load_ecg_wfdb`."""
    return replace(
        found,
        patients=_values(patients, "patient", found, comments),
        labels=_values(labels, "label", found, comments),
    )


def _values(wish: PerRecord, what: str, found: Recordings, comments: Mapping[str, Comments]) -> NDArray[Any] | None:
    if wish is None:
        return None
    ids = [str(one) for one in (found.ids if found.ids is not None else range(len(found)))]
    if isinstance(wish, (str, os.PathLike)):
        wish = _named(os.fspath(wish), what, ids, comments, found.name)
    if callable(wish):
        values = [wish(one, comments.get(one, {})) for one in ids]
    elif isinstance(wish, Mapping):
        values = _looked_up(wish, ids, what, found.name)
    else:
        values = list(wish)
    return per_row(np.asarray(values), len(found), f"{what}s", found.name)


def _looked_up(table: Mapping[str, object], ids: Sequence[str], what: str, who: str) -> list[object]:
    """The value of each id, or of its last part."""
    keys = [one if one in table else one.rpartition("/")[2] for one in ids]
    missing = [one for one, key in zip(ids, keys, strict=True) if key not in table]
    if missing:
        raise InputError(
            f"{len(missing):,} of {len(ids):,} recordings of {shown(who)} have no {what}: {listed(missing, 5)}."
        )
    return [table[key] for key in keys]


def _named(
    wish: str, what: str, ids: Sequence[str], comments: Mapping[str, Comments], who: str
) -> Mapping[str, object]:
    """What a text asks for: a file, the folder, or a comment of each record."""
    if Path(wish).suffix.lower() in _TABLES:
        return read_whose(Path(wish), what)
    if wish == "folder":
        return {one: one.rpartition("/")[0] or "." for one in ids}
    said = {one: comments[one][wish] for one in ids if wish in comments.get(one, {})}
    if not said:
        known = sorted({key for one in comments.values() for key in one})
        meant = near(wish, known)
        hint = f" Did you mean {meant!r}?" if meant else f" They have: {listed(known)}." if known else ""
        raise InputError(f"The headers of {shown(who)} have no comment {quoted(wish)} to take {what}s from.{hint}")
    return said


def read_whose(path: Path, what: str) -> dict[str, object]:
    """record -> patient, or label, of a table in text with these columns."""
    who = shown(str(path), 200)
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
            columns = {str(name).strip().casefold(): str(name) for name in reader.fieldnames or ()}
            if "record" not in columns or what not in columns:
                raise InputError(
                    f"{who} has the columns {listed(list(columns.values()))}; record and {what} are needed."
                )
            rows = [(row[columns["record"]], row[columns[what]]) for row in reader]
    except OSError as error:
        raise InputError(f"{who} cannot be read: {error.strerror or error}.") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{who} cannot be read as a table in UTF-8: {error}.") from error
    table: dict[str, object] = {}
    for record, value in rows:
        if not record or value is None or not value.strip():
            raise InputError(f"{who} has a row without record or {what}, after {len(table):,} rows.")
        if table.setdefault(record.strip(), value.strip()) != value.strip():
            raise InputError(f"{who} gives {quoted(record)} two different {what}s.")
    return table
