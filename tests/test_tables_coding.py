"""Tables: typing by rule and by wish, one set of terms for both sides (CASES T2, T5, T6, T8, T9, T11, T16)."""

import datetime as dt
import math
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import columns as oracle
from truegrade.errors import InputError
from truegrade.load.mixed import load_table
from truegrade.tables import BLOCK, Coded, code, describe, readers, tally
from truegrade.tables.coder import MOST_EXTRA, OTHERS
from truegrade.tables.dates import day_text, read_date, reading_of
from truegrade.tables.naming import near, quoted
from truegrade.tables.rules import MOST_LEVELS
from truegrade.tables.tally import Tally, Vocabulary
from truegrade.tables.texts import canonical


def table(name="real", **columns):
    return load_table(pa.table(columns), name=name)


def one(values, **types):
    """The column that the values make."""
    return describe(table(x=values), types)["x"]


def pair(real, synthetic):
    schema = describe(table(**real))
    return code(table(**real), schema), code(table("synthetic", **synthetic), schema)


def column_of(coded, name="x"):
    return np.concatenate([block[name] for block in coded.blocks([name])])


def texts_of(coded, name="x"):
    """The levels of a column row by row, None where missing."""
    levels = np.array([*coded.levels(name), None], dtype=object)
    return levels[column_of(coded, name)].tolist()


def codes_of(notices):
    return [notice.code for notice in notices]


# --- typing --------------------------------------------------------------------------------------

RNG = np.random.default_rng(0)
DAYS = [dt.date(2020, 1, 1) + dt.timedelta(days=int(d)) for d in RNG.integers(0, 300, 200)]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([True, False, None], "boolean"),
        (["true", "FALSE", None], "boolean"),
        (["yes", "no", None], "category"),
        (RNG.normal(size=200).tolist(), "number"),
        (RNG.integers(0, 3, 200).tolist(), "few"),
        ([0.5, 1.5] * 3, "few"),
        ([0.5, 1.5, 2.0] * 2 + [2.0, 2.0], "number"),  # not three times each
        (list(range(20)) * 21, "few"),
        (list(range(20)) * 20, "number"),  # 5 % of the rows
        ([v + 0.5 for v in range(20)] * 50, "number"),  # not whole
        (list(range(21)) * 50, "number"),
        (list(range(99)), "number"),
        (list(range(100)), "identifier"),
        (list(range(1000, 0, -5)), "identifier"),
        (RNG.permutation(150).tolist(), "identifier"),
        ([v * v for v in range(150)], "number"),  # whole and without repeats, but no counter
        ([*range(149), None], "number"),
        (DAYS, "date"),
        ([d.isoformat() for d in DAYS], "date"),
        ([f"{d:%d/%m/%Y}" for d in DAYS], "date"),
        ([f"{d:%m/%d/%Y}" for d in DAYS], "date"),
        ([f"{d:%d %b %Y}" for d in DAYS], "date"),
        ([DAYS[0], DAYS[1]] * 50, "few"),
        ([f"{v:.3f}" for v in RNG.normal(size=200)], "number"),
        (["1", "2", "3", "1.0"] * 50, "few"),
        (["007", "012"] * 50, "category"),
        (["a", "b"] * 5, "category"),
        ([f"n{i}" for i in range(19)], "category"),
        ([f"n{i}" for i in range(20)], "identifier"),
        ([f"n{i}" for i in range(1001)] * 3, "identifier"),
        ([f"n{i}" for i in range(1000)] * 3, "category"),
        ([f"the {i}th sentence has so many words" for i in range(40)], "text"),
        ([None, None], "category"),
    ],
)
def test_types_by_rule(values, expected):
    column = one(values)
    assert column.type == expected
    assert column.why
    assert bool(column.levels) == (expected in ("few", "category", "boolean") and any(v is not None for v in values))


def test_t11_truth_values_and_few_whole_numbers_have_levels_and_no_density():
    coded, _ = pair({"b": [True, False, True, None] * 3, "i": [3, 1, 3, 2] * 3}, {"b": [True], "i": [1]})
    assert coded.schema.names("number") == ()
    assert coded.schema["b"].levels == ("true", "false")
    assert coded.schema["i"].levels == ("3", "1", "2")
    assert column_of(coded, "b").tolist() == [0, 1, 0, -1] * 3
    assert column_of(coded, "i").tolist() == [0, 1, 0, 2] * 3


