"""Modes of real samples by k-means: which cluster each is in, how far from its centre, and sets with some damaged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from truegrade.audit.material import Material, Rows
from truegrade.engine.blas import single_thread
from truegrade.metrics.cells import kmeans_cells
from truegrade.samples import Samples

CLUSTERS = 50
_LEAST = 10  # samples a cluster on average
_PARTS = 32  # principal parts in which clusters are looked for


@dataclass(frozen=True, eq=False)
class Modes:
    """count: how many clusters. cluster: (N,) of each sample. away: (N,) its distance from the cluster's centre."""

    count: int
    cluster: Rows
    away: NDArray[np.float64]


def modes_of(material: Material) -> Modes:
    """50 clusters of all real samples, fewer where they are few; found once for all scenarios."""
    found: Modes = material.kept("modes of the 2018 study", lambda: find_modes(material.real))
    return found


def find_modes(samples: Samples) -> Modes:
    """k-means on up to 32 leading principal parts; the best of 8 starts, seeded."""
    count = max(2, min(CLUSTERS, samples.n // _LEAST))
    with single_thread():
        parts = leading_parts(np.asarray(samples.array(), np.float64), _PARTS)
        inside = Samples.from_array(parts)
        (cluster,) = kmeans_cells(inside, inside, cells=count, seed=0)
    centres = np.zeros((count, parts.shape[1]))
    np.add.at(centres, cluster, parts)
    centres /= np.maximum(np.bincount(cluster, minlength=count), 1)[:, None]
    return Modes(count, cluster, np.linalg.norm(parts - centres[cluster], axis=1))


def leading_parts(values: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Coordinates (n, count) of values (n, d) along their leading principal directions; as they are where d is less."""
    n, d = values.shape
    centred = values - values.mean(axis=0)
    if d <= count:
        return np.asarray(centred)
    if d <= n:
        _, directions = eigh(centred.T @ centred, subset_by_index=(d - count, d - 1))
        return np.asarray(centred @ directions)
    count = min(count, n)
    squares, left = eigh(centred @ centred.T, subset_by_index=(n - count, n - 1))
    return np.asarray(left * np.sqrt(np.maximum(squares, 0.0)))


def collapsed(modes: Modes, pool: Rows, n: int, share: float, rng: np.random.Generator) -> Rows:
    """The first n samples of a pool; those of a share of the clusters become the pool's nearest one to the centre."""
    fresh, hit = pool[:n], _drawn(modes, share, rng)
    nearest = np.zeros(modes.count, np.intp)
    order = pool[np.argsort(-modes.away[pool], kind="stable")]
    nearest[modes.cluster[order]] = order  # the last that is written, the nearest one, stays
    return np.where(hit[modes.cluster[fresh]], nearest[modes.cluster[fresh]], fresh)


def dropped(modes: Modes, pool: Rows, n: int, share: float, rng: np.random.Generator) -> Rows:
    """The first samples of a pool that are in none of a share of the clusters, none of them twice; n, or fewer where
    the pool has no more."""
    gone = _drawn(modes, share, rng)
    return pool[~gone[modes.cluster[pool]]][:n]


def _drawn(modes: Modes, share: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """(count,), true for a share of the clusters; with equal draws those of a smaller share are among them."""
    out = np.zeros(modes.count, bool)
    out[rng.permutation(modes.count)[: round(share * modes.count)]] = True
    return out
