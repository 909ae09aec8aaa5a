"""From findings to advice: the table metric x property, and which metrics together see most on this data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truegrade.audit.scenario import PROPERTIES
from truegrade.result.audit import Finding, Recommendation, ScenarioOutcome, Standing

LAWS = "built-in laws"
GIVEN = "your data"
SEES = ("noise", "dropping", "invention", "collapse", "copying", "separates")
"""Properties that a set of metrics has if one of them has."""
ROLES = {
    "fidelity": "whether the samples look real",
    "coverage": "whether everything is there",
    "distance": "how far apart the two laws are",
    "two-sample": "whether the two sets can be told apart",
    "classes": "whether classes are clear and balanced",
    "pairs": "whether pairs of columns fit",
    "copying": "whether samples are copies",
}
"""The question that each family answers."""
_OF_DAMAGE = (*SEES, "linear", "robust")
_ENOUGH = 0.5  # share of the criteria from which on a metric is said to have a property


def scope(outcome: ScenarioOutcome) -> str:
    """What a scenario speaks about: laws that are built in, the user's data, or the user's data in a feature space."""
    return LAWS if outcome.data == "law" else outcome.space or GIVEN


def standings(outcomes: Iterable[ScenarioOutcome]) -> tuple[Standing, ...]:
    """By metric, scope and property, how many criteria are passed of those that could be judged."""
    cells: dict[tuple[str, str, str], list[Finding]] = {}
    for outcome in outcomes:
        for finding in outcome.findings:
            if finding.passed is not None or _withheld(finding, outcome):
                cells.setdefault((finding.metric, scope(outcome), finding.property), []).append(finding)
    return tuple(_standing(*key, found) for key, found in cells.items())


def _withheld(finding: Finding, outcome: ScenarioOutcome) -> bool:
    """Whether a metric has no value just where it is damage that it is asked about: that is no excuse."""
    curve = outcome.curve(finding.metric)
    if not finding.expected or finding.property not in _OF_DAMAGE or curve is None or not curve.values:
        return False
    known = np.isfinite(np.concatenate(list(curve.values.values()), axis=1)).all(axis=1)
    return bool(known.any() and not known.all())


def _standing(metric: str, space: str, prop: str, found: Sequence[Finding]) -> Standing:
    expected = [finding for finding in found if finding.expected]
    judged = expected or found  # what is only described does not count against what is expected
    number = judged[0].number if len(judged) == 1 else None
    return Standing(
        metric=metric,
        space=space,
        property=prop,
        passed=sum(finding.passed is True for finding in judged),
        judged=len(judged),
        expected=bool(expected),
        number=number if number is not None and number >= 0.0 else None,  # less is what was to spare, no distance
    )


@dataclass(frozen=True)
class _Candidate:
    """A metric in a scope: by property the share of criteria that it passes, and which of them are expected of it."""

    metric: str
    space: str
    family: str
    share: Mapping[str, float]
    expected: frozenset[str]

    @property
    def merit(self) -> float:
        """The mean share over the properties that are expected of it, between 0 and 1."""
        return float(np.mean([self.share[prop] for prop in sorted(self.expected)])) if self.expected else 0.0

    @property
    def sees(self) -> tuple[str, ...]:
        """What it sees, whether or not that is expected of it."""
        return tuple(prop for prop in SEES if self.share.get(prop, 0.0) >= _ENOUGH)

    @property
    def worthy(self) -> bool:
        """Whether it has half of what is expected of it, and sees something of the damage that it is to see."""
        to_see = [prop for prop in SEES if prop in self.expected]
        return self.merit >= _ENOUGH and (not to_see or any(prop in self.sees for prop in to_see))

    def lacks(self, low: float, high: float) -> str:
        """What is expected of it and has a share from `low` to below `high`, as words."""
        return ", ".join(p for p in PROPERTIES if p in self.expected and low <= self.share[p] < high)


def recommend(found: Sequence[Standing], families: Mapping[str, str]) -> Recommendation | None:
    """One metric for each question that a family answers, and what these do not see, by a further one that does.

    For each family the metric, in the scope, that has most of what is expected of it; none that has less than half, or
    that sees nothing of what it is to see. A further one is one that the damage is expected to be seen by.
    families: of every metric. The user's data go before built-in laws. None where no metric is worth naming.
    """
    own = [s for s in found if s.space != LAWS] or list(found)
    tested = [prop for prop in SEES if any(s.property == prop for s in own)]
    candidates = _candidates(own, families)
    leaders = {family: _best([c for c in candidates if c.family == family]) for family in ROLES}
    chosen = [(best, ROLES[family]) for family, best in leaders.items() if best]
    for prop in tested:
        if chosen and not any(prop in c.sees for c, _ in chosen):
            more = _best([c for c in candidates if prop in c.sees and prop in c.expected])
            chosen += [(more, f"what the others do not see ({prop})")] if more else []
    return _told(chosen, tested) if chosen else None


def _candidates(found: Sequence[Standing], families: Mapping[str, str]) -> list[_Candidate]:
    mine: dict[tuple[str, str], list[Standing]] = {}
    for s in found:
        mine.setdefault((s.metric, s.space), []).append(s)
    return [
        _Candidate(
            metric,
            space,
            families[metric],
            {s.property: s.passed / s.judged for s in cells},
            frozenset(s.property for s in cells if s.expected),
        )
        for (metric, space), cells in mine.items()
    ]


def _best(candidates: Sequence[_Candidate]) -> _Candidate | None:
    """The one with most merit that is worth naming; of equal ones the one that sees most, then the first."""
    worthy = [c for c in candidates if c.worthy]
    return max(worthy, key=lambda c: (round(c.merit, 9), len(c.sees))) if worthy else None


def _told(chosen: Sequence[tuple[_Candidate, str]], tested: Sequence[str]) -> Recommendation:
    """The advice of metrics, each with what it is for."""
    several = len({c.space for c, _ in chosen}) > 1
    named = {f"{c.metric} in {c.space}" if several else c.metric: (c, purpose) for c, purpose in chosen}
    sees = {name: c.sees for name, (c, _) in named.items()}
    blind = tuple(prop for prop in tested if not any(prop in seen for seen in sees.values()))
    return Recommendation(tuple(named), sees, blind, tuple(_words(name, *one) for name, one in named.items()))


def _words(name: str, candidate: _Candidate, purpose: str) -> str:
    """For what a metric was chosen, and what it lacks."""
    told = f"{name}, for {purpose}: has {candidate.merit:.0%} of what is expected of it"
    lacking = (("not", candidate.lacks(0.0, _ENOUGH)), ("not in every check", candidate.lacks(_ENOUGH, 1.0)))
    return "; ".join([told, *(f"{how}: {what}" for how, what in lacking if what)]) + "."
