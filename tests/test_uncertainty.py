"""Intervals: the bootstrap against closed forms, sub-sampling against simulation, both reproducible."""

from __future__ import annotations

import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binomtest

import truegrade as tg
from truegrade.engine.needs import Moments
from truegrade.grading import Run
from truegrade.metrics import Coverage, FrechetDistance, NearestNeighbourTwoSample, RealismScore
from truegrade.metrics.base import Means
from truegrade.result import Interval
from truegrade.samples import Samples
from truegrade.uncertainty.analytic import analytic_interval
from truegrade.uncertainty.bootstrap import bootstrap_intervals
from truegrade.uncertainty.halves import Spread, _part, _parts, interval_of, spreads
from truegrade.uncertainty.intervals import _of_means

ALL = (-np.inf, np.inf)


def interval(means: Means, limits: tuple[float, float] = ALL, **options: int) -> Interval:
    found = bootstrap_intervals({"x": means}, {"x": limits}, **{"seed": 0, **options})["x"]
    assert isinstance(found, Interval)
    return found


def half_width(found: Interval) -> float:
    return (found.high - found.low) / 2


@pytest.mark.parametrize("n", [200, 4_999, 30_000])
def test_bootstrap_of_a_mean_has_its_closed_form_width(n: int) -> None:
    values = np.random.default_rng(n).gamma(2.0, size=n)
    found = interval(Means((("real", values),), float), replicates=4000)
    assert half_width(found) == pytest.approx(1.96 * values.std() / np.sqrt(n), rel=0.08)
    assert found.low < values.mean() < found.high


def test_bootstrap_of_a_ratio_agrees_with_the_delta_method() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.gamma(4.0, size=600), 1 + rng.random((400, 2))
    means = Means((("synthetic", a), ("real", b)), lambda x, y: float(x / (y[0] + y[1])))
    below = b.mean(0).sum()
    variance = a.var() / 600 / below**2 + (a.mean() / below**2) ** 2 * b.sum(1).var() / 400
    assert half_width(interval(means, replicates=4000)) == pytest.approx(1.96 * np.sqrt(variance), rel=0.08)


def test_metrics_share_the_weights() -> None:
    """A difference of equal contributions of one side is 0 in every replicate."""
    values = np.random.default_rng(2).random(300)
    together = Means((("real", values), ("real", values)), lambda a, b: a - b)
    apart = Means((("real", values), ("synthetic", values)), lambda a, b: a - b)
    assert half_width(interval(together)) == pytest.approx(0.0, abs=1e-12)
    assert half_width(interval(apart)) > 0.01


@pytest.mark.parametrize(
    ("constant", "low", "high"), [(1.0, 0.025 ** (1 / 50), 1.0), (0.0, 0.0, 1 - 0.025 ** (1 / 50))]
)
def test_shares_of_all_or_nothing_get_the_binomial_bound(constant: float, low: float, high: float) -> None:
    flat = interval(Means((("real", np.full(50, constant)),), float), (0.0, 1.0))
    assert (flat.low, flat.high) == (pytest.approx(low), pytest.approx(high))
    columns = Means((("real", np.full((50, 2), constant)),), lambda m: float(m.min() if constant else m.max()))
    assert interval(columns, (0.0, 1.0)) == flat


def test_bootstrap_clips_to_the_range_and_reports_what_is_undefined() -> None:
    rng = np.random.default_rng(3)
    clipped = interval(Means((("real", 1.5 + rng.random(50)),), lambda m: min(float(m), 1.0)), (0.0, 1.0))
    assert (clipped.low, clipped.high) == (1.0, 1.0)
    noise = Means((("real", rng.normal(size=50)),), lambda m: float(np.sqrt(m)))
    found = bootstrap_intervals({"x": noise}, {"x": ALL}, seed=0)["x"]
    assert isinstance(found, str)
    assert "undefined in" in found


def test_bootstrap_is_seeded_and_does_not_depend_on_the_other_metrics() -> None:
    values = np.random.default_rng(4).random(300)
    one = Means((("real", values),), float)
    other = Means((("real", values**2), ("synthetic", values)), lambda a, b: a * b)
    alone = bootstrap_intervals({"one": one}, {"one": ALL}, seed=7)["one"]
    both = bootstrap_intervals({"other": other, "one": one}, {"other": ALL, "one": ALL}, seed=7)["one"]
    assert isinstance(alone, Interval)
    assert isinstance(both, Interval)
    assert (both.low, both.high) == (
        pytest.approx(alone.low, rel=1e-12),
        pytest.approx(alone.high, rel=1e-12),
    )
    assert alone == bootstrap_intervals({"one": one}, {"one": ALL}, seed=7)["one"]
    assert alone != bootstrap_intervals({"one": one}, {"one": ALL}, seed=8)["one"]


def test_bootstrap_of_many_metrics_is_cheap() -> None:
    rng = np.random.default_rng(5)
    means = {
        str(i): Means((("real", rng.random(20_000)), ("synthetic", rng.random(20_000))), lambda a, b: a * b)
        for i in range(15)
    }
    start = time.process_time()
    found = bootstrap_intervals(means, dict.fromkeys(means, ALL), seed=0)
    assert len(found) == 15
    assert time.process_time() - start < 2.0  # about 0.3 s where nothing else runs


