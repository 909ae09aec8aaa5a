"""Floors of recordings: every number beside the same of real against real, no patient on both sides."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import TruegradeError
from truegrade.recordings import Recordings
from truegrade.result.ecg import Number
from truegrade.uncertainty.cuts import cut_rows, pick_groups, strangers
from truegrade.uncertainty.floors import SMALLEST

Rows = NDArray[np.intp]
Cuts = tuple[tuple[Rows, Rows], ...]
"""Cuts of the real recordings: which stand for the real side and which for the synthetic one."""

Value = float | str | None
"""A number, None where it is undefined, or why it is undefined."""

NO_FLOOR = f"No floor: real against real would have fewer than {SMALLEST} recordings on a side"


class Sided(Protocol):
    """Recordings, or anything of which rows can be taken."""

    def __len__(self) -> int: ...


Side = TypeVar("Side", bound=Sided)


def real_cuts(real: Recordings, m: int, *, seed: int, cuts: int = 4) -> Cuts:
    """Random cuts of the real recordings in two disjoint parts, in the proportion n : m (at most 4 to 1).

    Where patients are given no patient stands in both parts. Equal for an equal seed. Empty where a part would have
    fewer than 10 recordings.
    """
    return cuts_of(real.n, m, real.patients, seed=seed, cuts=cuts)


def cuts_of(n: int, m: int, patients: NDArray[Any] | None, *, seed: int, cuts: int = 4) -> Cuts:
    """The same of n recordings, or of vectors of as many, and their patients (n,), or None."""
    if n < 2 * SMALLEST or m < 1:
        return ()
    found = (cut_rows(n, m, patients, np.random.default_rng([seed, n, m, at])) for at in range(cuts))
    return tuple(cut for cut in found if min(len(part) for part in cut) >= SMALLEST)


def partner_cuts(n: int, candidates: int, patients: NDArray[Any] | None, *, seed: int, cuts: int) -> Cuts:
    """Cuts of n recordings for numbers of nearest partners: a fifth of them, at least 10, that look for one, and of
    those of other patients as many as `candidates`, if there are so many; of halves there would be too few.

    Equal for an equal seed. Empty where a part would have fewer than 10 recordings.
    """
    found = []
    for at in range(cuts if n >= 2 * SMALLEST else 0):
        rng = np.random.default_rng([seed, n, candidates, at])
        looking, rest = pick_groups(np.arange(n) if patients is None else patients, max(SMALLEST, round(n / 5)), rng)
        if len(rest) > candidates:
            rest = np.sort(rng.choice(rest, candidates, replace=False))
        found.append((looking, rest))
    return tuple(cut for cut in found if min(len(part) for part in cut) >= SMALLEST)


def fresh_of(real: Recordings, holdout: Recordings | None) -> Recordings | None:
    """The recordings of a hold-out whose patients are not among the real ones; None where there are none."""
    if holdout is None:
        return None
    rows = strangers(real.patients, holdout.patients, len(holdout))
    if len(rows) == len(holdout):
        return holdout
    return holdout.subset(rows) if len(rows) else None


def number(
    value_of: Callable[[Any, Any], Value],
    real: Side,
    synthetic: Side,
    cuts: Cuts,
    *,
    value: Value = math.nan,
) -> Number:
    """value_of(real, synthetic) beside its floor: mean, least and largest of real against real over the cuts.

    Args:
        value_of: takes two `Recordings`, or whatever `real` and `synthetic` are, and gives a number, None, or a string
            that says why there is none. It may raise errors of this package; they are the reason then.
        real, synthetic: recordings, or per-record values (n, ...), (m, ...), or lists of such arrays where
            a value needs several. With per-record values nothing is computed twice for the floor.
        cuts: of `real_cuts`.
        value: of real against synthetic, where it is known already; else it is computed.
    """
    known = isinstance(value, (str, type(None))) or not math.isnan(value)
    found = value if known else _attempt(value_of, real, synthetic)
    floors = [_attempt(value_of, take(real, one), take(real, other)) for one, other in cuts]
    return beside(found, floors, cuts, sizes=(len_of(real), len_of(synthetic)))


def beside(value: Value, floors: Sequence[Value], cuts: Cuts, *, sizes: tuple[int, int], note: str = "") -> Number:
    """A value and its floors, one per cut, as a `Number`; a value that is no finite number has a reason."""
    reason = value if isinstance(value, str) else None
    if value is None:
        reason = "The value is undefined."
    elif not isinstance(value, str) and not math.isfinite(value):
        reason = f"The value came out as {value}."
    known = [float(one) for one in floors if isinstance(one, (int, float)) and math.isfinite(one)]
    n, m = _sizes(cuts)
    words = [note] if note else []
    if not cuts:
        words.append(f"{NO_FLOOR}.")
    elif not known:
        why = next((one for one in floors if isinstance(one, str)), "it is undefined")
        words.append(f"No floor: of real against real {why[:1].lower()}{why[1:]}".rstrip(".") + ".")
    else:
        words.append(f"Floor: mean of {len(known)} random cuts of the real recordings, {n:,} against {m:,}.")
    return Number(
        value=None if reason else float(value),  # type: ignore[arg-type]
        floor=sum(known) / len(known) if known else None,
        floor_low=min(known) if known else None,
        floor_high=max(known) if known else None,
        floor_n=n if known else 0,
        floor_m=m if known else 0,
        cuts=len(known),
        n_real=sizes[0],
        n_synthetic=sizes[1],
        reason=reason,
        note=" ".join(words),
    )


def carried(
    floors: Sequence[Value], cuts: Cuts, sizes: tuple[int, int], *, power: float = 1.0
) -> tuple[list[Value], str]:
    """Floors of the cuts as they would be at these sizes, and a sentence that says so.

    Args:
        power: of 1/n + 1/m by which what chance adds grows: 1 of what is like a squared distance, .5 of a distance
            between distributions (Wasserstein-1, gaps of distribution functions).
    """
    if not cuts or not min(sizes):
        return list(floors), ""
    first, second = (float(np.mean([len(cut[side]) for cut in cuts])) for side in (0, 1))
    factor = ((1.0 / sizes[0] + 1.0 / sizes[1]) / (1.0 / first + 1.0 / second)) ** power
    moved: list[Value] = [one if one is None or isinstance(one, str) else float(one) * factor for one in floors]
    return moved, f"The floor is carried to {sizes[0]:,} against {sizes[1]:,} by the factor {factor:.3g}."


def take(side: Any, rows: Rows) -> Any:
    """The given recordings; of arrays and of lists of arrays those rows."""
    if isinstance(side, (list, tuple)):
        return type(side)(take(one, rows) for one in side)
    return side[rows] if isinstance(side, np.ndarray) else side.subset(rows)


def len_of(side: Any) -> int:
    """Recordings of a side, see `take`."""
    return len_of(side[0]) if isinstance(side, (list, tuple)) else len(side)


def _sizes(cuts: Cuts) -> tuple[int, int]:
    """The mean sizes of the cuts, which differ a little where patients have several recordings."""
    if not cuts:
        return 0, 0
    return round(sum(len(a) for a, _ in cuts) / len(cuts)), round(sum(len(b) for _, b in cuts) / len(cuts))


def _attempt(value_of: Callable[[Any, Any], Value], one: Any, other: Any) -> Value:
    try:
        with np.errstate(all="ignore"):  # what is not finite gets a reason, not a line on stderr
            found = value_of(one, other)
    except TruegradeError as error:
        return str(error)
    return found if found is None or isinstance(found, str) else float(found)
