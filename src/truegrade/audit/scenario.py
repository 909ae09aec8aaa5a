"""What an audit asks: a scenario is data, damage along an axis, and what a good metric does under it.

A scenario never grades anything: `make` draws the sets of one level, and the rules of its criteria judge the curves
that the runner hands back. Suites (`suites/`) are tuples of scenarios; to add one, write it there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from truegrade.audit.material import Material
from truegrade.metrics.base import Metric, MetricInfo
from truegrade.samples import Samples

Floats = NDArray[np.float64]
Side = NDArray[np.floating] | Samples
Data = Literal["law", "vectors", "plane", "images", "ecg"]
"""What a scenario is made of: a law that is built in, or the user's vectors, points, images or recordings."""

Property = Literal[
    "linear",
    "bounded",
    "exact",
    "robust",
    "noise",
    "collapse",
    "dropping",
    "invention",
    "copying",
    "symmetric",
    "harmless",
    "separates",
    "efficient",
    "cheap",
]

PROPERTIES: dict[Property, str] = {
    "linear": "falls in proportion to the damage",
    "bounded": "reaches its best value for a perfect model and its worst for a useless one",
    "exact": "has the value that theory says, ties, sizes and neighbour counts included",
    "robust": "is not moved by single outliers",
    "noise": "sees samples that are not real",
    "collapse": "sees that modes shrink to their centres",
    "dropping": "sees that modes are missing or weigh too little",
    "invention": "sees modes that do not exist",
    "copying": "sees copies of real samples",
    "symmetric": "grades what lies inside the real samples like what lies outside, as far away",
    "harmless": "leaves changes alone that do not matter",
    "separates": "tells a good fit from a bad one",
    "efficient": "ranks rightly with few samples",
    "cheap": "costs little",
}


ENOUGH = 5
"""Repeats from which on the scatter of undamaged values stands for itself."""


@dataclass(frozen=True)
class Axis:
    """The severity axis. levels: numbers in drawing order. quick: the levels of a quick audit. reference: the level at
    which nothing is damaged (None: there is none). labels: names of levels that are no quantity, one a level."""

    name: str
    levels: tuple[float, ...]
    quick: tuple[float, ...] = ()
    reference: float | None = 0.0
    labels: tuple[str, ...] = ()
    log: bool = False

    def chosen(self, quick: bool) -> tuple[float, ...]:
        """The levels that are run."""
        return self.quick or self.levels if quick else self.levels

    def label(self, level: float) -> str:
        """How a level is called."""
        return self.labels[self.levels.index(level)] if self.labels else f"{level:g}"


@dataclass(frozen=True)
class Draw:
    """The sets of one level: arrays (n, d) or samples. holdout: real samples that the generator never saw."""

    real: Side
    synthetic: Side
    holdout: Side | None = None


@dataclass(frozen=True)
class Ask:
    """What `make` is asked for. level: how much damage. n: samples a side, of a law. rng: the same for every level and
    arm of one repeat where the scenario is `paired`, so that levels differ by their damage alone. material: the user's
    data, or a stand-in. arm: which of the scenario's curves."""

    level: float
    n: int
    rng: np.random.Generator
    material: Material
    arm: str


