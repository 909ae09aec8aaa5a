"""Vectors to files, with what made them: .npy with a description beside it, or one .npz."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from truegrade import codec
from truegrade.codec import prepare_output, write_by
from truegrade.errors import InputError
from truegrade.load.provenance import Record, beside, probabilities_beside, record_of
from truegrade.samples import Samples
from truegrade.stored import Arrays


def output_files(path: str | os.PathLike[str], *, classes: bool = True) -> list[Path]:
    """The files that `save_vectors` writes, ready to be written; InputError where one of them cannot be."""
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in (".npy", ".npz"):
        raise InputError(f"{target} has the suffix {target.suffix or '(none)'}; .npy and .npz are written.")
    more = [beside(target), *([probabilities_beside(target)] if classes else [])] if kind == ".npy" else []
    return [prepare_output(file) for file in (target, *more)]


def save_vectors(samples: Samples, path: str | os.PathLike[str], *, images: str | None = None) -> list[Path]:
    """Write embedded samples to f.npy with f.npy.json (and f.probabilities.npy), or all in one f.npz.

    `truegrade.load` gives them back with space, ids, labels and class probabilities, while the vectors are unchanged.
    images: the fingerprint of what was embedded, for the record. Each file is whole or not there; returns them.
    Raises InputError for samples without a space, another suffix, and files that cannot be written.
    """
    if samples.space is None:
        raise InputError(f"{samples.name} was not embedded; numpy.save writes plain arrays.")
    output_files(path, classes=samples.probabilities is not None)
    record = record_of(samples, samples.space, images)
    return (_save_npz if Path(path).suffix.lower() == ".npz" else _save_npy)(samples, record, Path(path))


def _save_npy(samples: Samples, record: Record, path: Path) -> list[Path]:
    """The record last: until then an older one does not fit, and is ignored."""
    given, classes = samples.probabilities, probabilities_beside(path)
    if given is not None:
        write_by(classes, lambda out: np.save(out, given, allow_pickle=False))
    write_by(path, lambda out: np.save(out, samples.array(), allow_pickle=False))
    codec.write(beside(path), codec.dumps(codec.encode(record)))
    return [path, beside(path), *([] if given is None else [classes])]


def _save_npz(samples: Samples, record: Record, path: Path) -> list[Path]:
    arrays: Arrays = {"features": samples.array()}
    for what in ("probabilities", "ids", "labels"):
        values = getattr(samples, what)
        if values is not None:
            arrays[what] = values
    plain = replace(record, ids=None, labels=None)
    arrays["provenance"] = np.array(codec.dumps(codec.encode(plain)))
    return [write_by(path, lambda out: np.savez(out, **arrays))]  # type: ignore[arg-type]
