"""The numbers that sum up a table, from grades made by hand: what counts, and what a reference is called."""

from __future__ import annotations

import pytest

from truegrade.result.table import Measure, Privacy, TableGrades, Task
from truegrade.tabular import TABLE_SCORES, table_scores
from truegrade.tabular.privacy import MEASURES


def grades(**parts: object) -> TableGrades:
    return TableGrades((), (), **parts)  # type: ignore[arg-type]


def utility_of(*tasks: Task) -> tuple[float | None, dict[str, object]]:
    found = table_scores(grades(utility=tasks), {"utility_ratio"}, 100, 100)["utility_ratio"]
    return found.value, dict(found.details)


def test_a_reference_is_called_what_it_is() -> None:
    private = Privacy({key: Measure(0.1, 0.0, 0.2, 0.1) for key in MEASURES})
    found = table_scores(grades(privacy=private), TABLE_SCORES, 90, 80)
    notes = {key: one.floor.note for key, one in found.items() if one.floor is not None}
    assert set(notes) == {key for key, one in TABLE_SCORES.items() if one.part == "privacy"}
    assert all("fresh real rows" in note and "hold-out" in note for note in notes.values())


def test_a_target_that_the_synthetic_table_lacks_teaches_nothing() -> None:
    right, wrong = Task("a", "AUC", 0.9, 0.9, 0.5), Task("w", "R squared", 0.8, -0.3, 0.0)
    gone = Task("w", "R squared", 0.8, None, 0.0, "synthetic has no such column")
    unknown = Task("u", "AUC", None, None, 0.5, "it has one value in the real rows")
    assert utility_of(right, wrong) == utility_of(right, gone) == (0.5, {"over": 2, "of": 2})
    assert utility_of(gone) == (0.0, {"over": 1, "of": 1})
    assert utility_of(right, gone, unknown) == (0.5, {"over": 2, "of": 3})


@pytest.mark.parametrize(
    ("areas", "counts"), [((0.55, 0.5), 0.55), ((0.1, 0.43), 0.1), ((0.92, 0.432), 0.92), ((0.52, 0.3), 0.3)]
)
def test_of_two_classifiers_the_one_farthest_from_guessing_counts(areas: tuple[float, float], counts: float) -> None:
    found = dict(zip(("boosting", "logistic"), (Measure(a, a - 0.02, a + 0.02) for a in areas), strict=True))
    score = table_scores(grades(detection=found), {"detection_auc"}, 100, 100)["detection_auc"]
    assert score.value == counts
    assert score.interval is not None
    assert score.interval.low == pytest.approx(counts - 0.02)
    assert "farthest from .5" in score.about.formula
