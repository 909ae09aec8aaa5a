"""Tables: every way in gives the same blocks; missing values, infinities, odd types and names (CASES T4, T7, T10)."""

import datetime as dt
import decimal
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from truegrade.errors import InputError
from truegrade.load.mixed import is_numeric_table, load_table, table_of
from truegrade.samples import Samples
from truegrade.tables import BLOCK, MemoryStore, Table, code, describe
from truegrade.tables.store import Without, recut

MIXED = sys.modules["truegrade.load.mixed"]
COMPARED = ("number", "date", "few", "category", "boolean")


def columns(n=300, seed=0):
    """Columns of every type with missing values, as lists of Python."""
    rng = np.random.default_rng(seed)
    day = dt.date(2020, 1, 1)
    data = {
        "x": rng.normal(size=n).tolist(),
        "whole": rng.integers(0, 10**9, n).tolist(),
        "few": rng.integers(0, 3, n).tolist(),
        "flag": (rng.random(n) < 0.5).tolist(),
        "word": rng.choice(["a", "b", "ü, c"], n).tolist(),
        "day": [day + dt.timedelta(days=int(d)) for d in rng.integers(0, 900, n)],
        "moment": [dt.datetime(2021, 1, 1) + dt.timedelta(seconds=int(s)) for s in rng.integers(0, 10**7, n)],
        "who": [f"p{i}" for i in range(n)],
        "none": [None] * n,
    }
    for name in ("x", "whole", "word", "day"):
        data[name] = [None if hidden else v for v, hidden in zip(data[name], rng.random(n) < 0.1, strict=True)]
    return data


def pandas_nullable(data):
    kinds = {"x": "Float64", "whole": "Int64", "few": "UInt8", "flag": "boolean", "word": "string"}
    frame = pd.DataFrame(data)
    return frame.assign(**{name: pd.array(data[name], dtype=kind) for name, kind in kinds.items()})


def pandas_arrow(data):
    return pa.table(data).to_pandas(types_mapper=pd.ArrowDtype)


LIBRARIES = {
    "pandas": pd.DataFrame,
    "pandas nullable": pandas_nullable,
    "pandas arrow": pandas_arrow,
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
}


def all_blocks(coded):
    return list(coded.blocks(coded.schema.names(*COMPARED)))


def same(first, second):
    """That two coded tables have the same types, facts and blocks to the last digit."""
    for ours, theirs in zip(first.schema.columns, second.schema.columns, strict=True):
        assert (ours.name, ours.type, ours.levels) == (theirs.name, theirs.type, theirs.levels)
    for name in first.schema.names(*COMPARED):
        if first.facts[name].stored == second.facts[name].stored:
            assert first.facts[name] == second.facts[name]
    for ours, theirs in zip(all_blocks(first), all_blocks(second), strict=True):
        for name, values in ours.items():
            assert values.dtype == theirs[name].dtype
            np.testing.assert_array_equal(values, theirs[name])


def own(table):
    return code(table, describe(table))


@pytest.fixture(scope="module")
def reference():
    return own(load_table(pa.table(columns())))


@pytest.mark.parametrize("library", LIBRARIES)
def test_frames_of_all_libraries_give_equal_blocks_and_types(library, reference):
    same(reference, own(load_table(LIBRARIES[library](columns()))))


def test_types_and_values_are_those_of_the_lists(reference):
    data = columns()
    types = {column.name: column.type for column in reference.schema.columns}
    assert types == {
        "x": "number",
        "whole": "number",
        "few": "few",
        "flag": "boolean",
        "word": "category",
        "day": "date",
        "moment": "date",
        "who": "identifier",
        "none": "category",
    }
    (block,) = all_blocks(reference)
    np.testing.assert_array_equal(block["x"], [np.nan if v is None else v for v in data["x"]])
    epoch = dt.date(1970, 1, 1)
    np.testing.assert_array_equal(block["day"], [np.nan if v is None else (v - epoch).days for v in data["day"]])
    seconds = [(v - dt.datetime(1970, 1, 1)).total_seconds() for v in data["moment"]]
    np.testing.assert_array_equal(block["moment"], np.array(seconds) * 1e6 / 86_400e6)
    levels = np.array([*reference.levels("word"), None], dtype=object)
    assert levels[block["word"]].tolist() == data["word"]
    truth = np.array([level == "true" for level in reference.levels("flag")])
    assert truth[block["flag"]].tolist() == data["flag"]


