"""Topological precision and recall: the definition with loops, outliers, seeds and degenerate sets."""

from __future__ import annotations

import numpy as np
import pytest

import truegrade as tg
from grading import PROVIDERS, grade, grade_all
from oracles import topological as oracle
from truegrade.errors import InputError
from truegrade.metrics import Precision, Recall, TopPrecision, TopRecall
from truegrade.metrics.distances import squared_tiles
from truegrade.metrics.ordered import content_order
from truegrade.metrics.topological import bandwidth, kernel, neighbours, projected

FAST = PROVIDERS[-1]
FEW = {"repeats": 2, "bootstraps": 30}  # for what has nothing to do with how many there are


def both(real, synthetic, provider=FAST, **parameters):
    metrics = [TopPrecision(**parameters), TopRecall(**parameters)]
    return list(grade_all(metrics, real, synthetic, provider).values())


def sides(n=60, m=50, d=2, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=(m, d)) * 0.8 + 0.5


def test_bandwidth_is_the_definition():
    X, _ = sides(n=90, d=3)
    assert bandwidth(X) == pytest.approx(oracle.bandwidth(X, 15), rel=1e-12)
    assert neighbours(90, 3) == 15
    assert neighbours(90, 32) == 45  # not more than every second


def test_kernel_is_the_definition():
    X, Y = sides(d=3)
    squared = np.concatenate([tile for _, tile in squared_tiles(X, Y)])
    expected = [oracle.density(x, Y, 1.3) for x in X]
    np.testing.assert_allclose(kernel(squared, 1.3).mean(1), expected, rtol=1e-12)
    np.testing.assert_array_equal(kernel(np.array([[0.0, 1e-9]]), 0.0), [[1.0, 0.0]])


@pytest.mark.parametrize(("n", "m", "d"), [(50, 40, 2), (60, 35, 3)])
def test_values_are_the_definition(n, m, d):
    """All draws made again here, the rest with loops."""
    X, Y = sides(n, m, d)
    middle, alpha, bootstraps = (X.mean(0) + Y.mean(0)) / 2, 0.1, 6
    values = []
    for seed in (3, 4):
        rows, widths, limits = [], [], []
        for side in (X, Y):
            ranked = (side - middle)[np.argsort(((side - middle) ** 2).sum(1))]
            rows.append(ranked[np.random.default_rng([seed, 1]).permutation(len(side))])
            size = len(side)
            counts = np.random.default_rng([seed, 2]).multinomial(size, np.full(size, 1 / size), size=bootstraps)
            widths.append(oracle.bandwidth(rows[-1], 5 * d))
            limits.append(oracle.half_width(rows[-1], widths[-1], counts, alpha))
        values.append(
            [oracle.precision(*rows, widths, limits), oracle.precision(*rows[::-1], widths[::-1], limits[::-1])]
        )
    for provider in PROVIDERS:
        found = both(X, Y, provider, alpha=alpha, bootstraps=bootstraps, repeats=2, seed=3)
        assert [o.value for o in found] == pytest.approx(np.mean(values, axis=0).tolist(), rel=1e-12)
    for outcome, each in zip(found, np.transpose(values), strict=True):
        assert outcome.details["sd_over_seeds"] == pytest.approx(np.std(each, ddof=1), abs=1e-12)
        assert outcome.details["lowest_of_seeds"] == pytest.approx(each.min(), rel=1e-12)
        assert outcome.details["highest_of_seeds"] == pytest.approx(each.max(), rel=1e-12)
    p, r = (o.value for o in found)
    assert found[0].details["f"] == pytest.approx(2 * p * r / (p + r), rel=1e-12)


def test_projection_keeps_squared_lengths_up_to_its_factor():
    rows = np.random.default_rng(1).normal(size=(400, 200))
    np.testing.assert_array_equal(projected(rows[:, :32], 0), rows[:, :32])
    ratio = (projected(rows, 0) ** 2).sum(1) / (rows**2).sum(1)
    assert projected(rows, 0).shape == (400, 32)
    assert ratio.mean() == pytest.approx(32 * 2 / 232, rel=0.05)
    assert not np.array_equal(projected(rows, 0), projected(rows, 1))


# --- behaviour ---


@pytest.mark.parametrize("d", [3, 50])
def test_fresh_samples_of_the_same_law_are_near_1_and_others_are_not(d):
    rng = np.random.default_rng(2)
    X, Y = rng.normal(size=(2, 400, d))
    assert min(o.value for o in both(X, Y, **FEW)) > 0.8
    assert max(o.value for o in both(X, Y + 1.5, **FEW)) < 0.25


