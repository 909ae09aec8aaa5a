"""`load_ecg`, `load_ecg_folder`: recordings of a file of any kind, and of a folder of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError, Notice, notice
from truegrade.recordings.arrays import first, load_ecg_npy, open_stored
from truegrade.recordings.axes import in_order, likely_axes
from truegrade.recordings.checking import check_fs, check_units, lead_tuple
from truegrade.recordings.joining import Facts, join
from truegrade.recordings.pieces import Faults, Found, Piece, cap, list_files, name_of
from truegrade.recordings.record import Recordings
from truegrade.recordings.text import SUFFIXES as TEXT
from truegrade.recordings.text import read_text
from truegrade.recordings.wfdb_files import DATA, load_ecg_wfdb
from truegrade.recordings.whose import whose
from truegrade.samples import per_row
from truegrade.tables.naming import quoted, shown

FileKind = Literal["wfdb", "arrays", "text"]
ARRAYS = (".npy", ".npz")
SUFFIXES: Mapping[FileKind, tuple[str, ...]] = {"wfdb": (".hea",), "arrays": ARRAYS, "text": TEXT}
ACCEPTED = (
    "WFDB records (.hea), arrays (.npy, .npz), text (.csv, .tsv) and folders of one of these are accepted; of EDF, "
    "SCP, DICOM and XML write one of them first"
)


def load_ecg(path: str | os.PathLike[str], *, name: str | None = None, **facts: Any) -> Recordings:
    """Recordings of a file or folder, by what it is.

    A folder goes to `load_ecg_folder`, a WFDB record to `load_ecg_wfdb`, a .npy or .npz file to `load_ecg_npy` and a
    .csv or .tsv file is one recording, or one per row. The facts are those of `as_recordings`. Raises InputError for
    other files, for facts that mean nothing for what is there, and what these loaders raise.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"{type(path).__name__} given to load_ecg, which reads paths; see as_recordings.")
    place = Path(path)
    known = {key: value for key, value in facts.items() if value is not None and value is not False}
    try:
        if place.is_dir():
            return load_ecg_folder(place, name=name, **known)
        suffix = place.suffix.lower()
        if suffix in ARRAYS:
            return _array_file(place, name, known)
        if suffix in TEXT:
            known.pop("on_error", None), known.pop("recursive", None)
            return _joined(place, [place], "text", name, known)
        if suffix == ".hea" or _has_header(place):
            return load_ecg_wfdb(place, name=name, **_only(known, WFDB_FACTS, "a WFDB record"))
        there = f"has the suffix {shown(suffix, 20) or '(none)'}" if place.exists() else "is not there"
    except OSError as error:
        raise InputError(f"{shown(str(place), 200)} cannot be read: {error.strerror or error}.") from error
    raise InputError(f"{shown(str(place), 200)} {there}; {ACCEPTED}.")


WFDB_FACTS = (
    "fs", "units", "leads", "patients", "labels", "recursive", "on_error", "resample", "crop", "max_samples"
)  # fmt: skip
_FILE_FACTS = ("fs", "units", "leads", "key", "ids", "patients", "labels", "axes", "max_samples", "resample", "crop")
_FOLDER_FACTS = (*_FILE_FACTS, "recursive", "on_error")


def _only(facts: dict[str, Any], accepted: Sequence[str], what: str) -> dict[str, Any]:
    """The facts, all of which mean something for `what`; InputError names one that does not."""
    for key in facts:
        if key not in (*_FOLDER_FACTS, "kind"):
            raise TypeError(f"load_ecg() got an unexpected argument {key!r}")
        if key not in accepted:
            raise InputError(f"{key}={quoted(facts[key], 40)} given for {what}, which has no use for it.")
    return facts


def _has_header(place: Path) -> bool:
    beside = [place.with_name(place.name + ".hea")]
    beside += [place.with_suffix(".hea")] if place.suffix.lower() in DATA else []
    return any(one.is_file() for one in beside)


def _array_file(place: Path, name: str | None, facts: dict[str, Any]) -> Recordings:
    known = {key: value for key, value in facts.items() if key not in ("recursive", "on_error")}
    known = dict(_only(known, _FILE_FACTS, "a file of arrays"))
    hz, seconds = known.pop("resample", None), known.pop("crop", None)
    found = load_ecg_npy(place, label=name, lead_names=known.pop("leads", None), **known)
    return changed(found, hz, seconds)


def changed(found: Recordings, hz: float | None, seconds: float | None) -> Recordings:
    """Resampled and cropped, where asked for."""
    found = found if hz is None else found.resampled(hz)
    return found if seconds is None else found.cropped(seconds)


def load_ecg_folder(
    path: str | os.PathLike[str],
    *,
    kind: FileKind | None = None,
    name: str | None = None,
    recursive: bool = False,
    **facts: Any,
) -> Recordings:
    """All recordings of a folder: WFDB records, arrays, or text, by what lies in it.

    Arrays are one recording (L, T) a file, or several (N, L, T). The ids are paths inside the folder without suffix; of
    files with several recordings with their number. The facts are those of `as_recordings`.

    kind: "wfdb", "arrays" or "text" where a folder holds several. recursive: folders inside too. Raises InputError for
    no folder, one without recordings or with several kinds of them, and for recordings of different leads, rates or
    lengths, with their names.
    """
    place = Path(path)
    who = shown(name or name_of(place))
    if not place.is_dir():
        raise InputError(f"{shown(str(place), 200)} is no folder.")
    found = list_files(place, recursive)
    kind = _kind_of(found, kind, who, recursive)
    known = {key: value for key, value in facts.items() if value is not None}
    if kind == "wfdb":
        wfdb = _only(known, WFDB_FACTS, "a folder of WFDB records")
        joined = load_ecg_wfdb(place, name=name, recursive=recursive, **wfdb)
    else:
        joined = _joined(place, found.of(*SUFFIXES[kind]), kind, name, known)
    return replace(joined, notices=(*_passed(found, kind, who), *joined.notices))


