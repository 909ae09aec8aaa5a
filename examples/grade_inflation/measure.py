"""Every pair graded by the seven scores, over several draws of its synthetic side."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import truegrade as tg
from grade_inflation.cases import Case
from truegrade.audit.scenario import matching
from truegrade.audit.suites import Suite, grade_inflation
from truegrade.density import SCORES
from truegrade.result.audit import ScenarioOutcome

RECORD = Path(__file__).with_name("sdmetrics.json")


@dataclass(frozen=True)
class Row:
    """One pair: every score's mean over the draws, the deviation of Eden's, and what real data get from real data."""

    key: str
    title: str
    draws: int
    means: dict[str, float]
    eden_sd: float | None
    ceiling: float

    @property
    def ratio(self) -> float:
        """Eden score in parts of its ceiling."""
        return self.means["eden_score"] / self.ceiling


def measure(pairs: Iterable[Case], draws: int) -> Iterator[Row]:
    """The rows, one after the other."""
    for case in pairs:
        first = tg.pair_scores(case.real, case.draw(0), bandwidth=case.bandwidth, intervals=False)
        ceiling = first["eden_score"].floor.value
        if case.fixed:
            yield Row(case.key, case.title, 1, {key: first[key].value for key in SCORES}, None, ceiling)
            continue
        found = tg.repeat_pair_scores(case.real, case.source, repeats=draws, size=case.size, bandwidth=case.bandwidth)
        means = {key: found[key].mean for key in SCORES}
        yield Row(case.key, case.title, draws, means, found["eden_score"].sd, ceiling)


def ladder(draws: int, quick: bool = False) -> ScenarioOutcome:
    """The scores on ladders from a high fit to a low fit, of the audit's suite grade-inflation."""
    scenario = matching(grade_inflation.SCENARIOS, grade_inflation.LADDER)
    suite = Suite("ladder", scenario.title, (scenario,), grade_inflation.CONVENTION)
    return tg.audit(suite=suite, repeats=draws, quick=quick)[scenario.key]


def recorded() -> dict[str, Any]:
    """What sdmetrics said of the first draw of each pair, with its version."""
    return json.loads(RECORD.read_text(encoding="utf-8"))
