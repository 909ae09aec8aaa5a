"""Every need answered by direct float64 differences: what the engine's answers must be equal to.

Whole distance matrices are kept, so this is for small sets (a few thousand rows).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import singledispatchmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import (
    Answers,
    BallCounts,
    BallRatio,
    Balls,
    Bandwidth,
    Cubic,
    CubicSums,
    Direct,
    DistanceSum,
    Gaussian,
    KernelSum,
    Knn,
    Moments,
    MomentsAnswer,
    Nearest,
    Need,
    Neighbours,
    OwnBallCounts,
    PairSums,
    Part,
    ProductWithin,
    Side,
)
from truegrade.samples import Samples

_CELLS = 4_000_000  # differences held at a time


def naive_answers(needs: Iterable[Need], samples: Mapping[str, NDArray[Any]]) -> Answers:
    """The answers to `needs` (and only those) over the sides in `samples`."""
    world = _World({name: np.asarray(a, dtype=np.float64) for name, a in samples.items()})
    sizes = {name: len(a) for name, a in world.samples.items()}
    dimension = next(iter(world.samples.values())).shape[1]
    return Answers({need: world.answer(need) for need in dict.fromkeys(needs)}, sizes, dimension)


def squared_distances(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    out = np.empty((len(a), len(b)))
    step = max(1, _CELLS // max(1, b.size))
    for start in range(0, len(a), step):
        out[start : start + step] = ((a[start : start + step, None, :] - b[None]) ** 2).sum(-1)
    return out


class _World:
    def __init__(self, samples: dict[str, NDArray[Any]]) -> None:
        self.samples = samples
        self._squared: dict[tuple[Side, Side], NDArray[Any]] = {}

    def side(self, side: Side) -> NDArray[Any]:
        if isinstance(side, str):
            return self.samples[side]
        return self.samples[side.side][_part_rows(side, self.samples)]

    def squared(self, a: Side, b: Side) -> NDArray[Any]:
        """Squared distances; inside one side the diagonal is infinite."""
        if (b, a) in self._squared and a != b:
            return self._squared[b, a].T
        if (a, b) not in self._squared:
            matrix = squared_distances(self.side(a), self.side(b))
            if a == b:
                np.fill_diagonal(matrix, np.inf)
            self._squared[a, b] = matrix
        return self._squared[a, b]

    def squared_radii(self, side: Side, k: int, clip: bool) -> NDArray[Any]:
        r2 = np.sort(self.squared(side, side), axis=1)[:, k - 1]
        return np.minimum(r2, squared_median(r2)) if clip else r2

    @singledispatchmethod
    def answer(self, need: Need) -> Any:
        raise TypeError(f"no naive answer for {need!r}")

    @answer.register
    def _(self, need: Knn) -> Neighbours:
        return _neighbours(self.squared(need.side, need.side), need.k)

    @answer.register
    def _(self, need: Nearest) -> Neighbours:
        return _neighbours(self.squared(need.frm, need.to), need.k)

    @answer.register
    def _(self, need: BallCounts) -> Balls:
        r2 = self.squared_radii(need.centres, need.k, need.clip)
        return _balls(self.squared(need.centres, need.points), r2)

    @answer.register
    def _(self, need: OwnBallCounts) -> Balls:
        return _balls(self.squared(need.side, need.side), self.squared_radii(need.side, need.k, need.clip))

    @answer.register
    def _(self, need: BallRatio) -> NDArray[Any]:
        r2 = self.squared_radii(need.centres, need.k, clip=False)
        kept = (r2 <= squared_median(r2)) & (r2 > 0)
        with np.errstate(divide="ignore"):
            ratio = r2[kept, None] / self.squared(need.centres, need.points)[kept]
        return np.sqrt(ratio.max(0, initial=0.0))

    @answer.register
    def _(self, need: ProductWithin) -> NDArray[Any]:
        reach = need.scale * np.sqrt(self.squared_radii(need.centres, need.k, clip=False)).mean()
        d = np.sqrt(self.squared(need.centres, need.points))
        if reach == 0:
            return np.where(d == 0, 0.0, 1.0).prod(0)
        return np.minimum(d / reach, 1.0).prod(0)

    @answer.register
    def _(self, need: Bandwidth) -> float:
        if need.rule == "mean-square-real":
            squared = squared_distances(self.samples["real"], self.samples["real"])
            return float(np.sqrt(squared.mean())) or 1.0
        names = ("real", "synthetic") if need.rule == "median" else ("real",)
        pooled = np.concatenate([_evenly_spaced(self.samples[name], 600 // len(names)) for name in names])
        d = np.sqrt(squared_distances(pooled, pooled))[~np.eye(len(pooled), dtype=bool)]
        median = float(np.median(d))
        if median == 0 and d.any():  # more than half of the pairs coincide
            median = float(np.median(d[d > 0]))
        return median or 1.0

    @answer.register
    def _(self, need: KernelSum) -> PairSums | CubicSums:
        off = 1.0 - np.eye(len(self.side(need.a))) if need.a == need.b else 1.0
        if isinstance(need.kernel, Cubic):
            a, b = self.side(need.a), self.side(need.b)
            w = a @ b.T / a.shape[1] + 1.0
            powers = [w**p * off for p in (1, 2, 3)]
            return CubicSums(np.stack([p.sum(1) for p in powers]), np.stack([p.sum(0) for p in powers]), 0.0)
        values = self._gaussian(need.kernel, self.squared(need.a, need.b))
        return PairSums(values.sum(1), values.sum(0))

    def _gaussian(self, kernel: Gaussian, squared: NDArray[Any]) -> NDArray[Any]:
        h = kernel.bandwidth
        width = self.answer(Bandwidth(h)) if isinstance(h, str) else float(h)
        parts = [np.exp(-squared / (2 * (s * width) ** 2)) for s in kernel.scales]
        return np.asarray(sum(parts) / len(parts))

    @answer.register
    def _(self, need: DistanceSum) -> PairSums:
        d = np.sqrt(self.squared(need.a, need.b))
        d = np.where(np.isinf(d), 0.0, d)
        return PairSums(d.sum(1), d.sum(0))

    @answer.register
    def _(self, need: Moments) -> MomentsAnswer:
        a = self.side(need.side)
        n, d = a.shape
        mean = a.mean(0)
        centred = a - mean
        covariance = np.atleast_2d(np.cov(a, rowvar=False, ddof=1)) if n > d else None
        return MomentsAnswer(mean, covariance, n, centred=None if n > d else centred)

    @answer.register
    def _(self, need: Direct) -> Any:
        sides = [Samples.from_array(self.side(side), name=str(side)) for side in need.of]
        return need.function(*sides, **dict(need.parameters))


def squared_median(r2: NDArray[Any]) -> float:
    """The square of the median radius: exact when the two middle radii are equal (or there is one)."""
    r2 = np.sort(r2)
    low, high = r2[(len(r2) - 1) // 2], r2[len(r2) // 2]
    return float(low if low == high else ((np.sqrt(low) + np.sqrt(high)) / 2) ** 2)


def _part_rows(part: Part, samples: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    n, size = len(samples[part.side]), len(samples[part.like])
    if n <= size:
        return np.arange(n)
    return np.sort(np.random.default_rng(part.seed).choice(n, size, replace=False))


def _evenly_spaced(a: NDArray[Any], most: int) -> NDArray[Any]:
    return a[np.linspace(0, len(a) - 1, min(len(a), most)).astype(int)]


def _neighbours(squared: NDArray[Any], k: int) -> Neighbours:
    order = np.argsort(squared, axis=1, kind="stable")[:, :k]
    listed = np.take_along_axis(squared, order, 1)
    last = listed[:, -1:]
    beyond = (squared == last).sum(1) - (listed == last).sum(1)
    return Neighbours(listed, order.astype(np.int64), beyond.astype(np.int64))


def _balls(squared: NDArray[Any], r2: NDArray[Any]) -> Balls:
    closed, strict = squared <= r2[:, None], squared < r2[:, None]
    smallest = np.where(closed, np.sqrt(r2)[:, None], np.inf).min(0)
    return Balls(closed.sum(0), strict.sum(0), closed.sum(1), strict.sum(1), smallest, np.sqrt(r2))
