"""The spread of the scores over several sets of one generator: as text, and as a table for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from truegrade.report.words import number, safe
from truegrade.result import Interval, Repeats

_HEAD = ("mean", "sd", "median", "quartiles", "5th to 95th percentile")


def repeats_text(repeats: Repeats | None) -> dict[str, Any] | None:
    """What is shown of repeats: {"sets", "defined", "how", "mean", "sd", "median", "quartiles", "tails"}, the last
    five as text with the digits that the spread supports; None without repeats, "" where nothing is defined."""
    if repeats is None:
        return None
    values = repeats.values[repeats.values == repeats.values]
    told: dict[str, Any] = {"sets": len(repeats.values), "defined": len(values), "how": repeats.how}
    if repeats.mean is None or repeats.median is None:
        return told | dict.fromkeys(("mean", "sd", "median", "quartiles", "tails"), "")
    half = repeats.sd or 0.0
    unit = Interval(repeats.mean - half, repeats.mean + half, 0.0, "")  # one sd either way sets the digits

    def show(value: float | None) -> str:
        return "" if value is None else number(value, unit)

    return told | {
        "mean": show(repeats.mean),
        "sd": show(repeats.sd),
        "median": show(repeats.median),
        "quartiles": f"{show(repeats.q25)} to {show(repeats.q75)}",
        "tails": f"{show(repeats.p05)} to {show(repeats.p95)}",
    }


@dataclass(frozen=True)
class RepeatTables:
    """A table per model whose scores have repeats, for a summary (see `truegrade.report.summarize`)."""

    summary: dict[str, Any]

    def __bool__(self) -> bool:
        return any(self._rows(i) for i in range(len(self.summary["models"])))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        for i, model in enumerate(self.summary["models"]):
            rows = self._rows(i)
            if rows:
                name = f"{safe(model['name'])}: " if self.summary["kind"] == "comparison" else ""
                yield Text(f"\n{name}Spread of the scores over {safe(rows[0][1]['how'], 300)}", "bold")
                yield _stacked(rows) if options.max_width < 96 else _table(rows)

    def _rows(self, model: int) -> list[tuple[str, dict[str, Any]]]:
        rows = (row for family in self.summary["families"] for row in family["rows"])
        found = ((row["title"], row["cells"][model].get("repeats")) for row in rows)
        return [(title, told) for title, told in found if told]


def _label(title: str, told: dict[str, Any]) -> str:
    lost = told["sets"] - told["defined"]
    return safe(title) + (f" (undefined in {lost})" if lost else "")


def _table(rows: list[tuple[str, dict[str, Any]]]) -> RenderableType:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False, header_style="dim")
    table.add_column("", min_width=27, overflow="fold")
    for head in _HEAD:
        table.add_column(head, justify="right", no_wrap=True)
    for title, told in rows:
        cells = (told[name] for name in ("mean", "sd", "median", "quartiles", "tails"))
        table.add_row(Text(_label(title, told)), *(Text(text) for text in cells))
    return Padding(table, (0, 0, 0, 2))


def _stacked(rows: list[tuple[str, dict[str, Any]]]) -> RenderableType:
    """Two lines a score, where there is no room for a table."""
    text = Text()
    for title, told in rows:
        text.append(f"{_label(title, told)}\n")
        if told["mean"]:
            text.append(
                f"  mean {told['mean']}, sd {told['sd'] or '-'}, median {told['median']}, "
                f"quartiles {told['quartiles']}, 5-95 % {told['tails']}\n",
                "dim",
            )
    text.rstrip()
    return Padding(text, (0, 0, 0, 2))
