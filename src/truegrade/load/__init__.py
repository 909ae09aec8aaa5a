"""Loading: files and foreign objects become `Samples`, folders of pictures `Images`. One suffix, one loader."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from truegrade.errors import InputError, notice
from truegrade.images import Images, OnError, load_images
from truegrade.load.arrays import from_mapped, load_npy, load_npz, mapped_rows
from truegrade.load.choice import Choice, LackingName, PerRow
from truegrade.load.frames import as_frame, load_frame
from truegrade.load.pictures import holds_pictures, refuse_image_options, refuse_vector_options
from truegrade.load.tables import load_csv, load_parquet
from truegrade.samples import Samples

__all__ = ["LOADERS", "LackingName", "as_samples", "as_set", "load"]

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
) -> Samples | Images:
    """What is at a path: Samples of a file of numbers, Images of a folder or archive of pictures.

    Samples come of .npy, .npz, .csv, .tsv and .parquet (needs the extra `tabular`); Images of a folder, a .zip, a
    picture, and a .npz whose array `arr_0` is uint8 (n, height, width, 3), where `pixels` and `key` are not given.

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
        on_error: for images: "refuse" one that cannot be read, or "skip" it and count it.
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
    file = Path(path)
    _check_file(file)
    try:
        if holds_pictures(file, key, pixels):
            refuse_vector_options(file, ids=ids, columns=columns, pixels=pixels)
            how: Any = {"recursive": recursive, "on_error": on_error, "value_range": value_range}
            return load_images(file, name=name, labels=labels, key=key, **how)
        refuse_image_options(file, recursive=recursive, on_error=on_error, value_range=value_range)
        loader = LOADERS.get(file.suffix.lower())
        if loader is None:
            raise InputError(f"{file} has the suffix {file.suffix or '(none)'}; {_accepted_files()}")
        samples = loader(file, _choice(name or file.stem, str(file), key, labels, ids, columns, pixels))
        return samples if pixels is None else samples.as_images(pixels)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}.") from error


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
    have to be embedded first.
    """
    found = as_set(obj, name, key=key, labels=labels, ids=ids, columns=columns, pixels=pixels)
    if isinstance(found, Samples):
        return found
    raise InputError(
        f"{found.who} holds {len(found):,} images, and vectors are needed here; embed them: truegrade embed, "
        "truegrade.embed(truegrade.load(path))."
    )


def as_set(
    obj: object,
    name: str | None = None,
    *,
    key: str | None = None,
    labels: str | PerRow | None = None,
    ids: str | PerRow | None = None,
    columns: Sequence[str] | None = None,
    pixels: Sequence[int] | None = None,
) -> Samples | Images:
    """What `as_samples` returns; images, and paths of images, as Images."""
    if isinstance(obj, (Samples, Images)):
        named = obj if name is None else replace(obj, name=name)
        return named.as_images(pixels) if pixels is not None and isinstance(named, Samples) else named
    if isinstance(obj, str | os.PathLike):
        return load(obj, key=key, name=name, labels=labels, ids=ids, columns=columns, pixels=pixels)
    choice = _choice(name or "samples", "memory", key, labels, ids, columns, pixels)
    samples = _in_memory(obj, choice)
    return samples if pixels is None else samples.as_images(pixels)


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
    values, foreign = _from_tensor(obj, choice.who)
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


def _from_tensor(obj: object, who: str) -> tuple[object, str | None]:
    """A torch tensor as a numpy array, and its type where numpy has none for it; other objects as they are.

    torch is looked up among the loaded modules, never imported.
    """
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(obj, torch.Tensor):
        return obj, None
    tensor: Any = obj.detach().cpu()
    brain = tensor.dtype == torch.bfloat16
    try:
        return (tensor.float() if brain else tensor).numpy(), "bfloat16" if brain else None
    except (TypeError, RuntimeError) as error:
        raise InputError(f"{who} is a tensor that numpy cannot hold: {error}") from error


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