@dataclass(frozen=True, eq=False)
class Seen:
    """What a rule judges: the curves of one metric in one scenario.

    levels (t,); curves: by arm the values (t, repeats), NaN where undefined. info: what the metric promises. reference:
    index of the undamaged level, or None. scenario: all else, such as the labels of the levels. seconds: how long
    this metric alone takes at each level, (t,), where the scenario asks for that (see `Scenario.timed`). sizes: numbers
    of real and of synthetic samples at each level, (t, 2). tied: whether many distances of real samples are equal.
    """

    levels: Floats
    curves: dict[str, Floats]
    info: MetricInfo
    reference: int | None
    parameters: dict[str, object] = field(default_factory=dict)
    n: int = 0
    seconds: Floats | None = None
    sizes: Floats | None = None
    tied: bool = False

    @property
    def values(self) -> Floats:
        """The first arm's values, (t, repeats)."""
        return next(iter(self.curves.values()))

    @property
    def means(self) -> Floats:
        """Mean over repeats by level, (t,); NaN where any repeat is undefined."""
        return np.asarray(self.values.mean(axis=1))

    def worse(self, arm: str | None = None) -> Floats:
        """The values turned so that larger is worse: by direction, or by the distance from the target."""
        values = self.values if arm is None else self.curves[arm]
        if self.info.direction == "target" and self.info.target is not None:
            return np.asarray(np.abs(values - self.info.target))
        return values if self.info.direction == "lower" else -values

    @property
    def chance(self) -> float:
        """The standard deviation of one value by chance alone: at the undamaged level. With few repeats, which scatter
        themselves, it is no less than the median over levels. 0 where nothing scatters."""
        if self.values.shape[1] < 2:
            return float("nan")
        spread = spread_of(self.values)
        typical = float(np.nanmedian(spread)) if np.isfinite(spread).any() else float("nan")
        if self.reference is None:
            return typical
        undamaged = float(spread[self.reference])
        return undamaged if undamaged > 0.0 and self.values.shape[1] >= ENOUGH else max(undamaged, typical)


def spread_of(values: Floats) -> Floats:
    """Standard deviation of each row, (t,), also of values whose squares are beyond float64."""
    unit = np.abs(values).max(axis=1, keepdims=True)
    unit[~(unit > 0.0)] = 1.0
    return np.asarray((values / unit).std(axis=1, ddof=1) * unit[:, 0])


@dataclass(frozen=True)
class Ruling:
    """What a rule says of one metric. passed: None where it cannot be said (no value). word: what stands in the table
    instead of yes or no ("low", "high"). number: how far off, in the unit of the tolerance. desired: the line that a
    good metric follows, (t,), where there is one."""

    passed: bool | None
    reason: str
    number: float | None = None
    tolerance: float | None = None
    word: str | None = None
    desired: tuple[float, ...] | None = None


class Rule(Protocol):
    """Judges a metric's curves."""

    @property
    def words(self) -> str:
        """The pass rule, in one sentence."""
        ...

    def __call__(self, seen: Seen) -> Ruling:
        """Pure: the same curves get the same ruling."""
        ...


@dataclass(frozen=True)
class Criterion:
    """One thing that a good metric does. key: unique in its scenario. of: the families, or keys of single metrics, that
    are expected to pass ("key:coverage" is the metric alone, not its family); others are judged too where `describes`
    (to fill the table of properties), without blame."""

    key: str
    property: Property
    rule: Rule
    of: tuple[str, ...]
    describes: bool = False

    def expects(self, info: MetricInfo) -> bool:
        """Whether a good metric of this kind passes."""
        return info.family in self.of or info.key in self.of or f"key:{info.key}" in self.of


@dataclass(frozen=True)
class Scenario:
    """Controlled damage. See the module's words.

    key, title: unique name, and the name as printed. suite: whose it is. question: what it asks, plain. source: paper
    and section. axis: the severity. make: draws one level. criteria: what is judged. data: what it is made of. sizes:
    samples a side of a law, full and quick. repeats: full and quick. metrics: keys or families that it is about where
    the user names none. arms: names of its curves. vary: a parameter of the metrics that takes the level's value, with
    the data left alone. paired: see `Ask.rng`. timed: also measure what every metric alone costs. brings: metrics of
    its own, which it runs in place of the suite's; metrics that the user names go before both.
    """

    key: str
    title: str
    suite: str
    question: str
    source: str
    axis: Axis
    make: Callable[[Ask], Draw]
    criteria: tuple[Criterion, ...]
    data: Data = "law"
    sizes: tuple[int, int] = (1000, 500)
    repeats: tuple[int, int] = (10, 3)
    metrics: tuple[str, ...] = ()
    arms: tuple[str, ...] = ("score",)
    vary: str | None = None
    paired: bool = True
    timed: bool = False
    brings: tuple[Metric, ...] = ()


def matching(scenarios: Sequence[Scenario], key: str) -> Scenario:
    """The scenario of this key; KeyError where there is none."""
    return next(s for s in scenarios if s.key == key)
