"""The gallery: what is shown of the samples agrees with naive definitions, ties included."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import truegrade as tg
from engine_cases import CASES, DOUBLE, SINGLE, samples
from truegrade import codec
from truegrade.engine import levels, run
from truegrade.engine.needs import Knn
from truegrade.gallery import drawing, view
from truegrade.gallery.drawing import compact, significant
from truegrade.gallery.plane import plane_of
from truegrade.load import arrays as load_arrays
from truegrade.result import Evaluation
from truegrade.result.exhibits import Exhibits, MapView
from truegrade.samples import Samples

Rows = NDArray[Any]
QUIET: dict[str, Any] = {"intervals": False, "floor": False}


def normal(seed: int, n: int = 120, d: int = 6, scale: float = 1.0) -> Rows:
    return scale * np.random.default_rng(seed).normal(size=(n, d))


def squared(x: Rows, y: Rows) -> Rows:
    """Squared distances (n, m), each by numpy's sum of one row of differences."""
    x, y = x.astype(np.float64), y.astype(np.float64)
    return np.stack([((a - y) ** 2).sum(axis=1) for a in x])


def squared_radii(x: Rows, k: int) -> Rows:
    """(n, k) squared distances to the k nearest others."""
    found = squared(x, x)
    np.fill_diagonal(found, np.inf)
    return np.sort(found, axis=1)[:, :k]


def naive_levels(points: Rows, centres: Rows, k: int) -> Rows:
    d2, radii = squared(points, centres), squared_radii(centres, k)
    inside = [(d2 <= radii[:, at]).any(1) for at in range(k)]
    return np.array([next((at + 1 for at in range(k) if inside[at][i]), 0) for i in range(len(points))])


def look(real: Any, synthetic: Any, **options: Any) -> Exhibits:
    found = tg.evaluate(real, synthetic, **(QUIET | options)).exhibits
    assert found is not None
    return found


def map_of(exhibits: Exhibits) -> MapView:
    assert exhibits.map is not None
    return exhibits.map


# --- the manifold ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [SINGLE, DOUBLE], ids=str)
@pytest.mark.parametrize("case", CASES)
def test_levels_are_those_of_the_plain_definition(case: str, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "product_dtype", lambda *_: dtype)
    real, synthetic = CASES[case]()
    sides = samples(real=real[:90], synthetic=synthetic[:70])
    known = run.answer([Knn("real", 6), Knn("synthetic", 6)], sides)
    for points, centres in (("synthetic", "real"), ("real", "synthetic")):
        found = levels.first_inside(sides[points], sides[centres], known[Knn(centres, 6)].squared)
        expected = naive_levels(sides[points].array(), sides[centres].array(), 6)
        np.testing.assert_array_equal(found, expected, err_msg=points)


def test_levels_over_several_blocks_of_either_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "_POINTS", 17)
    monkeypatch.setattr(levels, "tile_size", lambda *_: 13)
    real, synthetic = samples(real=normal(0), synthetic=normal(1, scale=1.4)).values()
    known = run.answer([Knn("real", 5)], {"real": real})[Knn("real", 5)]
    found = levels.first_inside(synthetic, real, known.squared)
    np.testing.assert_array_equal(found, naive_levels(synthetic.array(), real.array(), 5))
    assert len(np.unique(found)) > 3


@pytest.mark.parametrize("k", [1, 3, 5, 14])
@pytest.mark.parametrize("case", ["gaussian 64", "duplicates", "integers", "gaussian 129 float32", "gaussian 2"])
def test_shares_inside_are_precision_and_recall(case: str, k: int) -> None:
    real, synthetic = CASES[case]()
    evaluation = tg.evaluate(real, synthetic, k=k, metrics=["precision", "recall", "frechet_distance"], **QUIET)
    assert evaluation.exhibits is not None
    shown = map_of(evaluation.exhibits)
    assert (shown.k, shown.most_k) == (k, max(k, 10))
    for side, key in ((shown.synthetic, "precision"), (shown.real, "recall")):
        inside = (side.inside_from >= 1) & (side.inside_from <= k)
        assert inside.mean() == evaluation[key].value
        np.testing.assert_array_equal(inside, next(iter(evaluation[key].per_sample.values())))


