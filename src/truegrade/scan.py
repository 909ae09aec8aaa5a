"""One pass over the values of a set: refuses what cannot be graded, and sums up the rest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError
from truegrade.rows import Rows

_BLOCK_BYTES = 2**21  # part of the fingerprint's definition: it is a hash of the hashes of such blocks
_LARGEST = 1e40  # fourth powers, and their sums over all columns and pairs, stay finite in float64 ...
_SMALLEST = 1e-40  # ... and do not vanish


class NotFinite(InputError):
    """A value that is missing or infinite; `value` is the first."""

    def __init__(self, text: str, value: float) -> None:
        super().__init__(text)
        self.value = value


@dataclass(frozen=True, eq=False)
class Summary:
    """What one pass over n rows by d columns found.

    Attributes:
        fingerprint: hash of shape, dtype and values.
        mean: (d,) column means.
        spread: root mean square distance of the rows from their mean, in the unit of the data.
        lowest, highest: (d,) range of each column, in the type of the rows.
    """

    fingerprint: str
    mean: NDArray[np.float64]
    spread: float
    lowest: NDArray[np.floating]
    highest: NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class _Part:
    """A block. `mean` is relative to the first row of the set, which keeps its digits under a common offset;
    `squares` is the sum of squared distances from it; `wild` counts the rows that are not finite.
    """

    count: int
    digest: bytes
    lowest: NDArray[np.floating]
    highest: NDArray[np.floating]
    mean: NDArray[np.float64]
    squares: float
    wild: int = 0
    first: tuple[int, int, float] = (0, 0, 0.0)


def scan(rows: Rows, who: str, columns: Sequence[str] | None = None) -> Summary:
    """Read `rows` once, by blocks of 2 MiB on two threads.

    The result does not depend on where the rows are kept, nor on the order in which the threads finish.
    Raises InputError for NaN and infinity (where, and in how many rows), for values beyond 1e40, and
    for sets whose largest value is below 1e-40. `who` and `columns` serve the message.
    """
    n, d = rows.shape
    size = max(1, _BLOCK_BYTES // (d * rows.dtype.itemsize))
    starts = range(0, n, size)
    origin = rows.read(0, 1)[0].astype(np.float64)

    def part(start: int) -> _Part:
        return _part(rows.read(start, min(start + size, n)), start, origin)

    head = f"{n} {d} {rows.dtype.str}"
    if len(starts) == 1:
        return _merge(map(part, starts), head, origin, who, columns)
    with ThreadPoolExecutor(2) as pool:
        return _merge(pool.map(part, starts), head, origin, who, columns)


def _part(block: NDArray[np.floating], start: int, origin: NDArray[np.float64]) -> _Part:
    with np.errstate(all="ignore"):
        lowest, highest = block.min(0), block.max(0)
        digest = hashlib.sha256(block.data.cast("B")).digest()
        if not (np.isfinite(lowest).all() and np.isfinite(highest).all()):
            bad = ~np.isfinite(block)
            row, column = (int(v) for v in np.argwhere(bad)[0])
            first = (start + row, column, float(block[row, column]))
            wild = int(bad.any(1).sum())
            return _Part(len(block), digest, lowest, highest, np.zeros(block.shape[1]), 0.0, wild, first)
        centred = block.astype(np.float64)  # faster than a subtraction of mixed types
        centred -= origin
        mean = centred.mean(0)
        centred -= mean
        squares = float(np.einsum("ij,ij->", centred, centred))
    return _Part(len(block), digest, lowest, highest, mean, squares)


def _merge(
    parts: Iterable[_Part],
    head: str,
    origin: NDArray[np.float64],
    who: str,
    columns: Sequence[str] | None,
) -> Summary:
    """Join the parts in their order; means and squares by the pairwise update, which does not cancel."""
    n, squares, wild, digest = 0, 0.0, 0, hashlib.sha256(head.encode())
    first: tuple[int, int, float] | None = None
    mean: NDArray[np.float64] = np.zeros(0)
    lowest: NDArray[np.floating] = mean
    highest: NDArray[np.floating] = mean
    with np.errstate(all="ignore"):
        for part in parts:
            digest.update(part.digest)
            if part.wild and first is None:
                first = part.first
            wild += part.wild
            shift = part.mean - mean if n else part.mean
            mean = mean + shift * (part.count / (n + part.count)) if n else part.mean
            squares += part.squares + float(shift @ shift) * part.count * n / (n + part.count)
            lowest = np.minimum(lowest, part.lowest) if n else part.lowest
            highest = np.maximum(highest, part.highest) if n else part.highest
            n += part.count
    if first is not None:
        raise NotFinite(_wild_text(who, columns, first, wild), first[2])
    _refuse_extreme(who, max(float(highest.max()), -float(lowest.min())))
    return Summary(digest.hexdigest()[:32], origin + mean, float(np.sqrt(squares / n)), lowest, highest)


def _wild_text(who: str, columns: Sequence[str] | None, first: tuple[int, int, float], wild: int) -> str:
    row, column, value = first
    where = f"column {column}" if columns is None else f"column {columns[column]!r}"
    return (
        f"{who} has {value} in row {row}, {where} (counted from 0), and {wild} row(s) like it in all; "
        "only finite numbers are accepted. Remove or impute those rows."
    )


def _refuse_extreme(who: str, largest: float) -> None:
    if largest > _LARGEST or 0 < largest < _SMALLEST:
        raise InputError(
            f"{who} holds values up to {largest:.3g}, whose squares are not numbers a computer can hold; "
            f"{_SMALLEST:g} to {_LARGEST:g} is accepted. Rescale the features."
        )
