"""Fréchet distance to infinity: the line by hand, Gaussians of known distance, what is said when samples are few."""

from __future__ import annotations

import numpy as np
import pytest

import truegrade as tg
from grading import grade
from oracles import distances as oracle
from truegrade.errors import InputError
from truegrade.metrics.frechet import FrechetDistance
from truegrade.metrics.frechet_infinity import FrechetInfinity, fit, part_distances
from truegrade.samples import Samples
from truegrade.uncertainty.linear import of_expansion


def test_a_straight_line_is_found_and_its_fit_is_perfect():
    x = np.array([1.0, 2.0, 3.0, 4.0])
    line = fit(x, 0.5 + 0.25 * x)
    assert (line.intercept, line.slope) == pytest.approx((0.5, 0.25))
    assert line.r_squared == pytest.approx(1.0)
    assert line.error == pytest.approx(0.0, abs=1e-15)
    assert line.inflation == pytest.approx(1 + 1 / 6)


def test_two_points_give_a_line_and_no_check():
    line = fit(np.array([1.0, 2.0]), np.array([3.0, 5.0]))
    assert (line.intercept, line.slope, line.r_squared, line.error) == (1.0, 2.0, None, None)
    assert line.inflation == 2.0


def test_the_line_is_generalised_least_squares():
    """Scatter about the first point with variances x - 1: the weights that least squares gives then, by hand."""
    x, values = np.array([1.0, 2.0, 3.0, 5.0]), np.array([1.0, 1.5, 1.7, 2.9])
    ahead, rise = x[1:] - 1, values[1:] - 1.0
    slope = np.linalg.lstsq((ahead / np.sqrt(ahead))[:, None], rise / np.sqrt(ahead), rcond=None)[0][0]
    line = fit(x, values)
    assert line.slope == pytest.approx(slope, rel=1e-12)
    residuals = (rise - slope * ahead) / np.sqrt(ahead)
    assert line.error == pytest.approx(np.sqrt((residuals**2).sum() / 2 / ahead.sum()), rel=1e-12)
    assert 0.9 < line.r_squared < 1.0


