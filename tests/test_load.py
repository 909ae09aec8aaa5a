"""Loading: files and foreign objects become Samples, and what goes wrong is said in one line."""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
import types
import zipfile
from pathlib import Path

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from truegrade import archive
from truegrade.errors import InputError, MissingExtra
from truegrade.load import LOADERS, arrays, as_samples, load
from truegrade.samples import MappedRows, Samples

ARRAYS = npst.arrays(
    st.sampled_from(["<f4", ">f4", "<f8", ">f8", "<f2", "<i2", "<i8", "|u1", "|b1"]),
    st.tuples(st.integers(1, 8), st.integers(1, 4)),
    elements=st.integers(0, 1),
)


def normal(n: int = 6, d: int = 3, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, d))


def text(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


def npy_bytes(values: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, values, allow_pickle=True)
    return buffer.getvalue()


class Bomb:
    """Its unpickling would be noticed."""

    def __reduce__(self):
        return (pytest.fail, ("a file was unpickled",))


# --- paths ---------------------------------------------------------------------------------------


def test_wrong_path_says_what_was_looked_for_and_what_is_near(tmp_path):
    np.save(tmp_path / "real.npy", normal())
    with pytest.raises(InputError) as error:
        load(tmp_path / "reel.npy")
    assert f"There is no file {tmp_path / 'reel.npy'} (looked in {tmp_path})" in str(error.value)
    assert f"Did you mean {tmp_path / 'real.npy'}?" in str(error.value)
    with pytest.raises(InputError, match=r"the folder .*nowhere does not exist"):
        load(tmp_path / "nowhere" / "real.npy")


@pytest.mark.parametrize("name", ["real.txt", "real", "real.pkl", "real.npy.gz"])
def test_unknown_suffix_lists_the_accepted_ones(tmp_path, name):
    (tmp_path / name).write_bytes(b"1,2")
    with pytest.raises(InputError) as error:
        load(tmp_path / name)
    assert all(suffix in str(error.value) for suffix in LOADERS)


def test_folder_and_other_non_files_are_refused_with_the_accepted_suffixes(tmp_path):
    with pytest.raises(InputError, match=r"There are no images in the folder .*found nothing at all"):
        load(tmp_path)
    os.mkfifo(tmp_path / "pipe.npy")
    with pytest.raises(InputError, match="not a regular file"):
        load(tmp_path / "pipe.npy")


@pytest.mark.parametrize("name", ["REAL.NPY", "a [1] * ü.npy", "b.zip.npy"])
def test_odd_names_are_taken_literally(tmp_path, name):
    with open(tmp_path / name, "wb") as file:
        np.save(file, normal())
    samples = load(str(tmp_path / name))
    assert samples.name == name[:-4]
    assert samples.source == str(tmp_path / name)


def test_unreadable_file_is_an_input_error(tmp_path, monkeypatch):
    def refuse(path, choice):
        raise PermissionError(13, "Permission denied")

    np.save(tmp_path / "a.npy", normal())
    monkeypatch.setitem(LOADERS, ".npy", refuse)
    with pytest.raises(InputError, match="cannot be read: Permission denied"):
        load(tmp_path / "a.npy")


# --- .npy ----------------------------------------------------------------------------------------


@given(ARRAYS, st.sampled_from("CF"), st.sampled_from([(1, 0), (2, 0)]), st.booleans())
@settings(max_examples=80, deadline=None)
def test_npy_gives_back_the_array_in_memory_and_from_disk(tmp_path_factory, values, order, version, large):
    path = tmp_path_factory.mktemp("npy") / "x.npy"
    with open(path, "wb") as file:
        np.lib.format.write_array(file, np.asarray(values, order=order), version)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "IN_MEMORY", 0 if large else 2**20)
        samples = load(path)
    expected = Samples.from_array(values)
    assert isinstance(samples.rows, MappedRows) == large
    assert samples.dtype == expected.dtype
    assert samples.fingerprint == expected.fingerprint
    assert [n.code for n in samples.notices] == [n.code for n in expected.notices]
    np.testing.assert_array_equal(samples.array(), values)


def test_large_npy_is_found_again_after_a_change_of_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(arrays, "IN_MEMORY", 0)
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", values := normal())
    samples = load("x.npy")
    monkeypatch.chdir("/")
    np.testing.assert_array_equal(samples.array(), values)
    assert samples.source == "x.npy"


