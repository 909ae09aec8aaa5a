"""What fresh real rows get, and how far chance moves it: ceilings and intervals of scores of tables, by simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from table_pairs import coded, texts
from truegrade.density import Settings
from truegrade.density.spread import between
from truegrade.tabular.categories import grade_tables
from truegrade.tabular.draws import bounds
from truegrade.tabular.lines import Sides, ceilings
from truegrade.tabular.pairs import grade_pairs
from truegrade.tabular.places import _range_ceiling, range_coverage
from truegrade.tabular.unseen import law_of


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


@pytest.mark.parametrize(("share", "n", "m"), [(0.1, 500, 500), (0.2, 500, 500), (0.2, 2_000, 2_000), (0.6, 500, 900)])
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
    """200 categories in 800 rows: fresh rows have fewer than 3 of many, which count 0. Within 4 standard errors."""
    rng = np.random.default_rng(3)
    share = np.ones(200) if even else 1.0 / np.arange(1, 201)

    def rows() -> dict[str, Any]:
        codes = rng.choice(200, 800, p=share / share.sum())
        return {"x": rng.normal(size=800) + codes % 5, "c": texts(codes.tolist())}

    tables = [coded(rows(), rows(), {"c": "category"}) for _ in range(6)]
    found = [grade_pairs(*sides, seed=0, intervals=False).pairs[0].scores["eden_line"] for sides in tables]
    off = np.array([one.ceiling - one.value for one in found])  # type: ignore[operator]
    assert abs(off.mean()) < 4 * off.std(ddof=1) / np.sqrt(len(off))
    assert abs(off.mean()) < 0.02


def test_lines_of_three_values_on_all_sides_have_a_ceiling() -> None:
    step = np.eye(4, 60, 20, dtype=np.int64) * 16 + np.eye(4, 60, 30, dtype=np.int64) * 16
    real = Sides(step + np.eye(4, 60, 36, dtype=np.int64) * 16, np.full(4, 3), np.full(4, 40.0))
    for m in ([3, 3, 3, 3], [3, 4, 9, 40]):
        found = ceilings(real, np.array(m), Settings(), np.random.default_rng(0))
        assert ((found >= 0) & (found <= 1)).all()


@pytest.mark.parametrize("law", ["standard_cauchy", "standard_normal", "random"])
@pytest.mark.parametrize(("n", "m"), [(300, 300), (800, 200), (200, 800)])
def test_ceilings_of_ranges_are_what_fresh_rows_get(law: str, n: int, m: int) -> None:
    """Heavy tails, light tails, a law that ends; the extremes of a sample are no more than one sample of extremes."""
    rng = np.random.default_rng(4)
    off = []
    for _ in range(300):
        real, other = (np.sort(getattr(rng, law)(size)) for size in (n, m))
        places = np.unique(np.concatenate([real, other]))
        counts = np.zeros(2 * len(places) + 1, int)
        counts[2 * np.searchsorted(places, real) + 1] += 1
        value = range_coverage((real[0], real[-1]), (other[0], other[-1]))
        off.append(_range_ceiling((counts, counts), places, m, rng) - value)
    assert abs(np.mean(off)) < 4 * np.std(off, ddof=1) / np.sqrt(len(off)) + 0.0005