def test_most_k_is_what_the_sets_allow() -> None:
    assert map_of(look(normal(0, 4), normal(1, 9), metrics="authenticity")).most_k == 3
    tiny = map_of(look(normal(0, 2), normal(1, 2), metrics=tg.metrics.Precision(k=1)))
    assert (tiny.k, tiny.most_k) == (1, 1)


# --- the map ---------------------------------------------------------------------------------------------


def test_distances_and_grades_of_the_points() -> None:
    real, synthetic = normal(0), normal(1, 90, scale=1.3)
    evaluation = tg.evaluate(real, synthetic, **QUIET)
    shown = map_of(evaluation.exhibits)  # type: ignore[arg-type]
    across = np.sqrt(squared(real, synthetic))
    covered, dense = (evaluation[key].per_sample for key in ("clipped_coverage", "clipped_density"))
    for side, nearest, own, grade in (
        (shown.real, across.min(1), squared_radii(real, 1), covered["real"]),
        (shown.synthetic, across.min(0), squared_radii(synthetic, 1), dense["synthetic"]),
    ):
        np.testing.assert_allclose(side.nearest, nearest, rtol=6e-4)
        np.testing.assert_allclose(side.own, np.sqrt(own[:, 0]), rtol=6e-4)
        np.testing.assert_allclose(side.grade, grade, atol=6e-5)
        np.testing.assert_array_equal(side.rows, np.arange(len(nearest)))
        assert (side.n, side.names, side.labels) == (len(nearest), None, None)
    assert shown.note == ""


@pytest.mark.parametrize(
    ("metrics", "real_by", "synthetic_by"),
    [
        (["precision", "recall", "coverage"], "recall", "precision"),
        (["coverage", "symmetric_precision"], "coverage", "symmetric_precision"),
        (["density", "authenticity"], None, None),
    ],
)
def test_grades_fall_back_to_other_scores(metrics: list[str], real_by: str | None, synthetic_by: str | None) -> None:
    evaluation = tg.evaluate(normal(0), normal(1, scale=1.5), metrics=metrics, **QUIET)
    exhibits = evaluation.exhibits
    assert exhibits is not None
    shown = map_of(exhibits)
    for side, key, specimens in (
        (shown.real, real_by, exhibits.uncovered),
        (shown.synthetic, synthetic_by, exhibits.worst),
    ):
        if key is None:
            assert np.isnan(side.grade).all()
            assert all(specimen.grade is None for specimen in specimens)
            assert len(specimens) == 12
        else:
            np.testing.assert_allclose(side.grade, next(iter(evaluation[key].per_sample.values())), atol=6e-5)


def test_large_sets_show_some_points_that_are_judged_by_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "POINTS", 60)
    real, synthetic = normal(0, 300), normal(1, 250, scale=1.3)
    exhibits = look(real, synthetic)
    shown = map_of(exhibits)
    assert shown.note.startswith("Shown are 60 of 300 real samples and 60 of 250 synthetic samples, drawn at random")
    wanted = {
        "real": [s.row for s in exhibits.uncovered] + [p.real.row for p in exhibits.pairs],
        "synthetic": [s.row for s in exhibits.worst] + [p.synthetic.row for p in exhibits.pairs],
    }
    for name, side, mine, other in (
        ("real", shown.real, real, synthetic),
        ("synthetic", shown.synthetic, synthetic, real),
    ):
        assert len(side.rows) == 60
        assert side.n == len(mine)
        assert (np.diff(side.rows) > 0).all()
        assert set(wanted[name]) <= set(side.rows.tolist())
        np.testing.assert_array_equal(side.inside_from, naive_levels(mine[side.rows], other, shown.most_k))
        np.testing.assert_allclose(side.nearest, np.sqrt(squared(mine[side.rows], other).min(1)), rtol=6e-4)
    assert (map_of(look(real, synthetic, seed=1)).real.rows != shown.real.rows).any()
    assert map_of(look(real, normal(2, 250))).real.rows.shape == (60,)


