"""Arrays in files: headers of .npy files, members of .npz archives. Nothing is ever unpickled."""

from __future__ import annotations

import lzma
import math
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from truegrade.errors import InputError

DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    UnicodeDecodeError,
)
"""What reading a damaged or locked archive raises, beside InputError and OSError."""
_BOMB_BYTES, _BOMB_RATIO = 2**30, 200  # an archive member beyond both is not data
_PIECE = 2**24
_NO_HEADER = (
    ValueError,
    TypeError,
    SyntaxError,
    MemoryError,
    RecursionError,
    LookupError,
    AttributeError,
    ArithmeticError,
    tokenize.TokenError,
)  # what numpy raises for headers that are damaged


@dataclass(frozen=True)
class Header:
    """What a .npy file says of itself; `begin` is the byte at which the numbers start."""

    shape: tuple[int, ...]
    column_order: bool
    dtype: np.dtype[Any]
    begin: int

    @property
    def nbytes(self) -> int:
        """Bytes of the numbers."""
        return math.prod(self.shape) * self.dtype.itemsize


def read_header(file: IO[bytes], who: str) -> Header:
    """Header of a .npy stream at its start; InputError for anything else."""
    try:
        version = npy.read_magic(file)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # headers written by Python 2 are read all the same
            read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            shape, column_order, dtype = read(file)
    except _NO_HEADER as error:
        raise InputError(f"{who} is not a .npy file, or its header is damaged: {error}") from error
    if min(shape, default=0) < 0:
        raise InputError(f"{who} is damaged: its header gives the shape {shape}.")
    return Header(shape, column_order, dtype, file.tell())


def refuse_objects(dtype: np.dtype[Any], who: str) -> None:
    """InputError for arrays of Python objects, which are stored as pickles."""
    if dtype.hasobject:
        raise InputError(
            f"{who} holds pickled Python objects. Unpickling can run foreign code, so it is never done; "
            "save plain numbers instead: numpy.save(path, values.astype(float))."
        )


@contextmanager
def open_npz(path: Path, who: str) -> Iterator[tuple[zipfile.ZipFile, dict[str, zipfile.ZipInfo]]]:
    """A .npz archive and its arrays by name; InputError where it is none, or turns out damaged while it is open."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive, {m.filename[:-4]: m for m in archive.infolist() if m.filename.endswith(".npy")}
    except DAMAGED as error:
        raise InputError(f"{who} is not a .npz archive, or it is damaged: {str(error).rstrip('.')}.") from error


def read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, who: str) -> NDArray[Any]:
    """One array, with never more memory than its checked size."""
    header = member_header(archive, member, who)
    refuse_objects(header.dtype, who)
    if header.begin + header.nbytes != member.file_size:
        raise InputError(
            f"{who} is damaged: its header promises {header.nbytes:,} bytes of numbers, "
            f"the archive {member.file_size - header.begin:,}."
        )
    raw, done = bytearray(header.nbytes), 0
    with archive.open(member) as stream:
        stream.read(header.begin)
        while piece := stream.read(min(_PIECE, len(raw) - done + 1)):
            if done + len(piece) > len(raw):
                raise InputError(f"{who} is damaged: it holds more than its {header.nbytes:,} bytes.")
            raw[done : done + len(piece)] = piece
            done += len(piece)
    if done < len(raw):
        raise InputError(f"{who} is cut short: {done:,} of {header.nbytes:,} bytes are there.")
    return _array(header, raw, who)


def read_npy(path: Path, who: str) -> NDArray[Any]:
    """The array of a .npy file, whole in memory; InputError for anything that is not exactly one array of numbers."""
    with open(path, "rb") as file:
        header = read_header(file, who)
        refuse_objects(header.dtype, who)
        have = path.stat().st_size - header.begin
        if have != header.nbytes:
            what = f"its header promises {header.nbytes:,} bytes of numbers, there are {have:,}"
            raise InputError(f"{who} is damaged: {what}.")
        return _array(header, bytearray(file.read(header.nbytes)), who)


def _array(header: Header, raw: bytearray, who: str) -> NDArray[Any]:
    try:
        return np.ndarray(header.shape, header.dtype, raw, order="F" if header.column_order else "C")
    except (ValueError, TypeError) as error:  # shapes beyond what numpy counts, or more bytes than the file had
        raise InputError(f"{who} is damaged: its header gives the shape {header.shape} ({error}).") from error


def member_header(archive: zipfile.ZipFile, member: zipfile.ZipInfo, who: str) -> Header:
    refuse_bomb(member, who, "If it is data, save it with numpy.save.")
    with archive.open(member) as stream:
        return read_header(stream, who)


def refuse_larger(member: zipfile.ZipInfo, most: int, who: str, advice: str) -> None:
    """InputError for a member that unpacks to more than `most` bytes, however little it is compressed."""
    if member.file_size > most:
        raise InputError(
            f"{who} would unpack {member.compress_size:,} bytes to {member.file_size:,}; more than {most:,} are "
            f"refused as a decompression bomb. {advice}"
        )


def refuse_bomb(member: zipfile.ZipInfo, who: str, advice: str) -> None:
    """InputError for a member of more than 1 GiB that is compressed more than 200 times, which no data is."""
    if member.file_size > max(_BOMB_BYTES, _BOMB_RATIO * member.compress_size):
        raise InputError(
            f"{who} would unpack {member.compress_size:,} bytes to {member.file_size:,}; that is refused as "
            f"a decompression bomb. {advice}"
        )
