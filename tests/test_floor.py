"""Real against real: which samples, which sizes, what is carried over."""

from __future__ import annotations

import numpy as np
import pytest

import truegrade as tg
from truegrade.metrics import Authenticity, FrechetDistance, Precision
from truegrade.samples import Samples
from truegrade.uncertainty.floors import FloorPlan, alone, plan_floor, reference


def samples(n: int, seed: int, d: int = 4) -> Samples:
    return Samples.from_array(np.random.default_rng(seed).normal(size=(n, d)), name=f"set {seed}")


def planned(n: int, m: int, holdout: int | None = None, copies: bool = False) -> FloorPlan:
    fresh = None if holdout is None else samples(holdout, 1)
    plan = plan_floor(samples(n, 0), m, fresh, seed=0, copies=copies)
    assert isinstance(plan, FloorPlan)
    return plan


@pytest.mark.parametrize(
    ("n", "m", "holdout", "sizes"),
    [
        (200, 200, None, (100, 100)),
        (200, 100, None, (133, 67)),
        (300, 150, None, (200, 100)),
        (200, 20_000, None, (40, 160)),
        (200, 100, 100, (200, 100)),
        (200, 100, 500, (200, 100)),
        (200, 100, 50, (100, 50)),
    ],
)
def test_sizes_keep_their_proportion(n: int, m: int, holdout: int | None, sizes: tuple[int, int]) -> None:
    plan = planned(n, m, holdout)
    assert plan.sizes == sizes
    assert plan.exact == (sizes == (n, m))
    assert [note.code for note in plan.notices()] == ([] if holdout else ["halves"])


def test_halves_are_disjoint_and_seeded() -> None:
    real = samples(101, 0)
    plan, again = (plan_floor(real, 101, None, seed=3) for _ in range(2))
    assert isinstance(plan, FloorPlan)
    assert isinstance(again, FloorPlan)
    first, second = (plan.sides[side].array() for side in ("real", "synthetic"))
    assert len(np.unique(np.concatenate([first, second]), axis=0)) == len(first) + len(second)
    assert plan.sides["real"].fingerprint == again.sides["real"].fingerprint
    other = plan_floor(real, 101, None, seed=4)
    assert isinstance(other, FloorPlan)
    assert plan.sides["real"].fingerprint != other.sides["real"].fingerprint


def test_copy_checks_get_two_disjoint_parts_of_the_holdout() -> None:
    plan = planned(200, 100, 150, copies=True)
    fresh, held = plan.sides["synthetic"].array(), plan.sides["holdout"].array()
    assert (len(fresh), len(held)) == (75, 75)
    assert len(np.unique(np.concatenate([fresh, held]), axis=0)) == 150
    assert "hold-out" in str(plan_floor(samples(200, 0), 100, None, seed=0, copies=True))


def test_too_few_samples_give_a_reason() -> None:
    assert "fewer than 10" in str(plan_floor(samples(15, 0), 15, None, seed=0))


def test_a_biased_metric_is_carried_to_the_asked_sizes() -> None:
    plan = planned(400, 400)
    floor = reference(FrechetDistance(), 3.0, plan)
    assert floor.scaled
    assert floor.value == pytest.approx(3.0 * (1 / 400 + 1 / 400) / (1 / 200 + 1 / 200))
    assert "carried to 400 against 400 by the factor 0.5" in floor.note
    plain = reference(Precision(), 0.9, plan)
    assert (plain.value, plain.scaled, plain.n, plain.m) == (0.9, False, 200, 200)
    assert not reference(FrechetDistance(), 3.0, planned(200, 100, 100)).scaled


def test_a_carried_floor_is_near_the_true_one() -> None:
    """The Fréchet distance of two samples of one law, 300 against 300, from halves of one sample of 300."""
    rng = np.random.default_rng(5)
    draw = lambda: rng.normal(size=(300, 6))  # noqa: E731
    carried, truth = [], []
    for _ in range(12):
        score = tg.metrics.FrechetDistance()(draw(), draw(), intervals=False)
        assert score.floor is not None
        assert score.value is not None
        carried.append(score.floor.value)
        truth.append(score.value)
    assert np.mean(carried) == pytest.approx(np.mean(truth), rel=0.25)


def test_floor_of_authenticity_needs_no_second_holdout() -> None:
    assert alone(Authenticity(holdout=True)) == Authenticity()
    assert alone(Precision()) == Precision()


def test_floors_of_few_samples_a_feature_are_carried_between_proportion_and_parabola() -> None:
    """b u - c u^2 through both values, in u = 1/n + 1/m; in proportion where the smaller set has twice the value."""
    plan = planned(400, 400)
    b, c, half = 5.0, 30.0, 1 / 200 + 1 / 200
    law = lambda u: b * u - c * u * u  # noqa: E731
    floor = reference(FrechetDistance(), law(half), plan, at_half=law(2 * half))
    assert floor.value == pytest.approx((law(half / 2) + law(half) / 2) / 2)
    assert reference(FrechetDistance(), 3.0, plan, error=0.4, at_half=6.0).value == pytest.approx(1.5)
    assert reference(FrechetDistance(), 3.0, plan, error=0.4).error == pytest.approx(0.2)


def test_the_floor_of_many_features_is_near_the_true_one() -> None:
    """Eigenvalues that fall like those of images, more features than samples in the halves."""
    rng, scale = np.random.default_rng(6), np.arange(1, 121) ** -0.35
    draw = lambda: scale * rng.normal(size=(160, 120))  # noqa: E731
    scores = [tg.metrics.FrechetDistance()(draw(), draw(), intervals=False) for _ in range(12)]
    truth = np.mean([s.value for s in scores])
    assert np.mean([s.floor.value for s in scores if s.floor]) == pytest.approx(truth, rel=0.03)
    assert np.mean([s.floor.n for s in scores if s.floor]) == 80


def test_floors_of_distances_know_their_error() -> None:
    rng = np.random.default_rng(7)
    scores = [tg.metrics.EnergyDistance()(*rng.normal(size=(2, 80, 3)), intervals=False) for _ in range(80)]
    errors = [s.floor.error for s in scores[:20] if s.floor]
    scatter = np.std([s.floor.value for s in scores if s.floor])
    assert np.mean(np.square(errors)) ** 0.5 == pytest.approx(scatter, rel=0.3)
