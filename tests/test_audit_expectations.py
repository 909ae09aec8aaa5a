"""Rules on what theory says and on what moves a score, on curves whose verdict can be seen with the eye."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from audit_seen import seen
from oracles import audit_laws
from truegrade.audit.expectations import Exact, ForSamples, OnTarget, Reads, Unbiased, chance_by_level, scale
from truegrade.audit.movement import Alike, Apart, Cheap, Steady, Unmoved
from truegrade.audit.rules import Flat, Worsens, good_share
from truegrade.audit.scenario import Seen
from truegrade.audit.suites.own.sizes import covered
from truegrade.metrics import (
    BetaRecall,
    CopyingTest,
    Coverage,
    Density,
    EnergyDistance,
    FrechetDistance,
    KernelDistance,
    NearestNeighbourTwoSample,
    Precision,
    Rarity,
)

ENERGY, NEAREST = EnergyDistance.info, NearestNeighbourTwoSample.info
LINE = [1.0, 0.75, 0.5, 0.25, 0.0]


# --- what theory says ---


def test_the_scale_of_a_score():
    infos = (Precision.info, Density.info, BetaRecall.info)
    assert [scale(seen(LINE, info)) for info in infos] == [(0.0, 1.0), (0.0, 1.0), (0.0, 0.5)]
    assert [scale(seen(LINE, info)) for info in (ENERGY, NEAREST, Rarity.info)] == [None] * 3


def test_reads_between_worst_and_best():
    rule = Reads(good_share, 0.05, "the share")
    assert rule(seen(LINE)).passed
    assert not rule(seen([0.9, *LINE[1:]])).passed
    half = rule(seen([0.5, 0.375, 0.25, 0.125, 0.0], BetaRecall.info))
    assert half.passed
    assert half.desired == (0.5, 0.375, 0.25, 0.125, 0.0)
    assert rule(seen(LINE, ENERGY)).passed is None
    assert rule(seen([1.0, float("nan"), 0.5, 0.25, 0.0])).passed is None


def test_reads_from_where_it_starts():
    low = [0.8 * value for value in LINE]
    assert not Reads(good_share, 0.05, "the share")(seen(low)).passed
    assert Reads(good_share, 0.05, "the share", relative=True)(seen(low)).passed
    assert not Reads(good_share, 0.05, "the share", relative=True)(seen([0.8, 0.8, 0.7, 0.4, 0.0])).passed
    nothing = Reads(good_share, 0.05, "the share", relative=True)(seen([0.01, 0.0, 0.0, 0.0, 0.0]))
    assert nothing.passed is False


def test_reads_at_some_levels_only():
    bent = [1.0, 0.9, 0.9, 0.9, 0.0]
    assert Reads(good_share, 0.05, "the share", at=(0.0, 1.0))(seen(bent)).passed
    assert not Reads(good_share, 0.05, "the share", at=(0.0, 0.5))(seen(bent)).passed
    assert Reads(good_share, 0.05, "the share", at=(7.0,))(seen(bent)).passed is None


def test_no_metric_is_blamed_for_chance():
    """Scatter of 0.04 in three draws is a standard error of 0.023, three of which are 0.07."""
    off = [0.94, 0.69, 0.44, 0.19, 0.0]
    assert Reads(good_share, 0.05, "the share")(seen(off, scatter=0.01)).passed is False
    assert Reads(good_share, 0.05, "the share")(seen(off, scatter=0.04)).passed


def test_no_metric_is_praised_for_chance():
    """Scatter of 0.1 widens the limit to 0.17, which whatever scatters so would keep."""
    off = [0.9, 0.65, 0.4, 0.15, 0.0]
    assert Reads(good_share, 0.05, "the share")(seen(off, scatter=0.1)).passed is None
    assert Reads(good_share, 0.05, "the share")(seen([0.7, 0.65, 0.4, 0.15, 0.0], scatter=0.1)).passed is False
    assert Reads(good_share, 0.05, "the share")(seen([1.0, 0.75, 0.5, 0.25, 0.0], scatter=0.1)).passed  # right on it


def test_a_score_of_which_less_is_better_is_read_like_any_other():
    turned = replace(Precision.info, direction="lower", target=0.0)
    rule = Reads(good_share, 0.05, "the share", relative=True)
    assert rule(seen([0.0, 0.25, 0.5, 0.75, 1.0], turned)).passed
    assert rule(seen([0.0, 0.5, 0.5, 0.5, 1.0], turned)).passed is False


def test_theory_of_laws_without_ties_does_not_judge_ties():
    rule = Exact(lambda n, m, k: 1.0, 0.05, "1")
    assert rule(seen([0.5, 0.5])).passed is False
    assert rule(seen([0.5, 0.5], tied=True)).passed is None


def test_tolerance_grows_for_fewer_samples_than_it_is_meant_for():
    moved = seen([1.0, 0.95], sizes=(400, 100))
    assert not ForSamples(Flat, 0.03, 100)(moved).passed
    assert ForSamples(Flat, 0.03, 400)(moved).tolerance == pytest.approx(0.06)
    assert ForSamples(Flat, 0.03, 400)(moved).passed
    assert ForSamples(Flat, 0.03, 50)(moved).tolerance == 0.03  # more samples do not narrow it


def test_coverage_of_one_law_by_counting():
    for n, m, k in ((4, 3, 2), (5, 4, 1), (3, 5, 2)):
        assert audit_laws.coverage_by_counting(n, m, k) == audit_laws.coverage(n, m, k)
        assert covered(n, m, k) == pytest.approx(float(audit_laws.coverage(n, m, k)), abs=1e-12)
    assert covered(10**6, 10**6, 5) == pytest.approx(1 - 2**-5, abs=1e-5)


def test_exact_knows_sizes_and_k():
    sizes = np.array([[50, 50], [50, 200]])
    truth = [float(audit_laws.coverage(n, m, 3)) for n, m in sizes]
    given = {"info": Coverage.info, "sizes": sizes, "parameters": {"k": 3}}
    rule = Exact(covered, 0.01, "its mean")
    assert rule(seen(truth, **given)).passed
    assert rule(seen(truth, **given)).desired == pytest.approx(tuple(truth))
    assert not rule(seen([truth[0] - 0.02, truth[1]], **given)).passed
    assert not rule(seen(truth, **{**given, "parameters": {"k": 2}})).passed


def test_chance_of_distances_falls_with_n_and_of_shares_with_its_root():
    sizes = np.array([[100, 400], [400, 400]])
    share = seen([0.5, 0.5], sizes=sizes)
    share = replace(share, curves={"score": 0.5 + np.array([[0.1], [0.05]]) * [-1.0, 0.0, 1.0]})
    assert chance_by_level(share) == pytest.approx([0.1, 0.05])
    away = replace(share, curves={"score": np.array([[0.4], [0.1]]) * [-1.0, 0.0, 1.0]}, info=ENERGY)
    assert chance_by_level(away) == pytest.approx([0.4, 0.1])


def unbiased(values, info) -> Seen:
    sizes = np.array([[50, 50], [100, 100]])
    levels = np.array([0.5, 1.0])
    return Seen(levels, {"score": np.asarray(values, float)}, info, 1, sizes=sizes)


def test_unbiased_scatters_about_the_ideal_value():
    rng = np.random.default_rng(0)
    fair = rng.normal(size=(2, 8)) / [[50.0], [100.0]]
    step = 1.0 / np.array([[50.0], [100.0]])
    assert Unbiased()(unbiased(fair, KernelDistance.info)).passed
    assert not Unbiased()(unbiased(fair + 5 * step, KernelDistance.info)).passed
    biased = Unbiased()(unbiased(abs(fair) + 9 * step, FrechetDistance.info))  # of target 0 by its range
    assert biased.passed is False
    assert biased.number > biased.tolerance
    assert Unbiased()(unbiased(fair[:, :2], KernelDistance.info)).passed is None
    assert Unbiased()(unbiased(1e200 * fair, KernelDistance.info)).passed


def test_on_target_speaks_of_fresh_samples_alone():
    assert OnTarget(2.0)(seen([1.0, -9.0], CopyingTest.info)).passed
    assert not OnTarget(2.0)(seen([3.0, 0.0], CopyingTest.info)).passed
    assert OnTarget(2.0)(seen([0.5, 0.5])).passed is None


# --- what moves a score ---


def test_steady_in_the_unit_of_the_score():
    assert Steady(0.1)(seen([0.9, 0.81, 0.99])).passed
    assert not Steady(0.1)(seen([0.9, 0.79, 0.9])).passed
    assert not Steady(0.1)(seen([0.45, 0.39, 0.45], BetaRecall.info)).passed  # 0.06 of a range of 0.5
    assert Steady(0.1)(seen([0.9, 0.79, 0.9], scatter=0.06)).passed
    assert Steady(0.1)(seen([0.9, 0.79, 0.9], scatter=0.2)).passed is None


def test_steady_takes_the_chance_of_small_sets_for_what_it_is():
    """A distance of 20 samples that is off by its own chance has not moved, whatever the chance of 2,000 is."""
    sizes = np.array([[20, 20], [2000, 2000]])
    values = {"score": np.array([[0.5, 1.0, 1.5], [-0.005, 0.0, 0.005]])}
    few = replace(seen([0.0, 0.0], ENERGY, reference=1, sizes=sizes), curves=values)
    assert Steady(0.1)(few).passed
    same = replace(few, sizes=np.full((2, 2), 2000.0))
    assert not Steady(0.1, chances=1.0)(same).passed


def test_alike_compares_two_arms_level_by_level():
    first = np.array([[0.5, 0.52], [0.8, 0.82]])
    arms = Seen(np.array([0.0, 1.0]), {"without": first, "with": first + np.array([[0.0], [0.05]])}, Precision.info, 0)
    assert Alike(("without", "with"), 0.051)(arms).passed
    ruling = Alike(("without", "with"), 0.04)(arms)
    assert ruling.passed is False
    assert ruling.number == pytest.approx(0.05)
    assert "at 1" in ruling.reason
    far = replace(arms, info=ENERGY)  # chance 0.014: the arms are 3.5 times that apart
    assert Alike(("without", "with"), 0.04, chances=3.6)(far).passed
    assert not Alike(("without", "with"), 0.04, chances=3.5)(far).passed


def test_apart_at_both_ends():
    levels = [-1.0, 0.0, 1.0]
    assert Apart()(seen([0.1, 0.9, 0.2], levels=levels, reference=1, scatter=0.01)).passed
    one_sided = Apart()(seen([0.1, 0.9, 0.9], levels=levels, reference=1, scatter=0.01))
    assert one_sided.passed is False
    assert one_sided.reason.endswith("at 1")


def test_unmoved_judges_what_is_claimed():
    changes = {1.0: "shift", 2.0: "scale"}
    levels = [0.0, 1.0, 2.0]
    assert not Unmoved(changes)(seen([0.5, 0.5, 0.6], levels=levels)).passed
    assert "scale" in Unmoved(changes)(seen([0.5, 0.5, 0.6], levels=levels)).reason
    no_scale = replace(Precision.info, invariances=frozenset({"shift"}))
    assert Unmoved(changes)(seen([0.5, 0.5, 0.6], no_scale, levels=levels)).passed
    none = replace(Precision.info, invariances=frozenset())
    assert Unmoved(changes)(seen([0.5, 0.5, 0.6], none, levels=levels)).passed is None


def test_cheap_is_judged_at_the_largest_size():
    timed = seen([0.5, 0.5], seconds=np.array([9.0, 0.2]), sizes=(300, 200))
    assert Cheap(1.0)(timed).passed
    assert "300 against 200" in Cheap(1.0)(timed).reason
    assert not Cheap(0.1)(timed).passed
    assert Cheap(0.1)(seen([0.5, 0.5])).passed is None


def test_a_score_that_stays_at_its_worst_still_sees_damage():
    """Ranks of ties fall short of the line, but nothing got better."""
    assert Worsens()(seen([1.0, 0.0, 0.0, 0.0], scatter=0.01)).passed
    assert Worsens()(seen([0.9, 0.901, 0.5, 0.0], scatter=0.01)).passed
    assert not Worsens()(seen([0.9, 0.2, 0.5, 0.3], scatter=0.01)).passed
