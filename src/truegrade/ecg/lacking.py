"""What synthetic recordings without a signal do to a value: they count as the worst there is."""

from __future__ import annotations

import math
from dataclasses import replace

from truegrade.ecg.floors import Value
from truegrade.metrics.base import Metric, MetricInfo

MANY = 0.1
"""Share of the synthetic recordings without a signal, beyond that of real ones, above which the others do not speak for
all."""

AROUND = ("recall", "symmetric_recall", "nearest_ball_recall", "nearest_ball_f", "p_recall", "recall_cover")
"""Metrics that a synthetic recording with a large ball around it makes better."""


def worst_of(info: MetricInfo) -> float | None:
    """The worst value a metric can have; None where there is none."""
    low, high = info.range
    if info.direction == "higher":
        return low if math.isfinite(low) else None
    if info.direction == "lower":
        return high if math.isfinite(high) else None
    ends = [one for one in (high, low) if math.isfinite(one)]
    if info.target is None or not ends:
        return None
    return max(ends, key=lambda one: abs(one - (info.target or 0.0)))


def lost(synthetic: tuple[int, int], real: tuple[int, int]) -> str:
    """Why distances that have no worst value are undefined: many more recordings have no signal than real ones.

    synthetic, real: how many have none, and of how many. "" where the share is at most 10 % (of all) larger.
    """
    if synthetic[0] / synthetic[1] <= real[0] / real[1] + MANY:
        return ""
    return (
        f"{synthetic[0]:,} of {synthetic[1]:,} synthetic recordings have no signal and {real[0]:,} of {real[1]:,} real "
        "ones; how far all of them are from real ones cannot be said from the others"
    )


def counted(info: MetricInfo, flat: Value, rest: Value, share: float, why: str = "") -> Value:
    """The value where a share of the synthetic recordings has no signal.

    flat: with these as the flat lines that they are. rest: without them. The worse of both and, where there is a worst
    value, of (1 - share) rest + share worst: flat lines far from all others would else be authentic, and their balls
    would cover real recordings. Of a target both ends of the range are worst values. why: of `lost`, the answer of a
    distance without a worst value, which would be better without recordings that are far off.

    What the lost recordings would have got is not known, so that this is no promise where there is a worst value only
    in theory, or few enough are lost: a generator that loses its worst recordings, up to 10 %, gets the value of the
    others or of flat lines in their place, whichever is worse.
    """
    worst = worst_of(info)
    if worst is None and why and info.direction == "lower" and share < 1.0:
        return why
    if not isinstance(flat, float):
        return worst if worst is not None and share == 1.0 else flat
    if not isinstance(rest, float):
        return flat if worst is None else worst
    ends = info.range if info.direction == "target" else () if worst is None else (worst,)
    values = [flat, rest, *((1.0 - share) * rest + share * end for end in ends if math.isfinite(end))]
    if info.direction == "target":
        target = info.target
        return flat if target is None else max(values, key=lambda one: abs(one - target))
    return min(values) if info.direction == "higher" else max(values)


def with_fewer(metric: Metric, living: float) -> Metric | None:
    """A metric of balls around synthetic recordings with as many fewer neighbours as only the share `living` of these
    has a signal: else the balls would grow. None of other metrics, and where nothing changes."""
    k = metric.parameters().get("k")
    fewer = max(1, int(k * living)) if isinstance(k, int) and metric.info.key in AROUND else k
    return None if fewer == k else replace(metric, k=fewer)  # type: ignore[type-var]


def dead(info: MetricInfo, lead: str) -> Value:
    """What a lead that all synthetic recordings lack is in a mean over leads: the worst value, or why there is none."""
    worst = worst_of(info)
    return f"every synthetic recording lacks {lead}, and {info.title} has no worst value" if worst is None else worst
