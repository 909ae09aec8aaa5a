"""`load_ecg_npy`: arrays in .npy and .npz files, with what stands beside them. Nothing is ever unpickled."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.archive import member_header, open_npz, read_header, read_member, refuse_objects
from truegrade.errors import InputError, Notice, notice
from truegrade.recordings.axes import in_order
from truegrade.recordings.checking import UNITS, check_fs, check_units, lead_tuple
from truegrade.recordings.pieces import cap, name_of
from truegrade.recordings.record import Recordings
from truegrade.samples import per_row
from truegrade.tables.naming import listed, quoted, shown

PerRow = Sequence[object] | NDArray[Any] | str
BESIDE = {
    "fs": ("fs", "fs_hz", "sampling_rate"),
    "units": ("units", "unit"),
    "leads": ("leads", "lead_names"),
    "ids": ("ids",),
    "patients": ("patients",),
    "labels": ("labels",),
}
"""What arrays of an archive are read beside the recordings, and their names."""


@dataclass(frozen=True, eq=False)
class Stored:
    """An array of a file, not yet turned, with what the archive says of it."""

    values: NDArray[Any]
    beside: dict[str, Any] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()


def load_ecg_npy(
    path: str | os.PathLike[str],
    fs: float | None = None,
    label: str | None = None,
    lead_names: Sequence[str] | None = None,
    max_samples: int | None = None,
    *,
    units: str | None = None,
    key: str | None = None,
    ids: PerRow | None = None,
    patients: PerRow | None = None,
    labels: PerRow | None = None,
    axes: str | None = None,
) -> Recordings:
    """Recordings (N, L, T) of a .npy file, mapped into memory, or of one array of a .npz archive.

    Args:
        path: the file.
        fs: sampling rate in Hz; None where nobody knows (times, rates and spectra are then not graded).
        label: what to call the set; the file's name by default.
        lead_names: names of the L leads; the standard twelve or eight are assumed of so many.
        max_samples: the first so many recordings.
        units: "mV", "uV", "V" or "nV".
        key: which array of an archive; not needed of one that holds one array, or one of three axes.
        ids, patients, labels: one per recording, or the name of an array of the archive.
        axes: the order of the axes where it is another, such as "NTL" or, of one recording, "LT".

    Arrays of an archive that are named fs, units, leads (or lead_names), ids, patients and labels are read where they
    fit. Raises InputError for pickled objects, damaged files and decompression bombs, an unclear key (with what
    there is), facts that contradict the archive, and what `Recordings.from_array` refuses.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"{type(path).__name__} given to load_ecg_npy; arrays go to Recordings.from_array.")
    place = Path(path)
    name = str(label) if label is not None else name_of(place)
    stored = open_stored(place, key, [wish for wish in (ids, patients, labels) if isinstance(wish, str)])
    beside, told = _fitting(stored, shown(name))
    rows = {"ids": ids, "patients": patients, "labels": labels}
    leads = agreed("leads", None if lead_names is None else lead_tuple(lead_names, name), beside, name)
    values = in_order(stored.values, axes, None if leads is None else len(leads), shown(name))
    chosen = {what: per_row(_per_row(what, wish, beside), len(values), what, name) for what, wish in rows.items()}
    count, less = cap(len(values), max_samples, shown(name))  # before anything is read
    found = Recordings.from_array(
        values[:count],
        fs=agreed("fs", check_fs(fs, name), beside, name),
        units=agreed("units", None if units is None else check_units(units, name), beside, name),
        leads=leads,
        name=name,
        source=str(place),
        axes="NLT",
        **{what: None if value is None else value[:count] for what, value in chosen.items()},
    )
    return replace(found, notices=(*stored.notices, *told, *less))


def _per_row(what: str, wish: PerRow | None, beside: dict[str, Any]) -> Any:
    """What is given, or the array of that name, or the one beside the recordings."""
    if wish is None or isinstance(wish, str):
        return beside.get(what if wish is None else wish)
    return wish


def first(found: Recordings, most: int | None) -> Recordings:
    """The first `most` recordings."""
    count, told = cap(len(found), most, shown(found.name))
    if not told:
        return found
    rows = np.arange(count)
    return replace(found.subset(rows), values=found.values[:count], notices=(*found.notices, *told))


def open_stored(place: Path, key: str | None = None, named: Sequence[str] = ()) -> Stored:
    """The array of a .npy file (a memory map) or of an archive. InputError for anything else."""
    who = shown(str(place), 200)
    try:
        with open(place, "rb") as file:
            begin = file.read(4)
        if begin[:2] == b"PK":
            return _from_archive(place, key, named, who)
        if key is not None or named:
            raise InputError(f"key={quoted(key or named[0])} given for {who}, which is one array and no archive.")
        return Stored(_mapped(place, who))
    except OSError as error:
        raise InputError(f"{who} cannot be read: {error.strerror or error}.") from error


