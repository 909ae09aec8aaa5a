"""The table as Markdown: verdict, means, pairs, flattered pairs, columns, whole rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truegrade.report.text.marks import name, prose, sections, table

_NONE, _BY = "\u2013", "\u00d7"
_PAIRS, _COLUMNS, _FLATTERED = 10, 60, 20
View = Mapping[str, Any]


def table_blocks(summary: View) -> Iterator[str]:
    """Of every model that was graded as a table; nothing for others."""
    return sections(summary, "table", "The table", _blocks)


def _blocks(view: View) -> Iterator[str]:
    if view["verdict"]:
        first, *others = (prose(sentence) for sentence in view["verdict"])
        yield " ".join([f"**{first}**", *others])
    if view["aggregates"]:
        rows = [
            [one["title"], one["over"], one["value"], one["interval"] or _NONE, one["ceiling"] or _NONE]
            for one in view["aggregates"]
        ]
        yield table(["mean of", "taken", "value", "95 % interval", "real data get"], rows, left=2)
    if view["notices"]:
        yield "\n".join(f"- **{severity}**: {prose(text)}" for severity, text in view["notices"])
    yield from _pairs(view)
    yield from _columns(view)
    yield from _rows(view["rows"])


def _pairs(view: View) -> Iterator[str]:
    if view["worst"]:
        yield "### The worst pairs of columns"
        rows = [
            [_pair(one), one["main"]["title"], one["main"]["value"], one["main"]["ceiling"] or _NONE, one["ratio"]]
            for one in view["worst"][:_PAIRS]
        ]
        yield table(["pair", "score", "value", "real data get", "ratio"], rows, left=2)
    yield "### Where the correlation score flatters"
    found = view["inflated"]
    yield prose(found["words"])
    if found["rows"]:
        rows = [
            [_pair(one), one["correlation"], one["eden"], one["ceiling"] or _NONE, one["ratio"]]
            for one in found["rows"][:_FLATTERED]
        ]
        yield table(["pair", "correlation score", "Eden score", "real data get", "ratio"], rows)


def _pair(one: View) -> str:
    return f"{name(one['first'])} {_BY} {name(one['second'])}"


def _columns(view: View) -> Iterator[str]:
    columns = view["columns"]
    yield "### Columns"
    rows = (
        [
            name(row["name"]),
            f"{row['type']} ({prose(row['why'])})" if row["why"] else row["type"],
            "ok" if row["status"] == "ok" else prose(row["reason"] or row["status"]),
            *(_NONE if one is None or one["status"] != "ok" else one["value"] for one in row["scores"]),
            f"{row['missing']['real']} / {row['missing']['synthetic']}".replace("<", "&lt;"),
        ]
        for row in columns["rows"][:_COLUMNS]
    )
    headings = ["column", "read as", "status", *(key["title"] for key in columns["keys"]), "missing, real / synthetic"]
    yield table(headings, rows, left=3)
    more = max(0, len(columns["rows"]) - _COLUMNS) + columns["left_out"]
    if more:
        yield f"{more:,} more columns are in the JSON."


def _rows(rows: View) -> Iterator[str]:
    if rows["detection"]:
        yield "### Can a classifier tell real from synthetic rows?"
        yield "\n".join(f"- {_detected(one)}" for one in rows["detection"])
    if rows["utility"]:
        yield "### Training on synthetic rows"
        tasks = (
            [name(one["target"]), one["score"], one["real"], one["synthetic"], one["baseline"]]
            for one in rows["utility"]
        )
        yield table(["predicted column", "score", "on real", "on synthetic", "always the same"], tasks, left=2)
    if rows["privacy"]:
        yield from _privacy(rows["privacy"])


def _detected(one: View) -> str:
    if one["status"] != "ok":
        return f"{one['title']}: {prose(one['reason'])}"
    interval = f" ({one['interval']})" if one["interval"] else ""
    return f"{one['title']}: AUC {one['value']}{interval}, {one['words']}"


def _privacy(privacy: View) -> Iterator[str]:
    yield "### Privacy"
    if privacy["words"]:
        yield "\n".join(f"- {prose(sentence)}" for sentence in privacy["words"])
    rows = [
        [one["title"], one["value"], one["interval"] or _NONE, one["reference"] or _NONE]
        if one["status"] == "ok"
        else [one["title"], prose(one["reason"], 200), "", ""]
        for one in privacy["measures"]
    ]
    if rows:
        yield table(["measure", "value", "95 % interval", "to hold it against"], rows)
    if privacy["copies"]:
        copies = ", ".join(f"{synthetic} = {real}" for synthetic, real in privacy["copies"])
        yield f"Exact copies (synthetic row = real row, counted from 0): {copies}."
