"""How far cells reach along an axis: over all of both sides, or without their tails where these are long."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from truegrade.density.stats import Floats

MARGIN = 4  # kernel sd beyond the outermost points
_WIDE = 1.5  # times the extent of the quantiles: wider ranges are cut
_TAIL = 0.001
_LOST = 0.5  # times `thresh`: a cut that leaves out more of either side would cut into its lowest annulus

Span = tuple[float, float, bool]


def span(sides: Sequence[Floats], kernels: Sequence[float], tail: float, free: float) -> Span:
    """Low, high and whether `tail` was cut off at either end; extents up to `free` are not cut, nor by a tail of 0."""
    low, high = _ends([(float(x.min()), float(x.max())) for x in sides], kernels)
    if high - low <= free or tail == 0.0:
        return low, high, False
    inner, outer = _ends([np.quantile(x, (tail, 1.0 - tail)) for x in sides], kernels)
    return (inner, outer, True) if high - low > _WIDE * (outer - inner) else (low, high, False)


def tails(thresh: float) -> tuple[float, ...]:
    """What to try to cut off, the most first, until so little is lost as `may_lose` says."""
    return _TAIL, min(_TAIL, thresh / 10), 0.0


def may_lose(share: float, thresh: float) -> bool:
    """The lowest level lies above what the cells leave out, so that has to be well below `thresh`."""
    return share <= _LOST * thresh


def _ends(extents: Iterable[Sequence[float] | Floats], kernels: Sequence[float]) -> tuple[float, float]:
    pairs = zip(extents, kernels, strict=True)
    wider = [(float(low) - MARGIN * k, float(high) + MARGIN * k) for (low, high), k in pairs]
    return min(low for low, _ in wider), max(high for _, high in wider)
