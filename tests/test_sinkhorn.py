"""Sinkhorn divergence: the definition, limits, geomloss and POT, hard cases."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from grading import grade
from oracles import transport as oracle
from truegrade import evaluate
from truegrade.errors import InputError, NotConverged
from truegrade.metrics import entropic
from truegrade.metrics import sinkhorn as module
from truegrade.metrics.sinkhorn import SinkhornDivergence, sinkhorn
from truegrade.metrics.transport import transport


def pair(n, m, d, seed=0, shift=0.4):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=(m, d)) * 1.2 + shift


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize(("n", "m", "d", "blur"), [(2, 2, 1, 0.5), (15, 15, 3, 0.6), (12, 20, 2, 0.4), (9, 5, 30, 3.0)])
def test_equal_to_the_definition(p, n, m, d, blur):
    X, Y = pair(n, m, d)
    score = grade(SinkhornDivergence(p, blur=blur), X, Y)
    assert score.value == pytest.approx(oracle.sinkhorn_divergence(X, Y, p, blur), rel=1e-8)
    total = score.per_sample["real"].mean() + score.per_sample["synthetic"].mean()
    assert total == pytest.approx(score.value, rel=1e-9)
    assert score.details["marginal_error"] <= 1e-6


@pytest.mark.parametrize("p", [1, 2])
def test_without_blur_it_is_the_wasserstein_distance(p):
    X, Y = pair(40, 40, 2)
    assert sinkhorn(X, Y, p, 1e-4, 1e-6).value == pytest.approx(transport(X, Y, p).cost / p, rel=1e-3)
    if p == 2:
        assert sinkhorn(X, Y, p, 1e-4, 1e-6).value == pytest.approx(transport(X, Y, p).cost / p, rel=1e-9)


def test_with_all_blur_it_is_half_the_squared_distance_of_the_means():
    X, Y = pair(40, 30, 3)
    shift = X.mean(0) - Y.mean(0)
    assert sinkhorn(X, Y, 2, 1e3, 1e-6).value == pytest.approx(shift @ shift / 2, rel=1e-5)


def test_a_shift_costs_half_its_square_at_any_blur():
    X = np.random.default_rng(1).normal(size=(50, 3))
    for blur in (0.05, 0.5, 5.0):
        assert sinkhorn(X, X + np.array([3.0, 0.0, 4.0]), 2, blur, 1e-6).value == pytest.approx(12.5, rel=1e-9)


@pytest.fixture
def torch():
    """With one thread: of tensors as small as these more threads only wait for each other."""
    found = pytest.importorskip("torch")
    before = found.get_num_threads()
    found.set_num_threads(1)
    yield found
    found.set_num_threads(before)


def test_against_geomloss(torch):
    """As closely as it converges itself: the slower it lowers its softness, the nearer it comes."""
    geomloss = pytest.importorskip("geomloss")
    X, Y = pair(60, 40, 3)
    for p, blur in ((2, 0.5), (1, 0.5)):
        ours, apart = sinkhorn(X, Y, p, blur, 1e-6).value, []
        for scaling in (0.9, 0.99):
            loss = geomloss.SamplesLoss("sinkhorn", p=p, blur=blur, scaling=scaling, backend="tensorized", debias=True)
            apart.append(abs(float(loss(torch.from_numpy(X), torch.from_numpy(Y))) / ours - 1))
        assert apart[1] < 2e-4
        assert apart[1] < apart[0] / 5


def test_plan_cost_against_pot():
    ot = pytest.importorskip("ot")
    X, Y = pair(40, 30, 2)
    a, b, ground, eps = np.full(40, 1 / 40), np.full(30, 1 / 30), cdist(X, Y, "sqeuclidean") / 2, 2.0
    plan = ot.sinkhorn(a, b, ground, eps, stopThr=1e-13, numItermax=100000)
    value = (plan * (ground + eps * np.log(plan / np.outer(a, b)))).sum()
    found = entropic.between(X, Y, 2, eps, 20.0, 1e-8)
    assert found.cost == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("blur", [1e-4, 0.05, 1.0])
def test_equal_sets_give_0(p, blur):
    X = np.random.default_rng(2).normal(size=(60, 4)).astype(np.float32)
    order = np.random.default_rng(3).permutation(60)
    assert 0.0 <= grade(SinkhornDivergence(p, blur=blur), X, X[order]).value < 1e-9


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("blur", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("tolerance", [1e-1, 1e-2, 1e-3, 1e-6])
def test_a_loose_tolerance_makes_no_failure_of_equal_sets(p, blur, tolerance):
    """What the marginals lack may leave the divergence of equal sets below 0 by a little."""
    for seed in range(3):
        X = np.random.default_rng(seed).normal(size=(40, 2))
        order = np.random.default_rng(9).permutation(40)
        assert 0.0 <= sinkhorn(X, X[order], p, blur, tolerance).value <= tolerance


def test_a_value_further_below_0_is_no_result(monkeypatch):
    plain = module.within

    def worse(*given):
        found = plain(*given)
        return replace(found, cost=found.cost + 0.01)

    monkeypatch.setattr(module, "within", worse)
    X = np.random.default_rng(0).normal(size=(40, 2))
    with pytest.raises(NotConverged, match="below 0 by more than rounding"):
        sinkhorn(X, X, 2, 0.3, 1e-6)


def test_the_tolerance_that_rounding_allows_is_told():
    X, Y = pair(30, 40, 2)
    fine, blurred = (grade(SinkhornDivergence(blur=blur), X, Y).details for blur in (1e-5, 0.5))
    assert blurred["tolerance_used"] == 1e-6
    assert 1e-6 < fine["tolerance_used"] < 1e-3
    for details in (fine, blurred):
        assert details["marginal_error"] <= details["tolerance_used"]


@pytest.mark.parametrize("blur", [None, 1e-3, 1.0])
def test_one_point_each(blur):
    """N25."""
    same = np.ones((3, 2))
    assert grade(SinkhornDivergence(blur=blur), same, same).value == 0.0
    apart = grade(SinkhornDivergence(blur=blur), same, same + np.array([3.0, 4.0]))
    assert apart.value == pytest.approx(12.5, rel=1e-12)


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("blur", [1e-2, 1e-3, 1e-4])
def test_a_tiny_regulariser(p, blur):
    """N25: exp(-cost / eps) would be 0 everywhere."""
    X, Y = pair(30, 40, 2)
    score = grade(SinkhornDivergence(p, blur=blur), X, Y)
    assert score.value == pytest.approx(transport(X, Y, p).cost / p, rel=0.02)


def test_what_does_not_converge_is_no_result(monkeypatch):
    monkeypatch.setattr(entropic, "STEPS", 0)
    monkeypatch.setattr(entropic, "ROUGH_STEPS", 0)
    X, Y = pair(40, 50, 2)
    with pytest.raises(NotConverged, match="larger blur"):
        sinkhorn(X, Y, 2, 0.05, 1e-6)
    metric = SinkhornDivergence(blur=0.05)
    score = evaluate(X, Y, metrics=[metric], intervals=False, floor=False)["sinkhorn_divergence"]
    assert (score.status, score.value) == ("failed", None)


def test_costs_that_are_not_kept_change_nothing(monkeypatch):
    X, Y = pair(60, 50, 20)
    kept = sinkhorn(X, Y, 2, 0.8, 1e-6)
    monkeypatch.setattr(entropic, "_STORED", 0)
    monkeypatch.setattr(entropic, "_BLOCK", 333)
    again = sinkhorn(X, Y, 2, 0.8, 1e-6)
    assert again.value == pytest.approx(kept.value, rel=1e-9)
    assert again.real == pytest.approx(kept.real, rel=1e-6, abs=1e-6)


def test_answers_where_the_plan_vanishes():
    """Potentials that fit nothing: exponents of -1e6 and of +1e6."""
    X, Y = pair(6, 5, 2)
    costs = entropic.Costs(X, Y, 2)
    c = oracle.ground(X, Y, 2) / 2
    for far in (-1e3, 1e3):
        left, right = costs.answers(np.full(6, far), np.arange(5.0), 1e-3)
        expected = (c - np.arange(5.0)).min(1)
        assert left == pytest.approx(expected, abs=5e-3)
        assert right == pytest.approx((c - far).min(0), rel=1e-5)


def test_large_sets_are_drawn_from():
    X, Y = pair(90, 70, 2)
    score = grade(SinkhornDivergence(most=50, blur=0.5), X, Y)
    assert [w.code for w in score.warnings] == ["drawn_for_transport"]
    assert (score.details["n_used"], score.details["m_used"]) == (50, 50)
    assert score.influence is None
    assert score.standard_error > 0
    rng = np.random.default_rng(0)
    i, j = (np.sort(rng.choice(k, 50, replace=False)) for k in (90, 70))
    assert score.value == pytest.approx(oracle.sinkhorn_divergence(X[i], Y[j], 2, 0.5), rel=1e-8)


def test_blur_follows_the_real_spread_and_scale_the_value():
    X, Y = pair(50, 40, 3)
    score = grade(SinkhornDivergence(), X, Y)
    spread = np.sqrt(((X - X.mean(0)) ** 2).sum(1).mean())
    assert score.details["blur"] == pytest.approx(spread / 10, rel=1e-9)
    for scale in (1e20, 1e-15):
        scaled = grade(SinkhornDivergence(), X * scale, Y * scale)
        assert scaled.value == pytest.approx(score.value * scale**2, rel=1e-7)
    wide = grade(SinkhornDivergence(), X, Y * 100.0)
    assert wide.details["blur"] > score.details["blur"] * 10


def test_a_given_blur_makes_it_symmetric():
    X, Y = pair(50, 40, 3)
    there, back = (grade(SinkhornDivergence(blur=0.3), *sides).value for sides in ((X, Y), (Y, X)))
    assert there == pytest.approx(back, rel=1e-9)
    assert SinkhornDivergence(blur=0.3).info.symmetric
    assert not SinkhornDivergence().info.symmetric


@pytest.mark.parametrize("shift", [0.0, 0.8])
def test_error_is_the_scatter_of_repeats_and_not_too_small(shift):
    rng = np.random.default_rng(6)
    values, errors = [], []
    for _ in range(100):
        score = grade(SinkhornDivergence(blur=0.5), rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + shift)
        values.append(score.value)
        errors.append(score.standard_error)
    ratio = np.sqrt(np.mean(np.square(errors))) / np.std(values)
    assert 0.8 < ratio < (1.25 if shift else 3.0)


@pytest.mark.parametrize("wrong", [{"p": 3}, {"blur": 0}, {"blur": "x"}, {"blur": np.inf}, {"tolerance": 0}])
def test_impossible_parameters_are_refused(wrong):
    with pytest.raises(InputError, match="given"):
        SinkhornDivergence(**wrong)
