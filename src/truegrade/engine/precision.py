"""Chooses float32 or float64 for the products of a pair of sides, before any tile is made.

float32 is twice as fast and decides as exactly (ambiguous pairs are settled in float64), but where its error is not
small against the distances that matter, too many pairs become ambiguous and sums lose digits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from truegrade.engine.needs import Floats
from truegrade.engine.tiles import error_bound, some_rows, typical_error
from truegrade.samples import Samples

_ALWAYS_DOUBLE = 1 << 22  # pairs; below this speed does not matter and every digit is kept
_AMBIGUOUS = 0.02  # error of float32 products against the squared distance of near neighbours
_BLURRED = 1e-4  # typical error against the squared length of a kernel or product
_PILOT, _PILOT_OTHERS = 24, 256
_SMALLEST, _LARGEST = 1e-25, 1e30  # squares that float32 holds, with room for products of several


def product_dtype(a: Samples, b: Samples, centre: Floats, lengths2: Sequence[float]) -> np.dtype[np.floating]:
    """The precision for the pair (a, b); lengths2 are the squared lengths (bandwidths, radii) that enter sums."""
    double, single = np.dtype(np.float64), np.dtype(np.float32)
    if a.n * b.n <= _ALWAYS_DOUBLE:
        return double
    rows = some_rows(a, _PILOT).astype(np.float64) - centre
    others = some_rows(b, _PILOT_OTHERS).astype(np.float64) - centre
    na, nb = np.einsum("ij,ij->i", rows, rows), np.einsum("ij,ij->i", others, others)
    largest = max(float(na.max()), float(nb.max()), a.spread**2, b.spread**2)
    norms = float(np.median(na)) + float(np.median(nb))
    if largest * max(a.n, b.n) > _LARGEST or min((norms, *lengths2)) < _SMALLEST:
        return double
    if any(typical_error(a.d, single) * norms > _BLURRED * length2 for length2 in lengths2):
        return double
    d2 = na[:, None] + nb[None, :] - 2.0 * rows @ others.T
    d2[d2 <= 1e-12 * (na[:, None] + nb[None, :])] = np.inf  # the sample itself and its duplicates
    near = float(np.median(d2.min(1)))
    return double if not _SMALLEST < near < np.inf or error_bound(a.d, single) * norms > _AMBIGUOUS * near else single
