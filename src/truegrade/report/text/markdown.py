"""The same summary as Markdown: for a pull request, a README or a wiki. No name can become markup."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from truegrade import codec
from truegrade.report.summarize import summarize
from truegrade.report.text.ecg_marks import ecg_blocks
from truegrade.report.text.ecg_text import told_keys, without
from truegrade.report.text.marks import name, prose
from truegrade.report.text.marks import table as _table
from truegrade.report.text.table_marks import table_blocks
from truegrade.report.words import counted, sized
from truegrade.result import Comparison, Evaluation

_NONE, _MINUS = "\u2013", "\u2212"


def write_markdown(result: Evaluation | Comparison, path: str | os.PathLike[str]) -> Path:
    """Write the result to a file, whole or not at all."""
    return codec.write(path, render_markdown(summarize(result)))


def render_markdown(summary: Mapping[str, Any]) -> str:
    """Verdict, warnings, the table, grade card, all scores, differences, what is missing, how it was made."""
    blocks = [*_head(summary), *_notices(summary), *table_blocks(summary), *ecg_blocks(summary)]
    blocks += [
        *_card(summary),
        *_scores(without(summary, told_keys(summary))),
        *_differences(summary),
        *_repeats(summary),
        *_missing(summary),
        *_origin(summary),
    ]
    return "\n\n".join(blocks) + "\n"


# --- parts -------------------------------------------------------------------------------------------------


def _head(summary: Mapping[str, Any]) -> Iterator[str]:
    models, real = summary["models"], summary["real"]
    names = ", ".join(name(model["name"]) for model in models[:8])
    more = f" and {len(models) - 8} more" if len(models) > 8 else ""
    yield f"# {names}{more} against {name(real['name'])}"
    if len(models) == 1:
        yield f"**{prose(models[0]['verdict'])}**"
    else:
        if summary["versus"] and summary["versus"]["words"]:
            yield f"**{prose(summary['versus']['words'], 4000)}**"
        yield "\n".join(f"- {name(model['name'])}: {prose(model['verdict'])}" for model in models)
    sizes = ", ".join(sized(model["n"], "an unknown number of") for model in models[:8])
    features = counted(real["d"], "feature") + (f" of {name(real['space'])}" if real["space"] else "")
    against = sized(real["n"], "An unknown number of")
    yield f"{against} real samples, {sizes}{' ...' if more else ''} synthetic, {features}."


def _notices(summary: Mapping[str, Any]) -> Iterator[str]:
    lines = []
    for row in summary["notices"]:
        about = [*map(name, row["models"]), *([prose(row["score"], 200)] if row["score"] else [])]
        lines.append(f"- **{row['severity']}**{', ' + ', '.join(about) if about else ''}: {prose(row['text'])}")
    if lines:
        yield "\n".join(lines)


def _card(summary: Mapping[str, Any]) -> Iterator[str]:
    yield "## Grade card"
    rows = []
    for aspect in summary["card"]:
        if aspect["absent"]:
            rows.append([f"**{aspect['title']}**", aspect["absent"], *[""] * 5])
        for gauge in aspect["scores"]:
            for mark in gauge["marks"]:
                told = [mark["value"], mark["interval"], mark["floor"], mark["words"]]
                if mark["status"] != "ok":
                    told = [mark["status"], "", "", prose(mark["reason"], 200)]
                start = f"**{aspect['title']}**" if gauge["role"] == "main" else aspect["title"]
                rows.append([start, prose(gauge["title"]), name(mark["model"], 40), told[3], *told[:3]])
    yield _table(["", "score", "model", "in words", "value", "95 % interval", "real vs real"], rows, left=4)


def _scores(summary: Mapping[str, Any]) -> Iterator[str]:
    yield "## All scores"
    headings = ["score", *(name(model["name"], 32) for model in summary["models"]), "real vs real"]
    for family in summary["families"]:
        yield f"### {family['title']}"
        rows = (
            [f"{prose(row['title'])} {row['arrow']}", *map(_cell, row["cells"]), row["floor"] or ""]
            for row in family["rows"]
        )
        yield _table(headings, rows)


def _cell(cell: Mapping[str, Any]) -> str:
    return f"{cell['value']} ({cell['interval']})" if cell["interval"] else cell["value"] or _NONE


def _differences(summary: Mapping[str, Any]) -> Iterator[str]:
    contrasts = summary["contrasts"]
    if not contrasts or not contrasts["forests"]:
        return
    yield "## Differences"
    rows = [
        [
            prose(forest["title"]),
            f"{name(d['first'], 32)} {_MINUS} {name(d['second'], 32)}",
            _better(d),
            d["value"],
            d["interval"],
            prose(d["p"]),
        ]
        for forest in contrasts["forests"]
        if forest["open"]
        for d in forest["rows"]
    ]
    yield _table(["score", f"first {_MINUS} second", "better", "difference", "95 % interval", "p (Holm)"], rows, left=3)


def _better(difference: Mapping[str, Any]) -> str:
    return name(difference["better"], 32) if difference["better"] else str(difference["words"])


def _repeats(summary: Mapping[str, Any]) -> Iterator[str]:
    rows = []
    for metric in summary["metrics"]:
        for row in metric["repeats"]["rows"] if metric["repeats"] else ():
            t = row["texts"]
            rows.append(
                [
                    prose(metric["title"]),
                    name(row["model"], 40),
                    t["mean"],
                    t["sd"],
                    t["median"],
                    t["quartiles"],
                    t["tails"],
                    str(t["sets"]),
                ]
            )
    if rows:
        yield "## Repeated sets"
        yield _table(["score", "model", "mean", "sd", "median", "quartiles", "5 to 95 %", "sets"], rows, left=2)


def _missing(summary: Mapping[str, Any]) -> Iterator[str]:
    lines = []
    for row in summary["left_out"]:
        where = f" ({', '.join(name(model, 40) for model in row['models'])})" if row["models"] else ""
        lines.append(f"- {prose(', '.join(row['what']), 400)}{where}: {row['kind']}, {prose(row['reason'], 400)}")
    if lines:
        yield "## What is not here, and why"
        yield "\n".join(lines)


def _origin(summary: Mapping[str, Any]) -> Iterator[str]:
    made = summary["provenance"]
    yield "## How this was made"
    rows = (
        [one["role"], name(one["name"]), one["dtype"], one["fingerprint"][:12], sized(one["n"]), f"{one['d']:,}"]
        for one in made["sets"]
    )
    yield _table(["role", "name", "type", "fingerprint", "samples", "features"], rows, left=4)
    if made["space"]:
        yield f"Features: {prose(made['space'], 1000)}."
        read = ((name(one["name"]), prose(one["images"])) for one in made["sets"] if one["images"])
        yield "\n".join(f"- Images of {who}: {images}." for who, images in read)
    if made["protocol"]:
        by = made["protocol"]
        yield f"Protocol: {prose(by['name'])} ({prose(by['tool'])}). {prose(by['settings'], 2000)}."
        yield "\n".join(f"- {prose(sentence, 400)}" for sentence in by["differs"])
    versions = ", ".join(f"{one['name']} {one['text']}" for one in made["versions"])
    yield f"{prose(versions)}; seed {made['seed']}; {prose(made['created'])}, {made['seconds']} s."
