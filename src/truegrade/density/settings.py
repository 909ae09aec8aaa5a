"""What can be chosen of the scores of a pair of columns, and what they come to. METRICS: Grade Inflation paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from truegrade.errors import InputError

SCORES = (
    "correlation_score",
    "earth_movers_score",
    "jaccard_score",
    "kl_score",
    "js_score",
    "cs_score",
    "eden_score",
)
Bandwidth = Literal["own", "shared"]
Method = Literal["grid", "monte-carlo"]
Correlation = Literal["pearson", "spearman"]
Names = tuple[str, str]


@dataclass(frozen=True)
class Settings:
    """What can be chosen.

    levels: iso-mass proportions linspace(thresh, 1, levels), which bound levels - 1 annuli.
    bandwidth: "own", a kernel for each set (the paper), or "shared", one for both: the mean of both covariances times
    the factor for the smaller set. With own kernels a larger set is smoothed less and so differs from a smaller one
    even where both are of one law; with one kernel it does not.
    rule: "scott", "silverman" (the same in two dimensions), or a factor for each set's standard deviations.
    method: on a "grid", or "monte-carlo" by `size` uniform points drawn with `seed`.
    correlation: of the correlation score. support: part of its largest density from which on a point counts as inside
    a set, for the Jaccard score.
    """

    levels: int = 5
    thresh: float = 0.05
    bandwidth: Bandwidth = "own"
    rule: str | float = "scott"
    method: Method = "grid"
    size: int = 50_000
    seed: int = 0
    correlation: Correlation = "pearson"
    support: float = 0.1

    def __post_init__(self) -> None:
        _whole("levels", self.levels, 2, 1000)
        _whole("size", self.size, 100, 1_000_000_000)
        _whole("seed", self.seed, 0, 2**63 - 1)
        _inside("thresh", self.thresh)
        _inside("support", self.support)
        _one_of("bandwidth", self.bandwidth, get_args(Bandwidth))
        _one_of("method", self.method, get_args(Method))
        _one_of("correlation", self.correlation, get_args(Correlation))
        named = isinstance(self.rule, str) and self.rule in ("scott", "silverman")
        if not named and not (_number(self.rule) and 0.0 < float(self.rule) < 1e6):
            raise InputError(f"rule={self.rule!r} given; 'scott', 'silverman' or a factor above 0 is accepted.")

    @property
    def shares(self) -> tuple[float, ...]:
        """The iso-mass proportions below the top level."""
        step = (1.0 - self.thresh) / (self.levels - 1)
        return tuple(self.thresh + step * i for i in range(self.levels - 1))

    def factor(self, n: int, dimensions: int = 2) -> float:
        """What a set's standard deviations are multiplied with to become those of its kernel, for n points."""
        if self.rule == "scott":
            return float(n ** (-1.0 / (dimensions + 4)))
        if self.rule == "silverman":
            return float((n * (dimensions + 2) / 4.0) ** (-1.0 / (dimensions + 4)))
        return float(self.rule)


@dataclass(frozen=True)
class PairOutcome:
    """The scores of a pair by key, or why there are none.

    status: "ok", "constant", "missing", "degenerate" (too few rows or distinct values) or "collinear"; reason: words
    for it. undefined: by key, why a single score has no value although the others do. details: cells, cut, annuli.
    """

    status: str
    reason: str | None = None
    values: Mapping[str, float] = field(default_factory=dict)
    undefined: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _whole(name: str, value: object, low: int, high: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise InputError(f"{name}={value!r} given; a whole number from {low:,} to {high:,} is accepted.")


def _inside(name: str, value: object) -> None:
    if not (_number(value) and 0.0 < float(value) < 1.0):  # type: ignore[arg-type]
        raise InputError(f"{name}={value!r} given; a number between 0 and 1 is accepted.")


def _one_of(name: str, value: object, accepted: tuple[str, ...]) -> None:
    if value not in accepted:
        raise InputError(f"{name}={value!r} given; {' or '.join(map(repr, accepted))} is accepted.")


DEFAULT = Settings()
