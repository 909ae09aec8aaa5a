"""Sub-sampling: the spread of a value over random parts of each side, drawn without replacement.

For what is neither linear in its samples nor knows its standard error. Duplicates would break neighbour distances
and covariances, so nothing is drawn twice. Ten times both sides are cut at random and the value is taken on two parts
that share no sample. For an estimator with variance V at the full size the two values, at the share f of it, are
independent with variance V / f each, so f / 2 times their mean squared difference estimates V. The means of the two
values of a cut say something too: parts of different cuts share samples, so what they differ by beyond f / (1 - f)
is what re-forming neighbourhoods adds, and taking it as if it were sampling error bounds V from above. The two
estimates are averaged: simulated coverage is then near 97 % and nowhere far below 95 % (docs/uncertainty.md).
f is one half unless that is too costly; covariances, whose value depends on f, get fewer cuts instead, at least three.
Source: Politis, Romano & Wolf, Subsampling, 1999, section 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from truegrade.engine.needs import Floats, Moments, Need, Part, Side
from truegrade.errors import InputError
from truegrade.grading import Run, grade
from truegrade.metrics.base import Metric, Outcome
from truegrade.result import Interval
from truegrade.samples import Samples

CUTS = 10
METHOD = "sub-sampling"
BUDGET = 1.5e11  # multiply-adds per metric with moments: a few seconds on two cores
WIDEST_BUDGET = 6e11  # and rather than none at all, with fewer cuts: half a minute
SWEEP_BUDGET = 8e9  # the same for one metric's sweeps, which others share
_OVERHEAD = 100  # features that reading off one distance costs as much as
_FEWEST = 10  # samples on a side
_FEWEST_CUTS = 3
_SMALLEST_PART = 1 / 512


@dataclass(frozen=True)
class Spread:
    """Values on parts of both sides, shape (cuts, 2): two parts of a cut share no sample. `share` of each side."""

    drawn: Floats
    share: float

    @property
    def values(self) -> Floats:
        """The values with the cuts' means drawn together, so that sd(values) * scale is the error; NaN if undefined."""
        means = self.drawn.mean(1, keepdims=True)
        centre = np.nanmean(means) if np.isfinite(means).any() else np.nan
        between = (3.0 - 2.0 * self.share) ** -0.5
        return np.asarray((centre + (means - centre) * between + (self.drawn - means)).ravel())

    @property
    def scale(self) -> float:
        """What turns the standard deviation of the values into the standard error of the full-sample value."""
        count = 2 * self.cuts
        freedom = (count - 1) / count if count else 1.0  # the two values of a cut are one difference
        return float((freedom * self.share * (1.0 + 0.5 / (1.0 - self.share))) ** 0.5)

    @property
    def cuts(self) -> int:
        """How many cuts have both values."""
        return int(np.isfinite(self.drawn).all(1).sum())

    @property
    def error(self) -> float:
        """Standard error of the value on the full samples."""
        return float(np.nanstd(self.values, ddof=1)) * self.scale

    def reach(self, level: float) -> float:
        """Half the width of the interval: t quantile times standard error."""
        return float(stdtrit(self.cuts, (1 + level) / 2)) * self.error


def interval_of(spread: Spread | str, value: float, limits: tuple[float, float], level: float = 0.95) -> Interval | str:
    """value +- t * standard error, clipped to the range; the reason where there is no spread."""
    if isinstance(spread, str):
        return spread
    reach = spread.reach(level)
    low, high = (float(np.clip(v, *limits)) for v in (value - reach, value + reach))
    return Interval(low, high, level, METHOD)


def spreads(
    metrics: Mapping[str, Metric],
    sides: Mapping[str, Samples],
    *,
    seed: int,
    run: Run,
    cuts: int = CUTS,
    budget: float | None = None,
) -> dict[str, Spread | str]:
    """The standard error of each metric's value (before clipping); a string says why there is none.

    Args:
        sides: "real", "synthetic" and perhaps "holdout".
        run: how the engine works; a cache would only fill up with parts of samples, so give none.
        budget: the most multiply-adds that one metric may take.
    """
    out: dict[str, Spread | str] = {}
    grouped: dict[tuple[float, int], dict[str, Metric]] = {}
    for key, metric in metrics.items():
        parts = _parts(metric, sides, cuts, budget)
        if isinstance(parts, str):
            out[key] = parts
        else:
            grouped.setdefault(parts, {})[key] = metric
    for (share, count), group in grouped.items():
        for key, drawn in _resweep(group, sides, seed, run, count, share).items():
            out[key] = _spread(drawn, share)
    return out


