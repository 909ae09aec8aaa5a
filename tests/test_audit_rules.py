"""The pass rules, on curves whose verdict can be seen with the eye."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from truegrade.audit.rules import (
    Flat,
    Mirror,
    Near,
    Separates,
    Within,
    Worsens,
    good_share,
    in_chances,
    rank_correlation,
)
from truegrade.audit.scenario import Axis, Seen
from truegrade.metrics import EnergyDistance, NearestNeighbourTwoSample, Precision

SHARE, DISTANCE, TARGET = Precision.info, EnergyDistance.info, NearestNeighbourTwoSample.info
LEVELS = np.array([0.0, 0.25, 0.5, 1.0])


def seen(values, info=SHARE, levels=LEVELS, reference=0, scatter=0.0, **arms) -> Seen:
    """Curves whose repeats lie `scatter` below, on and above the values."""
    steps = np.array([-scatter, 0.0, scatter])
    curves = {name: np.asarray(line, float)[:, None] + steps for name, line in ({"score": values} | arms).items()}
    return Seen(np.asarray(levels, float), curves, info, reference)


def test_near_measures_the_farthest_mean():
    ruling = Near(good_share, 0.1, "the share")(seen([1.0, 0.75, 0.58, 0.0]))
    assert ruling.passed
    assert ruling.number == pytest.approx(0.08)
    assert ruling.desired == (1.0, 0.75, 0.5, 0.0)
    assert not Near(good_share, 0.07, "the share")(seen([1.0, 0.75, 0.58, 0.0])).passed
    assert Near(good_share, 0.07, "the share", at=(0.0, 1.0))(seen([1.0, 0.75, 0.58, 0.0])).passed


def test_near_takes_the_mean_over_repeats():
    assert Near(good_share, 1e-9, "the share")(seen([1.0, 0.75, 0.5, 0.0], scatter=0.3)).passed


def test_flat_in_the_units_of_a_share_and_in_chances_of_a_distance():
    assert Flat(0.1)(seen([0.9, 0.95, 0.99, 0.81])).passed
    assert not Flat(0.1)(seen([0.9, 0.95, 1.01, 0.9])).passed
    far = seen([1000.0, 1002.0, 1000.0, 1000.0], DISTANCE, scatter=1.0)  # its standard deviation is 1
    assert Flat(0.1)(far).passed
    assert not Flat(0.1, chances=1.9)(far).passed
    assert Flat(0.1, chances=1.9)(far).number == pytest.approx(2.0)


def test_mirror_compares_x_with_minus_x():
    levels = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
    even = seen([0.0, 0.5, 1.0, 0.52, 0.01], levels=levels, reference=2)
    assert Mirror(0.021)(even).passed
    assert Mirror(0.021)(even).number == pytest.approx(0.02)
    assert not Mirror(0.3)(seen([0.0, 0.5, 1.0, 0.9, 0.5], levels=levels, reference=2)).passed


def test_worsens_knows_the_direction():
    falling, rising = [1.0, 0.8, 0.5, 0.1], [0.1, 0.5, 0.8, 1.0]
    assert Worsens()(seen(falling, scatter=0.01)).passed
    assert not Worsens()(seen(rising, scatter=0.01)).passed
    assert "gets better" in Worsens()(seen(rising, scatter=0.01)).reason
    assert Worsens()(seen(rising, DISTANCE, scatter=0.01)).passed
    assert not Worsens()(seen(falling, DISTANCE, scatter=0.01)).passed
    assert Worsens()(seen([0.5, 0.4, 0.2, 0.0], TARGET, scatter=0.01)).passed  # away from the target either way
    assert Worsens()(seen([0.5, 0.6, 0.8, 1.0], TARGET, scatter=0.01)).passed


def test_chance_about_a_target_cancels_and_the_other_side_is_no_better():
    rising = seen([0.49, 0.5, 0.53, 0.6], TARGET, scatter=0.02)  # its distances from .5 first fall
    assert Worsens()(rising).passed
    assert Worsens()(rising).number == 1.0
    assert "gets better" in Worsens()(seen([0.9, 0.7, 0.5, 0.4], TARGET, scatter=0.01)).reason
    assert not Worsens()(seen([0.7, 0.6, 0.4, 0.3], TARGET, scatter=0.01)).passed


def test_one_swap_of_five_levels_is_a_rank_correlation_of_nine_tenths():
    values = [1.0, 0.9, 0.95, 0.4, 0.1]
    assert Worsens()(seen(values, scatter=0.01, levels=[0.0, 0.2, 0.4, 0.7, 1.0])).passed


def test_worsens_names_the_least_damage_that_stands_out():
    ruling = Worsens()(seen([1.0, 0.99, 0.9, 0.5], scatter=0.02))  # chance .02, three times that .06
    assert ruling.number == 0.5
    assert Worsens()(seen([1.0, 0.93, 0.9, 0.5], scatter=0.02)).number == 0.25


def test_what_chance_explains_is_not_seen():
    assert not Worsens()(seen([1.0, 0.99, 0.98, 0.96], scatter=0.02)).passed
    assert Worsens()(seen([1.0, 0.99, 0.98, 0.93], scatter=0.02)).passed
    assert not Worsens(least=0.1)(seen([1.0, 0.99, 0.98, 0.93], scatter=0.02)).passed


def test_what_goes_to_and_fro_is_not_seen():
    assert not Worsens()(seen([1.0, 0.2, 0.9, 0.5], scatter=0.01)).passed


def test_worsens_without_scatter_takes_any_change():
    assert Worsens()(seen([1.0, 0.9, 0.8, 0.7])).passed
    assert not Worsens()(seen([1.0, 1.0, 1.0, 1.0])).passed


def test_within_looks_at_one_level():
    assert Within(0.5, 0.4, 0.6)(seen([9.0, 9.0, 0.5, 9.0])).passed
    assert not Within(0.5, 0.4, 0.6)(seen([0.5, 0.5, 0.7, 0.5])).passed


def test_separates_finds_the_size_from_which_on_draws_are_apart():
    rule = Separates(("score", "bad"))
    apart = seen([0.9, 0.9, 0.9, 0.9], scatter=0.05, bad=[0.88, 0.7, 0.88, 0.5], levels=[20, 50, 100, 200])
    assert rule(apart).number == 200
    assert seen([0.9], levels=[1], scatter=0.05, bad=[0.79]).curves["bad"].max() == pytest.approx(0.84)
    assert rule(seen([0.9, 0.9], levels=[1, 2], scatter=0.05, bad=[0.79, 0.79])).number == 1  # .84 is below .85
    assert not rule(seen([0.9, 0.9], levels=[1, 2], scatter=0.05, bad=[0.7, 0.81])).passed
    assert not Separates(("score", "bad"), by=100)(apart).passed
    assert rule(seen([1.0, 1.0], DISTANCE, levels=[1, 2], bad=[2.0, 2.0])).passed


EVERY = (
    Near(good_share, 1.0, "the share"),
    Flat(1.0),
    Mirror(1.0),
    Worsens(),
    Within(0.5, 0, 1),
    Separates(("score", "score")),
)


@pytest.mark.parametrize("rule", EVERY)
def test_no_rule_judges_what_has_no_value(rule):
    values = seen([1.0, np.nan, np.nan, np.nan])
    ruling = rule(values)
    assert ruling.passed is None
    assert "no value" in ruling.reason
    assert rule.words


def test_chance_is_the_scatter_without_damage_or_the_usual_one():
    curves = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 2.0], [0.0, 1.0, 2.0], [0.0, 10.0, 20.0]])
    found = Seen(LEVELS, {"score": curves}, SHARE, 0)
    assert found.chance == 1.0  # median of 0, 1, 1, 10: a quiet start of few does not make every change stand out
    many = {"score": np.tile(curves + np.array([0.0, 0.5, 1.0]), 2)}
    assert replace(found, curves=many).chance == pytest.approx(np.std([0.0, 0.5, 1.0] * 2, ddof=1))  # damage not in it
    curves[0] = [0.0, 3.0, 6.0]
    assert replace(found, curves={"score": curves}).chance == 3.0
    assert np.isnan(replace(found, curves={"score": curves[:, :1]}).chance)


def test_in_chances_and_ranks():
    assert in_chances(0.0, 0.0) == 0.0
    assert in_chances(-1.0, 0.0) == -np.inf
    assert in_chances(3.0, 2.0) == 1.5
    assert np.isnan(in_chances(1.0, float("nan")))
    assert rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([10.0, 100.0, 1000.0])) == pytest.approx(1.0)
    assert rank_correlation(np.array([1.0, 2.0, 3.0]), np.ones(3)) == 0.0


def test_an_axis_has_quick_levels_and_names():
    axis = Axis("set", (0.0, 1.0, 2.0), (0.0, 2.0), labels=("a", "b", "c"))
    assert axis.chosen(quick=True) == (0.0, 2.0)
    assert axis.chosen(quick=False) == (0.0, 1.0, 2.0)
    assert axis.label(2.0) == "c"
    assert Axis("x", (0.5,)).chosen(quick=True) == (0.5,)
    assert Axis("x", (0.5,)).label(0.5) == "0.5"
