"""Binary files: arrays in safetensors files that are kept for the next time, and files written whole or not at all.

Nothing is unpickled.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from truegrade.codec import prepare_output
from truegrade.errors import InputError

Arrays = dict[str, NDArray[Any]]


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


def write_by(path: str | os.PathLike[str], save: Callable[[IO[bytes]], object]) -> Path:
    """A file that `save` writes, whole or not at all; missing folders are created, InputError where it cannot be."""
    path = prepare_output(path)
    temporary = path.with_name(f".truegrade.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        with open(temporary, "wb") as file:
            save(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise InputError(f"{path} cannot be written: {error.strerror or error}.") from error
        raise
    return path
