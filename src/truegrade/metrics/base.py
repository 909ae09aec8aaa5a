"""What a metric is: a frozen record of parameters with `info`, `needs()` and a pure `compute(answers)`.

`compute` never touches samples (only the function of a `Direct` does) and never raises a mean with an undefined
value: what cannot be computed is returned as `undefined(reason)`. Docs, CLI, report and the common tests are driven by
`info`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import Answers, Need
from truegrade.errors import InputError, Notice
from truegrade.hooks import grade_one
from truegrade.result import Score

if TYPE_CHECKING:
    from truegrade.samples import Samples

Family = Literal["fidelity", "coverage", "distance", "classes", "copying", "two-sample", "pairs"]
Direction = Literal["higher", "lower", "target"]
Invariance = Literal["order", "shift", "scale", "rotation"]
DISTANCE_INVARIANCES: frozenset[Invariance] = frozenset({"order", "shift", "scale", "rotation"})


@dataclass(frozen=True)
class MetricInfo:
    """The record that describes a metric.

    Attributes:
        key: the public name, as in `metrics=["key"]`.
        title: the name as printed.
        family: what it speaks about.
        direction: "higher" or "lower" is better, or "target": as near as possible to `target`.
        range: lowest and highest possible value (infinite where unbounded).
        identical: the value for identical real and synthetic sets of distinct rows, None if it depends on them.
        target: the ideal value for fresh samples of the same law, None if it depends on sizes.
        formula: one line, plain text.
        reading: one sentence in plain words: what a good and a bad value mean.
        reference: a key of `truegrade.metrics.BIBLIOGRAPHY`.
        symmetric: does swapping real and synthetic leave the value unchanged?
        invariances: changes applied to both sets that leave the value unchanged.
        default: is it part of an evaluation when no metrics are named?
        needs_holdout: does it need a hold-out set?
        bias: how the value for two samples of one law falls with size: "1/n", "1/sqrt(n)" (used to carry a floor to
            other sizes) or None.
        features: how many features the samples must have; None takes any number.
    """

    key: str
    title: str
    family: Family
    direction: Direction
    range: tuple[float, float]
    identical: float | None
    formula: str
    reading: str
    reference: str
    symmetric: bool
    invariances: frozenset[Invariance] = DISTANCE_INVARIANCES
    target: float | None = None
    default: bool = False
    needs_holdout: bool = False
    bias: Literal["1/n", "1/sqrt(n)"] | None = None
    features: int | None = None


@dataclass(frozen=True)
class Means:
    """A value that is a function of per-sample means, so that it can be had by label, and of shares near 0 or 1 the
    exact bounds are known. Its interval comes from sub-samples of both sides (a sample also moves the balls of others);
    where there are none, from a bootstrap of the terms.

    parts: (side, contributions of shape (n,) or (n, c)); combine: gets one mean per part (a float, or an array
    of c means) and returns the value.
    """

    parts: tuple[tuple[str, NDArray[np.float64]], ...]
    combine: Callable[..., float]

    def value(self) -> float:
        """The value on all samples."""
        means = [a.mean(0) if a.ndim > 1 else float(a.mean()) for _, a in self.parts]
        return float(self.combine(*means))


@dataclass(frozen=True)
class Pairs:
    """A squared distance from sums over pairs, E h(X, X') + E h(Y, Y') - 2 E h(X, Y): what its error is made from.

    statistic: the estimate, before anything that `finish` does to it. bias: its expected excess over the squared
        distance (0 for a U-statistic).
    parts: by side, twice each sample's mean contrast, shape (n,): their means add up to twice the statistic, and
        they scatter as the linear part of the statistic does.
    gram: of rows (r, d) the matrix of h, shape (r, r), up to terms of one row alone, which cancel.
    finish: what makes the metric's value of the statistic; increasing.
    """

    statistic: float
    bias: float
    parts: Mapping[str, NDArray[np.float64]]
    gram: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    finish: Callable[[float], float] = float


@dataclass(frozen=True)
class Quadratic:
    """The function slope.(x - centre) + (x - centre)' matrix (x - centre) - constant of a sample x (d,)."""

    centre: NDArray[np.float64]
    slope: NDArray[np.float64]
    matrix: NDArray[np.float64]
    constant: float


@dataclass(frozen=True)
class Expansion:
    """A value to second order in the laws: what its error is made from when its samples are read once more.

    influence: makes, by side, what one sample adds to the value (the linear part), mean 0 over the side.
    bias, variance: expectation and variance of the second-order part, were both laws the same Gaussian.
    steepest: the most by which the linear part's variance can grow with the value.
    """

    influence: Callable[[], Mapping[str, Quadratic]]
    bias: float
    variance: float
    steepest: float