@pytest.mark.parametrize("cut", [1, 100, 150])
def test_truncated_npy_is_named(tmp_path, cut):
    content = npy_bytes(normal())
    (tmp_path / "x.npy").write_bytes(content[:-cut])
    with pytest.raises(InputError, match=r"x\.npy\) (is cut short: .* 144 bytes|is not a \.npy file)"):
        load(tmp_path / "x.npy")


def test_npy_with_more_than_one_array_is_refused(tmp_path):
    (tmp_path / "x.npy").write_bytes(npy_bytes(normal()) * 2)
    with pytest.raises(InputError, match="several arrays in one file"):
        load(tmp_path / "x.npy")


@pytest.mark.parametrize(
    "content", [b"", b"1,2\n3,4\n", b"\x93NUMPY\x01\x00\x10\x00{not a header}", b"PK\x03\x04"]
)
def test_other_content_under_the_name_npy_is_refused(tmp_path, content):
    (tmp_path / "x.npy").write_bytes(content)
    with pytest.raises(InputError, match=r"is not a \.npy file"):
        load(tmp_path / "x.npy")


def test_w3_pickled_npy_is_refused_and_nothing_is_unpickled(tmp_path):
    (tmp_path / "objects.npy").write_bytes(npy_bytes(np.array([[Bomb(), 1]], object)))
    with pytest.raises(InputError, match="holds pickled Python objects"):
        load(tmp_path / "objects.npy")
    (tmp_path / "pickle.npy").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(InputError, match=r"is not a \.npy file"):
        load(tmp_path / "pickle.npy")


@pytest.mark.parametrize("values", [np.zeros(4), np.zeros((2, 2, 2)), np.float64(1)])
def test_n8_npy_of_other_dimensions_is_refused(tmp_path, values):
    np.save(tmp_path / "x.npy", values)
    with pytest.raises(InputError, match=f"{values.ndim} dimension"):
        load(tmp_path / "x.npy")


def test_npy_of_text_dates_records_or_complex_numbers_is_refused(tmp_path):
    for values in (np.array([["a"]]), np.zeros((2, 2), "M8[s]"), np.zeros(2, [("a", "f8")]), normal() * 1j):
        np.save(tmp_path / "x.npy", values)
        with pytest.raises(InputError, match=r"Encode text|records with the fields 'a'"):
            load(tmp_path / "x.npy")


def test_negative_shape_in_a_header_is_damage(tmp_path):
    content = npy_bytes(normal(2, 2)).replace(b"(2, 2)", b"(-2,2)")
    (tmp_path / "x.npy").write_bytes(content)
    with pytest.raises(InputError, match="damaged"):
        load(tmp_path / "x.npy")


def test_labels_and_ids_beside_a_npy_are_sequences(tmp_path):
    np.save(tmp_path / "x.npy", normal())
    samples = load(tmp_path / "x.npy", labels=list("aabbcc"), ids=np.arange(6), name="other")
    assert samples.labels is not None
    assert samples.ids is not None
    assert (samples.name, samples.labels.tolist(), samples.ids.tolist()) == (
        "other",
        list("aabbcc"),
        [*range(6)],
    )
    for wish in ({"labels": "y"}, {"ids": "y"}, {"columns": ["y"]}, {"key": "y"}):
        with pytest.raises(InputError, match="'y'"):
            load(tmp_path / "x.npy", **wish)


# --- .npz ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("order", ["C", "F"])
def test_only_array_of_a_npz_is_taken_without_a_key(tmp_path, save, order):
    save(tmp_path / "x.npz", np.asarray(normal(), order=order))
    assert load(tmp_path / "x.npz").fingerprint == Samples.from_array(normal()).fingerprint


def test_w3_npz_without_the_expected_key_lists_the_keys(tmp_path):
    np.savez(tmp_path / "x.npz", features=normal().astype("f4"), y=np.arange(6), o=np.array([Bomb()], object))
    with pytest.raises(InputError, match=r"3 arrays: 'features' \(6 x 3 float32\), 'y' \(6 int64\), 'o'"):
        load(tmp_path / "x.npz")
    with pytest.raises(InputError, match="has no array 'feature'; it has 'features', 'y', 'o'"):
        load(tmp_path / "x.npz", key="feature")
    with pytest.raises(InputError, match=r"'o' of x .* holds pickled Python objects"):
        load(tmp_path / "x.npz", key="o")
    with pytest.raises(InputError, match=r"'o' of x .* holds pickled Python objects"):
        load(tmp_path / "x.npz", key="features", labels="o")
    with pytest.raises(InputError, match="has no array 'z'"):
        load(tmp_path / "x.npz", key="features", labels="z")
    with pytest.raises(InputError, match="columns"):
        load(tmp_path / "x.npz", columns=["a"])
    assert load(tmp_path / "x.npz", key="features").dtype == np.float32


