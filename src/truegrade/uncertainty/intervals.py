"""The interval of every score, by the way its metric allows, and the trace that comparisons are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from truegrade.grading import Run
from truegrade.metrics.base import Metric, Outcome
from truegrade.result import Interval, Trace
from truegrade.samples import Samples
from truegrade.uncertainty.analytic import analytic_interval
from truegrade.uncertainty.bootstrap import bootstrap_intervals
from truegrade.uncertainty.halves import Spread, interval_of, spreads, unclipped, widened


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
    outcomes = {key: outcomes[key] for key in metrics if outcomes[key].value is not None}
    ranges = {key: metrics[key].info.range for key in outcomes}
    known = {key: o.standard_error for key, o in outcomes.items() if o.standard_error is not None}
    means = {key: o.means for key, o in outcomes.items() if o.means is not None}
    found = spreads({key: metrics[key] for key in outcomes}, sides, seed=seed, run=run)
    out: dict[str, Interval | str] = {
        key: analytic_interval(outcomes[key].value or 0.0, error, ranges[key]) for key, error in known.items()
    }
    for key, interval in bootstrap_intervals(means, ranges, seed=seed).items():
        out[key] = widened(interval, unclipped(outcomes[key]), found[key], ranges[key])
    for key in outcomes.keys() - known.keys() - means.keys():
        out[key] = interval_of(found[key], unclipped(outcomes[key]), ranges[key])
    return {key: Uncertainty(out[key], _trace(found[key], sides["real"], seed)) for key in outcomes}


def _trace(spread: Spread | str, real: Samples, seed: int) -> Trace | None:
    if isinstance(spread, str):
        return None
    basis = f"parts of {spread.share:g} of the real samples {real.fingerprint}, seed {seed}"
    return Trace(spread.drawn, spread.scale, basis)
