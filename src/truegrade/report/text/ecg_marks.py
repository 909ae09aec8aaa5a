"""ECG recordings as Markdown: verdict, findings, copies, leads, beats, laws, tells, utility, the sixteen metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truegrade.report.summary.ecg_words import shared_sizes
from truegrade.report.text.ecg_text import (
    beside,
    beside_words,
    copies_words,
    failed,
    finding_words,
    registry_title,
    short,
)
from truegrade.report.text.marks import name, prose, sections, table

_NONE = "\u2013"
View = Mapping[str, Any]


def ecg_blocks(summary: View) -> Iterator[str]:
    """Of every model that was graded as ECG recordings; nothing for others."""
    return sections(summary, "ecg", "The recordings", _blocks)


def _blocks(view: View) -> Iterator[str]:
    if view["copies"]:
        words = prose(copies_words(view["copies"]))
        yield f"**{words}**" if view["copies"]["flagged"] else words
    if view["verdict"]:
        yield "\n".join(f"- {prose(sentence)}" for sentence in view["verdict"])
    yield f"{prose(', '.join(view['facts']))}."
    if view["findings"]:
        yield "\n".join(f"- **{one['severity']}**: {_finding(one)}" for one in view["findings"])
    for found in view["features"]:
        yield from _features(found)
    yield from _beats(view["scorecard"])
    yield from _laws(view["laws"])
    yield from _discrimination(view["discrimination"])
    if view["utility"]:
        yield "### Training on synthetic recordings"
        tasks = (
            [name(one["target"]), prose(one["score"]), one["real"], one["synthetic"], one["baseline"]]
            for one in view["utility"]
        )
        yield table(["predicted", "score", "on real", "on synthetic", "always the same"], tasks, left=2)
    if view["registry"]:
        yield f"### {registry_title(view['registry'])}"
        if sizes := shared_sizes(one["score"] for one in view["registry"]):
            yield f"Real against real: {prose(sizes)}."
        rows = (
            [f"{prose(one['title'])} {one['arrow']}", *map(prose, beside(one["score"]))] for one in view["registry"]
        )
        yield table(["metric", "value", "real vs real", "in words"], rows)


def _finding(one: View) -> str:
    mend = f" To mend it: {prose(one['mend'])}" if one["mend"] else ""
    return prose(finding_words(one), 900) + mend


def _features(found: View) -> Iterator[str]:
    """Leads by metrics, each value with its floor."""
    yield f"### {prose(found['title'])}"
    if found["words"]:
        yield prose(found["words"])
    headings = ["lead", *(f"{prose(metric['title'])} {metric['arrow']}" for metric in found["metrics"])]
    rows = ([name(row["name"], 40), *map(_cell, row["cells"])] for row in (*found["rows"], *found["labels"]))
    yield table(headings, rows)
    yield "In brackets: real against real" + (f", {prose(found['sizes'])}." if found["sizes"] else ".")


def _cell(one: View) -> str:
    value, floor = short(one)
    return f"{value} ({floor})" if floor else value


def _beats(card: View | None) -> Iterator[str]:
    if card is None:
        return
    yield "### Measured from beats"
    if card["reason"]:
        yield f"Not measured: {prose(card['reason'])}"
    if card["without"]:
        yield prose(card["without"])
    rows = [
        [
            prose(f"{one['title']}{', ' + one['unit'] if one['unit'] else ''}"),
            *(_half(one[side]) for side in ("real", "synthetic")),
            failed(one),
            *(_cell(one[key]) for key in ("distance", "ks", "plausible")),
        ]
        for one in card["rows"]
    ]
    if rows:
        if card["sizes"]:
            yield f"In brackets: of medians the quartiles, of the others real against real, {prose(card['sizes'])}."
        headings = ["measured", "real", "synthetic", "failed, real / synthetic", "distance", "largest gap", "plausible"]
        yield table(headings, rows)


def _half(side: View) -> str:
    return f"{side['median']} ({side['quartiles']})" if side["quartiles"] else _NONE


def _laws(laws: View | None) -> Iterator[str]:
    if laws is None:
        return
    yield "### Laws between leads"
    yield (
        f"Left over, in mV: {prose(beside_words(laws['einthoven']))}. "
        f"Correlations of leads are off by {prose(beside_words(laws['correlation']))}."
    )
    if laws["residuals"]:
        rows = ([prose(one["law"]), one["real"], one["synthetic"]] for one in laws["residuals"])
        yield table(["law", "real", "synthetic"], rows)


def _discrimination(found: View | None) -> Iterator[str]:
    if found is None:
        return
    yield "### Can a classifier tell real from synthetic recordings?"
    if found["words"]:
        yield " ".join(prose(sentence) for sentence in found["words"])
    if found["tells"]:
        yield "\n".join(
            f"- Tell (AUC {one['auc'] or _NONE}): {prose(one['text'])} {prose(one['neutralised'])} {prose(one['mend'])}"
            for one in found["tells"]
        )
    if found["rows"]:
        rows = (
            [prose(one["title"]), prose(beside_words(one["raw"])), prose(beside_words(one["clean"]))]
            for one in found["rows"]
        )
        yield table(["classifier", "AUC with all tells", "AUC without them"], rows)
