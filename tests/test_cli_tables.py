"""Tables on the command line: what is read as one, its typing, gates, exit statuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import truegrade as tg
from truegrade import cli
from truegrade.tabular import TABLE_SCORES

pytest.importorskip("sklearn")

FAST = ("--metrics", "eden_ratio", "--no-intervals", "--no-exhibits")
Run = Callable[..., tuple[int, str, str]]


def write(path: str, seed: int, names: str = "age,city,a=b", n: int = 50) -> None:
    rng = np.random.default_rng(seed)
    ages, cities, amounts = rng.normal(40, 9, n).round(3), rng.choice(["Ulm", "Rom"], n), rng.exponential(size=n)
    rows = zip(ages, cities, amounts.round(4), strict=True)
    lines = [names, *(f"{age},{city},{'' if i % 9 == 0 else amount}" for i, (age, city, amount) in enumerate(rows))]
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command line in a folder with real.csv, fake.csv, held.csv (text, gaps), and v.npy."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TRUEGRADE_CACHE", raising=False)
    for seed, name in enumerate(("real.csv", "fake.csv", "held.csv")):
        write(name, seed)
    np.save("v.npy", np.random.default_rng(0).normal(size=(50, 4)))

    def go(*arguments: str) -> tuple[int, str, str]:
        status = cli.main(arguments)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return go


def test_a_table_is_graded_and_its_typing_is_told(run: Run) -> None:
    status, out, err = run("evaluate", "real.csv", "fake.csv", *FAST, "--json", "e.json")
    assert (status, err) == (0, "")
    for words in ("age: number", "city: category", "Eden ratio of pairs"):
        assert words in out
    saved = tg.Evaluation.from_json("e.json")
    assert saved.table is not None
    assert [column.name for column in saved.table.columns] == ["age", "city", "a=b"]
    assert (saved.real.n, list(saved)) == (50, ["eden_ratio"])


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("real.csv", "fake.csv", "--fail-under", "eden_ratio=0"), 0, ""),
        (("real.csv", "fake.csv", "--fail-under", "eden_ratio=1.5"), 3, "Eden ratio of pairs of fake is"),
        (("real.csv", "fake.csv", "--fail-under", "eden_ration=.5"), 2, "Did you mean eden_ratio"),
        (("v.npy", "v.npy", "--metrics", "default", "--fail-under", "eden_ratio=.5"), 2, "holds vectors"),
        (("real.csv", "fake.csv", "--types", "age"), 2, "NAME=TYPE is accepted"),
        (("real.csv", "fake.csv", "--types", "age=numbr"), 2, "'numbr'"),
        (("real.csv", "fake.csv", "--types", "agee=number"), 1, "'agee'"),
        (("v.npy", "v.npy", "--types", "age=number"), 2, "means nothing for v.npy"),
        (("real.csv", "fake.csv", "--columns", "age,nothing"), 1, "no column 'nothing'"),
        (("real.csv", "fake.csv", "--kind", "vectors"), 1, "not numbers: 'city'"),
        (("real.csv", "fake.csv", "--kind", "tables"), 2, "kind"),
        (("real.csv", "v.npy"), 1, "without names"),
        (("v.npy", "fake.csv"), 1, "not numbers: 'city'"),
        (("v.npy", "v.npy"), 1, "eden_ratio asked for, which grade tables"),
    ],
)
def test_exit_statuses_with_one_clear_line(run: Run, arguments: tuple[str, ...], status: int, words: str) -> None:
    found, _, err = run("evaluate", *arguments, *(FAST if "--metrics" not in arguments else FAST[2:]))
    assert (found, words in err) == (status, True), err
    assert err.count("truegrade:") == (status != 0)


def test_columns_types_and_infinite_rows(run: Run) -> None:
    with open("fake.csv", "a", encoding="utf-8") as file:
        file.write("inf,Rom,1\n")
    status, _, err = run("evaluate", "real.csv", "fake.csv", *FAST)
    assert (status, "infinity in column 'age', row 50" in err) == (1, True), err
    how = ("--columns", "age,a=b", "--types", "a=b=identifier", "--on-error", "skip", "--json", "e.json")
    assert run("evaluate", "real.csv", "fake.csv", *FAST, *how)[0] == 0
    saved = tg.Evaluation.from_json("e.json")
    assert saved.table is not None
    assert {column.name: column.type for column in saved.table.columns} == {"age": "number", "a=b": "identifier"}
    assert "rows_left_out" in {note.code for note in saved.notices}
    assert saved.synthetic.n == 50


def test_a_holdout_and_several_models_are_read_by_the_schema_of_the_real_table(run: Run) -> None:
    how = ("--holdout", "held.csv", "--metrics", "closer_to_train,precision", "--no-floor", "--no-exhibits")
    status, out, err = run("evaluate", "real.csv", "A=fake.csv", "B=real.csv", *how, "--json", "c.json")
    assert (status, err) == (0, "")
    found = tg.Comparison.from_json("c.json")
    assert found["B"]["closer_to_train"].value == 1.0
    assert found["A"].holdout is not None
    assert "B" in out


def test_explain_says_what_would_be_done(run: Run) -> None:
    status, out, err = run("evaluate", "real.csv", "fake.csv", "--explain")
    assert (status, err) == (0, "")
    for words in ("columns: 3", "pairs of columns: 3", "detection", "utility", "privacy"):
        assert words in out


def test_check_prints_the_typing_and_what_differs(run: Run) -> None:
    write("other.csv", 3, "age,town,a=b")
    status, out, err = run("check", "real.csv", "other.csv", "--types", "age=few")
    assert (status, err) == (0, "")
    assert "real.csv: table of 50 rows and 3 columns" in out
    lines = {line.split()[0]: line for line in out.splitlines() if line.startswith("  ") and line.split()}
    assert "absent" in lines["city"]
    assert "few" in lines["age"]
    assert "6" in next(line for line in out.splitlines() if "a=b" in line)
    assert "'town'" in out
    assert run("check", "v.npy")[1].startswith("v.npy: 50 samples x 4 features")


def test_scores_of_tables_are_listed_explained_and_suggested(run: Run) -> None:
    listed = run("metrics")[1].split("\n")
    assert set(TABLE_SCORES) <= {line.split()[0] for line in listed if line.strip()}
    assert TABLE_SCORES["eden_ratio"].about.reading[:40] in " ".join(run("show", "eden_ratio")[1].split())
    with pytest.raises(tg.InputError, match=r"Did you mean .*eden_ratio"):
        tg.evaluate([[1.0], [2.0]], [[1.0], [2.0]], metrics="eden_rati")
    with pytest.raises(tg.InputError, match=r"Known: .*detection_auc"):
        tg.evaluate([[1.0], [2.0]], [[1.0], [2.0]], metrics="zzzzzz")


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (("--kind", "vectors"), "Choose columns of numbers (--columns a,b)"),
        (("--embed", "lite0"), "--embed is for images"),
        (("--pixels", "1x3"), "--pixels is for rows that are images"),
    ],
)
def test_a_table_where_numbers_are_needed_is_refused_in_words_of_the_command_line(
    run: Run, option: tuple[str, str], words: str
) -> None:
    status, _, said = run("evaluate", "real.csv", "fake.csv", *option)
    assert status == 1
    assert words in " ".join(said.split())
    assert "--kind table" in said
    assert "columns=[" not in said