@pytest.mark.parametrize("kept", [0, 2**25])
@pytest.mark.parametrize("rows", [23, 10_000])
def test_parquet_gives_the_blocks_of_the_frame_whatever_its_row_groups(tmp_path, monkeypatch, reference, kept, rows):
    monkeypatch.setattr(MIXED, "_KEPT", kept)
    pq.write_table(pa.table(columns()), tmp_path / "x.parquet", row_group_size=rows)
    table = load_table(tmp_path / "x.parquet")
    assert isinstance(table.store, MemoryStore) == (kept > 0)
    same(reference, own(table))


@pytest.mark.parametrize("kept", [0, 2**25])
@pytest.mark.parametrize("suffix", [".arrow", ".feather", ".ipc"])
def test_arrow_files_give_the_blocks_of_the_frame(tmp_path, monkeypatch, reference, suffix, kept):
    monkeypatch.setattr(MIXED, "_KEPT", kept)
    feather.write_feather(pa.table(columns()), tmp_path / f"x{suffix}", chunksize=70)
    same(reference, own(load_table(tmp_path / f"x{suffix}")))


def test_an_arrow_stream_gives_the_blocks_of_the_frame(tmp_path, reference):
    table = pa.table(columns())
    with pa.OSFile(str(tmp_path / "x.arrow"), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=50)
    same(reference, own(load_table(tmp_path / "x.arrow")))


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_text_files_give_the_blocks_of_the_frame(tmp_path, reference, suffix):
    path = tmp_path / f"x{suffix}"
    pd.DataFrame(columns()).to_csv(path, index=False, sep="\t" if suffix == ".tsv" else ",")
    same(reference, own(load_table(path)))


def test_long_tables_are_cut_into_blocks_of_one_size(tmp_path, monkeypatch):
    monkeypatch.setattr(MIXED, "_KEPT", 0)
    n = 2 * BLOCK + 5
    data = pa.table({"x": np.random.default_rng(1).normal(size=n), "s": [f"s{i % 7}" for i in range(n)]})
    pq.write_table(data, tmp_path / "x.parquet", row_group_size=BLOCK - 3)
    pq.write_table(data, tmp_path / "y.parquet")
    feather.write_feather(data, tmp_path / "x.feather", chunksize=1000)
    first = own(load_table(data))
    assert [len(block["x"]) for block in all_blocks(first)] == [BLOCK, BLOCK, 5]
    for name in ("x.parquet", "y.parquet", "x.feather"):
        second = own(load_table(tmp_path / name))
        same(first, second)
        rows = np.array([0, 1, BLOCK - 4, BLOCK - 3, BLOCK, 2 * BLOCK, n - 1])
        taken = second.take(["s", "x"], rows)
        np.testing.assert_array_equal(taken["x"], data["x"].to_numpy()[rows])
        assert [second.levels("s")[at] for at in taken["s"]] == [f"s{i % 7}" for i in rows]


def test_take_reads_only_the_row_groups_it_needs(tmp_path, monkeypatch):
    monkeypatch.setattr(MIXED, "_KEPT", 0)
    pq.write_table(pa.table({"x": np.arange(100.0), "y": np.arange(100.0)}), tmp_path / "x.parquet", row_group_size=10)
    table = load_table(tmp_path / "x.parquet")
    read = []
    frames = table.store.pieces.frames
    monkeypatch.setattr(
        table.store.pieces, "frames", lambda at, names: (read.append((at, names)), frames(at, names))[1]
    )
    assert table.store.take(["y"], np.array([31, 39, 90]))["y"].tolist() == [31, 39, 90]
    assert read == [(3, ["y"]), (9, ["y"])]
    assert table.store.take(["y"], np.array([], dtype=np.intp))["y"].dtype == np.float64


@pytest.fixture(scope="module")
def long_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("long") / "x.parquet"
    values = np.random.default_rng(2).normal(size=300_000)
    pq.write_table(pa.table({f"c{at}": values for at in range(10)}), path, row_group_size=100_000)
    pd.DataFrame({"x": [1.0]}).to_parquet(path.with_name("warm.parquet"))
    load_table(path.with_name("warm.parquet"))  # imports are not what is measured
    return path


@pytest.mark.limit_memory("12 MB")
def test_a_large_file_is_never_in_memory(long_file, monkeypatch):  # its values are 24 MB
    monkeypatch.setattr(MIXED, "_KEPT", 0)
    table = load_table(long_file)
    assert sum(float(block["c9"].sum()) for block in table.store.blocks(table.columns)) != 0


