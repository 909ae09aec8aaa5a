"""The weights of lite0: read without unpickling; whatever is not exactly what is expected is refused."""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import struct
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truegrade.embedders.lite0 import weights
from truegrade.embedders.lite0.graph import lite0_shapes
from truegrade.embedders.lite0.torchfile import read_tensors
from truegrade.embedders.lite0.weights import check_shapes, find_weights, load_weights
from truegrade.errors import InputError, MissingExtra

MAGIC, PROTOCOL = 0x1950A86A20F9469CFC6C, 1001
SYSTEM = {"protocol_version": PROTOCOL, "little_endian": True}
REBUILD = b"ctorch._utils\n_rebuild_tensor_v2\n"


def whole(value: int) -> bytes:
    """An integer as the opcode BININT."""
    return b"J" + struct.pack("<i", value)


def text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value.encode())) + value.encode()


def tuple_of(*items: bytes) -> bytes:
    return b"(" + b"".join(items) + b"t"


def tensor(
    *,
    announced: int = 6,
    offset: int = 0,
    shape: tuple[int, ...] = (2, 3),
    strides: tuple[int, ...] = (3, 1),
    rebuild: bytes = REBUILD,
    kind: bytes = b"ctorch\nFloatStorage\n",
) -> bytes:
    """The opcodes of one tensor, as torch writes them."""
    storage = tuple_of(text("storage"), kind, text("0"), text("cpu"), whole(announced), b"N") + b"Q"
    sizes = [tuple_of(*map(whole, numbers)) for numbers in (shape, strides)]
    return rebuild + tuple_of(storage, whole(offset), *sizes, b"\x89", b"ccollections\nOrderedDict\n)R") + b"R"


def file_of(
    dictionary: bytes, *, keys: object = ("0",), held: int = 6, magic: int = MAGIC, system: object = SYSTEM
) -> bytes:
    """A file of torch's older format around the opcodes of its dictionary; the storage holds 0, 1, 2 ..."""
    head = b"".join(pickle.dumps(value, 2) for value in (magic, PROTOCOL, system))
    storage = struct.pack("<q", held) + np.arange(held, dtype="<f4").tobytes()
    listed = list(keys) if isinstance(keys, tuple) else keys
    return head + b"\x80\x02" + dictionary + b"." + pickle.dumps(listed, 2) + storage


def dictionary(*items: bytes) -> bytes:
    return b"ccollections\nOrderedDict\n)R(" + b"".join(items) + b"u"


GOOD = file_of(dictionary(text("w"), tensor()))


# --- what is read --------------------------------------------------------------------------------------------------


def test_tensors_of_a_small_file_are_read() -> None:
    read = read_tensors(GOOD)
    assert list(read) == ["w"]
    np.testing.assert_array_equal(read["w"], np.arange(6, dtype=np.float32).reshape(2, 3))


def test_a_transposed_view_and_an_offset_are_followed() -> None:
    views = dictionary(
        text("t"), tensor(shape=(3, 2), strides=(1, 3)), text("last"), tensor(offset=4, shape=(2,), strides=(1,))
    )
    read = read_tensors(file_of(views))
    np.testing.assert_array_equal(read["t"], [[0, 3], [1, 4], [2, 5]])
    np.testing.assert_array_equal(read["last"], [4, 5])


def test_the_installed_weights_equal_what_torch_reads() -> None:
    torch = pytest.importorskip("torch")
    path = find_weights()
    read, expected = read_tensors(path.read_bytes()), torch.load(path, weights_only=True)
    assert list(read) == list(expected)
    for name, values in expected.items():
        np.testing.assert_array_equal(read[name], values.numpy(), strict=True)


def test_files_that_torch_writes_are_read() -> None:
    torch = pytest.importorskip("torch")
    values = torch.arange(24, dtype=torch.float32).reshape(2, 3, 4)
    saved = OrderedDict(a=values, b=values[1].T, c=torch.tensor(7))
    held = io.BytesIO()
    torch.save(saved, held, _use_new_zipfile_serialization=False)
    read = read_tensors(held.getvalue())
    for name, tensor_ in saved.items():
        np.testing.assert_array_equal(read[name], tensor_.numpy(), strict=True)


def test_the_installed_weights_have_the_names_and_shapes_of_the_network() -> None:
    shapes = lite0_shapes()
    read = load_weights(find_weights(), shapes)
    assert {name: values.shape for name, values in read.items()} == shapes
    trained = sum(values.size for name, values in read.items() if ".running_" not in name)
    assert trained == 4_652_008  # 4.65 million are published


# --- what is refused -----------------------------------------------------------------------------------------------


class Hostile:
    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self) -> Any:
        return os.system, (self.command,)


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_that_runs_a_command_is_refused_and_runs_nothing(tmp_path: Path, protocol: int) -> None:
    canary = tmp_path / "canary"
    hostile = pickle.dumps(OrderedDict(w=Hostile(f"touch {canary}")), protocol)
    pickle.loads(hostile)  # so that it is known to be one
    assert canary.exists()
    canary.unlink()
    head = b"".join(pickle.dumps(value, 2) for value in (MAGIC, PROTOCOL, SYSTEM))
    for data in (hostile, head + hostile + pickle.dumps([], 2)):
        with pytest.raises(InputError, match="nothing of the file was run"):
            read_tensors(data)
    assert not canary.exists()


@pytest.mark.parametrize(
    "rebuild",
    [
        b"cos\nsystem\n",
        b"cbuiltins\neval\n",
        b"ctorch._utils\n_rebuild_parameter\n",
        b"ctorch\nload\n",
        b"ctorch._utils\n_rebuild_tensor_v2 \n",
    ],
    ids=lambda name: name.decode().split("\n")[1],
)
def test_other_names_are_refused(rebuild: bytes) -> None:
    with pytest.raises(InputError, match="the name"):
        read_tensors(file_of(dictionary(text("w"), tensor(rebuild=rebuild))))


