"""AuditReport: what metrics did under controlled damage, and what was made of it. Plain records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from truegrade.result.evaluation import Provenance
from truegrade.result.record import Record, Reported, look_up


@dataclass(frozen=True)
class AuditedMetric:
    """A metric that was audited. key: unique here, with what sets it apart from others of its class."""

    key: str
    title: str
    family: str
    direction: str
    range: tuple[float, float]
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Finding:
    """What one criterion says of one metric in one scenario.

    passed: None where it cannot be said. expected: whether a good metric of this kind passes; what is not expected is
    described, not blamed. word: what the published table calls it instead of pass or fail ("low", "high"). number:
    how far off, or from where on, see `reason`; tolerance: in the same unit.
    """

    metric: str
    criterion: str
    property: str
    rule: str
    expected: bool
    passed: bool | None
    reason: str
    word: str | None = None
    number: float | None = None
    tolerance: float | None = None


@dataclass(frozen=True, eq=False)
class AuditCurve(Record):
    """Values of one metric: by arm, levels x repeats, NaN where undefined. desired: the line of a good metric, where
    there is one. seconds: by level what this metric alone takes, where that was measured."""

    metric: str
    values: Mapping[str, NDArray[np.float64]]
    desired: tuple[float, ...] | None = None
    reasons: tuple[str, ...] = ()
    seconds: tuple[float, ...] | None = None


@dataclass(frozen=True)
class ScenarioOutcome:
    """One scenario as it was run. space: feature space of the data, "" of laws and of vectors as given. skipped: why it
    was not run, None if it was."""

    key: str
    title: str
    suite: str
    question: str
    source: str
    axis: str
    levels: tuple[float, ...]
    labels: tuple[str, ...]
    log: bool
    reference: float | None
    data: str
    space: str
    n: int
    d: int
    repeats: int
    curves: tuple[AuditCurve, ...] = ()
    findings: tuple[Finding, ...] = ()
    skipped: str | None = None

    @property
    def name(self) -> str:
        """Unique in a report."""
        return f"{self.key} in {self.space}" if self.space else self.key

    def curve(self, metric: str) -> AuditCurve | None:
        """The curve of a metric, None where it has none here."""
        return next((c for c in self.curves if c.metric == metric), None)


@dataclass(frozen=True)
class Standing:
    """One cell of the table of properties: how many of the criteria that look at it a metric passes.

    expected: whether any of them is expected of it. number: of a single criterion, its number.
    """

    metric: str
    space: str
    property: str
    passed: int
    judged: int
    expected: bool
    number: float | None = None


@dataclass(frozen=True)
class Recommendation:
    """Metrics that together see what was tested on this data. sees: by metric what it was chosen for; open: properties
    that no audited metric has here. words: one sentence each."""

    metrics: tuple[str, ...]
    sees: Mapping[str, tuple[str, ...]]
    open: tuple[str, ...]
    words: tuple[str, ...]


@dataclass(frozen=True)
class PublishedAgreement:
    """How many published cells of one metric are the same here, and those that are not: (cell, published, ours)."""

    metric: str
    source: str
    agreed: int
    cells: int
    differ: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, eq=False)
class AuditReport(Reported):
    """What an audit found. settings: suites, sizes, quick, seed, as they were asked for. data: the user's samples, or
    the law in their place."""

    kind: ClassVar[str] = "audit"

    metrics: tuple[AuditedMetric, ...]
    scenarios: tuple[ScenarioOutcome, ...]
    standings: tuple[Standing, ...]
    recommendation: Recommendation | None
    agreement: tuple[PublishedAgreement, ...]
    data: Mapping[str, Any]
    settings: Mapping[str, Any]
    provenance: Provenance

    def __getitem__(self, name: str) -> ScenarioOutcome:
        """A scenario by its key, or by its name where it ran in several spaces."""
        known = {s.key: s for s in reversed(self.scenarios)} | {s.name: s for s in self.scenarios}
        return look_up(known, name, "scenario")

    @property
    def blamed(self) -> tuple[tuple[ScenarioOutcome, Finding], ...]:
        """What a good metric passes and one of these does not."""
        return tuple((s, f) for s in self.scenarios for f in s.findings if f.expected and f.passed is False)


def lost(before: AuditReport, now: AuditReport) -> tuple[str, ...]:
    """What a good metric passes, was passed before, and is failed now: or is undefined or skipped: one line each. Only
    scenarios and metrics that both have count."""
    passed = {_place(s, f) for s in before.scenarios for f in s.findings if f.expected and f.passed}
    failed = [(s, f) for s in now.scenarios for f in s.findings if not f.passed and _place(s, f) in passed]
    told = [f"{f.metric} fails {s.title}, {f.criterion}: {f.reason}" for s, f in failed]
    skipped = [s for s in now.scenarios if s.skipped is not None and s.name in {name for name, _, _ in passed}]
    return (*told, *(f"{s.title} is not run any more: {s.skipped}" for s in skipped))


def _place(scenario: ScenarioOutcome, finding: Finding) -> tuple[str, str, str]:
    return scenario.name, finding.criterion, finding.metric
