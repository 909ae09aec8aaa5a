"""Cross-validation in which no patient, and no recording that is there twice, stands on both sides of a fold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from truegrade.ecg import learners
from truegrade.result.table import Measure
from truegrade.uncertainty.areas import folded_auc
from truegrade.uncertainty.cuts import group_codes

FOLDS = 5
FEWEST = 10  # recordings of a side
_TOGETHER = 10  # equal recordings that stay in one fold; more are a frequency that differs or not

Floats = NDArray[np.float64]
Index = NDArray[np.intp]


def tied_rows(x: Floats, patients: NDArray[Any] | None) -> Index:
    """A number for each row of x, the same for rows of one patient and for equal rows, and for what hangs together by
    them."""
    _, same, counts = np.unique(x, axis=0, return_inverse=True, return_counts=True)
    same = same.reshape(-1)
    alone = counts[same] > _TOGETHER
    same[alone] = len(counts) + np.arange(int(alone.sum()))
    if patients is None:
        return np.asarray(np.unique(same, return_inverse=True)[1].reshape(-1), np.intp)
    who = group_codes(patients, len(x))
    nodes = len(counts) + len(x) + int(who.max()) + 1
    links = coo_array((np.ones(len(x)), (same, len(counts) + len(x) + who)), shape=(nodes, nodes))
    _, part = connected_components(links, directed=False)
    return np.asarray(np.unique(part[same], return_inverse=True)[1].reshape(-1), np.intp)


def deal(group: Index, y: Index, count: int, seed: int) -> Index:
    """The fold of each row, (n,): whole groups, the largest first, each to the fold that lacks most of its kinds."""
    sizes = np.stack([np.bincount(group[y == kind], minlength=group.max() + 1) for kind in (0, 1)], axis=1)
    parts = sizes / sizes.sum(axis=0)
    rng = np.random.default_rng(seed)
    order = np.lexsort((rng.permutation(len(sizes)), -parts.max(axis=1)))
    fold, load = np.empty(len(sizes), np.intp), np.zeros((count, 2))
    for one in order:
        fold[one] = np.argmin(load @ parts[one] + 1e-9 * load.sum(axis=1))
        load[fold[one]] += parts[one]
    return np.asarray(fold[group])


def told_apart(
    real: Floats,
    synthetic: Floats,
    patients: tuple[NDArray[Any] | None, NDArray[Any] | None],
    make: Callable[[int], Any],
    seed: int,
) -> Measure:
    """Cross-validated AUC of a classifier of the rows, with its interval; undefined with too few rows or patients."""
    n, m = len(real), len(synthetic)
    if min(n, m) < FEWEST:
        return Measure(None, reason=f"{n} real and {m} synthetic recordings; at least {FEWEST} a side are needed")
    x, y = np.concatenate([real, synthetic]), np.repeat([0, 1], [n, m])
    group = tied_rows(x, _joined(patients, n, m))
    groups = min(len(np.unique(group[y == kind])) for kind in (0, 1))
    if groups < FOLDS:
        return Measure(None, reason=f"one side is of {groups} patients; at least {FOLDS} are needed")
    fold = deal(group, y, FOLDS, seed)
    score = np.empty(len(x))
    for one in range(FOLDS):
        held = fold == one
        if len(np.unique(y[held])) < 2 or len(np.unique(y[~held])) < 2:
            return Measure(None, reason="patients cannot be dealt out so that each part has both sides")
        score[held] = learners.probabilities(make(seed), x[~held], y[~held], x[held], 2)[:, 1]
    low, high = y == 0, y == 1
    return folded_auc(score[low], score[high], fold[low], fold[high], group[low], group[high])


def _joined(patients: tuple[NDArray[Any] | None, NDArray[Any] | None], n: int, m: int) -> NDArray[Any] | None:
    """Names of the patients of all rows; each row is a patient of its own where a side has none."""
    if patients[0] is None and patients[1] is None:
        return None
    return np.concatenate(
        [
            np.array([f"{side} {at}" for at in range(count)])
            if who is None
            else np.char.add("patient ", who.astype(str))
            for side, who, count in (("real", patients[0], n), ("synthetic", patients[1], m))
        ]
    )
