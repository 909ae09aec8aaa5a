"""Records and their JSON: exact round trips, strictness, refusals, files that are whole or not there."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from truegrade import codec
from truegrade.errors import InputError, Notice
from truegrade.result import (
    SCHEMA,
    About,
    Agreement,
    Comparison,
    Difference,
    Evaluation,
    Exhibits,
    Group,
    Interval,
    MapSide,
    MapView,
    Pair,
    Provenance,
    Rank,
    Reference,
    Repeats,
    Score,
    SetFacts,
    Specimen,
    Trace,
    UnknownScore,
    read_result,
)

ABOUT = About("coverage", "higher", (0.0, float("inf")), None, "f(x)", "read it so", "someone2020")


def nasty_score() -> Score:
    return Score(
        key="recall(k=3)",
        title="Recall <script>",
        about=ABOUT,
        value=0.1 + 0.2,
        raw=float("inf"),
        interval=Interval(-float("inf"), 1e-308, 0.95, "how"),
        floor=Reference(1 / 3, 7, 9, "note", scaled=True),
        missing={"interval": "why"},
        per_sample={
            "real": np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324, 1 / 3]),
            "synthetic": np.array([[0.1, np.inf], [2, 3]], np.float32),
            "counts": np.array([2**62, -1]),
            "flags": np.array([True, False]),
            "names": np.array(["a", "\u202e\ud7ff", ""]),
            "none": np.zeros((0, 3)),
        },
        per_group={"[red]": Group(None, 3, 0, reason="no samples")},
        details={"chance": float("nan"), "n": 3, "how": None, "p": "x"},
        parameters={"k": 3, "kernel": {"type": "Gaussian", "scales": [1.0, 2.0]}},
        warnings=(Notice("halves", "note", "text"),),
        n_real=6,
        n_synthetic=2,
    )


def evaluation(**scores: Score) -> Evaluation:
    facts = SetFacts("real", 6, 2, "float32", "abc", "memory")
    made = Provenance({"numpy": "2"}, 0, None, "2026-01-01T00:00:00+00:00", 0.1)
    table = scores or {"recall(k=3)": nasty_score()}
    return Evaluation(table, facts, replace(facts, name="model"), made, facts, (), "plan\ntext")


def test_round_trip_is_exact(tmp_path: Path) -> None:
    before = evaluation()
    after = Evaluation.from_json(before.to_json(tmp_path / "a.json"))
    assert after == before
    score, back = before["recall(k=3)"], after["recall(k=3)"]
    assert (back.value, back.raw, back.interval, back.floor) == (
        score.value,
        score.raw,
        score.interval,
        score.floor,
    )
    assert back.about == ABOUT
    for side, array in score.per_sample.items():
        assert back.per_sample[side].dtype == array.dtype
        assert back.per_sample[side].shape == array.shape
        if array.dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(back.per_sample[side]), np.signbit(array))
        np.testing.assert_array_equal(back.per_sample[side], array)
    assert np.isnan(back.details["chance"])


def test_equality_sees_one_changed_bit() -> None:
    score = nasty_score()
    real = score.per_sample["real"].copy()
    real[5] = np.nextafter(real[5], 1)
    assert replace(score, per_sample={**score.per_sample, "real": real}) != score
    assert replace(score, raw=None) != score
    assert nasty_score() == score


def test_json_is_strict_and_says_why_a_number_is_null() -> None:
    def refuse(word: str) -> float:
        raise AssertionError(f"{word} is not JSON")

    record = json.loads(codec.dumps(evaluation().to_dict()), parse_constant=refuse)
    assert record["schema"] == SCHEMA
    score = record["scores"]["recall(k=3)"]
    assert score["raw"] == {"number": None, "reason": "infinite"}
    assert score["details"]["chance"] == {"number": None, "reason": "not a number"}
    assert score["per_sample"]["real"]["array"][:3] == [None, None, None]
    assert score["per_sample"]["real"]["not_finite"]["minus infinite"] == [2]


def test_comparison_round_trip(tmp_path: Path) -> None:
    before = Comparison({"A": evaluation(), "<script>": evaluation()})
    path = before.to_json(tmp_path / "deep" / "er" / "c.json")
    assert Comparison.from_json(path) == before
    assert read_result(path) == before
    assert list(before) == ["A", "<script>"]
    assert len(before) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": 1}, "schema version 1; version 2 is read"),
        ({"schema": 3}, "schema version 3; version 2 is read"),
        ({"schema": None}, "schema version None"),
        ({"kind": "comparison"}, "'comparison'; 'evaluation' was expected"),
        ({"scores": {"a": {"about": 3}}}, "evaluation is damaged"),
        ({"provenance": {}}, "evaluation is damaged"),
    ],
)
def test_foreign_records_are_refused(change: dict[str, Any], message: str) -> None:
    record = {**evaluation().to_dict(), **change}
    with pytest.raises(InputError, match=message):
        Evaluation.from_dict(record)


@pytest.mark.parametrize("text", ["", "[1]", '{"a": NaN}', "{'a': 1}", '{"schema": 1', "[" * 100_000])
def test_what_is_no_result_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"x\.json (is not strict JSON|holds a JSON list)"):
        read_result(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_result(tmp_path / "absent.json")


def test_unknown_score_suggests_a_near_one() -> None:
    with pytest.raises(UnknownScore, match=r"No score named 'recal'\. Did you mean recall") as caught:
        evaluation(recall=nasty_score())["recal"]
    assert isinstance(caught.value, KeyError)
    assert isinstance(caught.value, InputError)
    assert str(caught.value).startswith("No score")


def test_failed_scores_are_listed() -> None:
    bad = replace(nasty_score(), status="failed", value=None, reason="why")
    assert evaluation(a=nasty_score(), b=bad).failed == ("b",)


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """W2: disk full or Ctrl-C while writing."""
    path = tmp_path / "a.json"
    path.write_text("old")

    def fail(_: int) -> None:
        raise error

    monkeypatch.setattr(os, "fsync", fail)
    expected = InputError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        evaluation().to_json(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.json"]


def test_an_output_that_cannot_be_written_is_refused_early(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        codec.prepare_output(tmp_path / "file" / "a.json")
    with pytest.raises(InputError, match="is a folder"):
        codec.prepare_output(tmp_path)
    assert codec.prepare_output(tmp_path / "new" / "a.json").parent.is_dir()


def test_plain_values_survive_json() -> None:
    value = codec.plain(
        {"a": np.float32(0.5), "b": (1, np.int64(2)), "c": ABOUT, "d": np.eye(1), "e": np.mean}
    )
    assert value["a"] == 0.5
    assert value["b"] == [1, 2]
    assert value["c"]["type"] == "About"
    assert value["d"] == [[1.0]]
    assert value["e"] == "mean"
    assert codec.decode(json.loads(codec.dumps(codec.encode(value)))) == value


def test_printing_shows_names_as_text() -> None:
    """W5: markup, control and direction characters of the user's do nothing."""
    shown = str(evaluation())
    assert "Recall <script>" in shown
    assert "\x1b" not in shown
    facts = SetFacts("[red]\x1b[31m\u202e" + "x" * 10_000, 6, 2, "float32", "abc", "memory")
    hostile = str(replace(evaluation(), synthetic=facts))
    assert "[red]\\x1b[31m\\u202exxx" in hostile
    assert len(hostile) < 5_000


