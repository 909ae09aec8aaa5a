"""Eden on a line: the same annuli of the densities of one column."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truegrade.density.annuli import eden_of_counts
from truegrade.density.histogram import BINNED, LINE_WEIGHT, LineHistogram
from truegrade.density.settings import DEFAULT, PairOutcome, Settings
from truegrade.density.spans import Span, may_lose, span, tails
from truegrade.density.stats import Floats, LineStats, line_stats

_PER_SD, _FEWEST, _MOST = 24, 4096, 32_768


@dataclass(frozen=True)
class LineFrame:
    """Cells on a line: centre of the first, distance between them, how many; `shared` as of Frame, `cut` too."""

    low: float
    step: float
    cells: int
    shared: tuple[float, int]
    cut: bool = False

    def histogram(self) -> LineHistogram:
        """An empty histogram on these cells."""
        return LineHistogram(self.low, 1.0 / self.step, self.cells)

    def kernel(self, stats: LineStats, settings: Settings) -> float:
        """Standard deviation of a side's kernel, in cells."""
        return _kernel(stats, self.shared, settings) / self.step


def line_frame(
    real: LineStats, synthetic: LineStats, settings: Settings = DEFAULT, name: str = "the column"
) -> LineFrame | PairOutcome:
    """The cells for these two sides, or why a side has no density: fewer than 3 values, or all the same."""
    for side, stats in (("real", real), ("synthetic", synthetic)):
        if stats.n < 3:
            return PairOutcome("degenerate", f"A density needs at least 3 values; {name} has {stats.n} {side} ones.")
        if stats.low == stats.high:
            return PairOutcome("constant", f"No density: {name} is {stats.low:g} in every {side} row.")
        if not 1e-290 < stats.variance < 1e290:
            wide = "widely" if stats.variance > 1.0 else "little"
            return PairOutcome("degenerate", f"No density: {name} spreads too {wide} to be squared; rescale it.")
    shared = (real.variance / 2 + synthetic.variance / 2, min(real.n, synthetic.n))
    kernels = [_kernel(stats, shared, settings) for stats in (real, synthetic)]
    low, high, cut = _span([real.sample, synthetic.sample], kernels, settings.thresh)
    cells = min(_MOST, max(_FEWEST, math.ceil(min(_PER_SD * (high - low) / min(kernels), _MOST))))
    return LineFrame(low, (high - low) / (cells - 2), cells, shared, cut)


def _kernel(stats: LineStats, shared: tuple[float, int], settings: Settings) -> float:
    variance, n = shared if settings.bandwidth == "shared" else (stats.variance, stats.n)
    return math.sqrt(variance) * settings.factor(n, 1)


def _span(sides: list[Floats], kernels: list[float], thresh: float) -> Span:
    free = _FEWEST * min(kernels) / _PER_SD
    for tail in tails(thresh):
        low, high, cut = span(sides, kernels, tail, free)
        if not cut or may_lose(max(float(((x < low) | (x > high)).mean()) for x in sides), thresh):
            break
    return low, high, cut


def line_density(histogram: LineHistogram, frame: LineFrame, stats: LineStats, settings: Settings) -> Floats:
    """(cells,) the kernel density of one side, in shares of its values a cell."""
    from scipy.fft import irfft, next_fast_len, rfft, rfftfreq

    sd = frame.kernel(stats, settings)
    size = next_fast_len(frame.cells + math.ceil(8.0 * sd), real=True)
    response = np.exp(-2.0 * (math.pi * rfftfreq(size)) ** 2 * max(sd**2 - BINNED, 0.0))
    smooth = irfft(rfft(histogram.counts.astype(np.float64), size) * response, size)[: frame.cells]
    density: Floats = np.maximum(smooth, 0.0) / (LINE_WEIGHT * histogram.n)
    return density


def line_levels(values: Floats, settings: Settings) -> Floats:
    """(levels,) iso-mass levels of a density in shares a cell, the last one its maximum."""
    ordered = np.sort(values)
    running = np.cumsum(ordered) + (1.0 - ordered.sum())
    places = np.searchsorted(running, settings.shares)
    return np.append(ordered[np.minimum(places, len(ordered) - 1)], ordered[-1])


def grade_line(
    real: LineHistogram,
    synthetic: LineHistogram,
    frame: LineFrame,
    real_stats: LineStats,
    synthetic_stats: LineStats,
    settings: Settings = DEFAULT,
) -> PairOutcome:
    """Eden on a line, as value "eden_line": mean over the bands between iso-mass levels of the length that both sides
    have in common in parts of the length of either. Range 0 to 1, higher is better, 1 for identical sides."""
    p = line_density(real, frame, real_stats, settings)
    q = line_density(synthetic, frame, synthetic_stats, settings)
    value, bands = eden_on_line(p, q, settings)
    outside = (real.outside / real.n, synthetic.outside / synthetic.n)
    details = {"cells": frame.cells, "cut": frame.cut, "outside": outside, "annuli": bands}
    return PairOutcome("ok", None, {"eden_line": value}, details=details)


def eden_on_line(p: Floats, q: Floats, settings: Settings) -> tuple[float, int]:
    """Eden of two densities on the same cells, and how many bands had a length."""
    bands = [np.searchsorted(line_levels(x, settings)[:-1], x, side="right") for x in (p, q)]
    size = settings.levels
    joint = np.bincount(bands[0] * size + bands[1], minlength=size * size).reshape(size, size)
    return eden_of_counts(joint)


def line_eden(x: Floats, y: Floats, settings: Settings = DEFAULT) -> float | str:
    """Eden on a line of real values x (n,) and synthetic values y (m,), or the reason why there is none."""
    outcome = grade_values(x, y, settings)
    return outcome.values["eden_line"] if outcome.status == "ok" else str(outcome.reason)


def grade_values(x: Floats, y: Floats, settings: Settings = DEFAULT, name: str = "the column") -> PairOutcome:
    """The same as an outcome with status and details."""
    stats = line_stats(x), line_stats(y)
    frame = line_frame(*stats, settings, name)
    if isinstance(frame, PairOutcome):
        return frame
    histograms = frame.histogram(), frame.histogram()
    for histogram, values in zip(histograms, (x, y), strict=True):
        histogram.add(np.asarray(values, np.float64))
    return grade_line(*histograms, frame, *stats, settings)


def line_curves(
    real: LineHistogram,
    synthetic: LineHistogram,
    frame: LineFrame,
    real_stats: LineStats,
    synthetic_stats: LineStats,
    settings: Settings = DEFAULT,
    points: int = 128,
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Places (points,), and both densities there, per unit of the column."""
    places = np.linspace(0, frame.cells - 1, points)
    sides = ((real, real_stats), (synthetic, synthetic_stats))
    drawn = [
        np.interp(places, np.arange(frame.cells), line_density(h, frame, s, settings) / frame.step) for h, s in sides
    ]
    at = frame.low + places * frame.step
    return at.astype(np.float32), drawn[0].astype(np.float32), drawn[1].astype(np.float32)
