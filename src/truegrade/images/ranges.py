"""Which value is black and which is white: said by the caller, or evident from all values of a set, or refused.

Evident is, with the lowest and the highest value of the whole set:

- uint8 and booleans: 0 to 255, and False to True;
- 0 to 1: floats, none below 0 or above 1, the highest above 0.25, not all of them whole;
- -1 to 1: floats, none beyond, the lowest at most -0.5;
- 0 to 255: floats or integers, none below 0 or above 255, the highest above 64.

A constant set, and everything else, is doubtful.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError

Range = tuple[float, float]
BYTES: Range = (0.0, 255.0)
_SLACK = 1e-6  # of the range's width: rounding of what made the values


@dataclass(frozen=True)
class Extent:
    """Lowest and highest value of a set, whether all are whole numbers, and the first image that is not finite."""

    low: float = math.inf
    high: float = -math.inf
    whole: bool = True
    wild: int | None = None


def extent(frames: Iterable[tuple[int, NDArray[Any]]]) -> Extent:
    """One pass over numbered arrays; values that are not finite do not count."""
    low, high, whole, wild = math.inf, -math.inf, True, None
    for index, values in frames:
        if values.size == 0:
            continue
        least, most = float(values.min()), float(values.max())
        if not (math.isfinite(least) and math.isfinite(most)):
            wild = index if wild is None else wild
            continue
        low, high = min(low, least), max(high, most)
        whole = whole and (values.dtype.kind in "iub" or bool((values == np.floor(values)).all()))
    return Extent(low, high, whole, wild)


def check_range(given: object) -> Range | None:
    """The caller's range as two floats; InputError for anything but two finite numbers, the smaller first."""
    if given is None:
        return None
    try:
        low, high = (float(v) for v in given)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        low = high = math.nan
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError(
            f"value_range={given!r} given; the values of black and white are accepted, such as (0, 1), (0, 255) or "
            "(-1, 1) (--value-range 0,1)."
        )
    return low, high


def evident(found: Extent, integers: bool, who: str) -> Range:
    """The range by the rules of this module; InputError with lowest and highest value where it is doubtful."""
    low, high = found.low, found.high
    if not integers and 0 <= low < high <= 1 and high > 0.25 and not found.whole:
        return 0.0, 1.0
    if not integers and -1 <= low <= -0.5 and low < high <= 1:
        return -1.0, 1.0
    if 0 <= low < high <= 255 and high > 64:
        return BYTES
    hint = "say which values are black and white: value_range=(0, 1), (0, 255) or (-1, 1) (--value-range 0,1)"
    if not math.isfinite(low):
        raise InputError(f"{who} holds no finite values, so its range is not known.")
    if low == high:
        raise InputError(f"{who} has the value {low:g} in every pixel, so its range is not evident; {hint}.")
    if -0.5 < low < 0 or 1 < high < 1.5:
        hint += "; where resizing overshot the range, clip first: values.clip(0, 1)"
    elif low < -1:
        hint += "; where mean and deviation were taken out, undo that first"
    raise InputError(f"{who} has pixel values from {low:g} to {high:g}, which is no evident range; {hint}.")


def scaled(values: NDArray[Any], value_range: Range, who: str) -> NDArray[np.float32]:
    """Values of a range as float32 in 0 to 255, not rounded. InputError for NaN and for values beyond the range."""
    low, high = value_range
    least, most = (float(values.min()), float(values.max())) if values.size else value_range
    slack = _SLACK * (high - low)
    if not (low - slack <= least and most <= high + slack):
        wild = not (math.isfinite(least) and math.isfinite(most))
        what = "values that are not finite" if wild else f"values from {least:g} to {most:g}"
        raise InputError(
            f"{who} has {what}, beyond the range {low:g} to {high:g}; give the range that holds all values "
            "(value_range, --value-range), or clip them first."
        )
    shifted = (np.clip(values.astype(np.float64), low, high) - low) * (255 / (high - low))
    return shifted.astype(np.float32)
