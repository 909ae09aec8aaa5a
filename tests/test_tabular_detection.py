"""Can a classifier tell the rows: areas, their intervals, folds that do not leak copies."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu
from sklearn.metrics import roc_auc_score

from truegrade.result.ecg import Number
from truegrade.result.table import Measure
from truegrade.samples import Samples
from truegrade.tabular.rows import learners
from truegrade.tabular.rows.detection import FOLDS, deal, detect
from truegrade.tabular.rows.together import together
from truegrade.uncertainty.areas import auc, auc_measure, farthest, folded_auc, share_bounds, wilson
from whole_rows import drawn


def test_the_area_is_that_of_scikit_learn_and_of_mann_whitney() -> None:
    rng = np.random.default_rng(0)
    low, high = rng.integers(0, 6, 40).astype(float), rng.integers(1, 8, 25).astype(float)
    labels = np.repeat([0, 1], [40, 25])
    assert auc(low, high) == pytest.approx(roc_auc_score(labels, np.concatenate([low, high])), abs=1e-12)
    assert auc(low, high) == pytest.approx(mannwhitneyu(high, low).statistic / (40 * 25), abs=1e-12)
    assert auc_measure(low, high).value == pytest.approx(auc(low, high))


def test_the_error_is_that_of_the_bootstrap() -> None:
    rng = np.random.default_rng(1)
    low, high = rng.normal(0, 1, 200), rng.normal(0.8, 2, 150)
    drawn = [auc(rng.choice(low, 200), rng.choice(high, 150)) for _ in range(2000)]
    found = auc_measure(low, high)
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert (found.high - found.low) / 3.92 == pytest.approx(np.std(drawn), rel=0.06)
    assert found.low < found.value < found.high


def test_perfect_areas_have_the_exact_bound_and_ties_none() -> None:
    a, b = np.arange(10.0), np.arange(20.0, 26.0)
    found = auc_measure(a, b)
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(0.025 ** (1 / 6))
    assert auc_measure(b, a).high == pytest.approx(1 - 0.025 ** (1 / 6))
    assert auc_measure(np.zeros(5), np.zeros(5)).value == 0.5
    assert auc_measure(np.zeros(1), np.zeros(5)).value is None


def test_bounds_of_shares_are_exact() -> None:
    assert share_bounds(0, 10) == pytest.approx((0.0, 1 - 0.025**0.1))
    assert share_bounds(4, 10) == pytest.approx((0.1216, 0.7376), abs=1e-4)  # Clopper & Pearson's chart
    found = wilson(0.4, 10)
    assert (found.low, found.high) == pytest.approx((0.1682, 0.6873), abs=1e-4)


def test_cross_validated_intervals_hold_half_in_about_95_of_100_cases() -> None:
    """A score that is a sum of similarities, trained on four folds: without the factor 2 it would be 83."""
    inside = 0
    for seed in range(300):
        x, folds = np.random.default_rng(seed).normal(size=(120, 10)), np.arange(120) % FOLDS
        y = np.repeat([0, 1], 60)
        scores = np.empty(120)
        for fold in range(FOLDS):
            train = folds != fold
            direction = x[train & (y == 1)].mean(0) - x[train & (y == 0)].mean(0)
            scores[~train] = x[~train] @ direction
        found = folded_auc(scores[y == 0], scores[y == 1], folds[y == 0], folds[y == 1])
        assert found.low is not None
        assert found.high is not None
        inside += found.low <= 0.5 <= found.high
    assert 278 <= inside <= 294  # 92.7 to 98 %


def test_folds_are_compared_only_within() -> None:
    low, high = np.array([0.0, 1.0, 10.0, 11.0]), np.array([0.5, 2.0, 10.5, 9.0])
    fold = np.array([0, 0, 1, 1])
    assert folded_auc(low, high, fold, fold).value == pytest.approx((0.75 + 0.25) / 2)


def test_each_fold_has_its_part_and_equal_rows_share_one() -> None:
    rng = np.random.default_rng(2)
    real = rng.normal(size=(101, 3))
    x = np.concatenate([real, real[:40], rng.normal(size=(60, 3)), np.zeros((50, 3))])
    y = np.repeat([0, 1], [101, 150])
    folds = deal(x, y, seed=0)
    np.testing.assert_array_equal(folds[:40], folds[101:141])
    for kind, count in ((0, 101), (1, 150)):
        sizes = np.bincount(folds[y == kind], minlength=FOLDS)
        assert sizes.max() - sizes.min() <= 3, count
    assert np.bincount(folds[-50:], minlength=FOLDS).min() >= 5  # frequent rows are dealt out like others


def test_what_differs_is_told_by_those_who_can_see_it() -> None:
    rng = np.random.default_rng(3)
    real, wide = rng.normal(size=(200, 3)), 2.5 * rng.normal(size=(200, 3))
    shifted = rng.normal([2.0, 0.0, 0.0], 1.0, (200, 3))
    fresh = rng.normal(size=(200, 3))
    found = {k: detect(real, v, iterations=15) for k, v in (("wide", wide), ("shifted", shifted), ("fresh", fresh))}
    assert found["wide"]["boosting"].low > 0.7
    assert found["wide"]["logistic"].value < 0.65  # equal means
    assert min(one.low for one in found["shifted"].values()) > 0.85
    assert all(one.low < 0.5 < one.high for one in found["fresh"].values())


def test_copies_are_not_told_from_their_originals() -> None:
    real = np.random.default_rng(4).normal(size=(200, 3))
    found = detect(real, real[::-1], iterations=20)
    assert [one.value for one in found.values()] == [0.5, 0.5]


def test_frequencies_of_few_distinct_rows_are_told() -> None:
    rng = np.random.default_rng(5)
    levels = np.eye(4)
    real, other = levels[rng.choice(4, 400, p=[0.4, 0.3, 0.2, 0.1])], levels[rng.choice(4, 400, p=[0.1, 0.2, 0.3, 0.4])]
    found = detect(real, other, iterations=10)
    assert min(one.low for one in found.values()) > 0.65


def test_the_same_whatever_the_threads_and_samples_as_arrays() -> None:
    rng = np.random.default_rng(6)
    a, b = rng.normal(size=(150, 3)), rng.normal(size=(90, 3)) + 0.5
    one = detect(a, b, threads=1, iterations=10, rows=80, seed=1)
    assert one == detect(Samples.from_array(a), Samples.from_array(b), threads=2, iterations=10, rows=80, seed=1)
    assert one != detect(a, b, threads=1, iterations=10, rows=80, seed=2)


def test_too_few_rows_and_no_scikit_learn_are_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(7).normal(size=(30, 2))
    assert detect(rows, rows[:5])["boosting"].reason == "30 real and 5 synthetic rows; at least 10 a side are needed"
    monkeypatch.setattr(learners, "find_spec", lambda name: None)
    assert detect(rows, rows)["logistic"].reason == "needs scikit-learn: pip install 'truegrade[tabular]'"


# --- levels ----------------------------------------------------------------------------------------------------


def _named(seed: int, share: float = 0.6) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    names = [f"n{i}" for i in rng.integers(0, 100, 200)]
    return pd.DataFrame({"name": names, "x": rng.normal(size=200), "kind": np.where(rng.random(200) < share, "a", "b")})


def _told(real: pd.DataFrame, synthetic: pd.DataFrame) -> list[Measure]:
    return list(detect(*together(*drawn(real, synthetic, types={"name": "category"})), iterations=10).values())


def test_levels_that_only_one_of_two_fresh_tables_has_tell_nothing() -> None:
    found = [_told(_named(2 * seed), _named(2 * seed + 1)) for seed in range(10)]
    assert sum(any(one.value > 0.6 and one.low > 0.5 for one in both) for both in found) <= 1
    assert min(one.low for one in _told(_named(0), _named(1, 0.1))) > 0.6  # shares that differ are still found
    renamed = _named(1).replace({"kind": {"b": "new"}})
    assert min(one.low for one in _told(_named(0), renamed)) > 0.6


def test_levels_have_a_coordinate_by_their_rows_on_both_sides() -> None:
    real = pd.DataFrame({"c": ["a"] * 12 + ["b"] * 6 + ["d"] * 7 + [None] * 2, "x": np.arange(27.0)})
    other = pd.DataFrame({"c": ["a"] * 9 + ["b"] * 4 + ["e"] * 11 + ["f"] * 3, "x": np.arange(27.0)})
    expected = {(12, 9), (6, 4), (0, 11), (7, 3), (2, 0)}  # a, b, e, d and f together, missing
    for first, second in (together(*drawn(real, other)), together(*drawn(other, real))[::-1]):
        levels = {(int(a), int(b)) for a, b in zip(first.sum(0), second.sum(0), strict=True)}
        assert expected <= levels


def test_the_classifier_that_is_farthest_from_guessing_counts_on_either_side() -> None:
    areas = [Number(0.6), Number(0.0), Number(None, reason="none"), Number(0.9)]
    assert farthest(areas) is areas[1]
    assert farthest([areas[2], areas[0]]) is areas[0]
    assert farthest([areas[2]]) is None
