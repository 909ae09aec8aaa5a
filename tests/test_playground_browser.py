"""The playground in a browser: its numbers are truegrade's, its controls work, it is quiet and readable."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import betabinom

import truegrade as tg
from browser import Browser
from grading import grade_all
from truegrade.metrics import (
    ClippedCoverage,
    ClippedDensity,
    Coverage,
    Density,
    NearestBallF,
    NearestBallPrecision,
    NearestBallRecall,
    Precision,
    Recall,
)

METRICS = (
    NearestBallPrecision, Precision, NearestBallRecall, Recall, NearestBallF, Density, Coverage, ClippedDensity,
    ClippedCoverage,
)  # fmt: skip
SCENARIOS = ("good", "dropped", "narrow", "noisy", "copies")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tg.playground(tmp_path_factory.mktemp("playground") / "play.html")


@pytest.fixture
def page(browser: Browser, file: Path) -> Browser:
    browser.open(file)
    browser.wait("window.playground")
    return browser


@pytest.fixture(autouse=True)
def _quiet(browser: Browser, file: Path) -> Any:
    """After every test: no error in the console, one file, no request."""
    yield
    assert browser.console_errors() == []
    assert browser.requests() == []
    assert set(browser.files()) == {file.resolve().as_uri()}


def _python(real: Any, synthetic: Any, k: int) -> dict[str, float]:
    x, y = np.asarray(real, dtype=np.float64), np.asarray(synthetic, dtype=np.float64)
    outcomes = grade_all([metric(k=k) for metric in METRICS], x, y, "engine")
    values = {key: float(outcome.value or 0.0) for key, outcome in outcomes.items()}
    p, r = values["precision"], values["recall"]
    return values | {
        "union_f": 2 * p * r / (p + r) if p + r else 0.0,
        "raw": float(outcomes["clipped_density"].raw or 0),
    }


def _set(page: Browser, **choices: Any) -> dict[str, Any]:
    page.driver.execute_script("playground.set(arguments[0])", choices)
    return dict(page.js("playground.state()"))


def _check(state: dict[str, Any]) -> None:
    expected = _python(state["real"], state["synthetic"], state["k"])
    found = state["numbers"] | {"raw": state["raw"]}
    assert found.keys() == expected.keys()
    assert found == pytest.approx(expected, rel=0, abs=1e-12)


# --- the numbers


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_numbers_are_those_of_python_in_every_scenario(page: Browser, scenario: str) -> None:
    for amount, (n, k) in itertools.product((35, 100), ((20, 1), (20, 15), (120, 5), (240, 3), (400, 10))):
        state = _set(page, scenario=scenario, amount=amount, n=n, k=k, seed=n + k)
        assert (len(state["real"]), len(state["synthetic"])) == (n, n)
        _check(state)


def _tied_cases() -> dict[str, tuple[NDArray[Any], NDArray[Any], int]]:
    rng = np.random.default_rng(5)
    grid = np.array(list(itertools.product(range(3), range(3))), float)
    many = rng.integers(0, 4, (90, 2)).astype(float)
    cloud = rng.normal(size=(60, 2))
    i = np.arange(1, 41)[:, None]
    waves = np.sqrt(np.arange(2.0, 4.0)) * i
    return {
        "3 x 3 grid, 90 % bad": (np.repeat(grid, 10, 0), np.concatenate([grid, np.full((81, 2), 9.0)]), 5),
        "integers": (many, rng.integers(0, 5, (70, 2)).astype(float), 4),
        "integers, twice k": (many, many[rng.integers(0, 90, 45)], 7),
        "every copy": (cloud, cloud, 5),
        "copies drawn twice": (cloud, np.repeat(cloud[:20], 3, 0), 2),
        "one place": (np.ones((12, 2)), np.ones((9, 2)), 3),
        "one place against another": (np.ones((12, 2)), np.zeros((9, 2)), 3),
        "quarters": (rng.integers(0, 9, (50, 2)) / 4, rng.integers(0, 9, (80, 2)) / 4, 3),
        "tenths": (rng.integers(0, 9, (50, 2)) / 10, rng.integers(0, 9, (80, 2)) / 10, 3),
        "on a line": (np.c_[np.arange(30.0), np.zeros(30)], np.c_[np.arange(0.5, 25), np.zeros(25)], 4),
        "far from 0": (cloud + 1e6, cloud[::-1] * 1.1 + 1e6, 5),
        "few real, many synthetic": (cloud[:25], rng.normal(size=(75, 2)), 3),
        "smallest sets": (cloud[:2], cloud[2:4], 1),
        "published case G1": (np.sin(waves * 1.7391 + 0.3 * i * i / 40),
                              1.15 * np.sin(0.4 + i * np.sqrt([2.0, 3.0]) * 1.5772 + 0.3 * i * i / 40) + 0.1, 3),
    }  # fmt: skip


@pytest.mark.parametrize("case", _tied_cases())
def test_numbers_are_those_of_python_on_given_points(page: Browser, case: str) -> None:
    real, synthetic, k = _tied_cases()[case]
    _check(_set(page, real=real.tolist(), synthetic=synthetic.tolist(), k=k))


def test_published_numbers(page: Browser) -> None:
    real, synthetic, k = _tied_cases()["published case G1"]
    numbers = _set(page, real=real.tolist(), synthetic=synthetic.tolist(), k=k)["numbers"]
    published = {"precision": 0.775, "recall": 0.95, "density": 0.625, "coverage": 0.825}
    published |= {"clipped_density": 0.653846153846, "clipped_coverage": 0.577434013884}
    assert {key: numbers[key] for key in published} == pytest.approx(published, abs=1e-11)


def test_the_grid_with_nine_bad_of_ten_gets_a_tenth(page: Browser) -> None:
    real, synthetic, k = _tied_cases()["3 x 3 grid, 90 % bad"]
    numbers = _set(page, real=real.tolist(), synthetic=synthetic.tolist(), k=k)["numbers"]
    assert numbers["clipped_density"] == pytest.approx(0.1, abs=0.02)
    assert numbers["clipped_coverage"] == pytest.approx(0.1, abs=0.02)


def test_copies_of_all_points_have_density_one_plus_one_over_k(page: Browser) -> None:
    real = page.js("playground.state().real")
    for k in (1, 4, 9):
        assert _set(page, real=real, synthetic=real, k=k)["numbers"]["density"] == pytest.approx(1 + 1 / k)


@pytest.mark.parametrize(("n", "m", "k"), [(20, 20, 1), (120, 120, 5), (400, 400, 15), (30, 90, 4)])
def test_the_expected_coverage_is_the_beta_binomial_law(page: Browser, n: int, m: int, k: int) -> None:
    expected = page.js("expectedOfOneLaw(arguments[0], arguments[1], arguments[2])", n, m, k)
    assert expected["coverage"] == pytest.approx(1 - betabinom(m, k, n - k).pmf(0), abs=1e-12)
    assert expected["density"] == 1


def test_k_that_does_not_fit_is_refused_and_changes_nothing(page: Browser) -> None:
    before = page.js("playground.state()")
    call = "(() => { try { playground.set(arguments[0]); return null } catch (error) { return error.message } })"
    script = f"return ({call}).apply(null, arguments)"
    said = page.driver.execute_script(script, {"real": [[0, 0], [1, 1]], "synthetic": [[0, 0], [1, 1]], "k": 2})
    assert "needs more than 2 points" in said
    assert page.js("playground.state()") == before | {"graded": page.js("playground.state().graded")}


# --- draws


def test_the_same_address_draws_the_same_picture(browser: Browser, file: Path) -> None:
    states = []
    for fragment in ("scenario=noisy&amount=40&n=50&k=3&seed=7", "scenario=noisy&amount=40&n=50&k=3&seed=7", "seed=8"):
        browser.open(file, fragment)
        states.append(browser.wait("window.playground && playground.state()"))
    assert states[0] | {"graded": None} == states[1] | {"graded": None}
    assert states[0]["real"][:50] != states[2]["real"][:50]
    assert (states[0]["k"], states[0]["seed"], states[0]["amount"]) == (3, 7, 40)


def test_the_law_is_the_one_that_the_page_describes(page: Browser) -> None:
    points = np.concatenate([page.js("draw(arguments[0], 0, 400, 'good', 0, [])", seed) for seed in range(25)])
    small = points[:, 0] > 1.35  # 2.58 sd from the large mode, 3.03 from the small one
    assert abs(small.mean() - 0.2 - 0.8 * 0.00497) < 4 * np.sqrt(0.16 / len(points))
    large = points[points[:, 0] < -1.1]  # the left half of the large mode, hardly any of the small
    assert abs(large[:, 1].mean() + 0.4) < 4 * 0.95 / np.sqrt(len(large))
    assert large[:, 1].std() == pytest.approx(0.95, rel=0.05)
    assert points[points[:, 0] > 2.5][:, 1].std() == pytest.approx(0.38, rel=0.08)


def test_sets_of_one_seed_do_not_repeat_each_other(page: Browser) -> None:
    sets = [page.js("draw(3, arguments[0], 60, 'good', 0, [])", number) for number in range(22)]
    everything = np.concatenate([*sets, page.js("draw(4, 0, 60, 'good', 0, [])")])
    assert len(np.unique(everything, axis=0)) == len(everything)


def test_damage_moves_points_and_size_adds_some(page: Browser) -> None:
    base = _set(page, scenario="good", n=60)
    larger = _set(page, n=120)
    assert larger["real"][:60] == base["real"]
    assert larger["synthetic"][:60] == base["synthetic"]
    dropped = np.array(_set(page, scenario="dropped", amount=100, n=400)["synthetic"])
    good = np.array(_set(page, scenario="good")["synthetic"])
    moved = (dropped != good).any(1)
    assert 0.1 < moved.mean() < 0.3
    assert (good[moved] - dropped[moved]) == pytest.approx(
        np.array([2.5 + 1.1, 1.5 + 0.4]) + (good[moved] - [2.5, 1.5]) * (1 - 0.95 / 0.38), abs=1e-5
    )
    copies = _set(page, scenario="copies", amount=100)
    assert {tuple(p) for p in copies["synthetic"]} <= {tuple(p) for p in copies["real"]}


@pytest.mark.parametrize(
    "fragment", ["k=99&n=1e9&amount=-3&seed=1.5", "k=&scenario=%3Cscript%3E&rule=x", "k=NaN&n=Infinity&n=&__proto__=1"]
)
def test_a_damaged_address_is_mended(browser: Browser, file: Path, fragment: str) -> None:
    browser.open(file, fragment)
    state = browser.wait("window.playground && playground.state()")
    assert state["scenario"] in SCENARIOS
    assert 20 <= state["n"] <= 400
    assert 1 <= state["k"] <= 15
    assert 0 <= state["amount"] <= 100
    _check(state)


# --- what a perfect model gets


def test_ranges_and_verdicts_are_those_of_fresh_sets(page: Browser) -> None:
    state = _set(page, scenario="narrow", amount=60, n=60, k=3, seed=5)
    page.wait("playground.state().graded")
    fresh = [page.js("draw(5, arguments[0], 60, 'good', 0, [])", 2 + i) for i in range(20)]
    graded = [_python(state["real"], points, 3) for points in fresh]
    for key, value in state["numbers"].items():
        low, high = min(g[key] for g in graded), max(g[key] for g in graded)
        assert page.find(f"#line-{key}").get_attribute("title") == f"fresh real sets: {low:.3f} to {high:.3f}"
        words = {"below": "sees it", "inside": "blind to it", "above": "sees it" if key == "density" else "flatters it"}
        where = "below" if value < low - 1e-12 else "above" if value > high + 1e-12 else "inside"
        assert page.text(f"#line-{key} .what") == words[where]
        assert page.text(f"#line-{key} .value") == f"{value:.3f}"


def test_the_summary_counts_the_verdicts(page: Browser) -> None:
    for scenario in SCENARIOS:
        _set(page, scenario=scenario, amount=80)
        page.wait("playground.state().graded")
        verdicts = [line.text for line in page.all(".line .what")]
        if scenario == "good":
            assert page.text("#summary").startswith(
                f"{verdicts.count('as it should be')} of 10 numbers are in the range"
            )
        else:
            sees = verdicts.count("sees it")
            assert page.text("#summary").startswith(f"{sees} of 10 numbers see{'s' if sees == 1 else ''} the damage")
            assert ("Blind:" in page.text("#summary")) == ("blind to it" in verdicts)
    assert "authenticity" in page.text("#summary")


def test_words_have_their_numbers_filled_in(page: Browser) -> None:
    for scenario, k in itertools.product(SCENARIOS, (1, 5)):
        _set(page, scenario=scenario, k=k)
        words = [element.text for element in page.all(".words")]
        assert len(words) == 7
        assert all(len(text) > 30 for text in words)
        assert not any(re.search(r"[{}]|undefined|NaN", text) for text in words)
    state = _set(page, scenario="good", n=120, k=2)
    assert f"{1 - betabinom(120, 2, 118).pmf(0):.3f}" in page.text("#measure-4 .words")
    assert state["k"] == 2


# --- controls


def test_a_slider_changes_the_numbers_and_the_address(page: Browser) -> None:
    before = page.text("#line-recall .value")
    page.slide("#amount", 95)
    page.wait("playground.state().amount === 95")
    assert page.text("#line-recall .value") != before
    assert page.text("#amount-shown") == "95 %"
    page.wait("location.hash.includes('amount=95')")
    _check(page.js("playground.state()"))
    page.slide("#n", 200)
    page.wait("playground.state().synthetic.length === 200")
    assert len(page.all("#real-points circle")) == 200
    page.slide("#k", 2)
    page.wait("playground.state().k === 2")
    _check(page.js("playground.state()"))


def test_the_keyboard_reaches_everything(page: Browser) -> None:
    keys = page.keys
    reached = []
    shown = "document.activeElement.matches('.segments input') ? document.activeElement.nextElementSibling"
    shown += " : document.activeElement"
    for _ in range(12):
        page.press(keys.TAB)
        reached.append(page.js("document.activeElement.id || document.activeElement.name"))
        outline = page.js(f"getComputedStyle({shown}).outlineStyle")
        assert outline == "solid", reached
        if reached[-1] == "again":
            break
    assert reached == ["scenario", "amount", "n", "k", "picker", "balls", "rule", "seed", "again"]
    page.press(keys.ENTER)
    page.wait("playground.state().seed === 2")
    page.js("document.getElementById('k').focus()")
    page.press(keys.ARROW_RIGHT)
    page.wait("playground.state().k === 6")
    page.js("document.querySelector('[name=scenario]:checked').focus()")
    page.press(keys.ARROW_RIGHT)
    page.wait("playground.state().scenario === 'noisy'")
    assert "thrown off" in page.text("#story")


def test_points_are_described_by_keyboard(page: Browser) -> None:
    page.js("document.getElementById('k').focus()")
    page.press(page.keys.TAB)
    assert page.text("#point").startswith("Real point 1.")
    page.press(page.keys.ARROW_RIGHT, page.keys.ARROW_RIGHT, "s")
    assert page.text("#point").startswith("Synthetic point 3.")
    page.press(page.keys.END)
    assert page.text("#point").startswith("Synthetic point 120.")
    page.press(page.keys.ARROW_RIGHT)
    assert page.text("#point").startswith("Synthetic point 1.")
    assert page.all("#marks *")
    page.press(page.keys.ESCAPE)
    assert page.all("#marks *") == []


def test_hover_shows_a_ball_and_what_it_counts(page: Browser) -> None:
    state = _set(page, scenario="noisy", amount=70, n=40, k=3)
    x, y = np.array(state["real"]), np.array(state["synthetic"])
    between = ((x[:, None] - y[None]) ** 2).sum(-1)
    inner = np.sort(((x[:, None] - x[None]) ** 2).sum(-1), 1)[:, 3]  # the point itself comes first
    outer = np.sort(((y[:, None] - y[None]) ** 2).sum(-1), 1)[:, 3]
    j = int(np.argmax(between.min(0)))  # alone: no other point is under the pointer
    page.hover(f'#synthetic-points [data-index="{j}"]')
    page.wait("document.getElementById('point').textContent.startsWith(arguments[0])", f"Synthetic point {j + 1}.")
    text = page.text("#point")
    balls, held = int((between[:, j] <= inner).sum()), int((between[:, j] <= outer[j]).sum())
    assert f"in {balls} real ball{'s' * (balls != 1)}: {balls}/3 for density" in text
    assert f"holds {held} real point{'s' * (held != 1)}." in text
    assert f"nearest real point is {np.sqrt(between[:, j].min()):.2f} away" in text
    assert len(page.all("#marks .counted")) == held
    page.hover("h1")
    page.wait("document.getElementById('marks').children.length === 0")


def test_hollow_points_are_those_outside_by_the_rule(page: Browser) -> None:
    for rule, precision, recall in (
        ("nearest", "nearest_ball_precision", "nearest_ball_recall"),
        ("union", "precision", "recall"),
    ):
        state = _set(page, scenario="noisy", amount=90, n=150, rule=rule)
        hollow = [len(page.all(f"#{side}-points .out")) for side in ("synthetic", "real")]
        assert hollow == [round(150 * (1 - state["numbers"][key])) for key in (precision, recall)]
        assert hollow[0] > 0
        words = page.js("document.getElementById('drawing-words').textContent")
        assert f"150 synthetic points (diamonds), {hollow[0]} of them hollow" in words


def test_the_tinted_region_is_where_points_count_as_inside(page: Browser) -> None:
    """Every synthetic point lies in the drawn region exactly when it is not hollow."""
    script = """(() => {
        const [region, svg] = [document.getElementById('region'), document.getElementById('drawing')];
        const hits = [...document.querySelectorAll('#synthetic-points path')].map((path) => {
            const box = path.getBBox();
            const point = svg.createSVGPoint();
            [point.x, point.y] = [box.x + box.width / 2, box.y + box.height / 2];
            return region.isPointInFill(point) === !path.classList.contains('out');
        });
        return hits.filter(Boolean).length / hits.length;
    })()"""
    for rule in ("nearest", "union"):
        _set(page, scenario="noisy", amount=90, n=200, rule=rule, balls="real")
        assert page.js(script) > 0.98, "but for points within a hair of an edge"
    _set(page, rule="union", balls="synthetic")
    assert page.js(script) < 0.98


def test_exact_copies_are_marked(page: Browser) -> None:
    state = _set(page, scenario="copies", amount=50)
    copies = len([p for p in state["synthetic"] if p in state["real"]])
    assert copies > 20
    assert len(page.all("#synthetic-points .copy")) == copies
    assert page.text("#copies-shown") == f"{copies} exact copies of real points"


def test_the_spoken_summary_waits_for_the_hand(page: Browser) -> None:
    page.wait("playground.state().graded")
    page.wait("document.getElementById('spoken').textContent === document.getElementById('summary').textContent")
    script = """(() => {
        window.spoken = 0;
        const watch = new MutationObserver(() => { window.spoken += 1; });
        watch.observe(document.getElementById('spoken'), {childList: true});
        return true;
    })()"""
    page.js(script)
    for amount in range(100, 20, -4):
        page.slide("#amount", amount)
    page.wait("playground.state().amount === 24 && playground.state().graded")
    page.wait("document.getElementById('spoken').textContent === document.getElementById('summary').textContent")
    assert page.js("window.spoken") <= 3


# --- looks

_CUT = """[...document.querySelectorAll('.rule, .value, .verdict, .segments span, output, label, h3, #point, #summary')]
    .filter(e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline')
    .map(e => e.textContent)"""
_OVERLAPS = """[...document.querySelectorAll('.line, .sliders, .options')].filter(row => {
    const boxes = [...row.children].map(e => e.getBoundingClientRect());
    const shared = (a, b, low, high) => Math.min(a[high], b[high]) - Math.max(a[low], b[low]) > 1;
    const both = (a, b) => shared(a, b, 'left', 'right') && shared(a, b, 'top', 'bottom');
    return boxes.some((a, i) => boxes.some((b, j) => i < j && both(a, b)));
}).map(row => row.textContent)"""


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_overlaps_or_is_cut_off(browser: Browser, file: Path, width: int, dark: bool, tmp_path: Path) -> None:
    browser.size(width, 900)
    browser.dark(dark)
    for scenario in SCENARIOS:
        browser.open(file, f"scenario={scenario}&amount=100&n=100&k=15")
        browser.wait("window.playground && playground.state().graded")
        assert browser.too_wide() == []
        assert browser.js(_CUT) == []
        assert browser.js(_OVERLAPS) == []
    assert browser.screenshot(tmp_path / "page.png").stat().st_size > 20_000


@pytest.mark.parametrize("dark", [False, True])
def test_text_stands_out_from_the_paper(page: Browser, dark: bool) -> None:
    page.dark(dark)
    colours = page.js("""Object.fromEntries(['paper', 'raised', 'ink', 'soft', 'accent'].map(name =>
        [name, getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim()]))""")
    for text, paper in itertools.product(("ink", "soft", "accent"), ("paper", "raised")):
        light, dim = sorted((_luminance(colours[text]), _luminance(colours[paper])), reverse=True)
        assert (light + 0.05) / (dim + 0.05) >= 4.5, (text, paper)


def _luminance(colour: str) -> float:
    """Relative luminance of #rgb or #rrggbb as WCAG 2 defines it."""
    digits = colour.removeprefix("#")
    digits = "".join(2 * c for c in digits) if len(digits) == 3 else digits
    parts = np.array([int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_controls_have_names_and_the_drawing_has_words(page: Browser) -> None:
    for element in page.all("input, button"):
        assert element.accessible_name.strip(), element.get_attribute("outerHTML")
    assert page.find("#drawing").accessible_name.startswith("Real and synthetic points in the plane 120 real points")
    assert page.js("document.querySelectorAll('h1').length") == 1


def test_print_shows_the_choice_and_no_controls(page: Browser, tmp_path: Path) -> None:
    page.wait("playground.state().graded")
    page.print_media()
    assert not page.find("#again").is_displayed()
    assert not page.find("#k").is_displayed()
    shown = [label.text for label in page.all(".scenarios label") if label.is_displayed()]
    assert shown == ["Too narrow"]
    assert page.find("#k-shown").is_displayed()
    assert page.pdf(tmp_path / "page.pdf").stat().st_size > 20_000


def test_without_scripts_a_sentence_says_so(browser: Browser, file: Path) -> None:
    browser.scripting(False)
    browser.open(file)
    assert "needs JavaScript" in browser.text("noscript")
    assert not browser.find("#app").is_displayed()
