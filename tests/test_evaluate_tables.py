"""Tables in evaluate and compare: what is read as a table, what is graded, in what words, from any source alike."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegrade as tg
from truegrade.errors import InputError
from truegrade.load import NoNumbers, are_features, as_samples, as_set, load
from truegrade.samples import Samples
from truegrade.tables import Table
from truegrade.tabular import TABLE_SCORES

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
pytest.importorskip("sklearn")

QUICK: dict[str, Any] = {"intervals": False, "floor": False, "exhibits": False, "threads": 2}
COLUMNS: dict[str, Any] = QUICK | {"metrics": "eden_ratio"}


def people(n: int, seed: int) -> dict[str, list[Any]]:
    """A ring of two numbers, a skewed number with gaps, a category that moves it, truth values, few numbers, days."""
    rng = np.random.default_rng(seed)
    angle, radius = rng.uniform(0, 2 * np.pi, n), rng.normal(3, 0.2, n)
    city = rng.choice(["Ulm", "Rom", "São"], n, p=[0.5, 0.3, 0.2])
    pay = np.exp(rng.normal(0, 0.5, n)) * np.where(city == "Ulm", 1.0, 3.0)
    gap = rng.random(n) < 0.1
    days = np.datetime64("2020-01-01") + rng.integers(0, 900, n)
    return {
        "north": (radius * np.cos(angle)).tolist(),
        "east": (radius * np.sin(angle)).tolist(),
        "pay": [None if g else float(p) for g, p in zip(gap, pay, strict=True)],
        "city": city.tolist(),
        "member": (rng.random(n) < 0.3).tolist(),
        "rooms": rng.integers(1, 5, n).tolist(),
        "since": [day.item() for day in days.astype("datetime64[D]")],
    }


def few(n: int, seed: int, names: str = "pay city rooms") -> dict[str, list[Any]]:
    """Some of these columns, for what does not need more."""
    table = people(n, seed)
    return {name: table[name] for name in names.split()}


def shuffled(table: dict[str, list[Any]], seed: int = 9) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    return {name: [values[i] for i in rng.permutation(len(values))] for name, values in table.items()}


def rows_of(table: dict[str, list[Any]], start: int, stop: int) -> dict[str, list[Any]]:
    return {name: values[start:stop] for name, values in table.items()}


def to_csv(table: dict[str, list[Any]], path: Path) -> Path:
    pl.DataFrame(table).write_csv(path)
    return path


def to_parquet(table: dict[str, list[Any]], path: Path) -> Path:
    pl.DataFrame(table).write_parquet(path)
    return path


def plain(result: tg.Evaluation) -> dict[str, Any]:
    """The result without names, sources and times."""
    record = copy.deepcopy(result.to_dict())
    for side in ("real", "synthetic"):
        for name in ("name", "source"):
            record[side].pop(name)
    record["provenance"].pop("created")
    record["provenance"].pop("seconds")
    return record


@pytest.fixture(scope="module")
def whole() -> tg.Evaluation:
    """Everything of a table of 160 rows against a fresh one, with a hold-out."""
    real, fake, fresh = (pl.DataFrame(few(120, seed, "north east pay city member")) for seed in range(3))
    return tg.evaluate(real, fake, holdout=fresh, exhibits=False)


# --- what is a table ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "features"),
    [
        (["f0", "f1", "f2"], True),
        (["x_1", "x_2", "x_7"], True),
        (["0", "1", "2"], True),
        (["1", "2"], True),
        ([f"name {i} x" for i in range(201)], True),
        (["age", "income"], False),
        (["x1", "x2", "y1"], False),
        (["2019", "2020"], False),
        (["0", "2"], False),
        (["a1", "a01"], False),
        (["age"], False),
    ],
)
def test_names_that_only_count_are_features(names: list[str], features: bool) -> None:
    assert are_features(names) == features


def test_kind_says_what_a_table_becomes(tmp_path: Path) -> None:
    numbers = to_csv({"a": [1.0, 2.5], "b": [3.0, 4.0]}, tmp_path / "n.csv")
    mixed = to_csv({"a": [1.0, None], "b": ["x", "y"]}, tmp_path / "m.csv")
    counted = to_parquet({"f0": [1.0, 2.5], "f1": [3.0, 4.0]}, tmp_path / "c.parquet")
    assert isinstance(load(numbers), Samples)
    assert isinstance(load(mixed), Table)
    found = {
        (path.stem, kind): type(as_set(path, None, kind)).__name__
        for path in (numbers, counted)
        for kind in (None, "auto", "vectors", "table")
    }
    assert [found["n", kind] for kind in (None, "auto", "vectors", "table")] == ["Samples", "Table", "Samples", "Table"]
    assert [found["c", kind] for kind in (None, "auto", "vectors", "table")] == ["Samples"] * 3 + ["Table"]
    for refused in (mixed, load(mixed), pl.read_csv(mixed)):
        with pytest.raises(NoNumbers, match=r"not numbers|is a table of 2 columns"):
            as_samples(refused)


def test_numbered_features_nameless_arrays_and_chosen_vectors_are_graded_as_before() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 60, 3))
    bare = tg.evaluate(a, b, metrics="precision", **QUICK)
    for names, how in ((["f0", "f1", "f2"], {}), (["u", "v", "w"], {"kind": "vectors"})):
        frames = [pl.DataFrame(dict(zip(names, side.T, strict=True))) for side in (a, b)]
        found = tg.evaluate(*frames, metrics="precision", **QUICK, **how)
        assert (found.real.space, found.table) == (None, None)
        assert found.real.fingerprint == bare.real.fingerprint
        assert found["precision"] == bare["precision"]
    named = [pl.DataFrame(dict(zip("uvw", side.T, strict=True))) for side in (a, b)]
    encoded = tg.evaluate(*named, metrics="precision", **QUICK)
    assert encoded.real.space is not None
    assert encoded.real.space.name == "table rows"
    assert tg.evaluate(*frames, metrics="column_score", kind="table", **QUICK).table is not None
    with pytest.raises(InputError, match="'auto', 'vectors', 'table', 'ecg' is accepted"):
        tg.evaluate(a, b, kind="tables", **QUICK)  # type: ignore[arg-type]


def test_a_nameless_array_beside_a_table_has_its_columns_in_their_order() -> None:
    rng = np.random.default_rng(1)
    real, fake = rng.normal(size=(2, 80, 2))
    frame = pl.DataFrame({"size": real[:, 0], "weight": real[:, 1]})
    named = pl.DataFrame({"weight": fake[:, 1], "size": fake[:, 0]})
    one, other = (tg.evaluate(frame, given, **COLUMNS) for given in (fake, named))
    assert one["eden_ratio"] == other["eden_ratio"]
    assert one.table is not None
    assert [column.name for column in one.table.columns] == ["size", "weight"]
    with pytest.raises(InputError, match="table of 2 columns, and synthetic holds vectors of 3 features without names"):
        tg.evaluate(frame, rng.normal(size=(80, 3)), **COLUMNS)


# --- the same from any source ---------------------------------------------------------------------------------


def test_frames_and_files_give_the_same_result_to_the_last_digit(tmp_path: Path) -> None:
    sides = few(60, 0, "pay city member since"), few(60, 1, "pay city member since")
    makers: dict[str, Callable[[dict[str, list[Any]], int], Any]] = {
        "pandas": lambda table, _: pd.DataFrame(table, index=range(7, 67)),
        "polars": lambda table, _: pl.DataFrame(table),
        "pyarrow": lambda table, _: pa.table(table),
        "parquet": lambda table, i: to_parquet(table, tmp_path / f"{i}.parquet"),
    }
    metrics = ["precision", "frechet_distance", "eden_ratio", "exact_copy_share"]
    found = {
        name: plain(tg.evaluate(make(sides[0], 0), make(sides[1], 1), metrics=metrics, **QUICK))
        for name, make in makers.items()
    }
    first = json.dumps(found["polars"], sort_keys=True)
    assert len(found["polars"]["table"]["pairs"]) == 6
    for name, record in found.items():
        for column in record["table"]["columns"]:  # pandas holds days as moments, and says so
            assert column["status"] == "ok", name
        assert json.dumps(record, sort_keys=True) == first, name


def test_a_csv_gives_the_numbers_of_the_frame_that_it_was_written_from(tmp_path: Path) -> None:
    sides = few(60, 0, "pay city member since"), few(60, 1, "pay city member since")
    frames = tg.evaluate(*(pl.DataFrame(side) for side in sides), **COLUMNS)
    files = tg.evaluate(*(to_csv(side, tmp_path / f"{i}.csv") for i, side in enumerate(sides)), **COLUMNS)
    assert frames.table is not None
    assert files.table is not None
    assert files["eden_ratio"] == frames["eden_ratio"]
    assert files.table.pairs == frames.table.pairs
    assert [c.type for c in files.table.columns] == [c.type for c in frames.table.columns]
    assert [c.scores for c in files.table.columns] == [c.scores for c in frames.table.columns]


# --- what is said ---------------------------------------------------------------------------------------------


def test_copula_shuffled_columns_copies_and_fresh_rows_are_told_apart_in_words() -> None:
    table = few(600, 3, "north east city")
    noise = np.random.default_rng(0).normal(size=600)
    table["width"] = (np.array(table["north"]) + 0.5 * noise).tolist()
    real, fresh = pl.DataFrame(rows_of(table, 0, 300)), pl.DataFrame(rows_of(table, 300, 600))
    models = {
        "fresh": fresh,
        "copy": real,
        "shuffled": pl.DataFrame(shuffled(rows_of(table, 0, 300))),
        "copula": tg.samplers.GaussianCopula(real).sample(300, 1),
    }
    found = tg.compare(real, models, metrics=["eden_ratio", "exact_copy_share"], exhibits=False, threads=2)
    words = {name: " ".join(e.table.verdict) for name, e in found.evaluations.items() if e.table is not None}
    assert "copy of the real table" in words["copy"]
    assert "300 of 300 synthetic rows are exact copies" in words["copy"]
    assert "Pairs of columns are reproduced" in words["fresh"]
    for name in ("shuffled", "copula"):
        assert "The columns are right, but" in words[name]
        assert "grade inflation" in words[name]
        assert ("north", "east") in {(one.first, one.second) for one in found[name].table.inflated}
        assert "Pairs of columns are reproduced" not in words[name]
    assert "Correlations are lost in 1 pair: worst north x width" in words["shuffled"]
    assert "Correlations are lost" not in words["copula"]
    assert all("copies" not in words[name] for name in ("fresh", "shuffled", "copula"))
    assert found["copy"]["exact_copy_share"].value == 1.0
    assert found["fresh"]["exact_copy_share"].value == 0.0
    assert found["copula"]["eden_ratio"].value < found["copy"]["eden_ratio"].value == 1.0


def test_every_score_of_tables_is_there_with_a_value_or_a_reason(whole: tg.Evaluation) -> None:
    assert whole.table is not None
    assert set(TABLE_SCORES) < set(whole.scores)
    for key in TABLE_SCORES:
        assert whole[key].status == "ok", whole[key].reason
        assert whole[key].about.family == "table"
    assert whole["eden_ratio"].value == whole.table.aggregates["eden_ratio"].value
    assert whole["closer_to_train"].interval is not None
    assert whole["closer_to_train"].about.target == 0.5
    assert whole["detection_auc"].value == max(m.value for m in whole.table.detection.values() if m.value is not None)
    assert whole["precision"].value is not None
    assert whole["frechet_distance"].title == "Fréchet distance (table rows)"
    assert whole.table.verdict
    assert list(whole.table.encoding) == ["north", "east", "pay", "city", "member"]
    assert whole.table.whole_rows == (120, 120)


def test_a_result_with_a_table_survives_json_and_old_results_are_read(whole: tg.Evaluation, tmp_path: Path) -> None:
    path = whole.to_json(tmp_path / "e.json")
    again = tg.Evaluation.from_json(path)
    assert again == whole
    assert again.table is not None
    assert whole.table is not None
    assert again.table.pairs == whole.table.pairs
    assert again.table.pictures == whole.table.pictures
    record = json.loads(path.read_text())
    del record["table"]
    old = tg.Evaluation.from_dict(record)
    assert old.table is None
    assert old["eden_ratio"] == whole["eden_ratio"]
    assert str(again)
    again.to_markdown(tmp_path / "e.md")


def test_undefined_scores_have_a_reason_and_the_seed_is_the_only_chance() -> None:
    real, fake = pl.DataFrame(few(60, 0)), pl.DataFrame(few(60, 1))
    one, same = (tg.evaluate(real, fake, metrics=["closer_to_train", "eden_ratio"], **QUICK) for _ in range(2))
    assert (one["closer_to_train"].status, one["closer_to_train"].value) == ("undefined", None)
    assert "hold-out" in (one["closer_to_train"].reason or "")
    assert plain(one) == plain(same)


# --- columns that differ --------------------------------------------------------------------------------------


def test_t5_an_absent_column_counts_as_0_and_is_said() -> None:
    real = few(80, 0)
    fake = few(80, 1)
    del fake["city"]
    fake["surplus"] = fake["rooms"]
    full = tg.evaluate(pl.DataFrame(real), pl.DataFrame(few(80, 1)), **COLUMNS)
    found = tg.evaluate(pl.DataFrame(real), pl.DataFrame(fake).select(sorted(fake)), **COLUMNS)
    assert found.table is not None
    assert {column.name: column.status for column in found.table.columns}["city"] == "absent"
    assert "city" in found.table.verdict[0]
    assert {"columns_absent", "columns_surplus"} <= {note.code for note in found.notices}
    assert (found["eden_ratio"].value or 0) < (full["eden_ratio"].value or 0)


def test_t6_t8_what_was_harmonised_reaches_the_notices() -> None:
    rng = np.random.default_rng(0)
    grades = rng.integers(0, 3, 90)
    days = np.datetime64("2021-03-01T00:00") + rng.integers(0, 500, 90).astype("timedelta64[h]")
    zoned = pl.Series(days.astype("datetime64[us]")).dt.replace_time_zone("UTC")
    real = pl.DataFrame({"grade": [str(g) for g in grades], "day": zoned})
    fake = pl.DataFrame({"grade": grades.astype(float), "day": [str(day)[:16] for day in days]})
    found = tg.evaluate(real, fake, types={"grade": "category"}, **COLUMNS)
    assert {"harmonised", "zones_differ"} <= {note.code for note in found.notices}
    assert found.table is not None
    assert {c.name: c.scores[c.main].value for c in found.table.columns}["grade"] == pytest.approx(1.0)


def test_types_are_what_the_user_says_they_are() -> None:
    real, fake = pl.DataFrame(few(80, 0)), pl.DataFrame(few(80, 1))
    found = tg.evaluate(real, fake, types={"rooms": "number", "city": "text"}, **COLUMNS)
    assert found.table is not None
    types = {column.name: column.type for column in found.table.columns}
    assert (types["rooms"], types["city"], types["pay"]) == ("number", "text", "number")
    for wrong, words in (({"rooms": "numbr"}, "numbr"), ({"room": "number"}, "room")):
        with pytest.raises(InputError, match=words):
            tg.evaluate(real, fake, types=wrong, **COLUMNS)
    with pytest.raises(InputError, match="no table with named columns"):
        tg.evaluate(np.zeros((5, 2)), np.ones((5, 2)), types={"a": "number"})


def test_t4_rows_with_an_infinity_are_refused_or_left_out() -> None:
    real = pl.DataFrame({"a": np.r_[np.inf, np.arange(60.0) ** 1.5], "b": np.arange(61.0) % 7 + 0.5})
    fake = pl.DataFrame({"a": np.arange(60.0) ** 1.4, "b": np.arange(60.0) % 7 + 0.5})
    with pytest.raises(InputError, match="infinity in column 'a', row 0"):
        tg.evaluate(real, fake, **COLUMNS)
    found = tg.evaluate(real, fake, on_error="skip", **COLUMNS)
    assert "rows_left_out" in {note.code for note in found.notices}
    assert found.real.n == 60


# --- which scores, how many rows, several sets ----------------------------------------------------------------


def test_only_what_was_asked_for_is_graded() -> None:
    real, fake = pl.DataFrame(few(60, 0)), pl.DataFrame(few(60, 1))
    rows = tg.evaluate(real, fake, metrics="precision", **QUICK)
    assert (list(rows), rows.table) == (["precision"], None)
    copies = tg.evaluate(real, fake, metrics="exact_copy_share", **QUICK)
    assert list(copies) == ["exact_copy_share"]
    assert copies.table is not None
    assert (copies.table.columns, copies.table.detection) == ((), {})
    both = tg.evaluate(real, fake, metrics=["recall", "column_score"], **QUICK)
    assert list(both) == ["recall", "column_score"]
    with pytest.raises(InputError, match="eden_ratio asked for, which grade tables"):
        tg.evaluate(np.zeros((9, 3)), np.ones((9, 3)), metrics=["precision", "eden_ratio"])


def test_one_metric_alone_and_protocols_read_numbers_as_they_are() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 50, 2))
    frames = [pl.DataFrame({"x": side[:, 0], "y": side[:, 1]}) for side in (a, b)]
    metric = tg.metrics.FrechetDistance()
    assert metric(*frames, **QUICK).value == metric(a, b, **QUICK).value
    by = [tg.evaluate(*sides, protocol="prdc", **QUICK)["precision"].value for sides in (frames, (a, b))]
    assert by[0] == by[1]


def test_whole_rows_of_a_long_table_are_drawn_and_columns_are_not() -> None:
    n = 20_500
    rng = np.random.default_rng(0)
    real, fake = (pl.DataFrame({"a": side[0], "b": side[1]}) for side in rng.normal(size=(2, 2, n)))
    found = tg.evaluate(real, fake, metrics=["frechet_distance", "column_score"], **QUICK)
    assert sum(note.code == "table_rows" for note in found.notices) == 2
    assert (found.real.n, found.synthetic.n) == (n, n)
    assert (found["frechet_distance"].n_real, found["column_score"].n_real) == (20_000, n)
    assert found.table is not None
    assert found.table.columns[0].real.rows == n
    assert found.table.whole_rows == (20_000, 20_000)


def test_several_runs_and_several_models_share_one_schema() -> None:
    real = pl.DataFrame(few(60, 0))
    runs = [pl.DataFrame(few(60, seed)) for seed in (1, 2)]
    found = tg.evaluate(real, runs, metrics=["precision", "eden_ratio"], **QUICK)
    assert found["precision"].repeats is not None
    assert found["precision"].repeats.sizes == (60, 60)
    assert found.table is not None
    models = tg.compare(real, {"A": runs[0], "B": runs[1]}, metrics=["eden_ratio"], **QUICK)
    assert models["A"]["eden_ratio"] == found["eden_ratio"]
    assert models["A"].real == models["B"].real
    assert models.differences[0].reason is not None


def test_sets_drawn_from_one_table_are_graded_by_whole_rows_and_that_is_said() -> None:
    real, pool = pl.DataFrame(few(40, 0)), pl.DataFrame(few(90, 1))
    found = tg.evaluate(real, pool, metrics=["precision", "eden_ratio"], repeats=2, **QUICK)
    assert (list(found), found.table) == (["precision"], None)
    assert "table_drawn" in {note.code for note in found.notices}
    runs = [tg.load_table(pool), pl.DataFrame(few(40, 2))]
    listed = tg.evaluate(tg.load_table(real), runs, metrics="recall", **QUICK)
    assert listed["recall"].repeats is not None


# --- what takes no tables -------------------------------------------------------------------------------------


def test_monitors_and_statistics_refuse_tables_in_one_line(tmp_path: Path) -> None:
    real = pl.DataFrame(people(30, 0))
    np.savez(tmp_path / "s.npz", mu=np.zeros(7), sigma=np.eye(7))
    for refused in (lambda: tg.monitor(real), lambda: tg.evaluate(tmp_path / "s.npz", real)):
        with pytest.raises(InputError, match=r"column.* that are not numbers: .*city") as error:
            refused()
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("given", ["images", "identifiers"])
def test_what_cannot_be_a_row_is_refused(given: str, tmp_path: Path) -> None:
    real = pl.DataFrame(people(30, 0))
    if given == "images":
        image = pytest.importorskip("PIL.Image").new("RGB", (8, 8))
        image.save(tmp_path / "i.png")
        with pytest.raises(InputError, match=r"real set is a table, and .* holds images"):
            tg.evaluate(real, tmp_path, **QUICK)
    else:
        names = pl.DataFrame({"id": [f"u{i}-{i * 7919}" for i in range(200)]})
        with pytest.raises(InputError, match=r"No column .* can become a coordinate"):
            tg.evaluate(names, names, **QUICK)
