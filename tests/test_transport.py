"""Exact Wasserstein distance: all assignments, the linear program, POT, certificates, and early stops."""

from __future__ import annotations

import builtins
import sys

import numpy as np
import pytest
import scipy.optimize
from scipy.spatial.distance import cdist

from grading import grade
from oracles import transport as oracle
from truegrade import evaluate
from truegrade.errors import InputError, MissingExtra, NotConverged
from truegrade.metrics import transport
from truegrade.metrics.transport import Wasserstein

ot = pytest.importorskip("ot")


def pair(n, m, d, seed=0, shift=0.4):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=(m, d)) * 1.2 + shift


@pytest.mark.parametrize("p", [1, 2])
def test_best_of_all_assignments(p):
    X, Y = pair(7, 7, 3)
    expected = oracle.wasserstein_all_orders(X, Y, p)
    assert grade(Wasserstein(p), X, Y).value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize(("n", "m", "d"), [(2, 2, 1), (2, 3, 2), (9, 14, 3), (12, 8, 1), (20, 20, 40)])
def test_optimum_of_the_linear_program(p, n, m, d):
    X, Y = pair(n, m, d)
    score = grade(Wasserstein(p), X, Y)
    assert score.value == pytest.approx(oracle.wasserstein_program(X, Y, p), rel=1e-9)
    for side in ("real", "synthetic"):
        assert score.per_sample[side].mean() == pytest.approx(score.value**p, rel=1e-12)


def test_by_hand():
    X, Y = np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[1.0, 2.0], [0.0, 3.0]])
    assert grade(Wasserstein(), X, Y).value == pytest.approx(2.5, rel=1e-14)
    assert grade(Wasserstein(2), X, Y).value == pytest.approx(np.sqrt(6.5), rel=1e-14)
    assert grade(Wasserstein(), X, Y).per_sample["synthetic"] == pytest.approx([2.0, 3.0])


@pytest.mark.parametrize("p", [1, 2])
def test_a_shift_costs_its_length(p):
    X = np.random.default_rng(1).normal(size=(60, 5))
    v = np.array([3.0, -4.0, 0.0, 12.0, 0.0])
    assert grade(Wasserstein(p), X, X + v).value == pytest.approx(13.0, rel=1e-12)


@pytest.mark.parametrize(("p", "n"), [(1, 2000), (1, 500), (2, 500)])
def test_2000_points_are_optimal_to_1e_9(p, n):
    """The certificate, computed here again: potentials below all costs whose means add up to the mean cost."""
    X, Y = pair(n, n, 8, seed=2)
    found = transport.transport(X, Y, p)
    ground = cdist(X, Y, "euclidean" if p == 1 else "sqeuclidean")
    f, g = found.real_potential, found.synthetic_potential
    lift = (ground - f[:, None] - g).min()
    assert found.cost == pytest.approx(f.mean() + g.mean() + lift, rel=1e-9)
    assert found.gap <= 1e-9
    if n == 500:
        assert found.cost == pytest.approx(ot.emd2([], [], ground, numItermax=10**8), rel=1e-9)


def test_unequal_sizes_against_pot():
    X, Y = pair(300, 420, 6)
    expected = ot.emd2([], [], cdist(X, Y), numItermax=10**7)
    assert grade(Wasserstein(), X, Y).value == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize(("copies", "d"), [(1, 3), (1, 30), (2, 3), (3, 1)])
