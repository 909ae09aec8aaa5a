"""Neighbours by KD-tree equal those by tiles and by brute force, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial import cKDTree

from engine_cases import (
    CASES,
    ONLY_DOUBLE,
    ask,
    assert_identical,
    assert_same_decisions,
    decisions,
    force_tree,
    gaussian,
    samples,
    tiny_but_one,
)
from oracles.naive_answers import naive_answers
from truegrade.engine import run, tree
from truegrade.engine.needs import BallCounts, BallRatio, DistanceSum, Knn, Nearest, OwnBallCounts
from truegrade.engine.plan import make_plan

LOW = {
    **{name: CASES[name] for name in CASES if CASES[name]()[0].shape[1] <= 6 and not name.startswith("gaussian")},
    **ONLY_DOUBLE,
    "gaussian 2": lambda: gaussian(2),
    "gaussian 6": lambda: gaussian(6),
    "offset 1e8": lambda: gaussian(3, 1e8),
    "offset 1e4 float32": lambda: gaussian(3, 1e4, np.float32),
    "mixed types": lambda: (gaussian(3)[0].astype(np.float32), gaussian(3)[1]),
    "squares near the smallest number": lambda: tiny_but_one(1e-161),
}


def without_ratios(ks):
    return [need for need in decisions(ks) if not isinstance(need, BallRatio)]


@pytest.mark.parametrize("case", LOW)
def test_tree_equals_brute_force(case, monkeypatch):
    force_tree(monkeypatch, True)
    real, synthetic = LOW[case]()
    needs = without_ratios((1, 5))
    expected = naive_answers(needs, {"real": real, "synthetic": synthetic})
    assert_same_decisions(ask(needs, real, synthetic), expected)


@pytest.mark.parametrize("k", [1, 6, 39])
@pytest.mark.parametrize("case", ["integers", "duplicates", "gaussian 2"])
def test_short_lists_and_the_longest(case, k, monkeypatch):
    """k + 1 + spare reaches past the number of rows."""
    force_tree(monkeypatch, True)
    real, synthetic = (side[:40] for side in LOW[case]())
    needs = without_ratios((k,))
    expected = naive_answers(needs, {"real": real, "synthetic": synthetic})
    assert_same_decisions(ask(needs, real, synthetic), expected)


@pytest.mark.parametrize("kind", ["continuous", "grid"])
@pytest.mark.parametrize("d", [2, 3])
def test_tree_equals_tiles_at_the_size_where_it_is_chosen(d, kind, monkeypatch):
    rng = np.random.default_rng(d)
    real, synthetic = rng.normal(size=(6000, d)), 0.8 * rng.normal(size=(5500, d))
    if kind == "grid":
        real, synthetic = (np.round(side * 200) * 0.05 for side in (real, synthetic))
    needs = [Knn("real", 5), OwnBallCounts("real", 5), Nearest("synthetic", "real", 3)]
    needs += [BallCounts("real", "synthetic", 5), BallCounts("synthetic", "real", 3, clip=True)]
    used = []
    monkeypatch.setattr(run, "tree_answers", lambda *a: used.append(a[0]) or tree.tree_answers(*a))
    by_tree = ask(needs, real, synthetic)
    assert len(used) == 3
    force_tree(monkeypatch, False)
    assert_identical(by_tree, ask(needs, real, synthetic))
    assert len(used) == 3


def test_threads_and_chunks_do_not_show(monkeypatch):
    force_tree(monkeypatch, True)
    real, synthetic = LOW["tenths"]()
    needs = without_ratios((2, 5))
    first = ask(needs, real, synthetic, threads=1)
    assert_identical(ask(needs, real, synthetic, threads=2), first)
    monkeypatch.setattr(tree, "_CHUNK", 17)
    monkeypatch.setattr(tree, "_PAIRS", 50)
    assert_identical(ask(needs, real, synthetic), first)


def test_when_a_tree_is_used():
    def fits(needs, **sides):
        sides = samples(**sides)
        plan = make_plan(needs, {name: s.n for name, s in sides.items()}, 2)
        return [tree.tree_fits(sweep, sides[sweep.a], sides[sweep.b]) for sweep in plan.sweeps]

    rng = np.random.default_rng(0)
    plane, few = rng.normal(size=(6000, 2)), rng.normal(size=(400, 2))
    needs = [BallCounts("real", "synthetic", 3)]
    assert fits(needs, real=plane, synthetic=plane + 0.1) == [True, True]
    assert fits(needs, real=plane, synthetic=few) == [True, False]
    assert fits([*needs, DistanceSum("real", "real")], real=plane, synthetic=plane) == [False, True]
    assert fits([Nearest("real", "synthetic"), BallRatio("real", "synthetic", 2)], real=plane, synthetic=plane) == [
        True,
        False,
    ]
    assert fits(needs, real=rng.normal(size=(6000, 5)), synthetic=rng.normal(size=(6000, 5))) == [False, False]
    assert fits(needs, real=np.round(plane), synthetic=np.round(plane)) == [False, False]


def test_pairs_are_found_a_bounded_number_at_a_time(monkeypatch):
    """300 balls of all 200 points: 60,000 pairs, of which about 1,000 are held at a time."""
    monkeypatch.setattr(tree, "_PAIRS", 1000)
    rng = np.random.default_rng(0)
    centres, points = rng.normal(size=(300, 2)), rng.normal(size=(200, 2))
    chunks = list(tree._balls(cKDTree(points), centres, np.full(300, 50.0), np.arange(300), 1))
    assert max(len(rows) for rows, _ in chunks) <= 1000 + 200
    pairs = np.concatenate([rows * 200 + columns for rows, columns in chunks])
    np.testing.assert_array_equal(np.sort(pairs), np.arange(60_000))


@st.composite
def planes(draw):
    """Two small sets full of ties in few dimensions, and a k."""
    d = draw(st.integers(1, 4))
    values = st.sampled_from([0.0, 0.1, 0.2, 0.3, 1e-7, 5.0])
    real, synthetic = (draw(hnp.arrays(np.float64, (draw(st.integers(2, 40)), d), elements=values)) for _ in range(2))
    return real, synthetic, draw(st.integers(1, min(len(real), len(synthetic)) - 1))


@settings(max_examples=60, deadline=None)
@given(planes())
def test_any_small_sets_by_tree(sets):
    real, synthetic, k = sets
    needs = without_ratios((k,))
    with pytest.MonkeyPatch.context() as patch:
        force_tree(patch, True)
        got = ask(needs, real, synthetic, threads=1)
    assert_same_decisions(got, naive_answers(needs, {"real": real, "synthetic": synthetic}))
