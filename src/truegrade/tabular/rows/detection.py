"""Can a classifier tell synthetic rows from real ones? The classifier two-sample test, cross-validated."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.result.table import Measure
from truegrade.samples import Samples
from truegrade.tabular.rows import learners
from truegrade.uncertainty.areas import folded_auc

CLASSIFIERS = ("boosting", "logistic")
ROWS = 10_000  # rows a side that the classifiers learn from and are tested on
FOLDS = 5
ITERATIONS = 100
_FEWEST = 10
_TOGETHER = 10  # equal rows that stay in one fold
Matrix = NDArray[np.floating]


def detect(
    real: Samples | Matrix,
    synthetic: Samples | Matrix,
    *,
    seed: int = 0,
    threads: int | None = None,
    iterations: int = ITERATIONS,
    rows: int = ROWS,
) -> dict[str, Measure]:
    """Area under the ROC curve of classifiers that tell synthetic from real rows, tested on rows that they never saw.

    .5 is ideal: no better than guessing; 1: always told apart. By classifier: "boosting" (gradient-boosted trees:
    any difference that columns or a few of them together show) and "logistic" (a difference of means). Where one of
    both is right the other may still be wrong; the one farthest from .5 counts. If both are well below .5 the rows of
    one side repeat those of the other.

    real (n, d), synthetic (m, d): encoded rows; of more than `rows` that many are drawn with `seed`. Five folds, each
    with its part of both sides. Equal rows stay in one fold, else a copy of a row that is learnt as real would be
    known; where more than ten are equal it is their frequency that differs or not, and they are dealt out like others.
    The value is the mean over folds of the area within the fold; the interval (`areas.folded_auc`) holds .5 in about
    95 of 100 cases where both sides are of one law, and is rather wide where they are not.
    Undefined with fewer than 10 rows on a side, and without scikit-learn.

    Source: Lopez-Paz & Oquab 2017, "Revisiting classifier two-sample tests"; the interval: LeDell et al. 2015.
    """
    a, b = (_drawn(side, rows, seed) for side in (real, synthetic))
    if reason := _refused(len(a), len(b)):
        return dict.fromkeys(CLASSIFIERS, Measure(None, reason=reason))
    x, y = np.concatenate([a, b]), np.repeat([0, 1], [len(a), len(b)])
    folds = deal(x, y, seed=seed)
    makers: dict[str, Callable[[], Any]] = {
        "boosting": partial(learners.boosted_classifier, seed=seed, iterations=iterations),
        "logistic": learners.logistic_regression,
    }
    work = [partial(_scores, make, x, y, folds == fold) for make in makers.values() for fold in range(FOLDS)]
    found = learners.side_by_side(work, threads)
    out = {}
    for number, key in enumerate(makers):
        scores = np.empty(len(x))
        for fold in range(FOLDS):
            scores[folds == fold] = found[number * FOLDS + fold]
        out[key] = folded_auc(scores[y == 0], scores[y == 1], folds[y == 0], folds[y == 1])
    return out


def _refused(n: int, m: int) -> str | None:
    if min(n, m) < _FEWEST:
        return f"{n} real and {m} synthetic rows; at least {_FEWEST} a side are needed"
    return None if learners.available() else learners.NEEDED


def _drawn(side: Samples | Matrix, most: int, seed: int) -> Matrix:
    rows = side.array() if isinstance(side, Samples) else np.asarray(side)
    if len(rows) <= most:
        return rows
    return np.asarray(rows[np.sort(np.random.default_rng(seed).choice(len(rows), most, replace=False))])


def deal(x: Matrix, y: NDArray[np.intp], *, seed: int) -> NDArray[np.intp]:
    """The fold of each row, (n,). Each fold has its part of both classes; up to ten equal rows share a fold."""
    rng = np.random.default_rng(seed)
    _, group, counts = np.unique(x, axis=0, return_inverse=True, return_counts=True)
    group = group.reshape(-1)
    single = counts[group] > _TOGETHER
    group[single] = len(counts) + np.arange(int(single.sum()))
    _, group = np.unique(group, return_inverse=True)
    sizes = np.stack([np.bincount(group[y == kind], minlength=group.max() + 1) for kind in (0, 1)])
    order = np.lexsort((rng.permutation(sizes.shape[1]), sizes[1], sizes[0]))
    fold = np.empty(len(order), np.intp)
    fold[order] = np.arange(len(order)) % FOLDS
    return np.asarray(fold[group])


def _scores(make: Callable[[], Any], x: Matrix, y: NDArray[np.intp], held: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Scores of the held-out rows by a model of all others; all the same where those are of one class."""
    if len(np.unique(y[~held])) < 2:
        return np.zeros(int(held.sum()))
    model = make().fit(x[~held], y[~held])
    return np.asarray(model.decision_function(x[held]), np.float64)