def test_labels_and_ids_can_be_arrays_of_the_archive(tmp_path):
    np.savez(tmp_path / "x.npz", values=normal(3, 2), y=np.array(["a", "b", "a"]), i=np.arange(3))
    samples = load(tmp_path / "x.npz", labels="y", ids="i")
    assert samples.labels is not None
    assert samples.ids is not None
    assert (samples.labels.tolist(), samples.ids.tolist()) == (["a", "b", "a"], [0, 1, 2])


def test_w3_zip_bomb_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "_BOMB_BYTES", 2**20)
    np.savez_compressed(tmp_path / "bomb.npz", np.zeros((1024, 1024)))
    with pytest.raises(InputError, match="decompression bomb"):
        load(tmp_path / "bomb.npz")
    np.savez_compressed(tmp_path / "bomb.npz", a=np.zeros((1024, 1024)), b=np.zeros(2))
    with pytest.raises(InputError, match="decompression bomb"):
        load(tmp_path / "bomb.npz")
    monkeypatch.setattr(archive, "_BOMB_RATIO", 2000)
    assert load(tmp_path / "bomb.npz", key="a").n == 1024


@pytest.mark.parametrize("claim", [b"(9, 3)", b"(2, 3)"])
def test_w3_archive_whose_header_lies_is_damaged(tmp_path, claim):
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("x.npy", npy_bytes(normal()).replace(b"(6, 3)", claim))
    with pytest.raises(InputError, match="damaged: its header promises"):
        load(tmp_path / "x.npz")


@pytest.mark.parametrize("claimed", [0, 200, 272 + 8, 2**31])
def test_w3_archive_whose_stated_size_lies_is_refused(tmp_path, claimed):
    with zipfile.ZipFile(tmp_path / "x.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", npy_bytes(normal()))
    content = bytearray((tmp_path / "x.npz").read_bytes())
    at = content.index(b"PK\x01\x02") + 24
    content[at : at + 4] = claimed.to_bytes(4, "little")
    (tmp_path / "x.npz").write_bytes(content)
    with pytest.raises(InputError):
        load(tmp_path / "x.npz")


def test_truncated_corrupt_empty_and_foreign_archives_are_refused(tmp_path):
    np.savez(tmp_path / "x.npz", normal())
    whole = (tmp_path / "x.npz").read_bytes()
    broken = bytearray(whole)
    broken[200] ^= 1
    for content, words in (
        (whole[:-60], "not a .npz archive"),
        (bytes(broken), "damaged"),
        (b"", "not a .npz archive"),
        (b"\x93NUMPY", "not a .npz archive"),
    ):
        (tmp_path / "x.npz").write_bytes(content)
        with pytest.raises(InputError, match=words):
            load(tmp_path / "x.npz")
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("readme.txt", "no arrays here")
    with pytest.raises(InputError, match="no array to grade"):
        load(tmp_path / "x.npz")


# --- .csv and .tsv -------------------------------------------------------------------------------


def values_of(samples: Samples) -> list[list[float]]:
    return samples.array().tolist()


@pytest.mark.parametrize(
    ("content", "columns", "values"),
    [
        ("a,b\n1,2\n3,4\n", ("a", "b"), [[1, 2], [3, 4]]),
        ("1,2\n3,4\n", None, [[1, 2], [3, 4]]),
        ("\ufeffa,b\r\n1,2\r\n3,4", ("a", "b"), [[1, 2], [3, 4]]),
        ("a;b\n1;2\n3;4\n", ("a", "b"), [[1, 2], [3, 4]]),
        ("a\tb\n1\t2\n3\t4\n", ("a", "b"), [[1, 2], [3, 4]]),
        ("a, b\n 1, -2.5e3\n\n+3 ,.4\n\n", ("a", "b"), [[1, -2500], [3, 0.4]]),
        ("0,1,2\n5,6,7\n8,9,1\n", None, [[5, 6, 7], [8, 9, 1]]),
        ("0,1\n5,6\n", None, [[0, 1], [5, 6]]),
        ("age,2019,2020\n1,2,3\n", ("age", "2019", "2020"), [[1, 2, 3]]),
        ("a\n1\n2\n", ("a",), [[1], [2]]),
        ("a_1,1_0\n1,2\n", ("a_1", "1_0"), [[1, 2]]),
    ],
)
def test_csv_with_and_without_a_header(tmp_path, content, columns, values):
    samples = load(text(tmp_path / "x.csv", content))
    assert samples.columns == columns
    assert values_of(samples) == values
    assert samples.dtype == np.float64


