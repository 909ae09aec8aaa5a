"""Copies of real recordings are found at any phase, and what is merely alike is none."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from truegrade.ecg.copies import find_copies
from truegrade.ecg.copies.groups import by_leads
from truegrade.ecg.copies.match import Matcher
from truegrade.ecg.copies.screen import candidates, coarse, components
from truegrade.ecg.copies.tail import CERTAIN, LEVEL, LOWEST, fit_tail
from truegrade.ecg.copies.waves import Waves, waves
from truegrade.recordings import Recordings
from truegrade.samplers import simulate_ecg

ECG = Path(__file__).parents[2] / "shared" / "data" / "ecg"
LEADS = ("I", "II", "V2", "V5")
FS = 100


def simulated(n: int, seed: int, **settings: object) -> Recordings:
    return simulate_ecg(n, fs=FS, leads=LEADS, seed=seed, **settings)  # type: ignore[arg-type]


def recordings(values: NDArray[np.floating], fs: float = FS, **facts: object) -> Recordings:
    return Recordings.from_array(values.astype(np.float32), fs=fs, units="mV", leads=LEADS, **facts)  # type: ignore[arg-type]


def noisy(values: NDArray[np.floating], seed: int = 0) -> NDArray[np.floating]:
    """20 dB of white noise."""
    sd = values.std(axis=(1, 2), keepdims=True)
    return values + 0.1 * sd * np.random.default_rng(seed).standard_normal(values.shape)


REAL = simulated(40, 1)
FRESH = simulated(40, 2)


def changed(how: str, x: NDArray[np.floating]) -> tuple[Recordings, float]:
    """Copies of recordings, and the shift in seconds at which they are found."""
    other = FRESH.data[: len(x)]
    if how == "resampled":
        finer = np.fft.irfft(np.fft.rfft(x, axis=2), n=2500, axis=2) * 2.5
        return recordings(finer, fs=250), 0.0
    made = {
        "as they are": (x, 0.0),
        "larger": (1.9 * x, 0.0),
        "smaller, noisy": (0.5 * noisy(x), 0.0),
        "turned, noisy": (noisy(np.roll(x, -277, axis=2)), 2.77),
        "halves swapped": (np.concatenate([x[:, :, 500:], x[:, :, :500]], axis=2), 5.0),
        "3 s later": (np.concatenate([x[:, :, 300:], other[:, :, :300]], axis=2), 3.0),
        "cut out": (x[:, :, 150:850], 1.5),
        "without two leads": (x * np.array([1, 0, 1, 0])[:, None], 0.0),
    }
    return recordings(made[how][0]), made[how][1]


@pytest.mark.parametrize(
    "how",
    [
        "as they are",
        "larger",
        "smaller, noisy",
        "turned, noisy",
        "halves swapped",
        "3 s later",
        "cut out",
        "without two leads",
        "resampled",
    ],
)
def test_copies_are_found_at_any_phase_scale_and_rate(how: str) -> None:
    copies, shift = changed(how, REAL.data[10:25])
    found = find_copies(REAL, copies, seed=0)
    assert found.flagged
    assert found.share.value == 1.0
    assert found.share.floor == 0.0
    assert sorted((pair.synthetic, pair.real) for pair in found.pairs) == [(at, at + 10) for at in range(15)]
    assert all(pair.similarity > 0.98 for pair in found.pairs)
    off = np.array([pair.shift for pair in found.pairs]) - shift
    np.testing.assert_allclose((off + 5) % 10 - 5 if how == "halves swapped" else off, 0.0, atol=0.02)
    assert "15 of 15 synthetic recordings are copies" in found.words[0]
    assert any("in every value" in words for words in found.words) == (how == "as they are")


def test_one_copy_among_many_is_flagged_and_listed_first() -> None:
    values = FRESH.data.copy()
    values[7] = noisy(np.roll(REAL.data[3:4], 123, axis=2))[0]
    found = find_copies(REAL, recordings(values), seed=0)
    assert found.flagged
    assert [(pair.synthetic, pair.real) for pair in found.pairs] == [(7, 3)]
    assert found.share.value == pytest.approx(1 / 40)
    assert found.share.low is not None
    assert 0 < found.share.low < 1 / 40


@pytest.mark.parametrize("settings", [{}, {"spread": 0.3}, {"spread": 0.3, "rr_sd": 0.0, "classes": ("normal",)}])
def test_fresh_recordings_and_regular_rhythms_are_no_copies(settings: dict[str, object]) -> None:
    found = find_copies(simulated(30, 3, **settings), simulated(30, 4, **settings), seed=0)
    assert not found.flagged
    assert found.share.value == 0.0
    assert found.pairs == ()
    assert LOWEST <= found.threshold <= CERTAIN
    assert "None of 30 synthetic recordings" in found.words[0]


def test_a_narrow_generator_at_the_middle_of_the_real_ones_does_not_copy() -> None:
    found = find_copies(REAL, simulated(40, 5, spread=0.2, rr_sd=0.01), seed=0)
    assert not found.flagged


def test_real_recordings_that_are_there_twice_do_not_hide_copies_and_are_what_fresh_ones_show() -> None:
    values = REAL.data.copy()
    values[1], values[3] = values[0], np.roll(values[2], 50, axis=1)
    twice = recordings(values)
    found = find_copies(twice, recordings(noisy(np.roll(values[10:20], 99, axis=2))), seed=0)
    assert found.share.value == 1.0
    assert found.flagged
    assert any(words.startswith("4 real recordings are as good as equal") for words in found.words)
    one = FRESH.data.copy()
    one[0] = values[20]
    half = np.concatenate([values[:20], values[:20]])
    shown = find_copies(recordings(half), recordings(one), seed=0)  # each real recording twice, one copy
    assert shown.share.floor is not None
    assert shown.share.floor > 0.3
    assert not shown.flagged


def test_two_recordings_of_one_patient_do_not_raise_the_threshold() -> None:
    values = np.concatenate([REAL.data, noisy(np.roll(REAL.data, 200, axis=2), 3)])
    patients = np.tile(np.arange(40), 2)
    grouped = find_copies(recordings(values, patients=patients), FRESH, seed=0)
    alone = find_copies(recordings(values), FRESH, seed=0)
    assert grouped.threshold <= CERTAIN < alone.threshold
    assert grouped.share.floor == 0.0


def test_a_holdout_is_the_floor() -> None:
    leaked = FRESH.data.copy()
    leaked[:10] = REAL.data[:10]
    found = find_copies(REAL, simulated(20, 9), recordings(leaked), seed=0)
    assert found.share.floor == 0.25
    assert (found.share.floor_n, found.share.floor_m) == (40, 40)
    assert not found.flagged


def test_patients_of_the_real_side_in_a_holdout_hide_no_copies() -> None:
    """The hold-out is other recordings of the same patients, nearly equal: they would be called copies, too."""
    real = recordings(REAL.data, patients=np.arange(40))
    made = FRESH.data.copy()
    made[:10] = noisy(REAL.data[:10])
    again = np.concatenate([noisy(REAL.data[:30], 5), simulated(10, 8).data])
    held = recordings(again, patients=np.append(np.arange(30), np.arange(50, 60)))
    found = find_copies(real, recordings(made), held, seed=0)
    assert found.share.value == 0.25
    assert (found.share.floor, found.share.floor_m) == (0.0, 10)
    assert found.flagged
    assert find_copies(real, recordings(made), held.subset(np.arange(30)), seed=0).share.floor_m == 20  # cuts


@pytest.mark.parametrize(("copied", "flagged"), [(6, False), (10, False), (22, True)])
def test_as_many_copies_as_fresh_recordings_show_are_no_alarm(copied: int, flagged: bool) -> None:
    """8 of 40 held-out recordings are real ones, too. P(10 or more of 18 on this side) = .40, P(22 or more of 30) =
    .001."""
    made, held = (simulated(40, seed).data.copy() for seed in (11, 12))
    made[:copied], held[:8] = noisy(REAL.data[:copied]), noisy(REAL.data[:8], 3)
    found = find_copies(REAL, recordings(made), recordings(held), seed=0)
    assert (found.share.value, found.share.floor) == (copied / 40, 0.2)
    assert found.flagged == flagged


def test_missing_leads_are_left_out_and_never_hide_or_make_a_copy() -> None:
    real, made = REAL.data.copy(), FRESH.data.copy()
    real[:, 1] = np.nan  # in all real recordings
    real[0, 2] = 0.0
    made[:5, [0, 1, 2]] = 0.0  # one lead is left
    made[6] = REAL.data[0]
    made[6, 3, 500] = np.inf
    made[7] = 0.0
    found = find_copies(recordings(real), recordings(made), seed=0)
    assert found.share.n_synthetic == 39
    assert [(pair.synthetic, pair.real) for pair in found.pairs] == []  # I alone is in common
    assert any(words.startswith("5 synthetic recordings have a signal in fewer") for words in found.words)
    assert any(words.startswith("1 synthetic recording has too few") for words in found.words)
    made[6, 3] = REAL.data[0, 3]
    found = find_copies(recordings(real), recordings(made), seed=0)
    assert [(pair.synthetic, pair.real) for pair in found.pairs] == [(6, 0)]
    nothing = find_copies(recordings(real), recordings(np.zeros((3, 4, 1000))), seed=0)
    assert nothing.share.value is None
    assert "half of the leads" in (nothing.share.reason or "")
    assert not nothing.flagged


@pytest.mark.parametrize("dead", [(0, 1), (0, 1, 2), (1, 2, 3)])
def test_copies_of_which_leads_die_stay_copies(dead: tuple[int, ...]) -> None:
    """Ten copies among forty, with two or three of four leads without a signal; in half of them others than in the
    other half."""
    made = FRESH.data.copy()
    made[:10] = REAL.data[5:15]
    for rows, leads in ((slice(0, 5), dead), (slice(5, 10), tuple(3 - lead for lead in dead))):
        made[rows, list(leads)] = np.nan
    found = find_copies(REAL, recordings(made), seed=0)
    assert found.flagged
    assert found.share.value == 0.25
    assert found.share.n_synthetic == 40
    assert found.share.floor == 0.0
    assert sorted((pair.synthetic, pair.real) for pair in found.pairs) == [(at, at + 5) for at in range(10)]
    assert "10 of 40 synthetic recordings are copies" in found.words[0]


def test_fresh_recordings_with_one_lead_are_no_copies() -> None:
    made = FRESH.data.copy()
    made[:20, 1:] = np.nan
    made[20:30, [0, 2, 3]] = np.nan
    found = find_copies(REAL, recordings(made), seed=0)
    assert (found.share.value, found.share.n_synthetic, found.flagged) == (0.0, 40, False)


def test_recordings_of_few_leads_are_compared_by_the_leads_of_most() -> None:
    has = np.array([[1, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
    found = [(leads.tolist(), rows.tolist()) for leads, rows in by_leads(has)]
    assert found == [([0], [0, 1, 2]), ([2], [3])]
    assert len(by_leads(np.eye(9, dtype=bool))) == 4


def test_other_leads_are_told_and_few_recordings_are_a_guess() -> None:
    strange = Recordings.from_array(FRESH.values, fs=FS, units="mV", leads=("a", "b", "c", "d"))
    assert find_copies(REAL, strange, seed=0).share.reason == "The two sides have no lead in common."
    few = find_copies(REAL.subset(np.arange(3)), recordings(np.roll(REAL.data[:3], 100, axis=2)), seed=0)
    assert few.share.value == 1.0
    assert few.flagged
    assert few.share.floor is None
    assert few.share.note.startswith("No floor")
    assert any("that is a guess" in words for words in few.words)


# --- parts against their definitions -----------------------------------------------------------------------------


def banded(values: Recordings, rate: float = FS) -> Waves:
    return waves(values, LEADS, FS, rate)


def naive(a: NDArray[np.floating], b: NDArray[np.floating]) -> float:
    """The largest normalised correlation of two recordings (L, T) over all whole shifts by half of them at most."""
    best, length = -1.0, a.shape[1]
    for lag in range(-length // 2, length // 2 + 1):
        x, y = (a[:, lag:], b[:, : length - lag]) if lag >= 0 else (a[:, :lag], b[:, -lag:])
        best = max(best, float((x * y).sum() / np.sqrt((x**2).sum() * (y**2).sum())))
    return best


def test_similarity_is_that_of_the_definition() -> None:
    ours, theirs = banded(REAL), banded(FRESH)
    found = Matcher(ours, theirs).similarity(4, np.arange(6))[0]
    exact = [naive(ours.values[at].astype(float), theirs.values[4].astype(float)) for at in range(6)]
    assert np.all(found >= np.array(exact) - 1e-4)
    np.testing.assert_allclose(found, exact, atol=0.02)  # between samples it is a little larger


def test_the_search_finds_what_all_pairs_have_most_similar() -> None:
    ours, theirs = banded(REAL), banded(FRESH)
    directions = components(ours)
    rows = candidates(coarse(ours, directions), coarse(theirs, directions))
    few = candidates(coarse(ours, directions), coarse(theirs, directions), pairs=800)
    matcher = Matcher(ours, theirs)
    everything = np.array([matcher.similarity(row, np.arange(len(REAL)))[0] for row in range(len(FRESH))])
    lost = everything.max(axis=1) - np.take_along_axis(everything, rows, axis=1).max(axis=1)
    assert np.mean(lost < 1e-6) > 0.8
    assert np.max(lost[everything.max(axis=1) > 0.8], initial=0.0) < 0.03
    assert np.mean(np.take_along_axis(everything, few, axis=1).max(axis=1) > 0.9 * everything.max(axis=1)) > 0.8


def test_the_threshold_is_exceeded_by_as_few_as_it_says() -> None:
    rng = np.random.default_rng(0)
    above = []
    for _ in range(300):
        seen, fresh = (np.tanh(0.3 + rng.exponential(0.25, n)) for n in (40, 2000))
        tail = fit_tail(seen)
        found = np.tanh(tail.start + tail.scale * tail.seen * ((0.25 / LEVEL) ** (1 / tail.seen) - 1))
        above.append((fresh > found).mean())
    assert np.mean(above) == pytest.approx(LEVEL, rel=0.35)
    assert fit_tail(seen).beyond(0.999) == 0.0
    assert fit_tail(np.full(30, 0.9995)).threshold > 0.9995  # all alike: nothing can be called a copy
    assert fit_tail(np.full(30, 0.9995)).doubles == 0


@pytest.mark.skipif(not ECG.is_dir(), reason="needs ../shared/data")
def test_half_of_cinc50_against_the_other_and_its_copies() -> None:
    held = np.load(ECG / "cinc50_int16uV.npz")["x"]
    names = [record["id"] for record in json.loads((ECG / "cinc50.json").read_text())["records"]]
    whole = Recordings.from_array(held, fs=500, units="uV", ids=names)
    even, odd = whole.subset(np.arange(0, 50, 2)), whole.subset(np.arange(1, 50, 2))
    found = find_copies(even, odd, seed=0)
    assert [(odd.record_name(p.synthetic), even.record_name(p.real)) for p in found.pairs] == [("E07509", "E07510")]
    np.testing.assert_array_equal(held[9], held[10])  # the data hold one recording twice
    without = odd.subset(np.array([name != "E07509" for name in odd.ids]))
    assert find_copies(even, without, seed=0).share.value == 0.0
    turned = 0.7 * np.roll(even.data, 1703, axis=2)
    copies = find_copies(even, Recordings.from_array(turned, fs=500, units="mV"), seed=0)
    assert copies.flagged
    assert copies.share.value == 1.0