def test_t9_twenty_thousand_unique_strings_in_three_columns_are_identifiers_with_a_note():
    words = {name: [f"{name}{i * 7919 % 20_011}" for i in range(20_000)] for name in "abc"}
    schema = describe(table(**words, x=RNG.normal(size=20_000)))
    assert schema.names("identifier") == ("a", "b", "c")
    (notice,) = schema.notices
    assert notice.code == "columns_left_out"
    assert all(f"'{name}' (identifier" in notice.text for name in "abc")
    coded = code(table(**words, x=RNG.normal(size=20_000)), schema)
    assert coded.facts["a"].distinct == 20_000
    with pytest.raises(KeyError):
        next(coded.blocks(["a"]))


def test_dates_whose_day_and_month_cannot_be_told_apart_are_said_and_not_guessed():
    schema = describe(table(x=["01/02/2020", "03/04/2020", "05/05/2021"] * 5))
    assert schema["x"].type == "category"
    assert "cannot be told apart" in schema["x"].why
    assert codes_of(schema.notices) == ["dates_unclear"]


@pytest.mark.parametrize(
    ("text", "order", "expected"),
    [
        ("2020-02-29", None, "2020-02-29"),
        ("2020/2/9", None, "2020-02-09"),
        ("29.02.2020", "day first", "2020-02-29"),
        ("2-29-2020", "month first", "2020-02-29"),
        ("03/04/2020", None, None),
        ("04/04/2020", None, "2020-04-04"),
        ("Feb 29, 2020", None, "2020-02-29"),
        ("29 February 2020", None, "2020-02-29"),
        ("29 Fob 2020", None, None),
        ("2019-02-29", None, None),
        ("2020-02-29T23:30-02:00", None, "2020-03-01 01:30:00"),
        ("2020-02-29 10:20:30.25Z", None, "2020-02-29 10:20:30.250000"),
        ("1969-12-31", None, "1969-12-31"),
        ("0001-01-01", None, "0001-01-01"),
        ("20200229", None, None),
        ("29/02/20", "day first", None),
    ],
)
def test_dates_are_read_where_there_is_one_way(text, order, expected):
    days, _ = read_date(text, order)
    assert (None if math.isnan(days) else day_text(days)) == expected


@settings(max_examples=100, deadline=None)
@given(st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)))
def test_dates_in_iso_give_the_days_of_the_calendar(moment):
    days, zone = read_date(moment.isoformat())
    assert (days, zone) == ((moment - dt.datetime(1970, 1, 1)) / dt.timedelta(days=1), None)


def test_the_order_of_day_and_month_is_that_which_the_column_tells():
    assert reading_of(["01/02/2020", "13/02/2020"]) == "day first"
    assert reading_of(["01/02/2020", "02/13/2020"]) == "month first"
    assert reading_of(["13/02/2020", "02/13/2020"]) == "none"
    assert reading_of(["01/02/2020", "02/03/2020"]) == "unclear"
    assert reading_of(["01/01/2020", "2020-02-03"]) == "clear"
    assert reading_of(["2020-02-03", "soon"]) == "none"


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(
        st.text(max_size=12),
        st.integers(-(10**18), 10**18).map(str),
        st.floats(allow_nan=False, allow_infinity=False, width=32).map(str),
        st.from_regex(r"[+-]?[0-9]{0,3}\.?[0-9]{0,3}", fullmatch=True),
        st.sampled_from(
            ["True", "FALSE", "NA", "n/a", " None ", "<NA>", "1.", "+1.50", "-0", "-0.0", ".5", ".", "1e3"]
        ),
    )
)
def test_equal_values_have_one_spelling(text):
    assert canonical(text) == oracle.spelling(text)


# --- types as asked for --------------------------------------------------------------------------


def test_types_can_be_asked_for():
    assert one(RNG.integers(0, 3, 60).tolist(), x="number").type == "number"
    assert one(["1.5", "2", None] * 9, x="number").type == "number"
    assert one(list(range(200)), x="number").type == "number"
    assert one(RNG.normal(size=30).tolist(), x="text").type == "text"
    assert one([1, 0, 1], x="boolean").levels == ("1", "0")
    assert one([1.5, 2.5, 2.5], x="category").levels == ("2.5", "1.5")
    assert one([f"n{i}" for i in range(500)], x="category").levels[0] == "n0"
    assert one(["2020-01-01", "2020-02-01"] * 9, x="date").type == "date"
    assert one([DAYS[0], DAYS[1]] * 50, x="date").why == "asked for"


