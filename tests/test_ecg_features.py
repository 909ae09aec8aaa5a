"""Features of recordings: scales of the real side, missing leads, vectors of all leads, samples."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest

from truegrade.ecg.beats import peaks_of
from truegrade.ecg.descriptors import SEVEN, eleven, seven
from truegrade.ecg.features import FEATURES, extract, features, fit_features, part_of, sample_rows, to_samples
from truegrade.errors import InputError
from truegrade.recordings import Recordings
from truegrade.samplers.ecg import simulate_ecg

LEADS = ("I", "II", "V2")


def recordings(n: int = 24, seed: int = 0, spread: float = 1.0) -> Recordings:
    return simulate_ecg(n, fs=100.0, seconds=4.0, seed=seed, spread=spread, leads=LEADS, name=f"set {seed}")


def without(given: Recordings, rows: list[int], lead: int, value: float = 0.0) -> Recordings:
    """The same with a flat (or broken) lead in these recordings."""
    values = given.values.copy()
    values[rows, lead] = value
    return Recordings.from_array(
        values, fs=given.fs, units="mV", leads=given.leads, ids=given.ids, patients=given.patients, labels=given.labels
    )


@pytest.mark.parametrize("which", ["descriptors", "spectral"])
def test_vectors_are_descriptors_in_real_standard_deviations(which: str) -> None:
    """By the definition, lead by lead."""
    real, synthetic = recordings(), recordings(seed=1)
    fit = fit_features(real, which)
    for at, lead in enumerate(LEADS):
        raw = [
            seven(r.data[:, at]) if which == "descriptors" else eleven(r.data[:, at], 100.0) for r in (real, synthetic)
        ]
        found = [features(real, which, lead, fit=fit), features(synthetic, which, lead, fit=fit, side="synthetic")]
        for part, want in zip(found, raw, strict=True):
            expected = (want - raw[0].mean(axis=0)) / raw[0].std(axis=0)
            np.testing.assert_allclose(part.values, expected, rtol=1e-9, atol=1e-9)
    whole = features(synthetic, which, fit=fit, side="synthetic")
    assert whole.values.shape == (24, 3 * raw[0].shape[1])
    np.testing.assert_array_equal(whole.values[:, -raw[0].shape[1] :], found[1].values)
    assert whole.names[0] == "I mean"
    assert len(set(whole.names)) == whole.values.shape[1]


@pytest.mark.parametrize("value", [0.0, np.nan])
def test_a_real_recording_without_a_lead_is_left_out_of_that_lead_and_of_all_leads_together(value: float) -> None:
    real = without(recordings(), [3, 5], 2, value)
    fit = fit_features(real, "descriptors")
    kept = np.delete(np.arange(24), [3, 5])
    assert list(features(real, "descriptors", "I", fit=fit).rows) == list(range(24))
    assert list(features(real, "descriptors", "V2", fit=fit).rows) == list(kept)
    samples = to_samples(real, "descriptors", fit)
    assert samples.n == 22
    assert list(sample_rows(samples)) == list(kept)
    assert list(samples.ids) == list(real.ids[kept])  # type: ignore[arg-type, index]
    assert list(samples.groups) == list(real.patients[kept])  # type: ignore[arg-type, index]
    assert [note.code for note in fit.notices] == ["ecg_left_out"]
    clean = fit_features(real.subset(kept), "descriptors")
    np.testing.assert_allclose(fit.scale[2], clean.scale[2])  # the flat rows do not move the scale


def test_a_lead_that_many_real_recordings_lack_is_left_out_of_all_leads_together() -> None:
    real = without(without(recordings(), list(range(6)), 2), [7], 1)
    fit = fit_features(real, "descriptors")
    assert fit.whole == ("I", "II")
    assert len(features(real, "descriptors", fit=fit).rows) == 23
    assert {note.code for note in fit.notices} == {"ecg_leads_dropped", "ecg_left_out"}
    assert "V2 (6)" in fit.notices[0].text
    assert features(real, "descriptors", "V2", fit=fit).values.shape == (18, 7)


def test_a_lead_that_no_real_recording_has_is_not_graded() -> None:
    real = without(recordings(), list(range(24)), 2)
    fit = fit_features(real, "descriptors")
    assert fit.absent == ("V2",)
    assert fit.whole == ("I", "II")
    with pytest.raises(InputError, match="Lead 'V2' has no signal"):
        features(real, "descriptors", "V2", fit=fit)
    with pytest.raises(InputError, match="nothing to grade"):
        fit_features(without(recordings(1), [0], 0), "descriptors")


@pytest.mark.parametrize("value", [0.0, np.nan])
def test_a_synthetic_recording_without_a_lead_stays_as_a_flat_line(value: float) -> None:
    """Its vector is that of zeros, no feature more than 10 real sd off; the other leads are as they were."""
    real, whole = recordings(), recordings(seed=1)
    dead = without(whole, [4], 2, value)
    fit = fit_features(real, "descriptors")
    before, after = (features(s, "descriptors", fit=fit, side="synthetic").values for s in (whole, dead))
    assert after.shape == before.shape
    moved = (before != after).nonzero()
    assert set(moved[0]) == {4}
    assert set(moved[1]) <= set(range(14, 21))
    flat = (seven(np.zeros((1, 400))) - fit.centre[2]) / fit.scale[2]
    np.testing.assert_allclose(after[4, 14:], np.clip(flat, -10, 10)[0])
    assert np.abs(flat).max() > 10


def test_a_lead_that_the_synthetic_side_does_not_have_is_flat() -> None:
    real = recordings()
    fit = fit_features(real, "descriptors")
    synthetic = recordings(seed=1).select_leads(("I", "II"))
    found = features(synthetic, "descriptors", fit=fit, side="synthetic").values
    assert np.isfinite(found).all()
    assert len(np.unique(found[:, 14:], axis=0)) == 1


def test_constant_features_are_left_out_and_said() -> None:
    values = recordings().values.copy()
    values[:, 0] += np.float32(3.0)  # never crosses zero
    real = Recordings.from_array(values, fs=100.0, units="mV", leads=LEADS)
    fit = fit_features(real, "descriptors")
    assert "I zero_crossing" not in fit.columns()
    assert "II zero_crossing" in fit.columns()
    assert "I zero_crossing" in fit.notices[0].text
    assert features(real, "descriptors", "I", fit=fit).values.shape == (24, 6)


def forms(given: Recordings, lead: str) -> np.ndarray:
    """A stand-in for the mean beat: 70 points about the largest value; none where the lead is missing."""
    x = given.lead(lead)
    at = np.clip(np.nan_to_num(x).argmax(axis=1), 35, x.shape[1] - 35)
    out = np.stack([row[one - 35 : one + 35] for row, one in zip(x, at, strict=True)])
    out[given.missing[:, given.leads.index(lead)]] = np.nan
    return out


@pytest.fixture
def beats(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("truegrade.ecg.beats.morphology")
    module.morphology = forms  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "truegrade.ecg.beats.morphology", module)


@pytest.mark.usefixtures("beats")
def test_beats_are_projected_on_real_directions_and_lengths_are_kept() -> None:
    """Distances in the coordinates are those of the forms, up to one scale: what is off the directions is not lost."""
    real, synthetic = recordings(), recordings(seed=1, spread=3.0)
    fit = fit_features(real, "beats")
    found = features(synthetic, "beats", "II", fit=fit, side="synthetic").values
    assert found.shape == (24, 9)
    mean = forms(real, "II").mean(axis=0)
    size = np.linalg.norm(forms(synthetic, "II") - mean, axis=1)
    mine = found * fit.scale[1] + fit.centre[1]
    np.testing.assert_allclose(np.linalg.norm(mine, axis=1), size, rtol=1e-9)
    assert len(np.unique(fit.scale[1])) == 1
    ours = features(real, "beats", "II", fit=fit).values
    assert (ours.std(axis=0) ** 2).sum() == pytest.approx(1.0)
    first = forms(real, "II") - mean
    assert (np.linalg.svd(first)[1][0] ** 2 / 24 / fit.scale[1][0] ** 2) == pytest.approx(ours[:, 0].var())


@pytest.mark.usefixtures("beats")
def test_synthetic_recordings_without_beats_are_never_dropped() -> None:
    real, synthetic = recordings(), without(recordings(seed=1), [0, 1], 1, np.nan)
    fit = fit_features(real, "beats")
    found = features(synthetic, "beats", fit=fit, side="synthetic")
    assert len(found.rows) == 24
    assert np.isfinite(found.values).all()
    np.testing.assert_array_equal(found.values[0, 9:18], found.values[1, 9:18])
    assert len(features(synthetic, "beats", fit=fit).rows) == 22  # as real ones they would be left out


def test_what_is_needed_is_said() -> None:
    unknown = Recordings.from_array(recordings().values, leads=LEADS)
    assert set(FEATURES) == {"descriptors", "spectral", "beats"}
    for which in ("spectral", "beats"):
        with pytest.raises(InputError, match="need the sampling rate"):
            features(unknown, which)
    assert features(unknown, "descriptors").values.shape == (24, 3 * len(SEVEN))
    with pytest.raises(InputError, match="'descriptors', 'spectral' or 'beats'"):
        features(unknown, "wavelets")


def test_samples_know_what_made_them() -> None:
    real, synthetic = recordings(), recordings(seed=1)
    fit = fit_features(real, "descriptors")
    ours, theirs = to_samples(real, "descriptors", fit), to_samples(synthetic, "descriptors", fit, side="synthetic")
    assert ours.space == theirs.space
    assert ours.columns == theirs.columns == fit.columns()
    assert ours.ecg is real
    assert list(theirs.labels) == list(synthetic.labels)  # type: ignore[arg-type]
    other = to_samples(synthetic, "descriptors")
    assert other.space != ours.space
    assert to_samples(real, "descriptors", fit, "II").space != ours.space


def test_a_part_of_recordings_keeps_what_is_known_of_them() -> None:
    whole, rows = recordings(), np.array([7, 2, 19])
    known = {which: extract(whole, which) for which in FEATURES}
    part, fresh = part_of(whole, rows), recordings().subset(rows)
    assert part.fingerprint == fresh.fingerprint
    for which in FEATURES:
        np.testing.assert_array_equal(extract(part, which).values, known[which].values[rows])
        np.testing.assert_allclose(extract(part, which).values, extract(fresh, which).values, rtol=1e-12, atol=1e-14)
    for ours, theirs in zip(peaks_of(part), peaks_of(fresh), strict=True):
        np.testing.assert_array_equal(ours, theirs)
