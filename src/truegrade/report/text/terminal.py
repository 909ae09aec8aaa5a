"""The terminal table, drawn from the plain dict of `summarize`; all names are shown as plain text."""

from __future__ import annotations

import io
import shutil
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from truegrade.report.summarize import summarize
from truegrade.report.summary.differences import Differences
from truegrade.report.summary.repeats import RepeatTables
from truegrade.report.text.ecg_text import EcgText, told_keys, without
from truegrade.report.text.section import SEVERITIES
from truegrade.report.text.table_text import TableText
from truegrade.report.text.tables import Tables
from truegrade.report.words import counted, safe, sized
from truegrade.result import Comparison, Evaluation

_STYLES = {
    "good": "green",
    "indistinguishable": "green",
    "copies": "bold red",
    "misses": "bold yellow",
    "unrealistic": "bold yellow",
    "contracted": "bold yellow",
    "recordings": "bold yellow",
    "fair": "yellow",
    "unclear": "yellow",
}
_WIDEST, _NAMED = 120, 3


def render_text(result: Evaluation | Comparison, width: int | None = None) -> str:
    """The result as plain text, without colour codes."""
    room = width or min(_WIDEST, shutil.get_terminal_size((100, 40)).columns)
    return as_text(drawing(summarize(result)), room)


def as_text(what: RenderableType, width: int) -> str:
    """A drawing as plain text without colour codes and trailing blanks."""
    file = io.StringIO()
    Console(file=file, width=width, no_color=True, force_terminal=False, legacy_windows=False).print(what)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


def drawing(summary: dict[str, Any]) -> RenderableType:
    """What rich prints for a summary: verdicts, the user's table, scores by family, notices."""
    parts: list[RenderableType | None] = [_head(summary), _versus(summary), _verdicts(summary)]
    others = without(summary, told_keys(summary))
    parts += [TableText(summary) or None, EcgText(summary) or None, Tables(others)]
    parts += [RepeatTables(summary) or None, Differences(summary) or None]
    parts += [_other_sizes(summary), _by_label(summary), _reasons(others), _notices(summary)]
    return Group(*(part for part in parts if part is not None))


def _head(summary: dict[str, Any]) -> Text:
    real = summary["real"]
    models = ", ".join(f"{safe(m['name'])} ({sized(m['n'], 'size unknown')})" for m in summary["models"])
    features = counted(real["d"], "feature") + (f" of {safe(real['space'])}" if real["space"] else "")
    by = summary["provenance"]["protocol"]
    protocol = f"\nBy the protocol {safe(by['name'])} ({safe(by['tool'], 200)})" if by else ""
    return Text(f"{models} against {safe(real['name'])} ({sized(real['n'], 'size unknown')}), {features}{protocol}\n")


def _versus(summary: dict[str, Any]) -> Text | None:
    """The verdict on a comparison, and how to read the ranks."""
    versus = summary["versus"]
    if versus is None or len(summary["models"]) < 2:
        return None
    text = Text.assemble((versus["words"] + "\n", "bold"))
    if versus["ranks"]:
        text.append("[2-3] beside a value is its rank: no better than 2nd, no worse than 3rd beyond noise.\n", "dim")
    return text


def _verdicts(summary: dict[str, Any]) -> Text:
    text = Text()
    for model in summary["models"]:
        if summary["kind"] == "comparison":
            text.append(f"{safe(model['name'])}: ", "bold")
        text.append(model["verdict"] + "\n", _STYLES.get(model["verdict_code"], ""))
    return text


def _other_sizes(summary: dict[str, Any]) -> Text | None:
    """That the reference shown is the first set's, where the others, of other sizes, have others."""
    first = summary["models"][0]
    floors = ([cell["floor"] for cell in row["cells"]] for f in summary["families"] for row in f["rows"])
    if all(len({floor for floor in row if floor}) <= 1 for row in floors):
        return None
    text = f"\nreal vs real is for the size of {safe(first['name'])} ({first['n']:,}); it differs for the others."
    return Text(text, "dim")


def _by_label(summary: dict[str, Any]) -> Text | None:
    """Where the scores by label are, which would fill the terminal."""
    count = max((len(table["rows"]) + table["left_out"] for table in summary["groups"]), default=0)
    if not count:
        return None
    return Text(f"\nScores by label ({counted(count, 'label')}) are in the report, the Markdown and the JSON.", "dim")


def _reasons(summary: dict[str, Any]) -> Text | None:
    """Why values or intervals are not there, a line for each reason."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for row in (row for family in summary["families"] for row in family["rows"]):
        for cell in (cell for cell in row["cells"] if cell["note"]):
            what = cell["status"] if cell["status"] != "ok" else "no interval"
            found.setdefault((what, safe(cell["note"], 400)), {})[safe(row["title"])] = None
    lines = [f"{_some([*titles])}: {what}, {why}" for (what, why), titles in found.items()]
    return Text("\n" + "\n".join(lines), "dim") if lines else None


def _some(titles: list[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(titles) - _NAMED} more scores" if len(titles) > _NAMED + 1 else ""
    return ", ".join(titles[:_NAMED] if more else titles) + more


def _notices(summary: dict[str, Any]) -> RenderableType | None:
    if not summary["notices"]:
        return None
    text = Text()
    for row in summary["notices"]:
        names = ", ".join(safe(name) for name in row["models"])
        text.append(f"{row['severity']}: ", SEVERITIES[row["severity"]])
        text.append(f"{names}: " if names else "").append(f"{safe(row['score'])}: " if row["score"] else "")
        text.append(safe(row["text"], 600) + "\n")
    return Padding(text, (1, 0, 0, 0))
