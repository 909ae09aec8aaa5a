"""The look at recordings before grading: every finding once where it has to come, and never where nothing is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from truegrade.ecg.preflight import CODES, look_at, preflight, refuse
from truegrade.ecg.preflight.facts import look
from truegrade.ecg.preflight.limbs import recognise, residual_of
from truegrade.ecg.tells import auc, derived_residual, off_grid, quantum
from truegrade.errors import InputError
from truegrade.recordings import LEADS_8, LEADS_12, Recordings
from truegrade.result.ecg import Finding
from truegrade.samplers import simulate_ecg

DATA = Path(__file__).parents[1] / "../shared/data/ecg"
shared = pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")
SSSD = ("I", "II", "V1", "V2", "V3", "V4", "V5", "V6", "III", "aVR", "aVL", "aVF")
FS, SECONDS = 250.0, 6.0
Pair = tuple[Recordings, Recordings]


@cache
def ideal(seed: int = 0, **options: Any) -> Recordings:
    return simulate_ecg(**{"n": 12, "fs": FS, "seconds": SECONDS, "seed": seed, "name": f"s{seed}"} | options)


@pytest.fixture(autouse=True)
def looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recordings that nearly every test compares with are looked through once."""
    monkeypatch.setattr("truegrade.ecg.preflight.look", _look)


_look = lru_cache(maxsize=4)(look)


def made(values: np.ndarray, **facts: Any) -> Recordings:
    return Recordings.from_array(values, **{"fs": FS, "units": "mV", "leads": LEADS_12} | facts)


def x(seed: int = 0) -> np.ndarray:
    """Values that may be changed."""
    return ideal(seed).data.astype(np.float64)


def against(values: np.ndarray, **facts: Any) -> Pair:
    return ideal(), made(values, **facts)


def find(code: str, pair: Pair, **options: Any) -> Finding:
    found = [one for one in preflight(*pair, **options) if one.code == code]
    assert len(found) == 1, f"{code} {len(found)} times"
    return found[0]


def changed(change: Callable[[np.ndarray], Any]) -> np.ndarray:
    """Values of the second set after a change in place."""
    values = x(1)
    change(values)
    return values


def scored(values: np.ndarray) -> np.ndarray:
    return (values - values.mean(axis=-1, keepdims=True)) / values.std(axis=-1, keepdims=True)


def squeezed(values: np.ndarray) -> np.ndarray:
    low, high = (of(values, axis=-1, keepdims=True) for of in (np.min, np.max))
    return (values - low) / (high - low)


def hum(values: np.ndarray) -> np.ndarray:
    return values + 0.05 * np.sin(2 * np.pi * 50.0 * np.arange(values.shape[-1]) / FS)


def negate_arms(values: np.ndarray) -> None:
    """Left and right arm electrode exchanged in the first three recordings."""
    part = values[:3].copy()
    values[:3, 0], values[:3, 1], values[:3, 2] = -part[:, 0], part[:, 2], part[:, 1]
    values[:3, 3], values[:3, 4] = part[:, 4], part[:, 3]


def cap(values: np.ndarray) -> None:
    values[2, 7] = np.clip(values[2, 7], -0.4 * np.ptp(values[2, 7]), np.quantile(values[2, 7], 0.97))


def put(at: Any, value: float) -> Callable[[np.ndarray], None]:
    def change(values: np.ndarray) -> None:
        values[at] = value

    return change


def law_breaker(values: np.ndarray) -> None:
    values[:, 2:6] = np.roll(values[:, 2:6], 40, axis=2)


def put_times(values: np.ndarray) -> None:
    values[4] *= 1000.0


def twice(values: np.ndarray) -> None:
    values[:, 11] = 0.5 * values[:, 0]


def noise() -> np.ndarray:
    return np.random.default_rng(3).normal(size=x().shape) * 0.3


def upsampled(seed: int) -> Recordings:
    return simulate_ecg(12, fs=100.0, seconds=SECONDS, seed=seed).resampled(FS)


