"""ECG recordings in the terminal: verdict, findings with what mends them, leads, beats, copies, tells.

Lines wrap at the width there is; names are cut, numbers never.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from truegrade.report.summary.ecg_words import shared_sizes
from truegrade.report.text.section import SEVERITIES, Section, View
from truegrade.report.text.table_text import numbers
from truegrade.report.words import safe

_FINDINGS, _PAIRS = 10, 4
_NONE = "\u2013"


class EcgText(Section):
    """What the terminal shows of the recordings of a summary."""

    part = "ecg"
    title = "The recordings"

    def body(self, view: View, width: int) -> Iterator[RenderableType]:
        yield from _parts(view, width)
        yield from _leads(view, width)
        yield from _numbers(view, width) if self.single else ()


def _parts(view: View, width: int) -> Iterator[RenderableType]:
    if view["copies"] and view["copies"]["flagged"]:
        yield Text(copies_words(view["copies"]), "bold red")
    yield from (_point(sentence) for sentence in view["verdict"])
    yield Text(", ".join(view["facts"]), "dim")
    for one in view["findings"][:_FINDINGS]:
        yield Text.assemble((f"{one['severity']}: ", SEVERITIES[one["severity"]]), finding_words(one))
        if one["mend"]:
            yield Text(f"  to mend it: {one['mend']}")
    if len(view["findings"]) > _FINDINGS:
        yield Text(f"... and {len(view['findings']) - _FINDINGS} more findings in the report", "dim")


def _point(sentence: str) -> RenderableType:
    """A sentence with a bullet; further lines stand below its first word."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=1)
    grid.add_column(overflow="fold")
    grid.add_row(Text("-"), Text(sentence))
    return grid


def _numbers(view: View, width: int) -> Iterator[RenderableType]:
    """What is not by lead; the tables of several models have it side by side."""
    yield from _beats(view, width)
    if view["registry"]:
        yield _titled(registry_title(view["registry"]), shared_sizes(one["score"] for one in view["registry"]))
        rows = [[one["title"], *brief(one["score"])] for one in view["registry"]]
        yield from numbers(rows, ("metric", "value", "real vs real", "in words"), width)
        yield from _why((one["title"], one["score"]) for one in view["registry"])
    yield Text("")
    yield from _trust(view)


def _titled(title: str, sizes: str) -> Text:
    return Text.assemble("\n", (title, "bold"), (f"\nreal vs real: {sizes}" if sizes else "", "dim"))


def _leads(view: View, width: int) -> Iterator[RenderableType]:
    """Means over leads and all leads together; the worst lead by name."""
    for found in view["features"]:
        yield _titled(found["title"], found["sizes"])
        rows = []
        for at, metric in enumerate(found["metrics"][: found["first"]]):
            told = {row["kind"]: row["cells"][at] for row in found["rows"] if row["kind"] != "lead"}
            mean, whole = told.get("mean"), told.get("whole")
            rows.append([f"{metric['title']} {metric['arrow']}", *short(mean), *short(whole), worst_lead(found, at)])
        headings = ("score", "mean of leads", "real vs real", "all leads", "real vs real", "worst lead")
        yield from numbers(rows, headings, width)
        if len(found["metrics"]) > found["first"]:
            yield Text(f"... and {len(found['metrics']) - found['first']} more scores in the report", "dim")


def _beats(view: View, width: int) -> Iterator[RenderableType]:
    card = view["scorecard"]
    if card is None:
        return
    if card["reason"]:
        yield Text(f"\nNot measured from beats: {card['reason']}", "dim")
    rows = [
        [
            f"{one['title']}{', ' + one['unit'] if one['unit'] else ''}",
            one["real"]["median"],
            one["synthetic"]["median"],
            *short(one["distance"]),
            failed(one),
        ]
        for one in card["rows"]
    ]
    if rows:
        yield _titled("Measured from beats", card["sizes"])
    headings = ("measured", "real median", "synthetic", "distance", "real vs real", "failed, real / synthetic")
    yield from numbers(rows, headings, width)
    yield from _why((one["title"], one["distance"]) for one in card["rows"])


def _why(cells: Iterable[tuple[str, View]]) -> Iterator[Text]:
    """Why there is no value, a line for each reason."""
    found: dict[str, list[str]] = {}
    for title, one in cells:
        if one["status"] != "ok":
            found.setdefault(one["reason"], []).append(title)
    yield from (Text(f"{', '.join(titles)}: no value, {why}", "dim") for why, titles in found.items())


