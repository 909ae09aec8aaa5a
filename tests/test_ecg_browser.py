"""The recordings of a report in a browser: they fit, a point of the map opens its recording, without scripts too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import ecg_grades
from browser import Browser
from test_report_browser import OVERLAPS, contrast, faults
from truegrade.report.page.html import render_html
from truegrade.report.summarize import summarize
from truegrade.result import Comparison

OPEN = "document.querySelectorAll('#ecg details').forEach(e => e.open = true) || document.querySelectorAll('h2').length"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("ecg")
    one = ecg_grades.evaluation(flagged=True, count=24)
    other = ecg_grades.evaluation("B", ("I", "II"), 8)
    made = {"one": one, "two": Comparison({"A": replace(one, ecg=other.ecg), "B": other}, (), {}, ())}
    for name, result in made.items():
        (folder / f"{name}.html").write_text(render_html(summarize(result)), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in made}


@pytest.mark.parametrize("width", [1280, 390])
def test_recordings_load_and_fit(browser: Browser, pages: dict[str, Path], width: int) -> None:
    browser.size(width, 900)
    browser.dark(width == 390)
    for path in pages.values():
        browser.open(path)
        assert browser.js(OPEN)
        assert faults(browser) == ([], [], [])
        assert len(browser.files()) == len(set(browser.files()))
    texts = "#ecg h3, #ecg h4, #ecg figcaption, #ecg .tb-text, #ecg .eg-words, #ecg .notices li, .eg-heat td"
    assert browser.js(OVERLAPS, texts) == []
    wide = "[...document.querySelectorAll('.ecg-paper')].filter(e => e.checkVisibility()).map(e => e.clientWidth)"
    assert min(browser.js(wide)) >= 500


def test_a_point_opens_its_recording_and_a_strip_its_point(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["one"])
    open_ = "document.getElementById('eg-open')"
    worst = "#ecg .eg-pair:has([id^='eg0-worst0'])"
    browser.click(f"{worst} .eg-find")
    row = browser.js("document.querySelector(arguments[0]).dataset.synthetic", worst)
    browser.find("#ex-canvas").send_keys(browser.keys.ENTER)
    browser.wait(f"!{open_}.hidden && {open_}.dataset.row === '{row}' && {open_}.dataset.side === 'synthetic'")
    whole = "[...document.querySelectorAll('#eg-open svg')].map(e => e.querySelectorAll('.ecg-trace').length)"
    assert browser.js(whole) == [13, 13]  # the strips: twelve leads and the rhythm, of it and of its nearest
    assert browser.js(f"{open_}.querySelector('figcaption').textContent").startswith(f"synthetic made-{row}, ")
    opened = set()
    for _ in range(30):  # one that has no strip is drawn from its packed rhythm
        before = browser.js(f"{open_}.dataset.side + {open_}.dataset.row")
        browser.press("n", browser.keys.ENTER)
        browser.wait(f"{open_}.dataset.side + {open_}.dataset.row !== '{before}'")
        opened.add(browser.js(whole)[0])
        if 1 in opened:
            break
    assert 1 in opened
    height = browser.js("""(() => {
        const d = document.querySelector('#eg-open .ecg-trace').getAttribute('d').match(/[ML]\\d+ -?\\d+/g)
            .map(e => e.slice(1).split(' ').map(Number));
        const y = d.map(e => e[1]);
        return [d[0][0], d.at(-1)[0] - d[0][0], Math.max(...y) - Math.min(...y)]; })()""")
    assert height[:2] == [150, pytest.approx(2500, abs=5)]  # 10 s are 250 mm
    assert 30 < height[2] < 500
    assert faults(browser) == ([], [], [])


def test_recordings_are_there_without_scripts_and_on_paper(browser: Browser, pages: dict[str, Path]) -> None:
    browser.scripting(False)
    browser.open(pages["two"])
    assert [e.is_displayed() for e in browser.all(".eg-model")] == [True, True]
    assert browser.find("#ecg .ecg-paper").is_displayed()
    assert not browser.find("#ecg .tb-models").is_displayed()
    assert not browser.find("#eg-open").is_displayed()
    browser.size(700, 1000)
    browser.print_media()
    assert browser.too_wide() == []


def test_one_model_is_shown_and_traces_can_be_told_from_paper(browser: Browser, pages: dict[str, Path]) -> None:
    for dark in (False, True):
        browser.dark(dark)
        browser.open(pages["two"])
        browser.click("#ecg .tb-models input[value='1']")
        shown = "[...document.querySelectorAll('.eg-model')].map(e => e.checkVisibility())"
        assert browser.js(shown) == [False, True]
        colours = browser.js("""[['.ecg-trace.ecg-real', 'stroke'], ['.ecg-trace.ecg-synthetic', 'stroke'],
            ['.ecg-ground', 'fill'], ['.ecg-mm', 'stroke']]
            .map(([css, what]) => getComputedStyle(document.querySelector(css))[what])""")
        assert all(contrast(trace, back) >= 4.5 for trace in colours[:2] for back in colours[2:])
