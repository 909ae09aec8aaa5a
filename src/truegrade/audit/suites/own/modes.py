"""Modes that are missing, invented or shrunk, samples that huddle at the mean, and one sample many times."""

from __future__ import annotations

import numpy as np

from truegrade.audit.material import Rows
from truegrade.audit.movement import Steady
from truegrade.audit.rules import Worsens
from truegrade.audit.scenario import Ask, Axis, Criterion, Draw, Floats, Scenario
from truegrade.audit.suites.own.parts import (
    COVERAGE,
    FIDELITY,
    REPEATS,
    SIZES,
    SUITE,
    WHOLE,
    Modes,
    by_mode,
    enough,
    frame_of,
    modes_of,
    parts_of,
    samples_of,
    values_of,
)

_MOST_DROPPED = 0.7
_SHRINKING = (*COVERAGE, *WHOLE)


def dropped(ask: Ask) -> Draw:
    """All synthetic samples come from some modes: those that are left when a share of the samples is dropped by mode.

    The pool has so many samples more than a set that what is left of it is always enough.
    """
    material, modes = ask.material, modes_of(ask.material)
    size = min(int(material.n * (1.0 - _MOST_DROPPED) / (2.0 - _MOST_DROPPED)), ask.n)
    enough(material, size, 10, "modes to be dropped")
    order = ask.rng.permutation(material.n)
    real, pool = order[:size], order[size : size + int(size / (1.0 - _MOST_DROPPED)) + 1]
    left = by_mode(modes, pool)[0][: max(len(pool) - int(ask.level * len(pool)), size)]
    return Draw(samples_of(ask, real), samples_of(ask, ask.rng.permutation(left)[:size]))


