"""Differences of models and agreement of scores: as plain data for all outputs, and as lines for the terminal.

A result holds every pair of models in every score. Shown are those that can be read: of two models all scores; of
up to FEW models the scores that speak for a family, of more than three of these only neighbours in the order of
the score; of still more the orders alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from truegrade.report.versus import SPEAKERS, chain, order, shown, title, versus
from truegrade.report.words import bounds, chance, number, safe
from truegrade.result import Comparison, Difference, Score

FEW = 5


def versus_summary(comparison: Comparison) -> dict[str, Any]:
    """What outputs show of a comparison beside its models, as plain data.

    {"words", "findings", "ranks": {key: {model: "2-3"}}, "orders": [{"key", "title", "text"}], "differences":
    [{"key", "title", "first", "second", "value", "interval", "p", "better", "paired", "note"}], "agreements":
    [{"key", "title", "kendall", "least", "least_title", "decided", "agreed"}], "left_out"}.
    Ranks where known, the order of the models by every ranked score, the differences worth showing (better: the
    name, "" if within noise or unknown; left_out: how many more the result holds), and, of three models or more, how
    far each score agrees with the others: the mean of Kendall's tau-b, the least and with which, and over all others
    the pairs of models that both decide and in how many of these they agree.
    """
    told, shown_differences = versus(comparison), list(_worth_showing(comparison))
    return {
        "words": told.words,
        "findings": list(told.findings),
        "ranks": {key: {n: str(rank) for n, rank in ranks.items()} for key, ranks in comparison.ranks.items()},
        "orders": [
            {"key": key, "title": title(comparison, key), "text": chain(comparison, key)} for key in comparison.ranks
        ],
        "differences": [_row(comparison, found) for found in shown_differences],
        "left_out": len(comparison.differences) - len(shown_differences),
        "agreements": list(_agreements(comparison)) if len(comparison) > 2 else [],
    }


def _worth_showing(comparison: Comparison) -> Iterator[Difference]:
    models, speaking = len(comparison), [key for keys in SPEAKERS.values() for key in keys]
    keys = list(dict.fromkeys(d.key for d in comparison.differences if models == 2 or d.key in speaking))
    for key in keys if models <= FEW else ():
        names, _ = order(comparison, key)
        near = {frozenset(names[i : i + 2]) for i in range(len(names) - 1)}
        for found in comparison.differences:
            if found.key == key and (models <= 3 or {found.first, found.second} in near):
                yield found


def _row(comparison: Comparison, found: Difference) -> dict[str, Any]:
    return {
        "key": found.key,
        "title": compared_title(comparison.evaluations[found.first][found.key]),
        "first": shown(found.first),
        "second": shown(found.second),
        "value": "" if found.value is None else number(found.value, found.interval),
        "interval": "" if found.interval is None else bounds(found.interval),
        "p": "" if found.p_holm is None else p_text(found.p_holm),
        "better": "" if found.better is None else shown(found.better),
        "paired": found.paired,
        "note": found.reason or "",
    }


def compared_title(score: Score) -> str:
    """What a difference is of: the score, or its distance to its target."""
    about = score.about
    aimed = about.direction == "target" and about.target is not None
    return safe(score.title) + (f", distance to {about.target:g}" if aimed else "")


def p_text(p: float) -> str:
    """p = 0.023; never p = 0."""
    text = chance(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def _agreements(comparison: Comparison) -> Iterator[dict[str, Any]]:
    keys = dict.fromkeys(key for a in comparison.agreements for key in (a.first, a.second))
    for key in keys:
        mine = [a for a in comparison.agreements if key in (a.first, a.second)]
        known = [(a.kendall, a.second if a.first == key else a.first) for a in mine if a.kendall is not None]
        if known:
            least, other = min(known)
            yield {
                "key": key,
                "title": title(comparison, key),
                "kendall": f"{np.mean([tau for tau, _ in known]):.2f}",
                "least": f"{least:.2f}",
                "least_title": title(comparison, other),
                "decided": sum(a.decided for a in mine),
                "agreed": sum(a.agreed for a in mine),
            }


# --- terminal --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Differences:
    """The orders, the differences and the agreement of a summary as something rich can print; False if empty."""

    summary: Mapping[str, Any]

    def __bool__(self) -> bool:
        return self.summary["versus"] is not None and len(self.summary["models"]) > 1

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        versus, text = self.summary["versus"], Text()
        if len(self.summary["models"]) > 2 and versus["orders"]:
            text.append("\nOrder of the models", "bold").append(" (> better beyond noise, ~ within noise)\n")
            text.append("".join(f"{row['title']}: {row['text']}\n" for row in versus["orders"]))
        if versus["differences"]:
            text.append("\nDifferences", "bold").append(" with 95 % intervals; p corrected for all of them (Holm)\n")
            text.append("".join(_lines(versus["differences"], options.max_width)))
        if versus["left_out"]:
            text.append(f"{versus['left_out']} further differences of pairs of models are in the JSON.\n", "dim")
        if versus["agreements"]:
            text.append("\nAgreement of each score with the others", "bold").append(" (mean of Kendall's tau-b)\n")
            text.append("".join(_agreement(row) for row in versus["agreements"]))
        text.rstrip()
        yield text


def _lines(rows: Sequence[Mapping[str, Any]], width: int) -> Iterator[str]:
    """One line a difference, in columns where there is room; of several pairs under the name of the score."""
    pairs = dict.fromkeys((row["first"], row["second"]) for row in rows)
    one = len(pairs) == 1
    if one:
        yield "{} minus {}\n".format(*next(iter(pairs)))
    lines = [_cells(row, one) for row in rows]
    widths = [max(cell_len(line[i]) for line in lines) for i in range(4)]
    meaning = max((cell_len(line[4]) for row, line in zip(rows, lines, strict=True) if not row["note"]), default=0)
    widths[0] = min(widths[0], width - sum(widths[1:]) - meaning - 10)
    before = None
    for row, line in zip(rows, lines, strict=True):
        if not one and row["title"] != before:
            yield f"{row['title']}\n"
            before = row["title"]
        text = _columns(line, widths) if widths[0] >= 12 else "  ".join(filter(None, line))
        yield ("" if one else "  ") + text + "\n"


def _columns(line: Sequence[str], widths: Sequence[int]) -> str:
    """The cells filled up to their widths; a label that is too long stands in a line before."""
    first = line[0] if cell_len(line[0]) <= widths[0] else ""
    before = "" if first else f"{line[0]}\n"
    cells = [first, *line[1:4]]
    return before + "  ".join([c + " " * (w - cell_len(c)) for c, w in zip(cells, widths, strict=True)] + [line[4]])


def _cells(row: Mapping[str, Any], one: bool) -> list[str]:
    """One difference: of what, value, interval, p, and what that means."""
    what = row["title"] if one else f"{row['first']} - {row['second']}"
    meaning = row["note"] or (f"{row['better']} is better" if row["better"] else "within noise")
    return [what, row["value"], row["interval"], row["p"], meaning]


def _agreement(row: Mapping[str, Any]) -> str:
    decided = f"; {row['agreed']} of {row['decided']} decided pairs alike" if row["decided"] else ""
    return f"{row['title']}: {row['kendall']}; least {row['least']} ({row['least_title']}){decided}\n"