@pytest.mark.parametrize("called", [b"ctorch\nFloatStorage\n", b"ccollections\nOrderedDict\n", b"N"])
def test_other_calls_are_refused(called: bytes) -> None:
    with pytest.raises(InputError, match="may not be called"):
        read_tensors(file_of(dictionary(text("w"), tensor(rebuild=called))))


@pytest.mark.parametrize(
    "opcodes",
    [
        b"(ios\nsystem\n",  # INST
        b"(ctorch\nFloatStorage\no",  # OBJ
        b"ctorch\nFloatStorage\n)\x81",  # NEWOBJ
        b"X\x02\x00\x00\x00osX\x06\x00\x00\x00system\x93",  # STACK_GLOBAL
        b"\x82\x01",  # EXT1
        b"Pstorage\n",  # PERSID
        b"\x95\x00\x00\x00\x00\x00\x00\x00\x00",  # FRAME
        b"S'text'\n",
        b"G@\x00\x00\x00\x00\x00\x00\x00",
        b"\xff",
    ],
)
def test_other_opcodes_are_refused(opcodes: bytes) -> None:
    with pytest.raises(InputError, match="opcode"):
        read_tensors(file_of(opcodes))


@pytest.mark.parametrize(
    "view",
    [
        {"offset": 1},
        {"offset": -1},
        {"shape": (3, 3)},
        {"shape": (2, 4), "strides": (3, 1)},
        {"shape": (-2, 3)},
        {"strides": (-3, 1)},
        {"strides": (4, 1)},
        {"strides": (0, 0), "shape": (2**30, 2**30)},
        {"shape": (2, 3, 1)},
        {"announced": 5},
        {"announced": 2**31 - 1},
        {"announced": -1},
        {"kind": b"ccollections\nOrderedDict\n"},
        {"kind": b"ctorch\nLongStorage\n"},
    ],
    ids=str,
)
def test_tensors_that_reach_beyond_what_is_held_are_refused(view: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="plain dictionary of tensors"):
        read_tensors(file_of(dictionary(text("w"), tensor(**view))))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04" + bytes(100),
        GOOD + b"\0",
        file_of(dictionary(text("w"), tensor()), magic=1),
        file_of(dictionary(text("w"), tensor()), system={"little_endian": False}),
        file_of(dictionary(text("w"), tensor()), system={}),
        file_of(dictionary(text("w"), tensor()), keys=("0", "0")),
        file_of(dictionary(text("w"), tensor()), keys=("1",)),
        file_of(dictionary(text("w"), tensor()), keys=None),
        file_of(dictionary(text("w"), tensor()), held=7),
        file_of(dictionary(text("w"), text("no tensor"))),
        file_of(dictionary(whole(1), tensor())),
        file_of(dictionary(text("w"))),
        file_of(b"]"),
        file_of(b"N"),
        file_of(b"NN"),
        file_of(b""),
        file_of(b"\x85"),
        file_of(b"t"),
        file_of(b"h\x07"),
        file_of(b"q\x07"),
        file_of(b"NNb"),
        file_of(b"NQ"),
        file_of(b")Q"),
        file_of(b"N(Ne"),
    ],
)
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(InputError, match="Install the package"):
        read_tensors(data)


def test_every_beginning_of_a_file_is_refused() -> None:
    for end in range(len(GOOD)):
        with pytest.raises(InputError):
            read_tensors(GOOD[:end])


@settings(max_examples=300, deadline=None)
@given(at=st.integers(0, len(GOOD) - 1), byte=st.integers(0, 255), cut=st.integers(0, 3))
def test_a_damaged_file_is_refused_or_read_and_never_something_else(at: int, byte: int, cut: int) -> None:
    data = GOOD[:at] + bytes([byte]) + GOOD[at + cut :]
    try:
        read = read_tensors(data)
    except InputError:
        return
    assert all(isinstance(name, str) and isinstance(values, np.ndarray) for name, values in read.items())


def test_a_file_of_another_content_is_refused(tmp_path: Path) -> None:
    changed = bytearray(find_weights().read_bytes())
    changed[-1] ^= 1
    path = tmp_path / "weights.pth"
    path.write_bytes(changed)
    with pytest.raises(InputError, match=r"weights\.pth is not the file .*sha256 .* reinstall"):
        load_weights(path, lite0_shapes())


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("w", np.zeros((2, 2), np.float32)),
        ("w", np.zeros((2, 3), np.int64)),
        ("v", np.zeros((2, 3), np.float32)),
    ],
)
def test_tensors_of_other_names_shapes_or_types_are_refused(name: str, values: Any) -> None:
    with pytest.raises(InputError, match=r"w has to be float32 \(2, 3\)"):
        check_shapes({name: values}, {"w": (2, 3)})


def test_a_file_that_is_known_but_of_other_shapes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "weights.pth"
    path.write_bytes(GOOD)
    monkeypatch.setattr(weights, "SHA256", hashlib.sha256(GOOD).hexdigest())
    np.testing.assert_array_equal(load_weights(path, {"w": (2, 3)})["w"].ravel(), range(6))
    with pytest.raises(InputError, match=r"_conv_stem|_fc"):
        load_weights(path, lite0_shapes())


def test_without_the_package_of_weights_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "DISTRIBUTION", "truegrade-no-such-distribution")
    with pytest.raises(MissingExtra, match=r"truegrade\[images\]"):
        find_weights()
