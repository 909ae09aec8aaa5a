"""Loading: files and foreign objects become `Samples`, tables with more than numbers `Table`, folders of pictures
`Images`. One suffix, one loader."""

from __future__ import annotations

import difflib
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from truegrade.errors import InputError, notice
from truegrade.images import Images, OnError, load_images
from truegrade.load.arrays import from_mapped, load_npy, load_npz, mapped_rows
from truegrade.load.choice import Choice, Kind, LackingName, NoNumbers, PerRow, are_features, check_kind
from truegrade.load.frames import as_frame, load_frame
from truegrade.load.mixed import TABLE_SUFFIXES, load_table, open_table, table_of
from truegrade.load.peek import column_names
from truegrade.load.pictures import holds_pictures, refuse_image_options, refuse_vector_options
from truegrade.load.tables import load_csv, load_parquet
from truegrade.load.tensors import from_tensor
from truegrade.samples import Samples
from truegrade.scan import NotFinite
from truegrade.tables import Table

__all__ = [
    "LOADERS",
    "TABLE_SUFFIXES",
    "Kind",
    "LackingName",
    "NoNumbers",
    "are_features",
    "as_samples",
    "as_set",
    "as_vectors",
    "check_kind",
    "load",
    "load_table",
    "open_path",
    "table_of",
]

LOADERS: dict[str, Callable[[Path, Choice], Samples]] = {
    ".npy": load_npy,
    ".npz": load_npz,
    ".csv": load_csv,
    ".tsv": load_csv,
    ".parquet": load_parquet,
}


