"""The scores of a pair of columns from the densities of both sides."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from truegrade.density.annuli import eden_of_counts
from truegrade.density.correlations import correlation_score
from truegrade.density.frame import NAMES, Frame, frame_of
from truegrade.density.histogram import WEIGHT, Histogram
from truegrade.density.settings import DEFAULT, Names, PairOutcome, Settings
from truegrade.density.smoothing import Density, densities
from truegrade.density.stats import Floats, SideStats, side_stats
from truegrade.density.tails import NOTHING, beyond_terms, distant_terms
from truegrade.errors import InputError

FAR = 1e-11  # of the synthetic maximum: below it the divergence takes the nearest points' exact kernels
_LITTLE = 1e-9  # of the mass: blocks with less are passed over where work is rough


def grade_pair(p: Floats, q: Floats, settings: Settings = DEFAULT, names: Names = NAMES) -> PairOutcome:
    """All scores but the earth mover's of real points p (n, 2) and synthetic points q (m, 2).

    Range 0 to 1, higher is better; identical sets give 1. Undefined with a status where a side has no density.
    Raises InputError for other shapes and for values that are not finite.
    Source: the Grade Inflation paper; formulas in docs/metrics.md.
    """
    real, synthetic = checked(p, "real"), checked(q, "synthetic")
    if settings.method == "monte-carlo":
        from truegrade.density.monte_carlo import grade_by_points

        return grade_by_points(real, synthetic, settings, names)
    stats = side_stats(real), side_stats(synthetic)
    frame = frame_of(*stats, settings, names)
    if isinstance(frame, PairOutcome):
        return frame
    histograms = frame.histogram(), frame.histogram()
    for histogram, points in zip(histograms, (real, synthetic), strict=True):
        histogram.add(points)
    return grade_histograms(*histograms, frame, *stats, settings)


def checked(points: Floats, side: str) -> Floats:
    """The points as float64 (n, 2), or an InputError."""
    array = np.asarray(points)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "fiub":
        raise InputError(f"The {side} points are {array.dtype} {array.shape}; numbers of shape (n, 2) are accepted.")
    values = np.ascontiguousarray(array, np.float64)
    if not np.isfinite(values).all():
        raise InputError(f"The {side} points hold values that are not finite; leave these rows out.")
    return values


def grade_histograms(
    real: Histogram,
    synthetic: Histogram,
    frame: Frame,
    real_stats: SideStats,
    synthetic_stats: SideStats,
    settings: Settings = DEFAULT,
) -> PairOutcome:
    """The same from histograms on one frame. Where a side's sample holds all its points, the Jaccard score looks the
    densities up at the points, else at the cells that hold them."""
    both = densities(real, frame, real_stats, settings), densities(synthetic, frame, synthetic_stats, settings)
    values, used = scores_of(both, (real, synthetic), (real_stats, synthetic_stats), settings)
    undefined = {key: "a rank or value is constant" for key, value in values.items() if math.isnan(value)}
    known = {key: value for key, value in values.items() if key not in undefined}
    return PairOutcome("ok", None, known, undefined, _details(frame, *both, (real, synthetic), used))


def scores_of(
    both: tuple[Density, Density],
    histograms: tuple[Histogram, Histogram],
    stats: tuple[SideStats, SideStats],
    settings: Settings,
    *,
    rough: bool = False,
) -> tuple[Mapping[str, float], int]:
    """The scores by key, NaN where undefined, from densities that are known; and the annuli that hold any area.
    rough: as for `overlap_scores`."""
    score, used = eden(*both)
    values = {
        "correlation_score": correlation_score(*stats, settings),
        "jaccard_score": jaccard(both, histograms, stats, settings),
        **overlap_scores(*both, histograms, stats, rough=rough),
        "eden_score": score,
    }
    return values, used


def _details(
    frame: Frame, p: Density, q: Density, histograms: tuple[Histogram, Histogram], used: int
) -> Mapping[str, Any]:
    return {
        "cells": frame.shape,
        "cells_per_kernel_sd": float(min(p.kernel.min(), q.kernel.min())),
        "cut": frame.cut,
        "outside": tuple(h.outside / h.n for h in histograms),
        "annuli": used,
    }


def eden(p: Density, q: Density) -> tuple[float, int]:
    """Mean over annuli of the area that both have in common in parts of the area of either, and how many annuli had
    one. Annulus i of a side holds the densities from its level i up to below its level i + 1, the last one its top."""
    from truegrade.density.loops import joint_annuli

    joint = joint_annuli(p.values.ravel(), q.values.ravel(), p.levels[:-1], q.levels[:-1])
    return eden_of_counts(joint)


def overlap_scores(
    p: Density,
    q: Density,
    histograms: tuple[Histogram, Histogram],
    stats: tuple[SideStats, SideStats],
    *,
    rough: bool = False,
) -> Mapping[str, float]:
    """kl_score, js_score and cs_score. Divergences are means over the mass that the grid holds; kl_score also over the
    real points outside, which may be few but far from every synthetic one. rough: a quarter of the work far from every
    synthetic point, for draws, of which there are many; kl_score moves by about .001."""
    from truegrade.density.loops import overlaps

    block = max(1, round(min(q.kernel) / (1 if rough else 2))) if min(q.kernel) >= 1 else 1
    block = max(block, -(-max(p.values.shape) // 256))
    sums, distant = overlaps(p.values, q.values, np.float32(FAR * q.top), block)
    beyond = beyond_terms(histograms, stats, (p.kernel, q.kernel))
    far = distant_terms(distant, histograms[1], q.kernel, block, _LITTLE if rough else NOTHING)
    kl = (sums[7] + far + beyond[1]) / (sums[0] + beyond[0])
    js = (sums[5] / sums[0] + sums[6] / sums[1]) / 2
    return {
        "kl_score": min(1.0, math.exp(-kl)),
        "js_score": min(1.0, max(0.5, math.exp(-js))),
        "cs_score": min(1.0, float(sums[4] / math.sqrt(sums[2] * sums[3]))),
    }


def jaccard(
    both: tuple[Density, Density],
    histograms: tuple[Histogram, Histogram],
    stats: tuple[SideStats, SideStats],
    settings: Settings,
) -> float:
    """Share of all points at which the other side's density is above `support` of its largest at its own points."""
    inside = total = 0.0
    for own, other in ((0, 1), (1, 0)):
        density = both[other]
        if stats[0].complete and stats[1].complete:
            from truegrade.density.grid import count_inside

            grid, points = histograms[own], (stats[own].sample, stats[other].sample)
            inside += count_inside(density.values, *points, grid.centre, grid.matrix, grid.offset, settings.support)
        else:
            most = density.values[histograms[other].counts > 0].max()
            inside += float(histograms[own].counts[density.values > settings.support * most].sum()) / WEIGHT
        total += histograms[own].n
    return inside / total
