"""Tensors from a file in torch's older format, without unpickling.

Such a file is five pickles (magic number, protocol, byte order, the dictionary of tensors, the keys of their storages)
and then the storages. The pickles are read as a list of opcodes; only those that a dictionary of tensors is made of
are understood, and names such as `torch.FloatStorage` stay text: nothing is imported and nothing is called.
"""

from __future__ import annotations

import io
import pickletools
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError

Tensors = dict[str, NDArray[Any]]

_MAGIC, _PROTOCOL = 0x1950A86A20F9469CFC6C, 1001
_DICTIONARY, _REBUILD = "collections OrderedDict", "torch._utils _rebuild_tensor_v2"
_TYPES: dict[str, np.dtype[Any]] = {"torch FloatStorage": np.dtype("<f4"), "torch LongStorage": np.dtype("<i8")}


class _Mark:
    """What the opcode MARK puts on the stack."""


@dataclass(frozen=True)
class _Name:
    """A name of a module's member, as text."""

    text: str


@dataclass(frozen=True)
class _Storage:
    key: str
    dtype: np.dtype[Any]
    size: int


@dataclass(frozen=True)
class _View:
    """A tensor, as a view of a storage: all in elements."""

    storage: _Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def read_tensors(data: bytes) -> Tensors:
    """The tensors of a saved dictionary, by name, as arrays of their own (float32 or int64).

    Raises InputError for anything else than a whole file of that kind: other opcodes, other names, tensors that reach
    beyond their storage, missing or surplus bytes.
    """
    try:
        return _read(io.BytesIO(data))
    except (ValueError, TypeError, LookupError, AttributeError, struct.error, OverflowError) as error:
        raise InputError(
            f"The weights are not a plain dictionary of tensors ({error}); nothing of the file was run. "
            "Install the package that holds them again."
        ) from error


def _read(stream: io.BytesIO) -> Tensors:
    if _Pickle().read(stream) != _MAGIC or _Pickle().read(stream) != _PROTOCOL:
        raise ValueError("another format")
    if _Pickle().read(stream)["little_endian"] is not True:
        raise ValueError("another byte order")
    views, keys = _Pickle().read(stream), _Pickle().read(stream)
    if not isinstance(views, dict) or not all(isinstance(view, _View) for view in views.values()):
        raise ValueError("something else than tensors in the dictionary")
    storages = {view.storage.key: view.storage for view in views.values()}
    if not isinstance(keys, list) or len(keys) != len(storages):
        raise ValueError("another list of storages than that of the tensors")
    held = {key: _content(stream, storages[key]) for key in keys}
    if stream.read(1):
        raise ValueError("bytes after the last storage")
    return {name: _array(view, held[view.storage.key]) for name, view in views.items()}


def _content(stream: io.BytesIO, storage: _Storage) -> NDArray[Any]:
    (size,) = struct.unpack("<q", stream.read(8))
    if size != storage.size or size < 0:
        raise ValueError(f"a storage of {size} values where {storage.size} were announced")
    return np.frombuffer(stream.read(size * storage.dtype.itemsize), storage.dtype, size)


def _array(view: _View, held: NDArray[Any]) -> NDArray[Any]:
    """A copy of the view; numpy refuses one that reaches beyond what is held."""
    numbers = (view.offset, *view.shape, *view.strides)
    if not all(type(number) is int and number >= 0 for number in numbers) or len(view.shape) > 4:
        raise ValueError(f"a tensor of offset, shape and strides {numbers}")
    if int(np.prod(view.shape, dtype=object)) > len(held):
        raise ValueError(f"a tensor of shape {view.shape} in a storage of {len(held)}")
    size = view.storage.dtype.itemsize
    strides = tuple(stride * size for stride in view.strides)
    return np.ndarray(view.shape, view.storage.dtype, held.data, view.offset * size, strides).copy()


