"""Do the metrics behave under controlled damage? And do those that are known to fail still fail?

2,500 samples of 32 features, 5 neighbours, damage as in the paper on clipped density and coverage (Salvy et
al. 2025). The negative controls matter as much: a test set on which every metric succeeds shows nothing.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from grading import PROVIDERS, grade_all
from truegrade import metrics as tm
from truegrade.metrics.base import Outcome

N, D = 2500, 32
FAST = PROVIDERS[-1]
PAIR = (tm.ClippedDensity(), tm.ClippedCoverage())
OLD = (tm.Precision(), tm.Recall(), tm.Density(), tm.Coverage())


def _gaussian(rng: np.random.Generator, d: int = D) -> NDArray[np.float64]:
    return rng.normal(size=(N, d))


def _spoil(samples: NDArray[np.float64], share: float, rng: np.random.Generator) -> None:
    """Throw the first samples far out, each by a factor of its own."""
    count = round(share * len(samples))
    samples[:count] *= np.maximum(2.0, 10.0 + rng.normal(size=(count, 1)))


def _values(outcomes: dict[str, Outcome]) -> dict[str, float]:
    return {key: o.value for key, o in outcomes.items() if o.value is not None}


@cache
def with_bad_share(share: float) -> dict[str, float]:
    """Mean values over five runs."""
    runs = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        real, synthetic = _gaussian(rng), _gaussian(rng)
        _spoil(synthetic, share, rng)
        metrics = (*PAIR, tm.Coverage(), *((tm.Recall(),) if seed == 0 else ()))
        runs.append(_values(grade_all(metrics, real, synthetic, FAST)))
    return {key: float(np.mean([run[key] for run in runs if key in run])) for key in runs[0]}


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 0.75])
def test_clipped_pair_reads_as_the_share_of_good_samples(share):
    values = with_bad_share(share)
    assert values["clipped_density"] == pytest.approx(1 - share, abs=0.03)
    assert values["clipped_coverage"] == pytest.approx(1 - share, abs=0.04)


def test_recall_rises_with_bad_samples():
    """Negative control: far-out synthetic samples have large balls."""
    values = [with_bad_share(share)["recall"] for share in (0.0, 0.25, 0.5, 0.75)]
    assert values == sorted(values)
    assert values[-1] > values[0] + 0.15


def test_coverage_hardly_notices_half_bad_samples():
    """Negative control: one good sample per ball is enough for it."""
    assert with_bad_share(0.5)["coverage"] > 0.5 + 0.2


def test_outliers_on_both_sides_hardly_change_the_clipped_pair():
    def values(share: float) -> dict[str, float]:
        rng = np.random.default_rng(11)
        real, synthetic = _gaussian(rng), _gaussian(rng)
        _spoil(real, share, rng)
        _spoil(synthetic, share, rng)
        return _values(grade_all(PAIR, real, synthetic, FAST))

    clean, spoilt = values(0.0), [values(share) for share in (0.01, 0.03)]
    for key in clean:
        assert [v[key] for v in spoilt] == pytest.approx([clean[key]] * 2, abs=0.03)


@cache
def translated(shift: float) -> dict[str, float]:
    """Synthetic moved by `shift` in every feature; a real outlier at +3 and a synthetic one at -3."""
    rng = np.random.default_rng(12)
    real, synthetic = _gaussian(rng), _gaussian(rng) + shift
    real[0], synthetic[0] = 3.0, -3.0
    return _values(grade_all((*PAIR, *OLD[:2]), real, synthetic, FAST))


@pytest.mark.parametrize("shift", [0.25, 0.5, 1.0])
def test_one_outlier_does_not_make_the_clipped_pair_lopsided(shift):
    there, back = translated(shift), translated(-shift)
    for key in ("clipped_density", "clipped_coverage"):
        assert there[key] == pytest.approx(back[key], abs=0.04)


def test_one_outlier_fools_precision_and_recall():
    """Negative control: moved towards the outlier's large ball, disjoint sets look good; moved away, bad."""
    there, back = translated(1.0), translated(-1.0)
    for key in ("precision", "recall"):
        assert there[key] > 0.5
        assert back[key] < 0.1
    assert max(there["clipped_density"], there["clipped_coverage"]) < 0.05