def test_lost_modes_cost_recall_and_new_ones_precision():
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(2, 400, 4))
    X[:200] += 20.0
    precision, recall = both(X, Y, **FEW)
    assert precision.value > 0.8
    assert recall.value == pytest.approx(0.5, abs=0.1)
    precision, recall = both(Y, X, **FEW)
    assert precision.value == pytest.approx(0.5, abs=0.1)
    assert recall.value > 0.8


def test_a_few_outliers_in_the_real_set_do_not_vouch_for_bad_samples():
    """Half of the synthetic samples are bad: real outliers among them lift precision, not topological precision."""
    rng = np.random.default_rng(4)
    d = 8
    X, Y = rng.normal(size=(2, 400, d))
    Y[:200] += 8.0
    spoilt = X.copy()
    spoilt[:10] = 8.0 + rng.normal(size=(10, d)) * 1.5
    clean, with_outliers = (grade(TopPrecision(**FEW), real, Y, FAST).value for real in (X, spoilt))
    assert with_outliers == pytest.approx(clean, abs=0.03)
    before, after = (grade(Precision(), real, Y, FAST).value for real in (X, spoilt))
    assert after > before + 0.2


def test_a_few_synthetic_outliers_do_not_stand_in_for_lost_modes():
    rng = np.random.default_rng(5)
    d = 8
    X, Y = rng.normal(size=(2, 400, d))
    X[:200] += 8.0
    spoilt = Y.copy()
    spoilt[:10] = 8.0 + rng.normal(size=(10, d)) * 1.5
    clean, with_outliers = (grade(TopRecall(**FEW), X, side, FAST).value for side in (Y, spoilt))
    assert with_outliers == pytest.approx(clean, abs=0.05)
    before, after = (grade(Recall(), X, side, FAST).value for side in (Y, spoilt))
    assert after > before + 0.2


# --- seeds, order, degenerate sets ---


@pytest.mark.parametrize("d", [3, 40])
def test_order_does_not_matter_and_seeds_do(d):
    rng = np.random.default_rng(6)
    X, Y = rng.normal(size=(120, d)), rng.normal(size=(100, d)) + 0.4
    turned = X[rng.permutation(120)], Y[::-1]
    values = [o.value for o in both(X, Y)]
    assert [o.value for o in both(*turned)] == values
    assert [o.value for o in both(X, Y, seed=50)] != values


def test_order_of_tied_rows_does_not_matter():
    rng = np.random.default_rng(7)
    X = rng.integers(0, 4, (200, 3)).astype(float)
    order = rng.permutation(200)
    np.testing.assert_array_equal(X[content_order(X)], X[order][content_order(X[order])])


def test_the_spread_over_seeds_is_reported():
    X, Y = sides(n=200, m=200, d=5)
    outcome = grade(TopPrecision(), X, Y, FAST)
    details = outcome.details
    assert 0.0 < details["sd_over_seeds"] < 0.2
    assert details["lowest_of_seeds"] <= outcome.value <= details["highest_of_seeds"]
    assert grade(TopPrecision(repeats=1), X, Y, FAST).details["sd_over_seeds"] is None


def test_there_is_no_interval_and_it_is_said_why():
    X, Y = np.random.default_rng(8).normal(size=(2, 60, 3))
    score = tg.evaluate(X, Y, metrics=TopPrecision(**FEW), floor=False, exhibits=False)["top_precision"]
    assert score.interval is None
    assert "spread over seeds" in score.missing["interval"]


def test_swapping_the_sides_swaps_precision_and_recall():
    X, Y = sides(n=90, m=70, d=4)
    assert [o.value for o in both(X, Y)] == [o.value for o in both(Y, X)][::-1]


def test_no_dense_place_is_undefined():
    """Every sample is alone, so that a bootstrap may take away all there is of the density."""
    outcome = grade(TopPrecision(), np.eye(6), np.eye(6), FAST)
    assert outcome.value is None
    assert "no synthetic sample lies where" in outcome.reason
    assert grade(TopRecall(), np.eye(6), np.eye(6), FAST).value is None


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"alpha": 0.0}, "alpha=0.0 given; a number between 0 and 1"),
        ({"alpha": "0.1"}, "alpha='0.1' given"),
        ({"bootstraps": 0}, "bootstraps=0 given"),
        ({"repeats": 0}, "repeats=0 given"),
        ({"most": 3}, "most=3 given"),
        ({"seed": -1}, "seed=-1 given"),
    ],
)
def test_impossible_parameters_are_refused(parameters, text):
    with pytest.raises(InputError, match=text):
        TopRecall(**parameters)


def test_at_least_4_samples():
    with pytest.raises(InputError, match="3 real and 9 synthetic samples given; at least 4"):
        TopPrecision().check_sizes(3, 9)
