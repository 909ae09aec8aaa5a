"""Every decision of the engine equals float64 brute force: lists, radii, counts, ties, on data made to mislead it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from engine_cases import (
    CASES,
    DOUBLE,
    ONLY_DOUBLE,
    SINGLE,
    approach,
    ask,
    assert_same_decisions,
    decisions,
    drawn_from,
    force_products,
    gaussian,
    grid,
    tiny_but_one,
)
from oracles.naive_answers import naive_answers
from truegrade.engine import precision, run
from truegrade.engine.kernels import pair_distances
from truegrade.engine.kernels.neighbours import _inverses
from truegrade.engine.needs import BallCounts, BallRatio, Knn, Nearest, OwnBallCounts

PRODUCTS = {"single": SINGLE, "double": DOUBLE}


@cache
def known(case, ks):
    """A case and its right answers."""
    real, synthetic = {**CASES, **ONLY_DOUBLE}[case]()
    return real, synthetic, naive_answers(decisions(ks), {"real": real, "synthetic": synthetic})


def check_case(case, ks, **options):
    real, synthetic, expected = known(case, ks)
    assert_same_decisions(ask(decisions(ks), real, synthetic, **options), expected)


def check(real, synthetic, ks, **options):
    needs = decisions(ks)
    expected = naive_answers(needs, {"real": real, "synthetic": synthetic})
    assert_same_decisions(ask(needs, real, synthetic, **options), expected)


@pytest.mark.parametrize(("products", "tile"), [("single", None), ("single", 37), ("double", 64), ("double", 500)])
@pytest.mark.parametrize("case", CASES)
def test_decisions(case, products, tile, monkeypatch):
    force_products(monkeypatch, PRODUCTS[products])
    check_case(case, (1, 5), tile=tile)


@pytest.mark.parametrize("tile", [None, 37])
@pytest.mark.parametrize("case", ONLY_DOUBLE)
def test_decisions_beyond_float32(case, tile, monkeypatch):
    """Where float32 squares overflow or vanish the engine takes float64, however large the sets are."""
    monkeypatch.setattr(precision, "_ALWAYS_DOUBLE", 0)
    check_case(case, (1, 5), tile=tile)


@pytest.mark.parametrize("case", [c for c in CASES if not c.startswith("gaussian")])
def test_decisions_in_the_precision_that_the_engine_chooses_for_large_sets(case, monkeypatch):
    monkeypatch.setattr(precision, "_ALWAYS_DOUBLE", 0)
    check_case(case, (1, 5))


@pytest.mark.parametrize("products", PRODUCTS)
@pytest.mark.parametrize("case", ["gaussian 3", "duplicates", "integers", "near ties", "approach"])
def test_the_largest_possible_k(case, products, monkeypatch):
    force_products(monkeypatch, PRODUCTS[products])
    real, synthetic = (side[:60] for side in CASES[case]())
    check(real, synthetic, ks=(len(real) - 1, 2), tile=16)


@pytest.mark.parametrize("products", PRODUCTS)
@pytest.mark.parametrize(("n", "m"), [(2, 2), (2, 3), (3, 2), (2, 90), (90, 3), (65, 64)])
def test_small_and_unequal_sizes(n, m, products, monkeypatch):
    force_products(monkeypatch, PRODUCTS[products])
    for d in (1, 5):
        real, synthetic = gaussian(d, n=n, m=m)
        check(real, synthetic, ks=(1,), tile=64)
        check(np.round(real), np.round(synthetic), ks=(1, min(n, m) - 1))


def test_more_candidates_than_wait_at_a_time(monkeypatch):
    """In one tile every sample has hundreds of candidates, each better than the last."""
    force_products(monkeypatch, SINGLE)
    real, synthetic = approach()
    assert len(synthetic) > 200
    check(real, synthetic, ks=(2,), tile=512)
    check(real[::-1], synthetic, ks=(60,), tile=512)


def test_ties_beyond_the_list_are_counted_in_every_tile(monkeypatch):
    """200 samples at one distance: the list holds 5, the others are counted, smallest indices first."""
    force_products(monkeypatch, SINGLE)
    real = np.concatenate([np.zeros((1, 2)), np.tile([[0.1, 0.0], [0.0, 0.1]], (100, 1))])
    for tile in (7, 64, 512):
        lists = ask([Knn("real", 5)], real, real, tile=tile)[Knn("real", 5)]
        np.testing.assert_array_equal(lists.indices[0], [1, 2, 3, 4, 5])
        assert lists.beyond[0] == 195
        assert lists.at_radius[0] == 200
        assert lists.strictly_inside[0] == 0


@pytest.mark.parametrize("case", ["duplicates", "integers", "all the same", "tenths"])
def test_own_balls_do_not_depend_on_how_long_the_lists_are(case):
    real, synthetic = CASES[case]()
    needs = [OwnBallCounts(side, k, clip) for side in ("real", "synthetic") for k in (1, 3) for clip in (False, True)]
    expected = naive_answers(needs, {"real": real, "synthetic": synthetic})
    for longest in (3, 4, 20, len(synthetic) - 1):
        more = [Knn("real", longest), Knn("synthetic", longest)]
        assert_same_decisions(ask([*needs, *more], real, synthetic, tile=50), expected)


@pytest.mark.parametrize("d", [*range(1, 20), 127, 128, 129, 135, 136, 137, 255, 256, 257, 300, 1000, 2049, 8191])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_exact_distance_is_numpys_to_the_last_bit(d, dtype):
    rng = np.random.default_rng(d)
    x, y = rng.normal(size=(2, 20, d)).astype(dtype)
    rows = np.arange(20)
    found = np.empty(20)
    pair_distances(x, y, rows, rows[::-1].copy(), found)
    expected = ((x.astype(np.float64)[:, None] - y.astype(np.float64)[::-1][None]) ** 2).sum(-1).diagonal()
    np.testing.assert_array_equal(found, expected)


def test_n15_copies_of_repeated_rows():
    """4,096 equal features, every row repeated: all radii are 0 and every synthetic sample lies in all balls."""
    real, synthetic = np.ones((60, 4096)), np.ones((50, 4096))
    balls = ask([BallCounts("real", "synthetic", 5)], real, synthetic)[BallCounts("real", "synthetic", 5)]
    assert (balls.radii == 0).all()
    assert (balls.per_point_closed == 60).all()
    assert (balls.per_point_strict == 0).all()
    assert (balls.per_centre_closed == 50).all()
    check(*drawn_from(np.random.default_rng(2).normal(size=(20, 6)), 100, 20), ks=(4, 5))


@pytest.mark.parametrize("offset", [1e3, 1e4])
def test_n18_float32_with_an_offset_decides_like_float64(offset, monkeypatch):
    monkeypatch.setattr(precision, "_ALWAYS_DOUBLE", 0)
    real, synthetic = (np.float32(side) for side in gaussian(32, offset, n=200, m=200))
    check(real, synthetic, ks=(5,))
    check(real, synthetic.astype(np.float64) + 1e-9, ks=(5,))


def test_n26_k_of_all_others():
    real, synthetic = grid()
    k = len(real) - 1
    needs = [
        Knn("real", k), OwnBallCounts("real", k),
        BallCounts("real", "synthetic", k), Nearest("synthetic", "real", k),
    ]
    expected = naive_answers(needs, {"real": real, "synthetic": synthetic})
    assert_same_decisions(ask(needs, real, synthetic), expected)


def test_natural_size_in_float32_products():
    """Large enough that the engine takes float32 by itself."""
    real, synthetic = gaussian(24, n=2100, m=2050)
    chosen = []
    needs = [Knn("real", 5), BallCounts("real", "synthetic", 5), BallRatio("real", "synthetic", 5)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "product_dtype", lambda *a: chosen.append(precision.product_dtype(*a)) or chosen[-1])
        got = ask(needs, real, synthetic)
    assert chosen == [SINGLE, SINGLE]
    assert_same_decisions(got, naive_answers(needs, {"real": real, "synthetic": synthetic}))


@pytest.mark.parametrize("scale", [1e-18, 1e-25])
def test_products_that_would_vanish_in_float32_are_made_in_float64(scale, monkeypatch):
    monkeypatch.setattr(precision, "_ALWAYS_DOUBLE", 0)
    real, synthetic = tiny_but_one(scale)
    left, right = (run.Samples.from_array(side) for side in (real, synthetic))
    assert precision.product_dtype(left, right, np.zeros(4), []) == DOUBLE
    check(real, synthetic, ks=(5,))


def test_inverse_radii_are_numbers_whatever_the_radius():
    """An infinite one would make NaN of a distance of 0, and the pair would be lost."""
    radii2 = np.array([[4.0], [0.0], [1e-60], [1e-310]])
    for dtype in (SINGLE, DOUBLE):
        inverses = _inverses(radii2, np.empty((1, 1), dtype))[0]
        assert inverses[0] == 0.25
        assert np.isnan(inverses[1])
        assert np.isfinite(inverses[2:]).all()


# --- properties ---------------------------------------------------------------------------------------

VALUES = st.sampled_from([0.0, 1.0, -1.0, 2.0, 0.1, 0.3, 1 / 3, 1 + 1e-7, 1e-7, 1 - 1e-7, 1e3, 1e3 + 1e-4, 1e-23])


@st.composite
def pairs(draw):
    """Two small sets full of ties and near-ties, their types, a k, an offset."""
    d = draw(st.integers(1, 9))
    shapes = [(draw(st.integers(2, 24)), d) for _ in range(2)]
    sets = [draw(hnp.arrays(np.float64, shape, elements=VALUES)) for shape in shapes]
    offset = draw(st.sampled_from([0.0, 0.1, 1e4]))
    types = [draw(st.sampled_from([np.float32, np.float64])) for _ in range(2)]
    real, synthetic = ((side + offset).astype(dtype) for side, dtype in zip(sets, types, strict=True))
    return real, synthetic, draw(st.integers(1, min(len(real), len(synthetic)) - 1))


@settings(max_examples=100, deadline=None)
@given(pairs(), st.sampled_from([3, 8, 64]), st.sampled_from([SINGLE, DOUBLE]))
def test_any_small_sets(sets, tile, dtype):
    real, synthetic, k = sets
    with pytest.MonkeyPatch.context() as patch:
        force_products(patch, dtype)
        check(real, synthetic, ks=(k,), tile=tile, threads=1)