@cache
def with_modes_dropped(kept: float) -> dict[str, float]:
    """Ten modes; all but the first keep a share of their samples, the rest goes to the first. Two runs."""
    runs = []
    for seed in (3, 4):
        rng = np.random.default_rng(seed)
        centres = 10.0 * rng.normal(size=(10, D))
        labels = np.repeat(np.arange(10), N // 10)
        moved = (np.tile(np.arange(N // 10), 10) >= round(kept * N / 10)) & (labels > 0)
        real = centres[labels] + _gaussian(rng)
        synthetic = centres[np.where(moved, 0, labels)] + _gaussian(rng)
        runs.append(_values(grade_all((*PAIR, tm.SymmetricPrecision()), real, synthetic, FAST)))
    return {key: float(np.mean([run[key] for run in runs])) for key in runs[0]}


@pytest.mark.parametrize(("kept", "coverage"), [(1.0, 0.98), (0.56, 0.62), (0.11, 0.20), (0.0, 0.10)])
def test_dropping_modes_lowers_clipped_coverage_alone(kept, coverage):
    values = with_modes_dropped(kept)
    assert values["clipped_density"] > 0.96
    assert values["clipped_coverage"] == pytest.approx(coverage, abs=0.04)


def test_dropping_modes_lowers_symmetric_precision():
    assert with_modes_dropped(1.0)["symmetric_precision"] > 0.75
    assert with_modes_dropped(0.0)["symmetric_precision"] == pytest.approx(0.38, abs=0.04)


# --- what the clipped pair cannot see, and which companion sees it ---


def _blind_spot(real, synthetic, *companions) -> dict[str, Outcome]:
    outcomes = grade_all((*PAIR, *companions), real, synthetic, FAST)
    assert outcomes["clipped_density"].value > 0.94
    assert outcomes["clipped_coverage"].value > 0.94
    return outcomes


def test_clusters_shrunk_to_their_centres_are_seen_by_recall_and_neighbours():
    rng = np.random.default_rng(20)
    centres, labels = 3.0 * rng.normal(size=(50, 16)), np.repeat(np.arange(50), N // 50)
    real = centres[labels] + _gaussian(rng, 16)
    synthetic = centres[labels] + _gaussian(rng, 16)
    synthetic[N // 50 :] = centres[labels[N // 50 :]]
    outcomes = _blind_spot(real, synthetic, tm.Recall(), tm.SymmetricPrecision(), tm.NearestNeighbourTwoSample())
    assert outcomes["recall"].value < 0.06
    assert outcomes["symmetric_precision"].value < 0.06
    assert outcomes["nn_two_sample"].details["accuracy_synthetic"] > 0.95
    assert "zero_radius" in [w.code for w in outcomes["symmetric_precision"].warnings]


def test_contraction_is_warned_about_and_seen_by_recall():
    rng = np.random.default_rng(21)
    real, synthetic = _gaussian(rng, 64), 0.316 * _gaussian(rng, 64)
    outcomes = _blind_spot(real, synthetic, tm.Recall(), tm.SymmetricPrecision())
    density = outcomes["clipped_density"]
    assert (density.value, outcomes["clipped_coverage"].value) == (1.0, 1.0)
    assert density.raw > 1.2
    assert "contraction" in [w.code for w in density.warnings]
    assert outcomes["recall"].value == 0.0
    assert outcomes["symmetric_precision"].value == 0.0


def test_disjoint_spheres_in_many_dimensions_are_seen_by_the_symmetric_pair():
    rng = np.random.default_rng(22)
    real, synthetic = (v / np.linalg.norm(v, axis=1)[:, None] for v in (_gaussian(rng, 128) for _ in range(2)))
    outcomes = _blind_spot(real, 0.7 * synthetic, tm.SymmetricPrecision(), tm.SymmetricRecall())
    assert outcomes["symmetric_precision"].value < 0.05
    assert outcomes["symmetric_recall"].value < 0.05


def test_near_copies_are_seen_by_authenticity():
    rng = np.random.default_rng(23)
    real = _gaussian(rng)
    outcomes = _blind_spot(real, real + 0.001 * _gaussian(rng), tm.Authenticity())
    assert outcomes["authenticity"].value == 0.0


def test_fresh_samples_are_not_accused_of_contraction():
    rng = np.random.default_rng(24)
    real, synthetic = _gaussian(rng), _gaussian(rng)
    outcomes = _blind_spot(real, synthetic, tm.SymmetricPrecision())
    assert [w.code for w in outcomes["clipped_density"].warnings] == ["clipped_pair"]
    assert 0.95 < outcomes["clipped_density"].raw < 1.05


def test_density_of_shrunken_gaussians_is_far_above_1_and_says_so():
    """CASES N16: 0.9 times the spread in many dimensions."""
    rng = np.random.default_rng(25)
    outcomes = grade_all((*PAIR, tm.Density()), _gaussian(rng, 128), 0.9 * _gaussian(rng, 128), FAST)
    assert outcomes["density"].value > 2.0
    assert "unbounded" in [w.code for w in outcomes["density"].warnings]
    assert outcomes["clipped_density"].value == 1.0


def test_collapsed_model_is_precise_and_recalls_nothing():
    """CASES N17: precision and recall are never swapped."""
    rng = np.random.default_rng(26)
    real, synthetic = 3.0 * rng.normal(size=(200, 16)), 0.1 * rng.normal(size=(200, 16))
    outcomes = grade_all((tm.SymmetricPrecision(), *OLD), real, synthetic, FAST)
    assert outcomes["precision"].value > 0.95
    assert outcomes["recall"].value < 0.05
    assert outcomes["symmetric_precision"].value < 0.05


@pytest.mark.parametrize("key", ["clipped_density", "clipped_coverage"])
def test_the_blind_spot_is_said_with_its_companions(key):
    reading = tm.METRICS[key].info.reading
    companions = ("symmetric_precision", "symmetric_recall", "nn_two_sample", "authenticity")
    assert all(name in reading for name in companions)
    assert set(companions) <= set(tm.METRICS)
