"""Score, Evaluation and Comparison: plain records of what was measured, and their JSON form.

Nothing here computes a metric or draws. A saved result can be shown again without the data.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from numpy.typing import NDArray

from truegrade import codec
from truegrade.errors import InputError, Notice, TruegradeError
from truegrade.hooks import render_text

SCHEMA = 1
T = TypeVar("T")
Status = Literal["ok", "undefined", "failed"]


class UnknownScore(InputError, KeyError):
    """A score or model that this result does not have."""

    def __str__(self) -> str:
        return str(self.args[0])


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """' Did you mean ...?' with the nearest known words, or an empty string."""
    close = difflib.get_close_matches(word, list(known), n=2, cutoff=0.6)
    return f" Did you mean {' or '.join(close)}?" if close else ""


class _Record:
    """Equality by content, arrays and NaN included: two records are equal if their JSON forms are."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _encode(self) == _encode(other)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Interval:
    """Where the value would lie with other samples of the same two laws, at confidence `level`."""

    low: float
    high: float
    level: float
    method: str


@dataclass(frozen=True)
class Reference:
    """The same metric of real against real: what a perfect model would get.

    n, m: the sizes it was measured at. scaled: whether it was carried from there to the sizes of the score.
    """

    value: float
    n: int
    m: int
    note: str
    scaled: bool = False


@dataclass(frozen=True)
class About:
    """What a reader must know of the metric to read its number (a copy of the metric's own record)."""

    family: str
    direction: str
    range: tuple[float, float]
    target: float | None
    formula: str
    reading: str
    reference: str


