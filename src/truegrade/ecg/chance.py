"""Whether chance explains a difference between recordings: p-values of random relabellings.

Recordings of one patient are alike, so one of each patient is taken.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from truegrade.recordings import Recordings

RELABELLINGS = 999
MOST = 200  # recordings of a side whose vectors are compared
_LEAST = 5
_EQUAL = 1e-9  # rounding, as a part of what is compared

Floats = NDArray[np.float64]


def independent(recordings: Recordings) -> NDArray[np.bool_]:
    """(N,) the first recording of each patient; all where nobody said whose they are."""
    out = np.ones(len(recordings), dtype=bool)
    if recordings.patients is not None:
        out[:] = False
        out[np.unique(recordings.patients.astype(str), return_index=True)[1]] = True
    return out


@dataclass(frozen=True, eq=False)
class Pooled:
    """Vectors of both sides. values: (p, d), the real ones first. rows: (p,) of which of the n + m recordings, the n
    real ones first."""

    values: Floats
    rows: NDArray[np.intp]


Key = TypeVar("Key", bound=Hashable)


def corrected_p(vectors: Mapping[Key, Pooled], n: int, m: int, *, seed: int) -> dict[Key, float]:
    """By key, that chance alone makes the two sides differ as they do somewhere as they do there.

    Two statistics a key: the energy distance (Székely & Rizzo 2013), and how much larger the mean root of the distance
    within one side is than within the other, in whichever direction: the first hardly sees too little spread. Each is
    measured in standard deviations of the relabellings, which all keys share; p is the share of relabellings in which
    the largest of all reaches the larger of the two (Westfall & Young 1993, single step), so with any number of keys
    one is below .05 by chance in 5 % of the cases. 1 / (relabellings + 1) is the least.

    Args:
        vectors: of n real and m synthetic recordings, scaled alike on both sides and not by one of them; keys with
            fewer than 5 on a side have no p.
    """
    rng = np.random.default_rng(seed)
    order = rng.random((1 + RELABELLINGS, n + m))
    order[0] = np.arange(n + m)
    found = {key: one for key, one in vectors.items() if min(_sizes(one, n)) >= _LEAST}
    reached = {key: _standing(one.values, _first(order[:, one.rows], _sizes(one, n)[0])) for key, one in found.items()}
    if not reached:
        return {}
    largest = np.max(list(reached.values()), axis=0)
    return {key: float((largest >= one[0] - _EQUAL).mean()) for key, one in reached.items()}


def _sizes(vectors: Pooled, n: int) -> tuple[int, int]:
    real = int((vectors.rows < n).sum())
    return real, len(vectors.rows) - real


def _first(order: Floats, count: int) -> Floats:
    """(b, p) 1 for the `count` least of each row."""
    labels = np.zeros(order.shape)
    np.put_along_axis(labels, np.argpartition(order, count - 1, axis=1)[:, :count], 1.0, axis=1)
    return labels


def _standing(values: Floats, labels: Floats) -> Floats:
    """(b,) the larger of the two statistics, in standard deviations of all b."""
    distances = cdist(values, values)
    n = float(labels[0].sum())
    m = len(values) - n
    ours, across, theirs = _sums(labels, distances)
    energy = 2.0 * across / (n * m) - ours / n**2 - theirs / m**2
    energy[energy < _EQUAL * distances.mean()] = 0.0  # rounding
    ours, _, theirs = _sums(labels, np.sqrt(distances))
    apart = ours / (n * (n - 1.0)) - theirs / (m * (m - 1.0))
    out: Floats = np.maximum(_standard(np.cbrt(energy)), np.abs(_standard(apart)))  # a cube root is nearly normal
    return out


def _sums(labels: Floats, distances: Floats) -> tuple[Floats, Floats, Floats]:
    """(b,) sums of distances within the labelled, across, and within the others."""
    to_real = labels @ distances
    ours = np.einsum("bp,bp->b", labels, to_real)
    across = to_real.sum(axis=1) - ours
    return ours, across, distances.sum() - ours - 2.0 * across


def _standard(statistic: Floats) -> Floats:
    sd = float(statistic.std())
    centred = statistic - statistic.mean()
    return centred / sd if sd > _EQUAL * (1.0 + float(np.abs(statistic).max())) else np.zeros_like(centred)


def gap_p(real: Floats, synthetic: Floats, *, seed: int) -> float | None:
    """That the values (n,) and (m,) are of one law, by the largest gap between their distribution functions; NaN, a
    failed measurement, is a value of its own above all others. None for fewer than 5 on a side."""
    n, m = len(real), len(synthetic)
    if min(n, m) < _LEAST:
        return None
    pooled = np.concatenate([real, synthetic])
    order = np.argsort(pooled, kind="stable")  # NaN last
    values = pooled[order]
    ends = np.append((values[1:] != values[:-1]) & ~(np.isnan(values[1:]) & np.isnan(values[:-1])), True)
    labels = _relabelled(n, m, np.random.default_rng(seed))[:, order]
    gaps = np.cumsum(m * labels - n * (1.0 - labels), axis=1)[:, ends]  # whole numbers: n m times the gap
    return _share(np.abs(gaps).max(axis=1))


def _relabelled(n: int, m: int, rng: np.random.Generator) -> Floats:
    """(1 + RELABELLINGS, n + m): 1 for real; the first row as they are."""
    labels = np.zeros((1 + RELABELLINGS, n + m))
    labels[:, :n] = 1.0
    labels[1:] = rng.permuted(labels[1:], axis=1)
    return labels


def _share(statistic: Floats) -> float:
    """(k + 1) / (relabellings + 1), the first value being the observed one."""
    return float((statistic >= statistic[0]).mean())
