"""Sets that share moments or outlines and not their shape; perfect models of any size; the user's own pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from truegrade.audit.rules import Line, Near
from truegrade.audit.scenario import Ask, Axis, Criterion, Draw, Scenario
from truegrade.audit.suites.grade_inflation.grades import FullGrade, InParts, KeepsGrade, Separated
from truegrade.audit.suites.grade_inflation.ladders import OWN, PAIRS, SHAPES, SOURCE, SUITE, law
from truegrade.metrics.pair_scores import EdenScore, JSScore, KLScore
from truegrade.samplers import IndependentMargins, MultivariateNormal
from truegrade.samplers.known import anscombe, with_moments
from truegrade.samplers.toys import TOYS, stripes

Floats = NDArray[np.float64]
ANSCOMBE_EDEN = {0.0: 0.389, 1.0: 0.305, 2.0: 0.244, 3.0: 0.178, 4.0: 0.192, 5.0: 0.169}
"""Eden scores of I and II, I and III, I and IV, II and III, II and IV, III and IV."""
SHAPED = tuple(combinations(TOYS, 2))
NORMAL_EDEN = {50.0: 0.35, 200.0: 0.50, 1000.0: 0.67, 5000.0: 0.79}
"""Eden scores of two samples of one normal distribution, by their size."""
_MOMENTS = ((54.26, 47.84), (16.77, 26.94), -0.064)  # about those of the Datasaurus
_SOME = (0.0, 4.0, 5.0, 9.0, 12.0, 14.0)  # of the pairs of shapes: each shape twice
_OUTLINES = ("the same shape", "the rectangle around it", "the disc around it")
_FITS = ("other real points", "a normal distribution", "shuffled columns")


def _named(name: str, labels: Sequence[str], reference: float | None, quick: tuple[float, ...] = ()) -> Axis:
    """An axis of things that are no quantity."""
    return Axis(name, tuple(map(float, range(len(labels)))), quick, reference, tuple(labels))


def known(values: Mapping[float, float]) -> Line:
    """The line through published values, by level."""
    return lambda levels: np.array([values[float(level)] for level in levels])


def given_sets(
    sets: Mapping[str, Floats],
    *,
    key: str,
    title: str,
    question: str,
    source: str,
    criteria: tuple[Criterion, ...] = (),
) -> Scenario:
    """Every set (n, 2) against every other one, as they are: Anscombe's, or those of a file such as the Datasaurus.

    Nothing is drawn, so there is one repeat. Without criteria the scores are shown and not judged.
    """
    pairs, least = tuple(combinations(sets, 2)), min(map(len, sets.values()))

    def make(ask: Ask) -> Draw:
        one, other = pairs[int(ask.level)]
        return Draw(sets[one], sets[other])

    axis = _named("sets", [f"{one} and {other}" for one, other in pairs], None)
    sizes = (least, least)
    return Scenario(key, title, SUITE, question, source, axis, make, criteria, sizes=sizes, repeats=(1, 1))


def _same_moments(ask: Ask) -> Draw:
    """Two shapes with the same moments; or, as the high fit, the first one twice."""
    one, other = SHAPED[int(ask.level)]
    names = one, other if ask.arm == "other shape" else one
    real, synthetic = (with_moments(law(name, ask.n, ask.rng), *_MOMENTS) for name in names)
    return Draw(real, synthetic)


def _outlined(ask: Ask) -> Draw:
    """Points of a shape, and points that fill an outline around it evenly."""
    real, same = law(ask.arm, ask.n, ask.rng), law(ask.arm, ask.n, ask.rng)
    low, high = real.min(axis=0), real.max(axis=0)
    box = ask.rng.uniform(low, high, (ask.n, 2))
    centre = (low + high) / 2
    radius = np.linalg.norm(real - centre, axis=1).max() * np.sqrt(ask.rng.random(ask.n))
    angle = ask.rng.uniform(0.0, 2.0 * np.pi, ask.n)
    disc = centre + np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return Draw(real, (same, box, disc)[int(ask.level)])


def _over_sampled(ask: Ask) -> Draw:
    return Draw(stripes(ask.n, ask.rng), stripes(round(ask.level) * ask.n, ask.rng))


def _perfect(ask: Ask) -> Draw:
    real, synthetic = (ask.rng.standard_normal((round(ask.level), 2)) for _ in range(2))
    return Draw(real, synthetic)


def _own(ask: Ask) -> Draw:
    """A half of the user's points against the other half, or against what a simple model makes of the first."""
    halves = (ask.material.rows(rows[: ask.n]) for rows in ask.material.split(ask.rng))
    real, fresh = halves
    if ask.level == 0.0:
        return Draw(real, fresh)
    model = (MultivariateNormal, IndependentMargins)[int(ask.level) - 1](real)
    return Draw(real, model.sample(len(fresh), ask.rng))


