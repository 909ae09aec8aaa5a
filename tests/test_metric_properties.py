"""What every metric must fulfil, driven by its record: declared properties hold, absent ones are absent."""

from __future__ import annotations

import dataclasses
import re
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from grading import PROVIDERS, answer, grade, grade_all
from truegrade.errors import InputError
from truegrade.metrics import BIBLIOGRAPHY, FAMILIES, METRICS, resolve
from truegrade.metrics.base import Metric, Outcome

Sides = dict[str, NDArray[np.float64]]
FAST = PROVIDERS[-1]
METRIC_KEYS = list(METRICS)
WITH_K = [key for key, c in METRICS.items() if any(f.name == "k" for f in dataclasses.fields(c))]
WITH_TIES = [key for key, c in METRICS.items() if any(f.name == "ties" for f in dataclasses.fields(c))]
FIDELITY_AND_COVERAGE = [k for k, c in METRICS.items() if c.info.family in ("fidelity", "coverage")]
INVARIANCES = ["order", "shift", "scale", "rotation"]


def sides(seed: int = 0, n: int = 120, m: int = 120, d: int = 4) -> Sides:
    """Overlapping sets, not alike in place, spread or shape, and no two distances equal."""
    rng = np.random.default_rng(seed)
    stretch = np.linspace(0.5, 1.5, d)
    return {
        "real": rng.normal(size=(n, d)) * stretch + 0.5,
        "synthetic": rng.normal(size=(m, d)) * stretch[::-1] * 0.8 + 0.3,
        "holdout": rng.normal(size=(100, d)) * stretch + 0.5,
    }


def fitting(metric: Metric, data: Sides) -> Sides:
    """The first columns, for what takes only so many."""
    return {name: np.ascontiguousarray(a[:, : metric.info.features]) for name, a in data.items()}


def value(metric: Metric, data: Sides, provider: str = FAST) -> Outcome:
    data = fitting(metric, data)
    return grade(metric, data["real"], data["synthetic"], provider, holdout=data["holdout"])


def standard(key: str) -> Metric:
    """With default parameters; what reads class probabilities takes the rows as logits."""
    metric = METRICS[key]
    reads_classes = any(f.name == "logits" for f in dataclasses.fields(metric))
    return metric(logits=True) if reads_classes else metric()


def changed(data: Sides, how: str) -> Sides:
    rng = np.random.default_rng(99)
    d = data["real"].shape[1]
    if how == "order":
        return {name: a[rng.permutation(len(a))] for name, a in data.items()}
    if how == "shift":
        return {name: a + np.linspace(-3.0, 5.0, d) for name, a in data.items()}
    if how == "scale":
        return {name: a * 3.7 for name, a in data.items()}
    rotation = np.linalg.qr(rng.normal(size=(d, d)))[0]
    return {name: a @ rotation for name, a in data.items()}


@cache
def usual(key: str) -> float | None:
    """The value on the usual sets, for all tests that compare with it."""
    return value(standard(key), sides()).value


@pytest.mark.parametrize("how", INVARIANCES)
@pytest.mark.parametrize("key", METRIC_KEYS)
def test_invariances_are_as_declared(key, how):
    metric = standard(key)
    data = fitting(metric, sides())
    before, after = usual(key), value(metric, changed(data, how)).value
    if how in metric.info.invariances:
        exact = 1e-6 if metric.info.family == "pairs" else 1e-9  # densities are sums in single precision
        assert after == pytest.approx(before, rel=exact, abs=1e-12)
    else:
        assert after != pytest.approx(before, rel=1e-4)


