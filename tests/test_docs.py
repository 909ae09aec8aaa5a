"""The written pages: do they say what the code does?"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

import truegrade as tg
from truegrade.cli.evaluate import Options
from truegrade.demo import load_demo
from truegrade.metrics import METRICS
from truegrade.report.verdict import judge
from truegrade.tabular import TABLE_SCORES

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")]


def test_the_page_of_metrics_is_up_to_date(tmp_path: Path) -> None:
    made = tmp_path / "metrics.md"
    command = [sys.executable, str(ROOT / "scripts" / "make_docs.py"), "--out", str(made)]
    subprocess.run(command, check=True, capture_output=True)
    shipped = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert made.read_text(encoding="utf-8") == shipped, "run `make docs`"


def test_the_page_of_metrics_has_a_section_for_each() -> None:
    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert re.findall(r'^<a id="(\w+)">', page, flags=re.MULTILINE) == [*METRICS, *TABLE_SCORES]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_inside_the_repository_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?://|#)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [t for t in targets if not (page.parent / t).exists()] == []


def test_every_code_path_named_in_contributing_exists() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:src|tests|scripts|docs|benchmarks)/[\w./]+)`", text)
    assert named, "CONTRIBUTING names no paths"
    assert [path for path in named if not (ROOT / path).exists()] == []


def python_blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = python_blocks(ROOT / "README.md")
    assert blocks, "README shows no call"
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert (tmp_path / "good.json").exists()


def test_the_commands_of_the_readme_exist() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `truegrade (\w+)", text, flags=re.MULTILINE))
    command = [sys.executable, "-m", "truegrade", "--help"]
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert {"evaluate", "metrics", "show", "check", "demo"} <= named
    assert [name for name in sorted(named) if not re.search(rf"\b{name}\b", shown)] == []


def test_the_options_of_evaluate_in_the_readme_exist_and_are_all_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = "\n".join(re.findall(r"^\| (`--.*?) \|", text, flags=re.MULTILINE))
    options = {f"--{field.name.replace('_', '-')}" for field in fields(Options)}
    shown = {word.replace("--no-", "--") for word in re.findall(r"--[a-z-]+", table)}
    assert shown == {option.replace("--no-", "--") for option in options}


def test_the_numbers_of_the_readme_are_those_of_the_demo() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    number = r"\| (-?[\d.]+) "
    rows = re.findall(rf"^\| `(\w+)` {number}{number}{number}{number}\|$", text, flags=re.MULTILINE)
    assert len(rows) >= 8
    digits = load_demo()
    models = {name: digits[name] for name in ("good", "mode_dropping", "copying")}
    keys = [row[0] for row in rows]
    found = tg.compare(digits["train"], models, holdout=digits["holdout"], metrics=keys, intervals=False)
    for key, *shown in rows:
        scores = [found[name][key] for name in models]
        assert scores[0].floor is not None
        values = [*(score.value for score in scores), scores[0].floor.value]
        rounded = [f"{v:.{len(s.partition('.')[2])}f}" for v, s in zip(values, shown, strict=True)]
        assert rounded == shown, key


def test_the_verdicts_of_the_readme_are_those_of_the_demo() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    quoted = " ".join(line[2:] for line in text.splitlines() if line.startswith("> ")).replace("<br>", "")
    digits = load_demo()
    models = {name: digits[name] for name in ("good", "mode_dropping", "copying")}
    found = tg.compare(digits["train"], models, holdout=digits["holdout"])
    for name in models:
        assert f"**{name}**: {judge(found[name]).words}" in quoted
