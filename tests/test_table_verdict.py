"""What is said of a synthetic table: sentences of grades made by hand, branch by branch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from table_grades import facts
from table_pairs import coded, texts
from truegrade.errors import Notice
from truegrade.result.table import (
    Aggregate,
    ColumnGrade,
    Inflated,
    Measure,
    PairGrade,
    Privacy,
    TableGrades,
    Task,
)
from truegrade.tabular.columns.pairs import grade_columns
from truegrade.tabular.columns.single import lost_levels
from truegrade.tabular.verdict import verdict


def _column(name: str, ratio: float, **more: Any) -> ColumnGrade:
    found = {"eden_line": Measure(ratio, ratio - 0.01, ratio + 0.01, 1.0)}
    return ColumnGrade(name, "number", "", "ok", None, facts("number", 1), facts("number", 1), found, **more)


def _pair(first: str, second: str, ratio: float) -> PairGrade:
    found = {"eden_score": Measure(ratio, ratio - 0.01, ratio + 0.01, 1.0)}
    return PairGrade(first, second, "numbers", "ok", None, 500, 500, found)


def _said(columns: tuple[ColumnGrade, ...] = (), pairs: tuple[PairGrade, ...] = (), **more: Any) -> tuple[str, ...]:
    """Sentences; the aggregates are made of the parts."""
    means = {}
    for key, parts in (("column_score", columns), ("eden_ratio", pairs)):
        ratios = [0.0 if part.lacking else part.ratio or 0.0 for part in parts]
        if parts:
            means[key] = Aggregate(sum(ratios) / len(parts), len(parts), len(parts))
    return verdict(TableGrades(columns, pairs, aggregates=means, **more))


# --- copies -----------------------------------------------------------------------------------------------------


def _private(exact: float, close: float, *codes: str) -> dict[str, Any]:
    private = Privacy({"exact_copies": Measure(exact), "close_copies": Measure(close, ceiling=0.04)}, ("12 equal.",))
    return {"privacy": private, "notices": tuple(Notice(code, "serious", f"{code} is raised.") for code in codes)}


def test_copies_and_close_copies_come_first() -> None:
    good = (_column("a", 0.98),)
    near = _said(good, **_private(0.0, 0.97, "close_copies", "table_leak"))
    assert near[0].startswith("This nearly repeats the real table rather than models it: 97.0% of the synthetic rows")
    assert "4.0% of fresh real rows do" in near[0]
    assert _said(good, **_private(0.0, 0.3, "close_copies"))[0].startswith("Close copies: 30.0%")
    both = _said(good, **_private(0.1, 0.3, "close_copies", "table_copies"))
    assert both[0] == "Copies: 12 equal."
    assert both[1].startswith("Close copies: 30.0%")
    copied = _said(good, **_private(0.9, 0.9, "close_copies", "table_copies", "table_leak"))
    assert copied[0] == "This is a copy of the real table rather than a model of it: 12 equal."
    assert copied[1].startswith("Single columns")
    assert _said(good, **_private(0.0, 0.05, "table_leak"))[0] == "table_leak is raised."
    assert _said(good, **_private(0.9, 0.9))[0].startswith("Single columns")  # no more than fresh real rows show


# --- classifiers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("areas", "copies", "words"),
    [
        (((0.06, 0.04, 0.09), (0.55, 0.5, 0.6)), True, "near-equal pairs"),
        (((0.06, 0.04, 0.09), (0.55, 0.5, 0.6)), False, "for the wrong side (AUC 0.06"),
        (((0.42, 0.34, 0.51), (0.5, 0.45, 0.55)), True, "cannot tell synthetic rows from real ones (AUC 0.42"),
        (((0.83, 0.8, 0.86), (0.45, 0.4, 0.5)), True, "tells synthetic rows from real ones (AUC 0.83"),
        (((0.62, 0.49, 0.73), (0.5, 0.4, 0.6)), False, "cannot tell synthetic rows from real ones (AUC 0.62"),
        (((0.2, None, None), (0.5, None, None)), True, "near-equal pairs"),
        (((0.45, None, None), (0.5, None, None)), True, "cannot tell"),
    ],
)
def test_an_area_below_half_is_no_sign_of_quality(
    areas: tuple[tuple[float, float | None, float | None], ...], copies: bool, words: str
) -> None:
    found = {str(i): Measure(*area) for i, area in enumerate(areas)}
    told = _said(detection=found, **(_private(0.0, 0.9, "close_copies") if copies else {}))
    assert words in told[-1]


# --- columns and pairs ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ratio", "words"),
    [(0.95, "as well as real data would"), (0.85, "nearly as well as real data would"), (0.7, "only in part")],
)
def test_praise_is_by_the_mean(ratio: float, words: str) -> None:
    said = _said((_column("a", ratio), _column("b", ratio)), (_pair("a", "b", ratio),))
    assert said[0] == f"Single columns are reproduced {words}."
    assert said[1] == f"Pairs of columns are reproduced {words} (Eden ratio {ratio:.2f})."


@pytest.mark.parametrize(("ratio", "right"), [(0.95, True), (0.7, False)])
def test_columns_that_are_right_in_part_are_not_called_right(ratio: float, right: bool) -> None:
    said = _said((_column("a", ratio), _column("b", ratio)), (_pair("a", "b", 0.1),))
    assert said[1].startswith("The columns are right, but") == right
    assert "1 pair is far from the real ones" in said[1]


def test_absent_columns_are_part_of_the_mean() -> None:
    gone = replace(_column("b", 1.0), status="absent", lacking=True, scores={})
    pair = replace(_pair("a", "b", 1.0), status="absent", lacking=True, scores={})
    said = _said((_column("a", 1.0), gone), (pair,))
    assert said == (
        "1 column is not in the synthetic table, counted as 0: b.",
        "Pairs of columns are reproduced only in part (Eden ratio 0.00).",
    )


@pytest.mark.parametrize("fine", [True, False])
@pytest.mark.parametrize("many", [1, 2])
@pytest.mark.parametrize("others", [0, 1])
def test_pairs_that_are_not_right_are_said_in_whole_sentences(fine: bool, many: int, others: int) -> None:
    columns = tuple(_column(name, 0.95) for name in "abc") + (() if fine else (_column("d", 0.3),))
    pairs = (_pair("a", "b", 0.2), _pair("a", "c", 0.3), _pair("b", "c", 0.4))
    inflated = tuple(Inflated(p.first, p.second, 0.99, 0.2, p.ratio or 0.0) for p in pairs[:many])
    said = _said(columns, pairs[: many + others], inflated=inflated)
    assert (said[0] == "1 column is far from the real ones, of 4: d (0.30 of what real data get).") != fine
    count = "1 pair is" if many == 1 else "2 pairs are"
    start = f"The columns are right, but {count} not, of" if fine else f"{count} far from the real ones, of"
    assert said[1].startswith(f"{start} {many + others}, and the correlation score hides")
    assert len(said) == 2 + others
    if others:
        assert said[2].startswith(f"1 more pair is far from the real ones, of {many + 1}: ")
    alone = _said(columns, pairs[:many])[1]
    assert alone.startswith(f"{'The columns are right, but ' if fine else ''}{count} far from the real ones, of {many}")


# --- lost categories --------------------------------------------------------------------------------------------


def test_categories_are_lost_where_chance_does_not_explain_it() -> None:
    levels = ("a", "b", "c", "d")
    assert lost_levels(levels, np.array([60, 25, 9, 6]), np.array([90, 0, 0, 10])) == (("b", 0.25),)
    assert lost_levels(levels, np.array([6, 3, 1, 0]), np.array([900, 100, 0, 0])) == ()  # one row may be chance
    assert lost_levels(levels, np.array([60, 10, 30, 0]), np.array([90, 0, 0, 0])) == (("c", 0.3),)  # 9 expected of b
    real, other = {"c": texts(["a"] * 70 + ["p"] * 30)}, {"c": texts(["a"] * 90 + ["new"] * 10)}
    (column,) = grade_columns(*coded(real, other), seed=0, intervals=False)
    assert column.lost == (("p", 0.3),)


def test_lost_categories_are_named_and_are_no_praise() -> None:
    lost = replace(_column("segment", 0.95), lost=(("premium\x1b", 0.1), ("plus", 0.05)))
    said = _said((lost, _column("b", 1.0)), (_pair("segment", "b", 0.2),))
    assert said[0].startswith("segment lacks premium")
    assert said[0].endswith("(10% of the real values), plus (5% of the real values).")
    assert said[0].isprintable()
    assert said[1].startswith("1 pair is far from the real ones")
    many = _said(tuple(replace(lost, name=str(i)) for i in range(5)))
    assert many[-1] == "2 more columns lack categories of the real ones."


# --- what is taught ---------------------------------------------------------------------------------------------


def test_what_real_rows_teach_and_synthetic_rows_do_not_is_said() -> None:
    lost = Task("income", "R squared", 0.2, -0.14, 0.0)
    poor = Task("kind", "AUC", 0.9, 0.6, 0.5)
    said = _said(utility=(lost,), whole_rows=(1_000, 1_000))
    words = "a model trained on synthetic rows predicts income with R squared of -0.14 instead of 0.20."
    assert said == (f"What real rows teach is lost: {words}",)
    assert "kind with an AUC of 0.60 instead of 0.90" in _said(utility=(lost, poor), whole_rows=(1_000, 1_000))[0]
    gone = Task("kind", "AUC", 0.9, None, 0.5, "no such column")
    told = "real rows predicts kind with an AUC of 0.90, synthetic rows cannot train one"
    assert told in _said(utility=(lost, gone), whole_rows=(1_000, 1_000))[0]


def test_what_chance_or_little_gain_explains_is_not_lost() -> None:
    lost = Task("income", "R squared", 0.2, -0.14, 0.0)
    assert _said(utility=(lost,), whole_rows=(100, 100)) == ()
    assert _said(utility=(replace(lost, synthetic=0.15),), whole_rows=(9_000, 9_000)) == ()
    assert _said(utility=(replace(lost, real=0.05),), whole_rows=(9_000, 9_000)) == ()
    assert _said(utility=(replace(lost, real=None, reason="few"),), whole_rows=(9_000, 9_000)) == ()