@pytest.mark.parametrize("key", METRIC_KEYS)
def test_symmetry_is_as_declared(key):
    metric = standard(key)
    pairs = []
    for seed in range(3):
        data = sides(seed)
        swapped = {**data, "real": data["synthetic"], "synthetic": data["real"]}
        pairs.append((value(metric, data).value, value(metric, swapped).value))
    there, back = zip(*pairs, strict=True)
    if metric.info.symmetric:
        assert back == pytest.approx(there, rel=1e-9, abs=1e-12)
    else:
        assert back != pytest.approx(there, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("key", [k for k in METRIC_KEYS if METRICS[k]().info.identical is not None])
def test_value_for_identical_sets(key, provider):
    metric = standard(key)
    for seed, d in ((0, 4), (1, 9)):
        data = sides(seed, d=d)
        outcome = value(metric, {**data, "synthetic": data["real"].copy()}, provider)
        assert outcome.value == pytest.approx(metric.info.identical, abs=1e-9)


@pytest.mark.parametrize("k", [1, 4, 5])
def test_density_of_identical_sets_is_above_1(k):
    """Each ball holds its own centre too."""
    data = sides()
    outcome = grade(METRICS["density"](k=k), data["real"], data["real"].copy())
    assert outcome.value == pytest.approx((k + 1) / k, rel=1e-14)


def extremes() -> dict[str, Sides]:
    data = sides()
    rng = np.random.default_rng(7)
    tied = {name: rng.integers(0, 3, (110, 2)).astype(float) for name in data}
    few = np.repeat(data["real"][:24], 5, axis=0)
    return {
        "plain": data,
        "unequal": sides(n=60, m=150),
        "identical": {**data, "synthetic": data["real"].copy()},
        "disjoint": {**data, "synthetic": data["synthetic"] + 1e4},
        "contracted": {**data, "synthetic": data["synthetic"] * 0.01},
        "spread": {**data, "synthetic": data["synthetic"] * 100.0},
        "one point": {**data, "synthetic": np.zeros((80, 4))},
        "all one point": {name: np.ones((90, 4)) for name in data},
        "tied": tied,
        "repeated": {**data, "real": few, "synthetic": few.copy()},
    }


EXTREMES = list(extremes())


@cache
def outcomes(name: str, provider: str) -> dict[str, Outcome]:
    """All metrics on one of the data sets."""
    data = extremes()[name]
    found: dict[str, Outcome] = {}
    for features in (None, 2):
        metrics = [m for m in map(standard, METRIC_KEYS) if m.info.features == features]
        mine = fitting(metrics[0], data)
        found |= grade_all(metrics, mine["real"], mine["synthetic"], provider, holdout=mine["holdout"])
    return found


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.parametrize("key", METRIC_KEYS)
def test_outcome_is_in_range_and_complete(key, name, provider):
    metric, data = METRICS[key](), extremes()[name]
    outcome = outcomes(name, provider)[key]
    if outcome.value is None:
        assert outcome.reason
        return
    low, high = metric.info.range
    assert isinstance(outcome.value, float)
    assert np.isfinite(outcome.value)
    assert low - 1e-9 <= outcome.value <= high + 1e-9
    assert outcome.reason is None
    if outcome.means is not None:
        assert outcome.means.value() == pytest.approx(outcome.value, rel=1e-12, abs=1e-12)
        assert all(np.isfinite(a).all() for _, a in outcome.means.parts)
    for side, array in outcome.per_sample.items():
        used = outcome.details.get("n_used" if side == "real" else "m_used", len(data[side]))
        assert array.shape == (used,)  # the two-sample test may sub-sample, and says so
        assert not np.isnan(array).any()
    assert not any(isinstance(v, float) and np.isnan(v) for v in outcome.details.values())


@pytest.mark.skipif(len(PROVIDERS) < 2, reason="the engine is not there")
@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.parametrize("key", METRIC_KEYS)
def test_engine_gives_what_plain_float64_gives(key, name):
    naive, engine = (outcomes(name, provider)[key] for provider in ("naive", "engine"))
    for got, expected in ((engine.value, naive.value), (engine.raw, naive.raw)):
        assert (got is None) == (expected is None)
        assert got is None or got == pytest.approx(expected, rel=1e-9, abs=1e-10)
    for side, array in naive.per_sample.items():
        assert engine.per_sample[side] == pytest.approx(array, rel=1e-9, abs=1e-10)


# --- samples that coincide (a radius of 0) ---

ONES = np.ones((1024, 8))


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("key", [k for k in FIDELITY_AND_COVERAGE if METRICS[k].info.identical == 1.0])
@pytest.mark.parametrize("name", ["all ones", "repeated 5 times", "repeated 2 times", "grid", "half repeated"])
def test_identical_sets_with_ties_are_graded_1(key, name, provider):
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(40, 5))
    real = {
        "all ones": ONES,
        "repeated 5 times": np.repeat(rows, 5, axis=0),
        "repeated 2 times": np.repeat(rows, 2, axis=0),
        "grid": rng.integers(0, 3, (200, 2)).astype(float),
        "half repeated": np.concatenate([rows, np.repeat(rows[:4], 12, axis=0)]),
    }[name]
    outcome = grade(METRICS[key](), real, real.copy(), provider)
    assert outcome.value == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("key", WITH_TIES)
def test_zero_radii_are_warned_about_and_strict_ties_are_undefined(key):
    closed = grade(METRICS[key](), ONES[:100], ONES[:100])
    assert closed.value >= 1.0
    assert "zero_radius" in [w.code for w in closed.warnings]
    strict = grade(METRICS[key](ties="strict"), ONES[:100], ONES[:100])
    assert strict.value is None
    assert "radius 0" in strict.reason
    assert "zero_radius_strict" in [w.code for w in strict.warnings]


@pytest.mark.parametrize("key", WITH_TIES)
def test_strict_ties_never_grade_identical_sets_0(key):
    real = np.concatenate([np.zeros((90, 2)), np.random.default_rng(0).normal(size=(10, 2))])
    outcome = grade(METRICS[key](ties="strict"), real, real.copy())
    assert outcome.value > 0
    assert "zero_radius_strict" in [w.code for w in outcome.warnings]


@pytest.mark.parametrize("key", FIDELITY_AND_COVERAGE)
def test_zero_radius_notice_counts_the_samples(key):
    rng = np.random.default_rng(4)
    both = np.concatenate([np.zeros((30, 3)), rng.normal(size=(70, 3))])
    texts = [w.text for w in grade(METRICS[key](), both, both.copy()).warnings if w.code == "zero_radius"]
    if key == "vendi" or key.startswith(("p_", "alpha_", "beta_", "prd_", "top_")):  # no ball of one sample
        assert texts == []
    else:
        assert texts
        assert all(text.startswith("30 of 100") for text in texts)


