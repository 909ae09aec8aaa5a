"""The playground as a file: self-contained, closed to the network, written whole, at a place that is said."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest

import truegrade as tg
from truegrade import cli
from truegrade.report.page.playground import page


def _inner(tag: str, text: str) -> str:
    (found,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, flags=re.DOTALL)
    return str(found)


def test_the_page_is_self_contained_and_small() -> None:
    text = page()
    assert len(text.encode()) < 100_000
    assert re.findall(r"https?:|//[a-z]+\.|@import|url\(|\bsrc=|<link|<iframe", text) == []
    assert re.findall(r"fetch\(|XMLHttpRequest|WebSocket|sendBeacon|EventSource|eval\(|localStorage", text) == []
    assert " style=" not in text, "the policy refuses inline styles"
    assert "STYLE_" not in text
    assert "SCRIPT_" not in text


@pytest.mark.parametrize("tag", ["style", "script"])
def test_the_policy_allows_what_is_inside_and_nothing_else(tag: str) -> None:
    text = page()
    digest = base64.b64encode(hashlib.sha256(_inner(tag, text).encode()).digest()).decode()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', text)
    allowed = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert allowed.pop(f"{tag}-src") == f"'sha256-{digest}'"
    del allowed["script-src" if tag == "style" else "style-src"]
    assert allowed == {"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'"}


def test_the_page_says_which_version_made_it() -> None:
    assert f'content="truegrade {tg.__version__}"' in page()


def test_python_writes_the_page_and_says_where(tmp_path: Path) -> None:
    target = tmp_path / "new" / "play.html"
    assert tg.playground(str(target)) == target
    assert target.read_text(encoding="utf-8") == page()
    assert [path.name for path in target.parent.iterdir()] == ["play.html"]


def test_the_command_writes_play_html_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.html").write_text("old")
    assert cli.main(["playground"]) == 0
    assert cli.main(["playground", "--html", "mine.html"]) == 0
    said = capsys.readouterr()
    assert str(tmp_path.resolve() / "play.html") in said.out
    assert str(tmp_path.resolve() / "mine.html") in said.out
    assert said.err == ""
    assert Path("mine.html").read_text(encoding="utf-8") == Path("play.html").read_text(encoding="utf-8") == page()


def test_a_file_name_cannot_play_tricks_with_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["playground", "--html", str(tmp_path / "a\x1b[31m\u202eb.html")]) == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert "\u202e" not in said


@pytest.mark.parametrize("place", ["a folder", "under a file", "a device", "a name too long"])
def test_an_impossible_place_is_refused(place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("mine")
    path = {
        "a folder": tmp_path,
        "under a file": tmp_path / "file" / "play.html",
        "a device": Path("/dev/null"),
        "a name too long": tmp_path / ("a" * 300 + ".html"),
    }[place]
    with pytest.raises(tg.InputError, match=r"a folder|cannot be written|a device"):
        tg.playground(path)
    assert cli.main(["playground", "--html", str(path)]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("truegrade: ")
    assert said.err.count("\n") == 1
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "mine"
