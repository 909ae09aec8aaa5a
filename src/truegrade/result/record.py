"""What all results share: equality by content, one JSON form with a schema version, look-up with suggestions."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self, TypeVar

from truegrade import codec
from truegrade.errors import InputError, TruegradeError
from truegrade.hooks import render_text, write_html, write_markdown

SCHEMA = 2
T = TypeVar("T")


class UnknownScore(InputError, KeyError):
    """A score or model that this result does not have."""

    def __str__(self) -> str:
        return str(self.args[0])


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """' Did you mean ...?' with the nearest known words, or an empty string."""
    close = difflib.get_close_matches(word, list(known), n=2, cutoff=0.6)
    return f" Did you mean {' or '.join(close)}?" if close else ""


def look_up(have: Mapping[str, T], key: str, what: str) -> T:
    """have[key], or an UnknownScore that says what there is."""
    if key not in have:
        raise UnknownScore(f"No {what} named {key!r}.{did_you_mean(key, have)} There are: {', '.join(have)}.")
    return have[key]


class Record:
    """Equality by content, arrays and NaN included: two records are equal if their JSON forms are."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and codec.encode(self) == codec.encode(other)

    __hash__ = None  # type: ignore[assignment]


class Saved(Record):
    """A result that can be a file of its own; `kind` is its name there."""

    kind: ClassVar[str]

    def to_dict(self) -> dict[str, Any]:
        """The result as strict JSON, with its schema version."""
        return {"schema": SCHEMA, "kind": self.kind, **codec.encode(self)}

    def to_json(self, path: str | os.PathLike[str]) -> Path:
        """Write the result to a file, whole or not at all; missing folders are created."""
        return codec.write(path, codec.dumps(self.to_dict()))

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`; InputError for another kind or an unknown schema version."""
        with Reading(record, cls.kind) as values:
            result: Self = codec.build(cls, values)
        return result

    @classmethod
    def from_json(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `to_json` wrote."""
        return cls.from_dict(codec.read(path))

    def __str__(self) -> str:
        return str(render_text(self))


class Reported(Saved):
    """A result of grading, of which there is a report."""

    def to_html(self, path: str | os.PathLike[str]) -> Path:
        """Write the report, one page that needs nothing else; MissingExtra without truegrade[report]."""
        written: Path = write_html(self, path)
        return written

    def to_markdown(self, path: str | os.PathLike[str]) -> Path:
        """Write the result as Markdown."""
        written: Path = write_markdown(self, path)
        return written


class Reading:
    """Checks a record's kind and schema version; what is malformed inside becomes one InputError."""

    def __init__(self, record: Mapping[str, Any], kind: str) -> None:
        self.record, self.kind = record, kind

    def __enter__(self) -> dict[str, Any]:
        if self.record.get("schema") != SCHEMA:
            raise InputError(
                f"This result has schema version {self.record.get('schema')!r}; version {SCHEMA} is read. "
                "Install the version that wrote it, or evaluate again."
            )
        if self.record.get("kind") != self.kind:
            raise InputError(f"This file holds {self.record.get('kind')!r}; {self.kind!r} was expected.")
        return {name: value for name, value in self.record.items() if name not in ("schema", "kind")}

    def __exit__(self, kind: type | None, error: BaseException | None, _: TracebackType | None) -> None:
        wrong = (KeyError, TypeError, AttributeError, ValueError, OverflowError)
        if isinstance(error, wrong) and not isinstance(error, TruegradeError):
            raise InputError(f"This {self.kind} is damaged ({type(error).__name__}: {error}).") from error
