"""The section with the samples in a headless Chromium: slider, map, keys, touch, specimens; beside numpy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from selenium.webdriver.common.action_chains import ActionChains

from browser import Browser
from exhibit_page import Array, evaluation, exhibits, section
from truegrade.report.summary.exhibit_view import exhibit_view
from truegrade.result import Exhibits, MapView

CANVAS = "#ex-canvas"
HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\u202eevil'


def digits_like(n: int, seed: int, spread: float = 3.0) -> Array:
    """n images of 8 x 8: one of four patterns, and noise."""
    patterns = np.random.default_rng(0).integers(0, 17, (4, 64))
    rng = np.random.default_rng(seed)
    return np.rint(patterns[np.arange(n) % 4] + rng.normal(0, spread, (n, 64))).clip(0, 16)


@pytest.fixture(scope="module")
def records() -> Mapping[str, Exhibits]:
    real, labels = digits_like(90, 1), np.arange(90) % 4
    synthetic = digits_like(60, 2)
    synthetic[7] = real[5]
    models = {"one": synthetic, "two": digits_like(50, 3, 5.0)}
    return {name: exhibits(real, values, labels=labels) for name, values in models.items()}


@pytest.fixture(scope="module")
def page(records: Mapping[str, Exhibits], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(records, tmp_path_factory.mktemp("page") / "page.html")


def write(records: Mapping[str, Exhibits], path: Path) -> Path:
    path.write_text(section({n: exhibit_view(evaluation(r)) for n, r in records.items()}), encoding="utf-8")
    return path


@pytest.fixture
def tab(browser: Browser, page: Path) -> Iterator[Browser]:
    """The page, open; afterwards nothing may have gone wrong in it."""
    show(browser, page)
    yield browser
    assert browser.console_errors() == []
    assert browser.requests() == []


def show(browser: Browser, path: Path) -> None:
    browser.open(path)
    browser.wait("document.getElementById('ex-canvas').dataset.zoom !== undefined")


def view_of(records: Mapping[str, Exhibits], name: str = "one") -> MapView:
    view = records[name].map
    assert view is not None
    return view


def data(browser: Browser, name: str) -> Any:
    return browser.js(f"document.querySelector('{CANVAS}').dataset.{name}")


def painted(browser: Browser) -> None:
    """Wait until what was asked for has been drawn."""
    browser.driver.execute_async_script(
        "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));"
    )


def inside(inside_from: Array, k: int) -> int:
    return int(((inside_from > 0) & (inside_from <= k)).sum())


def middle_page(tmp_path: Path) -> Path:
    """A page whose map has one synthetic point exactly in its middle, and few others."""
    corners = np.array([[-3.0, -2], [3, -2], [3, 2], [-3, 2], [-3, 1]])
    record = exhibits(corners, np.array([[0.0, 0], [2, 1.5]]), most_k=1)
    assert record.map is not None
    real, synthetic = record.map.real, record.map.synthetic
    sides = {
        "real": replace(real, points=corners.astype(np.float32)),
        "synthetic": replace(synthetic, points=np.array([[0, 0], [2, 1.5]], np.float32), names=("the middle", "right")),
    }
    return write({"only": replace(record, map=replace(record.map, k=1, **sides))}, tmp_path / "middle.html")


# --- numbers


def test_slider_counts_are_those_of_numpy_at_every_k(tab: Browser, records: Mapping[str, Exhibits]) -> None:
    view = view_of(records)
    tab.click("#ex-hollow")
    for k in (*range(1, 11), 3):
        tab.slide("#ex-k", k)
        synthetic, real = inside(view.synthetic.inside_from, k), inside(view.real.inside_from, k)
        assert tab.text("#ex-k-now") == str(k)
        assert tab.text("#ex-precision") == f"{synthetic / 60:.2f}"
        assert tab.text("#ex-precision-of") == f"{synthetic} of the 60 synthetic points lie inside the real manifold"
        assert tab.text("#ex-recall") == f"{real / 90:.2f}"
        assert tab.text("#ex-recall-of") == f"{real} of the 90 real points lie inside the synthetic manifold"
        painted(tab)
        assert int(data(tab, "shown")) == 150 - synthetic - real


def test_a_part_of_the_points_says_so(browser: Browser, records: Mapping[str, Exhibits], tmp_path: Path) -> None:
    view = view_of(records)
    part = replace(view, synthetic=replace(view.synthetic, n=5000), note="60 of 5,000 are shown")
    show(browser, write({"one": replace(records["one"], map=part)}, tmp_path / "part.html"))
    assert " of the 60 shown synthetic points lie inside" in browser.text("#ex-precision-of")
    assert " of the 90 real points lie inside" in browser.text("#ex-recall-of")
    assert "60 of 5,000 are shown." in browser.text("#ex-about")


def test_the_table_says_the_same(tab: Browser, records: Mapping[str, Exhibits]) -> None:
    view = view_of(records)
    tab.click(".ex-model:not([hidden]) .ex-table summary")
    rows = tab.all(".ex-model:not([hidden]) .ex-table tbody tr")
    assert len(rows) == 10
    for k, row in enumerate(rows, 1):
        synthetic, real = inside(view.synthetic.inside_from, k), inside(view.real.inside_from, k)
        assert row.text == f"{k} {synthetic} of 60 {synthetic / 60:.3f} {real} of 90 {real / 90:.3f}"


def test_the_map_speaks_for_itself(tab: Browser, records: Mapping[str, Exhibits]) -> None:
    tab.slide("#ex-k", 2)
    share = inside(view_of(records).synthetic.inside_from, 2) / 60
    spoken = tab.find(CANVAS).get_attribute("aria-label")
    assert spoken is not None
    assert f"at k = 2 a share of {share:.2f} of the synthetic points lies inside the real manifold" in spoken


# --- looking


def test_hover_shows_the_details_of_a_point(browser: Browser, tmp_path: Path) -> None:
    show(browser, middle_page(tmp_path))
    assert browser.text("#ex-tip") == ""
    browser.hover(CANVAS, 1, 1)
    painted(browser)
    lines = browser.text("#ex-tip").split("\n")
    nearest, own = np.hypot(3, 1), np.hypot(2, 1.5)
    assert lines == [
        "the middle",
        "synthetic sample",
        "grade 0.00: unrealistic",
        f"nearest real sample at {nearest:.4g} (nearest other synthetic at {own:.4g})",
        "inside the real manifold from k = 1",
    ]
    browser.hover(CANVAS, 60, 0)
    painted(browser)
    assert browser.text("#ex-tip") == ""


def test_dragging_moves_the_map_with_the_pointer(browser: Browser, tmp_path: Path) -> None:
    show(browser, middle_page(tmp_path))
    drag(browser, 70, -40)
    browser.hover(CANVAS, 70, -40)
    painted(browser)
    assert browser.text("#ex-tip").startswith("the middle")


def drag(browser: Browser, dx: int, dy: int) -> None:
    element = browser.find(CANVAS)
    browser.js("arguments[0].scrollIntoView({block: 'center'})", element)
    chain = ActionChains(browser.driver, duration=0).move_to_element(element).click_and_hold()
    chain.move_by_offset(dx // 2, dy // 2).move_by_offset(dx - dx // 2, dy - dy // 2).release().perform()
    painted(browser)


def wheel(browser: Browser, x: int, y: int, turn: int) -> bool:
    """Turn the wheel x and y pixels from the middle of the map; whether the page kept the turn for itself."""
    script = """(() => {
        const box = arguments[0].getBoundingClientRect();
        const at = { clientX: box.x + box.width / 2 + arguments[1], clientY: box.y + box.height / 2 + arguments[2] };
        const turned = new WheelEvent('wheel', { deltaY: arguments[3], bubbles: true, cancelable: true, ...at });
        return arguments[0].dispatchEvent(turned);
    })()"""
    kept = bool(browser.js(script, browser.find(CANVAS), x, y, turn))
    painted(browser)
    return kept


def test_the_wheel_zooms_around_the_pointer_once_the_map_has_the_focus(browser: Browser, tmp_path: Path) -> None:
    show(browser, middle_page(tmp_path))
    assert wheel(browser, 0, 0, -100)  # the page scrolls
    assert float(data(browser, "zoom")) == 1
    assert "Ctrl" in browser.text("#ex-hint")
    browser.js("arguments[0].focus()", browser.find(CANVAS))
    assert not wheel(browser, 0, 0, -100)
    zoom = float(data(browser, "zoom"))
    assert zoom == pytest.approx(np.exp(0.2), rel=1e-4)
    assert not wheel(browser, 120, 60, -100)
    grown = float(data(browser, "zoom")) / zoom
    assert grown == pytest.approx(np.exp(0.2), rel=1e-4)
    x, y = (round(offset * (1 - grown)) for offset in (120, 60))  # the middle fled from the pointer
    browser.hover(CANVAS, x, y)
    painted(browser)
    assert browser.text("#ex-tip").startswith("the middle")


def test_buttons_and_keys_zoom_and_move(tab: Browser) -> None:
    start = data(tab, "centre")
    for button, least, most in (("in", 1.5, 1.7), ("in", 2.4, 2.7), ("out", 1.5, 1.7), ("home", 1, 1)):
        tab.click(f"#ex-{button}")
        painted(tab)
        assert least <= float(data(tab, "zoom")) <= most
    tab.js("arguments[0].focus()", tab.find(CANVAS))
    tab.press("+", "+", "-")
    painted(tab)
    assert float(data(tab, "zoom")) == pytest.approx(1.4)
    for key, axis, sign in (("RIGHT", 0, 1), ("LEFT", 0, -1), ("UP", 1, 1), ("DOWN", 1, -1)):
        before = [float(v) for v in data(tab, "centre").split()]
        tab.press(getattr(tab.keys, f"ARROW_{key}"))
        painted(tab)
        after = [float(v) for v in data(tab, "centre").split()]
        assert np.sign(after[axis] - before[axis]) == sign
        assert after[1 - axis] == before[1 - axis]
    tab.press(tab.keys.ARROW_RIGHT, "0")
    painted(tab)
    assert (float(data(tab, "zoom")), data(tab, "centre")) == (1, start)


def test_keys_walk_through_the_points_the_worst_first(tab: Browser, records: Mapping[str, Exhibits]) -> None:
    view = view_of(records)
    grades = np.concatenate([view.real.grade, view.synthetic.grade]).round(3)
    order = np.argsort(grades, kind="stable")
    names = [f"row {i}" if i < 90 else f"row {i - 90}" for i in order]
    tab.js("arguments[0].focus()", tab.find(CANVAS))
    seen = []
    for key in ("n", "n", "n", "p", "N"):
        tab.press(key)
        painted(tab)
        seen.append(tab.text("#ex-tip").split("\n")[0])
    assert seen == [names[0], names[1], names[2], names[1], names[2]]
    tab.press(tab.keys.ESCAPE)
    painted(tab)
    assert tab.text("#ex-tip") == ""
    tab.click("#ex-previous")
    painted(tab)
    assert tab.text("#ex-tip").split("\n")[0] == names[-1]


def test_everything_is_reached_by_tab_and_the_focus_is_seen(tab: Browser) -> None:
    reached = []
    for _ in range(14):
        tab.press(tab.keys.TAB)
        reached.append(tab.focused())
        outlines = "[e, e.nextElementSibling].filter(Boolean).map(e => getComputedStyle(e).outlineStyle)"
        assert set(tab.js(f"(e => {outlines})(document.activeElement)")) != {"none"}
    wanted = ["k", "real", "synthetic", "hollow", "colour", "canvas", "in", "out", "home", "previous", "next"]
    assert [r.split("#ex-")[1] for r in reached if "#ex-" in r] == wanted


def test_toggles_show_and_hide(tab: Browser) -> None:
    def shown() -> int:
        painted(tab)
        return int(data(tab, "shown"))

    def pixels() -> str:
        return str(tab.js(f"document.querySelector('{CANVAS}').toDataURL()"))

    both = pixels()
    assert shown() == 150
    tab.click("#ex-real")
    assert shown() == 60
    assert pixels() != both
    tab.click("#ex-synthetic")
    assert shown() == 0
    tab.click("#ex-real")
    assert shown() == 90
    tab.click("#ex-synthetic")
    assert shown() == 150
    assert pixels() == both


def test_colours_by_label(tab: Browser) -> None:
    assert not tab.find("#ex-names").is_displayed()
    tab.slide("#ex-colour", "label")  # type: ignore[arg-type]
    assert [b.text for b in tab.all("#ex-names button")] == ["0", "1", "2", "3"]
    assert "grey: no label" in tab.text("#ex-names")
    tab.click("#ex-names button:nth-of-type(2)")
    painted(tab)
    assert int(data(tab, "shown")) == np.count_nonzero(np.arange(90) % 4 == 1)
    tab.slide("#ex-colour", "grade")  # type: ignore[arg-type]
    painted(tab)
    assert int(data(tab, "shown")) == 150


def test_models_share_one_view(tab: Browser, records: Mapping[str, Exhibits]) -> None:
    tab.click("#ex-in")
    painted(tab)
    zoom, centre = data(tab, "zoom"), data(tab, "centre")
    tab.slide("#ex-k", 4)
    tab.click("#ex-models label:nth-of-type(2)")
    painted(tab)
    assert (data(tab, "zoom"), data(tab, "centre")) == (zoom, centre)
    inside_two = inside(view_of(records, "two").synthetic.inside_from, 4)
    assert tab.text("#ex-precision-of").startswith(f"{inside_two} of the 50 synthetic points")
    assert [e.is_displayed() for e in tab.all(".ex-model")] == [False, True]


def test_the_specimens_lead_to_their_points_and_back(tab: Browser, records: Mapping[str, Exhibits]) -> None:
    worst = records["one"].worst[2]
    tab.click(".ex-grid .ex-specimen:nth-child(3) .ex-find")
    painted(tab)
    assert tab.text("#ex-tip").split("\n")[:2] == [worst.name, "synthetic sample"]
    assert "ex-on" in str(tab.find(".ex-grid .ex-specimen:nth-child(3)").get_attribute("class"))
    tab.click("#ex-back")
    assert tab.js("document.activeElement === document.querySelectorAll('.ex-find')[2]")
    assert not tab.find("#ex-back").is_displayed()
    tab.press(tab.keys.ENTER)
    painted(tab)
    assert tab.text("#ex-tip").split("\n")[0] == worst.name


def test_specimens_say_what_they_are(tab: Browser) -> None:
    assert "exact copy" in tab.text(".ex-model:not([hidden]) .ex-pairs .ex-specimen")
    first = tab.text(".ex-model:not([hidden]) .ex-grid .ex-specimen")
    assert "grade 0.00: unrealistic" in first
    assert "nearest real sample at" in first
    image = tab.find(".ex-pixels")
    assert image.get_attribute("aria-label") == "image of 8 by 8 pixels"
    assert tab.js("getComputedStyle(document.querySelector('.ex-pixels image')).imageRendering") == "pixelated"
    assert image.size["width"] == pytest.approx(image.size["height"], abs=1) or image.size["height"] >= 100


# --- everywhere


def test_fingers_pinch_tap_and_move(browser: Browser, tmp_path: Path) -> None:
    browser.size(390, 800)
    show(browser, middle_page(tmp_path))
    browser.js("document.querySelector('#ex-canvas').scrollIntoView({block: 'center'})")
    box = browser.js(
        "(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector('#ex-canvas').getBoundingClientRect())"
    )

    def touch(kind: str, *offsets: tuple[int, int]) -> None:
        points = [{"x": box[0] + x, "y": box[1] + y, "id": i} for i, (x, y) in enumerate(offsets)]
        browser.cdp("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    assert browser.text("#ex-tip") == "Tap a point for its details."
    touch("touchStart", (8, 4))
    touch("touchEnd")
    painted(browser)
    assert browser.text("#ex-tip").startswith("the middle")
    touch("touchStart", (-20, 0), (20, 0))
    for half in (30, 40, 50, 60):
        touch("touchMove", (-half, 0), (half, 0))
    touch("touchEnd")
    painted(browser)
    zoom = float(data(browser, "zoom"))
    assert zoom == pytest.approx(3, rel=0.15)
    before = browser.js("scrollY"), data(browser, "centre")
    touch("touchStart", (0, 60))
    for y in (40, 20, 0):
        touch("touchMove", (0, y))
    touch("touchEnd")
    painted(browser)
    assert browser.js("scrollY") == before[0]
    assert float(data(browser, "centre").split()[1]) < float(before[1].split()[1])
    assert browser.console_errors() == []


@pytest.mark.parametrize("width", [390, 800, 1280])
def test_no_width_is_too_narrow(browser: Browser, page: Path, width: int) -> None:
    browser.size(width, 900)
    show(browser, page)
    assert browser.too_wide() == []
    assert browser.js("document.querySelector('#ex-canvas').clientWidth") > 0.6 * min(width, 900)


def corner(browser: Browser) -> list[int]:
    painted(browser)
    script = "[...document.querySelector('#ex-canvas').getContext('2d').getImageData(2, 2, 1, 1).data].slice(0, 3)"
    return list(browser.js(script))


def test_the_scheme_may_change_at_any_time(tab: Browser) -> None:
    light = corner(tab)
    tab.dark()
    dark = corner(tab)
    assert min(light) > 240
    assert max(dark) < 60
    assert dark == tab.js("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    tab.print_media()
    assert min(corner(tab)) > 240


def test_without_scripts_map_and_table_are_there(browser: Browser, page: Path, records: Mapping[str, Exhibits]) -> None:
    browser.scripting(False)
    browser.open(page)
    browser.scripting(True)
    assert not browser.find("#ex-map").is_displayed()
    figures = browser.all(".ex-static svg")
    assert [f.is_displayed() for f in figures] == [True, True]
    view = view_of(records)
    dots = browser.js("[...document.querySelectorAll('.ex-static')[0].querySelectorAll('path:not(.ex-hole)')]"
                      ".map(p => [p.getAttribute('class'), p.getAttribute('d').split('M').length - 1])")  # fmt: skip
    filled = {"real": inside(view.real.inside_from, 3), "synthetic": inside(view.synthetic.inside_from, 3)}
    expected = [[f"ex-{s}", c] for s, n in (("real", 90), ("synthetic", 60)) for c in (filled[s], n - filled[s])]
    assert dots == [e for e in expected if e[1]]
    assert all(e.is_displayed() for e in browser.all(".ex-specimen"))


def test_hostile_names_and_labels_do_nothing(browser: Browser, records: Mapping[str, Exhibits], tmp_path: Path) -> None:
    record, view = records["one"], view_of(records)
    sides = {
        name: replace(side, names=(HOSTILE,) * len(side.rows), labels=(HOSTILE + "x" * 10_000,) * len(side.rows))
        for name, side in (("real", view.real), ("synthetic", view.synthetic))
    }
    view = replace(view, axes=(HOSTILE, HOSTILE), projection=HOSTILE, note=HOSTILE, **sides)
    worst = tuple(replace(w, name=HOSTILE, label=HOSTILE) for w in record.worst)
    show(browser, write({HOSTILE: replace(record, map=view, worst=worst), "b": record}, tmp_path / "hostile.html"))
    browser.slide("#ex-colour", "label")  # type: ignore[arg-type]
    browser.js("arguments[0].focus()", browser.find(CANVAS))
    browser.press("n")
    browser.click("#ex-models label:nth-of-type(2)")
    browser.click("#ex-models label:nth-of-type(1)")
    browser.click(".ex-find")
    painted(browser)
    assert browser.text("#ex-tip").startswith("<img src=x onerror=")
    assert browser.js("[typeof window.hacked, document.querySelectorAll('img').length]") == ["undefined", 0]
    assert browser.console_errors() == []
    assert browser.files() == [(tmp_path / "hostile.html").as_uri()]
    assert browser.too_wide() == []


def test_far_points_do_not_squeeze_the_map(browser: Browser, records: Mapping[str, Exhibits], tmp_path: Path) -> None:
    view = view_of(records)
    points = view.synthetic.points.copy()
    points[0] = points[0] + 1e4
    far = replace(view, synthetic=replace(view.synthetic, points=points))
    show(browser, write({"one": replace(records["one"], map=far)}, tmp_path / "far.html"))
    assert browser.text("#ex-away") == "1 point lies outside this view"
    browser.js("arguments[0].focus()", browser.find(CANVAS))
    for _ in range(30):
        browser.press("-")
    painted(browser)
    assert float(data(browser, "zoom")) < 0.01
    assert not browser.find("#ex-away").is_displayed()


def test_print_shows_which_model_it_is_and_no_controls(tab: Browser) -> None:
    tab.click("#ex-models label:nth-of-type(2)")
    tab.print_media()
    assert [label.text for label in tab.all("#ex-models label") if label.is_displayed()] == ["two"]
    assert not any(e.is_displayed() for e in tab.all(".ex-controls, .ex-zoom, .ex-walk, .ex-find"))
    assert tab.find(CANVAS).is_displayed()
