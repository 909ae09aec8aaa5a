"""The plan: what is asked is closed, widened and grouped so that every pair of sides is swept once."""

from __future__ import annotations

import dataclasses
import random

import pytest

from engine_cases import ask, assert_identical, assert_same_decisions, gaussian
from grading import answer
from oracles.naive_answers import naive_answers
from truegrade.engine import run
from truegrade.engine.cache import AnswerCache
from truegrade.engine.needs import (
    BallCounts,
    BallRatio,
    Bandwidth,
    Cubic,
    Direct,
    DistanceSum,
    Gaussian,
    KernelSum,
    Knn,
    Moments,
    Nearest,
    OwnBallCounts,
    Part,
    ProductWithin,
)
from truegrade.engine.plan import Sweep, canonical, close, make_plan
from truegrade.engine.sweep import SweepRun
from truegrade.errors import InputError
from truegrade.metrics import METRICS
from truegrade.metrics.kernel import KernelDistance
from truegrade.metrics.mmd import MMD
from truegrade.metrics.probabilistic import PPrecision

SIZES = {"real": 1000, "synthetic": 800, "holdout": 200}
WITHIN, SYNTHETIC, ACROSS = ("real", "real"), ("synthetic", "synthetic"), ("real", "synthetic")


def plan(*needs, have=(), **sizes):
    return make_plan(needs, {**SIZES, **sizes}, 64, have)


def pairs(made):
    return [(sweep.a, sweep.b) for sweep in made.sweeps]


def full_set():
    """Everything that can be asked of a real and a synthetic set: all metrics, and more kernels."""
    extra = [MMD(bandwidth="median-real", scales=(0.25, 0.5, 1.0, 2.0, 4.0)), KernelDistance(), PPrecision(k=7)]
    metrics = [*(metric() for key, metric in METRICS.items() if not metric.info.needs_holdout), *extra]
    needs = [need for metric in metrics for need in metric.needs()]
    return list(dict.fromkeys(needs))


@pytest.fixture
def sweeps(monkeypatch):
    """The sweeps that are made, as they are made."""
    made = []

    class Recorded(SweepRun):
        def __init__(self, sweep, *rest):
            made.append(sweep)
            super().__init__(sweep, *rest)

    monkeypatch.setattr(run, "SweepRun", Recorded)
    return made


# --- how many sweeps -----------------------------------------------------------------------------------


def test_all_metrics_together_take_three_sweeps(sweeps):
    real, synthetic = gaussian(8, n=60, m=60)
    made = make_plan(full_set(), {"real": 60, "synthetic": 60}, 8)
    assert pairs(made) == [WITHIN, SYNTHETIC, ACROSS]
    ask(full_set(), real, synthetic)
    assert tuple(sweeps) == made.sweeps


@pytest.mark.parametrize("where", ["memory", "disk"])
def test_all_metrics_together_take_two_when_the_real_side_is_in_the_cache(where, sweeps, tmp_path):
    real, synthetic = gaussian(8, n=60, m=60)
    folder = tmp_path if where == "disk" else None
    cache = AnswerCache(folder)
    swept_needs = [need for need in full_set() if not isinstance(need, (Direct, Moments))]
    plain = ask(swept_needs, real, synthetic)
    sweeps.clear()
    assert_identical(ask(swept_needs, real, synthetic, cache=cache), plain)
    assert len(sweeps) == 3
    sweeps.clear()
    again = ask(swept_needs, real, synthetic, cache=AnswerCache(folder) if folder else cache)
    assert [(sweep.a, sweep.b) for sweep in sweeps] == [SYNTHETIC, ACROSS]
    assert_identical(again, plain)


def test_a_sweep_of_every_pair_that_is_asked_about_and_no_other():
    assert pairs(plan()) == []
    assert pairs(plan(Moments("real"), Bandwidth("median"))) == []
    assert pairs(plan(Nearest("real", "synthetic"))) == [ACROSS]
    assert pairs(plan(BallCounts("synthetic", "real", 3))) == [SYNTHETIC, ACROSS]
    assert pairs(plan(OwnBallCounts("holdout", 3))) == [("holdout", "holdout")]
    more = plan(Nearest("holdout", "real"), DistanceSum("synthetic", "holdout"), BallCounts("real", "holdout", 2))
    assert pairs(more) == [WITHIN, ("real", "holdout"), ("synthetic", "holdout")]


