"""The earth mover's distance of two sets of points in the plane, and its score exp(-distance).

W1 with Euclidean cost, after both sets were brought to mean 0 and standard deviation 1 of the REAL one. Equal points
are taken together, and what both sides have in the same place stays there (W1 is a metric). Exact where that leaves
sources times sinks of up to `MOST` (2,000 by 2,000), about half a second. Above, the points of both sides are gathered
in CELLS common cells, each side's at their mean in the cell. Cells are halved at their mean where the squared
deviations are largest, so that they follow the points; nothing is drawn.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass
from math import gcd

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import Floats

MOST = 4_000_000
CELLS = 2048
FALL = 0.45  # power of 1 / n + 1 / m with which W1 of two samples of one law falls
_KEPT = 1 << 20  # distances at once
_SQUARED = 1e150  # beyond, squares overflow


@dataclass(frozen=True)
class EarthMoved:
    """W1 of two standardised sets and what it is made from.

    parts: by side, what each sample adds to the distance to first order, (n,) and (m,), mean 0, with the part that the
    real standard deviations have in it. cells: how many cells there were on either side, None where it is exact.
    """

    distance: float
    parts: Mapping[str, Floats]
    cells: tuple[int, int] | None

    @property
    def score(self) -> float:
        return float(np.exp(-self.distance))


def earth_movers(real: Floats, synthetic: Floats, *, most: int = MOST, cells: int = CELLS) -> EarthMoved:
    """W1 of real (n, 2) and synthetic (m, 2), in real standard deviations (ddof 1). Real columns must vary."""
    x, y = standardised(real, synthetic)
    task = _task(x, y)
    if len(task.sources) * len(task.sinks) > most:
        return _gathered(x, y, cells)
    found = task.solve()
    potential = _everywhere(task.points, task.points[task.sinks], found.synthetic)
    parts = {"real": potential[task.at[: len(x)]], "synthetic": -potential[task.at[len(x) :]]}
    return EarthMoved(found.cost / task.total, _influences(parts, x, found.steepness / task.total), None)


def earth_movers_distance(real: Floats, synthetic: Floats, *, most: int = MOST, cells: int = CELLS) -> float:
    """The same distance alone, which is quicker."""
    x, y = standardised(real, synthetic)
    task = _task(x, y)
    if len(task.sources) * len(task.sinks) > most:
        return _gathered(x, y, cells).distance
    return task.solve().cost / task.total


def standardised(real: Floats, synthetic: Floats) -> tuple[Floats, Floats]:
    """Both sets in units of the real mean and standard deviations."""
    centre, scale = real.mean(0), real.std(0, ddof=1)
    return (real - centre) / scale, (synthetic - centre) / scale


def earth_movers_ceiling(real: Floats, m: int, *, seed: int, splits: int = 4) -> Floats:
    """Scores (splits,) of real (n, 2) against itself at the sizes n and m.

    Disjoint parts in that proportion (at most 4 to 1), carried to the sizes: between samples of one discrete law W1
    falls as u^.5, u = 1/n + 1/m, between samples of a density as (u log(1/u))^.5; u^.45 is near both. One split where
    parts are large.
    """
    n = len(real)
    share = 1.0 / (1.0 + min(max(m / n, 0.25), 4.0))
    first = round(share * n)
    second = min(n - first, max(1, round(share * m)))
    factor = ((1.0 / n + 1.0 / m) / (1.0 / first + 1.0 / second)) ** FALL if min(first, second) >= 3 else np.nan
    out = []
    for split in range(splits if first * second <= MOST else 1):
        order = np.random.default_rng([seed, split, n, m]).permutation(n)
        parts = real[order[:first]], real[order[first : first + second]]
        flat = np.isnan(factor) or not (parts[0].std(0) > 0.0).all()
        out.append(np.nan if flat else np.exp(-factor * earth_movers_distance(*parts)))
    return np.array(out)


def earth_movers_of_cells(
    points_real: Floats,
    weights_real: NDArray[np.floating] | NDArray[np.integer],
    points_synthetic: Floats,
    weights_synthetic: NDArray[np.floating] | NDArray[np.integer],
    *,
    centre: Floats | None = None,
    scale: Floats | None = None,
) -> float:
    """The score exp(-W1) of weighted points (a, 2) and (b, 2): cells of two histograms, each by its place.

    centre, scale: mean and standard deviations (2,) of the real rows; else of the weighted real points. Exact for these
    points; a few hundred on either side take milliseconds. As an estimate for the rows see `docs/metrics.md`.
    """
    w, v = np.asarray(weights_real, np.float64), np.asarray(weights_synthetic, np.float64)
    if centre is None or scale is None:
        centre = w @ points_real / w.sum()
        scale = np.sqrt(w @ (points_real - centre) ** 2 / w.sum())
    return float(np.exp(-_distance((points_real - centre) / scale, w, (points_synthetic - centre) / scale, v)))


def _distance(x: Floats, w: Floats, y: Floats, v: Floats) -> float:
    from truegrade.density.flow import whole_masses

    supply, demand = whole_masses(w), whole_masses(v)
    points, at = _distinct(np.concatenate([x, y]))
    excess = np.zeros(len(points), np.int64)
    np.add.at(excess, at, np.concatenate([supply, -demand]))
    task = _Task(points, at, excess, int(supply.sum()))
    return task.solve().cost / task.total


# --- the optimum ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Task:
    """What has to be moved: different points (k, 2), which of them each row is, what each has too much (whole numbers,
    `total` in all on either side before what stays in its place was taken off)."""

    points: Floats
    at: NDArray[np.intp]
    excess: NDArray[np.int64]
    total: int

    @property
    def sources(self) -> NDArray[np.intp]:
        return np.flatnonzero(self.excess > 0)

    @property
    def sinks(self) -> NDArray[np.intp]:
        return np.flatnonzero(self.excess < 0)

    def solve(self) -> _Moved:
        a, b = self.sources, self.sinks
        return _moved(self.points[a], self.excess[a], self.points[b], -self.excess[b])


def _task(x: Floats, y: Floats) -> _Task:
    """All points of a side with the same mass."""
    points, at = _distinct(np.concatenate([x, y]))
    counts = [np.bincount(part, minlength=len(points)) for part in (at[: len(x)], at[len(x) :])]
    common = gcd(len(x), len(y))
    excess = counts[0] * (len(y) // common) - counts[1] * (len(x) // common)
    return _Task(points, at, excess, len(x) // common * len(y))


@dataclass(frozen=True)
class _Moved:
    """Cost, potentials of the sinks, and by axis how the cost grows with its unit: sum of mass Delta_k^2 / |Delta|."""

    cost: float
    real: Floats
    synthetic: Floats
    steepness: Floats


def _moved(x: Floats, supply: NDArray[np.int64], y: Floats, demand: NDArray[np.int64]) -> _Moved:
    if not len(x):  # both sets are the same
        return _Moved(0.0, np.zeros(0), np.zeros(0), np.zeros(2))
    from truegrade.density.flow import move  # with its compiler

    found = move(_distances(x, y), supply, demand)
    gap = x[found.sources] - y[found.sinks]
    length = np.hypot(gap[:, 0], gap[:, 1])
    steepness = found.amounts @ (gap**2 / np.maximum(length, 1e-300)[:, None])
    return _Moved(max(found.cost, 0.0), found.real, found.synthetic, np.asarray(steepness))


def _distances(x: Floats, y: Floats) -> Floats:
    first, second = x[:, None, 0] - y[:, 0], x[:, None, 1] - y[:, 1]
    if max(np.abs(first).max(initial=0.0), np.abs(second).max(initial=0.0)) > _SQUARED:
        return np.asarray(np.hypot(first, second))
    first *= first
    second *= second
    first += second
    return np.asarray(np.sqrt(first, out=first))


def _everywhere(points: Floats, sinks: Floats, potential: Floats) -> Floats:
    """The function of slope at most 1 that proves the optimum: min over sinks of |x - y_j| - v_j, of the real side."""
    if not len(sinks):
        return np.zeros(len(points))
    step = max(1, _KEPT // len(sinks))
    blocks = (points[i : i + step] for i in range(0, len(points), step))
    return np.concatenate([(_distances(block, sinks) - potential).min(1) for block in blocks])


def _influences(parts: Mapping[str, Floats], x: Floats, steepness: Floats) -> dict[str, Floats]:
    """Each with mean 0; a real sample also moves the standard deviations that everything is measured in."""
    units = -(x**2 / (x**2).mean(0) - 1.0) / 2.0 @ steepness
    return {
        "real": parts["real"] - parts["real"].mean() + units,
        "synthetic": parts["synthetic"] - parts["synthetic"].mean(),
    }


def _distinct(points: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """Different points in order, and which of them each is."""
    pairs, at = np.unique((points[:, 0] + 0.0) + 1j * (points[:, 1] + 0.0), return_inverse=True)
    return np.stack([pairs.real, pairs.imag], axis=1), at


# --- cells ---------------------------------------------------------------------------------------------


def _gathered(x: Floats, y: Floats, cells: int) -> EarthMoved:
    """By the means of both sides in common cells."""
    from truegrade.density.flow import whole_masses

    cell = common_cells(x, y, cells)
    sides = [_centroids(points, at, cells) for points, at in ((x, cell[: len(x)]), (y, cell[len(x) :]))]
    (a, p, into_a), (b, q, into_b) = sides
    supply, demand = whole_masses(p), whole_masses(q)
    found = _moved(a, supply, b, demand)
    total = float(supply.sum())
    parts = {"real": found.real[into_a[cell[: len(x)]]], "synthetic": found.synthetic[into_b[cell[len(x) :]]]}
    return EarthMoved(found.cost / total, _influences(parts, x, found.steepness / total), (len(a), len(b)))


def _centroids(points: Floats, cell: NDArray[np.intp], cells: int) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """Means of the points in each cell that has some, their number, and which place each cell has there."""
    counts = np.bincount(cell, minlength=cells)
    full = counts > 0
    means = np.stack([np.bincount(cell, points[:, k], cells)[full] / counts[full] for k in (0, 1)], axis=1)
    return means, counts[full].astype(np.float64), np.cumsum(full) - 1


def common_cells(x: Floats, y: Floats, cells: int) -> NDArray[np.intp]:
    """The cell of each of the points x (n, 2) and y (m, 2), (n + m,): at most `cells`; both sides count the same."""
    points = np.concatenate([x, y])
    weights = np.concatenate([np.full(len(x), 1.0 / len(x)), np.full(len(y), 1.0 / len(y))])
    cell = np.zeros(len(points), np.intp)
    queue = [_piece(points, weights, np.arange(len(points)), 0)]
    for new in range(1, cells):
        if not queue[0][0] < 0.0:
            break
        _, old, axis, middle, rows = heapq.heappop(queue)
        above = points[rows, axis] > middle
        cell[rows[above]] = new
        for number, part in ((old, rows[~above]), (new, rows[above])):
            heapq.heappush(queue, _piece(points, weights, part, number))
    return cell


Piece = tuple[float, int, int, float, NDArray[np.intp]]


def _piece(points: Floats, weights: Floats, rows: NDArray[np.intp], number: int) -> Piece:
    """A cell for the queue: minus its squared deviations along the longer axis, its number, that axis, its mean."""
    mine, mass = points[rows], weights[rows]
    mean = mass @ mine / mass.sum()
    inertia = mass @ (mine - mean) ** 2
    axis = int(np.argmax(inertia))
    low, high = float(mine[:, axis].min()), float(mine[:, axis].max())
    spread = float(inertia[axis]) if low < high else 0.0
    return -spread, number, axis, min(max(float(mean[axis]), low), np.nextafter(high, low)), rows
