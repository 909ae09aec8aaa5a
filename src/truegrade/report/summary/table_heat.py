"""The heat map of pairs: a triangle of cells, each with a grade in steps, a short text and a sentence.

heat_map(...) = {"columns": [name], "rows": [{"name", "cells": [cell]}], "of", "chosen", "dense", "legend",
"pairs", "defined"}.
Row i has the pairs of column i + 1 with columns 0 to i. A cell is {"step" (0 worst to 10, or None), "text", "words",
"inflated", "status", "lacking"}; None where the pair is not compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from truegrade.report.summary.table_words import View, column_name, pair_words, ratio_text, status_words
from truegrade.result.table import PairGrade, TableGrades

MOST, FEWER = 60, 40  # columns that are drawn; where there are more, the worst
DENSE = 16  # columns from which on a cell has no room for its number
_LETTERS = {"collinear": "l", "degenerate": "d", "constant": "c", "missing": "m", "absent": "a"}
Pairs = Mapping[tuple[str, str], PairGrade]


def heat_map(table: TableGrades) -> View | None:
    """The map of all pairs, or of the worst columns; None without pairs."""
    pairs = {(pair.first, pair.second): pair for pair in table.pairs}
    if not pairs:
        return None
    compared = {name for pair in pairs for name in pair}
    names = [column.name for column in table.columns if column.name in compared]
    names += sorted(compared - set(names))
    shown = names if len(names) <= MOST else _worst(names, pairs)
    inflated = {(one.first, one.second) for one in table.inflated}
    cells = [[_cell(pairs, inflated, other, name) for other in shown[:at]] for at, name in enumerate(shown)]
    return {
        "columns": [column_name(name) for name in shown],
        "rows": [{"name": column_name(shown[at]), "cells": row} for at, row in enumerate(cells) if at],
        "of": len(names),
        "chosen": len(shown) < len(names),
        "dense": len(shown) > DENSE,
        "legend": _legend(cell for row in cells for cell in row if cell is not None),
        "pairs": len(pairs),
        "defined": sum(pair.ratio is not None for pair in pairs.values()),
    }


def step(ratio: float) -> int:
    """0 to 10: the tenth in which a ratio lies, to the nearest; what is above 1 is as good as 1."""
    return min(10, max(0, round(10 * ratio)))


def _worst(names: list[str], pairs: Pairs) -> list[str]:
    """The columns whose pairs are the worst on the whole, in the order of the table."""
    found: dict[str, list[float]] = {name: [] for name in names}
    for pair in pairs.values():
        if pair.ratio is not None:
            found[pair.first].append(pair.ratio)
            found[pair.second].append(pair.ratio)
    mean = {name: math.fsum(ratios) / len(ratios) if ratios else math.inf for name, ratios in found.items()}
    chosen = set(sorted(names, key=mean.__getitem__)[:FEWER])
    return [name for name in names if name in chosen]


def _cell(pairs: Pairs, inflated: set[tuple[str, str]], first: str, second: str) -> View | None:
    pair = pairs.get((first, second)) or pairs.get((second, first))
    if pair is None:
        return None
    flattered = (pair.first, pair.second) in inflated
    words = f"{column_name(first)} and {column_name(second)}: {pair_words(pair)}"
    ratio = pair.ratio
    if ratio is None:
        status = pair.status if pair.status != "ok" else "undefined"
        cell: View = {"step": None, "text": _letter(status), "status": status, "lacking": pair.lacking}
        return cell | {"words": words, "inflated": flattered}
    words += f", ratio {ratio_text(ratio)}" + ("; the correlation score flatters it" if flattered else "")
    cell = {"step": step(ratio), "text": _short(ratio), "status": "ok", "lacking": False}
    return cell | {"words": words, "inflated": flattered}


def _short(ratio: float) -> str:
    """.62, 1.0"""
    return f"{ratio:.2f}".removeprefix("0") if ratio < 0.995 else f"{min(ratio, 99):.1f}"


def _letter(status: str) -> str:
    return _LETTERS.get(status, status[:1])


def _legend(cells: Iterable[View]) -> list[View]:
    """The letters of pairs without a grade that occur, and how often."""
    counts: dict[str, int] = {}
    for cell in cells:
        if cell["step"] is None:
            counts[cell["status"]] = counts.get(cell["status"], 0) + 1
    return [
        {"letter": _letter(status), "words": status_words(status), "count": count}
        for status, count in sorted(counts.items())
    ]
