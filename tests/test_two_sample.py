"""1-NN two-sample accuracy: golden values, ties, chance levels and equal sizes."""

from __future__ import annotations

import numpy as np
import pytest

from grading import PROVIDERS, grade
from oracles import distances as oracle
from truegrade.errors import InputError
from truegrade.metrics.two_sample import NearestNeighbourTwoSample, chance_level

GOLDEN = {
    (40, 40, 2): (0.65, 0.675, 0.6625),
    (60, 45, 3): (0.666667, 0.4, 0.552381),
    (100, 100, 8): (0.51, 0.28, 0.395),
}
ALL = NearestNeighbourTwoSample(equal_sizes=False)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("sizes", GOLDEN)
def test_golden_accuracies(sizes, provider):
    score = grade(ALL, *oracle.golden_sets(*sizes), provider)
    got = (score.details["accuracy_real"], score.details["accuracy_synthetic"], score.value)
    assert got == pytest.approx(GOLDEN[sizes], abs=5e-7)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_equal_to_the_pooled_definition_with_ties_and_duplicates(provider):
    rng = np.random.default_rng(1)
    X, Y = rng.integers(0, 4, (50, 2)), rng.integers(0, 4, (31, 2))
    real, synthetic, overall = oracle.nn_accuracies(X, Y)
    score = grade(ALL, X, Y, provider)
    assert score.details["accuracy_real"] == pytest.approx(real, abs=1e-15)
    assert score.details["accuracy_synthetic"] == pytest.approx(synthetic, abs=1e-15)
    assert score.value == pytest.approx(overall, abs=1e-15)
    assert 0.5 in score.per_sample["real"]


def test_a_tie_counts_one_half():
    X, Y = np.array([[0.0], [2.0], [9.0]]), np.array([[4.0], [20.0]])
    # 0: own 2 at 2, nearer than 4 -> right. 2: own 0 and other 4 both at 2 -> tie. 9: own 2 at 7, other 4
    # at 5 -> wrong. 4: own 20 at 16, other 2 at 2 -> wrong. 20: own 4 at 16, other 9 at 11 -> wrong.
    score = grade(ALL, X, Y)
    np.testing.assert_array_equal(score.per_sample["real"], [1.0, 0.5, 0.0])
    np.testing.assert_array_equal(score.per_sample["synthetic"], [0.0, 0.0])
    assert score.value == pytest.approx(1.5 / 5)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_n19_unequal_sizes_are_equalised_and_the_chance_level_stands_beside(provider):
    rng = np.random.default_rng(7)
    X, Y = rng.normal(size=(1000, 4)), rng.normal(size=(100, 4))
    score = grade(NearestNeighbourTwoSample(seed=3), X, Y, provider)
    assert (score.details["n_used"], score.details["m_used"]) == (100, 100)
    assert score.details["chance"] == pytest.approx(99 / 199)
    assert abs(score.value - score.details["chance"]) < 0.12
    assert [w.code for w in score.warnings] == ["equalised"]
    assert "sub-sampled to 100 rows (seed 3)" in score.warnings[0].text


@pytest.mark.parametrize("provider", PROVIDERS)
def test_n19_without_equalising_the_value_follows_its_own_chance_level(provider):
    rng = np.random.default_rng(7)
    X, Y = rng.normal(size=(1000, 4)), rng.normal(size=(100, 4))
    score = grade(ALL, X, Y, provider)
    assert score.details["chance"] == pytest.approx((1000 * 999 + 100 * 99) / (1100 * 1099))
    assert abs(score.value - score.details["chance"]) < 0.03
    assert score.value > 0.75
    assert score.warnings == ()


def test_equal_sizes_leave_equal_sets_whole():
    X, Y = oracle.golden_sets(40, 40, 2)
    score = grade(NearestNeighbourTwoSample(), X, Y)
    assert score.value == pytest.approx(0.6625)
    assert score.warnings == ()


def test_chance_level_is_the_mean_over_all_labellings():
    rng = np.random.default_rng(0)
    pooled = rng.normal(size=(30, 2))
    values = [oracle.nn_accuracies(p[:12], p[12:])[2] for p in (rng.permutation(pooled) for _ in range(1500))]
    assert chance_level(12, 18) == pytest.approx(np.mean(values), abs=4 * np.std(values) / 1500**0.5)


def test_copies_far_sets_and_the_swap():
    X = np.random.default_rng(2).normal(size=(60, 3))
    assert grade(ALL, X, X.copy()).value == 0.0
    assert grade(ALL, X, X + 100.0).value == 1.0
    Y = X[:40] + 0.3
    there, back = grade(ALL, X, Y), grade(ALL, Y, X)
    assert there.value == back.value
    assert there.details["accuracy_real"] == back.details["accuracy_synthetic"]
    assert there.means.value() == there.value


def test_another_seed_draws_other_rows():
    rng = np.random.default_rng(5)
    X, Y = rng.normal(size=(300, 3)), rng.normal(size=(40, 3))
    values = {grade(NearestNeighbourTwoSample(seed=s), X, Y).value for s in range(6)}
    assert len(values) > 1
    with pytest.raises(InputError, match="seed=-1 given"):
        NearestNeighbourTwoSample(seed=-1)
