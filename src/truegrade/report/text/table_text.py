"""The table in the terminal: verdict, means, the worst and the flattered pairs, how columns were read.

Lines wrap at the width there is; names are cut, numbers never.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from truegrade.report.text.section import SEVERITIES, Section, View
from truegrade.report.words import safe

_WORST, _FLATTERED, _TYPED, _NOTICES = 5, 8, 20, 8
_GAP, _LEAST = 2, 16  # between columns; for a pair's name beside its numbers
_BY = "\u00d7"


class TableText(Section):
    """What the terminal shows of the tables of a summary."""

    part = "table"
    title = "The table"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield from super().__rich_console__(console, options)
        if self.models:
            yield from _typing(self.models[0]["table"]["typing"])
            yield Text("")

    def body(self, view: View, width: int) -> Iterator[RenderableType]:
        return _parts(view, width)


def _parts(view: View, width: int) -> Iterator[RenderableType]:
    if view["verdict"]:
        yield Text(" ".join(view["verdict"]))
    means = [(one["title"], f"{one['value']} {one['over']}") for one in view["aggregates"] if one["main"]]
    yield from (Text(f"{title}: {words}") for title, words in means)
    yield from numbers(_means(view["aggregates"]), ("means", "value", "real data", "taken"), width)
    worst = [[_pair(one), one["main"]["title"], *_of(one["main"]), one["ratio"]] for one in view["worst"][:_WORST]]
    yield from numbers(worst, ("worst pairs", "score", "value", "real data", "ratio"), width)
    yield from _flattered(view["inflated"], width)
    yield Text("")
    yield from _rows(view["rows"])
    for severity, text in view["notices"][:_NOTICES]:
        yield Text.assemble((f"{severity}: ", SEVERITIES[severity]), text)
    if len(view["notices"]) > _NOTICES:
        yield Text(f"... and {len(view['notices']) - _NOTICES} more remarks in the report", "dim")


def _means(aggregates: Sequence[View]) -> list[list[str]]:
    return [[one["title"], one["value"], one["ceiling"], one["over"]] for one in aggregates if not one["main"]]


def _of(main: View) -> tuple[str, str]:
    return main["value"], main["ceiling"]


def _pair(one: View) -> str:
    return f"{safe(one['first'], 30)} {_BY} {safe(one['second'], 30)}"


def _flattered(found: View, width: int) -> Iterator[RenderableType]:
    yield Text(f"\n{found['words']}", "bold yellow" if found["rows"] else "")
    rows = [
        [_pair(one), one["correlation"], one["eden"], one["ceiling"], one["ratio"]]
        for one in found["rows"][:_FLATTERED]
    ]
    yield from numbers(rows, ("flattered pairs", "correlation", "Eden", "real data", "ratio"), width)
    more = len(found["rows"]) - len(rows) + found["left_out"]
    if more:
        yield Text(f"... and {more:,} more", "dim")


def _rows(rows: View) -> Iterator[RenderableType]:
    for one in rows["detection"]:
        if one["status"] == "ok":
            interval = f" ({one['interval']})" if one["interval"] else ""
            yield Text(f"Detection, {one['title'].lower()}: AUC {one['value']}{interval}, {one['words']}")
        else:
            yield Text(f"Detection, {one['title'].lower()}: {one['reason']}", "dim")
    for one in rows["utility"][:_WORST]:
        yield Text(
            f"Predicting {safe(one['target'], 30)}: {one['score']} {one['synthetic']} trained on synthetic, "
            f"{one['real']} on real rows"
        )
    if rows["privacy"]:
        yield from (Text(f"Privacy: {sentence}") for sentence in rows["privacy"]["words"])


def _typing(columns: Sequence[View]) -> Iterator[RenderableType]:
    """How each column was read, so that a wrong guess is seen."""
    yield Text("Columns were read as", "bold")
    for one in columns[:_TYPED]:
        yield Text(f"  {one['name']}: {one['type']} ({one['why']})")
    if len(columns) > _TYPED:
        yield Text(f"  ... and {len(columns) - _TYPED:,} more", "dim")


def numbers(rows: Sequence[Sequence[str]], headings: Sequence[str], width: int) -> Iterator[RenderableType]:
    """A table whose first column wraps in what the numbers leave; two lines a row where that is too little."""
    if not rows:
        return
    wide = [max(cell_len(text) for text in column) for column in zip(headings, *rows, strict=True)]
    rest = width - sum(wide[1:]) - _GAP * len(wide)
    if rest < min(_LEAST, wide[0]):
        yield Text(f"\n{headings[0]}", "bold")
        for first, *others in rows:
            told = zip(headings[1:], others, strict=True)
            yield Text(first)
            yield Padding(Text("; ".join(f"{heading} {text}" for heading, text in told if text)), (0, 0, 0, 4))
        return
    yield Text("")
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    for at, heading in enumerate(headings):
        words = heading in ("score", "taken") or not at
        size = min(wide[0], rest) if not at else wide[at]
        table.add_column(Text(heading, "bold"), width=size, justify="left" if words else "right", overflow="fold")
    for row in rows:
        table.add_row(*(Text(text) for text in row))
    yield table
