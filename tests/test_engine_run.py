"""Answers do not depend on threads, tiles, row order or how the input is stored; memory stays bounded."""

from __future__ import annotations

import sys
import tracemalloc
from functools import partial

import numpy as np
import pytest

from engine_cases import (
    CASES,
    DOUBLE,
    SINGLE,
    arrays,
    ask,
    assert_identical,
    assert_same_decisions,
    decisions,
    force_products,
    gaussian,
    grid,
    near_ties,
    samples,
)
from oracles.naive_answers import naive_answers
from truegrade import load
from truegrade.engine import kernels, run
from truegrade.engine.needs import (
    Answers,
    BallCounts,
    BallRatio,
    Cubic,
    CubicSums,
    DistanceSum,
    Gaussian,
    KernelSum,
    Knn,
    Nearest,
    OwnBallCounts,
    PairSums,
    ProductWithin,
)
from truegrade.engine.sweep import rounds_across, rounds_within
from truegrade.engine.tiles import Prepared, robust_centre, tile_size
from truegrade.metrics.kernel import KernelDistance
from truegrade.metrics.mmd import MMD
from truegrade.samples import MappedRows, Samples

PAIRS = [("real", "real"), ("synthetic", "synthetic"), ("real", "synthetic")]
SUMS = [
    *(KernelSum(*pair, Gaussian("median", (0.5, 1.0, 2.0))) for pair in PAIRS),
    *(KernelSum(*pair, Cubic()) for pair in PAIRS),
    *(DistanceSum(*pair) for pair in PAIRS),
    *(ProductWithin(*pair, 4, 1.2) for pair in (PAIRS[2], PAIRS[2][::-1])),
]
EVERYTHING = [*decisions((1, 5)), *SUMS]
PRODUCTS = {"single": SINGLE, "double": DOUBLE}
HARD = ["gaussian 8", "duplicates", "near ties", "offset 1e4 float32", "mixed types"]


def assert_same_sums(got: Answers, expected: Answers, rtol: float = 1e-9) -> None:
    """Every number to a relative tolerance of its kind's size."""
    for need in SUMS:
        for name, values in arrays(expected[need]).items():
            scale = np.abs(values).max(-1, keepdims=True) if values.ndim else np.abs(values)
            difference = np.abs(arrays(got[need])[name] - values)
            assert (difference <= rtol * scale).all(), (need, name, (difference / scale).max())


# --- threads, tiles, order ---------------------------------------------------------------------------------


@pytest.mark.parametrize("products", PRODUCTS)
@pytest.mark.parametrize("case", HARD)
def test_n27_any_number_of_threads(case, products, monkeypatch):
    force_products(monkeypatch, PRODUCTS[products])
    real, synthetic = CASES[case]()
    one = ask(EVERYTHING, real, synthetic, tile=30, threads=1)
    for threads in (2, 4):
        assert_identical(ask(EVERYTHING, real, synthetic, tile=30, threads=threads), one)


def test_products_that_are_settled_do_not_show_how_many_threads_there_were():
    """Every product is far below what counts, and tiles whose products are all settled are left out."""
    rng = np.random.default_rng(0)
    real, synthetic = rng.normal(size=(400, 2)), 0.01 * rng.normal(size=(300, 2))
    need = ProductWithin("real", "synthetic", 100, 1.2)
    values = [ask([need], real, synthetic, tile=16, threads=threads)[need] for threads in (1, 2, 4, 4, 4)]
    for other in values[1:]:
        np.testing.assert_array_equal(other, values[0])
    expected = naive_answers([need], {"real": real, "synthetic": synthetic})[need]
    np.testing.assert_allclose(values[0], expected, atol=1e-19)


@pytest.mark.parametrize("products", PRODUCTS)
@pytest.mark.parametrize("case", HARD)
def test_n27_any_size_of_tile(case, products, monkeypatch):
    force_products(monkeypatch, PRODUCTS[products])
    real, synthetic = CASES[case]()
    first = ask(EVERYTHING, real, synthetic)
    rtol = 1e-9 if products == "double" else 1e-6
    for tile in (1000, 64, 21):
        got = ask(EVERYTHING, real, synthetic, tile=tile)
        assert_same_decisions(got, Answers({n: first[n] for n in decisions((1, 5))}, first.sizes, first.dimension))
        assert_same_sums(got, first, rtol)


