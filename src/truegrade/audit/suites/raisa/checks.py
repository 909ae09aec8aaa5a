"""The fifteen checks as scenarios: one for each line of dimensions, outliers or directions in the published table.

A criterion has the key that the table's row ends with. Where fidelity and diversity are asked for different things, two
criteria share that key, one for each family.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from truegrade.audit.scenario import Ask, Axis, Criterion, Draw, Floats, Property, Rule, Scenario
from truegrade.audit.suites.raisa import laws
from truegrade.audit.suites.raisa.criteria import Bell, CloseTo, Either, Level, LowOrHigh, Slope
from truegrade.audit.suites.raisa.laws import Each, Once

SUITE = "raisa"
SOURCE = "Räisä et al. 2025 (arXiv 2505.22450), "
DIMENSIONS = (1, 8, 64)
SIZES, REPEATS = (1000, 500), (10, 3)
FIDELITY, DIVERSITY = ("fidelity",), ("coverage",)
BOTH = FIDELITY + DIVERSITY
METRICS = (
    "precision",
    "recall",
    "density",
    "coverage",
    "alpha_precision",
    "beta_recall",
    "c_precision",
    "c_recall",
    "precision_cover",
    "recall_cover",
    "symmetric_precision",
    "symmetric_recall",
    "p_precision",
    "p_recall",
    "clipped_density",
    "clipped_coverage",
)

ONE, ZERO = 1.0, 0.0


def scenario_key(check: str, index: str = "") -> str:
    """The key of the scenario of a published check and index ("real_outlier/8")."""
    parts = [SUITE, check, *(part for part in index.replace("_", "-").split("/") if part)]
    return "-".join(parts)


def both(key: str, prop: Property, rule: Rule) -> tuple[Criterion, ...]:
    """One criterion for all."""
    return (Criterion(key, prop, rule, BOTH),)


def apart(key: str, fidelity: tuple[Property, Rule], diversity: tuple[Property, Rule]) -> tuple[Criterion, ...]:
    """One for each family."""
    return (Criterion(key, *fidelity, FIDELITY), Criterion(key, *diversity, DIVERSITY))


def _scenario(
    check: str,
    index: str,
    title: str,
    question: str,
    axis: Axis,
    make: Callable[[Ask], Draw],
    *criteria: tuple[Criterion, ...],
) -> Scenario:
    return Scenario(
        key=scenario_key(check, index),
        title=title,
        suite=SUITE,
        question=question,
        source=SOURCE + f"sanity check {check}",
        axis=axis,
        make=make,
        criteria=tuple(criterion for some in criteria for criterion in some),
        sizes=SIZES,
        repeats=REPEATS,
        metrics=METRICS,
        paired=isinstance(make, Once),
    )


def _axis(
    name: str, levels: Floats, quick: tuple[int, ...], *, reference: float | None = 0.0, log: bool = False
) -> Axis:
    """All levels, and those at some places for a quick audit."""
    rounded = [float(level) for level in np.round(levels, 12)]
    return Axis(name, tuple(rounded), tuple(rounded[place] for place in quick), reference, log=log)


_SPREAD = (0, 12, 25, 38, 50)  # places among 51 levels


# --- means and spreads -------------------------------------------------------------------------------------

_MEANS = {1: 6.0, 8: 3.0, 64: 1.0}
_SPREADS = {1: 3.0, 8: 1.0, 64: 0.5}


def _ends(prop: Property) -> tuple[Criterion, ...]:
    """Near 0 where the synthetic mean is far away."""
    return (
        *both("bounds/extreme negative", prop, CloseTo(ZERO, "first")),
        *both("bounds/extreme positive", prop, CloseTo(ZERO, "last")),
    )


def _mean_axis(reach: float) -> Axis:
    return _axis("synthetic mean", np.linspace(-reach, reach, 51), (0, 12, 20, 25, 30, 38, 50))


_IDENTICAL_MEANS = both("bounds/identical", "bounded", CloseTo(ONE, 0.0))


def _mean_difference(d: int) -> Scenario:
    return _scenario(
        "gaussian-mean-difference",
        str(d),
        f"Gaussian mean difference, d = {d}",
        "Is the score best for the same law, worst far away on both sides, and a bell in between?",
        _mean_axis(_MEANS[d]),
        Once(laws.gaussian(d), laws.moved_gaussian(d)),
        _IDENTICAL_MEANS,
        _ends("bounded"),
        both("property/bell shape", "noise", Bell(0.0)),
    )


def _with_outlier(side: str, d: int) -> Scenario:
    real, synthetic = laws.gaussian(d), laws.moved_gaussian(d)
    far = _MEANS[d]
    pair = (laws.with_outlier(real, far), synthetic) if side == "real" else (real, laws.with_outlier(synthetic, far))
    return _scenario(
        "gaussian-mean-difference-with-outlier",
        f"{'real' if side == 'real' else 'syn'}_outlier/{d}",
        f"Gaussian mean difference with one {side} outlier, d = {d}",
        "The same with one outlier where the farthest synthetic mean lies: does it sway the score?",
        _mean_axis(far),
        Once(*pair),
        _IDENTICAL_MEANS,
        _ends("robust"),
        both("property/bell shape", "robust", Bell(0.0)),
    )


def _std_difference(d: int) -> Scenario:
    reach = _SPREADS[d]
    return _scenario(
        "gaussian-std-difference",
        str(d),
        f"Gaussian standard deviation difference, d = {d}",
        "Synthetic samples too narrow keep fidelity and lose diversity; too wide they lose fidelity: is it so?",
        _axis("synthetic standard deviation", np.logspace(-reach, reach, 51), _SPREAD, reference=1.0, log=True),
        Once(laws.gaussian(d), laws.scaled_gaussian(d)),
        both("bounds/identical", "bounded", CloseTo(ONE, 1.0)),
        apart("bounds/low syn. std.", ("bounded", CloseTo(ONE, "first")), ("collapse", CloseTo(ZERO, "first"))),
        apart("bounds/high syn. std.", ("bounded", CloseTo(ZERO, "last")), ("bounded", LowOrHigh("last"))),
        apart(
            "property/shape",
            ("noise", Slope(falls=True)),
            ("collapse", Either(Bell(1.0), Slope(falls=False))),
        ),
    )


def _pareto() -> Scenario:
    return _scenario(
        "gaussian-mean-difference-with-pareto",
        "",
        "Gaussian mean difference beside a Pareto feature",
        "Does a second feature with a heavy tail, the same in both sets, hide the difference in the first?",
        _mean_axis(APART),
        Once(laws.beside_pareto(False), laws.beside_pareto(True)),
        _IDENTICAL_MEANS,
        _ends("robust"),
        both("property/bell shape", "robust", Bell(0.0)),
    )


APART = laws.APART

# --- modes -------------------------------------------------------------------------------------------------

_FULL_DROP = apart  # fidelity alone has a bound there


def _dropped(axis: Axis, drop_by: float) -> tuple[tuple[Criterion, ...], ...]:
    """Fidelity stays at 1; diversity falls, and has fallen by some level."""
    return (
        both("bounds/identical", "bounded", CloseTo(ONE, "first")),
        (Criterion("bounds/fully_dropped_modes", "harmless", CloseTo(ONE, "last"), FIDELITY),),
        apart(
            "property/shape",
            ("harmless", Level(desired=ONE)),
            ("dropping", Slope(falls=True, drop_by=drop_by)),
        ),
    )


def _simultaneous(d: int) -> Scenario:
    axis = _axis("share of weight that nine of ten modes lose", np.linspace(0.0, 1.0, 50), (0, 12, 24, 36, 47, 49))
    return _scenario(
        "gaussian-mixture-simultaneous-mode-dropping",
        str(d),
        f"Simultaneous mode dropping, d = {d}",
        "Nine of ten modes lose weight together: does diversity fall before they are gone, and fidelity stay?",
        axis,
        Once(laws.on_diagonal(d, laws.all_modes), laws.on_diagonal(d, laws.all_but_first_lighter)),
        *_dropped(axis, axis.levels[47]),
    )


def _sequential(d: int) -> Scenario:
    axis = _axis("number of dropped modes", np.arange(10.0), (0, 2, 4, 7, 9))
    return _scenario(
        "gaussian-mixture-sequential-mode-dropping",
        str(d),
        f"Sequential mode dropping, d = {d}",
        "Modes are dropped one after the other: does diversity fall, and fidelity stay?",
        axis,
        Once(laws.on_diagonal(d, laws.all_modes), laws.on_diagonal(d, laws.last_dropped)),
        *_dropped(axis, 4.0),
    )


def _invention() -> Scenario:
    known = float(laws.KEPT_MODES)
    return _scenario(
        "gaussian-mixture-mode-dropping-invention",
        "",
        "Mode dropping and invention",
        "From one of five real modes to all five and five more that are not real: do both families say so?",
        _axis("number of synthetic modes", np.arange(1.0, 11.0), (0, 2, 4, 7, 9), reference=known),
        Once(laws.first_modes(laws.KEPT_MODES), laws.first_modes()),
        both("bounds/identical", "bounded", CloseTo(ONE, known)),
        (
            Criterion("bounds/most dropped modes", "harmless", CloseTo(ONE, "first"), FIDELITY),
            Criterion("bounds/most invented modes", "harmless", CloseTo(ONE, "last"), DIVERSITY),
        ),
        apart("property/shape", ("invention", Slope(falls=True)), ("dropping", Slope(falls=False))),
    )


def _one_or_two(d: int) -> Scenario:
    return _scenario(
        "one-vs-two-modes",
        str(d),
        f"One mode in place of two, d = {d}",
        "Two real modes part while one wide synthetic mode lies over both: is it seen?",
        _axis("distance of the modes", np.linspace(0.0, 5.0, 20), (0, 5, 10, 15, 19)),
        Each(laws.two_modes(d), laws.one_mode(d)),
        apart(
            "property/shape",
            ("noise", Slope(falls=True)),
            ("bounded", Either(Slope(falls=True), Level())),
        ),
        both("bounds/identical", "bounded", CloseTo(ONE, "first")),
    )


# --- bodies ------------------------------------------------------------------------------------------------



def _counted(name: str) -> Axis:
    """Numbers of samples, 100 to 10,000."""
    return _axis(name, np.logspace(2, 4, 20).astype(int), (0, 5, 10, 14), reference=None, log=True)


_AFTER = 1000.0  # half of the sizes lie above


def _spheres(d: int) -> Scenario:
    return _scenario(
        "uniform-hypersphere-surface",
        str(d),
        f"Sphere surfaces, d = {d}",
        "Two spheres of different radius have no point in common: does the score see it from inside and outside?",
        _axis("synthetic radius", np.linspace(0.1, 1.9, 51), _SPREAD, reference=1.0),
        Once(laws.sphere(d, scaled=False), laws.sphere(d, scaled=True)),
        both("bounds/identical", "bounded", CloseTo(ONE, 1.0)),
        both("bounds/small syn. radius", "bounded", CloseTo(ZERO, "first")),
        both("bounds/large syn. radius", "bounded", CloseTo(ZERO, "last")),
        both("property/shape", "noise", Bell(1.0)),
    )


def _cubes(d: int) -> Scenario:
    return _scenario(
        "uniform-hypercube-varying-size",
        str(d),
        f"Overlapping cubes, samples of both sets, d = {d}",
        "A fifth of each cube is shared: does the score say 0.2, and does it come to rest as samples are added?",
        _counted("samples in each set"),
        Each(laws.cube(d, counts=True), laws.cube(d, moved=True, counts=True)),
        both("hyperparameters/shape", "exact", Level(_AFTER, laws.OVERLAP)),
        both("property/large size", "exact", CloseTo(laws.OVERLAP, "last")),
    )


def _cubes_synthetic(d: int) -> Scenario:
    return _scenario(
        "uniform-hypercube-varying-syn-size",
        str(d),
        f"Overlapping cubes, synthetic samples, d = {d}",
        "The same with more and more synthetic samples against the same real ones.",
        _counted("synthetic samples"),
        Once(laws.cube(d), laws.cube(d, moved=True, counts=True)),
        both("hyperparameters/shape", "exact", Level(_AFTER, laws.OVERLAP)),
        both("property/large syn. size", "exact", CloseTo(laws.OVERLAP, "last")),
    )


def _bodies(real: str) -> Scenario:
    pairs = {
        "sphere": Once(laws.ball(0.8, counts=False), laws.torus(1.0, 0.1, counts=True)),
        "torus": Once(laws.torus(1.0, 0.1, counts=False), laws.ball(0.8, counts=True)),
    }
    return _scenario(
        "sphere-torus",
        f"real_{real}",
        f"Ball and torus, the {'ball' if real == 'sphere' else real} real",
        "A ball inside a torus shares no point with it: is the score 0, however many synthetic samples there are?",
        _counted("synthetic samples"),
        pairs[real],
        both("property/shape", "exact", Level(_AFTER, ZERO)),
        both("bounds/right extreme value", "bounded", CloseTo(ZERO, "last")),
    )


# --- features ----------------------------------------------------------------------------------------------


def _scaling() -> Scenario:
    return _scenario(
        "gaussian-scaling-one-dimension",
        "",
        "One feature scaled",
        "Two Gaussians too far apart in one feature to meet: does the unit of the other feature matter?",
        _axis("factor of the second feature", np.logspace(-3, 3, 20), (0, 5, 9, 14, 19), reference=None, log=True),
        Each(laws.stretched(0.0), laws.stretched(APART)),
        both("transformations/shape", "harmless", Level(desired=ZERO)),
        both("bounds/left extreme value", "bounded", CloseTo(ZERO, "first")),
        both("bounds/right extreme value", "bounded", CloseTo(ZERO, "last")),
    )


def _one_disjoint() -> Scenario:
    numbers = np.unique(np.logspace(0, 3, 20).astype(int))
    return _scenario(
        "gaussian-high-dim-one-disjoint-dim",
        "",
        "One feature apart, many alike",
        "Two Gaussians too far apart in one feature to meet: is that still seen among many features that agree?",
        _axis("number of other features", numbers, (0, 3, 7, 11, 14), reference=None, log=True),
        Each(laws.one_of_many(0.0), laws.one_of_many(APART)),
        both("property/shape", "noise", Level(desired=ZERO)),
        both("bounds/left extreme value", "bounded", CloseTo(ZERO, "first")),
        both("bounds/right extreme value", "bounded", CloseTo(ZERO, "last")),
    )


def _discrete(real_rounded: bool) -> Scenario:
    index = "real_discrete" if real_rounded else "real_continuous"
    rounded = "real" if real_rounded else "synthetic"
    wide = real_rounded  # synthetic samples everywhere, real ones on the grid alone
    ends = [
        apart(
            f"bounds/{name} discretisation",
            ("bounded", CloseTo(ZERO if wide else ONE, at)),
            ("bounded", LowOrHigh(at) if wide else CloseTo(ZERO, at)),
        )
        for name, at in (("coarse", "first"), ("fine", "last"))
    ]
    flat_at = (ZERO, None) if wide else (ONE, ZERO)
    return _scenario(
        "discrete-numerical-vs-continuous-numerical",
        index,
        f"Whole numbers against real numbers, the {rounded} ones rounded",
        "Rounded numbers are a set of measure 0 of the others, on a coarse grid as on a fine one: is it seen?",
        _axis("standard deviation in grid steps", np.logspace(0, 3, 20), (0, 5, 9, 14, 19), reference=None, log=True),
        Each(laws.on_grid(real_rounded), laws.on_grid(not real_rounded)),
        apart("property/shape", ("exact", Level(desired=flat_at[0])), ("exact", Level(desired=flat_at[1]))),
        *ends,
    )


SCENARIOS: tuple[Scenario, ...] = (
    *(_mean_difference(d) for d in DIMENSIONS),
    *(_with_outlier(side, d) for side in ("real", "synthetic") for d in DIMENSIONS),
    *(_std_difference(d) for d in DIMENSIONS),
    *(_simultaneous(d) for d in DIMENSIONS),
    *(_sequential(d) for d in DIMENSIONS),
    _invention(),
    *(_spheres(d) for d in (2, 16, 128)),
    *(_cubes(d) for d in DIMENSIONS),
    *(_cubes_synthetic(d) for d in DIMENSIONS),
    *(_bodies(real) for real in ("sphere", "torus")),
    *(_one_or_two(d) for d in DIMENSIONS),
    _scaling(),
    _pareto(),
    _one_disjoint(),
    *(_discrete(rounded) for rounded in (False, True)),
)
