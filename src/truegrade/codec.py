"""Strict JSON without loss, and files that are never half-written.

JSON has no NaN and no infinity: they become null with a reason, and come back exactly. Finite floats are
written by their shortest exact representation (float32 as 0.1, not as the float64 0.10000000149011612), pixels as
base64.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import math
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import UnionType
from typing import IO, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError

T = TypeVar("T")
_REASONS = {"not a number": math.nan, "infinite": math.inf, "minus infinite": -math.inf}
_PACKED = {"uint8": "u1", "int8": "i1", "int16": "<i2"}  # pictures and recordings: a third of the size


def plain(value: object) -> Any:
    """The value in terms of None, bool, int, float, str, list and dict, so that a round trip is exact.

    Numpy scalars become Python's, tuples lists, dataclasses dicts with their type's name, the rest its repr.
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return {"type": type(value).__name__, **parts}
    return getattr(value, "__name__", None) or repr(value)


def encode(value: Any) -> Any:
    """The value as strict JSON: arrays with dtype and shape, records as objects, non-finite numbers as null
    with a reason."""
    if isinstance(value, np.ndarray):
        return _encode_array(value)
    if isinstance(value, np.generic):
        return encode(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": None, "reason": _reason(value)}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(k): encode(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [encode(v) for v in value]
    return value


def decode(value: Any) -> Any:
    """The inverse of `encode`; lists stay lists."""
    if isinstance(value, list):
        return [decode(v) for v in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"number", "reason"} and value["number"] is None:
        return _REASONS[value["reason"]]
    if value.keys() == {"array", "dtype", "shape", "not_finite"}:
        return _decode_array(value)
    return {k: decode(v) for k, v in value.items()}


def _reason(value: float) -> str:
    return "not a number" if math.isnan(value) else "infinite" if value > 0 else "minus infinite"


def _encode_array(array: NDArray[Any]) -> dict[str, Any]:
    flat = array.ravel()
    if array.dtype.name in _PACKED:
        text = base64.b64encode(flat.astype(_PACKED[array.dtype.name]).tobytes()).decode("ascii")
        return {"array": text, "dtype": array.dtype.name, "shape": list(array.shape), "not_finite": {}}
    values: list[Any] = _shortest(flat) if array.dtype == np.float32 else flat.tolist()
    wild: dict[str, list[int]] = {}
    if array.dtype.kind == "f":
        for at in np.flatnonzero(~np.isfinite(flat)).tolist():
            wild.setdefault(_reason(values[at]), []).append(at)
            values[at] = None
    dtype = array.dtype.str if array.dtype.kind in "SU" else array.dtype.name
    return {"array": values, "dtype": dtype, "shape": list(array.shape), "not_finite": wild}


def _shortest(values: NDArray[np.float32]) -> list[float]:
    """float32 values (n,) as the floats of fewest digits that become them again."""
    short = values.astype(str).astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        again = short.astype(np.float32) == values
    found: list[float] = np.where(again, short, values).tolist()
    return found


def _decode_array(record: dict[str, Any]) -> NDArray[Any]:
    if isinstance(record["array"], str):
        flat = np.frombuffer(base64.b64decode(record["array"], validate=True), _PACKED[record["dtype"]])
        return flat.astype(record["dtype"]).reshape(record["shape"])
    values = list(record["array"])
    for reason, places in record["not_finite"].items():
        for at in places:
            values[at] = _REASONS[reason]
    return np.array(values, dtype=np.dtype(record["dtype"])).reshape(record["shape"])


def build(hint: Any, value: Any) -> Any:
    """The inverse of `encode` for a value of this annotated type: records, and containers of records, too.

    TypeError for an unknown, lacking or mistyped field, named in the message.
    """
    origin, inner = get_origin(hint), get_args(hint)
    if origin is UnionType:
        others = [one for one in inner if one is not type(None)]
        return build(others[0], value) if value is not None and len(others) == 1 else decode(value)
    if dataclasses.is_dataclass(hint) and isinstance(value, Mapping):
        hints = get_type_hints(hint)
        return make(hint, {name: build(hints.get(name, Any), v) for name, v in value.items()})  # type: ignore[arg-type]
    if origin is tuple and isinstance(value, list):
        each = [inner[0]] * len(value) if Ellipsis in inner else [*inner, *[Any] * (len(value) - len(inner))]
        return tuple(build(one, v) for one, v in zip(each, value, strict=True))
    if origin is Mapping and isinstance(value, Mapping) and _is_plain(value):
        return {k: build(inner[1], v) for k, v in value.items()}
    return decode(value)


def _is_plain(value: Mapping[str, Any]) -> bool:
    """Whether an object of JSON is a mapping, and not how a number or an array is written."""
    return value.keys() not in ({"number", "reason"}, {"array", "dtype", "shape", "not_finite"})


def make(kind: type[T], values: Any) -> T:
    """A dataclass of decoded values; TypeError for an unknown, lacking or mistyped one, named in the message."""
    hints = get_type_hints(kind)
    for name, value in values.items():
        if name in hints and not _fits(value, hints[name]):
            raise TypeError(f"{kind.__name__}.{name} is {str(value)[:60]!r}")
    return kind(**values)


def _fits(value: object, hint: Any) -> bool:
    """Whether a decoded value is of this annotated type; of containers only the kind is looked at."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return any(_fits(value, one) for one in inner)
    if origin is Literal:
        return value in inner
    if hint is Any:
        return True
    if hint in (int, float):
        return isinstance(value, (int, hint)) and not isinstance(value, bool) and not _beyond(value)
    if not isinstance(value, origin or hint):
        return False
    if isinstance(value, tuple) and Ellipsis not in inner:
        return len(value) == len(inner) and all(_fits(v, one) for v, one in zip(value, inner, strict=True))
    return True


def _beyond(value: float) -> bool:
    """Whether an integer of JSON is larger than any float."""
    return isinstance(value, int) and value.bit_length() > 1023


def dumps(record: Mapping[str, Any]) -> str:
    """Strict JSON text of an encoded record."""
    return json.dumps(record, allow_nan=False) + "\n"


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The JSON object in a file; InputError when it cannot be read, is not JSON or holds NaN."""
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"), parse_constant=_refuse_constant)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not strict JSON ({error}); give a file that truegrade wrote.") from error
    if not isinstance(record, dict):
        raise InputError(f"{path} holds a JSON {type(record).__name__}; give a file that truegrade wrote.")
    return record