def nasty_comparison() -> Comparison:
    values = np.array([0.0, np.nan, 1 / 3], np.float32)
    whole = np.arange(3)
    side = MapSide(3, whole, np.zeros((3, 2), np.float32), values, whole, values, values, ("<b>", "\u202e", ""))
    specimen = Specimen("real", 2, "</script>", np.array([1, 2], np.uint8), None, float("inf"), "a")
    pair = Pair(specimen, specimen, 0.0, 1e-300, True)
    view = MapView(side, dataclasses.replace(side, labels=("a", "b", "c")), "PCA", ("x", "y"), 5, 10)
    low = np.zeros(2)
    exhibits = Exhibits(view, (specimen,), (), (pair,), "image", low, low + 1, 2, 2, (1, 2), ("a", "b"), ("note",))
    repeats = Repeats(np.array([1.0, np.nan]), (3, 4), "runs", 1.0, None, 1.0)
    score = dataclasses.replace(nasty_score(), trace=Trace(np.array([np.nan, 1.0]), 0.5, "halves"), repeats=repeats)
    one = dataclasses.replace(evaluation(recall=score), exhibits=exhibits)
    differences = (
        Difference("recall", "A", "B", 0.1, Interval(-1.0, float("inf"), 0.95, "t"), 0.01, 0.02, "A", True),
        Difference("recall", "B", "A", None, reason="undefined"),
    )
    ranks = {"recall": {"A": Rank(1, 1), "B": Rank(1, 2)}}
    return Comparison({"A": one, "B": evaluation()}, differences, ranks, (Agreement("a", "b", None, 0, 0),))


def test_every_record_comes_back_exactly(tmp_path: Path) -> None:
    comparison = nasty_comparison()
    again = read_result(comparison.to_json(tmp_path / "c.json"))
    assert again == comparison
    assert isinstance(again, Comparison)
    first = again.evaluations["A"].exhibits
    assert first is not None
    assert first.map is not None
    assert first.map.real.points.dtype == np.float32
    assert first.map.real.names == ("<b>", "\u202e", "")
    assert isinstance(again.ranks["recall"]["B"], Rank)
    assert again.differences == comparison.differences


@pytest.mark.parametrize(
    "path",
    [
        ("evaluations", "A", "exhibits", "map", "real", "rows"),
        ("evaluations", "A", "scores", "recall", "trace", "values"),
        ("evaluations", "A", "exhibits", "worst"),
        ("differences",),
        ("ranks",),
    ],
)
def test_damage_deep_inside_is_one_error(path: tuple[str, ...]) -> None:
    record = json.loads(codec.dumps(nasty_comparison().to_dict()))
    at = record
    for name in path[:-1]:
        at = at[name]
    at[path[-1]] = 7
    with pytest.raises(InputError, match="comparison is damaged"):
        Comparison.from_dict(record)


def test_threads_write_into_one_folder_without_meeting(tmp_path: Path) -> None:
    texts = {tmp_path / f"{i}.txt": f"{i} " * 2000 for i in range(120)}
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda item: codec.write(*item), texts.items()))
    assert {path: path.read_text() for path in tmp_path.iterdir()} == texts


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": -5.0}, "outside of its range"),
        ({"n_real": -5}, "-5 real"),
        ({"interval": {"low": 2.0, "high": -1.0, "level": 0.95, "method": "x"}}, "from 2.0 to -1.0"),
        ({"interval": {"low": 0.0, "high": 1.0, "level": 95.0, "method": "x"}}, "level 95.0"),
    ],
)
def test_numbers_that_cannot_be_are_refused(change: dict[str, Any], message: str) -> None:
    record = json.loads(codec.dumps(evaluation(recall=nasty_score()).to_dict()))
    record["scores"]["recall"] |= change
    with pytest.raises(InputError, match=message):
        Evaluation.from_dict(record)
