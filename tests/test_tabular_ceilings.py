"""What fresh real rows get, and how far chance moves it: ceilings and intervals of scores of tables, by simulation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from table_pairs import coded, texts
from truegrade.density import Settings
from truegrade.density.spread import between, fresh_ratio
from truegrade.result.table import Aggregate, ColumnGrade, Measure
from truegrade.tables import Facts
from truegrade.tabular.columns.aggregates import aggregates
from truegrade.tabular.columns.categories import grade_tables
from truegrade.tabular.columns.draws import bounds
from truegrade.tabular.columns.lines import Sides, ceilings
from truegrade.tabular.columns.pairs import grade_columns_and_pairs, grade_pairs
from truegrade.tabular.columns.places import _range_ceiling, range_coverage
from truegrade.tabular.columns.unseen import law_of


def test_few_draws_give_intervals_that_hold() -> None:
    """Of six draws and the value, all normal with the same spread, 95 % hold the truth; 1.96 times would hold 89 %."""
    rng = np.random.default_rng(0)
    values, draws = rng.normal(0.5, 0.05, 4_000), rng.normal(0.4, 0.05, (4_000, 6))
    held = [low <= 0.5 <= high for low, high in map(bounds, values, draws)]  # type: ignore[operator]
    assert np.mean(held) == pytest.approx(0.95, abs=4 * np.sqrt(0.95 * 0.05 / 4_000))
    assert bounds(0.5, draws[0][:3]) == (None, None)


def test_intervals_stay_in_the_range_and_pass_over_what_is_undefined() -> None:
    draws = np.array([0.1, 0.9, np.nan, 0.5])
    assert between(0.9, draws, (0.0, 1.0)) == (0.0, 1.0)
    assert np.isnan(between(0.9, draws[1:3], (0.0, 1.0))).all()
    assert between(0.5, draws, (-9.0, 9.0)) == pytest.approx((0.5 - 4.3027 * 0.4, 0.5 + 4.3027 * 0.4), abs=1e-4)


@pytest.mark.parametrize(("share", "n", "m"), [(0.1, 500, 500), (0.2, 500, 900), (0.6, 500, 500)])
def test_ceilings_of_joint_tables_are_what_fresh_rows_get(share: float, n: int, m: int) -> None:
    """26 x 26 categories of a geometric law: most cells are rare, many in no row. Within 4 standard errors."""
    margin = share * (1 - share) ** np.arange(26)
    law = np.outer(margin, margin).ravel() / margin.sum() ** 2
    rng = np.random.default_rng(1)
    pairs = [grade_tables(rng.multinomial(n, law), rng.multinomial(m, law), rng, intervals=False) for _ in range(40)]
    for key in ("equidensity", "total_variation"):
        off = np.array([one[key].ceiling - one[key].value for one in pairs])  # type: ignore[operator]
        assert abs(off.mean()) < 4 * off.std(ddof=1) / np.sqrt(len(off))


def test_the_law_of_rare_cells_is_found_from_how_often_they_occur() -> None:
    """Good & Turing 1953: cells that no row has shown hold the share that single rows have; a cell with one row has
    twice the cells with two in parts of those with one to expect. The law is smoother than these, so about."""
    margin = 1.0 / np.arange(1, 2_001)
    counts = np.random.default_rng(2).multinomial(4_000, margin / margin.sum())
    one, two = (int((counts == k).sum()) for k in (1, 2))
    law = law_of(counts)
    assert law.unseen @ law.expected == pytest.approx(one, rel=0.05)
    found = law.expectations(np.append(np.ones(20_000, int), 70), np.random.default_rng(0))
    assert found[-1] == 70
    assert found[:-1].mean() == pytest.approx(2 * two / one, rel=0.1)
    shares = law.shares(np.random.default_rng(0))
    assert shares.sum() == pytest.approx(1.0)
    assert len(shares) == pytest.approx(2_000, rel=0.3)


def test_a_law_without_rare_cells_is_the_sample() -> None:
    law = law_of(np.array([600, 0, 400]))
    assert law.shares(np.random.default_rng(0)).tolist() == [0.6, 0.4]
    assert law.unseen.sum() == 0.0


@pytest.mark.parametrize("even", [True, False])
def test_ceilings_of_numbers_within_rare_categories_are_what_fresh_rows_get(even: bool) -> None:
    """100 categories in 400 rows: fresh rows have fewer than 3 of many, which count 0. Within 4 standard errors."""
    rng = np.random.default_rng(3)
    share = np.ones(100) if even else 1.0 / np.arange(1, 101)

    def rows() -> dict[str, Any]:
        codes = rng.choice(100, 400, p=share / share.sum())
        return {"x": rng.normal(size=400) + codes % 5, "c": texts(codes.tolist())}

    tables = [coded(rows(), rows(), {"c": "category"}) for _ in range(6)]
    found = [grade_pairs(*sides, seed=0, intervals=False).pairs[0].scores["eden_line"] for sides in tables]
    off = np.array([one.ceiling - one.value for one in found])  # type: ignore[operator]
    assert abs(off.mean()) < 4 * off.std(ddof=1) / np.sqrt(len(off))
    assert abs(off.mean()) < 0.025


def test_lines_of_three_values_on_all_sides_have_a_ceiling() -> None:
    step = np.eye(4, 60, 20, dtype=np.int64) * 16 + np.eye(4, 60, 30, dtype=np.int64) * 16
    real = Sides(step + np.eye(4, 60, 36, dtype=np.int64) * 16, np.full(4, 3), np.full(4, 40.0))
    for m in ([3, 3, 3, 3], [3, 4, 9, 40]):
        found = ceilings(real, np.array(m), Settings(), np.random.default_rng(0))
        assert ((found >= 0) & (found <= 1)).all()


@pytest.mark.parametrize("law", ["standard_cauchy", "standard_normal", "random"])
@pytest.mark.parametrize(("n", "m"), [(300, 300), (800, 200)])
def test_ceilings_of_ranges_are_what_fresh_rows_get(law: str, n: int, m: int) -> None:
    """Heavy tails, light tails, a law that ends; the extremes of a sample are no more than one sample of extremes."""
    rng = np.random.default_rng(4)
    off = []
    for _ in range(200):
        real, other = (np.sort(getattr(rng, law)(size)) for size in (n, m))
        places = np.unique(np.concatenate([real, other]))
        counts = np.zeros(2 * len(places) + 1, int)
        counts[2 * np.searchsorted(places, real) + 1] += 1
        value = range_coverage((real[0], real[-1]), (other[0], other[-1]))
        off.append(_range_ceiling((counts, counts), places, m, rng) - value)
    assert abs(np.mean(off)) < 4 * np.std(off, ddof=1) / np.sqrt(len(off)) + 0.0005


def test_means_of_ratios_say_what_fresh_rows_get_and_how_sure_they_are() -> None:
    facts = Facts(9, 0, 9, "number")

    def of(found: Measure, **more: Any) -> ColumnGrade:
        return ColumnGrade("a", "number", "", "ok", None, facts, facts, {"eden_line": found}, **more)

    known = [of(Measure(0.4, 0.2, 0.6, 0.8, fresh=0.9)), of(Measure(0.9, 0.3, 1.0, 0.6, fresh=0.7))]
    means = aggregates(known, [])
    narrower = 0.625**0.5  # two parts whose errors have the correlation 1/4
    low, high = 0.75 - narrower * 0.375, 0.75 + narrower * 0.125
    assert means["column_score"] == Aggregate(
        0.75, 2, 2, low=pytest.approx(low), high=pytest.approx(high), ceiling=pytest.approx(0.8)
    )
    low, high = 0.65 - narrower * 0.4, 0.65 + narrower * 0.15
    assert means["eden_line"] == Aggregate(
        pytest.approx(0.65), 2, 2, low=pytest.approx(low), high=pytest.approx(high), ceiling=pytest.approx(0.7)
    )
    lost = replace(of(Measure(None)), lacking=True)
    found = aggregates([*known, lost], [])["column_score"]
    assert (found.value, found.low, found.over) == (pytest.approx(0.5), pytest.approx(0.5 - narrower * 0.25), 3)
    assert found.ceiling == pytest.approx(0.8)
    bare = aggregates([*known, of(Measure(0.5, ceiling=0.5))], [])["column_score"]
    assert (bare.low, bare.high, bare.ceiling, bare.over) == (None, None, None, 3)


def test_what_fresh_rows_get_in_parts_of_a_ceiling() -> None:
    rng = np.random.default_rng(6)
    scores = rng.normal(0.5, 0.05, 200_000)
    assert fresh_ratio(scores) == pytest.approx(np.minimum(scores / 0.5, 1).mean(), abs=1e-3)
    assert fresh_ratio(scores[:1]) is None
    assert fresh_ratio(np.zeros(5)) is None


def test_fresh_rows_get_the_mean_ratio_that_stands_beside_it() -> None:
    rng = np.random.default_rng(7)

    def rows() -> dict[str, Any]:
        c = rng.choice(4, 300)
        return {"x": rng.normal(size=300) + c, "y": rng.gamma(2, 1, 300), "c": texts(c.tolist())}

    found = []
    for _ in range(4):
        columns, pairs, _ = grade_columns_and_pairs(*coded(rows(), rows(), {"c": "category"}), seed=0)
        found += [aggregates(columns, pairs)[key] for key in ("column_score", "eden_ratio")]
    assert np.mean([one.value - one.ceiling for one in found]) == pytest.approx(0.0, abs=0.05)
    assert all(one.low < one.value <= one.high for one in found)
    assert all(one.low < one.ceiling < 1 for one in found)
