"""Grades of tables made by hand, with every field filled: what reports of tables are drawn from."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

import results
from truegrade.density import SCORES
from truegrade.errors import Notice
from truegrade.result import Evaluation
from truegrade.result.table import (
    Aggregate,
    ColumnGrade,
    Curves,
    Inflated,
    Measure,
    PairGrade,
    PairPicture,
    Privacy,
    TableGrades,
    Task,
)
from truegrade.tables import ColumnType, Facts

NAMES = ("age", "fare", "height", "weight", "income", "since", "class", "sex", "port", "alive", "cabin", "passenger")
TYPES: tuple[ColumnType, ...] = (*["number"] * 5, "date", "few", "boolean", "category", "boolean", "text", "identifier")
NUMBERS = ("number", "date")
GRID = 64


def names_of(count: int) -> tuple[str, ...]:
    """Names of so many columns: the usual ones, then made up ones."""
    return NAMES[:count] if count <= len(NAMES) else NAMES + tuple(f"column {i}" for i in range(len(NAMES), count))


def facts(kind: ColumnType, seed: int, missing: int = 3) -> Facts:
    low, high, mean, sd = (10.0 * seed, 10.0 * seed + 50, 10.0 * seed + 20, 9.5)
    if kind == "date":
        low, high, mean, sd = (v + 15_000 for v in (low, high, mean, sd - 15_000))
    stored = {"date": "date", "number": "number", "boolean": "boolean"}.get(kind, "text")
    ends = (low, high, mean, sd) if kind in NUMBERS else (None,) * 4
    return Facts(500, missing, 40 if kind in NUMBERS else 3, stored, *ends)


def measure(value: float, ceiling: float | None = 0.8) -> Measure:
    return Measure(value, max(0.0, value - 0.03), min(1.0, value + 0.03), ceiling)


def column(name: str, kind: ColumnType, at: int) -> ColumnGrade:
    """A column graded the worse the smaller `at`; text and identifiers are not."""
    if kind in ("text", "identifier"):
        reason = "every value is different"
        return ColumnGrade(name, kind, "all values differ", kind, reason, facts(kind, at), facts(kind, at))
    value = min(0.75, 0.2 + 0.06 * at)
    if kind in NUMBERS:
        scores = {"eden_line": measure(value), "ks": measure(0.9, None), "range_coverage": measure(1.0, None)}
        at_places = np.linspace(0, 50, 64).astype(np.float32) + (15_000 if kind == "date" else 10 * at)
        bell = np.exp(-0.5 * ((np.linspace(0, 50, 64) - 20) / 9) ** 2).astype(np.float32)
        curves = Curves(at_places, None, bell, np.roll(bell, 9))
    else:
        scores = {"total_variation": measure(value), "category_coverage": measure(0.75, None)}
        shares = np.array([0.5, 0.3, 0.2], dtype=np.float32)
        curves = Curves(None, ("first", "second", "third"), shares, shares[::-1].copy())
    scores["missing_share"] = measure(0.99, None)
    sides = facts(kind, at), facts(kind, at, 9)
    return ColumnGrade(name, kind, "40 different numbers", "ok", None, *sides, scores, curves)


def pair(first: ColumnGrade, second: ColumnGrade, at: int) -> PairGrade:
    """A pair with the scores of its form; some without, some that the correlation score flatters."""
    numbers = [c.type in NUMBERS for c in (first, second)]
    form = "numbers" if all(numbers) else "mixed" if any(numbers) else "categories"
    if first.status != "ok" or second.status != "ok" or at % 17 == 5:
        status = next((c.status for c in (first, second) if c.status != "ok"), "collinear")
        return PairGrade(first.name, second.name, form, status, "no density", 480, 470)
    value = 0.03 + 0.07 * (at * 7 % 11)
    if form == "numbers":
        scores = {key: measure(0.9 + 0.01 * i, 0.99) for i, key in enumerate(SCORES)}
        scores |= {"correlation_score": measure(0.99, 0.998), "eden_score": measure(value, 0.72)}
    elif form == "categories":
        scores = {"total_variation": measure(0.9, 0.97), "equidensity": measure(value, 0.75)}
    else:
        scores = {"eden_line": measure(value, 0.78)}
    return PairGrade(first.name, second.name, form, "ok", None, 480, 470, scores)


def density(turn: float, shift: float = 0.0, size: int = GRID) -> NDArray[np.uint8]:
    """A banana, turned, in 255ths of the root of its density."""
    y, x = np.mgrid[-3 : 3 : 1j * size, -3 : 3 : 1j * size]
    x, y = x - shift, y + turn * (x * x - 1)
    found: NDArray[np.uint8] = np.rint(255 * np.exp(-0.25 * (x * x + y * y))).astype(np.uint8)
    return found


def pictures(inflated: tuple[Inflated, ...], pairs: tuple[PairGrade, ...]) -> tuple[PairPicture, ...]:
    order = sorted((p for p in pairs if p.form == "numbers" and p.ratio is not None), key=lambda p: p.ratio or 0.0)
    levels = dict.fromkeys(("real", "synthetic"), (58.0, 130.0, 180.0, 220.0, 255.0))
    chosen = [(one.first, one.second, "inflated", 0.8) for one in inflated[:3]]
    chosen += [(p.first, p.second, "worst", 0.5) for p in order[3:6]]
    chosen += [(p.first, p.second, "best", 0.05) for p in order[-2:]]
    return tuple(
        PairPicture(first, second, why, density(0.4), density(-turn, turn), levels, (0.0, 80.0, 15_000.0, 19_000.0))
        for first, second, why, turn in chosen
    )


def table_grades(names: tuple[str, ...] = NAMES, picture_size: int = GRID) -> TableGrades:
    """Grades of a table with columns of all types, every pair of them, and everything about whole rows."""
    columns = tuple(column(name, TYPES[i % len(TYPES)], i % 9) for i, name in enumerate(names))
    pairs = tuple(pair(a, b, i) for i, (a, b) in enumerate(combinations(columns, 2)))
    low = [p for p in pairs if p.form == "numbers" and p.ratio is not None and p.ratio < 0.6]
    flattered = tuple(
        Inflated(p.first, p.second, 0.99, p.scores["eden_score"].value or 0.0, p.ratio or 0.0)
        for p in sorted(low, key=lambda p: p.ratio or 0.0)
    )
    worst = names[0]
    return TableGrades(
        columns,
        pairs,
        flattered,
        {
            "column_score": Aggregate(0.61, 10, len(columns), 0.58, 0.64, 1.0),
            "eden_ratio": Aggregate(0.48, sum(p.ratio is not None for p in pairs), len(pairs), None, None, 1.0),
            "eden_line": Aggregate(0.44, 6, 6, None, None, 0.8),
            "correlation_score": Aggregate(0.99, 14, 15, 0.985, 0.995, 0.998),
            "equidensity": Aggregate(None, 0, 3),
        },
        pictures(flattered, pairs),
        {"boosting": Measure(0.83, 0.8, 0.86), "logistic": Measure(0.51, 0.48, 0.54)},
        (Task(names[-1], "AUC", 0.91, 0.78, 0.5), Task(worst, "R squared", 0.4, -0.2, 0.0, "few rows")),
        Privacy(
            {
                "exact_copies": Measure(0.02, 0.01, 0.03, 0.0),
                "closer_to_train": Measure(0.52, 0.49, 0.55),
                "nndr_median": Measure(None, reason="one row"),
            },
            ("2 % of the synthetic rows are exact copies of real rows.",),
            ((3, 17), (40, 2)),
        ),
        {name: f"{name}: standardised" for name in names},
        (500, 500),
        (Notice("surplus", "note", f"The synthetic table also has {worst}."), Notice("x", "caution", "Zones differ.")),
        (f"The worst pair holds {worst}.", "The correlations are right and the shapes are not."),
        {"levels": 5},
    )


def evaluation(name: str = "model", names: tuple[str, ...] = NAMES) -> Evaluation:
    """An evaluation of a table, with one score of whole rows, which has nothing to draw."""
    found = results.evaluation(name, 0.3, ("clipped_coverage",))
    scores = {key: replace(score, per_sample={}, repeats=None) for key, score in found.scores.items()}
    return replace(found, scores=scores, table=table_grades(names))
