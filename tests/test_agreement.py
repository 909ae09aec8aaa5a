"""Agreement with people: against published values, hand-made cases, naive definitions and other libraries."""

from __future__ import annotations

import csv
import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy import stats
from sklearn.metrics import cohen_kappa_score

import truegrade as tg
from truegrade import cli
from truegrade.agreement import AgreementReport, ChoiceAgreement
from truegrade.agreement.kappa import cohen_kappa, signed_rank_p
from truegrade.agreement.ranks import average_ranks, kendall, spearman
from truegrade.errors import InputError

HUMAN = Path(__file__).resolve().parents[2] / "shared" / "data" / "human"
ERRORS, SCORES = HUMAN / "dgm_eval_human_error_per_model.csv", HUMAN / "dgm_eval_metrics_per_model.csv"
needs_data = pytest.mark.skipif(not ERRORS.is_file(), reason="the shared data are not here")
Floats = NDArray[np.float64]
Table = dict[str, list[Any]]


def by_dataset(report: AgreementReport, score: str) -> dict[str, float | None]:
    found = report[score]
    assert isinstance(found, dict)
    return {dataset: one.spearman.value for dataset, one in found.items()}


def choice(report: AgreementReport, score: str) -> ChoiceAgreement:
    found = report[score]
    assert isinstance(found, ChoiceAgreement)
    return found


# --- the published data --------------------------------------------------------------------------------------


TOLD = {"on": "model_table11=model", "rating": "err_rt", "columns": ["fd_dinov2", "coverage"]}


@needs_data
@pytest.mark.parametrize("options", [{}, TOLD])
def test_spearman_with_the_published_human_error_rates(options: dict[str, Any]) -> None:
    report = tg.agree(ERRORS, SCORES, **options)
    expected = {
        "fd_dinov2": {"cifar10": -0.967, "imagenet256": -0.836, "lsun256": -0.976, "ffhq256": -0.383},
        "coverage": {"cifar10": 0.973, "imagenet256": 0.852, "lsun256": 0.952, "ffhq256": 0.250},
    }
    for score, values in expected.items():
        assert by_dataset(report, score) == {name: pytest.approx(v, abs=5e-4) for name, v in values.items()}
    assert report.rating == "err_rt"
    assert report.joined == "model_table11 = model, 41 of 41 rated models"
    assert report.unmatched_ratings == ()
    assert report.unmatched_scores == ("cifar10 / Test Set", "imagenet256 / Validation Set")
    assert report.left_out == (() if options else ("family",))


@needs_data
def test_joined_by_the_names_that_differ_what_does_not_match_is_listed() -> None:
    report = tg.agree(ERRORS, SCORES, on="model", columns="fd_dinov2")
    assert "cifar10 / PFGMPP" in report.unmatched_ratings
    assert "cifar10 / PFGM++" in report.unmatched_scores
    assert "ffhq256 / ldm" not in report.unmatched_ratings  # LDM: only the case differs
    sizes = {c.dataset: c.n for c in report.correlations}
    assert sum(sizes.values()) + len(report.unmatched_ratings) == 41


@needs_data
def test_published_values_are_those_of_scipy() -> None:
    with open(ERRORS) as one, open(SCORES) as other:
        errors = {(r["dataset"], r["model_table11"]): float(r["err_rt"]) for r in csv.DictReader(one)}
        rows = {(r["dataset"], r["model"]): r for r in csv.DictReader(other)}
    report = tg.agree(ERRORS, SCORES)
    for found in report.correlations:
        pairs = [
            (e, float(rows[key][found.score]))
            for key, e in errors.items()
            if key[0] == found.dataset and rows[key][found.score]
        ]
        assert found.n == len(pairs)
        assert found.n + found.missing == sum(key[0] == found.dataset for key in errors)
        x, y = np.array(pairs).reshape(-1, 2).T
        if len(set(y)) < 2:
            assert found.spearman.reason is not None
        else:
            assert found.spearman.value == pytest.approx(stats.spearmanr(x, y).statistic)
            assert found.kendall.value == pytest.approx(stats.kendalltau(x, y).statistic)


