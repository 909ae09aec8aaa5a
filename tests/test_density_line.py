"""Eden on a line: exact kernels, what has no density, pieces, curves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d

from oracles import density as oracle
from truegrade.density import LineFrame, Settings, grade_line, line_curves, line_eden, line_frame, line_stats

RNG = np.random.default_rng(0)
COLUMNS: dict[str, tuple[Any, Any]] = {
    "normal": (RNG.normal(size=200), 1.3 * RNG.normal(size=150) + 0.2),
    "two heaps": (np.r_[RNG.normal(size=100), RNG.normal(9, 0.5, 80)], RNG.normal(4, 4, size=180)),
    "skewed": (RNG.exponential(size=300), np.abs(RNG.normal(size=300))),
    "few values": (RNG.integers(0, 7, 250).astype(float), RNG.integers(0, 9, 250).astype(float)),
}


@pytest.mark.parametrize(("name", "levels"), [*((name, 5) for name in COLUMNS), ("two heaps", 9)])
def test_equals_exact_kernels(name: str, levels: int) -> None:
    x, y = COLUMNS[name]
    found = line_eden(x, y, Settings(levels=levels))
    assert found == pytest.approx(oracle.line_eden(x, y, levels), abs=0.003)
    assert line_eden(y, x, Settings(levels=levels)) == found
    assert line_eden(3e6 * x - 1e7, 3e6 * y - 1e7, Settings(levels=levels)) == pytest.approx(found, abs=0.003)


def test_identical_far_and_shared() -> None:
    x = RNG.normal(size=500)
    assert line_eden(x, x[::-1]) == 1.0
    assert line_eden(x, 1000 * x + 5e6) == pytest.approx(0.0, abs=0.001)
    law = [np.r_[RNG.normal(size=n // 2), RNG.normal(9, 1, n // 2)] for n in (1000, 20_000)]
    own, one = (line_eden(*law, Settings(bandwidth=kind)) for kind in ("own", "shared"))
    assert own + 0.2 < one < 1.0  # the larger set is smoothed like the smaller one


def test_heavy_tails_are_cut() -> None:
    """Against 65,536 cells over the whole range."""
    x, y = np.random.default_rng(1).standard_t(2.5, size=(2, 100_000)) * np.array([[1.0], [1.1]])
    frame = line_frame(line_stats(x), line_stats(y))
    assert isinstance(frame, LineFrame)
    assert frame.cut
    low, high, cells = min(x.min(), y.min()) - 1, max(x.max(), y.max()) + 1, 2**16
    drawn = []
    for values in (x, y):
        counts = np.histogram(values, cells, (low, high))[0] / 1e5
        drawn.append(gaussian_filter1d(counts, values.std(ddof=1) * 1e5**-0.2 * cells / (high - low), truncate=8))
    assert line_eden(x, y) == pytest.approx(oracle.eden(*drawn), abs=0.003)


@pytest.mark.parametrize(
    ("x", "y", "said"),
    [
        ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], "is 1 in every real row"),
        ([1.0, 2.0, 3.0], [0.0, 0.0, 0.0], "is 0 in every synthetic row"),
        ([1.0, 2.0], [1.0, 2.0, 3.0], "2 real"),
        ([1.0, 2.0, 3.0], [], "0 synthetic"),
        ([1e-200, 2e-200, 3e-200], [1.0, 2.0, 3.0], "too little"),
        ([1e200, 2e200, 3e200], [1.0, 2.0, 3.0], "too widely"),
    ],
)
def test_what_has_no_density_says_why(x: list[float], y: list[float], said: str) -> None:
    found = line_eden(np.array(x), np.array(y))
    assert isinstance(found, str)
    assert said in found


def test_pieces_and_curves() -> None:
    x, y = COLUMNS["normal"]
    stats = line_stats(x), line_stats(y)
    frame = line_frame(*stats)
    assert isinstance(frame, LineFrame)
    real, synthetic, parts = frame.histogram(), frame.histogram(), [frame.histogram(), frame.histogram()]
    real.add(x)
    synthetic.add(y)
    parts[0].add(np.r_[np.nan, x[:77]])
    parts[1].add(x[77:])
    total = parts[1] + parts[0]
    np.testing.assert_array_equal(total.counts, real.counts)
    assert total.counts.sum() == 16 * len(x)
    assert (total.n, total.outside) == (200, 0)
    graded = [grade_line(h, synthetic, frame, *stats) for h in (real, total)]
    assert graded[0].values == graded[1].values == {"eden_line": line_eden(x, y)}
    at, first, second = line_curves(real, synthetic, frame, *stats, points=64)
    for curve, values in ((first, x), (second, y)):
        exact = np.exp(oracle.log_density(values[:, None], at[:, None].astype(float)))
        np.testing.assert_allclose(curve, exact, atol=2e-3 * exact.max())
        assert np.trapezoid(curve, at) == pytest.approx(1.0, abs=0.01)
