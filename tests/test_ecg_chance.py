"""P-values of random relabellings: uniform under one law, small under two, the same as by plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from truegrade.ecg import chance
from truegrade.ecg.differences import by_lead, differences
from truegrade.recordings import Recordings
from truegrade.samplers.ecg import simulate_ecg


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chance, "RELABELLINGS", 99)


def statistics(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """The cube root of the energy distance, and by how much more the first scatters."""

    def apart(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.array([[np.sqrt(((p - q) ** 2).sum()) for q in b] for p in a])

    def scatter(a: np.ndarray) -> float:
        return float(np.sqrt(apart(a, a)).sum() / (len(a) * (len(a) - 1)))

    energy = 2.0 * apart(x, y).mean() - apart(x, x).mean() - apart(y, y).mean()
    return float(np.cbrt(max(0.0, energy))), scatter(x) - scatter(y)


def test_p_is_corrected_for_the_largest_of_all_keys_and_both_statistics(monkeypatch: pytest.MonkeyPatch) -> None:
    """By plain loops over the relabellings; one key has vectors of some recordings alone."""
    monkeypatch.setattr(chance, "RELABELLINGS", 59)
    rng = np.random.default_rng(0)
    n, m = 7, 9
    full, part = rng.normal(size=(16, 3)), np.delete(np.arange(16), [1, 4])
    full[n:] += 0.7
    vectors = {"a": chance.Pooled(full, np.arange(16)), "b": chance.Pooled(rng.normal(size=(14, 2)), part)}
    order = np.random.default_rng(5).random((60, 16))
    order[0] = np.arange(16)
    standing = {}
    for key, one in vectors.items():
        real = int((one.rows < n).sum())
        found = []
        for keys in order[:, one.rows]:
            mine = np.isin(np.arange(len(one.rows)), np.argsort(keys)[:real])
            found.append(statistics(one.values[mine], one.values[~mine]))
        z = (np.array(found) - np.mean(found, axis=0)) / np.std(found, axis=0)
        standing[key] = np.maximum(z[:, 0], np.abs(z[:, 1]))
    largest = np.maximum(standing["a"], standing["b"])
    expected = {key: float(np.mean(largest >= one[0] - 1e-9)) for key, one in standing.items()}
    assert chance.corrected_p(vectors, n, m, seed=5) == expected
    assert min(expected.values()) < 0.2
    assert "few" not in chance.corrected_p({"few": chance.Pooled(full[3:], np.arange(3, 16))}, n, m, seed=0)


def gap(x: np.ndarray, y: np.ndarray) -> float:
    """A failed measurement lies above all values."""
    x, y = (np.where(np.isnan(side), 1e9, side) for side in (x, y))
    return max(abs(float((x <= at).mean() - (y <= at).mean())) for at in np.concatenate([x, y]))


@pytest.mark.usefixtures("few")
def test_gap_p_is_the_share_of_relabellings_that_reach_it() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 4, 8).astype(float), rng.integers(1, 5, 6).astype(float)
    x[0], y[:3] = np.nan, np.nan
    labels = chance._relabelled(8, 6, np.random.default_rng(2)).astype(bool)
    pooled = np.concatenate([x, y])
    found = [gap(pooled[one], pooled[~one]) for one in labels]
    assert chance.gap_p(x, y, seed=2) == sum(value >= found[0] - 1e-12 for value in found) / 100


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("rule", ["leads", "gap"])
def test_one_law_is_below_a_tenth_in_a_tenth_of_the_cases(rule: str) -> None:
    """200 cases: the standard error of a share of .1 is .021. Of three leads and all together, the least p."""
    rng = np.random.default_rng(3)
    found = []
    for seed in range(200):
        sides = rng.normal(size=(27, 3)) ** 3
        if rule == "leads":
            keys = {
                at: chance.Pooled(sides[:, part], np.arange(27)) for at, part in enumerate(([0], [1], [2], [0, 1, 2]))
            }
            p = min(chance.corrected_p(keys, 15, 12, seed=seed).values())
        else:
            known = chance.gap_p(sides[:15, 0], sides[15:, 0], seed=seed)
            assert known is not None
            p = known
        found.append(p)
    assert abs(np.mean(np.array(found) <= 0.1) - 0.1) < 0.065
    assert min(found) >= 0.01


def test_two_laws_are_told_apart_and_few_are_not_judged() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=300), rng.normal(size=250) + 1.0
    assert chance.gap_p(x, y, seed=0) == 0.001
    assert chance.gap_p(np.ones(20), np.full(20, np.nan), seed=0) == 0.001  # what fails always differs
    assert chance.gap_p(np.ones(20), np.ones(20), seed=0) == 1.0
    assert chance.gap_p(x, y[:4], seed=0) is None


def test_any_number_of_leads_can_be_off_and_too_little_spread_is_seen() -> None:
    """60 leads of which one is shifted, and one spread by half around the same centre."""
    rng = np.random.default_rng(6)
    values = rng.normal(size=(60, 60, 2))
    values[30:, 0] += 2.0
    values[30:, 1] *= 0.4
    keys = {at: chance.Pooled(values[:, at], np.arange(60)) for at in range(60)}
    found = chance.corrected_p(keys, 30, 30, seed=0)
    assert found[0] == 0.001
    assert found[1] < 0.01
    assert min(p for at, p in found.items() if at > 1) > 0.05
    same = chance.corrected_p({"": chance.Pooled(np.ones((29, 3)), np.arange(29))}, 20, 9, seed=0)
    assert same == {"": 1.0}


def test_one_recording_of_each_patient() -> None:
    values = np.random.default_rng(0).normal(size=(5, 2, 40))
    whose = Recordings.from_array(values, leads=("I", "II"), patients=["a", "b", "a", "c", "b"])
    assert chance.independent(whose).tolist() == [True, True, False, True, False]
    assert chance.independent(Recordings.from_array(values, leads=("I", "II"))).all()


def test_leads_are_scaled_by_both_sides_and_real_ones_without_a_signal_left_out() -> None:
    """Ideal sides of many leads, of which few real recordings have one: nothing differs by more than chance."""
    real, other = (simulate_ecg(16, fs=100.0, seconds=3.0, seed=seed, leads=("II", "V2")) for seed in (1, 2))
    values = real.values.copy()
    values[:9, 1] = 0.0
    odd = Recordings.from_array(values, fs=100.0, units="mV", leads=real.leads)
    found = differences(odd, other, ("descriptors", "beats"), seed=0)
    assert set(found) == {(which, lead) for which in ("descriptors", "beats") for lead in ("II", "V2", "")}
    assert min(found.values()) > 0.05
    swapped = differences(other, real.select_leads(("II",)), ("descriptors",), seed=0)
    assert swapped["descriptors", "V2"] == 0.001  # a lead that no synthetic recording has is a flat line
    assert by_lead(swapped, "descriptors")["II"] > 0.05