# --- rank correlations ---------------------------------------------------------------------------------------


def test_ranks_by_hand() -> None:
    assert average_ranks(np.array([30.0, 10.0, 20.0, 10.0])).tolist() == [4.0, 1.5, 3.0, 1.5]


def test_correlations_by_hand() -> None:
    x, y = np.array([1.0, 2.0, 3.0, 4.0]), np.array([10.0, 30.0, 20.0, 40.0])
    assert spearman(x, y).value == pytest.approx(1 - 6 * (0 + 1 + 1 + 0) / (4 * 15))  # 0.8
    assert kendall(x, y).value == pytest.approx((5 - 1) / 6)
    tied = np.array([10.0, 20.0, 20.0, 40.0])  # one pair is tied: 5 concordant, none discordant
    assert kendall(x, tied).value == pytest.approx(5 / math.sqrt(6 * 5))


def test_a_perfect_order_of_five_has_two_of_120_permutations() -> None:
    x = np.arange(5.0)
    for found in (spearman(x, x), kendall(x, -x)):
        assert abs(found.value or 0) == 1.0
        assert found.p == pytest.approx(2 / 120)
        assert found.interval is None
        assert found.reason == "a perfect order has no interval"


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("n", [4, 5])
def test_small_samples_are_tested_over_all_permutations(n: int, tied: bool) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, n))
    if tied:
        x, y = np.round(x), np.round(y)
    for ours, theirs in ((spearman, stats.spearmanr), (kendall, stats.kendalltau)):
        every = [theirs(x, np.array(order)).statistic for order in itertools.permutations(y)]
        value = theirs(x, y).statistic
        found = ours(x, y)
        assert found.value == pytest.approx(value)
        assert found.p == pytest.approx(np.mean(np.abs(every) >= abs(value) - 1e-9))


@pytest.mark.parametrize("tied", [False, True])
def test_larger_samples_are_as_in_scipy(tied: bool) -> None:
    rng = np.random.default_rng(7)
    for _ in range(20):
        n = int(rng.integers(10, 60))
        x = rng.normal(size=n)
        y = 0.4 * x + rng.normal(size=n)
        if tied:
            x, y = np.round(x), np.round(y)
        rho, tau = stats.spearmanr(x, y), stats.kendalltau(x, y, method="asymptotic")
        ours = spearman(x, y), kendall(x, y)
        assert (ours[0].value, ours[0].p) == (pytest.approx(rho.statistic), pytest.approx(rho.pvalue))
        assert (ours[1].value, ours[1].p) == (pytest.approx(tau.statistic), pytest.approx(tau.pvalue))


def test_intervals_cover_the_correlation_of_the_law() -> None:
    """Of a bivariate normal law with correlation r: rho = 6 / pi asin(r / 2), tau = 2 / pi asin(r)."""
    r, n, trials = 0.7, 25, 600
    rng = np.random.default_rng(1)
    truth = {"rho": 6 / math.pi * math.asin(r / 2), "tau": 2 / math.pi * math.asin(r)}
    inside = dict.fromkeys(truth, 0)
    for _ in range(trials):
        x, e = rng.normal(size=(2, n))
        y = r * x + math.sqrt(1 - r * r) * e
        for name, found in (("rho", spearman(x, y)), ("tau", kendall(x, y))):
            assert found.interval is not None
            inside[name] += found.interval.low <= truth[name] <= found.interval.high
    assert all(0.92 <= count / trials <= 0.99 for count in inside.values()), inside


def test_p_is_uniform_without_association() -> None:
    rng = np.random.default_rng(2)
    for n in (7, 15):
        p = [found.p for _ in range(400) for found in [spearman(*rng.normal(size=(2, n)))]]
        assert 0.02 < np.mean(np.array(p, dtype=float) <= 0.05) < 0.085


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([1.0, 2.0], [1.0, 2.0], "2 models; at least 3 are needed"),
        ([], [], "0 models"),
        ([1.0, 2.0, 3.0], [5.0, 5.0, 5.0], "the score is the same for all 3 models"),
        ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], "the human number is the same"),
    ],
)
def test_undefined_correlations_have_a_reason(x: list[float], y: list[float], reason: str) -> None:
    for correlate in (spearman, kendall):
        found = correlate(np.array(x), np.array(y))
        assert (found.value, found.p, found.interval) == (None, None, None)
        assert reason in (found.reason or "")