# --- parameters ---


@pytest.mark.parametrize("k", [0, -1, True, 2.5, "5", None])
@pytest.mark.parametrize("key", WITH_K)
def test_impossible_k_is_refused(key, k):
    with pytest.raises(InputError, match="at least 1"):
        METRICS[key](k=k)


@pytest.mark.parametrize("key", WITH_K)
def test_k_must_be_below_the_number_of_samples(key):
    rng = np.random.default_rng(6)
    real, synthetic = rng.normal(size=(12, 2)), rng.normal(size=(12, 2))
    largest = 4 if key in ("precision_cover", "recall_cover") else 11  # 3 k - 1 others for the cover pair
    assert grade(METRICS[key](k=largest), real, synthetic).value is not None
    with pytest.raises(InputError, match="1 to 11 is accepted"):
        METRICS[key](k=largest + 1).check_sizes(12, 12)


@pytest.mark.parametrize("key", WITH_TIES)
def test_unknown_tie_rule_is_refused(key):
    with pytest.raises(InputError, match=r"'closed'.*'strict'"):
        METRICS[key](ties="open")


@pytest.mark.parametrize("key", ["clipped_density", "clipped_coverage"])
def test_unknown_convention_is_refused(key):
    with pytest.raises(InputError, match="'official'"):
        METRICS[key](compat="mine")


@pytest.mark.parametrize("scale", [0, -1.0, float("nan"), float("inf"), "1.2"])
@pytest.mark.parametrize("key", ["p_precision", "p_recall"])
def test_impossible_scale_is_refused(key, scale):
    with pytest.raises(InputError, match="positive"):
        METRICS[key](scale=scale)


def test_cover_balls_must_hold_another_sample():
    with pytest.raises(InputError, match="at least 2"):
        METRICS["precision_cover"](k=1, multiple=1)


# --- the record, the table and the choice ---


@pytest.mark.parametrize("key", METRIC_KEYS)
def test_record_is_complete(key):
    info = METRICS[key]().info
    assert info.key == key
    assert re.fullmatch(r"[a-z][a-z0-9_]*", key)
    assert info.title
    assert info.formula
    assert "\n" not in info.formula
    assert re.search(r"arXiv:\d{4}\.\d{5}|doi:10\.|https://", BIBLIOGRAPHY[info.reference])
    assert info.reading.endswith(".")
    low, high = info.range
    assert low < high
    if info.identical is not None:
        assert low <= info.identical <= high
    doc = METRICS[key].__doc__ or ""
    assert "Source:" in doc
    assert "ange" in doc


def test_same_needs_share_work():
    needs = [need for metric in resolve(["precision", "density", "coverage"], k=7) for need in metric.needs()]
    assert len(needs) == 3
    assert len(set(needs)) == 1


def test_needs_are_answered_by_every_provider():
    data = sides(n=30, m=25)
    needs = {need for key in FIDELITY_AND_COVERAGE for need in METRICS[key]().needs()}
    for provider in PROVIDERS:
        assert set(needs) <= set(answer(needs, data, provider).values)


def test_table_is_ordered_by_family_with_the_defaults_first():
    for family, keys in FAMILIES.items():
        defaults = [METRICS[key].info.default for key in keys]
        assert {METRICS[key].info.family for key in keys} == {family}
        assert defaults == sorted(defaults, reverse=True)
    assert [key for keys in FAMILIES.values() for key in keys] == METRIC_KEYS


def test_default_choice():
    pairs = ("precision", "recall", "density", "coverage", "clipped_density", "clipped_coverage")
    assert {*pairs, "symmetric_precision", "symmetric_recall"} <= {m.info.key for m in resolve("default")}
    assert [m.info.key for m in resolve("all")] == METRIC_KEYS


def test_choice_by_key_family_class_and_instance():
    mine = METRICS["precision"](k=9)
    chosen = resolve(["fidelity", "recall", mine, METRICS["density"]], k=3)
    keys = [m.info.key for m in chosen]
    assert keys.count("precision") == 2
    assert mine in chosen
    assert METRICS["recall"](k=3) in chosen
    assert chosen.count(METRICS["density"](k=3)) == 1


def test_key_goes_before_family():
    assert [m.info.key for m in resolve("coverage")] == ["coverage"]
    assert {"recall", "clipped_coverage"} <= {m.info.key for m in resolve("family:coverage")}


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("clipped_densty", "Did you mean clipped_density"),
        ("clipped_covrage", "Did you mean clipped_coverage or coverage or clipped_density"),
        ("Recal", "recall"),
        ("zzz", "Known: .*precision"),
    ],
)
def test_unknown_name_is_refused_with_the_nearest(name, hint):
    with pytest.raises(InputError, match=hint):
        resolve(name)


@pytest.mark.parametrize("choice", [[], 5, [None]])
def test_empty_or_foreign_choice_is_refused(choice):
    with pytest.raises(InputError, match="metric"):
        resolve(choice)
