"""Evaluation: all scores of one synthetic set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from truegrade.errors import Notice
from truegrade.result.ecg import EcgGrades
from truegrade.result.exhibits import Exhibits
from truegrade.result.record import Reported, look_up
from truegrade.result.score import Score
from truegrade.result.table import TableGrades
from truegrade.space import Space


@dataclass(frozen=True)
class SetFacts:
    """Which samples were graded. space: what made their vectors of images, and which images, or None."""

    name: str
    n: int
    d: int
    dtype: str
    fingerprint: str
    source: str
    space: Space | None = None


@dataclass(frozen=True)
class Provenance:
    """How the result was made. Only `created` (UTC) and `seconds` differ between two runs of one command.

    protocol: the protocol that was followed, with all its settings, as plain values; None where there was none.
    """

    versions: Mapping[str, str]
    seed: int
    threads: int | None
    created: str
    seconds: float
    protocol: Mapping[str, Any] | None = None


@dataclass(frozen=True, eq=False)
class Evaluation(Reported):
    """All scores of one synthetic set: `evaluation["clipped_density"].value`.

    notices: what is doubtful about the sets themselves; warnings of single scores are with the scores.
    plan: what the engine computed, in words. exhibits: samples worth looking at, for the report.
    table: of tables, what is known beyond the scores of whole rows; its summary numbers are among the scores too.
    ecg: of ECG recordings, what is known beyond the scores of their features; likewise.
    """

    kind: ClassVar[str] = "evaluation"

    scores: Mapping[str, Score]
    real: SetFacts
    synthetic: SetFacts
    provenance: Provenance
    holdout: SetFacts | None = None
    notices: tuple[Notice, ...] = ()
    plan: str = ""
    exhibits: Exhibits | None = None
    table: TableGrades | None = None
    ecg: EcgGrades | None = None

    def __getitem__(self, key: str) -> Score:
        return look_up(self.scores, key, "score")

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def failed(self) -> tuple[str, ...]:
        """Keys of the metrics that failed."""
        return tuple(k for k, s in self.scores.items() if s.status == "failed")
