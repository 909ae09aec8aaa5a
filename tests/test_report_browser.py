"""The page in a browser: it loads without a fault, fits, opens by keyboard, prints whole, and does nothing hostile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import results
from browser import Browser
from truegrade.report.page.html import render_html
from truegrade.report.summarize import summarize

KEYS = ("clipped_density", "symmetric_precision", "clipped_coverage", "frechet_distance")
HOSTILE = (results.HOSTILE, results.LONG, results.ARABIC, "x" * 10_000)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render_html(summarize(results.comparison(keys=KEYS))), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "hostile.html"
    path.write_text(render_html(summarize(results.comparison(HOSTILE, KEYS))), encoding="utf-8")
    return path


def faults(browser: Browser) -> tuple[list[str], list[str], list[str]]:
    return browser.console(), browser.requests(), browser.too_wide()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 800, 390, 320])
def test_a_page_loads_and_fits(browser: Browser, page: Path, width: int, dark: bool) -> None:
    browser.size(width, 900)
    browser.dark(dark)
    browser.open(page)
    assert faults(browser) == ([], [], [])
    assert len(browser.files()) == 1
    browser.click("button[data-all=open]")
    assert browser.js("document.querySelectorAll('details.metric[open]').length") == len(KEYS)
    assert faults(browser) == ([], [], [])


@pytest.mark.parametrize("width", [1280, 390])
def test_hostile_names_do_nothing_and_break_nothing(browser: Browser, hostile: Path, width: int) -> None:
    browser.size(width, 900)
    browser.open(hostile)
    browser.click("button[data-all=open]")
    assert faults(browser) == ([], [], [])
    assert browser.js("document.querySelectorAll('main script, main img').length") == 0
    assert browser.js("document.title").startswith("<script>alert(1)</script>")
    assert browser.js("document.documentElement.scrollHeight") < 60_000


OVERLAPS = """(() => {
    const boxes = [...document.querySelectorAll(arguments[0])]
        .map(e => [e.textContent.trim(), e.getBoundingClientRect()]).filter(([t, r]) => t && r.width);
    const bad = [];
    for (let i = 0; i < boxes.length; i++) for (let j = i + 1; j < boxes.length; j++) {
        const [a, b] = [boxes[i][1], boxes[j][1]];
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
            bad.push(boxes[i][0] + ' / ' + boxes[j][0]);
    }
    return bad;
})()"""


@pytest.mark.parametrize("width", [1280, 390])
def test_texts_of_the_grade_card_do_not_lie_on_each_other(
    browser: Browser, page: Path, hostile: Path, width: int
) -> None:
    browser.size(width, 900)
    for path in (page, hostile):
        browser.open(path)
        texts = ".who bdi, .words, .value, .interval, .axis text, .card h3, .gauge-name > *"
        assert browser.js(f"document.querySelectorAll('{texts}').length") > 20
        assert browser.js(OVERLAPS, texts) == []


@pytest.mark.parametrize("width", [1280, 390, 320])
def test_long_values_of_the_grade_card_stay_on_one_line(browser: Browser, page: Path, width: int) -> None:
    browser.size(width, 900)
    browser.open(page)
    found = browser.js("""[...document.querySelectorAll('.mark .value')].map(e => {
        const before = e.getBoundingClientRect().height;
        e.textContent = '-1.04e+07';
        return [before, e.getBoundingClientRect().height]; })""")
    assert found
    assert all(after == pytest.approx(before, abs=1) for before, after in found)
    assert browser.js(OVERLAPS, ".who bdi, .words, .value, .interval") == []
    assert browser.too_wide() == []


@pytest.mark.parametrize("width", [1280, 390])
def test_marks_stand_above_their_numbers_on_the_axis(browser: Browser, page: Path, width: int) -> None:
    """A dot on a scale from 0 to 1 lies where a ruler through the tick labels says its value is."""
    browser.size(width, 900)
    browser.open(page)
    found: list[dict[str, Any]] = browser.js("""[...document.querySelectorAll('.gauge')].map(g => ({
        ticks: [...g.querySelectorAll('.axis text')].map(t => {
            const r = t.getBoundingClientRect(); return [Number(t.textContent), r.left + r.width / 2]; }),
        marks: [...g.querySelectorAll('.mark')].filter(m => m.querySelector('.s-dot')).map(m => {
            const r = m.querySelector('.s-dot').getBoundingClientRect();
            return [Number(m.querySelector('.value').textContent), r.left + r.width / 2]; }),
    }))""")
    seen = 0
    for gauge in found:
        if [value for value, _ in gauge["ticks"]] != pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1]):
            continue
        (zero, left), (one, right) = gauge["ticks"][0], gauge["ticks"][-1]
        for value, x in gauge["marks"]:
            assert x == pytest.approx(left + (right - left) * (value - zero) / (one - zero), abs=1.5)
            seen += 1
    assert seen == 8  # three models by three scores, one of them undefined


def test_the_schemes_differ_and_can_be_read(browser: Browser, page: Path) -> None:
    """Contrast of text and of muted text on the paper and on the panels is at least 4.5, in both schemes."""
    seen = set()
    for dark in (False, True):
        browser.dark(dark)
        browser.open(page)
        style = "getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
        colour = {
            "paper": browser.js(style, "body", "backgroundColor"),
            "panel": browser.js(style, ".aspect", "backgroundColor"),
            "ink": browser.js(style, "body", "color"),
            "muted": browser.js(style, ".lede", "color"),
            "link": browser.js(style, "nav a", "color"),
        }
        seen.add(colour["paper"])
        for back in ("paper", "panel"):
            for front in ("ink", "muted", "link"):
                assert contrast(colour[front], colour[back]) >= 4.5, (dark, front, back)
        assert contrast(browser.js(style, "svg.plot text", "fill"), colour["paper"]) >= 4.5
        alarm = (
            browser.js(style, ".notices .serious b", "color"),
            browser.js(style, ".notices .serious", "backgroundColor"),
        )
        assert contrast(*alarm) >= 4.5
    assert len(seen) == 2


def contrast(one: str, other: str) -> float:
    """Ratio of luminances by WCAG 2."""

    def luminance(text: str) -> float:
        parts = [float(part) / 255 for part in text[text.index("(") + 1 : -1].split(",")[:3]]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_details_open_by_keyboard(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.js("document.querySelector('details.metric summary').focus()")
    browser.press(browser.keys.ENTER)
    browser.wait("document.querySelector('details.metric').open")
    assert browser.find("details.metric .inside dl").is_displayed()
    browser.press(browser.keys.SPACE)
    browser.wait("!document.querySelector('details.metric').open")


def test_the_first_tab_skips_to_the_results(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.press(browser.keys.TAB)
    assert browser.js("document.activeElement.className") == "skip"
    assert browser.js("document.activeElement.getBoundingClientRect().left") >= 0
    browser.press(browser.keys.ENTER)
    browser.wait("location.hash === '#main'")


def test_a_link_to_a_metric_opens_it(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.click('.gauge-name a[href="#m3"]')
    browser.wait("document.getElementById('m3').open")
    browser.open(page, "m2")
    browser.wait("document.getElementById('m2').open")


@pytest.mark.parametrize("place", ["%", "%E0%A4%A", "no such place"])
def test_a_link_to_nowhere_breaks_nothing(browser: Browser, page: Path, place: str) -> None:
    browser.open(page, place)
    assert faults(browser) == ([], [], [])


def test_labels_are_sorted_by_a_click_and_back(browser: Browser, page: Path) -> None:
    browser.open(page)
    table = "#labels > .scroll table"
    column = f"[...document.querySelectorAll('{table} tbody tr')].map(r => r.cells[3].dataset.value)"
    assert browser.text(f"{table} tbody tr:last-child th") == "0"
    browser.click(f"{table} th:nth-child(4) button")
    values = browser.js(column)
    assert values[-1] == ""  # what is undefined stays last
    assert [float(v) for v in values[:-1]] == sorted(float(v) for v in values[:-1])
    assert browser.js(f"document.querySelectorAll('{table} th')[3].getAttribute('aria-sort')") == "ascending"
    browser.click(f"{table} th:nth-child(4) button")
    values = browser.js(column)
    assert values[-1] == ""
    assert [float(v) for v in values[:-1]] == sorted((float(v) for v in values[:-1]), reverse=True)


def test_a_page_works_without_scripts(browser: Browser, page: Path) -> None:
    browser.scripting(False)
    browser.open(page)
    assert browser.text("h1") == "A, B and C against real digits"
    assert not browser.find("button[data-all]").is_displayed()
    browser.click("details.metric summary")
    assert browser.find("details.metric .inside").is_displayed()


def test_paper_shows_what_is_closed_on_the_screen(browser: Browser, page: Path, tmp_path: Path) -> None:
    browser.open(page)
    closed = (
        "[...document.querySelectorAll('details *')].filter(e => !(e instanceof SVGElement) && !e.checkVisibility())"
    )
    assert browser.js(f"{closed}.length") > 100
    browser.print_media()
    assert (
        browser.js(f"{closed}.filter(e => !e.closest('.needs-js, .ex-map')).map(e => e.outerHTML.slice(0, 80))") == []
    )
    assert browser.js("document.querySelector('details.metric .inside').offsetHeight") > 200
    assert not browser.find("nav").is_displayed()
    assert browser.js("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.pdf(tmp_path / "a.pdf").stat().st_size > 20_000


def test_pictures_have_words(browser: Browser, page: Path) -> None:
    browser.open(page)
    unnamed = """[...document.querySelectorAll('svg[role=img]')].filter(s =>
        !s.getAttribute('aria-label') && !(s.querySelector('title') || {}).textContent).length"""
    assert browser.js("document.querySelectorAll('svg[role=img]').length") > 20
    assert browser.js(unnamed) == 0
    assert "real against real 0.970" in browser.js("document.querySelector('.card svg title').textContent")
