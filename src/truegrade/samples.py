"""Samples: the validated data of one side, and the only door through which data comes in.

Validation of values happens here and nowhere else. `truegrade.load` turns files and foreign objects into
arrays and calls this; the engine only ever sees `Samples`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError, Notice, notice

Kind = Literal["vectors"]
_ROWS_PER_BLOCK = 4096
_LARGEST = 1e150  # squares and their sums over all columns must stay finite in float64


class Rows(Protocol):
    """A two-dimensional array that is read by blocks of rows."""

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def dtype(self) -> np.dtype[Any]: ...

    def read(self, start: int, stop: int) -> NDArray[np.floating]:
        """Rows start:stop as a C-contiguous float32 or float64 array."""
        ...

    def take(self, rows: NDArray[np.intp]) -> NDArray[np.floating]:
        """The given rows, in that order, as a new array."""
        ...


@dataclass(frozen=True, eq=False)
class ArrayRows:
    """Rows held in memory."""

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
    """

    path: Path
    offset: int
    file_dtype: np.dtype[Any]
    shape: tuple[int, int]

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.float64 if self.file_dtype.itemsize > 4 or self.file_dtype.kind != "f" else np.float32)

    def read(self, start: int, stop: int) -> NDArray[np.floating]:
        start, stop = max(0, start), min(stop, self.shape[0])
        raw = np.empty((max(0, stop - start), self.shape[1]), self.file_dtype)
        at = self.offset + start * self.shape[1] * self.file_dtype.itemsize
        view, done = memoryview(raw).cast("B") if raw.size else memoryview(b""), 0
        with open(self.path, "rb", buffering=0) as file:
            while done < raw.nbytes:
                got = os.preadv(file.fileno(), [view[done:]], at + done)
                if got == 0:
                    raise InputError(f"{self.path} ended early: it became shorter while it was being read.")
                done += got
        return raw.astype(self.dtype, copy=False)

    def take(self, rows: NDArray[np.intp]) -> NDArray[np.floating]:
        out = np.empty((len(rows), self.shape[1]), self.dtype)
        for i, row in enumerate(rows):
            out[i] = self.read(int(row), int(row) + 1)[0]
        return out


@dataclass(frozen=True, eq=False)
class Samples:
    """Validated samples of one side.

    Attributes:
        rows: the values, n rows by d columns, float32 or float64, all finite.
        name: what to call this set in results.
        kind: what the rows are; "vectors" is the only kind so far.
        source: where the data came from (a path, or "memory").
        fingerprint: hash of shape, dtype and content; equal content gives equal fingerprints.
        ids, labels: one per row, or None.
        columns: column names, or None.
        notices: what was noted while reading (conversions).
        spread: root mean square distance of the rows from their mean, in the unit of the data.
    """

    rows: Rows
    name: str
    source: str
    fingerprint: str
    spread: float
    kind: Kind = "vectors"
    ids: NDArray[Any] | None = None
    labels: NDArray[Any] | None = None
    columns: tuple[str, ...] | None = None
    notices: tuple[Notice, ...] = field(default=())

    @property
    def n(self) -> int:
        return self.rows.shape[0]

    @property
    def d(self) -> int:
        return self.rows.shape[1]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.rows.dtype

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return f"Samples({self.name!r}, {self.n} x {self.d} {self.dtype}, from {self.source})"

    def array(self) -> NDArray[np.floating]:
        """All values in one array (reads the whole file when the rows are on disk)."""
        return self.rows.read(0, self.n)

    def blocks(self, size: int = _ROWS_PER_BLOCK) -> Iterator[NDArray[np.floating]]:
        """The values block by block, in order."""
        for start in range(0, self.n, size):
            yield self.rows.read(start, min(start + size, self.n))

    def subset(self, rows: NDArray[np.intp], name: str | None = None) -> Samples:
        """The given rows as samples of their own, with a fingerprint of their own."""
        pick = lambda v: None if v is None else v[rows]  # noqa: E731
        return replace(
            Samples.from_array(self.rows.take(rows), name=name or self.name, source=self.source),
            ids=pick(self.ids),
            labels=pick(self.labels),
            columns=self.columns,
        )

    @staticmethod
    def from_array(
        values: object,
        *,
        name: str = "samples",
        source: str = "memory",
        ids: Sequence[object] | None = None,
        labels: Sequence[object] | None = None,
        columns: Sequence[str] | None = None,
    ) -> Samples:
        """Validate an array (or anything numpy can turn into one) of shape (n, d).

        Integers, booleans and float16 are converted, to float32 when that is exact and to float64 otherwise.
        Raises InputError for another number of dimensions, for text, objects or complex numbers, for NaN and
        infinity, for an empty set, and for values beyond 1e150.
        """
        array, notes = _as_floats(values, name)
        return Samples.from_rows(
            ArrayRows(array), name=name, source=source, ids=ids, labels=labels, columns=columns, notices=notes
        )

    @staticmethod
    def from_rows(
        rows: Rows,
        *,
        name: str,
        source: str,
        ids: Sequence[object] | None = None,
        labels: Sequence[object] | None = None,
        columns: Sequence[str] | None = None,
        notices: tuple[Notice, ...] = (),
    ) -> Samples:
        """Validate rows that are read by blocks; one pass over the data."""
        n, d = rows.shape
        if n == 0 or d == 0:
            raise InputError(
                f"{name} is empty (shape {n} x {d}). Give at least 2 rows (samples) and 1 column (feature)."
            )
        fingerprint, spread = _scan(rows, name)
        return Samples(
            rows=rows,
            name=name,
            source=source,
            fingerprint=fingerprint,
            spread=spread,
            ids=_per_row(ids, n, "ids", name),
            labels=_per_row(labels, n, "labels", name),
            columns=None if columns is None else tuple(str(c) for c in columns),
            notices=notices,
        )


