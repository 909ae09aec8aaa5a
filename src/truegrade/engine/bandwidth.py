"""Lengths taken from the data, for kernels. Deterministic: evenly spaced rows, no random draw."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from truegrade.engine.needs import Bandwidth, Floats
from truegrade.engine.tiles import some_rows
from truegrade.samples import Samples

_MOST_ROWS = 600


def bandwidth(need: Bandwidth, samples: Sequence[Samples]) -> float:
    """The length that `need` asks for; 1.0 where all samples coincide."""
    if need.rule == "mean-square-real":
        length = float(np.sqrt(2.0) * samples[0].spread)
    else:
        each = _MOST_ROWS // len(samples)
        length = _median_distance(np.concatenate([some_rows(s, each) for s in samples]).astype(np.float64))
    return length if length > 0 else 1.0


def _median_distance(rows: Floats) -> float:
    """Median distance of all pairs; the median of the positive ones where more than half are 0."""
    rows = rows - np.median(rows, axis=0)
    norms = np.einsum("ij,ij->i", rows, rows)
    pairs = norms[:, None] + norms[None, :]
    d2 = pairs - 2.0 * (rows @ rows.T)
    d2[d2 < 1e-14 * pairs] = 0.0  # duplicates
    distances = np.sqrt(d2[np.triu_indices(len(rows), 1)])
    if distances.size == 0:
        return 0.0
    median = float(np.median(distances))
    if median <= 0.0 and (distances > 0).any():
        median = float(np.median(distances[distances > 0]))
    return median