def _mapped(place: Path, who: str) -> NDArray[Any]:
    with open(place, "rb") as file:
        header = read_header(file, who)
    refuse_objects(header.dtype, who)
    have = place.stat().st_size - header.begin
    if have != header.nbytes:
        what = "is cut short" if have < header.nbytes else "holds more than one array"
        raise InputError(
            f"{who} {what}: its header promises {header.nbytes:,} bytes of numbers, the file holds {have:,}. "
            "Write or copy it again."
        )
    if header.nbytes == 0:
        return np.empty(header.shape, header.dtype)
    order: Any = "F" if header.column_order else "C"
    return np.memmap(place, header.dtype, "r", header.begin, header.shape, order)


def _from_archive(place: Path, key: str | None, named: Sequence[str], who: str) -> Stored:
    with open_npz(place, who) as (archive, members):
        chosen = _pick_key(archive, members, key, who)
        values = read_member(archive, members[chosen], f"array {quoted(chosen)} of {who}")
        beside: dict[str, Any] = {}
        for wish in named:
            if wish not in members:
                raise InputError(f"{who} has no array {quoted(wish)}; it has {listed(list(members))}.")
            beside[wish] = read_member(archive, members[wish], f"array {quoted(wish)} of {who}")
        for what, keys in BESIDE.items():
            found = next((one for one in keys if one in members and one != chosen), None)
            if found is not None and not member_header(archive, members[found], who).dtype.hasobject:
                beside.setdefault(what, read_member(archive, members[found], f"array {quoted(found)} of {who}"))
        used = {chosen, *named, *(one for keys in BESIDE.values() for one in keys)}
    unused = [one for one in members if one not in used]
    told = (notice("recordings_arrays_unused", side=who, names=listed(unused), used=quoted(chosen)),) if unused else ()
    return Stored(values, beside, told)


def _pick_key(archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo], key: str | None, who: str) -> str:
    if key is not None:
        if key not in members:
            raise InputError(f"{who} has no array {quoted(key)}; it has {listed(list(members)) or 'none'}.")
        return key
    if len(members) == 1:
        return next(iter(members))
    headers = {one: member_header(archive, member, f"array {quoted(one)} of {who}") for one, member in members.items()}
    known = {one for keys in BESIDE.values() for one in keys}
    for axes in (3, 2):
        numbers = [one for one, header in headers.items() if header.dtype.kind in "iuf" and one not in known]
        fitting = [one for one in numbers if len(headers[one].shape) == axes]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            break
    shapes = [f"{quoted(one)} ({' x '.join(map(str, h.shape)) or 'one value'} {h.dtype})" for one, h in headers.items()]
    more = f" and {len(shapes) - 10} more" if len(shapes) > 10 else ""
    raise InputError(
        f"{who} holds {len(shapes)} arrays: {', '.join(shapes[:10])}{more}. Say which are the recordings with key=... "
        "(--key)."
    )


def _fitting(stored: Stored, who: str) -> tuple[dict[str, Any], tuple[Notice, ...]]:
    """What stands beside the recordings, in the usual types; a note names what does not fit."""
    beside: dict[str, Any] = {}
    odd: list[str] = []
    for what, values in stored.beside.items():
        try:
            beside[what] = _usual(what, values, stored.values.shape, who)
        except (ValueError, TypeError):
            odd.append(what)
    return beside, (notice("recordings_facts_unfit", side=who, names=listed(sorted(odd))),) if odd else ()


def _usual(what: str, values: NDArray[Any], shape: tuple[int, ...], who: str) -> Any:
    if what == "fs":
        return check_fs(float(values.reshape(())), who)
    if what == "units":
        return check_units(str(values.reshape(())), who)
    if values.ndim != 1 or len(values) not in shape:
        raise InputError(f"{what} of shape {values.shape} beside recordings of shape {shape}.")
    return lead_tuple([str(one) for one in values], who) if what == "leads" else values


def agreed(what: str, given: Any, beside: dict[str, Any], name: str) -> Any:
    """What is given and what a file says, where they are one; InputError with both where they are not."""
    said = beside.get(what)
    if given is None or said is None:
        return said if given is None else given
    same = UNITS[given] == UNITS[said] if what == "units" else given == said
    if not same:
        text = [", ".join(one) if isinstance(one, tuple) else str(one) for one in (given, said)]
        raise InputError(
            f"{what}={shown(text[0], 120)} given for {shown(name)}, and the file itself says {shown(text[1], 120)}. "
            "Leave it out, or mend the file."
        )
    return given
