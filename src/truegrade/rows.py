"""Rows: two-dimensional numbers that are read by blocks, from memory or from a file.

Also the rules for what is an array of numbers, and which number types become float32 or float64.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError, Notice, notice

_LARGEST_INTEGER = 2**53  # beyond it float64 skips integers


def float_type(dtype: np.dtype[Any]) -> np.dtype[np.floating]:
    """float32 where it holds all values of `dtype` (float16, bool, 8 and 16 bit integers), else float64."""
    return np.dtype(np.float32 if np.can_cast(dtype, np.float32) else np.float64)


def as_floats(values: NDArray[Any], who: str) -> NDArray[np.floating]:
    """`values` in the type that `float_type` names, native and C-contiguous; a copy only where needed.

    Long doubles are rounded to float64. Raises InputError for integers beyond 2^53, which float64 cannot tell
    apart; `who` names the values in the message.
    """
    if values.dtype.kind in "iu" and values.dtype.itemsize > 4 and values.size:
        low, high = int(values.min()), int(values.max())
        refuse_integer(max(-low, high), who)
    with np.errstate(over="ignore", invalid="ignore"):  # what becomes infinite is refused by the scan
        return np.ascontiguousarray(values, dtype=float_type(values.dtype))


def as_array(values: object, who: str, pixels: Sequence[int] | None = None) -> NDArray[Any]:
    """Anything numpy can read, as an (n, d) array of real numbers or booleans; InputError for the rest.

    With `pixels`, height, width and perhaps channels, images (n, *pixels) become rows.
    """
    if isinstance(values, np.ma.MaskedArray):
        hidden = np.ma.getmaskarray(values)
        if hidden.any():
            raise InputError(f"{who} has {int(hidden.sum())} masked value(s); remove or impute those rows.")
    try:
        array = np.asarray(values)
    except (ValueError, TypeError, RuntimeError) as error:
        raise InputError(f"{who} cannot be read as an array of numbers: {str(error).rstrip('.')}.") from error
    check_dtype(array.dtype, who)
    return array.reshape(flat_shape(array.shape, who, pixels))


def check_dtype(dtype: np.dtype[Any], who: str) -> None:
    """Refuse anything but real numbers and booleans."""
    if dtype.names is not None:
        raise InputError(
            f"{who} holds records with the fields {', '.join(map(repr, dtype.names))}; plain numbers are "
            "accepted. Use numpy.lib.recfunctions.structured_to_unstructured(values)."
        )
    if dtype.kind not in "fiub":
        raise InputError(
            f"{who} holds {dtype} values; numbers (float, integer or boolean) are accepted. "
            "Encode text, dates and categories and fill missing values first, or drop those columns."
        )


def flat_shape(shape: tuple[int, ...], who: str, pixels: Sequence[int] | None = None) -> tuple[int, int]:
    """The shape as n samples by d features: itself, or with `pixels` that of images; InputError for others."""
    if len(shape) == 2:
        return shape[0], shape[1]
    if pixels is not None and len(shape) > 2:
        size = check_pixels(pixels, math.prod(shape[1:]), who)
        if tuple(shape[1:]) not in (size, (*size, 1)):
            raise InputError(
                f"{who} has images of shape {shape[1:]}, and pixels={size} was given; they must be the same, "
                "height first and channels last (values.transpose(0, 2, 3, 1) moves them there)."
            )
        return shape[0], math.prod(size)
    hints = {0: "Give one row per sample", 1: "For one feature use values.reshape(-1, 1)"}
    hint = hints.get(len(shape), "Flatten each sample to one row: values.reshape(len(values), -1)")
    if len(shape) in (3, 4):
        hint += f"; or, if they are images, say so: pixels={shape[1:]} (--pixels {'x'.join(map(str, shape[1:]))})"
        hint += ", or embed them: embed='lite0' (--embed lite0)"
    if len(shape) == 3:
        hint += "; or, if they are ECG recordings (recordings, leads, samples): kind='ecg' (--kind ecg)"
    raise InputError(
        f"{who} has {len(shape)} dimension(s), shape {shape}; "
        f"a 2-D array of n samples by d features is accepted. {hint}."
    )


def check_pixels(pixels: Sequence[int], d: int, who: str) -> tuple[int, ...]:
    """The size of an image of d values: (height, width), or (height, width, channels) with several channels.

    InputError for anything else than 2 or 3 positive whole numbers, channels other than 1 and 3, and another
    number of values.
    """
    size = tuple(pixels) if isinstance(pixels, (list, tuple)) else ()
    whole = all(isinstance(v, (int, np.integer)) and not isinstance(v, bool) and v > 0 for v in size)
    if len(size) not in (2, 3) or not whole or (len(size) == 3 and size[2] not in (1, 3)):
        raise InputError(
            f"pixels={pixels!r} given; (height, width) or (height, width, channels) with 1 or 3 channels is accepted."
        )
    if math.prod(size) != d:
        raise InputError(
            f"{who} has {d} values per sample, and images of {size_text(size)} pixels have {math.prod(size)}; "
            "give the pixels that the samples have."
        )
    return tuple(int(v) for v in (size[:2] if size[2:] == (1,) else size))


def size_text(pixels: Sequence[int]) -> str:
    """The size of an image in words: 28 x 28."""
    return " x ".join(map(str, pixels))


def conversion(given: np.dtype[Any], used: np.dtype[Any], name: str) -> tuple[Notice, ...]:
    """The note that values were converted; a mere change of byte order is none."""
    given = given.newbyteorder("=")
    return () if given == used else (notice("converted", side=name, dtype=given, to=used),)


def refuse_integer(largest: int, who: str) -> None:
    """InputError for integers beyond 2^53."""
    if abs(largest) > _LARGEST_INTEGER:
        raise InputError(
            f"{who} holds integers as large as {abs(largest)}; beyond 2^53 float64 cannot tell them apart. "
            "Drop them if they are identifiers or time stamps, or convert them to float yourself."
        )


class Rows(Protocol):
    """A two-dimensional array that is read by blocks of rows."""

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def dtype(self) -> np.dtype[Any]: ...

    def read(self, start: int, stop: int) -> NDArray[np.floating]:
        """Rows start:stop as a C-contiguous float32 or float64 array; not to be written to."""
        ...

    def take(self, rows: NDArray[np.intp]) -> NDArray[np.floating]:
        """The given rows, in that order, as a new array."""
        ...


@dataclass(frozen=True, eq=False)
class ArrayRows:
    """Rows held in memory: a C-contiguous float32 or float64 array, which is neither copied nor changed."""

    array: NDArray[np.floating]

    @property
    def shape(self) -> tuple[int, int]:
        return self.array.shape[0], self.array.shape[1]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.array.dtype

    def read(self, start: int, stop: int) -> NDArray[np.floating]:
        return self.array[start:stop]

    def take(self, rows: NDArray[np.intp]) -> NDArray[np.floating]:
        return self.array[rows]


@dataclass(frozen=True, eq=False)
class MappedRows:
    """Rows of a file on disk, read block by block with positioned reads.

    Pages of a memory map would count as this process's memory; a buffer of one block does not grow.

    Attributes:
        path: the file, whole and uncompressed.
        offset: byte at which the numbers begin.
        file_dtype: their type in the file, in any byte order; `dtype` is what `read` returns.
        shape: n rows by d columns.
        column_order: the file holds one column after another (Fortran order).
    """

    path: Path
    offset: int
    file_dtype: np.dtype[Any]
    shape: tuple[int, int]
    column_order: bool = False

    @property
    def dtype(self) -> np.dtype[Any]:
        return float_type(self.file_dtype)

    def read(self, start: int, stop: int) -> NDArray[np.floating]:
        start, stop = max(0, start), min(stop, self.shape[0])
        if self.column_order:
            return as_floats(self._map()[start:stop], str(self.path))
        with open(self.path, "rb", buffering=0) as file:
            return as_floats(self._raw(file, start, stop), str(self.path))

    def take(self, rows: NDArray[np.intp]) -> NDArray[np.floating]:
        if self.column_order:
            return as_floats(self._map()[rows], str(self.path))
        out = np.empty((len(rows), self.shape[1]), self.dtype)
        ascending = np.argsort(rows, kind="stable")
        runs = np.split(ascending, np.flatnonzero(np.diff(rows[ascending]) != 1) + 1)
        with open(self.path, "rb", buffering=0) as file:
            for run in runs if len(rows) else ():
                raw = self._raw(file, int(rows[run[0]]), int(rows[run[-1]]) + 1)
                out[run] = as_floats(raw, str(self.path))
        return out

    def _map(self) -> NDArray[Any]:
        """The whole file as a map that lives as long as one call."""
        return np.memmap(self.path, self.file_dtype, "r", self.offset, self.shape, order="F")

    def _raw(self, file: BinaryIO, start: int, stop: int) -> NDArray[Any]:
        raw = np.empty((max(0, stop - start), self.shape[1]), self.file_dtype)
        if raw.size == 0:
            return raw
        view, done = raw.view(np.uint8).data.cast("B"), 0
        file.seek(self.offset + start * self.shape[1] * self.file_dtype.itemsize)
        while done < raw.nbytes:
            got = file.readinto(view[done:])  # type: ignore[attr-defined]
            if not got:
                raise InputError(f"{self.path} ended early: it became shorter while it was being read.")
            done += got
        return raw
