"""Errors that are easily made in a metric, injected: the audit must fail visibly, in a finding that names them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from audit_seen import finding
from truegrade.audit import audit
from truegrade.audit.material import Material
from truegrade.audit.opening import stand_in
from truegrade.audit.run import run_scenario
from truegrade.audit.scenario import matching
from truegrade.audit.suites import Suite
from truegrade.audit.suites.own import SCENARIOS
from truegrade.engine.needs import BallCounts
from truegrade.metrics import Coverage, Density, Precision, Recall
from truegrade.metrics.balls import Ties
from truegrade.metrics.base import Metric
from truegrade.result.audit import Finding
from truegrade.samples import Samples

CLOUDS = Material(stand_in(), law=True)
PLANE = Material(Samples.from_array(np.random.default_rng(0).normal(size=(800, 2))))


class SwappedPrecision(Precision):
    """Whose balls are whose, mixed up."""

    def needs(self):
        return Recall(k=self.k).needs()


class SwappedRecall(Recall):
    """Whose balls are whose, mixed up."""

    def needs(self):
        return Precision(k=self.k).needs()


@dataclass(frozen=True, kw_only=True)
class StrictPrecision(Precision):
    """d < r in place of d <= r."""

    ties: Ties = "strict"


@dataclass(frozen=True, kw_only=True)
class StrictCoverage(Coverage):
    """d < r in place of d <= r."""

    ties: Ties = "strict"


class SelfishCoverage(Coverage):
    """A sample counts as its own nearest neighbour: balls of k - 1 others."""

    def needs(self):
        return (BallCounts("real", "synthetic", self.k - 1),)


class SelfishDensity(Density):
    """A sample counts as its own nearest neighbour: balls of k - 1 others, still divided by k."""

    def needs(self):
        return (BallCounts("real", "synthetic", self.k - 1),)


def found_of(metric: Metric, scenario: str, criterion: str, material: Material = CLOUDS) -> Finding:
    key = metric.info.key
    outcome = run_scenario(matching(SCENARIOS, scenario), material, {key: metric}, quick=True, threads=1)
    assert outcome.skipped is None
    return finding(outcome, key, criterion)


@pytest.mark.parametrize(
    ("right", "wrong", "scenario", "criterion", "material"),
    [
        (Precision(), SwappedPrecision(), "own-bad-share", "proportional", CLOUDS),
        (Precision(), SwappedPrecision(), "own-noise", "seen", CLOUDS),
        (Recall(), SwappedRecall(), "own-contraction", "seen", CLOUDS),
        (Recall(), SwappedRecall(), "own-mode-shrink", "seen", CLOUDS),
        (Precision(), StrictPrecision(), "own-ties", "steady", PLANE),
        (Coverage(), StrictCoverage(), "own-ties", "steady", PLANE),
        (Coverage(), SelfishCoverage(), "own-fresh", "coverage-exact", CLOUDS),
        (Density(), SelfishDensity(), "own-fresh", "density-exact", CLOUDS),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Metric) else "",
)
def test_an_injected_error_fails_where_the_right_metric_passes(right, wrong, scenario, criterion, material):
    good, bad = (found_of(metric, scenario, criterion, material) for metric in (right, wrong))
    assert good.expected
    assert good.passed, good.reason
    assert bad.passed is False, bad.reason


def test_a_whole_audit_blames_the_wrong_metric_and_not_the_right_one():
    suite = Suite("some", "some of the user's own", tuple(s for s in SCENARIOS if s.key in ("own-fresh", "own-noise")))
    given = {"suite": suite, "quick": True, "threads": 1}

    def blamed(*metrics: Metric) -> set[tuple[str, str, str]]:
        report = audit(CLOUDS.real, metrics=list(metrics), **given)
        return {(scenario.key, one.metric, one.criterion) for scenario, one in report.blamed}

    wrong = {
        ("own-fresh", "coverage", "coverage-exact"),
        ("own-fresh", "density", "density-exact"),
        ("own-noise", "precision", "seen"),
    }
    assert wrong <= blamed(SwappedPrecision(), SelfishCoverage(), SelfishDensity())
    assert not wrong & blamed(Precision(), Coverage(), Density())