def test_tsv_is_split_at_tabs_only(tmp_path):
    samples = load(text(tmp_path / "x.tsv", "a,1\tb,2\tc,3\n1\t2\t3\n"))
    assert samples.columns == ("a,1", "b,2", "c,3")


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_t10_column_names_with_newlines_quotes_dots_and_spaces_work(tmp_path, suffix):
    names = ["a\nb", 'say "x"', "v.1", " two  words", "<script>", "a,b"]
    frame = pd.DataFrame(normal(4, 6), columns=names)
    path = tmp_path / f"x{suffix}"
    frame.to_csv(path, index=False) if suffix == ".csv" else frame.to_parquet(path)
    samples = load(path)
    assert samples.columns is not None
    assert [c.strip() for c in samples.columns] == [c.strip() for c in names]
    np.testing.assert_array_equal(samples.array(), frame.to_numpy())
    assert load(path, columns=["a\nb"]).d == 1


@given(
    npst.arrays(np.float64, (5, 3), elements=st.floats(-1e39, 1e39).filter(lambda v: v == 0 or abs(v) > 1e-9))
)
@settings(max_examples=25, deadline=None)
def test_csv_gives_back_every_bit_that_was_written(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    lines = [",".join(map(repr, row)) for row in (values + 0.0).tolist()]
    samples = load(text(path, "\n".join(["a,b,c", *lines])))
    assert samples.fingerprint == Samples.from_array(values + 0.0).fingerprint


def test_columns_of_text_are_listed_once_with_examples_and_the_way_out(tmp_path):
    path = text(tmp_path / "x.csv", "age,sex,city,day\n1,F,Ulm,2020-01-01\n2,M,,\n")
    with pytest.raises(InputError) as error:
        as_samples(path)
    assert "3 column(s) that are not numbers: 'sex' (such as 'F'), 'city' (such as 'Ulm'), 'day'" in str(
        error.value
    )
    assert "columns=[...]" in str(error.value)
    assert "labels=" in str(error.value)
    assert values_of(load(path, columns=["age"])) == [[1], [2]]


@pytest.mark.parametrize("cell", ["", "NA", "nan", "null", "  "])
def test_missing_cells_of_a_csv_are_refused_with_row_and_column(tmp_path, cell):
    path = text(tmp_path / "x.csv", f"age,size\n1,2\n3,{cell}\n4,{cell}\n")
    with pytest.raises(InputError, match=r"nan in row 1, column 'size' .* 2 row\(s\)"):
        as_samples(path)


def test_missing_cell_of_a_single_column_is_not_skipped_as_a_blank_line(tmp_path):
    with pytest.raises(InputError, match="nan in row 1, column 'age'"):
        as_samples(text(tmp_path / "x.csv", "age\n1\n\n3\n"))


def test_labels_and_ids_can_be_columns_of_a_csv(tmp_path):
    path = text(tmp_path / "x.csv", "who,x,kind,y\np1,1,cat,2\np2,3,dog,4\n")
    samples = load(path, labels="kind", ids="who")
    assert samples.labels is not None
    assert samples.ids is not None
    assert (samples.columns, values_of(samples)) == (("x", "y"), [[1, 2], [3, 4]])
    assert (samples.labels.tolist(), samples.ids.tolist()) == (["cat", "dog"], ["p1", "p2"])
    assert load(path, labels="kind", columns=["y", "x"]).columns == ("y", "x")
    assert load(path, columns="y").columns == ("y",)
    for wish in ({"labels": "kinds"}, {"columns": ["x", "kinds"]}):
        with pytest.raises(InputError, match="no column 'kinds'; it has 'who', 'x', 'kind', 'y'"):
            load(path, **wish)
    with pytest.raises(InputError, match="1 missing labels, first in row 1"):
        load(text(tmp_path / "y.csv", "x,kind\n1,cat\n2,\n"), labels="kind")


@pytest.mark.parametrize("names", [list("abc"), [0, 1, 2]])
def test_t7_row_names_in_an_unnamed_first_column_are_ids_and_no_feature(tmp_path, names):
    frame = pd.DataFrame(normal(5, 3), columns=names, index=list("vwxyz"))
    frame.to_csv(tmp_path / "x.csv")
    samples = load(tmp_path / "x.csv")
    assert samples.ids is not None
    assert samples.ids.tolist() == list("vwxyz")
    np.testing.assert_array_equal(samples.array(), frame.to_numpy())


def test_first_row_that_may_be_names_or_a_sample_is_refused(tmp_path):
    with pytest.raises(InputError, match="first row mixes numbers and text"):
        load(text(tmp_path / "x.csv", "5.1,3.5,setosa\n4.9,3.0,setosa\n"))


def test_counted_columns_beside_a_column_of_labels_are_names(tmp_path):
    samples = load(text(tmp_path / "x.csv", "0,1,2,kind\n5,6,7,cat\n"), labels="kind")
    assert (samples.columns, values_of(samples)) == (None, [[5, 6, 7]])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("a,b\n", "empty"),
        ("a,b\n1,2\n3\n", r"row 1 .* has 1 cells, the first row has 2"),
        ("a,b\n1,2\n3,4,5\n", r"row 1 .* has 3 cells"),
        ("a,a\n1,2\n", "more than one column named 'a'"),
        ("a,b\n1,inf\n", "inf in row 0, column 'b'"),
        ("a,b\n1,1_0\n", r"'b' \(such as '1_0'\)"),
        ("a,b\n1,12345678901234567890\n", "column 'b' .* beyond 2\\^53"),
        ("a,b\n1,1\x002\n", "not numbers|cannot be read"),
        ("a\n" + "1" * 200_000 + "\n", "cannot be read as a table: field larger"),
    ],
)
def test_malformed_csv_is_refused_with_the_place(tmp_path, content, words):
    with pytest.raises(InputError, match=words):
        as_samples(text(tmp_path / "x.csv", content))