# --- kappa and signed ranks ------------------------------------------------------------------------------------


def test_kappa_by_hand() -> None:
    people, score = np.array([0, 0, 0, 1, 1, 1, 0, 1]), np.array([0, 0, 1, 1, 1, 0, 2, 2])  # 2: a tie of the score
    expected = 0.5 * 3 / 8 + 0.5 * 3 / 8
    assert cohen_kappa(people, score) == pytest.approx((4 / 8 - expected) / (1 - expected))


def test_kappa_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        n = int(rng.integers(5, 40))
        people, score = rng.integers(0, 2, n), rng.integers(0, 3, n)
        assert cohen_kappa(people, score) == pytest.approx(cohen_kappa_score(people, score, labels=[0, 1, 2]))


def test_kappa_without_variety_is_undefined() -> None:
    assert "chance alone" in str(cohen_kappa(np.zeros(4, int), np.zeros(4, int)))
    assert cohen_kappa(np.zeros(4, int), np.ones(4, int)) == 0.0
    assert cohen_kappa(np.zeros(0, int), np.zeros(0, int)) == "no answers"


def test_signed_ranks_by_hand_and_as_in_scipy() -> None:
    assert signed_rank_p([1.0, 2.0, 3.0]) == pytest.approx(1 / 8)
    assert signed_rank_p([-1.0, 2.0, 3.0]) == pytest.approx(2 / 8)  # sums 5 and 6 of 0 to 6
    rng = np.random.default_rng(0)
    for n in (5, 12, 30):
        d = rng.normal(0.3, 1, n)
        assert signed_rank_p(d) == pytest.approx(stats.wilcoxon(d, alternative="greater", method="exact").pvalue)


def test_signed_ranks_with_ties_and_zeros_are_exact() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        d = rng.integers(-2, 5, 9) / 10 + rng.choice([0.0, 1e-15], 9)  # equal but for rounding
        kept = np.round(d[np.abs(d) > 1e-12], 12)
        ranks = stats.rankdata(np.abs(kept))
        observed = ranks[kept > 0].sum()
        sums = [ranks[np.array(signs, dtype=bool)].sum() for signs in itertools.product([0, 1], repeat=len(kept))]
        assert signed_rank_p(d) == pytest.approx(np.mean(np.array(sums) >= observed - 1e-9))


def test_signed_ranks_without_differences_are_undefined() -> None:
    assert signed_rank_p([0.0, 0.0]) == "for every rater both are the same, so there is nothing to test"
    assert "at least 2" in str(signed_rank_p([0.5]))


# --- choices ---------------------------------------------------------------------------------------------------