def load(
    path: str | os.PathLike[str],
    *,
    key: str | None = None,
    name: str | None = None,
    labels: str | PerRow | None = None,
    ids: str | PerRow | None = None,
    columns: Sequence[str] | None = None,
    pixels: Sequence[int] | None = None,
    recursive: bool = False,
    on_error: OnError = "refuse",
    value_range: tuple[float, float] | None = None,
) -> Samples | Images | Table:
    """What is at a path: Samples of a file of numbers, a Table of one that holds more, Images of pictures.

    Samples come of .npy, .npz, .csv, .tsv and .parquet (needs the extra `tabular`); of a table with text, dates or
    missing values, and of .arrow, .feather and .ipc files, a Table (`truegrade.load_table` always gives one). Images of
    a folder, a .zip, a picture, and a .npz whose array `arr_0` is uint8 (n, height, width, 3), where `pixels` and `key`
    are not given.

    Args:
        path: the file, n samples by d features; or the folder or archive of images (see `truegrade.load_images`).
        key: which array of a .npz archive; not needed when it holds one.
        name: what to call the set in results; the file's name without suffix by default.
        labels, ids: one per row; or the name of a column of a table, or of an array of an archive. Of images, labels
            may be "folder": the first folder inside `path` that an image lies in.
        columns: names of the columns of a table to grade, in this order; all others by default.
        pixels: (height, width) or (height, width, channels), channels last, where each sample is an image. Arrays
            may then also have the shape (n, height, width) or (n, height, width, channels). Values stay as they are.
        recursive: for folders and archives of images: whether to read the folders inside too.
        on_error: "refuse" an image that cannot be read, or "skip" it and count it; of tables, rows with an infinity.
        value_range: for images of floats: the values of black and white.

    Raises:
        InputError: the file is not there, is of another type, or holds what cannot be graded.
        MissingExtra: the file's type needs an optional dependency.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(
            f"{type(path).__name__} given to load, which reads paths. Arrays, tensors and frames go to evaluate as "
            "they are; images in memory to load_images."
        )
    how: Any = {"recursive": recursive, "on_error": on_error, "value_range": value_range}
    return open_path(Path(path), None, key, name, labels, ids, columns, pixels, **how)


def open_path(
    file: Path,
    kind: Kind | None,
    key: str | None = None,
    name: str | None = None,
    labels: str | PerRow | None = None,
    ids: str | PerRow | None = None,
    columns: Sequence[str] | None = None,
    pixels: Sequence[int] | None = None,
    *,
    recursive: bool = False,
    on_error: OnError = "refuse",
    value_range: tuple[float, float] | None = None,
) -> Samples | Images | Table:
    """What `load` returns, with a say in what tables become; see `as_set`."""
    _check_file(file)
    try:
        if holds_pictures(file, key, pixels):
            refuse_vector_options(file, ids=ids, columns=columns, pixels=pixels)
            how: Any = {"recursive": recursive, "on_error": on_error, "value_range": value_range}
            return load_images(file, name=name, labels=labels, key=key, **how)
        skips = "refuse" if _is_table(file) else on_error
        refuse_image_options(file, recursive=recursive, on_error=skips, value_range=value_range)
        choice = _choice(name or file.stem, str(file), key, labels, ids, columns, pixels)
        if _is_table(file) and pixels is None:
            return _table_or_samples(file, choice, kind, on_error, lambda: _load_file(file, choice))
        samples = _load_file(file, choice)
        return samples if pixels is None else samples.as_images(pixels)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}.") from error


def _is_table(file: Path) -> bool:
    return file.suffix.lower() in TABLE_SUFFIXES


def _load_file(file: Path, choice: Choice) -> Samples:
    loader = LOADERS.get(file.suffix.lower())
    if loader is None:
        raise InputError(f"{file} has the suffix {file.suffix or '(none)'}; {_accepted_files()}")
    return loader(file, choice)


def _table_or_samples(
    given: object, choice: Choice, kind: Kind | None, on_error: OnError, samples: Callable[[], Samples]
) -> Samples | Table:
    """A table by its kind: see `as_set`."""
    names = column_names(given, choice) if kind == "auto" else None
    if kind == "table" or (names is not None and not are_features(names)):
        return open_table(given, choice, on_error=on_error)
    if kind == "vectors":
        return samples()
    try:
        return samples()
    except (NoNumbers, NotFinite) as error:
        if isinstance(error, NotFinite) and math.isinf(error.value) and on_error == "refuse":
            raise
        return open_table(given, choice, on_error=on_error)


def as_samples(
    obj: object,
    name: str | None = None,
    *,
    key: str | None = None,
    labels: str | PerRow | None = None,
    ids: str | PerRow | None = None,
    columns: Sequence[str] | None = None,
    pixels: Sequence[int] | None = None,
) -> Samples:
    """Samples of almost anything: a path, an array or memory map, a tensor, a data frame, nested lists.

    `Samples` come back as they are, under another name if one is given. The other arguments are those of
    `load`; for `Samples` only `pixels` means something. Raises what `load` raises, and InputError for images, which
    have to be embedded first, and for tables that hold more than numbers.
    """
    found = as_vectors(obj, name, key=key, labels=labels, ids=ids, columns=columns, pixels=pixels)
    if isinstance(found, Samples):
        return found
    raise InputError(
        f"{found.who} holds {len(found):,} images, and vectors are needed here; embed them: truegrade embed, "
        "truegrade.embed(truegrade.load(path))."
    )


def as_vectors(obj: object, name: str | None = None, **how: Any) -> Samples | Images:
    """What `as_samples` returns; images, and paths of images, as Images."""
    found = as_set(obj, name, "vectors", **how)
    assert not isinstance(found, Table)
    return found


def as_set(
    obj: object,
    name: str | None = None,
    kind: Kind | None = None,
    *,
    key: str | None = None,
    labels: str | PerRow | None = None,
    ids: str | PerRow | None = None,
    columns: Sequence[str] | None = None,
    pixels: Sequence[int] | None = None,
    on_error: OnError = "refuse",
) -> Samples | Images | Table:
    """What `as_samples` returns; images, and paths of images, as Images; tables by their kind.

    kind: None is Samples of what is all numbers and a Table of what is not; "vectors" only Samples, InputError for what
    is not all numbers; "table" a Table of every table; "auto" a Table where the columns have names of their own
    (not f0, f1 ...) or hold more than numbers.
    """
    if isinstance(obj, Table):
        if kind == "vectors":
            raise _tables_refused(obj)
        return obj if name is None else replace(obj, name=name)
    if isinstance(obj, (Samples, Images)):
        named = obj if name is None else replace(obj, name=name)
        return named.as_images(pixels) if pixels is not None and isinstance(named, Samples) else named
    if isinstance(obj, str | os.PathLike):
        return open_path(Path(obj), kind, key, name, labels, ids, columns, pixels, on_error=on_error)
    choice = _choice(name or "samples", "memory", key, labels, ids, columns, pixels)
    if pixels is None and as_frame(obj, choice.who) is not None:
        return _table_or_samples(obj, choice, kind, on_error, lambda: _in_memory(obj, choice))
    samples = _in_memory(obj, choice)
    return samples if pixels is None else samples.as_images(pixels)


def _tables_refused(table: Table) -> NoNumbers:
    return NoNumbers(
        f"{table.who} is a table of {len(table.columns)} columns, and vectors are needed here.",
        "Choose columns of numbers: truegrade.load(path, columns=[...]) (--columns a,b); or grade it with "
        "evaluate or compare, which read tables.",
    )


def _in_memory(obj: object, choice: Choice) -> Samples:
    frame = as_frame(obj, choice.who)
    if frame is not None:
        return load_frame(frame, choice)
    choice.refuse_key()
    choice.refuse_names()
    mapped = mapped_rows(obj) if isinstance(obj, np.memmap) else None
    if mapped is not None:
        return from_mapped(mapped, replace(choice, source=str(mapped.path)))
    return _from_array(obj, choice)


def _from_array(obj: object, choice: Choice) -> Samples:
    values, foreign = from_tensor(obj, choice.who)
    if not isinstance(values, np.ndarray | list | tuple) and not hasattr(values, "__array__"):
        dense = " Make it dense first: values.toarray()." if hasattr(values, "toarray") else ""
        raise InputError(
            f"{choice.who} is of type {type(obj).__name__}; an array, a tensor, a data frame, nested lists, "
            f"Samples or the path of a file is accepted.{dense}"
        )
    samples = Samples.from_array(values, name=choice.name, labels=choice.labels, ids=choice.ids, pixels=choice.pixels)
    if foreign is None:
        return samples
    return replace(samples, notices=(notice("converted", side=choice.name, dtype=foreign, to=samples.dtype),))


def _choice(
    name: str,
    source: str,
    key: str | None,
    labels: str | PerRow | None,
    ids: str | PerRow | None,
    columns: Sequence[str] | None,
    pixels: Sequence[int] | None,
) -> Choice:
    chosen = (columns,) if isinstance(columns, str) else columns
    return Choice(name, source, key, labels, ids, None if chosen is None else tuple(map(str, chosen)), pixels)


def _accepted_files() -> str:
    return f"{', '.join(LOADERS)} files, and folders and .zip archives of images, are accepted."


def _check_file(path: Path) -> None:
    if path.is_file() or path.is_dir():
        return
    if path.exists():
        raise InputError(f"{path} is not a regular file. {_accepted_files()}")
    if path.is_symlink():
        raise InputError(f"{path} is a link that leads to no file; name the file itself.")
    if not path.absolute().parent.is_dir():
        raise InputError(f"There is no file {path}: the folder {path.parent} does not exist.")
    known = (*LOADERS, ".zip")
    siblings = [p for p in path.absolute().parent.iterdir() if p.suffix.lower() in known or p.is_dir()]
    there = {(p.name if p.is_dir() else p.stem).lower(): p.name for p in siblings if not p.name.startswith(".")}
    near = difflib.get_close_matches(path.stem.lower(), list(there), n=1)
    hint = f" Did you mean {path.with_name(there[near[0]])}?" if near else ""
    raise InputError(f"There is no file {path} (looked in {path.absolute().parent}).{hint}")
