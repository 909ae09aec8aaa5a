"""The twelve leads by the laws of the limb leads: which channel is which."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.tells import laws_of
from truegrade.recordings import LEADS_12
from truegrade.recordings.leads import DERIVED

FITS = 0.1  # residual of the laws, as a part of the leads, up to which an order is believed
CLEARER = 3.0  # times smaller than that of the next best order, or of the names
LIMB, CHEST = LEADS_12[:6], LEADS_12[6:]
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Order:
    """What twelve channels are by the laws: names by channel; residual of this order and of the next best one."""

    leads: tuple[str, ...]
    residual: float
    next_best: float

    @property
    def clear(self) -> bool:
        return self.residual <= FITS and self.next_best >= CLEARER * self.residual


def moments(values: Array) -> Array:
    """(L, L) mean over recordings of the covariance of the leads, each recording scaled to one total variance.

    values (s, L, T); recordings with a NaN are left out, all zero where none is left.
    """
    whole = values[np.isfinite(values).all(axis=(1, 2))]
    whole = whole - whole.mean(axis=2, keepdims=True) if len(whole) else whole
    out = np.zeros((values.shape[1],) * 2)
    for one in whole:
        between = one @ one.T
        out += between / np.trace(between)
    return out / max(len(whole), 1)


def residual_of(between: Array, leads: tuple[str, ...]) -> float | None:
    """Residual of the laws under these names, root mean square as a part of the derived leads; None without laws."""
    laws = laws_of(leads)
    at = [leads.index(lead) for lead in laws]
    size = sum(between[one, one] for one in at)
    if not laws or size <= 0:
        return None
    return float(np.sqrt(max(sum(weights @ between @ weights for weights in laws.values()), 0.0) / size))


def recognise(between: Array) -> Order | None:
    """The order of twelve channels in which III, aVR, aVL and aVF are best what they are of I and II.

    Every pair of channels is tried as I and II, and the four best fits of the rest are taken for the others; what is
    left over are V1 to V6 in the order in which they stand. None for another number of channels or no signal.
    """
    if len(between) != 12 or not np.trace(between) > 0:
        return None
    pairs = np.array(list(permutations(range(12), 2)))
    taken, residuals = _fits(between, pairs)
    first, second = np.argsort(residuals, kind="stable")[:2]
    limb = (*pairs[first].tolist(), *taken[first].tolist())
    names = dict(zip(limb, ("I", "II", *DERIVED), strict=True))
    rest = iter(CHEST)
    leads = tuple(names[at] if at in names else next(rest) for at in range(12))
    return Order(leads, float(residuals[first]), float(residuals[second]))


def _fits(between: Array, pairs: NDArray[np.intp]) -> tuple[NDArray[np.intp], Array]:
    """With each pair of channels as I and II: the channels (pairs, 4) that fit III, aVR, aVL, aVF best, one after the
    other, and the residual as a part of their size (infinite where they have none)."""
    one, two = pairs.T
    own, every = np.diag(between), np.arange(len(pairs))
    free = np.ones((len(pairs), len(between)), bool)
    free[every, one] = free[every, two] = False
    taken = np.empty((len(pairs), len(DERIVED)), np.intp)
    squares, size = np.zeros(len(pairs)), np.zeros(len(pairs))
    for at, parts in enumerate(DERIVED.values()):
        a, b = parts["I"], parts["II"]
        sums = a * a * own[one] + 2 * a * b * between[one, two] + b * b * own[two]
        gaps = own - 2 * (a * between[one] + b * between[two]) + sums[:, None]
        gaps[~free] = np.inf
        taken[:, at] = gaps.argmin(axis=1)
        free[every, taken[:, at]] = False
        squares += np.maximum(gaps[every, taken[:, at]], 0.0)
        size += own[taken[:, at]]
    there = size > 1e-6 * np.trace(between)
    return taken, np.sqrt(np.divide(squares, size, out=np.full(len(pairs), np.inf), where=there))
