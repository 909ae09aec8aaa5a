"""The names of a table's columns, without reading its rows."""

from __future__ import annotations

import os
from pathlib import Path

from truegrade.errors import InputError, MissingExtra
from truegrade.load.arrow import open_pieces
from truegrade.load.choice import Choice, split_columns
from truegrade.load.delimited import open_delimited
from truegrade.load.frames import Frame, as_frame, stored_index


def column_names(given: object, choice: Choice) -> tuple[str, ...] | None:
    """Names of the columns that would be graded; those of a table without names are "0", "1" ...

    None for what is no table or cannot be read: reading it says why.
    """
    try:
        if isinstance(given, (str, os.PathLike)):
            return _of_file(Path(given), choice)
        frame = as_frame(given, choice.who)
        return None if frame is None else _of_frame(frame, choice)
    except (InputError, MissingExtra, OSError):
        return None


def _of_file(path: Path, choice: Choice) -> tuple[str, ...]:
    if path.suffix.lower() not in (".csv", ".tsv"):
        return _of_frame(open_pieces(path, choice).empty, choice)
    with open_delimited(path, choice) as table:
        return tuple(table.names[at] for at in table.split.values)


def _of_frame(frame: Frame, choice: Choice) -> tuple[str, ...]:
    names = [str(name) for name in frame.columns]
    return tuple(names[at] for at in split_columns(names, choice, stored_index(frame)).values)