@pytest.mark.parametrize(
    ("values", "kind", "words"),
    [
        (["1", "x", "2"], "number", "1 of its texts are none, such as 'x'"),
        (["1", "inf"], "number", "such as 'inf'"),
        (DAYS, "number", "holds dates"),
        ([1, 2, 3], "date", "holds numbers"),
        (["2020-01-01", "soon"], "date", "such as 'soon'"),
        (["01/02/2020", "03/04/2020"], "date", "cannot be told apart"),
        (["13/02/2020", "02/13/2020"], "date", "change places"),
        ([1, 2, 0], "boolean", "it has '2'"),
        (list(range(1001)), "category", "more than 1,000 different values"),
    ],
)
def test_types_that_values_do_not_fit_are_refused(values, kind, words):
    with pytest.raises(InputError, match=f"'x' of real cannot be compared as '{kind}'.*{words}"):
        one(values, x=kind)


def test_unknown_columns_and_types_are_refused_with_a_hint():
    with pytest.raises(InputError, match=r"'Age', which real does not have; it has 'age'.*Did you mean 'age'\?"):
        describe(table(age=[1, 2]), {"Age": "number"})
    with pytest.raises(InputError, match=r"'numbr' was asked for column 'age'; number, few.*Did you mean 'number'\?"):
        describe(table(age=[1, 2]), {"age": "numbr"})


# --- one set of terms ----------------------------------------------------------------------------


def test_t5_columns_are_matched_by_name_and_differences_listed():
    real = {"a": [1.5, 2.5, 3.5], "b": ["u", "v", "u"], "Income ": [1.0, 2.0, 4.0]}
    coded, other = pair(real, {"income": [1.0], "b": ["v"], "a": [9.0]})
    assert (coded.absent, coded.surplus, coded.notices) == ((), (), ())
    assert (other.absent, other.surplus) == (("Income ",), ("income",))
    assert codes_of(other.notices) == ["columns_absent", "columns_surplus"]
    assert "'Income ' may be what it calls 'income'" in other.notices[0].text
    assert not other.has("Income ")
    assert column_of(other, "a").tolist() == [9.0]
    assert texts_of(other, "b") == ["v"]
    with pytest.raises(KeyError):
        next(other.blocks(["Income "]))


SAME = {
    "int": [1, 2, 1, 1],
    "float": [1.0, 2.0, 1.0, 1.0],
    "text": ["1", "2", "1", "1"],
    "decimals": ["1.0", "2.00", " 1", "+1"],
}


@pytest.mark.parametrize("ours", SAME)
@pytest.mark.parametrize("theirs", SAME)
def test_t6_one_category_whatever_its_type(ours, theirs):
    coded, other = pair({"x": SAME[ours] * 5}, {"x": SAME[theirs]})
    assert coded.schema["x"].levels == ("1", "2")
    assert other.extra == {}
    assert column_of(other).tolist() == [0, 1, 0, 0]
    differ = (ours in ("int", "float")) != (theirs in ("int", "float"))
    assert codes_of(other.notices) == ["harmonised"] * differ


@pytest.mark.parametrize("ours", [[True, False, True], ["True", "false", "TRUE"], [1, 0, 1], ["1", "0", "1.0"]])
@pytest.mark.parametrize("theirs", [[True, False, None], ["true", "FALSE", "NA"], [1.0, 0.0, None], ["1", "0", ""]])
def test_t6_truth_values_are_0_and_1(ours, theirs):
    _, other = pair({"x": ours * 5}, {"x": theirs})
    assert other.extra == {}
    assert column_of(other).tolist() == [0, 1, -1]


def test_extra_levels_follow_the_real_ones_the_most_frequent_first():
    _, other = pair({"x": ["a", "b", "a"]}, {"x": ["c", "d", "d", "b", None]})
    assert other.extra == {"x": ("d", "c")}
    assert other.levels("x") == ("a", "b", "d", "c")
    assert column_of(other).tolist() == [3, 2, 2, 1, -1]
    _, other = pair({"x": [1, 2] * 5}, {"x": [2.5, 2.0, 7.0, 7.0, None, -0.0]})
    assert texts_of(other) == ["2.5", "2", "7", "7", None, "0"]


