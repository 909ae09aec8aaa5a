"""Privacy of a table: copies are counted exactly, attacks on known constructions, and fresh rows raise no alarm."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import pairwise_distances, roc_auc_score

from truegrade.result.table import Measure
from truegrade.tabular.rows.copies import equal_rows, fingerprints, repeated
from truegrade.tabular.rows.encode import Encoding
from truegrade.tabular.rows.inference import _error
from truegrade.tabular.rows.nearness import needs
from truegrade.tabular.rows.privacy import MEASURES, privacy, privacy_notices
from whole_rows import coded, drawn


def numbers(n: int, seed: int) -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(seed).normal(size=(n, 3)), columns=list("abc"))


def levels(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({k: rng.choice(["u", "v", "w"], n, p=[0.5, 0.3, 0.2]) for k in "abc"})


def tricky(n: int, seed: int) -> pd.DataFrame:
    """Many equal rows, gaps and signed zeros among them."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "x": rng.choice([0.0, -0.0, np.nan, 1.5, 1.5 + 1e-15], n),
            "k": rng.choice(np.array(["p", "q", None], object), n),
            "id": [f"user-{i:05d}-{i * 7919 + seed}" for i in range(n)],
        }
    )


TYPES = {"x": "number", "id": "identifier"}


def test_copies_are_those_of_a_naive_comparison() -> None:
    a, b = tricky(300, 0), tricky(40, 1)
    b.loc[:4, "k"] = "new"
    real, other = coded(a, b, types=TYPES)

    def rows(table: pd.DataFrame) -> list[tuple[object, ...]]:
        return [("gap" if np.isnan(x) else x, k) for x, k in zip(table["x"], table["k"], strict=True)]

    ours, theirs = rows(a), rows(b)
    wanted = [next((i for i, row in enumerate(ours) if row == mine), -1) for mine in theirs]
    found = equal_rows(fingerprints(other), fingerprints(real))
    assert found.tolist() == wanted
    assert -1 in wanted
    assert max(wanted) > 0
    assert repeated(fingerprints(real)) == sum(ours.count(row) > 1 for row in ours)


def test_a_column_that_is_absent_is_missing_in_the_comparison() -> None:
    a = pd.DataFrame({"x": np.arange(60.0), "k": [None, "p", "q"] * 20})
    real, other = coded(a, a[["x"]], types={"x": "number"})
    found = equal_rows(fingerprints(other), fingerprints(real))
    np.testing.assert_array_equal(found, np.where(a["k"].isna(), np.arange(60), -1))


def test_distances_and_ratios_are_those_of_scikit_learn() -> None:
    r, s, h = drawn(numbers(80, 0), numbers(70, 1), numbers(60, 2))
    found = privacy(r, s, h).measures
    x, y, z = (side.samples.array().astype(float) for side in (r, s, h))
    near, fresh = (np.sort(pairwise_distances(side, x), axis=1) for side in (y, z))
    for key, values in (("dcr", lambda d: d[:, 0]), ("nndr", lambda d: d[:, 0] / d[:, 1])):
        for part, share in (("median", 0.5), ("p5", 0.05)):
            one = found[f"{key}_{part}"]
            assert one.value == pytest.approx(np.quantile(values(near), share), rel=1e-5)
            assert one.ceiling == pytest.approx(np.quantile(values(fresh), share), rel=1e-5)
    alone = privacy(r, s).measures
    own = np.sort(pairwise_distances(x), axis=1)[:, 1:]
    assert alone["dcr_median"].ceiling == pytest.approx(np.median(own[:, 0]), rel=1e-5)
    reach = [pairwise_distances(side, y).min(1) for side in (x, z)]
    labels = np.repeat([1, 0], [80, 60])
    wanted = roc_auc_score(labels, -np.concatenate(reach))
    assert found["membership_inference"].value == pytest.approx(wanted, abs=1e-9)
    assert {key for key, one in alone.items() if one.value is None} == {"closer_to_train", "membership_inference"}
    assert "hold-out" in alone["closer_to_train"].reason


def test_the_share_closer_to_training_and_its_ties() -> None:
    train, held = (pd.DataFrame({"x": [*np.arange(50.0) + start, 70.0]}) for start in (0, 100))
    made = pd.DataFrame({"x": [*np.arange(20.0), *(np.arange(10.0) + 110), *[70.0] * 10]})
    r, s, h = drawn(train, made, held, types={"x": "number"})
    found = privacy(r, s, h).measures["closer_to_train"]
    assert found.value == pytest.approx((20 + 5) / 40)


def test_copies_are_counted_named_and_told_by_every_attack() -> None:
    train, held = numbers(200, 0), numbers(200, 1)
    r, s, h = drawn(train, train[::-1].reset_index(drop=True), held)
    found = privacy(r, s, h)
    assert found.measures["exact_copies"].value == 1.0
    assert found.measures["exact_copies"].ceiling == 0.0
    assert found.copies == tuple((i, 199 - i) for i in range(20))
    assert found.measures["membership_inference"].value == 1.0
    assert found.measures["closer_to_train"].value == 1.0
    assert found.measures["attribute_inference"].value == 1.0
    assert found.words[0] == "200 of 200 synthetic rows are exact copies of real rows."
    assert [n.code for n in privacy_notices(found)] == ["table_copies", "close_copies", *["table_leak"] * 3]


