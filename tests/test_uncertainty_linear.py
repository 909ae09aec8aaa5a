"""Errors from the linear part: influence of the Fréchet distance, projections of pair sums, and their traces."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import truegrade as tg
from truegrade.engine.moments import moments
from truegrade.metrics import METRICS, MMD, EnergyDistance, FrechetDistance, KernelDistance
from truegrade.metrics.frechet import expansion, transport
from truegrade.result import Score
from truegrade.samples import Samples
from truegrade.uncertainty.analytic import Curved, curved
from truegrade.uncertainty.linear import _across, _within, values_of

Rows = NDArray[np.float64]


def laws(seed: int, n: int, d: int, scale: float = 1.5, m: int | None = None) -> tuple[Rows, Rows]:
    rng = np.random.default_rng(seed)
    mix = rng.normal(size=(d, d)) / d**0.5 + np.eye(d)
    return rng.normal(size=(n, d)) @ mix, 0.3 + scale * rng.normal(size=(m or n, d))


def weighted_frechet(x: Rows, y: Rows, weights: Rows, of_real: bool) -> float:
    """The Fréchet distance where one side has weights, covariances with the divisor of the equal weights."""
    from scipy.linalg import sqrtm

    def law(rows: Rows, w: Rows) -> tuple[Rows, Rows]:
        mean = w @ rows
        return mean, (rows - mean).T @ ((rows - mean) * w[:, None]) * len(rows) / (len(rows) - 1)

    equal = [np.full(len(rows), 1 / len(rows)) for rows in (x, y)]
    (mu, a), (nu, b) = law(x, weights if of_real else equal[0]), law(y, equal[1] if of_real else weights)
    return float((mu - nu) @ (mu - nu) + np.trace(a + b - 2 * np.real(sqrtm(a @ b))))


@pytest.mark.parametrize("side", ["real", "synthetic"])
def test_influence_is_the_derivative_in_the_weight_of_a_sample(side: str) -> None:
    x, y = laws(0, 40, 4, m=50)
    sides = {"real": Samples.from_array(x), "synthetic": Samples.from_array(y)}
    found = expansion(moments(sides["real"]), moments(sides["synthetic"]))
    influence = values_of(found.influence()[side], sides[side])
    assert influence.mean() == pytest.approx(0.0, abs=0.2 * influence.std())
    n, step = len(influence), 1e-5
    for i in (0, 7, 23):
        towards = np.full(n, 1 / n)
        shifted = [(1 - s) * towards + s * np.eye(n)[i] for s in (step, -step)]
        up, down = (weighted_frechet(x, y, w, side == "real") for w in shifted)
        scale = n / (n - 1)  # the covariance of the sample counts (x - mu)(x - mu)' n / (n - 1) times
        quadratic = found.influence()[side]
        row = (x if side == "real" else y)[i] - quadratic.centre
        expected = quadratic.slope @ row + scale * (row @ quadratic.matrix @ row) - quadratic.constant
        assert (up - down) / (2 * step) == pytest.approx(expected, rel=1e-4)


def test_transport_carries_one_covariance_to_the_other() -> None:
    rng = np.random.default_rng(1)
    a, b = (m @ m.T for m in rng.normal(size=(2, 5, 7)))
    there, back = transport(a, b)
    assert there @ a @ there == pytest.approx(b)
    assert back @ b @ back == pytest.approx(a)
    assert there == pytest.approx(there.T)
    flat = np.diag([1.0, 4.0, 0.0])
    assert transport(flat, 4 * flat)[0] == pytest.approx(np.diag([2.0, 2.0, 0.0]))


def test_second_order_part_of_the_frechet_distance_of_one_gaussian_law() -> None:
    """Expectation and variance of the value itself, in 3 unequal directions."""
    rng, scale = np.random.default_rng(2), np.array([1.0, 0.5, 2.0])
    draws = [scale * rng.normal(size=(2, 400, 3)) for _ in range(400)]
    values = [tg.metrics.FrechetDistance()(x, y, intervals=False, floor=False).value for x, y in draws[:300]]
    sides = [moments(Samples.from_array(rows)) for rows in draws[0]]
    found = expansion(*sides)
    assert np.mean(values) == pytest.approx(found.bias, rel=0.15)
    assert np.std(values) == pytest.approx(found.variance**0.5, rel=0.25)


# --- pair sums ---------------------------------------------------------------------------------------------


PAIR_SUMS = [EnergyDistance(), KernelDistance(), MMD(bandwidth=1.0), MMD(bandwidth=1.0, root=True)]


# under one law (scale 1) the root has no slope
@pytest.mark.parametrize(("metric", "scale"), [*((m, 1.6) for m in PAIR_SUMS), *((m, 1.0) for m in PAIR_SUMS[:3])])
def test_errors_of_pair_sums_are_the_scatter_of_repeats(metric: tg.metrics.base.Metric, scale: float) -> None:
    """Under one law as under two: neither too large by the root of 2 nor too small.

    Under one law a little too large: the variance is at least that of the second-order part.
    """
    rng = np.random.default_rng(3)
    scores: list[Score] = [
        metric(rng.normal(size=(70, 3)), scale * rng.normal(size=(90, 3)), floor=False, intervals=i < 30)
        for i in range(120)
    ]
    squared = [s.trace.error ** 2 for s in scores if s.trace is not None]
    ratio = np.mean(squared) ** 0.5 / np.std([s.value for s in scores])
    assert 0.85 < ratio < (1.3 if scale == 1.0 else 1.2)


def test_second_order_variance_of_the_linear_kernel() -> None:
    """h(x, y) = x.y of standard normal rows in d dimensions: the doubly centred kernel has variance d."""
    x, y = np.random.default_rng(4).normal(size=(2, 400, 5)) + 3.0
    assert _within(x @ x.T) == pytest.approx(5.0, rel=0.1)
    assert _across(x @ y.T) == pytest.approx(5.0, rel=0.1)
    assert _within(np.add.outer(x[:, 0], x[:, 0])) == pytest.approx(0.0, abs=0.02)


def test_offsets_do_not_drown_the_error_of_the_kernel_distance() -> None:
    x, y = laws(5, 80, 3)
    centred = [KernelDistance()(x + c, y + c, floor=False) for c in (0.0, 100.0)]
    ratios = [s.trace.error / abs(s.value) for s in centred if s.trace is not None and s.value is not None]
    assert 0.05 < ratios[1] < 2.0


def test_bounds_solve_their_equation() -> None:
    """(U - theta)^2 = z^2 (V + c (theta - U)) at both ends; without a slope it is U +- z sd."""
    found = Curved(2.0, 0.3, 0.1, 0.4)
    for distance in found.bounds():
        assert distance**2 == pytest.approx(1.959964**2 * (0.3 + 0.4 * distance))
    assert Curved(2.0, 0.25, 0.1, 0.0).bounds() == (pytest.approx(-0.979982), pytest.approx(0.979982))


def test_what_is_counted_twice_is_taken_off_once() -> None:
    assert curved(0.0, 2.0, 1.0, steepest=9.0).variance == 1.0  # one law: linear = 2 second
    assert curved(5.0, 12.0, 1.0, steepest=9.0) == Curved(5.0, 11.0, 1.0, 2.0)
    assert curved(5.0, 12.0, 1.0, steepest=0.5).slope == 0.5
    assert curved(0.0, 0.0, 1.0, steepest=9.0).variance == 1.0  # never below the second-order part


# --- traces ------------------------------------------------------------------------------------------------

WITH_A_LINEAR_PART = ("energy_distance", "frechet_distance", "kernel_distance", "mmd")


@pytest.mark.parametrize("key", WITH_A_LINEAR_PART)
def test_traces_of_two_models_share_the_real_rows(key: str) -> None:
    real, first = laws(6, 130, 3, m=90)
    _, second = laws(7, 130, 3, m=110)
    a, b = (METRICS[key]()(real, rows, floor=False) for rows in (first, second))
    assert a.trace is not None
    assert b.trace is not None
    assert a.trace.basis == b.trace.basis
    assert a.trace.values.shape == (50,)
    assert 0 < a.trace.own < a.trace.error**2
    assert a.interval is not None
    assert a.interval.low < a.value < a.interval.high  # type: ignore[operator]
    other = METRICS[key]()(real, first, floor=False, seed=1)
    assert other.trace is not None
    assert other.trace.basis != a.trace.basis


@pytest.mark.parametrize("key", WITH_A_LINEAR_PART)
def test_paired_errors_of_differences_are_the_scatter_of_repeats(key: str) -> None:
    """Two models that err alike: what the real samples add to both is left out of the error of the difference."""
    rng = np.random.default_rng(8)
    differences, errors = [], []
    for i in range(80):
        real, a, b = rng.normal(size=(3, 100, 3))
        one, two = (METRICS[key]()(real, 0.8 + rows, floor=False, intervals=i < 20) for rows in (a, 1.1 * b))
        differences.append(one.value - two.value)  # type: ignore[operator]
        if one.trace is None or two.trace is None:
            continue
        apart = one.trace.values - two.trace.values
        errors.append(apart.var(ddof=1) * one.trace.scale**2 + one.trace.own + two.trace.own)
    assert len(errors) == 20
    assert np.mean(errors) ** 0.5 == pytest.approx(np.std(differences), rel=0.25)


def test_few_samples_a_feature_fall_back_on_sub_samples() -> None:
    enough = FrechetDistance()(*laws(9, 60, 4), floor=False)
    few = FrechetDistance()(*laws(9, 60, 40), floor=False)
    assert enough.interval is not None
    assert few.interval is not None
    assert (enough.interval.method, few.interval.method) == ("influence function", "sub-sampling")
