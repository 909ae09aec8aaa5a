"""Scores of single columns and of joint tables: by hand, against naive definitions, draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oracles import table_columns as naive
from table_pairs import coded, column, find, texts
from truegrade.density import LineStats, Settings, line_eden, line_stats
from truegrade.tabular.columns import places
from truegrade.tabular.columns import single as columns
from truegrade.tabular.columns.categories import (
    DenseCounts,
    SparseCounts,
    aligned,
    category_coverage,
    equidensity,
    grade_tables,
    total_variation,
)
from truegrade.tabular.columns.lines import Sides, ceilings, edens
from truegrade.tabular.columns.pairs import grade_columns, grade_pairs
from truegrade.tabular.columns.single import NAMED, PLACES


def test_scores_of_shares_worked_out_by_hand() -> None:
    p, q = np.array([0.5, 0.4, 0.1, 0.0]), np.array([0.5, 0.2, 0.0, 0.3])
    assert total_variation(p, q) == pytest.approx(0.7)
    assert equidensity(p, q) == pytest.approx((1 + 0.5 + 0 + 0) / 4)
    assert category_coverage(p, q) == pytest.approx(2 / 3)


def test_every_cell_counts_once_in_equidensity() -> None:
    """Nine of ten rare cells are gone: total variation hardly sees it."""
    p = np.array([0.9] + [0.01] * 10)
    q = np.array([0.99, 0.01] + [0.0] * 9)
    assert total_variation(p, q) > 0.9
    assert equidensity(p, q) < 0.2


@pytest.mark.parametrize("score", [total_variation, equidensity])
def test_shares_the_other_way_round(score: Any) -> None:
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(9)), rng.dirichlet(np.ones(9))
    assert score(p, q) == pytest.approx(score(q, p), abs=1e-15)
    assert score(p, p) == 1.0


@pytest.mark.parametrize("n", [1, 40, 700])
def test_columns_against_naive_definitions(n: int) -> None:
    rng = np.random.default_rng(n)
    real = {"x": rng.normal(size=701), "tied": rng.integers(0, 60, 701).astype(float), "c": rng.integers(0, 3, 701) > 1}
    synthetic = {"x": rng.normal(0.3, 1, n), "tied": rng.integers(0, 70, n).astype(float), "c": rng.random(n) > 0.5}
    grades = grade_columns(*coded(real, synthetic), seed=0, intervals=False)
    for name in ("x", "tied"):
        found = column(grades, name).scores
        assert found["ks"].value == pytest.approx(naive.ks(real[name], synthetic[name]), abs=1e-12)
        low, high = max(real[name].min(), synthetic[name].min()), min(real[name].max(), synthetic[name].max())
        span = max(0.0, high - low) / np.ptp(real[name])
        assert found["range_coverage"].value == pytest.approx(span, abs=1e-12)
    if n > 3:
        expected = naive.total_variation(list(real["c"]), list(synthetic["c"]))
        assert column(grades, "c").scores["total_variation"].value == pytest.approx(expected)
        eden = line_eden(real["x"], synthetic["x"])
        assert column(grades, "x").scores["eden_line"].value == pytest.approx(eden, abs=1e-9)


def test_ks_of_many_rows_is_off_by_no_more_than_a_cell() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=70_000), rng.normal(0.05, 1, 70_000)
    x[:20_000], y[:15_000] = 0.25, 0.25  # a value that many rows have is a place of its own
    found = column(grade_columns(*coded({"x": x}, {"x": y}), seed=0, intervals=False), "x").scores["ks"].value
    ordered = np.sort(np.concatenate([x, y]))
    apart = np.abs(np.searchsorted(np.sort(x), ordered, "right") - np.searchsorted(np.sort(y), ordered, "right"))
    assert found == pytest.approx(1 - apart.max() / 70_000, abs=3 / 4096)


def test_ceilings_of_ks_and_of_ranges() -> None:
    """For continuous values sup|F - G| is about .8687 sqrt(1/n + 1/m), and a second sample spans (n - 1) / (n + 1)."""
    rng = np.random.default_rng(5)
    x = rng.random(2_000)
    found = column(grade_columns(*coded({"x": x}, {"x": rng.random(500)}), seed=0), "x").scores
    assert found["ks"].ceiling == pytest.approx(1 - 0.8687 * np.sqrt(1 / 2_000 + 1 / 500), abs=0.008)
    assert found["range_coverage"].ceiling == pytest.approx(1 - 2 / 501, abs=0.003)


def test_missing_values_are_compared() -> None:
    x = np.where(np.arange(400) < 100, np.nan, np.arange(400.0))
    y = np.where(np.arange(400) < 300, np.nan, np.arange(400.0))
    found = column(grade_columns(*coded({"x": x}, {"x": y}), seed=0), "x").scores["missing_share"]
    assert found.value == pytest.approx(0.5)
    assert found.low is not None
    assert found.low < 0.5 < found.high < 0.6
    assert found.ceiling > 0.96  # type: ignore[operator]


@pytest.mark.parametrize("counts", [DenseCounts, SparseCounts])
def test_joint_tables_are_counted(counts: Any) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(-1, 7, 3_000).astype(np.int32), rng.integers(-1, 5, 3_000).astype(np.int32)
    whole = counts(7, 5)
    for start in range(0, 3_000, 250):
        whole.add(a[start : start + 250], b[start : start + 250])
    cells, found = whole.found()
    expected = {(i, j): int(((a == i) & (b == j)).sum()) for i in range(7) for j in range(5)}
    assert {(c // 5, c % 5): k for c, k in zip(cells, found, strict=True)} == {k: v for k, v in expected.items() if v}


def test_many_categories_are_counted_sparsely(monkeypatch: pytest.MonkeyPatch) -> None:
    from truegrade.tabular.columns import categories

    rng = np.random.default_rng(2)
    real, synthetic = ({"a": texts(rng.integers(0, 9, 500)), "b": texts(rng.integers(0, 9, 500))} for _ in range(2))
    before = grade_pairs(*coded(real, synthetic), seed=0)
    monkeypatch.setattr(categories, "_DENSE", 1)
    monkeypatch.setattr(categories, "_WAITING", 50)
    assert grade_pairs(*coded(real, synthetic), seed=0) == before


def test_pairs_of_categories_against_naive_definitions() -> None:
    rng = np.random.default_rng(4)
    real = {"a": texts(rng.choice(list("xyz"), 300)), "b": texts(rng.choice(list("pq"), 300))}
    synthetic = {"a": texts(rng.choice(list("xyw"), 200)), "b": texts(rng.choice(list("pq"), 200, p=[0.9, 0.1]))}
    real["b"][:20] = None
    pair = grade_pairs(*coded(real, synthetic), seed=0).pairs[0]
    rows = [[r for r in zip(t["a"], t["b"], strict=True) if r[1] is not None] for t in (real, synthetic)]
    assert (pair.form, pair.n_real, pair.n_synthetic) == ("categories", 280, 200)
    assert pair.scores["total_variation"].value == pytest.approx(naive.total_variation(*rows))
    assert pair.scores["equidensity"].value == pytest.approx(naive.equidensity(*rows))


def test_the_ceiling_of_joint_tables_is_what_samples_of_one_law_get() -> None:
    rng = np.random.default_rng(6)
    law = rng.dirichlet(np.full(400, 0.3))
    pairs = [(rng.multinomial(600, law), rng.multinomial(300, law)) for _ in range(60)]
    truth = np.mean([[f(a / 600, b / 300) for f in (total_variation, equidensity)] for a, b in pairs], axis=0)
    found = [grade_tables(a, b, np.random.default_rng(0), intervals=False) for a, b in pairs[:10]]
    for i, key in enumerate(("total_variation", "equidensity")):
        assert np.mean([f[key].ceiling for f in found]) == pytest.approx(truth[i], abs=0.03)


def test_a_number_within_categories_against_the_naive_definition() -> None:
    rng = np.random.default_rng(7)
    labels = np.repeat(["a", "b", "c", "rare"], [150, 90, 60, 2])
    real = {"x": rng.normal(size=302) * np.where(labels == "b", 9, 1), "c": texts(labels)}
    drawn = np.repeat(["a", "b", "new"], [120, 70, 30])
    synthetic = {"x": rng.normal(0.5, 1, 220), "c": texts(drawn)}
    pair = grade_pairs(*coded(real, synthetic), seed=0).pairs[0]
    expected = naive.mixed(real["x"], labels, synthetic["x"], drawn)  # c is absent: 0; rare has 2 rows: left out
    assert pair.scores["eden_line"].value == pytest.approx(expected, abs=0.01)
    assert pair.reason is not None
    assert pair.reason.startswith("left out: 1 of 4 real categories")
    assert 0.3 < pair.scores["eden_line"].ceiling < 0.9  # type: ignore[operator]


def test_lines_together_are_the_lines_alone() -> None:
    rng = np.random.default_rng(8)
    values = [(rng.gamma(2, 1, 300), rng.normal(2, 1, 200)), (rng.normal(size=50), rng.normal(1, 3, 400))]
    for settings in (Settings(), Settings(bandwidth="shared", rule="silverman", levels=8)):
        expected = [line_eden(x, y, settings) for x, y in values]
        found = edens(*_sides(values), settings)
        assert found == pytest.approx(expected, abs=0.02)


def test_the_ceiling_on_lines_is_what_samples_of_one_law_get() -> None:
    rng = np.random.default_rng(9)
    values = [(rng.normal(size=400), rng.normal(size=200)) for _ in range(150)]
    truth = np.mean([line_eden(x, y) for x, y in values])
    real, synthetic = _sides(values)
    draw = np.random.default_rng(0)
    found = np.mean([ceilings(real, synthetic.n, Settings(), draw).mean() for _ in range(4)])
    assert found == pytest.approx(truth, abs=0.04)
    assert np.mean(ceilings(real, synthetic.n, Settings(), draw, carry=False)) < found


def _sides(values: list[tuple[Any, Any]]) -> tuple[Sides, Sides]:
    """Counted by hand on 2,000 cells from -15 to 25."""
    step = 40 / 2_000
    out = []
    for side in (0, 1):
        stats: list[LineStats] = [line_stats(pair[side]) for pair in values]
        counts = np.zeros((len(values), 2_000), np.int64)
        for line, pair in zip(counts, values, strict=True):
            place = np.rint((pair[side] + 15) / step * 16).astype(int)
            np.add.at(line, place // 16, 16 - place % 16)
            np.add.at(line, place // 16 + 1, place % 16)
        variances = np.array([s.variance for s in stats]) / step**2
        out.append(Sides(counts, np.array([s.n for s in stats]), variances))
    return out[0], out[1]


def test_curves_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(10)
    real = {f"x{i}": rng.normal(size=60) for i in range(3)}
    real["c"] = texts(rng.integers(0, 30, 60))
    synthetic = {name: rng.permutation(values) for name, values in real.items()}
    synthetic["x0"] = synthetic["x0"] + 2
    monkeypatch.setattr(columns, "DRAWN", 2)
    grades = grade_columns(*coded(real, synthetic, {"c": "category"}), seed=0, intervals=False)
    kept = [c for c in grades if c.curves is not None]
    assert len(kept) == 2
    worst = column(grades, "x0").curves
    assert worst is not None
    assert worst.at is not None
    assert len(worst.at) == len(worst.real) == PLACES
    step = worst.at[1] - worst.at[0]
    assert float(worst.synthetic.sum() * step) == pytest.approx(1, abs=0.02)
    alone = coded({"c": real["c"]}, {"c": synthetic["c"]}, {"c": "category"})
    shares = column(grade_columns(*alone, seed=0), "c").curves
    assert shares is not None
    assert shares.names is not None
    assert len(shares.names) == NAMED + 1
    assert shares.names[-1] == "other"
    assert float(shares.real.sum()) == pytest.approx(1)


def test_aligned_tables_share_their_cells() -> None:
    a, b = aligned((np.array([1, 5]), np.array([2, 3])), (np.array([0, 5]), np.array([7, 1])))
    assert a.tolist() == [0, 2, 3]
    assert b.tolist() == [7, 0, 1]


def test_places_hold_the_extremes() -> None:
    sample = np.linspace(0, 1, 100)
    real = LineStats(70_000, 0.5, 0.1, -9.0, 9.0, sample)
    found = places.places_of(real, real)
    assert found[0] == -9.0
    assert found[-1] == 9.0
    assert len(found) <= 4_098


def test_pairs_are_found_by_name() -> None:
    rng = np.random.default_rng(11)
    real = {"a": rng.normal(size=30), "b": rng.normal(size=30), "c": rng.normal(size=30)}
    found = grade_pairs(*coded(real, dict(reversed(real.items()))), seed=0, intervals=False).pairs
    assert [(p.first, p.second) for p in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert find(found, "c", "a").ratio == find(found, "a", "c").ratio
