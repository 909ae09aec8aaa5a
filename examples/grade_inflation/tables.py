"""The numbers as tables, in plain text and in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grade_inflation.measure import Row
from truegrade.audit.suites.grade_inflation import inflation
from truegrade.result.audit import ScenarioOutcome

_SHORT = {
    "correlation_score": "correlation",
    "earth_movers_score": "earth mover's",
    "jaccard_score": "Jaccard",
    "kl_score": "KL",
    "js_score": "JS",
    "cs_score": "CS",
    "eden_score": "Eden",
}
_HEAD = ("pair", *_SHORT.values(), "ceiling", "ratio")
Cells = Sequence[Sequence[str]]


def seven(rows: Sequence[Row]) -> Cells:
    """All seven scores of every pair, Eden with its ceiling and in parts of it."""
    made = [[row.title, *(f"{row.means[key]:.3f}" for key in _SHORT), *_parts(row)] for row in rows]
    return [_HEAD, *made]


def ranking(ladder: ScenarioOutcome) -> Cells:
    """The scores by grade inflation, and what low fits get in parts of the grade of high fits."""
    found = {f.metric: f for f in ladder.findings if f.criterion == "separates"}
    head = ("score", "grade inflation", "low fit in parts of high fit", "separates")
    made = [
        [_SHORT[key], f"{number:.2f}", f"{found[key].number:.2f}", "yes" if found[key].passed else "no"]
        for key, number in inflation([ladder])
    ]
    return [head, *made]


def beside(rows: Sequence[Row], record: Mapping[str, Any]) -> Cells:
    """What sdmetrics says of a pair, and Eden beside it."""
    head = ("pair", "correlation similarity", "column shapes", "column pair trends", "quality", "Eden ratio")
    made = []
    for row in rows:
        said = record["pairs"].get(row.key)
        if said is not None:
            numbers = [
                f"{said[name.replace(' ', '_')]:.3f}" if said[name.replace(" ", "_")] is not None else "none"
                for name in head[1:5]
            ]
            made.append([row.title, *numbers, f"{row.ratio:.2f}"])
    return [head, *made]


def _parts(row: Row) -> list[str]:
    return [f"{row.ceiling:.2f}", f"{row.ratio:.2f}"]


def plain(cells: Cells) -> str:
    """For the terminal."""
    widths = [max(len(line[at]) for line in cells) for at in range(len(cells[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if not at else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in cells
    )


def markdown(cells: Cells) -> str:
    """For a page."""
    lines = ["| " + " | ".join(line) + " |" for line in cells]
    return "\n".join([lines[0], "|" + "---|" * len(cells[0]), *lines[1:]])
