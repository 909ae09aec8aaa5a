"""Samples: what comes through the door, what does not, and what is noted."""

from __future__ import annotations

import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from truegrade import scan as scan_module
from truegrade.errors import InputError
from truegrade.samples import ArrayRows, MappedRows, Samples, align, check_pair

FLOATS = npst.arrays(
    st.sampled_from([np.float32, np.float64]),
    st.tuples(st.integers(1, 12), st.integers(1, 5)),
    elements=st.integers(-(2**20), 2**20).map(lambda v: v / 64),
)


def normal(n: int, d: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, d))


def on_disk(values: np.ndarray, path: Path, columnwise: bool = False) -> MappedRows:
    path.write_bytes(b"header" + values.tobytes("F" if columnwise else "C"))
    return MappedRows(path, 6, values.dtype, values.shape, columnwise)


def codes(real: Samples, synthetic: Samples) -> set[str]:
    return {n.code for n in check_pair(real, synthetic)}


# --- what is accepted -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "to"),
    [
        (bool, "float32"),
        ("u1", "float32"),
        ("i2", "float32"),
        ("f2", "float32"),
        ("i4", "float64"),
        ("u4", "float64"),
        ("i8", "float64"),
        ("u8", "float64"),
        (np.longdouble, "float64"),
    ],
)
def test_n7_integers_booleans_and_float16_become_floats_of_the_same_value(dtype, to):
    given_values = (np.abs(normal(20, 3)) * 5).astype(dtype)
    samples = Samples.from_array(given_values, name="real")
    assert samples.dtype == to
    np.testing.assert_array_equal(samples.array().astype(np.float64), given_values.astype(np.float64))
    (note,) = samples.notices
    assert note.code == "converted"
    assert to in note.text


@pytest.mark.parametrize("order", ["<f4", ">f4", "<f8", ">f8"])
def test_byte_order_changes_neither_values_nor_fingerprint_and_is_no_conversion(order):
    values = normal(9, 4).astype(np.dtype(order).newbyteorder("="))
    samples = Samples.from_array(values.astype(order))
    assert samples.fingerprint == Samples.from_array(values).fingerprint
    assert samples.notices == ()
    assert samples.dtype.isnative


def test_contiguous_floats_are_used_without_a_copy_and_never_changed():
    values = normal(50, 4)
    before = values.copy()
    samples = Samples.from_array(values)
    assert np.shares_memory(samples.array(), values)
    np.testing.assert_array_equal(values, before)


@pytest.mark.parametrize(
    "view", ["strided", "reversed", "transposed", "read-only", "fortran", "list", "matrix"]
)
def test_any_memory_layout_gives_the_values_of_its_plain_copy(view):
    base = normal(12, 6)
    given_values, plain = {
        "strided": lambda: (base[::2, ::3], base[::2, ::3].copy()),
        "reversed": lambda: (base[::-1, ::-1], base[::-1, ::-1].copy()),
        "transposed": lambda: (base.T, base.T.copy()),
        "read-only": lambda: (np.broadcast_to(base[0], (5, 6)), np.tile(base[0], (5, 1))),
        "fortran": lambda: (np.asfortranarray(base), base),
        "list": lambda: (base.tolist(), base),
        "matrix": lambda: (base.view(np.matrix), base),
    }[view]()
    samples = Samples.from_array(given_values)
    assert type(samples.array()) is np.ndarray
    assert samples.array().flags.c_contiguous
    np.testing.assert_array_equal(samples.array(), plain)
    assert samples.fingerprint == Samples.from_array(plain).fingerprint