def test_csv_in_another_encoding_is_refused(tmp_path):
    (tmp_path / "x.csv").write_bytes("größe\n1\n".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        load(tmp_path / "x.csv")


def test_long_csv_is_read_batch_by_batch(tmp_path):
    values = np.round(normal(5000, 2), 6)
    path = tmp_path / "x.csv"
    pd.DataFrame(values, columns=["a", "b"]).to_csv(path, index=False)
    np.testing.assert_array_equal(load(path).array(), values)
    with open(path, "a") as file:
        file.write("1,\n")
    with pytest.raises(InputError, match="nan in row 5000, column 'b'"):
        as_samples(path)


# --- .parquet ------------------------------------------------------------------------------------


@pytest.mark.parametrize("index", [range(3), [7, 8, 9], list("xyz"), pd.Index([4, 5, 6], name="patient")])
def test_t7_index_stored_in_parquet_is_no_feature(tmp_path, index):
    frame = pd.DataFrame(normal(3, 2), columns=["a", "b"], index=index)
    frame.to_parquet(tmp_path / "x.parquet")
    assert load(tmp_path / "x.parquet").columns == ("a", "b")
    assert load(tmp_path / "x.parquet").fingerprint == Samples.from_array(frame.to_numpy()).fingerprint
    assert as_samples(pa.Table.from_pandas(frame)).columns == ("a", "b")
    assert as_samples(frame).columns == ("a", "b")


def test_damaged_parquet_is_refused(tmp_path):
    (tmp_path / "x.parquet").write_bytes(b"PAR1 or not")
    with pytest.raises(InputError, match=r"is not a \.parquet file"):
        load(tmp_path / "x.parquet")


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install 'truegrade\[tabular\]'"):
        load(tmp_path / "x.parquet")


# --- data frames ---------------------------------------------------------------------------------

LIBRARIES = {
    "pandas": lambda columns: pd.DataFrame(columns, index=range(5, 5 + len(next(iter(columns.values()))))),
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": lambda columns: pa.table({k: pa.array(v) for k, v in columns.items()}),
    "narwhals": lambda columns: nw.from_native(pl.DataFrame(columns)),
}


@given(
    st.lists(
        npst.arrays(
            st.sampled_from([np.float32, np.float64, np.int8, np.uint16, np.int64, np.bool_]),
            4,
            elements=st.integers(0, 1),
        ),
        min_size=1,
        max_size=4,
    )
)
@settings(max_examples=40, deadline=None)
def test_frames_of_all_libraries_give_the_same_samples(parts):
    columns = {f"c{i}": part for i, part in enumerate(parts)}
    expected = np.column_stack([p.astype(np.float64) for p in parts])
    wide = any(p.dtype in (np.float64, np.int64) for p in parts)
    made = [as_samples(make(columns), "real") for make in LIBRARIES.values()]
    for samples in made:
        np.testing.assert_array_equal(samples.array(), expected)
        assert samples.dtype == (np.float64 if wide else np.float32)
        assert samples.columns == tuple(columns)
    assert len({samples.fingerprint for samples in made}) == 1
    assert len({samples.notices for samples in made}) == 1
    assert made[0].fingerprint == Samples.from_array(expected.astype(made[0].dtype)).fingerprint


@pytest.mark.parametrize("library", LIBRARIES)
def test_frames_choose_columns_labels_and_ids_alike(library):
    frame = LIBRARIES[library]({"x": [1.0, 2.0], "kind": ["cat", "dog"], "y": [3, 4], "n": [7, 8]})
    samples = as_samples(frame, "real", labels="kind", ids="n", columns=["y", "x"])
    assert samples.labels is not None
    assert samples.ids is not None
    assert (values_of(samples), samples.columns) == ([[3, 1], [4, 2]], ("y", "x"))
    assert (samples.labels.tolist(), samples.ids.tolist()) == (["cat", "dog"], [7, 8])
    assert samples.notices[0].text == (
        "The real values were int64 in 1 of 2 columns and were converted to float64 before grading."
    )
    with pytest.raises(
        InputError, match=r"real has 1 column\(s\) that are not numbers: 'kind' \(such as 'cat'\)"
    ):
        as_samples(frame, "real")
    with pytest.raises(InputError, match="no column 'z'"):
        as_samples(frame, "real", columns=["z"])
    with pytest.raises(InputError, match="twice"):
        as_samples(frame, "real", columns=["x", "x"])


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("column", [[1, None, 3], [True, None, False], [1.5, None, 2.5]])
def test_missing_values_of_frames_are_refused_with_row_and_column(library, column):
    values = pd.array(column, dtype=pd.array(column).dtype) if library == "pandas" else column
    frame = LIBRARIES[library]({"x": [1.0, 2.0, 3.0], "y": values})
    with pytest.raises(InputError, match=r"real has nan in row 1, column 'y' .* 1 row\(s\)"):
        as_samples(frame, "real")


@pytest.mark.parametrize("library", LIBRARIES)
def test_missing_labels_of_frames_are_refused(library):
    frame = LIBRARIES[library]({"x": [1.0, 2.0], "kind": ["cat", None]})
    with pytest.raises(InputError, match="1 missing labels, first in row 1"):
        as_samples(frame, "real", labels="kind")


def test_large_integers_in_a_frame_name_their_column():
    with pytest.raises(InputError, match=r"column 'stamp' of real .* beyond 2\^53"):
        as_samples(pl.DataFrame({"x": [1.0], "stamp": [2**60]}), "real")


def test_n7_float16_and_128_bit_columns_are_converted_exactly():
    half = as_samples(pd.DataFrame({"x": np.array([0.5, 1.25], np.float16)}))
    assert (values_of(half), half.dtype, len(half.notices)) == ([[0.5], [1.25]], np.float32, 1)
    assert values_of(as_samples(pl.DataFrame({"x": pl.Series([1, -2], dtype=pl.Int128)}))) == [[1], [-2]]
    with pytest.raises(InputError, match=r"column 'x' of samples .* beyond 2\^53"):
        as_samples(pl.DataFrame({"x": pl.Series([1, -(2**70)], dtype=pl.Int128)}))


def test_dates_categories_lists_and_decimals():
    dates = pd.DataFrame({"x": [1.0], "d": pd.to_datetime(["2020-01-01"]), "c": pd.Categorical(["u"])})
    with pytest.raises(InputError, match=r"2 column\(s\) that are not numbers: 'd' .*'c' \(such as 'u'\)"):
        as_samples(dates)
    with pytest.raises(InputError, match="'l'"):
        as_samples(pl.DataFrame({"l": [[1, 2]]}))
    with pytest.raises(InputError, match="no values"):
        as_samples(pl.DataFrame({"x": [1.0], "e": pl.Series([None], dtype=pl.String)}))
    decimals = pl.DataFrame({"x": pl.Series(["1.25", "2.5"]).cast(pl.Decimal(10, 2))})
    assert values_of(as_samples(decimals)) == [[1.25], [2.5]]


def test_names_that_only_count_the_columns_are_no_names():
    assert as_samples(pd.DataFrame(normal())).columns is None
    assert as_samples(pl.DataFrame(normal())).columns is None
    assert as_samples(pd.DataFrame(normal()), columns=["2", "0"]).columns == ("2", "0")


@pytest.mark.parametrize(
    "frame", [pd.DataFrame(normal(2, 2), columns=["a", "a"]), pa.table([[1.0], [2.0]], names=["a", "a"])]
)
def test_frames_with_two_columns_of_one_name_are_refused(frame):
    with pytest.raises(InputError, match="column names must differ"):
        as_samples(frame)


def test_frame_without_rows_or_columns_is_empty():
    for frame in (
        pl.DataFrame(),
        pl.DataFrame({"x": []}, schema={"x": pl.Float64}),
        pd.DataFrame(index=[1, 2]),
    ):
        with pytest.raises(InputError, match="empty"):
            as_samples(frame)


# --- other objects -------------------------------------------------------------------------------


def test_samples_come_back_as_they_are_or_renamed():
    samples = Samples.from_array(normal(), name="a")
    assert as_samples(samples) is samples
    renamed = as_samples(samples, "b")
    assert (renamed.name, renamed.fingerprint) == ("b", samples.fingerprint)
    assert renamed.rows is samples.rows


def test_paths_arrays_and_lists_are_the_same_samples(tmp_path):
    np.save(tmp_path / "x.npy", normal())
    path = tmp_path / "x.npy"
    made = [as_samples(o, "real") for o in (path, str(path), normal(), normal().tolist(), np.load(path, "r"))]
    assert {s.fingerprint for s in made} == {Samples.from_array(normal()).fingerprint}
    assert {s.name for s in made} == {"real"}
    assert as_samples(path).name == "x"
    assert as_samples(normal()).name == "samples"


@pytest.mark.parametrize("obj", [{"a": [1.0]}, 3, None, object(), b"ab", iter([[1.0]]), {1.0}])
def test_other_objects_are_refused_with_what_is_accepted(obj):
    with pytest.raises(InputError, match=f"of type {type(obj).__name__}; an array, a tensor, a data frame"):
        as_samples(obj, "real")


def test_sparse_matrix_and_series_come_with_a_hint():
    sparse = types.SimpleNamespace(toarray=lambda: None)
    with pytest.raises(InputError, match=r"dense first: values\.toarray\(\)"):
        as_samples(sparse)
    for series in (pd.Series([1.0, 2.0]), pl.Series([1.0, 2.0])):
        with pytest.raises(InputError, match=r"reshape\(-1, 1\)"):
            as_samples(series)


def test_key_and_columns_mean_nothing_for_arrays_and_are_refused():
    with pytest.raises(InputError, match="key='a'"):
        as_samples(normal(), key="a")
    with pytest.raises(InputError, match=r"columns=\['a'\]"):
        as_samples(normal(), columns=["a"])
    with pytest.raises(InputError, match="key='a'"):
        as_samples(pl.DataFrame({"x": [1.0]}), key="a")


# --- memory maps ---------------------------------------------------------------------------------


@pytest.mark.parametrize("part", [slice(None), slice(2, 5), slice(4, None)])
def test_large_memory_maps_and_runs_of_their_rows_are_read_from_the_file(tmp_path, monkeypatch, part):
    monkeypatch.setattr(arrays, "IN_MEMORY", 0)
    np.save(tmp_path / "x.npy", normal(7, 3))
    samples = as_samples(np.load(tmp_path / "x.npy", mmap_mode="r")[part], "real")
    assert isinstance(samples.rows, MappedRows)
    assert samples.source == str(tmp_path / "x.npy")
    np.testing.assert_array_equal(samples.array(), normal(7, 3)[part])
    assert samples.fingerprint == Samples.from_array(normal(7, 3)[part]).fingerprint


@pytest.mark.parametrize("how", ["columns", "steps", "reversed", "private", "computed", "transposed"])
def test_other_views_of_memory_maps_keep_their_own_values(tmp_path, how):
    np.save(tmp_path / "x.npy", normal(6, 4))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="c" if how == "private" else "r")
    if how == "private":
        mapped[0, 0] = 9
    views = {"columns": np.s_[:, 1:3], "steps": np.s_[::2], "reversed": np.s_[::-1]}
    view = {"computed": lambda: mapped + 1, "transposed": lambda: mapped.T}.get(
        how, lambda: mapped[views.get(how, np.s_[:])]
    )()
    expected = np.array(view)
    samples = as_samples(view)
    assert samples.source == "memory"
    np.testing.assert_array_equal(samples.array(), expected)


