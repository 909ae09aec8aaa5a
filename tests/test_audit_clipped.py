"""The suite clipped-paper: what it draws, its expected curve, and who passes: the pair, not what it replaces."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from audit_seen import finding, mean_curve, seen
from oracles import brute
from truegrade import metrics as tm
from truegrade.audit.material import Material
from truegrade.audit.run import run_scenario
from truegrade.audit.scenario import Ask, Draw, matching
from truegrade.audit.suites.clipped_paper import SCENARIOS, UnnormalisedCoverage, kept_share
from truegrade.result.audit import ScenarioOutcome
from truegrade.samples import Samples

NO_DATA = Material(Samples.from_array(np.zeros((2, 1))), law=True)
PAIR = ("clipped_density", "clipped_coverage")
OLD = ("precision", "recall", "coverage", "density", "symmetric_precision")
SETTING = {"quick": True, "seed": 1, "n": 1500, "threads": 1}


def draw(key: str, level: float, n: int = 200, seed: int = 0) -> Draw:
    scenario = matching(SCENARIOS, key)
    return scenario.make(Ask(level, n, np.random.default_rng(seed), NO_DATA, scenario.arms[0]))


@cache
def outcome(key: str) -> ScenarioOutcome:
    """Our pair and what it replaces, at 1,500 samples."""
    return run_scenario(matching(SCENARIOS, key), NO_DATA, {k: tm.METRICS[k]() for k in PAIR + OLD}, **SETTING)


# --- what is drawn ---


def test_bad_samples_are_a_share_of_the_synthetic_ones_and_those_of_less_damage_are_among_them():
    clean, some, more = (draw("clipped-bad-share", level) for level in (0.0, 0.1, 0.25))
    for spoilt, count in ((some, 20), (more, 50)):
        assert np.array_equal(spoilt.real, clean.real)
        factors = np.linalg.norm(spoilt.synthetic, axis=1) / np.linalg.norm(clean.synthetic, axis=1)
        assert (factors[:count] >= 2.0).all()
        assert factors[:count].mean() == pytest.approx(10.0, abs=0.7)
        assert (factors[count:] == 1.0).all()
    assert np.array_equal(some.synthetic[:20], more.synthetic[:20])


def test_outliers_are_in_both_sets():
    clean, spoilt = draw("clipped-matched-outliers", 0.0), draw("clipped-matched-outliers", 0.03)
    for side in ("real", "synthetic"):
        moved = (getattr(clean, side) != getattr(spoilt, side)).any(axis=1)
        assert moved.tolist() == [True] * 6 + [False] * 194


@pytest.mark.parametrize(("level", "first"), [(0.0, 20), (4 / 9, 20 + 9 * 9), (1.0, 200)])
def test_samples_of_nine_modes_move_into_the_first(level, first):
    drawn = draw("clipped-mode-drop", level)
    real = drawn.real.reshape(10, 20, -1)
    centres = real.mean(axis=1)
    own = brute.distances(drawn.synthetic, centres).argmin(axis=1)
    assert drawn.synthetic.shape == drawn.real.shape
    assert (own == 0).sum() == first
    assert len(set(np.bincount(own, minlength=10)[1:])) == 1  # from each of the nine alike


def test_translation_has_one_outlier_on_either_side():
    there, still = draw("clipped-translation", 0.5), draw("clipped-translation", 0.0)
    assert (there.real[0] == 3.0).all()
    assert (there.synthetic[0] == -3.0).all()
    assert np.allclose(there.synthetic[1:], still.synthetic[1:] + 0.5)
    assert np.array_equal(there.real, still.real)


# --- the expected curve ---


def test_unnormalised_coverage_is_the_plain_definition():
    rng = np.random.default_rng(0)
    for real, synthetic in (rng.normal(size=(2, 40, 3)), rng.integers(0, 3, (2, 40, 2))):
        score = UnnormalisedCoverage(k=3)(real, synthetic, intervals=False, floor=False)
        assert score.value == pytest.approx(brute.clipped_coverage_y(real, synthetic, 3), abs=1e-12)
        assert score.value != tm.ClippedCoverage(k=3)(real, synthetic, intervals=False, floor=False).value


def test_the_expected_curve_is_f_of_the_good_samples():
    (criterion,) = matching(SCENARIOS, "clipped-unnormalised").criteria
    levels = [0.0, 0.25, 0.5, 1.0]
    truth = np.array([brute.f(m, 60, 5) for m in (40, 30, 20, 0)])
    given = {"levels": levels, "sizes": (60, 40), "info": UnnormalisedCoverage.info, "parameters": {"k": 5}}
    ruling = criterion.rule(seen(truth, **given))
    assert ruling.passed
    assert ruling.number == pytest.approx(0.0, abs=1e-12)
    assert ruling.desired == pytest.approx(tuple(truth), abs=1e-12)
    large = {**given, "sizes": (50_000, 50_000)}
    truth = np.array(criterion.rule(seen(truth, **large)).desired)
    assert truth[0] == pytest.approx(0.75390625, abs=1e-4)  # 1 - C(10, 5) / 4^5
    assert criterion.rule(seen(truth + 0.0099, **large)).passed
    assert not criterion.rule(seen(truth + 0.0101, **large)).passed


def test_unnormalised_coverage_follows_it_and_the_calibrated_score_does_not():
    scenario = matching(SCENARIOS, "clipped-unnormalised")
    found = run_scenario(scenario, NO_DATA, {"y": UnnormalisedCoverage()}, **SETTING)
    (ours,) = found.findings
    assert ours.passed
    assert ours.number < 0.03
    criterion = scenario.criteria[0]
    calibrated = mean_curve(outcome("clipped-bad-share"), "clipped_coverage")
    given = {"levels": found.levels, "sizes": (2500, 2500), "parameters": {"k": 5}}
    assert not criterion.rule(seen(calibrated, **given)).passed


# --- who passes ---


@pytest.mark.parametrize("key", [s.key for s in SCENARIOS if not s.brings])
def test_the_pair_passes_what_is_expected_of_it(key):
    mine = [f for f in outcome(key).findings if f.metric in PAIR and f.expected]
    assert mine
    assert [f"{f.metric} {f.criterion}: {f.reason}" for f in mine if not f.passed] == []


@pytest.mark.parametrize(
    ("key", "criterion", "metrics"),
    [
        ("clipped-bad-share", "coverage-reads", ("recall", "coverage")),
        ("clipped-bad-share", "proportional", ("recall", "coverage")),
        ("clipped-bad-share", "fidelity-reads", ("precision", "symmetric_precision")),
        ("clipped-mode-drop", "coverage-follows", ("recall", "coverage")),
        ("clipped-mode-drop", "fidelity-stays", ("symmetric_precision",)),
        ("clipped-translation", "mirrored", ("precision", "recall", "density")),
        ("clipped-translation", "told-apart", ("precision", "recall")),
        ("clipped-k", "stays", ("precision", "recall", "coverage")),
    ],
)
def test_what_the_pair_replaces_fails(key, criterion, metrics):
    for metric in metrics:
        found = finding(outcome(key), metric, criterion)
        assert found.expected
        assert found.passed is False, f"{metric}: {found.reason}"


def test_failures_are_those_that_were_measured():
    """Recall rises with bad samples, coverage hardly falls, one outlier fools precision and recall."""
    recall, coverage = (mean_curve(outcome("clipped-bad-share"), key) for key in ("recall", "coverage"))
    assert list(recall) == sorted(recall)
    assert recall[-2] > recall[0] + 0.15
    assert coverage[2] > 0.5 + 0.2
    for key in ("precision", "recall"):
        assert mean_curve(outcome("clipped-translation"), key)[-1] > 0.5
    assert mean_curve(outcome("clipped-mode-drop"), "symmetric_precision")[-1] == pytest.approx(0.38, abs=0.04)


def test_nobody_is_blamed_for_not_seeing_what_it_is_not_for():
    found = finding(outcome("clipped-bad-share"), "recall", "seen")
    assert found.passed is False
    assert not found.expected
    assert "gets better" in found.reason


def test_the_share_of_reached_samples():
    assert kept_share(np.array([0.0, 4 / 9, 1.0])) == pytest.approx([1.0, 0.6, 0.1])
