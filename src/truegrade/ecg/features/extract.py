"""Features of every lead of every recording, before any scaling: (recordings, leads, features), made block by block."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.descriptors import ELEVEN, SEVEN, eleven, seven
from truegrade.errors import InputError
from truegrade.recordings import Recordings

_BLOCK = 32  # recordings that are held as float64 at once
_KEPT: WeakKeyDictionary[Recordings, dict[str, Raw]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Raw:
    """values: (N, L, p) float64, all finite: of a lead with a NaN or an infinity and of a lead without beats those of
    a line at 0, of a constant lead its own. missing: (N, L), leads that are no signal (or, for beats, without one).
    names: of the p features."""

    leads: tuple[str, ...]
    names: tuple[str, ...]
    values: NDArray[np.float64]
    missing: NDArray[np.bool_]


def extract(recordings: Recordings, which: str) -> Raw:
    """The features "descriptors", "spectral" or "beats" of all leads; kept as long as the recordings are.

    Raises InputError for another feature set, and for "spectral" and "beats" without a sampling rate.
    """
    known = _KEPT.setdefault(recordings, {})
    if which not in known:
        known[which] = _extract(recordings, which)
    return known[which]


def part_of(recordings: Recordings, rows: NDArray[np.intp]) -> Recordings:
    """Some of the recordings, with what is known of them already."""
    from truegrade.ecg.beats.peaks import hand_on

    part = recordings.subset(rows)
    for which, raw in _KEPT.get(recordings, {}).items():
        found = Raw(raw.leads, raw.names, raw.values[rows], raw.missing[rows])
        _KEPT.setdefault(part, {})[which] = found
    hand_on(recordings, part, rows)
    return part


def _extract(recordings: Recordings, which: str) -> Raw:
    if which == "descriptors":
        return _described(recordings, SEVEN, None)
    if which not in ("spectral", "beats"):
        raise InputError(f"features={which!r} given; 'descriptors', 'spectral' or 'beats' is accepted.")
    if recordings.fs is None:
        raise InputError(
            f"The features {which!r} need the sampling rate of {recordings.name}; give fs= in Hz (--fs), such as 500."
        )
    if which == "spectral":
        return _described(recordings, ELEVEN, recordings.fs)
    return _beats(recordings)


def _described(recordings: Recordings, names: tuple[str, ...], fs: float | None) -> Raw:
    n, count, length = recordings.values.shape
    out = np.empty((n, count, len(names)))
    for start, block in recordings.blocks(_BLOCK):
        stop = start + len(block)
        block[recordings.broken[start:stop]] = 0.0
        lines = block.reshape(-1, length)
        found = seven(lines) if fs is None else eleven(lines, fs)
        out[start:stop] = found.reshape(len(block), count, len(names))
    return Raw(recordings.leads, names, out, recordings.missing)


def _beats(recordings: Recordings) -> Raw:
    from truegrade.ecg.beats.morphology import morphology

    forms = [morphology(recordings, lead) for lead in recordings.leads]
    values = np.stack(forms, axis=1)
    without = ~np.isfinite(values).all(axis=2)
    values[without] = 0.0
    names = tuple(f"t{at}" for at in range(values.shape[2]))
    return Raw(recordings.leads, names, values, recordings.missing | without)
