"""P-values of random relabellings: uniform under one law, small under two, the same as by plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from truegrade.ecg import chance
from truegrade.recordings import Recordings


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chance, "RELABELLINGS", 99)


def energy(x: np.ndarray, y: np.ndarray) -> float:
    def mean(a: np.ndarray, b: np.ndarray) -> float:
        return float(np.mean([[np.sqrt(((p - q) ** 2).sum()) for q in b] for p in a]))

    return 2.0 * mean(x, y) - mean(x, x) - mean(y, y)


def gap(x: np.ndarray, y: np.ndarray) -> float:
    """A failed measurement lies above all values."""
    x, y = (np.where(np.isnan(side), 1e9, side) for side in (x, y))
    return max(abs(float((x <= at).mean() - (y <= at).mean())) for at in np.concatenate([x, y]))


@pytest.mark.usefixtures("few")
def test_energy_p_is_the_share_of_relabellings_that_reach_it() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(7, 3)), rng.normal(size=(9, 3)) + 0.4
    labels = chance._relabelled(7, 9, np.random.default_rng(5)).astype(bool)
    assert (labels[:1] == ([True] * 7 + [False] * 9)).all()
    assert (labels.sum(axis=1) == 7).all()
    pooled = np.concatenate([x, y])
    found = [energy(pooled[one], pooled[~one]) for one in labels]
    assert chance.energy_p(x, y, seed=5) == sum(value >= found[0] - 1e-12 for value in found) / 100


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
@pytest.mark.parametrize("rule", ["energy", "gap"])
def test_one_law_is_below_a_tenth_in_a_tenth_of_the_cases(rule: str) -> None:
    """200 cases: the standard error of a share of .1 is .021."""
    rng = np.random.default_rng(3)
    found = []
    for seed in range(200):
        x, y = rng.normal(size=(15, 2)), rng.normal(size=(12, 2))
        p = chance.energy_p(x, y, seed=seed) if rule == "energy" else chance.gap_p(x[:, 0], y[:, 0], seed=seed)
        assert p is not None
        found.append(p)
    assert abs(np.mean(np.array(found) <= 0.1) - 0.1) < 0.065
    assert min(found) >= 0.01


def test_two_laws_are_told_apart_and_few_are_not_judged() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(300, 2)), rng.normal(size=(250, 2)) + 1.0
    assert chance.energy_p(x, y, seed=0) == chance.gap_p(x[:, 0], y[:, 0], seed=0) == 0.001
    assert chance.gap_p(np.ones(20), np.full(20, np.nan), seed=0) == 0.001  # what fails always differs
    assert chance.gap_p(np.ones(20), np.ones(20), seed=0) == 1.0
    assert chance.energy_p(np.ones((20, 3)), np.ones((9, 3)), seed=0) == 1.0
    assert chance.energy_p(x[:4], y, seed=0) is None
    assert chance.gap_p(x[:, 0], y[:4, 0], seed=0) is None


def test_one_recording_of_each_patient() -> None:
    values = np.random.default_rng(0).normal(size=(5, 2, 40))
    whose = Recordings.from_array(values, leads=("I", "II"), patients=["a", "b", "a", "c", "b"])
    assert chance.independent(whose).tolist() == [True, True, False, True, False]
    assert chance.independent(Recordings.from_array(values, leads=("I", "II"))).all()
