"""Recordings that lack most leads: which of them are compared together, on the leads that they have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST = 4  # sets of leads that are searched, one after the other

Rows = NDArray[np.intp]


def by_leads(has: NDArray[np.bool_]) -> list[tuple[Rows, Rows]]:
    """Sets of leads, and the recordings that have them all: the leads of most recordings first, then of the others.

    has: (m, L), whether the lead has a signal there and in some real recording. Recordings with none, and those that
    are left after four sets, are in no set.
    """
    out: list[tuple[Rows, Rows]] = []
    rest = np.flatnonzero(has.any(axis=1))
    while len(rest) and len(out) < MOST:
        patterns, counts = np.unique(has[rest], axis=0, return_counts=True)
        leads = np.flatnonzero(patterns[counts.argmax()])
        fits = has[rest][:, leads].all(axis=1)
        out.append((leads, rest[fits]))
        rest = rest[~fits]
    return out
