"""Authenticity and the copying test: golden values, baselines, copies and ties."""

from __future__ import annotations

import numpy as np
import pytest

from grading import PROVIDERS, grade
from oracles import brute
from oracles import distances as oracle
from truegrade.errors import InputError
from truegrade.metrics.cells import kmeans_cells
from truegrade.metrics.memorisation import Authenticity, CopyingTest, mann_whitney_z
from truegrade.samples import Samples


def codes(score):
    return [w.code for w in score.warnings]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(("sizes", "value"), [((40, 40, 2), 0.375), ((60, 45, 3), 0.6), ((100, 100, 8), 0.5)])
def test_golden_authenticity(sizes, value, provider):
    assert grade(Authenticity(), *oracle.golden_sets(*sizes), provider).value == pytest.approx(
        value, abs=1e-12
    )


@pytest.mark.parametrize(("d", "share"), [(2, 0.40), (16, 0.70), (64, 0.82)])
def test_fresh_samples_of_the_same_law_and_their_baseline(d, share):
    rng = np.random.default_rng(d)
    scores = []
    for _ in range(4):
        X, Y, fresh = rng.normal(size=(3, 1200, d)).astype(np.float32)
        scores.append(grade(Authenticity(holdout=True), X, Y, PROVIDERS[-1], holdout=fresh))
    assert np.mean([s.value for s in scores]) == pytest.approx(share, abs=0.03)
    assert np.mean([s.details["baseline"] for s in scores]) == pytest.approx(share, abs=0.03)
    assert [s.warnings for s in scores] == [()] * 4


def test_baseline_is_the_authenticity_of_the_held_out_samples():
    rng = np.random.default_rng(4)
    X, Y, fresh = rng.integers(0, 9, (60, 2)), rng.integers(0, 9, (40, 2)), rng.integers(0, 9, (30, 2))
    score = grade(Authenticity(holdout=True), X, Y, holdout=fresh)
    assert score.value == pytest.approx(brute.authenticity(X, Y), abs=1e-15)
    assert score.details["baseline"] == pytest.approx(brute.authenticity(X, fresh), abs=1e-15)
    assert score.means.value() == score.value


@pytest.mark.parametrize("provider", PROVIDERS)
def test_exact_copies_are_flagged(provider):
    X = np.random.default_rng(0).normal(size=(50, 3))
    Y = np.concatenate([X[:7], np.random.default_rng(1).normal(size=(23, 3))])
    score = grade(Authenticity(), X, Y, provider)
    assert score.details["exact_copies"] == 7
    assert "7 of 30 synthetic samples are exact copies" in score.warnings[0].text
    assert score.warnings[0].severity == "serious"
    assert grade(Authenticity(), X, X.copy(), provider).value == 0.0


def test_near_copies_are_flagged_against_the_baseline_and_without_one():
    rng = np.random.default_rng(9)
    X, fresh = rng.normal(size=(400, 16)), rng.normal(size=(300, 16))
    near = X + 0.02 * rng.normal(size=X.shape)
    with_baseline = grade(Authenticity(holdout=True), X, near, holdout=fresh)
    assert codes(with_baseline) == ["close_copies"]
    assert "100.0% of the synthetic samples lie less than half as far" in with_baseline.warnings[0].text
    assert codes(grade(Authenticity(), X, near)) == ["close_copies", "no_holdout"]
    # at two thirds of the distance to its nearest neighbour a sample is no close copy, but still too near
    away = rng.normal(size=X.shape)
    own = np.sort(np.linalg.norm(X[:, None] - X, axis=2), axis=1)[:, 1:2]
    near = X + 0.67 * own * away / np.linalg.norm(away, axis=1, keepdims=True)
    with_baseline = grade(Authenticity(holdout=True), X, near, holdout=fresh)
    assert codes(with_baseline) == ["near_copies"]
    assert "100% of the synthetic samples lie closer" in with_baseline.warnings[0].text
    assert codes(grade(Authenticity(), X, near)) == ["near_copies_alone", "no_holdout"]
    assert codes(grade(Authenticity(), X, fresh)) == ["no_holdout"]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("kind", ["continuous", "integers", "duplicates"])
