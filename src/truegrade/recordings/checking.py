"""Validation of recordings: shape, facts, which leads are missing, fingerprint."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError
from truegrade.recordings.leads import canonical, default_leads
from truegrade.recordings.record import BLOCK, Recordings
from truegrade.samples import per_row

UNITS = {"mV": 1.0, "uV": 1e-3, "µV": 1e-3, "μV": 1e-3, "V": 1e3, "nV": 1e-6}
"""Factor to millivolts."""
MOST_LEADS = 32


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
) -> Recordings:
    """See `Recordings.from_array`."""
    array = _as_array(values, name)
    n, count, _ = array.shape
    named = tuple(canonical(lead) for lead in leads) if leads is not None else default_leads(count)
    _check_leads(named, count, name)
    missing, broken = find_missing(array)
    found = Recordings(
        values=array,
        leads=named,
        fs=_check_fs(fs, name),
        units=None if units is None else "mV",
        scale=1.0 if units is None else _check_units(units, name),
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


def fingerprint_of(recordings: Recordings) -> str:
    """Hash of shape, dtype, values, leads, rate and units."""
    r = recordings
    digest = hashlib.sha256(repr((r.values.shape, str(r.values.dtype), r.leads, r.fs, r.units, r.scale)).encode())
    for start in range(0, len(r), BLOCK):
        digest.update(np.ascontiguousarray(r.values[start : start + BLOCK]).tobytes())
    return digest.hexdigest()[:32]


def find_missing(values: NDArray[Any]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(N, L): no signal at all; and with a NaN or an infinity."""
    missing, broken = np.zeros(values.shape[:2], bool), np.zeros(values.shape[:2], bool)
    for start in range(0, values.shape[0], BLOCK):
        block = np.asarray(values[start : start + BLOCK])
        if block.dtype.kind == "f":
            broken[start : start + BLOCK] = ~np.isfinite(block).all(axis=2)
        flat = block.max(axis=2) == block.min(axis=2)
        missing[start : start + BLOCK] = flat | broken[start : start + BLOCK]
    return missing, broken


def _as_array(values: object, name: str) -> NDArray[Any]:
    array = values if isinstance(values, np.ndarray) else np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise InputError(f"{name} holds {array.dtype} values; ECG recordings are numbers (integers or floats).")
    if array.ndim != 3:
        raise InputError(
            f"{name} has the shape {array.shape}; (recordings, leads, samples) is accepted. Of one recording give "
            "x[None], of one lead x[:, None, :]."
        )
    if min(array.shape) == 0 or array.shape[2] < 2:
        raise InputError(f"{name} has the shape {array.shape}; at least 1 recording, 1 lead and 2 samples are needed.")
    if array.dtype == np.float16:
        array = array.astype(np.float32)
    return array


def _check_leads(leads: tuple[str, ...], count: int, name: str) -> None:
    if len(leads) != count:
        raise InputError(f"{name} has {count} leads, and {len(leads)} names were given: {', '.join(leads)[:200]}.")
    twice = [lead for lead in leads if leads.count(lead) > 1]
    if twice:
        raise InputError(f"{name} has more than one lead named {twice[0]!r}; their names must differ.")


def _check_fs(fs: float | None, name: str) -> float | None:
    if fs is None:
        return None
    if isinstance(fs, bool) or not isinstance(fs, (int, float, np.number)) or not (math.isfinite(fs) and fs > 0):
        raise InputError(f"fs={fs!r} given for {name}; a sampling rate in Hz above 0 is accepted, such as 500.")
    return float(fs)


def _check_units(units: str, name: str) -> float:
    if units not in UNITS:
        raise InputError(f"units={units!r} given for {name}; {', '.join(UNITS)} is accepted.")
    return UNITS[units]