def test_masked_array_without_masked_values_is_accepted():
    values = normal(4, 2)
    assert Samples.from_array(np.ma.array(values)).fingerprint == Samples.from_array(values).fingerprint


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.float64(3), "0 dimension"),
        (np.zeros(5), "reshape(-1, 1)"),
        (np.zeros((5, 2, 2)), "reshape(len(values), -1)"),
        (np.zeros((0, 3)), "empty (shape 0 x 3)"),
        (np.zeros((3, 0)), "empty (shape 3 x 0)"),
        (np.array([["a", "b"]]), "Encode text"),
        ([[1, None]], "object values"),
        ([[1, 2], [3]], "cannot be read"),
        (np.ones((2, 2), complex), "complex128"),
        (np.zeros((2, 2), "M8[s]"), "datetime64"),
        (np.zeros((2, 2), [("age", float)]), "fields 'age'"),
        (np.ma.masked_equal([[1.0, 2.0]], 2.0), "1 masked value"),
        (np.full((2, 2), 1e41), "up to 1e+41"),
        (np.full((2, 2), 1e-41), "Rescale"),
        (np.array([[2**53 + 1, 0]]), "beyond 2^53"),
        (np.array([[-(2**60), 0]]), "beyond 2^53"),
        (np.array([[2**64 - 1, 0]], np.uint64), "beyond 2^53"),
        (np.array([[np.longdouble("1e4000"), 0]]), "has inf in row 0, column 0"),
    ],
)
def test_what_is_no_set_of_vectors_is_refused_with_the_reason(values, words):
    with pytest.raises(InputError) as error:
        Samples.from_array(values, name="real")
    assert words in str(error.value)
    assert str(error.value).startswith("real ")


def test_largest_integers_that_float64_holds_are_accepted():
    values = np.array([[2**53, -(2**53)]])
    np.testing.assert_array_equal(Samples.from_array(values).array(), values)


def test_n8_flattened_features_are_refused():
    with pytest.raises(InputError, match="2-D array of n samples by d features"):
        Samples.from_array(normal(10, 4).ravel())


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_first_value_that_is_not_finite_is_named_and_such_rows_are_counted_over_the_whole_set(
    bad, dtype, monkeypatch
):
    monkeypatch.setattr(scan_module, "_BLOCK_BYTES", 1024)
    values = normal(1000, 8).astype(dtype)
    values[300, 5] = values[300, 6] = values[301, 0] = values[990, 7] = bad
    with pytest.raises(InputError, match=rf"real has {bad} in row 300, column 5 .* 3 row\(s\) like it"):
        Samples.from_array(values, name="real")
    with pytest.raises(InputError, match="column 'f' "):
        Samples.from_array(values, name="real", columns=list("abcdefgh"))


def test_column_names_must_be_one_per_column_and_all_different():
    with pytest.raises(InputError, match="2 columns but 1 column names"):
        Samples.from_array(np.zeros((2, 2)), columns=["a"])
    with pytest.raises(InputError, match="more than one column named 'a'"):
        Samples.from_array(np.zeros((2, 3)), columns=["b", "a", "a"])


def test_labels_and_ids_are_one_per_row_and_complete():
    samples = Samples.from_array(np.zeros((2, 1)), labels=["cat", "dog"], ids=[7, 9])
    assert samples.labels is not None
    assert samples.labels.tolist() == ["cat", "dog"]
    assert samples.ids is not None
    assert samples.ids.tolist() == [7, 9]
    for wrong, words in (
        (["cat"], "give one per row"),
        ([["cat"], ["dog"]], "give one per row"),
        ([[1], [1, 2]], "no plain list"),
        (["cat", None], "1 missing labels, first in row 1 .* drop those rows"),
        ([np.nan, 1.0], "1 missing labels, first in row 0"),
    ):
        with pytest.raises(InputError, match=words):
            Samples.from_array(np.zeros((2, 1)), labels=wrong)


# --- the one pass: spread, mean, ranges, fingerprint ----------------------------------------------


@given(FLOATS)
@settings(max_examples=60, deadline=None)
def test_summary_equals_its_definition(values):
    summary = Samples.from_array(values).summary
    exact = values.astype(np.float64)
    expected = np.sqrt(((exact - exact.mean(0)) ** 2).sum(1).mean())
    assert summary.spread == pytest.approx(expected, rel=1e-12, abs=1e-9)
    np.testing.assert_allclose(summary.mean, exact.mean(0), rtol=1e-12, atol=1e-9)
    np.testing.assert_array_equal(summary.lowest, values.min(0))
    np.testing.assert_array_equal(summary.highest, values.max(0))


