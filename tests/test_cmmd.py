"""CMMD: the published formula pair by pair, what it sees and what it does not, bounded memory."""

from __future__ import annotations

import numpy as np
import pytest

import truegrade as tg
from grading import grade
from oracles import distances as oracle
from truegrade.metrics import cmmd as module
from truegrade.metrics import unit
from truegrade.metrics.cmmd import CMMD


def unit_rows(X):
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def published(X, Y):
    """Unit rows, sigma 10, all pairs with those of a row with itself, times 1000."""
    return 1000 * oracle.two_sample_statistic(unit_rows(X), unit_rows(Y), oracle.gaussian(10.0), unbiased=False)


def fast(X, Y):
    u, v = unit_rows(X), unit_rows(Y)

    def mean(a, b):
        return np.exp(-(2.0 - 2.0 * a @ b.T) / 200.0).mean()

    return 1000 * (mean(u, u) + mean(v, v) - 2 * mean(u, v))


def sets(seed=0, n=40, m=30, d=6):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + 0.5, 1.2 * rng.normal(size=(m, d))


def test_the_published_formula():
    X, Y = sets()
    assert grade(CMMD(), X, Y).value == pytest.approx(published(X, Y), rel=1e-9)
    assert grade(CMMD(), np.float32(X), np.float32(Y)).value == pytest.approx(published(X, Y), rel=1e-5)


def test_two_points_by_hand():
    X, Y = np.array([[1.0, 0.0], [5.0, 0.0]]), np.array([[-2.0, 0.0], [-1.0, 0.0]])
    assert grade(CMMD(), X, Y).value == pytest.approx(2000 * (1 - np.exp(-4 / 200)), rel=1e-12)
    assert grade(CMMD(), X, Y).value <= CMMD.info.range[1]
    assert grade(CMMD(), X, X.copy()).value == 0.0
    turned = np.array([[0.0, 3.0], [0.0, 4.0]])
    assert grade(CMMD(), X, turned).value == pytest.approx(2000 * (1 - np.exp(-2 / 200)), rel=1e-12)


@pytest.mark.parametrize("most", [2**25, 0])
@pytest.mark.parametrize("block", [7, 16, 2048])
def test_blocks_and_single_precision_change_nothing(monkeypatch, block, most):
    X, Y = sets(1, 90, 70, 12)
    monkeypatch.setattr(module, "_DOUBLE", most)
    for where in (module, unit):
        monkeypatch.setattr(where, "ROWS", block)
    found = grade(CMMD(), X, Y)
    assert found.value == pytest.approx(fast(X, Y), abs=1e-9)
    u, v = unit_rows(X), unit_rows(Y)
    k = np.exp(-(2.0 - 2.0 * np.concatenate([u, v]) @ np.concatenate([u, v]).T) / 200.0)
    assert found.per_sample["real"] == pytest.approx(1000 * (k[:90, :90].mean(1) - k[:90, 90:].mean(1)), abs=1e-8)
    assert found.per_sample["synthetic"] == pytest.approx(1000 * (k[90:, 90:].mean(1) - k[90:, :90].mean(1)), abs=1e-8)


def test_it_is_nearly_ten_times_the_squared_difference_of_the_means():
    X, Y = sets(2, 800, 800, 16)
    squared = ((unit_rows(X).mean(0) - unit_rows(Y).mean(0)) ** 2).sum()
    found = grade(CMMD(), X, Y)
    assert found.value == pytest.approx(10 * squared, rel=0.03)
    assert found.details["mean_part"] == pytest.approx(10 * squared, rel=1e-9)


def test_it_does_not_see_a_covariance():
    """Directions on two axes only, against directions all around: the means are equal, the laws far apart."""
    rng = np.random.default_rng(3)
    around = rng.normal(size=(300, 8))
    around = np.concatenate([around, -around])
    axes = np.zeros_like(around)
    axes[np.arange(600), rng.integers(0, 2, 600)] = 1.0
    axes = np.concatenate([axes[:300], -axes[:300]])
    assert grade(CMMD(), around, axes).value < 0.05
    assert grade(CMMD(), around, np.abs(around)).value > 1.0


def test_it_does_not_see_lengths_and_scale():
    X, Y = sets(4)
    lengths = np.random.default_rng(0).uniform(0.1, 9, size=(len(Y), 1))
    assert grade(CMMD(), X, Y * lengths).value == pytest.approx(grade(CMMD(), X, Y).value, rel=1e-10)
    assert grade(CMMD(), 1e-30 * X, 1e30 * Y).value == pytest.approx(grade(CMMD(), X, Y).value, rel=1e-10)


def test_rows_of_zeros_have_no_direction():
    X, Y = sets(5)
    Y[[3, 7]] = 0.0
    score = tg.evaluate(X, Y, metrics="cmmd")["cmmd"]
    assert score.status == "undefined"
    assert "2 synthetic rows are all zeros" in score.reason
    assert "real" not in score.reason
    assert grade(CMMD(), Y, Y).reason.count("2 ") == 2


def test_the_interval_covers_the_expected_value():
    """Of other samples of the same two laws, at these sizes."""
    axis = np.zeros(8)
    axis[0] = 1.0
    scores = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, Y = (rng.normal(size=(200, 8)) + shift * axis for shift in (1.0, 0.6))
        scores.append(tg.evaluate(X, Y, metrics="cmmd", floor=False, exhibits=False)["cmmd"])
    expected = np.mean([score.value for score in scores])
    covered = sum(score.interval.low <= expected <= score.interval.high for score in scores)
    assert covered >= 17
    assert expected > 0.1


def test_the_floor_is_carried_to_the_sizes_asked():
    X, Y = sets(6, 100, 100)
    floor = tg.evaluate(X, Y, metrics="cmmd", exhibits=False)["cmmd"].floor
    assert floor.scaled
    assert (floor.n, floor.m) == (50, 50)
    assert floor.value > 0


@pytest.fixture
def products():
    """Matrix products made before: the first one of a process allocates 32 MB for itself."""
    square = np.ones((1000, 1000))
    assert (square @ (square @ square[0])).shape == (square @ square)[0].shape


@pytest.mark.limit_memory("30 MB")
def test_memory_does_not_grow_with_the_pairs(products):
    """All pairs of 3000 x 3000 in single precision would be 36 MB."""
    X, Y = np.random.default_rng(7).normal(size=(2, 3000, 4)).astype(np.float32)
    sums = module.direction_sums(tg.Samples.from_array(X), tg.Samples.from_array(Y + 0.1))
    assert len(sums.across.rows) == 3000