ITEMS: Table = {"item": ["a", "b", "c", "d"], "good": [4, 3, 2, 1], "bad": [1, 2, 3, 4], "flat": [1, 1, 1, 1]}
PAIRS = [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"), ("a", "d"), ("d", "b")]


def answers(wrong: dict[str, int]) -> Table:
    """Each rater prefers the earlier letter, but for the first so many pairs."""
    rows = []
    for rater, errors in wrong.items():
        for i, (first, second) in enumerate(PAIRS):
            better, worse = sorted((first, second))
            rows.append((rater, first, second, worse if i < errors else better))
    return dict(zip(("rater", "first", "second", "choice"), map(list, zip(*rows, strict=True)), strict=True))


WRONG = {"ann": 0, "ben": 1, "cid": 0, "dot": 2, "eve": 0}


def test_choices_by_hand() -> None:
    report = tg.agree(answers(WRONG), ITEMS, higher=["good", "bad", "flat"])
    kappas = {(r.rater, r.score): r.kappa for r in report.raters}
    assert kappas["ann", "good"] == 1.0
    assert kappas["ann", "bad"] == -1.0  # first and second are chosen equally often
    assert kappas["ann", "flat"] == 0.0  # all ties: no agreement, none expected
    # ben errs once: 5 of 6 agree; he chose first 2, second 4 times, the score 3 and 3
    assert kappas["ben", "good"] == pytest.approx((5 / 6 - 0.5) / 0.5)
    good, bad, flat = (choice(report, name) for name in ("good", "bad", "flat"))
    assert (good.n, good.tied, good.raters) == (30, 0, 5)
    assert good.accuracy == pytest.approx(27 / 30)
    assert good.mean_kappa == pytest.approx(np.mean([kappas[r, "good"] for r in WRONG]))
    assert (flat.tied, flat.accuracy, flat.kappa) == (30, 0.0, 0.0)
    assert good.p == pytest.approx(1 / 32)  # all five raters above chance
    assert bad.p == pytest.approx(1.0)
    assert (flat.p, flat.reason) == (None, "for every rater both are the same, so there is nothing to test")
    assert (good.p_holm, bad.p_holm, flat.p_holm) == (pytest.approx(2 / 32), pytest.approx(1.0), None)


def test_overall_kappa_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(3)
    scores: Table = {"item": list("abcdef"), "s": [1, 2, 2, 3, 4, 4]}
    pairs = [rng.choice(6, 2, replace=False) for _ in range(60)]
    sides = rng.integers(0, 2, 60)
    table: Table = {
        "rater": [f"r{i % 4}" for i in range(60)],
        "first": ["abcdef"[a] for a, _ in pairs],
        "second": ["abcdef"[b] for _, b in pairs],
        "choice": [("first", "second")[s] for s in sides],
    }
    value = scores["s"]
    theirs = [0 if value[a] > value[b] else 1 if value[b] > value[a] else 2 for a, b in pairs]
    found = choice(tg.agree(table, scores, higher="s"), "s")
    assert found.tied == theirs.count(2) > 0
    assert found.kappa == pytest.approx(cohen_kappa_score(sides, theirs, labels=[0, 1, 2]))
    each = [
        cohen_kappa_score(sides[i::4], theirs[i::4], labels=[0, 1, 2]) for i in range(4)
    ]
    assert found.mean_kappa == pytest.approx(np.mean(each))
    assert found.p == pytest.approx(stats.wilcoxon(each, alternative="greater", method="exact").pvalue)


def test_a_reference_score_is_tested_both_ways() -> None:
    report = tg.agree(answers(WRONG), ITEMS, higher=["good", "bad", "flat"], reference="flat")
    good, bad, flat = (choice(report, name) for name in ("good", "bad", "flat"))
    assert (good.p, good.p_worse) == (pytest.approx(1 / 32), pytest.approx(1.0))
    assert (bad.p, bad.p_worse) == (pytest.approx(1.0), pytest.approx(1 / 32))
    assert (good.p_holm, bad.p_worse_holm) == (pytest.approx(2 / 32), pytest.approx(2 / 32))
    assert (flat.p, flat.p_worse) == (None, None)
    assert report.reference == "flat"


def test_directions_come_from_the_metrics_or_are_asked_for() -> None:
    items: Table = {
        "item": list("abcd"),
        "precision": [0.9, 0.8, 0.7, 0.6],
        "frechet_distance": [1, 2, 3, 4],
        "density": [1.0, 1.1, 0.8, 2.0],  # target 1
        "mine": [1, 2, 3, 4],
    }
    with pytest.raises(InputError, match="--higher mine or --lower mine"):
        tg.agree(answers(WRONG), items)
    report = tg.agree(answers(WRONG), items, lower="mine")
    kappas = {c.score: c.kappa for c in report.choices}
    assert len(set(kappas.values())) == 1  # all four order the items alike
    assert kappas["mine"] == pytest.approx(kappas["precision"])
    assert (kappas["mine"] or 0) > 0.7
    assert [c.direction for c in report.choices] == ["higher", "lower", "near 1", "lower"]
    with pytest.raises(InputError, match="higher and as lower"):
        tg.agree(answers(WRONG), items, higher="mine", lower="mine")
    turned = tg.agree(answers(WRONG), items, columns="precision", lower="precision")
    assert choice(turned, "precision").kappa == pytest.approx(-(kappas["precision"] or 0))


def test_choices_may_be_sides_or_names_and_may_be_missing() -> None:
    names = answers(WRONG)
    choices = ["First" if c == f else "second" for c, f in zip(names["choice"], names["first"], strict=True)]
    by_side, by_name = (
        tg.agree(table, ITEMS, higher="good", columns="good") for table in ({**names, "choice": choices}, names)
    )
    assert by_side.raters == by_name.raters
    some = {**names, "choice": [*names["choice"][:-2], "", "nan"]}
    report = tg.agree(some, ITEMS, higher="good", columns="good")
    assert choice(report, "good").n == 28
    assert report.notes == ("answers left out, without a choice: 2",)


def test_items_may_have_a_context() -> None:
    """Two models answer each item; the scores have one row for every item and model."""
    scores: Table = {"item": ["1", "1", "2", "2"], "model": ["A", "B", "A", "B"], "s": [1, 2, 2, 1]}
    ratings: Table = {
        "rater": ["x", "x", "y", "y"],
        "item": ["1", "2", "1", "2"],
        "first": ["A"] * 4,
        "second": ["B"] * 4,
        "choice": ["B", "A", "B", "A"],
    }
    assert choice(tg.agree(ratings, scores, higher="s"), "s").kappa == 1.0


def test_a_missing_score_leaves_its_answers_out() -> None:
    items = {**ITEMS, "good": [4, None, 2, 1]}
    report = tg.agree(answers(WRONG), items, columns="good", higher="good")
    found = choice(report, "good")
    assert found.missing == 5 * sum("b" in pair for pair in PAIRS)
    assert found.n + found.missing == 30


def test_names_without_a_score_are_listed() -> None:
    items = {name: column[:-1] for name, column in ITEMS.items()}
    report = tg.agree(answers(WRONG), items, columns="good", higher="good")
    assert report.unmatched_ratings == ("d",)
    lost = 5 * sum("d" in pair for pair in PAIRS)
    assert report.notes == (f"answers left out, about names that the scores do not have: {lost}",)


@pytest.mark.parametrize(
    ("change", "options", "says"),
    [
        ({"choice": ["neither"] * 30}, {}, "has the choice 'neither'"),
        ({"second": ["a"] * 30, "first": ["a"] * 30}, {}, "shows 'a' twice"),
        ({"rater": [""] * 30}, {}, "have no rater"),
        ({"first": ["q"] * 30}, {}, "No pair of the ratings"),
        ({}, {"reference": "x"}, "reference='x' given"),
        ({}, {"columns": "x"}, "no column 'x'"),
        ({}, {"higher": "x"}, "no column 'x'"),
        ({}, {"rating": "x"}, "the ratings are choices"),
    ],
)
def test_wrong_choices_are_refused(change: Table, options: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as caught:
        tg.agree({**answers(WRONG), **change}, ITEMS, **{"columns": "good", "higher": "good", **options})
    assert says in str(caught.value)


# --- joining and tables ----------------------------------------------------------------------------------------

RATED: Table = {"model": ["A", "B", "C", "D"], "rating": [1, 2, 3, 4]}
SCORED: Table = {"model": ["A", "B", "C", "D"], "s": [1, 3, 2, 4]}


def test_names_match_loosely_only_without_doubt() -> None:
    rated = {"model": ["PFGM", "PFGM++", "style gan", "BIG-GAN", "x-1", "X 1"], "rating": [1, 2, 3, 4, 5, 6]}
    scored = {"model": ["PFGM++", "StyleGAN", "biggan", "X1", "other"], "s": [1, 2, 3, 4, 5]}
    report = tg.agree(rated, scored)
    assert report.unmatched_ratings == ("PFGM", "x-1", "X 1")  # PFGM++ is taken, x-1 and X 1 mean the same
    assert report.unmatched_scores == ("X1", "other")
    assert report.correlations[0].n == 3


def test_the_column_with_most_names_is_chosen_and_said() -> None:
    rated = {"model": ["m1", "m2", "m3"], "paper": ["A", "B", "C"], "rating": [1, 2, 3]}
    report = tg.agree(rated, SCORED)
    assert report.joined == "paper = model, 3 of 3 rated models"
    report = tg.agree({"model": RATED["model"], "paper": RATED["model"], "rating": RATED["rating"]}, SCORED)
    assert report.joined.startswith("model = model")


def test_missing_numbers_are_counted_and_said() -> None:
    report = tg.agree({**RATED, "rating": [1, 2, None, 4]}, {**SCORED, "t": ["", "1", "2", "NaN"]})
    sizes = {c.score: (c.n, c.missing) for c in report.correlations}
    assert sizes == {"s": (3, 1), "t": (1, 3)}
    assert "no number for 3 of 4 models, which were left out: t" in report.notes


def test_a_constant_score_and_two_models_are_undefined_with_a_reason() -> None:
    report = tg.agree(RATED, {"model": RATED["model"], "flat": [2, 2, 2, 2], "two": [1, 2, "", ""]})
    for found, words in zip(report.correlations, ("the same for all 4", "2 models"), strict=True):
        assert found.spearman.value is None
        assert words in (found.spearman.reason or "")
        assert words in str(report)


def test_data_frames_and_files_are_the_same_table(tmp_path: Path) -> None:
    expected = tg.agree(RATED, SCORED).correlations
    assert tg.agree(pd.DataFrame(RATED), pl.DataFrame(SCORED)).correlations == expected
    pd.DataFrame(RATED).to_csv(tmp_path / "r.tsv", sep="\t", index=False)
    pd.DataFrame(SCORED).to_csv(tmp_path / "s.csv", sep=";", index=False)
    assert tg.agree(tmp_path / "r.tsv", str(tmp_path / "s.csv")).correlations == expected


@pytest.mark.parametrize(
    ("ratings", "scores", "options", "says"),
    [
        ({"a": [1], "b": [2]}, SCORED, {}, "have the columns 'a', 'b'. Accepted are"),
        ({"rater": ["x"], "first": ["a"], "choice": ["a"]}, SCORED, {}, "rater, first, second, choice"),
        ({"model": ["A"], "one": [1], "two": [2]}, SCORED, {}, "which column is the human number? Found 'one', 'two'"),
        (RATED, {"thing": ["A"], "s": [1]}, {}, "no column that names the models"),
        (RATED, {"model": ["x", "y"], "s": [1, 2]}, {}, "No name of the ratings (A, B, C, D ...)"),
        (RATED, {"model": ["A", "A"], "s": [1, 2]}, {}, "'A' twice, in rows 1 and 2"),
        ({"model": ["A", "A"], "rating": [1, 2]}, SCORED, {}, "'A' twice, in rows 1 and 2"),
        (RATED, {"model": ["A", ""], "s": [1, 2]}, {}, "row 2 below the header: model must be there"),
        (RATED, {**SCORED, "s": [1, "high", 2, 3]}, {}, "row 2 below the header, hold 'high' in the column 's'"),
        (RATED, {**SCORED, "s": [1, "inf", 2, 3]}, {}, "finite numbers"),
        (RATED, {**SCORED, "t": list("wxyz")}, {"columns": ["t"]}, "row 1 below the header, hold 'w'"),
        (RATED, {"model": ["A"], "t": ["w"]}, {}, "no column of numbers"),
        (RATED, SCORED, {"rating": "x"}, "no column 'x'"),
        (RATED, SCORED, {"on": "x"}, "no column 'x'"),
        (RATED, SCORED, {"on": "=x"}, "RATINGS_COLUMN=SCORES_COLUMN"),
        (RATED, SCORED, {"higher": "s"}, "concern choices between two"),
        (RATED, SCORED, {"columns": [1]}, "names of columns"),
        (RATED, {"model": ["A"], "s": [1, 2]}, {}, "different lengths"),
        (RATED, {"model": [], "s": []}, {}, "no rows"),
        (RATED, {}, {}, "no rows"),
        (RATED, 7, {}, "of type int"),
        ("nowhere.csv", SCORED, {}, "There is no file nowhere.csv"),
    ],
)
def test_wrong_tables_are_refused(ratings: Any, scores: Any, options: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as caught:
        tg.agree(ratings, scores, **options)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "no rows"),
        (b"model,s\n", "no rows"),
        (b"model,s\nA,1,2\n", "row 1 below the header has 3 cells, the header 2"),
        (b"model,s,s\nA,1,2\n", "two columns 's'"),
        (b"model,s\n\xff\xfe,1\n", "not UTF-8"),
        (b'model,s\n"' + b"x" * 200_000 + b'",1\n', "cannot be read as a table"),
    ],
)
def test_wrong_files_are_refused(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "s.csv").write_bytes(content)
    with pytest.raises(InputError) as caught:
        tg.agree(RATED, tmp_path / "s.csv")
    assert says in str(caught.value)