def test_memory_map_of_other_values_is_refused_and_a_deleted_file_still_read(tmp_path):
    np.save(tmp_path / "x.npy", normal() * 1j)
    with pytest.raises(InputError, match="complex128"):
        as_samples(np.load(tmp_path / "x.npy", mmap_mode="r"))
    np.save(tmp_path / "x.npy", normal())
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    (tmp_path / "x.npy").unlink()
    np.testing.assert_array_equal(as_samples(mapped).array(), normal())


# --- tensors -------------------------------------------------------------------------------------


class FakeTensor:
    """What the loader may use of a torch tensor, with torch's refusals."""

    def __init__(self, values, dtype=None, grad=False, device="cuda"):
        self.values, self.grad, self.device = np.asarray(values), grad, device
        self.dtype = dtype or str(self.values.dtype)

    def detach(self):
        return FakeTensor(self.values, self.dtype, False, self.device)

    def cpu(self):
        return FakeTensor(self.values, self.dtype, self.grad, "cpu")

    def float(self):
        return FakeTensor(self.values.astype(np.float32), None, self.grad, self.device)

    def numpy(self):
        if self.grad or self.device != "cpu":
            raise RuntimeError("can't convert to numpy")
        if self.dtype in ("bfloat16", "float8"):
            raise TypeError(f"Got unsupported ScalarType {self.dtype}")
        return self.values


