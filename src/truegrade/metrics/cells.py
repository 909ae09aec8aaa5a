"""Seeded k-means cells that do not depend on the order of the rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import Floats
from truegrade.samples import Samples

_FIT_ROWS = 10_000
_STARTS = 8
_ROUNDS = 100


def kmeans_cells(real: Samples, *others: Samples, cells: int, seed: int) -> tuple[NDArray[np.intp], ...]:
    """The cell (0 .. cells - 1) of each sample of `others`; k-means is fitted on `real`.

    At most 10,000 real rows are used for the fit. The rows are ordered by their distance to the mean first,
    so the cells are the same for any order of the rows and any rotation or shift; cells are numbered by the
    distance of their centre to the mean. The best of 8 seeded starts (k-means++ and Lloyd iterations) is
    kept.
    """
    mean = _mean(real)
    radii = np.concatenate([np.linalg.norm(block - mean, axis=1) for block in real.blocks()])
    order = np.argsort(radii, kind="stable")
    if len(order) > _FIT_ROWS:
        order = order[np.linspace(0, len(order) - 1, _FIT_ROWS).astype(np.intp)]
    rows = real.rows.take(order) - mean
    rng = np.random.default_rng(seed)
    fits = [_lloyd(rows, _spread_start(rows, cells, rng)) for _ in range(_STARTS)]
    centres = min(fits, key=lambda fit: fit[0])[1]
    centres = centres[np.argsort(np.linalg.norm(centres, axis=1), kind="stable")]
    return tuple(
        np.concatenate([_squared(block - mean, centres).argmin(1) for block in side.blocks()])
        for side in others
    )


def _mean(samples: Samples) -> Floats:
    first = samples.rows.read(0, 1)[0].astype(np.float64)
    total = np.zeros(samples.d)
    for block in samples.blocks():
        total += (block - first).sum(0)
    return np.asarray(first + total / samples.n)


def _squared(rows: Floats, centres: Floats) -> Floats:
    return np.stack([np.einsum("ij,ij->i", rows - c, rows - c) for c in centres], axis=1)


def _spread_start(rows: Floats, cells: int, rng: np.random.Generator) -> Floats:
    """Centres drawn from the rows with probability proportional to the squared distance to those before."""
    centres = rows[[rng.integers(len(rows))]]
    while len(centres) < cells:
        nearest = _squared(rows, centres).min(1).cumsum()
        pick = int(np.searchsorted(nearest, rng.random() * nearest[-1], side="right"))
        centres = np.concatenate([centres, rows[[min(pick, len(rows) - 1)]]])
    return centres


def _lloyd(rows: Floats, centres: Floats) -> tuple[float, Floats]:
    """Inertia and centres after Lloyd iterations; a cell that runs empty keeps its centre."""
    labels = None
    for _ in range(_ROUNDS):
        squared = _squared(rows, centres)
        now = squared.argmin(1)
        if labels is not None and np.array_equal(now, labels):
            break
        labels = now
        centres = np.stack(
            [rows[now == c].mean(0) if (now == c).any() else centres[c] for c in range(len(centres))]
        )
    return float(_squared(rows, centres).min(1).sum()), centres