@dataclass(frozen=True)
class Influence:
    """What each sample adds to a value, to first order: what its error is made from, where that is no distance.

    parts: by side, "real" and "synthetic", values of shape (n,) and mean 0 (all 0 for a side that is not read).
    second: a bound of the variance beyond first order, which is what is left where no sample stands out.
    """

    parts: Mapping[str, NDArray[np.float64]]
    second: float


@dataclass(frozen=True)
class Redrawn:
    """Scores of sets drawn again from those that are there, for values that depend on n as much as on the laws.

    values: of a seed, the score of both sides drawn again, (repeats,), NaN where undefined; its spread makes the
    interval. None where something else makes it. rows: whether draw r of the real side is the same rows for every
    synthetic set.
    ceiling: of a seed, the score of real against real at the sizes of the evaluation and its error (None: unknown),
    or why there is none; it takes the place of the floor. note: how, in words.
    """

    values: Callable[[int], NDArray[np.float64]] | None
    ceiling: Callable[[int], tuple[float, float | None] | str]
    note: str
    rows: bool = True


@dataclass(frozen=True)
class Outcome:
    """What `compute` returns. `pairs`, `expand`, `influence`, `redrawn`, `means` or `standard_error` (the first that is
    there) says how to get an interval; without any of them it comes from sub-samples.

    value: None when undefined. raw: the unclipped value where clipping took place. per_sample: arrays by side.
    details: further named numbers (chance levels, companions, the points of a curve). standard_error: of the value,
        where it is known.
    expand: makes the expansion, which costs some work, when an interval is asked for; None where the samples are too
    few for one. influence: a text instead says why there is no interval.
    """

    value: float | None
    raw: float | None = None
    per_sample: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    details: Mapping[str, float | int | str | tuple[float, ...] | None] = field(default_factory=dict)
    warnings: tuple[Notice, ...] = ()
    means: Means | None = None
    pairs: Pairs | None = None
    expand: Callable[[], Expansion] | None = None
    influence: Influence | str | None = None
    redrawn: Redrawn | None = None
    standard_error: float | None = None
    reason: str | None = None


def undefined(reason: str, warnings: tuple[Notice, ...] = ()) -> Outcome:
    """An outcome without a value."""
    return Outcome(None, reason=reason, warnings=warnings)


class Metric:
    """Base class of metrics; subclasses are frozen dataclasses whose fields are the parameters."""

    info: ClassVar[MetricInfo]

    def needs(self) -> tuple[Need, ...]:
        """What the engine has to compute for this metric."""
        raise NotImplementedError

    def compute(self, answers: Answers) -> Outcome:
        """The value from the answers to `needs()`; pure."""
        raise NotImplementedError

    def __call__(self, real: object, synthetic: object, **options: Any) -> Score:
        """This metric alone, with interval and floor; options as for `truegrade.evaluate`.

        A metric knows neither samples nor engine, so the call goes through a hook that the package binds.
        """
        score: Score = grade_one(self, real, synthetic, **options)
        return score

    def parameters(self) -> dict[str, Any]:
        """The parameters by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]

    def check_sizes(self, n_real: int, n_synthetic: int) -> None:
        """Raise InputError if the parameters do not fit these sizes; called before any work."""

    def check_samples(self, sides: Mapping[str, Samples]) -> None:
        """Raise InputError if these samples are not what the metric reads; called before any work."""


def check_k(k: int, name: str = "k") -> None:
    """Refuse a neighbour count that no set could have."""
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        given = f"{name}={k!r} given"
        raise InputError(f"{given}; a whole number of at least 1, below the number of samples, is accepted.")


def check_k_fits(k: int, n: int, side: str, name: str = "k") -> None:
    """Refuse a neighbour count that this set does not have."""
    if k >= n:
        raise InputError(f"{name}={k} given for {n} {side} samples; 1 to {n - 1} is accepted.")


def check_whole(name: str, value: object, low: int) -> None:
    """Refuse what is no whole number of at least `low`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < low:
        raise InputError(f"{name}={value!r} given; a whole number of at least {low} is accepted.")


def positive(value: float) -> bool:
    """Whether a number is above 0 and finite."""
    return 0.0 < value < float("inf")


def check_number(
    name: str,
    value: object,
    fits: Callable[[float], bool] = positive,
    accepted: str = "a positive, finite number",
) -> None:
    """Refuse what is no number, or none that fits; `accepted` says which do."""
    kinds = (int, float, np.integer, np.floating)
    try:
        good = isinstance(value, kinds) and not isinstance(value, bool) and fits(float(value))
    except OverflowError:  # a whole number of more than 308 digits
        good = False
    if not good:
        raise InputError(f"{name}={value!r} given; {accepted} is accepted.")


def check_flag(name: str, value: object) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"{name}={value!r} given; True or False is accepted.")
