"""Every real recording of a lead and its best synthetic partner, from products of blocks, decided in float64.

Products are sums of float32 with a bound on their rounding; where that leaves several candidates they are computed
again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.registry.sides import Floats, Lead, Rows, Side

Singles = NDArray[np.float32]
ROWS = 256
EPS = 2.0**-24  # of float32
REMEMBERED = 128e6  # bytes of products of all leads of a pair that are kept
_CHUNK = 500  # samples whose products are summed in float32
_POINTS = 500  # sums of samples by which recordings are compared before they are in full
_PAIRS = 64  # pairs of recordings that are held as float64 at once


@dataclass(frozen=True, eq=False)
class Waves:
    """Rows of one lead: mean, sd, span (largest less least) (n,)."""

    side: Side
    lead: int
    rows: Rows
    mean: Floats
    sd: Floats
    span: Floats

    def row(self, at: slice | Rows) -> Floats:
        """(r, T) float64, as recorded."""
        return self.side.read(self.lead, self.rows[at])

    def __getitem__(self, at: slice | Rows) -> Waves:
        return Waves(self.side, self.lead, self.rows[at], self.mean[at], self.sd[at], self.span[at])

    @staticmethod
    def of(side: Side, lead: int, rows: Rows) -> Waves:
        return Waves(side, lead, rows, *side.per_record("moments", lead, _moments)[rows].T)


def _moments(rows: Floats) -> Floats:
    """(n, 3) mean, sd, span."""
    mean, span = rows.mean(axis=1), np.ptp(rows, axis=1)
    centred = rows - mean[:, None]
    return np.stack([mean, np.sqrt(np.einsum("ij,ij->i", centred, centred) / rows.shape[1]), span], axis=1)


def waves_of(lead: Lead) -> tuple[Waves, Waves]:
    """Both sides of a lead that have a signal."""
    real, synthetic = lead.pair.real, lead.pair.synthetic
    return Waves.of(real, lead.at, lead.x_rows), Waves.of(synthetic, lead.at, lead.y_rows)


def centred(waves: Waves, shelf: dict[int, Any] | None) -> Singles:
    """(n, T) float32 less the mean of each row. With a shelf: all of what a side is a part of is read, and kept for its
    other parts until the next lead is."""
    if shelf is None:
        return _centred(waves)
    key, whole = id(waves.side.values), waves.side.whole()
    if key not in shelf or shelf[key][0] != waves.lead:
        living = np.flatnonzero(whole.alive(waves.lead))
        shelf[key] = waves.lead, living, _centred(Waves.of(whole, waves.lead, living))
    rows: Rows = shelf[key][1]
    known: Singles = shelf[key][2]
    wanted = waves.side.rows[waves.rows]
    return known if np.array_equal(wanted, rows) else known[np.searchsorted(rows, wanted)]


def _centred(waves: Waves) -> Singles:
    out = np.empty((len(waves.rows), waves.side.length), dtype=np.float32)
    for start in range(0, len(out), ROWS):
        part = slice(start, start + ROWS)
        np.subtract(waves.row(part), waves.mean[part, None], out=out[part], casting="same_kind")
    return out


def covariances(x: Singles, y: Singles) -> Singles:
    """(n, m) mean of the product of centred rows; off by at most `rounding`."""
    sums = np.zeros((len(x), len(y)))
    for start in range(0, x.shape[1], _CHUNK):
        part = slice(start, start + _CHUNK)
        sums += x[:, part] @ y[:, part].T
    out: Singles = (sums / x.shape[1]).astype(np.float32)
    return out


def rounding(x: Waves, y: Waves) -> Floats:
    """(n, m) how far `covariances` may be off."""
    return (_CHUNK + 8) * EPS * x.sd[:, None] * y.sd[None, :]


@dataclass(frozen=True, eq=False)
class Facing:
    """Some x of a lead and all of its y; products: their covariances."""

    x: Waves
    y: Waves
    products: Singles

    def squared_errors(self) -> tuple[Floats, Floats]:
        """(n, m) bounds below and above of the mean squared difference of rows."""
        x, y = self.x, self.y
        middle = (x.mean[:, None] - y.mean[None, :]) ** 2
        middle += x.sd[:, None] ** 2
        middle += y.sd[None, :] ** 2
        middle -= 2.0 * self.products
        error = 4.0 * rounding(x, y)  # twice that of the product, and room for the rounding of the rest
        return np.maximum(middle - error, 0.0), middle + error

    def pairs(self, rows: Rows, columns: Rows) -> tuple[Floats, Floats]:
        """(p, T) of each as recorded."""
        return self.x.row(rows), self.y.row(columns)


def facing(lead: Lead, rows: Rows | None = None, columns: Rows | None = None) -> Iterator[Facing]:
    """The x of a lead, some at a time, before its y; `rows`, `columns`: only these of them."""
    x, y = waves_of(lead)
    known = remembered(lead)
    if rows is not None and columns is not None:
        x, y = x[rows], y[columns]
        known = None if known is None else known[np.ix_(rows, columns)]
    shelf = lead.pair.shelf
    theirs = centred(y, shelf) if known is None else None
    for start in range(0, len(x.rows), ROWS):
        block = x[start : start + ROWS]
        if theirs is not None:
            yield Facing(block, y, covariances(centred(block, shelf), theirs))
        elif known is not None:
            yield Facing(block, y, known[start : start + ROWS])


def remembered(lead: Lead) -> Singles | None:
    """The covariances of all x and y of a lead, once for the metrics that share them; None where that were too many."""
    pair = lead.pair
    if 4.0 * len(pair.real) * len(pair.synthetic) * len(pair.leads) > REMEMBERED:
        return None
    return lead.once("covariances", lambda: covariances(*(centred(side, pair.shelf) for side in waves_of(lead))))


def least(low: Floats, high: Floats, exact: Callable[[Rows, Rows], Floats]) -> Floats:
    """(n,) smallest exact value of each row, computed for the candidates that the bounds (n, m) leave.

    exact: (p,) values of p pairs of rows and columns.
    """
    rows, columns = np.nonzero(low <= high.min(axis=1, keepdims=True))
    parts = [slice(start, start + _PAIRS) for start in range(0, len(rows), _PAIRS)]
    values = np.concatenate([exact(rows[part], columns[part]) for part in parts])
    return np.asarray(np.minimum.reduceat(values, np.searchsorted(rows, np.arange(len(low)))))


def least_squared_errors(lead: Lead) -> Floats:
    """(n,) the mean squared difference of each x from the nearest y."""
    return np.concatenate([least(*both.squared_errors(), _squares(both)) for both in facing(lead)])


def _squares(both: Facing) -> Callable[[Rows, Rows], Floats]:
    def exact(rows: Rows, columns: Rows) -> Floats:
        x, y = both.pairs(rows, columns)
        y -= x
        return np.asarray(np.square(y, out=y).mean(axis=1))

    return exact


def least_absolute_errors(lead: Lead) -> Floats:
    """(n,) the mean absolute difference of each x from the nearest y."""
    x, y = waves_of(lead)
    ours, theirs = (centred(side, lead.pair.shelf) for side in (x, y))
    parts = [slice(start, start + ROWS) for start in range(0, len(x.rows), ROWS)]
    return np.concatenate([_nearest_absolute(x[part], y, ours[part], theirs) for part in parts])


def _nearest_absolute(x: Waves, y: Waves, ours: Singles, theirs: Singles) -> Floats:
    """Differences of sums of some samples in a row, added up, are no more than those of all samples: few are left."""
    from truegrade.ecg.registry.loops import absolute_differences, absolute_where_least

    length = ours.shape[1]
    apart = x.mean[:, None] - y.mean[None, :]
    error = (length + 16) * EPS * (x.sd[:, None] + y.sd[None, :] + np.abs(apart))  # of a sum divided by the length
    step = max(1, length // _POINTS)
    low, sums = (np.empty(apart.shape, dtype=np.float32) for _ in range(2))
    absolute_differences(_summed(ours, step), _summed(theirs, step), (step * apart).astype(np.float32), low)
    slack = np.nextafter((length * error).astype(np.float32), np.float32(np.inf))
    absolute_where_least(ours, theirs, apart.astype(np.float32), low, slack, sums)
    middle = sums.astype(np.float64) / length

    def exact(rows: Rows, columns: Rows) -> Floats:
        one, other = x.row(rows), y.row(columns)
        other -= one
        return np.asarray(np.abs(other, out=other).mean(axis=1))

    return least(middle - error, middle + error, exact)


def _summed(rows: Singles, step: int) -> Singles:
    """(n, T // step) sums of `step` samples in a row."""
    if step == 1:
        return rows
    count = rows.shape[1] // step
    out: Singles = rows[:, : count * step].reshape(len(rows), count, step).sum(axis=2)
    return out