_TIMES = Axis("synthetic points, times the real ones", (1.0, 2.0, 5.0, 20.0), (1.0, 5.0, 20.0), reference=1.0, log=True)
_KEEPS = (Criterion("keeps", "harmless", KeepsGrade(), PAIRS, describes=True),)

ALIKE = (
    given_sets(
        anscombe(),
        key="anscombe",
        title="Anscombe's sets",
        question=(
            "Four sets of eleven points with the same mean, deviations and correlation. Do the scores have the values "
            "that are known? Eleven points are too few to separate anything: real data get less from real data."
        ),
        source=f"{SOURCE}; Anscombe 1973",
        criteria=(
            Criterion("eden", "exact", Near(known(ANSCOMBE_EDEN), 0.002, "the known value"), ("eden_score",)),
            Criterion("correlation", "exact", Near(np.ones_like, 0.0002, "1"), ("correlation_score",)),
        ),
    ),
    Scenario(
        key="same-moments",
        title="Other shapes with the same moments",
        suite=SUITE,
        question=(
            "Two sets of different shapes have exactly the same mean, deviations and correlation. Do they get clearly "
            "lower grades than two sets of one shape?"
        ),
        source=f"{SOURCE}; the shapes are our own",
        axis=_named("shapes", [f"{one} and {other}".replace("_", " ") for one, other in SHAPED], None, _SOME),
        make=_same_moments,
        criteria=(Criterion("separates", "separates", Separated(high="same shape"), PAIRS, describes=True),),
        repeats=(10, 2),
        arms=("other shape", "same shape"),
    ),
    Scenario(
        key="circumscribed",
        title="The outline of a shape, filled",
        suite=SUITE,
        question="Synthetic points fill the rectangle or the disc around the real shape. Do they get a low grade?",
        source=SOURCE,
        axis=_named("synthetic points", _OUTLINES, 0.0),
        make=_outlined,
        criteria=(Criterion("separates", "separates", Separated(), PAIRS, describes=True),),
        repeats=(10, 2),
        arms=SHAPES,
    ),
    Scenario(
        key="over-sampling",
        title="A perfect model that gives more points",
        suite=SUITE,
        question="Stripes against more and more points of the same law. Does a perfect model keep its grade?",
        source=SOURCE,
        axis=_TIMES,
        make=_over_sampled,
        criteria=_KEEPS,
        sizes=(2000, 1000),
        repeats=(10, 2),
    ),
    Scenario(
        key="over-sampling-shared",
        title="A perfect model that gives more points, kernels shared",
        suite=SUITE,
        question="The same with one kernel for both sets. Does a perfect model keep its grade?",
        source=f"{OWN}; after {SOURCE}",
        axis=_TIMES,
        make=_over_sampled,
        criteria=_KEEPS,
        sizes=(2000, 1000),
        repeats=(10, 2),
        brings=(KLScore(bandwidth="shared"), JSScore(bandwidth="shared"), EdenScore(bandwidth="shared")),
    ),
    Scenario(
        key="perfect-pair",
        title="A perfect model at several sizes",
        suite=SUITE,
        question="Two samples of one normal distribution: does a perfect model get the best grade?",
        source=SOURCE,
        axis=Axis("points", tuple(NORMAL_EDEN), (50.0, 200.0), reference=None, log=True),
        make=_perfect,
        criteria=(
            Criterion("full-grade", "bounded", FullGrade(), PAIRS, describes=True),
            Criterion("eden", "exact", Near(known(NORMAL_EDEN), 0.06, "the known value"), ("eden_score",)),
        ),
        repeats=(30, 30),
    ),
    Scenario(
        key="own-pair",
        title="Your own two columns",
        suite=SUITE,
        question=(
            "Half of the real points against the other half, a normal distribution with their moments, and their "
            "shuffled columns. Which score tells them apart?"
        ),
        source=SOURCE,
        axis=_named("synthetic points", _FITS, 0.0),
        make=_own,
        criteria=(Criterion("parts", "separates", InParts(_FITS), (), describes=True),),
        data="plane",
        sizes=(2000, 500),
        repeats=(10, 4),
    ),
)
