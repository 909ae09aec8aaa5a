"""Eden on a line for columns and for numbers within categories: counting, draws, ceiling and interval."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from truegrade.density import LineFrame, LineHistogram, LineStats, Settings, grade_line
from truegrade.density.histogram import LINE_WEIGHT
from truegrade.density.resample import part_sizes

Ints = NDArray[np.int64]
Side = tuple[LineHistogram, LineStats]
_FEWEST = 5  # values in a part


@dataclass(frozen=True, eq=False)
class Line:
    """Two sides on the cells of one frame: counts (real, synthetic) and what else is known of the values."""

    frame: LineFrame
    counts: tuple[LineHistogram, LineHistogram]
    stats: tuple[LineStats, LineStats]

    def eden(self, settings: Settings) -> float:
        return float(grade_line(*self.counts, self.frame, *self.stats, settings).values["eden_line"])

    def redrawn(self, rng: np.random.Generator) -> Line:
        """As many draws from each side as it has values, with replacement."""
        first, second = (_draw(h, s, h.n, rng) for h, s in zip(self.counts, self.stats, strict=True))
        return _paired(self.frame, first, second)

    def ceiling(self, settings: Settings, rng: np.random.Generator, m: int | None = None) -> float:
        """Eden of the real side against itself at n and m values (the synthetic side's number, if not given): of two
        disjoint parts of it, and what so many more values change, taken from draws at both sizes; see
        `density.resample`. May exceed 1 by chance."""
        real, stats = self.counts[0], self.stats[0]
        n, m = real.n, self.counts[1].n if m is None else m
        sizes = part_sizes(n, m)
        alike = replace(self.frame, shared=(stats.variance, min(n, m)))
        found = _paired(alike, _draw(real, stats, n, rng), _draw(real, stats, m, rng)).eden(settings)
        if min(sizes) < _FEWEST:
            return found
        part = replace(alike, shared=(stats.variance, min(sizes)))
        less = _paired(part, *(_draw(real, stats, size, rng) for size in sizes)).eden(settings)
        return _paired(part, *_parts(real, stats, sizes, rng)).eden(settings) + found - less


def _paired(frame: LineFrame, real: Side, synthetic: Side) -> Line:
    return Line(frame, (real[0], synthetic[0]), (real[1], synthetic[1]))


def coarser(frame: LineFrame, times: int) -> LineFrame:
    """The same line in so many times fewer cells."""
    cells = -(-(frame.cells - 2) // times) + 2
    return replace(frame, step=frame.step * (frame.cells - 2) / (cells - 2), cells=cells)


def counted(frame: LineFrame, counts: Ints, n: int) -> LineHistogram:
    """A histogram with these counts (cells,), as of n values."""
    made = frame.histogram()
    made.counts, made.n, made.outside = counts, n, n - round(int(counts.sum()) / LINE_WEIGHT)
    return made


def _draw(source: LineHistogram, stats: LineStats, n: int, rng: np.random.Generator) -> Side:
    """n draws with replacement."""
    outside = max(0.0, 1.0 - int(source.counts.sum()) / (LINE_WEIGHT * source.n))
    kept = n if outside == 0.0 else int(rng.binomial(n, 1.0 - outside))
    return _made(source, stats, rng.multinomial(kept, source.counts / source.counts.sum()), n)


def _parts(source: LineHistogram, stats: LineStats, sizes: tuple[int, int], rng: np.random.Generator) -> list[Side]:
    """Two parts without a common value. Each value is whole in one of its cells, rounded along the running sum."""
    sums = np.cumsum(source.counts) + int(rng.integers(0, LINE_WEIGHT))
    whole = np.diff(sums // LINE_WEIGHT, prepend=0)
    whole = np.append(whole, max(0, source.n - int(whole.sum())))
    first = rng.multivariate_hypergeometric(whole, sizes[0], method="marginals")
    rest = whole - first
    second = rest if rest.sum() == sizes[1] else rng.multivariate_hypergeometric(rest, sizes[1], method="marginals")
    return [_made(source, stats, part[:-1], size) for part, size in zip((first, second), sizes, strict=True)]


def _made(source: LineHistogram, stats: LineStats, drawn: Ints, n: int) -> Side:
    """Drawn values; their variance is the source's times what the counts say that it changed."""
    made = LineHistogram(source.low, source.scale, len(source.counts))
    made.counts, made.n, made.outside = LINE_WEIGHT * drawn, n, n - int(drawn.sum())
    variance = stats.variance * _variance(drawn) / _variance(source.counts)
    return made, replace(stats, n=n, variance=variance)


def _variance(counts: Ints) -> float:
    shares, at = counts / max(int(counts.sum()), 1), np.arange(len(counts))
    mean = float(shares @ at)
    return float(shares @ (at - mean) ** 2)