@pytest.fixture
def torch(monkeypatch):
    """torch itself where it is installed, else a stand-in with the few names that are used."""
    try:
        import torch
    except ImportError:
        fake = types.ModuleType("torch")
        fake.Tensor, fake.bfloat16 = FakeTensor, "bfloat16"
        monkeypatch.setitem(sys.modules, "torch", fake)
        return fake
    return torch


def tensor(torch, values, bfloat16=False, grad=False):
    if torch.Tensor is FakeTensor:
        return FakeTensor(values, "bfloat16" if bfloat16 else None, grad)
    made = torch.tensor(values, requires_grad=grad)
    return made.to(torch.bfloat16) if bfloat16 else made


@pytest.mark.parametrize("grad", [False, True])
def test_tensors_on_any_device_with_and_without_gradients_are_read(torch, grad):
    values = normal().astype(np.float32)
    samples = as_samples(tensor(torch, values, grad=grad), "real")
    assert samples.fingerprint == Samples.from_array(values).fingerprint
    assert samples.notices == ()


def test_n7_bfloat16_tensors_become_float32_with_a_note(torch):
    values = np.array([[0.5, 1.0], [-2.0, 3.0]], np.float32)
    samples = as_samples(tensor(torch, values, bfloat16=True), "real")
    assert values_of(samples) == values.tolist()
    (note,) = samples.notices
    assert "bfloat16 and were converted to float32" in note.text


