"""When copies are more than chance: perfect generators raise no alarm, whatever the law; planted copies do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.stats import binomtest

from truegrade.tabular.rows.chance import FreshRows, beyond_chance
from truegrade.tabular.rows.copies import Fingerprints, repeated
from truegrade.tabular.rows.privacy import privacy, privacy_notices
from whole_rows import drawn

RUNS = 1_000


def prints(cells: NDArray[np.int64]) -> Fingerprints:
    return Fingerprints(cells.astype(np.uint64), cells.astype(np.uint64))


def alarm(real: NDArray[Any], synthetic: NDArray[Any], holdout: NDArray[Any] | None) -> bool:
    count = int(np.isin(synthetic, real).sum())
    if holdout is None:
        return beyond_chance(count, len(synthetic), FreshRows.left_out(prints(real)))
    return beyond_chance(count, len(synthetic), FreshRows(int(np.isin(holdout, real).sum()), len(holdout)))


def uniform(cells: int) -> NDArray[np.float64]:
    return np.full(cells, 1 / cells)


def unequal(cells: int) -> NDArray[np.float64]:
    shares = 1.0 / np.arange(1, cells + 1)
    return shares / shares.sum()


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize(
    "law", [uniform(50), uniform(1_000), uniform(100_000), uniform(1_000_000), unequal(3_000)], ids=len
)
def test_a_perfect_generator_raises_no_alarm(law: NDArray[np.float64], held: bool) -> None:
    """Real, synthetic and held-out rows of one law: fewer than 1 alarm in 100."""
    rng = np.random.default_rng(len(law))
    edges = np.cumsum(law)
    edges[-1] = 1.0
    draws = np.searchsorted(edges, rng.random((RUNS, 3, 500)), side="right")
    alarms = sum(alarm(real, synthetic, fresh if held else None) for real, synthetic, fresh in draws)
    assert alarms < RUNS / 100


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("cells", [20_000, 10_000_000])
def test_many_planted_copies_raise_one(cells: int, held: bool) -> None:
    rng = np.random.default_rng(cells)
    found = 0
    for _ in range(50):
        real, synthetic, fresh = rng.integers(0, cells, (3, 500))
        synthetic[:60] = rng.choice(real, 60)
        found += alarm(real, synthetic, fresh if held else None)
    assert found == 50


def test_rows_left_out_in_turn_are_worth_fewer_where_they_are_equal() -> None:
    """Pairs come in twos: each counts half."""
    pairs = np.array([*range(90), *range(5), *range(200, 205)])
    found = FreshRows.left_out(prints(pairs))
    assert (found.equal, found.rows) == (repeated(prints(pairs)), 100) == (10, 100)
    assert found.worth == pytest.approx(1 + 2 * 5 * 100 / (10 * 90))
    assert FreshRows.left_out(prints(np.arange(50))).worth == 2.0


def test_the_chance_is_that_of_a_comparison_of_two_counts() -> None:
    """With no fresh copies and few of them the conditional law is binomial."""
    fresh = FreshRows(0, 1_000_000)
    limit = next(count for count in range(1, 60) if beyond_chance(count, 1_000_000, fresh))
    assert binomtest(limit, limit, 0.5, alternative="greater").pvalue < 0.005
    assert binomtest(limit - 1, limit - 1, 0.5, alternative="greater").pvalue >= 0.005


@pytest.mark.parametrize("rows", [60, 300])
def test_one_in_twenty_copies_among_continuous_rows_is_always_found(rows: int) -> None:
    for seed in range(4):
        real, made = (pd.DataFrame(np.random.default_rng([seed, i]).normal(size=(rows, 3))) for i in (0, 1))
        real.columns = made.columns = list("abc")
        made.iloc[: rows // 20] = real.iloc[5 : 5 + rows // 20].to_numpy()
        found = privacy(*drawn(real, made))
        assert found.many_copies
        assert "table_copies" in [note.code for note in privacy_notices(found)]


@pytest.mark.parametrize("digits", [1, 2])
def test_a_few_equal_rows_of_rounded_numbers_are_no_alarm(digits: int) -> None:
    real, made = (pd.DataFrame(np.random.default_rng(i).normal(size=(200, 3)).round(digits)) for i in (0, 1))
    real.columns = made.columns = list("abc")
    made.iloc[:3] = real.iloc[:3].to_numpy()
    found = privacy(*drawn(real, made))
    assert (found.measures["exact_copies"].value or 0.0) >= 3 / 200
    assert not found.many_copies
    assert privacy_notices(found) == ()
