"""Arrays in safetensors files that are kept for the next time. Nothing is unpickled."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError

Arrays = dict[str, NDArray[Any]]


def cache_folder(folder: object, accepted: str) -> Path:
    """The folder of a cache, which is made if it is not there; InputError where it cannot be one."""
    if not isinstance(folder, (str, os.PathLike)):
        raise InputError(f"cache={repr(folder)[:60]} given; {accepted} is accepted.")
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"The cache {os.fspath(folder)!r} is no folder and cannot be made one: {error.strerror or error}. "
            "Name another folder, or none."
        ) from error
    return Path(folder)


def read_arrays(path: Path) -> tuple[Arrays, dict[str, str]] | None:
    """The arrays of a safetensors file and its texts; None where there is no file, or a damaged one."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="numpy") as file:
            texts = dict(file.metadata() or {})
            return {name: file.get_tensor(name) for name in file.keys()}, texts  # noqa: SIM118
    except (SafetensorError, OSError, LookupError, TypeError, ValueError):
        return None


def keep_arrays(path: Path, arrays: Mapping[str, NDArray[Any]], texts: Mapping[str, str]) -> bool:
    """Write a safetensors file, whole or not at all; False where that cannot be done, which is no error."""
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    whole = {name: np.ascontiguousarray(np.atleast_1d(value)) for name, value in arrays.items()}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
        os.close(handle)
        try:
            save_file(whole, temporary, metadata=dict(texts))
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except (OSError, SafetensorError):  # the latter where the disk is full
        return False
    return True