# --- the plane --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "d"), [(80, 5), (30, 200), (50, 3)])
def test_the_plane_is_that_of_a_singular_value_decomposition(n: int, d: int) -> None:
    real, synthetic = normal(0, n, d) * np.linspace(3, 1, d) + 100.0, normal(1, 40, d) + 100.0
    shown = map_of(look(real, synthetic))
    centred = real - real.mean(0)
    _, lengths, directions = np.linalg.svd(centred, full_matrices=False)
    for at in (0, 1):
        way = directions[at] * np.sign(directions[at][np.abs(directions[at]).argmax()])
        extent = np.ptp(shown.real.points)
        np.testing.assert_allclose(shown.real.points[:, at], centred @ way, atol=1e-4 * extent)
        np.testing.assert_allclose(shown.synthetic.points[:, at], (synthetic - real.mean(0)) @ way, atol=1e-4 * extent)
        share = lengths[at] ** 2 / (lengths**2).sum()
        assert shown.axes[at] == f"principal component {at + 1} ({share:.1%} of the variance)"
    assert shown.projection == "principal components of the real samples"


def test_two_features_are_the_plane_and_name_the_axes() -> None:
    real = Samples.from_array(normal(0, d=2), columns=["age", "height"])
    shown = map_of(look(real, normal(1, d=2), kind="vectors"))
    np.testing.assert_allclose(shown.real.points, real.array(), atol=1e-3)
    assert shown.axes == ("age", "height")
    assert map_of(look(normal(0, d=2), normal(1, d=2))).axes == ("feature 0", "feature 1")


def test_one_feature_lies_on_a_line() -> None:
    shown = map_of(look(normal(0, d=1), normal(1, d=1)))
    np.testing.assert_allclose(shown.real.points[:, 0], normal(0, d=1)[:, 0], atol=1e-3)
    assert (shown.real.points[:, 1] == 0).all()
    assert shown.axes == ("feature 0", "")


def test_real_samples_that_are_all_the_same_or_on_a_line() -> None:
    same = map_of(look(np.ones((40, 5)), normal(1, 50, 5)))
    assert (same.real.points == 0).all()
    assert "all real samples are the same" in same.projection
    line = np.outer(np.arange(40.0), np.ones(5))
    shown = map_of(look(line, line + 0.1))
    assert np.ptp(shown.real.points[:, 0]) == pytest.approx(39 * 5**0.5, rel=1e-3)
    np.testing.assert_allclose(shown.real.points[:, 1], 0, atol=1e-6)


def test_the_plane_of_many_rows_is_fitted_on_some() -> None:
    real = Samples.from_array(normal(0, 3000, 4) * [5, 2, 1, 1])
    plane = plane_of(real, seed=0)
    assert plane.projection.endswith("fitted on 2,000 of 3,000")
    assert abs(plane.directions[0, 0]) > 0.99
    assert plane.directions[0, 0] > 0
    np.testing.assert_allclose(plane.directions.T @ plane.directions, np.eye(2), atol=1e-12)


@pytest.mark.parametrize("scale", [1e-30, 1e30, 1e39])
def test_extreme_units_do_no_harm(scale: float) -> None:
    real, synthetic = normal(0) * scale, normal(1) * scale
    exhibits = look(real, synthetic)
    assert np.isfinite(map_of(exhibits).real.points).all()
    assert np.ptp(map_of(exhibits).real.points) > 0
    np.testing.assert_array_equal(map_of(exhibits).real.inside_from, naive_levels(real, synthetic, 10))


# --- specimens ----------------------------------------------------------------------------------------------


def test_the_worst_are_those_of_the_lowest_grade_then_the_farthest() -> None:
    real, synthetic = normal(0), normal(1, 90, scale=1.5)
    evaluation = tg.evaluate(real, synthetic, **QUIET)
    exhibits = evaluation.exhibits
    assert exhibits is not None
    d, k = np.sqrt(squared(real, synthetic)), map_of(exhibits).k
    radii = np.sqrt(squared_radii(real, k)[:, -1])
    covered, dense = (evaluation[key].per_sample for key in ("clipped_coverage", "clipped_density"))
    for specimens, grade, far, side in (
        (exhibits.worst, dense["synthetic"], d.min(0) / radii[d.argmin(0)], "synthetic"),
        (exhibits.uncovered, covered["real"], d.min(1) / radii, "real"),
    ):
        order = sorted(range(len(grade)), key=lambda row: (grade[row], -far[row]))
        assert [s.row for s in specimens] == order[:12]
        assert [s.grade for s in specimens] == [grade[row] for row in order[:12]]
        assert {s.side for s in specimens} == {side}
        nearest = d.min(0) if side == "synthetic" else d.min(1)
        assert [s.nearest for s in specimens] == [pytest.approx(nearest[row]) for row in order[:12]]
        assert specimens[0].name == f"row {order[0]}"


