"""An audit as Markdown: verdict, advice, the table of properties, agreement, failures. No name can become markup."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from truegrade import codec
from truegrade.report.summary.audit import audit_summary
from truegrade.report.summary.audit_table import BLAMED, filled
from truegrade.report.text.marks import name, prose, table
from truegrade.result.audit import AuditReport

View = Mapping[str, Any]
_DIFFER = 5  # cells that differ from a published table


def write_audit_markdown(report: AuditReport, path: str | os.PathLike[str]) -> Path:
    """Write the report to a file, whole or not at all."""
    return codec.write(path, render_audit_markdown(report))


def render_audit_markdown(report: AuditReport) -> str:
    """What was audited, advice, the table of properties, agreement, failures by scenario, how it was made."""
    summary = audit_summary(report)
    parts = (_head, _advice, _tables, _agreement, _failures, _skipped, _origin)
    return "\n\n".join(block for part in parts for block in part(summary)) + "\n"


def _head(summary: View) -> Iterator[str]:
    yield f"# Do metrics behave on {name(summary['name'])}?"
    yield f"**{prose(summary['verdict'])}**"
    yield f"{prose('; '.join(summary['facts']), 900)}."


def _advice(summary: View) -> Iterator[str]:
    advice = summary["advice"]
    yield "## Which metrics together"
    lines = []
    for row in advice["rows"]:
        space = f" in {name(row['space'], 40)}" if row["space"] else ""
        told = [*([row["why"].rstrip(".")] if row["why"] else []), *row["sees"]]
        lines.append(f"- **{name(row['name'])}**{space}, {prose('; '.join(told))}")
    yield "\n".join(lines) or "No metric can be recommended: none has half of what is expected of it."
    if advice["open"]:
        yield "\n".join(f"- No audited metric {prose(words)}." for words in advice["open"])
    if advice["untested"]:
        yield f"Not tried: {prose('; '.join(advice['untested']), 900)}."


def _tables(summary: View) -> Iterator[str]:
    if not summary["tables"]:
        return
    yield "## What each metric does"
    for one in summary["tables"]:
        at = filled(one)
        heads = ["metric", *(prose(summary["properties"][i]["key"], 24) for i in at)]
        yield f"### {prose(one['title'])}"
        found = [row for family in one["families"] for row in family["rows"]]
        yield table(heads, ([name(row["name"]), *(_cell(row["cells"][i]) for i in at)] for row in found), len(heads))
    yield (
        "Bold with a cross: a good metric of its kind does it, this one does not, or not in all checks. In brackets: "
        "only described. Blank: not tested."
    )
    yield "\n".join(
        f"- {prose(one['key'], 24)}: {prose(one['words'])}" for one in summary["properties"] if one["tested"]
    )


def _cell(one: View) -> str:
    if one["state"] in BLAMED:
        return f"**\u2717 {one['text']}**"
    return f"({one['text']})" if one["state"] in ("has", "some", "lacks") else one["text"]


def _agreement(summary: View) -> Iterator[str]:
    if not summary["agreement"]:
        return
    yield "## Agreement with published tables"
    for one in summary["agreement"]:
        yield f"{prose(one['source'])}:"
        rows = (
            [name(row["name"]), f"{row['agreed']} of {row['cells']}", row["share"], _differ(row["differ"])]
            for row in one["rows"]
        )
        yield table(["metric", "cells that agree", "share", "differ: cell (published, here)"], rows, left=4)


def _differ(cells: list[View]) -> str:
    told = (f"{prose(d['cell'], 80)} ({prose(d['published'], 40)}, {prose(d['ours'], 40)})" for d in cells[:_DIFFER])
    return "; ".join(told) + (f" and {len(cells) - _DIFFER} more" if len(cells) > _DIFFER else "")


def _failures(summary: View) -> Iterator[str]:
    scenarios = [s for suite in summary["suites"] for s in suite["scenarios"] if s["counts"]["fails"]]
    if not scenarios:
        return
    yield "## What was failed"
    for scenario in scenarios:
        where = f" in {name(scenario['space'], 40)}" if scenario["space"] else ""
        yield f"**{prose(scenario['title'])}**{where} ({name(scenario['suite'], 40)}): {prose(scenario['question'])}"
        yield "\n".join(
            f"- {name(row['name'])}, {prose(row['property'], 24)}: {prose(row['reason'], 300)}{_within(row)}"
            for row in scenario["findings"]
            if row["state"] == "fails"
        )


def _within(row: View) -> str:
    return f" (tolerance {row['tolerance']})" if row["tolerance"] else ""


def _skipped(summary: View) -> Iterator[str]:
    if summary["skipped"]:
        yield "## What was not run"
        yield "\n".join(f"- {prose(row['title'])}: {prose(row['reason'])}" for row in summary["skipped"])


def _origin(summary: View) -> Iterator[str]:
    made = summary["provenance"]
    yield "## How it was made"
    versions = ", ".join(f"{one['name']} {one['text']}" for one in made["versions"])
    yield f"{prose(made['command'], 900)}"
    yield f"{prose(versions)}; seed {made['seed']}; {prose(made['created'])}, {made['seconds']} s."
