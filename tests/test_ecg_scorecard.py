"""The clinical scorecard: distances by hand and by scipy, failures that never help, floors, reasons."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ks_2samp, wasserstein_distance

from truegrade.ecg.beats.distances import around, centre, circle_distance, gap, line_distance, lost, plausible
from truegrade.ecg.beats.measure import KEYS, measure
from truegrade.ecg.beats.scorecard import scorecard
from truegrade.ecg.floors import real_cuts
from truegrade.recordings import Recordings
from truegrade.samplers.ecg import simulate_ecg

LEADS = ("I", "II", "aVF", "V2", "V5")
NAN, NOT_ASKED, LACKING = np.nan, np.inf, -np.inf


@pytest.fixture(scope="module")
def real():
    return simulate_ecg(40, fs=250.0, leads=LEADS, seed=1)


@pytest.fixture(scope="module")
def card(real):
    other = simulate_ecg(30, fs=250.0, leads=LEADS, rate=(90.0, 140.0), seed=2)
    return scorecard(real, other, seed=0, cuts=real_cuts(real, 30, seed=0))


def by_key(card):
    return {one.key: one for one in card.measurements}


def recordings(values, **more):
    return Recordings.from_array(values, **({"fs": 250.0, "units": "mV", "leads": LEADS} | more))


def test_distances_without_failures_are_those_of_scipy():
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=50), rng.normal(0.4, 1.3, size=37)
    assert line_distance(one, other) == pytest.approx(wasserstein_distance(one, other))
    assert gap(one, other) == pytest.approx(ks_2samp(one, other).statistic)
    assert plausible(one, other) == pytest.approx(
        np.mean((other >= np.quantile(one, 0.01)) & (other <= np.quantile(one, 0.99)))
    )


def test_circle_distance_goes_the_short_way_round():
    rng = np.random.default_rng(1)
    one, other = rng.normal(0.0, 9.0, 40), rng.normal(5.0, 12.0, 40)
    assert circle_distance(one, other) == pytest.approx(wasserstein_distance(one, other))
    assert circle_distance(one + 175.0, other + 175.0) == pytest.approx(wasserstein_distance(one, other))
    assert circle_distance(np.full(9, 179.0), np.full(5, -179.0)) == pytest.approx(2.0)
    assert circle_distance(np.full(9, 0.0), np.full(5, 180.0)) == pytest.approx(180.0)


def test_circle_distance_is_the_least_over_all_pairings():
    rng = np.random.default_rng(2)
    one, other = rng.uniform(-180, 180, 7), rng.uniform(-180, 180, 7)
    apart = np.abs((np.sort(one)[:, None] - np.sort(other)[None, :] + 180.0) % 360.0 - 180.0)
    turns = [np.mean([apart[at, (at + turn) % 7] for at in range(7)]) for turn in range(7)]
    assert circle_distance(one, other) == pytest.approx(min(turns))


def test_failures_never_help():
    real = np.linspace(50.0, 100.0, 51)
    before = 0.0
    for failed in (0, 5, 20, 50, 51):
        synthetic = real.copy()
        synthetic[:failed] = NAN
        now = gap(real, synthetic)
        assert now == pytest.approx(failed / 51)
        assert plausible(real, synthetic) <= 1.0 - failed / 51
        distance = line_distance(real, synthetic)
        if failed == 51:
            assert "in no synthetic recording" in distance
        else:
            assert distance >= before
            before = distance
    assert circle_distance(real, np.full(9, NAN)) == 180.0


@pytest.mark.parametrize("gone", [NAN, LACKING])
def test_failing_does_not_help_what_is_far_off(gone):
    """Hearts at 150 against 65: 85 off, also where most are dead."""
    real, far = np.linspace(60.0, 70.0, 41), np.linspace(145.0, 155.0, 41)
    for dead in (10, 39):
        assert line_distance(real, np.where(np.arange(41) < dead, gone, far)) >= 85.0 - 5.0


def test_a_lacking_lead_is_not_made_up_for_by_real_failures():
    """3 of 10 real ones have no P wave, no synthetic one has that, 3 of 10 synthetic ones lack the lead."""
    values = np.arange(10.0, 20.0)
    real, lacking = (np.where(values < 13.0, one, values) for one in (NAN, LACKING))
    assert gap(real, np.where(values < 13.0, NAN, values)) == 0.0
    assert gap(real, lacking) == pytest.approx(0.3)
    assert plausible(real, lacking) <= 0.7
    assert lost(real, lacking) == pytest.approx(0.3)
    assert lost(real, np.where(values < 15.0, np.where(values < 13.0, NAN, LACKING), values)) == pytest.approx(
        0.2 + 0.8 * (3 / 8 - 0.3)
    )
    assert line_distance(real, lacking) == pytest.approx(0.3 * np.subtract(*np.quantile(values[3:], (0.99, 0.01))))
    assert circle_distance(real, lacking) == pytest.approx(0.3 * 180.0)


def test_failures_stand_on_the_side_where_the_gap_is_larger():
    assert gap(np.array([1.0, 2.0, 3.0, NAN]), np.array([3.0, 3.0, 3.0, 3.0])) == 0.75
    assert gap(np.array([2.0, 2.0, 2.0, 2.0]), np.array([3.0, 3.0, NAN, NAN])) == 1.0
    assert gap(np.array([3.0, 3.0, NAN, NAN]), np.array([2.0, 2.0, 2.0, 2.0])) == 1.0
    assert gap(np.array([3.0, 3.0, 3.0, 3.0]), np.array([2.0, 2.0, LACKING, LACKING])) == 1.0


def test_failures_are_as_far_off_as_the_real_values_reach():
    real = np.linspace(50.0, 100.0, 101)
    half = np.where(np.arange(101) % 2 == 0, real, NAN)  # what is left is spread like the real values
    lost = 50 / 101
    assert line_distance(real, half) == pytest.approx(lost * 49.0, rel=0.02)
    assert circle_distance(real, half) == pytest.approx(lost * 180.0, rel=0.02)
    assert line_distance(half, half) == 0.0


def test_equal_failures_on_both_sides_are_no_difference():
    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, NAN, NAN])
    assert line_distance(values, values) == 0.0
    assert gap(values, values) == 0.0


def test_a_shift_does_not_hide_failures():
    real = np.array([1.0, 2.0, 3.0, 4.0])
    late = np.array([9.0, 9.0, 9.0, NAN])
    assert gap(real, late) == 1.0
    assert gap(np.array([1.0, NAN]), np.array([1.0, 1.0])) == 0.5


def test_real_values_that_were_not_asked_for_are_left_out():
    real = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    more = np.concatenate([real, np.full(3, NOT_ASKED)])
    other = np.array([2.0, 4.0, NAN])
    for rule in (line_distance, circle_distance, gap, plausible):
        assert rule(more, other) == rule(real, other)
    assert "Fewer than 5" in line_distance(np.array([1.0, 2.0, NAN]), other)


def test_angles_are_laid_around_the_real_mean():
    angles = np.array([170.0, -170.0, NAN])
    assert abs(centre(angles)) == pytest.approx(180.0)
    np.testing.assert_allclose(around(angles, 180.0), [170.0, 190.0, NAN])


def test_a_card_has_every_measurement_with_its_floor(card):
    found = by_key(card)
    assert tuple(found) == KEYS
    for one in found.values():
        for number in (one.distance, one.ks, one.plausible):
            assert number.value is not None
            assert number.floor is not None
            assert (number.n_real, number.n_synthetic) == (40, 30)
            assert number.floor_n + number.floor_m == 40
        assert one.real.n + one.real.failed == 40
        assert sum(one.real.counts) == one.real.n
        assert sum(one.synthetic.counts) == one.synthetic.n
        assert len(one.edges) == len(one.real.counts) + 1
        assert list(one.real.quantiles) == sorted(one.real.quantiles)
    assert found["r_amplitude"].unit == "mV"
    assert found["axis"].unit == "degrees"
    assert card.reason is None
    assert card.without_beats == (0, 0)


def test_faster_hearts_are_told_apart_and_their_axis_is_not(card):
    found = by_key(card)
    assert 20.0 < found["heart_rate"].distance.value < 50.0
    assert found["heart_rate"].distance.value > 3.0 * found["heart_rate"].distance.floor_high
    assert found["heart_rate"].plausible.value < 0.7
    assert found["qt"].distance.value > found["qt"].distance.floor_high
    assert found["axis"].ks.value < 0.4


def test_floors_are_carried_to_the_sizes_and_patients_count_once(real):
    """Distances and gaps of two samples of one law fall with the root of their sizes."""
    cuts = real_cuts(real, 40, seed=0)
    found = by_key(scorecard(real, real, seed=0, cuts=cuts))["heart_rate"]
    rates = measure(real).values["heart_rate"]
    naive = [(wasserstein_distance(rates[a], rates[b]), ks_2samp(rates[a], rates[b]).statistic) for a, b in cuts]
    assert found.distance.floor == pytest.approx(np.mean(naive, axis=0)[0] * np.sqrt(0.5))
    assert found.ks.floor == pytest.approx(np.mean(naive, axis=0)[1] * np.sqrt(0.5))
    assert "by the factor 0.707" in found.distance.note
    assert "carried" not in found.plausible.note
    fast = np.repeat(real.data[np.argsort(rates)[16::4]], 5, axis=0)  # six of them five times
    often, loose = recordings(fast, patients=np.arange(30) // 5), recordings(fast)
    once, thirty = (by_key(scorecard(real, side, seed=0))["heart_rate"].chance for side in (often, loose))
    assert thirty < 0.01 < 0.05 < once


def test_real_against_itself_is_perfect(real):
    for one in scorecard(real, real, seed=0, cuts=()).measurements:
        assert one.distance.value == pytest.approx(0.0)
        assert one.ks.value == 0.0
        assert "No floor" in one.distance.note


def test_synthetic_recordings_without_beats_count_as_different(real):
    values = real.data.astype(np.float64)
    dead = values.copy()
    dead[:20] = 0.0
    card = scorecard(real, recordings(dead))
    assert card.without_beats == (0, 20)
    rate = by_key(card)["heart_rate"]
    assert rate.synthetic.failed == 20
    assert rate.ks.value >= 0.5
    assert rate.plausible.value <= 0.5
    assert rate.distance.value > 10.0
    silent = by_key(scorecard(real, recordings(np.zeros((5, 5, 2500)))))
    assert all(one.ks.value == 1.0 for one in silent.values())
    assert silent["heart_rate"].distance.value is None
    assert "in no synthetic recording" in silent["heart_rate"].distance.reason
    assert all(one.plausible.value == 0.0 for one in silent.values())
    assert silent["axis"].distance.value == pytest.approx(180.0)


def test_a_dead_real_lead_is_left_out_and_a_dead_synthetic_one_is_a_failure(real):
    values = real.data.astype(np.float64)
    values[:4, 1] = 0.0
    odd = recordings(values)
    one = by_key(scorecard(odd, real))["r_amplitude"]
    assert (one.real.n, one.real.failed, one.distance.n_real) == (36, 0, 36)
    other = by_key(scorecard(real, odd))["r_amplitude"]
    assert other.synthetic.failed == 4
    assert other.ks.value >= 0.1
    values[:, 1] = 0.0
    none = by_key(scorecard(recordings(values), real))["r_amplitude"]
    assert none.distance.value is None
    assert "Fewer than 5" in none.distance.reason


def test_what_cannot_be_measured_has_a_reason(real):
    values = real.data[:12]
    unknown = recordings(values, fs=None)
    assert "give fs=" in scorecard(unknown, unknown).reason
    slow = recordings(values, fs=25.0)
    assert "40 Hz" in scorecard(slow, slow).reason
    chest = recordings(values, leads=("V1", "V2", "V3", "V4", "V6"))
    limbs = real.select_leads(("I", "II"))
    assert "no lead in common" in scorecard(limbs, chest).reason
    found = by_key(scorecard(chest, chest))
    assert found["axis"].distance.value is None
    assert "lead I" in found["axis"].ks.reason
    assert found["heart_rate"].distance.value == 0.0
    assert by_key(scorecard(recordings(values, units=None), real))["st"].unit == "units as given"


def test_only_common_leads_are_measured(real):
    one = by_key(scorecard(real, real.select_leads(("II",))))
    assert one["axis"].distance.value is None
    assert one["heart_rate"].distance.value == pytest.approx(0.0)
    assert one["r_amplitude"].distance.value == pytest.approx(0.0)