def test_equal_and_proportional_sets_give_exactly_0(p, copies, d):
    """N20 of transport: the root of a rounding error would be 1e-8."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, d)).astype(np.float32)
    Y = np.repeat(X, copies, axis=0)[rng.permutation(90 * copies)]
    assert grade(Wasserstein(p), X, Y).value == 0.0


@pytest.mark.parametrize("scale", [1e32, 1e-30])
@pytest.mark.parametrize("m", [40, 30])
def test_huge_and_tiny_entries(scale, m):
    """N24."""
    X, Y = pair(40, m, 3)
    plain = grade(Wasserstein(), X, Y).value
    assert grade(Wasserstein(), X * scale, Y * scale).value == pytest.approx(plain * scale, rel=1e-9)
    one_far = X.copy()
    one_far[0, 0] = 1e32
    assert grade(Wasserstein(), one_far, Y).value == pytest.approx(1e32 / 40, rel=1e-6)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_refused(bad):
    X, Y = pair(20, 20, 2)
    Y[3, 1] = bad
    with pytest.raises(InputError):
        Wasserstein()(X, Y)


def test_a_network_simplex_that_stops_early_is_no_result(monkeypatch):
    """N23."""
    monkeypatch.setattr(transport, "ITERATIONS", 10)
    X, Y = pair(60, 50, 3)
    with pytest.raises(NotConverged, match="did not reach the optimum"):
        transport.transport(X, Y, 1)
    evaluation = evaluate(X, Y, metrics=[Wasserstein()], intervals=False, floor=False)
    score = evaluation["wasserstein"]
    assert (score.status, score.value) == ("failed", None)
    assert "did not reach the optimum" in score.reason


def test_an_assignment_that_is_not_the_best_is_no_result(monkeypatch):
    """N23: two partners exchanged in an otherwise best assignment."""
    best = scipy.optimize.linear_sum_assignment

    def second_best(costs):
        rows, partner = best(costs)
        partner[[0, 1]] = partner[[1, 0]]
        return rows, partner

    monkeypatch.setattr(scipy.optimize, "linear_sum_assignment", second_best)
    with pytest.raises(NotConverged, match="not found"):
        transport.transport(*pair(50, 50, 3), 1)


def test_without_pot_unequal_sizes_name_the_extra(monkeypatch):
    real_import = builtins.__import__

    def without_ot(name, *args, **kwargs):
        if name.split(".")[0] == "ot":
            raise ImportError(name)
        return real_import(name, *args, **kwargs)

    for name in [n for n in sys.modules if n.split(".")[0] == "ot"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without_ot)
    with pytest.raises(MissingExtra, match=r"truegrade\[ot\]"):
        transport.transport(*pair(10, 12, 2), 1)
    assert transport.transport(*pair(10, 10, 2), 1).cost > 0
    assert transport.transport(*pair(10, 12, 1), 1).cost > 0


def test_large_sets_are_graded_by_subsets():
    X, Y = pair(160, 120, 2)
    score = grade(Wasserstein(most=100, subsets=6, subset_size=50), X, Y)
    assert [w.code for w in score.warnings] == ["subset_mean"]
    assert (score.details["n_used"], score.details["m_used"], score.details["subsets"]) == (50, 50, 6)
    rng = np.random.default_rng(0)
    draws = [[np.sort(rng.choice(k, 50, replace=False)) for k in (160, 120)] for _ in range(6)]
    values = [oracle_emd(X[i], Y[j]) for i, j in draws]
    assert score.value == pytest.approx(np.mean(values), rel=1e-9)
    assert score.details["subset_sd"] == pytest.approx(np.std(values, ddof=1), rel=1e-6)
    assert score.standard_error > np.std(values, ddof=1) / np.sqrt(6)
    assert score.per_sample == {}


def oracle_emd(X, Y):
    return ot.emd2([], [], cdist(X, Y))


@pytest.mark.parametrize(("p", "shift"), [(1, 0.0), (1, 1.0), (2, 1.0)])
def test_error_is_the_scatter_of_repeats_and_not_too_small(p, shift):
    """Around the expected value at these sizes: Efron-Stein."""
    rng = np.random.default_rng(6)
    values, errors = [], []
    for _ in range(150):
        score = grade(Wasserstein(p), rng.normal(size=(50, 2)), rng.normal(size=(50, 2)) + shift)
        parts = score.influence.parts
        assert all(abs(part.mean()) < 1e-12 for part in parts.values())
        values.append(score.value)
        errors.append(np.sqrt(sum(part.var(ddof=1) / len(part) for part in parts.values())))
    ratio = np.sqrt(np.mean(np.square(errors))) / np.std(values)
    assert 0.85 < ratio < (1.25 if shift else 2.5)


def test_a_worse_model_is_farther():
    rng = np.random.default_rng(7)
    real, noise = rng.normal(size=(2, 200, 4))
    values = [grade(Wasserstein(), real, noise * s).value for s in (1.0, 1.5, 2.5)]
    assert values == sorted(values)


@pytest.mark.parametrize("wrong", [{"p": 3}, {"p": True}, {"p": "1"}, {"most": 1}, {"subsets": 0}, {"seed": -1}])
def test_impossible_parameters_are_refused(wrong):
    with pytest.raises(InputError, match="given"):
        Wasserstein(**wrong)
