"""The command line: exit statuses, one line of complaint, files whole or not there, plain names."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegrade as tg
from truegrade import cli
from truegrade.cli.inputs import distinct_names
from truegrade.cli.tools import UsageError, read_gate
from truegrade.ecg import ECG_SCORES
from truegrade.grading import choose
from truegrade.metrics import METRICS
from truegrade.tabular import TABLE_SCORES


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    status: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command line in a folder with real.npy, a.npy, b.npz (keys x, y), wide.npy and held.csv."""
    rng = np.random.default_rng(0)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TRUEGRADE_CACHE", raising=False)
    np.save("real.npy", rng.normal(size=(120, 8)))
    np.save("a.npy", rng.normal(size=(110, 8)))
    np.savez("b.npz", x=0.2 * rng.normal(size=(110, 8)), y=np.zeros(3))
    np.save("wide.npy", rng.normal(size=(50, 9)))
    np.savetxt("held.csv", rng.normal(size=(100, 8)), delimiter=",", header=",".join("abcdefgh"), comments="")

    def go(*arguments: str) -> Ran:
        status = cli.main(arguments)
        captured = capsys.readouterr()
        return Ran(status, captured.out, captured.err)

    return go


def test_evaluate_prints_a_table_and_nothing_else(run: Run) -> None:
    ran = run("evaluate", "real.npy", "a.npy", "--holdout", "held.csv", "--k", "3")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("a (110) against real (120), 8 features")
    for metric in METRICS.values():
        assert (metric.info.title in ran.out) == metric.info.default, metric.info.key
    assert not any(line != line.rstrip() for line in ran.out.splitlines())


def test_several_sets_make_one_table_with_a_verdict_each(run: Run) -> None:
    ran = run("evaluate", "real.npy", "a.npy", "B=b.npz", "--key", "x", "--json", "c.json")
    assert ran.status == 0
    assert "B: " in ran.out
    assert list(tg.Comparison.from_json("c.json")) == ["a", "B"]
    again = run("show", "c.json")
    assert again.out == ran.out


# --- W1 to W6 ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("evaluate", "real.npy", "a.npy", "--metrcs", "recall"), "Did you mean --metrics"),
        (("evalute", "real.npy", "a.npy"), 'Did you mean "evaluate"'),
        (("evaluate", "real.npy", "a.npy", "--metrics", "recal"), "Did you mean recall"),
        (("evaluate", "no.npy", "no.npy", "--metrics", "fidelty"), "Did you mean fidelity"),
        (("evaluate", "real.npy", "a.npy", "--fail-under", "recal=1"), "Did you mean recall"),
        (("evaluate", "real.npy", "a.npy", "--fail-under", "recall"), "KEY=NUMBER is accepted"),
        (("evaluate", "real.npy", "a.npy", "--fail-under", "recall=nan"), "must be a finite number"),
        (("evaluate", "real.npy", "a.npy", "--k", "three"), "three"),
        (("evaluate", "real.npy", "a.npy", "--k", "0"), "k=0 given"),
        (("evaluate", "real.npy"), "SYNTHETIC"),
        (("evaluate", "real.npy", "x=a.npy", "x=b.npz"), "given twice"),
        (("evaluate", "real.npy", "x="), "NAME=FILE is accepted"),
        (("show", "recal"), "Did you mean recall"),
    ],
)
def test_w1_misspelt_options_and_metrics(run: Run, arguments: tuple[str, ...], hint: str) -> None:
    ran = run(*arguments)
    assert ran.status == 2
    assert hint in ran.err
    assert ran.out == ""
    assert len(ran.err.splitlines()) == 1


