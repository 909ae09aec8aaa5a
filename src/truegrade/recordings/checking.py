"""Validation of recordings: shape, facts, which leads are missing, fingerprint."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError
from truegrade.recordings.axes import in_order
from truegrade.recordings.leads import canonical, default_leads
from truegrade.recordings.record import BLOCK, Recordings
from truegrade.samples import per_row
from truegrade.tables.naming import quoted, shown

UNITS = {"mV": 1.0, "uV": 1e-3, "µV": 1e-3, "μV": 1e-3, "V": 1e3, "nV": 1e-6}
"""Factor to millivolts."""
_ANY_CASE = {"mv": "mV", "uv": "uV", "v": "V", "nv": "nV"}
_LARGEST = 1e30  # in the units given; squares and their sums stay finite


def check_recordings(
    values: object,
    fs: float | None,
    units: str | None,
    leads: Sequence[str] | None,
    name: str,
    source: str,
    ids: Any,
    patients: Any,
    labels: Any,
    axes: str | None = None,
) -> Recordings:
    """See `Recordings.from_array`."""
    name = shown(name)
    given = None if leads is None else lead_tuple(leads, name)
    array = _as_array(values, name, axes, None if given is None else len(given))
    n, count, _ = array.shape
    named = given or default_leads(count)
    _check_leads(named, count, name)
    missing, broken = find_missing(array, name)
    found = Recordings(
        values=array,
        leads=named,
        fs=check_fs(fs, name),
        units=None if units is None else "mV",
        scale=1.0 if units is None else UNITS[check_units(units, name)],
        name=name,
        source=source,
        missing=missing,
        broken=broken,
        fingerprint="",
        ids=per_row(ids, n, "ids", name),
        patients=per_row(patients, n, "patients", name),
        labels=per_row(labels, n, "labels", name),
        leads_named=leads is not None,
    )
    object.__setattr__(found, "fingerprint", fingerprint_of(found))
    return found


def rechecked(recordings: Recordings) -> Recordings:
    """Recordings whose values were made anew, with what is missing of them, and their fingerprint."""
    missing, broken = find_missing(recordings.values, recordings.name)
    found = replace(recordings, missing=missing, broken=broken)
    return replace(found, fingerprint=fingerprint_of(found))


def fingerprint_of(recordings: Recordings) -> str:
    """Hash of shape, dtype, values, leads, rate and units."""
    r = recordings
    digest = hashlib.sha256(repr((r.values.shape, str(r.values.dtype), r.leads, r.fs, r.units, r.scale)).encode())
    for start in range(0, len(r), BLOCK):
        digest.update(np.ascontiguousarray(r.values[start : start + BLOCK]).tobytes())
    return digest.hexdigest()[:32]


def find_missing(values: NDArray[Any], name: str = "The set") -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(N, L): no signal at all; and with a NaN or an infinity. InputError for values that are no voltages."""
    missing, broken = np.zeros(values.shape[:2], bool), np.zeros(values.shape[:2], bool)
    for start in range(0, values.shape[0], BLOCK):
        block = np.asarray(values[start : start + BLOCK])
        low, high = block.min(axis=2), block.max(axis=2)  # NaN where there is one
        if block.dtype.kind == "f":
            wild = broken[start : start + BLOCK] = ~(np.isfinite(low) & np.isfinite(high))
            huge = ~wild & ((high > _LARGEST) | (low < -_LARGEST))
            if huge.any():
                row, lead = (int(at) for at in np.argwhere(huge)[0])
                raise InputError(
                    f"{name} holds values beyond {_LARGEST:g} (recording {start + row}, lead {lead}, counted from 0), "
                    "which are no voltages. Is the file damaged, or of another byte order?"
                )
        missing[start : start + BLOCK] = (high == low) | broken[start : start + BLOCK]
    return missing, broken


def lead_tuple(leads: Sequence[str], name: str) -> tuple[str, ...]:
    """Names of leads in the usual spelling; a text is split at commas. InputError for none and for no texts."""
    parts = leads.split(",") if isinstance(leads, str) else list(leads)
    named = tuple(canonical(str(lead)) for lead in parts)
    if not named or any(not lead for lead in named):
        raise InputError(
            f"leads={shown(repr(leads))} given for {name}; names of leads are accepted, such as 'I,II,V1'."
        )
    return named


def check_fs(fs: float | None, name: str) -> float | None:
    """A sampling rate in Hz, as a float."""
    if fs is None:
        return None
    if isinstance(fs, bool) or not isinstance(fs, (int, float, np.number)) or not (math.isfinite(fs) and fs > 0):
        raise InputError(
            f"fs={shown(repr(fs))} given for {name}; a sampling rate in Hz above 0 is accepted, such as 500."
        )
    return float(fs)


def check_units(units: str, name: str) -> str:
    """The usual spelling of a unit of voltage, in small letters or large: "mV", "uV", "V" or "nV"."""
    found = _ANY_CASE.get(str(units).strip().casefold().replace("μ", "u").replace("µ", "u"))
    if found is None:
        raise InputError(f"units={quoted(units)} given for {name}; {', '.join(UNITS)} is accepted.")
    return found


def _as_array(values: object, name: str, axes: str | None, leads: int | None) -> NDArray[Any]:
    array = in_memory(values, name)
    if array.dtype.kind not in "iuf":
        raise InputError(f"{name} holds {array.dtype} values; ECG recordings are numbers (integers or floats).")
    array = in_order(array, axes, leads, name)
    if min(array.shape) == 0 or array.shape[2] < 2:
        raise InputError(f"{name} has the shape {array.shape}; at least 1 recording, 1 lead and 2 samples are needed.")
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        return array.astype(np.float32 if array.dtype.itemsize == 2 else np.float64)
    return array


def in_memory(values: object, name: str) -> NDArray[Any]:
    """An array of arrays, tensors (torch is not imported for it) and nested lists; masked values become NaN."""
    obj: Any = values
    if isinstance(obj, np.ma.MaskedArray):
        return np.ma.filled(obj.astype(np.float64), np.nan)
    if isinstance(obj, np.ndarray):
        return obj
    try:
        if hasattr(obj, "detach"):
            tensor = obj.detach().cpu()
            return np.asarray(tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor)
        return np.asarray(obj)
    except (ValueError, TypeError, RuntimeError) as error:
        raise InputError(
            f"{name} cannot be made an array of (recordings, leads, samples): {error}. Are the recordings of different "
            "lengths or leads?"
        ) from error


def _check_leads(leads: tuple[str, ...], count: int, name: str) -> None:
    if len(leads) != count:
        listed = shown(", ".join(leads), 200)
        raise InputError(f"{name} has {count} leads, and {len(leads)} names were given: {listed}.")
    twice = [lead for lead in leads if leads.count(lead) > 1]
    if twice:
        raise InputError(f"{name} has more than one lead named {quoted(twice[0])}; their names must differ.")
