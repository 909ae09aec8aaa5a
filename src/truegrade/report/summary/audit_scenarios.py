"""The scenarios of an audit as plain dicts: what was asked, curves with their scales, findings.

suites: [{"key", "words", "failed", "scenarios": [scenario]}]. A scenario has "anchor", "title", "suite", "question",
"facts", "asks" (its rules), "across" (the axis), "families" of curves, "arms" (empty where there is one), "findings",
"counts" of their states.
Curves are means over repeats with the smallest and the largest value, None where no repeat has one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.report.summary.audit_table import FAMILIES, by_family
from truegrade.report.summary.audit_words import Names, property_words, short, tick
from truegrade.report.words import counted
from truegrade.result.audit import AuditCurve, AuditedMetric, AuditReport, Finding, ScenarioOutcome

Floats = NDArray[np.float64]
_CHEAP = "cheap"
_FEW = 4  # metrics of a family that has no row of panels of its own
_ORDER = {"fails": 0, "unknown": 1, "passes": 2, "lacks": 3, "has": 4, "unsaid": 5}


def suites(report: AuditReport, names: Names) -> list[dict[str, Any]]:
    """All scenarios that were run, by suite."""
    found: dict[str, list[dict[str, Any]]] = {}
    for at, outcome in enumerate(report.scenarios):
        if outcome.skipped is None:
            found.setdefault(outcome.suite, []).append(_scenario(report, outcome, names, f"m-s{at}"))
    return [
        {
            "key": key,
            "words": _suite_words(key),
            "failed": sum(s["counts"]["fails"] for s in scenarios),
            "scenarios": scenarios,
        }
        for key, scenarios in found.items()
    ]


def _suite_words(key: str) -> str:
    """What a suite of ours is about; nothing of a user's."""
    from truegrade.audit.suites import SUITES  # all scenarios are imported with it

    return SUITES[key].words if key in SUITES else ""


def _scenario(report: AuditReport, outcome: ScenarioOutcome, names: Names, anchor: str) -> dict[str, Any]:
    rows = [_finding(f, names) for f in outcome.findings]
    rows.sort(key=lambda row: _ORDER[row["state"]])
    timed = bool(outcome.findings) and {f.property for f in outcome.findings} == {_CHEAP}
    curves = {c.metric: c for c in outcome.curves}
    arms = list(dict.fromkeys(arm for c in outcome.curves for arm in c.values))
    return {
        "anchor": anchor,
        "title": outcome.title,
        "suite": outcome.suite,
        "space": outcome.space,
        "question": outcome.question,
        "source": outcome.source,
        "facts": _facts(outcome),
        "asks": list(_asks(report, outcome)),
        "across": _across(outcome),
        "timed": timed,
        "arms": arms if len(arms) > 1 and not timed else [],
        "repeats": outcome.repeats,
        "families": list(_families(report, outcome, curves, timed, names)),
        "findings": rows,
        "counts": {state: sum(row["state"] == state for row in rows) for state in _ORDER},
        "lacking": list(_lacking(outcome, names)),
    }


def _facts(outcome: ScenarioOutcome) -> list[str]:
    inside = f" in {outcome.space}" if outcome.space else ""
    on = "On a built-in law" if outcome.data == "law" else f"On the real samples{inside}"
    sizes = f"{outcome.n:,} real samples" if outcome.n else ""
    dimensions = counted(outcome.d, "feature") if outcome.d else ""
    levels = counted(len(outcome.levels), "level")
    return [fact for fact in (on, sizes, dimensions, levels, counted(outcome.repeats, "repeat")) if fact]


