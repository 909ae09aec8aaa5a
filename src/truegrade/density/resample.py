"""How the scores of a pair scatter, and what a perfect generator would get: both by drawing again from what is there.

Intervals: both sides are drawn again (rows, or a multinomial draw of the binned histogram) and graded on the same grid.
A draw from a sample is rougher than the sample, so that all replicates lie too low: only their spread is used, about
the value itself. Where both laws are one a divergence is a sum of squares, and drawing again triples its variance: of
the three scores that are made of divergences that is taken off (`settled`).

Ceilings: the real set against itself at the sizes n and m. Two draws from one sample share its bumps and look too much
alike where the law is flat; two disjoint halves of it do not, but are too small. So halves are graded, and what twice
as many points would change is taken from draws at both sizes: halves + draws(n, m) - draws(half the sizes).

Sources: Efron & Tibshirani 1993, chapter 13; Politis, Romano & Wolf 1999, section 2; simulated in docs/uncertainty.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from truegrade.density.correlations import correlation_score
from truegrade.density.frame import Frame
from truegrade.density.grades import eden, scores_of
from truegrade.density.histogram import Histogram
from truegrade.density.laws import Cells as Cells
from truegrade.density.laws import Law as Law
from truegrade.density.laws import Points as Points
from truegrade.density.laws import Side
from truegrade.density.settings import DEFAULT, SCORES, Settings
from truegrade.density.smoothing import densities
from truegrade.density.spread import between
from truegrade.density.stats import Floats, SideStats

RANGES = {key: (0.5 if key == "js_score" else 0.0, 1.0) for key in SCORES}
_STEEPEST = 4.0  # largest ratio of sizes of two parts of the real set
_FEWEST = 5  # points in a part
_DIVERGENCES = frozenset({"kl_score", "js_score", "cs_score"})
_QUICK = frozenset({"eden_score", "correlation_score"})
Values = Mapping[str, Floats]


@dataclass(frozen=True, eq=False)
class Resampled:
    """Scores by key of sets that were drawn again.

    values: (repeats,) of both sides drawn again, with the spread that intervals are made of; ceilings: (repeats,) of
    real against real at the sizes of the pair. NaN where undefined.
    """

    values: Values
    ceilings: Values

    def error(self, key: str) -> float:
        """Standard error of the score; NaN with fewer than two replicates."""
        return _sd(self.values.get(key))

    def interval(self, key: str, value: float, level: float = 0.95) -> tuple[float, float] | None:
        """value +- t times the standard error, clipped to the score's range; None with fewer than two replicates."""
        found = between(value, self.values.get(key, np.empty(0)), RANGES[key], level)
        return found if np.isfinite(found).all() else None

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
    values = redrawn(*sides, frame, settings, repeats=repeats, seed=seed, scores=wanted)
    found = ceilings(sides[0], sides[1].n, frame, settings, repeats=repeats, seed=seed, scores=wanted, carry=carry)
    return resampled(values, found)


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


@dataclass(frozen=True, eq=False)
class Ceilings:
    """Scores of real against real. values: (repeats,) at the sizes of the pair, without the likeness of two draws from
    one sample; whole: (repeats,) of two such draws, empty where they were not needed."""

    values: Values
    whole: Values


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
) -> Ceilings:
    """The real side against itself at its own size n and m."""
    n = real.n
    first, second = part_sizes(n, m)
    whole, part = _levelled(real, frame, n, m), _levelled(real, frame, first, second)
    found, drawn = [], []
    for r in range(repeats):
        rng = np.random.default_rng([seed, r, 2])
        total, halves = np.zeros(len(scores)), min(first, second) >= _FEWEST
        if halves:
            total += _array(_graded(*real.parts(first, second, rng), part, settings, scores), scores)
        if carry or not halves:
            small, large = zip(real.nested(first, n, rng), real.nested(second, m, rng), strict=True)
            drawn.append(_graded(*large, whole, settings, scores))
            total += _array(drawn[-1], scores)
            if halves:
                total -= _array(_graded(*small, part, settings, scores), scores)
        found.append(dict(zip(scores, total, strict=True)))
    return Ceilings(_columns(found, scores), _columns(drawn, scores))


def resampled(values: Values, found: Ceilings) -> Resampled:
    """Replicates and ceilings together."""
    return Resampled(settled(values, found.whole), found.values)


def settled(values: Values, whole: Values) -> Values:
    """The replicates of divergences about their mean with the variance V - 2 s^2 W, at least W, at most V.

    W: variance of real against real, which is that of the score where both laws are one. There a replicate holds the
    squares of the sample's own error, of the draw's, and both multiplied, 3 W in all on average. s: share of the loss
    1 - score that real against real has too, 1 where the laws are one; where it is small the error is linear, and
    drawing again shows it as it is.
    """
    out = dict(values)
    for key in _DIVERGENCES & values.keys():
        known, null = _known(values[key]), _known(whole.get(key))
        if len(known) > 2 and len(null) > 2 and (full := float(known.var(ddof=1))) > 0.0:
            own, loss = 1.0 - float(null.mean()), 1.0 - float(known.mean())  # the loss holds that of the draws too
            share, least = own / max(loss - own, own, 1e-300), float(null.var(ddof=1))
            kept = min(1.0, max(full - 2.0 * share**2 * least, least) / full)
            out[key] = known.mean() + (values[key] - known.mean()) * kept**0.5
    return out


def part_sizes(n: int, m: int) -> tuple[int, int]:
    """Two parts of n in the proportion n to m, at most 4 to 1 either way."""
    share = 1.0 / (1.0 + min(max(m / n, 1.0 / _STEEPEST), _STEEPEST))
    first = round(share * n)
    return first, min(n - first, max(1, round(share * m)))


def _levelled(real: Law, frame: Frame, n: int, m: int) -> Frame:
    """The frame with the shared kernel of two sets that are both real."""
    return replace(frame, shared=(frame.variances(real.stats), min(n, m)))


def _graded(
    real: Side, synthetic: Side, frame: Frame, settings: Settings, scores: Sequence[str]
) -> Mapping[str, float]:
    """The wanted scores of two sides on one grid."""
    (h, a), (g, b) = real, synthetic
    if min(h.n - h.outside, g.n - g.outside) < 2 or min(a.cov[0, 0], a.cov[1, 1], b.cov[0, 0], b.cov[1, 1]) <= 0.0:
        return {}
    both = densities(h, frame, a, settings), densities(g, frame, b, settings)
    if set(scores) <= _QUICK:
        return {"correlation_score": correlation_score(a, b, settings), "eden_score": eden(*both)[0]}
    return scores_of(both, (h, g), (a, b), settings, rough=True)[0]


def _array(values: Mapping[str, float], scores: Sequence[str]) -> Floats:
    return np.array([values.get(key, np.nan) for key in scores])


def _columns(found: Sequence[Mapping[str, float]], scores: Sequence[str]) -> Values:
    table = np.array([_array(one, scores) for one in found]).reshape(len(found), len(scores))
    return dict(zip(scores, table.T, strict=True))
