"""Rows as vectors: distances by the documented rule, fixed by the real table; nothing silent."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import pairwise_distances

from truegrade.errors import InputError
from truegrade.tabular.rows.coordinates import FARTHEST
from truegrade.tabular.rows.encode import MOST_PLACES, UNSEEN, Encoding
from whole_rows import coded, drawn

RNG = np.random.default_rng(0)


def mixed(n: int, seed: int, gaps: bool = True) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    height = rng.normal(170, 10, n)
    height[rng.random(n) < 0.1 * gaps] = np.nan
    return pd.DataFrame(
        {
            "height": height,
            "rooms": rng.integers(1, 5, n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "owner": rng.random(n) < 0.5,
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1000, n), unit="D"),
        }
    )


def naive_distance(a: pd.Series, b: pd.Series, real: pd.DataFrame) -> float:
    """The rule of Encoding's docstring for two real rows, column by column, in float64."""
    total = 0.0
    for name in ("height", "rooms", "day"):
        column = real[name]
        if name == "day":
            column = (column - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)
        x, y = column[a.name], column[b.name]
        gone = np.isnan(x), np.isnan(y)
        x, y = (column.mean() if lost else value for lost, value in zip(gone, (x, y), strict=True))
        total += ((x - y) / column.std()) ** 2 + (gone[0] != gone[1])
    return float(np.sqrt(total + (a["colour"] != b["colour"]) + (a["owner"] != b["owner"])))


def test_distances_follow_the_rule() -> None:
    frame = mixed(60, 0)
    side = drawn(frame)[0]
    some = frame[:12]
    assert some["height"].isna().any()
    found = pairwise_distances(side.samples.array()[:12].astype(float))
    wanted = [[naive_distance(a, b, frame) for _, b in some.iterrows()] for _, a in some.iterrows()]
    np.testing.assert_allclose(found, wanted, atol=2e-5)
    assert set(side.encoding.words()) == set(frame.columns)
    assert "coordinate of its own" in side.encoding.words()["height"]


def test_the_same_for_every_model_and_matched_by_name() -> None:
    real, one, other = mixed(50, 0), mixed(40, 1), mixed(40, 1)[["owner", "day", "rooms", "height", "colour"]]
    other.index = range(100, 140)
    _, a, b = drawn(real, one, other)
    np.testing.assert_array_equal(a.samples.array(), b.samples.array())
    assert a.samples.columns == b.samples.columns
    assert a.samples.name == "synthetic"


def test_what_the_real_table_never_shows_is_unseen_and_at_the_right_distance() -> None:
    real = mixed(50, 0, gaps=False)
    other = real.copy()
    other.loc[0, "colour"] = "ultraviolet"
    other.loc[1, "height"] = np.nan
    other["rooms"] = other["rooms"].astype(float)
    other.loc[2, ["colour", "height"]] = [None, np.nan]
    r, s = drawn(real, other)
    gap = ((real["height"] - real["height"].mean()) / real["height"].std()) ** 2
    apart = ((r.samples.array() - s.samples.array()) ** 2).sum(1)
    np.testing.assert_allclose(apart[:4], [1.0, 1.0 + gap[1], 2.0 + gap[2], 0.0], atol=1e-5)
    place = s.samples.columns.index(UNSEEN)
    np.testing.assert_allclose(s.samples.array()[:4, place] ** 2, [0.5, 1.0, 1.5, 0.0], atol=1e-6)
    assert not r.samples.array()[:, place].any()


def test_an_absent_column_is_missing_everywhere() -> None:
    real = mixed(50, 0)
    _, gone, empty = drawn(real, real.drop(columns=["height", "colour"]), real.assign(height=np.nan, colour=None))
    np.testing.assert_array_equal(gone.samples.array(), empty.samples.array())
    assert np.isnan(gone.values("height")).all()
    assert (gone.values("colour") == -1).all()
    _, nothing = drawn(real, pd.DataFrame({"else": np.arange(7.0)}))
    assert len(nothing) == 7


