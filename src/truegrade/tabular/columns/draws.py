"""Draws from counted cells: what a perfect model would get (ceiling), and how far chance moves a score (interval)."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.density.resample import part_sizes
from truegrade.density.spread import at_full_size, between, fresh_ratio
from truegrade.result.table import Measure
from truegrade.tabular.columns.unseen import law_of

Shares = NDArray[np.float64]
Scores = Mapping[str, Callable[[NDArray[Any], NDArray[Any]], float]]
_DRAWN_CELLS = 2_000_000  # drawn in all for one column or pair
_ONE_BY_ONE = 100_000
_FEWEST = 5  # rows in a part


@dataclass(frozen=True)
class Effort:
    """How often the real table is drawn against itself (ceiling), and both are drawn again (interval).

    With more rows chance moves a score less, and each draw costs more: scores of densities get 6 and 8 up to 2,000 rows
    of the smaller table, 3 and 6 up to 20,000, 2 and none up to 100,000, 1 and none above. Columns get
    at least 4 and 6 draws on a line (2 and 4 from 200,000 rows on); counts get 20 and 40 (4 and 10).
    """

    ceiling: int
    interval: int

    def at_least(self, other: Effort, intervals: bool) -> Effort:
        return Effort(max(self.ceiling, other.ceiling), max(self.interval, other.interval) if intervals else 0)

    def fewer(self, times: int) -> Effort:
        """So many times fewer, but at least one for the ceiling; 0 and 1 change nothing."""
        return Effort(-(-self.ceiling // max(times, 1)), self.interval // max(times, 1))


CHEAP, CHEAP_LARGE = Effort(20, 40), Effort(4, 10)
LARGE = 200_000  # rows of the smaller table from which ceilings are those of two halves: up to .01 too low
_STEPS = ((2_000, Effort(6, 8)), (20_000, Effort(3, 6)), (100_000, Effort(2, 0)))


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
    """The value -+ t standard deviations of the draws, within 0 and 1; None without enough draws."""
    return (None, None) if len(draws) < 4 else between(value, draws, (0.0, 1.0))


def measures(
    real: NDArray[Any],
    synthetic: NDArray[Any],
    scores: Scores,
    rng: np.random.Generator,
    *,
    intervals: bool = True,
    bare: tuple[str, ...] = (),
    closed: bool = False,
) -> dict[str, Measure]:
    """Scores of two sets of counts (c,) over the same cells, by multinomial draws of the same sizes.

    scores: by key, functions of the shares (c,) of both sides. bare: keys without an interval. closed: there are no
    cells but these, and their order may mean something; otherwise ceilings are those of a law with the rare cells that
    no real row has shown (`unseen`). More than 50,000 cells are drawn fewer times, but at least twice.
    """
    n, m = int(real.sum()), int(synthetic.sum())
    p, q = real / n, synthetic / m
    work, affordable = CHEAP if min(n, m) < LARGE else CHEAP_LARGE, max(2, _DRAWN_CELLS // len(p))
    ideal = _ideal(real, m, scores, rng, closed=closed, repeats=min(work.ceiling, affordable))
    spread = np.array(
        [
            _of(draw(n, p, rng), draw(m, q, rng), scores)
            for _ in range(min(work.interval, affordable) if intervals else 0)
        ]
    )
    out = {}
    for i, (key, score) in enumerate(scores.items()):
        value = score(p, q)
        low, high = (None, None) if key in bare or not intervals else bounds(value, spread[:, i])
        ceiling = float(np.clip(ideal[:, i].mean(), 0.0, 1.0))
        out[key] = Measure(value, low, high, ceiling, fresh=fresh_ratio(ideal[:, i]))
    return out


def _ideal(
    real: NDArray[Any], m: int, scores: Scores, rng: np.random.Generator, *, closed: bool, repeats: int
) -> Shares:
    """(repeats, scores) of what fresh real rows would get at n and m rows."""
    if closed:
        return np.array([_of_parts(real, m, scores, rng) for _ in range(repeats)])
    n, law, out = int(real.sum()), law_of(real), []
    for _ in range(repeats):
        shares = law.shares(rng)
        out.append(_of(draw(n, shares, rng), draw(m, shares, rng), scores))
    return np.array(out)


def _of_parts(real: NDArray[Any], m: int, scores: Scores, rng: np.random.Generator) -> Shares:
    """Scores of the real counts against themselves at n and m rows, from two disjoint parts of them."""
    n = int(real.sum())
    p, (first, second) = real / n, part_sizes(n, m)
    found = _of(draw(n, p, rng), draw(m, p, rng), scores)
    if min(first, second) < _FEWEST:
        return found
    small = _of(draw(first, p, rng), draw(second, p, rng), scores)
    one = rng.multivariate_hypergeometric(real, first, method="marginals")
    rest = real - one
    two = rest if rest.sum() == second else rng.multivariate_hypergeometric(rest, second, method="marginals")
    return at_full_size(_of(one / first, two / second, scores), small, found)


def _of(p: Shares, q: Shares, scores: Scores) -> Shares:
    return np.array([score(p, q) for score in scores.values()])


def draw(n: int, shares: Shares, rng: np.random.Generator) -> Shares:
    """Shares (c,) of n draws. Very many cells are drawn one by one, n on average."""
    if len(shares) <= _ONE_BY_ONE:
        drawn: Shares = rng.multinomial(n, shares) / n
        return drawn
    counts = rng.poisson(n * shares)
    return np.asarray(counts / max(int(counts.sum()), 1))