def test_recut_and_rows_left_out_equal_plain_indexing():
    rng = np.random.default_rng(3)
    for _ in range(50):
        n = int(rng.integers(1, 60))
        values = rng.normal(size=n)
        ends = np.sort(rng.integers(0, n + 1, int(rng.integers(0, 6))))
        pieces = [{"x": part} for part in np.split(values, ends)]
        blocks = [block["x"] for block in recut(pieces, 7)]
        assert [len(block) for block in blocks] == [7] * (n // 7) + [n % 7] * (n % 7 > 0)
        np.testing.assert_array_equal(np.concatenate(blocks), values)
        gone = np.flatnonzero(rng.random(n) < 0.4)
        store = Without(MemoryStore({"x": values}, {"x": "number"}), gone)
        left = np.delete(values, gone)
        assert len(store) == len(left)
        np.testing.assert_array_equal(store.take(["x"], np.arange(len(left)))["x"], left)
        if len(left):
            np.testing.assert_array_equal(np.concatenate([b["x"] for b in store.blocks(["x"])]), left)


# --- odd types -----------------------------------------------------------------------------------


def test_integers_beyond_2_53_are_texts_and_keep_their_last_digit(tmp_path):
    wide = [2**60, 2**60 + 1, 5] * 40
    frames = [pa.table({"id": wide}), pl.DataFrame({"id": wide}), pd.DataFrame({"id": wide})]
    pq.write_table(frames[0], tmp_path / "x.parquet", row_group_size=50)
    pq.write_table(frames[0], tmp_path / "y.parquet", row_group_size=50, write_statistics=False)
    for source in (*frames, tmp_path / "x.parquet", tmp_path / "y.parquet"):
        table = load_table(source)
        assert [notice.code for notice in table.notices] == ["wide_integers"]
        assert set(describe(table)["id"].levels) == {str(2**60), str(2**60 + 1), "5"}
    pd.DataFrame({"id": wide}).to_csv(tmp_path / "x.csv", index=False)
    assert set(describe(load_table(tmp_path / "x.csv"))["id"].levels) == {str(2**60), str(2**60 + 1), "5"}


def test_numbers_of_other_types_are_numbers():
    n = 20
    data = {
        "decimal": [decimal.Decimal("1.5") * i for i in range(n)],
        "span": [dt.timedelta(hours=i) for i in range(n)],
        "byte": pa.array(range(n), pa.uint8()),
        "half": pa.array(np.arange(n, dtype=np.float16)),
    }
    block = next(iter(load_table(pa.table(data)).store.blocks(list(data))))
    np.testing.assert_array_equal(block["decimal"], 1.5 * np.arange(n))
    np.testing.assert_array_equal(block["span"], 3600.0 * np.arange(n))
    np.testing.assert_array_equal(block["byte"], np.arange(n))
    np.testing.assert_array_equal(block["half"], np.arange(n))


def test_categories_of_all_libraries_are_categories_whatever_they_hold():
    codes = [1, 2, None, 30] * 100
    texts = [None if value is None else str(value) for value in codes]
    sources = [
        pd.DataFrame({"c": pd.Categorical(codes)}),
        pl.DataFrame({"c": texts}).with_columns(pl.col("c").cast(pl.Categorical)),
        pl.DataFrame({"c": texts}).with_columns(pl.col("c").cast(pl.Enum(["2", "1", "30"]))),
        pa.table({"c": pa.array(codes).dictionary_encode()}),
    ]
    first = own(load_table(sources[0]))
    assert first.schema["c"].type == "category"
    assert first.schema["c"].levels == ("1", "2", "30")
    for source in sources[1:]:
        same(first, own(load_table(source)))


def test_columns_of_lists_structs_bytes_and_times_are_left_out_and_named():
    data = {"x": [1.0, 2.0], "l": [[1], [2]], "s": [{"a": 1}, {"a": 2}], "b": [b"a", b"b"], "t": [dt.time(1), None]}
    for library in (pa.table, pl.DataFrame, pd.DataFrame):
        table = load_table(library(data))
        assert table.columns == ("x",)
        assert [notice.code for notice in table.notices] == ["columns_unsupported"]
        for name in "lsbt":
            assert f"'{name}' (" in table.notices[0].text


def test_objects_of_python_are_read_by_what_they_are():
    frame = pd.DataFrame(
        {
            "mixed": ["a", 1, 2.5, True, None],
            "numbers": pd.Series([1, 2.5, None, decimal.Decimal("3"), True], dtype=object),
            "flags": pd.Series([True, None, False, True, np.True_], dtype=object),
            "days": pd.Series(
                [dt.date(2020, 1, 1), None, dt.date(1969, 12, 31), pd.NaT, dt.date(2020, 1, 1)], dtype=object
            ),
        }
    )
    store = load_table(frame).store
    block = store.take(store.names, np.arange(5))
    assert block["mixed"].tolist() == ["a", "1", "2.5", "true", None]
    np.testing.assert_array_equal(block["numbers"], [1, 2.5, np.nan, 3, 1])
    np.testing.assert_array_equal(block["flags"], [1, np.nan, 0, 1, 1])
    assert block["days"].astype("datetime64[D]").astype(str).tolist() == [
        "2020-01-01",
        "NaT",
        "1969-12-31",
        "NaT",
        "2020-01-01",
    ]


def test_t7_the_index_of_a_frame_has_no_effect(tmp_path):
    frame = pd.DataFrame({"x": [3.0, 1.0, 2.0, np.nan], "s": list("abca")})
    moved = frame.set_index(pd.Index([7, 7, -1, 3], name="key"))
    moved.to_parquet(tmp_path / "x.parquet")
    moved.to_csv(tmp_path / "x.csv")
    for source in (moved, tmp_path / "x.parquet"):
        same(own(load_table(frame)), own(load_table(source)))
    assert load_table(tmp_path / "x.csv").columns == ("key", "x", "s")
    frame.set_index(pd.Index(list("pqrs"))).to_csv(tmp_path / "y.csv")
    read = load_table(tmp_path / "y.csv")
    same(own(load_table(frame)), own(read))
    assert read.ids.tolist() == list("pqrs")


HOSTILE = ["two\nlines", '"quoted"', "a.b", "a", " spaces in ", "😀 ümlaut", "<script>", "x" * 10_000, "a.b.c", "‮rtl"]


@pytest.mark.parametrize("kept", [0, 2**25])
def test_t10_names_of_any_kind_are_kept(tmp_path, monkeypatch, kept):
    monkeypatch.setattr(MIXED, "_KEPT", kept)
    frame = pd.DataFrame({name: [at + 0.5, at + 1.5, np.nan] for at, name in enumerate(HOSTILE)})
    frame.to_parquet(tmp_path / "x.parquet")
    frame.to_csv(tmp_path / "x.csv", index=False)
    frame.to_feather(tmp_path / "x.feather")
    for source in (frame, *(tmp_path / f"x.{suffix}" for suffix in ("parquet", "csv", "feather"))):
        table = load_table(source)
        assert [name.strip() for name in table.columns] == [name.strip() for name in HOSTILE]
        block = table.store.take(table.columns, np.array([0]))
        assert [float(block[name][0]) for name in table.columns] == [at + 0.5 for at in range(len(HOSTILE))]


# --- infinities, empty tables, wrong wishes ------------------------------------------------------


@pytest.fixture(params=["frame", "csv", "parquet", "lazy parquet", "array"])
def infinite(request, tmp_path, monkeypatch):
    frame = pd.DataFrame({"a": [1.0, 2, np.nan, 4, 5], "b": [1, np.inf, 3, -np.inf, 5]})
    if request.param == "array":
        return frame.rename(columns={"a": "0", "b": "1"}).to_numpy(), "1"
    if request.param == "frame":
        return frame, "b"
    if request.param == "csv":
        frame.to_csv(tmp_path / "x.csv", index=False)
        return tmp_path / "x.csv", "b"
    if request.param == "lazy parquet":
        monkeypatch.setattr(MIXED, "_KEPT", 0)
    frame.to_parquet(tmp_path / "x.parquet", row_group_size=2)
    return tmp_path / "x.parquet", "b"


def test_t4_an_infinity_is_refused_with_its_place(infinite):
    source, column = infinite
    with pytest.raises(InputError, match=rf"column '{column}', row 1 .*2 of 5 rows.*on_error='skip'"):
        load_table(source)


def test_t4_rows_with_an_infinity_can_be_left_out_and_are_counted(infinite):
    source, column = infinite
    table = load_table(source, on_error="skip", labels=list("pqrst"), ids=[1, 2, 3, 4, 5])
    assert (len(table), table.labels.tolist(), table.ids.tolist()) == (3, ["p", "r", "t"], [1, 3, 5])
    (notice,) = table.notices
    assert notice.code == "rows_left_out"
    assert "2 of 5 rows" in notice.text
    assert f"row 1, column '{column}'" in notice.text
    (block,) = table.store.blocks([column])
    assert block[column].tolist() == [1, 3, 5]
    assert table.store.take([column], np.array([1, 2]))[column].tolist() == [3, 5]


def test_t4_the_place_of_an_infinity_counts_from_the_first_row():
    values = np.zeros(2 * BLOCK)
    values[[BLOCK + 7, BLOCK + 9]] = np.inf
    with pytest.raises(InputError, match=f"row {BLOCK + 7} "):
        load_table(pd.DataFrame({"x": values}))
    assert len(load_table(pd.DataFrame({"x": values}), on_error="skip")) == 2 * BLOCK - 2


def test_a_table_of_infinities_alone_and_another_on_error_are_refused():
    with pytest.raises(InputError, match="Every row"):
        load_table(pd.DataFrame({"a": [np.inf, -np.inf]}), on_error="skip")
    with pytest.raises(InputError, match="'refuse' and 'skip'"):
        load_table(pd.DataFrame({"a": [1.0]}), on_error="drop")


def test_empty_tables_are_refused(tmp_path):
    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), tmp_path / "x.parquet")
    (tmp_path / "x.csv").write_text("a,b\n", encoding="utf-8")
    for source in (
        pd.DataFrame({"a": []}),
        pd.DataFrame(),
        pa.table({"a": [[1]]}),
        tmp_path / "x.parquet",
        tmp_path / "x.csv",
    ):
        with pytest.raises(InputError, match="is empty"):
            load_table(source)


