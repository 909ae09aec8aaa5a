"""All columns and pairs of two tables: CASES T1-T3, T5, T9, T11-T14, T16, streaming, order, means, inflation."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from table_pairs import coded, column, find, ring, texts
from truegrade import cores
from truegrade.density import SCORES, Settings, grade_pair, side_stats
from truegrade.load.mixed import load_table
from truegrade.metrics.earth_movers import earth_movers
from truegrade.result.table import Aggregate, ColumnGrade, Measure, PairGrade, TableGrades
from truegrade.tables import Coded, Facts, code, describe
from truegrade.tabular.columns import pairs as all_pairs
from truegrade.tabular.columns import passes
from truegrade.tabular.columns.aggregates import aggregates
from truegrade.tabular.columns.inflation import inflated
from truegrade.tabular.columns.outliers import with_inside
from truegrade.tabular.columns.pairs import grade_columns, grade_columns_and_pairs, grade_pairs
from truegrade.tabular.columns.pictures import CELLS
from truegrade.tabular.verdict import verdict


def columns_of(n: int, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = np.where(rng.random(n) < 0.1, np.nan, a + rng.gamma(2, 1, n))
    labels = texts(rng.choice(list("xyz"), n))
    labels[:5] = None
    return {"a": a, "b": b, "c": labels, "flag": a + rng.normal(size=n) > 0, "few": rng.integers(0, 3, n)}


@pytest.fixture(scope="module")
def graded() -> tuple[tuple[Coded, Coded], Any]:
    sides = coded(columns_of(300, 0), columns_of(200, 1))
    return sides, grade_columns_and_pairs(*sides, seed=3)


def test_equal_tables_are_1_everywhere() -> None:
    table = columns_of(250, 0)
    columns, pairs, _ = grade_columns_and_pairs(*coded(table, table), seed=0, intervals=False)
    assert [c.status for c in columns] == ["ok"] * 5
    scores = [(key, m.value) for one in (*columns, *pairs) for key, m in one.scores.items()]
    values = [value for key, value in scores if key != "jaccard_score"]  # which leaves out thin places of either
    assert values == pytest.approx([1.0] * len(values), abs=1e-6)
    means = aggregates(columns, pairs)
    for key, count in (("column_score", 5), ("eden_ratio", 10)):
        assert (means[key].value, means[key].over, means[key].of) == (1.0, count, count)
        assert 0.7 < means[key].ceiling < 1


def test_pairs_of_numbers_are_those_of_the_points(graded: Any) -> None:
    (real, synthetic), (_, pairs, _) = graded
    rows = [np.column_stack(list(next(side.blocks(["a", "b"])).values())) for side in (real, synthetic)]
    known = [points[~np.isnan(points).any(axis=1)] for points in rows]
    expected = grade_pair(*known).values
    pair = find(pairs, "a", "b")
    assert (pair.n_real, pair.n_synthetic) == (len(known[0]), len(known[1]))
    assert {k: pair.scores[k].value for k in expected} == pytest.approx(dict(expected), abs=1e-6)
    assert set(pair.scores) == set(SCORES)
    assert all(m.ceiling is not None for m in pair.scores.values())


def test_forms_and_intervals(graded: Any) -> None:
    _, (_, pairs, _) = graded
    assert {(p.first, p.second): p.form for p in pairs} == {
        ("a", "b"): "numbers",
        **dict.fromkeys([("a", "c"), ("a", "flag"), ("a", "few"), ("b", "c"), ("b", "flag"), ("b", "few")], "mixed"),
        **dict.fromkeys([("c", "flag"), ("c", "few"), ("flag", "few")], "categories"),
    }
    for pair in pairs:
        main = pair.scores[pair.main]
        assert main.low <= main.value <= main.high
        assert 0 < main.ceiling <= 1


def test_parts_are_the_whole(graded: Any) -> None:
    sides, (columns, pairs, pictures) = graded
    assert grade_columns(*sides, seed=3) == columns
    assert grade_pairs(*sides, seed=3) == (pairs, pictures)


def test_the_synthetic_order_of_columns_has_no_effect(graded: Any) -> None:
    table = columns_of(200, 1)
    turned = coded(columns_of(300, 0), {name: table[name] for name in reversed(table)} | {"more": table["a"]})
    assert grade_columns_and_pairs(*turned, seed=3) == graded[1]


def test_the_real_order_of_columns_changes_no_more_than_the_names() -> None:
    real, synthetic = columns_of(300, 0), columns_of(200, 1)
    turned = coded(dict(reversed(real.items())), synthetic)
    straight = grade_pairs(*coded(real, synthetic), seed=3, intervals=False).pairs
    for pair in grade_pairs(*turned, seed=3, intervals=False).pairs:
        other = find(straight, pair.first, pair.second)
        assert (pair.first, pair.second) == (other.second, other.first)
        assert pair.scores[pair.main].value == pytest.approx(other.scores[pair.main].value, abs=5e-3)


@pytest.mark.parametrize("rows", [977])
def test_files_in_pieces_give_the_same(rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the last digit: from files with other row groups, and from frames in memory."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    frames = [pa.table({k: columns_of(n, seed)[k] for k in "abc"}) for seed, n in enumerate((17_000, 16_500))]
    expected = _graded(*frames)
    for seed, frame in enumerate(frames):
        pq.write_table(frame, tmp_path / f"{seed}.parquet", row_group_size=rows)
    monkeypatch.setattr(sys.modules["truegrade.load.mixed"], "_KEPT", 1)
    monkeypatch.setattr(passes, "KEPT", 0)
    assert _graded(tmp_path / "0.parquet", tmp_path / "1.parquet") == expected


def _graded(*sources: Any) -> Any:
    real, synthetic = (load_table(source, name="t") for source in sources)
    schema = describe(real)
    return grade_columns_and_pairs(code(real, schema), code(synthetic, schema), seed=0, intervals=False)


def test_neither_threads_nor_groups_of_pairs_change_a_digit(graded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sides, expected = graded
    for threads, budget in ((1, 10**9), (5, 1)):
        for module in (passes, all_pairs):
            monkeypatch.setattr(module, "usable_cores", lambda threads=threads: threads)
        monkeypatch.setattr(all_pairs, "BUDGET", budget)
        assert grade_columns_and_pairs(*sides, seed=3) == expected
    assert cores.usable_cores() >= 1


def test_two_passes_unless_the_counts_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    real, synthetic = ({f"x{i}": rng.normal(size=50) for i in range(3)} for _ in range(2))
    sides, seen = coded(real, synthetic), []
    read = Coded.blocks
    monkeypatch.setattr(Coded, "blocks", lambda self, names: seen.append(len(names)) or read(self, names))
    grade_columns_and_pairs(*sides, seed=0, intervals=False)
    assert seen == [3] * 4
    seen.clear()
    monkeypatch.setattr(all_pairs, "BUDGET", 2 * 4 * 256 * 256)  # columns, then a pair at a time
    grade_columns_and_pairs(*sides, seed=0, intervals=False)
    assert len(seen) == 2 * 5


def test_progress_counts_columns_and_pairs(graded: Any) -> None:
    seen: list[tuple[int, int, str]] = []
    grade_columns_and_pairs(*graded[0], seed=3, intervals=False, progress=lambda *step: seen.append(step))
    assert seen == [(i + 1, 15, "columns and pairs") for i in range(15)]


def test_t1_constant_columns() -> None:
    rng = np.random.default_rng(0)
    real = {"x": rng.normal(size=50), "y": rng.normal(size=50), "k": np.full(50, 2.0), "c": texts("ab" * 25)}
    synthetic = {"x": rng.normal(size=50), "y": np.full(50, 0.1), "k": rng.normal(size=50), "c": texts("a" * 50)}
    columns, pairs, _ = grade_columns_and_pairs(*coded(real, synthetic), seed=0, intervals=False)
    assert {c.name: (c.status, c.lacking) for c in columns} == {
        "x": ("ok", False),
        "y": ("constant", True),
        "k": ("constant", False),
        "c": ("ok", False),
    }
    assert column(columns, "c").scores["total_variation"].value == pytest.approx(0.5)
    for pair in pairs:
        assert (pair.status, pair.ratio) == ("constant", None)
        assert "is constant" in pair.reason
        assert pair.lacking == ("k" not in (pair.first, pair.second))
    assert "'y'" in find(pairs, "x", "y").reason
    means = aggregates(columns, pairs)
    assert (means["eden_ratio"].value, means["eden_ratio"].over, means["eden_ratio"].of) == (0.0, 3, 6)


def test_t2_t3_missing_columns() -> None:
    rng = np.random.default_rng(0)
    none = np.full(40, np.nan)
    real = {"x": rng.normal(size=40), "both": none, "real": none, "synthetic": rng.normal(size=40)}
    real["c"] = texts(["A", "A", "B", None] * 10)
    synthetic = {"x": rng.normal(size=40), "both": none, "real": rng.normal(size=40), "synthetic": none}
    synthetic["c"] = texts([None] * 40)
    columns, pairs, _ = grade_columns_and_pairs(*coded(real, synthetic), seed=0, intervals=False)
    states = {c.name: (c.status, c.lacking, c.scores["missing_share"].value) for c in columns}
    assert states["both"] == ("missing", False, 1.0)
    assert states["real"] == ("missing", False, 0.0)
    assert states["synthetic"] == ("missing", True, 0.0)
    assert states["c"] == ("missing", True, 0.25)
    assert all(p.status == "missing" and p.ratio is None for p in pairs)
    assert column(columns, "c").ratio is None


def test_t5_an_absent_column_counts_0_with_all_its_pairs() -> None:
    real, synthetic = columns_of(100, 0), columns_of(100, 0)
    del synthetic["b"]
    columns, pairs, _ = grade_columns_and_pairs(*coded(real, synthetic), seed=0, intervals=False)
    assert column(columns, "b").status == "absent"
    assert column(columns, "b").synthetic is None
    assert sum(p.status == "absent" for p in pairs) == 4
    means = aggregates(columns, pairs)
    assert means["column_score"].value == pytest.approx(4 / 5)
    assert means["eden_ratio"].value == pytest.approx(6 / 10)
    assert means["correlation_score"] == Aggregate(0.0, 1, 1)


def test_t9_identifiers_and_texts_are_in_no_pair() -> None:
    real = {**columns_of(100, 0), "id": texts(f"customer {i}" for i in range(100))}
    columns, pairs, _ = grade_columns_and_pairs(*coded(real, real), seed=0, intervals=False)
    found = column(columns, "id")
    assert (found.status, found.lacking) == ("identifier", False)
    assert len(pairs) == 10
    mean = aggregates(columns, pairs)["column_score"]
    assert (mean.value, mean.over, mean.of) == (1.0, 5, 6)


def test_t11_few_values_are_categories() -> None:
    columns, pairs, _ = grade_columns_and_pairs(*coded(columns_of(60, 0), columns_of(60, 1)), seed=0, intervals=False)
    assert set(column(columns, "few").scores) == {"total_variation", "category_coverage", "missing_share"}
    assert set(find(pairs, "few", "flag").scores) == {"total_variation", "equidensity"}


def test_t12_a_line_that_the_synthetic_table_lost_counts_0() -> None:
    """y = 2x in the real table: off it or on another line counts 0, on it the places along it are compared."""
    rng = np.random.default_rng(0)
    x, z, fresh = rng.normal(size=400), rng.normal(size=400), rng.normal(size=400)
    real = {"x": x, "y": 2 * x, "z": z}
    for lost in (rng.permutation(x), x + 0.01 * z, 2 * x + 1e-2, -x, x):
        pairs = grade_pairs(*coded(real, {"x": x, "y": 2 * lost, "z": z}), seed=0, intervals=False).pairs
        line = find(pairs, "x", "y")
        on = lost is x
        assert (line.status, line.lacking, line.ratio is None) == ("collinear", not on, not on)
        assert ("the same one" if on else "the synthetic rows lie") in line.reason
        if not on:
            assert aggregates([], pairs)["eden_ratio"].value < 0.7  # a mean of 3
    found = find(grade_pairs(*coded(real, {"x": fresh, "y": 2 * fresh, "z": z}), seed=0).pairs, "x", "y")
    column = grade_columns(*coded({"x": x}, {"x": fresh}), seed=0)[0]
    along, alone = found.scores["eden_line"], column.scores["eden_line"]
    assert along.value == pytest.approx(alone.value, abs=1e-3)
    assert along.ceiling == pytest.approx(alone.ceiling, abs=0.2)  # other draws, and few
    assert along.low < along.value < along.high
    assert found.scores["correlation_score"].value == pytest.approx(1.0)
    half = find(grade_pairs(*coded(real, {"x": abs(x), "y": 2 * abs(x), "z": z}), seed=0).pairs, "x", "y")
    assert half.ratio < 0.7 < found.ratio


def test_t12_collinear_and_tiny_tables() -> None:
    x, z = np.arange(50.0), np.random.default_rng(0).normal(size=50)
    made = find(grade_pairs(*coded({"x": x, "y": z}, {"x": x, "y": 2 * x}), seed=0).pairs, "x", "y")
    assert (made.status, made.lacking) == ("collinear", True)
    columns, pairs, _ = grade_columns_and_pairs(*coded({"x": x, "y": z}, {"x": [1.0], "y": [2.0]}), seed=0)
    assert {one.status for one in (*columns, *pairs)} == {"degenerate"}
    assert all(one.ratio is None for one in (*columns, *pairs))


def test_t13_a_ring_against_its_shuffled_columns_is_inflated() -> None:
    x, y = ring(2_000, 0)
    synthetic = {"x": np.random.default_rng(1).permutation(x), "y": y}
    columns, pairs, pictures = grade_columns_and_pairs(*coded({"x": x, "y": y}, synthetic), seed=0, intervals=False)
    assert pairs[0].scores["correlation_score"].value > 0.95
    assert pairs[0].ratio < 0.45
    assert [(i.first, i.second, i.eden_ratio) for i in inflated(pairs)] == [("x", "y", pairs[0].ratio)]
    assert column(columns, "x").scores["ks"].value == 1.0
    assert [p.why for p in pictures] == ["worst"]
    assert pictures[0].real.shape == (CELLS, CELLS)
    middle = slice(CELLS // 2 - 3, CELLS // 2 + 3)
    assert pictures[0].real[middle, middle].max() < 60 < pictures[0].synthetic.max()


def test_the_earth_movers_score_beyond_exact_ones() -> None:
    """In blocks: rows outside the grid count, and what blocks take off a score they take off its ceiling too."""
    p, q = np.random.default_rng(0).normal(size=(2, 3_000, 2))
    q[:2] = 1_000.0
    sides = [{"x": points[:, 0], "y": points[:, 1]} for points in (p, q)]
    found = grade_pairs(*coded(*sides), seed=0, intervals=False).pairs[0].scores["earth_movers_score"]
    assert found.value == pytest.approx(earth_movers(p, q).score, abs=0.01)
    assert 0.8 < found.ceiling < 0.95
    ratios = []
    for n in (390, 430):  # exact, and in blocks
        p, q = np.random.default_rng(n).normal(size=(2, n, 2))
        sides = [{"x": points[:, 0], "y": points[:, 1]} for points in (p, q)]
        one = grade_pairs(*coded(*sides), seed=0, intervals=False).pairs[0].scores["earth_movers_score"]
        assert one.value == pytest.approx(earth_movers(p, q).score, abs=0.0 if n < 400 else 0.03)
        ratios.append(one.ratio)
    assert ratios == pytest.approx([1.0, 1.0], abs=0.1)


def test_ceilings_do_not_depend_on_the_synthetic_table() -> None:
    p, q = np.random.default_rng(0).normal(size=(2, 500, 2))
    real = {"x": p[:, 0], "y": p[:, 1]}
    found = [
        grade_pairs(*coded(real, {"x": s * q[:, 0], "y": s * q[:, 1]}), seed=0, intervals=False).pairs[0].scores
        for s in (1, 10, 100)
    ]
    for key in SCORES:
        assert len({scores[key].ceiling for scores in found}) == 1


def _near_a_line(n: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    x = rng.gamma(4, 1, n)
    return x, x + 0.05 * rng.normal(size=n)


def test_a_few_outlying_rows_accuse_nobody() -> None:
    """Two sets of one law, one wrong value in one of them: its kernel is wide, the rest is right. Other rows that are
    wrong are still found."""
    (x, y), (u, v) = _near_a_line(3_000, 0), _near_a_line(3_000, 1)
    v[0] = 40.0
    pair = grade_pairs(*coded({"x": x, "y": y}, {"x": u, "y": v}), seed=0, intervals=False).pairs[0]
    assert pair.scores["correlation_score"].value > 0.95
    assert pair.ratio < 0.6 < 0.85 < pair.inside.ratio
    assert pair.spared
    assert "outlying rows" in pair.reason
    assert inflated([pair]) == ()
    table = TableGrades((), (pair,), aggregates=aggregates((), [pair]))
    assert verdict(table)[-1].startswith("A few outlying rows decide the Eden score of 1 pair")
    assert not any("far from" in words for words in verdict(table))
    turned = u + 0.15 * np.abs(np.random.default_rng(2).normal(size=3_000)) * np.sign(np.sin(4 * u))
    turned[0] = 40.0
    wrong = grade_pairs(*coded({"x": x, "y": y}, {"x": u, "y": turned}), seed=0, intervals=False).pairs[0]
    assert wrong.inside.ratio < 0.6
    assert not wrong.spared
    assert len(inflated([wrong])) == 1
    nothing = replace(pair, scores={"eden_score": Measure(0.4, ceiling=0.0)}, inside=None, reason=None)
    sides = side_stats(np.column_stack([x, y])), side_stats(np.column_stack([u, v]))
    assert with_inside(nothing, lambda every: sides, Settings(), 0).spared
    turned[0] = 4.0
    clean = grade_pairs(*coded({"x": x, "y": y}, {"x": u, "y": turned}), seed=0, intervals=False).pairs[0]
    assert clean.inside is None
    assert len(inflated([clean])) == 1


def test_t14_another_scale() -> None:
    rng = np.random.default_rng(0)
    real = {"x": rng.normal(size=300), "y": rng.normal(size=300)}
    columns, pairs, _ = grade_columns_and_pairs(
        *coded(real, {name: 1000 * values + 5_000_000 for name, values in real.items()}), seed=0, intervals=False
    )
    assert pairs[0].scores["eden_score"].value < 0.01
    assert column(columns, "x").scores["ks"].value == 0.0
    assert column(columns, "x").scores["range_coverage"].value == 0.0


def test_t16_categories_alone_and_five_rows() -> None:
    rng = np.random.default_rng(0)
    names = [f"c{i}" for i in range(10)]
    real, synthetic = ({name: texts(rng.choice(list("ab"), 5)) for name in names} for _ in range(2))
    columns, pairs, _ = grade_columns_and_pairs(*coded(real, synthetic, dict.fromkeys(names, "category")), seed=0)
    assert len(columns) == 10
    assert len(pairs) == 45
    assert any(p.status == "ok" for p in pairs)
    numbers = ({f"x{i}": rng.normal(size=5) for i in range(3)} for _ in range(2))
    assert {p.status for p in grade_pairs(*coded(*numbers), seed=0, intervals=False).pairs} == {"ok"}


def _pair(correlation: float, eden: float, ceiling: float, names: tuple[str, str], **more: Any) -> PairGrade:
    scores = {"correlation_score": Measure(correlation), "eden_score": Measure(eden, ceiling=ceiling)}
    return PairGrade(*names, "numbers", "ok", None, 9, 9, scores, **more)


def test_inflation_is_worst_first_and_strict() -> None:
    pairs = [
        _pair(0.96, 0.30, 0.8, ("a", "b")),
        _pair(0.99, 0.10, 0.8, ("a", "c")),
        _pair(0.95, 0.10, 0.8, ("a", "d")),
        _pair(0.99, 0.48, 0.8, ("b", "c")),
        PairGrade("b", "d", "numbers", "constant", "why", 9, 9),
    ]
    found = inflated(pairs)
    assert [(i.first, i.second) for i in found] == [("a", "c"), ("a", "b")]
    assert found[0].eden_ratio == pytest.approx(0.125)


def test_means_say_over_how_many() -> None:
    facts = Facts(9, 0, 9, "number")
    ok = ColumnGrade("a", "number", "", "ok", None, facts, facts, {"eden_line": Measure(0.4, ceiling=0.8)})
    high = ColumnGrade("b", "number", "", "ok", None, facts, facts, {"eden_line": Measure(0.9, ceiling=0.6)})
    out = ColumnGrade("c", "text", "", "text", "", facts, facts)
    gone = ColumnGrade("d", "category", "", "absent", "", facts, None, lacking=True)
    pairs = [
        _pair(0.9, 0.4, 0.8, ("a", "b")),
        PairGrade("a", "x", "numbers", "constant", "", 9, 9),
        PairGrade("a", "d", "mixed", "absent", "", 9, 0, lacking=True),
    ]
    means = aggregates([ok, high, out, gone], pairs)
    assert (means["column_score"].value, means["column_score"].over, means["column_score"].of) == (0.5, 3, 4)
    assert means["eden_line"] == Aggregate(pytest.approx(0.65), 2, 2, ceiling=pytest.approx(0.7))
    assert (means["total_variation"].value, means["total_variation"].over) == (0.0, 1)
    assert means["eden_ratio"].value == pytest.approx(0.25)
    assert (means["eden_ratio"].over, means["eden_ratio"].of) == (2, 3)
    assert (means["correlation_score"].value, means["correlation_score"].over, means["correlation_score"].of) == (
        0.9,
        1,
        2,
    )
    assert "equidensity" not in means
