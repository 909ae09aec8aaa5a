"""Grade inflation in generative models (Nguyen et al. 2025): scores of pairs of columns that grade low fits too well.

grades: pass rules; ladders: from high to low fits, and other damage; alike: sets that share moments or outlines,
perfect models, the user's own pair; parameters: what the scores' parameters do.
"""

from __future__ import annotations

from collections.abc import Iterable

from truegrade.audit.scenario import Scenario
from truegrade.audit.suites.grade_inflation.alike import ALIKE
from truegrade.audit.suites.grade_inflation.ladders import INFLATION, LADDER, LADDERS
from truegrade.audit.suites.grade_inflation.parameters import PARAMETERS
from truegrade.metrics import FAMILIES, METRICS
from truegrade.metrics.base import Metric
from truegrade.result.audit import ScenarioOutcome

__all__ = ["CONVENTION", "LADDER", "SCENARIOS", "inflation"]

SCENARIOS: tuple[Scenario, ...] = (*LADDERS, *ALIKE, *PARAMETERS)
CONVENTION: dict[str, Metric] = {key: METRICS[key]() for key in FAMILIES["pairs"]}


def inflation(outcomes: Iterable[ScenarioOutcome]) -> tuple[tuple[str, float], ...]:
    """The metrics by grade inflation, the most inflated first: 0 for none, 1 for a score that grades every fit alike.

    From the scenario "inflation" of a report; metrics without a grade there are left out, and without that scenario
    nothing is left. See `grades.Deflated`.
    """
    found = {
        finding.metric: finding.number
        for outcome in outcomes
        if outcome.key == LADDER
        for finding in outcome.findings
        if finding.criterion == INFLATION.key and finding.number is not None
    }
    return tuple(sorted(found.items(), key=lambda item: -item[1]))
