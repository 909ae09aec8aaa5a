"""Statistics files: .npz archives with the arrays `mu` and `sigma`. Nothing is unpickled."""

from __future__ import annotations

import json
import os
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade import codec
from truegrade.archive import DAMAGED, open_npz, read_member
from truegrade.codec import write_by
from truegrade.errors import InputError
from truegrade.samples import Samples
from truegrade.space import Space, official_names
from truegrade.statistics.record import Statistics

FORMAT = "truegrade statistics"
_SAMPLES_INSIDE = {"arr_0", "features"}  # arrays of files that hold the samples too, and are read as these


def is_statistics_file(path: object) -> bool:
    """Whether this is a .npz archive with the arrays `mu` and `sigma` and no samples beside them."""
    if not isinstance(path, (str, os.PathLike)):
        return False
    try:
        if not zipfile.is_zipfile(path):
            return False
        with zipfile.ZipFile(path) as archive:
            names = {name.removesuffix(".npy") for name in archive.namelist()}
    except (*DAMAGED, OSError, ValueError):  # the last for a name that no file can have
        return False
    return {"mu", "sigma"} <= names and not _SAMPLES_INSIDE & names


def load_statistics(path: str | os.PathLike[str]) -> Statistics:
    """The arrays `mu` (d,) and `sigma` (d, d) of a .npz archive, as pytorch-fid, clean-fid and TTUR write them.

    Other arrays are left alone, but for what `save_statistics` adds. Nothing is unpickled. Raises InputError for
    files that cannot be read, hold something else, or hold what is no mean and no covariance.
    """
    path = Path(path)
    try:
        with open_npz(path, str(path)) as (archive, members):
            _check_members(list(members), path)
            found = {
                key: read_member(archive, members[key], f"array {key!r} of {path}")
                for key in ("mu", "sigma", "n", "provenance")
                if key in members
            }
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    read = Statistics(found["mu"], found["sigma"], path.stem, str(path), _count(found.get("n"), path))
    return _with_record(read, found.get("provenance"), path)


def _check_members(names: list[str], path: Path) -> None:
    if {"mu", "sigma"} <= set(names):
        return
    there = ", ".join(repr(name[:40]) for name in names[:10]) or "none"
    raise InputError(
        f"{path} is no statistics file: the arrays 'mu' and 'sigma' are needed, and it has {there}. "
        "Files of samples are graded as samples."
    )


def _count(given: NDArray[Any] | None, path: Path) -> int | None:
    if given is None:
        return None
    if given.shape != () or given.dtype.kind not in "iu":
        raise InputError(f"{path} gives n of shape {given.shape} ({given.dtype}); one whole number is accepted.")
    return int(given)


def _with_record(read: Statistics, text: NDArray[Any] | None, path: Path) -> Statistics:
    """With name and feature space as `save_statistics` wrote them; what another program calls provenance is left."""
    try:
        record = json.loads(str(text))
    except (ValueError, RecursionError):
        return read
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        return read
    try:
        space = codec.build(Space | None, record["space"])
        if space is not None:  # an edited file gives no score another name
            space = replace(space, official=dict(official_names(space.embedder)))
        known = replace(read, name=str(record["name"]), space=space)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{path} has a damaged provenance ({type(error).__name__}: {error}).") from error
    if record.get("fingerprint") != read.fingerprint:
        raise InputError(f"{path} was changed after it was written: its provenance describes other values.")
    return known


def save_statistics(what: Statistics | Samples, path: str | os.PathLike[str]) -> Path:
    """Write `mu`, `sigma`, and `n` and provenance where they are known, to a .npz file that other tools read.

    Whole or not at all. Raises InputError for another suffix, and for a path that cannot be written.
    """
    if Path(path).suffix != ".npz":
        raise InputError(f"{path} given; a file name that ends in .npz is accepted for statistics.")
    known = Statistics.of(what) if isinstance(what, Samples) else what
    record = {"format": FORMAT, "name": known.name, "source": known.source, "fingerprint": known.fingerprint}
    text = codec.dumps({**record, "space": codec.encode(known.space)})
    count = {} if known.n is None else {"n": np.array(known.n)}
    arrays = {"mu": known.mean, "sigma": known.covariance, **count, "provenance": np.array(text)}
    return write_by(path, lambda file: np.savez(file, **arrays))  # type: ignore[arg-type]