def _refuse_constant(word: str) -> float:
    raise ValueError(f"{word} is not JSON")


def prepare_output(path: str | os.PathLike[str]) -> Path:
    """Make sure, before any work, that `path` can be written: creates missing folders, refuses otherwise."""
    path = Path(path)
    if os.path.isdir(path):
        raise InputError(f"{path} is a folder; give the name of a file in it.")
    if os.path.exists(path) and not os.path.isfile(path):
        raise InputError(f"{path} is a device or a pipe; give the name of an ordinary file.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            path.stat()  # a name that no file can have
        trial = _beside(path)
        trial.touch()
        trial.unlink()
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error} ({path.parent}).") from error
    if path.exists() and not os.access(path, os.W_OK):
        raise InputError(f"{path} cannot be written: permission denied.")
    return path


def _beside(path: Path) -> Path:
    """A temporary file in the same folder, this thread's own; its name is short however long that of `path` is."""
    return path.with_name(f".truegrade.{os.getpid()}-{threading.get_ident()}.tmp")


def write(path: str | os.PathLike[str], text: str) -> Path:
    """Write the text, whole or not at all."""
    return write_by(path, lambda file: file.write(text.encode("utf-8")))


def write_by(path: str | os.PathLike[str], save: Callable[[IO[bytes]], object]) -> Path:
    """A file that `save` writes, whole or not at all: to a temporary file beside `path` that is moved into place.

    Missing folders are created; InputError where it cannot be written.
    """
    path = prepare_output(path)
    temporary = _beside(path)
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