def test_within_sweeps_come_first():
    order = pairs(plan(*full_set(), Nearest("holdout", "real"), Knn("holdout", 3), synthetic=1000))
    inside = [a == b for a, b in order]
    assert inside == sorted(inside, reverse=True)


# --- closing, widening, answering from what is there -----------------------------------------------------


def test_close_adds_what_is_required_and_only_that():
    needs = [
        BallCounts("real", "synthetic", 5),
        BallRatio("synthetic", "real", 3),
        ProductWithin("real", "synthetic", 4, 1.2),
        OwnBallCounts("holdout", 2),
        KernelSum("real", "real", Gaussian("median-real")),
        KernelSum("real", "real", Gaussian(2.0)),
        KernelSum("real", "real", Cubic()),
    ]
    added = {Knn("real", 5), Knn("synthetic", 3), Knn("real", 4), Knn("holdout", 2), Bandwidth("median-real")}
    assert close(needs) == {*needs, *added}
    assert close(close(needs)) == close(needs)
    assert close([]) == set()


def test_lists_are_widened_to_the_longest():
    made = plan(Knn("real", 3), Knn("real", 9), BallCounts("real", "synthetic", 5), OwnBallCounts("real", 12))
    assert made.sweeps[0] == Sweep("real", "real", 12, 12, ())
    assert made.sweeps[1] == Sweep("real", "synthetic", 0, 0, (BallCounts("real", "synthetic", 5),))
    across = plan(Nearest("real", "synthetic", 2), Nearest("synthetic", "real", 7), Nearest("real", "synthetic", 4))
    assert across.sweeps == (Sweep("real", "synthetic", 4, 7, ()),)


def test_own_balls_follow_from_the_lists():
    made = plan(OwnBallCounts("real", 5))
    assert made.last == (OwnBallCounts("real", 5),)
    assert made.sweeps == (Sweep("real", "real", 5, 5, ()),)


@pytest.mark.parametrize(("k", "swept"), [(4, []), (5, []), (6, [WITHIN])])
def test_a_longer_list_that_is_there_serves(k, swept):
    assert pairs(plan(Knn("real", k), have=[Knn("real", 5), Knn("synthetic", 9)])) == swept


def test_what_is_there_is_not_done_again():
    have = [Moments("real"), KernelSum("real", "real", Cubic())]
    made = plan(*have, Moments("synthetic"), KernelSum("synthetic", "synthetic", Cubic()), have=have)
    assert made.first == (Moments("synthetic"),)
    assert pairs(made) == [SYNTHETIC]


def test_the_plan_does_not_depend_on_the_order_of_the_needs():
    needs = full_set()
    first = plan(*needs)
    for seed in range(5):
        shuffled = random.Random(seed).sample(needs, len(needs))
        assert plan(*shuffled).explain() == first.explain()
        assert plan(*shuffled).sweeps == first.sweeps


# --- parts ----------------------------------------------------------------------------------------------


def test_a_part_that_is_the_whole_is_the_whole():
    part = Part("synthetic", "real", 3)
    assert canonical(Knn(part, 2), SIZES) == Knn("synthetic", 2)
    assert canonical(Knn(part, 2), {"real": 800, "synthetic": 800}) == Knn("synthetic", 2)
    assert canonical(Knn(part, 2), {"real": 799, "synthetic": 800}) == Knn(part, 2)
    larger = Part("real", "synthetic")
    assert canonical(Nearest(larger, part), SIZES) == Nearest(larger, "synthetic")