@dataclass
class _Pickle:
    """A machine for the few opcodes that plain tensors need; whatever is not listed here is refused."""

    stack: list[Any] = field(default_factory=list)
    memo: dict[int, Any] = field(default_factory=dict)

    def read(self, stream: io.BytesIO) -> Any:
        """The value of the pickle that starts here; the stream is left behind it."""
        for opcode, argument, _ in pickletools.genops(stream):
            if opcode.name == "STOP":
                (value,) = self.stack
                return value
            if opcode.name not in _OPCODES:
                raise ValueError(f"the opcode {opcode.name}")
            _OPCODES[opcode.name](self, argument)
        raise ValueError("a pickle without an end")

    def protocol(self, version: int) -> None:
        if version != 2:
            raise ValueError(f"pickle protocol {version}")

    def put(self, place: int) -> None:
        self.memo[place] = self.stack[-1]

    def get(self, place: int) -> None:
        self.stack.append(self.memo[place])

    def since_mark(self) -> list[Any]:
        at = max(i for i, item in enumerate(self.stack) if item is _Mark)
        items = self.stack[at + 1 :]
        del self.stack[at:]
        return items

    def tuple_of(self, count: int) -> None:
        items = tuple(self.stack[len(self.stack) - count :])
        del self.stack[len(self.stack) - count :]
        if len(items) != count:
            raise ValueError("an empty stack")
        self.stack.append(items)

    def append(self, items: list[Any]) -> None:
        if not isinstance(self.stack[-1], list):
            raise TypeError("items for something that is no list")
        self.stack[-1].extend(items)

    def set_items(self, items: list[Any]) -> None:
        keys = items[::2]
        if not isinstance(self.stack[-1], dict) or not all(isinstance(key, str) for key in keys):
            raise TypeError("items for something that is no dictionary by name")
        self.stack[-1].update(zip(keys, items[1::2], strict=True))

    def set_item(self) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self.set_items([key, value])

    def name(self, text: str) -> None:
        if text not in (_DICTIONARY, _REBUILD, *_TYPES):
            raise ValueError(f"the name {text[:80]!r}")
        self.stack.append(_Name(text))

    def storage(self) -> None:
        kind, dtype, key, _, size, view = self.stack.pop()
        if kind != "storage" or view is not None or not isinstance(key, str) or type(size) is not int:
            raise ValueError("a reference to something else than a storage")
        self.stack.append(_Storage(key, _TYPES[dtype.text], size))

    def call(self) -> None:
        """The two calls that may stand in such a file, and neither is made: a new dictionary, and a tensor's view."""
        arguments, called = self.stack.pop(), self.stack.pop()
        if called == _Name(_DICTIONARY) and arguments == ():
            self.stack.append({})
        elif called == _Name(_REBUILD):
            storage, offset, shape, strides, _, _ = arguments
            if not isinstance(storage, _Storage) or len(shape) != len(strides):
                raise ValueError("a tensor without a storage or with too few strides")
            self.stack.append(_View(storage, offset, tuple(shape), tuple(strides)))
        else:
            raise ValueError("a call of something that may not be called")

    def attributes(self) -> None:
        """Attributes of the dictionary (versions of its layers) are dropped."""
        self.stack.pop()
        if not isinstance(self.stack[-1], dict):
            raise TypeError("attributes of something that is no dictionary")


def _push(machine: _Pickle, value: Any) -> None:
    machine.stack.append(value)


_OPCODES: dict[str, Callable[[_Pickle, Any], None]] = {
    "PROTO": _Pickle.protocol,
    **dict.fromkeys(("BININT", "BININT1", "BININT2", "LONG1", "BINUNICODE"), _push),
    "NONE": lambda machine, _: _push(machine, None),
    "NEWTRUE": lambda machine, _: _push(machine, True),
    "NEWFALSE": lambda machine, _: _push(machine, False),
    "EMPTY_TUPLE": lambda machine, _: _push(machine, ()),
    "EMPTY_DICT": lambda machine, _: _push(machine, {}),
    "EMPTY_LIST": lambda machine, _: _push(machine, []),
    "MARK": lambda machine, _: _push(machine, _Mark),
    "TUPLE": lambda machine, _: _push(machine, tuple(machine.since_mark())),
    "TUPLE1": lambda machine, _: machine.tuple_of(1),
    "TUPLE2": lambda machine, _: machine.tuple_of(2),
    "TUPLE3": lambda machine, _: machine.tuple_of(3),
    "APPEND": lambda machine, _: machine.append([machine.stack.pop()]),
    "APPENDS": lambda machine, _: machine.append(machine.since_mark()),
    "SETITEM": lambda machine, _: machine.set_item(),
    "SETITEMS": lambda machine, _: machine.set_items(machine.since_mark()),
    **dict.fromkeys(("BINPUT", "LONG_BINPUT"), _Pickle.put),
    **dict.fromkeys(("BINGET", "LONG_BINGET"), _Pickle.get),
    "GLOBAL": _Pickle.name,
    "BINPERSID": lambda machine, _: machine.storage(),
    "REDUCE": lambda machine, _: machine.call(),
    "BUILD": lambda machine, _: machine.attributes(),
}
