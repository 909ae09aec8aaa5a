"""The table of an audit, metric x property, advice and agreement, as plain dicts.

tables: [{"title", "families": [{"title", "rows": [{"metric", "cells": [cell]}]}]}], one for each scope, with a cell for
each property, {"state", "text", "number", "failed"}. state: "" not tested; "yes", "partly", "no" of what a good metric
of its kind does (the latter two are to be blamed); "has", "some", "lacks" of what is only described.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from truegrade.audit.scenario import PROPERTIES
from truegrade.report.summary.audit_words import LAWS, Names, property_words, scope_title, short
from truegrade.result.audit import AuditReport, PublishedAgreement, ScenarioOutcome, Standing

FAMILIES = {
    "fidelity": "Fidelity",
    "coverage": "Coverage",
    "distance": "Distances",
    "classes": "Class probabilities",
    "two-sample": "Telling the sets apart",
    "pairs": "Pairs of columns",
    "table": "Tables",
    "ecg": "ECG recordings",
    "copying": "Copying",
}
BLAMED = ("partly", "no")
"""States of a cell that say that a good metric does what this one does not."""


def properties(report: AuditReport) -> list[dict[str, Any]]:
    """[{"key", "words", "tested"}], in the order of the columns; those of a later version last."""
    tested = {s.property for s in report.standings}
    keys = [*PROPERTIES, *(p for p in dict.fromkeys(s.property for s in report.standings) if p not in PROPERTIES)]
    return [{"key": key, "words": property_words(key), "tested": key in tested} for key in keys]


def tables(report: AuditReport, names: Names) -> list[dict[str, Any]]:
    """The table of every scope, the user's data before built-in laws."""
    scopes = list(dict.fromkeys(s.space for s in report.standings))
    law = bool(report.data.get("law"))
    missed = _missed(report)
    return [
        {"title": scope_title(scope, law), "families": _families(report, scope, names, missed)}
        for scope in sorted(scopes, key=lambda scope: scope == LAWS)
    ]


def filled(table: Mapping[str, Any]) -> list[int]:
    """The columns of a table in which something was tested."""
    rows = [row["cells"] for family in table["families"] for row in family["rows"]]
    return [at for at in range(len(rows[0])) if any(cells[at]["state"] for cells in rows)] if rows else []


def _families(
    report: AuditReport, scope: str, names: Names, missed: dict[tuple[str, str, str], list[str]]
) -> list[dict[str, Any]]:
    have = {(s.metric, s.property): s for s in report.standings if s.space == scope}
    shown = {metric for metric, _ in have}
    columns = [one["key"] for one in properties(report)]
    found = []
    for family, keys in by_family(report, shown).items():
        rows = [
            {
                "metric": key,
                "name": names.of(key),
                "cells": [_cell(have.get((key, p)), missed.get((key, scope, p), [])) for p in columns],
            }
            for key in keys
        ]
        found.append({"title": FAMILIES.get(family, family), "rows": rows})
    return found


def by_family(report: AuditReport, keys: set[str]) -> dict[str, list[str]]:
    """Of these metrics the keys by family, families in the order of a report."""
    found: dict[str, list[str]] = {family: [] for family in FAMILIES}
    for metric in report.metrics:
        if metric.key in keys:
            found.setdefault(metric.family, []).append(metric.key)
    known = {metric.key for metric in report.metrics}
    if strangers := sorted(keys - known):
        found["of which only findings are known"] = strangers
    return {family: mine for family, mine in found.items() if mine}


def _cell(found: Standing | None, failed: Sequence[str]) -> dict[str, Any]:
    if found is None:
        return {"state": "", "text": "", "number": "", "failed": []}
    part = "all" if found.passed == found.judged else "some" if found.passed else "none"
    states = ("yes", "partly", "no") if found.expected else ("has", "some", "lacks")
    words = {"all": "yes", "some": f"{found.passed} of {found.judged}", "none": "no"}
    return {
        "state": dict(zip(words, states, strict=True))[part],
        "text": words[part],
        "number": short(found.number),
        "failed": list(failed) if found.expected else [],
    }


def _missed(report: AuditReport) -> dict[tuple[str, str, str], list[str]]:
    """By metric, scope and property the scenarios in which something expected was failed."""
    from truegrade.audit.standings import scope

    found: dict[tuple[str, str, str], list[str]] = {}
    for outcome, finding in report.blamed:
        titles = found.setdefault((finding.metric, scope(outcome), finding.property), [])
        if outcome.title not in titles:
            titles.append(outcome.title)
    return found


def advice(report: AuditReport, names: Names) -> dict[str, Any]:
    """{"basis", "rows": [{"metric", "name", "space", "why", "sees"}], "open", "untested"}; no rows without advice."""
    found, law = report.recommendation, bool(report.data.get("law"))
    spaces = {s.space for s in report.standings}
    basis = "" if not spaces else "built-in laws" if spaces == {LAWS} else "built-in samples" if law else "your data"
    rows = []
    for at, name in enumerate(found.metrics) if found else ():
        key, space = names.split(name)
        why = found.words[at].removeprefix(name).lstrip(",: ") if found and at < len(found.words) else ""
        sees = [property_words(p) for p in found.sees.get(name, ())] if found else []
        rows.append({"metric": key, "name": names.of(key), "space": space, "why": why, "sees": sees})
    untested = [one["words"] for one in properties(report) if not one["tested"]]
    blind = [property_words(p) for p in found.open] if found else []
    return {"basis": basis, "rows": rows, "open": blind, "untested": untested}


def agreement(report: AuditReport, names: Names) -> list[dict[str, Any]]:
    """[{"source", "rows": [{"metric", "agreed", "cells", "share", "differ": [{"cell", "published", "ours"}]}]}]"""
    found: dict[str, list[dict[str, Any]]] = {}
    for one in report.agreement:
        found.setdefault(one.source, []).append(_agreed(one, names))
    return [{"source": source, "rows": rows} for source, rows in found.items()]


def _agreed(one: PublishedAgreement, names: Names) -> dict[str, Any]:
    return {
        "metric": one.metric,
        "name": names.of(one.metric),
        "agreed": one.agreed,
        "cells": one.cells,
        "share": f"{_percent(one.agreed, one.cells)} %" if one.cells else "",
        "differ": [{"cell": cell, "published": theirs, "ours": ours} for cell, theirs, ours in one.differ],
    }


def _percent(part: int, whole: int) -> int:
    """Rounded down, so that 100 is all."""
    return 100 * part // whole


def skipped(outcomes: Sequence[ScenarioOutcome]) -> list[dict[str, Any]]:
    """[{"title", "suite", "space", "reason"}] of what was not run."""
    return [
        {"title": s.title, "suite": s.suite, "space": s.space, "reason": s.skipped}
        for s in outcomes
        if s.skipped is not None
    ]
