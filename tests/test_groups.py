"""Scores by label are the scores' per-sample terms over the rows with that label."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import truegrade as tg
from truegrade.metrics.base import Means, Outcome
from truegrade.metrics.clipped import ClippedCoverage
from truegrade.metrics.placements import expected_hits
from truegrade.result import Evaluation
from truegrade.samples import Samples, label_text
from truegrade.uncertainty import groups

Rows = NDArray[Any]
FIXED: dict[str, Any] = {"floor": False, "exhibits": False}


def labelled(seed: int, labels: Any, n: int = 120, shift: float = 0.0) -> Samples:
    values = np.random.default_rng(seed).normal(size=(n, 4)) + shift
    return Samples.from_array(values, labels=labels)


def three(n: int = 120) -> Rows:
    return np.arange(n) % 3


def test_shares_by_label_are_means_over_its_rows() -> None:
    evaluation = tg.evaluate(labelled(0, three()), labelled(1, three(90), 90, 0.8), **FIXED)
    for key, side, labels in (
        ("recall", "real", three()),
        ("precision", "synthetic", three(90)),
        ("authenticity", "synthetic", three(90)),
    ):
        score = evaluation[key]
        assert list(score.per_group) == ["0", "1", "2"]
        for label in range(3):
            group = score.per_group[str(label)]
            assert group.value == pytest.approx(score.per_sample[side][labels == label].mean(), rel=1e-12)
            assert (group.n_real, group.n_synthetic) == (40, 30)
            assert group.interval is not None
            assert group.interval.low <= group.value <= group.interval.high


def test_the_clipped_pair_by_label() -> None:
    """Ratio of means over the label's rows; calibrated mean over the label's real rows."""
    real, synthetic = labelled(0, three()), labelled(1, three(), shift=0.7)
    evaluation = tg.evaluate(real, synthetic, intervals=False, **FIXED)
    density = evaluation["clipped_density"]
    d2 = ((real.array()[:, None] - real.array()[None]) ** 2).sum(-1)
    np.fill_diagonal(d2, np.inf)
    radii = np.sqrt(np.sort(d2, axis=1)[:, 4])
    counts = (np.sqrt(d2) <= np.minimum(radii, np.median(radii))[:, None]).sum(0)
    reference = np.minimum(counts, 5) / 5
    for label in range(3):
        mine = three() == label
        ratio = density.per_sample["synthetic"][mine].mean() / reference[mine].mean()
        assert density.per_group[str(label)].value == pytest.approx(min(ratio, 1.0), rel=1e-12)
    coverage = evaluation["clipped_coverage"]
    table, _ = expected_hits(120, 120, ClippedCoverage().k)
    for label in range(3):
        y = coverage.per_sample["real"][three() == label].mean()
        assert coverage.per_group[str(label)].value == pytest.approx(
            np.interp(y, table, np.arange(121) / 120), rel=1e-9
        )


def test_all_rows_in_one_group_give_the_score() -> None:
    evaluation = tg.evaluate(labelled(0, ["a"] * 120), labelled(1, ["a"] * 120), metrics="all", **FIXED)
    grouped = {key: s for key, s in evaluation.scores.items() if s.per_group}
    assert len(grouped) > 8
    for score in grouped.values():
        assert list(score.per_group) == ["a"]
        assert score.per_group["a"].value == pytest.approx(score.value, rel=1e-12)
    assert evaluation["frechet_distance"].per_group == {}


def test_labels_on_the_real_side_alone() -> None:
    evaluation = tg.evaluate(labelled(0, three()), labelled(1, None, 80), **FIXED)
    assert evaluation["precision"].per_group == {}
    recall = evaluation["recall"]
    assert recall.per_group["2"].value == pytest.approx(recall.per_sample["real"][2::3].mean())
    assert {(g.n_real, g.n_synthetic) for g in recall.per_group.values()} == {(40, 80)}


def test_a_label_that_one_side_lacks() -> None:
    """Coverage of a kind that is not made is bad; fidelity of it is undefined, and so is that of a kind unknown."""
    kinds = np.array(["cat", "dog", "owl"])[three()]
    values = np.random.default_rng(0).normal(size=(120, 4)) + 100.0 * three()[:, None]
    made = three(90) % 2  # cats and dogs
    synthetic = np.random.default_rng(1).normal(size=(90, 4)) + 100.0 * made[:, None]
    names = np.where(made == 0, "cat", "dog")
    names[0] = "emu"
    evaluation = tg.evaluate(
        Samples.from_array(values, labels=kinds), Samples.from_array(synthetic, labels=names), **FIXED
    )
    recall, precision = evaluation["recall"].per_group, evaluation["precision"].per_group
    assert list(recall) == list(precision) == ["cat", "dog", "emu", "owl"]
    assert recall["owl"].value == 0.0
    assert recall["cat"].value is not None
    assert recall["cat"].value > 0.8
    assert (recall["owl"].n_real, recall["owl"].n_synthetic) == (40, 0)
    assert (precision["owl"].value, precision["owl"].reason) == (None, "no synthetic samples with this label")
    assert (recall["emu"].value, recall["emu"].reason) == (None, "no real samples with this label")
    density = evaluation["clipped_density"].per_group["emu"]
    assert (density.value, density.reason) == (None, "no real samples with this label")


@pytest.mark.parametrize("labels", [three(), three().astype(float), three().astype(str), [f"{i}.0" for i in three()]])
def test_labels_are_compared_as_text(labels: Any) -> None:
    evaluation = tg.evaluate(labelled(0, three().astype(np.int8)), labelled(1, labels), intervals=False, **FIXED)
    sizes = {(g.n_real, g.n_synthetic) for g in evaluation["recall"].per_group.values()}
    assert (list(evaluation["recall"].per_group), sizes) == (["0", "1", "2"], {(40, 40)})


@pytest.mark.parametrize(
    ("label", "text"),
    [(3, "3"), (np.float32(3.0), "3"), ("-3.0", "-3"), (0.5, "0.5"), ("3.", "3."), ("v1.0", "v1.0")],
)
def test_text_of_a_label(label: Any, text: str) -> None:
    assert label_text(label) == text


def test_labels_come_in_their_natural_order_and_are_cut() -> None:
    kinds = [str(i % 12) for i in range(114)] + ["x" * 10_000] * 3 + ["x" * 9_999 + "y"] * 3
    score = tg.evaluate(labelled(0, kinds), labelled(1, None), metrics="recall", intervals=False, **FIXED)["recall"]
    *numbers, first, second = score.per_group
    assert numbers == [str(i) for i in range(12)]
    assert max(len(first), len(second)) <= 200
    assert first != second
    assert {score.per_group[name].n_real for name in (first, second)} == {3}


def test_too_many_labels_are_noted_and_not_graded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "MOST_LABELS", 50)
    many = tg.evaluate(labelled(0, np.arange(120) % 51), labelled(1, None), intervals=False, **FIXED)
    assert many["recall"].per_group == {}
    assert [n.text for n in many.notices if n.code == "many_labels"] == [
        "51 different labels: scores by label are given for at most 50. Give fewer, broader labels."
    ]
    some = tg.evaluate(labelled(0, np.arange(120) % 50), labelled(1, None), intervals=False, **FIXED)
    assert len(some["recall"].per_group) == 50


def test_no_interval_where_resampling_shows_nothing() -> None:
    evaluation = tg.evaluate(labelled(0, [*range(60), *range(60)]), labelled(1, None, 120), metrics="recall", **FIXED)
    for group in evaluation["recall"].per_group.values():
        assert group.interval is None or group.interval.low < group.interval.high


def test_intervals_by_label_hold_the_true_share() -> None:
    """Recall per label over fresh sets is covered by the 95 % interval most of the time."""
    rng, hits, tries = np.random.default_rng(5), 0, 0
    for _ in range(30):
        terms = (rng.random(200) < 0.7).astype(float)
        outcome = Outcome(float(terms.mean()), means=Means((("real", terms),), float))
        sides = {"real": labelled(0, np.arange(200) % 2, 200), "synthetic": labelled(1, None)}
        found, _ = groups.group_scores({"recall": tg.metrics.Recall()}, {"recall": outcome}, sides, seed=0)
        for group in found["recall"].values():
            assert group.interval is not None
            hits += group.interval.low <= 0.7 <= group.interval.high
            tries += 1
    assert tries == 60
    assert 0.85 <= hits / tries <= 1.0


def test_groups_come_back_from_json(tmp_path: Path) -> None:
    evaluation = tg.evaluate(labelled(0, three()), labelled(1, three()), **FIXED)
    evaluation.to_json(tmp_path / "a.json")
    assert Evaluation.from_json(tmp_path / "a.json")["recall"].per_group == evaluation["recall"].per_group


def test_parts_of_sides_are_left_out() -> None:
    """The two-sample test draws as many of the larger side: its terms are not those of the rows."""
    score = tg.evaluate(labelled(0, three()), labelled(1, three(90), 90), metrics="nn_two_sample", **FIXED)
    assert score["nn_two_sample"].per_group == {}
    equal = tg.evaluate(labelled(0, three()), labelled(1, three()), metrics="nn_two_sample", **FIXED)
    assert list(equal["nn_two_sample"].per_group) == ["0", "1", "2"]
