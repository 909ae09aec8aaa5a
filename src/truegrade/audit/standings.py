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
"""Properties that say what a metric sees; a set of metrics has them if one of them has."""
TRUSTED = ("linear", "bounded", "exact", "robust", "harmless", "efficient")
"""Properties that make a metric's value worth believing; every metric of a set should have them."""
_ENOUGH = 0.5  # share of the criteria from which on a metric is said to see something
_MOST = 6
_LEAST_GAIN = 0.1


def scope(outcome: ScenarioOutcome) -> str:
    """What a scenario speaks about: laws that are built in, the user's data, or the user's data in a feature space."""
    return LAWS if outcome.data == "law" else outcome.space or GIVEN


def standings(outcomes: Iterable[ScenarioOutcome]) -> tuple[Standing, ...]:
    """By metric, scope and property, how many criteria are passed of those that could be judged."""
    cells: dict[tuple[str, str, str], list[Finding]] = {}
    for outcome in outcomes:
        for finding in outcome.findings:
            if finding.passed is not None:
                cells.setdefault((finding.metric, scope(outcome), finding.property), []).append(finding)
    return tuple(_standing(*key, found) for key, found in cells.items())


def _standing(metric: str, space: str, prop: str, found: Sequence[Finding]) -> Standing:
    expected = [finding for finding in found if finding.expected]
    judged = expected or found  # what is only described does not count against what is expected
    return Standing(
        metric=metric,
        space=space,
        property=prop,
        passed=sum(finding.passed is True for finding in judged),
        judged=len(judged),
        expected=bool(expected),
        number=judged[0].number if len(judged) == 1 else None,
    )


@dataclass(frozen=True)
class _Candidate:
    """A metric in a scope: by property the share of criteria that it passes."""

    metric: str
    space: str
    share: Mapping[str, float]

    @property
    def trust(self) -> float:
        """How much of what makes a value believable it has, where that was tested; between 0 and 1."""
        known = [self.share[prop] for prop in TRUSTED if prop in self.share]
        return float(np.mean(known)) if known else 0.5

    def worth(self, prop: str) -> float:
        """What the metric is worth for one property."""
        seen = self.share.get(prop, 0.0)
        return seen * self.trust if seen >= _ENOUGH else 0.0


def recommend(found: Sequence[Standing]) -> Recommendation | None:
    """The metrics that together see most, each in the scope where it does best; None where nothing was seen.

    Greedy: the next metric is the one that adds most to what the set sees, each property counted by the best metric for
    it and weighed by how far that metric can be trusted. The user's data go before built-in laws.
    """
    own = [s for s in found if s.space != LAWS] or list(found)
    tested = [prop for prop in SEES if any(s.property == prop for s in own)]
    candidates, chosen = _candidates(own), list[_Candidate]()
    best = dict.fromkeys(tested, 0.0)
    while candidates and len(chosen) < _MOST:
        gains = [sum(max(c.worth(p) - best[p], 0.0) for p in tested) for c in candidates]
        at = int(np.argmax(gains))
        if gains[at] < _LEAST_GAIN:
            break
        chosen.append(candidates.pop(at))
        best = {p: max(best[p], chosen[-1].worth(p)) for p in tested}
    if not chosen:
        return None
    return _words(chosen, tested)


def _candidates(found: Sequence[Standing]) -> list[_Candidate]:
    shares: dict[tuple[str, str], dict[str, float]] = {}
    for s in found:
        shares.setdefault((s.metric, s.space), {})[s.property] = s.passed / s.judged
    return [_Candidate(metric, space, share) for (metric, space), share in shares.items()]


def _words(chosen: Sequence[_Candidate], tested: Sequence[str]) -> Recommendation:
    several = len({c.space for c in chosen}) > 1
    names = {id(c): f"{c.metric} in {c.space}" if several else c.metric for c in chosen}
    leader = {prop: _best(chosen, prop) for prop in tested}
    sees = {names[id(c)]: tuple(p for p in tested if leader[p] is c and c.worth(p) > 0) for c in chosen}
    sees = {name: mine for name, mine in sees.items() if mine}
    blind = tuple(prop for prop in tested if leader[prop].worth(prop) == 0)
    words = (f"{name}: {'; '.join(PROPERTIES[p] for p in mine)}." for name, mine in sees.items())  # type: ignore[index]
    return Recommendation(tuple(sees), sees, blind, tuple(words))


def _best(chosen: Sequence[_Candidate], prop: str) -> _Candidate:
    return max(chosen, key=lambda candidate: candidate.worth(prop))
