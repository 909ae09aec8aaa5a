"""Orders of axes: from any that is named to (recordings, leads, samples); what unnamed ones look like."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError

MOST_LEADS = 32
_KNOWN = (1, 2, 3, 6, 8, 12, 15)  # usual numbers of leads


def in_order(array: NDArray[Any], axes: str | None, leads: int | None, name: str) -> NDArray[Any]:
    """A view (recordings, leads, samples) of an array.

    axes: what its axes are, of the letters N, L and T (the last is needed), such as "NTL"; None to go by the sizes:
    only (N, L, T) is then accepted. leads: how many leads were named, None where none were. Raises InputError for
    other orders and says which.
    """
    if axes is not None:
        return _by_letters(array, axes, name)
    likely = likely_axes(array.shape, leads)
    if likely != ("NLT",):
        raise InputError(_refusal(array.shape, likely, name))
    return array


def likely_axes(shape: tuple[int, ...], leads: int | None = None) -> tuple[str, ...]:
    """The orders of axes that an array of this shape may have, the likeliest first; none where nothing fits."""
    if len(shape) == 1:
        return ("T",)
    if len(shape) == 2:
        return _of_two(shape, leads)
    if len(shape) != 3:
        return ()
    first, second, third = shape
    if leads is not None and leads in (second, third) and second != third:
        return ("NLT",) if second == leads else ("NTL",)
    if second <= MOST_LEADS and second <= third:
        return ("NLT",)
    if third <= MOST_LEADS:
        return ("NTL",) if second > MOST_LEADS or third in _KNOWN else ("NTL", "NLT")
    return ("LNT",) if first <= MOST_LEADS else ()


def _of_two(shape: tuple[int, ...], leads: int | None) -> tuple[str, ...]:
    first, second = shape
    if leads is not None and leads > 1 and leads in shape:
        return ("LT",) if first == leads else ("TL",)
    if first <= MOST_LEADS < second:
        return ("LT", "NT") if first in _KNOWN and leads != 1 else ("NT", "LT")
    return ("TL",) if second <= MOST_LEADS < first else ("NT",)


def turned(axes: str) -> str:
    """The numpy expression on x that makes axes in this order (N, L, T)."""
    have = [axes.index(letter) for letter in "NLT" if letter in axes]
    text = "x" if have == sorted(have) else f"x.transpose({', '.join(map(str, have))})"
    inserted = ", ".join(":" if letter in axes else "None" for letter in "NLT")
    return text if len(axes) == 3 else f"{text}[{inserted.removesuffix(', :').removesuffix(', :')}]"


def _by_letters(array: NDArray[Any], axes: str, name: str) -> NDArray[Any]:
    letters = axes.upper() if isinstance(axes, str) else ""
    if not letters or set(letters) - set("NLT") or len(set(letters)) != len(letters) or "T" not in letters:
        raise InputError(
            f"axes={axes!r} given for {name}; the letters N (recordings), L (leads) and T (samples) in the order of "
            "the array are accepted, such as 'NTL'."
        )
    if len(letters) != array.ndim:
        raise InputError(f"axes={axes!r} given for {name}, which has the shape {array.shape}: one letter an axis.")
    array = array.transpose([letters.index(letter) for letter in "NLT" if letter in letters])
    missing = tuple(at for at, letter in enumerate("NLT") if letter not in letters)
    return np.expand_dims(array, missing)


_WORDS = {
    "NTL": "recordings with samples before leads",
    "LNT": "leads before recordings",
    "TL": "one recording with samples before leads",
    "LT": "one recording",
    "NT": "recordings of one lead",
    "T": "one recording of one lead",
}


def _refusal(shape: tuple[int, ...], likely: tuple[str, ...], name: str) -> str:
    text = f"{name} has the shape {shape}; (recordings, leads, samples) is accepted."
    if not likely:
        squeezed = tuple(size for size in shape if size > 1)
        if len(shape) > 3 and len(squeezed) <= 3:
            return f"{text} Axes of size 1 go with x.squeeze(), which leaves {squeezed}."
        return f"{text} No axis has {MOST_LEADS} sizes or fewer; of so many leads name the order: axes='NLT'."
    ways = [f"{_WORDS[axes]}: give {turned(axes)}, or axes={axes!r}" for axes in likely if axes != "NLT"]
    if "NLT" in likely:
        ways.append("(recordings, leads, samples) all the same: say axes='NLT'")
    return f"{text} This looks like {'; or '.join(ways)}."