def test_two_columns_of_one_name_are_refused(tmp_path):
    twice = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    pq.write_table(twice, tmp_path / "x.parquet")
    (tmp_path / "x.csv").write_text("a,a\n1,x\n", encoding="utf-8")
    with pa.OSFile(str(tmp_path / "x.arrow"), "wb") as file, pa.ipc.new_file(file, twice.schema) as writer:
        writer.write_table(twice)
    sources = (twice, pd.DataFrame([[1, 2]], columns=["a", "a"]), pd.DataFrame([[1, 2]], columns=[1, "1"]))
    for source in (*sources, *(tmp_path / f"x.{suffix}" for suffix in ("parquet", "csv", "arrow"))):
        with pytest.raises(InputError, match="column names must differ"):
            load_table(source)


def test_what_is_no_table_is_refused(tmp_path):
    for name in ("x.parquet", "x.arrow"):
        (tmp_path / name).write_bytes(b"ARROW1 or not")
        with pytest.raises(InputError, match="or it is damaged"):
            load_table(tmp_path / name)
    with pytest.raises(InputError, match="There is no file"):
        load_table(tmp_path / "y.csv")
    with pytest.raises(InputError, match=r"suffix \.txt; \.csv"):
        load_table(tmp_path / "y.txt")
    with pytest.raises(InputError, match="of type object; a path, a data frame"):
        load_table(object())


