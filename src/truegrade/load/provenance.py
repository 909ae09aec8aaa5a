"""What is known of vectors in a file: their feature space, ids, labels and class probabilities.

Beside f.npy it is f.npy.json (and f.probabilities.npy), in a .npz it is the array `provenance` (and `ids`, `labels`,
`probabilities`). It counts only while its fingerprint is that of the vectors; otherwise it is ignored, with a notice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade import codec
from truegrade.archive import DAMAGED, open_npz, read_member, read_npy
from truegrade.errors import InputError, notice
from truegrade.load.choice import Choice
from truegrade.samples import Samples
from truegrade.space import Space, official_names

FORMAT, VERSION = "truegrade vectors", 1
EMBEDDED = {"features", "probabilities", "ids", "labels", "provenance"}  # arrays of an archive of vectors
_LARGEST = 2**30  # bytes of a description; no list of ids is longer


@dataclass(frozen=True, eq=False)
class Record:
    """What is written of samples.

    fingerprint: of the vectors. probabilities: the fingerprint of the class probabilities, None where there are none.
    images: the fingerprint of the images that were embedded.
    """

    format: str
    version: int
    name: str
    source: str
    shape: tuple[int, ...]
    dtype: str
    fingerprint: str
    space: Space
    pixels: tuple[int, ...] | None = None
    probabilities: str | None = None
    images: str | None = None
    ids: NDArray[Any] | None = None
    labels: NDArray[Any] | None = None


def record_of(samples: Samples, space: Space, images: str | None = None) -> Record:
    """The record of samples that were embedded."""
    given = samples.probabilities
    return Record(
        FORMAT,
        VERSION,
        samples.name,
        samples.source,
        (samples.n, samples.d),
        str(samples.dtype),
        samples.fingerprint,
        space,
        samples.pixels,
        None if given is None else fingerprint_of(given),
        images,
        samples.ids,
        samples.labels,
    )


def fingerprint_of(values: NDArray[Any]) -> str:
    """Hash of the values as float32, with their shape."""
    whole = hashlib.sha256(f"{values.shape}".encode())
    whole.update(np.ascontiguousarray(values, "<f4").tobytes())
    return whole.hexdigest()[:32]


def beside(path: Path) -> Path:
    """Where the record of a .npy file is."""
    return path.with_name(f"{path.name}.json")


def probabilities_beside(path: Path) -> Path:
    """Where its class probabilities are."""
    return path.with_name(f"{path.stem}.probabilities.npy")


def with_record_beside(samples: Samples, path: Path, choice: Choice) -> Samples:
    """The samples of a .npy file with what stands beside it; a .json of anything else is left alone."""
    file = beside(path)
    if not file.is_file() or file.stat().st_size > _LARGEST:
        return samples
    return with_record(
        samples, file.name, file.read_bytes, lambda: _read_probabilities(probabilities_beside(path)), choice
    )


def with_record_inside(samples: Samples, path: Path, choice: Choice) -> Samples:
    """The samples of the array `features` of a .npz archive with the other arrays that `truegrade embed` writes.

    A damaged record, or damaged probabilities that it vouches for, are a notice; other damage is an InputError.
    """
    with open_npz(path, choice.who) as (archive, members):

        def array(key: str) -> NDArray[Any] | None:
            return read_member(archive, members[key], f"{key!r} of {choice.who}") if key in members else None

        if "provenance" not in members:
            given = array("probabilities")
            fits = given is not None and given.ndim == 2 and given.dtype.kind == "f" and len(given) == samples.n
            return replace(samples, probabilities=given) if fits else samples
        found = with_record(
            samples, "provenance", lambda: str(array("provenance")), lambda: array("probabilities"), choice
        )
        if found.space is None:
            return found
        ids, labels = (
            values if values is not None and values.shape == (samples.n,) else None
            for values in (array("ids"), array("labels"))
        )
        return replace(
            found,
            ids=ids if found.ids is None else found.ids,
            labels=labels if found.labels is None else found.labels,
        )


def with_record(
    samples: Samples,
    where: str,
    text: Callable[[], bytes | str],
    probabilities: Callable[[], NDArray[Any] | None],
    choice: Choice,
) -> Samples:
    """The samples with what a record says of them, or with the notice why it was ignored.

    What the caller gives (labels, ids, pixels) comes before what the record has. Standard names of scores are not taken
    from the record: `truegrade.space.official_names`.
    """
    try:
        found = json.loads(text())
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            return samples
        record = _checked(codec.build(Record, found), samples)
        given = None if record.probabilities is None else _matching(probabilities(), record, samples.n)
    except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, OSError, *DAMAGED) as error:
        reason = str(error) if isinstance(error, InputError) else f"it is damaged ({type(error).__name__}: {error})"
        ignored = notice("record_ignored", file=where, side=samples.name, reason=reason[:300].rstrip("."))
        return replace(samples, notices=(*samples.notices, ignored))
    return replace(
        samples,
        ids=record.ids if samples.ids is None else samples.ids,
        labels=record.labels if samples.labels is None else samples.labels,
        pixels=record.pixels if choice.pixels is None else samples.pixels,
        probabilities=given,
        space=replace(record.space, official=dict(official_names(record.space.embedder))),
    )


def _checked(record: Record, samples: Samples) -> Record:
    if record.version != VERSION:
        raise InputError(f"it has version {record.version}, and version {VERSION} is read")
    if record.fingerprint != samples.fingerprint:
        raise InputError("it describes other values than the file has; embed the images again")
    for what in ("ids", "labels"):
        values = getattr(record, what)
        if values is not None and values.shape != (samples.n,):
            raise InputError(f"it has {what} of shape {values.shape} for {samples.n} rows")
    if record.pixels is not None:
        samples.as_images(record.pixels)
    return record


def _matching(values: NDArray[Any] | None, record: Record, n: int) -> NDArray[np.floating]:
    if values is None:
        raise InputError("the class probabilities that belong to it are not there")
    if values.ndim != 2 or len(values) != n or values.dtype.kind != "f":
        raise InputError(f"its class probabilities have the shape {values.shape} ({values.dtype}) for {n} rows")
    if fingerprint_of(values) != record.probabilities:
        raise InputError("the class probabilities that belong to it were changed")
    return values


def _read_probabilities(path: Path) -> NDArray[Any] | None:
    return read_npy(path, path.name) if path.is_file() else None
