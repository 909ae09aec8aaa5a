"""What has been measured so far, kept line by line in a file, so that an audit that was stopped goes on where it was.

A line a unit (one draw of one level), and of each metric its value, or why there is none. The first line says what the
audit is about; another one's journal is refused. A line that was cut off by a crash counts as not there.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from truegrade.codec import prepare_output
from truegrade.errors import InputError

_VERSION = 1


@dataclass(frozen=True)
class Measured:
    """One metric on one draw. seconds: what it took alone, where that was measured."""

    value: float | None
    reason: str | None = None
    seconds: float | None = None


@dataclass
class Journal:
    """Units by name, and in each the metrics by name. path: the file that is added to, None keeps them in memory."""

    path: Path | None = None
    units: dict[str, dict[str, Measured]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, unit: str) -> Mapping[str, Measured]:
        """What is known of a unit."""
        return self.units.get(unit, {})

    def put(self, unit: str, found: Mapping[str, Measured]) -> None:
        """Keep what was found, in the file at once."""
        with self._lock:
            self.units.setdefault(unit, {}).update(found)
            if self.path is not None:
                line = {"unit": unit, "metrics": {key: _packed(one) for key, one in found.items()}}
                with open(self.path, "a", encoding="utf-8") as file:
                    file.write(json.dumps(line, allow_nan=False) + "\n")


def open_journal(path: str | os.PathLike[str] | None, about: Mapping[str, Any]) -> Journal:
    """A journal in a file, begun or gone on with; in memory without one.

    Raises InputError where the file cannot be written, is no journal, or is about other data, another seed or version.
    """
    if path is None:
        return Journal()
    place = prepare_output(path)
    head = {"truegrade audit journal": _VERSION, **about}
    if not place.exists() or place.stat().st_size == 0:
        place.write_text(json.dumps(head) + "\n", encoding="utf-8")
        return Journal(place)
    lines = _lines(place)
    _check_head(place, next(iter(lines), ""), head)
    journal = Journal(place)
    for line in lines[1:]:
        _take(journal, line)
    if not place.read_bytes().endswith(b"\n"):  # what follows must not be glued to a line that was cut off
        with open(place, "a", encoding="utf-8") as file:
            file.write("\n")
    return journal


def _lines(place: Path) -> list[str]:
    try:
        return place.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise InputError(f"{place} cannot be read: {error.strerror or error}.") from error


def _check_head(place: Path, line: str, head: Mapping[str, Any]) -> None:
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    if not isinstance(found, dict) or "truegrade audit journal" not in found:
        raise InputError(f"{place} exists and is no journal of an audit; give the name of a new file, or of a journal.")
    wanted = json.loads(json.dumps(head))
    differ = [key for key in wanted if found.get(key) != wanted[key]]
    if differ:
        told = "; ".join(f"{key} {found.get(key)!r} there, {wanted[key]!r} now" for key in differ)
        raise InputError(f"{place} is the journal of another audit ({told}). Give another file, or the same settings.")


def _take(journal: Journal, line: str) -> None:
    """One line of the file; one that is damaged was never finished, and is measured again."""
    try:
        record = json.loads(line)
        found = {str(key): _unpacked(one) for key, one in record["metrics"].items()}
        journal.units.setdefault(str(record["unit"]), {}).update(found)
    except (ValueError, KeyError, TypeError, AttributeError):
        return


def _packed(one: Measured) -> list[Any]:
    return [one.value, one.reason, one.seconds]


def _unpacked(one: list[Any]) -> Measured:
    """The inverse; TypeError or ValueError for what was not written by it."""
    value, reason, seconds = one
    numbers = [None if number is None else float(number) for number in (value, seconds)]
    return Measured(numbers[0], None if reason is None else str(reason), numbers[1])
