"""Sliced Wasserstein distance: the definition, closed forms, POT, errors."""

from __future__ import annotations

import numpy as np
import pytest

from grading import grade
from oracles import transport as oracle
from truegrade.errors import InputError
from truegrade.metrics import sliced
from truegrade.metrics.line import merge, transport_lines
from truegrade.metrics.sliced import SlicedWasserstein, directions
from truegrade.samples import Samples


def pair(n, m, d, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=(m, d)) * 1.3 + 0.3


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize(("n", "m", "d"), [(2, 2, 1), (20, 20, 3), (12, 18, 4), (7, 15, 2), (2, 9, 1)])
def test_equal_to_the_definition(p, n, m, d):
    X, Y = pair(n, m, d)
    score = grade(SlicedWasserstein(p, projections=40), X, Y)
    assert score.value == pytest.approx(oracle.sliced(X, Y, p, directions(40, d, 0)), rel=1e-10)
    for side in ("real", "synthetic"):
        assert score.per_sample[side].mean() == pytest.approx(score.value**p, rel=1e-10)


def test_a_shift_costs_what_each_direction_sees_of_it():
    X = np.random.default_rng(1).normal(size=(50, 6))
    v = np.array([1.0, 2.0, 0.0, -1.0, 0.5, 3.0])
    seen = np.mean((directions(1000, 6, 0) @ v) ** 2)
    score = grade(SlicedWasserstein(), X, X + v)
    assert score.value**2 == pytest.approx(seen, rel=1e-10)
    error = score.details["projection_error"] * 2 * score.value
    assert abs(score.value**2 - v @ v / 6) < 4 * error  # in expectation |v|^2 / d
    assert error == pytest.approx(np.std((directions(1000, 6, 0) @ v) ** 2, ddof=1) / np.sqrt(1000), rel=1e-9)


def test_gaussians_of_different_width():
    rng = np.random.default_rng(2)
    X, Y = rng.normal(size=(20000, 3)), 1.5 * rng.normal(size=(20000, 3))
    score = grade(SlicedWasserstein(projections=50), X, Y)  # W_2 of N(0, 1) and N(0, s^2) is |s - 1|
    assert score.value == pytest.approx(0.5, rel=0.03)


def test_against_pot():
    ot = pytest.importorskip("ot")
    X, Y = pair(60, 85, 5)
    expected = ot.sliced_wasserstein_distance(X, Y, projections=directions(1000, 5, 3).T, p=2)
    assert grade(SlicedWasserstein(seed=3), X, Y).value == pytest.approx(float(expected), rel=1e-9)


@pytest.mark.parametrize("kept", [1400, 10])
def test_blocks_change_nothing(monkeypatch, kept):
    X, Y = pair(40, 30, 4)
    whole = grade(SlicedWasserstein(projections=101), X, Y)
    monkeypatch.setattr(sliced, "_KEPT", kept)
    monkeypatch.setattr(sliced, "_NUMBERS", 490)
    parts = grade(SlicedWasserstein(projections=101), X, Y)
    assert parts.value == pytest.approx(whole.value, rel=1e-12)
    assert parts.per_sample["real"] == pytest.approx(whole.per_sample["real"], rel=1e-9)


def test_the_samples_are_read_once_for_many_directions(monkeypatch):
    """2,000 samples and 500 directions are 1,000,000 coordinates: no more than one reading is needed."""
    sets = [Samples.from_array(a) for a in pair(1000, 1000, 3)]
    reads, plain = [], Samples.blocks

    def counted(self, *size):
        reads.append(self)
        return plain(self, *size)

    monkeypatch.setattr(Samples, "blocks", counted)
    monkeypatch.setattr(sliced, "_NUMBERS", 100_000)
    found = sliced.slices(*sets, p=2, projections=500, seed=0)
    assert len(found.cost) == 500
    assert reads == sets


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize(("n", "m"), [(30, 30), (12, 18), (7, 20)])
def test_potentials_prove_the_optimum_on_a_line(p, n, m):
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=n), rng.normal(size=m) + 0.2
    found = transport_lines(x[None], y[None], p, merge(n, m))
    slack = np.abs(x[:, None] - y) ** p - found.real_potential[:, None] - found.synthetic_potential
    assert found.cost[0] == pytest.approx(oracle.on_a_line(x, y, p), rel=1e-12)
    assert found.cost[0] == pytest.approx(slack.min(), rel=1e-10)  # both potentials have mean 0


@pytest.mark.parametrize("scale", [1e32, 1e-30])
def test_huge_and_tiny_entries(scale):
    X, Y = pair(40, 33, 3)
    plain = grade(SlicedWasserstein(), X, Y).value
    assert grade(SlicedWasserstein(), X * scale, Y * scale).value == pytest.approx(plain * scale, rel=1e-9)


def test_an_offset_costs_no_digits_and_equal_sets_nothing():
    X, Y = (np.round(a * 4096) / 4096 for a in pair(50, 40, 6))
    plain = grade(SlicedWasserstein(), X, Y).value
    assert grade(SlicedWasserstein(), X + 1e6, Y + 1e6).value == pytest.approx(plain, rel=1e-8)
    order = np.random.default_rng(5).permutation(50)
    assert grade(SlicedWasserstein(), X, X[order]).value < 1e-14


@pytest.mark.parametrize("shift", [0.0, 0.7])
def test_error_is_the_scatter_of_repeats_and_not_too_small(shift):
    rng = np.random.default_rng(6)
    values, errors = [], []
    for _ in range(200):
        score = grade(SlicedWasserstein(projections=30), rng.normal(size=(40, 3)), rng.normal(size=(35, 3)) + shift)
        values.append(score.value)
        errors.append(np.sqrt(sum(p.var(ddof=1) / len(p) for p in score.influence.parts.values())))
    ratio = np.sqrt(np.mean(np.square(errors))) / np.std(values)
    assert 0.85 < ratio < (1.2 if shift else 3.0)


@pytest.mark.parametrize("wrong", [{"p": 3}, {"projections": 1}, {"seed": -1}])
def test_impossible_parameters_are_refused(wrong):
    with pytest.raises(InputError, match="given"):
        SlicedWasserstein(**wrong)
