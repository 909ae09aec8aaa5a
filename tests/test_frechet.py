"""Fréchet distance: closed forms, extended precision, rank deficiency, offsets, batches; no matrix root."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grading import PROVIDERS, grade
from oracles import distances as oracle
from truegrade.engine.moments import MomentState, moments
from truegrade.engine.needs import Answers, Moments
from truegrade.errors import InputError
from truegrade.metrics.frechet import FrechetDistance, _factor, _from_eigenvalues
from truegrade.samples import Samples

SOURCE = Path(__file__).resolve().parents[1] / "src"


def frechet(X, Y):
    """The metric on the engine's own moments, without the rest of the engine."""
    sides = {"real": Samples.from_array(X), "synthetic": Samples.from_array(Y)}
    values = {Moments(name): moments(side) for name, side in sides.items()}
    answers = Answers(values, {name: side.n for name, side in sides.items()}, X.shape[1])
    return FrechetDistance().compute(answers)


def trace(X):
    return X.var(0, ddof=1).sum()


def exact_sample(rng, n, mean, factor):
    """n rows whose sample mean and covariance are exactly mean and factor factor^T."""
    d = len(mean)
    Z = rng.normal(size=(n, d))
    Q = np.linalg.qr(Z - Z.mean(0))[0] * np.sqrt(n - 1)
    return mean + (Q - Q.mean(0)) @ factor.T


@pytest.mark.parametrize("provider", PROVIDERS)
def test_closed_form_for_commuting_covariances(provider):
    rng = np.random.default_rng(0)
    d = 12
    axes = np.linalg.qr(rng.normal(size=(d, d)))[0]
    mean_x, mean_y = rng.normal(size=(2, d))
    var_x, var_y = rng.uniform(0.01, 4, size=(2, d))
    X = exact_sample(rng, 300, mean_x, axes * np.sqrt(var_x))
    Y = exact_sample(rng, 170, mean_y, axes * np.sqrt(var_y))
    expected = oracle.frechet_commuting(mean_x, var_x, mean_y, var_y)
    score = grade(FrechetDistance(), X, Y, provider)
    assert score.value == pytest.approx(expected, rel=1e-11)
    assert score.details["mean_part"] == pytest.approx(((mean_x - mean_y) ** 2).sum(), rel=1e-11)
    assert score.details["mean_part"] + score.details["covariance_part"] == pytest.approx(score.value)


def test_commuting_covariances_as_badly_scaled_as_float64_allows():
    rng = np.random.default_rng(1)
    deviations = 10.0 ** np.arange(0, -8, -1)
    X = exact_sample(rng, 200, np.zeros(8), np.diag(deviations))
    Y = exact_sample(rng, 200, np.zeros(8), np.diag(2 * deviations))
    assert frechet(X, Y).value == pytest.approx((deviations**2).sum(), rel=1e-9)
    assert frechet(X, X.copy()).value <= 1e-10 * trace(X)
    turned = X @ np.linalg.qr(rng.normal(size=(8, 8)))[0]
    assert frechet(turned, turned.copy()).value <= 1e-10 * trace(X)
    assert frechet(turned, 2 * turned).value == pytest.approx(trace(X), rel=1e-9)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_one_dimension(provider):
    X, Y = np.array([[0.0], [2.0], [4.0]]), np.array([[1.0], [9.0]])
    # means 2 and 5, standard deviations 2 and sqrt(32)
    assert grade(FrechetDistance(), X, Y, provider).value == pytest.approx(9 + (2 - 32**0.5) ** 2, rel=1e-13)


@pytest.mark.parametrize(("n", "m", "d"), [(10, 12, 24), (5, 30, 8), (30, 5, 8), (8, 9, 8), (40, 30, 6)])
def test_equal_to_extended_precision(n, m, d):
    rng = np.random.default_rng(n)
    X, Y = rng.normal(size=(n, d)), 0.3 + rng.normal(size=(m, d)) @ rng.normal(size=(d, d))
    score = frechet(X, Y)
    assert score.value == pytest.approx(oracle.frechet_extended(X, Y), rel=1e-11)
    assert [w.code for w in score.warnings] == ["rank_deficient"] * ((n <= d) + (m <= d))
    assert frechet(Y, X).value == pytest.approx(score.value, rel=1e-11)


