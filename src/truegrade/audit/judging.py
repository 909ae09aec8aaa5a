"""From curves to findings: every criterion of a scenario, asked of every metric that it concerns."""

from __future__ import annotations

from truegrade.audit.scenario import Criterion, Ruling, Scenario, Seen
from truegrade.result.audit import Finding


def findings_of(scenario: Scenario, key: str, seen: Seen) -> tuple[list[Finding], tuple[float, ...] | None]:
    """What the criteria say of one metric, and the line that a good one follows, None where there is none.

    A criterion is asked of the metrics that it expects to pass; where it describes, of all others as well.
    """
    findings, desired = [], None
    for criterion in scenario.criteria:
        expected = criterion.expects(seen.info)
        if not expected and not criterion.describes:
            continue
        ruling = criterion.rule(seen)
        findings.append(_finding(key, criterion, ruling, expected))
        if expected and desired is None:
            desired = ruling.desired
    return findings, desired


def _finding(key: str, criterion: Criterion, ruling: Ruling, expected: bool) -> Finding:
    return Finding(
        metric=key,
        criterion=criterion.key,
        property=criterion.property,
        rule=criterion.rule.words,
        expected=expected,
        passed=None if ruling.passed is None else bool(ruling.passed),  # a bool of numpy's is not `True`
        reason=ruling.reason,
        word=ruling.word,
        number=None if ruling.number is None else float(ruling.number),
        tolerance=ruling.tolerance,
    )