@pytest.mark.parametrize("kind", ["text", "number", "date"])
def test_ever_new_values_come_to_one_further_level(kind, monkeypatch):
    monkeypatch.setattr(tally, "MOST_DISTINCT", 3_000)
    monkeypatch.setattr(readers, "MOST_DISTINCT", 3_000)
    n = BLOCK + 5_000
    real = {"text": ["5", "6"], "number": [5, 6], "date": [dt.date(1970, 1, 6), dt.date(1970, 1, 7)]}[kind]
    many = np.arange(n)
    values = {"text": [str(v) for v in many], "number": many, "date": many.astype("datetime64[s]")}[kind]
    coded, other = pair({"x": real * 20}, {"x": [*real, *values] if kind == "text" else values})
    assert coded.schema["x"].type in ("few", "category")
    assert len(other.extra["x"]) <= MOST_EXTRA + 1
    assert other.extra["x"][-1] == OTHERS
    counts = np.bincount(column_of(other), minlength=len(other.levels("x")))
    assert counts.sum() == len(other)
    expected = {"text": 2, "number": 1, "date": 0}[kind]
    assert counts[:2].tolist() == [expected, expected]
    assert other.facts["x"].distinct == 3_000


def truth_words(levels):
    """What is read as which level, where the real levels are truth values: all words for true and false where they are
    these two, else true and false for a word each."""
    words = {"true": ["true", "t", "yes", "y", "1"], "false": ["false", "f", "no", "n", "0"]}
    if levels <= set(words):
        pairs = [(word, truth) for truth, own in words.items() for word in own]
        return {form: truth for word, truth in pairs for form in (word, word.upper(), word.title())}
    meant = [truth for level in levels for truth, own in words.items() if level.lower() in own]
    if sorted(set(meant)) != sorted(meant) or len(meant) < len(levels):
        return {}
    return dict(zip(meant, levels, strict=True))


@settings(max_examples=30, deadline=None)
@given(
    *[
        st.lists(
            st.one_of(
                st.none(),
                st.sampled_from(["a", "b", "A", "true", "False", "1", "1.0", "01", " x ", "NA", "2.50", "2.5", ""]),
                st.text(max_size=3),
            ),
            min_size=1,
            max_size=40,
        )
    ]
    * 2
)
def test_codes_spell_what_is_there(ours, theirs):
    schema = describe(table(x=pa.array(ours, pa.string())), {"x": "category"})
    expected = oracle.counts(ours)
    assert dict.fromkeys(schema["x"].levels) == dict.fromkeys(sorted(expected, key=lambda t: -expected[t])) or sorted(
        schema["x"].levels
    ) == sorted(expected)
    ranks = [expected[text] for text in schema["x"].levels]
    assert ranks == sorted(ranks, reverse=True)
    for values in (ours, theirs):
        coded = code(table(x=pa.array(values, pa.string())), schema)
        aliases = truth_words(set(expected))
        spelled = [oracle.spelling(value) for value in values]
        spelled = [aliases[s] if aliases.get(s) in expected else s for s in spelled]
        assert texts_of(coded) == spelled
        assert coded.facts["x"].missing == spelled.count(None)
        assert coded.facts["x"].distinct == len(oracle.counts(values))


# --- numbers and dates ---------------------------------------------------------------------------


def test_facts_equal_plain_sums_over_several_blocks():
    rng = np.random.default_rng(5)
    values = rng.normal(1e6, 1, 2 * BLOCK + 77)
    values[rng.random(len(values)) < 0.2] = np.nan
    coded, _ = pair({"x": values}, {"x": [1.0]})
    facts = coded.facts["x"]
    mean, sd = oracle.moments(values.tolist())
    assert facts.mean == pytest.approx(mean, rel=1e-15)
    assert facts.sd == pytest.approx(sd, rel=1e-10)
    assert (facts.low, facts.high) == (np.nanmin(values), np.nanmax(values))
    assert (facts.rows, facts.missing) == (len(values), np.isnan(values).sum())
    assert facts.distinct == len(set(values[~np.isnan(values)].tolist()))


