"""The verdicts as one table: for the terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from empirical_study.study import HIGHER_IS_BETTER, NAMES
from truegrade.audit.suites.study_2018.paper import claim_of
from truegrade.result.audit import AuditReport, Finding, ScenarioOutcome

COLUMNS = {
    "study-generated": "generated",
    "study-foreign": "foreign",
    "study-collapse": "collapse",
    "study-drop": "drop",
    "study-shift": "shift",
    "study-turn": "turn",
    "study-blur": "blur",
    "study-copies": "copies",
    "study-samples": "samples",
    "study-time": "time",
}
"""Scenarios, and how their columns are called."""
OTHERWISE = "≠"
"""Stands behind a verdict that is not the paper's."""
Row = list[str]
_LONGEST = 80  # characters of a cell


def outcomes(report: AuditReport) -> list[ScenarioOutcome]:
    """The scenarios that were run, in the order of the columns."""
    return sorted((s for s in report.scenarios if s.skipped is None and s.key in COLUMNS), key=_place)


def spaces(report: AuditReport) -> list[str]:
    """The feature spaces, in the order asked for."""
    return list(dict.fromkeys(s.space for s in report.scenarios))


def findings(report: AuditReport) -> dict[tuple[str, str, str], Finding]:
    """By space, metric and scenario what was found, where anything could be."""
    return {
        (outcome.space, finding.metric, outcome.key): finding
        for outcome in outcomes(report)
        for finding in outcome.findings
        if finding.passed is not None
    }


def study_table(report: AuditReport) -> tuple[Row, list[Row]]:
    """Header and rows: one row a space and metric that has values there."""
    keys = list(dict.fromkeys(outcome.key for outcome in outcomes(report)))
    found, rows = findings(report), []
    for space in spaces(report):
        for metric in NAMES:
            judged = {key: found[space, metric, key] for key in keys if (space, metric, key) in found}
            if judged:
                passed = f"{sum(finding.passed is True for finding in judged.values())}/{len(judged)}"
                cells = [_cell(space, metric, key, judged.get(key)) for key in keys]
                rows.append([space, NAMES[metric], *cells, passed])
    return ["space", "metric", *(COLUMNS[key] for key in keys), "passes"], rows


def differs(space: str, metric: str, key: str, finding: Finding) -> bool:
    """Whether the paper says otherwise."""
    claim = claim_of(metric, key, space)
    return claim is not None and claim.passes is not finding.passed


def _cell(space: str, metric: str, key: str, finding: Finding | None) -> str:
    if finding is None:
        return "none"
    digits = ".0f" if key == "study-samples" else ".3g"
    number = "" if finding.number is None else f" {finding.number:{digits}}"
    other = f" {OTHERWISE}" if differs(space, metric, key, finding) else ""
    return f"{'yes' if finding.passed else 'no'}{number}{other}"


def _place(outcome: ScenarioOutcome) -> int:
    return list(COLUMNS).index(outcome.key)


def ladder_table(ladder: Mapping[str, Any]) -> tuple[Row, list[Row]]:
    """Header and rows: one row a set, one column a metric."""
    sets: Mapping[str, Mapping[str, float | None]] = ladder["scores"]
    keys = list(next(iter(sets.values())))
    rows = [[name, *("none" if row[key] is None else f"{row[key]:.4g}" for key in keys)] for name, row in sets.items()]
    return ["set", *(f"{NAMES[key]} {'↑' if key in HIGHER_IS_BETTER else '↓'}" for key in keys)], rows


def plain(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """In columns, for a terminal; a first cell that repeats the one above is left out."""
    rows = [[" ".join(c.split())[:_LONGEST] if c.isprintable() else repr(c)[:_LONGEST] for c in row] for row in rows]
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    lines, above = [], ""
    for row in [header, *rows]:
        first = "" if row[0] == above else row[0]
        above = row[0]
        lines.append("  ".join(c.ljust(w) for c, w in zip([first, *row[1:]], widths, strict=True)).rstrip())
    return "\n".join(lines)


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]], longest: int = _LONGEST) -> str:
    """As a Markdown table."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(escape(cell, longest) for cell in cells) + " |"

    return "\n".join([line(header), "|" + "---|" * len(header), *map(line, rows)])


def escape(text: str, longest: int = _LONGEST) -> str:
    """Names of sets come from a file: no marks of Markdown or HTML, no line breaks, no endless lines."""
    shown = " ".join("".join(c if c.isprintable() else " " for c in text).split())[:longest]
    return shown.replace("&", "&amp;").replace("<", "&lt;").translate({ord(c): f"\\{c}" for c in "|*`[]"})


def join_words(words: Sequence[str]) -> str:
    """With commas and an and."""
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else "".join(words)
