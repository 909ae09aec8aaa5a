"""`as_recordings`: recordings of whatever is given, with the facts that are told of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from truegrade.errors import InputError
from truegrade.recordings.arrays import agreed, first
from truegrade.recordings.axes import in_order
from truegrade.recordings.checking import UNITS, check_fs, check_units, fingerprint_of, in_memory, lead_tuple
from truegrade.recordings.joining import Facts, join
from truegrade.recordings.loading import FileKind, changed, load_ecg
from truegrade.recordings.pieces import Faults, OnError, Piece
from truegrade.recordings.record import Recordings
from truegrade.recordings.whose import PerRecord
from truegrade.samples import per_row
from truegrade.tables.naming import shown


def as_recordings(
    obj: object,
    *,
    fs: float | None = None,
    units: str | None = None,
    leads: Sequence[str] | None = None,
    name: str | None = None,
    ids: Sequence[object] | NDArray[Any] | str | None = None,
    patients: PerRecord = None,
    labels: PerRecord = None,
    axes: str | None = None,
    key: str | None = None,
    kind: FileKind | None = None,
    recursive: bool = False,
    on_error: OnError | None = None,
    resample: float | None = None,
    crop: float | None = None,
    max_samples: int | None = None,
) -> Recordings:
    """Recordings of almost anything: a path, an array or tensor (N, L, T), a list of arrays (L, T), or Recordings.

    Args:
        fs, units, leads: Hz, "mV" or another unit, names of the leads. Where the object says them itself, they must
            agree; leads may then be some of its leads, or another order of them.
        name: what to call the set.
        ids, patients, labels: one per recording; of WFDB records and folders see `load_ecg_wfdb`.
        axes: the order of an array's axes, such as "NTL". key: which array of an archive.
        kind, recursive, on_error: of folders, see `load_ecg_folder`.
        resample: rate in Hz to bring all to. crop: seconds to cut all to. max_samples: the first so many.

    Raises InputError for facts that contradict the object, with both, and what the loaders and
    `Recordings.from_array` raise.
    """
    rows: dict[str, Any] = {"ids": ids, "patients": patients, "labels": labels}
    facts: dict[str, Any] = {"fs": fs, "units": units, "leads": leads, **rows}
    if isinstance(obj, (str, os.PathLike)):
        files: dict[str, Any] = {"axes": axes, "key": key, "kind": kind, "recursive": recursive, "on_error": on_error}
        return load_ecg(obj, name=name, **facts, **files, resample=resample, crop=crop, max_samples=max_samples)
    if isinstance(obj, Recordings):
        found = with_facts(obj, name=name, **facts)
    elif isinstance(obj, (list, tuple)) and obj and all(getattr(one, "ndim", 0) == 2 for one in obj):
        found = _of_list(obj, Facts(name or "recordings", "memory", fs, units, leads, resample, crop), rows, axes)
        resample = crop = None
    else:
        found = Recordings.from_array(obj, name=name or "recordings", axes=axes, **facts)
    return first(changed(found, resample, crop), max_samples)


def _of_list(arrays: Sequence[Any], facts: Facts, rows: dict[str, Any], axes: str | None) -> Recordings:
    """Recordings of a list of (L, T) arrays, which may differ in length where they are cropped."""
    pieces = []
    names = rows.pop("ids", None)
    for at, one in enumerate(arrays):
        name = str(names[at]) if names is not None and at < len(names) else f"recording {at}"
        values = in_order(in_memory(one, name), axes or "LT", None, name)
        pieces.append(_piece(name, values))
    found = join(pieces, facts, Faults("refuse", facts.who))
    return with_facts(found, ids=names, **rows)


def _piece(name: str, values: NDArray[Any]) -> Piece:
    _, count, length = values.shape
    return Piece((name,), None, count, length, None, None, values.dtype, lambda: values)


def with_facts(
    obj: Recordings,
    *,
    fs: float | None = None,
    units: str | None = None,
    leads: Sequence[str] | None = None,
    name: str | None = None,
    ids: Any = None,
    patients: Any = None,
    labels: Any = None,
) -> Recordings:
    """Recordings with facts that they did not have; InputError for those that contradict what they have."""
    who = shown(name or obj.name)
    stored = next((unit for unit, factor in UNITS.items() if factor == obj.scale), "mV")
    said = {"fs": obj.fs, "units": None if obj.units is None else stored}
    rate = agreed("fs", check_fs(fs, who), said, who)
    unit = agreed("units", None if units is None else check_units(units, who), said, who)
    given = {"ids": ids, "patients": patients, "labels": labels}
    rows: dict[str, Any] = {k: per_row(value, len(obj), k, who) for k, value in given.items() if value is not None}
    scale = 1.0 if unit is None else UNITS[unit]
    found = replace(obj, fs=rate, units=unit and "mV", scale=scale, name=name or obj.name, **rows)
    if leads is not None:
        found = _with_leads(found, lead_tuple(leads, who), who)
    same = (found.fs, found.units, found.scale, found.leads) == (obj.fs, obj.units, obj.scale, obj.leads)
    return found if same else replace(found, fingerprint=fingerprint_of(found))


def _with_leads(found: Recordings, leads: tuple[str, ...], who: str) -> Recordings:
    if found.leads_named and set(leads) <= set(found.leads) and len(set(leads)) == len(leads):
        return found.select_leads(leads)
    if found.leads_named or len(leads) != len(found.leads) or len(set(leads)) < len(leads):
        raise InputError(
            f"leads={shown(','.join(leads), 120)} given for {who}, which has {len(found.leads)} leads"
            f"{', ' + shown(', '.join(found.leads), 120) if found.leads_named else ' without names'}."
        )
    return replace(found, leads=leads, leads_named=True)
