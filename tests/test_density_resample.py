"""Sets drawn again: draws keep what they have to keep, ceilings are what fresh samples get, intervals hold."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from truegrade.density import frame_of, grade_histograms, grade_pair, side_stats
from truegrade.density.resample import Cells, Points, Resampled, ceilings, part_sizes, redrawn, resample_pair, settled
from truegrade.density.settings import DEFAULT, Settings

EDEN = ("eden_score",)
ALL = ("correlation_score", "jaccard_score", "kl_score", "js_score", "cs_score", "eden_score")


def laid_out(p, q=None):
    """Frame, and histogram and statistics of each side."""
    sides = [side_stats(p), side_stats(p if q is None else q)]
    frame = frame_of(*sides)
    histograms = [frame.histogram(), frame.histogram()]
    histograms[0].add(p)
    histograms[1].add(p if q is None else q)
    return frame, histograms, sides


def gaussian(n, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 2))


@pytest.mark.parametrize("kind", [Points, Cells])
def test_draws_have_their_size_and_on_average_the_moments_and_places_of_the_side(kind):
    points = gaussian(300) @ np.array([[1.0, 0.7], [0.0, 0.5]])
    frame, (histogram, _), (stats, _) = laid_out(points)
    law = Points(points, frame) if kind is Points else Cells(histogram, frame, stats)
    drawn = [law.draw(300, np.random.default_rng(i)) for i in range(60)]
    assert all(h.n == s.n == 300 and h.counts.sum() == 300 * 256 for h, s in drawn)
    mean_cov = np.mean([s.cov for _, s in drawn], axis=0)
    assert mean_cov == pytest.approx(stats.cov, abs=0.15 * stats.cov.max())
    spread = np.std([s.cov[0, 0] for _, s in drawn]) / stats.cov[0, 0]
    assert spread == pytest.approx((2 / 300) ** 0.5, rel=0.35)
    counts = np.mean([h.counts.astype(float) for h, _ in drawn], axis=0)
    blocks = lambda a: a.reshape(8, a.shape[0] // 8, 8, a.shape[1] // 8).sum((1, 3))  # noqa: E731
    assert blocks(counts) == pytest.approx(blocks(histogram.counts.astype(float)), abs=0.02 * 300 * 256)


@pytest.mark.parametrize("kind", [Points, Cells])
def test_parts_have_no_point_in_common(kind):
    points = gaussian(101)
    frame, (histogram, _), (stats, _) = laid_out(points)
    law = Points(points, frame) if kind is Points else Cells(histogram, frame, stats)
    few, more = law.nested(40, 101, np.random.default_rng(0))
    assert (few[0].n, more[0].n) == (40, 101)
    assert (few[0].counts <= more[0].counts).all()
    first, second = law.parts(50, 51, np.random.default_rng(0))
    assert (first[0].n, second[0].n) == (50, 51)
    both = first[0].counts.astype(np.int64) + second[0].counts
    assert both.sum() == 101 * 256
    if kind is Points:
        assert (both == histogram.counts).all()
    else:  # each point is whole in one of the cells it was spread over
        assert (both % 256 == 0).all()
        assert (both[histogram.counts == 0] == 0).all()


@pytest.mark.parametrize(("n", "m", "parts"), [(100, 100, (50, 50)), (100, 300, (25, 75)), (90, 9000, (18, 72))])
def test_sizes_of_parts_keep_the_proportion(n, m, parts):
    assert part_sizes(n, m) == parts


def test_points_outside_of_a_cut_grid_stay_outside():
    rng = np.random.default_rng(0)
    points = rng.standard_t(1.2, (4000, 2))
    frame, (histogram, _), (stats, _) = laid_out(points)
    assert histogram.outside > 0
    law = Cells(histogram, frame, stats)
    outside = [law.draw(4000, np.random.default_rng(i))[0].outside for i in range(20)]
    assert np.mean(outside) == pytest.approx(histogram.outside, rel=0.35)
    drawn, own = law.draw(4000, rng)
    assert drawn.counts.sum() == (4000 - drawn.outside) * 256
    assert np.linalg.eigvalsh(own.cov).min() > 0


def test_quick_scores_are_those_of_the_whole_grading():
    p, q = gaussian(200), gaussian(150, 1) * 1.3
    frame, histograms, sides = laid_out(p, q)
    quick, whole = (
        resample_pair(*histograms, frame, *sides, repeats=2, seed=3, scores=scores)
        for scores in (("eden_score", "correlation_score"), None)
    )
    for key in ("eden_score", "correlation_score"):
        assert quick.values[key] == pytest.approx(whole.values[key], abs=1e-12)
        assert quick.ceilings[key] == pytest.approx(whole.ceilings[key], abs=1e-12)
    assert set(whole.values) == set(ALL) | {"earth_movers_score"}
    assert np.isnan(whole.values["earth_movers_score"]).all()


def test_interval_and_ceiling_of_few_replicates():
    values = {"eden_score": np.array([0.4, 0.5, 0.6]), "js_score": np.array([np.nan, 0.9])}
    found = Resampled(values, {"eden_score": np.array([1.1, 1.3])})
    assert found.interval("eden_score", 0.3) == pytest.approx((0.0, 0.3 + 4.302653 * 0.1))
    assert found.interval("js_score", 0.8) is None
    assert found.interval("kl_score", 0.8) is None
    assert found.ceiling("eden_score") == 1.0
    assert found.ceiling_error("eden_score") == pytest.approx(0.1)
    assert found.ceiling("kl_score") is None


def test_divergences_keep_the_variance_they_have_where_both_laws_are_one():
    rng = np.random.default_rng(0)
    noise, null = rng.normal(size=400), 0.9 + 0.01 * rng.normal(size=400)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    null = 0.9 + 0.01 * (null - null.mean()) / null.std(ddof=1)

    def variance(mean, sd, key="kl_score"):
        found = settled({key: mean + sd * noise}, {key: null})[key]
        assert found.mean() == pytest.approx(mean)
        return found.var(ddof=1) / 0.01**2

    assert variance(0.8, 0.03) == pytest.approx(9.0 - 2.0)  # draws lose twice what real against real does: one law
    assert variance(0.85, 0.03) == pytest.approx(9.0 - 2.0)
    assert variance(0.5, 0.03) == pytest.approx(9.0 - 2.0 / 16)  # a loss of .4 without that of the draws
    assert variance(0.8, 0.012) == pytest.approx(1.0)
    assert variance(0.8, 0.006) == pytest.approx(0.36)
    assert variance(0.8, 0.03, "eden_score") == pytest.approx(9.0)
    drawn = 0.8 + noise
    assert settled({"cs_score": drawn}, {})["cs_score"] is drawn


LAWS = {
    "Gaussian": lambda n, rng: rng.normal(size=(n, 2)),
    "uniform": lambda n, rng: rng.random((n, 2)),
}


@pytest.mark.parametrize(
    ("law", "n", "expected"), [("Gaussian", 200, 0.50), ("Gaussian", 1000, 0.67), ("uniform", 1000, 0.38)]
)
def test_ceiling_is_the_eden_score_of_fresh_samples_of_the_law(law, n, expected):
    """Expected from METRICS; checked against fresh pairs too. Halves alone or draws alone would miss it by .05."""
    rng = np.random.default_rng(n)
    fresh = [grade_pair(LAWS[law](n, rng), LAWS[law](n, rng)).values["eden_score"] for _ in range(24)]
    assert np.mean(fresh) == pytest.approx(expected, abs=0.03)
    found = []
    for seed in range(10):
        frame, (histogram, _), (stats, _) = laid_out(LAWS[law](n, rng))
        cells = Cells(histogram, frame, stats)
        found.append(ceilings(cells, n, frame, DEFAULT, repeats=3, seed=seed, scores=EDEN).values["eden_score"].mean())
    assert np.mean(found) == pytest.approx(np.mean(fresh), abs=0.035)


def test_shared_kernels_of_real_against_real_are_those_of_the_real_set():
    """The synthetic side's width must not get into the ceiling."""
    p = gaussian(300)
    settings = Settings(bandwidth="shared")
    found = []
    for scale in (1.0, 4.0):
        frame, histograms, sides = laid_out(p, gaussian(300, 1) * scale)
        resampled = resample_pair(*histograms, frame, *sides, settings, repeats=6, seed=0, scores=EDEN)
        found.append(resampled.ceiling("eden_score"))
    assert found[0] == pytest.approx(found[1], abs=0.12)


