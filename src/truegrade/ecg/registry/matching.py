"""Every real recording of a lead and its best synthetic partner, from products of blocks, decided in float64.

Products are float32 with a bound on their rounding; where that leaves several candidates they are computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.registry.sides import Floats, Rows, Side

ROWS = 256
EPS = 2.0**-24  # of float32


@dataclass(frozen=True, eq=False)
class Waves:
    """Rows of one lead: `centred` (n, T) float32 less the mean of each row; mean, sd (n,)."""

    side: Side
    lead: int
    rows: Rows
    centred: NDArray[np.float32]
    mean: Floats
    sd: Floats

    def row(self, at: int | slice | Rows) -> Floats:
        """(T,) or (r, T) float64, as recorded."""
        return self.side.read(self.lead, self.rows[at])

    @staticmethod
    def of(side: Side, lead: int, rows: Rows) -> Waves:
        centred = np.empty((len(rows), side.length), dtype=np.float32)
        mean, sd = np.empty(len(rows)), np.empty(len(rows))
        for start in range(0, len(rows), ROWS):
            block = side.read(lead, rows[start : start + ROWS])
            part = slice(start, start + len(block))
            mean[part] = block.mean(axis=1)
            block -= mean[part, None]
            sd[part] = np.sqrt(np.einsum("ij,ij->i", block, block) / block.shape[1])
            centred[part] = block
        return Waves(side, lead, rows, centred, mean, sd)

    def __getitem__(self, rows: slice) -> Waves:
        return Waves(self.side, self.lead, self.rows[rows], self.centred[rows], self.mean[rows], self.sd[rows])


def covariances(x: Waves, y: Waves) -> tuple[Floats, Floats]:
    """(n, m) mean of the product of centred rows, and how far it may be off by rounding."""
    length = x.centred.shape[1]
    products = (x.centred @ y.centred.T).astype(np.float64) / length
    return products, (length + 4) * EPS * x.sd[:, None] * y.sd[None, :]


def squared_errors(x: Waves, y: Waves) -> tuple[Floats, Floats]:
    """(n, m) bounds below and above of the mean squared difference of rows."""
    products, error = covariances(x, y)
    middle = (x.mean[:, None] - y.mean[None, :]) ** 2 + x.sd[:, None] ** 2 + y.sd[None, :] ** 2 - 2.0 * products
    error *= 4.0  # twice that of the product, and room for the rounding of the rest
    return np.maximum(middle - error, 0.0), middle + error


def blocks(x: Waves, size: int = ROWS) -> Iterator[Waves]:
    """The rows, some at a time."""
    for start in range(0, len(x.rows), size):
        yield x[start : start + size]


def least(low: Floats, high: Floats, exact: Callable[[int, Rows], Floats]) -> Floats:
    """(n,) smallest exact value of each row, computed for the candidates that the bounds (n, m) leave."""
    candidates = low <= high.min(axis=1, keepdims=True)
    return np.array([exact(row, np.flatnonzero(some)).min() for row, some in enumerate(candidates)])


def least_squared_errors(x: Waves, y: Waves) -> Floats:
    """(n,) the mean squared difference of each x from the nearest y."""

    def exact_in(block: Waves) -> Callable[[int, Rows], Floats]:
        return lambda row, near: np.asarray(((y.row(near) - block.row(row)) ** 2).mean(axis=1))

    return np.concatenate([least(*squared_errors(block, y), exact_in(block)) for block in blocks(x)])
