"""Memorisation: synthetic samples that are copies of real ones, or nearly so."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from truegrade.audit.expectations import OnTarget
from truegrade.audit.material import Rows
from truegrade.audit.rules import Worsens
from truegrade.audit.scenario import Ask, Axis, Criterion, Draw, Floats, Scenario
from truegrade.audit.suites.own.parts import REPEATS, SIZES, SUITE, parts_of, samples_of, values_of
from truegrade.engine.blas import single_thread

_SEES = ("copying", "two-sample")


def copied(ask: Ask) -> Draw:
    """A share of the synthetic samples are real samples, each of them once; the others are fresh."""
    real, fresh, held_out = parts_of(ask, 3)
    count = round(ask.level * len(real))
    synthetic = np.concatenate([ask.rng.permutation(real)[:count], fresh[count:]])
    return Draw(samples_of(ask, real), samples_of(ask, synthetic), samples_of(ask, held_out))


def nearly_copied(ask: Ask) -> Draw:
    """Every synthetic sample is a real one with noise: what is left of its difference to a fresh sample near it.

    Each real sample is copied once, so that nothing but copying is there to be seen.
    """
    real, fresh, held_out = parts_of(ask, 3)
    known, values = values_of(ask, real), values_of(ask, fresh)
    source = known[matched(known, values)]
    return Draw(samples_of(ask, real), source + (1.0 - ask.level) * (values - source), samples_of(ask, held_out))


def matched(known: Floats, values: Floats) -> Rows:
    """For each of `values` a row of `known` of its own, all together as near as can be."""
    middle = known.mean(axis=0)
    known, values = known - middle, values - middle
    with single_thread():
        squared = (values**2).sum(axis=1)[:, None] + (known**2).sum(axis=1) - 2.0 * (values @ known.T)
    return np.asarray(linear_sum_assignment(squared)[1])


SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        key="own-copies",
        title="Exact copies",
        suite=SUITE,
        question="Does the score see that a share of the synthetic samples are copies of real ones?",
        source="Meehan et al. 2020, Alaa et al. 2022",
        axis=Axis("share of copies", (0.0, 0.1, 0.25, 0.5, 0.75, 1.0), (0.0, 0.25, 0.5, 1.0)),
        make=copied,
        criteria=(
            Criterion("seen", "copying", Worsens(), _SEES, describes=True),
            Criterion("fresh-not-accused", "exact", OnTarget(2.0), ("copying",)),
        ),
        data="vectors",
        sizes=SIZES,
        repeats=REPEATS,
    ),
    Scenario(
        key="own-near-copies",
        title="Copies with noise",
        suite=SUITE,
        question="Does the score see that samples are real ones with some noise, and up to how much of it?",
        source="Meehan et al. 2020, Stein et al. 2023",
        axis=Axis(
            "share of the way from a fresh sample to its own real one",
            (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99),
            (0.0, 0.25, 0.5, 0.9),
        ),
        make=nearly_copied,
        criteria=(Criterion("seen", "copying", Worsens(), _SEES, describes=True),),
        data="vectors",
        sizes=SIZES,
        repeats=REPEATS,
    ),
)