def test_close_copies_by_the_definition(kind, provider):
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(60, 2)), rng.normal(size=(45, 2))
    if kind == "integers":
        X, Y = np.round(3 * X), np.round(3 * Y)
    if kind == "duplicates":
        X[20:30], Y[:9] = X[:10], X[:9]
    score = grade(Authenticity(), X, Y, provider)
    assert score.details["close"] == pytest.approx(np.mean([brute.close(X, y) for y in Y]), abs=1e-15)
    left_out = [brute.close(np.delete(X, i, axis=0), X[i]) for i in range(len(X))]
    assert score.details["close_expected"] == pytest.approx(np.mean(left_out), abs=1e-15)


@pytest.mark.parametrize("d", [5, 16, 64])
def test_near_copies_among_fresh_samples_are_found(d):
    """Every tenth sample sits at a fifth of the way from a training sample to its nearest neighbour."""
    rng = np.random.default_rng(d)
    X, Y = rng.normal(size=(800, d)), rng.normal(size=(800, d))
    away = rng.normal(size=(80, d))
    own = np.sort(np.linalg.norm(X[:80, None] - X, axis=2), axis=1)[:, 1:2]
    Y[:80] = X[:80] + 0.2 * own * away / np.linalg.norm(away, axis=1, keepdims=True)
    score = grade(Authenticity(), X, Y, PROVIDERS[-1])
    assert "close_copies" in codes(score)
    excess = score.details["close"] - score.details["close_expected"]
    assert excess == pytest.approx(0.1, abs=0.02)


@pytest.mark.parametrize("d", [1, 2, 5, 16, 64])
@pytest.mark.parametrize("damage", ["none", "shrunk", "collapsed", "shifted", "wide", "modes"])
def test_what_is_no_copy_is_not_called_one(d, damage):
    rng = np.random.default_rng(d)
    X, Y = rng.normal(size=(2, 600, d))
    if damage == "modes":
        Y = rng.normal(size=(50, d))[rng.integers(0, 50, 600)] + 0.01 * Y
    factor, shift = {"shrunk": (0.5, 0.0), "collapsed": (0.01, 0.0), "wide": (1.5, 0.0), "shifted": (1.0, 1.0)}.get(
        damage, (1.0, 0.0)
    )
    score = grade(Authenticity(), X, factor * Y + shift, PROVIDERS[-1])
    assert "close_copies" not in codes(score)


def test_two_real_samples_are_too_few_for_authenticity():
    with pytest.raises(InputError, match="2 real samples given; at least 3"):
        Authenticity().check_sizes(2, 5)


def test_fresh_samples_in_one_dimension_are_not_called_copies():
    rng = np.random.default_rng(2)
    X, Y = rng.normal(size=(1500, 1)), rng.normal(size=(1500, 1))
    score = grade(Authenticity(), X, Y)
    assert score.value == pytest.approx(1 / 3, abs=0.04)
    assert codes(score) == ["no_holdout"]


def test_z_with_and_without_ties():
    rng = np.random.default_rng(6)
    for a, b in (
        (rng.normal(size=15), rng.normal(size=22)),
        (rng.integers(0, 4, 15).astype(float), rng.integers(0, 4, 22).astype(float)),
    ):
        assert mann_whitney_z(a, b) == pytest.approx(oracle.mann_whitney_z(a, b), rel=1e-12)
    # {3} against {1, 2}: U = 2 of 2, mean 1, variance 2 * (3 + 1) / 12
    assert mann_whitney_z(np.array([3.0]), np.array([1.0, 2.0])) == pytest.approx(1 / np.sqrt(2 / 3))
    assert mann_whitney_z(np.ones(5), np.ones(6)) == 0.0


