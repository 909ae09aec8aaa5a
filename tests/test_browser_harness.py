"""The browser harness itself: it must see the faults that the tests of the pages rely on it to see."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium.common.exceptions import TimeoutException

import browser as harness
from browser import Browser

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>t</title>
<meta name="viewport" content="width=device-width">
<style>body {{ margin: 0; background: white }} @media (prefers-color-scheme: dark) {{ body {{ background: black }} }}
@media print {{ #b {{ display: none }} }}</style></head>
<body><p id="p">one</p><button id="b" onclick="document.getElementById('p').textContent = 'two'">go</button>{body}
</body></html>"""


def _page(folder: Path, body: str = "") -> Path:
    path = folder / "page.html"
    path.write_text(PAGE.format(body=body), encoding="utf-8")
    return path


def test_a_clean_page_has_no_faults(browser: Browser, tmp_path: Path) -> None:
    browser.open(_page(tmp_path))
    browser.click("#b")
    assert browser.text("#p") == "two"
    assert (browser.console_errors(), browser.requests(), browser.too_wide()) == ([], [], [])
    assert len(browser.files()) == 1


def test_requests_are_seen_and_fail(browser: Browser, tmp_path: Path) -> None:
    body = (
        '<img src="http://127.0.0.1:9/a.png" onerror="window.failed = true"><script>fetch("https://b.test/c")</script>'
    )
    browser.open(_page(tmp_path, body))
    browser.wait("window.failed")
    assert {"http://127.0.0.1:9/a.png", "https://b.test/c"} <= set(browser.requests())
    browser.fresh()
    assert browser.requests() == []


@pytest.mark.parametrize("script", ["throw new Error('torn')", "console.error('torn')"])
def test_errors_in_the_console_are_seen(browser: Browser, tmp_path: Path, script: str) -> None:
    browser.open(_page(tmp_path, f"<script>{script}</script>"))
    assert any("torn" in message for message in browser.console_errors())


def test_sizes_schemes_and_print(browser: Browser, tmp_path: Path) -> None:
    browser.open(_page(tmp_path))
    for width in (1280, 390):
        browser.size(width, 800)
        assert browser.js("window.innerWidth") == width
    assert browser.js("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    browser.dark()
    assert browser.js("getComputedStyle(document.body).backgroundColor") == "rgb(0, 0, 0)"
    browser.print_media()
    assert not browser.find("#b").is_displayed()
    assert browser.screenshot(tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"
    assert browser.pdf(tmp_path / "a.pdf").read_bytes()[:4] == b"%PDF"


def test_a_page_wider_than_the_window_is_seen(browser: Browser, tmp_path: Path) -> None:
    browser.size(390, 800)
    browser.open(_page(tmp_path, '<div id="wide" style="width: 700px">w</div>'))
    assert any("div#wide" in name for name in browser.too_wide())


def test_a_page_without_scripts(browser: Browser, tmp_path: Path) -> None:
    browser.scripting(False)
    browser.open(_page(tmp_path, "<noscript><p id=n>needs scripts</p></noscript>"))
    assert browser.text("#n") == "needs scripts"


def test_waiting_has_an_end(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "SECONDS", 0.2)
    browser.open(_page(tmp_path))
    with pytest.raises(TimeoutException, match="never true: 1 === 2"):
        browser.wait("1 === 2")
