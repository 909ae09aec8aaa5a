"""The tables of a result, laid out for the width there is: no number is ever cut off.

One set: a column each for value, interval, reference and words; where they do not fit, two lines a score.
Several sets: a column each; where they do not fit, further tables below with the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from truegrade.report.words import safe

_GAP = 2
_LABEL, _VALUE, _WORDS = 27, 9, 10  # least widths; a label takes 12 where there is little room
_REFERENCE = "real vs real"


@dataclass(frozen=True)
class Tables:
    """The families of a summary (see `truegrade.report.summarize`) as something rich can print."""

    summary: dict[str, Any]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        if self.summary["families"]:
            draw = _several if self.summary["kind"] == "comparison" else _single
            yield from draw(self.summary, options.max_width)


def _single(summary: dict[str, Any], width: int) -> Iterator[RenderableType]:
    rows = _rows(summary)
    lines = [_texts(row) for row in rows]
    label, value, interval, reference = (max(cell_len(line[i]) for line in lines) for i in range(4))
    widths = [max(label, _LABEL), max(value, _VALUE), max(interval, 18), max(reference, len(_REFERENCE))]
    if sum(widths) + 4 * _GAP + 22 > width:
        widths = [label, max(value, 5), max(interval, 13), max(reference, 7)]
    rest = width - sum(widths) - 4 * _GAP
    for family in summary["families"]:
        yield Text(family["title"], "bold")
        if rest < _WORDS:
            yield from (_stacked(row) for row in family["rows"])
            continue
        table = _table(["", "value", "95 % interval", _REFERENCE, "in words"], [*widths, rest])
        for row in family["rows"]:
            table.add_row(_title(row), *(Text(text) for text in _texts(row)[1:]))
        yield table


def _texts(row: dict[str, Any]) -> list[str]:
    cell = row["cells"][0]
    return [_title(row).plain, cell["value"], cell["interval"], row["floor"] or "", cell["words"]]


def _stacked(row: dict[str, Any]) -> RenderableType:
    """A score in lines of its own: name and value, then what stands beside them."""
    _, value, interval, reference, words = _texts(row)
    beside = (interval, f"{_REFERENCE} {reference}" if reference else "", words)
    text = Text.assemble(_title(row), "  ", value)
    if any(beside):
        text.append("\n    " + "; ".join(part for part in beside if part))
    return Padding(text, (0, 0, 0, 0))


def _several(summary: dict[str, Any], width: int) -> Iterator[RenderableType]:
    rows, models = _rows(summary), summary["models"]
    label = max(_LABEL, *(cell_len(_title(row).plain) for row in rows))
    names = [safe(model["name"], 24) for model in models]
    texts = {row["key"]: _ranked(row, summary) for row in rows}
    values = [max(_VALUE, *(cell_len(texts[row["key"]][i]) for row in rows)) for i in range(len(names))]
    reference = max(cell_len(row["floor"] or "") for row in rows)
    wide = [max(w, cell_len(name)) for w, name in zip(values, names, strict=True)]
    if label + sum(wide) + max(reference, len(_REFERENCE)) + (len(names) + 1) * _GAP <= width:
        blocks, values, reference = [range(len(names))], wide, max(reference, len(_REFERENCE))
    else:
        reference = max(reference, 7)
        label = max(12, min(label, width - reference - max(values) - 2 * _GAP))
        each = max(1, (width - label - reference - _GAP) // (max(values) + _GAP))
        blocks = [range(i, min(i + each, len(names))) for i in range(0, len(names), each)]
    for block in blocks:
        if block is not blocks[0]:
            yield Text("")
        headings = ["", *(names[i] for i in block), _REFERENCE]
        widths = [label, *(values[i] for i in block), reference]
        for family in summary["families"]:
            yield Text(family["title"], "bold")
            table = _table(headings, widths)
            for row in family["rows"]:
                cells = [Text(texts[row["key"]][i]) for i in block]
                table.add_row(_title(row), *cells, Text(row["floor"] or ""))
            yield table


def _ranked(row: dict[str, Any], summary: dict[str, Any]) -> list[str]:
    """Each model's value, with its rank where that is known: 0.678 [2-3]."""
    ranks = summary["versus"]["ranks"].get(row["key"], {})
    shown = [ranks.get(model["name"]) for model in summary["models"]]
    return [c["value"] + (f" [{rank}]" if rank else "") for c, rank in zip(row["cells"], shown, strict=True)]


def _table(headings: Sequence[str], widths: Sequence[int]) -> Table:
    """Columns of these widths: the first and the words to the left, numbers to the right."""
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    for heading, width in zip(headings, widths, strict=True):
        left = heading in ("", "in words")
        table.add_column(Text(heading, "bold"), width=width, justify="left" if left else "right", overflow="fold")
    return table


def _rows(summary: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for family in summary["families"] for row in family["rows"]]


def _title(row: dict[str, Any]) -> Text:
    return Text.assemble(safe(row["title"]), " ", (row["arrow"], "dim"))
