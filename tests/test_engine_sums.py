"""Kernel sums, distance sums and products against direct float64 sums."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np
import pytest

from engine_cases import (
    DOUBLE,
    SINGLE,
    arrays,
    ask,
    clusters,
    drawn_from,
    force_products,
    gaussian,
    outlier,
    tiny_but_one,
)
from oracles.naive_answers import naive_answers
from truegrade.engine import precision
from truegrade.engine.needs import Bandwidth, Cubic, DistanceSum, Gaussian, KernelSum, Knn, ProductWithin

PAIRS = [("real", "real"), ("synthetic", "synthetic"), ("real", "synthetic"), ("synthetic", "real")]
KERNELS = {
    "one": Gaussian(1.5),
    "chain": Gaussian(2.0, (0.25, 0.5, 1.0, 2.0, 4.0)),
    "chain of roots": Gaussian(2.0, tuple(2.0 ** (s / 2) for s in range(-4, 5))),
    "no chain": Gaussian(2.0, (0.3, 1.0, 1.7, 5.0)),
    "unordered, one twice": Gaussian(2.0, (4.0, 0.5, 4.0, 1.0)),
    "far apart": Gaussian(2.0, (1.0, 100.0)),
    "median": Gaussian("median", (0.5, 1.0)),
    "median-real": Gaussian("median-real"),
    "mean-square-real": Gaussian("mean-square-real"),
}
SHAPES = [1, 3, 16, 129]


def compare(needs, real, synthetic, rtol, atol=0.0, **options):
    """Every array of every answer against the direct sums."""
    got = ask(needs, real, synthetic, **options)
    expected = naive_answers(needs, {"real": real, "synthetic": synthetic})
    for need in needs:
        for name, values in arrays(expected[need]).items():
            np.testing.assert_allclose(arrays(got[need])[name], values, rtol=rtol, atol=atol, err_msg=f"{need} {name}")
    return got


@pytest.mark.parametrize("tile", [None, 37])
@pytest.mark.parametrize("d", SHAPES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_gaussian_sums(kernel, d, tile):
    needs = [KernelSum(*pair, KERNELS[kernel]) for pair in PAIRS]
    compare(needs, *gaussian(d), rtol=1e-11, atol=1e-13, tile=tile)


@pytest.mark.parametrize("d", SHAPES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_gaussian_sums_of_float32_products(kernel, d, monkeypatch):
    force_products(monkeypatch, SINGLE)
    needs = [KernelSum(*pair, KERNELS[kernel]) for pair in PAIRS]
    compare(needs, *gaussian(d), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize(("dtype", "rtol"), [(DOUBLE, 1e-12), (SINGLE, 1e-5)], ids=["double", "single"])
@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize("d", SHAPES)
def test_distance_sums(d, offset, dtype, rtol, monkeypatch):
    force_products(monkeypatch, dtype)
    compare([DistanceSum(*pair) for pair in PAIRS], *gaussian(d, offset, dtype), rtol=rtol)


@pytest.mark.parametrize(
    ("d", "dtype", "tolerance"), [*((d, DOUBLE, 1e-9) for d in SHAPES), *((d, SINGLE, 1e-4) for d in SHAPES[1:])]
)
def test_products(d, dtype, tolerance, monkeypatch):
    force_products(monkeypatch, dtype)
    needs = [ProductWithin(*pair, k, scale) for pair in PAIRS[2:] for k, scale in ((4, 1.2), (2, 0.7), (20, 2.0))]
    compare(needs, *gaussian(d), rtol=tolerance, atol=tolerance, tile=50)


@pytest.mark.parametrize(("dtype", "rtol"), [(DOUBLE, 1e-11), (SINGLE, 1e-5)], ids=["double", "single"])
@pytest.mark.parametrize("offset", [0.0, 1e3])
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_cubic_power_sums(pair, offset, dtype, rtol, monkeypatch):
    """The sums of w^p about the common offset, against extended precision; the data are float32."""
    force_products(monkeypatch, dtype)
    sides = dict(zip(("real", "synthetic"), gaussian(16, offset, np.float32), strict=True))
    need = KernelSum(*pair, Cubic())
    got = ask([need], **sides, tile=40)[need]
    a, b = (sides[name].astype(np.longdouble) for name in pair)
    w = a @ b.T / 16 + 1 - np.longdouble(got.offset)
    if pair[0] == pair[1]:
        np.fill_diagonal(w, 0)
    for p in range(3):
        powers = w ** (p + 1)
        size = np.abs(powers)
        np.testing.assert_array_less(np.abs(got.rows[p] - powers.sum(1)), rtol * size.sum(1))
        np.testing.assert_array_less(np.abs(got.columns[p] - powers.sum(0)), rtol * size.sum(0))


@pytest.mark.parametrize("dtype", [DOUBLE, SINGLE], ids=["double", "single"])
def test_cubic_sums_when_only_one_side_is_float32(dtype, monkeypatch):
    """The common centre need not be a float32 number; the float32 side is centred by it all the same."""
    force_products(monkeypatch, dtype)
    real, synthetic = gaussian(8, 1e3 + 1 / 3)
    synthetic = synthetic.astype(np.float32)
    need = KernelSum("synthetic", "synthetic", Cubic())
    got = ask([need], real, synthetic)[need]
    y = synthetic.astype(np.longdouble)
    w = y @ y.T / 8 + 1 - np.longdouble(got.offset)
    np.fill_diagonal(w, 0)
    error = np.abs(got.rows[0] - w.sum(1)) / np.abs(w).sum(1)
    assert error.max() < (1e-12 if dtype == DOUBLE else 1e-8)


@pytest.mark.parametrize("dtype", [DOUBLE, SINGLE], ids=["double", "single"])
@pytest.mark.parametrize("d", [2, 64, 1024])
def test_duplicates_are_at_distance_exactly_0(d, dtype, monkeypatch):
    """Copies only: distances sum to exactly 0, the kernel to the number of pairs, products are 0."""
    force_products(monkeypatch, dtype)
    row = np.random.default_rng(d).normal(size=(1, d)) + 0.3
    real, synthetic = np.repeat(row, 40, 0), np.repeat(row, 30, 0)
    real[:20] += 5.0
    synthetic[:15] += 5.0
    pair = ("real", "synthetic")
    needs = [DistanceSum(*pair), ProductWithin(*pair, 2, 1.0), KernelSum(*pair, Gaussian(1e-3))]
    got = ask(needs, real, synthetic)
    far = np.linalg.norm(real[0] - real[-1])
    np.testing.assert_allclose(got[needs[0]].rows, 15 * far, rtol=1e-6)
    assert (got[needs[1]] == 0).all()
    np.testing.assert_allclose(got[needs[2]].rows, 15.0, rtol=1e-6)
    same = ask([DistanceSum("real", "real")], np.repeat(row, 50, 0), synthetic)
    assert (same[DistanceSum("real", "real")].rows == 0).all()


@pytest.mark.parametrize(("dtype", "rtol"), [(DOUBLE, 1e-13), (SINGLE, 1e-6)], ids=["double", "single"])
@pytest.mark.parametrize("d", [3, 64, 700])
def test_duplicates_among_others_are_at_distance_exactly_0(d, dtype, rtol, monkeypatch):
    """Rounding alone would put them at some 1e-8 (float32: 3e-4) of their norm."""
    force_products(monkeypatch, dtype)
    base = np.random.default_rng(d).normal(size=(40, d)) + 2.0
    real, synthetic = np.repeat(base, 3, 0), np.tile(base, (2, 1))
    needs = [DistanceSum(*pair) for pair in PAIRS]
    compare(needs, real, synthetic, rtol=rtol)
    product = ProductWithin("real", "synthetic", 4, 1.2)
    assert (ask([product], real, synthetic)[product] == 0).all()


def test_a_sample_is_never_paired_with_itself():
    """Far apart in units of the bandwidth: any kernel value above 0 could only be that of a sample with itself."""
    real = 1e3 * np.arange(200.0)[:, None]
    need = KernelSum("real", "real", Gaussian(1.0))
    for tile in (None, 64, 200, 7):
        assert ask([need], real, real, tile=tile)[need].total < 1e-250
    cubic = KernelSum("real", "real", Cubic())
    alone = ask([cubic], np.array([[0.0], [3.0]]), real)[cubic]
    np.testing.assert_allclose(alone.rows[0] + alone.offset, [1.0, 1.0])


@pytest.mark.parametrize("dtype", [DOUBLE, SINGLE], ids=["double", "single"])
@pytest.mark.parametrize("size", [1e6, 1e12])
def test_one_huge_outlier_does_not_spoil_the_sums_of_the_others(size, dtype, monkeypatch):
    force_products(monkeypatch, dtype)
    real, synthetic = outlier(size)
    needs = [KernelSum(*pair, Gaussian(2.0, (0.5, 1.0))) for pair in PAIRS]
    needs += [ProductWithin("real", "synthetic", 4, 1e-6)]
    compare(needs, real, synthetic, rtol=1e-11 if dtype == DOUBLE else 1e-5, atol=1e-6)
    cubic = KernelSum("synthetic", "synthetic", Cubic())
    with_outlier, without = (ask([cubic], r, synthetic)[cubic] for r in (real, np.delete(real, 3, 0)))
    np.testing.assert_allclose(
        with_outlier.rows[0] + 130 * with_outlier.offset, without.rows[0] + 130 * without.offset, rtol=1e-5
    )


def test_cubic_sums_of_the_others_beside_a_huge_sample_of_the_own_side():
    real, _ = outlier(1e12)
    need = KernelSum("real", "real", Cubic())
    rows = ask([need], real, real)[need].rows
    expected = naive_answers([need], {"real": real})[need].rows
    np.testing.assert_allclose(rows[2][3], _recentred(ask([need], real, real)[need], expected)[3], rtol=1e-9)


def _recentred(answer, naive):
    """The naive third power sums, moved to the offset of `answer`."""
    o, n = answer.offset, 149
    return naive[2] - 3 * o * naive[1] + 3 * o**2 * naive[0] - n * o**3


@pytest.mark.parametrize("scale", [1e-20, 1e-25])
def test_sums_of_large_sets_whose_squares_vanish_in_float32(scale, monkeypatch):
    """The engine itself turns to float64."""
    monkeypatch.setattr(precision, "_ALWAYS_DOUBLE", 0)
    needs = [KernelSum("real", "synthetic", Gaussian("median-real")), DistanceSum("real", "synthetic")]
    needs += [Knn("real", 4), ProductWithin("real", "synthetic", 2, 1e-20)]
    compare(needs, *tiny_but_one(scale), rtol=1e-10)


@pytest.mark.parametrize("h", [1e-200, 1e-160, 1e160, 1e300])
def test_bandwidths_at_the_ends_of_the_number_range(h):
    real, synthetic = gaussian(3)
    real[1] = real[0]
    need = KernelSum("real", "real", Gaussian(h))
    expected = 2.0 if h < 1 else 150.0 * 149
    assert ask([need], real, synthetic)[need].total == pytest.approx(expected)


@pytest.mark.parametrize("sets", [clusters, lambda: clusters(1e6), lambda: gaussian(5, 1e8), lambda: outlier(1e9)])
@pytest.mark.parametrize("rule", ["median", "median-real", "mean-square-real"])
def test_bandwidths(sets, rule):
    real, synthetic = sets()
    expected = naive_answers([Bandwidth(rule)], {"real": real, "synthetic": synthetic})[Bandwidth(rule)]
    assert ask([Bandwidth(rule)], real, synthetic)[Bandwidth(rule)] == pytest.approx(expected, rel=1e-6)


def test_bandwidth_of_duplicates():
    few = np.random.default_rng(0).normal(size=(3, 4))
    real, synthetic = drawn_from(few[[0, 0, 0, 0, 1, 2]])
    for rule in ("median", "median-real"):
        expected = naive_answers([Bandwidth(rule)], {"real": real, "synthetic": synthetic})[Bandwidth(rule)]
        assert ask([Bandwidth(rule)], real, synthetic)[Bandwidth(rule)] == pytest.approx(expected, rel=1e-9)
    same = np.full((20, 4), 0.1)
    for rule in ("median", "median-real", "mean-square-real"):
        assert ask([Bandwidth(rule)], same, same)[Bandwidth(rule)] == 1.0


@pytest.mark.parametrize("kernel", [None, Cubic(), Gaussian()], ids=repr)
def test_both_orders_of_a_pair_in_one_sweep(kernel):
    real, synthetic = gaussian(4)
    pairs = (("real", "synthetic"), ("synthetic", "real"))
    one, other = (KernelSum(*pair, kernel) if kernel else DistanceSum(*pair) for pair in pairs)
    got = ask([one, other], real, synthetic)
    np.testing.assert_array_equal(got[one].rows, got[other].columns)
    np.testing.assert_array_equal(got[one].columns, got[other].rows)
    np.testing.assert_array_equal(got[one].rows, ask([one], real, synthetic)[one].rows)


def test_all_kinds_of_sums_in_one_sweep_do_not_mix():
    real, synthetic = gaussian(7)
    needs = [KernelSum("real", "synthetic", KERNELS[name]) for name in ("one", "chain", "no chain")]
    needs += [DistanceSum("real", "synthetic"), ProductWithin("real", "synthetic", 4, 1.2)]
    cubic = KernelSum("real", "synthetic", Cubic())
    together = compare(needs, real, synthetic, rtol=1e-11)
    together = ask([*needs, cubic], real, synthetic)
    for need in (*needs, cubic):
        alone = ask([need], real, synthetic)[need]
        for name, values in arrays(alone).items():
            np.testing.assert_array_equal(arrays(together[need])[name], values)


def test_scales_are_a_mean():
    real, synthetic = gaussian(4)
    each = [KernelSum("real", "real", Gaussian(s)) for s in (0.5, 1.0, 2.0)]
    whole = KernelSum("real", "real", Gaussian(1.0, (0.5, 1.0, 2.0)))
    got = ask([*each, whole], real, synthetic)
    assert got[whole].total == pytest.approx(sum(got[need].total for need in each) / 3, rel=1e-12)


def test_every_pair_of_needs_of_one_side_is_symmetric():
    real, synthetic = gaussian(4)
    kinds = (DistanceSum, partial(KernelSum, kernel=Gaussian()))
    needs = [kind(side, side) for side in ("real", "synthetic") for kind in kinds]
    got = ask(needs, real, synthetic, tile=40)
    for need in needs:
        np.testing.assert_allclose(got[need].rows, got[need].columns, rtol=1e-13)
    for one, other in itertools.pairwise(needs):
        assert got[one].total != got[other].total
