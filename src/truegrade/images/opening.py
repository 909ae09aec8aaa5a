"""`load_images`: folders, archives, lists of files, arrays and iterables become `Images`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from truegrade.errors import InputError
from truegrade.images.collection import Images, OnError
from truegrade.images.sources import ArraySource, FileSource


def load_images(
    source: object,
    *,
    name: str | None = None,
    recursive: bool = False,
    on_error: OnError = "refuse",
    value_range: tuple[float, float] | None = None,
    labels: Any = None,
) -> Images:
    """The images of a folder, a zip, a list of paths, an array, an iterable, or Samples with pixels."""
    if isinstance(source, np.ndarray):
        return Images(ArraySource(source), name or "images", "memory", on_error, labels)
    folder = Path(str(source))
    found = sorted(folder.rglob("*") if recursive else folder.iterdir())
    paths = tuple(p for p in found if p.suffix.lower() in (".png", ".jpg", ".jpeg", ".webp"))
    if not paths:
        raise InputError(f"{folder} holds no images.")
    ids = tuple(p.relative_to(folder).as_posix() for p in paths)
    return Images(FileSource(paths, ids), name or folder.name, str(folder), on_error, labels)
