"""The earth mover's distance in the plane: exact against linear programs, cells against exact, its error."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from oracles.transport import wasserstein_program
from truegrade.density.flow import move, whole_masses
from truegrade.metrics import earth_movers as module
from truegrade.metrics.earth_movers import (
    common_cells,
    earth_movers,
    earth_movers_ceiling,
    earth_movers_distance,
    earth_movers_of_cells,
)


def program(costs, supply, demand):
    """The linear program over all plans."""
    a, b = costs.shape
    margins = np.vstack([np.kron(np.eye(a), np.ones(b)), np.kron(np.ones(a), np.eye(b))])
    masses = np.concatenate([supply, demand])
    return linprog(costs.ravel(), A_eq=margins, b_eq=masses, bounds=(0, None), method="highs").fun


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 7), (6, 1), (5, 9), (12, 12), (30, 17)])
def test_flow_is_the_optimum_with_its_proof(a, b):
    rng = np.random.default_rng(a * 100 + b)
    costs = rng.integers(0, 6, (a, b)).astype(float)  # ties everywhere
    supply = rng.multinomial(200, np.full(a, 1 / a)) + 1
    demand = rng.multinomial(200 + a - b, np.full(b, 1 / b)) + 1
    found = move(costs, supply, demand)
    assert found.cost == pytest.approx(program(costs, supply, demand), abs=1e-9)
    assert (found.real[:, None] + found.synthetic <= costs + 1e-12).all()
    assert (found.amounts >= 0).all()
    assert np.bincount(found.sources, found.amounts, a).tolist() == supply.tolist()
    assert np.bincount(found.sinks, found.amounts, b).tolist() == demand.tolist()
    assert float(costs[found.sources, found.sinks] @ found.amounts) == pytest.approx(found.cost, abs=1e-9)


def test_whole_masses_add_up():
    weights = np.random.default_rng(0).random(99)
    whole = whole_masses(weights)
    assert whole.sum() == 1 << 40
    assert whole / 2**40 == pytest.approx(weights / weights.sum(), abs=2.0**-39)


@pytest.mark.parametrize(("n", "m"), [(6, 6), (7, 12), (20, 13)])
def test_distance_is_that_of_the_program_on_standardised_sets(n, m):
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(n, 2)) * [1.0, 50.0], rng.normal(size=(m, 2)) * [1.2, 40.0] + [0.3, 1.0]
    scale = x.std(0, ddof=1)
    expected = wasserstein_program(x / scale, y / scale, 1)
    assert earth_movers(x, y).distance == pytest.approx(expected, rel=1e-9)
    assert earth_movers_distance(x, y) == pytest.approx(expected, rel=1e-9)


def test_repeated_points_and_common_points():
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 4, (40, 2)).astype(float), rng.integers(0, 4, (25, 2)).astype(float)
    scale = x.std(0, ddof=1)
    assert earth_movers(x, y).distance == pytest.approx(wasserstein_program(x / scale, y / scale, 1), rel=1e-9)
    assert earth_movers(x, np.concatenate([x, x])[::-1]).distance == 0.0
    assert earth_movers(x, x + np.array([scale[0], 0.0])).distance == pytest.approx(1.0, rel=1e-12)


def test_energy_pair_as_published():
    """Energy Efficiency X2/X3 against its Gaussian copula: .603 +- .006 (the paper's figure: .605)."""
    from truegrade.samplers import GaussianCopula

    real = energy_pair()
    sampler = GaussianCopula(real)
    draws = [np.asarray(sampler.sample(768, np.random.default_rng(i))) for i in range(30)]
    scores = [np.exp(-earth_movers_distance(real, q)) for q in draws]
    assert np.mean(scores) == pytest.approx(0.603, abs=0.004)
    assert 0.004 < np.std(scores) < 0.0095


def energy_pair():
    first = 514.5 + np.array([0, 49, 73.5, 98, 122.5, 147, 171.5, 196, 220.5, 245, 269.5, 294])
    second = 294 + 24.5 * np.array([0, 1, 0, 1, 2, 5, -2, -1, 0, 1, 2, 3])
    return np.repeat(np.stack([first, second], axis=1), 64, axis=0)


def shapes(n):
    rng = np.random.default_rng(5)
    turn = rng.uniform(0, 2 * np.pi, (2, n))
    ring = np.stack([np.cos(turn[0]), np.sin(turn[0])], axis=1) + 0.05 * rng.normal(size=(n, 2))
    normal = rng.normal(size=(2, n, 2))
    return {
        "one law": (normal[0], normal[1]),
        "shifted": (normal[0], normal[1] + 0.3),
        "wider": (normal[0], 1.2 * normal[1]),
        "ring, shuffled": (ring, np.stack([ring[:, 0], rng.permutation(ring[:, 1])], axis=1)),
        "heavy tails": (rng.standard_t(2.5, (n, 2)), rng.standard_t(2.5, (n, 2))),
    }


@pytest.mark.parametrize("name", list(shapes(10)))
def test_cells_are_close_to_exact_and_never_far_too_high(name):
    """1,000 points in 256 cells: .025 too low at most where both sets are of one law, .01 where they differ."""
    x, y = shapes(1000)[name]
    exact, gathered = earth_movers(x, y), earth_movers(x, y, most=0, cells=256)
    assert exact.cells is None
    assert max(gathered.cells) <= 256
    off = gathered.score - exact.score
    assert -0.025 < off < 0.002
    if name in ("shifted", "ring, shuffled"):
        assert off > -0.01
    repeated = earth_movers(x, y, most=0, cells=256)
    assert repeated.distance == gathered.distance


def test_as_many_cells_as_points_are_exact():
    x, y = shapes(60)["wider"]
    assert common_cells(x, y, 500).max() == 119
    assert earth_movers(x, y, most=0, cells=500).distance == pytest.approx(earth_movers(x, y).distance, rel=1e-9)


def test_cells_of_histograms():
    x, y = shapes(80)["wider"]
    ones = np.ones(80)
    centre, scale = x.mean(0), x.std(0, ddof=1)
    exact = earth_movers(x, y).score
    assert earth_movers_of_cells(x, ones, y, ones, centre=centre, scale=scale) == pytest.approx(exact, rel=1e-9)
    places, at = np.unique(np.round(x, 1), axis=0, return_inverse=True)
    counts = np.bincount(at)
    rows = places[at]
    mine = earth_movers_of_cells(places, counts, y, 0.5 * ones)
    spread = rows.std(0, ddof=0)
    assert mine == pytest.approx(np.exp(-wasserstein_program(rows / spread, y / spread, 1)), rel=1e-8)
    empty = np.append(ones, 0.0)  # cells without points say nothing
    with_empty = earth_movers_of_cells(np.vstack([x, [9.0, 9.0]]), empty, y, ones, centre=centre, scale=scale)
    assert with_empty == pytest.approx(exact, rel=1e-9)


def test_parts_are_what_a_sample_adds():
    """Against the change when one row is counted a little more: the derivative in its weight."""
    x, y = shapes(14)["wider"]
    y = y[:13]  # sizes without a common factor, where the best prices are the only ones
    found = earth_movers(x, y)
    small = 1e-5

    def distance(real_weights, synthetic_weights):
        w = real_weights / real_weights.sum()
        centre = w @ x
        variance = w @ (x - centre) ** 2 * len(x) / (len(x) - 1)
        score = earth_movers_of_cells(x, w, y, synthetic_weights, centre=centre, scale=np.sqrt(variance))
        return -np.log(score)

    for side, n in (("real", 14), ("synthetic", 13)):
        for row in range(n):
            weights = {"real": np.ones(14), "synthetic": np.ones(13)}
            weights[side][row] += small
            slope = (distance(weights["real"], weights["synthetic"]) - found.distance) / small * n
            assert slope == pytest.approx(found.parts[side][row], abs=1e-3)


@pytest.mark.parametrize(("n", "m"), [(200, 200), (200, 500)])
def test_ceiling_is_what_fresh_samples_of_the_law_get(n, m):
    rng = np.random.default_rng(3)
    fresh = [np.exp(-earth_movers_distance(rng.normal(size=(n, 2)), rng.normal(size=(m, 2)))) for _ in range(40)]
    found = [earth_movers_ceiling(rng.normal(size=(n, 2)), m, seed=0).mean() for _ in range(12)]
    assert np.mean(found) == pytest.approx(np.mean(fresh), abs=0.012)


def test_large_sets_are_gathered():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2100, 2)), rng.normal(size=(2100, 2))
    found = earth_movers(x, y, cells=128)
    assert module.MOST < 2100**2
    assert found.cells is not None
    assert found.parts["real"].shape == (2100,)
    assert abs(found.parts["real"].mean()) < 1e-12