TRIGGERS: dict[str, tuple[Callable[[], Pair], str, str]] = {
    "axes-swapped": (
        lambda: against(x(1).swapaxes(1, 2), axes="NLT", leads=None),
        "axis 1 is time",
        "transpose(0, 2, 1)",
    ),
    "leads-too-many": (
        lambda: (made(x()[:, :4].reshape(1, 48, -1), axes="NLT", leads=None), ideal(1)),
        "48 leads",
        "reshape",
    ),
    "units-differ": (lambda: against(1000 * x(1), units=None), "times as high", '"synthetic": "uV"'),
    "units-implausible": (lambda: (made(1000 * x()), made(1000 * x(1))), "typical of uV", "--units real=uV"),
    "units-unknown": (lambda: against(x(1), units=None), "typical of mV", "--units synthetic=mV"),
    "amplitudes-differ": (lambda: against(20 * x(1)), "times as high", "--units"),
    "units-mixed": (lambda: (made(changed(put_times)), ideal()), "recording 4", "leave them out"),
    "leads-equal": (lambda: against(changed(twice)), "V6 is I", "repeated ones"),
    "no-beats": (lambda: against(noise()), "0% of the synthetic", "ECG recordings"),
    "too-short": (lambda: (ideal(seconds=0.8), ideal(1, seconds=0.8)), "0.8 s (200 samples", "cropped"),
    "fs-low": (lambda: (ideal().resampled(30), ideal(1).resampled(30)), "below 40 Hz", "--resample 250"),
    "normalised-differ": (lambda: against(scored(x(1))), "mean 0 and standard deviation 1, by lead", "Undo it"),
    "normalised": (lambda: (made(squeezed(x())), made(squeezed(x(1)))), "least value 0 and largest 1", "in mV"),
    "leads-differ": (lambda: (ideal(), ideal(1, leads=LEADS_8)), "8 of them are shared", "--select I,II,V1"),
    "lead-order-differs": (
        lambda: against(ideal(1, leads=SSSD).data, leads=LEADS_12),
        "the synthetic ones I, II, V1, V2, V3, V4, V5, V6, III, aVR, aVL, aVF",
        "--leads synthetic=",
    ),
    "lead-order": (
        lambda: (made(ideal(leads=SSSD).data, leads=None), made(ideal(1, leads=SSSD).data, leads=None)),
        "I, II, V1, V2, V3, V4, V5, V6, III, aVR, aVL, aVF (residual",
        "--leads real=I,II,V1,V2,V3,V4,V5,V6,III,aVR,aVL,aVF",
    ),
    "laws-broken": (lambda: (made(changed(law_breaker)), ideal(1)), "no other order", "--leads"),
    "chest-order": (
        lambda: against(np.concatenate([x(1)[:, :6], x(1)[:, :5:-1]], axis=1)),
        "V1 goes with lead I",
        "order of V1 to V6",
    ),
    "fs-differ": (
        lambda: (ideal(), ideal(1, fs=125.0, seconds=12.0)),
        "250 Hz, the synthetic ones 125",
        "--resample 125",
    ),
    "fs-missing": (lambda: (made(x(), fs=None), ideal(1)), "no heart rates", "--fs real="),
    "fs-implausible": (
        lambda: tuple(made(simulate_ecg(12, fs=100.0, seconds=20, seed=at).data, fs=500.0) for at in (0, 1)),
        "beats a minute",
        "--fs real=",
    ),
    "fs-suspect": (
        lambda: (ideal(rate=60.0, seconds=8.0), made(ideal(1, rate=60.0, seconds=8.0, fs=125.0).data)),
        "narrower by one factor",
        "--fs synthetic=1",
    ),
    "lengths-differ": (lambda: (ideal(), ideal(1, seconds=5.0)), "1,500 samples (6 s)", "--crop 5"),
    "all-missing": (lambda: against(np.zeros((3, 12, 500))), "No lead of the 3 synthetic", "Check how"),
    "lead-absent": (lambda: against(changed(put(np.s_[:, 8], 0.0))), "V3: no signal", "--select I,II,III"),
    "leads-flat": (
        lambda: against(changed(put(np.s_[[1, 4], 8], 0.0))),
        "V3 in recording 1, recording 4",
        "flat lines",
    ),
    "values-missing": (lambda: against(changed(put(np.s_[3, 8, 7], np.nan))), "V3 in recording 3", "fill the gaps"),
    "clipped": (lambda: against(changed(cap)), "V2 in recording 2", "wider range"),
    "padded": (lambda: against(changed(put(np.s_[5:8, :, -200:], 0.0))), "3 of 12", "--crop 5.2"),
    "offset": (lambda: against(x(1) + 40.0), "baseline", "median of each lead"),
    "arms-swapped": (lambda: against(changed(negate_arms)), "lead I points down and aVR up", "aVL"),
    "inverted": (lambda: against(-x(1)), "other way", "Negate"),
    "duplicates": (lambda: against(np.concatenate([x(1), x(1)[:2]])), "recording 12 is recording 0", "Leave"),
    "same-records": (lambda: against(np.concatenate([x(1), x()[3:5]])), "2 of 14", "generated"),
    "holdout-shared": (lambda: (ideal(), ideal(1)), "patients", "Split by patient"),
    "too-few": (lambda: (ideal(), ideal(1).subset(np.arange(1))), "at least 2 are needed", "more recordings"),
    "quantum-tell": (lambda: (made(np.round(x(), 3)), ideal(1)), "multiples of 1 uV", "np.round(x / 0.001)"),
    "laws-tell": (lambda: (made(np.round(x(), 3)), ideal(1)), "100% up to rounding", "--select I,II,V1,V2"),
    "powerline-tell": (lambda: (made(hum(x())), ideal(1)), "50 Hz stands out in 100%", "Filter 50 Hz"),
    "spectrum-tell": (lambda: (upsampled(0), ideal(1)), "nothing above", "bring both to"),
    "spectrum-cut": (lambda: (upsampled(0), upsampled(1)), "resampled from about", "Nothing to mend"),
    "mean-tell": (lambda: against(x(1) - x(1).mean(axis=2, keepdims=True)), "exactly zero", "Subtract the mean"),
}
TWICE = {"too-short", "fs-low", "units-implausible", "lead-order", "fs-implausible", "spectrum-cut"}  # once a side
OTHER = {"holdout-shared": {"holdout": ideal(0).subset(np.arange(3))}}