@pytest.mark.parametrize("kept", [0, 2**25])
def test_labels_ids_and_columns_are_chosen_alike_everywhere(tmp_path, monkeypatch, kept):
    monkeypatch.setattr(MIXED, "_KEPT", kept)
    frame = pd.DataFrame({"x": [1.0, 2.0], "kind": ["cat", "dog"], "y": ["u", "v"], "n": ["7", "8"]})
    frame.to_csv(tmp_path / "x.csv", index=False)
    frame.to_parquet(tmp_path / "x.parquet", row_group_size=1)
    for source in (frame, tmp_path / "x.csv", tmp_path / "x.parquet"):
        table = load_table(source, name="real", labels="kind", ids="n")
        assert (table.name, table.columns) == ("real", ("x", "y"))
        assert (table.labels.tolist(), table.ids.tolist()) == (["cat", "dog"], ["7", "8"])
        assert load_table(source, columns=["y", "n"]).columns == ("y", "n")
        with pytest.raises(InputError, match="no column 'z'"):
            load_table(source, columns=["z"])
        with pytest.raises(InputError, match="labels of shape"):
            load_table(source, labels=["a"])


def test_numeric_tables_are_told_from_others(tmp_path):
    assert is_numeric_table(load_table(pd.DataFrame({"a": [1.0, 2.0], "b": [True, False]})))
    assert not is_numeric_table(load_table(pd.DataFrame({"a": [1.0, np.nan]})))
    assert not is_numeric_table(load_table(pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})))