def check_pair(real: Samples, synthetic: Samples) -> tuple[Notice, ...]:
    """Refuse two sets that cannot be compared; note what makes their comparison doubtful."""
    for side, samples in (("real", real), ("synthetic", synthetic)):
        if samples.n < 2:
            raise InputError(
                f"The {side} set ({samples.name}) has {samples.n} sample; at least 2 are needed on each side."
            )
    if real.d != synthetic.d:
        raise InputError(
            f"Real samples have {real.d} features, synthetic samples ({synthetic.name}) have {synthetic.d}. "
            "Both sets must come from the same feature space; recompute one of them."
        )
    notes = [*real.notices, *synthetic.notices]
    if real.n < real.d and synthetic.n < synthetic.d and real.d >= 10 * max(real.n, synthetic.n):
        notes.append(notice("transposed", n=real.n, m=synthetic.n, d=real.d))
    for side, samples in (("real", real), ("synthetic", synthetic)):
        if samples.n < 500:
            notes.append(notice("few_samples", n=samples.n, side=side))
    if synthetic.n > 2 * real.n or real.n > 2 * synthetic.n:
        notes.append(notice("unequal_sizes", n=real.n, m=synthetic.n))
    if real.spread > 0 and not 0.05 <= synthetic.spread / real.spread <= 20:
        notes.append(notice("scale_mismatch", ratio=synthetic.spread / real.spread))
    return tuple(dict.fromkeys(notes))


def _as_floats(values: object, name: str) -> tuple[NDArray[np.floating], tuple[Notice, ...]]:
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise InputError(f"{name} cannot be read as an array of numbers: {error}.") from error
    if array.dtype.kind not in "fiub":
        raise InputError(
            f"{name} holds {array.dtype} values; numbers (float, integer or boolean) are accepted. "
            "Encode text and categories first, or drop those columns."
        )
    if array.ndim != 2:
        hint = "Use values.reshape(-1, 1) for one feature" if array.ndim == 1 else "Flatten each sample to one row"
        raise InputError(
            f"{name} has {array.ndim} dimension(s), shape {array.shape}; "
            f"a 2-D array of n samples by d features is accepted. {hint}."
        )
    if array.dtype in (np.float32, np.float64):
        return np.ascontiguousarray(array), ()
    small = array.dtype.kind == "b" or array.dtype.itemsize <= 2
    to = np.float32 if small else np.float64
    note = notice("converted", side=name, dtype=array.dtype, to=np.dtype(to))
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(array.astype(to)), (note,)


def _per_row(values: Sequence[object] | None, n: int, what: str, name: str) -> NDArray[Any] | None:
    if values is None:
        return None
    array = np.asarray(values)
    if array.shape != (n,):
        raise InputError(f"{name} has {n} rows but {what} of shape {array.shape}; give one per row.")
    if array.dtype.kind == "O":
        array = array.astype(str)
    return array


@dataclass(frozen=True)
class _Block:
    digest: bytes
    total: NDArray[np.float64]
    squares: NDArray[np.float64]
    centre: NDArray[np.float64]
    count: int


def _scan(rows: Rows, name: str) -> tuple[str, float]:
    """Fingerprint and spread in one pass; refuses NaN, infinity and values beyond 1e150."""
    n, d = rows.shape
    centre = rows.read(0, 1)[0].astype(np.float64)

    def scan(start: int) -> _Block:
        block = np.ascontiguousarray(rows.read(start, min(start + _ROWS_PER_BLOCK, n)))
        _refuse_wild(block, start, name)
        centred = np.subtract(block, centre.astype(block.dtype))
        total = centred.sum(0, dtype=np.float64)
        squares = np.einsum("ij,ij->j", centred, centred).astype(np.float64)
        return _Block(hashlib.sha256(memoryview(block).cast("B")).digest(), total, squares, centre, len(block))

    digest = hashlib.sha256(f"{n} {d} {rows.dtype.str}".encode())
    total, squares = np.zeros(d), np.zeros(d)
    with ThreadPoolExecutor(2) as pool:
        for part in pool.map(scan, range(0, n, _ROWS_PER_BLOCK)):
            digest.update(part.digest)
            total += part.total
            squares += part.squares
    variance = np.maximum(squares / n - (total / n) ** 2, 0.0)
    return digest.hexdigest()[:32], float(np.sqrt(variance.sum()))


def _refuse_wild(block: NDArray[np.floating], start: int, name: str) -> None:
    low, high = block.min(), block.max()
    if np.isfinite(low) and np.isfinite(high) and max(-float(low), float(high)) <= _LARGEST:
        return
    bad = ~np.isfinite(block)
    if bad.any():
        row, column = (int(v) for v in np.argwhere(bad)[0])
        raise InputError(
            f"{name} has {block[row, column]} in row {start + row}, column {column} (counted from 0), "
            f"and {int(bad.any(axis=1).sum())} such rows in that block; only finite numbers are accepted. "
            "Remove or impute those rows."
        )
    raise InputError(
        f"{name} holds values up to {max(-float(low), float(high)):.3g}; up to {_LARGEST:g} is accepted. "
        "Rescale the features."
    )