def test_many_weak_directions_do_not_add_up_to_a_distance():
    rng = np.random.default_rng(2)
    strengths = np.concatenate([np.ones(10), np.full(110, 3e-4)])
    X = (rng.normal(size=(300, 120)) * strengths) @ np.linalg.qr(rng.normal(size=(120, 120)))[0]
    assert 0.0 <= frechet(X, X.copy()).value <= 1e-10 * trace(X)
    assert frechet(X, 2 * X).value == pytest.approx((X.mean(0) ** 2).sum() + trace(X), rel=1e-11)


def test_eigenvalues_are_taken_only_where_their_roots_have_their_digits():
    """Ill-conditioned covariances of many kinds: what is taken equals the singular values, and both ways occur."""
    rng = np.random.default_rng(14)
    taken = refused = 0
    for weak in (1e-2, 1e-3, 3e-4, 1e-4):
        for steady in (True, False):
            deviations = np.logspace(0, np.log10(weak), 60) if steady else np.repeat([1.0, weak], [6, 54])
            turn = np.linalg.qr(rng.normal(size=(60, 60)))[0]
            X, Y = ((rng.normal(size=(150, 60)) * deviations) @ turn for _ in range(2))
            for other in (X, Y, Y @ turn):
                a, b = moments(Samples.from_array(X)), moments(Samples.from_array(other))
                quick = _from_eigenvalues(a, b)
                singular = np.linalg.svd(_factor(a).T @ _factor(b), compute_uv=False).sum()
                taken, refused = taken + (quick is not None), refused + (quick is None)
                assert quick is None or abs(quick - singular) <= 1e-12 * (trace(X) + trace(other))
    assert taken >= 8
    assert refused >= 3


def test_collinear_columns_with_many_rows():
    rng = np.random.default_rng(3)
    X, Y, Z = rng.normal(size=(60, 3)), rng.normal(size=(60, 3)), rng.normal(size=(60, 6))
    X, Y = X @ rng.normal(size=(3, 6)), Y @ rng.normal(size=(3, 6))
    for A, B in ((X, Y), (X, Z), (Z, X)):
        assert frechet(A, B).value == pytest.approx(oracle.frechet_extended(A, B), rel=1e-11)
    assert frechet(X, X.copy()).value <= 1e-10 * trace(X)


def test_n1_fewer_samples_than_features():
    rng = np.random.default_rng(4)
    X, Y = rng.normal(size=(2, 1000, 2048)).astype(np.float32)
    score = grade(FrechetDistance(), X, Y, PROVIDERS[-1])
    X, Y = X.astype(np.float64), Y.astype(np.float64)
    product = (X - X.mean(0)) @ (Y - Y.mean(0)).T
    root = np.sqrt(np.maximum(np.linalg.eigvalsh(product @ product.T), 0)).sum() / 999
    means = ((X.mean(0) - Y.mean(0)) ** 2).sum()
    assert score.value == pytest.approx(means + trace(X) + trace(Y) - 2 * root, rel=1e-5)
    assert score.value > 0
    assert score.warnings[0].code == "rank_deficient"
    assert "1000 samples for 2048 features" in score.warnings[0].text


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("shape", [(6, 12), (192, 192), (300, 40)])
def test_n2_equal_sets_are_0_within_rounding(shape, provider):
    X = np.random.default_rng(5).normal(size=shape)
    score = grade(FrechetDistance(), X, X.copy(), provider)
    assert 0.0 <= score.value <= 1e-10 * trace(X)
    assert len(score.warnings) == (shape[0] <= shape[1])


