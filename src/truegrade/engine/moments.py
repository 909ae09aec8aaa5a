"""Mean and covariance of one side in one pass: float64, centred before any product, mergeable.

Everything is kept relative to a shift (the first row that was seen), so a common offset of the features costs
no digits. While there are at most d rows the rows themselves are kept: the covariance is singular then and
the centred rows say more in less memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import Floats, MomentsAnswer
from truegrade.errors import InputError
from truegrade.samples import Samples


class MomentState:
    """Running moments of rows with d features.

    `update` adds a batch, `merge` adds another state (Chan, Golub & LeVeque 1983), `finish` gives the answer.
    The result does not depend on how the rows were cut into batches, up to rounding.
    """

    def __init__(self, d: int) -> None:
        self.d = d
        self.n = 0
        self._shift: Floats = np.zeros(d)
        self._offset: Floats = np.zeros(d)  # mean = shift + offset
        self._rows: list[Floats] | None = []  # relative to the shift, while n <= d
        self._scatter: Floats | None = None  # sum of outer products about the mean, once n > d

    def update(self, batch: NDArray[np.floating]) -> None:
        """Add rows of shape (b, d)."""
        if batch.ndim != 2 or batch.shape[1] != self.d:
            raise InputError(f"A batch of shape {batch.shape} was given; (rows, {self.d}) is accepted.")
        if len(batch):
            self.merge(_state_of(np.asarray(batch, dtype=np.float64)))

    def merge(self, other: MomentState) -> None:
        """Add everything the other state has seen; the other state is left as it is."""
        if other.d != self.d:
            raise InputError(f"Moments of {other.d} features cannot be merged with moments of {self.d}.")
        if other.n == 0:
            return
        if self.n == 0:
            self._shift = other._shift.copy()
        n, m = self.n, other.n
        delta = (other._shift - self._shift) + (other._offset - self._offset)
        if self._rows is not None and other._rows is not None and n + m <= self.d:
            move = other._shift - self._shift
            self._rows += [rows + move for rows in other._rows]
        else:
            scatter = self._collapsed() + other._collapsed()
            scatter += np.outer(delta, delta) * (n * m / (n + m))
            self._scatter, self._rows = scatter, None
        self._offset = self._offset + delta * (m / (n + m))
        self.n = n + m

    def copy(self) -> MomentState:
        """A state with the same contents, which goes its own way; arrays are shared, as none is changed in place."""
        twin = MomentState(self.d)
        twin.n, twin._shift, twin._offset, twin._scatter = self.n, self._shift, self._offset, self._scatter
        twin._rows = None if self._rows is None else list(self._rows)
        return twin

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The state as arrays: count, shift (d,), offset (d,) with mean = shift + offset, scatter (d, d) about it."""
        count = np.array(self.n, np.int64)
        return {"count": count, "shift": self._shift, "offset": self._offset, "scatter": self._collapsed()}

    @staticmethod
    def from_arrays(arrays: Mapping[str, NDArray[Any]]) -> MomentState:
        """The inverse of `arrays`; their values are not checked."""
        state = MomentState(len(arrays["shift"]))
        state.n, state._rows = int(arrays["count"]), None
        state._shift, state._offset = arrays["shift"], arrays["offset"]
        state._scatter = np.asarray(arrays["scatter"], dtype=np.float64)
        return state

    def finish(self) -> MomentsAnswer:
        """Mean, and the covariance (ddof 1) or, for n <= d, the centred rows."""
        if self.n < 2:
            raise InputError(f"Moments need at least 2 samples, got {self.n}.")
        mean = self._shift + self._offset
        high = mean - self._shift
        low = (self._shift - (mean - high)) + (self._offset - high)
        if self._rows is not None:
            return MomentsAnswer(mean, None, self.n, self._centred(), low)
        return MomentsAnswer(mean, self._collapsed() / (self.n - 1), self.n, None, low)

    def _centred(self) -> Floats:
        rows = np.concatenate(self._rows or [np.zeros((0, self.d))])
        rows = rows - self._offset
        return np.asarray(rows - rows.mean(0)) if len(rows) else rows

    def _collapsed(self) -> Floats:
        if self._scatter is not None:
            return self._scatter
        rows = self._centred()
        return np.asarray(rows.T @ rows)


def _state_of(rows: Floats) -> MomentState:
    """The state that has seen exactly these rows (at least one)."""
    state = MomentState(rows.shape[1])
    shift = rows[0].copy()
    centred = rows - shift
    state.n, state._shift, state._offset = len(rows), shift, centred.mean(0)
    if len(rows) <= state.d:
        state._rows = [centred]
    else:
        centred -= state._offset
        state._scatter, state._rows = centred.T @ centred, None
    return state


def moments(samples: Samples) -> MomentsAnswer:
    """Moments of one side, read block by block.

    Raises InputError for fewer than 2 samples.
    """
    state = MomentState(samples.d)
    for block in samples.blocks():
        state.update(block)
    return state.finish()