def test_samples_with_equal_values_are_shown_once() -> None:
    real, synthetic = normal(0), normal(1)
    synthetic[10:30] = 50.0
    synthetic[40:43] = real[7]
    exhibits = look(real, synthetic)
    assert [s.row for s in exhibits.worst if (s.values == 50).all()] == [10]
    assert len(exhibits.worst) == 12
    assert [p.synthetic.row for p in exhibits.pairs if p.real.row == 7] == [40]
    assert exhibits.notes == (
        "Not shown among the worst synthetic samples, because their values are those of one that is: 19.",
        "Not shown among the nearest pairs, because their values are those of one that is: 2.",
    )


def test_few_distinct_samples_give_few_specimens() -> None:
    exhibits = look(np.repeat(normal(0, 3), 20, axis=0), np.repeat(normal(1, 2), 20, axis=0))
    assert (len(exhibits.worst), len(exhibits.uncovered), len(exhibits.pairs)) == (2, 3, 2)


def test_pairs_are_the_nearest_in_units_of_the_real_samples_own_distance() -> None:
    real, synthetic = normal(0), normal(1, 90)
    synthetic[20], synthetic[30] = real[5], np.nextafter(real[6], 10.0)
    pairs = look(real, synthetic).pairs
    assert [(p.synthetic.row, p.real.row, p.exact) for p in pairs[:2]] == [(20, 5, True), (30, 6, False)]
    d, own = np.sqrt(squared(real, synthetic)), np.sqrt(squared_radii(real, 1)[:, 0])
    ratio = d.min(0) / own[d.argmin(0)]
    assert [p.synthetic.row for p in pairs] == np.argsort(ratio)[:12].tolist()
    for pair in pairs:
        assert pair.real.row == d[:, pair.synthetic.row].argmin()
        assert pair.distance == pytest.approx(d[pair.real.row, pair.synthetic.row], rel=1e-12)
        assert pair.own == pytest.approx(own[pair.real.row], rel=1e-12)
        assert pair.exact == (pair.distance == 0)


def test_a_copy_is_exact_only_to_the_last_bit() -> None:
    real = normal(0).astype(np.float32)
    synthetic = normal(1)
    synthetic[3], synthetic[4] = real[0], real[1]  # float32 values in float64
    synthetic[5] = real[2]
    synthetic[5, 0] += 1e-170  # lost in the sum ...
    real[2, 0] = synthetic[5, 0] = 0.0
    synthetic[5, 0] = 1e-200  # ... and in the square: the distance is 0
    found = {p.synthetic.row: (p.distance, p.exact) for p in look(real, synthetic).pairs}
    assert found[3] == found[4] == (0.0, True)
    assert found[5] == (0.0, False)


# --- what is drawn --------------------------------------------------------------------------------------------


def test_bars_hold_the_first_features_and_their_real_range() -> None:
    real, synthetic = normal(0, 80, 300), normal(1, 70, 300)
    columns = [f"c{i}" for i in range(300)]
    exhibits = look(Samples.from_array(real, columns=columns), Samples.from_array(synthetic, columns=columns))
    assert (exhibits.drawing, exhibits.shape, exhibits.d, exhibits.shown) == ("bars", None, 300, 256)
    assert exhibits.columns == tuple(columns[:256])
    assert exhibits.notes == ("The first 256 of 300 features are drawn.",)
    step = np.ptp(real) / 500
    np.testing.assert_allclose(exhibits.low, np.percentile(real[:, :256], 5, axis=0), atol=step)
    np.testing.assert_allclose(exhibits.high, np.percentile(real[:, :256], 95, axis=0), atol=step)
    for specimen in (*exhibits.worst, *(p.synthetic for p in exhibits.pairs)):
        np.testing.assert_allclose(specimen.values, synthetic[specimen.row, :256], atol=step)
    for specimen in (*exhibits.uncovered, *(p.real for p in exhibits.pairs)):
        np.testing.assert_allclose(specimen.values, real[specimen.row, :256], atol=step)


def test_ranges_of_many_rows_come_from_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "_ROWS", 100)
    exhibits = look(normal(0, 400), normal(1, 90))
    assert exhibits.notes == ("The ranges of the features are those of 100 real samples drawn at random.",)
    assert np.abs(exhibits.low + 1.64).max() < 0.8


