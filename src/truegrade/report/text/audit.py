"""An audit in the terminal, from the plain dict of `audit_summary`; all names are shown as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from truegrade.report.summary.audit import audit_summary
from truegrade.report.summary.audit_table import BLAMED, filled
from truegrade.report.text.terminal import as_text
from truegrade.report.words import counted, safe
from truegrade.result.audit import AuditReport

View = Mapping[str, Any]
_WIDTH = 112
_LINES, _EACH = 40, 5  # failures that are listed in all, and of one scenario
_DIFFER = 3  # cells that differ from a published table
_STYLES = {"yes": "green", "partly": "bold red", "no": "bold red"}
_SHORT = {  # headings in two lines
    "bounded": "boun-\nded",
    "collapse": "coll-\napse",
    "dropping": "drop-\nping",
    "invention": "inven-\ntion",
    "copying": "copy-\ning",
    "harmless": "harm-\nless",
    "separates": "sepa-\nrates",
    "efficient": "effi-\ncient",
}


def render_audit_text(report: AuditReport, width: int = _WIDTH) -> str:
    """The report as plain text, without colour codes."""
    return as_text(audit_drawing(report), width)


def audit_drawing(report: AuditReport) -> RenderableType:
    """What rich prints: what was audited, advice, the table of properties, agreement, failures."""
    summary = audit_summary(report)
    parts = (_head, _advice, _tables, _agreement, _failures, _skipped)
    return Group(*(drawing for part in parts for drawing in part(summary)))


def _head(summary: View) -> Iterator[RenderableType]:
    name = safe(summary["name"]) + (" (built in)" if summary["law"] else "")
    yield Text.assemble((f"Audit on {name}\n", "bold"), (safe("; ".join(summary["facts"]), 900), "dim"))
    yield Text(safe(summary["verdict"], 600))


def _advice(summary: View) -> Iterator[RenderableType]:
    advice = summary["advice"]
    yield Text("\nWhich metrics together", "bold")
    for row in advice["rows"]:
        space = f" in {safe(row['space'], 40)}" if row["space"] else ""
        yield Text.assemble((f"{safe(row['name'])}{space}", "bold"), f", {safe(row['why'], 300)}" if row["why"] else "")
        if row["sees"]:
            yield Padding(Text(safe("; ".join(row["sees"]), 400)), (0, 0, 0, 2))
    if not advice["rows"]:
        yield Text("No metric can be recommended: none has half of what is expected of it.")
    for words in advice["open"]:
        yield Text(f"No audited metric {safe(words, 200)}.", "yellow")
    if advice["untested"]:
        yield Text(f"Not tried: {safe('; '.join(advice['untested']), 900)}.", "dim")


# --- the table of properties -------------------------------------------------------------------------------


def _tables(summary: View) -> Iterator[RenderableType]:
    for table in summary["tables"]:
        at = filled(table)
        heads = [summary["properties"][i]["key"] for i in at]
        yield Text(f"\n{safe(table['title'], 120)}", "bold")
        drawn = _columns(["", *(_SHORT.get(head, safe(head, 12)) for head in heads)])
        for family in table["families"]:
            drawn.add_row(Text(safe(family["title"], 40), "dim"))
            for row in family["rows"]:
                cells = [row["cells"][i] for i in at]
                drawn.add_row(Text(f" {safe(row['name'])}"), *map(_cell, cells))
        yield drawn
    if summary["tables"]:
        yield Text(
            "\u2717: of what a good metric of its kind does, not (no) or not in all checks (3/5). In brackets: only "
            "described. Blank: not tested.",
            "dim",
        )


def _cell(one: View) -> Text:
    short = one["text"].replace(" of ", "/")
    if one["state"] in BLAMED:
        return Text(f"\u2717{short}", _STYLES[one["state"]])
    return Text(f"({short})", "dim") if one["state"] in ("has", "some", "lacks") else Text(short, "green")


def _columns(heads: list[str]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False, header_style="dim")
    for i, head in enumerate(heads):
        table.add_column(Text(head), no_wrap=i > 0, overflow="fold", vertical="top")
    return table


# --- agreement, failures -----------------------------------------------------------------------------------


def _agreement(summary: View) -> Iterator[RenderableType]:
    for table in summary["agreement"]:
        yield Text(f"\nAgreement with {safe(table['source'], 200)}", "bold")
        drawn = _columns(["metric", "cells", "share", "differ: cell (published, here)"])
        for row in table["rows"]:
            told = [f"{d['cell']} ({d['published']}, {d['ours']})" for d in row["differ"][:_DIFFER]]
            more = f" and {len(row['differ']) - _DIFFER} more" if len(row["differ"]) > _DIFFER else ""
            differ = Text(safe("; ".join(told), 160) + more, overflow="ellipsis")
            drawn.add_row(Text(safe(row["name"], 32)), f"{row['agreed']} of {row['cells']}", row["share"], differ)
        yield drawn


def _failures(summary: View) -> Iterator[RenderableType]:
    scenarios = [s for suite in summary["suites"] for s in suite["scenarios"] if s["counts"]["fails"]]
    total = sum(s["counts"]["fails"] for s in scenarios)
    if not total:
        return
    yield Text(f"\nWhat a good metric does, and these do not ({counted(total, 'check')})", "bold")
    left = _LINES
    for at, scenario in enumerate(scenarios):
        if left <= 0:
            rest = sum(s["counts"]["fails"] for s in scenarios[at:])
            yield Text(f"and {rest} more in {counted(len(scenarios) - at, 'scenario')}: see the page (--html)", "dim")
            return
        rows = [row for row in scenario["findings"] if row["state"] == "fails"]
        shown = rows[: min(_EACH, left)]
        where = f" in {safe(scenario['space'], 30)}" if scenario["space"] else ""
        yield Text.assemble(f"{safe(scenario['title'], 80)}{where} ", (f"({safe(scenario['suite'], 30)})", "dim"))
        for row in shown:
            line = f"  {safe(row['name'], 40)}, {safe(row['property'], 20)}: {safe(row['reason'], 160)}"
            yield Text(line, no_wrap=True, overflow="ellipsis")
        if len(rows) > len(shown):
            yield Text(f"  and {len(rows) - len(shown)} more", "dim")
        left -= len(shown)


def _skipped(summary: View) -> Iterator[RenderableType]:
    """Why scenarios were not run, a line for each reason."""
    reasons: dict[str, list[str]] = {}
    for row in summary["skipped"]:
        reasons.setdefault(row["reason"], []).append(row["title"])
    if reasons:
        yield Text("\nNot run", "bold")
    for reason, titles in reasons.items():
        more = f" and {len(titles) - _EACH} more" if len(titles) > _EACH else ""
        yield Text(f"{safe(', '.join(titles[:_EACH]), 300)}{more}: {safe(reason, 300)}", "dim")
