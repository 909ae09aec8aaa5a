"""Which paths hold pictures, to be read by `truegrade.images`; and which options mean nothing for a path."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from truegrade.archive import DAMAGED, member_header
from truegrade.errors import InputError, MissingExtra
from truegrade.images.decode import suffixes
from truegrade.images.listing import COMMON
from truegrade.images.storage import PIXELS


def holds_pictures(path: Path, key: str | None, pixels: Sequence[int] | None) -> bool:
    """Whether a path is a folder, a .zip, a picture, or a .npz with pixels as image generators write it."""
    suffix = path.suffix.lower()
    if path.is_dir() or suffix == ".zip":
        return True
    if suffix == ".npz":
        return pixels is None and key in (None, PIXELS) and _pixel_archive(path)
    try:
        return suffix in suffixes()
    except MissingExtra:
        return suffix in COMMON


def _pixel_archive(path: Path) -> bool:
    """Whether arr_0 is uint8 (n, height, width, 3); a damaged archive is none, and loading says what is wrong."""
    try:
        with zipfile.ZipFile(path) as archive:
            header = member_header(archive, archive.getinfo(f"{PIXELS}.npy"), PIXELS)
    except (InputError, KeyError, *DAMAGED):
        return False
    return header.dtype == np.uint8 and len(header.shape) == 4 and header.shape[3] == 3


def refuse_vector_options(path: Path, **given: object) -> None:
    """InputError for options that only files of numbers have."""
    for option, value in given.items():
        if value is not None:
            raise InputError(f"{option}={value!r} is for files of numbers, and {path} holds images. Leave it out.")


def refuse_image_options(path: Path, *, recursive: bool, on_error: str, value_range: object) -> None:
    """InputError for options that only images have."""
    given = {"recursive": recursive, "on_error": on_error, "value_range": value_range}
    plain = {"recursive": False, "on_error": "refuse", "value_range": None}
    for option, value in given.items():
        if value != plain[option]:
            raise InputError(
                f"{option}={value!r} is for images, and {path} is a file of numbers. Leave it out; where its rows are "
                "images, truegrade.load_images reads it as such."
            )
