"""The numbers that sum up a table, from grades made by hand: what counts, and what a reference is called."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import truegrade as tg
from table_grades import table_grades
from truegrade.errors import InputError
from truegrade.grading import Run
from truegrade.report.text.terminal import render_text
from truegrade.report.verdict import judge
from truegrade.report.words import comparison_words
from truegrade.result.table import Measure, Privacy, TableGrades, Task
from truegrade.tables.naming import shown
from truegrade.tabular import TABLE_SCORES, table_scores
from truegrade.tabular.rows.privacy import MEASURES
from truegrade.tabular.verdict import verdict


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


# --- in words -------------------------------------------------------------------------------------------------


def test_little_that_is_given_away_is_no_sign_of_quality() -> None:
    private = Privacy({key: Measure(0.005, 0.004, 0.006, 0.5) for key in MEASURES})
    found = table_scores(grades(privacy=private), TABLE_SCORES, 90, 80)
    keys = ("exact_copy_share", "close_copy_share", "attribute_inference")
    assert {comparison_words(found[key]) for key in keys} == {"no more than real data"}
    leaks = Privacy({key: Measure(0.9, 0.85, 0.95, 0.1) for key in MEASURES})
    found = table_scores(grades(privacy=leaks), TABLE_SCORES, 90, 80)
    assert {comparison_words(found[key]) for key in keys} == {"far from real data"}


def test_names_in_the_verdict_are_short_and_harmless() -> None:
    hostile = "\x1b[31m\u202e" + "n" * 10_000
    made = table_grades(("age", hostile, "fare"))
    absent = replace(made.columns[1], status="absent", lacking=True)
    told = " ".join(verdict(replace(made, columns=(made.columns[0], absent, made.columns[2]))))
    assert "not in the synthetic table" in told
    assert shown(hostile) in told
    assert "n" * 60 not in told
    assert told.isprintable()
    for part in (replace(made, inflated=()), made):
        assert all(len(sentence) < 700 and sentence.isprintable() for sentence in verdict(part))


def test_the_verdict_on_a_table_is_not_preceded_by_none() -> None:
    pd = pytest.importorskip("pandas")
    real, fake = (pd.DataFrame(np.random.default_rng(i).normal(size=(60, 3)), columns=list("abc")) for i in (0, 1))
    found = tg.evaluate(real, fake, metrics=["eden_ratio"], exhibits=False)
    assert found.table is not None
    text = render_text(found, 200)
    assert "No verdict" not in text
    assert found.table.verdict[0] in text
    assert "No verdict" in judge(replace(found, table=replace(found.table, verdict=()))).words


# --- copies ---------------------------------------------------------------------------------------------------


def test_equal_rows_of_categories_are_no_copies_and_copies_are() -> None:
    pd = pytest.importorskip("pandas")

    def people(seed: int) -> Any:
        rng = np.random.default_rng(seed)
        return pd.DataFrame({k: rng.choice(list("abcdefghij"), 60) for k in ("town", "job", "pet", "sport")})

    real, fake = people(0).drop_duplicates(), people(1)
    fake.iloc[:2] = real.iloc[:2].to_numpy()
    asked = {"metrics": ["authenticity", "exact_copy_share"], "exhibits": False}
    chance, copied = (tg.evaluate(real, one, **asked) for one in (fake, real[::-1]))
    assert chance["authenticity"].details["exact_copies"] >= 2
    for found, said in ((chance, False), (copied, True)):
        assert found["authenticity"].details["real_duplicates"] == 0
        assert found.table is not None
        codes = {note.code for note in found.table.notices}
        codes |= {note.code for score in found.scores.values() for note in score.warnings}
        assert "exact_copies" not in codes
        assert ("table_copies" in codes) == said
        assert ("exact copies of" in judge(found).words) == said


def test_sides_that_are_no_tables_are_refused() -> None:
    from truegrade.tabular.grade import grade_table

    samples = tg.Samples.from_array(np.eye(3), name="vectors")
    with pytest.raises(InputError, match="real set 'vectors' is no table"):
        grade_table({"real": samples}, frozenset(), {}, seed=0, intervals=False, run=Run())  # type: ignore[arg-type]
