"""The samplers against their definitions: margins, moments, independence, missing values, tables of every library."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import kstest, norm, rankdata

from truegrade.errors import InputError
from truegrade.load import load_table
from truegrade.samplers import (
    ExactCopy,
    GaussianCopula,
    IndependentMargins,
    JitteredBootstrap,
    MultivariateNormal,
    Sampler,
)
from truegrade.samplers.gaussian import correlations, factor
from truegrade.samplers.toys import TOYS

ALL = [ExactCopy, GaussianCopula, IndependentMargins, JitteredBootstrap, MultivariateNormal]


def skewed(n: int = 3000) -> np.ndarray:
    """Three dependent columns: exponential, normal, and one of five values."""
    rng = np.random.default_rng(5)
    z = rng.normal(size=(n, 2)) @ np.array([[1.0, 0.8], [0.0, 0.6]])
    return np.column_stack([np.exp(z[:, 0]), z[:, 1], np.rint(z.sum(axis=1)).clip(-2, 2)])


def records(n: int = 400) -> dict[str, list[Any]]:
    """Columns of every kind with gaps; `score` is missing exactly where `name` is."""
    rng = np.random.default_rng(6)
    kind = [None if u < 0.1 else "aab c"[int(5 * u)] for u in rng.random(n)]
    score = [None if k is None else float(v) for k, v in zip(kind, rng.normal(size=n), strict=True)]
    start = dt.datetime(2021, 3, 1)
    return {
        "count": rng.poisson(9, n).tolist(),
        "score": score,
        'na"me\n': kind,
        "flag": (rng.random(n) < 0.3).tolist(),
        "when": [start + dt.timedelta(hours=int(h)) for h in rng.integers(0, 9000, n)],
        "day": [(start + dt.timedelta(days=int(d))).date() for d in rng.integers(0, 300, n)],
    }


def frames() -> dict[str, Any]:
    made = records()
    return {"pandas": pd.DataFrame(made, index=range(7, 407)), "polars": pl.DataFrame(made), "pyarrow": pa.table(made)}


def plain(frame: Any) -> dict[str, list[Any]]:
    """Columns of a frame as lists, None for missing."""
    wrapped = nw.from_native(frame, eager_only=True)
    gaps = {name: wrapped[name].is_null().to_list() for name in wrapped.columns}
    return {n: [None if g else v for g, v in zip(gaps[n], wrapped[n].to_list(), strict=True)] for n in gaps}


# --- arrays -----------------------------------------------------------------------------------------------


def test_copula_has_the_empirical_quantiles_and_the_correlation_of_normal_scores() -> None:
    data = skewed()
    sampler = GaussianCopula(data)
    scores = norm.ppf((rankdata(data, axis=0) - 0.5) / len(data))
    np.testing.assert_allclose(sampler.correlation, np.corrcoef(scores.T), atol=1e-12)
    drawn = sampler.sample(60_000, 1)
    for at in (0, 1):
        assert set(drawn[:, at]) <= set(data[:, at])
        assert kstest(drawn[:, at], data[:, at]).statistic < 1.63 / np.sqrt(60_000) + 1 / 3000
    shares = [(drawn[:, 2] == value).mean() - (data[:, 2] == value).mean() for value in np.unique(data[:, 2])]
    assert np.abs(shares).max() < 4 * 0.5 / np.sqrt(60_000)
    back = norm.ppf((rankdata(drawn[:, :2], axis=0) - 0.5) / len(drawn))
    assert np.corrcoef(back.T)[0, 1] == pytest.approx(sampler.correlation[0, 1], abs=4 / np.sqrt(60_000))


def test_shuffled_columns_keep_every_value_and_lose_what_held_between_them() -> None:
    data = skewed()
    drawn = IndependentMargins(data).sample(len(data), 2)
    np.testing.assert_array_equal(np.sort(drawn, axis=0), np.sort(data, axis=0))
    assert abs(np.corrcoef(data[:, 1], data[:, 2])[0, 1]) > 0.7
    off = np.corrcoef(rankdata(drawn, axis=0).T)[np.triu_indices(3, 1)]
    assert np.abs(off).max() < 4 / np.sqrt(len(data))
    more = IndependentMargins(data).sample(2 * len(data), 2)
    np.testing.assert_array_equal(np.sort(more, axis=0), np.sort(np.concatenate([data, data]), axis=0))


def test_normal_has_the_mean_and_covariance_of_the_data() -> None:
    data = skewed()
    sampler = MultivariateNormal(data)
    np.testing.assert_allclose(sampler.correlation, np.corrcoef(data.T), atol=1e-12)
    drawn = sampler.sample(200_000, 3)
    sd = data.std(axis=0, ddof=1)
    assert (np.abs(drawn.mean(axis=0) - data.mean(axis=0)) < 4 * sd / np.sqrt(200_000)).all()
    np.testing.assert_allclose(np.cov(drawn.T) / np.outer(sd, sd), np.corrcoef(data.T), atol=8 / np.sqrt(200_000))
    assert kstest(drawn[:, 0], norm(data[:, 0].mean(), sd[0]).cdf).statistic < 1.63 / np.sqrt(200_000)


@pytest.mark.parametrize("width", [0.0, 0.05, 0.5])
def test_jitter_is_as_wide_as_asked_for(width: float) -> None:
    data = np.column_stack([np.arange(400) * 1000.0, np.arange(400) % 7 * 50.0])
    drawn = JitteredBootstrap(data, width=width).sample(20_000, 4)
    if width == 0:
        assert set(map(tuple, drawn)) <= set(map(tuple, data))
        return
    added = data.var(axis=0, ddof=1) * (1 + width**2)
    np.testing.assert_allclose(drawn.var(axis=0, ddof=1), added, rtol=0.03)
    nearest = np.abs(drawn[:, :1] - data[:, 0]).min(axis=1)
    assert len(set(drawn[:, 0])) == len(drawn)
    if width == 0.05:  # noise of 5,783 among steps of 1,000: the second column tells the row
        gap = np.abs(drawn[:, 1][:, None] - np.unique(data[:, 1])).min(axis=1)
        assert gap.std() < 2 * width * data[:, 1].std()
    assert nearest.max() < 6 * width * data[:, 0].std()


def test_copies_are_copies_and_each_comes_as_often_as_any_other() -> None:
    data = skewed(50)
    drawn = ExactCopy(data).sample(125, 5)
    counts = Counter(map(tuple, drawn))
    assert set(counts) == set(map(tuple, data))
    assert sorted(counts.values()) == [2] * 25 + [3] * 25
    assert not np.array_equal(drawn[:50], data)


@pytest.mark.parametrize("sampler", ALL)
def test_a_seed_is_a_sample_and_a_generator_goes_on(sampler: type[Sampler]) -> None:
    fitted = sampler(skewed(200))
    np.testing.assert_array_equal(fitted.sample(30, 1), fitted.sample(30, np.random.default_rng(1)))
    assert not np.array_equal(fitted.sample(30, 1), fitted.sample(30, 2))
    rng = np.random.default_rng(1)
    assert not np.array_equal(fitted.sample(30, rng), fitted.sample(30, rng))
    assert fitted.sample(1, 0).shape == (1, 3)


@pytest.mark.parametrize("sampler", ALL)
def test_arrays_keep_their_type(sampler: type[Sampler]) -> None:
    data = skewed(100)
    assert sampler(data.astype(np.float32)).sample(9).dtype == np.float32
    whole = sampler(np.rint(10 * data).astype(np.int64)).sample(9)
    assert whole.dtype == np.int64


@pytest.mark.parametrize("sampler", ALL)
def test_one_row_a_constant_column_and_a_line_are_no_trouble(sampler: type[Sampler]) -> None:
    np.testing.assert_array_equal(sampler(np.array([[1.0, 2.0]])).sample(3), [[1.0, 2.0]] * 3)
    x = np.linspace(0, 1, 40)
    drawn = sampler(np.column_stack([x, np.ones(40), 2 * x])).sample(500, 6)
    assert np.ptp(drawn[:, 1]) < 1e-12
    if sampler in (ExactCopy, GaussianCopula, MultivariateNormal):
        np.testing.assert_allclose(drawn[:, 2], 2 * drawn[:, 0], atol=1e-6)


# --- missing values ---------------------------------------------------------------------------------------


def test_correlations_are_those_of_the_rows_in_which_both_are_known() -> None:
    data = skewed(300)
    rng = np.random.default_rng(7)
    data[rng.random(data.shape) < 0.2] = np.nan
    data = np.column_stack([data, np.full(300, np.nan), np.full(300, 3.0)])
    found = correlations(data)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        both = ~np.isnan(data[:, i]) & ~np.isnan(data[:, j])
        assert found[i, j] == pytest.approx(np.corrcoef(data[both, i], data[both, j])[0, 1], abs=1e-12)
    np.testing.assert_array_equal(found[3:], np.eye(5)[3:])


def test_an_indefinite_matrix_becomes_the_correlation_of_something() -> None:
    impossible = np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])
    root = factor(impossible)
    made = root @ root.T
    np.testing.assert_allclose(np.diag(made), 1.0)
    assert np.linalg.eigvalsh(made).min() > -1e-12
    possible = np.corrcoef(skewed(50).T)
    np.testing.assert_allclose(factor(possible) @ factor(possible).T, possible, atol=1e-12)


@pytest.mark.parametrize("sampler", ALL)
def test_as_much_is_missing_as_in_the_data(sampler: type[Sampler]) -> None:
    data = skewed(500)
    data[::4, 0] = np.nan
    data[::8, 1] = np.nan
    drawn = np.isnan(sampler(data).sample(8000, 8))
    np.testing.assert_allclose(drawn.mean(axis=0), [0.25, 0.126, 0.0], atol=0.02)
    if sampler is not IndependentMargins:  # the second is missing only where the first is
        assert not drawn[~drawn[:, 0], 1].any()


# --- tables -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("sampler", ALL)
def test_frames_come_back_as_they_went_in(sampler: type[Sampler], library: str) -> None:
    frame = frames()[library]
    drawn = sampler(frame).sample(250, 9)
    assert type(drawn) is type(frame)
    before, after = plain(frame), plain(drawn)
    assert list(before) == list(after)
    assert {len(values) for values in after.values()} == {250}
    for name in ('na"me\n', "flag", "when", "day"):
        assert set(after[name]) <= set(before[name]), name
    assert nw.from_native(drawn).schema["count"].is_integer()
    gone = np.array([v is None for v in after["score"]])
    assert 0.05 < gone.mean() < 0.2
    if sampler is not IndependentMargins:
        assert list(gone) == [v is None for v in after['na"me\n']]


@pytest.mark.parametrize("sampler", ALL)
def test_libraries_agree_row_by_row(sampler: type[Sampler]) -> None:
    drawn = [plain(sampler(frame).sample(100, 10)) for frame in frames().values()]
    table = sampler(load_table(frames()["polars"])).sample(100, 10)
    (block,) = table.store.blocks(table.columns)
    drawn.append({n: [None if v != v else v for v in values.tolist()] for n, values in block.items()})
    first = drawn[0]
    for other in drawn[1:]:
        for name in ("count", 'na"me\n', "flag"):
            assert list(other[name]) == list(first[name]), name
        scores = [
            (np.nan if a is None else a, np.nan if b is None else b)
            for a, b in zip(other["score"], first["score"], strict=True)
        ]
        np.testing.assert_allclose(*np.array(scores).T, rtol=1e-9)


def test_whole_numbers_stay_whole_with_gaps_and_in_tables() -> None:
    frame = pd.DataFrame({"count": [1.0, 5.0, None, 9.0] * 20, "real": [1.5, 5.0, None, 9.0] * 20})
    for drawn in (MultivariateNormal(frame).sample(50, 1), JitteredBootstrap(frame, width=0.5).sample(50, 1)):
        assert (drawn["count"].dropna() % 1 == 0).all()
        assert (drawn["real"].dropna() % 1 != 0).any()
    table = MultivariateNormal(load_table(frame)).sample(50, 1)
    (block,) = table.store.blocks(["count"])
    assert table.name == "MultivariateNormal"
    assert np.array_equal(block["count"], np.rint(block["count"]), equal_nan=True)


def test_categories_are_intervals_of_a_normal_variable_the_most_frequent_lowest() -> None:
    x = np.linspace(-3, 3, 1000)
    frame = pl.DataFrame({"x": x, "level": np.where(x < 0.5, "z common", np.where(x < 2, "m", "a rare"))})
    drawn = GaussianCopula(frame).sample(20_000, 11)
    counts = dict(drawn["level"].value_counts(normalize=True).iter_rows())
    for level, share in frame["level"].value_counts(normalize=True).iter_rows():
        assert counts[level] == pytest.approx(share, abs=0.015)
    means = {level: drawn.filter(pl.col("level") == level)["x"].mean() for level in counts}
    assert means["z common"] < means["m"] < means["a rare"]


# --- refusals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (np.arange(3.0), r"shape \(3,\)"),
        ([[1, 2], [3]], "differ in length"),
        (np.array([["a", "b"]]), "array of numbers"),
        (np.empty((0, 2)), "no rows"),
        (np.array([[1.0, np.inf]]), "infinite"),
        (pd.DataFrame(index=[1, 2]), "no columns"),
        ({"a": [1, 2]}, "dict"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "same name"),
        (None, "NoneType"),
    ],
)
def test_data_that_cannot_be_learned_from_are_refused(data: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        GaussianCopula(data)


@pytest.mark.parametrize("n", [0, -3, 2.5, True, "9"])
def test_sizes_that_are_no_sizes_are_refused(n: Any) -> None:
    with pytest.raises(InputError, match="above 0"):
        ExactCopy(np.eye(2)).sample(n)
    with pytest.raises(InputError, match="above 0"):
        TOYS["ring"](n, 0)


@pytest.mark.parametrize("width", [-1, np.nan, np.inf, True, "wide"])
def test_widths_that_are_none_are_refused(width: Any) -> None:
    with pytest.raises(InputError, match="width"):
        JitteredBootstrap(np.eye(2), width=width)


# --- toys -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(TOYS))
def test_toys_are_points_of_the_plane_and_follow_their_seed(name: str) -> None:
    points = TOYS[name](500, 1)
    assert points.shape == (500, 2)
    np.testing.assert_array_equal(points, TOYS[name](500, 1))
    assert not np.array_equal(points, TOYS[name](500, 2))


def test_toys_follow_their_recipes() -> None:
    n = 40_000
    x, y = TOYS["stripes"](n, 3).T
    within = 6 * y % 1
    assert kstest(x, "uniform").pvalue > 1e-3
    assert kstest(within / 0.3, "uniform").pvalue > 1e-3
    assert np.allclose(np.bincount((6 * y).astype(int)) / n, 1 / 6, atol=0.01)
    radius = np.hypot(*TOYS["ring"](n, 3).T)
    assert kstest(radius, norm(1, 0.07).cdf).pvalue > 1e-3
    inner = np.hypot(*TOYS["two_rings"](n, 3).T) < 0.75
    assert inner.mean() == pytest.approx(0.5, abs=0.01)
    eye = np.hypot(*TOYS["dart"](n, 3).T)
    assert (eye < 0.6).mean() == pytest.approx(1 / 3, abs=0.01)
    x, y = TOYS["banana"](n, 3).T
    assert kstest((y - x**2 / 2) / 0.3, "norm").pvalue > 1e-3
    points = TOYS["trimodal"](n, 3)
    corners = np.array([[-1, 0], [1, 0], [0, np.sqrt(3)]])
    gaps = np.linalg.norm(points[:, None] - corners, axis=2).min(axis=1)
    assert np.sqrt((gaps**2).mean() / 2) == pytest.approx(0.3, abs=0.01)


def test_a_ring_and_its_shuffled_columns_are_uncorrelated_alike() -> None:
    ring = TOYS["ring"](5000, 0)
    shuffled = IndependentMargins(ring).sample(5000, 1)
    gap = np.corrcoef(ring.T)[0, 1] - np.corrcoef(shuffled.T)[0, 1]
    assert 1 - abs(gap) / 2 > 0.98
    assert (np.hypot(*ring.T) < 0.5).mean() == 0
    assert (np.hypot(*shuffled.T) < 0.5).mean() > 0.05
