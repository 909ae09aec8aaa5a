"""Differences, ranks and agreement, from made-up traces: against scipy's tests, definitions and simulation."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import truegrade as tg
from fabricated import evaluation, score, steady, trace
from truegrade.result import Difference, Interval, SetFacts
from truegrade.uncertainty.paired import agreements, combine, differences, holm, kendall, merit, ranks

Rows = NDArray[np.float64]


def difference(first: tg.Score, second: tg.Score) -> Difference:
    (found,) = differences({"A": evaluation("A", first), "B": evaluation("B", second)})
    return found


def drawn(seed: int, mean: float = 0.0, size: int = 12) -> Rows:
    return np.random.default_rng(seed).normal(mean, 1.0, size)


def of_means(values: Rows, key: str = "energy_distance", **changes: object) -> tg.Score:
    return score(key, float(np.nanmean(values)), trace(values, **changes))  # type: ignore[arg-type]


def test_entries_that_are_group_means_give_the_paired_t_test() -> None:
    shared = 5 * drawn(0)
    a, b = shared + drawn(1, 0.4), shared + drawn(2)
    found, oracle = difference(of_means(a), of_means(b)), stats.ttest_rel(a, b)
    assert found.interval is not None
    assert found.paired
    assert found.value == pytest.approx(a.mean() - b.mean())
    assert found.p == pytest.approx(oracle.pvalue)
    low, high = oracle.confidence_interval(0.95)
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high))
    assert found.interval.method == "paired on the real samples"


def test_replicates_count_by_their_scale_and_own_variance_is_added() -> None:
    a, b = drawn(1), drawn(2)
    one = score("energy_distance", 3.0, trace(a, scale=0.5, own=0.04))
    other = score("energy_distance", 1.0, trace(b, scale=0.5, own=0.09))
    found = difference(one, other)
    error = (0.25 * np.var(a - b, ddof=1) + 0.13) ** 0.5
    assert found.p == pytest.approx(2 * stats.t.sf(2.0 / error, 11))
    assert found.interval is not None
    assert found.interval.high == pytest.approx(2.0 + stats.t.ppf(0.975, 11) * error)


def test_the_least_known_error_sets_the_degrees_of_freedom() -> None:
    a, b = drawn(1), drawn(2)
    one, other = (score("energy_distance", v, trace(x, scale=1.0)) for v, x in ((3.0, a), (0.0, b)))
    few = score("energy_distance", 0.0, trace(b, scale=1.0, freedom=6))
    apart = score("energy_distance", 0.0, trace(b, scale=1.0, freedom=6, basis="other parts"))
    together = np.std(a - b, ddof=1)
    assert difference(one, other).p == pytest.approx(2 * stats.t.sf(3 / together, 11))
    assert difference(one, few).p == pytest.approx(2 * stats.t.sf(3 / together, 6))
    assert difference(one, apart).p == pytest.approx(2 * stats.t.sf(3 / np.hypot(a.std(ddof=1), b.std(ddof=1)), 6))


def test_two_values_of_a_cut_are_one_degree_of_freedom() -> None:
    rng = np.random.default_rng(3)
    real, sets = rng.normal(size=(60, 2)), {name: rng.normal(size=(60, 2)) for name in "AB"}
    found = tg.compare(real, sets, metrics=["precision"], floor=False, exhibits=False)
    traces = [found[name]["precision"].trace for name in "AB"]
    assert [(len(t.values), t.freedom) for t in traces if t is not None] == [(20, 10), (20, 10)]
    (d,) = found.differences
    assert d.interval is not None
    assert d.value is not None
    t = d.value / ((d.interval.high - d.interval.low) / 2 / stats.t.ppf(0.975, 10))
    assert d.p == pytest.approx(2 * stats.t.sf(abs(t), 10))


def test_traces_of_another_basis_are_not_paired() -> None:
    a, b = drawn(1, size=12), drawn(2, size=12)
    found = difference(of_means(a), of_means(b, basis="other parts"))
    assert not found.paired
    assert found.interval is not None
    assert found.interval.method.startswith("not paired")
    error = ((a.var(ddof=1) + b.var(ddof=1)) / 12) ** 0.5
    assert found.p == pytest.approx(2 * stats.t.sf(abs(a.mean() - b.mean()) / error, 11))


def test_entries_that_are_undefined_in_either_are_left_out_of_both() -> None:
    a, b = drawn(1), drawn(2)
    a[3], b[[3, 7]] = np.nan, np.nan
    one, other = (score("energy_distance", v, trace(x, scale=1.0)) for v, x in ((1.0, a), (0.0, b)))
    both = np.isfinite(a) & np.isfinite(b)
    error = np.std((a - b)[both], ddof=1)
    assert difference(one, other).p == pytest.approx(2 * stats.t.sf(1 / error, both.sum() - 1))


def test_with_hardly_any_replicate_nothing_is_known_of_the_error() -> None:
    a = np.full(12, np.nan)
    a[:2] = 1.0, 2.0
    found = difference(score("energy_distance", 1.0, trace(a, scale=1.0)), of_means(drawn(1)))
    assert (found.interval, found.p, found.better) == (None, None, None)
    assert found.value is not None
    assert "too few replicates" in (found.reason or "")


def test_without_traces_there_is_a_value_and_a_reason() -> None:
    found = difference(score("recall", 0.5, missing={"interval": "too costly"}), score("recall", 0.25))
    assert (found.value, found.interval, found.p, found.p_holm, found.better) == (0.25, None, None, None, None)
    assert "error for A: too costly" in (found.reason or "")


def test_the_same_samples_do_not_differ() -> None:
    one = evaluation("same", score("recall", 0.5))
    (found,) = differences({"A": one, "B": one})
    assert found.interval is not None
    assert (found.value, found.p, found.p_holm, found.better) == (0.0, 1.0, 1.0, None)
    assert (found.interval.low, found.interval.high) == (0.0, 0.0)


@pytest.mark.parametrize(("value", "p"), [(0.0, 1.0), (1.0, 0.0)])
def test_values_that_never_vary(value: float, p: float) -> None:
    found = difference(score("recall", value, trace(np.full(9, value))), score("recall", 0.0, trace(np.zeros(9))))
    assert (found.value, found.p) == (value, p)
    assert found.better == ("A" if value else None)


# --- clipped scores and targets ---------------------------------------------------------------------------


def clipped(raw: float, noise: Rows) -> tg.Score:
    return score("clipped_density", min(raw, 1.0), trace(raw + noise, scale=1.0), raw=raw)


def test_two_scores_above_their_range_tie() -> None:
    found = difference(clipped(1.5, 0.01 * drawn(1)), clipped(1.2, 0.01 * drawn(2)))
    assert (found.value, found.p, found.better) == (0.0, 1.0, None)


def test_a_score_far_above_its_range_brings_no_error() -> None:
    a, b = 0.02 * drawn(1), 0.02 * drawn(2)
    found = difference(clipped(1.5, a), clipped(0.95, b))
    assert found.value == pytest.approx(0.05)
    assert found.p == pytest.approx(2 * stats.t.sf(0.05 / b.std(ddof=1), 11))


def test_inside_the_range_clipping_changes_nothing() -> None:
    a, b = 0.02 * drawn(1), 0.02 * drawn(2)
    raw = difference(clipped(0.6, a), clipped(0.5, b))
    plain = [score("clipped_density", v, trace(v + x, scale=1.0)) for v, x in ((0.6, a), (0.5, b))]
    assert raw == difference(*plain)


def test_near_a_target_the_nearer_is_better() -> None:
    noise = 0.01 * drawn(1)
    above, below = (score("density", v, trace(v + x, scale=1.0)) for v, x in ((1.3, noise), (0.9, 0.3 * noise)))
    found = difference(above, below)
    assert found.value == pytest.approx(0.3 - 0.1)
    assert found.better == "B"
    assert found.p == pytest.approx(2 * stats.t.sf(0.2 / np.std(1.3 * noise, ddof=1), 11))


def test_a_score_without_a_target_is_not_ranked() -> None:
    rare = [score("rarity", v, trace(v + 0.01 * drawn(s))) for v, s in ((1.0, 1), (2.0, 2))]
    assert merit(rare[0]) is None
    result = combine({"A": evaluation("A", rare[0]), "B": evaluation("B", rare[1])})
    assert (result.differences, dict(result.ranks), result.agreements) == ((), {}, ())


def test_a_difference_stays_within_what_the_range_allows() -> None:
    found = difference(*(score("recall", v, trace(v + drawn(s), scale=2.0)) for v, s in ((0.9, 1), (0.1, 2))))
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (-1.0, 1.0)


# --- corrections, ranks, agreement --------------------------------------------------------------------------


def steps_down(p: Rows, level: float) -> list[bool]:
    """Holm's procedure as published: from the smallest p on, reject while p <= level / (number left)."""
    rejected = [False] * len(p)
    for place, at in enumerate(np.argsort(p)):
        if p[at] > level / (len(p) - place):
            break
        rejected[at] = True
    return rejected