def _trust(view: View) -> Iterator[RenderableType]:
    if view["copies"] and not view["copies"]["flagged"]:
        yield Text(copies_words(view["copies"]))
    if view["laws"]:
        yield Text(f"Laws between leads, left over in mV: {beside_words(view['laws']['einthoven'])}")
        yield Text(f"Correlations of leads are off by {beside_words(view['laws']['correlation'])}")
    found = view["discrimination"]
    for tell in found["tells"] if found else ():
        yield Text.assemble(("tell: ", "yellow"), f"{tell['text']}{' AUC ' + tell['auc'] if tell['auc'] else ''}")
    for one in found["rows"] if found else ():
        yield Text(
            f"Told apart, {one['title'].lower()}: AUC {beside_words(one['raw'])} with all tells, "
            f"{beside_words(one['clean'])} without them"
        )
    for task in view["utility"]:
        yield Text(
            f"Predicting {safe(task['target'], 30)}: {task['score']} {task['synthetic']} trained on synthetic, "
            f"{task['real']} on real recordings"
        )


def told_keys(summary: View) -> frozenset[str]:
    """Which scores of one evaluation stand among its recordings already, and need not stand among all scores too."""
    view = summary["models"][0]["ecg"]
    if summary["kind"] != "evaluation" or not view:
        return frozenset()
    keys = [f"ecg_{one['key']}" for one in view["registry"]]
    keys += [f"{one['key']}_distance" for one in (view["scorecard"] or {"rows": ()})["rows"]]
    keys += ["einthoven_error", "lead_correlation_error"] if view["laws"] else []
    keys += ["discriminative_auc"] if view["discrimination"] and view["discrimination"]["rows"] else []
    keys += ["ecg_copies"] if view["copies"] else []
    means = {m["key"] for one in view["features"] if one["features"] == "descriptors" for m in one["metrics"]}
    return frozenset([*keys, *(f"lead_{key}" for key in means)])


def without(summary: View, keys: Collection[str]) -> dict[str, Any]:
    """The summary without the rows of these scores."""
    rows = ({**f, "rows": [row for row in f["rows"] if row["key"] not in keys]} for f in summary["families"])
    return {**summary, "families": [family for family in rows if family["rows"]]}


# --- words, for Markdown too -------------------------------------------------------------------------------


def finding_words(one: View) -> str:
    """A finding in a line: side, sentence, which leads and recordings."""
    side = "" if one["side"] == "both" else f"{one['side']}: "
    leads = f" Leads: {', '.join(one['leads'])}." if one["leads"] else ""
    more = f" and {one['count'] - len(one['records']):,} more" if one["count"] > len(one["records"]) else ""
    records = f" ({', '.join(one['records'])}{more})" if one["records"] else ""
    overridden = "overridden: " if one["overridden"] else ""
    return f"{overridden}{side}{one['text']}{leads}{records}"


def registry_title(registry: Sequence[View]) -> str:
    """What the metrics of the registry are called, all of them or some."""
    return "The sixteen metrics" if len(registry) == 16 else "Of the sixteen metrics"


def copies_words(copies: View) -> str:
    """What was found about copies, loud where there are any."""
    floor = f"; of fresh real ones {copies['fresh']}" if copies["fresh"] else ""
    if copies["flagged"]:
        share = (
            f"{copies['percent']} of the synthetic recordings repeat a real one{floor}. " if copies["percent"] else ""
        )
        return f"COPIES OF REAL RECORDINGS: {share}Good grades then show only that real data look real."
    if copies["share"]["status"] != "ok":
        return f"Copies: {copies['share']['reason']}"
    return f"Copies: {copies['percent']} of the synthetic recordings repeat a real one{floor}"


def short(one: View | None) -> tuple[str, str]:
    """A value and its floor."""
    return (_NONE, "") if one is None else (one["value"], one["floor"])


def brief(one: View) -> tuple[str, str, str]:
    """A value, its floor and what it says; why there is none stands below the tables."""
    value, floor, words = beside(one)
    return value, floor, words if one["status"] == "ok" else "no value"


def beside(one: View) -> tuple[str, str, str]:
    """A value, its floor, and what it says or why there is none."""
    return one["value"], one["floor"] or _NONE, one["words"]


def beside_words(one: View) -> str:
    """A value beside its floor in a sentence."""
    if one["status"] != "ok":
        return f"no value ({one['reason']})"
    words = f", {one['words']}" if one["words"] else ""
    return f"{one['value']}" + (f" (real against real {one['floor']}{words})" if one["floor"] else "")


def worst_lead(found: View, at: int) -> str:
    """The lead whose value is farthest from its real against real, in the metric's own unit, with that value."""
    leads = [row for row in found["rows"] if row["kind"] == "lead" and row["cells"][at]["apart"] is not None]
    if not leads:
        return _NONE
    off = [row for row in leads if row["cells"][at]["step"] != 10]
    if not off:
        return "none"
    worst = max(off, key=lambda row: row["cells"][at]["apart"])
    return f"{worst['name']} {worst['cells'][at]['value']}"


def failed(one: View) -> str:
    """In how many recordings of each side a measurement has no value."""
    sides = (one[side] for side in ("real", "synthetic"))
    return " / ".join(f"{side['failed']} of {side['n'] + side['failed']}" for side in sides)