@cache
def looked(code: str) -> tuple[Finding, ...]:
    return preflight(*TRIGGERS[code][0](), **OTHER.get(code, {}))


@pytest.mark.parametrize("code", list(CODES))
def test_every_finding_comes_with_its_numbers_and_its_mend(code: str) -> None:
    _, text, mend = TRIGGERS[code]
    found = [one for one in looked(code) if one.code == code]
    assert len(found) == (2 if code in TWICE else 1)
    assert text in found[0].text
    assert mend in found[0].mend
    assert all(any(char.isdigit() for char in one.text + one.mend) or code == "inverted" for one in found)


SERIOUS = {
    "axes-swapped",
    "leads-too-many",
    "units-differ",
    "units-mixed",
    "too-short",
    "units-implausible",
    "normalised-differ",
    "leads-differ",
    "lead-order-differs",
    "fs-differ",
    "fs-implausible",
    "lengths-differ",
    "all-missing",
    "too-few",
}


@pytest.mark.parametrize("code", sorted(SERIOUS))
def test_what_makes_numbers_meaningless_is_refused_unless_overridden(code: str) -> None:
    found = looked(code)
    with pytest.raises(InputError, match=code) as caught:
        refuse(found)
    assert TRIGGERS[code][2] in str(caught.value)
    assert f"--override {code}" in str(caught.value)
    serious = {one.code for one in found if one.severity == "refuse"}
    kept = refuse(found, override=serious)
    assert {one.code for one in kept} == {one.code for one in found}
    assert not [one for one in kept if one.severity == "refuse"]
    assert {one.code for one in kept if one.overridden} == {one.code for one in found if one.severity == "refuse"}