def _asks(report: AuditReport, outcome: ScenarioOutcome) -> Iterator[dict[str, Any]]:
    """Every rule once, with whom it was asked of and how many passed."""
    families = {m.key: _inside(FAMILIES.get(m.family, m.family)) for m in report.metrics}
    for rule in dict.fromkeys((f.property, f.criterion, f.rule) for f in outcome.findings):
        mine = [f for f in outcome.findings if (f.property, f.criterion, f.rule) == rule]
        asked = [f for f in mine if f.expected]
        yield {
            "property": rule[0],
            "words": rule[2],
            "means": property_words(rule[0]),
            "of": list(dict.fromkeys(families.get(f.metric, f.metric) for f in asked)),
            "asked": len(asked),
            "passed": sum(f.passed is True for f in asked),
            "others": len(mine) - len(asked),
            "others_passed": sum(f.passed is True for f in mine if not f.expected),
        }


def _inside(title: str) -> str:
    """A title within a sentence."""
    return title if title[:2].isupper() else title[:1].lower() + title[1:]


def _state(finding: Finding) -> str:
    if finding.passed is None:
        return "unknown" if finding.expected else "unsaid"
    if finding.expected:
        return "passes" if finding.passed else "fails"
    return "has" if finding.passed else "lacks"


def _finding(finding: Finding, names: Names) -> dict[str, Any]:
    return {
        "metric": finding.metric,
        "name": names.of(finding.metric),
        "criterion": finding.criterion,
        "property": finding.property,
        "state": _state(finding),
        "word": finding.word or "",
        "reason": finding.reason,
        "number": short(finding.number),
        "tolerance": short(finding.tolerance),
    }


def _lacking(outcome: ScenarioOutcome, names: Names) -> Iterator[dict[str, Any]]:
    """Why metrics have no values, the first reason of each."""
    for curve in outcome.curves:
        if curve.reasons:
            reasons = list(dict.fromkeys(curve.reasons))
            yield {"metric": curve.metric, "name": names.of(curve.metric), "reason": reasons[0]}


# --- curves ------------------------------------------------------------------------------------------------


def _across(outcome: ScenarioOutcome) -> dict[str, Any]:
    """The axis: name, where the levels lie from 0 to 1, what they are called."""
    levels = [short(level) for level in outcome.levels]
    names = list(outcome.labels) if len(outcome.labels) == len(levels) else []
    at = _even(len(levels)) if names else _places(outcome.levels, outcome.log)
    reference = None
    if outcome.reference is not None and outcome.reference in outcome.levels and not names:
        reference = at[outcome.levels.index(outcome.reference)]
    told = {"name": outcome.axis, "at": at, "levels": levels, "names": names}
    return told | {"log": outcome.log and not names, "reference": reference}


def _even(count: int) -> list[float]:
    return [0.5] if count == 1 else [round(i / (count - 1), 4) for i in range(count)]


def _places(levels: Sequence[float], log: bool) -> list[float]:
    """Levels from 0 to 1. On a logarithmic axis what is not positive lies a step before the rest."""
    values = np.asarray(levels, np.float64)
    if log:
        positive = values > 0
        logs = np.log(values, where=positive, out=np.zeros_like(values))
        known = np.unique(logs[positive])
        step = float(np.diff(known).min()) if len(known) > 1 else 1.0
        values = np.where(positive, logs, (known.min() if len(known) else 0.0) - step)
    span = float(np.ptp(values)) if len(values) else 0.0
    if not span > 0 or not math.isfinite(span):
        return _even(len(levels))
    return [round(float(v), 4) for v in (values - values.min()) / span]


def _families(
    report: AuditReport, outcome: ScenarioOutcome, curves: Mapping[str, AuditCurve], timed: bool, names: Names
) -> Iterator[dict[str, Any]]:
    known = {m.key: m for m in report.metrics}
    states: dict[str, set[str]] = {}
    for finding in outcome.findings:
        states.setdefault(finding.metric, set()).add(_state(finding))
    for title, keys in _joined(by_family(report, set(curves))).items():
        panels = [
            {
                "metric": key,
                "name": names.of(key),
                "state": min(states.get(key, {"unsaid"}), key=_ORDER.__getitem__),
                **(_seconds(curves[key]) if timed else _curve(curves[key], known.get(key), len(outcome.levels))),
            }
            for key in keys
        ]
        yield {"title": title, "panels": panels}


