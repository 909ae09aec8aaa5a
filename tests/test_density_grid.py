"""The parts of a density: bins that add exactly, kernels, levels, what has no density, settings, pictures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.ndimage import convolve1d
from scipy.special import logsumexp

from oracles.density import convolved
from oracles.density import eden as oracle_eden
from truegrade.density import (
    SAMPLE,
    Frame,
    PairOutcome,
    Settings,
    contour_cells,
    densities,
    eden,
    frame_of,
    grade_histograms,
    grade_pair,
    sample_rows,
    side_stats,
)
from truegrade.density.frame import axes
from truegrade.density.line import grade_values
from truegrade.density.loops import log_sums
from truegrade.density.smoothing import iso_mass, taps
from truegrade.errors import InputError

Array = np.ndarray[Any, np.dtype[np.float64]]


def normal(n: int, seed: int, rho: float = 0.6) -> Array:
    z = np.random.default_rng(seed).normal(size=(n, 2))
    return np.column_stack([z[:, 0], rho * z[:, 0] + (1 - rho**2) ** 0.5 * z[:, 1]])


def frame_for(p: Array, q: Array) -> Frame:
    frame = frame_of(side_stats(p), side_stats(q))
    assert isinstance(frame, Frame)
    return frame


def test_both_covariances_are_diagonal_in_the_frame() -> None:
    a, b = np.cov(normal(50, 0, 0.99).T), np.cov(normal(70, 1, -0.5).T * 5)
    for first, second in ((a, b), (b, a)):
        matrix = axes(first, second)
        turned = [matrix @ cov @ matrix.T for cov in (first, second)]
        np.testing.assert_allclose(turned[0] + turned[1], np.eye(2), atol=1e-10)
        assert abs(turned[0][0, 1]) < 1e-10
    np.testing.assert_array_equal(axes(a, b), axes(b, a))


def test_bins_are_whole_numbers_that_keep_mass_and_mean() -> None:
    p, q = normal(500, 2), normal(300, 3)
    frame = frame_for(p, q)
    grid = frame.histogram()
    grid.add(p)
    assert grid.n == 500
    assert grid.outside == 0
    assert grid.counts.dtype == np.uint32
    assert grid.counts.sum() == 256 * 500
    cells = frame.cells(p)
    naive = np.zeros(frame.shape, np.int64)
    for place in np.floor(cells * 16 + 0.5).astype(int):
        (i, j), (a, b) = place // 16, place % 16
        naive[i : i + 2, j : j + 2] += np.outer([16 - a, a], [16 - b, b])
    assert np.abs(grid.counts - naive).sum() <= 64  # a place that rounds the other way moves by a sixteenth
    np.testing.assert_allclose(frame.points(cells), p, rtol=1e-9, atol=1e-12)


def test_pieces_in_any_order_add_to_the_same() -> None:
    """Blocks, sums of parts, columns with missing values, and the whole: the same counts and the same scores."""
    p, q = normal(3000, 4), normal(2000, 5, 0.2)
    frame = frame_for(p, q)
    whole = frame.histogram()
    whole.add(p)
    pieces = frame.histogram()
    for start in range(0, 3000, 271):
        pieces.add(p[::-1][start : start + 271])
    halves = frame.histogram(), frame.histogram()
    halves[0].add(p[:1111])
    halves[1].add(p[1111:])
    gaps = frame.histogram()
    holes = np.insert(p, [0, 17, 3000], np.nan, axis=0)
    holes[0, 0] = 0.0  # only the second value is missing
    gaps.add_columns(np.ascontiguousarray(holes[:, 0]), np.ascontiguousarray(holes[:, 1]))
    for other in (pieces, halves[0] + halves[1], halves[1] + halves[0], gaps):
        np.testing.assert_array_equal(other.counts, whole.counts)
        assert (other.n, other.outside) == (whole.n, whole.outside) == (3000, 0)
    synthetic = frame.histogram()
    synthetic.add(q)
    stats = side_stats(p), side_stats(q)
    graded = [grade_histograms(h, synthetic, frame, *stats).values for h in (whole, pieces)]
    assert graded[0] == graded[1] == grade_pair(p, q).values


def test_more_points_than_32_bits_hold() -> None:
    p = normal(400, 6)
    frame = frame_for(p, p)
    grid = frame.histogram()
    grid.add(p)
    many = grid.like(grid.counts * np.uint32(20_000), 400 * 20_000)  # 8,000,000 points
    total = many + many + many
    assert total.n == 24_000_000
    assert total.counts.dtype == np.int64
    np.testing.assert_array_equal(total.counts, grid.counts.astype(np.int64) * 60_000)
    total.add(p)
    assert total.counts.sum() == 256 * (24_000_000 + 400)


def test_points_outside_are_counted() -> None:
    p = normal(1000, 7)
    frame = frame_for(p, p)
    grid = frame.histogram()
    grid.add(np.vstack([p, [[1e9, 0.0], [0.0, -1e300], [np.inf, 1.0]]]))
    assert (grid.n, grid.outside) == (1003, 3)
    assert grid.counts.sum() == 256 * 1000


def test_smoothing_equals_a_convolution_with_the_kernel() -> None:
    p, q = normal(300, 8), normal(200, 9, -0.4)
    frame, stats = frame_for(p, q), side_stats(p)
    grid = frame.histogram()
    grid.add(p)
    density = densities(grid, frame, stats, Settings())
    kernels = [taps(sd, cells) for sd, cells in zip(density.kernel, frame.shape, strict=True)]
    exact = grid.counts / (256.0 * 300)
    for axis, kernel in enumerate(kernels):
        exact = convolve1d(exact, kernel, axis=axis, mode="constant")
    np.testing.assert_allclose(density.values, exact, rtol=3e-6, atol=1e-30)
    variance = [(np.arange(len(k)) - len(k) // 2) ** 2 @ k for k in kernels]
    np.testing.assert_allclose(np.array(variance) + 1 / 6, density.kernel**2, rtol=2e-4)


@pytest.mark.parametrize("levels", [2, 5, 17])
def test_levels_are_those_of_sorted_densities(levels: int) -> None:
    values = np.random.default_rng(10).exponential(size=(60, 50)).astype(np.float32) ** 6
    values[:20] = 0.0
    values[20:25] = values[30, 0]  # ties
    values /= values.sum()
    for share in (1.0, 0.98):  # the rest lies outside the grid, below every level
        part = values * np.float32(share)
        found = iso_mass(part, Settings(levels=levels))
        ordered = np.sort(part.ravel())
        running = np.cumsum(ordered, dtype=np.float64) + 1 - ordered.sum(dtype=np.float64)
        exact = [ordered[np.argmax(running >= s - 1e-9)] for s in np.linspace(0.05, 1, levels)[:-1]]
        np.testing.assert_array_equal(found, np.array([*exact, part.max()], np.float32))


def test_stats_of_many_points_hold_a_sample() -> None:
    few, many = sample_rows(SAMPLE), sample_rows(SAMPLE + 10)
    assert (few == np.arange(SAMPLE)).all()
    assert len(many) == SAMPLE
    assert (np.diff(many) > 0).all()
    p = normal(SAMPLE + 10, 11)
    q = normal(400, 12)
    stats = side_stats(p)
    assert not stats.complete
    np.testing.assert_allclose(stats.cov, np.cov(p.T), rtol=1e-12)
    # the Jaccard score then looks at cells instead of points, which moves it by little
    cells = grade_pair(p, q).values["jaccard_score"]
    assert cells == pytest.approx(grade_pair(p[:SAMPLE], q).values["jaccard_score"], abs=0.002)


def test_without_points_the_jaccard_score_comes_from_cells() -> None:
    p, q = normal(900, 13), normal(700, 14, 0.1)
    stats = side_stats(p), side_stats(q)
    frame = frame_for(p, q)
    grids = frame.histogram(), frame.histogram()
    for grid, points in zip(grids, (p, q), strict=True):
        grid.add(points)
    bare = [replace(s, sample=s.sample[:0]) for s in stats]
    points, cells = (grade_histograms(*grids, frame, *s).values for s in (stats, bare))
    assert points["jaccard_score"] != cells["jaccard_score"]
    assert cells == pytest.approx(dict(points), abs=0.004)


def refused(p: Any, q: Any, **names: Any) -> PairOutcome:
    outcome = grade_pair(np.asarray(p, float), np.asarray(q, float), **names)
    assert not outcome.values
    assert outcome.reason
    return outcome


def test_constant_columns_are_named() -> None:
    p = normal(40, 15)
    flat = np.column_stack([p[:, 0], np.full(40, 3.5)])
    for pair, sides in (((flat, p), ("real",)), ((p, flat), ("synthetic",)), ((flat, flat), ("real", "synthetic"))):
        found = refused(*pair, names=("height", "<b>weight</b>"))
        assert found.status == "constant"
        assert "'<b>weight</b>' is 3.5 in every" in str(found.reason)
        assert "height" not in str(found.reason)
        assert found.details["sides"] == sides


def test_few_rows_are_never_graded() -> None:
    p = normal(40, 16)
    for n in (0, 1, 2):
        for pair in ((p[:n], p), (p, p[:n]), (p[:n], p[:n])):
            found = refused(*pair)
            assert found.status == "degenerate"
            assert f"{n} " in str(found.reason)
    assert grade_pair(p[:4], p[:4]).status == "ok"


def test_few_values_are_compared_by_shares() -> None:
    rng = np.random.default_rng(17)
    p = np.column_stack([rng.integers(0, 3, 90), rng.integers(0, 2, 90)]).astype(float)
    found = refused(p, p[::-1])
    assert found.status == "degenerate"
    assert found.details["total_variation"] == 0.0
    assert np.array(found.details["joint_table"]["real"]).shape == (3, 2)
    q = p.copy()
    q[:45] = [2.0, 1.0]
    table = {
        (a, b): ((p == [a, b]).all(axis=1).mean(), (q == [a, b]).all(axis=1).mean()) for a in range(3) for b in (0, 1)
    }
    expected = sum(abs(a - b) for a, b in table.values()) / 2
    assert refused(p, q).details["total_variation"] == pytest.approx(expected, abs=1e-12)
    # 99 zeros and a one beside a column of many values: deciles of these
    lone = np.column_stack([np.r_[np.zeros(99), 1.0], rng.normal(size=100)])
    shifted = lone + np.array([0.0, 100.0])
    assert refused(lone, lone).details["total_variation"] == 0.0
    assert refused(lone, shifted).details["total_variation"] > 0.8
    # few values on one side only are a density all the same, and a bad one
    flat = np.column_stack([np.round(rng.random(300)), rng.normal(size=300)])
    assert grade_pair(normal(300, 18, 0.0), flat).values["eden_score"] < 0.3


def test_a_line_has_a_status_and_a_score_along_it() -> None:
    x = np.random.default_rng(19).normal(size=300)
    line, cloud = np.column_stack([x, -2 * x + 7]), normal(300, 20)
    same = refused(line, line[::-1])
    assert same.status == "collinear"
    assert same.details["eden_line"] == 1.0
    assert same.details["sides"] == ("real", "synthetic")
    found = refused(line, cloud, names=("a", "b"))
    assert found.details["sides"] == ("real",)
    assert found.details["off_line"][0] < 1e-6 < found.details["off_line"][1]
    assert 0 < found.details["eden_line"] < 0.9
    assert "'a' and 'b' lie on one line in the real set" in str(found.reason)
    assert refused(cloud, line).details["sides"] == ("synthetic",)
    near = np.column_stack([x, 2 * x + 1e-3 * np.random.default_rng(21).normal(size=300)])
    assert grade_pair(near, near).status == "ok"
    assert refused([[0, 0], [1, 1], [1, 1], [0, 0]], cloud).status == "collinear"


@pytest.mark.parametrize("scale", [1e-200, 1e200, 1e308])
def test_spreads_that_cannot_be_squared(scale: float) -> None:
    p = normal(50, 22) / 10
    found = refused(p * [scale, 1.0], p * [scale, 1.0], names=("a", "b"))
    assert found.status == "degenerate"
    assert "'a'" in str(found.reason)


@pytest.mark.parametrize(
    ("points", "said"),
    [
        (np.zeros((3, 3)), "shape (n, 2)"),
        (np.zeros(4), "shape (n, 2)"),
        (np.array([["a", "b"]]), "shape (n, 2)"),
        (np.array([[0.0, np.nan]]), "not finite"),
        (np.array([[0.0, np.inf]]), "not finite"),
    ],
)
def test_other_input_is_refused(points: Any, said: str) -> None:
    p = normal(10, 23)
    for pair, side in (((points, p), "real"), ((p, points), "synthetic")):
        with pytest.raises(InputError, match=side) as error:
            grade_pair(*pair)
        assert said in str(error.value)


@pytest.mark.parametrize(
    "given",
    [
        *({"levels": 1}, {"levels": 2.5}, {"levels": True}, {"thresh": 0.0}, {"thresh": 1.0}, {"thresh": "a"}),
        *(
            {"bandwidth": "both"},
            {"rule": "scot"},
            {"rule": 0.0},
            {"rule": -1.0},
            {"rule": True},
            {"rule": float("nan")},
        ),
        *({"method": "exact"}, {"size": 0}, {"seed": -1}, {"correlation": "kendall"}, {"support": 1.5}),
    ],
)
def test_settings_say_what_they_accept(given: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=f"{next(iter(given))}=.*accepted"):
        Settings(**given)


def test_pictures() -> None:
    """Two normal laws: the cells have the right means, the levels bound the right shares."""
    rng = np.random.default_rng(24)
    p = rng.normal(size=(4000, 2)) * [1.0, 10.0] + [5.0, -3.0]
    q = p[:2000] + np.array([2.0, 0.0])
    stats, frame = (side_stats(p), side_stats(q)), frame_for(p, q)
    made = []
    for points, side in zip((p, q), stats, strict=True):
        grid = frame.histogram()
        grid.add(points)
        made.append(densities(grid, frame, side, Settings()))
    found = contour_cells(*made, frame, cells=48)
    assert found.real.shape == found.synthetic.shape == (48, 48)
    left, right, low, high = found.extent
    assert left < 2 < 10 < right < 12
    assert low < -28 < 22 < high
    for drawn, mean in ((found.real, 5.0), (found.synthetic, 7.0)):
        density = (drawn / 255.0) ** 2
        first = left + (np.arange(48) + 0.5) / 48 * (right - left)
        second = low + (np.arange(48) + 0.5) / 48 * (high - low)
        assert (density.sum(axis=0) @ first) / density.sum() == pytest.approx(mean, abs=0.05)
        assert (density.sum(axis=1) @ second) / density.sum() == pytest.approx(-3.0, abs=0.5)
    density, shares = (found.real / 255.0) ** 2, np.linspace(0.05, 1, 5)
    for level, share in zip(found.levels["real"][:-1], shares, strict=False):
        assert density[found.real < level].sum() / density.sum() == pytest.approx(share, abs=0.02)
    assert found.levels["real"][-1] == 255.0
    assert eden(made[0], made[0]) == (1.0, 4)


def test_sums_of_kernels_far_away_equal_plain_ones() -> None:
    """Whichever points are passed over: neighbours in turn, in any order, of all weights, fewer than a tile."""
    rng = np.random.default_rng(11)
    blocks = np.stack(np.meshgrid(np.arange(60.0), np.arange(60.0), indexing="ij")).reshape(2, -1) / 2
    places = np.concatenate([blocks[:, ::17], rng.normal(15, 60, (2, 50))], axis=1)
    for points in (blocks[:, np.hypot(*(blocks - 10)) < 9], rng.permutation(blocks, axis=1), blocks[:, :5]):
        weights = rng.normal(0, 20, points.shape[1])
        exponents = weights - 0.5 * ((places[:, :, None] - points[:, None, :]) ** 2).sum(axis=0)
        found = log_sums(*np.ascontiguousarray(places), *np.ascontiguousarray(points), weights)
        np.testing.assert_allclose(found, logsumexp(exponents, axis=1), rtol=1e-12)


def test_no_level_is_of_no_mass() -> None:
    """A set drawn again may have more than `thresh` outside the grid."""
    values = np.random.default_rng(10).exponential(size=(60, 50)).astype(np.float32)
    values[:20] = 0.0
    values *= np.float32(0.9) / values.sum()
    found = iso_mass(values, Settings())
    ordered = np.sort(values.ravel())
    assert found[0] == ordered[np.argmax(np.cumsum(ordered, dtype=np.float64) >= 0.005)] > 0.0


def test_no_cut_below_the_lowest_level() -> None:
    """Heavy tails, a low `thresh`: nothing that the grid leaves out may reach the lowest level, or the empty plane
    would count as a common annulus. Compared with a lattice that nothing is cut from."""
    rng = np.random.default_rng(0)
    p, q = rng.standard_t(2.5, (2, 3000, 2))
    root = np.linalg.inv(np.linalg.cholesky(np.cov(p.T) + np.cov(q.T))).T
    x, y = p @ root, q @ root
    low, high = np.minimum(x.min(0), y.min(0)) - 1.5, np.maximum(x.max(0), y.max(0)) + 1.5
    exact = [convolved(side, low, high, 2000) for side in (x, y)]
    for thresh, cut in ((0.05, True), (0.003, True), (0.001, False)):
        found = grade_pair(p, q, Settings(thresh=thresh))
        assert found.details["cut"] == cut
        assert max(found.details["outside"]) <= thresh / 2
        assert found.values["eden_score"] == pytest.approx(oracle_eden(*exact, 5, thresh), abs=0.01)
    few = np.vstack([normal(50, 0), [[1e3, 0], [-1e3, 0], [0, 1e3], [0, -1e3]]])
    assert grade_pair(few, few).details["outside"] == (0.0, 0.0)  # a cut would leave out .07, more than thresh


def test_no_cut_below_the_lowest_level_on_a_line() -> None:
    x, y = np.random.default_rng(0).standard_t(1.5, (2, 3000))
    for thresh in (0.05, 0.002):
        found = grade_values(x, y, Settings(thresh=thresh))
        assert max(found.details["outside"]) <= thresh / 2
    few = np.append(normal(50, 0)[:, 0], [1e3, -1e3])
    assert grade_values(few, few + 1.0).details["outside"] == (0.0, 0.0)
