"""Compiled inner loops over one tile of squared distances. Pure functions of arrays; no threads, no Python objects.

A tile holds the products g[i, j] = a_i . b_j of centred rows. From them d2 = |a|^2 + |b|^2 - 2 g is known up to
`eps * (|a|^2 + |b|^2)`. That bound is a rigorous filter (neighbours.py): pairs that are clearly out are dropped,
clear cases are counted, and the few left over are decided by `squared_distance` on the raw rows in float64
(distance.py), so that decisions equal `((x - y) ** 2).sum()` to the last bit. Sums and products take d2 as it is
(sums.py).

Only the functions exported here are cached on disk. What they call must not be: a function that comes from a cache
cannot be inlined any more, and its callers become several times slower.
"""

from truegrade.engine.kernels.distance import (
    count_tied,
    pair_distances,
    row_norms,
    row_shifts,
    scratch,
    squared_distance,
)
from truegrade.engine.kernels.levels import scan_levels
from truegrade.engine.kernels.lists import insert_pairs, settle_all
from truegrade.engine.kernels.neighbours import count_pairs, scan_neighbours
from truegrade.engine.kernels.sums import scan_products, scan_sums

__all__ = [
    "count_pairs",
    "count_tied",
    "insert_pairs",
    "pair_distances",
    "row_norms",
    "row_shifts",
    "scan_levels",
    "scan_neighbours",
    "scan_products",
    "scan_sums",
    "scratch",
    "settle_all",
    "squared_distance",
]