def _joined(families: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Families by their titles, those of few metrics together."""
    few = [family for family, keys in families.items() if len(keys) < _FEW]
    titles = {family: FAMILIES.get(family, family) for family in families}
    if len(few) < 2:
        return {titles[family]: keys for family, keys in families.items()}
    found = {titles[family]: keys for family, keys in families.items() if family not in few}
    return found | {"; ".join(titles[f] for f in few): [key for f in few for key in families[f]]}


def _curve(curve: AuditCurve, metric: AuditedMetric | None, levels: int) -> dict[str, Any]:
    arms = [{"name": name, **_bands(values)} for name, values in curve.values.items()]
    desired = _digits(curve.desired) if curve.desired is not None and len(curve.desired) == levels else None
    return {"arms": arms, "desired": desired, **_scale(arms, desired, _bounds(metric))}


def _bounds(metric: AuditedMetric | None) -> tuple[float, float]:
    """The range of a metric; of distances, which have no unit even where they are bounded, only the 0."""
    if metric is None:
        return -math.inf, math.inf
    low, high = metric.range
    return (0.0 if low == 0 else -math.inf, math.inf) if metric.family == "distance" else (low, high)


def _seconds(curve: AuditCurve) -> dict[str, Any]:
    """What the metric takes, in place of its values."""
    taken = np.asarray(curve.seconds if curve.seconds is not None else (), np.float64)[:, None]
    arms = [{"name": "seconds", **_bands(taken)}]
    return {"arms": arms, "desired": None, **_scale(arms, None, (0.0, math.inf))}


def _bands(values: Floats) -> dict[str, Any]:
    """Mean, smallest and largest of the repeats that have a value, by level; and where some have none."""
    values = np.asarray(values, np.float64)
    finite = np.isfinite(values)
    some = finite.any(axis=1)
    held = np.where(finite, values, 0.0)
    count = np.maximum(finite.sum(axis=1), 1)
    mean = np.where(some, (held / count[:, None]).sum(axis=1), np.nan)  # divided first: large values must not overflow
    low = np.where(some, np.where(finite, values, np.inf).min(axis=1, initial=np.inf), np.nan)
    high = np.where(some, np.where(finite, values, -np.inf).max(axis=1, initial=-np.inf), np.nan)
    return {
        "mean": _digits(mean),
        "low": _digits(low),
        "high": _digits(high),
        "lacking": np.flatnonzero(~finite.all(axis=1)).tolist(),
    }


def _digits(values: Sequence[float] | Floats) -> list[float | None]:
    """Four digits: more than a drawing shows."""
    return [float(f"{v:.4g}") if math.isfinite(v) else None for v in map(float, values)]


def _scale(
    arms: Sequence[Mapping[str, Any]], desired: Sequence[float | None] | None, bounds: tuple[float, float]
) -> dict[str, Any]:
    """The ends of the scale: those of the metric where it has them, else of the values; values beyond are included."""
    seen = [v for arm in arms for key in ("low", "high") for v in arm[key] if v is not None]
    seen += [v for v in desired or () if v is not None]
    low, high = (min(seen), max(seen)) if seen else (0.0, 1.0)
    room = 0.05 * (high - low) or 0.05 * abs(high) or 0.5
    ends = (
        min(bounds[0], low) if math.isfinite(bounds[0]) else low - room,
        max(bounds[1], high) if math.isfinite(bounds[1]) else high + room,
    )
    if not ends[0] < ends[1] or not math.isfinite(ends[1] - ends[0]):
        ends = (low, low + (abs(low) or 1.0))
    return {"bottom": ends[0], "top": ends[1], "ticks": [tick(ends[0]), tick(ends[1])]}
