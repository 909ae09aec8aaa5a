"""Samples that are not real: thrown far out, blurred by noise, and single outliers that should not count."""

from __future__ import annotations

from truegrade.audit.expectations import Reads
from truegrade.audit.movement import Alike, Apart, Steady
from truegrade.audit.rules import Worsens, good_share
from truegrade.audit.scenario import Ask, Axis, Criterion, Draw, Scenario
from truegrade.audit.suites.own.parts import (
    BOTH,
    FIDELITY,
    REPEATS,
    SIZES,
    SUITE,
    WHOLE,
    frame_of,
    parts_of,
    samples_of,
    spoil,
    values_of,
)

OUTLIERS = 3.0  # scales from the centre, in every column


def bad_share(ask: Ask) -> Draw:
    """A share of the synthetic samples lies far beyond all real ones."""
    real, synthetic = parts_of(ask, 2)
    frame = frame_of(ask.material)
    return Draw(samples_of(ask, real), spoil(frame, values_of(ask, synthetic), ask.level, ask.rng))


def noise(ask: Ask) -> Draw:
    """Gaussian noise on every synthetic sample, its size in the scale of each column."""
    real, synthetic = parts_of(ask, 2)
    values, scale = values_of(ask, synthetic), frame_of(ask.material).scale
    return Draw(samples_of(ask, real), values + ask.level * scale * ask.rng.normal(size=values.shape))


def matched_outliers(ask: Ask) -> Draw:
    """The same share of both sets lies far out."""
    real, synthetic = parts_of(ask, 2)
    frame = frame_of(ask.material)
    thrown = [spoil(frame, values_of(ask, rows), ask.level, ask.rng) for rows in (real, synthetic)]
    return Draw(*thrown)


def translated(ask: Ask) -> Draw:
    """Synthetic samples moved in every column; in one arm with one real outlier on one side, one synthetic opposite."""
    first, second = parts_of(ask, 2)
    frame = frame_of(ask.material)
    real, synthetic = values_of(ask, first), values_of(ask, second) + ask.level * frame.scale
    if ask.arm == "with outliers":
        real[0] = frame.centre + OUTLIERS * frame.scale
        synthetic[0] = frame.centre - OUTLIERS * frame.scale
    return Draw(real, synthetic)




SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        key="own-bad-share",
        title="Bad synthetic samples",
        suite=SUITE,
        question="Does the score fall in proportion to the share of samples that lie far from all real ones?",
        source="Salvy et al. 2025, Xu et al. 2018",
        axis=Axis("share of bad synthetic samples", (0.0, 0.1, 0.25, 0.5, 0.75, 1.0), (0.0, 0.25, 0.5, 1.0)),
        make=bad_share,
        criteria=(
            Criterion("proportional", "linear", Reads(good_share, 0.05, "1 - x", relative=True), BOTH),
            Criterion("from-best-to-worst", "bounded", Reads(good_share, 0.1, "1 - x", at=(0.0, 1.0)), BOTH),
            Criterion("seen", "noise", Worsens(), (*FIDELITY, *WHOLE), describes=True),
        ),
        data="vectors",
        sizes=SIZES,
        repeats=REPEATS,
    ),
    Scenario(
        key="own-noise",
        title="Noise",
        suite=SUITE,
        question="Does the score see noise on the synthetic samples, and from which size on?",
        source="Xu et al. 2018, Stein et al. 2023",
        axis=Axis("noise, in scales of each column", (0.0, 0.1, 0.25, 0.5, 1.0, 2.0), (0.0, 0.25, 0.5, 1.0)),
        make=noise,
        criteria=(Criterion("seen", "noise", Worsens(), (*FIDELITY, *WHOLE), describes=True),),
        data="vectors",
        sizes=SIZES,
        repeats=REPEATS,
    ),
    Scenario(
        key="own-matched-outliers",
        title="Outliers in both sets",
        suite=SUITE,
        question="Is the score left alone by the same share of outliers in both sets?",
        source="Salvy et al. 2025",
        axis=Axis("share of outliers in both sets", (0.0, 0.01, 0.02, 0.03), (0.0, 0.01, 0.03)),
        make=matched_outliers,
        criteria=(Criterion("stays", "robust", Steady(0.03), (*BOTH, *WHOLE)),),
        data="vectors",
        sizes=SIZES,
        repeats=REPEATS,
    ),
    Scenario(
        key="own-translation",
        title="Translation with one outlier in each set",
        suite=SUITE,
        question="Do a single real and a single synthetic outlier change what the score says of moved samples?",
        source="Salvy et al. 2025, Naeem et al. 2020",
        axis=Axis("shift, in scales of each column", (-1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0), (-1.0, 0.0, 1.0)),
        make=translated,
        criteria=(
            Criterion("same-curve", "robust", Alike(("without", "with outliers"), 0.04), (*BOTH, *WHOLE)),
            Criterion("told-apart", "noise", Apart(), WHOLE, describes=True),
        ),
        data="vectors",
        sizes=SIZES,
        repeats=REPEATS,
        arms=("without", "with outliers"),
    ),
)