def test_names_and_labels_are_kept_as_they_are_and_cut() -> None:
    hostile = ["<script>alert(1)</script>", '"quoted"', "\u202eright to left", "\x07bell", "x" * 10_000]
    ids = np.array([f"{hostile[i % 5]}{i}" for i in range(60)], dtype=object)
    real = Samples.from_array(normal(0, 60), ids=ids, labels=ids)
    exhibits = look(real, Samples.from_array(normal(1, 60), labels=np.arange(60.0)), metrics=["authenticity"])
    shown = map_of(exhibits)
    assert shown.real.names is not None
    assert shown.real.names[:4] == tuple(ids[:4])
    assert shown.real.names[4] == "x" * 199 + "…"
    assert shown.real.labels == shown.real.names
    assert shown.synthetic.labels == tuple(map(str, range(60)))
    assert shown.synthetic.names is None
    for pair in exhibits.pairs:
        assert pair.real.name == shown.real.names[pair.real.row]
        assert pair.synthetic.label == str(pair.synthetic.row)


@pytest.mark.parametrize(("low", "kind"), [(0, np.uint8), (-3, np.int16), (-40_000, np.int32)])
def test_whole_numbers_stay_whole(low: int, kind: Any) -> None:
    values = compact(np.array([low, 7.0, -0.0]), 3)
    assert values.dtype == kind
    assert values.tolist() == [low, 7, 0]


def test_values_are_rounded_to_few_digits() -> None:
    values = compact(np.array([1 / 3, 2 / 3, 100.0]), 2)
    assert codec.encode(values)["array"] == [0.33, 0.67, 100.0]
    assert compact(np.array([1e39, 0.5e39]), 0).dtype == np.float64
    assert compact(np.array([1e-42, 3e-42]), 45).tolist() == pytest.approx([1e-42, 3e-42], rel=1e-3)
    given = np.array([123456.0, 0.000123456, 0.0, np.nan, np.inf])
    assert codec.encode(significant(given))["array"] == [123500.0, 0.0001235, 0.0, None, 3.4028235e38]


# --- the whole record ------------------------------------------------------------------------------------------


def test_exhibits_come_back_from_json_and_are_small(tmp_path: Path) -> None:
    from truegrade.demo import demo_samples

    data = demo_samples()
    evaluation = tg.evaluate(data["train"], data["copying"], **QUIET)
    evaluation.to_json(tmp_path / "a.json")
    again = Evaluation.from_json(tmp_path / "a.json")
    assert again == evaluation
    assert again.exhibits == evaluation.exhibits
    assert len(json.dumps(codec.encode(evaluation.exhibits))) < 120_000


def test_exhibits_change_no_score_and_can_be_left_out() -> None:
    with_them, without = (tg.evaluate(normal(0), normal(1), exhibits=wish) for wish in (True, False))
    assert without.exhibits is None
    assert dict(with_them.scores) == dict(without.scores)
    assert "Nearest" not in without.plan
    assert tg.metrics.Precision()(normal(0), normal(1)) == without["precision"]


def test_a_large_search_that_no_score_needs_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tg.gallery, "_CHEAP", 1e4)
    assert tg.evaluate(normal(0), normal(1), metrics="frechet_distance", **QUIET).exhibits is None
    assert tg.evaluate(normal(0), normal(1), metrics=["frechet_distance", "recall"], **QUIET).exhibits is not None


def test_sets_on_disk_give_the_same_exhibits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "POINTS", 60)
    paths = [tmp_path / "real.npy", tmp_path / "synthetic.npy"]
    for path, seed in zip(paths, (0, 1), strict=True):
        np.save(path, normal(seed, 200))
    expected = look(normal(0, 200), normal(1, 200))
    monkeypatch.setattr(load_arrays, "IN_MEMORY", 0)
    loaded = [tg.load(path) for path in paths]
    assert "MappedRows" in type(loaded[0].rows).__name__
    assert look(*loaded) == expected


def test_comparisons_carry_exhibits_of_every_model() -> None:
    both = tg.compare(normal(0), {"A": normal(1), "B": normal(2, scale=0.5)}, **QUIET)
    assert both["A"].exhibits == look(normal(0), normal(1))
    assert map_of(both["B"].exhibits).real.points.tolist() == map_of(both["A"].exhibits).real.points.tolist()  # type: ignore[arg-type]