@dataclass(frozen=True, eq=False)
class Score(_Record):
    """One metric of one synthetic set.

    Attributes:
        key, title, about: which metric, and how to read it. `key` is unique in its evaluation.
        value: the number, None unless status is "ok". raw: before clipping to the range, where that was done.
        status: "ok", "undefined" (cannot be computed for this input) or "failed"; `reason` says why.
        interval, floor: None when there is none; `missing` then says why, by "interval" and "floor".
        per_sample: arrays by side, one entry per row of that side. per_group: values by label.
        details: further named numbers. parameters: of the metric. n_real, n_synthetic: sizes.
    """

    key: str
    title: str
    about: About
    value: float | None
    n_real: int
    n_synthetic: int
    raw: float | None = None
    status: Status = "ok"
    reason: str | None = None
    interval: Interval | None = None
    floor: Reference | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    per_sample: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    per_group: Mapping[str, float] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[Notice, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The score as strict JSON."""
        encoded: dict[str, Any] = _encode(self)
        return encoded

    @staticmethod
    def from_dict(record: Mapping[str, Any]) -> Score:
        """The inverse of `to_dict`."""
        values = {k: codec.decode(v) for k, v in record.items()}
        about = values["about"]
        values["about"] = codec.make(About, {**about, "range": tuple(about["range"])})
        values["interval"] = _maybe(Interval, values["interval"])
        values["floor"] = _maybe(Reference, values["floor"])
        values["warnings"] = tuple(codec.make(Notice, w) for w in values["warnings"])
        score = codec.make(Score, values)
        if (score.value is None) == (score.status == "ok"):
            raise ValueError(f"{score.key} has the status {score.status} and the value {score.value}")
        return score


@dataclass(frozen=True)
class SetFacts:
    """Which samples were graded."""

    name: str
    n: int
    d: int
    dtype: str
    fingerprint: str
    source: str


@dataclass(frozen=True)
class Provenance:
    """How the result was made. Only `created` (UTC) and `seconds` differ between two runs of one command."""

    versions: Mapping[str, str]
    seed: int
    threads: int | None
    created: str
    seconds: float


@dataclass(frozen=True, eq=False)
class Evaluation(_Record):
    """All scores of one synthetic set: `evaluation["clipped_density"].value`.

    notices: what is doubtful about the sets themselves; warnings of single scores are with the scores.
    plan: what the engine computed, in words.
    """

    scores: Mapping[str, Score]
    real: SetFacts
    synthetic: SetFacts
    provenance: Provenance
    holdout: SetFacts | None = None
    notices: tuple[Notice, ...] = ()
    plan: str = ""

    def __getitem__(self, key: str) -> Score:
        return _look_up(self.scores, key, "score")

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def __str__(self) -> str:
        return str(render_text(self))

    @property
    def failed(self) -> tuple[str, ...]:
        """Keys of the metrics that failed."""
        return tuple(k for k, s in self.scores.items() if s.status == "failed")

    def to_dict(self) -> dict[str, Any]:
        """The evaluation as strict JSON, with its schema version."""
        return {"schema": SCHEMA, "kind": "evaluation", **_encode(self)}

    @staticmethod
    def from_dict(record: Mapping[str, Any]) -> Evaluation:
        """The inverse of `to_dict`; InputError for another kind or an unknown schema version."""
        with _Reading(record, "evaluation") as values:
            return Evaluation(
                scores={k: Score.from_dict(v) for k, v in values["scores"].items()},
                real=codec.make(SetFacts, values["real"]),
                synthetic=codec.make(SetFacts, values["synthetic"]),
                provenance=codec.make(Provenance, codec.decode(values["provenance"])),
                holdout=_maybe(SetFacts, values["holdout"]),
                notices=tuple(codec.make(Notice, w) for w in values["notices"]),
                plan=values["plan"],
            )

    def to_json(self, path: str | os.PathLike[str]) -> Path:
        """Write the evaluation to a file, whole or not at all; missing folders are created."""
        return codec.write(path, codec.dumps(self.to_dict()))

    @staticmethod
    def from_json(path: str | os.PathLike[str]) -> Evaluation:
        """Read what `to_json` wrote."""
        return Evaluation.from_dict(codec.read(path))


@dataclass(frozen=True, eq=False)
class Comparison(_Record):
    """Several synthetic sets graded against the same real set: `comparison["model A"]["recall"].value`."""

    evaluations: Mapping[str, Evaluation]

    def __getitem__(self, name: str) -> Evaluation:
        return _look_up(self.evaluations, name, "model")

    def __iter__(self) -> Iterator[str]:
        return iter(self.evaluations)

    def __len__(self) -> int:
        return len(self.evaluations)

    def __str__(self) -> str:
        return str(render_text(self))

    def to_dict(self) -> dict[str, Any]:
        """The comparison as strict JSON, with its schema version."""
        models = {name: e.to_dict() for name, e in self.evaluations.items()}
        return {"schema": SCHEMA, "kind": "comparison", "evaluations": models}

    @staticmethod
    def from_dict(record: Mapping[str, Any]) -> Comparison:
        """The inverse of `to_dict`; InputError for another kind or an unknown schema version."""
        with _Reading(record, "comparison") as values:
            models = values["evaluations"]
            if not models:
                raise ValueError("it holds no evaluation")
            return Comparison({name: Evaluation.from_dict(e) for name, e in models.items()})

    def to_json(self, path: str | os.PathLike[str]) -> Path:
        """Write the comparison to a file, whole or not at all; missing folders are created."""
        return codec.write(path, codec.dumps(self.to_dict()))

    @staticmethod
    def from_json(path: str | os.PathLike[str]) -> Comparison:
        """Read what `to_json` wrote."""
        return Comparison.from_dict(codec.read(path))


def read_result(path: str | os.PathLike[str]) -> Evaluation | Comparison:
    """Whatever result a file holds."""
    record = codec.read(path)
    kind = Comparison if record.get("kind") == "comparison" else Evaluation
    return kind.from_dict(record)


class _Reading:
    """Checks a record's kind and schema version; what is malformed inside becomes one InputError."""

    def __init__(self, record: Mapping[str, Any], kind: str) -> None:
        self.record, self.kind = record, kind

    def __enter__(self) -> Mapping[str, Any]:
        if self.record.get("schema") != SCHEMA:
            raise InputError(
                f"This result has schema version {self.record.get('schema')!r}; version {SCHEMA} is read. "
                "Install the version that wrote it, or evaluate again."
            )
        if self.record.get("kind") != self.kind:
            raise InputError(f"This file holds {self.record.get('kind')!r}; {self.kind!r} was expected.")
        return self.record

    def __exit__(self, kind: type | None, error: BaseException | None, _: object) -> None:
        if isinstance(error, (KeyError, TypeError, AttributeError, ValueError)) and not isinstance(
            error, TruegradeError
        ):
            raise InputError(f"This {self.kind} is damaged ({type(error).__name__}: {error}).") from error


def _encode(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _encode(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(k): _encode(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_encode(v) for v in value]
    return codec.encode(value)


def _maybe(kind: type[Any], values: Mapping[str, Any] | None) -> Any:
    return None if values is None else codec.make(kind, values)


def _look_up(have: Mapping[str, T], key: str, what: str) -> T:
    if key not in have:
        raise UnknownScore(f"No {what} named {key!r}.{did_you_mean(key, have)} There are: {', '.join(have)}.")
    return have[key]


__all__ = [
    "SCHEMA",
    "About",
    "Comparison",
    "Evaluation",
    "Interval",
    "Provenance",
    "Reference",
    "Score",
    "SetFacts",
    "UnknownScore",
    "did_you_mean",
    "read_result",
]