def test_n2_only_rounding_is_clamped():
    answer = moments(Samples.from_array(np.random.default_rng(0).normal(size=(30, 4))))
    larger = type(answer)(answer.mean, np.diag([1e-3, 1.0, 1.0, -9.0]), 30, None, answer.mean_low)
    answers = Answers(
        {Moments("real"): answer, Moments("synthetic"): larger}, {"real": 30, "synthetic": 30}, 4
    )
    score = FrechetDistance().compute(answers)
    assert score.value is None
    assert "below 0 by more than rounding" in score.reason


def dyadic(rng, shape, bits):
    """Normal numbers on a grid of 2^-bits, so that adding an offset loses nothing."""
    return np.round(rng.normal(size=shape) * 2.0**bits) / 2.0**bits


@pytest.mark.parametrize(
    ("shift", "dtype", "bits", "relative"), [(1e3, np.float32, 12, 1e-6), (1e8, np.float64, 22, 1e-9)]
)
@pytest.mark.parametrize("shape", [(500, 400, 64), (40, 50, 64), (40, 500, 64)])
def test_n3_shifted_features(shift, dtype, bits, relative, shape):
    rng = np.random.default_rng(6)
    n, m, d = shape
    X, Y = dyadic(rng, (n, d), bits), dyadic(rng, (m, d), bits) + 0.125
    plain = frechet(X, Y).value
    shifted = frechet((X + shift).astype(dtype), (Y + shift).astype(dtype)).value
    assert shifted == pytest.approx(plain, rel=relative)
    assert plain == pytest.approx(frechet(X - 0.5, Y - 0.5).value, rel=1e-12)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_n3_shifted_features_through_the_engine(provider):
    rng = np.random.default_rng(7)
    X, Y = dyadic(rng, (300, 16), 12), dyadic(rng, (280, 16), 12)
    plain = grade(FrechetDistance(), X, Y, provider).value
    shifted = grade(FrechetDistance(), np.float32(X + 1e3), np.float32(Y + 1e3), provider).value
    assert shifted == pytest.approx(plain, rel=1e-6)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_n4_constant_sets_and_columns(provider):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(500, 64))
    ones = np.ones((500, 64))
    expected = ((X.mean(0) - 1) ** 2).sum() + trace(X)
    assert grade(FrechetDistance(), X, ones, provider).value == pytest.approx(expected, rel=1e-12)
    assert grade(FrechetDistance(), ones, X, provider).value == pytest.approx(expected, rel=1e-12)
    assert grade(FrechetDistance(), ones, ones.copy(), provider).value == 0.0
    few = exact_sample(rng, 200, np.zeros(4), np.diag([1.0, 2.0, 0.5, 0.1]))
    other = exact_sample(rng, 150, np.ones(4), np.diag([2.0, 1.0, 0.5, 0.3]))
    few[:, 1] = 7.0
    expected = 1 + 36 + 1 + 1 + (1 - 2) ** 2 + 1 + 0 + (0.1 - 0.3) ** 2
    assert grade(FrechetDistance(), few, other, provider).value == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("n", "m", "d"), [(500, 311, 20), (30, 17, 40), (60, 100, 40)])
def test_n5_fed_in_batches_of_different_sizes(n, m, d):
    rng = np.random.default_rng(9)
    X, Y = rng.normal(size=(n, d)) + 5, rng.normal(size=(m, d)) * 1.3
    whole = frechet(X, Y).value

    def in_batches(rows, sizes):
        one, two = MomentState(rows.shape[1]), MomentState(rows.shape[1])
        cuts = np.split(rows, np.cumsum(sizes))
        for t, batch in enumerate(cuts):
            (one if t % 2 else two).update(batch)
        one.merge(two)
        return one.finish()

    values = {Moments("real"): in_batches(X, [1, 13, 2, 5]), Moments("synthetic"): in_batches(Y, [7, 1])}
    split = FrechetDistance().compute(Answers(values, {"real": n, "synthetic": m}, d)).value
    assert split == pytest.approx(whole, rel=1e-10)