def test_refusals_are_listed_all_at_once_the_most_serious_findings_come_first() -> None:
    pair = ideal(), made(1000 * ideal(1, seconds=5.0).data, fs=500.0, units=None)
    with pytest.raises(InputError) as caught:
        refuse(preflight(*pair))
    for code in ("units-differ", "fs-differ", "lengths-differ"):
        assert f"- {code}: " in str(caught.value)
    ranks = [{"refuse": 0, "warn": 1, "note": 2}[one.severity] for one in preflight(*pair)]
    assert ranks == sorted(ranks)
    assert refuse(preflight(ideal(), ideal(1))) == ()


def test_codes_that_there_are_not_are_named_with_the_nearest() -> None:
    with pytest.raises(InputError, match="units-differ"):
        preflight(ideal(), ideal(1), override=["unit-differ"])
    with pytest.raises(InputError, match="no such finding"):
        refuse((), override="nonsense")


def quiet_pairs() -> dict[str, Callable[[], Pair]]:
    low = [np.float32(0.25) * ideal(at).data for at in (0, 1)]
    wide = [ideal(at, n=30).data for at in (0, 1)]
    return {
        "ideal": lambda: (ideal(), ideal(1)),
        "slow against fast": lambda: (ideal(seconds=10.0, rate=40.0), ideal(1, seconds=10.0, rate=180.0)),
        "both fast": lambda: (ideal(rate=180.0), ideal(1, rate=180.0)),
        "eight leads": lambda: (ideal(leads=LEADS_8), ideal(1, leads=LEADS_8)),
        "one lead": lambda: (ideal(leads=("II",)), ideal(1, leads=("II",))),
        "one downward lead": lambda: (ideal(leads=("aVR",)), ideal(1, leads=("aVR",))),
        "microvolts, told": lambda: tuple(made(np.rint(1000 * x(at)).astype(np.int16), units="uV") for at in (0, 1)),
        "microvolts on one side, told": lambda: (ideal(), made(1000 * ideal(1).data, units="uV")),
        "low voltage": lambda: (made(low[0]), made(low[1])),
        "low voltage on one side": lambda: (ideal(), made(low[1])),
        "unnamed in the usual order": lambda: (made(x(), leads=None), made(x(1), leads=None)),
        "one kind of heart": lambda: tuple(ideal(at, classes=("bundle branch block",)) for at in (0, 1)),
        "few against many": lambda: (made(wide[0]), ideal(1)),
        "no noise at all": lambda: (ideal(noise=0.0), ideal(1, noise=0.0)),
        "one mould": lambda: (ideal(), ideal(1, spread=0.0)),
    }


@pytest.mark.parametrize("name", list(quiet_pairs()))
def test_nothing_is_said_of_what_is_right(name: str) -> None:
    assert [(one.code, one.text) for one in preflight(*quiet_pairs()[name]())] == []


def test_noisy_generators_get_no_refusal() -> None:
    rng = np.random.default_rng(0)
    noisy = made(x(1) + rng.normal(size=x().shape))
    noise = made(rng.normal(size=x().shape))
    for synthetic in (noisy, noise):
        assert not [one for one in preflight(ideal(), synthetic) if one.severity == "refuse"]


# axes (E1)


@pytest.mark.parametrize(("axes", "letters"), [((0, 2, 1), "NTL"), ((2, 0, 1), "TNL"), ((1, 0, 2), "LNT")])
def test_orders_of_axes_are_recognised_and_the_way_back_given(axes: tuple[int, ...], letters: str) -> None:
    values = x(1)[:12]
    found = find("axes-swapped", against(values.transpose(axes), axes="NLT", leads=None))
    assert f"--axes synthetic={letters}" in found.mend
    back = found.mend.split("transpose(")[1].split(")")[0]
    assert np.array_equal(values.transpose(axes).transpose([int(at) for at in back.split(",")]), values)
    turned = Recordings.from_array(values.transpose(axes), axes=letters)
    assert np.array_equal(turned.values, values)