def reordered(answers: Answers, need, orders):
    """The arrays of an answer, with their rows back in the order before `orders` shuffled the sides."""
    out = {}
    for name, values in arrays(answers[need]).items():
        side = side_of(need, name)
        back = np.argsort(orders[side]) if side else slice(None)
        out[name] = values[..., back] if isinstance(answers[need], (PairSums, CubicSums)) and side else values[back]
    return out


def side_of(need, name):
    """Which side's rows the array called `name` runs over."""
    if name == "offset":
        return None
    if isinstance(need, (Knn, OwnBallCounts)):
        return need.side
    if isinstance(need, Nearest):
        return need.frm
    if isinstance(need, BallCounts):
        return need.centres if name.startswith(("per_centre", "radii")) else need.points
    if isinstance(need, (BallRatio, ProductWithin)):
        return need.points
    return need.a if name == "rows" else need.b


@pytest.mark.parametrize("products", PRODUCTS)
@pytest.mark.parametrize("case", ["gaussian 8", "duplicates", "integers", "near ties"])
def test_n27_any_order_of_rows(case, products, monkeypatch):
    """Per-sample values go where their samples go; totals stay."""
    force_products(monkeypatch, PRODUCTS[products])
    real, synthetic = CASES[case]()
    rng = np.random.default_rng(3)
    orders = {"real": rng.permutation(len(real)), "synthetic": rng.permutation(len(synthetic))}
    before = ask(EVERYTHING, real, synthetic, tile=50)
    after = ask(EVERYTHING, real[orders["real"]], synthetic[orders["synthetic"]], tile=50)
    for need in decisions((1, 5)):
        moved = reordered(after, need, orders)
        for name, values in arrays(before[need]).items():
            if name != "indices":
                np.testing.assert_array_equal(moved[name], values, err_msg=f"{need} {name}")
    for need in SUMS:
        if isinstance(before[need], PairSums):
            rtol = 1e-9 if products == "double" else 1e-6
            np.testing.assert_allclose(after[need].total, before[need].total, rtol=rtol)
            np.testing.assert_allclose(reordered(after, need, orders)["rows"], before[need].rows, rtol=100 * rtol)


def test_n27_totals_of_a_large_set_in_float32_products():
    """Of the size at which float32 is chosen: 1e-9 for another order, another tile, another number of threads."""
    real, synthetic = gaussian(24, n=2100, m=2050)
    needs = [KernelSum("real", "synthetic", Gaussian(5.0)), DistanceSum("real", "synthetic")]
    order = np.random.default_rng(0).permutation(2100)
    first = ask(needs, real, synthetic)
    others = [
        ask(needs, real[order], synthetic),
        ask(needs, real, synthetic, tile=300),
        ask(needs, real, synthetic, threads=1),
    ]
    for need in needs:
        assert first[need].total == pytest.approx(_direct_total(need, real, synthetic), rel=1e-7)
        for other in others:
            assert other[need].total == pytest.approx(first[need].total, rel=1e-9)


def _direct_total(need, real, synthetic):
    return naive_answers([need], {"real": real, "synthetic": synthetic})[need].total


def test_asking_for_more_changes_nothing():
    real, synthetic = near_ties()
    everything = ask(EVERYTHING, real, synthetic)
    for need in EVERYTHING:
        alone = arrays(ask([need], real, synthetic)[need])
        for name, values in arrays(everything[need]).items():
            np.testing.assert_array_equal(alone[name], values, err_msg=f"{need} {name}")


def test_a_third_side():
    real, synthetic = grid()
    holdout = np.random.default_rng(4).integers(0, 4, (50, 3)) * 1.0
    needs = [Nearest("holdout", "real", 2), Nearest("synthetic", "holdout", 3), BallCounts("holdout", "synthetic", 4)]
    sides = {"holdout": holdout, "synthetic": synthetic, "real": real}
    assert_same_decisions(run.answer(needs, samples(**sides)), naive_answers(needs, sides))


# --- how the input is stored ----------------------------------------------------------------------------------


def read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


def unaligned(a):
    room = np.zeros(a.nbytes + 1, np.uint8)
    out = room[1:].view(a.dtype).reshape(a.shape)
    out[...] = a
    return out


