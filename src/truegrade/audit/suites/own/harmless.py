"""What should not matter: changes of both sets that a metric claims not to notice, values on a grid; and two laws."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from truegrade.audit.expectations import Reads
from truegrade.audit.material import tied
from truegrade.audit.movement import Apart, Steady, Unmoved
from truegrade.audit.rules import Mirror, good_share
from truegrade.audit.scenario import Ask, Axis, Criterion, Draw, Floats, Scenario
from truegrade.audit.suites.own.parts import (
    BOTH,
    COVERAGE,
    FIDELITY,
    REPEATS,
    SIZES,
    SUITE,
    WHOLE,
    frame_of,
    parts_of,
    spoil,
    values_of,
)

CHANGES = {1.0: "shift", 2.0: "scale", 3.0: "rotation", 4.0: "order"}
_BITS, _BITS_OF_ALL = 36, 48
_FACTOR = 8.0  # a power of two, which leaves ties as they are
_DIMENSIONS = 64
_FAR = 100.0


def moved(ask: Ask) -> Draw:
    """A quarter of bad synthetic samples, and both sets changed in the same way.

    Values are rounded to some 36 bits, so that shift and scale are exact and no tie is broken by rounding. Where
    distances are tied the rotation is one that is exact as well: of columns by right angles.
    """
    first, second = parts_of(ask, 2)
    frame = frame_of(ask.material)
    real, synthetic = values_of(ask, first), spoil(frame, values_of(ask, second), 0.25, ask.rng)
    far, top = (2.0 ** np.ceil(np.log2(size)) for size in (8.0 * frame.reach, np.abs(frame.centre).max() + frame.reach))
    step = max(far * 2.0**-_BITS, top * 2.0**-_BITS_OF_ALL)
    real, synthetic = (np.round(values / step) * step for values in (real, synthetic))
    change = _change(CHANGES.get(ask.level, ""), real, far, ask.rng)
    return Draw(change(real), change(synthetic))


def _change(name: str, real: Floats, far: float, rng: np.random.Generator) -> Callable[[Floats], Floats]:
    if name == "shift":
        return lambda values: values + far
    if name == "scale":
        return lambda values: values * _FACTOR
    if name == "rotation":
        return _quarter_turns(real.shape[1], rng) if tied(real) else _reflections(real.shape[1], rng)
    if name == "order":
        return lambda values: rng.permutation(values)
    return lambda values: values


def _quarter_turns(d: int, rng: np.random.Generator) -> Callable[[Floats], Floats]:
    """Columns in another order, some with the other sign."""
    order, sign = rng.permutation(d), rng.choice([-1.0, 1.0], d)
    return lambda values: values[:, order] * sign


def _reflections(d: int, rng: np.random.Generator) -> Callable[[Floats], Floats]:
    """Three mirrors, one after the other; any orthogonal change is made of such."""
    mirrors = rng.normal(size=(3, d))
    mirrors /= np.linalg.norm(mirrors, axis=1, keepdims=True)

    def turn(values: Floats) -> Floats:
        for mirror in mirrors:  # einsum: equal rows stay equal
            values = values - 2.0 * np.einsum("ij,j->i", values, mirror)[:, None] * mirror
        return values

    return turn


def on_grid(ask: Ask) -> Draw:
    """Both sets rounded to a grid, its step in the scale of each column."""
    first, second = parts_of(ask, 2)
    frame = frame_of(ask.material)
    step = ask.level * frame.scale

    def rounded(values: Floats) -> Floats:
        steps = np.round((values - frame.centre) / np.where(step > 0.0, step, 1.0))
        return np.where(step > 0.0, frame.centre + steps * step, values)

    return Draw(rounded(values_of(ask, first)), rounded(values_of(ask, second)))


def grid_with_bad(ask: Ask) -> Draw:
    """Both sets on the nine points of a 3 x 3 grid; a share of the synthetic samples on nine points far away."""
    real, synthetic = ask.rng.integers(0, 3, size=(2, ask.n, 2)).astype(np.float64)
    synthetic[: round(ask.level * ask.n)] += _FAR
    return Draw(real, synthetic)


def spheres(ask: Ask) -> Draw:
    """Uniform on two spheres about one centre: real ones of radius 1, synthetic ones of radius 1 + level."""
    real, synthetic = ask.rng.normal(size=(2, ask.n, _DIMENSIONS))
    real /= np.linalg.norm(real, axis=1, keepdims=True)
    synthetic *= (1.0 + ask.level) / np.linalg.norm(synthetic, axis=1, keepdims=True)
    return Draw(real, synthetic)


SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        key="own-harmless",
        title="Changes that do not matter",
        suite=SUITE,
        question="Does the score stay under the changes of both sets that it claims not to notice?",
        source="what each metric promises",
        axis=Axis("change", (0.0, *CHANGES), labels=("none", *CHANGES.values())),
        make=moved,
        criteria=(Criterion("unmoved", "harmless", Unmoved(CHANGES), (*BOTH, *WHOLE, "copying")),),
        data="vectors",
        sizes=SIZES,
        repeats=REPEATS,
    ),
    Scenario(
        key="own-ties",
        title="Values on a grid",
        suite=SUITE,
        question="Are sets of one law still graded as alike when values are rounded so that distances are tied?",
        source="definitions of the neighbour metrics, whose tie rules differ",
        axis=Axis("step of the grid, in scales of each column", (0.0, 0.25, 0.5, 1.0, 2.0), (0.0, 0.5, 2.0)),
        make=on_grid,
        criteria=(Criterion("steady", "exact", Steady(0.1), (*BOTH, *WHOLE)),),
        data="vectors",
        sizes=SIZES,
        repeats=REPEATS,
    ),
    Scenario(
        key="own-grid",
        title="Bad samples on a 3 x 3 grid",
        suite=SUITE,
        question="Is the share of bad samples read where every distance is tied many times?",
        source="Salvy et al. 2025 (definitions), with tied distances",
        axis=Axis("share of bad synthetic samples", (0.0, 0.25, 0.5, 0.75, 0.9)),
        make=grid_with_bad,
        criteria=(
            Criterion("fidelity-reads", "exact", Reads(good_share, 0.03, "1 - x"), FIDELITY),
            Criterion("coverage-reads", "exact", Reads(good_share, 0.04, "1 - x"), COVERAGE),
        ),
        sizes=(1000, 500),
        repeats=REPEATS,
    ),
    Scenario(
        key="own-spheres",
        title="Spheres of other radius",
        suite=SUITE,
        question="Is a sphere inside the real one graded like a sphere outside, at the same distance?",
        source="Khayatkhoei and AbdAlmageed 2023",
        axis=Axis("radius more than that of the real sphere", (-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3), (-0.3, 0.0, 0.3)),
        make=spheres,
        criteria=(
            Criterion("mirrored", "symmetric", Mirror(0.1), BOTH),
            Criterion("told-apart", "noise", Apart(), (*FIDELITY, *WHOLE), describes=True),
        ),
        sizes=(2500, 500),
        repeats=REPEATS,
    ),
)
