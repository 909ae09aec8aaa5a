"""The vocabulary between metrics and engine: needs (questions) and their answers (small arrays).

A need is a frozen value; two metrics that declare equal needs share the work. Metrics import this module and
nothing else of the engine. All neighbour decisions are those of exact float64 arithmetic, ties included.
Sides are named "real", "synthetic" and "holdout", or are a `Part` of one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Part:
    """A side sub-sampled without replacement (seeded) to the size of another side, where it is larger."""

    side: str
    like: str
    seed: int = 0


Side = str | Part


# --- questions ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Need:
    """Base of all needs."""

    def requires(self) -> tuple[Need, ...]:
        """Needs that must be answered before this one can be."""
        return ()

    def sides(self) -> tuple[Side, ...]:
        """The sides whose samples are read."""
        raise NotImplementedError


@dataclass(frozen=True)
class Knn(Need):
    """The k nearest other samples inside one side. Answer: Neighbours."""

    side: Side
    k: int

    def sides(self) -> tuple[Side, ...]:
        return (self.side,)


@dataclass(frozen=True)
class Nearest(Need):
    """For each sample of `frm` its k nearest samples of `to`. Answer: Neighbours."""

    frm: Side
    to: Side
    k: int = 1

    def sides(self) -> tuple[Side, ...]:
        return (self.frm, self.to)


@dataclass(frozen=True)
class BallCounts(Need):
    """Which samples of `points` lie in the k-neighbour balls of `centres`. Answer: Balls.

    Ball i has the radius r_i, the distance of centre i to its k-th nearest other centre; with `clip` it is
    min(r_i, median of all r).
    """

    centres: Side
    points: Side
    k: int
    clip: bool = False

    def requires(self) -> tuple[Need, ...]:
        return (Knn(self.centres, self.k),)

    def sides(self) -> tuple[Side, ...]:
        return (self.centres, self.points)


@dataclass(frozen=True)
class OwnBallCounts(Need):
    """For each sample, the number of the k-neighbour balls of the OTHER samples of its side that hold it.

    Answer: Balls over the side itself, own ball left out.
    """

    side: Side
    k: int
    clip: bool = False

    def requires(self) -> tuple[Need, ...]:
        return (Knn(self.side, self.k),)

    def sides(self) -> tuple[Side, ...]:
        return (self.side,)


@dataclass(frozen=True)
class BallRatio(Need):
    """For each point the largest r_i / d(centre_i, point) over balls with r_i at most their median.

    Answer: float array over points; infinite at distance 0. Balls of radius 0 are left out.
    """

    centres: Side
    points: Side
    k: int

    def requires(self) -> tuple[Need, ...]:
        return (Knn(self.centres, self.k),)

    def sides(self) -> tuple[Side, ...]:
        return (self.centres, self.points)


@dataclass(frozen=True)
class ProductWithin(Need):
    """For each point the product over all centres of min(d / R, 1), R = scale * mean r_i.

    Answer: float array over points.
    """

    centres: Side
    points: Side
    k: int
    scale: float

    def requires(self) -> tuple[Need, ...]:
        return (Knn(self.centres, self.k),)

    def sides(self) -> tuple[Side, ...]:
        return (self.centres, self.points)


@dataclass(frozen=True)
class Bandwidth(Need):
    """A length taken from the data. Answer: float, always positive.

    "median": median distance of the pooled set; "median-real": of the real set; both over at most 600 evenly
    spaced rows (300 of each side when pooled). "mean-square-real": square root of the mean squared real-real distance,
    zero diagonal included.
    """

    rule: Literal["median", "median-real", "mean-square-real"]

    def sides(self) -> tuple[Side, ...]:
        return ("real", "synthetic") if self.rule == "median" else ("real",)


@dataclass(frozen=True)
class Gaussian:
    """k(x, y) = mean over s in `scales` of exp(-|x-y|^2 / (2 (s h)^2)), h = `bandwidth`."""

    bandwidth: float | Literal["median", "median-real", "mean-square-real"] = "median"
    scales: tuple[float, ...] = (1.0,)


@dataclass(frozen=True)
class Cubic:
    """k(x, y) = (x.y / d + 1)^3, the kernel of the kernel distance (KID)."""


@dataclass(frozen=True)
class KernelSum(Need):
    """Sums of a kernel over all pairs of two sides. Answer: PairSums (Gaussian) or CubicSums (Cubic).

    Inside one side (a == b) the pair of a sample with itself is left out.
    """

    a: Side
    b: Side
    kernel: Gaussian | Cubic

    def requires(self) -> tuple[Need, ...]:
        if isinstance(self.kernel, Gaussian) and isinstance(self.kernel.bandwidth, str):
            return (Bandwidth(self.kernel.bandwidth),)
        return ()

    def sides(self) -> tuple[Side, ...]:
        return (self.a,) if self.a == self.b else (self.a, self.b)


@dataclass(frozen=True)
class DistanceSum(Need):
    """Sums of the Euclidean distance over all pairs of two sides. Answer: PairSums."""

    a: Side
    b: Side

    def sides(self) -> tuple[Side, ...]:
        return (self.a,) if self.a == self.b else (self.a, self.b)


@dataclass(frozen=True)
class Moments(Need):
    """Mean and covariance of one side. Answer: MomentsAnswer."""

    side: Side

    def sides(self) -> tuple[Side, ...]:
        return (self.side,)


@dataclass(frozen=True)
class Direct(Need):
    """Anything that is no sweep: `function(*samples, **parameters)` over whole sides. Answer: what it returns.

    `function` must be a module-level function (it names the work) and `parameters` sorted (name, value) pairs.
    Each sample argument is a `truegrade.samples.Samples`.
    """

    function: Callable[..., Any]
    of: tuple[Side, ...]
    parameters: tuple[tuple[str, Any], ...] = ()

    def sides(self) -> tuple[Side, ...]:
        return self.of


# --- answers -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Neighbours:
    """Sorted neighbour lists.

    Attributes:
        squared: (n, k) squared distances, ascending.
        indices: (n, k) rows of the other set; among equal distances the smallest index first.
        beyond: (n,) how many further samples lie at exactly the k-th distance but are not listed.
    """

    squared: Floats
    indices: Ints
    beyond: Ints

    @property
    def distances(self) -> Floats:
        return np.sqrt(self.squared)

    @property
    def radii(self) -> Floats:
        """(n,) distance to the k-th neighbour."""
        return np.sqrt(self.squared[:, -1])

    @property
    def strictly_inside(self) -> Ints:
        """(n,) how many samples are strictly nearer than the k-th neighbour."""
        nearer: Ints = np.sum(self.squared < self.squared[:, -1:], axis=1, dtype=np.int64)
        return nearer

    @property
    def at_radius(self) -> Ints:
        """(n,) how many samples are at exactly the k-th distance, the k-th neighbour included."""
        listed: Ints = np.sum(self.squared == self.squared[:, -1:], axis=1, dtype=np.int64)
        return listed + self.beyond

    def first(self, k: int) -> Neighbours:
        """The answer for a smaller k."""
        have = self.squared.shape[1]
        if k == have:
            return self
        last = self.squared[:, k - 1 : k]
        more = (self.squared[:, k:] == last).sum(1)
        whole = self.squared[:, -1] == last[:, 0]
        return Neighbours(
            np.ascontiguousarray(self.squared[:, :k]),
            np.ascontiguousarray(self.indices[:, :k]),
            (more + np.where(whole, self.beyond, 0)).astype(np.int64),
        )


@dataclass(frozen=True)
class Balls:
    """Who is in whose ball. `closed` counts d <= R, `strict` counts d < R.

    Attributes:
        per_point_closed, per_point_strict: (n_points,) number of balls that hold the point.
        per_centre_closed, per_centre_strict: (n_centres,) number of points in the ball.
        smallest: (n_points,) radius of the smallest ball (closed) that holds the point, infinity if none.
        radii: (n_centres,) the radii R that were used.
    """

    per_point_closed: Ints
    per_point_strict: Ints
    per_centre_closed: Ints
    per_centre_strict: Ints
    smallest: Floats
    radii: Floats

    def per_point(self, ties: str = "closed") -> Ints:
        return self.per_point_closed if ties == "closed" else self.per_point_strict

    def per_centre(self, ties: str = "closed") -> Ints:
        return self.per_centre_closed if ties == "closed" else self.per_centre_strict


@dataclass(frozen=True)
class PairSums:
    """Sums over pairs: rows (n_a,) over all b, columns (n_b,) over all a; a sample is never paired with itself."""

    rows: Floats
    columns: Floats

    @property
    def total(self) -> float:
        return float(self.rows.sum())


@dataclass(frozen=True)
class CubicSums:
    """Power sums that give the cubic kernel without cancellation.

    k(x, y) = (w + offset)^3 with w = x.y / d + 1 - offset, where `offset` is the same for all pairs of one
    evaluation. rows[p] and columns[p] hold the sums of w^(p+1), p = 0, 1, 2, shape (3, n).
    """

    rows: Floats
    columns: Floats
    offset: float


@dataclass(frozen=True)
class MomentsAnswer:
    """mean (d,), covariance (d, d) with ddof 1, n; `centred` = the centred rows when n <= d, else None.

    `mean_low` is what float64 lost of the mean (the exact mean is mean + mean_low): the difference of two means
    keeps its digits even when the features sit on an offset of 1e8.
    """

    mean: Floats
    covariance: Floats | None
    n: int
    centred: Floats | None = field(default=None)
    mean_low: Floats | None = field(default=None)


T = TypeVar("T")


@dataclass(frozen=True)
class Answers:
    """What the needs came to. Metrics read it by need: `answers[Knn("real", 5)]`.

    Attributes:
        values: answer by need.
        sizes: number of rows by side name.
        dimension: number of features.
    """

    values: Mapping[Need, Any]
    sizes: Mapping[str, int]
    dimension: int

    @property
    def n_real(self) -> int:
        return self.sizes["real"]

    @property
    def n_synthetic(self) -> int:
        return self.sizes["synthetic"]

    @overload
    def __getitem__(self, need: Knn | Nearest) -> Neighbours: ...
    @overload
    def __getitem__(self, need: BallCounts | OwnBallCounts) -> Balls: ...
    @overload
    def __getitem__(self, need: BallRatio | ProductWithin) -> Floats: ...
    @overload
    def __getitem__(self, need: Bandwidth) -> float: ...
    @overload
    def __getitem__(self, need: DistanceSum) -> PairSums: ...
    @overload
    def __getitem__(self, need: Moments) -> MomentsAnswer: ...
    @overload
    def __getitem__(self, need: Need) -> Any: ...
    def __getitem__(self, need: Need) -> Any:
        return self.values[need]
