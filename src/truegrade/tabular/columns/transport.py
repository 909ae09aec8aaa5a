"""The earth mover's score of a pair of numbers in a table, within the time that one of a thousand pairs has.

Exact where few distinct points hold all rows. Else both sides are gathered in the same blocks of cells, each at its
centre of mass there, and rows outside the grid stand for themselves; that grades up to .025 too low for two samples of
one law, and so does the ceiling, which is made in the same way.
"""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from truegrade.density import Frame, Histogram, SideStats
from truegrade.density.histogram import WEIGHT
from truegrade.density.resample import part_sizes
from truegrade.density.stats import Floats, side_stats
from truegrade.density.tails import outside
from truegrade.metrics.earth_movers import FALL, earth_movers_ceiling, earth_movers_distance, earth_movers_of_cells
from truegrade.tabular.columns.draws import LARGE

EXACT = 160_000  # distinct real times distinct synthetic points up to which it is exact
BLOCKS, BLOCKS_LARGE = 24, 16  # along an axis
_OUTSIDE = 64  # rows outside the grid that stand for all of them
_SPLITS = 2

Weighted = tuple[Floats, Floats]


def score(histograms: tuple[Histogram, Histogram], frame: Frame, stats: tuple[SideStats, SideStats]) -> float:
    """exp(-W1), standardised by the real side."""
    if _exact(stats):
        return float(np.exp(-earth_movers_distance(stats[0].sample, stats[1].sample, most=EXACT)))
    count = BLOCKS_LARGE if min(side.n for side in stats) >= LARGE else BLOCKS
    real, synthetic = (gathered(h, frame, s, count) for h, s in zip(histograms, stats, strict=True))
    return earth_movers_of_cells(*real, *synthetic, centre=stats[0].mean, scale=np.sqrt(np.diag(stats[0].cov)))


def ceiling(frame: Frame, stats: tuple[SideStats, SideStats], seed: int) -> float | None:
    """The same of real against real, by parts of the real sample carried to the sizes of the pair; None for large
    tables, in which it is near 1, and where there are too few rows."""
    real, m = stats[0].sample, stats[1].n
    if min(side.n for side in stats) >= LARGE:
        return None
    if _exact(stats):
        found = earth_movers_ceiling(real, m, seed=seed, splits=_SPLITS)
        return float(np.mean(found)) if np.isfinite(found).all() else None
    first, second = part_sizes(len(real), max(1, round(m * len(real) / stats[0].n)))
    order = np.random.default_rng([seed, 3]).permutation(len(real))
    parts = [side_stats(real[rows]) for rows in (order[:first], order[first : first + second])]
    if min(first, second) < 3 or min(np.diag(part.cov).min() for part in parts) <= 0.0:
        return None
    histograms = frame.histogram(), frame.histogram()
    for histogram, part in zip(histograms, parts, strict=True):
        histogram.add(part.sample)
    distance = -np.log(max(score(histograms, frame, (parts[0], parts[1])), 1e-300))
    sizes = (1.0 / stats[0].n + 1.0 / m) / (1.0 / first + 1.0 / second)
    return float(np.exp(-distance * sizes**FALL))


def _exact(stats: tuple[SideStats, SideStats]) -> bool:
    """Whether all rows are known and few are distinct; most often the rows, or the first of them, tell."""
    if not all(side.complete for side in stats):
        return False
    if stats[0].n * stats[1].n <= EXACT:
        return True
    return all(prod(len(np.unique(s.sample[:rows], axis=0)) for s in stats) <= EXACT for rows in (1_000, None))


def gathered(histogram: Histogram, frame: Frame, stats: SideStats, count: int) -> Weighted:
    """Points (b, 2) and weights (b,) of `count` by `count` blocks of cells that hold any, and of rows outside."""
    i, j = np.nonzero(histogram.counts)
    weight = histogram.counts[i, j].astype(np.float64)
    place = (i * count // frame.shape[0]) * count + j * count // frame.shape[1]
    mass, first, second = (np.bincount(place, weight * part, count**2) for part in (1.0, i, j))
    there = mass > 0
    cells: Floats = np.column_stack([first[there], second[there]]) / mass[there, None]
    beyond, _ = outside(histogram, stats)
    shown: NDArray[np.intp] = np.linspace(0, len(beyond) - 1, min(len(beyond), _OUTSIDE)).astype(np.intp)
    each = np.full(len(shown), WEIGHT * histogram.outside / max(len(shown), 1))
    return frame.points(np.concatenate([cells, beyond[shown]])), np.concatenate([mass[there], each])
