"""`load_images`: folders, archives, lists of files, arrays and iterables become `Images`."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from truegrade.archive import DAMAGED
from truegrade.errors import InputError, Notice, notice
from truegrade.images import decode, frames, listing, shapes
from truegrade.images.collection import Images, OnError, Source
from truegrade.images.ranges import Range, check_range, evident, extent
from truegrade.images.sources import FileSource, ZipSource
from truegrade.images.storage import stored_frames
from truegrade.samples import Samples

PerImage = Sequence[object] | NDArray[Any]
ACCEPTED = "Folders and .zip archives of images, image files, and .npy and .npz arrays of pixels are accepted."


def load_images(
    source: object,
    *,
    name: str | None = None,
    recursive: bool = False,
    on_error: OnError | None = None,
    value_range: tuple[float, float] | None = None,
    labels: str | PerImage | None = None,
    key: str | None = None,
) -> Images:
    """The images of a source, listed now and decoded when they are streamed.

    Args:
        source: one of

            - a folder, or a .zip of one (read without unpacking it to disk); files are told by suffix, in any case,
              and come in natural order (2.png before 10.png);
            - a path of an image, or a list of such paths;
            - an array (n, height, width) or (n, height, width, 1, 3 or 4 channels), a tensor (n, channels, height,
              width), or a .npy or .npz file of such an array; large .npy files stay on disk;
            - a list of Pillow images, arrays or tensors, used where they lie;
            - any other iterable of these: it is consumed at once into a nameless temporary file, which goes with the
              images, so never more than one item is in memory;
            - Samples with `pixels`, or Images, which may get another name, `on_error` and `labels`.
        name: what to call the set in results; by default the last part of the path.
        recursive: whether to read folders inside a folder or archive too.
        on_error: "refuse" (an unreadable image is an InputError) or "skip" (it is left out and counted). By default
            "refuse", and as they have it for Images.
        value_range: the values of black and white in arrays, and in files of 32-bit integers or floats. Not needed
            for uint8, booleans, 8 and 16-bit files, and arrays whose range is evident (`truegrade.images.ranges`).
        labels: one per image; "folder" for the first folder inside the source that an image lies in; or the name of
            an array of a .npz.
        key: which array of a .npz; by default the only one, or arr_0.

    Raises:
        InputError: nothing is there, it holds no images, or which values are black and white is doubtful.
        MissingExtra: Pillow is not installed.
    """
    if on_error is not None and on_error not in get_args(OnError):
        raise InputError(f'on_error={on_error!r} given; "refuse" and "skip" are accepted.')
    chosen = check_range(value_range)
    if isinstance(source, (str, os.PathLike)):
        images = _of_path(Path(source), name, recursive, chosen, key, labels)
    else:
        _refuse_options(source, recursive, key, chosen)
        how = _How(chosen, on_error or "refuse", labels is not None)
        images = source if isinstance(source, Images) else _in_memory(source, name or "images", how)
    images = replace(images, name=name or images.name, on_error=on_error or images.on_error)
    return images if labels is None else replace(images, labels=_labels(labels, images))


@dataclass(frozen=True)
class _How:
    """How what lies in memory is read; labelled: whether labels say that there are several images."""

    value_range: Range | None
    on_error: OnError
    labelled: bool


def _refuse_options(source: object, recursive: bool, key: str | None, value_range: Range | None) -> None:
    if value_range is not None and isinstance(source, Images):
        raise InputError(
            f"value_range={value_range} given for {source.who}, which were opened already; say it when they are opened."
        )
    if recursive:
        raise InputError(f"recursive=True is for folders and archives; {type(source).__name__} given. Leave it out.")
    if key is not None:
        raise InputError(f"key={key!r} chooses an array of a .npz file; {type(source).__name__} given. Leave it out.")


def _of_path(
    path: Path, name: str | None, recursive: bool, value_range: Range | None, key: str | None, labels: object
) -> Images:
    listing.refuse_missing(path, ACCEPTED)
    suffix = path.suffix.lower()
    if key is not None and (suffix != ".npz" or path.is_dir()):
        raise InputError(f"key={key!r} chooses an array of a .npz file, and {path} is none. Leave it out.")
    try:
        if path.is_dir():
            return _folder(path, name, recursive, value_range)
        if path.is_file() and suffix == ".zip":
            return _zip(path, name, recursive, value_range)
        if recursive:
            raise InputError(f"recursive=True (--recursive) is for folders and archives, and {path} is a file.")
        if path.is_file() and suffix in (".npy", ".npz"):
            return _stored(path, name or path.stem, key, value_range, labels)
        if path.is_file() and suffix in decode.suffixes():
            return Images(FileSource((str(path),), (listing.printable(path.name),), value_range), path.stem, str(path))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    kind = f"has the suffix {suffix or '(none)'}" if path.is_file() else "is no regular file"
    raise InputError(f"{path} {kind}. {ACCEPTED}")


def _folder(path: Path, name: str | None, recursive: bool, value_range: Range | None) -> Images:
    found = listing.list_folder(path, recursive)
    listing.refuse_empty(found, f"the folder {path}", path)
    ids = found.ids()
    source = FileSource(tuple(found.found[one] for one in ids), tuple(ids), value_range)
    return _listed(source, name or listing.printable(path.absolute().name) or "images", path, found)


def _zip(path: Path, name: str | None, recursive: bool, value_range: Range | None) -> Images:
    try:
        with zipfile.ZipFile(path) as archive:
            found = listing.list_members(archive.namelist(), recursive)
    except (*DAMAGED, OSError) as error:
        raise InputError(f"{path} is no zip archive, or it is damaged: {str(error).rstrip('.')}.") from error
    listing.refuse_empty(found, f"the archive {path}")
    ids = found.ids()
    members = tuple((found.found[one], found.again.get(one, 0)) for one in ids)
    source = ZipSource(path.absolute(), members, tuple(ids), value_range)
    return _listed(source, name or path.stem, path, found)


def _listed(source: Source, name: str, path: Path, found: listing.Listing) -> Images:
    passed = dict(sorted(found.passed.items()))
    return Images(source, name, str(path), notices=(*found.notices(name), *_truncation()), listed=passed)


def _truncation() -> tuple[Notice, ...]:
    """A note where other code has told Pillow to fill truncated files with grey, since they are not noticed then."""
    from PIL import ImageFile

    return (notice("truncation_unseen"),) if ImageFile.LOAD_TRUNCATED_IMAGES else ()


def _stored(path: Path, name: str, key: str | None, value_range: Range | None, labels: object) -> Images:
    wish = labels if isinstance(labels, str) and labels != "folder" else None
    stored, found, notices = stored_frames(path, name, key, wish, labels is not None)
    images = _of_frames(stored, name, str(path), value_range)
    return replace(images, labels=found, notices=(*images.notices, *notices))


def _in_memory(source: object, name: str, how: _How) -> Images:
    value, first = shapes.unwrapped(source)
    if isinstance(source, Samples):
        if source.pixels is None:
            raise InputError(
                f"{source.name} holds vectors, not images; give pixels=(height, width) when it is loaded if each row "
                "is an image."
            )
        stored = frames.SampleFrames(source.rows, source.pixels)
        images = _of_frames(stored, source.name, source.source, how.value_range)
        return replace(images, labels=source.labels)
    if isinstance(value, np.ndarray):
        shapes.check_images(value.shape, value.dtype, first, name, how.labelled)
        return _of_frames(frames.ArrayFrames(value, first), name, "memory", how.value_range)
    many = isinstance(value, Iterable) or hasattr(value, "__getitem__")
    if not many or shapes.is_pillow(value) or isinstance(value, dict):
        raise InputError(
            f"{name} is of type {type(source).__name__}; a folder, an archive, an array, or a list of paths, images, "
            "arrays or tensors is accepted."
        )
    return _of_items(value, name, how)


def _of_items(items: Any, name: str, how: _How) -> Images:
    if not isinstance(items, (list, tuple)):
        waiting = iter(items)
        start = list(islice(waiting, 1))
        if start and _is_path(start[0]):
            return _paths([*start, *waiting], name, how.value_range)
        return _of_frames(_spooled(chain(start, waiting), name, how), name, "memory", how.value_range)
    if not items:
        raise InputError(f"{name} is an empty list; at least one image is needed.")
    if _is_path(items[0]):
        return _paths(items, name, how.value_range)
    batches = False
    for index, item in enumerate(items):
        value, _ = shapes.unwrapped(item)
        shapes.check_item(value, item, f"item {index} of {name}")
        batches = batches or (not shapes.is_pillow(value) and value.ndim == 4)
    stored = _spooled(items, name, how) if batches else frames.ListFrames(items)
    return _of_frames(stored, name, "memory", how.value_range)


def _spooled(items: Iterable[Any], name: str, how: _How) -> frames.SpooledFrames:
    stored = frames.spooled(items, name, how.value_range, how.on_error)
    if not len(stored):
        raise InputError(f"{name} gave no images; was the generator consumed before? Give a fresh one, or a list.")
    return stored


def _is_path(item: object) -> bool:
    return isinstance(item, (str, os.PathLike))


def _paths(items: Sequence[Any], name: str, value_range: Range | None) -> Images:
    odd = next((item for item in items if not _is_path(item)), None)
    if odd is not None:
        raise InputError(f"{name} mixes paths and {type(odd).__name__}; give a list of one kind.")
    paths = [os.fsdecode(item) for item in items]
    for path in paths:
        suffix = os.path.splitext(path)[1].lower()
        if suffix not in decode.suffixes() and os.path.exists(path):
            what = f"{listing.printable(path)} in {name} has the suffix {suffix or '(none)'}"
            raise InputError(f"{what}; a list of paths holds paths of images alone.")
    ids = tuple(listing.printable(path) for path in paths)
    return Images(FileSource(tuple(paths), ids, value_range), name, "memory", notices=_truncation())


def _of_frames(stored: frames.Frames, name: str, source: str, value_range: Range | None) -> Images:
    who = name if source == "memory" else f"{name} ({source})"
    dtypes = stored.dtypes()
    deep = sorted({str(dtype) for dtype in dtypes if dtype not in (np.uint8, np.bool_)})
    if len(deep) < len({str(dtype) for dtype in dtypes}) and deep:
        raise InputError(f"{who} mixes arrays of uint8 or booleans with {', '.join(deep)}; give one type.")
    if value_range is not None or not deep:
        notes = _dark(stored, name) if value_range is None else ()
        return Images(frames.PixelSource(stored, who, value_range), name, source, notices=notes)
    integers = all("int" in dtype for dtype in deep)
    low, high = evident(extent(frames.numbered(stored)), integers, who)
    taken = notice("range_taken", side=name, dtype=", ".join(deep), low=f"{low:g}", high=f"{high:g}")
    return Images(frames.PixelSource(stored, who, (low, high)), name, source, notices=(taken,))


def _dark(stored: frames.Frames, name: str) -> tuple[Notice, ...]:
    """A warning where no uint8 value is above 1: floats of 0 to 1 were cast, perhaps."""
    if np.dtype(np.uint8) not in stored.dtypes():
        return ()
    bright = any(values.dtype == np.bool_ or values.max(initial=0) > 1 for _, values in frames.numbered(stored))
    return () if bright else (notice("nearly_black", side=name),)


def _labels(labels: str | PerImage, images: Images) -> NDArray[Any]:
    """One label per image; InputError for another number, and for "folder" where there are no folders."""
    if isinstance(labels, str) and labels != "folder":
        if images.labels is None:
            raise InputError(f'labels={labels!r} given; {images.who} has one label per image, or "folder".')
        return images.labels
    if isinstance(labels, str):
        if not all("/" in one for one in images.ids):
            raise InputError(
                f'labels="folder" given, but not all images of {images.who} lie in folders inside it; use it with '
                "recursive=True where every class has its folder."
            )
        return np.array([one.split("/")[0] for one in images.ids])
    array = np.asarray(labels)
    if array.shape != (len(images),):
        what = f"{images.who} has {len(images):,} images but labels of shape {array.shape}"
        raise InputError(f"{what}; give one per image.")
    return array.astype(str) if array.dtype.kind == "O" else array