def test_corrected_p_values_decide_as_the_step_down_procedure() -> None:
    rng = np.random.default_rng(5)
    for _ in range(50):
        p = rng.uniform(size=rng.integers(1, 9)) ** 3
        for level in (0.01, 0.05, 0.2, 0.6):
            assert [c <= level for c in holm(list(p))] == steps_down(p, level)
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


def test_kendall_is_tau_b() -> None:
    rng = np.random.default_rng(6)
    for n in (3, 4, 9):
        a, b = rng.integers(0, 4, size=(2, n)).astype(float)
        oracle = stats.kendalltau(a, b).statistic if len(set(a)) > 1 and len(set(b)) > 1 else None
        assert kendall(list(a), list(b)) == (None if oracle is None else pytest.approx(oracle))
    assert kendall([1.0, 2.0], [1.0, 2.0]) is None
    assert kendall([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]) is None


def test_differences_are_of_all_pairs_in_order() -> None:
    models = {name: steady(name, {"recall": 0.5, "precision": 0.5}) for name in "CAB"}
    found = differences(models)
    pairs = [(one, other, key) for one, other in combinations("CAB", 2) for key in ("recall", "precision")]
    assert [(d.first, d.second, d.key) for d in found] == pairs
    assert [d.p_holm for d in found] == holm([d.p or 0.0 for d in found])