# --- outputs -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["ratings", "choices"])
def test_reports_survive_json(tmp_path: Path, form: str) -> None:
    report = tg.agree(RATED, SCORED)
    if form == "choices":
        report = tg.agree(answers(WRONG), ITEMS, higher=["good", "bad", "flat"])
    path = report.to_json(tmp_path / "a.json")
    again = AgreementReport.from_json(path)
    assert again == report
    assert str(again) == str(report)
    record = json.loads(path.read_text())
    assert record["kind"] == "agreement"
    record["schema"] = 99
    with pytest.raises(InputError, match="schema version 99"):
        AgreementReport.from_dict(record)


HOSTILE = ["<script>alert(1)</script>", "[bold]x[/bold]", "\u202egnp.exe", "\x1b[31mred", "n" * 10_000]


def test_hostile_names_stay_text() -> None:
    rated = {"model": HOSTILE, "rating": [1, 2, 3, 4, 5]}
    text = str(tg.agree(rated, {"model": HOSTILE[:-1], "\x1b[2J[red]s": [1, 2, 3, 5]}))
    assert "[red]s" in text
    people = {**answers(WRONG), "rater": [HOSTILE[i % 5] for i in range(30)]}
    text += str(tg.agree(people, ITEMS, higher=["good", "bad", "flat"]))
    assert not {"\x1b", "\u202e"} & set(text)
    assert "[bold]x[/bold]" in text
    assert max(map(len, text.splitlines())) <= 112


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(RATED).to_csv("r.csv", index=False)
    pd.DataFrame({**SCORED, "t": [4, 3, 2, 1]}).to_csv("s.csv", index=False)
    assert cli.main(("agree", "r.csv", "s.csv", "--scores", "s,t", "--json", "out/a.json")) == 0
    shown = capsys.readouterr().out
    assert "0.800" in shown
    assert "-1.000" in shown
    assert cli.main(("show", "out/a.json")) == 0
    assert capsys.readouterr().out == shown
    pd.DataFrame(answers(WRONG)).to_csv("c.csv", index=False)
    pd.DataFrame(ITEMS).to_csv("i.csv", index=False)
    assert cli.main(("agree", "c.csv", "i.csv", "--higher", "good,bad", "--lower", "flat", "--reference", "flat")) == 0
    assert "tested against flat" in capsys.readouterr().out
    assert cli.main(("agree", "c.csv", "i.csv")) == 1
    assert "--higher good or --lower good" in capsys.readouterr().err
    assert cli.main(("agree", "r.csv", "s.csv", "--json", "s.csv")) == 2
    assert cli.main(("agree", "r.csv", "none.csv")) == 1
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_agreement_has_no_report_page() -> None:
    """There is a table and JSON; a page is made of grades."""
    assert not hasattr(AgreementReport, "to_html")
    assert hasattr(tg.Evaluation, "to_html")
