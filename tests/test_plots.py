"""Drawings as text: the numbers that go in come out in the right places, and nothing of the user's becomes markup."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import results
from truegrade.report.page import plots
from truegrade.report.summarize import summarize

SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg: str) -> ET.Element:
    """The drawing as XML, which it is once the prefix of links is declared."""
    return ET.fromstring(
        svg.replace("<svg ", f'<svg xmlns="{SVG[1:-1]}" xmlns:xlink="http://www.w3.org/1999/xlink" ', 1)
    )


def path_points(path: ET.Element) -> np.ndarray:
    return np.array(re.findall(r"(-?[\d.]+) (-?[\d.]+)", path.attrib["d"]), float)


def drawings() -> dict[str, str]:
    """One drawing of each sort."""
    summary = summarize(results.comparison(("A", results.HOSTILE, "$x^2$ & co")))
    metric = summary["metrics"][0]
    return {
        "plane": plots.plane(summary["planes"][0], "n1", "title", "words"),
        "histogram": plots.histogram(metric["spreads"][-1], "n2", "title", "words"),
        "repeats": plots.repeats(metric["repeats"], "n3", "title", "words"),
    }


@pytest.fixture(scope="module")
def drawn() -> dict[str, str]:
    return drawings()


def test_the_same_numbers_give_the_same_bytes(drawn: dict[str, str]) -> None:
    assert drawings() == drawn


@pytest.mark.parametrize("kind", ["plane", "histogram", "repeats"])
def test_a_drawing_is_fit_for_a_page(drawn: dict[str, str], kind: str) -> None:
    svg = drawn[kind]
    root = parsed(svg)
    number = {"plane": "n1", "histogram": "n2", "repeats": "n3"}[kind]
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"] == f"{number}-t {number}-d"
    assert [root[0].text, root[1].text] == ["title", "words"]
    ids = [e.attrib["id"] for e in root.iter() if "id" in e.attrib]
    assert len(ids) == len(set(ids))
    assert all(name.startswith(f"{number}-") for name in ids)
    for used in re.findall(r'(?:href="|url\()#([^")]+)', svg):
        assert used in ids
    for absent in ("metadata", "<style", "<!--", "<?xml", "DejaVu", "font-family", "matplotlib", "Date"):
        assert absent not in svg


@pytest.mark.parametrize("kind", ["plane", "histogram", "repeats"])
def test_colours_are_variables_of_the_page(drawn: dict[str, str], kind: str) -> None:
    assert re.findall(r"#[0-9a-f]{6}\b|rgb\(", re.sub(r'href="#[^"]*"|url\([^)]*\)', "", drawn[kind])) == []
    assert set(re.findall(r"var\(--(\w+)\)", drawn[kind])) <= {"ink", "muted", "line", "accent", "paper", "real"}
    assert "var(--accent)" in drawn[kind]


def test_names_are_text_and_nothing_else(drawn: dict[str, str]) -> None:
    for svg in drawn.values():
        assert "<script" not in svg
        assert "\u202e" not in svg
    texts = [e.text or "" for e in parsed(drawn["histogram"]).iter(f"{SVG}text")]
    assert "$x^2$ & co" in texts
    assert any(text.startswith("<script>alert(1)") for text in texts)


def test_letters_of_any_script_raise_no_warning() -> None:
    rows = [
        {"model": name, "counts": [1, 2], "n": 3, "median": None, "not_finite": 0}
        for name in (results.ARABIC, "模型", "🙂")
    ]
    svg = plots.histogram({"side": "real", "low": 0.0, "high": 1.0, "rows": rows}, "n", "t", "d")
    assert {results.ARABIC, "模型", "🙂"} <= {e.text for e in parsed(svg).iter(f"{SVG}text")}


def test_an_ellipse_has_the_half_widths_and_the_slope_it_was_given() -> None:
    point: dict[str, Any] = {"model": "m", "x": 0.5, "y": 0.6, "half_x": 0.1, "half_y": 0.05, "correlation": 0.8}
    base = {"x_title": "x", "y_title": "y", "low": 0.0, "floor": None, "points": [point]}
    root = parsed(plots.plane(base, "n", "t", "d"))
    (outline,) = [
        p
        for p in root.iter(f"{SVG}path")
        if "fill-opacity" not in p.attrib.get("style", "")
        and len(path_points(p)) == 73
        and "stroke:" in p.attrib["style"]
    ]
    pixels = path_points(outline)
    scale = 360 * 0.83 / 1.04, 345 * 0.825 / 1.04  # pixels a unit: axes from -0.02 to 1.02
    spread = np.ptp(pixels, axis=0) / scale
    np.testing.assert_allclose(spread, [0.2, 0.1], rtol=0.01)
    turn = pixels[:-1] - pixels[:-1].mean(0)
    assert np.corrcoef(turn[:, 0], -turn[:, 1])[0, 1] == pytest.approx(0.8, abs=0.01)


def test_bars_are_as_high_as_their_counts() -> None:
    counts = [0, 3, 6, 12]
    row = {"model": "m", "counts": counts, "n": 21, "median": 0.5, "not_finite": 0}
    root = parsed(plots.histogram({"side": "real", "low": 0.0, "high": 1.0, "rows": [row]}, "n", "t", "d"))
    (bars,) = [
        p for p in root.iter(f"{SVG}path") if "clip-path" in p.attrib and "fill: var(--real)" in p.attrib["style"]
    ]
    levels = path_points(bars)[:, 1]
    base = levels.max()
    heights = sorted(set(np.round(base - levels, 1)))
    np.testing.assert_allclose(np.array(heights) / heights[-1], np.array(counts) / 12, atol=0.01)


def test_models_at_one_place_share_a_label() -> None:
    points = [
        {"model": m, "x": 1.0, "y": 1.0, "half_x": 0.0, "half_y": 0.0, "correlation": 0.0} for m in ("one", "two")
    ]
    base = {"x_title": "x", "y_title": "y", "low": 0.5, "floor": {"x": 0.6, "y": 0.9}, "points": points}
    texts = [e.text for e in parsed(plots.plane(base, "n", "t", "d")).iter(f"{SVG}text")]
    assert "one, two" in texts
    assert "real vs real" in texts


def test_labels_do_not_lie_on_each_other() -> None:
    points = [
        {"model": f"model number {i}", "x": 0.9 + i / 100, "y": 0.9, "half_x": 0.0, "half_y": 0.0, "correlation": 0.0}
        for i in range(5)
    ]
    base = {"x_title": "x", "y_title": "y", "low": 0.0, "floor": None, "points": points}
    texts = [
        e for e in parsed(plots.plane(base, "n", "t", "d")).iter(f"{SVG}text") if (e.text or "").startswith("model")
    ]
    assert len(texts) >= 3
    boxes = []
    for text in texts:
        wide, right, y = 6.0 * len(text.text or ""), float(text.attrib["x"]), float(text.attrib["y"])
        left = right - wide if "text-anchor: end" in text.attrib["style"] else right
        boxes.append((left, left + wide, y))
    for (a0, a1, ay), (b0, b1, by) in combinations(boxes, 2):
        assert a1 <= b0 or b1 <= a0 or abs(ay - by) >= 11
