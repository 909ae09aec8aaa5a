"""The printed tables: every number is there at any width."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import truegrade as tg
from truegrade.report import verdict
from truegrade.report.text.terminal import render_text
from truegrade.report.words import number
from truegrade.result import Comparison, Evaluation, Interval
from truegrade.samples import Samples

METRICS = ["fidelity", "coverage", "energy_distance", "nn_two_sample", "authenticity"]


def rows(seed: int, n: int = 60) -> NDArray[np.float64]:
    return np.random.default_rng(seed).normal(size=(n, 3))


@pytest.fixture(scope="module")
def one() -> Evaluation:
    return tg.evaluate(rows(0), 1.3 * rows(1), metrics=METRICS)


@pytest.fixture(scope="module")
def many() -> Comparison:
    models = {f"checkpoint number {i}": rows(i, 50 + 10 * (i % 2)) for i in range(1, 7)}
    return tg.compare(rows(0), models, metrics=METRICS)


@pytest.mark.parametrize("width", [30, 40, 60, 80, 100, 112, 200])
def test_nothing_is_cut_off_for_one_set(one: Evaluation, width: int) -> None:
    text = render_text(one, width)
    assert max(map(len, text.splitlines())) <= width
    squeezed = " ".join(text.split())
    for score in one.scores.values():
        assert score.value is not None
        assert score.floor is not None
        assert number(score.value, score.interval) in squeezed
        assert number(score.floor.value, score.interval) in squeezed
    assert squeezed.count("as good") >= 1


@pytest.mark.parametrize("width", [40, 60, 80, 100, 112, 200])
def test_nothing_is_cut_off_for_several_sets(many: Comparison, width: int) -> None:
    text = render_text(many, width)
    assert max(map(len, text.splitlines())) <= width
    for evaluation in many.evaluations.values():
        for score in evaluation.scores.values():
            assert score.value is not None
            assert number(score.value, score.interval) in text
    assert "for the size of checkpoint number 1" in " ".join(text.split())


def test_where_scores_by_label_are_is_said(one: Evaluation) -> None:
    labels = np.arange(60) % 3
    found = tg.evaluate(*(Samples.from_array(rows(i), labels=labels) for i in (0, 1)), metrics=METRICS)
    assert "Scores by label (3 labels) are in the report" in " ".join(render_text(found).split())
    assert "by label" not in render_text(one)


def test_tables_of_sets_of_equal_size_say_nothing_of_other_sizes() -> None:
    both = tg.compare(rows(0), {"A": rows(1), "B": rows(2)}, metrics=["precision", "recall"])
    assert "for the size of" not in render_text(both)


def test_a_reference_has_the_digits_of_its_score() -> None:
    assert number(-6.68e-05, Interval(0.399, 0.431, 0.95, "m")) == "0.000"
    assert number(6.68e-05, None) == "6.68e-05"
    assert number(2e-7, Interval(1e-7, 3e-7, 0.95, "m")) == "2e-07"


@pytest.mark.parametrize(
    ("metrics", "said"),
    [
        ("fidelity", "Good: realistic."),
        ("family:coverage", "Good: covers the variety."),
        (["fidelity", "family:coverage"], "Good: realistic, covers the variety."),
        (["fidelity", "copying"], "Good: realistic, does not copy."),
    ],
)
def test_only_what_was_looked_at_is_praised(
    metrics: str | list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verdict, "gap", lambda score: 1e-9)
    monkeypatch.setattr(verdict, "noise", lambda score: 0.0)
    found = tg.evaluate(rows(0), rows(1), metrics=metrics)
    assert verdict.judge(found).words == said


def test_one_feature_is_one_feature() -> None:
    text = render_text(tg.evaluate(rows(0)[:, :1], rows(1)[:, :1], metrics="energy_distance"))
    assert "1 feature\n" in text
