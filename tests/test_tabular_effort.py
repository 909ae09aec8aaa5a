"""How much work a pair of numbers is: densities and their cells are counted, nothing is timed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from table_pairs import coded
from truegrade.density import Settings, frame_of, side_stats, smoothing
from truegrade.density.frame import DRAWN, Frame
from truegrade.density.resample import Points, ceilings, redrawn
from truegrade.tabular.columns.draws import effort
from truegrade.tabular.columns.pairs import grade_pairs

_EDEN = ("eden_score",)


def _two(n: int) -> tuple[dict[str, Any], dict[str, Any]]:
    rng = np.random.default_rng(n)
    real, synthetic = rng.normal(size=(n, 2)), rng.normal(size=(n, 2)) @ np.array([[1.0, 0.6], [0.0, 0.8]])
    return {"a": real[:, 0], "b": np.exp(real[:, 1])}, {"a": synthetic[:, 0], "b": np.exp(synthetic[:, 1])}


@pytest.mark.parametrize("n", [284, 2500])
def test_all_but_the_value_and_the_picture_is_on_wider_cells(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    levels = smoothing.iso_mass

    def counted(values: Any, settings: Any) -> Any:
        made.append(values.size)
        return levels(values, settings)

    monkeypatch.setattr(smoothing, "iso_mass", counted)
    found = grade_pairs(*coded(*_two(n)), seed=0)
    work = effort(n, n, True)
    whole, drawn = [size for size in made if size >= 256**2], [size for size in made if size < 256**2]
    assert [pair.status for pair in found.pairs] == ["ok"]
    assert len(whole) == 2 + 2 * len(found.pictures)
    assert len(drawn) == 3 * 2 * work.ceiling + 2 * work.interval
    assert max(drawn) < min(whole) / 2.5


def test_wider_cells_move_ceilings_and_spreads_by_little() -> None:
    """Over 12 pairs: one ceiling moves by .004 to .008 either way, which is why a single pair says nothing."""
    rng = np.random.default_rng(0)
    change, ratios = [], []
    laws: Any = (rng.standard_normal, rng.random, lambda size: rng.gamma(2.0, size=size))
    for law in laws * 4:
        real, synthetic = law((250, 2)), law((250, 2))
        sides = side_stats(real), side_stats(synthetic)
        fine = frame_of(*sides)
        assert isinstance(fine, Frame)
        wide = fine.for_draws(*sides, Settings())
        assert min(wide.kernel(side, Settings()).min() for side in sides) >= DRAWN * 0.99
        ceiling, spread = zip(*(_drawn(real, synthetic, frame) for frame in (fine, wide)), strict=True)
        change.append(ceiling[1] - ceiling[0])
        ratios.append(spread[1] / spread[0])
    assert abs(np.mean(change)) < 0.005
    assert np.abs(change).max() < 0.02
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.1)


def _drawn(real: Any, synthetic: Any, frame: Frame) -> tuple[float, float]:
    """Eden's ceiling and the spread of draws, from the same rows on any frame."""
    laws, settings = (Points(real, frame), Points(synthetic, frame)), Settings()
    ways: Any = {"seed": 1, "scores": _EDEN}
    ideal = ceilings(laws[0], len(synthetic), frame, settings, repeats=6, **ways).values["eden_score"]
    return float(ideal.mean()), float(redrawn(*laws, frame, settings, repeats=8, **ways)["eden_score"].std(ddof=1))