def test_ranks_count_who_is_better_beyond_noise() -> None:
    """A and B are apart, C lies between them and ties with both; D is far below."""
    values = {"A": 0.60, "B": 0.50, "C": 0.55, "D": 0.1}
    models = {name: steady(name, {"recall": v}, noise=0.02) for name, v in values.items()}
    found = differences(models)
    assert {frozenset((d.first, d.second)) for d in found if d.better is None} == {frozenset("AC"), frozenset("BC")}
    stood = {name: str(rank) for name, rank in ranks(models, found)["recall"].items()}
    assert stood == {"A": "1-2", "B": "2-3", "C": "1-3", "D": "4"}


def test_lower_is_better_where_the_score_says_so() -> None:
    models = {name: steady(name, {"frechet_distance": v}) for name, v in (("A", 3.0), ("B", 1.0))}
    result = combine(models)
    assert result.differences[0].better == "B"
    assert result.differences[0].value == pytest.approx(2.0)
    assert str(result.ranks["frechet_distance"]["B"]) == "1"


def test_a_model_without_the_score_is_not_ranked_by_it() -> None:
    models = {name: steady(name, {"recall": v}) for name, v in (("A", 0.1), ("B", None), ("C", 0.9))}
    result = combine(models)
    assert [(d.first, d.second) for d in result.differences] == [("A", "C")]
    assert {n: str(r) for n, r in result.ranks["recall"].items()} == {"A": "2", "C": "1"}


