"""R peaks, morphology and clinical measurements of recordings, against what was simulated and against neurokit2."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from ecg_truth import truths
from truegrade.ecg.beats import peaks_of, r_peaks
from truegrade.ecg.beats.measure import KEYS, measure
from truegrade.ecg.beats.morphology import morphology
from truegrade.ecg.beats.rhythm import axis, heart_rate, variability
from truegrade.ecg.registry.rhythm import rhythms_of
from truegrade.errors import InputError, MissingExtra
from truegrade.recordings import Recordings
from truegrade.samplers import ecg
from truegrade.samplers.ecg import Wave, simulate_ecg

CINC = Path(__file__).parents[2] / "shared" / "data" / "ecg" / "cinc50_int16uV.npz"


def rates(peaks, fs):
    return np.array([heart_rate(one, fs) for one in peaks])


def found_of(peaks, true, *, fs, within, early=0.15):
    """Beats found, beats missed, and peaks that are none; the first (`early` s) and the last 150 ms do not count."""
    hits = missed = wrong = 0
    for one, other in zip(peaks, true, strict=True):
        places = one / fs
        inner = other[(other > early) & (other < 9.85)]
        mine = places[(places > early) & (places < 9.85)]
        hits += sum(np.abs(places - at).min(initial=9) <= within for at in inner)
        missed += sum(np.abs(places - at).min(initial=9) > within for at in inner)
        wrong += sum(np.abs(other - at).min(initial=9) > within for at in mine)
    return hits, missed, wrong


@pytest.mark.parametrize("fs", [500.0, 100.0])
@pytest.mark.parametrize("rate", [40.0, 60.0, 180.0, 220.0])
def test_heart_rate_is_measured_within_2_bpm(rate, fs):
    recordings = simulate_ecg(8, rate=rate, fs=fs, seed=round(rate))
    true = [60.0 / np.diff(one.peaks).mean() for one in truths(8, seed=round(rate), rate=rate, fs=fs)]
    for peaks in (r_peaks(recordings.data, fs), r_peaks(recordings.lead("V5")[::2], fs)):
        one_in = len(recordings) // len(peaks)
        assert np.abs(rates(peaks, fs) - true[::one_in]).max() < 2.0


def test_nearly_every_simulated_beat_is_found_and_nothing_else():
    recordings = simulate_ecg(24, classes=("normal",), noise=0.05, seed=3)
    true = [one.peaks for one in truths(24, seed=3)]
    hits, missed, wrong = found_of(r_peaks(recordings.data, 500.0), true, fs=500.0, within=0.05)
    assert hits > 250
    assert missed + wrong == 0
    slow = simulate_ecg(24, classes=("normal",), noise=0.05, fs=100.0, seed=3).data
    true = [one.peaks for one in truths(24, seed=3, fs=100.0)]
    hits, missed, wrong = found_of(r_peaks(slow, 100.0), true, fs=100.0, within=0.05)
    assert missed <= 0.01 * hits
    assert wrong <= 0.01 * hits


def test_wide_complexes_are_one_beat():
    recordings = simulate_ecg(24, classes=("bundle branch block",), seed=7)
    true = [one.peaks + 0.02 for one in truths(24, seed=7, label="bundle branch block")]
    hits, missed, wrong = found_of(r_peaks(recordings.data, 500.0), true, fs=500.0, within=0.1)
    assert missed + wrong <= 0.01 * hits


def test_peaks_lie_on_the_r_waves():
    peaks = r_peaks(simulate_ecg(12, classes=("normal",), seed=3).data, 500.0)
    for one, truth in zip(peaks, truths(12, seed=3), strict=True):
        off = np.abs(one[:, None] / 500.0 - truth.peaks[None, :]).min(axis=1)
        assert off.max() < 0.006


def test_polarity_voltage_offset_and_units_do_not_matter():
    values = simulate_ecg(6, seed=11).data.astype(np.float64)
    peaks = r_peaks(values, 500.0)
    for changed in (-values, 1000.0 * values, 0.01 * values, values + 50.0):
        for one, other in zip(peaks, r_peaks(changed, 500.0), strict=True):
            np.testing.assert_array_equal(one, other)
    whole = np.round(1000.0 * values).astype(np.int16)
    for one, other in zip(r_peaks(whole, 500.0), r_peaks(whole.astype(np.float64), 500.0), strict=True):
        np.testing.assert_array_equal(one, other)


def test_low_voltage_under_a_wandering_baseline():
    values = 0.1 * simulate_ecg(8, classes=("normal",), seed=5, noise=0.01).lead("II")
    wander = np.sin(2 * np.pi * 0.3 * np.arange(5000) / 500.0)
    for one, other in zip(r_peaks(values + wander, 500.0), r_peaks(values, 500.0), strict=True):
        assert len(one) == len(other)
        assert np.abs(one - other).max() <= 3


def test_tall_t_waves_are_no_beats(monkeypatch):
    tall = (*ecg.BEATS["normal"][:4], Wave(0.290, 0.045, (1.0, 0.8, 0.2)))
    monkeypatch.setitem(ecg.BEATS, "normal", tall)
    recordings = simulate_ecg(12, classes=("normal",), rate=(50.0, 90.0), seed=2)
    true = [one.peaks for one in truths(12, seed=2, rate=(50.0, 90.0))]
    peaks = r_peaks(recordings.data, 500.0)
    hits, missed, wrong = found_of(peaks, true, fs=500.0, within=0.05, early=0.45)  # a first T may have no beat before
    assert hits > 100
    assert missed + wrong == 0


def coloured(kind, shape, rng):
    spectrum = np.fft.rfft(rng.standard_normal(shape))
    bins = np.maximum(np.arange(spectrum.shape[-1]), 1)
    return np.fft.irfft(spectrum * bins ** -{"white": 0.0, "pink": 0.5, "brown": 1.0}[kind], shape[-1])


@pytest.mark.parametrize("kind", ["white", "pink", "brown"])
def test_noise_has_no_heart_rate(kind):
    rng = np.random.default_rng(4)
    assert not any(len(one) for one in r_peaks(coloured(kind, (16, 12, 2500), rng), 250.0))
    assert not any(len(one) for one in r_peaks(coloured(kind, (40, 3, 2500), rng), 250.0))
    assert not any(len(one) for one in r_peaks(coloured(kind, (60, 2500), rng), 250.0))


def test_flat_asystolic_and_broken_recordings_have_no_peaks():
    rng = np.random.default_rng(0)
    time = np.arange(2500) / 250.0
    flat = np.zeros((12, 2500))
    steps = np.round(rng.standard_normal((12, 2500)))  # the last digit of a converter
    wander = np.tile(np.sin(2 * np.pi * 0.25 * time), (12, 1))
    for values in (flat, flat + 3.0, steps, wander, np.full((12, 2500), np.nan), np.full((12, 2500), np.inf)):
        found = r_peaks(values[None], 250.0)[0]
        assert found.dtype == np.int64
        assert len(found) == 0
        assert np.isnan(heart_rate(found, 250.0))


def test_leads_without_a_signal_are_left_out():
    values = simulate_ecg(4, seed=8).data.astype(np.float64)
    broken = values.copy()
    broken[:, 3, 100], broken[:, 7] = np.nan, 0.0
    without = np.delete(values, (3, 7), axis=1)
    for one, other in zip(r_peaks(broken, 500.0), r_peaks(without, 500.0), strict=True):
        np.testing.assert_array_equal(one, other)


def test_peaks_need_a_rate_and_records():
    with pytest.raises(InputError, match="shape"):
        r_peaks(np.zeros(100), 500.0)
    with pytest.raises(InputError, match="40 Hz"):
        r_peaks(np.zeros((1, 100)), 20.0)
    with pytest.raises(InputError, match="give fs="):
        peaks_of(Recordings.from_array(np.ones((1, 1, 9))))
    assert [len(one) for one in r_peaks(np.ones((2, 5)), 100.0)] == [0, 0]
    assert r_peaks(np.empty((0, 1, 500)), 100.0) == []


@pytest.mark.skipif(not CINC.exists(), reason="needs ../shared/data")
def test_rates_of_people_in_sinus_rhythm_agree_with_neurokit2():
    neurokit = pytest.importorskip("neurokit2")
    values = np.load(CINC)["x"][:30:3].astype(np.float64)  # those after have extrasystoles
    ours = rates(r_peaks(values, 500.0), 500.0)
    theirs = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for line in values[:, 1]:
            clean = neurokit.ecg_clean(line, sampling_rate=500)
            theirs.append(heart_rate(neurokit.ecg_peaks(clean, sampling_rate=500)[1]["ECG_R_Peaks"], 500.0))
    assert np.isfinite(ours).all()
    assert np.median(np.abs(ours - theirs)) < 0.5
    assert np.abs(ours - theirs).max() < 2.0


def test_rate_and_variability_by_hand():
    peaks = np.array([0, 500, 1000, 1520, 2000])
    assert heart_rate(peaks, 500.0) == pytest.approx(60.0 / 1.0)
    sdnn, rmssd = variability(peaks, 500.0)
    assert sdnn == pytest.approx(np.std([1000, 1000, 1040, 960], ddof=1))
    assert rmssd == pytest.approx(np.sqrt((0 + 40**2 + 80**2) / 3))
    ectopic = np.array([0, 500, 1000, 1300, 2200, 2700, 3200])  # an early beat and a pause count like all others
    intervals = np.diff(ectopic) * 2.0
    assert heart_rate(ectopic, 500.0) == pytest.approx(60_000.0 / intervals.mean())
    expected = (intervals.std(ddof=1), np.sqrt((np.diff(intervals) ** 2).mean()))
    assert variability(ectopic, 500.0) == pytest.approx(expected)
    few = [ectopic[:3], ectopic[:2], ectopic]  # the registry has the same rule
    rates = rhythms_of(few, 500.0)
    np.testing.assert_allclose(rates[:, 0], [heart_rate(one, 500.0) for one in few])
    np.testing.assert_allclose(rates[:, 1:3], [variability(one, 500.0) for one in few])
    assert np.isnan(heart_rate(np.array([3]), 500.0))
    assert np.isnan(variability(np.array([3, 400]), 500.0)).all()


def test_axis_by_hand():
    up = np.array([0.0, 1.0, 0.0])
    assert axis(up, 0.0 * up) == pytest.approx(0.0)
    assert axis(0.0 * up, up) == pytest.approx(90.0)
    assert axis(-up, 0.0 * up) == pytest.approx(180.0)
    assert axis(np.cos(1.0) * up, np.sqrt(0.75) * np.sin(1.0) * up) == pytest.approx(np.degrees(1.0))
    assert np.isnan(axis(np.array([1.0, -1.0]), np.zeros(2)))


def test_morphology_is_the_median_beat():
    recordings = simulate_ecg(3, fs=100.0, seed=1)
    found = morphology(recordings, "V2")
    assert found.shape == (3, 70)
    for row, (line, peaks) in enumerate(zip(recordings.lead("V2"), peaks_of(recordings), strict=True)):
        beats = [line[at - 25 : at + 45] for at in peaks if at - 26 >= 0 and at + 46 <= len(line)]
        beats = [beat - beat[15:19].mean() for beat in beats]
        np.testing.assert_allclose(found[row], np.median(beats, axis=0), atol=1e-12)


def test_morphology_does_not_depend_on_phase():
    beat = simulate_ecg(4, classes=("normal",), rr_sd=0.0, rate=60.0, noise=0.0, seed=1).data[:, :, 1000:1500]
    values = np.tile(beat.astype(np.float64), (1, 1, 10))
    recordings = Recordings.from_array(values, fs=500.0, units="mV")
    shifted = Recordings.from_array(np.roll(values, 777, axis=2), fs=500.0, units="mV")
    for lead in ("II", "V3"):
        np.testing.assert_allclose(morphology(recordings, lead), morphology(shifted, lead), atol=1e-12)


def test_morphology_hardly_depends_on_rate_but_on_shape():
    slow, fast, other = (
        morphology(simulate_ecg(6, classes=(label,), rate=rate, spread=0.0, seed=1), "V1")
        for label, rate in (("normal", 55.0), ("normal", 75.0), ("bundle branch block", 55.0))
    )
    near = np.linalg.norm(slow.mean(axis=0) - fast.mean(axis=0))
    far = np.linalg.norm(slow.mean(axis=0) - other.mean(axis=0))
    assert near < 0.25 * far


def test_morphology_without_beats_or_signal():
    values = simulate_ecg(2, seed=1, fs=250.0).data.astype(np.float64)
    values[0] = 0.0
    values[1, 4] = np.nan
    recordings = Recordings.from_array(values, fs=250.0, units="mV")
    assert np.isnan(morphology(recordings, "II")[0]).all()
    assert np.isfinite(morphology(recordings, "II")[1]).all()
    np.testing.assert_array_equal(morphology(recordings, "aVL")[1], np.zeros(70))
    with pytest.raises(ValueError, match="not in tuple"):
        morphology(recordings, "V9")


@pytest.mark.parametrize("fs", [500.0, 100.0])
def test_intervals_are_those_simulated(fs):
    found = measure(simulate_ecg(24, classes=("normal",), seed=5, fs=fs)).values
    true = truths(24, seed=5, fs=fs)
    for key in ("pr", "qrs", "qt"):
        off = found[key] - 1000.0 * np.array([getattr(one, key) for one in true])
        assert np.isfinite(off).mean() > 0.9
        assert np.abs(np.nanmedian(off)) < 15.0
        assert np.nanmedian(np.abs(off - np.nanmedian(off))) < 6.0
    turned = found["axis"] - [one.axis for one in true]
    turned = np.abs((turned + 180.0) % 360.0 - 180.0)
    assert np.nanmedian(turned) < 2.0
    assert np.nanmax(turned) < 8.0
    np.testing.assert_allclose(found["qtc_bazett"], found["qt"] / np.sqrt(60.0 / found["heart_rate"]))
    np.testing.assert_allclose(found["qtc_fridericia"], found["qt"] / np.cbrt(60.0 / found["heart_rate"]))


def with_waves(monkeypatch, **late):
    """Measurements of recordings whose P (first) and T (last) wave are moved by so many ms."""
    first, *middle, last = ecg.BEATS["normal"]
    waves = (
        Wave(first.at - late.get("pr", 0) / 1000.0, first.width, first.dipole),
        *middle,
        Wave(last.at + late.get("qt", 0) / 1000.0, last.width, last.dipole),
    )
    with monkeypatch.context() as patch:
        patch.setitem(ecg.BEATS, "normal", waves)
        return measure(simulate_ecg(8, classes=("normal",), rate=60.0, spread=0.3, seed=9)).values


def test_longer_intervals_are_measured_longer(monkeypatch):
    usual = with_waves(monkeypatch)
    assert np.median(with_waves(monkeypatch, qt=50)["qt"] - usual["qt"]) == pytest.approx(50.0, abs=10.0)
    assert np.median(with_waves(monkeypatch, qt=-40)["qt"] - usual["qt"]) == pytest.approx(-40.0, abs=10.0)
    assert np.median(with_waves(monkeypatch, pr=40)["pr"] - usual["pr"]) == pytest.approx(40.0, abs=10.0)
    wide = measure(simulate_ecg(8, classes=("bundle branch block",), rate=60.0, spread=0.3, seed=9)).values
    assert np.nanmedian(wide["qrs"]) > np.nanmedian(usual["qrs"]) + 50.0


def test_amplitudes_are_those_simulated():
    recordings = simulate_ecg(6, classes=("normal",), seed=9, noise=0.005)
    found = measure(recordings).values
    for row, truth in enumerate(truths(6, seed=9)):
        in_two = truth.dipoles @ ecg.DOWER[1]
        assert found["p_amplitude"][row] == pytest.approx(in_two[0], abs=0.03)
        assert found["t_amplitude"][row] == pytest.approx(in_two[4], abs=0.03)
        assert found["r_amplitude"][row] == pytest.approx(in_two[2], rel=0.12, abs=0.05)
        assert abs(found["st"][row]) < 0.03


def test_waves_that_are_not_there_are_not_measured(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setitem(ecg.BEATS, "normal", ecg.BEATS["normal"][1:])
        found = measure(simulate_ecg(20, classes=("normal",), noise=0.05, fs=100.0, seed=4)).values
        assert np.isnan(found["pr"]).mean() >= 0.85
        assert np.isfinite(found["qt"]).all()
    with monkeypatch.context() as patch:
        patch.setitem(ecg.BEATS, "normal", ecg.BEATS["normal"][:-1])
        found = measure(simulate_ecg(20, classes=("normal",), seed=4)).values
        assert np.isnan(found["qt"]).mean() >= 0.9
        assert np.isnan(found["qtc_bazett"]).mean() >= 0.9


def test_failures_are_nan_and_lacking_leads_are_told():
    values = simulate_ecg(4, seed=1, fs=250.0).data.astype(np.float64)
    values[0] = 0.0
    values[1, 1] = 0.0  # II of one, I of another
    values[2, 0, 5] = np.nan
    found = measure(Recordings.from_array(values, fs=250.0, units="mV"))
    assert found.lead == "II"
    assert all(np.isnan(found.values[key][0]) for key in KEYS)
    assert [bool(found.lacking[key][0]) for key in ("heart_rate", "axis", "st")] == [True] * 3
    assert np.isfinite(found.values["qrs"][1:]).all()
    assert np.isnan(found.values["r_amplitude"][1])
    assert found.lacking["r_amplitude"].tolist() == [True, True, False, False]
    assert found.lacking["axis"].tolist() == [True, False, True, False]
    assert found.beats[0] == 0


def test_measures_of_few_leads():
    recordings = simulate_ecg(3, seed=1, fs=250.0, leads=("V1", "V5"))
    found = measure(recordings)
    assert found.lead in recordings.leads
    assert "lead I" in found.absent["axis"]
    assert np.isnan(found.values["axis"]).all()
    assert np.isfinite(found.values["qrs"]).all()
    with pytest.raises(InputError, match="V1, V5"):
        measure(recordings, lead="II")
    with pytest.raises(InputError, match="truegrade"):
        measure(recordings, by="nobody")


@pytest.mark.skipif(not CINC.exists(), reason="needs ../shared/data")
def test_measures_of_people_are_those_of_people():
    recordings = Recordings.from_array(np.load(CINC)["x"], fs=500.0, units="uV")
    found = measure(recordings).values
    for key, low, high, most in (
        ("heart_rate", 40, 155, 0),
        ("qrs", 70, 130, 2),
        ("qt", 300, 460, 5),
        ("pr", 120, 200, 9),
    ):
        middle = np.nanquantile(found[key], (0.25, 0.5, 0.75))
        assert low < middle[0] < middle[2] < high
        assert np.isnan(found[key]).sum() <= most
    assert found["heart_rate"].min() > 40
    assert found["heart_rate"].max() < 155
    blocks = found["qrs"][[9, 10]]  # right bundle branch block in their headers
    assert blocks.min() > 120.0


def test_neurokit2_is_a_second_opinion(monkeypatch):
    pytest.importorskip("neurokit2")
    recordings = simulate_ecg(6, classes=("normal",), seed=5)
    ours, theirs = measure(recordings), measure(recordings, by="neurokit2")
    assert theirs.by.startswith("neurokit2 ")
    for key, off in (("pr", 25.0), ("qrs", 40.0), ("qt", 40.0)):
        assert np.nanmedian(np.abs(ours.values[key] - theirs.values[key])) < off
    np.testing.assert_array_equal(ours.values["axis"], theirs.values["axis"])
    dead = measure(Recordings.from_array(np.zeros((2, 1, 2500)), fs=250.0), by="neurokit2")
    assert np.isnan(dead.values["qt"]).all()
    monkeypatch.setitem(__import__("sys").modules, "neurokit2", None)
    with pytest.raises(MissingExtra, match=r"truegrade\[ecg\]"):
        measure(simulate_ecg(2, seed=1), by="neurokit2")


def test_recordings_looked_at_together_have_the_beats_that_they_have_alone():
    rng = np.random.default_rng(3)
    beating = simulate_ecg(12, fs=200.0, seconds=6.0, seed=4).values[:, 1] + 0.1 * rng.standard_normal((12, 1200))
    values = np.concatenate([beating, rng.standard_normal((3, 1200)), np.zeros((1, 1200))])[rng.permutation(16)]
    together = r_peaks(values, 200.0)
    assert sum(map(len, together)) > 40
    for found, row in zip(together, values, strict=True):
        np.testing.assert_array_equal(found, r_peaks(row[None], 200.0)[0])
