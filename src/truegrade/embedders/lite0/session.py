"""Running an ONNX model with onnxruntime, and keeping a model that was built in the user's cache."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.codec import write_by
from truegrade.errors import InputError, MissingExtra

Floats = NDArray[np.float32]

_DIGEST = 32  # bytes in front of a kept model
_AT_ONCE = 4  # images: their layers stay in the cache; 16 take a third longer


def require(embedder: str) -> None:
    """MissingExtra where onnx or onnxruntime is not installed; neither is imported."""
    lacking = [name for name in ("onnx", "onnxruntime") if importlib.util.find_spec(name) is None]
    if lacking:
        raise MissingExtra(f"The embedder {embedder} needs {', '.join(lacking)}; pip install 'truegrade[images]'.")


def open_session(model: bytes, threads: int) -> Any:
    """An onnxruntime session on the processor with so many threads; `run_session` may be called from any thread."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # waiting threads leave the cores alone
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def run_session(session: Any, inputs: Floats, outputs: Sequence[str]) -> list[Floats]:
    """The named outputs for inputs (b, 3, side, side); a row does not depend on the others of its batch.

    Raises InputError for another shape.
    """
    shape = tuple(session.get_inputs()[0].shape[1:])
    if inputs.shape[1:] != shape or not len(inputs):
        raise InputError(
            f"Inputs of shape {inputs.shape} were given to a network; (b, {', '.join(map(str, shape))}), "
            "b at least 1, is accepted. `prepare` makes them of images."
        )
    whole = np.ascontiguousarray(inputs, np.float32)
    made = [session.run(list(outputs), {"input": whole[i : i + _AT_ONCE]}) for i in range(0, len(whole), _AT_ONCE)]
    return [np.concatenate(parts) for parts in zip(*made, strict=True)]


def cache_folder() -> Path | None:
    """Where built models are kept: $TRUEGRADE_CACHE, else the user's cache folder; None where there is no home."""
    chosen = os.environ.get("TRUEGRADE_CACHE")
    if chosen:
        return Path(chosen) / "networks"
    try:
        return _user_cache() / "truegrade" / "networks"
    except RuntimeError:
        return None


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    named = os.environ.get("XDG_CACHE_HOME", "")
    return Path(named) if os.path.isabs(named) else Path.home() / ".cache"


def kept_model(key: str, build: Callable[[], bytes]) -> bytes:
    """The model kept under `key`, or built now and kept; a damaged file is built anew.

    A folder that cannot be read or written is no reason to fail: the model then lives in memory alone.
    """
    folder = cache_folder()
    path = None if folder is None else folder / f"{key}.onnx"
    model = None if path is None else _read(path)
    if model is None:
        model = build()
        if path is not None:
            _keep(path, model)
    return model


def _read(path: Path) -> bytes | None:
    """The model in a file that begins with its sha256, or None where there is no such file or it is damaged."""
    try:
        content = path.read_bytes()
    except (OSError, ValueError):
        return None
    digest, model = content[:_DIGEST], content[_DIGEST:]
    return model if hashlib.sha256(model).digest() == digest else None


def _keep(path: Path, model: bytes) -> None:
    with suppress(InputError, ValueError):
        write_by(path, lambda file: file.write(hashlib.sha256(model).digest() + model))