def test_wrong_axes_stop_the_look_and_alone_are_named_without_a_side() -> None:
    turned = made(x().swapaxes(1, 2), axes="NLT", leads=None)
    assert [one.code for one in preflight(turned, ideal(1))] == ["axes-swapped"]
    (alone,) = look_at(turned)
    assert "--axes NTL" in alone.mend
    assert len(preflight(turned, ideal(1), override=["axes-swapped"])) > 1


# units (E2)


@pytest.mark.parametrize("factor", [1000.0, 1e-3, 1e6, 204.8, 1 / 204.8, -1000.0])
def test_sides_in_different_units_are_refused_whatever_way_the_leads_point(factor: float) -> None:
    found = find("units-differ", against(factor * x(1) + 3.0 * factor, units=None))
    assert found.severity == "refuse"
    assert ("about 5 uV" in found.text) == (abs(factor) in (204.8, 1 / 204.8))
    told = {1000.0: "uV", 1e-3: "V", 1e6: "nV"}.get(abs(factor))
    if told:
        assert f"synthetic={told}" in found.mend
        codes = {one.code for one in preflight(*against(factor * x(1), units=told))}
        assert codes <= {"inverted", "arms-swapped"}


def test_both_in_one_unknown_unit_may_be_graded() -> None:
    found = preflight(made(1000 * x(), units=None), made(1000 * x(1), units=None))
    assert [(one.code, one.severity) for one in found] == [("units-unknown", "warn")] * 2
    assert "typical of uV" in found[0].text


def test_a_unit_that_was_told_wrong_is_refused() -> None:
    found = find("units-differ", against(1000 * x(1)))
    assert "cannot be right" in found.text


# leads (E4)


def test_any_order_of_the_limb_leads_is_found_by_search() -> None:
    rng = np.random.default_rng(3)
    base = made(np.round(x(), 3))
    for _ in range(6):
        order = rng.permutation(12)
        names = [LEADS_12[at] for at in order]
        facts = look(made(base.values[:, order], leads=None), "real", "real recordings")
        found = recognise(facts.between)
        assert found is not None
        assert found.clear
        chest = iter(LEADS_12[6:])
        assert found.leads == tuple(name if name in LEADS_12[:6] else next(chest) for name in names)
        right = residual_of(facts.between, tuple(names))
        assert found.residual == pytest.approx(right, rel=1e-6)


def test_names_decide_and_a_contradiction_is_warned_about() -> None:
    named = [made(ideal(at, leads=SSSD).data, leads=SSSD) for at in (0, 1)]
    assert preflight(named[0], named[1]) == ()
    wrong = [made(ideal(at, leads=SSSD).data, leads=LEADS_12) for at in (0, 1)]
    found = preflight(wrong[0], wrong[1])
    assert {(one.code, one.severity) for one in found} == {("lead-order", "warn")}
    assert "they are named I, II, III" in found[0].text


def test_the_same_leads_in_another_order_name_the_call() -> None:
    found = find("leads-differ", (ideal(), ideal(1, leads=SSSD)))
    assert f"--select {','.join(LEADS_12)}" in found.mend
    assert preflight(ideal(), ideal(1, leads=SSSD).select_leads(LEADS_12)) == ()


def test_leads_learned_one_by_one_are_no_other_order() -> None:
    rng = np.random.default_rng(0)
    about = made(changed(lambda values: np.add(values, 0.05 * rng.normal(size=values.shape), out=values)))
    codes = {one.code for one in preflight(ideal(), about)}
    assert not codes & {"lead-order", "lead-order-differs"}
    assert "laws-tell" in codes


