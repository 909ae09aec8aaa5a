"""Feature likelihood divergence: the definition in full, and what it must notice."""

from __future__ import annotations

import numpy as np
import pytest

import truegrade as tg
from grading import PROVIDERS, grade
from oracles import fld as oracle
from truegrade.errors import InputError
from truegrade.metrics import FeatureLikelihoodDivergence
from truegrade.metrics import fld as module
from truegrade.metrics.fld import Mixture, fit_mixture, losses
from truegrade.samples import Samples

FAST = PROVIDERS[-1]


def score(X, Y, fresh, provider=FAST, **parameters):
    return grade(FeatureLikelihoodDivergence(**parameters), X, Y, provider, holdout=fresh)


def sides(n=16, m=6, h=8, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=(m, d)) * 0.8 + 0.2, rng.normal(size=(h, d)) * 2.0 + 5.0


def test_density_of_one_gaussian_is_the_closed_form():
    rows = np.random.default_rng(1).normal(size=(50, 4))
    mixture = Mixture(np.zeros((1, 4)), np.array([np.log(2.5)]))
    expected = -(rows**2).sum(1) / 5.0 - 2.0 * np.log(2 * np.pi * 2.5)
    np.testing.assert_allclose(mixture.log_likelihoods(rows), expected, rtol=1e-13)


def test_variances_are_those_of_the_definition():
    X, Y, _ = sides()
    fitted = fit_mixture(Y, X)
    np.testing.assert_allclose(fitted.log_variances, oracle.fit(Y, X), rtol=2e-3, atol=2e-3)
    assert fitted.loss(X) == pytest.approx(oracle.nll(Y, fitted.log_variances, X), rel=1e-10)


def test_value_is_the_definition():
    X, Y, fresh = sides()
    outcome, *others = (score(X, Y, fresh, provider) for provider in PROVIDERS)
    assert all(other.value == outcome.value for other in others)
    x, y, z = ((a - fresh.mean(0)) / fresh.std(0, ddof=1) for a in (X, Y, fresh))
    logs = oracle.fit(y, x)
    on_fresh, on_training = oracle.nll(y, logs, z), oracle.nll(y, logs, x)
    assert outcome.details["nll_holdout"] == pytest.approx(on_fresh, rel=1e-3)
    assert outcome.details["generalisation_gap"] == pytest.approx(on_training - on_fresh, rel=1e-3)
    order = np.random.default_rng(0).permutation(16)
    ranked = x[np.argsort(((X - fresh.mean(0)) ** 2).sum(1))]
    centres, rows = ranked[np.sort(order[:6])], ranked[np.sort(order[6:])]
    baseline = oracle.nll(centres, oracle.fit(centres, rows), z)
    assert outcome.details["nll_baseline"] == pytest.approx(baseline, rel=1e-3)
    assert outcome.value == pytest.approx(on_fresh - baseline, rel=1e-3, abs=0.05)


def test_tiles_change_nothing(monkeypatch):
    X, Y, fresh = sides(n=60, m=40)
    whole = score(X, Y, fresh).value
    monkeypatch.setattr(module, "_HELD", 10)
    monkeypatch.setattr("truegrade.metrics.distances._TILE", 256)
    assert score(X, Y, fresh).value == pytest.approx(whole, rel=1e-5)


# --- what it must notice ---


def law(n, rng, kinds=10, d=8):
    """A mixture of `kinds` of ten narrow modes."""
    centres = np.random.default_rng(0).normal(size=(10, d)) * 2.0
    return centres[rng.integers(0, kinds, n)] + 0.5 * rng.normal(size=(n, d))


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(2)
    X, good, fresh = (law(400, rng) for _ in range(3))
    half = good.copy()
    half[:200] = X[:200]
    return {
        "training": X,
        "fresh": fresh,
        "good": good,
        "half of the modes": law(400, rng, kinds=5),
        "noisy": good + 0.5 * rng.normal(size=good.shape),
        "half copies": half,
        "near copies": X + 0.01 * rng.normal(size=X.shape),
        "copies": X.copy(),
    }


@pytest.fixture(scope="module")
def graded(world):
    names = [name for name in world if name not in ("training", "fresh")]
    return {name: score(world["training"], world[name], world["fresh"]) for name in names}


def test_a_good_model_is_as_good_as_training_samples(graded):
    assert graded["good"].value == pytest.approx(0.0, abs=5.0)


@pytest.mark.parametrize("damage", ["half of the modes", "noisy", "half copies", "near copies", "copies"])
def test_damage_costs(graded, damage):
    assert graded[damage].value > graded["good"].value + 2.0


@pytest.mark.parametrize("damage", ["half copies", "near copies", "copies"])
def test_copies_open_the_gap(graded, damage):
    gap = graded[damage].details["generalisation_gap"]
    assert gap < graded["good"].details["generalisation_gap"] - 100.0


@pytest.mark.parametrize("damage", ["half of the modes", "noisy"])
def test_other_damage_does_not_open_the_gap(graded, damage):
    gap = graded[damage].details["generalisation_gap"]
    assert gap > graded["good"].details["generalisation_gap"] - 20.0


# --- seeds, order, sizes, input ---


def test_order_does_not_matter_even_with_ties():
    rng = np.random.default_rng(3)
    X, Y, fresh = (rng.integers(0, 5, (80, 3)).astype(float) for _ in range(3))
    value = score(X, Y, fresh).value
    assert score(X[rng.permutation(80)], Y[::-1], fresh[::-1]).value == pytest.approx(value, rel=1e-9)


def test_only_the_baseline_is_seeded():
    X, Y, fresh = sides(n=80, m=60)
    one, other = score(X, Y, fresh), score(X, Y, fresh, seed=1)
    assert one.details["nll_holdout"] == other.details["nll_holdout"]
    assert one.details["nll_baseline"] != other.details["nll_baseline"]


def test_most_limits_the_samples():
    X, Y, fresh = sides(n=100, m=90)
    assert score(X, Y, fresh, most=50).details["n_training"] == 50
    assert score(X, Y, fresh, most=50).details["n_generated"] == 50
    assert score(X, Y, fresh, most=50).value != score(X, Y, fresh).value


def test_constant_features_are_no_division_by_zero():
    X, Y, fresh = sides(n=40, m=40, h=40)
    wider = [np.column_stack([a, np.full(len(a), 1e8 + 0.1)]) for a in (X, Y, fresh)]
    plain = losses(*map(Samples.from_array, (X, Y, fresh)), most=40, seed=0)
    more = losses(*map(Samples.from_array, wider), most=40, seed=0)
    assert np.isfinite(more.of_holdout)
    assert more.of_holdout != plain.of_holdout  # a feature more in d


def test_it_needs_a_hold_out_and_four_training_samples():
    assert FeatureLikelihoodDivergence.info.needs_holdout
    with pytest.raises(InputError, match="3 real samples given; at least 4"):
        FeatureLikelihoodDivergence().check_sizes(3, 10)
    with pytest.raises(InputError, match="most=3 given"):
        FeatureLikelihoodDivergence(most=3)


def test_copies_have_a_value_and_no_interval(world):
    """The value is set by how long the fit goes on, not by the samples."""
    for name, there in (("good", True), ("copies", False)):
        sides = (a[:100] for a in (world["training"], world[name]))
        found = tg.evaluate(*sides, holdout=world["fresh"], metrics=["fld"], floor=False)["fld"]
        assert found.status == "ok"
        assert (found.interval is not None) == there
    assert found.value > 1e6
    assert "every sample is a copy" in found.missing["interval"]
