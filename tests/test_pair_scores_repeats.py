"""Repeat sampling: the scores of a pair over many sets of one generator."""

from __future__ import annotations

import numpy as np
import pytest

import truegrade as tg
from test_earth_movers import energy_pair
from truegrade.density import grade_pair
from truegrade.errors import InputError
from truegrade.metrics.earth_movers import earth_movers
from truegrade.samplers import GaussianCopula


class Normal:
    def __init__(self, scale=1.0):
        self.scale = scale

    def sample(self, n, rng):
        return self.scale * rng.normal(size=(n, 2))


@pytest.fixture(scope="module")
def real():
    return np.random.default_rng(0).normal(size=(150, 2))


def test_energy_pair_against_its_copula_as_published():
    """Table 2 and Figure 3a of the paper (.605, .870, .658, .162), and METRICS: mean and sd over many draws."""
    real = energy_pair()
    found = tg.repeat_pair_scores(real, GaussianCopula(real), repeats=60)
    published = {
        "earth_movers_score": (0.603, 0.006),
        "jaccard_score": (0.874, 0.010),
        "kl_score": (0.658, 0.014),
        "eden_score": (0.163, 0.014),
    }
    for key, (mean, sd) in published.items():
        assert found[key].mean == pytest.approx(mean, abs=4 * sd / 60**0.5), key
        assert 0.6 * sd < found[key].sd < 1.6 * sd, key
    assert found["js_score"].mean == pytest.approx(0.896, abs=0.004)
    assert found["cs_score"].mean == pytest.approx(0.797, abs=0.008)


def test_values_are_those_of_one_set_at_a_time(real):
    """The grid is laid out once for all sets: the same up to what the kernels' tilt is off."""
    found = tg.repeat_pair_scores(real, Normal(1.2), repeats=12, seed=5)
    for i in range(12):
        points = Normal(1.2).sample(150, np.random.default_rng([5, i]))
        for key, value in grade_pair(real, points).values.items():
            assert found[key].values[i] == pytest.approx(value, abs=0.03), key
        assert found["earth_movers_score"].values[i] == pytest.approx(earth_movers(real, points).score, rel=1e-12)


def test_it_is_reproducible_and_a_seed_changes_it(real):
    first, again, other = (tg.repeat_pair_scores(real, Normal(), repeats=6, seed=s) for s in (1, 1, 2))
    for key, one in first.items():
        assert np.array_equal(one.values, again[key].values)
        assert not np.array_equal(one.values, other[key].values)
        assert one.sizes == (150,) * 6
        quantiles = np.quantile(one.values, [0.05, 0.25, 0.5, 0.75, 0.95])
        assert [one.p05, one.q25, one.median, one.q75, one.p95] == pytest.approx(quantiles)


def test_a_pool_is_cut_into_disjoint_sets_or_drawn_from(real):
    pool = np.random.default_rng(1).normal(size=(1000, 2))
    disjoint = tg.repeat_pair_scores(real, pool, repeats=6)
    assert "6 disjoint sets of 150 from 1,000" in disjoint["eden_score"].how
    drawn = tg.repeat_pair_scores(real, pool, repeats=8, size=300)
    assert "share points" in drawn["eden_score"].how
    assert drawn["eden_score"].sizes == (300,) * 8
    with pytest.raises(InputError, match="150 points"):
        tg.repeat_pair_scores(real, pool[:150], repeats=6)


def test_the_earth_mover_of_some_sets_says_so(real, monkeypatch):
    monkeypatch.setattr("truegrade.pair_sampling._TRANSPORTS", 0)
    found = tg.repeat_pair_scores(real, Normal(), repeats=40)
    moved = found["earth_movers_score"]
    assert np.isfinite(moved.values).sum() == 20
    assert np.isfinite(moved.values[[0, -1]]).all()
    assert "earth mover's distance of 20 of them" in moved.how
    assert "of 20" not in found["eden_score"].how
    assert moved.mean == pytest.approx(np.nanmean(moved.values))


def test_the_real_density_is_computed_once(real, monkeypatch):
    import truegrade.density as density

    calls = []
    monkeypatch.setattr(density, "densities", lambda *a, f=density.densities: calls.append(a[2].n) or f(*a))
    tg.repeat_pair_scores(real, Normal(), repeats=5, size=120)
    assert calls == [150, *[120] * 5]


def test_sets_without_a_density_have_no_scores_and_a_real_set_without_one_is_refused(real):
    class Sometimes(Normal):
        calls = 0

        def sample(self, n, rng):
            self.calls += 1
            points = super().sample(n, rng)
            return points if self.calls % 2 else np.c_[np.ones(n), points[:, 1]]

    found = tg.repeat_pair_scores(real, Sometimes(), repeats=6)
    for one in found.values():
        assert np.isnan(one.values).tolist() == [False, True] * 3
    with pytest.raises(InputError, match="first column"):
        tg.repeat_pair_scores(np.c_[np.ones(50), np.arange(50.0)], Normal(), repeats=3)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"repeats": 1}, "repeats=1"),
        ({"repeats": 4, "size": 2}, "size=2"),
        ({"repeats": 4, "levels": 1}, "levels=1"),
    ],
)
def test_impossible_options_are_refused(real, options, said):
    with pytest.raises(InputError, match=said):
        tg.repeat_pair_scores(real, Normal(), **options)


def test_what_a_sampler_gives_is_checked(real):
    class Wrong:
        def sample(self, n, rng):
            return np.full((n, 3), np.nan)

    with pytest.raises(InputError, match=r"\(150, 3\)"):
        tg.repeat_pair_scores(real, Wrong(), repeats=3)