# sampling rate and length (E3)


def test_a_rate_that_was_told_wrong_names_a_better_one() -> None:
    values = [simulate_ecg(12, fs=100.0, seconds=20, seed=at, rate=(60, 90)).data for at in (0, 1)]
    found = [
        one for one in preflight(made(values[0], fs=500.0), made(values[1], fs=500.0)) if one.code == "fs-implausible"
    ]
    assert [one.severity for one in found] == ["refuse", "refuse"]
    assert "--fs real=100" in found[0].mend
    assert preflight(made(values[0], fs=100.0), made(values[1], fs=100.0)) == ()


def test_a_rate_of_one_side_alone_is_asked_for() -> None:
    found = find("fs-differ", against(x(1), fs=None))
    assert found.severity == "refuse"
    assert "--fs synthetic=250" in found.mend
    both = preflight(made(x(), fs=None), made(x(1), fs=None))
    assert [(one.code, one.severity) for one in both] == [("fs-missing", "warn")] * 2


# gaps (E5)


def test_gaps_are_named_lead_by_lead_with_the_recordings() -> None:
    values = x()
    values[[2, 9], 7], values[2, 9], values[5, 3, 100] = 0.0, 0.0, np.nan
    real = made(values, ids=[f"r{at}" for at in range(len(values))])
    flat, broken = find("leads-flat", (real, ideal(1))), find("values-missing", (real, ideal(1)))
    assert "V2 in r2, r9; V4 in r2" in flat.text
    assert (flat.records, flat.leads, flat.count) == (("r2", "r9"), ("V2", "V4"), 2)
    assert (broken.records, broken.leads, broken.side) == (("r5",), ("aVR",), "real")
    assert "left out" in flat.mend


def test_plateaus_of_the_baseline_and_at_the_ends_are_not_cut_off_peaks() -> None:
    beats = np.zeros((3, 1, 1000))
    beats[:, :, 50::200] = 1.0
    beats[:, :, 51::200] = 1.0
    facts = look(made(beats, leads=["II"]), "real", "real recordings")
    assert not facts.clipped.any()
    beats[0, 0, 48:56] = beats[0, 0, 248:256] = 1.0
    assert look(made(beats, leads=["II"]), "real", "real recordings").clipped.tolist() == [[True], [False], [False]]


# counts, names, holdout


def test_k_needs_more_recordings_than_itself() -> None:
    assert find("too-few", (ideal(), ideal(1).subset(np.arange(5))), k=5).side == "synthetic"
    assert preflight(ideal(), ideal(1).subset(np.arange(6)), k=5) == ()


def test_copies_are_found_through_another_type_and_unit() -> None:
    real = made(np.rint(1000 * x()).astype(np.int16), units="uV")
    values = np.concatenate([x(1), np.float32(0.001) * np.rint(1000 * x()[[7]]).astype(np.float32)])
    found = find("same-records", (real, made(values.astype(np.float32))))
    assert (found.count, found.records) == (1, ("recording 12",))


def test_patients_of_the_holdout_that_are_real_ones_are_named() -> None:
    holdout = Recordings.from_array(x(2)[:4], fs=FS, units="mV", patients=["s0-p3", "a", "b", "c"])
    found = find("holdout-shared", (ideal(), ideal(1)), holdout=holdout)
    assert found.records == ("s0-p3",)
    assert preflight(ideal(), ideal(1), holdout=ideal(2, n=4)) == ()


def test_hostile_names_stay_short_and_printable() -> None:
    ids = ["<script>\x1b[2J\u202e" + "x" * 10_000] * 2 + [str(at) for at in range(10)]
    values = x()
    values[:2, 7] = 0.0
    found = find("leads-flat", (made(values, ids=ids), ideal(1)))
    assert len(found.text) < 400
    assert found.text.isprintable()
    assert all(len(name) <= 80 and name.isprintable() for name in found.records)


