"""Classifiers of recordings: with trivial signs, and without them; folds that split no patient."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from truegrade.ecg import discrimination, learners
from truegrade.ecg.discrimination import discriminate
from truegrade.ecg.discrimination.clean import cleaned
from truegrade.ecg.discrimination.ends import padding, shares_above
from truegrade.ecg.discrimination.folds import deal, tied_rows, told_apart
from truegrade.ecg.discrimination.signs import signs
from truegrade.recordings import Recordings
from truegrade.result.ecg import Discrimination
from truegrade.samplers import simulate_ecg
from truegrade.uncertainty.areas import folded_auc

ECG = Path(__file__).parents[2] / "shared" / "data" / "ecg"
LEADS = ("I", "II", "III")
ORDER = ("I", "II", "V1", "V2", "V3", "V4", "V5", "V6", "III", "aVR", "aVL", "aVF")
N, FS = 40, 200


def simulated(seed: int, seconds: float = 6, **settings: Any) -> Recordings:
    return simulate_ecg(N, fs=FS, seconds=seconds, leads=LEADS, seed=seed, **settings)


def recordings(values: NDArray[np.floating], **facts: Any) -> Recordings:
    return Recordings.from_array(values.astype(np.float32), fs=FS, units="mV", leads=LEADS, **facts)


def codes(found: Discrimination) -> list[str]:
    return [tell.code for tell in found.tells]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discrimination, "CUTS", 0)
    monkeypatch.setattr(learners, "ITERATIONS", 12)


REAL, FRESH = simulated(1), simulated(2)


TELLS = ("quantisation", "derived-leads", "zero-mean", "padding", "bandwidth")


def with_only(*tells: str) -> tuple[Recordings, Recordings]:
    """Two sets of one law but for trivial signs."""
    x, y = REAL.data.copy(), FRESH.data.copy()
    if "bandwidth" in tells:
        spectra = np.fft.rfft(simulated(2, seconds=8).data, axis=2)
        spectra[:, :, 400:] = 0.0  # above 50 of 100 Hz
        y = np.fft.irfft(spectra, n=1600, axis=2)[:, :, 200:1400]  # without the ends, where it rings
    if "quantisation" in tells:
        x[:, :2] = np.round(x[:, :2] / 0.005) * 0.005
        x[:, 2] = x[:, 1] - x[:, 0]
    if "derived-leads" in tells:
        y[:, 2] += 0.003 * np.random.default_rng(0).standard_normal(y[:, 2].shape)
    if "padding" in tells:
        y[:, :, -150:] = y[:, :, -151:-150]
    if "zero-mean" in tells:
        y -= y.mean(axis=2, keepdims=True)
    return recordings(x), recordings(y)


@pytest.mark.parametrize("tell", TELLS)
def test_a_trivial_sign_tells_by_itself_and_is_removed(tell: str) -> None:
    real, made = with_only(tell)
    found, plan = signs(real, made)
    areas = {one.code: one.auc for one in found}
    assert areas.pop(tell) > 0.99
    assert max(areas.values()) < 0.75
    left = signs(cleaned(real, plan), cleaned(made, plan))[0]
    assert all(one.auc < 0.75 for one in left)


@pytest.mark.parametrize("tells", [("quantisation",), ("derived-leads",), ("zero-mean", "padding", "bandwidth")])
def test_what_differs_in_trivial_signs_alone_is_not_told_without_them(tells: tuple[str, ...]) -> None:
    found = discriminate(*with_only(*tells), seed=0)
    assert sorted(codes(found)) == sorted(tells)
    assert max(one.value or 0.0 for one in found.raw.values()) > 0.98
    for one in found.clean.values():
        assert one.value is not None
        assert 0.25 < one.value < 0.75  # its standard error is .09
    assert any(found.tells[0].text in words for words in found.words)


def test_what_is_about_hearts_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discrimination, "CUTS", 1)
    found = discriminate(REAL, simulated(3, spread=0.2, rate=70.0), seed=0)
    for numbers in (found.raw, found.clean):
        assert all((one.low or 0.0) > 0.5 for one in numbers.values())
        assert all(one.floor is not None and one.floor_n == 20 and 0.2 < one.floor < 0.8 for one in numbers.values())
    assert found.words[1].startswith("Without trivial signs, synthetic recordings are told")


@pytest.mark.skipif(not ECG.is_dir(), reason="needs ../shared/data")
def test_sssd_is_given_away_by_its_rounding_and_by_the_laws_of_leads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discrimination, "CUTS", 0)
    real, made = (
        Recordings.from_array(np.load(ECG / name), fs=100, units="mV", leads=ORDER)
        for name in ("ptbxl_real_22.npy", "sssd_synthetic_22.npy")
    )
    found = discriminate(real, made, seed=0)
    areas = {tell.code: tell.auc for tell in found.tells}
    assert areas["quantisation"] == areas["derived-leads"] == 1.0
    assert found.tells[0].text.startswith(
        "Rounding: the values of the real recordings are multiples of 1 uV, those of the synthetic ones have no step"
    )
    assert found.raw["boosting"].value == 1.0
    assert all((one.value or 1.0) < 0.85 for one in found.clean.values())
    plan = signs(real, made)[1]
    again = signs(cleaned(real, plan), cleaned(made, plan))[0]
    assert max(one.auc for one in again) < 0.75


def test_missing_leads_of_real_recordings_are_left_out_and_of_synthetic_ones_tell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(discrimination, "CUTS", 0)
    x, y = REAL.data.copy(), FRESH.data.copy()
    x[:3, 1] = np.nan
    lacking = Recordings.from_array(y[:, :2], fs=FS, units="mV", leads=LEADS[:2])
    found = discriminate(recordings(x), lacking, seed=0)
    assert found.raw["boosting"].n_real == N - 3
    assert "3 real recordings" in found.raw["boosting"].note
    assert (found.raw["boosting"].value or 0.0) > 0.95


def test_few_recordings_few_patients_and_no_scikit_learn_have_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discrimination, "CUTS", 0)
    few = discriminate(REAL, FRESH.subset(np.arange(9)), seed=0)
    assert few.raw["logistic"].reason == "40 real and 9 synthetic recordings; at least 10 a side are needed"
    whose = recordings(FRESH.data, patients=np.arange(N) % 3)
    assert "3 patients" in (discriminate(REAL, whose, seed=0).clean["boosting"].reason or "")
    monkeypatch.setattr(learners, "available", lambda: False)
    without = discriminate(*with_only("padding"), seed=0)
    assert without.raw["logistic"].reason == "needs scikit-learn: pip install 'truegrade[ecg]'"
    assert codes(without) == ["padding"]


def test_without_a_sampling_rate_and_at_different_ones_there_are_numbers() -> None:
    untimed = [Recordings.from_array(side.values, units="mV", leads=LEADS) for side in (REAL, FRESH)]
    found = discriminate(untimed[0], untimed[1], seed=0)
    assert "7 descriptors" in found.raw["boosting"].note
    assert all(0.25 < (one.value or 0.0) < 0.75 for one in found.raw.values())


# --- parts -------------------------------------------------------------------------------------------------------


def test_patients_and_equal_rows_share_a_fold_and_folds_have_their_part() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 3))
    x[100] = x[3]
    patients = np.arange(120) // 3
    group = tied_rows(x, patients)
    assert len(np.unique(group)) == 39  # patients 1 and 33 are one group by their equal row
    assert group[3] == group[4] == group[100] == group[99]
    y = (np.arange(120) >= 60).astype(np.intp)
    fold = deal(group, y, 5, seed=0)
    assert all(len(np.unique(fold[group == one])) == 1 for one in range(39))
    assert all(9 <= count <= 15 for kind in (0, 1) for count in np.bincount(fold[y == kind], minlength=5))
    crowd = tied_rows(np.zeros((50, 2)), None)
    assert len(np.unique(crowd)) == 50


def test_a_patient_who_is_known_by_heart_is_not_told() -> None:
    """Each patient has a voice of their own: classifiers that had heard it would know the side."""
    rng = np.random.default_rng(0)
    voices = rng.normal(size=(40, 6))
    rows = np.repeat(voices, 4, axis=0) + 0.01 * rng.normal(size=(160, 6))
    who = np.repeat(np.arange(40), 4)
    real, made = rows[:80], rows[80:]
    grouped = told_apart(real, made, (who[:80], who[80:]), learners.boosting, 0)
    leaking = told_apart(real, made, (None, None), learners.boosting, 0)
    assert leaking.value is not None
    assert leaking.value > 0.95
    assert grouped.value is not None
    assert grouped.value < 0.75
    assert grouped.low is not None
    assert grouped.low < 0.5


def test_rows_of_one_patient_widen_the_interval() -> None:
    rng = np.random.default_rng(0)
    low, high = rng.normal(size=30), rng.normal(0.5, 1.0, 30)
    plain = folded_auc(low, high, np.zeros(30, np.intp), np.zeros(30, np.intp))
    assert plain.value == pytest.approx(roc_auc_score(np.repeat([0, 1], 30), np.concatenate([low, high])))
    four, fold, who = (np.repeat(one, 4) for one in (np.arange(30), np.zeros(30, np.intp), np.arange(30)))
    clustered = folded_auc(low[four], high[four], fold, fold, who, who)
    assert clustered.value == pytest.approx(plain.value)
    assert clustered.low == pytest.approx(plain.low, abs=1e-12)
    assert clustered.high == pytest.approx(plain.high, abs=1e-12)
    naive = folded_auc(low[four], high[four], fold, fold)
    assert plain.low is not None
    assert naive.low is not None
    assert naive.low > plain.low


def test_padding_and_bandwidth_are_measured() -> None:
    values = np.random.default_rng(0).standard_normal((3, 3, 400))
    values[1, :, :20], values[2, :, -30:] = values[1, :, 20:21], values[2, :, -31:-30]
    values[0, 2] = 0.0  # a missing lead hides nothing
    np.testing.assert_array_equal(padding(recordings(values)), [[0, 0], [20, 0], [0, 30]])
    white = shares_above(recordings(np.random.default_rng(1).standard_normal((5, 3, 4000))))
    np.testing.assert_allclose(white.shares.mean(axis=0), 1 - white.frequency / 100, atol=0.02)
    assert white.edge > 95
    tone = np.sin(2 * np.pi * 30 * np.arange(1200) / FS) * np.ones((2, 3, 1))
    assert 29 < shares_above(recordings(tone)).edge < 32


def test_a_mean_that_goes_with_the_rate_is_no_tell() -> None:
    """At 200 beats a minute the mean of a lead is twice as far from zero as at 60, which is physiology."""
    slow, fast = (simulate_ecg(16, fs=100.0, seconds=6.0, rate=rate, leads=LEADS, seed=3) for rate in (60.0, 200.0))
    found, _ = signs(slow, fast)
    assert all(one.auc < 0.75 for one in found if one.code == "zero-mean")