def test_scores_whose_noise_is_unknown_have_no_ranks() -> None:
    models = {name: evaluation(name, score("recall", v)) for name, v in (("A", 0.1), ("B", 0.9))}
    assert dict(combine(models).ranks) == {}


def test_agreement_counts_the_pairs_that_both_scores_decide() -> None:
    """Recall puts A < B < C, the distance (lower is better) A worst but C before B."""
    values = {"A": (0.1, 9.0), "B": (0.5, 5.0), "C": (0.9, 5.005), "D": (0.901, 1.0)}
    models = {n: steady(n, {"recall": r, "energy_distance": e}) for n, (r, e) in values.items()}
    (found,) = agreements(models, differences(models))
    assert (found.first, found.second) == ("recall", "energy_distance")
    assert found.kendall == pytest.approx(4 / 6)
    assert (found.decided, found.agreed) == (4, 4)
    swapped = models | {"A": steady("A", {"recall": 0.1, "energy_distance": 0.5})}
    (found,) = agreements(swapped, differences(swapped))
    assert (found.decided, found.agreed) == (4, 1)


# --- combining results ----------------------------------------------------------------------------------


def test_results_on_other_real_samples_are_refused_with_both() -> None:
    one, other = steady("A", {"recall": 0.5}), evaluation("B", score("recall", 0.5), real="elsewhere")
    with pytest.raises(tg.InputError, match=r"'A' was graded against 100 real.*fingerprint real, 'B'.*elsewhere"):
        tg.combine({"A": one, "B": other})


@pytest.mark.parametrize("given", [{}, None, [1], {"A": 1}])
def test_combine_takes_evaluations_by_name(given: object) -> None:
    with pytest.raises(tg.InputError, match=r"Evaluation is accepted|at least one evaluation by name"):
        tg.combine(given)  # type: ignore[arg-type]


def test_scores_made_in_another_way_are_not_compared() -> None:
    a, b = (score("recall", 0.5, trace(drawn(1)), parameters={"k": k}) for k in (3, 5))
    found = difference(a, b)
    assert (found.value, found.p) == (None, None)
    assert "other parameters (k=3 and 5)" in (found.reason or "")
    fresh = [SetFacts("fresh", 100, 3, "float64", name, "memory") for name in ("x", "y")]
    test = score("copying_test", 0.5, trace(drawn(1)))
    models = {n: evaluation(n, test, holdout=f) for n, f in zip("AB", fresh, strict=True)}
    assert "other hold-out" in (differences(models)[0].reason or "")


# --- calibration ------------------------------------------------------------------------------------------


def simulated(rng: np.random.Generator, count: int, shared: float, alone: float) -> list[tuple[tg.Score, tg.Score]]:
    """Pairs of scores of one law: the real samples move both alike, each synthetic set moves its own."""
    pairs = []
    for _ in range(count):
        real = rng.normal(0, shared, 25)
        entries = [real + rng.normal(0, alone / 3, 25) for _ in range(2)]
        own = alone**2 / 25
        values = [x.mean() + rng.normal(0, own**0.5) for x in entries]
        one, other = (
            score("energy_distance", float(v), trace(x, own=own)) for v, x in zip(values, entries, strict=True)
        )
        pairs.append((one, other))
    return pairs


def test_p_values_of_equal_models_are_uniform_and_pairing_narrows() -> None:
    rng = np.random.default_rng(7)
    found = [difference(one, other) for one, other in simulated(rng, 600, 1.0, 0.3)]
    p = np.array([d.p for d in found])
    assert 0.02 <= np.mean(p < 0.05) <= 0.08
    assert stats.kstest(p, "uniform").pvalue > 0.01

    def width(interval: Interval | None) -> float:
        assert interval is not None
        return interval.high - interval.low

    one, other = simulated(rng, 1, 1.0, 0.3)[0]
    assert other.trace is not None
    apart = score("energy_distance", other.value, trace(other.trace.values, own=other.trace.own, basis="another"))
    assert width(difference(one, other).interval) < 0.5 * width(difference(one, apart).interval)
