"""Recordings from several files, before they are read; what cannot be used, refused or counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError, Notice, notice
from truegrade.tables.naming import quoted, shown

OnError = Literal["refuse", "skip"]
_TOLD = 5  # faults that a message names


@dataclass(frozen=True, eq=False)
class Piece:
    """The recordings of one file. `read` gives them, (len(ids), count, length) in `units` as `dtype`.

    leads: None where the file does not name them; rate: Hz, None where the file does not say; units: None likewise.
    """

    ids: tuple[str, ...]
    leads: tuple[str, ...] | None
    count: int
    length: int
    rate: float | None
    units: str | None
    dtype: np.dtype[Any]
    read: Callable[[], NDArray[Any]]

    @property
    def name(self) -> str:
        return shown(self.ids[0])


@dataclass
class Faults:
    """Recordings that cannot be used: the first `settle` refuses them all by name, or they are counted."""

    on_error: OnError
    side: str
    reasons: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.on_error not in get_args(OnError):
            raise InputError(f"on_error={quoted(self.on_error)} given; 'refuse' or 'skip' is accepted.")

    @contextmanager
    def watched(self) -> Iterator[None]:
        """A fault inside is noted, and what is inside ends there."""
        try:
            yield
        except InputError as error:
            self.reasons.append(str(error))
        except OSError as error:
            where = shown(str(error.filename or "a file"), 200)
            self.reasons.append(f"{where} cannot be read: {error.strerror or type(error).__name__}.")

    def settle(self, count: int) -> None:
        """InputError where faults are refused, or nothing is left of `count` recordings."""
        if not self.reasons or (self.on_error == "skip" and len(self.reasons) < count):
            return
        if count == 1:
            raise InputError(self.reasons[0])
        some = " ".join(f"({at}) {reason}" for at, reason in enumerate(self.reasons[:_TOLD], 1))
        more = f" And {len(self.reasons) - _TOLD:,} more." if len(self.reasons) > _TOLD else ""
        advice = "Mend or remove them, or leave them out with on_error='skip' (--on-error skip)."
        raise InputError(
            f"{len(self.reasons):,} of {count:,} recordings of {self.side} cannot be used: {some}{more}"
            f"{'' if self.on_error == 'skip' else ' ' + advice}"
        )

    def notices(self, count: int) -> tuple[Notice, ...]:
        if not self.reasons:
            return ()
        told = {"skipped": len(self.reasons), "count": count, "side": self.side, "first": self.reasons[0]}
        return (notice("recordings_skipped", **told),)


def grouped(items: Iterable[tuple[str, str]], most: int = 3) -> str:
    """What is said of whom, the most frequent first: "500 Hz (a, b, c and 7 more), 250 Hz (x)"."""
    names: dict[str, list[str]] = {}
    for name, value in items:
        names.setdefault(value, []).append(name)
    ranked = sorted(names, key=lambda value: -len(names[value]))
    parts = [
        f"{value} ({', '.join(names[value][:most])}"
        + (f" and {len(names[value]) - most:,} more" if len(names[value]) > most else "")
        + ")"
        for value in ranked[:6]
    ]
    return ", ".join(parts) + (f" and {len(ranked) - 6:,} others" if len(ranked) > 6 else "")


def natural(name: str) -> tuple[tuple[str, int], ...]:
    """Sorting key: numbers inside names by value (r2 before r10)."""
    parts = re.split(r"([0-9]+)", name)
    return tuple((part, len(part)) if at % 2 == 0 else ("", int(part[:300])) for at, part in enumerate(parts))


@dataclass(frozen=True)
class Found:
    """Files of a folder by suffix, in natural order, and counts of what was passed over."""

    files: dict[str, list[Path]]
    passed: Counter[str]

    def of(self, *suffixes: str) -> list[Path]:
        """Files with one of the suffixes."""
        several = [path for suffix in suffixes for path in self.files.get(suffix, ())]
        return sorted(several, key=lambda path: natural(str(path)))


def list_files(folder: Path, recursive: bool) -> Found:
    """The files of a folder, those of folders inside too where `recursive`; links to folders are not followed."""
    files: dict[str, list[Path]] = {}
    passed: Counter[str] = Counter()
    waiting = [folder]
    while waiting:
        place = waiting.pop()
        try:
            paths = sorted(place.iterdir(), key=lambda path: natural(path.name))
        except OSError as error:
            raise InputError(f"{shown(str(place), 200)} cannot be read: {error.strerror or error}.") from error
        for path in paths:
            if path.name.startswith("."):
                passed["hidden"] += 1
            elif path.is_dir():
                waiting += [path] if recursive and not path.is_symlink() else []
                passed["folders"] += not recursive
            elif path.is_file() or path.is_symlink():  # a link that leads nowhere is a recording that cannot be read
                files.setdefault(path.suffix.lower(), []).append(path)
            else:
                passed["neither files nor folders"] += 1
    return Found(files, +passed)


def name_of(path: Path) -> str:
    """What to call the set at a path: the file without its suffix, or the folder."""
    place = path if path.name.strip(".") else path.absolute().resolve()
    return (place.name if place.is_dir() else place.stem) or "recordings"


def cap(count: int, most: int | None, side: str) -> tuple[int, tuple[Notice, ...]]:
    """How many of `count` recordings are taken, and a note where some are left."""
    if most is None:
        return count, ()
    if isinstance(most, bool) or not isinstance(most, (int, np.integer)) or most < 1:
        raise InputError(f"max_samples={shown(repr(most))} given; a number of recordings above 0 is accepted.")
    if most >= count:
        return count, ()
    return int(most), (notice("recordings_capped", n=int(most), count=count, side=side),)