def test_analytic_interval() -> None:
    found = analytic_interval(2.0, 0.5, (1.5, np.inf))
    assert isinstance(found, Interval)
    assert (found.low, found.level, found.method) == (1.5, 0.95, "analytic standard error")
    assert found.high == pytest.approx(2.0 + 0.5 * 1.959964)
    assert isinstance(analytic_interval(2.0, np.nan, ALL), str)


# --- sub-sampling ------------------------------------------------------------------------------------------


def pair(rng: np.random.Generator, n: int, m: int, d: int) -> dict[str, Samples]:
    scale = np.linspace(0.5, 2.0, d)
    real, synthetic = rng.normal(size=(n, d)), 0.4 + scale * rng.normal(size=(m, d))
    return {"real": Samples.from_array(real), "synthetic": Samples.from_array(synthetic)}


def frechet(sides: dict[str, Samples]) -> float:
    from truegrade.engine.run import answer

    value = FrechetDistance().compute(answer((Moments("real"), Moments("synthetic")), sides)).value
    assert value is not None
    return value


def test_sub_samples_of_the_frechet_distance_have_the_simulated_spread() -> None:
    rng = np.random.default_rng(6)
    simulated = float(np.std([frechet(pair(rng, 150, 120, 8)) for _ in range(150)], ddof=1))
    errors = []
    for seed in range(6):
        spread = spreads({"f": FrechetDistance()}, pair(rng, 150, 120, 8), seed=seed, run=Run())["f"]
        assert isinstance(spread, Spread)
        errors.append(spread.error)
    assert float(np.mean(errors)) == pytest.approx(simulated, rel=0.30)


def test_sub_sampling_of_neighbour_metrics_is_reproducible() -> None:
    sides = pair(np.random.default_rng(7), 120, 100, 3)
    metrics = {"realism": RealismScore(), "nn": NearestNeighbourTwoSample()}
    one = spreads(metrics, sides, seed=3, run=Run(threads=1))
    two = spreads(metrics, sides, seed=3, run=Run(threads=2))
    for key in metrics:
        first, second = one[key], two[key]
        assert isinstance(first, Spread)
        assert isinstance(second, Spread)
        assert first.error > 0
        np.testing.assert_array_equal(first.drawn, second.drawn)


def test_sub_sampling_says_why_it_was_skipped() -> None:
    sides = pair(np.random.default_rng(8), 200, 200, 4)
    costly = spreads({"f": FrechetDistance()}, sides, seed=0, run=Run(), budget=10.0)["f"]
    assert isinstance(costly, str)
    assert "more than the limit" in costly
    few = {side: s.subset(np.arange(12)) for side, s in sides.items()}
    small = spreads({"f": FrechetDistance()}, few, seed=0, run=Run())["f"]
    assert isinstance(small, str)
    assert "too small" in small


def test_sub_sampling_of_duplicates_stays_finite() -> None:
    """Without replacement no duplicates are made; those that are there do no harm."""
    rows: NDArray[np.float64] = np.repeat(np.random.default_rng(9).normal(size=(30, 4)), 2, axis=0)
    sides = {"real": Samples.from_array(rows), "synthetic": Samples.from_array(rows + 0.1)}
    found = spreads({"r": RealismScore()}, sides, seed=0, run=Run())["r"]
    assert isinstance(found, Spread)
    assert np.isfinite(found.drawn).all()
    assert found.error > 0


# --- both samples vary -------------------------------------------------------------------------------------


def test_intervals_cover_the_mean_of_many_repeats() -> None:
    """95 % intervals against the mean over 60 repeats of the experiment, 10 of them with an interval.

    The bootstrap alone covers it in about 70 %. Four scores pooled; the error of the share is about .03.
    """
    keys = ["density", "clipped_coverage", "symmetric_precision", "precision_cover"]
    rng = np.random.default_rng(10)
    draw = lambda: (rng.normal(size=(120, 2)), 1.2 * rng.normal(size=(120, 2)))  # noqa: E731
    graded = [tg.evaluate(*draw(), metrics=keys, floor=False, intervals=i < 10, seed=i) for i in range(60)]
    hits = []
    for key in keys:
        mean = float(np.mean([g[key].value for g in graded]))
        hits += [i.low <= mean <= i.high for g in graded if (i := g[key].interval) is not None]
    assert len(hits) == 10 * len(keys)
    assert float(np.mean(hits)) > 0.88


def test_small_parts_give_the_standard_error_of_the_whole() -> None:
    """Parts of 1/4 and 1/2 against the simulated standard deviation of coverage at the full size."""
    rng = np.random.default_rng(11)
    metric = Coverage()
    simulated = float(
        np.std([metric(*rng.normal(size=(2, 250, 2)), intervals=False, floor=False).value for _ in range(80)])
    )
    found: dict[float, list[float]] = {1e12: [], 3e7: []}
    for seed in range(4):
        a, b = rng.normal(size=(2, 250, 2))
        sides = {"real": Samples.from_array(a), "synthetic": Samples.from_array(b)}
        for budget, errors in found.items():
            spread = spreads({"c": metric}, sides, seed=seed, run=Run(), budget=budget)["c"]
            assert isinstance(spread, Spread)
            errors.append(spread.error)
    assert found[1e12] != found[3e7]
    for errors in found.values():
        assert float(np.mean(errors)) == pytest.approx(simulated, rel=0.4)


