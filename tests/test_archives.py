"""W3: archives with a damaged byte anywhere, and .npy files that lie, are one clear error; nothing is a traceback."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegrade as tg
from truegrade.archive import read_npy
from truegrade.embedders.reading import holds_pixels
from truegrade.errors import InputError
from truegrade.images import load_images
from truegrade.load.provenance import fingerprint_of
from truegrade.samples import Samples
from truegrade.space import Space
from truegrade.statistics.files import is_statistics_file, load_statistics

RNG = np.random.default_rng(5)
METHODS = {"stored": zipfile.ZIP_STORED, "deflated": zipfile.ZIP_DEFLATED, "lzma": zipfile.ZIP_LZMA}


def archive(path: Path, method: int, arrays: dict[str, Any]) -> bytes:
    with zipfile.ZipFile(path, "w", method) as out:
        for name, values in arrays.items():
            with out.open(f"{name}.npy", "w") as member:
                np.save(member, values)  # type: ignore[arg-type]
    return path.read_bytes()


def embedded() -> dict[str, Any]:
    """The arrays that `truegrade embed` writes."""
    samples = Samples.from_array(RNG.normal(size=(20, 6)).astype(np.float32))
    shares = np.full((20, 4), 0.25, np.float32)
    record = {
        "format": "truegrade vectors",
        "version": 1,
        "name": "x",
        "source": "memory",
        "shape": [20, 6],
        "dtype": "float32",
        "fingerprint": samples.fingerprint,
        "space": {"name": "net", "embedder": {"name": "net"}, "images": {}, "official": {}},
        "probabilities": fingerprint_of(shares),
    }
    names = np.array([f"{i}.png" for i in range(20)])
    features = samples.array()
    return {"features": features, "probabilities": shares, "ids": names, "provenance": np.array(json.dumps(record))}


def places(path: Path, name: str) -> list[int]:
    """Bytes of a member: of its local header, and at the start, in the middle and at the end of its data."""
    with zipfile.ZipFile(path) as found:
        info = found.getinfo(f"{name}.npy")
    begin = info.header_offset
    raw = path.read_bytes()
    lengths = [int.from_bytes(raw[at : at + 2], "little") for at in (begin + 26, begin + 28)]
    data = begin + 30 + sum(lengths)
    return [
        begin + 1,
        begin + 8,
        begin + 31,
        *(data + at for at in (0, 5, info.compress_size // 2, info.compress_size - 1)),
    ]


def each_damaged(path: Path, method: int, arrays: dict[str, Any]) -> Any:
    """The name of a member, for every archive with one byte of that member flipped."""
    raw = archive(path, method, arrays)
    for name in arrays:
        archive(path, method, arrays)
        for at in places(path, name):
            broken = bytearray(raw)
            broken[at] ^= 0xFF
            path.write_bytes(broken)
            yield name


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_flipped_byte_in_any_member_of_vectors_is_refused_or_noted(tmp_path: Path, method: int) -> None:
    path = tmp_path / "f.npz"
    archive(path, method, embedded())
    assert tg.load(path).space == Space("net", {"name": "net"})  # type: ignore[union-attr]
    ends = set()
    for name in each_damaged(path, method, embedded()):
        holds_pixels(path)
        assert not is_statistics_file(path)
        try:
            found = tg.load(path)
        except InputError as error:
            ends.add((name, "refused" if str(path) in str(error) else str(error)))
        else:
            assert isinstance(found, Samples)
            codes = [note.code for note in found.notices]
            if found.space is None:
                assert codes == ["record_ignored"]
                ends.add((name, "noted"))
    assert {("features", "refused"), ("ids", "refused"), ("provenance", "noted"), ("probabilities", "noted")} <= ends
    assert {end for _, end in ends} == {"refused", "noted"}


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_flipped_byte_in_probabilities_without_a_record_is_refused(tmp_path: Path, method: int) -> None:
    path = tmp_path / "f.npz"
    arrays = {key: values for key, values in embedded().items() if key in ("features", "probabilities")}
    refused = 0
    for name in each_damaged(path, method, arrays):
        try:
            tg.load(path)
        except InputError as error:
            refused += name == "probabilities" and "damaged" in str(error)
    assert refused >= 3


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@pytest.mark.parametrize(
    ("arrays", "read"),
    [
        ({"arr_0": RNG.integers(0, 256, (3, 5, 6, 3)).astype(np.uint8)}, tg.load),
        ({"arr_0": RNG.integers(0, 256, (3, 5, 6, 3)).astype(np.uint8)}, load_images),
        ({"mu": RNG.normal(size=5), "sigma": np.eye(5)}, load_statistics),
    ],
    ids=["load", "images", "statistics"],
)
def test_a_flipped_byte_in_pixels_and_statistics_is_refused(
    tmp_path: Path, method: int, arrays: dict[str, Any], read: Callable[[Path], object]
) -> None:
    path = tmp_path / "f.npz"
    refused = dict.fromkeys(arrays, 0)
    for name in each_damaged(path, method, arrays):
        holds_pixels(path)
        is_statistics_file(path)
        try:
            read(path)
        except InputError as error:
            refused[name] += str(path) in str(error)
    assert min(refused.values()) >= 3


def test_npy_files_are_read_whole_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.npy"
    values = np.asfortranarray(RNG.normal(size=(4, 3)))
    np.save(path, values)
    np.testing.assert_array_equal(read_npy(path, "p"), values)
    raw = path.read_bytes()
    for spoilt, words in (
        (raw[:-1], "there are 95"),
        (raw + b"x", "there are 97"),
        (b"", "not a .npy file"),
        (raw.replace(b"(4, 3)", b"(9**9)"), "header is damaged"),
        (raw.replace(b"(4, 3)", b"(4, 9)"), "promises 288 bytes"),
    ):
        path.write_bytes(spoilt)
        with pytest.raises(InputError, match=words):
            read_npy(path, "p")
