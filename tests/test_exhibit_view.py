"""The plain data of the samples that a report shows: map, specimens, pictures; and that all of it stays harmless."""

from __future__ import annotations

import base64
import io
import json
import re
from dataclasses import replace
from typing import Any

import matplotlib.image
import numpy as np
import pytest

import truegrade as tg
from exhibit_page import Array, distances, evaluation, exhibits, section
from truegrade.errors import InputError
from truegrade.report.summary.exhibit_view import exhibit_view, grade_words, pair_words, round_up
from truegrade.report.summary.pictures import BOTTOM, HEIGHT, TOP, picture, places, png, shrink
from truegrade.result import Evaluation, Exhibits

HOSTILE = "<script>window.hacked=1</script>\"'&</title>\u202eevil\x00" + "x" * 10_000


def sets(n: int = 40, m: int = 30, d: int = 3, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(0.3, 1.4, size=(m, d))


def shown(view: dict[str, Any] | None) -> dict[str, Any]:
    assert view is not None
    return view


def view_of(record: Exhibits) -> dict[str, Any]:
    return shown(exhibit_view(evaluation(record)))


# --- the map


def test_points_lie_where_they_were_to_a_four_thousandth_of_the_map() -> None:
    record = exhibits(*sets())
    assert record.map is not None
    drawn = view_of(record)["map"]
    whole = np.concatenate([record.map.real.points, record.map.synthetic.points]).astype(float)
    extent = np.ptp(whole, axis=0).max()
    assert drawn["unit"] <= 2.5 * extent / 4000
    for side, kept in (("real", record.map.real), ("synthetic", record.map.synthetic)):
        given = np.stack([drawn[side]["x"], drawn[side]["y"]], axis=1) * drawn["unit"] + drawn["origin"]
        assert np.abs(given - kept.points).max() <= drawn["unit"] / 2 * (1 + 1e-6)


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_maps_of_any_scale_keep_their_form(scale: float) -> None:
    real, synthetic = sets()
    usual, scaled = (view_of(exhibits(a * real, a * synthetic))["map"] for a in (1.0, scale))
    for side in ("real", "synthetic"):
        one, other = (np.array([m[side]["x"], m[side]["y"]]) * m["unit"] for m in (usual, scaled))
        assert other == pytest.approx(one * scale, abs=1e-3 * one.max() * scale, rel=0)


@pytest.mark.parametrize(("step", "unit"), [(0.0, 1.0), (0.3, 0.5), (0.011, 0.02), (1.0, 1.0), (6.0, 10.0)])
def test_units_are_round(step: float, unit: float) -> None:
    assert round_up(step) == pytest.approx(unit, rel=1e-12)


def test_counts_by_k_are_those_of_the_definition() -> None:
    real, synthetic = sets()
    drawn = view_of(exhibits(real, synthetic))["map"]
    for k in range(1, 11):
        for side, points, centres in (("synthetic", synthetic, real), ("real", real, synthetic)):
            radii = np.sort(distances(centres, centres), axis=1)[:, k]
            inside = (distances(points, centres) <= radii).any(axis=1)
            assert drawn[side]["counts"][k - 1] == inside.sum()


def test_counts_of_a_whole_evaluation_are_precision_and_recall() -> None:
    real, synthetic = sets(60, 50)
    graded = tg.evaluate(real, synthetic, metrics=["precision", "recall"], k=4, intervals=False, floor=False)
    drawn = shown(exhibit_view(graded))["map"]
    assert drawn["k"] == 4
    assert drawn["synthetic"]["counts"][3] / 50 == graded["precision"].value
    assert drawn["real"]["counts"][3] / 60 == graded["recall"].value


def test_labels_come_once_and_numbers_by_size() -> None:
    real, synthetic = sets(4, 5)
    record = exhibits(real, synthetic, labels=np.array(["10", "9", "cat", "10"]), most_k=2)
    labels = view_of(record)["map"]["real"]["labels"]
    assert labels == {"names": ["9", "10", "cat"], "of": [1, 0, 2, 1]}
    assert view_of(record)["map"]["synthetic"]["labels"] is None


def test_what_is_no_number_becomes_none() -> None:
    record = exhibits(*sets())
    assert record.map is not None
    side = replace(record.map.real, grade=np.full(40, np.nan, np.float32), nearest=np.full(40, np.inf, np.float32))
    worst = (replace(record.worst[0], grade=float("nan"), nearest=None),)
    view = view_of(replace(record, map=replace(record.map, real=side), worst=worst))
    assert set(view["map"]["real"]["grade"]) == {None} == set(view["map"]["real"]["nearest"])
    assert (view["worst"][0]["grade"], view["worst"][0]["words"], view["worst"][0]["nearest"]) == (None, "no grade", "")
    json.dumps(view, allow_nan=False)


def test_a_point_beyond_all_numbers_leaves_the_map_out_and_says_so() -> None:
    record = exhibits(*sets())
    assert record.map is not None
    points = record.map.real.points.copy()
    points[3, 1] = np.inf
    view = view_of(replace(record, map=replace(record.map, real=replace(record.map.real, points=points))))
    assert view["map"] is None
    assert any("map is left out" in note for note in view["notes"])
    assert len(view["worst"]) == 8


def test_lists_of_different_lengths_are_refused() -> None:
    record = exhibits(*sets())
    assert record.map is not None
    broken = replace(record.map, synthetic=replace(record.map.synthetic, names=("a", "b")))
    with pytest.raises(InputError, match="lists of synthetic points"):
        exhibit_view(evaluation(replace(record, map=broken)))


def test_nothing_to_show() -> None:
    assert exhibit_view(evaluation(None)) is None
    record = replace(exhibits(*sets()), map=None, worst=(), uncovered=(), pairs=())
    view = view_of(record)
    assert view["map"] is None
    assert view["notes"] == []
    assert "ex-canvas" not in section({"only": view}).split("<script")[0]


def test_a_saved_evaluation_shows_the_same() -> None:
    before = evaluation(exhibits(*sets(), labels=np.arange(40) % 3))
    after = Evaluation.from_dict(json.loads(json.dumps(before.to_dict())))
    assert exhibit_view(after) == exhibit_view(before)


def test_three_models_of_3000_points_stay_far_below_a_megabyte() -> None:
    rng = np.random.default_rng(1)
    record = exhibits(*sets(20, 20))
    assert record.map is not None
    sides = {}
    for name, side in (("real", record.map.real), ("synthetic", record.map.synthetic)):
        sides[name] = replace(
            side,
            n=50_000,
            rows=rng.choice(50_000, 1500, replace=False),
            points=rng.normal(size=(1500, 2)).astype(np.float32),
            grade=rng.random(1500).astype(np.float32),
            inside_from=rng.integers(0, 11, 1500),
            nearest=rng.gamma(3, size=1500).astype(np.float32),
            own=rng.gamma(3, size=1500).astype(np.float32),
            labels=tuple(map(str, rng.integers(0, 10, 1500))),
        )
    view = view_of(replace(record, map=replace(record.map, **sides)))
    assert 3 * len(json.dumps(view, separators=(",", ":"))) < 500_000
    assert len(section({"a": view, "b": view, "c": view})) < 1_000_000


# --- words


@pytest.mark.parametrize(
    ("side", "grade", "words"),
    [
        ("synthetic", 1.0, "realistic"),
        ("synthetic", 0.749, "fairly realistic"),
        ("synthetic", 0.25, "doubtful"),
        ("synthetic", 0.0, "unrealistic"),
        ("real", 0.0, "hardly covered"),
        ("real", 0.75, "well covered"),
        ("real", None, "no grade"),
    ],
)
def test_grades_in_words(side: str, grade: float | None, words: str) -> None:
    assert grade_words(side, grade) == words


@pytest.mark.parametrize(
    ("distance", "own", "exact", "words"),
    [
        (0.0, 2.0, True, "exact copy"),
        (0.4, 2.0, False, "0.2 of the distance to its own nearest real sample"),
        (2.0, 2.0, False, "1 times the distance to its own nearest real sample"),
        (1.9999, 2.0, False, "1 times the distance to its own nearest real sample"),
        (2.8, 2.0, False, "1.4 times the distance to its own nearest real sample"),
        (250.0, 2.0, False, "125 times the distance to its own nearest real sample"),
        (0.5, 0.0, False, "distance 0.5; the real sample has a duplicate among the real ones"),
        (0.5, float("inf"), False, ""),
    ],
)
def test_pairs_in_words(distance: float, own: float, exact: bool, words: str) -> None:
    pair = replace(exhibits(*sets()).pairs[0], distance=distance, own=own, exact=exact)
    assert pair_words(pair) == words


# --- pictures


def rectangles(path: str) -> list[tuple[float, float, float, float]]:
    """Left, width, and the two places on the scale where the real range is 0 to 1."""
    found = re.findall(r"M([\d.]+) ([-\d.]+)h([\d.]+)V([-\d.]+)h-\3z", path)
    assert "".join(f"M{a} {b}h{c}V{d}h-{c}z" for a, b, c, d in found) == path
    place = [[TOP - float(v) * (TOP - BOTTOM) / HEIGHT for v in (b, d)] for _, b, _, d in found]
    return [(float(f[0]), float(f[2]), *p) for f, p in zip(found, place, strict=True)]  # type: ignore[misc]


def test_bars_reach_from_the_middle_of_the_real_range_to_the_value() -> None:
    record = replace(exhibits(*sets()), low=np.array([0.0, 10.0, -2.0]), high=np.array([4.0, 20.0, 2.0]), columns=None)
    drawn = picture(np.array([3.0, 23.0, 0.0]), record)
    paths = {role: rectangles(p["d"]) for p in drawn["paths"] for role in [p["role"]]}
    assert paths["band"] == [(0, 12, 0, 1)]
    assert paths["bar"] == [(0, 3, 0.5, pytest.approx(0.75)), (4, 3, 0.5, 1.0)]
    assert paths["odd"] == [(4, 3, 1.0, pytest.approx(1.3))]
    assert drawn["remarks"] == ["feature 1: 23, real 10 to 20"]
    assert drawn["alt"] == "3 features, 1 outside the usual range of real samples: feature 1: 23, real 10 to 20"
    assert [p["title"] for p in drawn["paths"] if p["role"] == "hot"] == drawn["remarks"]


def test_the_most_unusual_features_are_named_first_and_not_many() -> None:
    low, high = np.zeros(6), np.array([1.0, 1.0, 0.0, 1.0, 1.0, 1.0])
    record = replace(exhibits(*sets()), low=low, high=high, columns=tuple("abcdef"))
    drawn = picture(np.array([1.5, -3.0, 1e-9, 1.1, 0.5, 9.0]), record)
    assert drawn["remarks"] == ["c: 1e-09, real 0", "f: 9, real 0 to 1", "b: -3, real 0 to 1"]
    assert drawn["alt"].startswith("6 features, 5 outside")


def test_places_on_the_real_range() -> None:
    largest = float(np.finfo(float).max)
    values = np.array([0.0, 5.0, 5.0, 6.0, 4.0, largest])
    low, high = np.array([0.0, 0.0, 5.0, 5.0, 5.0, -largest]), np.array([2.0, 10.0, 5.0, 5.0, 5.0, largest])
    assert places(values, low, high).tolist() == [0.0, 0.5, 0.5, np.inf, -np.inf, 1.0]


def decoded(source: str) -> Array:
    data = base64.b64decode(source.removeprefix("data:image/png;base64,"))
    return np.rint(matplotlib.image.imread(io.BytesIO(data), format="png") * 255).astype(int)


def test_thumbnails_hold_the_pixels() -> None:
    real, synthetic = (np.random.default_rng(i).integers(0, 17, (12, 64)) for i in (0, 1))
    record = exhibits(real, synthetic, most_k=3)
    drawn = view_of(record)["worst"][0]["picture"]
    low, high = real.min(), real.max()
    expected = np.rint((record.worst[0].values.clip(low, high) - low) / (high - low) * 255).astype(int).reshape(8, 8)
    assert (decoded(drawn["image"]) == expected).all()
    assert (drawn["box"], drawn["alt"], drawn["paths"]) == ([8, 8], "image of 8 by 8 pixels", [])


@pytest.mark.parametrize("shape", [(3, 5, 1), (4, 2, 3)])
def test_png(shape: tuple[int, int, int]) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    read = decoded(base64.b64encode(png(pixels)).decode())
    assert (read.reshape(shape) == pixels).all()


def test_large_images_are_shown_as_means_of_blocks() -> None:
    pixels = np.random.default_rng(0).random((100, 60, 3))
    small = shrink(pixels, 48)
    assert small.shape == (33, 20, 3)
    assert small[2, 4] == pytest.approx(pixels[6:9, 12:15].mean(axis=(0, 1)))
    assert shrink(np.ones((1, 500, 1)), 48).shape == (1, 45, 1)


@pytest.mark.parametrize("shape", [None, (3, 3), (2, 2, 2), (0, 4), (4,)])
def test_what_is_no_image_is_drawn_as_bars(shape: tuple[int, ...] | None) -> None:
    real, synthetic = sets(d=8)
    record = exhibits(real, synthetic, drawing="image", shape=shape)
    assert view_of(record)["worst"][0]["picture"]["stretch"]


# --- harm


def test_hostile_texts_are_cut_and_escaped_everywhere() -> None:
    real, synthetic = sets()
    record = exhibits(real, synthetic, labels=np.full(40, HOSTILE), columns=(HOSTILE,) * 3, notes=(HOSTILE,))
    assert record.map is not None
    sides = {
        name: replace(side, names=(HOSTILE,) * len(side.rows))
        for name, side in vars(record.map).items()
        if name in ("real", "synthetic")
    }
    record = replace(
        record, map=replace(record.map, **sides, axes=(HOSTILE, HOSTILE), note=HOSTILE, projection=HOSTILE)
    )
    record = replace(record, worst=tuple(replace(w, name=HOSTILE, label=HOSTILE) for w in record.worst))
    view = view_of(record)
    page = section({"<script>window.hacked=1</script>": view, '"><img src=x onerror=alert(1)>': view})
    assert page.count("<script") == 3 == page.count("</script")
    assert "<img" not in page
    assert "\u202e" not in page
    assert "\x00" not in page
    assert "x" * 401 not in page
    assert "&lt;script&gt;window.hacked=1" in page