def test_moments_that_leave_the_range_of_floats_are_none_and_those_of_constants_are_exact():
    huge, constant = Tally(), Tally()
    for _ in range(3):
        huge.add(np.array([1e308, -1e308, 1e308]))
        constant.add(np.full(1000, 0.1))
    assert (huge.mean is None or math.isfinite(huge.mean), huge.sd) == (True, None)
    assert (constant.mean, constant.sd, constant.distinct.number) == (0.1, 0.0, 1)


def test_distinct_values_are_counted_up_to_a_cap(monkeypatch):
    monkeypatch.setattr(tally, "MOST_DISTINCT", 1_000)
    rng = np.random.default_rng(6)
    numbers, words = Tally(), Vocabulary()
    values = rng.integers(0, 900, 20_000).astype(float)
    for part in np.array_split(values, 20):
        numbers.add(part)
    assert numbers.distinct.counts() == dict(sorted(Counter(values.tolist()).items()))
    assert (numbers.distinct.number, numbers.distinct.full) == (len(set(values.tolist())), False)
    for part in np.array_split(np.arange(1_200.0), 8):
        numbers.add(part + 0.5)
        words.add(np.array([*(str(v) for v in part), None, "NA"], dtype=object))
    assert (numbers.distinct.number, numbers.distinct.full, numbers.distinct.counts()) == (1_000, True, {})
    assert (words.number, words.full, words.missing, words.present) == (1_000, True, 16, 1_200)


def test_texts_are_parsed_where_the_real_table_has_numbers_and_what_cannot_be_is_said():
    real = {"x": [1.5, 2.5, 4.0]}
    _, other = pair(real, {"x": ["1.50", " 2 ", "n/a", "?", None, "inf", "3e2"]})
    np.testing.assert_array_equal(column_of(other), [1.5, 2, np.nan, np.nan, np.nan, np.nan, 300])
    facts = other.facts["x"]
    assert (facts.stored, facts.missing, facts.low, facts.high, facts.distinct) == ("text", 4, 1.5, 300, 3)
    assert facts.mean == pytest.approx(303.5 / 3)
    assert codes_of(other.notices) == ["values_unread"]
    assert "2 of 7 values of column 'x' of synthetic cannot be read as number, such as '?'" in other.notices[0].text


@pytest.mark.parametrize(
    ("ours", "theirs", "words"), [([1.5, 2.5, 4.0], DAYS[:2], "but dates"), (DAYS, [1.5, 2.5], "but numbers")]
)
def test_dates_for_numbers_and_numbers_for_dates_count_as_missing(ours, theirs, words):
    _, other = pair({"x": ours}, {"x": theirs})
    assert np.isnan(column_of(other)).all()
    assert (other.facts["x"].missing, other.facts["x"].mean) == (2, None)
    assert codes_of(other.notices) == ["values_unread"]
    assert words in other.notices[0].text


WHEN = [dt.datetime(2021, 1, 1, 12) + dt.timedelta(hours=17 * i) for i in range(40)]
DATES = {
    "datetime64": WHEN,
    "utc": pa.array(WHEN, pa.timestamp("us", "UTC")),
    "zone": pa.array(WHEN, pa.timestamp("ms", "Europe/Paris")),
    "iso": [w.isoformat() for w in WHEN],
    "offset": [w.replace(tzinfo=dt.UTC).astimezone(dt.timezone(dt.timedelta(hours=2))).isoformat() for w in WHEN],
    "day first": [f"{w:%d/%m/%Y %H:%M}" for w in WHEN],
    "months": [f"{w:%b %d, %Y %H:%M}" for w in WHEN],
}
ZONES = {"utc": "UTC", "zone": "Europe/Paris", "offset": "+02:00"}


