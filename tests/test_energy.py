"""Energy distance: direct sums, hand values, U against V, standard error."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from grading import PROVIDERS, grade
from oracles import distances as oracle
from truegrade.errors import InputError
from truegrade.metrics.energy import EnergyDistance


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("estimator", ["U", "V"])
def test_equal_to_direct_sums(estimator, provider):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 8)), 0.2 + 1.1 * rng.normal(size=(31, 8))
    score = grade(EnergyDistance(estimator), X, Y, provider)
    assert score.value == pytest.approx(oracle.energy(X, Y, unbiased=estimator == "U"), rel=1e-9)
    assert score.details["estimator"] == estimator
    parts = score.details
    u_value = 2 * parts["mean_across"] - parts["mean_real"] - parts["mean_synthetic"]
    assert u_value == pytest.approx(oracle.energy(X, Y), rel=1e-9)
    assert score.per_sample["real"].mean() + score.per_sample["synthetic"].mean() == pytest.approx(
        score.value
    )


@pytest.mark.parametrize("provider", PROVIDERS)
def test_by_hand(provider):
    X, Y = np.array([[0.0], [2.0]]), np.array([[1.0], [5.0]])
    # across 1, 5, 1, 3: mean 2.5; within 2 and 4 (U), 1 and 2 (V)
    assert grade(EnergyDistance(), X, Y, provider).value == pytest.approx(5 - 6, rel=1e-12)
    assert grade(EnergyDistance("V"), X, Y, provider).value == pytest.approx(5 - 3, rel=1e-12)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_equal_sets(provider):
    X = np.random.default_rng(1).normal(size=(80, 5)).astype(np.float32)
    order = np.random.default_rng(2).permutation(len(X))
    assert grade(EnergyDistance("V"), X, X[order], provider).value == 0.0
    assert grade(EnergyDistance(), X, X[order], provider).value < 0


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_offset_costs_no_digits(provider):
    rng = np.random.default_rng(3)
    X, Y = (np.round(rng.normal(size=(n, 6)) * 4096) / 4096 for n in (50, 60))
    plain = oracle.energy(X, Y)
    shifted = grade(EnergyDistance(), np.float32(X + 1e3), np.float32(Y + 1e3), provider)
    assert shifted.value == pytest.approx(plain, rel=1e-6)


def test_standard_error_is_the_scatter_of_repeats():
    rng = np.random.default_rng(4)
    scores = [
        grade(EnergyDistance(), rng.normal(size=(60, 2)), 1.0 + rng.normal(size=(40, 2))) for _ in range(300)
    ]
    scatter = np.std([s.value for s in scores])
    assert np.mean([s.standard_error for s in scores]) == pytest.approx(scatter, rel=0.15)
    X, Y = rng.normal(size=(25, 2)), 1.0 + rng.normal(size=(20, 2))
    jackknife = oracle.jackknife_error(X, Y, oracle.energy)
    assert grade(EnergyDistance(), X, Y).standard_error == pytest.approx(jackknife, rel=0.1)


def test_standard_error_for_one_law_is_too_large_by_the_root_of_2_never_too_small():
    rng = np.random.default_rng(5)
    scores = [grade(EnergyDistance(), *rng.normal(size=(2, 50, 4))) for _ in range(300)]
    ratio = np.mean([s.standard_error for s in scores]) / np.std([s.value for s in scores])
    assert 1.0 < ratio < 1.8
    assert abs(np.mean([s.value for s in scores])) < 4 * np.std([s.value for s in scores]) / 300**0.5


def test_the_record_follows_the_estimator():
    assert EnergyDistance().info.bias is None
    assert EnergyDistance("V").info.bias == "1/n"
    assert EnergyDistance("V").info.identical == 0.0
    with pytest.raises(InputError, match="estimator='W' given; 'U' or 'V'"):
        EnergyDistance("W")


def test_sets_large_enough_for_float32_products():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(2300, 24)).astype(np.float32)
    Y = (rng.normal(size=(2100, 24)) + 0.02).astype(np.float32)
    n, m = len(X), len(Y)
    across, real, synthetic = cdist(X, Y), cdist(X, X), cdist(Y, Y)
    expected = 2 * across.mean() - real.sum() / (n * (n - 1)) - synthetic.sum() / (m * (m - 1))
    assert grade(EnergyDistance(), X, Y, "engine").value == pytest.approx(expected, rel=1e-6)
    copies = X[rng.permutation(n)]  # the distance of a sample to its own copy is 0, not the root of rounding
    expected = -2 * real.sum() / (n * (n - 1)) / n
    assert grade(EnergyDistance(), X, copies, "engine").value == pytest.approx(expected, rel=1e-6)
    assert grade(EnergyDistance("V"), X, copies, "engine").value == 0.0