@pytest.mark.parametrize("first", [0.0, 1e12])
def test_spread_survives_offsets_and_a_first_row_far_away(first, monkeypatch):
    monkeypatch.setattr(scan_module, "_BLOCK_BYTES", 4096)
    noise = np.round(normal(5000, 3) * 2**20) / 2**20
    values = noise + 1e8
    values[0] += first
    summary = Samples.from_array(values).summary
    long = values.astype(np.longdouble)
    expected = float(np.sqrt(((long - long.mean(0)) ** 2).sum(1).mean()))
    assert summary.spread == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("scale", [3e38, -3e38, 1e-38])
def test_extreme_float32_values_give_a_spread_without_warnings(scale):
    values = np.array([[1.0], [-1.0]], np.float32) * np.float32(scale)
    assert Samples.from_array(values).spread == pytest.approx(abs(scale), rel=1e-6)


def test_extreme_float64_values_give_a_finite_spread():
    assert Samples.from_array(np.array([[1e40], [-1e40]] * 50)).spread == pytest.approx(1e40)
    assert Samples.from_array(np.zeros((3, 2))).spread == 0


@given(FLOATS, FLOATS)
@settings(max_examples=60, deadline=None)
def test_fingerprints_are_equal_if_and_only_if_the_contents_are(a, b):
    same = a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    assert (Samples.from_array(a).fingerprint == Samples.from_array(b).fingerprint) == same
    assert Samples.from_array(a).fingerprint == Samples.from_array(a.copy("F")).fingerprint


def test_fingerprint_knows_shape_dtype_and_order_of_rows():
    values = normal(6, 4).astype(np.float32)
    variants = [values, values.reshape(4, 6), values.astype(np.float64), values[::-1], values[:, ::-1]]
    assert len({Samples.from_array(v).fingerprint for v in variants}) == len(variants)


def test_summary_does_not_depend_on_the_number_of_blocks_read_in_parallel():
    values = normal(40_000, 30)  # 5 blocks
    summary = Samples.from_array(values).summary
    assert summary.spread == pytest.approx(np.sqrt(values.var(0).sum()), rel=1e-12)
    again = Samples.from_array(values).summary
    assert again.spread == summary.spread
    assert again.fingerprint == summary.fingerprint
    np.testing.assert_array_equal(again.mean, summary.mean)


def test_name_and_source_do_not_enter_the_fingerprint():
    values = normal(4, 2)
    one, two = Samples.from_array(values, name="a"), Samples.from_array(values, name="b", source="b.npy")
    assert one.fingerprint == two.fingerprint


# --- rows on disk ---------------------------------------------------------------------------------


@given(
    npst.arrays(
        st.sampled_from(["<f4", ">f4", "<f8", ">f8", "<f2", "<i2", ">i4", "|u1", "|b1"]),
        st.tuples(st.integers(1, 30), st.integers(1, 4)),
        elements=st.integers(0, 1),
    ),
    st.booleans(),
    st.integers(1, 7),
)
@settings(max_examples=80, deadline=None)
def test_rows_on_disk_equal_rows_in_memory(tmp_path_factory, values, columnwise, size):
    mapped = on_disk(values, tmp_path_factory.mktemp("rows") / "x.bin", columnwise and min(values.shape) > 1)
    disk = Samples.from_rows(mapped, name="a", source="x.bin")
    memory = Samples.from_array(values)
    assert disk.fingerprint == memory.fingerprint
    assert disk.dtype == memory.dtype
    assert disk.spread == memory.spread
    np.testing.assert_array_equal(np.vstack(list(disk.blocks(size))), memory.array())
    rows = np.random.default_rng(size).integers(0, len(values), 2 * len(values))
    np.testing.assert_array_equal(mapped.take(rows), memory.rows.take(rows))
    assert disk.subset(rows).fingerprint == memory.subset(rows).fingerprint


