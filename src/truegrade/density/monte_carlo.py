"""The scores as the paper prints them: kernel densities at random points. Exact kernels, no grid."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truegrade.density.annuli import eden_of_counts
from truegrade.density.correlations import correlation_score
from truegrade.density.refusals import refusal
from truegrade.density.settings import Names, PairOutcome, Settings
from truegrade.density.spans import MARGIN
from truegrade.density.stats import Floats, SideStats, side_stats

_BLOCK = 65_536  # points at which densities are taken at once


@dataclass(frozen=True, eq=False)
class Kernels:
    """A Gaussian kernel on each of the points: `root` (2, 2) is the lower Cholesky factor of its covariance."""

    points: Floats
    root: Floats

    def logs(self, at: Floats) -> Floats:
        """(k,) logarithms of the density at (k, 2), right however small the density is."""
        from truegrade.density.loops import log_sums

        inverse = np.linalg.inv(self.root)
        own = np.ascontiguousarray((self.points @ inverse.T).T)
        weight = math.log(len(self.points) * 2.0 * math.pi * abs(self.root[0, 0] * self.root[1, 1]))
        weights = np.full(len(self.points), -weight)
        parts = []
        for start in range(0, len(at), _BLOCK):
            placed = np.ascontiguousarray((at[start : start + _BLOCK] @ inverse.T).T)
            parts.append(log_sums(placed[0], placed[1], own[0], own[1], weights))
        return np.concatenate(parts)

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        rows = rng.integers(0, len(self.points), size)
        drawn: Floats = self.points[rows] + rng.standard_normal((size, 2)) @ self.root.T
        return drawn


def grade_by_points(real: Floats, synthetic: Floats, settings: Settings, names: Names) -> PairOutcome:
    """All scores but the earth mover's. `size` uniform points in the rectangle around both sets and 4 kernel sd more
    give areas and integrals, `size` draws from the real density the KL score, the sets' own points the Jaccard score.

    Seeded; memory does not grow with `size` times n.
    """
    stats = side_stats(real), side_stats(synthetic)
    refused = refusal(*stats, settings, names)
    if refused is not None:
        return refused
    centre = stats[0].mean / 2 + stats[1].mean / 2
    points = real - centre, synthetic - centre
    kernels = tuple(Kernels(x, _root(s, stats, settings)) for x, s in zip(points, stats, strict=True))
    uniform, drawn = (np.random.default_rng([settings.seed, i]) for i in (0, 1))
    ends = [
        (x.min(axis=0) - MARGIN * _sd(k), x.max(axis=0) + MARGIN * _sd(k)) for x, k in zip(points, kernels, strict=True)
    ]
    low, high = np.minimum(ends[0][0], ends[1][0]), np.maximum(ends[0][1], ends[1][1])
    at: Floats = low + (high - low) * uniform.random((settings.size, 2))
    logs = kernels[0].logs(at), kernels[1].logs(at)
    score, used = _eden(logs, settings)
    sample = kernels[0].draw(settings.size, drawn)
    divergence = float((kernels[0].logs(sample) - kernels[1].logs(sample)).mean())
    values = {
        "correlation_score": correlation_score(*stats, settings),
        "jaccard_score": _jaccard(points, kernels, settings),
        "kl_score": min(1.0, math.exp(-divergence)),
        **_integrals(*logs),
        "eden_score": score,
    }
    return PairOutcome("ok", None, values, details={"size": settings.size, "annuli": used})


def _root(own: SideStats, both: tuple[SideStats, SideStats], settings: Settings) -> Floats:
    cov, n = own.cov, own.n
    if settings.bandwidth == "shared":
        cov, n = both[0].cov / 2 + both[1].cov / 2, min(both[0].n, both[1].n)
    root: Floats = np.asarray(np.linalg.cholesky(cov), np.float64) * settings.factor(n)
    return root


def _sd(kernels: Kernels) -> Floats:
    sd: Floats = np.sqrt((kernels.root**2).sum(axis=1))
    return sd


def _eden(logs: tuple[Floats, Floats], settings: Settings) -> tuple[float, int]:
    """Areas counted in points; levels are shares of the mass at the points, which are sorted by density."""
    bands = []
    for values in logs:
        order = np.sort(values)
        mass = np.cumsum(np.exp(order - order[-1]))
        levels = order[np.searchsorted(mass, np.asarray(settings.shares) * mass[-1])]
        bands.append(np.searchsorted(levels, values, side="right"))
    size = settings.levels
    joint: NDArray[np.intp] = np.bincount(bands[0] * size + bands[1], minlength=size * size).reshape(size, size)
    return eden_of_counts(joint)


def _integrals(log_p: Floats, log_q: Floats) -> Mapping[str, float]:
    """js_score and cs_score from densities at uniform points."""
    most = max(float(log_p.max()), float(log_q.max()))
    p, q = np.exp(log_p - most), np.exp(log_q - most)
    log_m = np.logaddexp(log_p, log_q) - math.log(2.0)
    js = ((p * (log_p - log_m)).sum() / p.sum() + (q * (log_q - log_m)).sum() / q.sum()) / 2
    cs = (p * q).sum() / math.sqrt(float((p * p).sum()) * float((q * q).sum()))
    return {"js_score": min(1.0, math.exp(-float(js))), "cs_score": min(1.0, float(cs))}


def _jaccard(points: tuple[Floats, Floats], kernels: tuple[Kernels, ...], settings: Settings) -> float:
    inside = 0
    for own, other in ((0, 1), (1, 0)):
        least = kernels[other].logs(points[other]).max() + math.log(settings.support)
        inside += int((kernels[other].logs(points[own]) > least).sum())
    return inside / (len(points[0]) + len(points[1]))
