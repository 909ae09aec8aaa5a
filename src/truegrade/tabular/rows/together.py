"""The rows of two tables as a classifier sees them: by one rule that asks neither side before the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.tabular.rows.coordinates import LevelPart
from truegrade.tabular.rows.encode import MOST_COORDINATES, MOST_PLACES, Drawn

RARE = 10  # rows of both sides together: levels with fewer are one level
Matrix = NDArray[np.float32]


def together(real: Drawn, synthetic: Drawn) -> tuple[Matrix, Matrix]:
    """Both tables as vectors, (n, d) and (m, d), by the encoding of the real one, but for its levels.

    That has a coordinate for the levels of the real table alone, the most frequent there: a level of one row would
    tell the side of that row, though any two tables of one law have such levels. Here a category has a coordinate
    for each of the 50 levels (or fewer, of very wide tables) that are most frequent in both sides together, from ten
    rows on, one for all others, and one for missing.
    """
    sides, encoding = (real, synthetic), real.encoding
    levelled = [part for part in encoding.parts if isinstance(part, LevelPart)]
    most = max(2, min(MOST_PLACES, MOST_COORDINATES // max(1, len(levelled))))
    names = {part.column.name for part in levelled}
    numbers = [i for name, span in encoding.spans.items() if name not in names for i in range(span.start, span.stop)]
    parts = [[side.samples.array()[:, numbers] for side in sides]]
    for part in encoding.parts:
        values = [side.values(part.column.name) for side in sides]
        if isinstance(part, LevelPart):
            parts.append(_shared_levels(values, most))
        elif not part.gaps:
            parts.append([_missing(side)[:, None] for side in values])
    first, second = (np.concatenate([part[side] for part in parts], axis=1) for side in (0, 1))
    return first, second


def _missing(values: NDArray[Any]) -> Matrix:
    return np.asarray(values < 0 if values.dtype.kind == "i" else np.isnan(values), np.float32)


def _shared_levels(codes: list[NDArray[Any]], most: int) -> list[Matrix]:
    """Both sides one-hot, (n, k) and (m, k): frequent levels, all others, missing."""
    counts = np.bincount(np.concatenate(codes) + 1)
    counts[0] = 0
    own = np.argsort(-counts, kind="stable")[:most]
    own = own[counts[own] >= RARE]
    place = np.full(len(counts), len(own))
    place[own] = np.arange(len(own))
    place[0] = len(own) + 1
    return [np.eye(len(own) + 2, dtype=np.float32)[place[side + 1]] for side in codes]
