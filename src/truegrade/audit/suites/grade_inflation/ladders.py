"""From high fits to low ones, and other damage in the plane: what every score of a pair should see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.audit.rules import Worsens
from truegrade.audit.scenario import Ask, Axis, Criterion, Draw, Scenario
from truegrade.audit.suites.grade_inflation.grades import Deflated, Separated
from truegrade.samplers import IndependentMargins, MultivariateNormal
from truegrade.samplers.toys import TOYS, trimodal

Floats = NDArray[np.float64]
PAIRS = ("pairs",)
SUITE = "grade-inflation"
SOURCE = "Nguyen et al. 2025, Grade Inflation in Generative Models"
OWN = "our own law"
LADDER = "inflation"
SHAPES = tuple(name for name in TOYS if name != "stripes")
"""The toy sets with a shape that kernels by Scott's rule resolve at these sizes; stripes are finer than the kernel, so
that no score made of such densities can see them."""

SEPARATES = Criterion("separates", "separates", Separated(last=True), PAIRS, describes=True)
INFLATION = Criterion("inflation", "bounded", Deflated(), PAIRS, describes=True)
_BLOWN_UP = 4.0
_MODES = 3


def law(name: str, n: int, rng: np.random.Generator) -> Floats:
    """n points of a toy set."""
    return TOYS[name](n, rng)


def mixed(good: Floats, bad: Floats, share: float, rng: np.random.Generator) -> Floats:
    """The good points (n, 2), a share of them replaced by bad ones."""
    chosen = rng.permutation(len(good))[: round(share * len(good))]
    out = good.copy()
    out[chosen] = bad[chosen]
    return out


def ladder(low: Callable[[Floats], Any]) -> Callable[[Ask], Draw]:
    """Real points of the law that the arm names; synthetic ones of the same law, but for a share that `low`, fitted on
    the real points, makes."""

    def make(ask: Ask) -> Draw:
        real, good = law(ask.arm, ask.n, ask.rng), law(ask.arm, ask.n, ask.rng)
        bad = low(real).sample(ask.n, ask.rng)
        return Draw(real, mixed(good, bad, ask.level, ask.rng))

    return make


def _bad_share(ask: Ask) -> Draw:
    """Correlated normal points; bad ones are of the same law, blown up, so that the correlation stays."""
    root = np.linalg.cholesky(np.array([[1.0, 0.6], [0.6, 1.0]]))
    real, good, bad = (ask.rng.standard_normal((ask.n, 2)) @ root.T for _ in range(3))
    return Draw(real, mixed(good, _BLOWN_UP * bad, ask.level, ask.rng))


def _dropped(ask: Ask) -> Draw:
    """Three clouds, the first of which loses a share of its points to the others."""
    real, good = trimodal(ask.n, ask.rng), trimodal(ask.n, ask.rng)
    others = trimodal(3 * ask.n, ask.rng)
    first = np.flatnonzero(_mode(good) == 0)
    gone = first[: round(ask.level * len(first))]
    good[gone] = others[_mode(others) != 0][: len(gone)]
    return Draw(real, good)


def _collapsed(ask: Ask) -> Draw:
    """Three clouds; a share of the points moves into a small cloud around the centre of its own."""
    real, good = trimodal(ask.n, ask.rng), trimodal(ask.n, ask.rng)
    tight = 0.03 * ask.rng.standard_normal((ask.n, 2)) + _CENTRES[_mode(good)]
    return Draw(real, mixed(good, tight, ask.level, ask.rng))


_CENTRES = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, np.sqrt(3.0)]])  # of `trimodal`


def _mode(points: Floats) -> NDArray[np.intp]:
    """The nearest centre of each point."""
    return np.asarray(((points[:, None] - _CENTRES) ** 2).sum(axis=2).argmin(axis=1))


_SHARES = Axis("share of low-fit points", (0.0, 0.25, 0.5, 0.75, 1.0), (0.0, 0.5, 1.0))

LADDERS = (
    Scenario(
        key=LADDER,
        title="From a high fit to a low fit",
        suite=SUITE,
        question=(
            "Points of five shapes are replaced, more and more, by points of a normal distribution with the mean and "
            "the covariance of the real ones. Does the grade fall in proportion, and how far?"
        ),
        source=SOURCE,
        axis=_SHARES,
        make=ladder(MultivariateNormal),
        criteria=(SEPARATES, INFLATION),
        repeats=(10, 2),
        arms=SHAPES,
    ),
    Scenario(
        key="ring-shuffled",
        title="A ring against its shuffled columns",
        suite=SUITE,
        question="Shuffling each column by itself keeps both columns and destroys the ring. Is it seen?",
        source=SOURCE,
        axis=Axis("share of points with shuffled columns", _SHARES.levels, _SHARES.quick),
        make=ladder(IndependentMargins),
        criteria=(SEPARATES, INFLATION),
        arms=("ring",),
    ),
    Scenario(
        key="plane-bad-share",
        title="Noise in the plane",
        suite=SUITE,
        question="A share of the synthetic points is scattered four times as far as the real ones. Is it seen?",
        source=OWN,
        axis=Axis("bad share", (0.0, 0.05, 0.1, 0.2, 0.4), (0.0, 0.1, 0.4)),
        make=_bad_share,
        criteria=(Criterion("sees", "noise", Worsens(), PAIRS, describes=True),),
    ),
    Scenario(
        key="plane-mode-dropped",
        title="A mode of three is lost",
        suite=SUITE,
        question="One of three clouds loses its synthetic points to the other two. Is it seen?",
        source=OWN,
        axis=Axis("share of the mode that is lost", _SHARES.levels, _SHARES.quick),
        make=_dropped,
        criteria=(Criterion("sees", "dropping", Worsens(), PAIRS, describes=True),),
    ),
    Scenario(
        key="plane-collapse",
        title="Modes collapse to their centres",
        suite=SUITE,
        question="A share of the synthetic points huddles around the centres of three clouds. Is it seen?",
        source=OWN,
        axis=Axis("share of collapsed points", _SHARES.levels, _SHARES.quick),
        make=_collapsed,
        criteria=(Criterion("sees", "collapse", Worsens(), PAIRS, describes=True),),
    ),
)
