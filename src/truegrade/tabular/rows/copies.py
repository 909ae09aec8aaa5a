"""Rows of a table that are equal to rows of another in every column that is compared; of whole tables, in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.tables import Coded

Hashes = NDArray[np.uint64]
_PRIMES = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)
_MIX = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


@dataclass(frozen=True, eq=False)
class Fingerprints:
    """Two hashes of each row, 128 bits together: rows are taken as equal where both are."""

    first: Hashes
    second: Hashes

    def __len__(self) -> int:
        return len(self.first)


def fingerprints(coded: Coded) -> Fingerprints:
    """Of every row, over all columns but identifiers and free text. 16 bytes a row.

    Numbers are compared to the last digit (0 and -0 are equal), missing is equal to missing, and a column that the
    table lacks is missing.
    """
    names = compared(coded)
    have = [name for name in names if coded.has(name)]
    made = []
    at = {name: number for number, name in enumerate(names)}
    lacking = {name: _missing(coded, name) for name in names if name not in have}
    for block in coded.blocks(have) if have else ():
        size = len(next(iter(block.values())))
        columns = block | {name: np.full(size, value) for name, value in lacking.items()}
        made.append(np.stack([_hash([(at[n], _bits(columns[n])) for n in names], size, p) for p in _PRIMES]))
    both = np.concatenate(made, axis=1) if made else np.zeros((2, len(coded)), np.uint64)
    return Fingerprints(both[0], both[1])


def compared(coded: Coded) -> tuple[str, ...]:
    """The columns that copies are told by."""
    return tuple(c.name for c in coded.schema.columns if c.type not in ("identifier", "text"))


def _missing(coded: Coded, name: str) -> Any:
    return np.int32(-1) if coded.schema[name].type in ("few", "category", "boolean") else np.nan


def _bits(values: NDArray[Any]) -> Hashes:
    if values.dtype.kind != "f":
        return values.astype(np.int64).view(np.uint64)
    plain = np.where(np.isnan(values), np.nan, values + 0.0)
    return np.ascontiguousarray(plain, np.float64).view(np.uint64)


def _hash(columns: list[tuple[int, Hashes]], size: int, prime: int) -> Hashes:
    """One hash of each row: every column's bits and its number are mixed in, in turn."""
    out = np.full(size, prime, np.uint64)
    with np.errstate(over="ignore"):
        for number, bits in columns:
            out = (out ^ (bits + np.uint64(number * prime % 2**64))) * np.uint64(_MIX[0])
            out ^= out >> np.uint64(29)
            out *= np.uint64(_MIX[1])
            out ^= out >> np.uint64(32)
    return out


def equal_rows(rows: Fingerprints, others: Fingerprints) -> NDArray[np.intp]:
    """For each of `rows` the first of `others` that is equal to it, -1 where there is none."""
    order = np.argsort(others.first, kind="stable").astype(np.intp)
    if not len(order):
        return np.full(len(rows), -1, np.intp)
    place = np.minimum(np.searchsorted(others.first[order], rows.first), len(order) - 1)
    found = order[place]
    same = (others.first[found] == rows.first) & (others.second[found] == rows.second)
    return np.where(same, found, -1)


def repeated(rows: Fingerprints) -> int:
    """How many rows have an equal one in their own table."""
    _, counts = np.unique(rows.first, return_counts=True)
    return int(counts[counts > 1].sum())
