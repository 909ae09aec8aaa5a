"""Seeded k-means cells that do not depend on the order of the rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import Floats
from truegrade.metrics.ordered import content_order, mean_row, ordered_rows
from truegrade.samples import Samples

FIT_ROWS = 10_000
_STARTS = 8
_ROUNDS = 100


def kmeans_cells(real: Samples, *others: Samples, cells: int, seed: int) -> tuple[NDArray[np.intp], ...]:
    """The cell (0 .. cells - 1) of each sample of `others`; k-means is fitted on `real`.

    At most 10,000 real rows are used for the fit. The rows are ordered by their distance to the mean first,
    so the cells are the same for any order of the rows and any rotation or shift; cells are numbered by the
    distance of their centre to the mean. The best of 8 seeded starts (k-means++ and Lloyd iterations) is
    kept.
    """
    mean = mean_row(real)
    rows = ordered_rows(real, mean, FIT_ROWS)
    weights = np.ones(len(rows))
    rng = np.random.default_rng(seed)
    fits = [_lloyd(rows, weights, spread_start(rows, weights, cells, rng)) for _ in range(_STARTS)]
    centres = min(fits, key=lambda fit: fit[0])[1]
    centres = centres[np.argsort(np.linalg.norm(centres, axis=1), kind="stable")]
    return tuple(nearest_centre(side, mean, centres) for side in others)


def balanced_cells(
    real: Samples, synthetic: Samples, *, cells: int, runs: int, seed: int
) -> tuple[tuple[NDArray[np.intp], NDArray[np.intp]], ...]:
    """The cells of the real and of the synthetic samples in `runs` seeded fits of k-means to both together.

    Each side has one half of the weight, whatever its size; at most 5,000 rows of each are used for a fit, which is
    one start (k-means++ and Lloyd iterations). Neither the order of the rows nor which side is which matters.
    """
    middle = (mean_row(real) + mean_row(synthetic)) / 2.0
    parts = [ordered_rows(side, middle, FIT_ROWS // 2) for side in (real, synthetic)]
    rows = np.concatenate(parts)
    weights = np.concatenate([np.full(len(part), 0.5 / len(part)) for part in parts])
    order = content_order(rows)
    rows, weights = rows[order], weights[order]
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(runs):
        _, centres = _lloyd(rows, weights, spread_start(rows, weights, cells, rng))
        out.append((nearest_centre(real, middle, centres), nearest_centre(synthetic, middle, centres)))
    return tuple(out)


def nearest_centre(samples: Samples, origin: Floats, centres: Floats) -> NDArray[np.intp]:
    """The number of the nearest centre (the first of equally near ones) of each sample minus `origin`."""
    return np.concatenate([_squared(block - origin, centres).argmin(1) for block in samples.blocks()])


def _squared(rows: Floats, centres: Floats) -> Floats:
    """Squared distances minus the squared lengths of the rows, which no choice of a centre depends on."""
    return np.asarray(np.einsum("ij,ij->i", centres, centres) - 2.0 * (rows @ centres.T))


def spread_start(rows: Floats, weights: Floats, cells: int, rng: np.random.Generator) -> Floats:
    """Centres drawn from the rows by weight, all but the first times the squared distance to those before."""
    centres = rows[[_drawn(weights, rng)]]
    nearest = np.full(len(rows), np.inf)
    while len(centres) < cells:
        difference = rows - centres[-1]
        nearest = np.minimum(nearest, np.einsum("ij,ij->i", difference, difference))
        centres = np.concatenate([centres, rows[[_drawn(nearest * weights, rng)]]])
    return centres


def _drawn(weights: Floats, rng: np.random.Generator) -> int:
    """A number from 0, with these probabilities up to a factor."""
    reached = weights.cumsum()
    return min(int(np.searchsorted(reached, rng.random() * reached[-1], side="right")), len(weights) - 1)


def _lloyd(rows: Floats, weights: Floats, centres: Floats) -> tuple[float, Floats]:
    """Inertia and centres after Lloyd iterations; a cell that runs empty keeps its centre."""
    lengths = np.einsum("ij,ij->i", rows, rows)
    weighted, labels = rows * weights[:, None], None
    for _ in range(_ROUNDS):
        now = _squared(rows, centres).argmin(1)
        if labels is not None and np.array_equal(now, labels):
            break
        labels = now
        member = np.zeros((len(centres), len(rows)))
        member[now, np.arange(len(rows))] = 1.0
        mass = member @ weights
        full = mass > 0.0
        centres = centres.copy()
        centres[full] = (member @ weighted)[full] / mass[full, None]
    return float((lengths + _squared(rows, centres).min(1)) @ weights), centres
