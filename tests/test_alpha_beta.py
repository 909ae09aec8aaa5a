"""Alpha-precision and beta-recall about the mean: golden values, normalisation, ends of the range."""

from __future__ import annotations

import numpy as np
import pytest

from grading import PROVIDERS, grade
from oracles import brute
from oracles import distances as oracle
from truegrade.errors import InputError
from truegrade.metrics.alpha_beta import AlphaPrecision, BetaRecall

GOLDEN = {
    (40, 40, 2): (0.305172, 0.339239),
    (60, 45, 3): (0.472797, 0.329885),
    (100, 100, 8): (0.423448, 0.491034),
}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("sizes", GOLDEN)
def test_golden_unnormalised_values(sizes, provider):
    X, Y = oracle.golden_sets(*sizes)
    got = [grade(m(compat="official"), X, Y, provider).value for m in (AlphaPrecision, BetaRecall)]
    assert got == pytest.approx(GOLDEN[sizes], abs=5e-7)


@pytest.mark.parametrize("levels", [2, 11, 30])
def test_equal_to_the_definition_and_normalised(levels):
    rng = np.random.default_rng(levels)
    X, Y = rng.normal(size=(70, 3)) + 1e4, 1.3 * rng.normal(size=(50, 3)) + 1e4
    for metric, definition in ((AlphaPrecision, brute.alpha_precision), (BetaRecall, brute.beta_recall)):
        unnormalised = definition(X, Y, levels)
        assert grade(metric(levels, "official"), X, Y).value == pytest.approx(unnormalised, abs=1e-12)
        score = grade(metric(levels), X, Y)
        assert 1 - score.value == pytest.approx((1 - unnormalised) * (levels - 1) / levels, abs=1e-12)
        assert score.value == pytest.approx(1 - 2 * score.details["mean_gap"], abs=1e-12)
        assert score.means.value() == score.value


def test_the_worst_is_exactly_0():
    X = np.random.default_rng(0).normal(size=(50, 3))
    far, centre = X + 50.0, np.tile(X.mean(0), (20, 1))
    assert grade(AlphaPrecision(), X, far).value == pytest.approx(0.0, abs=1e-12)
    assert grade(AlphaPrecision(), X, centre).value == pytest.approx(0.0, abs=1e-12)
    assert grade(BetaRecall(), X, far).value == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_one_law_gives_1_and_about_one_half(provider):
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(1500, 4)), rng.normal(size=(1500, 4))
    assert grade(AlphaPrecision(), X, Y, provider).value > 0.95
    assert grade(BetaRecall(), X, Y, provider).value == pytest.approx(0.5, abs=0.05)
    assert grade(BetaRecall(), X, X.copy(), provider).value > 0.99


def test_parameters_are_refused():
    with pytest.raises(InputError, match="levels=1 given"):
        AlphaPrecision(levels=1)
    with pytest.raises(InputError, match="compat='paper' given"):
        BetaRecall(compat="paper")


def test_the_published_convention_says_how_far_below_0_it_goes() -> None:
    """All synthetic samples in the centre: inside at every level, 1 - 2 * (levels / 2) / (levels - 1)."""
    X = np.concatenate([np.eye(4), -np.eye(4)])
    metric = AlphaPrecision(compat="official")
    outcome = grade(metric, X, np.zeros((6, 4)))
    assert outcome.value == pytest.approx(-1 / 29)
    assert metric.info.range == (pytest.approx(-1 / 29), 1.0)
    assert AlphaPrecision().info.range == (0.0, 1.0)
