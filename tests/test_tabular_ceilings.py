"""What fresh real rows get, and how far chance moves it: ceilings and intervals of scores of tables, by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from truegrade.density.spread import between
from truegrade.tabular.draws import bounds


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
