"""Half-sampling: intervals for values that are neither means of samples nor know their standard error.

Each replicate grades a random half of each side, drawn without replacement (duplicates would break neighbour
distances and covariances). For an estimator with variance s^2 / n a half without replacement deviates from
the full sample by (1 - 1/2) s^2 / (n / 2) = s^2 / n, so the deviations of the replicates around their own
mean have the variance of the full-sample value. Source: Politis, Romano & Wolf, Subsampling, 1999, section 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit
from threadpoolctl import threadpool_limits

from truegrade.engine.needs import Answers, Floats, Moments, MomentsAnswer, Need, Part, Side
from truegrade.errors import InputError
from truegrade.grading import Run, grade
from truegrade.metrics.base import Metric
from truegrade.result import Interval
from truegrade.samples import Samples

REPLICATES = 20
BUDGET = 1.5e11  # multiply-adds per metric: a few seconds on two cores
_GROUPS = 20
_SMALL = 512  # features up to which a second BLAS thread costs more than it brings


def half_intervals(
    metrics: Mapping[str, Metric],
    values: Mapping[str, float],
    sides: Mapping[str, Samples],
    *,
    seed: int,
    run: Run,
    level: float = 0.95,
    replicates: int = REPLICATES,
    budget: float = BUDGET,
) -> dict[str, Interval | str]:
    """value +- t * sd of the half-sample values, clipped to the range; a string says why there is none.

    Args:
        metrics, values: by key, the metrics and their values on the full samples.
        sides: "real", "synthetic" and perhaps "holdout".
        run: how the engine works; a cache would only fill up with half samples, so give none.
        budget: the most multiply-adds that one metric may take; a metric that needs more is skipped.
    """
    out: dict[str, Interval | str] = {}
    slow: dict[str, Metric] = {}
    for key, metric in metrics.items():
        merged = _can_merge(metric, sides)
        cost = _merged_cost(metric, sides, replicates) if merged else replicates * _cost(metric, sides)
        if reason := _too_small(metric, sides):
            out[key] = reason
        elif cost > budget:
            out[key] = (
                f"half-sampling would take {cost:.1e} multiply-adds, more than the limit of {budget:.1e}"
            )
        elif merged:
            used = {side: sides[side] for side in _sides(metric) if isinstance(side, str)}
            with threadpool_limits(1 if sides["real"].d <= _SMALL else None, "blas"):
                drawn = [_value(metric, a) for a in _merged_answers(used, seed, replicates)]
            out[key] = _interval(metric, values[key], drawn, level)
        else:
            slow[key] = metric
    found = _resweep(slow, sides, seed, run, replicates) if slow else {}
    return out | {key: _interval(slow[key], values[key], drawn, level) for key, drawn in found.items()}


def _resweep(
    metrics: Mapping[str, Metric], sides: Mapping[str, Samples], seed: int, run: Run, replicates: int
) -> dict[str, list[float]]:
    """Values on the half samples, the needs of all metrics answered together; NaN where undefined."""
    drawn: dict[str, list[float]] = {key: [] for key in metrics}
    for replicate in range(replicates):
        halves = {
            side: samples.subset(_half(samples.n, seed, replicate, side)) for side, samples in sides.items()
        }
        for key, graded in grade(metrics, halves, run).items():
            drawn[key].append(np.nan if graded.outcome.value is None else float(graded.outcome.value))
    return drawn


def _half(n: int, seed: int, replicate: int, side: str) -> NDArray[np.intp]:
    rng = np.random.default_rng([seed, replicate, *side.encode()])
    return np.sort(rng.permutation(n)[: n // 2]).astype(np.intp)


def _value(metric: Metric, answers: Answers) -> float:
    try:
        value = metric.compute(answers).value
    except (InputError, ArithmeticError, np.linalg.LinAlgError):
        return np.nan
    return np.nan if value is None else float(value)


def _interval(metric: Metric, value: float, drawn: list[float], level: float) -> Interval | str:
    finite = np.array([v for v in drawn if np.isfinite(v)])
    if len(finite) < 0.9 * len(drawn):
        return f"the value is undefined in {len(drawn) - len(finite)} of {len(drawn)} half samples"
    reach = float(stdtrit(len(finite) - 1, (1 + level) / 2)) * float(finite.std(ddof=1))
    low, high = (float(np.clip(v, *metric.info.range)) for v in (value - reach, value + reach))
    return Interval(low, high, level, "half-sampling")


def _too_small(metric: Metric, sides: Mapping[str, Samples]) -> str | None:
    n, m = sides["real"].n // 2, sides["synthetic"].n // 2
    try:
        if min(n, m) < 10:
            raise InputError(f"half samples of {n} real and {m} synthetic samples are too small")
        metric.check_sizes(n, m)
    except InputError as error:
        return f"half-sampling is not possible: {error}"
    return None


# --- cost ----------------------------------------------------------------------------------------------


def _cost(metric: Metric, sides: Mapping[str, Samples]) -> float:
    """Multiply-adds of one half-sample replicate, roughly: one distance per pair and need."""
    d = sides["real"].d
    return sum(_need_cost(need, sides, d) for need in metric.needs())


def _need_cost(need: Need, sides: Mapping[str, Samples], d: int) -> float:
    sizes = [_size(side, sides) / 2 for side in need.sides()]
    if isinstance(need, Moments):
        return sizes[0] * d * d + 4.0 * d * d * min(sizes[0], d)
    return max(sizes) * min(sizes) * d


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
            values[Moments(side)] = parts.merged(_half(_GROUPS, seed, replicate, side))
        sizes = {side: values[Moments(side)].n for side in groups}
        yield Answers(values, sizes, next(iter(sides.values())).d)