def test_some_copies_in_fresh_rows() -> None:
    train, fresh = numbers(300, 0), numbers(300, 1)
    fresh.iloc[:12] = train.iloc[50:62].to_numpy()
    found = privacy(*drawn(train, fresh))
    assert found.measures["exact_copies"] == Measure(12 / 300, *found_bounds(12, 300), 0.0)
    assert found.words[0] == "12 of 300 synthetic rows are exact copies of real rows."
    assert found.copies == tuple((i, i + 50) for i in range(12))
    assert "table_copies" in [n.code for n in privacy_notices(found)]


def found_bounds(count: int, of: int) -> tuple[float, float]:
    from scipy.stats import binomtest

    interval = binomtest(count, of).proportion_ci(method="exact")
    return pytest.approx(interval.low), pytest.approx(interval.high)


@pytest.mark.parametrize("made", [numbers, levels])
def test_fresh_rows_raise_no_alarm(made: object) -> None:
    """Also where equal rows are common: nothing is told that fresh real rows do not show."""
    assert callable(made)
    sides = drawn(made(300, 0), made(300, 1), made(300, 2))
    for holdout in (sides[2], None):
        found = privacy(sides[0], sides[1], holdout)
        assert privacy_notices(found) == ()
        for key, ideal in (("closer_to_train", 0.5), ("membership_inference", 0.5), ("attribute_advantage", 0.0)):
            one = found.measures[key]
            assert one.low is None or one.low <= ideal <= one.high
        if made is levels:
            assert found.measures["exact_copies"].value > 0.99
            assert found.words[1] == (
                "Equal rows are common in this table: there are no more of them than fresh real rows show."
            )


def test_a_column_that_follows_from_another_is_guessed_from_fresh_rows_as_well() -> None:
    def table(seed: int) -> pd.DataFrame:
        kind = np.random.default_rng(seed).choice(list("abcdef"), 300)
        return pd.DataFrame({"kind": kind, "same": np.char.add("is ", kind)})

    found = privacy(*drawn(table(0), table(1), table(2))).measures
    assert found["attribute_inference"].value == found["attribute_inference"].ceiling == 1.0
    assert found["attribute_advantage"].value == 0.0
    shares = np.unique(table(0)["kind"], return_counts=True)[1] / 300
    assert found["attribute_majority"].value == pytest.approx(shares.max())


def test_the_column_that_is_given_away_most_is_named() -> None:
    train, fresh = numbers(400, 0), numbers(400, 1)
    for seed, side in enumerate((train, fresh)):
        side["secret"] = np.random.default_rng(seed).choice(["yes", "no"], 400)
    leak = fresh.copy()
    leak[["a", "b", "c"]] = train[["a", "b", "c"]] + 0.01
    leak["secret"] = train["secret"]
    found = privacy(*drawn(train, leak, fresh))
    assert found.measures["exact_copies"].value == 0.0
    assert re.fullmatch(r"Most is given away of '\w+': (9\d|100)%, and \d\d?% from fresh real rows\.", found.words[-1])
    assert "table_leak" in [n.code for n in privacy_notices(found)]


def test_errors_are_clustered_by_target_and_row() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(50, 4))
    apart = (np.arange(200).reshape(50, 4),)
    wanted = values.mean(1).std() / np.sqrt(50)
    assert _error(values, apart) == pytest.approx(wanted)
    together = (np.repeat(rng.integers(0, 5, 50), 4).reshape(50, 4),)
    sums = [(values - values.mean())[together[0][:, 0] == i].sum() for i in range(5)]
    assert _error(values, together) == pytest.approx(max(np.sqrt(np.sum(np.square(sums))) / 200, wanted))


def test_tiny_tables_have_reasons() -> None:
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(5, 10)))
    frame.columns = [f"c{i}" for i in range(10)]
    r, s = drawn(frame, frame.iloc[:2])
    found = privacy(r, s)
    assert set(found.measures) == set(MEASURES)
    assert found.measures["exact_copies"].value == 1.0
    assert "too few" in found.measures["attribute_inference"].reason
    one = privacy(*drawn(frame.iloc[:2], frame.iloc[:1]))
    assert one.measures["dcr_median"].reason == "2 real and 1 synthetic rows; at least 3 and 2 are needed"


def test_answers_that_are_there_are_used_and_drawn_rows_are_whole_tables_for_copies() -> None:
    from truegrade.engine.run import answer

    tables = coded(numbers(300, 0), numbers(300, 0))
    encoding = Encoding.fit(tables[0])
    r, s = encoding.draw(tables[0], seed=1, most=60), encoding.draw(tables[1], seed=2, most=60)
    found = answer(needs(False), {"real": r.samples, "synthetic": s.samples})
    one, other = privacy(r, s, answers=found), privacy(r, s)
    assert one == other
    assert one.measures["exact_copies"].value == 1.0