@pytest.mark.parametrize("columnwise", [False, True])
def test_reading_beyond_the_ends_stops_at_them(tmp_path, columnwise):
    values = normal(5, 3)
    mapped = on_disk(values, tmp_path / "x.bin", columnwise)
    for rows in (mapped, ArrayRows(values)):
        np.testing.assert_array_equal(rows.read(3, 99), values[3:])
        assert rows.read(5, 9).shape == (0, 3)
        assert rows.take(np.array([], np.intp)).shape == (0, 3)


def test_file_that_shrinks_while_it_is_read_is_named(tmp_path):
    mapped = on_disk(normal(10, 3), tmp_path / "x.bin")
    mapped.path.write_bytes(mapped.path.read_bytes()[:100])
    with pytest.raises(InputError, match=r"x\.bin ended early"):
        mapped.read(0, 10)


@pytest.mark.parametrize("dtype", ["<f4", "<i2", ">f8"])
def test_memory_of_a_scan_does_not_grow_with_the_file(tmp_path, dtype):
    kind = np.dtype(dtype)
    n = 200 * 10**6 // (512 * kind.itemsize)
    with open(tmp_path / "big.bin", "wb") as file:
        file.truncate(n * 512 * kind.itemsize)  # zeros that take no room on the disk
    tracemalloc.start()
    try:
        samples = Samples.from_rows(
            MappedRows(tmp_path / "big.bin", 0, kind, (n, 512)), name="big", source="big.bin"
        )
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert samples.n == n
    assert samples.spread == 0
    assert peak < 60e6


# --- parts of a set -------------------------------------------------------------------------------


def test_subset_takes_rows_with_everything_that_belongs_to_them():
    samples = Samples.from_array(
        np.arange(8).reshape(4, 2), name="a", labels=list("wxyz"), ids=[1, 2, 3, 4], columns=["p", "q"]
    )
    part = samples.subset(np.array([3, 0, 3]), name="b")
    np.testing.assert_array_equal(part.array(), [[6, 7], [0, 1], [6, 7]])
    assert part.labels is not None
    assert part.ids is not None
    assert (part.name, part.columns, part.notices) == ("b", ("p", "q"), samples.notices)
    assert part.labels.tolist() == ["z", "w", "z"]
    assert part.ids.tolist() == [4, 1, 4]
    assert part.fingerprint == Samples.from_array(part.array()).fingerprint
    np.testing.assert_array_equal(
        samples.subset(np.array([False, True, True, False])).array(), [[2, 3], [4, 5]]
    )


@pytest.mark.parametrize("rows", [[4], [-1]])
def test_subset_of_rows_that_do_not_exist_is_an_index_error(rows):
    with pytest.raises(IndexError):
        Samples.from_array(normal(4, 2)).subset(np.array(rows))


def test_repr_and_length_say_what_it_is():
    samples = Samples.from_array(normal(4, 2), name="model")
    assert repr(samples) == "Samples('model', 4 x 2 float64, from memory)"
    assert len(samples) == samples.n == 4


# --- pairs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", ["real", "synthetic"])
def test_n6_one_sample_is_refused_and_the_side_named(side):
    many, one = Samples.from_array(normal(5, 2)), Samples.from_array(normal(1, 2), name="small")
    pair = (one, many) if side == "real" else (many, one)
    with pytest.raises(InputError, match=rf"The {side} set \(small\) has 1 sample; at least 2 are needed"):
        check_pair(*pair)


def test_different_widths_are_refused_and_both_named():
    real, other = Samples.from_array(normal(6, 3)), Samples.from_array(normal(5, 4), name="model")
    with pytest.raises(InputError, match=r"Real samples have 3 features, synthetic samples \(model\) have 4"):
        check_pair(real, other)
    with pytest.raises(InputError, match="transpose both"):
        check_pair(Samples.from_array(normal(6, 30)), Samples.from_array(normal(6, 40)))


