"""compat="ecgen-eval-0.5" gives the numbers of ecgen-eval 0.5.0 on the same arrays."""

import warnings
from pathlib import Path

import numpy as np
import pytest

from truegrade.ecg.registry import AVAILABLE_METRICS
from truegrade.errors import InputError
from truegrade.samplers.ecg import simulate_ecg

theirs = pytest.importorskip("ecgen_eval.metrics").AVAILABLE_METRICS
SHARED = Path("../shared/data/ecg")
WITH_FS = {"psd", "hrv", "heart_rate", "spectral_entropy"}
COUNTS = {"n_subsample": 20}  # fewer than there are, so that its sub-sampling is followed too


def simulated(n, seed, **settings):
    made = simulate_ecg(n, fs=100, seconds=5, seed=seed, leads=("I", "V2"), **settings)
    return made.values.astype(np.float64)


def both(key, real, synthetic, fs, **parameters):
    ours = AVAILABLE_METRICS[key](
        compat="ecgen-eval-0.5", **parameters, **({"fs": fs} if key in WITH_FS | {"sqi"} else {})
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = theirs[key](**parameters, **({"fs": fs} if key in WITH_FS else {}))
        expected = peer.compute(real, synthetic, lead_names=["I", "V2"][: real.shape[1]])
    return ours.compute(real, synthetic, lead_names=["I", "V2"][: real.shape[1]]), expected


KEYS = sorted(set(AVAILABLE_METRICS) - {"fed"})


def test_the_keys_are_theirs():
    assert list(AVAILABLE_METRICS) == list(theirs)
    assert {key: metric.higher_is_better for key, metric in AVAILABLE_METRICS.items()} == {
        key: metric.higher_is_better for key, metric in theirs.items()
    }


@pytest.mark.parametrize("key", KEYS)
def test_same_number_on_simulated_recordings(key):
    parameters = {"n_pairs": 12, "window": 0.07, "downsample": 2} if key == "dtw" else COUNTS
    real, synthetic = simulated(26, 1), simulated(31, 2, noise=0.1, rate=(50, 115))
    ours, expected = both(key, real, synthetic, 100.0, **parameters)
    assert ours.score == pytest.approx(expected.score, rel=1e-6)
    assert ours.per_lead_scores == pytest.approx(expected.per_lead_scores, rel=1e-5, abs=1e-9)
    for name in set(ours.extra) & set(expected.extra):
        if isinstance(expected.extra[name], dict):
            assert ours.extra[name] == pytest.approx(expected.extra[name], rel=1e-6)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data are not here")
@pytest.mark.parametrize("key", KEYS)
def test_same_number_on_recorded_ecg(key):
    values = np.load(SHARED / "cinc50_int16uV.npz")["x"][:30, [1, 7], :2000] / 1000.0
    ours, expected = both(key, values[:15], values[15:], 500.0, **({"n_pairs": 6} if key == "dtw" else {}))
    assert ours.score == pytest.approx(expected.score, rel=1e-6)


def test_compat_has_no_rule_for_nan_nor_for_the_union():
    real = simulated(6, 1)
    broken = real.copy()
    broken[0, 0, 3] = np.nan
    with pytest.raises(InputError, match="no rule for a NaN"):
        AVAILABLE_METRICS["ssim"](compat="ecgen-eval-0.5").compute(real, broken)
    with pytest.raises(InputError, match="union"):
        AVAILABLE_METRICS["pr_dist"](compat="ecgen-eval-0.5", rule="union")
    with pytest.raises(InputError, match="compat='ecgen' given"):
        AVAILABLE_METRICS["mmd"](compat="ecgen")