def test_w2_missing_folders_are_made_and_impossible_ones_refused_before_the_work(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("evaluate", "real.npy", "a.npy", "--metrics", "recall", "--json", "new/er/a.json").status == 0
    assert tg.Evaluation.from_json("new/er/a.json")["recall"].value is not None
    monkeypatch.setattr("truegrade.cli.evaluate.compare", _no_work)
    ran = run("evaluate", "real.npy", "a.npy", "--json", "real.npy/a.json")
    assert (ran.status, len(ran.err.splitlines())) == (1, 1)
    assert "cannot be written" in ran.err


def _no_work(*_: Any, **__: Any) -> None:
    raise AssertionError("work was begun")


def test_w2_disk_full_leaves_the_old_file_and_still_prints_the_result(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.json").write_text("old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    ran = run("evaluate", "real.npy", "a.npy", "--metrics", "recall", "--json", "a.json")
    assert ran.status == 1
    assert "No space left" in ran.err
    assert "Recall" in ran.out
    assert Path("a.json").read_text() == "old"
    assert not list(Path().glob(".*.tmp"))


def test_w2_ctrl_c_changes_no_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.json").write_text("old")
    found = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in what a shell runs in the background
    monkeypatch.setattr("truegrade.cli.evaluate.compare", lambda *_, **__: signal.raise_signal(signal.SIGINT))
    before = sorted(os.listdir())
    try:
        ran = run("evaluate", "real.npy", "a.npy", "--json", "a.json")
    finally:
        signal.signal(signal.SIGINT, found)
    assert (ran.status, ran.out) == (130, "")
    assert len(ran.err.splitlines()) == 1
    assert Path("a.json").read_text() == "old"
    assert sorted(os.listdir()) == before


def test_w3_bad_files_are_one_line(run: Run) -> None:
    np.save("objects.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    for arguments, words in (
        (("evaluate", "real.npy", "objects.npy"), "objects.npy"),
        (("evaluate", "real.npy", "b.npz"), "x"),
        (("evaluate", "real.npy", "nowhere.npy"), "nowhere.npy"),
        (("evaluate", "real.npy", "wide.npy"), "8 features"),
        (("evaluate", "real.npy", "a.npy", "--holdout", "wide.npy"), "hold-out"),
        (("evaluate", "real.npy", "a.npy", "--k", "110"), "1 to 109 is accepted"),
        (("evaluate", "real.npy", "a.npy", "--metrics", "copying_test"), "hold-out"),
        (("show", "nowhere.json"), "cannot be read"),
        (("check", "x" * 5_000 + ".npy"), "xxx"),
    ):
        ran = run(*arguments)
        assert (ran.status, ran.out, len(ran.err.splitlines())) == (1, "", 1), arguments
        assert words in ran.err
        assert "Traceback" not in ran.err


def test_w4_one_failing_metric_is_named_and_the_others_are_printed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(METRICS["recall"], "compute", fail)
    ran = run("evaluate", "real.npy", "a.npy", "--json", "a.json")
    assert ran.status == 4
    assert ran.err == "truegrade: Recall of a failed: ZeroDivisionError: division by zero\n"
    evaluation = tg.Evaluation.from_json("a.json")
    assert [key for key in evaluation if evaluation[key].status != "ok"] == ["recall"]
    assert "Symmetric recall" in ran.out
    assert "Recall: failed, ZeroDivisionError" in ran.out
    gated = run("evaluate", "real.npy", "a.npy", "--fail-under", "recall=0.1")
    assert gated.status == 3
    assert "has no value" in gated.err


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "[red]x[/red]", "[/", ":smile:", "x" * 5_000])
def test_w5_hostile_names_are_shown_as_they_are(run: Run, name: str) -> None:
    ran = run("evaluate", "real.npy", f"{name}=a.npy", "a.npy", "--metrics", "recall", "--json", "a.json")
    assert ran.status == 0
    assert name[:59] in ran.out
    assert len(ran.out) < 3_000
    assert list(tg.Comparison.from_json("a.json")) == [name, "a"]


def test_w5_control_characters_reach_no_terminal(run: Run) -> None:
    ran = run("evaluate", "real.npy", "\x1b[31mred\u202e\n=a.npy", "--metrics", "recall")
    assert ran.status == 0
    assert "\x1b" not in ran.out
    assert "\\x1b[31mred\\u202e\\n (110) against" in ran.out
    missing = run("check", "\x1b[31m.npy")
    assert "\x1b" not in missing.err


def test_w6_the_same_command_twice_gives_the_same_json_except_for_times(run: Run) -> None:
    records = []
    for name in ("1.json", "2.json"):
        assert run("evaluate", "real.npy", "a.npy", "--json", name, "--cache", "kept").status == 0
        record = json.loads(Path(name).read_text())
        for time in ("created", "seconds"):
            assert record["provenance"].pop(time) is not None
        records.append(record)
    assert records[0] == records[1]


# --- gates -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gate", "status"),
    [
        ("recall=0.2", 0),
        ("recall=0.9999", 3),
        ("frechet_distance=100", 0),
        ("frechet_distance=0.001", 3),
        ("density=0.5", 0),
        ("density=0.9999", 3),
    ],
)
def test_fail_under_reads_higher_lower_and_target(run: Run, gate: str, status: int) -> None:
    ran = run("evaluate", "real.npy", "a.npy", "--no-intervals", "--no-floor", "--fail-under", gate)
    assert ran.status == status
    assert len(ran.err.splitlines()) == (1 if status else 0)


def test_gates_are_read_exactly() -> None:
    chosen, _ = choose("default")
    gate = read_gate("recall=.5", chosen)
    assert (gate.key, gate.limit) == ("recall", 0.5)
    with pytest.raises(UsageError, match="no such metric is evaluated"):
        read_gate("realism=1", chosen)


# --- the other commands ------------------------------------------------------------------------------------


def test_metrics_lists_all(run: Run) -> None:
    ran = run("metrics")
    assert ran.status == 0
    assert [line.split()[0] for line in ran.out.splitlines()[1:]] == [*METRICS, *TABLE_SCORES, *ECG_SCORES]