def test_two_parts_of_a_cut_share_no_sample() -> None:
    for share in (0.5, 0.25):
        one, two = (_part(101, 3, 2, "real", share, part) for part in (0, 1))
        assert len(one) == len(two) == int(101 * share)
        assert not set(one) & set(two)
    again = _part(101, 3, 2, "real", 0.25, 0)
    assert again.tolist() == _part(101, 3, 2, "real", 0.25, 0).tolist() != _part(101, 3, 1, "real", 0.25, 0).tolist()


@pytest.mark.parametrize("share", [0.5, 0.25, 1 / 64])
def test_the_error_of_a_mean_is_its_closed_form(share: float) -> None:
    """Means of disjoint parts: whatever the share, the standard error is s / sqrt(n)."""
    rng = np.random.default_rng(12)
    x = rng.normal(size=6400)
    drawn = np.array([[x[_part(6400, 0, cut, "real", share, p)].mean() for p in (0, 1)] for cut in range(600)])
    assert Spread(drawn, share).error == pytest.approx(x.std(ddof=1) / 80, rel=0.08)


def spread(error: float) -> Spread:
    """Ten cuts whose differences come to this standard error."""
    drawn = np.tile([-1.0, 1.0], (10, 1))
    return Spread(drawn * error / Spread(drawn, 0.5).error, 0.5)


def test_an_interval_from_parts_has_t_quantiles_and_stays_in_the_range() -> None:
    found = interval_of(spread(0.02), 0.9, (0.0, 1.0))
    assert isinstance(found, Interval)
    assert (found.low, found.high) == (pytest.approx(0.9 - 2.2281 * 0.02, abs=1e-5), pytest.approx(0.94456, abs=1e-5))
    clipped = interval_of(spread(0.1), 0.9, (0.0, 1.0))
    assert isinstance(clipped, Interval)
    assert clipped.high == 1.0
    assert interval_of("too small", 0.9, (0.0, 1.0)) == "too small"


def test_values_that_are_missing_in_a_few_parts_leave_an_error() -> None:
    whole = spread(0.1).drawn.copy()
    whole[3, 1] = np.nan
    assert Spread(whole, 0.5).cuts == 9
    assert Spread(whole, 0.5).error == pytest.approx(0.1, rel=0.1)
    assert np.isnan(Spread(whole, 0.5).values).sum() == 2


def test_shares_near_one_reach_their_binomial_bound() -> None:
    """One of 300 samples is bad and no part shows more spread than that: the bound is that of Clopper and Pearson."""
    contributions = np.ones(300)
    contributions[7] = 0.0
    means = Means((("synthetic", contributions),), float)
    found = _of_means(means, spread(1e-4), contributions.mean(), (0.0, 1.0))
    assert isinstance(found, Interval)
    assert found.low == pytest.approx(binomtest(299, 300).proportion_ci(0.95).low, rel=1e-6)
    assert found.high == pytest.approx(binomtest(299, 300).proportion_ci(0.95).high, rel=1e-6)
    common = _of_means(Means((("synthetic", np.r_[np.ones(200), np.zeros(100)]),), float), spread(0.01), 2 / 3, (0, 1))
    assert isinstance(common, Interval)
    assert common.low == pytest.approx(2 / 3 - 0.022281, abs=1e-5)


def test_a_mean_without_spread_or_without_parts_falls_back_on_the_bootstrap() -> None:
    rng = np.random.default_rng(13)
    small = tg.metrics.Precision()(*rng.normal(size=(2, 12, 2)), floor=False)
    assert small.interval is not None
    assert small.interval.method == "per-sample bootstrap"
    real, synthetic = rng.normal(size=(2, 60, 2))
    far = tg.metrics.Precision()(real, synthetic + 1000.0, floor=False)
    assert far.interval is not None
    assert (far.interval.low, far.interval.method) == (0.0, "per-sample bootstrap")
    assert far.interval.high == pytest.approx(1 - 0.025 ** (1 / 60))


def test_costly_covariances_get_fewer_cuts_and_then_none() -> None:
    """Of 2,048 features: ten cuts of 300 samples, three of 3,000, and more than half a minute is refused."""

    def parts(n: int, d: int) -> tuple[float, int] | str:
        samples = replace(Samples.from_array(np.zeros((1, 1))), rows=SimpleNamespace(shape=(n, d)))
        return _parts(FrechetDistance(), {"real": samples, "synthetic": samples}, 10, None)

    assert parts(300, 512) == (0.5, 10)
    assert parts(3000, 2048) == (0.5, 3)
    assert parts(2000, 1024) == (0.5, 7)
    assert "sub-sampling would take" in parts(8000, 8192)
