"""Blocks of rows, centred and ready for matrix products. Knows samples; knows nothing of needs or threads.

Rows are centred by one point for all sides (a robust one: the median of some real rows), so that an offset of the
data or one huge outlier costs no precision. The raw rows travel along for exact decisions.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.engine import kernels
from truegrade.engine.needs import Floats
from truegrade.samples import ArrayRows, Samples

_TILE = 1024
_BLOCK_BYTES = 32 << 20
_RESIDENT_BYTES = 1 << 29
_PILOT_ROWS = 256


@dataclass(frozen=True)
class Block:
    """Some rows of a side: raw values, centred values a = x - c, |a|^2 and a.c / d (both float64)."""

    span: slice
    raw: NDArray[np.floating]
    centred: NDArray[np.floating]
    norms: Floats
    shifts: Floats


def some_rows(samples: Samples, most: int) -> NDArray[np.floating]:
    """At most `most` evenly spaced rows."""
    return samples.rows.take(np.linspace(0, samples.n - 1, min(samples.n, most)).astype(np.intp))


def robust_centre(samples: Samples) -> Floats:
    """Coordinate-wise median of some rows, representable in float32 where the data are float32."""
    rows = some_rows(samples, _PILOT_ROWS).astype(np.float64)  # the sum of two large float32 may be none
    centre: Floats = np.median(rows, axis=0).astype(samples.dtype).astype(np.float64)
    return centre


def tile_size(n: int, d: int, asked: int | None) -> int:
    """Rows per block: large enough for the product to be efficient, small enough for several blocks."""
    if asked is not None:
        return asked
    wanted = min(_TILE, max(64, -(-n // (6 * 64)) * 64))
    return max(64, min(wanted, _BLOCK_BYTES // (8 * d) // 64 * 64))


@dataclass(eq=False)
class Prepared:
    """One side cut into blocks in a given precision; keeps all blocks when they fit, else the few used last."""

    samples: Samples
    centre: Floats
    dtype: np.dtype[Any]
    raw_dtype: np.dtype[Any]
    size: int
    _kept: OrderedDict[int, Block] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _room: NDArray[np.floating] | None = None

    def __post_init__(self) -> None:
        if self._resident:  # one array: products run faster over large memory pages than over many small arrays
            self._room = np.empty((self.samples.n, self.samples.d), self.dtype)

    @property
    def count(self) -> int:
        return -(-self.samples.n // self.size)

    @property
    def whole(self) -> NDArray[np.floating] | None:
        """All raw rows, where they are in memory in the form that compiled code takes without a copy."""
        rows = self.samples.rows
        if not isinstance(rows, ArrayRows) or rows.dtype != self.raw_dtype or not rows.array.flags.writeable:
            return None
        return rows.array

    def span(self, number: int) -> slice:
        return slice(number * self.size, min((number + 1) * self.size, self.samples.n))

    def block(self, number: int) -> Block:
        """Block `number`; safe to call from several threads."""
        with self._lock:
            if number in self._kept:
                self._kept.move_to_end(number)
                return self._kept[number]
        block = self._make(number)
        with self._lock:
            self._kept[number] = block
            while len(self._kept) > (self.count if self._resident else 4):
                self._kept.popitem(last=False)
        return block

    @property
    def _resident(self) -> bool:
        """Are all blocks kept?"""
        whole = self.samples.n * self.samples.d * self.dtype.itemsize
        return isinstance(self.samples.rows, ArrayRows) and whole <= _RESIDENT_BYTES

    def _make(self, number: int) -> Block:
        span = self.span(number)
        raw = np.ascontiguousarray(self.samples.rows.read(span.start, span.stop), dtype=self.raw_dtype)
        if not raw.flags.writeable:  # compiled code would be built once more for read-only arrays
            raw = raw.copy()
        with np.errstate(over="ignore", under="ignore"):
            single = raw.dtype == self.dtype == np.float32 and bool((np.float32(self.centre) == self.centre).all())
            wide = np.float32 if single else np.float64
            centred = np.empty(raw.shape, self.dtype) if self._room is None else self._room[span]
            np.subtract(raw, self.centre.astype(wide), out=centred, dtype=wide, casting="same_kind")
        norms, shifts = np.empty(len(raw)), np.empty(len(raw))
        kernels.row_norms(centred, norms)
        kernels.row_shifts(raw, self.centre, shifts)
        return Block(span, raw, centred, norms, shifts)


def error_bound(d: int, dtype: np.dtype[Any]) -> float:
    """eps of |d2 - (|a|^2 + |b|^2 - 2 a.b)| <= eps (|a|^2 + |b|^2) for centred rows of this precision.

    The dot product errs by at most d units in the last place of |a||b|; centring, the norms, the sum of three and
    the filter's own arithmetic take the other units. In float64 the error of the exact decision is added.
    """
    if dtype == np.float32:
        return float((d + 32) * 2.0**-24)
    return float((2 * d + 64) * 2.0**-53)


def typical_error(d: int, dtype: np.dtype[Any]) -> float:
    """The error that rounding really makes, in the same unit: errors of a sum grow with the root of its length."""
    return float((np.sqrt(d) + 8) * (2.0**-24 if dtype == np.float32 else 2.0**-53))
