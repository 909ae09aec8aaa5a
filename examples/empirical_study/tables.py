"""The verdicts as one table: for the terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from empirical_study.study import HIGHER_IS_BETTER, NAMES
from empirical_study.verdicts import Verdict, verdicts

COLUMNS = {
    "noise": "noise",
    "generated": "generated",
    "collapse": "collapse",
    "drop": "drop",
    "shift": "shift",
    "turn": "turn",
    "copies": "copies",
    "samples": "samples",
}
"""Tests, and how their columns are called."""
Row = list[str]
_LONGEST = 80  # characters of a cell


def study_table(results: Mapping[str, Any]) -> tuple[Row, list[Row]]:
    """Header and rows: one row a space and metric."""
    rows = []
    for space, metrics in verdicts(results).items():
        times = results["spaces"][space]["milliseconds"]
        for metric, judged in metrics.items():
            cells = [_cell(test, judged[test]) for test in COLUMNS]
            passed = sum(judged[test].passed for test in COLUMNS)
            rows.append([space, NAMES[metric], *cells, f"{passed}/{len(COLUMNS)}", f"{times[metric]:.0f}"])
    return ["space", "metric", *COLUMNS.values(), "passes", "ms"], rows


def _cell(test: str, verdict: Verdict) -> str:
    word = "yes" if verdict.passed else "no"
    if verdict.number is None:
        return word
    return f"{word} {verdict.number:.0f}" if test == "samples" else f"{word} {verdict.number:.2f}"


def ladder_table(ladder: Mapping[str, Any]) -> tuple[Row, list[Row]]:
    """Header and rows: one row a set, one column a metric."""
    sets: Mapping[str, Mapping[str, float | None]] = ladder["scores"]
    keys = list(next(iter(sets.values())))
    rows = [[name, *("none" if row[key] is None else f"{row[key]:.4g}" for key in keys)] for name, row in sets.items()]
    return ["set", *(f"{NAMES[key]} {'↑' if key in HIGHER_IS_BETTER else '↓'}" for key in keys)], rows


def plain(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """In columns, for a terminal; a first cell that repeats the one above is left out."""
    rows = [[" ".join(c.split())[:_LONGEST] if c.isprintable() else repr(c)[:_LONGEST] for c in row] for row in rows]
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    lines, above = [], ""
    for row in [header, *rows]:
        first = "" if row[0] == above else row[0]
        above = row[0]
        lines.append("  ".join(c.ljust(w) for c, w in zip([first, *row[1:]], widths, strict=True)).rstrip())
    return "\n".join(lines)


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """As a Markdown table."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(map(escape, cells)) + " |"

    return "\n".join([line(header), "|" + "---|" * len(header), *map(line, rows)])


def escape(text: str) -> str:
    """Names of sets come from a file: no marks of Markdown or HTML, no line breaks, no endless lines."""
    shown = " ".join("".join(c if c.isprintable() else " " for c in text).split())[:_LONGEST]
    return shown.replace("&", "&amp;").replace("<", "&lt;").translate({ord(c): f"\\{c}" for c in "|*`[]"})


def join_words(words: Sequence[str]) -> str:
    """With commas and an and."""
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else "".join(words)
