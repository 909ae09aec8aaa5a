"""Sub-sampling: the spread of a value over random parts of each side, drawn without replacement.

For what is neither a mean of independent samples nor knows its standard error. Duplicates would break neighbour
distances and covariances, so nothing is drawn twice. For an estimator with variance s^2 / n the part of size f n
deviates from the full sample by (1 - f) s^2 / (f n), so the standard deviation of the replicates around their own
mean times sqrt(f / (1 - f)) is the standard error of the full-sample value. f is one half unless that is too
costly. Source: Politis, Romano & Wolf, Subsampling, 1999, section 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit
from threadpoolctl import threadpool_limits

from truegrade.engine.needs import Answers, Floats, Moments, MomentsAnswer, Need, Part, Side
from truegrade.errors import InputError
from truegrade.grading import Run, grade
from truegrade.metrics.base import Metric, Outcome
from truegrade.result import Interval
from truegrade.samples import Samples

REPLICATES = 20
BUDGET = 1.5e11  # multiply-adds per metric with moments: a few seconds on two cores
SWEEP_BUDGET = 8e9  # the same for one metric's sweeps, which others share
_OVERHEAD = 100  # features that reading off one distance costs as much as
_GROUPS = 20
_SMALL = 512  # features up to which a second BLAS thread costs more than it brings
_FEWEST = 10  # samples on a side
_SMALLEST_PART = 1 / 512


@dataclass(frozen=True)
class Spread:
    """Values on sub-samples, each a part `share` of both sides; those that are undefined are left out of `finite`."""

    drawn: Floats
    share: float

    @property
    def finite(self) -> Floats:
        """The values that are defined."""
        return np.asarray(self.drawn[np.isfinite(self.drawn)])

    @property
    def scale(self) -> float:
        """What turns the standard deviation of the values into the standard error of the full-sample value."""
        return float((self.share / (1 - self.share)) ** 0.5)

    @property
    def error(self) -> float:
        """Standard error of the value on the full samples."""
        return float(self.finite.std(ddof=1)) * self.scale

    @property
    def replicates(self) -> int:
        """How many values there are."""
        return len(self.finite)

    def reach(self, level: float) -> float:
        """Half the width of the interval: t quantile times standard error."""
        return float(stdtrit(self.replicates - 1, (1 + level) / 2)) * self.error


def half_intervals(
    metrics: Mapping[str, Metric],
    values: Mapping[str, float],
    sides: Mapping[str, Samples],
    *,
    seed: int,
    run: Run,
    level: float = 0.95,
    **options: Any,
) -> dict[str, Interval | str]:
    """value +- t * standard error, clipped to the range; a string says why there is none.

    Args:
        metrics, values: by key, the metrics and their values on the full samples.
        sides, run and the other options: as for `spreads`.
    """
    found = spreads(metrics, sides, seed=seed, run=run, **options)
    return {key: interval_of(s, values[key], metrics[key].info.range, level) for key, s in found.items()}


def interval_of(spread: Spread | str, value: float, limits: tuple[float, float], level: float = 0.95) -> Interval | str:
    """value +- t * standard error, clipped to the range; the reason where there is no spread."""
    if isinstance(spread, str):
        return spread
    reach = spread.reach(level)
    low, high = (float(np.clip(v, *limits)) for v in (value - reach, value + reach))
    return Interval(low, high, level, "half-sampling")


def widened(
    interval: Interval | str, centre: float, spread: Spread | str, limits: tuple[float, float]
) -> Interval | str:
    """A bootstrap interval, widened to centre +- t * standard error of the sub-samples.

    The per-sample bootstrap takes the contributions as independent and the balls as given. They are not: each
    sample of either side also moves its neighbours' balls, and the other side was drawn at random too. Where
    that matters more, the spread of the sub-samples, which contains all of it, decides.
    """
    if isinstance(interval, str) or isinstance(spread, str):
        return interval
    reach = spread.reach(interval.level)
    low, high = min(interval.low, centre - reach), max(interval.high, centre + reach)
    low, high = (float(np.clip(v, *limits)) for v in (low, high))
    return Interval(low, high, interval.level, "per-sample bootstrap, widened by sub-sampling")


def spreads(
    metrics: Mapping[str, Metric],
    sides: Mapping[str, Samples],
    *,
    seed: int,
    run: Run,
    replicates: int = REPLICATES,
    budget: float | None = None,
) -> dict[str, Spread | str]:
    """The standard error of each metric's value (before clipping); a string says why there is none.

    Args:
        sides: "real", "synthetic" and perhaps "holdout".
        run: how the engine works; a cache would only fill up with parts of samples, so give none.
        budget: the most multiply-adds that one metric may take.
    """
    out: dict[str, Spread | str] = {}
    slow: dict[float, dict[str, Metric]] = {}
    for key, metric in metrics.items():
        share = _share(metric, sides, replicates, budget)
        if isinstance(share, str):
            out[key] = share
        elif _can_merge(metric, sides):
            used = {side: sides[side] for side in _sides(metric) if isinstance(side, str)}
            with threadpool_limits(1 if sides["real"].d <= _SMALL else None, "blas"):
                drawn = [_value(metric, a) for a in _merged_answers(used, seed, replicates)]
            out[key] = _spread(drawn, share)
        else:
            slow.setdefault(share, {})[key] = metric
    for share, group in slow.items():
        found = _resweep(group, sides, seed, run, replicates, share)
        out |= {key: _spread(drawn, share) for key, drawn in found.items()}
    return out


def _resweep(
    metrics: Mapping[str, Metric],
    sides: Mapping[str, Samples],
    seed: int,
    run: Run,
    replicates: int,
    share: float,
) -> dict[str, list[float]]:
    """Values on the parts, the needs of all metrics answered together; NaN where undefined."""
    drawn: dict[str, list[float]] = {key: [] for key in metrics}
    for replicate in range(replicates):
        parts = {side: s.subset(_part(s.n, seed, replicate, side, share)) for side, s in sides.items()}
        for key, graded in grade(metrics, parts, run).items():
            drawn[key].append(unclipped(graded.outcome))
    return drawn


def _part(n: int, seed: int, replicate: int, side: str, share: float = 0.5) -> NDArray[np.intp]:
    rng = np.random.default_rng([seed, replicate, *side.encode()])
    return np.sort(rng.permutation(n)[: int(n * share)]).astype(np.intp)


def unclipped(outcome: Outcome) -> float:
    """The raw value where there is one: clipping would hide the spread. NaN without a value."""
    if outcome.value is None:
        return np.nan
    return float(outcome.value if outcome.raw is None else outcome.raw)


def _value(metric: Metric, answers: Answers) -> float:
    try:
        return unclipped(metric.compute(answers))
    except (InputError, ArithmeticError, np.linalg.LinAlgError):
        return np.nan


def _spread(drawn: list[float], share: float) -> Spread | str:
    found = Spread(np.array(drawn), share)
    if found.replicates < 0.9 * len(drawn):
        return f"the value is undefined in {len(drawn) - found.replicates} of {len(drawn)} sub-samples"
    return found


def _share(metric: Metric, sides: Mapping[str, Samples], replicates: int, budget: float | None) -> float | str:
    """The part of each side that is drawn, one half or less; a string says why sub-sampling is not possible."""
    moments = any(isinstance(need, Moments) for need in metric.needs())
    most = (BUDGET if moments else SWEEP_BUDGET) if budget is None else budget
    share = 0.5
    while share >= _SMALLEST_PART:
        if reason := _too_small(metric, sides, share):
            return f"half-sampling is not possible: {reason}"
        merged = _can_merge(metric, sides)
        cost = _merged_cost(metric, sides, replicates) if merged else replicates * _cost(metric, sides, share)
        if cost <= most:
            return share
        if moments:  # in small parts the covariance would be another
            break
        share /= 2
    return f"sub-sampling would take {cost:.1e} multiply-adds, more than the limit of {most:.1e}"


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


def _merged_cost(metric: Metric, sides: Mapping[str, Samples], replicates: int) -> float:
    d = sides["real"].d
    return sum(_size(side, sides) for side in _sides(metric)) * d * d + replicates * 4.0 * d**3


def _sides(metric: Metric) -> list[Side]:
    return list(dict.fromkeys(side for need in metric.needs() for side in need.sides()))


# --- moments: half samples merged from random groups, so that the data are read once ----------------------


def _can_merge(metric: Metric, sides: Mapping[str, Samples]) -> bool:
    if not all(isinstance(need, Moments) and isinstance(need.side, str) for need in metric.needs()):
        return False
    return all(_size(side, sides) > max(2 * sides["real"].d + 2, 10 * _GROUPS) for side in _sides(metric))


class _Groups:
    """First and second moments of random groups of one side, about a common centre."""

    def __init__(self, samples: Samples, seed: int, side: str) -> None:
        rng = np.random.default_rng([seed, *side.encode()])
        group = rng.permutation(np.arange(samples.n) % _GROUPS)
        d = samples.d
        self.size = np.bincount(group, minlength=_GROUPS)
        self.centre: Floats = sum(b.sum(0, dtype=np.float64) for b in samples.blocks()) / samples.n
        self.sums, self.squares = np.zeros((_GROUPS, d)), np.zeros((_GROUPS, d, d))
        start = 0
        for block in samples.blocks(16384):
            rows = block.astype(np.float64) - self.centre
            for g in range(_GROUPS):
                part = rows[group[start : start + len(rows)] == g]
                self.sums[g] += part.sum(0)
                self.squares[g] += part.T @ part
            start += len(rows)

    def merged(self, chosen: NDArray[np.intp]) -> MomentsAnswer:
        n, total = int(self.size[chosen].sum()), self.sums[chosen].sum(0)
        covariance = np.asarray(self.squares[chosen].sum(0))
        covariance -= np.outer(total, total / n)
        return MomentsAnswer(self.centre + total / n, covariance / (n - 1), n)


def _merged_answers(sides: Mapping[str, Samples], seed: int, replicates: int) -> Iterator[Answers]:
    """Answers for half samples; every replicate takes half of the groups of each side."""
    groups = {side: _Groups(samples, seed, side) for side, samples in sides.items()}
    for replicate in range(replicates):
        values: dict[Need, Any] = {}
        for side, parts in groups.items():
            values[Moments(side)] = parts.merged(_part(_GROUPS, seed, replicate, side))
        sizes = {side: values[Moments(side)].n for side in groups}
        yield Answers(values, sizes, next(iter(sides.values())).d)
