"""Distribution functions of one column: how far they are apart, which part of the range is covered.

Values are counted at places, the sampled values themselves, and between them. Up to 65,536 rows every value is a place
and all is exact; above, 4,096 places at equal shares of the sample are kept, and KS is off by at most the share of rows
strictly between two neighbouring places, about 1 in 4,096.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.density.stats import LineStats
from truegrade.result.table import Measure
from truegrade.tabular.draws import measures

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_PLACES = 4_096
_DRAWN = 512  # steps of the distribution functions in draws
_EXTREMES = 400  # drawn ranges


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
    drawn = measures(
        np.add.reduceat(counts[0], steps), np.add.reduceat(counts[1], steps), {"ks": ks}, rng, intervals=intervals
    )["ks"]
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
    """Mean coverage of the range of n draws from the real values by the range of m draws."""
    shares = np.cumsum(counts[0]) / counts[0].sum()
    at = np.empty(2 * len(places) + 1)
    at[0], at[1::2], at[-1] = places[0], places, places[-1]
    at[2:-1:2] = (places[:-1] + places[1:]) / 2  # between two places: the middle
    n = int(counts[0].sum())
    ranges = [_ranges(at, shares, size, rng) for size in (n, m)]
    found = [range_coverage(a, b) for a, b in zip(*ranges, strict=True) if a[1] > a[0]]
    return float(np.mean(found)) if found else 1.0


def _ranges(at: Floats, shares: Floats, size: int, rng: np.random.Generator) -> list[tuple[float, float]]:
    """Lowest and highest of `size` draws, `_EXTREMES` times: the lowest of uniform numbers is 1 - u^(1 / size)."""
    low = -np.expm1(np.log(rng.random(_EXTREMES)) / size)
    high = np.exp(np.log(rng.random(_EXTREMES)) / size)
    last = len(at) - 1
    ends: Any = [at[np.minimum(np.searchsorted(shares, share), last)] for share in (low, high)]
    return [(min(a, b), max(a, b)) for a, b in zip(*ends, strict=True)]