def test_show_tells_everything_about_a_metric(run: Run) -> None:
    for key, metric in METRICS.items():
        ran = run("show", key)
        assert ran.status == 0
        words = " ".join(ran.out.split())
        for text in (metric.info.formula, metric.info.reading):
            assert " ".join(text.split()) in words


def test_check_reads_every_file_and_says_which_are_bad(run: Run) -> None:
    ran = run("check", "real.npy", "a.npy", "wide.npy", "nowhere.npy")
    assert ran.status == 1
    assert "a.npy: 110 samples x 8 features, float64" in ran.out
    assert "caution: Only 110 synthetic samples" in ran.out
    assert len(ran.err.splitlines()) == 2
    assert run("check", "real.npy").status == 0


def test_explain_prints_the_plan_and_stops(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truegrade.cli.evaluate.compare", _no_work)
    ran = run("evaluate", "real.npy", "a.npy", "--explain", "--metrics", "fidelity,recall")
    assert ran.status == 0
    assert "real against synthetic" in ran.out
    assert "GFLOP" in ran.out


def test_demo_tells_the_three_models_apart(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from truegrade import demo

    whole = demo.load_demo()
    monkeypatch.setattr(demo, "load_demo", lambda: {name: rows[:400] for name, rows in whole.items()})
    ran = run("demo", "--json", "demo.json")
    assert ran.status == 0
    names = ("good", "mode_dropping", "copying")
    lines = dict(line.split(": ", 1) for line in ran.out.splitlines() if line.split(": ")[0] in names)
    assert lines["good"].startswith(("Good", "Indistinguishable"))
    assert lines["mode_dropping"].startswith("Misses part of the variety")
    assert lines["copying"].startswith("Copies its training data")
    assert tuple(tg.Comparison.from_json("demo.json")) == names
    assert ran.out.splitlines()[-1] == f"Report: {Path('report.html').resolve()}"
    assert Path("report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_names_are_made_distinct() -> None:
    """I7, E12: model folders with the same last name are never mixed up."""
    none = [(None, p) for p in ("real/samples.npy", "a/samples.npy", "b/samples.npy", "c.npy")]
    assert distinct_names(none) == ["real/samples", "a/samples", "b/samples", "c"]
    assert distinct_names([(None, "r.npy"), ("A", "a/x.npy"), (None, "b/x.npy")]) == ["r", "A", "x"]
    same = distinct_names([(None, "r.npy"), (None, "x.npy"), (None, "x.npy")])
    assert len(set(same)) == 3


def test_help_names_every_option(run: Run) -> None:
    ran = run("evaluate", "--help")
    assert ran.status == 0
    for option in (
        "--metrics",
        "--holdout",
        "--json",
        "--fail-under",
        "--explain",
        "--no-floor",
        "--no-cache",
    ):
        assert option in ran.out
    assert run("--version").out.strip() == tg.__version__


def test_a_reader_that_leaves_is_no_error() -> None:
    left = subprocess.run(
        f"{sys.executable} -m truegrade metrics | head -1",
        shell=True,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert left.stderr == ""
    assert left.stdout.startswith("key")


# --- from a review: what a first user met --------------------------------------------------------------


@pytest.mark.parametrize("also", ["real.npy", "a.npy", "held.csv", "./a.npy"])
def test_a_result_never_replaces_a_file_that_is_read(run: Run, also: str) -> None:
    before = Path(also).read_bytes()
    ran = run("evaluate", "real.npy", "A=a.npy", "--holdout", "held.csv", "--json", also)
    assert (ran.status, ran.out) == (2, "")
    assert "is also read" in ran.err
    assert Path(also).read_bytes() == before


def test_a_device_or_a_pipe_is_no_place_for_a_result(run: Run) -> None:
    os.mkfifo("pipe.json")
    ran = run("evaluate", "real.npy", "a.npy", "--json", "pipe.json")
    assert (ran.status, ran.out) == (1, "")
    assert "ordinary file" in ran.err


def test_a_place_that_cannot_be_written_is_found_before_the_work(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truegrade.cli.evaluate.compare", _no_work)

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "touch", full)
    ran = run("evaluate", "real.npy", "a.npy", "--json", "x.json")
    assert ran.status == 1
    assert "x.json cannot be written: Read-only file system" in ran.err


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("--seed", "-1"), "--seed -1 given"),
        (("--threads", "0"), "--threads 0 given"),
        (("--fail-under", "recall=inf"), "finite number"),
    ],
)
def test_numbers_out_of_range_are_wrong_usage(run: Run, arguments: tuple[str, ...], hint: str) -> None:
    ran = run("evaluate", "real.npy", "a.npy", *arguments)
    assert ran.status == 2
    assert hint in ran.err


def test_columns_of_tables_are_chosen_by_name(run: Run) -> None:
    Path("id.csv").write_text("id,b,a,t\n" + "".join(f"{i},{i * i % 7},{i % 5},x\n" for i in range(40)))
    Path("plain.csv").write_text("a,b\n" + "".join(f"{i % 5},{i * i % 7}\n" for i in range(40)))
    refused = run("evaluate", "plain.csv", "id.csv", "--kind", "vectors")
    assert refused.status == 1
    assert "--columns" in refused.err
    ran = run("evaluate", "plain.csv", "id.csv", "--columns", "a,b", "--metrics", "precision")
    assert (ran.status, ran.err) == (0, "")
    checked = run("check", "plain.csv", "id.csv", "--columns", "b,a", "--kind", "vectors")
    assert (checked.status, checked.err) == (0, "")
    assert checked.out.count("2 features") == 2


def test_check_matches_columns_by_name_as_evaluate_does(run: Run) -> None:
    Path("ab.csv").write_text("a,b\n1,2\n3,5\n")
    Path("ba.csv").write_text("b,a\n1,2\n3,5\n")
    ran = run("check", "ab.csv", "ba.csv", "--kind", "vectors")
    assert (ran.status, ran.err) == (0, "")
    assert "matched by name" in ran.out


def test_the_same_file_on_both_sides_keeps_a_short_name() -> None:
    assert distinct_names([(None, "d/r.npy"), (None, "d/r.npy")]) == ["r", "r (2)"]


def _damage(record: dict[str, Any], where: str, value: Any) -> None:
    *path, last = where.split("/")
    for step in path:
        record = record[step]
    record[last] = value


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("scores/recall/value", "high"),
        ("scores/recall/value", None),
        ("scores/recall/value", [1]),
        ("scores/recall/value", 10**400),
        ("scores/recall/value", True),
        ("scores/recall/status", "great"),
        ("scores/recall/title", 5),
        ("scores/recall/about/range", [0]),
        ("scores/recall/about/range", ["a", "b"]),
        ("scores/recall/interval/low", "a"),
        ("scores/recall/floor/value", None),
        ("scores/recall", None),
        ("scores/authenticity/details", [1]),
        ("scores/authenticity/n_synthetic", 0),
        ("scores/authenticity/details/exact_copies", "x"),
        ("scores", [1]),
        ("real/n", "many"),
        ("synthetic/name", 3),
        ("notices", [{"code": "x", "severity": "mild", "text": "hi"}]),
    ],
)
def test_results_edited_by_hand_are_refused_in_one_line(run: Run, where: str, value: Any) -> None:
    assert run("evaluate", "real.npy", "a.npy", "--metrics", "recall,authenticity", "--json", "x.json").status == 0
    record = json.loads(Path("x.json").read_text())
    _damage(record, where, value)
    Path("x.json").write_text(json.dumps(record))
    ran = run("show", "x.json")
    assert (ran.status, ran.out) == (1, "")
    assert "damaged" in ran.err
    assert ran.err.count("\n") == 1


