"""What synthetic recordings without a signal do to a value: they count as the worst, and never make it better."""

from __future__ import annotations

import math

from truegrade.ecg.floors import Value
from truegrade.metrics.base import MetricInfo


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


def counted(info: MetricInfo, flat: Value, rest: Value, share: float) -> Value:
    """The value where a share of the synthetic recordings has no signal.

    flat: with these as the flat lines that they are. rest: without them. The worse of `flat` and of
    (1 - share) rest + share worst, where there is a worst value, else of `flat` and `rest`: flat lines far from all
    others would else be authentic, and their balls would cover real recordings.
    """
    worst = worst_of(info)
    if not isinstance(flat, float):
        return worst if worst is not None and share == 1.0 else flat
    if not isinstance(rest, float):
        return flat if worst is None else worst
    other = rest if worst is None else (1.0 - share) * rest + share * worst
    if info.direction == "target":
        target = info.target
        return flat if target is None else max(flat, other, key=lambda one: abs(one - target))
    return min(flat, other) if info.direction == "higher" else max(flat, other)


def dead(info: MetricInfo, lead: str) -> Value:
    """What a lead that all synthetic recordings lack is in a mean over leads: the worst value, or why there is none."""
    worst = worst_of(info)
    return f"every synthetic recording lacks {lead}, and {info.title} has no worst value" if worst is None else worst
