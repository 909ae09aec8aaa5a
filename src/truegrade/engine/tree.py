"""Neighbours by KD-tree, for few dimensions and many samples. The tree proposes, exact distances decide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from truegrade.engine import kernels
from truegrade.engine.needs import BallCounts, Floats, Knn, Nearest, Need, Neighbours
from truegrade.engine.plan import Sweep
from truegrade.engine.state import BallState, Lookup
from truegrade.engine.tiles import some_rows
from truegrade.samples import ArrayRows, Samples

_SLACK = 1e-9  # far above the tree's own rounding, far below any gap that matters
_VANISHED = 1e-150  # the same for distances whose squares have lost digits
_SPARE = 4
_CHUNK = 2048
_PAIRS = 1 << 20  # pairs held at a time
_PILOT = 1000


def tree_fits(sweep: Sweep, a: Samples, b: Samples) -> bool:
    """Few dimensions, many samples that differ, in memory, and nothing asked for that needs every pair."""
    n = min(a.n, b.n)
    few = (a.d <= 4 and n >= 5_000) or (a.d <= 6 and n >= 100_000)
    rare = all(isinstance(need, BallCounts) for need in sweep.needs)
    return few and rare and all(isinstance(s.rows, ArrayRows) and _differ(s) for s in (a, b))


def _differ(samples: Samples) -> bool:
    """Most rows are no duplicates; where few places hold all rows, balls hold many and a tree finds them slowly."""
    rows = some_rows(samples, _PILOT)
    return 2 * len(np.unique(rows, axis=0)) > len(rows)


def _reach(radii2: Floats) -> Floats:
    """Radii for the tree: never too small by the tree's rounding."""
    reach: Floats = np.sqrt(radii2) * (1 + _SLACK) + _VANISHED
    return reach


def tree_answers(
    sweep: Sweep, a: Samples, b: Samples, lookup: Lookup, threads: int
) -> dict[Need, Any]:
    """The answers of a sweep that `tree_fits`."""
    x, y = (np.ascontiguousarray(s.array(), np.float64) for s in (a, b))
    out: dict[Need, Any] = {}
    if sweep.within:
        out[Knn(sweep.a, sweep.k_a)] = nearest(x, x, sweep.k_a, True, threads)
        return out
    if sweep.k_a:
        out[Nearest(sweep.a, sweep.b, sweep.k_a)] = nearest(x, y, sweep.k_a, False, threads)
    if sweep.k_b:
        out[Nearest(sweep.b, sweep.a, sweep.k_b)] = nearest(y, x, sweep.k_b, False, threads)
    for side, centres, points in ((sweep.a, x, y), (sweep.b, y, x)):
        state = BallState.of(sweep, side, len(centres), len(points), lookup)
        if state.needs:
            out |= _count(state, centres, points, threads)
    return out


def nearest(x: Floats, y: Floats, k: int, same: bool, threads: int) -> Neighbours:
    """k nearest rows of y to each row of x (of the others, if `same`), exact, ties counted."""
    tree = cKDTree(y, balanced_tree=False)
    ask = min(k + same + _SPARE, len(y))
    values, indices = np.full((len(x), k), np.inf), np.full((len(x), k), -1, np.int64)
    beyond, last = np.zeros(len(x), np.int64), np.empty(len(x))
    for start in range(0, len(x), _CHUNK):
        rows = np.arange(start, min(start + _CHUNK, len(x)))
        near, found = tree.query(x[rows], k=np.arange(1, ask + 1), workers=threads)
        last[rows] = near[:, -1]
        _fill(x, y, np.repeat(rows, ask), found.ravel(), same, values, indices, beyond)
    limit = _reach(values[:, -1])
    open_ended = np.flatnonzero(last <= limit) if ask < len(y) else np.empty(0, np.int64)
    values[open_ended], indices[open_ended], beyond[open_ended] = np.inf, -1, 0
    for rows, columns in _balls(tree, x, limit, open_ended, threads):
        _fill(x, y, rows, columns, same, values, indices, beyond)
    return Neighbours(values, indices, beyond)


def _fill(x: Floats, y: Floats, rows: Any, columns: Any, same: bool, values: Any, indices: Any, beyond: Any) -> None:
    if same:
        rows, columns = rows[rows != columns], columns[rows != columns]
    d2 = np.empty(len(rows))
    kernels.pair_distances(x, y, rows, columns, d2)
    kernels.insert_pairs(rows, columns, d2, values, indices, beyond)


def _balls(
    tree: cKDTree, centres: Floats, radii: Floats, which: NDArray[np.int64], threads: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Pairs (centre, point) within the given radii, some centres at a time."""
    for start in range(0, len(which), _CHUNK):
        chunk = which[start : start + _CHUNK]
        counts = tree.query_ball_point(centres[chunk], radii[chunk], workers=threads, return_length=True)
        groups = np.cumsum(counts) // _PAIRS
        for rows in np.split(chunk, np.flatnonzero(np.diff(groups)) + 1):
            lists = tree.query_ball_point(centres[rows], radii[rows], workers=threads, return_sorted=False)
            columns = np.concatenate([np.asarray(found, np.int64) for found in lists])
            yield np.repeat(rows, [len(found) for found in lists]), columns


def _count(state: BallState, centres: Floats, points: Floats, threads: int) -> dict[Need, Any]:
    tree = cKDTree(points, balanced_tree=False)
    widest = _reach(state.radii2.max(1))
    everything = slice(None)
    for rows, columns in _balls(tree, centres, widest, np.arange(len(centres)), threads):
        d2 = np.empty(len(rows))
        kernels.pair_distances(centres, points, rows, columns, d2)
        kernels.count_pairs(rows, columns, d2, state.tile(everything, everything))
    return state.answers()
