"""The suite grade-inflation: its rules by hand, what its scenarios draw, and what is known of the seven scores."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from truegrade.audit.material import Material
from truegrade.audit.run import run_scenario
from truegrade.audit.scenario import Ask, Draw, Seen, matching
from truegrade.audit.suites.grade_inflation import CONVENTION, LADDER, SCENARIOS, inflation
from truegrade.audit.suites.grade_inflation.alike import given_sets
from truegrade.audit.suites.grade_inflation.grades import (
    Deflated,
    FullGrade,
    InParts,
    KeepsGrade,
    Repeatable,
    Separated,
    SeparatedAt,
)
from truegrade.errors import InputError
from truegrade.metrics import METRICS
from truegrade.metrics.base import Metric, Outcome
from truegrade.metrics.pair_scores import EdenScore
from truegrade.result.audit import Finding, ScenarioOutcome
from truegrade.samplers import toys
from truegrade.samplers.known import anscombe, energy, with_moments
from truegrade.samples import Samples

DATASAURUS = Path(__file__).resolve().parents[1] / "../shared/data/tables/datasaurus_dozen.tsv"
BANANA = Material(Samples.from_array(toys.banana(600, 3)), frozenset({"plane", "vectors"}))
MOVER = "earth_movers_score"  # nearly all of the work


def run(key: str, metrics: Mapping[str, Metric] | None = None, **more: Any) -> ScenarioOutcome:
    """A quick run of a scenario on one thread."""
    scenario = matching(SCENARIOS, key)
    brought = {f"{i} {metric.info.key}": metric for i, metric in enumerate(scenario.brings)}
    chosen = metrics or brought or {key: one for key, one in CONVENTION.items() if key != MOVER}
    return run_scenario(scenario, BANANA, chosen, quick=True, threads=1, **more)


@cache
def ladder() -> ScenarioOutcome:
    return run(LADDER, CONVENTION)


def verdicts(outcome: ScenarioOutcome, criterion: str) -> dict[str, Finding]:
    """The findings of one criterion by metric."""
    return {finding.metric: finding for finding in outcome.findings if finding.criterion == criterion}


def drawn(key: str, level: float, arm: str = "", n: int = 400, seed: int = 0) -> Draw:
    scenario = matching(SCENARIOS, key)
    return scenario.make(Ask(level, n, np.random.default_rng(seed), BANANA, arm or scenario.arms[0]))


# --- the ranking ----------------------------------------------------------------------------------------


def test_eden_alone_separates_low_from_high_fits() -> None:
    found = verdicts(ladder(), "separates")
    assert set(found) == set(CONVENTION)
    assert [key for key, finding in found.items() if finding.passed] == ["eden_score"]
    assert found["kl_score"].number > 0.6  # the next one, far from half
    assert found["correlation_score"].number == pytest.approx(1.0, abs=0.05)


def test_scores_are_ranked_by_grade_inflation() -> None:
    ranked = inflation([ladder(), run("anscombe")])
    assert [key for key, _ in ranked][:2] == ["correlation_score", "jaccard_score"]
    assert [key for key, _ in ranked][-2:] == ["kl_score", "eden_score"]
    values = dict(ranked)
    assert values == {key: finding.number for key, finding in verdicts(ladder(), "inflation").items()}
    assert values["correlation_score"] == pytest.approx(1.0, abs=0.05)
    assert values["eden_score"] < 0.5 < 0.65 < values["kl_score"]
    assert inflation([run("anscombe")]) == ()


def test_inflation_is_the_excess_over_grades_in_proportion() -> None:
    """The definition once more, from the curves."""
    outcome = ladder()
    for key, number in inflation([outcome]):
        curve, least = outcome.curve(key), METRICS[key].info.range[0]
        assert curve is not None
        excess = []
        for values in curve.values.values():
            means = [(float(np.mean(row)) - least) / (1.0 - least) for row in values]
            excess += [max(0.0, m / means[0] - (1.0 - x)) for m, x in zip(means, outcome.levels, strict=True)]
        assert number == pytest.approx(np.mean(excess) / np.mean(outcome.levels))


@dataclass(frozen=True)
class Blind(EdenScore):
    """An Eden score with an error: the same grade for everything."""

    def compute(self, answers: Any) -> Outcome:
        return replace(super().compute(answers), value=0.5)


def test_a_score_that_is_broken_fails() -> None:
    broken, jaccard = verdicts(run(LADDER, {"broken": Blind()}), "separates")["broken"], ladder()
    assert broken.passed is False
    assert broken.number == 1.0
    assert verdicts(jaccard, "separates")["jaccard_score"].passed is False


# --- known values ---------------------------------------------------------------------------------------


def test_anscombes_sets_have_the_known_scores() -> None:
    outcome = run("anscombe")
    assert [f.passed for f in outcome.findings] == [True, True]
    assert outcome.labels == ("I and II", "I and III", "I and IV", "II and III", "II and IV", "III and IV")
    eden, correlation = outcome.curve("eden_score"), outcome.curve("correlation_score")
    assert eden is not None
    assert correlation is not None
    assert eden.values["score"].ravel() == pytest.approx([0.389, 0.305, 0.244, 0.178, 0.192, 0.169], abs=0.002)
    assert correlation.values["score"].min() > 0.9998


def test_more_levels_lower_the_eden_score_of_the_energy_pair_as_known() -> None:
    outcome = run("levels")
    assert [curve.metric for curve in outcome.curves] == ["eden_score"]
    low, high = outcome.curves[0].values.values()
    assert low.mean(axis=1) == pytest.approx([0.58, 0.155, 0.078, 0.034], abs=0.02)
    assert (np.diff(high.mean(axis=1)) < -0.1).all()  # a perfect model's falls as well
    assert all(finding.passed for finding in outcome.findings)


def test_random_points_scatter_and_a_grid_does_not() -> None:
    grid, random = run("monte-carlo").curves
    same = grid.values["score"]
    assert np.ptp(same) < 1e-9
    spread = np.ptp(random.values["score"], axis=1)
    assert 0.04 < spread[1] < 0.25  # .40 to .53 is known, of one pair
    assert spread[0] > spread[1]
    assert random.values["score"][1].mean() == pytest.approx(same.mean(), abs=0.1)
    assert [finding.passed for finding in run("monte-carlo").findings] == [True, False]


def test_a_perfect_model_needs_a_ceiling_for_eden() -> None:
    outcome = run("perfect-pair")
    full = verdicts(outcome, "full-grade")
    assert full["eden_score"].passed is False
    assert full["correlation_score"].passed
    assert full["jaccard_score"].passed
    assert verdicts(outcome, "eden")["eden_score"].passed


def test_over_sampling_costs_a_perfect_model_its_grade_with_own_kernels_only() -> None:
    own = verdicts(run("over-sampling", {"eden": EdenScore()}), "keeps")["eden"]
    assert own.passed is False
    assert own.number < 0.75
    shared = verdicts(run("over-sampling-shared"), "keeps")
    assert len(shared) == 3
    assert all(finding.passed and finding.number >= 0.95 for finding in shared.values())


@pytest.mark.skipif(not DATASAURUS.is_file(), reason="the shared tables are not here")
def test_the_datasaurus_can_be_given_and_has_the_known_scores() -> None:
    sets: dict[str, list[tuple[float, float]]] = {}
    with open(DATASAURUS, encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            sets.setdefault(row["dataset"], []).append((float(row["x"]), float(row["y"])))
    points = {name: np.array(rows) for name, rows in sets.items()}
    scenario = given_sets(points, key="datasaurus", title="Datasaurus", question="?", source="Matejka 2017")
    metrics = {key: CONVENTION[key] for key in ("correlation_score", "eden_score")}
    outcome = run_scenario(scenario, BANANA, metrics, threads=1)
    correlation, eden = ({c.metric: c.values["score"].ravel() for c in outcome.curves}[key] for key in metrics)
    assert len(eden) == 78
    assert correlation.min() == pytest.approx(0.9954, abs=5e-4)
    found = {frozenset(label.split(" and ")): float(score) for label, score in zip(outcome.labels, eden, strict=True)}
    for pair, known, end in (({"circle", "x_shape"}, 0.10, eden.min()), ({"dino", "slant_up"}, 0.66, eden.max())):
        assert found[frozenset(pair)] == pytest.approx(known, abs=0.01)
        assert found[frozenset(pair)] == pytest.approx(end, abs=0.005)


# --- what other scenarios find --------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["ring-shuffled", "same-moments", "circumscribed"])
def test_only_eden_gives_less_than_half_to_another_shape(key: str) -> None:
    found = verdicts(run(key, repeats=1), "separates")
    assert [metric for metric, finding in found.items() if finding.passed] == ["eden_score"]


@pytest.mark.parametrize("key", ["plane-bad-share", "plane-mode-dropped", "plane-collapse"])
def test_damage_in_the_plane_is_seen(key: str) -> None:
    found = verdicts(run(key), "sees")
    blind = set() if key == "plane-mode-dropped" else {"correlation_score"}
    assert {metric for metric, finding in found.items() if not finding.passed} == blind


def test_what_kernels_and_thresholds_do() -> None:
    found = verdicts(run("bandwidth"), "separates")
    assert [metric for metric, finding in found.items() if finding.passed] == ["eden_score"]
    assert "correlation_score" not in found  # it has no kernels
    (jaccard,) = run("threshold").findings
    assert jaccard.metric == "jaccard_score"
    assert jaccard.passed is False


def test_your_own_pair_is_told_and_not_judged() -> None:
    outcome = run("own-pair")
    eden = verdicts(outcome, "parts")["eden_score"]
    assert eden.passed is None
    assert not eden.expected
    assert eden.reason.startswith("other real points 1.00, a normal distribution 0.")
    assert eden.number < 0.6  # a banana is no normal distribution
    assert outcome.n == 300  # a half


# --- what is drawn --------------------------------------------------------------------------------------


def test_a_ladder_exchanges_points_of_the_same_law_for_normal_ones() -> None:
    high, middle, low = (drawn(LADDER, level, "ring") for level in (0.0, 0.25, 1.0))
    for other in (middle, low):
        assert np.array_equal(np.asarray(high.real), np.asarray(other.real))
    points = [np.asarray(draw.synthetic) for draw in (high, middle, low)]
    kept = (points[1] == points[0]).all(axis=1)
    assert kept.sum() == 300
    assert np.array_equal(points[1][~kept], points[2][~kept])
    far = [np.linalg.norm(one, axis=1) for one in points]
    assert far[0].min() > 0.6
    assert np.mean(far[2] < 0.6) == pytest.approx(1 - np.exp(-(0.6**2)), abs=0.08)  # a normal disc of covariance 1/2
    assert np.cov(points[2].T) == pytest.approx(np.cov(np.asarray(high.real).T), abs=0.1)


def test_outlines_hold_the_shape_and_are_filled() -> None:
    draws = [drawn("circumscribed", level, "banana") for level in (0.0, 1.0, 2.0)]
    real, same, box, disc = (np.asarray(one) for one in (draws[0].real, *(draw.synthetic for draw in draws)))
    low, high = real.min(axis=0), real.max(axis=0)
    assert not np.array_equal(real, same)
    assert (box >= low).all()
    assert (box <= high).all()
    assert box.mean(axis=0) == pytest.approx((low + high) / 2, abs=0.06 * (high - low).max())
    far, reach = (np.linalg.norm(points - (low + high) / 2, axis=1) for points in (disc, real))
    assert far.max() <= reach.max()
    assert np.mean((far / reach.max()) ** 2) == pytest.approx(0.5, abs=0.05)


def test_a_mode_is_lost_and_modes_collapse() -> None:
    def modes(points: Any) -> np.ndarray:
        centres = np.array([[-1, 0], [1, 0], [0, 3**0.5]])
        return np.bincount(((np.asarray(points)[:, None] - centres) ** 2).sum(2).argmin(1), minlength=3)

    start, half, end = (modes(drawn("plane-mode-dropped", level).synthetic) for level in (0.0, 0.5, 1.0))
    assert half[0] == start[0] - round(start[0] / 2)
    assert end[0] == 0
    assert half.sum() == end.sum() == 400
    assert abs(end[1] - end[2]) < 60
    tight = np.asarray(drawn("plane-collapse", 1.0).synthetic)
    spread = np.sort(np.abs(tight[:, 1] - np.where(tight[:, 1] > 0.8, 3**0.5, 0.0)))
    assert spread[-1] < 0.15
    clean, noisy, bad = (np.asarray(drawn("plane-bad-share", level).synthetic) for level in (0.0, 0.1, 1.0))
    blown = (noisy != clean).any(axis=1)
    assert blown.sum() == 40
    assert np.array_equal(noisy[blown], bad[blown])
    assert np.cov(bad.T) == pytest.approx(16 * np.array([[1, 0.6], [0.6, 1]]), rel=0.25)


def test_shapes_are_given_the_same_moments_exactly() -> None:
    for level in (0.0, 9.0):
        draws = [drawn("same-moments", level, arm) for arm in ("other shape", "same shape")]
        sets = [np.asarray(one) for draw in draws for one in (draw.real, draw.synthetic)]
        for points in sets:
            assert points.mean(axis=0) == pytest.approx([54.26, 47.84])
            assert points.std(axis=0, ddof=1) == pytest.approx([16.77, 26.94])
            assert np.corrcoef(points.T)[0, 1] == pytest.approx(-0.064)
    given = np.random.default_rng(0).normal(size=(50, 2))
    once = with_moments(given, (1.0, 2.0), (3.0, 0.5), 0.7)
    assert with_moments(once, (1.0, 2.0), (3.0, 0.5), 0.7) == pytest.approx(once)
    with pytest.raises(InputError, match="on one line"):
        with_moments(np.arange(6.0).reshape(3, 2))
    with pytest.raises(InputError, match="correlation between"):
        with_moments(given, correlation=1.0)


def test_the_known_sets_are_what_was_published() -> None:
    assert energy().shape == (768, 2)
    assert len(np.unique(energy(), axis=0)) == 12
    for points in anscombe().values():  # mean 9 and 7.50, variance 11 and 4.12, correlation .816
        assert points.mean(axis=0) == pytest.approx([9.0, 7.50], abs=0.005)
        assert points.var(axis=0, ddof=1) == pytest.approx([11.0, 4.125], abs=0.005)
        assert np.corrcoef(points.T)[0, 1] == pytest.approx(0.8165, abs=6e-4)


# --- the rules, by hand ---------------------------------------------------------------------------------


def seen(curves: dict[str, list[float]], levels: tuple[float, ...] = (0.0, 0.5, 1.0), key: str = "eden_score") -> Seen:
    """Curves without scatter, as a rule gets them."""
    columns = {arm: np.array(values, float)[:, None] for arm, values in curves.items()}
    return Seen(np.array(levels), columns, METRICS[key].info, 0)


def test_grade_inflation_by_hand() -> None:
    rule = Deflated()
    assert rule(seen({"a": [0.8, 0.4, 0.0]})).number == 0.0
    assert rule(seen({"a": [0.8, 0.8, 0.8]})).number == 1.0
    half = rule(seen({"a": [0.8, 0.8, 0.8], "b": [0.6, 0.1, 0.0]}))  # falling short does not make up for excess
    assert (half.number, half.passed) == (0.5, True)
    assert half.desired == pytest.approx((0.8, 0.4, 0.0))
    assert rule(seen({"a": [0.8, 0.8, 0.8], "b": [0.6, 0.4, 0.0]})).passed is False
    range_of_its_own = rule(seen({"a": [0.9, 0.7, 0.5]}, key="js_score"))  # from .5: falls in proportion
    assert range_of_its_own.number == pytest.approx(0.0)
    assert range_of_its_own.desired == pytest.approx((0.9, 0.7, 0.5))
    assert rule(seen({"a": [0.0, 1.0, 2.0]}, key="frechet_distance")).passed is None
    assert rule(seen({"a": [0.8, np.nan, 0.0]})).passed is None
    assert rule(seen({"a": [0.0, 0.0, 0.0]})).passed is None


def test_shares_of_the_grade_of_a_high_fit_by_hand() -> None:
    rungs = seen({"a": [0.8, 0.8, 0.2], "b": [0.5, 0.0, 0.3]})
    assert Separated(last=True)(rungs).number == pytest.approx((0.25 + 0.6) / 2)
    assert Separated()(rungs).number == pytest.approx((1.0 + 0.25 + 0.0 + 0.6) / 4)
    against = seen({"low": [0.4, 0.1, 0.3], "high": [0.8, 0.4, 0.4]})
    assert Separated(high="high")(against).number == pytest.approx((0.5 + 0.25 + 0.75) / 3)
    at = SeparatedAt((0.0, 0.5), "high")(against)
    assert (at.number, at.passed) == (0.5, True)
    assert SeparatedAt((0.5, 1.0), "high")(against).passed is False
    assert KeepsGrade()(seen({"a": [0.5, 0.46, 0.6]})).number == pytest.approx(0.92)
    assert KeepsGrade()(seen({"a": [0.5, 0.4, 0.6]})).passed is False
    assert FullGrade()(seen({"a": [0.9, 0.95, 1.0]})).passed
    assert FullGrade()(seen({"a": [0.9, 0.95, 1.0]}, key="js_score")).number == pytest.approx(0.8)
    told = InParts(("x", "y", "z"))(seen({"a": [0.5, 0.4, 0.1]}, (0.0, 1.0, 2.0)))
    assert (told.passed, told.reason) == (None, "x 1.00, y 0.80, z 0.20")
    spread = replace(against, curves={"a": np.array([[0.1, 0.4], [0.2, 0.2], [0.0, 0.0]])})
    assert Repeatable(0.5, 0.01)(spread).passed
    assert Repeatable(0.0, 0.01)(spread).number == pytest.approx(0.3)


def test_lower_is_better_is_turned_round() -> None:
    info = replace(METRICS["eden_score"].info, direction="lower")
    assert Deflated()(replace(seen({"a": [0.2, 0.6, 1.0]}), info=info)).number == pytest.approx(0.0)
    assert FullGrade()(replace(seen({"a": [0.0, 0.05, 0.2]}), info=info)).number == pytest.approx(0.8)


def test_scenarios_fit_together() -> None:
    keys = [scenario.key for scenario in SCENARIOS]
    assert len(set(keys)) == len(keys)
    for scenario in SCENARIOS:
        assert scenario.suite == "grade-inflation"
        assert set(scenario.axis.quick) <= set(scenario.axis.levels)
        assert len(scenario.axis.labels) in (0, len(scenario.axis.levels))
        assert scenario.axis.reference in (None, scenario.axis.chosen(True)[0])