@pytest.mark.parametrize(
    ("n", "m", "d", "warned"),
    [
        (64, 64, 1000, True),  # 1000 samples of 64 features, turned
        (512, 512, 700, True),
        (20, 20, 500, True),
        (50, 50, 64, False),
        (1000, 1000, 2048, False),
        (64, 100, 150, False),
        (1000, 1000, 10, False),
        (20, 600, 500, False),
    ],
)
def test_n8_transposed_features_are_warned_about(n, m, d, warned):
    real, synthetic = Samples.from_array(np.zeros((n, d))), Samples.from_array(np.zeros((m, d)))
    assert ("transposed" in codes(real, synthetic)) == warned


def test_sizes_scale_and_constant_columns_are_noted():
    real, same = Samples.from_array(normal(600, 3)), Samples.from_array(normal(600, 3, 1))
    assert codes(real, same) == set()
    assert codes(real, Samples.from_array(normal(499, 3))) == {"few_samples"}
    assert codes(real, Samples.from_array(normal(1201, 3))) == {"unequal_sizes"}
    assert codes(real, Samples.from_array(normal(600, 3) * 21)) == {"scale_mismatch"}
    assert codes(real, Samples.from_array(normal(600, 3) / 21)) == {"scale_mismatch"}
    left, right = normal(600, 3), normal(600, 3, 1)
    left[:, 1], right[:, 1] = 7, 7
    notes = check_pair(Samples.from_array(left), Samples.from_array(right))
    assert [n.text.split(" are")[0] for n in notes] == ["1 of 3 columns"]
    right[:, 1] = 8
    assert codes(Samples.from_array(left), Samples.from_array(right)) == set()


def test_notes_of_both_sides_are_passed_on_once():
    real = Samples.from_array(np.ones((600, 2), int), name="a")
    assert [n.code for n in check_pair(real, real)].count("converted") == 1


def test_t5_columns_in_another_order_are_matched_by_name_with_a_note():
    values = normal(30, 3)
    real = Samples.from_array(values, columns=["x", "y", "z"])
    model = Samples.from_array(
        values[:, [2, 0, 1]], name="model", columns=["z", "x", "y"], labels=["l"] * 30, ids=range(30)
    )
    with pytest.raises(InputError, match="another order"):
        check_pair(real, model)
    aligned = align(real, model)
    assert aligned.columns == real.columns
    assert aligned.fingerprint == real.fingerprint
    assert aligned.name == "model"
    assert aligned.ids is model.ids
    assert aligned.labels is model.labels
    assert [n.code for n in aligned.notices] == ["columns_reordered"]
    assert "columns_reordered" in codes(real, aligned)


def test_t5_missing_and_extra_columns_are_listed():
    real = Samples.from_array(normal(3, 3), name="real", columns=["x", "y", "z"])
    model = Samples.from_array(normal(3, 2), name="model", columns=["x", "w"])
    with pytest.raises(InputError, match="it lacks 'y', 'z'; it alone has 'w'"):
        align(real, model)
    wide = Samples.from_array(normal(3, 14), columns=[f"c{i}" for i in range(14)])
    with pytest.raises(InputError, match="'c9' and 4 more"):
        align(real, wide)


def test_sets_without_names_on_one_side_are_matched_by_position():
    real, model = Samples.from_array(normal(3, 2), columns=["x", "y"]), Samples.from_array(normal(3, 2))
    assert align(real, model) is model
    assert align(model, real) is real
    assert align(real, real) is real
    assert "columns_reordered" not in codes(real, model)


def test_no_numpy_warning_escapes_a_scan_of_wild_values():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError):
            Samples.from_array(np.array([[np.nan, np.inf], [1e308, -1e308]]))
        with pytest.raises(InputError):
            Samples.from_array(np.array([[1e308], [-1e308]]))
