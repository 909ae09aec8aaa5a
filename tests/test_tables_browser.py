"""The table of a report in a browser: it fits, its heat map can be walked, one model at a time, without scripts too."""

from __future__ import annotations

from pathlib import Path

import pytest

import results
import table_grades
from browser import Browser
from test_report_browser import OVERLAPS, contrast, faults
from truegrade.report.page.html import render_html
from truegrade.report.summarize import summarize
from truegrade.result import Comparison

HOSTILE = (results.HOSTILE, results.LONG, results.ARABIC, "x" * 10_000, "next\nline", "a&b", "</td>", "*")
OPEN = (
    "document.querySelectorAll('#table details').forEach(e => e.open = true) || document.querySelectorAll('h2').length"
)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("tables")
    made = {
        "one": table_grades.evaluation(),
        "wide": table_grades.evaluation("model", table_grades.names_of(30)),
        "hostile": table_grades.evaluation(results.HOSTILE, HOSTILE),
        "two": Comparison({name: table_grades.evaluation(name) for name in ("A", "B")}, (), {}, ()),
    }
    for name, result in made.items():
        (folder / f"{name}.html").write_text(render_html(summarize(result)), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in made}


@pytest.mark.parametrize("width", [1280, 390])
def test_a_table_loads_and_fits(browser: Browser, pages: dict[str, Path], width: int) -> None:
    browser.size(width, 900)
    texts = "#table h3, #table .tb-what, #table .tb-bars .num, #table figcaption > *, #table .tb-text, .tb-means span"
    for name, path in pages.items():
        browser.dark(name == "wide")
        browser.open(path)
        assert browser.js(OPEN)
        assert faults(browser) == ([], [], []), name
        assert browser.js(OVERLAPS, texts) == [], name
        assert browser.js("document.querySelectorAll('main script, main img').length") == 0


def test_the_heat_map_is_walked_by_keys_and_says_its_numbers(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["one"])
    assert browser.js("document.querySelectorAll('.tb-heat td[tabindex=\"0\"]').length") == 1
    browser.click(".tb-heat td[tabindex='0']")
    assert browser.text("#tb0-say").startswith("age and fare: Eden 0.030 of 0.720 that real data get, ratio 0.04")
    browser.press(browser.keys.ARROW_DOWN)
    assert browser.text("#tb0-say").startswith("age and height: ")
    browser.press(browser.keys.ARROW_RIGHT)
    assert browser.text("#tb0-say").startswith("fare and height: ")
    browser.press(browser.keys.ARROW_RIGHT)  # the diagonal is the end
    assert browser.text("#tb0-say").startswith("fare and height: ")
    browser.press(browser.keys.HOME, browser.keys.ARROW_UP)
    assert browser.text("#tb0-say").startswith("age and fare: ")
    browser.hover(".tb-heat tbody tr:last-child td:nth-child(3)")
    assert browser.text("#tb0-say") == "fare and passenger: identifier: no density"


def test_one_model_is_shown_at_a_time(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["two"])
    shown = "[...document.querySelectorAll('.tb-model')].filter(e => e.checkVisibility()).map(e => e.dataset.model)"
    assert browser.js(shown) == ["0"]
    browser.click(".tb-models input[value='1']")
    assert browser.js(shown) == ["1"]
    assert not browser.find(".tb-model[data-model='1'] .tb-of").is_displayed()
    browser.print_media()  # what was chosen, with its name
    assert browser.js(shown) == ["1"]
    assert browser.text(".tb-model[data-model='1'] .tb-of") == "B"


def test_a_table_fits_on_paper(browser: Browser, pages: dict[str, Path]) -> None:
    browser.size(700, 1000)
    browser.open(pages["wide"])
    browser.print_media()
    assert browser.too_wide() == []
    assert browser.js("document.querySelector('#table details table').checkVisibility()")


def test_a_table_is_there_without_scripts(browser: Browser, pages: dict[str, Path]) -> None:
    browser.scripting(False)
    browser.open(pages["two"])
    assert [e.is_displayed() for e in browser.all(".tb-model")] == [True, True]
    assert [e.is_displayed() for e in browser.all(".tb-of")] == [True, True]
    assert not browser.find(".tb-models").is_displayed()
    assert browser.find(".tb-heat td.tb-s0").get_attribute("title").startswith("age and fare")


def test_numbers_in_cells_can_be_read(browser: Browser, pages: dict[str, Path]) -> None:
    """Contrast of a cell's number on its colour is at least 4.5 at every step, in both schemes; steps get darker."""
    for dark in (False, True):
        browser.dark(dark)
        browser.open(pages["one"])
        found = browser.js("""[...Array(11).keys()].map(i => {
            const cell = document.querySelector('.tb-heat td[class]');
            cell.className = 'tb-s' + i;
            const style = getComputedStyle(cell);
            return [style.color, style.backgroundColor]; })""")
        assert all(contrast(*pair) >= 4.5 for pair in found)
        paper = browser.js("getComputedStyle(document.body).backgroundColor")
        away = [contrast(back, paper) for _, back in found]
        assert away == sorted(away, reverse=True)
        assert away[0] > 10