def test_parts_are_swept_at_their_own_size():
    part = Part("real", "synthetic")
    made = plan(Knn(part, 1), Nearest(part, "synthetic"), Nearest("real", "synthetic"))
    assert pairs(made) == [(part, part), (part, "synthetic"), ACROSS]
    assert [sweep.pairs(made.sizes) for sweep in made.sweeps] == [800 * 799 // 2, 800 * 800, 1000 * 800]


@pytest.mark.parametrize("seed", [0, 1])
def test_answers_about_parts(seed):
    real, synthetic = gaussian(3, n=90, m=40)
    parts = Part("real", "synthetic", seed), Part("synthetic", "real", seed)
    needs = [Knn(parts[0], 2), Knn(parts[1], 1), Nearest(*parts, 3), Nearest(*reversed(parts)), Knn("real", 4)]
    needs += [BallCounts(*parts, 2), OwnBallCounts(parts[0], 3)]
    expected = naive_answers(needs, {"real": real, "synthetic": synthetic})
    got = ask(needs, real, synthetic)
    assert_same_decisions(got, expected)
    assert len(got[needs[0]].squared) == 40
    assert set(needs) <= set(got.values)


def test_other_seeds_draw_other_parts():
    real, synthetic = gaussian(3, n=90, m=40)
    lists = [ask([need], real, synthetic)[need] for need in (Knn(Part("real", "synthetic", s), 1) for s in (0, 1))]
    assert (lists[0].squared != lists[1].squared).any()


# --- in words -------------------------------------------------------------------------------------------


def test_explain():
    part = Part("real", "synthetic", 7)
    made = plan(
        BallCounts("real", "synthetic", 5),
        BallCounts("real", "synthetic", 5, clip=True),
        Nearest("synthetic", "real", 2),
        OwnBallCounts("real", 3, clip=True),
        Moments("real"),
        Bandwidth("median"),
        Knn(part, 1),
    )
    assert made.explain().splitlines() == [
        "real (as many as synthetic, seed 7): 800 samples x 64 features",
        "real: 1,000 samples x 64 features",
        "synthetic: 800 samples x 64 features",
        "before the sweeps: Bandwidth median of real and synthetic",
        "before the sweeps: Moments of real",
        "sweep 1: inside real (as many as synthetic, seed 7), 319,600 pairs",
        "    1 nearest neighbours",
        "sweep 2: inside real, 499,500 pairs",
        "    5 nearest neighbours",
        "sweep 3: real against synthetic, 800,000 pairs",
        "    2 nearest of real to each of synthetic",
        "    BallCounts of real and synthetic (k=5)",
        "    BallCounts of real and synthetic (k=5, clip=True)",
        "after the sweeps: OwnBallCounts of real (k=3, clip=True)",
        "cost: 3 sweeps, 0.2 GFLOP of matrix products",
    ]


def test_explain_all_metrics():
    text = plan(*full_set(), synthetic=1000).explain()
    assert "cost: 3 sweeps, 0.3 GFLOP" in text
    assert text.count("sweep ") == 3


# --- refusals and progress --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "need",
    [
        Knn("holdout", 1),
        Nearest("real", "holdout"),
        Moments("holdout"),
        Knn(Part("real", "holdout"), 1),
        KernelSum("holdout", "holdout", Cubic()),
    ],
    ids=repr,
)
def test_a_side_that_is_missing_is_named(need):
    real, synthetic = gaussian(2)
    with pytest.raises(InputError, match=rf"{type(need).__name__} needs a holdout set"):
        ask([need], real, synthetic)


def test_one_side_is_enough_for_what_concerns_it():
    real, _ = gaussian(2)
    needs = [Knn("synthetic", 3), DistanceSum("synthetic", "synthetic"), Moments("synthetic")]
    got = answer(needs, {"synthetic": real}, "engine")
    assert got.sizes == {"synthetic": 150}
    assert got.dimension == 2


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_counts_every_tile_once(threads):
    real, synthetic = gaussian(3, n=100, m=70)
    needs = [Knn("real", 3), Knn("synthetic", 2), Nearest("real", "synthetic"), DistanceSum("real", "synthetic")]
    calls = []
    ask(needs, real, synthetic, tile=30, threads=threads, progress=lambda *call: calls.append(call))
    total = 4 * 5 // 2 + 3 * 4 // 2 + 4 * 3
    assert [done for done, _, _ in calls] == list(range(1, total + 1))
    assert {of for _, of, _ in calls} == {total}
    assert list(dict.fromkeys(what for _, _, what in calls)) == ["real", "synthetic", "real against synthetic"]
    assert [what for _, _, what in calls].count("real against synthetic") == 12


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_in_progress_stops_the_work(threads):
    real, synthetic = gaussian(3)

    def stop(done, total, what):
        assert done <= 3
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask([Nearest("real", "synthetic")], real, synthetic, tile=20, threads=threads, progress=stop)


def test_needs_are_values():
    assert Gaussian(1.0) == Gaussian(1.0, (1.0,))
    assert len({Knn("real", 3), Knn("real", 3), dataclasses.replace(Knn("real", 2), k=3)}) == 1
    assert hash(Part("real", "synthetic")) == hash(Part("real", "synthetic", 0))