def test_replicates_scatter_as_fresh_samples_do():
    """Their spread, of which intervals are made, against that of fresh pairs; and they are lower than the value."""
    fresh, spreads, shifts = [], [], []
    for seed in range(30):
        p, q = gaussian(300, seed), gaussian(300, seed + 100) * [1.0, 1.6]
        frame, histograms, sides = laid_out(p, q)
        value = grade_histograms(*histograms, frame, *sides).values["eden_score"]
        fresh.append(value)
        if seed < 6:
            laws = Points(p, frame), Points(q, frame)
            drawn = redrawn(*laws, frame, DEFAULT, repeats=20, seed=0, scores=EDEN)["eden_score"]
            spreads.append(drawn.std(ddof=1))
            shifts.append(drawn.mean() - value)
    assert np.mean(spreads) == pytest.approx(np.std(fresh, ddof=1), rel=0.35)
    assert np.mean(shifts) < 0.0


def test_intervals_hold_the_expected_score(monkeypatch):
    """A small run of benchmarks.coverage: 14 intervals of each of six scores; the error of their mean is about .03."""
    root = Path(__file__).resolve().parents[1]
    spec = importlib.util.spec_from_file_location("coverage_benchmark", root / "benchmarks" / "coverage.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr("truegrade.metrics.pair_grading.REPEATS", 12)
    monkeypatch.setattr("truegrade.metrics.pair_grading.CEILINGS", 6)
    found = module.simulate("scale 1.5, n=300", ALL, repetitions=14, more=26, n=100)
    shares = {key: cell["coverage"] for key, cell in found.items()}
    assert 0.88 <= np.mean(list(shares.values())) <= 1.0, shares
    assert all(0.6 < cell["width"] < 2.0 for cell in found.values()), found
