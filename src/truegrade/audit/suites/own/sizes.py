"""What a score is for fresh samples, what it owes to their numbers and to k, how few of them do, and what it costs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from truegrade.audit.expectations import Exact, Reads, Unbiased
from truegrade.audit.movement import Cheap, Steady
from truegrade.audit.rules import Separates
from truegrade.audit.scenario import Ask, Axis, Criterion, Draw, Floats, Scenario
from truegrade.audit.suites.own.outliers import bad_share
from truegrade.audit.suites.own.parts import (
    BOTH,
    COVERAGE,
    FIDELITY,
    REPEATS,
    SIZES,
    SUITE,
    WHOLE,
    by_mode,
    frame_of,
    modes_of,
    parts_of,
    samples_of,
    spoil,
    values_of,
)
from truegrade.metrics.placements import probabilities
from truegrade.metrics.two_sample import chance_level

_SHARES = Axis("share of the samples that are used", (0.0625, 0.125, 0.25, 0.5, 1.0), (0.125, 0.5, 1.0), reference=1.0)
_LEAST = 30
_BAD, _DROPPED = 0.2, 0.5
_SECONDS = 1.0
_FEW = Separates(("fresh", "damaged"), by=0.5)  # half of the samples are enough
MANY = (10, 8)  # draws: what is exact is judged against chance


def fresh(ask: Ask) -> Draw:
    """Real against real, a share of the samples that there are."""
    real, synthetic = parts_of(ask, 2, _LEAST)
    size = max(round(ask.level * len(real)), 2)
    return Draw(samples_of(ask, real[:size]), samples_of(ask, synthetic[:size]))


def costing(ask: Ask) -> Draw:
    """Fresh samples and a hold-out set, so that all metrics can be timed."""
    size = max(round(ask.level * min(ask.material.n // 3, ask.n)), 2)
    return Draw(*(samples_of(ask, part[:size]) for part in parts_of(ask, 3)))


def unequal(ask: Ask) -> Draw:
    """Real against real, with more or fewer synthetic than real samples; the real ones are the same."""
    order = ask.rng.permutation(ask.material.n)
    size = min(ask.material.n // 5, ask.n)
    return Draw(samples_of(ask, order[:size]), samples_of(ask, order[size : size + round(ask.level * size)]))


def k_of_damaged(ask: Ask) -> Draw:
    """A quarter of the synthetic samples is bad, whatever the level."""
    return bad_share(replace(ask, level=0.25))


def noisy_sizes(ask: Ask) -> Draw:
    """Fresh samples, or a fifth of them bad, at a share of the samples that there are."""
    real, synthetic = parts_of(ask, 2, _LEAST)
    size = max(round(ask.level * len(real)), 2)
    values = values_of(ask, synthetic[:size])
    share = _BAD if ask.arm == "damaged" else 0.0
    return Draw(samples_of(ask, real[:size]), spoil(frame_of(ask.material), values, share, ask.rng))


def dropping_sizes(ask: Ask) -> Draw:
    """Fresh samples, or samples of half of the modes, at a share of the samples that there are."""
    real, *pools = parts_of(ask, 3, _LEAST * 2 // 3)
    pool, size = np.concatenate(pools), max(round(ask.level * len(real)), 2)
    if ask.arm == "damaged":
        pool = by_mode(modes_of(ask.material), pool)[0][: round(len(pool) * _DROPPED)]
    return Draw(samples_of(ask, real[:size]), samples_of(ask, ask.rng.permutation(pool)[:size]))


# --- what theory says --------------------------------------------------------------------------------------


def covered(n: int, m: int, k: int) -> float:
    """The mean of coverage for n real and m synthetic samples of one continuous law; tends to 1 - 2^-k for n = m."""
    return 1.0 - float(next(probabilities(n, m, k, 1)))


def _one(n: int, m: int, k: int) -> float:
    return 1.0


def _nearest(n: int, m: int, k: int) -> float:
    """The mean of the 1-NN accuracy in sets of equal size."""
    return chance_level(min(n, m), min(n, m))


def _all_good(levels: Floats) -> Floats:
    return np.ones(len(levels))


_THEORY = (
    Criterion("coverage-exact", "exact", Exact(covered, 0.02, "what theory says of one law"), ("key:coverage",)),
    Criterion("density-exact", "exact", Exact(_one, 0.05, "1, its mean for one law"), ("key:density",)),
    Criterion("nearest-exact", "exact", Exact(_nearest, 0.03, "its mean for one law"), ("nn_two_sample",)),
)

SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        key="own-fresh",
        title="Fresh samples",
        suite=SUITE,
        question="What does the score say of real against real, and does that depend on how many samples there are?",
        source="Naeem et al. 2020, Salvy et al. 2025, Chong and Forsyth 2020",
        axis=_SHARES,
        make=fresh,
        criteria=(
            *_THEORY,
            Criterion("best", "bounded", Reads(_all_good, 0.1, "its best value", at=(1.0,)), BOTH),
            Criterion("unbiased", "exact", Unbiased(), ("distance",)),
            Criterion("steady", "exact", Steady(0.1), (*BOTH, *WHOLE)),
        ),
        data="vectors",
        sizes=SIZES,
        repeats=MANY,
    ),
    Scenario(
        key="own-unequal",
        title="Unequal sizes",
        suite=SUITE,
        question="Does the score depend on how many synthetic samples there are for every real one?",
        source="Salvy et al. 2025, Räisä et al. 2025",
        axis=Axis(
            "synthetic samples for every real one",
            (0.25, 0.5, 1.0, 2.0, 4.0),
            (0.25, 1.0, 4.0),
            reference=1.0,
            log=True,
        ),
        make=unequal,
        criteria=(*_THEORY, Criterion("steady", "exact", Steady(0.1), (*BOTH, *WHOLE))),
        data="vectors",
        sizes=SIZES,
        repeats=MANY,
    ),
    Scenario(
        key="own-k",
        title="Number of neighbours",
        suite=SUITE,
        question="Does the score depend on k? A quarter of the synthetic samples is bad.",
        source="Salvy et al. 2025",
        axis=Axis("k", (2.0, 3.0, 5.0, 7.0, 10.0), (2.0, 5.0, 10.0), reference=5.0),
        make=k_of_damaged,
        criteria=(Criterion("steady", "exact", Steady(0.1), (*BOTH, "two-sample")),),
        data="vectors",
        sizes=SIZES,
        repeats=REPEATS,
        vary="k",
    ),
    Scenario(
        key="own-few-noise",
        title="How few samples show bad ones",
        suite=SUITE,
        question="With how few samples is a set with a fifth of bad samples always graded worse than a fresh one?",
        source="Xu et al. 2018, section 5.6",
        axis=_SHARES,
        make=noisy_sizes,
        criteria=(Criterion("ranks", "efficient", _FEW, (*FIDELITY, *WHOLE), describes=True),),
        data="vectors",
        sizes=SIZES,
        repeats=REPEATS,
        arms=("fresh", "damaged"),
    ),
    Scenario(
        key="own-few-modes",
        title="How few samples show missing modes",
        suite=SUITE,
        question="With how few samples is a set that lacks half of the modes always graded worse than a fresh one?",
        source="Xu et al. 2018, section 5.6",
        axis=_SHARES,
        make=dropping_sizes,
        criteria=(Criterion("ranks", "efficient", _FEW, (*COVERAGE, *WHOLE), describes=True),),
        data="vectors",
        sizes=SIZES,
        repeats=REPEATS,
        arms=("fresh", "damaged"),
    ),
    Scenario(
        key="own-cost",
        title="Cost",
        suite=SUITE,
        question="How long does the metric alone take on this data?",
        source="Xu et al. 2018, section 5.7",
        axis=Axis("share of the samples that are used", (0.25, 0.5, 1.0), (0.5, 1.0), reference=1.0),
        make=costing,
        criteria=(Criterion("quick", "cheap", Cheap(_SECONDS), (*BOTH, *WHOLE, "copying"), describes=True),),
        data="vectors",
        sizes=SIZES,
        repeats=(3, 2),
        timed=True,
    ),
)