def test_the_scatter_of_second_order_is_inflated_as_stated():
    """The squared mean of n numbers and of parts of them, by simulation: variance of the intercept against F_1."""
    rng = np.random.default_rng(0)
    n = 60
    z = rng.normal(size=(8_000, n))

    def of_parts(k):
        return (rng.permuted(z, axis=1).reshape(len(z), k, n // k).mean(2) ** 2).mean(1)

    values = np.stack([of_parts(k) for k in (1, 2, 3)], axis=1)
    extrapolated = [fit(np.array([1.0, 2.0, 3.0]), row).intercept for row in values]
    assert values[:, 0].mean() == pytest.approx(1 / n, rel=0.05)
    assert abs(np.mean(extrapolated)) < 0.05 / n
    assert np.var(extrapolated) / values[:, 0].var() == pytest.approx(1 + 1 / 3, rel=0.05)


def test_the_parts_are_those_of_the_definition():
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(61, 3)), rng.normal(size=(50, 3)) * 1.3 + 0.2
    cuts = part_distances(Samples.from_array(X), Samples.from_array(Y), most=3, seed=5)
    assert [cut.smallest for cut in cuts] == [25, 16]
    for k, cut in zip((2, 3), cuts, strict=True):
        parts = [
            [A[np.sort(part)] for part in np.array_split(np.random.default_rng([5, len(A), k]).permutation(len(A)), k)]
            for A in (X, Y)
        ]
        expected = [oracle.frechet_extended(a, b, digits=30) for a, b in zip(*parts, strict=True)]
        assert cut.value == pytest.approx(np.mean(expected), rel=1e-10)
        u = np.mean([1 / len(a) + 1 / len(b) for a, b in zip(*parts, strict=True)])
        assert cut.x == pytest.approx(u / (1 / 61 + 1 / 50), rel=1e-12)


def run(n, m, d, shift, factor, seed, dtype=np.float64, offset=0.0):
    rng = np.random.default_rng(seed)
    deviations = np.linspace(0.5, 1.5, d)
    X = rng.normal(size=(n, d)) * deviations + offset
    Y = rng.normal(size=(m, d)) * deviations * factor + shift + offset
    truth = oracle.frechet_commuting(np.zeros(d), deviations**2, np.full(d, shift), (factor * deviations) ** 2)
    return X.astype(dtype), Y.astype(dtype), truth


@pytest.mark.parametrize(
    ("n", "m", "d", "shift", "factor"),
    [(320, 320, 16, 0.1, 1.2), (320, 320, 16, 0.0, 1.0), (1500, 700, 20, 0.0, 0.8), (75, 75, 16, 0.2, 1.0)],
)
def test_gaussians_of_known_distance(n, m, d, shift, factor):
    """Within 3 errors of the truth, and far nearer to it than the plain value."""
    errors, plain = [], []
    for seed in range(10, 16):
        X, Y, truth = run(n, m, d, shift, factor, seed)
        found = tg.evaluate(X, Y, metrics=FrechetInfinity(), floor=False, exhibits=False)["frechet_distance_infinity"]
        error = found.trace.error
        assert abs(found.value - truth) < 3 * error
        assert found.interval.low <= found.value <= found.interval.high
        errors.append(found.value - truth)
        plain.append(found.details["full_value"] - truth)
        assert found.details["full_value"] == pytest.approx(grade(FrechetDistance(), X, Y).value, rel=1e-9)
    assert abs(np.mean(errors)) < 0.2 * np.mean(plain)
    assert np.mean(plain) > 0


def test_its_error_is_the_scatter():
    """Same law, 60 pairs of sets: the error is the standard deviation or somewhat more, and no bias is left."""
    values, errors = [], []
    for seed in range(60):
        X, Y, _ = run(200, 200, 8, 0.0, 1.0, 100 + seed)
        sides = {"real": Samples.from_array(X), "synthetic": Samples.from_array(Y)}
        outcome = grade(FrechetInfinity(), X, Y, "engine")
        values.append(outcome.value)
        errors.append(of_expansion(outcome.value, outcome.expand(), sides).curved.error)
    assert 0.85 * np.std(values) < np.mean(errors) < 1.5 * np.std(values)
    assert abs(np.mean(values)) < 3 * np.std(values) / 60**0.5


def test_it_may_be_negative_and_identical_sets_give_0():
    values = [grade(FrechetInfinity(), *run(300, 300, 10, 0.0, 1.0, seed)[:2], "engine").value for seed in range(8)]
    assert min(values) < 0 < max(values)
    X, _, _ = run(300, 300, 10, 0.0, 1.0, 0)
    assert grade(FrechetInfinity(), X, X.copy(), "engine").value == pytest.approx(0.0, abs=1e-10)


def test_an_offset_costs_no_digits():
    X, Y, _ = run(200, 260, 6, 0.1, 1.2, 0)
    X, Y = (np.round(A * 2.0**20) / 2.0**20 for A in (X, Y))
    plain = grade(FrechetInfinity(), X, Y, "engine").value
    assert grade(FrechetInfinity(), X + 2.0**27, Y + 2.0**27, "engine").value == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize(("n", "d", "sizes", "warned"), [(400, 8, 5, False), (90, 32, 2, False), (40, 32, 2, True)])
def test_how_many_cuts_are_made_and_what_is_said_of_small_parts(n, d, sizes, warned):
    found = grade(FrechetInfinity(), *run(n, n, d, 0.1, 1.1, 0)[:2], "engine")
    assert found.details["sizes"] == sizes
    assert (found.details["r_squared"] is None) == (sizes == 2)
    assert [w.code for w in found.warnings] == ["bias_not_linear"] * warned
    if sizes > 2:
        assert found.details["r_squared"] > 0.9


def test_with_too_few_samples_for_an_expansion_there_is_still_an_interval():
    X, Y, _ = run(60, 60, 40, 0.1, 1.1, 0)
    score = FrechetInfinity()(X, Y)
    assert score.interval is not None
    assert score.floor is not None


def test_the_seed_decides_which_parts_are_drawn():
    X, Y, _ = run(200, 200, 5, 0.1, 1.1, 0)
    values = {seed: grade(FrechetInfinity(seed=seed), X, Y, "engine").value for seed in (0, 0, 1)}
    assert values[0] == grade(FrechetInfinity(), X, Y, "engine").value
    assert values[0] != values[1]


@pytest.mark.parametrize("wrong", [{"parts": 1}, {"parts": 2.5}, {"seed": -1}])
def test_parameters_out_of_range_are_refused(wrong):
    with pytest.raises(InputError, match="whole number of at least"):
        FrechetInfinity(**wrong)


def test_three_samples_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match="3 synthetic samples given; at least 4"):
        FrechetInfinity()(rng.normal(size=(9, 2)), rng.normal(size=(3, 2)))