FORMS = {
    "read-only": read_only,
    "every other column of a wider array": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "every other row": lambda a: np.repeat(a, 2, axis=0)[::2],
    "Fortran order": np.asfortranarray,
    "backwards": lambda a: a[::-1].copy()[::-1],
    "big-endian": lambda a: a.astype(a.dtype.newbyteorder(">")),
    "unaligned": unaligned,
    "not a plain array": lambda a: a.view(np.ma.MaskedArray),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", FORMS)
def test_any_layout_of_the_input(form, dtype):
    real, synthetic = gaussian(5, dtype=dtype, n=80, m=70)
    expected = ask(EVERYTHING, real, synthetic)
    assert_identical(ask(EVERYTHING, FORMS[form](real), FORMS[form](synthetic)), expected)


def test_the_input_is_left_as_it_is():
    sides = [read_only(side) for side in gaussian(5)]
    copies = [side.copy() for side in sides]
    ask(EVERYTHING, *sides)
    for side, copy in zip(sides, copies, strict=True):
        np.testing.assert_array_equal(side, copy)


@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint16, bool])
def test_any_type_of_number(dtype):
    real, synthetic = (np.abs(np.round(3 * side)).astype(dtype) for side in gaussian(4, n=80, m=70))
    wide = [side.astype(np.float64) for side in (real, synthetic)]
    needs = decisions((1, 4))
    expected = naive_answers(needs, {"real": wide[0], "synthetic": wide[1]})
    assert_same_decisions(ask(needs, real, synthetic, tile=30), expected)
    assert_same_sums(ask(SUMS, real, synthetic), ask(SUMS, *wide))


def test_numbers_near_the_largest_float32():
    """The middle of two of them is one, their sum is none."""
    real, synthetic = (np.float32(2e38 + 1e37 * side) for side in gaussian(3))
    needs = decisions((3,))
    assert np.isfinite(robust_centre(Samples.from_array(real))).all()
    assert_same_decisions(ask(needs, real, synthetic), naive_answers(needs, {"real": real, "synthetic": synthetic}))


# --- blocks ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 63, 64, 65, 1000, 5000, 10**6])
@pytest.mark.parametrize("d", [1, 100, 4096, 10**6])
def test_blocks_have_a_useful_and_bounded_size(n, d):
    size = tile_size(n, d, None)
    assert 64 <= size <= 1024
    assert size % 64 == 0
    assert size == 64 or size * d * 8 <= 32 << 20
    assert tile_size(n, d, 7) == 7


def test_blocks_cover_all_rows_once_and_are_centred():
    real = gaussian(3, 1e3, np.float32)[0]
    centre = robust_centre(Samples.from_array(real))
    side = Prepared(Samples.from_array(real), centre, SINGLE, SINGLE, 40)
    blocks = [side.block(number) for number in range(side.count)]
    assert side.count == 4
    np.testing.assert_array_equal(np.concatenate([block.raw for block in blocks]), real)
    centred = np.concatenate([block.centred for block in blocks])
    np.testing.assert_array_equal(centred.astype(np.float64), real.astype(np.float64) - centre)
    np.testing.assert_allclose(np.concatenate([b.norms for b in blocks]), (centred.astype(float) ** 2).sum(1))
    assert side.block(1) is blocks[1]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8, 20])
