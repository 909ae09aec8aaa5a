"""A monitor's contents as plain arrays and back: what goes to other processes, and into .npz files without pickles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.moments import MomentState
from truegrade.errors import InputError
from truegrade.monitor.collected import PER_ROW, Arrays, Collected

VERSION = 1
_COUNTS = ("seed", "rank", "batches", "seen", "drawn", "first", "embedded")
_MOMENTS = ("count", "shift", "offset", "scatter")
_PLAIN = ("version", "keep", "real", "metrics", *_COUNTS)


@dataclass(frozen=True)
class Identity:
    """What two monitors must have in common to be merged. real: fingerprint of the real set. metrics: in words."""

    real: str
    metrics: tuple[str, ...]
    keep: int
    d: int

    def check(self, other: Identity) -> None:
        """Raise InputError that says what differs."""
        pairs = {
            "the real set": (self.real, other.real),
            "the metrics": (self.metrics, other.metrics),
            f"keep ({self.keep} and {other.keep})": (self.keep, other.keep),
        }
        differ = [what for what, (ours, theirs) in pairs.items() if ours != theirs]
        if differ:
            raise InputError(
                f"These monitors differ in {' and '.join(differ)}; monitors of the same real set, metrics and keep can "
                "be merged."
            )


def to_arrays(collected: Collected, identity: Identity) -> Arrays:
    """Everything as arrays of numbers and of text; `rows` in their order."""
    order = collected.order()
    out: Arrays = {name: np.array(getattr(collected, name), np.int64) for name in _COUNTS}
    out |= {"version": np.array(VERSION), "keep": np.array(identity.keep), "real": np.array(identity.real)}
    out |= {"metrics": np.array(identity.metrics), **collected.values()}
    out |= {"keys": collected.keys[order], "ranks": collected.ranks[order]}
    if collected.moments is not None:
        out |= {f"moments_{name}": array for name, array in collected.moments.arrays().items()}
    return out


def from_arrays(arrays: Mapping[str, Any], d: int) -> tuple[Collected, Identity]:
    """The inverse of `to_arrays`. InputError for arrays that are no monitor's, or of another number of features."""
    try:
        given = {name: np.asarray(arrays[name]) for name in _PLAIN}
        more = [name for name in ("rows", "probabilities", "keys", "ranks") if name in arrays]
        more += [f"moments_{name}" for name in _MOMENTS if f"moments_{name}" in arrays]
        given |= {name: np.asarray(arrays[name]) for name in more}
    except (LookupError, TypeError, ValueError) as error:
        raise InputError(f"This is no state of a monitor ({error}); give what monitor.state() returned.") from error
    _check(given, d)
    words = tuple(str(one) for one in given["metrics"].reshape(-1))
    identity = Identity(str(given["real"]), words, int(given["keep"]), d)
    counts: dict[str, Any] = {name: int(given[name]) for name in _COUNTS}
    counts["embedded"] = bool(counts["embedded"])
    if not counts["seen"]:
        return Collected(identity.keep, **counts), identity
    kept = len(given["keys"])
    collected = Collected(
        identity.keep,
        **counts,
        moments=MomentState.from_arrays({name: given[f"moments_{name}"] for name in _MOMENTS}),
        store={name: given[name].copy() for name in PER_ROW if name in given},
        slots=np.arange(kept),
        keys=given["keys"],
        ranks=given["ranks"],
        arrivals=np.arange(kept),
        arrived=kept,
    )
    return collected, identity


def _check(given: Mapping[str, NDArray[Any]], d: int) -> None:
    """Refuse shapes, types and counts that no monitor has."""
    if any(array.dtype.kind not in "iufbU" for array in given.values()):
        raise _broken("it holds other things than numbers and text")
    if any(given[name].ndim or given[name].dtype.kind not in "iu" for name in (*_COUNTS, "version", "keep")):
        raise _broken("its counts are no whole numbers")
    if int(given["version"]) != VERSION:
        raise _broken(f"it has version {int(given['version'])}, and {VERSION} is read")
    if not int(given["seen"]):
        return
    shapes: dict[str, Sequence[int]] = {"moments_count": (), "moments_shift": (d,), "moments_offset": (d,)}
    lacking = [n for n in ("rows", "keys", "ranks", *(f"moments_{m}" for m in _MOMENTS)) if n not in given]
    if lacking:
        raise _broken(f"it lacks {', '.join(lacking)}")
    kept = len(given["keys"]) if given["keys"].ndim == 1 else -1
    shapes |= {"moments_scatter": (d, d), "rows": (kept, d), "ranks": (kept,)}
    if "probabilities" in given:
        shapes["probabilities"] = (kept, *given["probabilities"].shape[1:2])
    wrong = [name for name, shape in shapes.items() if given[name].shape != tuple(shape)]
    if wrong or kept != min(int(given["seen"]), int(given["keep"])) or given["keys"].dtype != np.uint64:
        raise _broken(f"{', '.join(wrong) or 'keys'} do not have the shape that {d} features and its counts need")
    if not all(np.isfinite(array).all() for array in given.values() if array.dtype.kind == "f"):
        raise _broken("it holds values that are not finite")


def _broken(why: str) -> InputError:
    return InputError(f"This is no state of such a monitor: {why}. Give what monitor.state() returned.")