def invented(ask: Ask) -> Draw:
    """Real samples come from about half of the modes; a share of the synthetic ones comes from the others."""
    material, modes = ask.material, modes_of(ask.material)
    counts = np.cumsum(np.bincount(modes.labels))
    known = modes.labels <= np.argmin(np.abs(counts[:-1] - material.n / 2))
    inside, outside = (ask.rng.permutation(np.flatnonzero(which)) for which in (known, ~known))
    size = min(len(inside) // 2, len(outside), ask.n)
    enough(material, size, 10, "modes to be invented")
    count = round(ask.level * size)
    synthetic = np.concatenate([outside[:count], inside[size : 2 * size - count]])
    return Draw(samples_of(ask, inside[:size]), samples_of(ask, synthetic))


def shrunk(ask: Ask) -> Draw:
    """Every synthetic sample moves towards the centre of its mode by a share of the way."""
    real, synthetic = parts_of(ask, 2)
    modes = modes_of(ask.material)
    centres = modes.centres[modes.labels[synthetic]]
    return Draw(samples_of(ask, real), centres + (1.0 - ask.level) * (values_of(ask, synthetic) - centres))


def collapsed(ask: Ask) -> Draw:
    """In a share of the modes every synthetic sample becomes the one that is nearest to the mode's centre."""
    real, synthetic = parts_of(ask, 2)
    modes, values = modes_of(ask.material), values_of(ask, synthetic)
    order = ask.rng.permutation(len(modes.centres))
    for mode in order[: round(ask.level * len(order))]:
        members = np.flatnonzero(modes.labels[synthetic] == mode)
        values[members] = values[_nearest(values, members, modes, mode)]
    return Draw(samples_of(ask, real), values)


def _nearest(values: Floats, members: Rows, modes: Modes, mode: int) -> Rows:
    """The member nearest to the centre, as an array of one, or none where the mode has no members."""
    away = np.linalg.norm(values[members] - modes.centres[mode], axis=1)
    return members[np.argsort(away, kind="stable")[:1]]


def contracted(ask: Ask) -> Draw:
    """Every synthetic sample moves towards the centre of the data by a share of the way."""
    real, synthetic = parts_of(ask, 2)
    centre = frame_of(ask.material).centre
    return Draw(samples_of(ask, real), centre + (1.0 - ask.level) * (values_of(ask, synthetic) - centre))


def repeated(ask: Ask) -> Draw:
    """A share of the synthetic samples are copies of the other synthetic samples."""
    real, synthetic = parts_of(ask, 2)
    own = max(len(synthetic) - int(ask.level * len(synthetic)), 1)
    return Draw(samples_of(ask, real), samples_of(ask, np.resize(synthetic[:own], len(synthetic))))


SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        key="own-mode-drop",
        title="Modes dropped",
        suite=SUITE,
        question="Does the score see that modes are missing, and does fidelity stay?",
        source="Xu et al. 2018, Naeem et al. 2020, Salvy et al. 2025",
        axis=Axis("share of the samples whose modes are dropped", (0.0, 0.15, 0.3, 0.45, 0.6, 0.7), (0.0, 0.3, 0.7)),
        make=dropped,
        criteria=(
            Criterion("seen", "dropping", Worsens(), (*COVERAGE, *WHOLE), describes=True),
            Criterion("fidelity-stays", "harmless", Steady(0.1), FIDELITY),
        ),
        data="vectors",
        sizes=SIZES,
        repeats=REPEATS,
    ),
    Scenario(
        key="own-mode-invention",
        title="Modes invented",
        suite=SUITE,
        question="Does the score see samples of modes that the real samples do not have?",
        source="Räisä et al. 2025, Naeem et al. 2020",
        axis=Axis("share of the samples in invented modes", (0.0, 0.1, 0.25, 0.5, 0.75, 1.0), (0.0, 0.25, 1.0)),
        make=invented,
        criteria=(Criterion("seen", "invention", Worsens(), (*FIDELITY, *WHOLE), describes=True),),
        data="vectors",
        sizes=SIZES,
        repeats=REPEATS,
    ),
    Scenario(
        key="own-mode-shrink",
        title="Modes shrunk to their centres",
        suite=SUITE,
        question="Does the score see that samples of a mode huddle at its centre?",
        source="Xu et al. 2018, Räisä et al. 2025",
        axis=Axis("share of the way to the mode's centre", (0.0, 0.1, 0.25, 0.5, 0.75, 0.9), (0.0, 0.25, 0.5, 0.9)),
        make=shrunk,
        criteria=(Criterion("seen", "collapse", Worsens(), _SHRINKING, describes=True),),
        data="vectors",
        sizes=SIZES,
        repeats=REPEATS,
    ),
    Scenario(
        key="own-mode-collapse",
        title="Modes collapsed to one sample",
        suite=SUITE,
        question="Does the score see modes whose samples are all the same?",
        source="Xu et al. 2018",
        axis=Axis("share of collapsed modes", (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), (0.0, 0.5, 1.0)),
        make=collapsed,
        criteria=(Criterion("seen", "collapse", Worsens(), _SHRINKING, describes=True),),
        data="vectors",
        sizes=SIZES,
        repeats=REPEATS,
    ),
    Scenario(
        key="own-contraction",
        title="Contraction to the centre of the data",
        suite=SUITE,
        question="Does the score see that only typical samples are made?",
        source="Räisä et al. 2025",
        axis=Axis("share of the way to the centre", (0.0, 0.05, 0.1, 0.25, 0.5, 0.75), (0.0, 0.1, 0.25, 0.5)),
        make=contracted,
        criteria=(Criterion("seen", "collapse", Worsens(), _SHRINKING, describes=True),),
        data="vectors",
        sizes=SIZES,
        repeats=REPEATS,
    ),
    Scenario(
        key="own-duplicates",
        title="Duplicates among the synthetic samples",
        suite=SUITE,
        question="Does the score see that few different samples are made, again and again?",
        source="Räisä et al. 2025",
        axis=Axis("share of repeated synthetic samples", (0.0, 0.25, 0.5, 0.75, 0.9, 0.98), (0.0, 0.5, 0.9)),
        make=repeated,
        criteria=(Criterion("seen", "collapse", Worsens(), _SHRINKING, describes=True),),
        data="vectors",
        sizes=SIZES,
        repeats=REPEATS,
    ),
)