def test_every_pair_of_blocks_is_visited_once_and_neighbours_in_the_order_share_none(n):
    order = rounds_within(n)
    assert sorted(order) == [(i, j) for i in range(n) for j in range(i, n)]
    for one_round in rounds(order[n:], n // 2):
        assert len({block for pair in one_round for block in pair}) == 2 * len(one_round)
    for m in (1, 2, n, n + 3):
        across = rounds_across(n, m)
        assert sorted(across) == [(i, j) for i in range(n) for j in range(m)]
        for one_round in rounds(across, min(n, m)):
            assert len({i for i, _ in one_round}) == len({j for _, j in one_round}) == len(one_round)


def rounds(order, length):
    return [order[start : start + length] for start in range(0, len(order), max(length, 1))]


def test_one_huge_sample_does_not_move_the_centre():
    real, _ = gaussian(4)
    moved = real.copy()
    moved[0] = 1e30
    assert np.abs(robust_centre(Samples.from_array(moved))).max() < 0.5


# --- memory -----------------------------------------------------------------------------------------------


def peak_of(work):
    """The most that was allocated while `work` ran, in bytes, and what it returned."""
    tracemalloc.start()
    try:
        result = work()
        return tracemalloc.get_traced_memory()[1], result
    finally:
        tracemalloc.stop()


def on_disk(path, monkeypatch):
    """The samples of a file that is not read into memory although it is small."""
    monkeypatch.setattr(sys.modules["truegrade.load.arrays"], "IN_MEMORY", 0)
    found = load(path)
    assert isinstance(found.rows, MappedRows)
    return found


def test_a_file_larger_than_the_memory_it_takes(tmp_path, monkeypatch):
    """98 MB of synthetic rows on disk; what is allocated is the answers and a few blocks."""
    rng = np.random.default_rng(0)
    real = rng.normal(size=(300, 512)).astype(np.float32)
    synthetic = np.tile(rng.normal(size=(4000, 512)).astype(np.float32), (12, 1))
    synthetic[:, 0] += np.arange(48_000, dtype=np.float32) * 1e-5
    np.save(tmp_path / "synthetic.npy", synthetic)
    needs = [Nearest("synthetic", "real"), Nearest("real", "synthetic", 3), BallCounts("real", "synthetic", 5)]
    mapped = {**samples(real=real), "synthetic": on_disk(tmp_path / "synthetic.npy", monkeypatch)}
    run.answer(needs, mapped)  # what the compiler allocates is not counted
    peak, answers = peak_of(partial(run.answer, needs, mapped))
    assert peak < synthetic.nbytes / 2
    few = np.arange(0, 48_000, 401)
    expected = naive_answers(needs[:1], {"real": real, "synthetic": synthetic[few]})[needs[0]]
    np.testing.assert_array_equal(answers[needs[0]].squared[few], expected.squared)
    np.testing.assert_array_equal(answers[needs[0]].indices[few], expected.indices)
    assert_identical(answers, run.answer(needs, samples(real=real, synthetic=synthetic)))


def test_blocks_of_a_file_are_dropped_and_read_again(tmp_path, monkeypatch):
    """Inside a side on disk: far more blocks than are kept, more threads than blocks."""
    real, synthetic = near_ties()
    np.save(tmp_path / "real.npy", real)
    np.save(tmp_path / "synthetic.npy", synthetic)
    mapped = {name: on_disk(tmp_path / f"{name}.npy", monkeypatch) for name in ("real", "synthetic")}
    in_memory = ask(EVERYTHING, real, synthetic, tile=8)
    first = run.answer(EVERYTHING, mapped, tile=8, threads=1)
    assert_same_decisions(first, Answers({n: in_memory[n] for n in decisions((1, 5))}, {}, 5))
    assert_same_sums(first, in_memory)
    for threads in (2, 6):
        assert_identical(run.answer(EVERYTHING, mapped, tile=8, threads=threads), first)


def test_blocks_that_are_made_anew_change_nothing(monkeypatch):
    """A block that was dropped between two looks at it is another array with the same numbers."""
    monkeypatch.setattr("truegrade.engine.tiles._RESIDENT_BYTES", 0)
    real, synthetic = gaussian(300)
    kept = ask(EVERYTHING, real, synthetic, tile=70)
    monkeypatch.setattr(Prepared, "block", Prepared._make)
    assert_identical(ask(EVERYTHING, real, synthetic, tile=70), kept)


def test_closing_a_sweep_takes_no_copy_of_the_rows(monkeypatch):
    """Rows in memory that are too many to keep centred: their blocks are not all made again at the end."""
    monkeypatch.setattr("truegrade.engine.tiles._RESIDENT_BYTES", 0)
    rng = np.random.default_rng(0)
    real, synthetic = rng.normal(size=(200, 512)), rng.normal(size=(6000, 512))
    needs = [Nearest("synthetic", "real"), Nearest("real", "synthetic")]
    ask(needs, real, synthetic, tile=100)  # what the compiler allocates is not counted
    peak, _ = peak_of(lambda: ask(needs, real, synthetic, tile=100))
    assert peak < synthetic.nbytes / 2


def test_n21_mmd_and_kernel_distance_of_20000_samples_in_bounded_memory():
    """The matrix of all pairs would take 3.2 GB."""
    rng = np.random.default_rng(0)
    real, synthetic = rng.normal(size=(20_000, 8)), rng.normal(size=(20_000, 8))
    needs = [need for metric in (MMD(), KernelDistance()) for need in metric.needs()]
    ask(needs, real[:1500], synthetic[:1500])
    peak, answers = peak_of(lambda: ask(needs, real, synthetic))
    assert peak < 60e6
    assert abs(KernelDistance().compute(answers).value) < 0.01
    assert abs(MMD().compute(answers).value) < 1e-3


def test_compiled_loops_take_blocks_without_a_copy():
    """Rows in memory are read where they are."""
    real, _ = gaussian(4)
    side = Samples.from_array(real)
    block = Prepared(side, robust_centre(side), DOUBLE, DOUBLE, 64).block(1)
    assert np.shares_memory(block.raw, real)
    norms = np.empty(len(block.raw))
    kernels.row_norms(block.centred, norms)
    np.testing.assert_array_equal(norms, block.norms)
