"""Eden on many lines at once: a number within every category, or a single column; draws of them, ceilings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.density import Settings
from truegrade.density.histogram import BINNED, LINE_WEIGHT
from truegrade.density.resample import part_sizes
from truegrade.density.spread import at_full_size

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_FEWEST = 5  # values in a part
_NEARLY = 0.7  # of the values that two sets should have, so many in another line are enough for it to stand in


@dataclass(frozen=True, eq=False)
class Sides:
    """One side on L lines of g cells: counts (L, g) with LINE_WEIGHT for each value, values n (L,), of which the cells
    may lack some, and their variances (L,) in squared cells."""

    counts: Ints
    n: Ints
    variances: Floats

    def draw(self, n: Ints, rng: np.random.Generator) -> Sides:
        """n (L,) draws with replacement."""
        total = self.counts.sum(axis=1)
        inside = np.minimum(total / np.maximum(LINE_WEIGHT * self.n, 1), 1.0)
        shares = self.counts / np.maximum(total, 1)[:, None]
        return self._made(rng.multinomial(np.where(total > 0, rng.binomial(n, inside), 0), shares), n)

    def parts(self, first: Ints, second: Ints, rng: np.random.Generator) -> tuple[Sides, Sides]:
        """Two parts without a common value. Each value is whole in one of its cells, rounded along the running sum."""
        sums = np.cumsum(self.counts, axis=1) + rng.integers(0, LINE_WEIGHT, len(self.n))[:, None]
        whole = np.diff(sums // LINE_WEIGHT, axis=1, prepend=0)
        whole = np.column_stack([whole, np.maximum(self.n - whole.sum(axis=1), 0)])
        one, two = np.zeros_like(whole), np.zeros_like(whole)
        for k, (a, b) in enumerate(zip(first, second, strict=True)):
            one[k] = rng.multivariate_hypergeometric(whole[k], a, method="marginals")
            rest = whole[k] - one[k]
            two[k] = rest if rest.sum() == b else rng.multivariate_hypergeometric(rest, b, method="marginals")
        return self._made(one[:, :-1], first), self._made(two[:, :-1], second)

    def take(self, lines: NDArray[Any]) -> Sides:
        return Sides(self.counts[lines], self.n[lines], self.variances[lines])

    def _made(self, drawn: Ints, n: Ints) -> Sides:
        """Drawn values; their variance is the source's times what the counts say that it changed."""
        change = _variances(drawn) / np.maximum(_variances(self.counts), 1e-300)
        return Sides(LINE_WEIGHT * drawn, n, self.variances * change)


def edens(real: Sides, synthetic: Sides, settings: Settings) -> Floats:
    """(L,) Eden on each line, as `density.grade_line` has it."""
    variances, n = (real.variances, synthetic.variances), (real.n, synthetic.n)
    if settings.bandwidth == "shared":
        variances = ((real.variances + synthetic.variances) / 2,) * 2
        n = (np.minimum(real.n, synthetic.n),) * 2
    factors = [np.array([settings.factor(max(int(k), 1), 1) for k in side]) for side in n]
    kernels = [np.sqrt(v) * factor for v, factor in zip(variances, factors, strict=True)]
    bands = [_bands(_densities(s, kernel), settings) for s, kernel in zip((real, synthetic), kernels, strict=True)]
    common, either = [], []
    for band in range(1, settings.levels):
        p, q = bands[0] == band, bands[1] == band
        common.append((p & q).sum(axis=1))
        either.append((p | q).sum(axis=1))
    there = np.array(either) > 0
    shares = np.array(common) / np.maximum(either, 1)
    return np.asarray(shares.sum(axis=0) / np.maximum(there.sum(axis=0), 1))


def _densities(side: Sides, kernels: Floats) -> Floats:
    """(L, g) kernel densities in shares a cell; kernels (L,) in cells."""
    from scipy.fft import irfft, next_fast_len, rfft, rfftfreq

    cells = side.counts.shape[1]
    size = next_fast_len(cells + int(np.ceil(8.0 * kernels.max(initial=0.0))), real=True)
    left = np.maximum(kernels**2 - BINNED, 0.0)
    response = np.exp(-2.0 * left[:, None] * (np.pi * rfftfreq(size)) ** 2)
    smooth = irfft(rfft(side.counts.astype(np.float64), size, axis=1) * response, size, axis=1)[:, :cells]
    return np.asarray(np.maximum(smooth, 0.0) / np.maximum(LINE_WEIGHT * side.n, 1)[:, None])


def _bands(values: Floats, settings: Settings) -> NDArray[np.int8]:
    """(L, g) between which iso-mass levels of its line each cell's density is; 0 is below the lowest."""
    ordered = np.sort(values, axis=1)
    running = np.cumsum(ordered, axis=1)
    running += 1.0 - running[:, -1:]
    out = np.zeros(values.shape, np.int8)
    for share in settings.shares:
        place = np.minimum((running < share).sum(axis=1), values.shape[1] - 1)
        out += values >= np.take_along_axis(ordered, place[:, None], axis=1)
    return out


def ceilings(real: Sides, m: Ints, settings: Settings, rng: np.random.Generator, *, carry: bool = True) -> Floats:
    """(L,) Eden of the real side against itself at its own n and m values: of two disjoint parts of it, and (`carry`)
    what so many more values change, taken from draws at both sizes; see `density.resample`. May exceed 1 by chance.

    Of lines with too few values for two parts, draws would be far too much alike: they get what parts of their sizes
    of another line get, as far as there is one with nearly so many values.
    """
    sizes = np.array([part_sizes(int(a), int(b)) for a, b in zip(real.n, m, strict=True)], np.int64).reshape(-1, 2)
    able = sizes.min(axis=1) >= _FEWEST
    if able.all() and not carry:
        return edens(*real.parts(sizes[:, 0], sizes[:, 1], rng), settings)
    found = np.empty(len(able))
    if able.any():
        source, (first, second) = real.take(able), sizes[able].T
        large = edens(source.draw(source.n, rng), source.draw(m[able], rng), settings)
        small = edens(source.draw(first, rng), source.draw(second, rng), settings)
        found[able] = at_full_size(edens(*source.parts(first, second, rng), settings), small, large)
    if not able.all():
        found[~able] = _of_few(real, real.n[~able], m[~able], np.flatnonzero(~able), settings, rng)
    return found


def _of_few(
    real: Sides, n: Ints, m: Ints, lines: NDArray[np.intp], settings: Settings, rng: np.random.Generator
) -> Floats:
    """(k,) of sets of n (k,) and m (k,) real values: parts of any line that has enough of them, or nearly; else draws
    of the line itself, lines (k,)."""
    share = np.minimum(1.0, real.n.max() / (n + m))
    first, second = (np.maximum(2, (share * size).astype(np.int64)) for size in (n, m))
    found, near = np.empty(len(n)), share >= _NEARLY
    if near.any():
        enough = np.argsort(real.n)
        begin = np.searchsorted(real.n[enough], (first + second)[near])
        source = real.take(enough[rng.integers(begin, len(enough))])
        found[near] = edens(*source.parts(first[near], second[near], rng), settings)
    if not near.all():
        own = real.take(lines[~near])
        found[~near] = edens(own.draw(n[~near], rng), own.draw(m[~near], rng), settings)
    return found


def _variances(counts: Ints) -> Floats:
    """(L,) of cells under counts (L, g)."""
    total = np.maximum(counts.sum(axis=1), 1)
    at = np.arange(counts.shape[1], dtype=np.float64)
    mean = counts @ at / total
    return np.asarray(np.maximum(counts @ at**2 / total - mean**2, 0.0))