def test_moments_are_those_of_numpy():
    rng = np.random.default_rng(10)
    tall, wide = rng.normal(size=(9000, 5)) * [1, 10, 0.1, 1, 1] + 3, rng.normal(size=(5, 9)) + 3
    answer = moments(Samples.from_array(tall))
    np.testing.assert_allclose(answer.mean, tall.mean(0), rtol=1e-14)
    np.testing.assert_allclose(answer.covariance, np.cov(tall.T), rtol=1e-10, atol=1e-13)
    assert (answer.n, answer.centred) == (9000, None)
    answer = moments(Samples.from_array(wide))
    np.testing.assert_allclose(answer.centred, wide - wide.mean(0), atol=1e-14)
    assert (answer.n, answer.covariance) == (5, None)


def test_the_mean_keeps_its_low_part():
    grid = dyadic(np.random.default_rng(0), (64, 3), 20)
    answer = moments(Samples.from_array(grid + 1e8))
    np.testing.assert_allclose((answer.mean - 1e8) + answer.mean_low, grid.mean(0), atol=1e-15)


def test_moments_refuse_one_sample_and_another_width():
    with pytest.raises(InputError, match="at least 2 samples, got 1"):
        moments(Samples.from_array(np.ones((1, 3))))
    state = MomentState(3)
    with pytest.raises(InputError, match=r"\(rows, 3\) is accepted"):
        state.update(np.ones((4, 2)))
    with pytest.raises(InputError, match="cannot be merged"):
        state.merge(MomentState(4))


def test_null_bias_falls_as_one_over_n():
    rng = np.random.default_rng(11)
    for n in (1000, 4000):
        value = np.mean([frechet(*rng.normal(size=(2, n, 64))).value for _ in range(3)])
        assert n * value == pytest.approx(2230, rel=0.05)
    assert FrechetDistance.info.bias == "1/n"


@pytest.mark.parametrize(("n", "m", "d"), [(40, 30, 6), (5, 30, 8), (7, 6, 9)])
def test_ddof_0_divides_by_n(n, m, d):
    rng = np.random.default_rng(12)
    X, Y = rng.normal(size=(n, d)), 0.3 + rng.normal(size=(m, d)) * 1.5
    found = grade(FrechetDistance(ddof=0), X, Y, PROVIDERS[-1])
    # sums of squares over n - 1 are those over n of samples pulled to their mean by sqrt((n - 1) / n)
    pulled = [A.mean(0) + (A - A.mean(0)) * np.sqrt(1 - 1 / len(A)) for A in (X, Y)]
    assert found.value == pytest.approx(oracle.frechet_extended(*pulled), rel=1e-11)
    assert found.details["trace_real"] == pytest.approx(X.var(0, ddof=0).sum(), rel=1e-12)
    assert found.value < grade(FrechetDistance(), X, Y, PROVIDERS[-1]).value
    assert FrechetDistance(ddof=0).info.bias == "1/n"


def test_the_interval_does_not_depend_on_ddof_beyond_a_share_of_1_over_n():
    rng = np.random.default_rng(13)
    X, Y = rng.normal(size=(400, 5)), rng.normal(size=(400, 5)) * 1.3
    one, zero = (FrechetDistance(ddof=ddof)(X, Y, floor=False) for ddof in (1, 0))
    width = one.interval.high - one.interval.low
    assert zero.interval.high - zero.interval.low == pytest.approx(width, rel=0.01)
    assert zero.interval.method == one.interval.method == "influence function"
    assert zero.value != one.value


@pytest.mark.parametrize("ddof", [2, -1, 0.5, True, "1", None])
def test_another_ddof_is_refused(ddof):
    with pytest.raises(InputError, match="0 or 1 is accepted"):
        FrechetDistance(ddof=ddof)


def test_no_matrix_square_root_anywhere():
    files = list(SOURCE.rglob("*.py"))
    assert len(files) > 10
    name = "sqrt" + "m"
    assert [f.name for f in files if name in f.read_text(encoding="utf-8").lower()] == []
