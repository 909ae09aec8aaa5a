"""Vendi score: the definition by the eigenvalues of the similarities, closed forms, errors that match the scatter."""

from __future__ import annotations

import numpy as np
import pytest

import truegrade as tg
from grading import grade
from truegrade.errors import InputError
from truegrade.metrics.vendi import Vendi, variety
from truegrade.samples import Samples

ORDERS = [0.5, 1.0, 2.0, 3.5, np.inf]


def definition(X, order=1.0):
    """From all eigenvalues of the n x n matrix K / n."""
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    values = np.linalg.eigvalsh(unit @ unit.T / len(X))
    values = values[values > 1e-13]
    if order == 1.0:
        return np.exp(-(values * np.log(values)).sum())
    if order == np.inf:
        return 1.0 / values.max()
    return (values**order).sum() ** (1.0 / (1.0 - order))


def score(X, order=1.0):
    return variety(Samples.from_array(X), order=order).score


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("n", "d"), [(50, 6), (6, 50), (20, 20), (21, 20)])
def test_the_definition(n, d, order):
    X = np.random.default_rng(n).normal(size=(n, d)) * np.linspace(0.2, 2, d) + 0.3
    assert score(X, order) == pytest.approx(definition(X, order), rel=1e-10)
    repeated = np.repeat(X, 3, axis=0)
    assert score(repeated, order) == pytest.approx(score(X, order), rel=1e-10)


@pytest.mark.parametrize("order", ORDERS)
def test_orthogonal_rows_count_themselves(order):
    assert score(np.eye(7), order) == pytest.approx(7.0, rel=1e-12)
    assert score(np.repeat(np.eye(9)[:4] * 5.0, 6, axis=0), order) == pytest.approx(4.0, rel=1e-12)
    assert score(np.ones((12, 3)), order) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("step", [1e-15, -1e-15, 1e-12, -1e-9, 1e-6, -1e-4, 0.009, 0.011, -0.011])
def test_orders_near_1_come_near_shannon_s(step):
    """To second order log S(q) = log S(1) - (q - 1) var / 2, var that of -log l with the probabilities l; shares of
    1/2, 1/4, 1/4 have the entropy 3/2 log 2 and the variance (log 2)^2 / 4."""
    X = np.repeat(np.eye(3), [4, 2, 2], axis=0)
    found, shannon = (variety(Samples.from_array(X), order=order) for order in (1.0 + step, 1.0))
    expected = 1.5 * np.log(2) - step * np.log(2) ** 2 / 8
    assert np.log(found.score) == pytest.approx(expected, abs=1e-14 + step**2)
    assert found.added == pytest.approx(shannon.added, abs=1e-12 + 10 * abs(step))


def test_unequal_groups_are_a_perplexity():
    """Shares 1/2, 1/4, 1/4 of three axes: exp(entropy) = 2 sqrt(2), order 2 gives 1 / sum of squares."""
    X = np.repeat(np.eye(3), [4, 2, 2], axis=0)
    assert score(X) == pytest.approx(2 * 2**0.5, rel=1e-12)
    assert score(X, 2.0) == pytest.approx(8 / 3, rel=1e-12)
    assert score(X, np.inf) == pytest.approx(2.0, rel=1e-12)


def test_two_directions_at_an_angle():
    """Eigenvalues (1 +- cos) / 2."""
    angle = 0.7
    X = np.array([[1.0, 0.0], [np.cos(angle), np.sin(angle)]])
    shares = np.array([1 + np.cos(angle), 1 - np.cos(angle)]) / 2
    assert score(X) == pytest.approx(np.exp(-(shares * np.log(shares)).sum()), rel=1e-12)


def test_the_value_is_of_the_synthetic_set_and_the_details_of_the_real_one():
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(80, 5)), rng.normal(size=(60, 5)) * [3, 1, 1, 0.2, 0.2]
    found = grade(Vendi(), X, Y)
    assert found.value == pytest.approx(definition(Y), rel=1e-10)
    assert found.details["real"] == pytest.approx(definition(X), rel=1e-10)
    assert found.details["ratio"] == pytest.approx(definition(Y) / definition(X), rel=1e-10)


def test_a_collapsed_model_has_less_variety():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 10))
    ratios = [grade(Vendi(), X, X[rng.integers(0, few, 300)]).details["ratio"] for few in (2, 10, 100)]
    assert ratios == sorted(ratios)
    assert ratios[0] < 0.3
    assert ratios[-1] < 1.0


@pytest.mark.parametrize("order", ORDERS)
def test_what_each_sample_adds_is_the_derivative(order):
    """Another copy of sample i moves the score by its part over n, to first order."""
    X = np.random.default_rng(3).normal(size=(400, 5)) * [2, 1, 1, 1, 0.5]
    found = variety(Samples.from_array(X), order=order)
    assert found.added.mean() == pytest.approx(0.0, abs=1e-12)
    for i in (0, 17, 200):
        more = score(np.concatenate([X, X[[i]]]), order) - found.score
        assert 401 * more == pytest.approx(found.added[i], abs=0.05 * found.added.std())


@pytest.mark.parametrize("order", [1.0, 2.0])
def test_the_interval_has_the_width_of_the_scatter(order):
    def drawn(seed):
        return np.random.default_rng(seed).normal(size=(300, 6)) * np.linspace(0.4, 2, 6)

    values = [score(drawn(seed), order) for seed in range(200)]
    X = drawn(999)
    interval = tg.evaluate(X, X[::-1], metrics=Vendi(order), floor=False, exhibits=False)["vendi"].interval
    assert (interval.high - interval.low) / 2 == pytest.approx(1.96 * np.std(values), rel=0.25)


def test_no_interval_with_no_more_samples_than_features():
    rng = np.random.default_rng(4)
    found = tg.evaluate(*rng.normal(size=(2, 40, 60)), metrics="vendi", floor=False, exhibits=False)["vendi"]
    assert found.interval is None
    assert "no more samples than features" in found.missing["interval"]


def test_rows_of_zeros():
    rng = np.random.default_rng(5)
    X, Y = rng.normal(size=(30, 4)), rng.normal(size=(30, 4))
    holed = Y.copy()
    holed[:3] = 0.0
    assert "3 synthetic rows are all zeros" in grade(Vendi(), X, holed).reason
    found = grade(Vendi(), holed, Y)
    assert found.value == pytest.approx(definition(Y), rel=1e-10)
    assert (found.details["real"], found.details["ratio"]) == (None, None)


@pytest.mark.parametrize("order", [0, -1.0, float("nan"), "1", True, None])
def test_impossible_orders_are_refused(order):
    with pytest.raises(InputError, match="a number above 0"):
        Vendi(order=order)