def _kind_of(found: Found, kind: FileKind | None, who: str, recursive: bool) -> FileKind:
    if kind is not None and kind not in get_args(FileKind):
        raise InputError(f"kind={quoted(kind)} given for {who}; {', '.join(get_args(FileKind))} is accepted.")
    counts = {one: len(found.of(*suffixes)) for one, suffixes in SUFFIXES.items()}
    there = [one for one, count in counts.items() if count]
    if (counts[kind] > 0) if kind is not None else (len(there) == 1):
        return kind or there[0]
    if kind is not None or not there:
        what = f"no files of the kind {kind}" if kind else "no recordings"
        inside = (
            "" if recursive or not found.passed["folders"] else " Of folders inside, say recursive=True (--recursive)."
        )
        raise InputError(f"{who} holds {what}; {ACCEPTED}.{inside}")
    text = ", ".join(f"{counts[one]:,} of {one} ({', '.join(SUFFIXES[one])})" for one in there)
    raise InputError(
        f"{who} holds recordings of several kinds: {text}. Put them in folders of their own, or in Python say which "
        f"with load_ecg_folder(path, kind={there[0]!r})."
    )


def _passed(found: Found, kind: FileKind, who: str) -> tuple[Notice, ...]:
    """A note on files that are no recordings; data files of WFDB belong to their headers."""
    used = (*SUFFIXES[kind], *(DATA if kind == "wfdb" else ()))
    counts = {suffix or "without suffix": len(files) for suffix, files in found.files.items() if suffix not in used}
    counts |= {f"{what} files" if what == "hidden" else what: count for what, count in found.passed.items()}
    parts = ", ".join(f"{count:,} {shown(what, 20)}" for what, count in list(counts.items())[:8])
    return (notice("recordings_passed_over", side=who, parts=parts),) if counts else ()


def _joined(place: Path, files: Sequence[Path], kind: FileKind, name: str | None, given: dict[str, Any]) -> Recordings:
    """The recordings of files of arrays or text."""
    only = _only(dict(given), _FOLDER_FACTS, "files of arrays" if kind == "arrays" else "files of text")
    facts = Facts(
        name or name_of(place), str(place), *(only.get(key) for key in ("fs", "units", "leads", "resample", "crop"))
    )
    faults = Faults(only.get("on_error", "refuse"), facts.who)
    root = place if place.is_dir() else place.parent
    pieces, beside = list[Piece](), dict[str, list[str]]()
    most, told = cap(len(files), only.get("max_samples"), facts.who) if len(files) > 1 else (1, ())
    for file in files[:most]:
        with faults.watched():
            if kind == "arrays":
                pieces.append(_array_piece(file, root, only))
            else:
                piece, texts = _text_piece(file, root, facts.leads, only.get("axes"))
                pieces.append(piece)
                beside = texts if len(files) == 1 else {}
    faults.settle(most)
    found = join(pieces, facts, faults)
    ids = only.get("ids", beside.get("ids"))
    if ids is not None:
        found = replace(found, ids=_ids(ids, found))
    who = {key: only.get(key, beside.get(key)) for key in ("patients", "labels")}
    found = whose(replace(found, notices=(*told, *found.notices)), {}, who["patients"], who["labels"])
    return first(found, only.get("max_samples"))


def _ids(ids: object, found: Recordings) -> NDArray[Any] | None:
    return per_row(np.asarray(ids), len(found), "ids", found.name)


def _array_piece(file: Path, root: Path, given: dict[str, Any]) -> Piece:
    """The recordings of a file of arrays; of two axes it is one recording (L, T)."""
    name = file.relative_to(root).with_suffix("").as_posix()
    who = shown(name)
    stored = open_stored(file, given.get("key") if file.suffix.lower() == ".npz" else None)
    said = {key: stored.beside.get(key) for key in ("fs", "units", "leads")}
    leads = said["leads"] if said["leads"] is not None else given.get("leads")
    named = None if leads is None else lead_tuple([str(one) for one in leads], who)
    axes = given.get("axes")
    if axes is None and stored.values.ndim == 2 and "LT" in likely_axes(stored.values.shape, len(named or ()) or None):
        axes = "LT"
    if stored.values.dtype.kind not in "iuf":
        raise InputError(f"{who} holds {stored.values.dtype} values; ECG recordings are numbers.")
    values = in_order(stored.values, axes, len(named or ()) or None, who)
    n, count, length = values.shape
    return Piece(
        ids=(name,) if n == 1 else tuple(f"{name}[{at}]" for at in range(n)),
        leads=named if said["leads"] is not None else None,
        count=count,
        length=length,
        rate=None if said["fs"] is None else check_fs(float(said["fs"]), who),
        units=None if said["units"] is None else check_units(str(said["units"]), who),
        dtype=values.dtype,
        read=lambda: values,
    )


def _text_piece(
    file: Path, root: Path, leads: Sequence[str] | None, axes: str | None
) -> tuple[Piece, dict[str, list[str]]]:
    name = file.relative_to(root).with_suffix("").as_posix()
    text = read_text(file, None if leads is None else lead_tuple(leads, shown(name)), axes)
    n, count, length = text.values.shape
    ids = (name,) if n == 1 and not text.flat else tuple(f"{name}[{at}]" for at in range(n))
    return Piece(ids, text.leads, count, length, text.fs, None, np.dtype(np.float64), lambda: text.values), text.beside