def test_tensor_that_numpy_cannot_hold_is_refused(monkeypatch):
    fake = types.ModuleType("torch")
    fake.Tensor, fake.bfloat16 = FakeTensor, "bfloat16"
    monkeypatch.setitem(sys.modules, "torch", fake)
    with pytest.raises(InputError, match=r"cannot hold: .*float8"):
        as_samples(FakeTensor(normal(), "float8"), "real")


def test_loading_imports_no_heavy_library():
    code = (
        "import sys; from truegrade.load import as_samples; as_samples([[1.0], [2.0]]); "
        "print(*{'torch', 'pandas', 'polars', 'pyarrow', 'sklearn', 'matplotlib'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_a_link_to_itself_is_said_to_lead_nowhere(tmp_path):
    loop = tmp_path / "loop.npy"
    loop.symlink_to(loop)
    with pytest.raises(InputError, match="leads to no file"):
        load(loop)


def test_a_column_without_values_has_no_example(tmp_path):
    frame = pytest.importorskip("polars").DataFrame({"a": [1.0, 2.0], "e": [None, None]})
    with pytest.raises(InputError, match=r"'e' \(no values\)"):
        as_samples(frame, "real")


@pytest.mark.parametrize("thing", [np.zeros((3, 2)), None, [[1.0]], 3])
def test_load_reads_paths_alone(thing):
    with pytest.raises(InputError, match="given to load, which reads paths"):
        load(thing)
