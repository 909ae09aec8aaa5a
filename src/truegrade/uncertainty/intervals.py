"""The interval of every score, by the way its metric allows, and the trace that comparisons are made from.

1. Sums over pairs (`Outcome.pairs`): their linear part, corrected for the second-order part.
2. An expansion (`Outcome.expand`) or `Outcome.influence`: what every sample adds to the value.
3. Sets drawn again (`Outcome.redrawn`): the spread of their scores, about the value.
4. A standard error of the value itself (`Outcome.standard_error`).
5. Everything else: sub-samples; functions of per-sample means (`Outcome.means`) fall back on the bootstrap where
   sub-samples would be too small, and shares near 0 or 1 get their binomial bounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truegrade.density.spread import between
from truegrade.grading import Run
from truegrade.metrics.base import Means, Metric, Outcome, Redrawn
from truegrade.result import Interval, Trace
from truegrade.samples import Samples
from truegrade.uncertainty import linear
from truegrade.uncertainty.analytic import analytic_interval
from truegrade.uncertainty.bootstrap import binomial_bounds, bootstrap_intervals
from truegrade.uncertainty.halves import Spread, interval_of, spreads, unclipped

_FEW = 5  # of the rarer kind among zeros and ones, up to which a share's binomial bounds are looked at
Limits = tuple[float, float]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Uncertainty:
    """What is known of one score's error; a string in the place of the interval says why there is none."""

    interval: Interval | str | None = None
    trace: Trace | None = None


def spread_of(
    metrics: Mapping[str, Metric],
    outcomes: Mapping[str, Outcome],
    sides: Mapping[str, Samples],
    *,
    seed: int,
    run: Run,
) -> dict[str, Uncertainty]:
    """Interval and trace of every metric that has a value.

    Args:
        metrics, outcomes: by key, the metrics and what they came to on `sides`.
        run: how the engine works; a cache would only fill up with parts of samples, so give none.
    """
    known = {key: outcomes[key] for key in metrics if outcomes[key].value is not None}
    out: dict[str, Uncertainty] = {}
    for key, outcome in known.items():
        found = _from_linear_part(metrics[key], outcome, sides, seed)
        if found is not None:
            out[key] = found
    drawn = spreads({key: metrics[key] for key in known.keys() - out.keys()}, sides, seed=seed, run=run)
    intervals = _from_sub_samples(metrics, known, drawn, seed)
    for key, spread in drawn.items():
        error = None if known[key].means is not None else known[key].standard_error
        out[key] = Uncertainty(intervals[key], _trace(spread, error, sides["real"], seed))
    return {key: out[key] for key in known}


def _from_linear_part(
    metric: Metric, outcome: Outcome, sides: Mapping[str, Samples], seed: int
) -> Uncertainty | None:
    """By pair sums, by an expansion or by an influence; None where there is none of them."""
    limits, value = metric.info.range, outcome.value or 0.0
    if min(sides["real"].n, sides["synthetic"].n) < 4:  # a variance of variances
        return None
    if outcome.pairs is not None:
        found = linear.of_pairs(outcome.pairs, sides, seed)
        slope = linear.slope_of(outcome.pairs, found.curved.error)
        interval = linear.interval_of_pairs(outcome.pairs, found.curved, limits)
        return _checked(interval, found.trace(sides["real"], seed, slope), value)
    if outcome.expand is not None:
        found = linear.of_expansion(value, outcome.expand(), sides)
        interval = linear.interval_of_expansion(value, found.curved, limits)
        return _checked(interval, found.trace(sides["real"], seed), value)
    if isinstance(outcome.influence, str):
        return Uncertainty(outcome.influence)
    if outcome.influence is not None:
        found = linear.of_influence(outcome.influence)
        interval = linear.interval_of_expansion(value, found.curved, limits)
        return _checked(interval, found.trace(sides["real"], seed), value)
    if outcome.redrawn is not None and outcome.redrawn.values is not None:
        return redrawn_interval(outcome.redrawn.values(seed), value, limits, _basis(outcome.redrawn, sides, seed))
    return None


def redrawn_interval(drawn: Floats, value: float, limits: Limits, basis: str, level: float = 0.95) -> Uncertainty:
    """value +- t times the standard deviation of the replicates, clipped to the range.

    Their mean is left out: a set drawn from a sample is rougher than the sample, so that all of them lie on one side.
    """
    known = drawn[np.isfinite(drawn)]
    if len(known) < 0.9 * len(drawn) or len(known) < 3:
        return Uncertainty(f"the value is undefined in {len(drawn) - len(known)} of {len(drawn)} sets drawn again")
    low, high = between(value, known, limits, level)
    trace = Trace(drawn - known.mean() + value, 1.0, basis, freedom=len(known) - 1)
    return Uncertainty(Interval(low, high, level, "sets drawn again"), trace)


def _basis(redrawn: Redrawn, sides: Mapping[str, Samples], seed: int) -> str:
    """What fixes the real rows of each replicate; where they are not the same for other models, also this one."""
    own = "" if redrawn.rows else f", not shared with others than {sides['synthetic'].fingerprint}"
    return f"rows of the real samples {sides['real'].fingerprint} drawn again, seed {seed}{own}"


def _checked(interval: Interval, trace: Trace, value: float) -> Uncertainty:
    """With the value inside (rounding of a root may put it outside); no interval if a bound is no number."""
    if not np.isfinite([interval.low, interval.high, trace.error]).all():
        return Uncertainty("the standard error is not finite")
    low, high = min(interval.low, value), max(interval.high, value)
    return Uncertainty(Interval(low, high, interval.level, interval.method), trace)


def _from_sub_samples(
    metrics: Mapping[str, Metric], outcomes: Mapping[str, Outcome], drawn: Mapping[str, Spread | str], seed: int
) -> dict[str, Interval | str]:
    ranges = {key: metrics[key].info.range for key in drawn}
    out: dict[str, Interval | str] = {}
    resampled: dict[str, Means] = {}
    for key, spread in drawn.items():
        outcome, error = outcomes[key], outcomes[key].standard_error
        if outcome.means is not None:
            if isinstance(spread, str) or spread.error == 0.0:
                resampled[key] = outcome.means
            else:
                out[key] = _of_means(outcome.means, spread, unclipped(outcome), ranges[key])
        elif error is not None:
            out[key] = analytic_interval(outcome.value or 0.0, error, ranges[key])
        else:
            out[key] = interval_of(spread, unclipped(outcome), ranges[key])
    return out | bootstrap_intervals(resampled, ranges, seed=seed)


def _of_means(means: Means, spread: Spread, centre: float, limits: Limits) -> Interval | str:
    """From sub-samples, widened to the binomial bounds of shares near 0 or 1."""
    found = interval_of(spread, centre, limits)
    if isinstance(found, str):
        return found
    bounds = [float(np.clip(v, *limits)) for v in binomial_bounds(means, (1 - found.level) / 2, _FEW)]
    low, high = min(found.low, *bounds, found.high), max(found.high, *bounds, found.low)
    return Interval(low, high, found.level, found.method)


def _trace(spread: Spread | str, error: float | None, real: Samples, seed: int) -> Trace | None:
    """The values on parts; scaled to the standard error where that is known."""
    if isinstance(spread, str):
        return None
    values = spread.values
    if error is not None and np.isfinite(error) and spread.error > 0:
        values = values * (error / spread.error)
    basis = f"two disjoint parts of {spread.share:g} of the real samples {real.fingerprint}, seed {seed}"
    return Trace(values, spread.scale, basis, freedom=spread.cuts)  # the two values of a cut are one difference
