"""Distribution functions of one column: how far they are apart, which part of the range is covered.

Values are counted at places, the sampled values themselves, and between them. Up to 65,536 rows every value is a place
and all is exact; above, 4,096 places at equal shares of the sample are kept, and KS is off by at most the share of rows
strictly between two neighbouring places, about 1 in 4,096.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truegrade.density.resample import part_sizes
from truegrade.density.stats import LineStats
from truegrade.result.table import Measure
from truegrade.tabular.columns.draws import measures

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_PLACES = 4_096
_DRAWN = 512  # steps of the distribution functions in draws
_EXTREMES = 400  # drawn ranges
_OUTER = 64  # values at either end, of which the extremes of parts are drawn


def places_of(real: LineStats, synthetic: LineStats) -> Floats:
    """Ascending distinct values, (e,): all, or about 4,096 of the pooled samples, the extremes among them."""
    pooled = np.concatenate([real.sample, synthetic.sample])
    whole = len(real.sample) == real.n and len(synthetic.sample) == synthetic.n
    if not whole:
        pooled = np.sort(pooled)[np.linspace(0, len(pooled) - 1, _PLACES).astype(np.intp)]
        pooled = np.append(pooled, [real.low, real.high, synthetic.low, synthetic.high])
    return np.unique(pooled)


def ks(p: Floats, q: Floats) -> float:
    """1 - sup |F - G| of shares (c,) in ascending cells. 0 (apart) to 1 (equal); symmetric."""
    return 1.0 - float(np.abs(np.cumsum(p - q)).max(initial=0.0))


def ks_of(real: Ints, synthetic: Ints) -> float:
    """The same of counts (c,), so that equal tables are exactly 1."""
    n, m = int(real.sum()), int(synthetic.sum())
    return 1.0 - float(np.abs(np.cumsum(real) / n - np.cumsum(synthetic) / m).max(initial=0.0))


def range_coverage(real: tuple[float, float], synthetic: tuple[float, float]) -> float:
    """Share of the real range, low to high, that the synthetic range covers. 0 to 1; not symmetric."""
    common = min(real[1], synthetic[1]) - max(real[0], synthetic[0])
    return float(np.clip(common / (real[1] - real[0]), 0.0, 1.0))


def grade_places(
    counts: tuple[Ints, Ints],
    places: Floats,
    stats: tuple[LineStats, LineStats],
    rng: np.random.Generator,
    *,
    intervals: bool,
) -> dict[str, Measure]:
    """ks and range_coverage of a column of which both sides have values. The coverage has no interval: no draw from a
    table reaches beyond its extremes."""
    real, synthetic = stats
    steps = _steps(counts[0] + counts[1])
    grouped = [np.add.reduceat(side, steps) for side in counts]
    drawn = measures(grouped[0], grouped[1], {"ks": ks}, rng, intervals=intervals, closed=True)["ks"]
    value = ks_of(*counts)
    shift = value - (drawn.value or 0.0)  # the draws are of fewer steps
    low, high = (None if end is None else float(np.clip(end + shift, 0.0, 1.0)) for end in (drawn.low, drawn.high))
    found = {"ks": Measure(value, low, high, drawn.ceiling)}
    if real.high > real.low:
        covered = range_coverage((real.low, real.high), (synthetic.low, synthetic.high))
        found["range_coverage"] = Measure(covered, ceiling=_range_ceiling(counts, places, synthetic.n, rng))
    return found


def _steps(total: Ints) -> NDArray[np.intp]:
    """Starts of about `_DRAWN` groups of cells of equal shares."""
    share = np.cumsum(total) - total
    group = share * _DRAWN // max(int(total.sum()), 1)
    return np.flatnonzero(np.diff(group, prepend=-1))


def _range_ceiling(counts: tuple[Ints, Ints], places: Floats, m: int, rng: np.random.Generator) -> float:
    """Mean coverage of the range of n real values by that of m others of the same law.

    Of two disjoint parts of the real values, and of parts half as large. What the coverage lacks shrinks as 1 / size
    where a law ends, and not at all where its tails are heavy; the difference of both sizes tells which, and is carried
    on to n and m. Drawing with replacement would not do: it gives the same extreme value to both sides.
    """
    n = int(counts[0].sum())
    first, second = part_sizes(n, m)
    shares = first / n, second / n
    ends = _ends(counts[0], places)
    large, small = (_coverage_of_parts(ends, shares[0] * part, shares[1] * part, rng) for part in (1.0, 0.5))
    if large is None:
        return 1.0
    carried = large if small is None else large + (large - small) * (1.0 - max(first / n, second / max(m, second)))
    return float(np.clip(carried, 0.0, 1.0))


def _ends(counts: Ints, places: Floats) -> tuple[Floats, Floats]:
    """The `_OUTER` lowest values, ascending, and the highest, descending; between two places: the middle."""
    at = np.empty(2 * len(places) + 1)
    at[0], at[1::2], at[-1] = places[0], places, places[-1]
    at[2:-1:2] = (places[:-1] + places[1:]) / 2
    found = []
    for values, often in ((at, counts), (at[::-1], counts[::-1])):
        there = np.flatnonzero(often)[:_OUTER]
        found.append(np.repeat(values[there], np.minimum(often[there], _OUTER))[:_OUTER])
    return found[0], found[1]


def _coverage_of_parts(
    ends: tuple[Floats, Floats], first: float, second: float, rng: np.random.Generator
) -> float | None:
    """Mean over `_EXTREMES` drawn pairs of disjoint parts, into which a value falls with these probabilities; None
    where no part has a range."""
    lows, highs = (_outermost(values, first, second, rng) for values in ends)
    span = highs[0] - lows[0]
    known = (span > 0.0) & np.isfinite(lows).all(axis=0) & np.isfinite(highs).all(axis=0)
    if not known.any():
        return None
    common = np.minimum(*highs) - np.maximum(*lows)
    return float(np.clip(common[known] / span[known], 0.0, 1.0).mean())


def _outermost(values: Floats, first: float, second: float, rng: np.random.Generator) -> Floats:
    """(2, draws) the first of the values (from outside in) that falls into either part; NaN where none does."""
    drawn = rng.random((_EXTREMES, len(values)))
    parts = drawn < first, drawn > 1.0 - second
    return np.array([np.where(part.any(axis=1), values[part.argmax(axis=1)], np.nan) for part in parts])
