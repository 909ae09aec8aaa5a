"""How the scores of a pair scatter, and what a perfect generator would get: both by drawing again from what is there.

Intervals: both sides are drawn again (rows, or a multinomial draw of the binned histogram) and graded on the same grid.
A draw from a sample is rougher than the sample, so that all replicates lie too low: only their spread is used, about
the value itself.

Ceilings: the real set against itself at the sizes n and m. Two draws from one sample share its bumps and look too much
alike where the law is flat; two disjoint halves of it do not, but are too small. So halves are graded, and what twice
as many points would change is taken from draws at both sizes: halves + draws(n, m) - draws(half the sizes).

Sources: Efron & Tibshirani 1993, chapter 13; Politis, Romano & Wolf 1999, section 2; simulated in docs/uncertainty.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from truegrade.density.frame import Frame
from truegrade.density.grades import correlation_score, eden, grade_histograms
from truegrade.density.histogram import WEIGHT, Histogram
from truegrade.density.settings import DEFAULT, SCORES, PairOutcome, Settings
from truegrade.density.smoothing import densities
from truegrade.density.stats import Floats, SideStats, side_stats

RANGES = {key: (0.5 if key == "js_score" else 0.0, 1.0) for key in SCORES}
_STEEPEST = 4.0  # largest ratio of sizes of two parts of the real set
_FEWEST = 5  # points in a part
_QUICK = frozenset({"eden_score", "correlation_score"})
Side = tuple[Histogram, SideStats]
Values = Mapping[str, Floats]


@dataclass(frozen=True, eq=False)
class Resampled:
    """Scores by key of sets that were drawn again.

    values: (repeats,) of both sides drawn again; ceilings: (repeats,) of real against real at the sizes of the pair.
    NaN where undefined.
    """

    values: Values
    ceilings: Values

    def error(self, key: str) -> float:
        """Standard error of the score; NaN with fewer than two replicates."""
        return _sd(self.values.get(key))

    def interval(self, key: str, value: float, level: float = 0.95) -> tuple[float, float] | None:
        """value +- t times the standard error, clipped to the score's range; None with fewer than two replicates."""
        error, count = self.error(key), int(np.isfinite(self.values.get(key, np.empty(0))).sum())
        if not np.isfinite(error):
            return None
        reach = float(stdtrit(count - 1, (1 + level) / 2)) * error
        low, high = RANGES[key]
        return max(low, value - reach), min(high, value + reach)

    def ceiling(self, key: str) -> float | None:
        """What a perfect generator would get on average; None where that is unknown."""
        known = _known(self.ceilings.get(key))
        return float(np.clip(known.mean(), *RANGES[key])) if len(known) else None

    def ceiling_error(self, key: str) -> float | None:
        """Standard error of the ceiling from having drawn so often and no more; None with fewer than two draws."""
        known = _known(self.ceilings.get(key))
        return float(known.std(ddof=1) / len(known) ** 0.5) if len(known) > 1 else None


def _known(values: Floats | None) -> Floats:
    return np.empty(0) if values is None else values[np.isfinite(values)]


def _sd(values: Floats | None) -> float:
    known = _known(values)
    return float(known.std(ddof=1)) if len(known) > 1 else float("nan")


def resample_pair(
    real: Histogram,
    synthetic: Histogram,
    frame: Frame,
    real_stats: SideStats,
    synthetic_stats: SideStats,
    settings: Settings = DEFAULT,
    *,
    repeats: int,
    seed: int,
    scores: Sequence[str] | None = None,
    carry: bool = True,
) -> Resampled:
    """Replicates and ceilings of a pair of which the histograms are known, all scores but the earth mover's.

    scores: only these; "eden_score" and "correlation_score" alone take half the time. carry: of a ceiling, add what
    twice as many points change (three gradings instead of one); without it the ceiling is that of two halves, too low
    by about .04 for 5,000 points and .01 for 500,000. repeats: of each; 1 gives a ceiling and no interval.
    """
    wanted = tuple(key for key in SCORES if scores is None or key in scores)
    sides = Cells(real, frame, real_stats), Cells(synthetic, frame, synthetic_stats)
    return Resampled(
        redrawn(*sides, frame, settings, repeats=repeats, seed=seed, scores=wanted),
        ceilings(sides[0], sides[1].n, frame, settings, repeats=repeats, seed=seed, scores=wanted, carry=carry),
    )


