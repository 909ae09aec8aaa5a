"""Every neighbour metric against its plain definition, on continuous and on tied data of unequal sizes."""

from __future__ import annotations

import numpy as np
import pytest

from grading import PROVIDERS, grade
from oracles import brute
from truegrade.metrics import METRICS

KEYS = [
    "precision",
    "recall",
    "density",
    "coverage",
    "complement_precision",
    "symmetric_precision",
    "symmetric_recall",
    "clipped_density",
    "clipped_coverage",
    "p_precision",
    "p_recall",
    "precision_cover",
    "recall_cover",
    "nearest_ball_precision",
    "nearest_ball_recall",
    "nearest_ball_f",
    "realism",
    "rarity",
]
SHAPES = [(70, 55, 3), (40, 90, 12)]


def pair(n, m, d, kind="continuous"):
    rng = np.random.default_rng([n, m, d])
    if kind == "tied":
        return rng.integers(0, 4, (n, d)).astype(float), rng.integers(0, 5, (m, d)).astype(float)
    return rng.normal(size=(n, d)), 0.9 * rng.normal(size=(m, d)) + 0.2


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("k", [1, 2, 6])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("key", KEYS)
def test_continuous(key, shape, k, provider):
    real, synthetic = pair(*shape)
    metric = METRICS[key](k=k)
    expected = getattr(brute, key)(real, synthetic, k)
    assert grade(metric, real, synthetic, provider).value == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("shape", [(70, 55, 2), (40, 90, 3)], ids=str)
@pytest.mark.parametrize("key", [key for key in KEYS if key != "realism"])
def test_tied(key, shape, provider):
    real, synthetic = pair(*shape, kind="tied")
    expected = getattr(brute, key)(real, synthetic, 4)
    got = grade(METRICS[key](k=4), real, synthetic, provider).value
    assert got == pytest.approx(expected, rel=1e-10, abs=1e-14)


@pytest.mark.parametrize("key", ["precision_cover", "recall_cover"])
def test_covers_may_leave_the_centre_out_of_their_count(key):
    """k' others: the balls of C k + 1 samples with the centre."""
    real, synthetic = pair(70, 55, 3)
    graded, other = (real, synthetic) if key == "recall_cover" else (synthetic, real)
    own, cross = (np.sort(np.linalg.norm(graded[:, None] - b, axis=2), axis=1) for b in (graded, other))
    expected = np.mean([(c <= o[6]).sum() >= 2 for c, o in zip(cross, own, strict=True)])
    metric = METRICS[key](k=2, multiple=3, count_self=False)
    assert grade(metric, real, synthetic, PROVIDERS[-1]).value == pytest.approx(expected, rel=1e-12)
    assert grade(METRICS[key](k=2), real, synthetic, PROVIDERS[-1]).value != pytest.approx(expected)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_per_sample_values_say_which_samples(provider):
    """Two bad synthetic samples, one real sample far from all synthetic ones."""
    rng = np.random.default_rng(8)
    real, synthetic = rng.normal(size=(60, 3)), rng.normal(size=(50, 3))
    synthetic[[4, 9]] += 50.0
    real[7] += 200.0
    for key in (
        "precision",
        "density",
        "clipped_density",
        "p_precision",
        "nearest_ball_precision",
        "realism",
    ):
        per_sample = grade(METRICS[key](), real, synthetic, provider).per_sample["synthetic"]
        # the far real sample has a ball that reaches everywhere; clipping and the nearest rule see through it
        fooled = key in ("precision", "density")
        assert (per_sample[[4, 9]] < 0.1).all() != fooled
        assert np.delete(per_sample, [4, 9]).mean() > 0.5
    for key in ("p_recall", "nearest_ball_recall"):
        assert grade(METRICS[key](), real, synthetic, provider).per_sample["real"][7] == 0.0


@pytest.mark.parametrize("provider", PROVIDERS)
def test_realism_and_rarity_details(provider):
    real, synthetic = pair(70, 55, 3)
    synthetic[:11] += 30.0
    rarity = grade(METRICS["rarity"](), real, synthetic, provider)
    outside = ~brute.inside(real, synthetic, 3).any(0)
    assert outside[:11].all()
    assert rarity.details["share_outside"] == pytest.approx(outside.mean(), abs=1e-15)
    own = brute.inside(real, real, 3) & ~np.eye(70, dtype=bool)
    smallest = np.where(own, brute.radii(real, 3)[:, None], np.inf).min(0)
    assert rarity.details["real_rarity"] == pytest.approx(np.median(smallest[np.isfinite(smallest)]), rel=1e-12)
    realism = grade(METRICS["realism"](), real, synthetic, provider)
    assert realism.details["share_at_least_1"] == (realism.per_sample["synthetic"] >= 1).mean()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_realism_of_copies(provider):
    real, synthetic = pair(70, 55, 3)
    copies = grade(METRICS["realism"](), real, real.copy(), provider)
    assert copies.value is None
    assert "copies" in copies.reason
    synthetic[:3] = real[np.argsort(brute.radii(real, 3))[:3]]
    few = grade(METRICS["realism"](), real, synthetic, provider)
    assert np.isinf(few.per_sample["synthetic"][:3]).all()
    assert np.isfinite(few.value)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_rarity_and_realism_without_balls(provider):
    real, synthetic = pair(70, 55, 3)
    far = grade(METRICS["rarity"](), real, synthetic + 1e3, provider)
    assert far.value is None
    assert "no synthetic sample" in far.reason
    points = np.repeat(real[:10], 7, axis=0)
    flat = grade(METRICS["realism"](), points, synthetic, provider)
    assert flat.value is None
    assert "duplicates" in flat.reason


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("shape", [(70, 55, 48), (40, 90, 64)], ids=str)
@pytest.mark.parametrize("key", ["clipped_density", "clipped_coverage"])
def test_raw_value_beyond_1(key, shape, provider):
    """Huddled samples: the value stops at 1, the raw one continues the line."""
    real, synthetic = pair(*shape)
    outcome = grade(METRICS[key](), real, 0.3 * synthetic, provider)
    expected = getattr(brute, f"{key}_raw")(real, 0.3 * synthetic, 5)
    assert expected > 1.05
    assert outcome.value == 1.0
    assert outcome.raw == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("key", ["clipped_density", "clipped_coverage", "symmetric_precision", "nearest_ball_f"])
def test_bootstrap_means_recombine(key):
    """The interval resamples `means`: on a half of the samples it must give that half's own recombination."""
    real, synthetic = pair(70, 55, 3)
    means = grade(METRICS[key](), real, synthetic + 0.5).means
    halves = [(side, parts[::2]) for side, parts in means.parts]
    half = type(means)(tuple(halves), means.combine).value()
    low, high = METRICS[key].info.range
    assert low <= half <= high
    assert half != means.value()