def clusters(rng, n):
    return rng.normal(size=(n, 4)) + 12.0 * np.eye(4)[rng.integers(0, 3, n)]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_copying_test_is_its_definition(provider):
    rng = np.random.default_rng(11)
    X, Y, fresh = clusters(rng, 200), 0.7 * clusters(rng, 150) + 0.3 * clusters(rng, 150), clusters(rng, 120)
    score = grade(CopyingTest(min_synthetic=5), X, Y, provider, holdout=fresh)
    cells = kmeans_cells(*(Samples.from_array(A) for A in (X, Y, fresh)), cells=3, seed=0)
    expected = oracle.copying_test(X, Y, fresh, *cells, 5)
    assert score.value == pytest.approx(expected, rel=1e-9)
    weights = np.array([score.details[f"weight_{c}"] for c in range(3)])
    assert weights.sum() == pytest.approx(1.0)
    assert score.standard_error == pytest.approx(np.sqrt((weights**2).sum()))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_copies_fresh_and_far_samples(provider):
    rng = np.random.default_rng(12)
    X, fresh, other = clusters(rng, 400), clusters(rng, 300), clusters(rng, 400)
    near = X + 0.1 * rng.normal(size=X.shape)
    far = clusters(rng, 400) + 2.0 * rng.normal(size=X.shape)
    values = [grade(CopyingTest(), X, Y, provider, holdout=fresh).value for Y in (near, other, far)]
    assert values[0] < -8
    assert abs(values[1]) < 3
    assert values[2] > 8


def test_cells_find_the_clusters_in_any_order():
    rng = np.random.default_rng(13)
    X, Y = clusters(rng, 240), clusters(rng, 90)
    order = rng.permutation(len(X))
    one = kmeans_cells(Samples.from_array(X), Samples.from_array(Y), cells=3, seed=0)[0]
    two = kmeans_cells(Samples.from_array(X[order]), Samples.from_array(Y), cells=3, seed=0)[0]
    np.testing.assert_array_equal(one, two)
    truth = Y[:, :3].argmax(1)
    assert all(len(set(one[truth == t])) == 1 for t in range(3))
    assert len(set(one)) == 3


def test_cells_are_those_of_converged_k_means_in_any_order():
    X = np.random.default_rng(15).normal(size=(300, 3)) + 40.0
    order = np.random.default_rng(16).permutation(len(X))
    turned = X[order] @ np.linalg.qr(np.random.default_rng(17).normal(size=(3, 3)))[0]
    side = Samples.from_array(X)
    cells = kmeans_cells(side, side, cells=5, seed=2)[0]
    other = kmeans_cells(Samples.from_array(turned), Samples.from_array(turned), cells=5, seed=2)[0]
    np.testing.assert_array_equal(cells[order], other)
    centres = np.stack([X[cells == c].mean(0) for c in range(5)])
    np.testing.assert_array_equal(cells, brute.distances(X, centres).argmin(1))
    radii = np.sqrt(((centres - X.mean(0)) ** 2).sum(1))
    assert list(radii) == sorted(radii)


def test_cells_with_few_synthetic_samples_are_left_out():
    rng = np.random.default_rng(14)
    X, fresh = clusters(rng, 300), clusters(rng, 200)
    Y = clusters(rng, 600)
    Y = Y[Y[:, 0] < 6.0]  # one cluster is missing
    score = grade(CopyingTest(), X, Y, holdout=fresh)
    left_out = [c for c in range(3) if score.details[f"z_{c}"] is None]
    assert len(left_out) == 1
    assert score.details[f"weight_{left_out[0]}"] == 0.0
    assert codes(score) == ["cells_left_out"]
    assert "1 of 3 cells" in score.warnings[0].text
    none = grade(CopyingTest(min_synthetic=5000), X, Y, holdout=fresh)
    assert none.value is None
    assert "no cell holds 5000 synthetic samples" in none.reason


def test_equal_distances_give_0_not_nan():
    X = np.array([[0.0], [10.0], [20.0]])
    Y, fresh = X + 1.0, X - 1.0
    score = grade(CopyingTest(cells=1, min_synthetic=1), X, Y, holdout=fresh)
    assert score.value == 0.0


def test_parameters_are_refused():
    with pytest.raises(InputError, match="cells=0 given"):
        CopyingTest(cells=0)
    with pytest.raises(InputError, match="cells=7 given for 6 real samples"):
        CopyingTest(cells=7).check_sizes(6, 100)
