"""Disjoint random parts of the real set, in the proportion of an evaluation; a group (a patient) stays on one side."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

STEEPEST = 4.0  # largest ratio of sizes that is kept when the real set has to be cut

Index = NDArray[np.intp]


def part_sizes(n: int, m: int) -> tuple[int, int]:
    """Sizes of two disjoint parts of n samples in the proportion n : m, at most 4 to 1 and none above m."""
    share = 1 / (1 + float(np.clip(m / n, 1 / STEEPEST, STEEPEST)))
    first = round(share * n)
    return first, min(n - first, max(1, round(share * m)))


def cut_rows(n: int, m: int, groups: NDArray[Any] | None, rng: np.random.Generator) -> tuple[Index, Index]:
    """Rows of two disjoint random parts of n samples, sorted, see `part_sizes`.

    groups: (n,) of each sample, or None. No group stands in both parts; sizes are then met as far as groups allow.
    """
    sizes = part_sizes(n, m)
    if groups is None:
        order = rng.permutation(n)
        parts = order[: sizes[0]], order[sizes[0] : sum(sizes)]
    else:
        parts = _whole_groups(groups, sizes, rng)
    return np.sort(parts[0]).astype(np.intp), np.sort(parts[1]).astype(np.intp)


def pick_groups(groups: NDArray[Any], size: int, rng: np.random.Generator) -> tuple[Index, Index]:
    """About `size` random rows of whole groups, and the rows of all other groups, both sorted."""
    first, second = _whole_groups(groups, (size, max(0, len(groups) - size)), rng)
    return np.sort(first).astype(np.intp), np.sort(second).astype(np.intp)


def group_codes(groups: NDArray[Any] | None, n: int) -> Index:
    """A number for each of n rows, the same for those of one group; without groups each is its own."""
    if groups is None:
        return np.arange(n)
    return np.asarray(np.unique(np.asarray(groups).astype(str), return_inverse=True)[1].reshape(-1), np.intp)


def strangers(groups: NDArray[Any] | None, others: NDArray[Any] | None, n: int) -> Index:
    """Which of n rows, whose groups are `others`, belong to none of `groups`; all where either is not known."""
    if groups is None or others is None:
        return np.arange(n)
    return np.flatnonzero(~np.isin(others.astype(str), groups.astype(str))).astype(np.intp)


def _whole_groups(groups: NDArray[Any], sizes: tuple[int, int], rng: np.random.Generator) -> tuple[Index, Index]:
    """Groups in random order, each to the part that lacks the larger share of its size; what would fill a part over
    by more than half a group is left out."""
    code = np.unique(groups, return_inverse=True)[1].reshape(-1)
    count = np.bincount(code)
    side = np.full(len(count), -1)
    lacks = np.array(sizes, dtype=float)
    asked = np.maximum(lacks, 1.0)
    for group in rng.permutation(len(count)):
        part = int(np.argmax(lacks / asked + 1e-9 * rng.random(2)))  # equal ones by chance
        if 2.0 * lacks[part] >= count[group]:
            side[group] = part
            lacks[part] -= count[group]
    found = side[code]
    return np.flatnonzero(found == 0), np.flatnonzero(found == 1)