def test_one_set_alone() -> None:
    assert look_at(ideal()) == ()
    codes = [one.code for one in look_at(made(1000 * x(), fs=None, units=None))]
    assert codes == ["units-unknown", "fs-missing"]
    assert [one.code for one in look_at(made(np.zeros((2, 12, 500))))] == ["all-missing"]


# tells


@pytest.mark.parametrize("step", [0.001, 0.00488, 0.0025])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_step_of_values_is_found_under_an_offset(step: float, dtype: type) -> None:
    values = np.rint(x() / step) * step + np.random.default_rng(0).normal(size=(12, 12, 1))
    assert quantum(values.astype(dtype)) == pytest.approx(step, rel=1e-4)
    assert off_grid(values.astype(dtype), step).max() < 0.02
    assert off_grid(x(), step).min() > 0.2


def test_counts_that_were_rounded_again_have_the_finer_step_and_others_none() -> None:
    assert quantum(np.round(np.rint(x() / 0.00488) * 0.00488, 3)) == pytest.approx(0.001)
    assert quantum(x()) is None
    assert quantum(x().astype(np.float32)) is None
    assert quantum(np.zeros((3, 100))) is None
    assert quantum(np.tile([0.0, 1.0], (3, 200))) is None  # two levels are no grid


def test_residuals_of_derived_leads() -> None:
    values = x()
    values[:, 2] += 0.3
    values[4, 5, 3] = np.nan
    rest = derived_residual(made(values))
    assert np.isnan(rest[4])
    assert rest[[0, 5]] == pytest.approx(0.15, rel=1e-4)  # the root of the mean of .09, 0, 0, 0
    assert np.isnan(derived_residual(ideal(leads=LEADS_8))).all()


def test_auc_of_one_number_is_the_share_of_pairs_in_order() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 6, 30).astype(float), rng.integers(1, 8, 25).astype(float)
    naive = np.mean([[1.0 if p < q else 0.5 if p == q else 0.0 for q in b] for p in a])
    assert auc(a, b) == pytest.approx(max(naive, 1 - naive), abs=1e-12)
    assert auc(b, a) == pytest.approx(auc(a, b), abs=1e-12)
    assert auc(a, np.full(3, np.nan)) == 0.5


# recordings of people


@shared
def test_the_published_pair_is_recognised_and_its_tells_are_found() -> None:
    values = [np.load(DATA / name) for name in ("ptbxl_real_22.npy", "sssd_synthetic_22.npy")]
    unnamed = preflight(*(made(one, fs=100.0, leads=None) for one in values))
    orders = [one for one in unnamed if one.code == "lead-order"]
    assert [one.leads for one in orders] == [SSSD, SSSD]
    named = preflight(*(made(one, fs=100.0, leads=SSSD) for one in values))
    assert {one.code for one in named} == {"quantum-tell", "laws-tell"} <= {one.code for one in unnamed}
    assert all("AUC of 1.00" in one.text for one in named)
    half = made(values[0], fs=100.0, leads=SSSD)
    assert preflight(half.subset(np.arange(11)), half.subset(np.arange(11, 22))) == ()


@shared
def test_flat_leads_of_people_are_named_and_nothing_else_is_refused() -> None:
    with np.load(DATA / "cinc50_int16uV.npz") as file:
        values = file["x"]
    ids = [one["id"] for one in json.loads((DATA / "cinc50.json").read_text())["records"]]
    every = Recordings.from_array(values, fs=500, units="uV", ids=ids, leads=LEADS_12)
    rows = np.arange(50) % 2 == 0
    found = preflight(every.subset(rows), every.subset(~rows))
    flat = next(one for one in found if one.code == "leads-flat")
    assert (flat.records, flat.leads) == (("JS20004", "JS20008"), ("V2", "V4", "V6"))
    assert {one.code for one in found if one.severity != "note"} == {"leads-flat", "same-records"}
    same = next(one for one in found if one.code == "same-records")
    assert same.records == ("E07509",)  # the file holds this recording twice
