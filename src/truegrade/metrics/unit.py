"""Samples as directions: rows scaled to length 1, for scores that look at angles only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from truegrade.engine.needs import Floats

if TYPE_CHECKING:
    from truegrade.samples import Samples

ROWS = 1024  # read at once


def unit_rows(samples: Samples, start: int, stop: int) -> Floats:
    """Rows start to stop - 1 with length 1, (stop - start, d) float64; those that are all zero stay zero."""
    rows = samples.rows.read(start, stop).astype(np.float64)
    rows /= np.maximum(np.abs(rows).max(axis=1, keepdims=True), np.finfo(np.float64).tiny)  # squares neither 0 nor inf
    rows /= np.maximum(np.sqrt(np.einsum("ij,ij->i", rows, rows)), 0.5)[:, None]
    return rows


def unit_blocks(samples: Samples) -> Iterator[tuple[slice, Floats]]:
    """All rows, block by block, each with its place."""
    for start in range(0, samples.n, ROWS):
        stop = min(start + ROWS, samples.n)
        yield slice(start, stop), unit_rows(samples, start, stop)


def zero_rows(samples: Samples) -> int:
    """How many rows are all zero and have no direction."""
    return sum(int((~samples.rows.read(i, min(i + ROWS, samples.n)).any(1)).sum()) for i in range(0, samples.n, ROWS))


def no_direction(counts: dict[str, int]) -> str | None:
    """Why the rows cannot be scaled to length 1; None where they can. `counts`: by side, how many rows are zero."""
    found = " and ".join(f"{count} {side}" for side, count in counts.items() if count)
    if not found:
        return None
    return f"rows are scaled to length 1, and {found} rows are all zeros, which have no direction; leave them out"
