"""Draws from counted cells: what a perfect model would get (ceiling), and how far chance moves a score (interval)."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.result.table import Measure

Shares = NDArray[np.float64]
Scores = Mapping[str, Callable[[NDArray[Any], NDArray[Any]], float]]
_DRAWN_CELLS = 2_000_000  # drawn in all for one column or pair
_ONE_BY_ONE = 100_000
_WIDE = 1.959963984540054  # normal quantile of a 95 % interval


@dataclass(frozen=True)
class Effort:
    """How many draws. With many rows chance moves a score little, so a few tell its ceiling well enough, and there is
    no interval: up to 2,000 rows (of the smaller table) 20 and 20, up to 20,000 rows 8 and 10, up to 100,000 rows 3 and
    none, above 1 and none. Scores of counts are cheap and always get `CHEAP`.
    """

    ceiling: int
    interval: int


CHEAP = Effort(20, 40)
_STEPS = ((2_000, Effort(20, 20)), (20_000, Effort(8, 10)), (100_000, Effort(3, 0)))


def effort(n_real: int, n_synthetic: int, intervals: bool) -> Effort:
    """For scores of densities, by the smaller of both tables."""
    rows = min(n_real, n_synthetic)
    found = next((e for most, e in _STEPS if rows <= most), Effort(1, 0))
    return found if intervals else Effort(found.ceiling, 0)


def generator(seed: int, *names: str) -> np.random.Generator:
    """Random numbers of a column or pair of columns, whatever the order in which the columns come."""
    marks = (zlib.crc32(name.encode("utf-8", "surrogatepass")) for name in sorted(names))
    return np.random.default_rng([seed, *marks])


def bounds(value: float, draws: NDArray[Any]) -> tuple[float | None, float | None]:
    """The value and 1.96 standard deviations of the draws about it, within 0 and 1; None without enough draws."""
    if len(draws) < 4:
        return None, None
    reach = _WIDE * float(np.std(draws, ddof=1))
    return max(0.0, value - reach), min(1.0, value + reach)


def measures(
    real: NDArray[Any],
    synthetic: NDArray[Any],
    scores: Scores,
    rng: np.random.Generator,
    *,
    intervals: bool = True,
    bare: tuple[str, ...] = (),
) -> dict[str, Measure]:
    """Scores of two sets of counts (c,) over the same cells, by multinomial draws of the same sizes.

    scores: by key, functions of the shares (c,) of both sides. bare: keys without an interval. More than 50,000 cells
    are drawn fewer times, but at least twice.
    """
    n, m = int(real.sum()), int(synthetic.sum())
    p, q = real / n, synthetic / m
    affordable = max(2, _DRAWN_CELLS // len(p))
    ceiling = _drawn((n, p), (m, p), scores, rng, min(CHEAP.ceiling, affordable))
    spread = _drawn((n, p), (m, q), scores, rng, min(CHEAP.interval, affordable) if intervals else 0)
    out = {}
    for i, (key, score) in enumerate(scores.items()):
        value = score(p, q)
        low, high = (None, None) if key in bare else bounds(value, spread[:, i])
        out[key] = Measure(value, low, high, float(ceiling[:, i].mean()))
    return out


def _drawn(
    real: tuple[int, Shares], synthetic: tuple[int, Shares], scores: Scores, rng: np.random.Generator, repeats: int
) -> Shares:
    """Scores (repeats, keys) of shares drawn from both sides' shares."""
    out = np.empty((repeats, len(scores)))
    for row in out:
        a, b = draw(*real, rng), draw(*synthetic, rng)
        row[:] = [score(a, b) for score in scores.values()]
    return out


def draw(n: int, shares: Shares, rng: np.random.Generator) -> Shares:
    """Shares (c,) of n draws. Of very many cells each is drawn by itself, so that the number of draws is n on average."""
    if len(shares) <= _ONE_BY_ONE:
        drawn: Shares = rng.multinomial(n, shares) / n
        return drawn
    counts = rng.poisson(n * shares)
    return np.asarray(counts / max(int(counts.sum()), 1))
