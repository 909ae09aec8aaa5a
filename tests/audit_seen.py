"""Curves by hand, and what was found of a metric: for the tests of suites."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from truegrade.audit.scenario import Seen
from truegrade.metrics import Precision
from truegrade.result.audit import Finding, ScenarioOutcome


def seen(values, info=Precision.info, levels=None, reference=0, scatter=0.0, sizes=(100, 100), **more) -> Seen:
    """Repeats `scatter` below, on and above the values; levels from 0 to 1, all of one size."""
    values = np.asarray(values, float)
    levels = np.linspace(0.0, 1.0, len(values)) if levels is None else np.asarray(levels, float)
    curves = {"score": values[:, None] + np.array([-scatter, 0.0, scatter])}
    sizes = np.asarray(sizes, float) * np.ones((len(values), 2))
    return replace(Seen(levels, curves, info, reference, sizes=sizes), **more)


def finding(outcome: ScenarioOutcome, metric: str, criterion: str) -> Finding:
    """The one finding of this name."""
    (found,) = [f for f in outcome.findings if (f.metric, f.criterion) == (metric, criterion)]
    return found


def mean_curve(outcome: ScenarioOutcome, metric: str, arm: str | None = None):
    """Means over repeats, by level."""
    curve = outcome.curve(metric)
    assert curve is not None
    values = next(iter(curve.values.values())) if arm is None else curve.values[arm]
    return values.mean(axis=1)