def test_a_comparison_of_nothing_is_refused(run: Run) -> None:
    Path("x.json").write_text('{"schema": 1, "kind": "comparison", "evaluations": {}}')
    assert run("show", "x.json").status == 1


def test_an_output_without_unicode_is_no_error() -> None:
    command = [sys.executable, "-m", "truegrade", "metrics"]
    plain = os.environ | {"PYTHONIOENCODING": "ascii"}
    ran = subprocess.run(command, env=plain, capture_output=True, text=True, timeout=60, check=True)
    assert ran.stderr == ""
    assert "0 to ?" in ran.stdout


def test_a_closed_output_is_one_line() -> None:
    ran = subprocess.run(
        f"{sys.executable} -m truegrade metrics >&-",
        shell=True,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 1
    assert ran.stderr.count("\n") == 1


def test_help_of_evaluate_names_the_exit_codes(run: Run) -> None:
    assert "3 a --fail-under was missed" in " ".join(run("evaluate", "--help").out.replace("│", " ").split())


def test_explain_names_what_is_computed_besides_the_plan(run: Run) -> None:
    assert "besides: the same metrics of real against real" in run("evaluate", "real.npy", "a.npy", "--explain").out
    bare = run("evaluate", "real.npy", "a.npy", "--explain", "--no-floor", "--no-intervals")
    assert "besides" not in bare.out


def test_labels_that_are_not_there_are_named_beside_what_is_wrong(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,kind\n1,x\n2,y\n3,x\n")
    ran = run("evaluate", "t.csv", "t.csv", "--labels", "TYPO", "--kind", "vectors")
    assert ran.status == 1
    assert "not numbers: 'kind'" in ran.err
    assert "--labels 'TYPO' is the name of nothing in it" in ran.err