# --- laws to draw from ---------------------------------------------------------------------------------


class Law(Protocol):
    """One side, from which sets can be drawn."""

    @property
    def n(self) -> int: ...

    def draw(self, size: int, rng: np.random.Generator) -> Side:
        """So many points, each with replacement."""
        ...

    def parts(self, first: int, second: int, rng: np.random.Generator) -> tuple[Side, Side]:
        """Two parts of the side without a common point."""
        ...


class Points:
    """The points (n, 2) themselves: rows are drawn, the same ones for one seed whatever the grid."""

    def __init__(self, points: Floats, frame: Frame) -> None:
        self.points, self.frame = points, frame

    @property
    def n(self) -> int:
        return len(self.points)

    def draw(self, size: int, rng: np.random.Generator) -> Side:
        return self._side(rng.integers(0, self.n, size))

    def parts(self, first: int, second: int, rng: np.random.Generator) -> tuple[Side, Side]:
        order = rng.permutation(self.n)
        return self._side(order[:first]), self._side(order[first : first + second])

    def _side(self, rows: NDArray[np.intp]) -> Side:
        mine = self.points[rows]
        histogram = self.frame.histogram()
        histogram.add(mine)
        return histogram, side_stats(mine)


class Cells:
    """A histogram: points in the middles of its cells, and some outside of it.

    Covariances of drawn sets are those of the side, changed by as much as the draw changed them on the grid.
    """

    def __init__(self, histogram: Histogram, frame: Frame, stats: SideStats) -> None:
        self.histogram, self.frame, self.stats = histogram, frame, stats
        flat = histogram.counts.ravel()
        self.at = np.flatnonzero(flat)
        self.masses = flat[self.at].astype(np.int64)
        self.places = np.stack(np.unravel_index(self.at, histogram.counts.shape), axis=1).astype(np.float64)
        self.own = self._covariance(self.masses)
        masses = np.append(self.masses, histogram.outside * WEIGHT).astype(np.float64)
        self.shares = masses / masses.sum()

    @property
    def n(self) -> int:
        return self.histogram.n

    def draw(self, size: int, rng: np.random.Generator) -> Side:
        return self._side(rng.multinomial(size, self.shares), size)

    def parts(self, first: int, second: int, rng: np.random.Generator) -> tuple[Side, Side]:
        whole = self._whole_points(rng)
        one = rng.multivariate_hypergeometric(whole, first, method="marginals")
        rest = whole - one
        two = rest if rest.sum() == second else rng.multivariate_hypergeometric(rest, second, method="marginals")
        return self._side(one, first), self._side(two, second)

    def _whole_points(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Each point whole in one of its cells, so that all are n again: rounded along the running sum."""
        sums = np.cumsum(self.masses) + int(rng.integers(0, WEIGHT))
        return np.append(np.diff(sums // WEIGHT, prepend=0), self.histogram.outside)

    def _side(self, drawn: NDArray[np.int64], size: int) -> Side:
        counts = np.zeros(self.histogram.counts.size, np.int64)
        counts[self.at] = drawn[:-1] * WEIGHT
        histogram = self.histogram.like(counts.reshape(self.histogram.counts.shape), size, int(drawn[-1]))
        change = self._covariance(drawn[:-1]) - self.own
        back = np.linalg.inv(self.frame.matrix)
        cov = self.stats.cov + back @ change @ back.T
        return histogram, replace(self.stats, n=size, cov=cov, sample=np.empty((0, 2)))

    def _covariance(self, masses: NDArray[np.int64]) -> Floats:
        """Of the points on the grid, in the coordinates of the frame; 0 where there are none."""
        total = float(masses.sum())
        if total == 0.0:
            return np.zeros((2, 2))
        steps = (self.places - masses @ self.places / total) * self.frame.step
        return np.asarray((steps * masses[:, None]).T @ steps / total)


# --- drawing -------------------------------------------------------------------------------------------


def redrawn(
    real: Law, synthetic: Law, frame: Frame, settings: Settings, *, repeats: int, seed: int, scores: Sequence[str]
) -> Values:
    """Scores (repeats,) with both sides drawn again. Draw r of the real side depends on seed, r and n alone."""
    found = []
    for r in range(repeats):
        sides = [law.draw(law.n, np.random.default_rng([seed, r, side])) for side, law in enumerate((real, synthetic))]
        found.append(_graded(sides[0], sides[1], frame, settings, scores))
    return _columns(found, scores)


def ceilings(
    real: Law,
    m: int,
    frame: Frame,
    settings: Settings,
    *,
    repeats: int,
    seed: int,
    scores: Sequence[str],
    carry: bool = True,
) -> Values:
    """Scores (repeats,) of the real side against itself at its own size n and m."""
    n = real.n
    first, second = part_sizes(n, m)
    whole, part = _levelled(real, frame, n, m), _levelled(real, frame, first, second)
    found = []
    for r in range(repeats):
        rng = np.random.default_rng([seed, r, 2])
        halves = min(first, second) >= _FEWEST
        total = np.zeros(len(scores))
        if halves:
            total += _array(_graded(*real.parts(first, second, rng), part, settings, scores), scores)
        if carry or not halves:
            total += _array(_graded(real.draw(n, rng), real.draw(m, rng), whole, settings, scores), scores)
        if carry and halves:
            total -= _array(_graded(real.draw(first, rng), real.draw(second, rng), part, settings, scores), scores)
        found.append(dict(zip(scores, total, strict=True)))
    return _columns(found, scores)


def part_sizes(n: int, m: int) -> tuple[int, int]:
    """Two parts of n in the proportion n to m, at most 4 to 1 either way."""
    share = 1.0 / (1.0 + min(max(m / n, 1.0 / _STEEPEST), _STEEPEST))
    first = round(share * n)
    return first, min(n - first, max(1, round(share * m)))


def _levelled(real: Law, frame: Frame, n: int, m: int) -> Frame:
    """The frame with the shared kernel of two sets that are both real."""
    stats = real.stats if isinstance(real, Cells) else side_stats(real.points) if isinstance(real, Points) else None
    variances = frame.shared[0] if stats is None else frame.variances(stats)
    return replace(frame, shared=(variances, min(n, m)))


def _graded(
    real: Side, synthetic: Side, frame: Frame, settings: Settings, scores: Sequence[str]
) -> Mapping[str, float]:
    """The wanted scores of two sides on one grid."""
    (h, a), (g, b) = real, synthetic
    if min(h.n - h.outside, g.n - g.outside) < 2 or min(a.cov.diagonal().min(), b.cov.diagonal().min()) <= 0.0:
        return {}
    if set(scores) <= _QUICK:
        values = {"correlation_score": correlation_score(a, b, settings)} if "correlation_score" in scores else {}
        if "eden_score" in scores:
            values["eden_score"] = eden(densities(h, frame, a, settings), densities(g, frame, b, settings))[0]
        return values
    outcome: PairOutcome = grade_histograms(h, g, frame, a, b, settings)
    return outcome.values


def _array(values: Mapping[str, float], scores: Sequence[str]) -> Floats:
    return np.array([values.get(key, np.nan) for key in scores])


def _columns(found: Sequence[Mapping[str, float]], scores: Sequence[str]) -> Values:
    table = np.array([_array(one, scores) for one in found]).reshape(len(found), len(scores))
    return dict(zip(scores, table.T, strict=True))