def test_wide_categories_share_a_coordinate_beyond_the_most_frequent() -> None:
    counts = np.repeat([f"v{i:03d}" for i in range(70)], np.arange(70, 0, -1))
    real = pd.DataFrame({"k": counts, "x": RNG.normal(size=len(counts))})
    other = pd.DataFrame({"k": ["v000", "v049", "v050", "v069", "new"], "x": real["x"].mean()})
    _, s = drawn(real, other)
    apart = pairwise_distances(s.samples.array().astype(float))
    wanted = [[0, 1, 1, 1, 1], [1, 0, 1, 1, 1], [1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 0, 0, 0]]
    np.testing.assert_allclose(apart, wanted, atol=1e-6)
    assert f"{MOST_PLACES} most frequent of 70" in s.encoding.words()["k"]


def test_constant_columns_and_identifiers() -> None:
    real = pd.DataFrame({"c": 2.5, "x": RNG.normal(size=300), "id": [f"user-{i:05d}-{i * 7919}" for i in range(300)]})
    other = real.assign(c=[2.5, 3e6] * 150)
    r, s = drawn(real, other)
    at = r.encoding.spans["c"]
    assert not r.samples.array()[:, at].any()
    assert s.samples.array()[:4, at].ravel().tolist() == [0.0, 1.0, 0.0, 1.0]
    assert r.encoding.words()["id"] == "left out: an identifier"
    assert "id" not in r.encoding.columns


def test_huge_numbers_stay_finite() -> None:
    real = pd.DataFrame({"x": RNG.normal(size=100), "y": RNG.normal(size=100)})
    _, s = drawn(real, pd.DataFrame({"x": [1e300, -1e300], "y": [0.0, 0.0]}))
    assert s.samples.array()[:, 0].tolist() == [FARTHEST, -FARTHEST]


def test_ranks_even_heavy_tails_and_keep_going_beyond_them() -> None:
    frame = pd.DataFrame({"x": np.exp(3 * RNG.normal(size=2000))})
    real, other = coded(frame, pd.DataFrame({"x": [0.0, frame["x"].median(), frame["x"].max() + 5 * frame["x"].std()]}))
    plain, ranked = Encoding.fit(real), Encoding.fit(real, scale="rank")
    assert "heavy tails" in plain.words()["x"]
    values = ranked.encode(real).array()[:, 0]
    wanted = (np.argsort(np.argsort(frame["x"])) + 0.5) / 2000 - 0.5
    np.testing.assert_allclose(values, wanted * np.sqrt(12), atol=2e-3)
    beyond = ranked.encode(other).array()[:, 0]
    assert abs(beyond[1]) < 0.01
    assert beyond[2] == pytest.approx(np.sqrt(3) + 5, abs=0.01)
    with pytest.raises(InputError, match="'standard' or 'rank'"):
        Encoding.fit(real, scale="log")  # type: ignore[arg-type]


def test_rows_are_drawn_with_a_notice_and_carry_labels() -> None:
    table = coded(mixed(300, 0))[0]
    encoding = Encoding.fit(table)
    part, again = encoding.draw(table, seed=3, most=40), encoding.draw(table, seed=3, most=40)
    assert part.rows is not None
    np.testing.assert_array_equal(part.samples.array(), encoding.encode(table).array()[part.rows])
    np.testing.assert_array_equal(part.rows, again.rows)
    np.testing.assert_array_equal(part.values("rooms"), table.take(["rooms"], part.rows)["rooms"])
    assert [n.code for n in part.notices] == ["table_rows"]
    assert "40 of its 300 rows" in part.notices[0].text
    assert encoding.draw(table).notices == ()


def test_no_column_that_can_be_a_coordinate() -> None:
    table = coded(pd.DataFrame({"id": [f"user-{i:05d}-{i * 7919}" for i in range(300)]}))[0]
    with pytest.raises(InputError, match="No column of real can become a coordinate"):
        Encoding.fit(table)


def test_names_that_meet_get_a_number() -> None:
    real = pd.DataFrame({"a": RNG.normal(size=60), "a (missing)": RNG.normal(size=60), UNSEEN: RNG.normal(size=60)})
    real.loc[0, "a"] = np.nan
    names = drawn(real)[0].samples.columns
    assert len(set(names)) == len(names) == 5