def test_samples_are_tables_of_numbers():
    values = np.random.default_rng(4).normal(size=(BLOCK + 3, 2)).astype(np.float32)
    table = table_of(Samples.from_array(values, name="s", columns=["p", "q"]))
    assert isinstance(table, Table)
    assert (table.name, table.columns, len(table)) == ("s", ("p", "q"), BLOCK + 3)
    blocks = [block["q"] for block in table.store.blocks(["q"])]
    assert [len(block) for block in blocks] == [BLOCK, 3]
    np.testing.assert_array_equal(np.concatenate(blocks), values[:, 1].astype(np.float64))
    assert table.store.take(["p"], np.array([5, BLOCK]))["p"].tolist() == values[[5, BLOCK], 0].tolist()
    assert table_of(Samples.from_array(values)).columns == ("0", "1")


# --- text files ----------------------------------------------------------------------------------


def text(path, content):
    path.write_bytes(content.encode())
    return path


def stored(path):
    return dict(load_table(path).store.stored)


def test_cells_decide_together_what_a_column_holds(tmp_path):
    path = text(
        tmp_path / "x.csv",
        "n,words,day,flag,code,gap,when\n"
        '1.50,"two\nlines",2020-01-31,TRUE,007,,2020-01-31 10:00\n'
        ",NA,,false,012,NULL,2020-02-01T00:00:30.5\n"
        '-3e2,"say ""hi""",2020-02-01, true ,1,n/a,\n',
    )
    assert stored(path) == {
        "n": "number",
        "words": "text",
        "day": "date",
        "flag": "boolean",
        "code": "text",
        "gap": "number",
        "when": "date",
    }
    block = load_table(path).store.take(["n", "words", "flag", "code", "when"], np.arange(3))
    np.testing.assert_array_equal(block["n"], [1.5, np.nan, -300])
    assert block["words"].tolist() == ["two\nlines", None, 'say "hi"']
    assert block["flag"].tolist() == [1, 0, 1]
    assert block["code"].tolist() == ["007", "012", "1"]
    expected = np.array(["2020-01-31T10:00:00", "2020-02-01T00:00:30.5", "NaT"], dtype="datetime64[us]")
    np.testing.assert_array_equal(block["when"], expected)


@pytest.mark.parametrize("head", ["1.50\n", "\n"], ids=["numbers first", "gaps first"])
def test_text_late_in_a_column_leaves_the_spelling_of_what_came_before(tmp_path, head):
    path = text(tmp_path / "x.csv", "a,b\n" + ("1.50,1\n" if head == "1.50\n" else ",1\n") * 5000 + "x,2\n")
    values = next(iter(load_table(path).store.blocks(["a", "b"])))
    assert set(values["a"].tolist()) == {"1.50" if head == "1.50\n" else None, "x"}
    assert (values["a"][-1], values["b"][-1], len(values["a"]), len(values["b"])) == ("x", 2, 5001, 5001)


@pytest.mark.parametrize("cells", ["1,5 2,25", "1.234,50 7", "1 234,5 2,0"])
def test_decimal_commas_are_refused_by_name(tmp_path, cells):
    rows = cells.replace("1 234", "1_234").split(" ")
    path = text(tmp_path / "x.csv", "price;w\n" + "".join(f"{row.replace('_', ' ')};x\n" for row in rows))
    with pytest.raises(InputError, match=r"'price'.*comma.*decimals with a point"):
        load_table(path)


def test_lists_in_texts_are_no_decimal_commas(tmp_path):
    assert stored(text(tmp_path / "x.csv", 'a;b\n"1,2";x\n"a,b";y\n')) == {"a": "text", "b": "text"}


def test_a_number_with_an_underscore_is_text(tmp_path):
    assert stored(text(tmp_path / "x.csv", "a\n1_0\n20\n")) == {"a": "text"}


def test_without_pyarrow_parquet_names_the_extra_and_csv_works(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    with pytest.raises(ImportError, match=r"truegrade\[tabular\]"):
        load_table(tmp_path / "x.parquet")
    assert stored(text(tmp_path / "x.csv", "a,b\nx,1\n")) == {"a": "text", "b": "number"}
