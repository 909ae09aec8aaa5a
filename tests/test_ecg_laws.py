"""What leads are of each other, against definitions written out, and the rule for missing leads."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from truegrade.ecg.floors import real_cuts
from truegrade.ecg.laws import lead_laws, median_interval
from truegrade.errors import InputError
from truegrade.recordings import LEADS_8, LEADS_12, Recordings
from truegrade.result.ecg import LeadLaws
from truegrade.samplers import simulate_ecg

DATA = Path(__file__).parents[1] / "../shared/data/ecg"
LAWS = ["III = II - I", "aVR = -(I + II)/2", "aVL = I - II/2", "aVF = II - I/2"]


@cache
def values(seed: int = 0, n: int = 12) -> np.ndarray:
    """Of which III, aVR, aVL and aVF are sums of I and II up to noise of known size."""
    base = simulate_ecg(n, fs=100.0, seconds=5.0, seed=seed).data.astype(np.float64)
    base[:, 2:6] += 0.01 * (1 + seed) * np.random.default_rng(seed).normal(size=base[:, 2:6].shape)
    return base


def made(array: np.ndarray, leads: Any = LEADS_12) -> Recordings:
    return Recordings.from_array(array, fs=100.0, units="mV", leads=leads)


def changed(seed: int, at: Any, value: float) -> Recordings:
    array = values(seed).copy()
    array[at] = value
    return made(array)


def residuals(x: np.ndarray) -> dict[str, np.ndarray]:
    """(N, T) of each law, as it is written."""
    one, two = x[:, 0], x[:, 1]
    parts = (x[:, 2] - (two - one), x[:, 3] + (one + two) / 2, x[:, 4] - (one - two / 2), x[:, 5] - (two - one / 2))
    return dict(zip(LAWS, parts, strict=True))


def flat(found: LeadLaws) -> list[float]:
    return [value for pair in found.residuals.values() for value in pair]


def correlation(x: np.ndarray) -> np.ndarray:
    return np.mean([np.corrcoef(record) for record in x], axis=0)


def test_residuals_and_correlations_are_their_definitions() -> None:
    x, y = values(0), values(1)
    found = lead_laws(made(x), made(y))
    for law in LAWS:
        expected = [np.median([np.median(np.abs(row)) for row in residuals(side)[law]]) for side in (x, y)]
        assert found.residuals[law] == pytest.approx(tuple(expected), rel=1e-9)
        lead = LAWS.index(law) + 2
        parts = [np.sqrt((residuals(side)[law] ** 2).mean() / (side[:, lead] ** 2).mean()) for side in (x, y)]
        assert found.relative[law] == pytest.approx(tuple(parts), rel=0.02)  # the larger of the lead and its sum
    rms = [np.sqrt(np.mean([r**2 for r in residuals(side).values()], axis=(0, 2))) for side in (x, y)]
    assert found.einthoven.value == pytest.approx(np.median(rms[1]), rel=1e-9)
    assert found.einthoven.floor == pytest.approx(np.median(rms[0]), rel=1e-9)
    assert found.real == pytest.approx(correlation(x), abs=1e-6)
    pairs = list(combinations(range(12), 2))
    gaps = np.abs(correlation(x) - correlation(y))
    assert found.correlation_error.value == pytest.approx(np.mean([gaps[pair] for pair in pairs]), abs=1e-6)


def test_noise_of_known_size_is_measured() -> None:
    found = lead_laws(made(values(0)), made(values(1)))
    assert found.einthoven.floor == pytest.approx(0.01, rel=0.05)
    assert found.einthoven.value == pytest.approx(0.02, rel=0.05)
    assert found.residuals["III = II - I"][1] == pytest.approx(0.6745 * 0.02, rel=0.1)  # median |normal|


def test_exact_laws_and_equal_sides_have_no_error() -> None:
    exact = simulate_ecg(6, fs=100.0, seconds=5.0)
    found = lead_laws(exact, exact)
    assert found.einthoven.value == pytest.approx(0.0, abs=1e-6)
    assert found.correlation_error.value == 0.0


def test_floors_come_from_the_cuts() -> None:
    real, synthetic = made(values(0, n=24)), made(values(1, n=24))
    cuts = real_cuts(real, synthetic.n, seed=3)
    found = lead_laws(real, synthetic, cuts=cuts)
    pairs = np.triu_indices(12, 1)
    naive = [np.abs(correlation(values(0, 24)[a]) - correlation(values(0, 24)[b]))[pairs].mean() for a, b in cuts]
    assert found.correlation_error.floor == pytest.approx(np.mean(naive), abs=1e-6)
    assert found.correlation_error.cuts == found.einthoven.cuts == len(cuts) > 0
    rms = [np.sqrt(np.mean([r**2 for r in residuals(values(0, 24)[b]).values()], axis=(0, 2))) for _, b in cuts]
    assert found.einthoven.floor == pytest.approx(np.mean([np.median(one) for one in rms]), rel=1e-9)
    assert found.einthoven.floor_low <= found.einthoven.floor <= found.einthoven.floor_high


def test_sign_and_order_of_leads_matter() -> None:
    flipped = values(1).copy()
    flipped[:, 2] *= -1
    ideal, wrong = (lead_laws(made(values(0)), made(array)) for array in (values(1), flipped))
    assert wrong.einthoven.value > 5 * ideal.einthoven.value
    assert wrong.correlation_error.value > 1.5 * ideal.correlation_error.value


def test_a_missing_lead_of_a_real_recording_is_left_out() -> None:
    whole = lead_laws(made(values(0)[1:]), made(values(1)))
    for gap in (0.0, np.nan):
        found = lead_laws(changed(0, np.s_[0], gap), made(values(1)))
        assert flat(found) == pytest.approx(flat(whole))
        assert found.correlation_error.value == pytest.approx(whole.correlation_error.value)
    one = lead_laws(changed(0, np.s_[0, 7], np.nan), made(values(1)))  # V2 stands in no law
    assert flat(one) == pytest.approx(flat(lead_laws(made(values(0)), made(values(1)))))


def test_a_missing_lead_of_a_synthetic_recording_never_helps() -> None:
    """Neither its laws nor its correlations: a law without its lead is broken, however well the rest holds."""
    ideal = lead_laws(made(values(0)), made(values(1)))
    for gap in (0.0, np.nan):
        chest = lead_laws(made(values(0)), changed(1, np.s_[:, 8], gap))
        assert chest.einthoven == ideal.einthoven  # V3 stands in no law
        assert chest.correlation_error.value > ideal.correlation_error.value
        some = lead_laws(made(values(0)), changed(1, np.s_[:5, 2], gap))
        rms = np.sqrt(np.mean([r**2 for r in residuals(values(1)).values()], axis=(0, 2)))
        rms[:5] = np.inf
        assert some.einthoven.value == pytest.approx(np.median(rms))
        assert flat(some)[1] > flat(ideal)[1]
        many = lead_laws(made(values(0)), changed(1, np.s_[:7, :6], gap))
        assert many.einthoven.value is None
        assert "Half the synthetic recordings" in many.einthoven.reason
        assert many.einthoven.floor == ideal.einthoven.floor
        assert many.relative["III = II - I"][1] > 1.0


def test_a_pair_of_leads_that_is_missing_is_the_opposite_of_a_perfect_correlation() -> None:
    dead = lead_laws(made(values(0)), made(np.zeros_like(values(1))))
    sizes = np.abs(dead.real[np.triu_indices(12, 1)])
    assert dead.correlation_error.value == pytest.approx(1.0 + sizes.mean(), rel=1e-6)
    assert list(dead.relative.values()) == [(one, pytest.approx(2.0)) for one, _ in dead.relative.values()]
    inverted, gone = values(0).copy(), values(0).copy()
    inverted[:, 11] *= -1.0
    gone[:6, 11] = 0.0  # of half the recordings
    wrong, half = (lead_laws(made(values(0)), made(one)).correlation_error.value for one in (inverted, gone))
    expected = sum(0.5 * (1.0 + abs(one)) for one in correlation(values(0))[11, :11]) / 66
    rest = [abs(correlation(values(0)) - correlation(values(0)[6:]))[11, at] for at in range(11)]
    assert half == pytest.approx(expected + 0.5 * sum(rest) / 66, rel=1e-5)
    every = lead_laws(made(values(0)), changed(0, np.s_[:, 11], 0.0)).correlation_error.value
    assert every > wrong


def test_a_lead_that_no_real_recording_has_has_no_numbers() -> None:
    found = lead_laws(changed(0, np.s_[:, 0], 0.0), made(values(1)))
    assert found.residuals == {}
    assert found.einthoven.value is None
    assert "I: missing in every real recording" in found.einthoven.reason
    assert np.isnan(found.real[0]).all()
    assert np.isnan(found.synthetic[:, 0]).all()
    assert found.correlation_error.value is not None
    rest = lead_laws(changed(0, np.s_[:, 2], 0.0), made(values(1)))
    assert list(rest.residuals) == LAWS[1:]


def test_fewer_leads_say_what_is_needed() -> None:
    eight = [made(values(at)[:, [0, 1, 6, 7, 8, 9, 10, 11]], LEADS_8) for at in (0, 1)]
    found = lead_laws(*eight)
    assert found.residuals == {}
    assert "I, II and one of III" in found.einthoven.reason
    assert found.correlation_error.value is not None
    alone = lead_laws(*(side.select_leads(["II"]) for side in eight))
    assert alone.correlation_error.value is None
    assert "One lead alone" in alone.correlation_error.reason
    three = lead_laws(*(made(values(at)[:, :3], LEADS_12[:3]) for at in (0, 1)))
    assert list(three.residuals) == LAWS[:1]
    with pytest.raises(InputError, match="select_leads"):
        lead_laws(eight[0], made(values(1)))


def test_integers_and_units_give_the_same_numbers() -> None:
    counts = [np.rint(1000 * values(at)).astype(np.int16) for at in (0, 1)]
    floats = lead_laws(*(made(0.001 * one) for one in counts))
    found = lead_laws(*(Recordings.from_array(one, fs=100.0, units="uV", leads=LEADS_12) for one in counts))
    assert flat(found) == pytest.approx(flat(floats))
    assert found.correlation_error.value == pytest.approx(floats.correlation_error.value)


def test_the_interval_of_a_median_is_that_of_the_tables() -> None:
    ordered = np.arange(1.0, 51.0)
    assert median_interval(np.random.default_rng(0).permutation(ordered)) == (18.0, 33.0)  # published for n = 50
    assert median_interval(ordered[:10]) == (2.0, 9.0)
    assert median_interval(ordered[:5]) == (None, None)


@pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")
def test_recorded_leads_follow_up_to_rounding_and_generated_ones_exactly() -> None:
    order = ("I", "II", "V1", "V2", "V3", "V4", "V5", "V6", "III", "aVR", "aVL", "aVF")
    sides = [made(np.load(DATA / name), order) for name in ("ptbxl_real_22.npy", "sssd_synthetic_22.npy")]
    found = lead_laws(*sides, cuts=real_cuts(sides[0], 22, seed=0))
    assert found.einthoven.value < 1e-6
    assert found.einthoven.floor == pytest.approx(0.0005, rel=0.05)
    assert found.correlation_error.floor_low < found.correlation_error.value < found.correlation_error.floor_high