def _resweep(
    metrics: Mapping[str, Metric],
    sides: Mapping[str, Samples],
    seed: int,
    run: Run,
    cuts: int,
    share: float,
) -> dict[str, Floats]:
    """Values on the parts, the needs of all metrics answered together; NaN where undefined."""
    drawn = {key: np.full((cuts, 2), np.nan) for key in metrics}
    for cut in range(cuts):
        for part in (0, 1):
            parts = {side: s.subset(_part(s.n, seed, cut, side, share, part)) for side, s in sides.items()}
            for key, graded in grade(metrics, parts, run).items():
                drawn[key][cut, part] = unclipped(graded.outcome)
    return drawn


def _part(n: int, seed: int, cut: int, side: str, share: float, part: int) -> NDArray[np.intp]:
    """The rows of one of the two parts of a cut."""
    size = int(n * share)
    order = np.random.default_rng([seed, cut, *side.encode()]).permutation(n)
    return np.sort(order[part * size : (part + 1) * size]).astype(np.intp)


def unclipped(outcome: Outcome) -> float:
    """The raw value where there is one: clipping would hide the spread. NaN without a value."""
    if outcome.value is None:
        return np.nan
    return float(outcome.value if outcome.raw is None else outcome.raw)


def _spread(drawn: Floats, share: float) -> Spread | str:
    missing = int((~np.isfinite(drawn)).sum())
    if missing > 0.1 * drawn.size:
        return f"the value is undefined in {missing} of {drawn.size} sub-samples"
    return Spread(drawn, share)


def _parts(
    metric: Metric, sides: Mapping[str, Samples], cuts: int, budget: float | None
) -> tuple[float, int] | str:
    """The part of each side that is drawn, one half or less, and how many cuts; or why sub-sampling is not possible.

    What reads covariances gets fewer cuts where they are costly: in small parts its value would be another.
    """
    moments = any(isinstance(need, Moments) for need in metric.needs())
    most = (BUDGET if moments else SWEEP_BUDGET) if budget is None else budget
    last = WIDEST_BUDGET if moments and budget is None else most
    share = 0.5
    while share >= _SMALLEST_PART:
        if reason := _too_small(metric, sides, share):
            return f"sub-sampling is not possible: {reason}"
        one = 2 * _cost(metric, sides, share)
        cost = cuts * one
        if cost <= most:
            return share, cuts
        if moments:
            count = max(_FEWEST_CUTS, int(most / one))
            if count * one <= last:
                return share, count
            break
        share /= 2
    return f"sub-sampling would take {cost:.1e} multiply-adds, more than the limit of {last:.1e}"


def _too_small(metric: Metric, sides: Mapping[str, Samples], share: float) -> str | None:
    n, m = int(sides["real"].n * share), int(sides["synthetic"].n * share)
    try:
        if min(n, m) < _FEWEST:
            raise InputError(f"parts of {n} real and {m} synthetic samples are too small")
        metric.check_sizes(n, m)
    except InputError as error:
        return str(error)
    return None


# --- cost ----------------------------------------------------------------------------------------------


def _cost(metric: Metric, sides: Mapping[str, Samples], share: float) -> float:
    """Multiply-adds of one replicate, roughly: one distance per pair and need."""
    d = sides["real"].d
    return sum(_need_cost(need, sides, d, share) for need in metric.needs())


def _need_cost(need: Need, sides: Mapping[str, Samples], d: int, share: float) -> float:
    sizes = [_size(side, sides) * share for side in need.sides()]
    if isinstance(need, Moments):
        return sizes[0] * d * d + 4.0 * d * d * min(sizes[0], d)
    return max(sizes) * min(sizes) * (d + _OVERHEAD)


def _size(side: Side, sides: Mapping[str, Samples]) -> int:
    if isinstance(side, Part):
        return min(sides[side.side].n, sides[side.like].n)
    return sides[side].n