@pytest.mark.parametrize("ours", DATES)
@pytest.mark.parametrize("theirs", DATES)
def test_t8_dates_of_any_kind_are_the_same_days_and_zones_are_noted(ours, theirs):
    coded, other = pair({"x": DATES[ours]}, {"x": DATES[theirs]})
    assert coded.schema["x"].type == "date"
    days = [(w - dt.datetime(1970, 1, 1)) / dt.timedelta(days=1) for w in WHEN]
    np.testing.assert_allclose(column_of(coded), days, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(column_of(coded), column_of(other))
    assert other.facts["x"].zone == ZONES.get(theirs)
    differ = ZONES.get(ours) != ZONES.get(theirs)
    assert codes_of(other.notices) == ["zones_differ"] * differ
    if differ:
        assert (
            f"({ZONES.get(ours, 'none')} in the real table, {ZONES.get(theirs, 'none')} here)" in other.notices[0].text
        )


def test_t8_dates_that_cannot_be_read_are_counted_and_said():
    _, other = pair({"x": DAYS}, {"x": ["2020-01-01", "soon", None, "01/02/2020"]})
    np.testing.assert_array_equal(column_of(other), [18262, np.nan, np.nan, np.nan])
    assert other.facts["x"].missing == 3
    assert "2 of 4 values of column 'x' of synthetic cannot be read as date, such as 'soon'" in other.notices[0].text


def test_unclear_dates_are_read_in_the_order_of_the_real_table():
    _, other = pair({"x": [f"{d:%d/%m/%Y}" for d in DAYS]}, {"x": ["01/02/2020", "03/04/2020"]})
    epoch = dt.date(1970, 1, 1)
    assert column_of(other).tolist() == [(dt.date(2020, 2, 1) - epoch).days, (dt.date(2020, 4, 3) - epoch).days]


@pytest.mark.parametrize("values", [[None, None, None], [float("nan")] * 3])
@pytest.mark.parametrize("other", [[1.5, 2.5, 3.5], ["a", "b", None], [None, None, None], [True, None, None]])
def test_t2_a_column_without_values_on_either_side_works(values, other):
    for real, synthetic in ((values, other), (other, values), (values, values)):
        for coded in pair({"x": real, "y": [1, 2, 3]}, {"x": synthetic, "y": [1, 2, 3]}):
            expected = sum(v is None or v != v for v in (real if coded.name == "real" else synthetic))
            assert coded.facts["x"].missing == expected
            found = column_of(coded)
            assert (np.isnan(found) if found.dtype == np.float64 else found < 0).sum() == expected
            assert "values_unread" not in codes_of(coded.notices)


def test_t16_tables_of_categories_tiny_tables_and_one_column_work():
    words = {f"c{i}": ["a", "b", None, "a", "c"] for i in range(10)}
    coded, other = pair(words, words)
    assert coded.schema.names("category") == tuple(words)
    assert [block["c3"].tolist() for block in other.blocks(["c3", "c9"])] == [[0, 1, -1, 0, 2]]
    coded, _ = pair({f"x{i}": RNG.normal(size=5) for i in range(10)}, {"x0": [1.0]})
    assert coded.schema.names("number") == tuple(f"x{i}" for i in range(10))
    coded, other = pair({"x": [1.0]}, {"x": [2.0]})
    assert (coded.facts["x"].mean, coded.facts["x"].sd, column_of(other).tolist()) == (1.0, None, [2.0])


# --- rows ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(7)
    n = BLOCK + 1000
    real = {"x": rng.normal(size=n), "w": rng.choice(["a", "b"], n), "k": rng.integers(0, 4, n), "i": np.arange(n)}
    synthetic = {
        "x": [f"{v:.3f}" for v in real["x"]],
        "w": rng.choice(["a", "c", None], n),
        "k": real["k"],
        "z": real["k"],
    }
    return pair(real, synthetic)


@pytest.mark.parametrize("side", [0, 1])
def test_taken_rows_are_the_rows_of_the_blocks(mixed, side):
    coded: Coded = mixed[side]
    names = ["k", "w", "x"]
    rows = coded.sample_rows(500, seed=3)
    assert len(rows) == 500
    assert (np.diff(rows) > 0).all()
    taken = coded.take(names, rows)
    for name in names:
        np.testing.assert_array_equal(taken[name], column_of(coded, name)[rows])


def test_drawn_rows_are_all_rows_where_there_are_few_and_follow_the_seed(mixed):
    coded = mixed[0]
    np.testing.assert_array_equal(coded.sample_rows(10**6, 0), np.arange(len(coded)))
    assert (coded.sample_rows(50, 1) == coded.sample_rows(50, 1)).all()
    assert (coded.sample_rows(50, 1) != coded.sample_rows(50, 2)).any()


def test_the_table_is_read_once_for_types_and_codes(mixed):
    read = load_table(pd.DataFrame({"x": [1.5, 2.5], "w": ["a", "b"]}))
    passes = []
    blocks = type(read.store).blocks
    object.__setattr__(read, "store", Counted(read.store, passes))
    code(read, describe(read))
    assert len(passes) == 1
    assert blocks is type(read.store.store).blocks


class Counted:
    def __init__(self, store, passes):
        self.store, self.passes = store, passes

    def __getattr__(self, name):
        return getattr(self.store, name)

    def __len__(self):
        return len(self.store)

    def blocks(self, names):
        self.passes.append(names)
        return self.store.blocks(names)


def test_names_in_messages_are_short_and_harmless():
    assert quoted("x" * 10_000) == repr("x" * 60 + "…")
    assert quoted("a\nb\x1b") == r"'a\nb\x1b'"
    assert near("body.mass", ["Body Mass", "height"]) == "Body Mass"
    assert near("age", ["height", "weight"]) is None
    schema = describe(table(**{"y" * 10_000: [f"{i}!" for i in range(50)]}))
    assert len(schema.notices[0].text) < 500


def test_polars_and_pandas_agree_where_a_category_is_unused():
    data = ["b", "a", "b", None]
    frames = [
        pl.DataFrame({"x": data}).with_columns(pl.col("x").cast(pl.Enum(["z", "a", "b"]))),
        pd.DataFrame({"x": pd.Categorical(data, categories=["z", "a", "b"])}),
    ]
    for frame in frames:
        assert describe(load_table(frame))["x"].levels == ("b", "a")


def test_more_levels_than_are_compared_are_no_category():
    assert MOST_LEVELS == 1_000
    declared = pd.DataFrame({"x": pd.Categorical([f"n{i % 1001}" for i in range(3003)])})
    assert describe(load_table(declared))["x"].type == "identifier"


# --- truth values in other words, and sides that share nothing ----------------------------------------------


@pytest.mark.parametrize(("yes", "no"), [("yes", "no"), ("Y", "N"), ("True", "FALSE"), ("t", "f"), ("1", "0"), (1, 0)])
def test_truth_values_read_all_words_for_them_and_words_read_truth_values(yes, no):
    _, other = pair({"x": [True, False, True]}, {"x": [no, no, yes, None]})
    assert texts_of(other) == ["false", "false", "true", None]
    assert (codes_of(other.notices), other.extra) == (["harmonised"], {})
    if isinstance(yes, str) and yes.lower() not in ("true", "1"):
        _, back = pair({"x": [yes, no, yes]}, {"x": [False, True, None]})
        assert texts_of(back) == [no, yes, None]


def test_words_that_are_levels_are_only_themselves():
    _, other = pair({"x": ["yes", "no", "yes"]}, {"x": ["Yes", "no"]})
    assert other.extra == {"x": ("Yes",)}
    _, other = pair({"x": ["m", "f", "f"]}, {"x": [True, False]})  # f is no truth value beside m
    assert other.extra == {"x": ("false", "true")}


def test_sides_without_a_common_level_are_named():
    _, other = pair({"x": ["m", "f", "f"]}, {"x": [True, False]})
    assert [(n.code, n.severity) for n in other.notices] == [("levels_foreign", "serious")]
    assert "'x': no level occurs on both sides ('f', 'm' in the real table / 'false', 'true'" in other.notices[0].text
    _, other = pair({"x": ["m", "f", "f"]}, {"x": ["f", "w"]})
    assert "levels_foreign" not in codes_of(other.notices)


@pytest.mark.parametrize(("bad", "severity"), [(4, "serious"), (3, "serious"), (2, "caution"), (1, "caution")])
def test_a_column_that_cannot_be_read_for_the_most_part_is_serious(bad, severity):
    texts = ["€0.32", "-0.3%", "n/s", "?"][:bad] + ["1.5", "2.5", "3.5", "4.5"][bad:]
    _, other = pair({"x": [1.5, 2.5, 4.0]}, {"x": texts})
    assert [(n.code, n.severity) for n in other.notices] == [("values_unread", severity)]


def test_the_reason_of_a_date_in_a_csv_is_its_text(tmp_path):
    rows = [f"{day},{bool(day.day % 2)}" for day in DAYS]
    (tmp_path / "a.csv").write_text("\n".join(["day,odd", *rows]))
    schema = describe(load_table(tmp_path / "a.csv"))
    assert schema["day"].why == "all texts read as YYYY-MM-DD"
    assert schema["odd"].why == "the texts are true or false"
    assert describe(load_table(pa.table({"day": DAYS})))["day"].why == "the source says so"
