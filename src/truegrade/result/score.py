"""Score: one metric of one synthetic set, with everything that is needed to believe and to read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from truegrade import codec
from truegrade.errors import Notice
from truegrade.result.record import Record

Status = Literal["ok", "undefined", "failed"]


@dataclass(frozen=True)
class Interval:
    """Where the value would lie with other samples of the same two laws, at confidence `level`."""

    low: float
    high: float
    level: float
    method: str

    def __post_init__(self) -> None:
        if not self.low <= self.high or not 0 <= self.level <= 1:
            raise ValueError(f"an interval from {self.low} to {self.high} at the level {self.level}")


@dataclass(frozen=True)
class Reference:
    """The same metric of real against real: what a perfect model would get.

    n, m: the sizes it was measured at. scaled: whether it was carried from there to the sizes of the score.
    error: its standard error, where it has been computed (of distances, whose error depends on their size).
    """

    value: float
    n: int
    m: int
    note: str
    scaled: bool = False
    error: float | None = None


@dataclass(frozen=True)
class About:
    """What a reader must know of the metric to read its number (a copy of the metric's own record)."""

    family: str
    direction: str
    range: tuple[float, float]
    target: float | None
    formula: str
    reading: str
    reference: str


@dataclass(frozen=True, eq=False)
class Trace(Record):
    """How a value varies with the samples, in a form that two scores on the same real samples share.

    values: either replicate values over sub-samples, or means of the value's linear part over fixed random groups
        of the real samples. Where two traces have the same `basis`, entry r of both comes from the same real rows.
    scale: sd(values) * scale is the standard error that the values account for.
    own: a variance that they do not account for (that of the synthetic samples, which no other set shares).
    basis: what fixes the real rows of each entry: method, sizes, seed, fingerprint of the real set.
    freedom: degrees of freedom of the standard error; None is one less than there are values.
    """

    values: NDArray[np.float64]
    scale: float
    basis: str
    own: float = 0.0
    freedom: int | None = None

    def shared(self, other: Trace) -> NDArray[np.bool_] | None:
        """Which entries are defined in both; None where the entries do not come from the same real rows."""
        if self.basis != other.basis or len(self.values) != len(other.values):
            return None
        return np.isfinite(self.values) & np.isfinite(other.values)

    @property
    def error(self) -> float:
        """Standard error of the score; NaN where fewer than two values are defined."""
        known = self.values[np.isfinite(self.values)]
        spread = float(known.std(ddof=1)) if len(known) > 1 else np.nan
        return float(np.sqrt((spread * self.scale) ** 2 + self.own))


@dataclass(frozen=True)
class Group:
    """A score of the samples with one label; sizes are those of the group on either side (all, where only the
    other side has labels). value is None where it is undefined, and `reason` says why."""

    value: float | None
    n_real: int
    n_synthetic: int
    interval: Interval | None = None
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class Repeats(Record):
    """The same metric of several synthetic sets of one generator.

    values: one per set, NaN where undefined; the statistics are over those that are not, None if there is none
        (sd: of fewer than two). Quantiles are linear between order statistics.
    sizes: samples in each set. how: where the sets came from, in words.
    """

    values: NDArray[np.float64]
    sizes: tuple[int, ...]
    how: str
    mean: float | None = None
    sd: float | None = None
    median: float | None = None
    q25: float | None = None
    q75: float | None = None
    p05: float | None = None
    p95: float | None = None


@dataclass(frozen=True, eq=False)
class Score(Record):
    """One metric of one synthetic set.

    Attributes:
        key, title, about: which metric, and how to read it. `key` is unique in its evaluation.
        value: the number, None unless status is "ok". raw: before clipping to the range, where that was done.
        status: "ok", "undefined" (cannot be computed for this input) or "failed"; `reason` says why.
        interval, floor: None when there is none; `missing` then says why, by "interval" and "floor".
        trace: how the value varies with the samples; what comparisons of two scores are made from.
        repeats: the same metric of several sets of the generator, where there are several.
        per_sample: arrays by side, one entry per row of that side. per_group: the score by label.
        details: further named numbers. parameters: of the metric. n_real, n_synthetic: sizes.
    """

    key: str
    title: str
    about: About
    value: float | None
    n_real: int
    n_synthetic: int
    raw: float | None = None
    status: Status = "ok"
    reason: str | None = None
    interval: Interval | None = None
    floor: Reference | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    trace: Trace | None = None
    repeats: Repeats | None = None
    per_sample: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    per_group: Mapping[str, Group] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        if (self.value is None) == (self.status == "ok"):
            raise ValueError(f"{self.key} has the status {self.status} and the value {self.value}")
        if min(self.n_real, self.n_synthetic) < 0:
            raise ValueError(f"{self.key} is of {self.n_real} real and {self.n_synthetic} synthetic samples")
        low, high = self.about.range
        if self.value is not None and not low <= self.value <= high:
            raise ValueError(f"{self.key} is {self.value}, outside of its range of {low} to {high}")

    def to_dict(self) -> dict[str, Any]:
        """The score as strict JSON."""
        encoded: dict[str, Any] = codec.encode(self)
        return encoded

    @staticmethod
    def from_dict(record: Mapping[str, Any]) -> Score:
        """The inverse of `to_dict`."""
        score: Score = codec.build(Score, record)
        return score
