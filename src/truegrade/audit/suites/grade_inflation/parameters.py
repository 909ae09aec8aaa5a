"""What the scores' own parameters do: number of levels, width of the kernels, threshold, random points."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from truegrade.audit.rules import Near
from truegrade.audit.scenario import Ask, Axis, Criterion, Draw, Scenario
from truegrade.audit.suites.grade_inflation.alike import known
from truegrade.audit.suites.grade_inflation.grades import Repeatable, SeparatedAt
from truegrade.audit.suites.grade_inflation.ladders import PAIRS, SOURCE, SUITE, law
from truegrade.metrics.pair_scores import EdenScore
from truegrade.samplers import GaussianCopula, MultivariateNormal
from truegrade.samplers.known import energy

Floats = NDArray[np.float64]
LOW, HIGH = "low fit", "high fit"
ENERGY_EDEN = {2.0: 0.58, 5.0: 0.155, 8.0: 0.078, 17.0: 0.034}
"""Eden score of the energy pair against its copula, by number of levels."""
_NARROW = 0.0141  # deviation across the line of points with correlation .9999


@cache
def _copula() -> GaussianCopula:
    return GaussianCopula(energy())


def _energy(ask: Ask) -> Draw:
    real = energy()
    if ask.arm == LOW:
        return Draw(real, _copula().sample(len(real), ask.rng))
    return Draw(real, real[ask.rng.integers(0, len(real), len(real))])


def _ring(ask: Ask) -> Draw:
    """A ring against a normal distribution with its moments, or against another ring."""
    real, same = law("ring", ask.n, ask.rng), law("ring", ask.n, ask.rng)
    return Draw(real, MultivariateNormal(real).sample(ask.n, ask.rng) if ask.arm == LOW else same)


def _line(ask: Ask) -> Draw:
    """The same two nearly straight lines of points always, mirrored and turned over at random: no score should change,
    only where random points fall among them."""
    fixed = np.random.default_rng(0)
    along, across = fixed.standard_normal((2, ask.n)), fixed.standard_normal((2, ask.n))
    signs, turned = ask.rng.choice([-1.0, 1.0], 2), bool(ask.rng.integers(2))
    sides = [np.column_stack([a, a + _NARROW * b]) * signs for a, b in zip(along, across, strict=True)]
    real, synthetic = (side[:, ::-1].copy() if turned else side for side in sides)
    return Draw(real, synthetic)


PARAMETERS = (
    Scenario(
        key="levels",
        title="Number of levels of the Eden score",
        suite=SUITE,
        question="Energy Efficiency X2, X3 against a copula: what does the number of levels do to low and high fits?",
        source=SOURCE,
        axis=Axis("levels", tuple(ENERGY_EDEN), reference=None, log=True),
        make=_energy,
        criteria=(
            Criterion("eden", "exact", Near(known(ENERGY_EDEN), 0.02, "the known value"), ("eden_score",)),
            Criterion("separates", "separates", SeparatedAt((5.0, 8.0, 17.0), HIGH), ("eden_score",)),
        ),
        sizes=(768, 768),
        repeats=(20, 12),
        arms=(LOW, HIGH),
        vary="levels",
    ),
    Scenario(
        key="bandwidth",
        title="Width of the kernels",
        suite=SUITE,
        question=(
            "A ring and a normal distribution with its moments: for which kernels do they get different grades? "
            "Scott's rule takes 0.32 with 1,000 points and 0.35 with 500."
        ),
        source=SOURCE,
        axis=Axis("kernel's sd, in the set's", (0.05, 0.1, 0.2, 0.35, 0.7, 1.4), (0.1, 0.35, 1.4), None, log=True),
        make=_ring,
        criteria=(Criterion("separates", "separates", SeparatedAt((0.1, 0.2, 0.35), HIGH), PAIRS),),
        arms=(LOW, HIGH),
        vary="rule",
    ),
    Scenario(
        key="threshold",
        title="Threshold of the Jaccard score",
        suite=SUITE,
        question="A ring and a normal distribution with its moments: does another threshold tell them apart?",
        source=SOURCE,
        axis=Axis("threshold", (0.01, 0.03, 0.1, 0.3, 0.5, 0.8), (0.01, 0.1, 0.5), None),
        make=_ring,
        criteria=(Criterion("separates", "separates", SeparatedAt((0.01, 0.1, 0.5), HIGH), ("jaccard_score",)),),
        arms=(LOW, HIGH),
        vary="support",
    ),
    Scenario(
        key="monte-carlo",
        title="Random points in place of a grid",
        suite=SUITE,
        question=(
            "Two sets with correlation .9999, the same ones every time but for their direction: how far does the score "
            "depend on where random points fall, and with how many of them?"
        ),
        source=SOURCE,
        axis=Axis("random points", (1e3, 5e3, 2e4, 5e4, 2e5), (5e3, 5e4), None, log=True),
        make=_line,
        criteria=(Criterion("repeatable", "exact", Repeatable(5e4, 0.01), PAIRS),),
        sizes=(200, 200),
        repeats=(10, 5),
        vary="size",
        brings=(EdenScore(), EdenScore(method="monte-carlo")),
    ),
)
