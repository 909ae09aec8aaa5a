"""Shares and areas under curves with their intervals: what detection, utility, privacy and copying are measured by."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, expit, logit, ndtri

from truegrade.result.ecg import Number
from truegrade.result.table import Measure

Floats = NDArray[np.float64]
LEVEL = 0.95
_Area = TypeVar("_Area", Measure, Number)


def auc(low: Floats, high: Floats) -> float:
    """P(a value of `high` is above one of `low`), ties half: the area under the curve. NaN if one is empty."""
    return float(_above(high, low).mean()) if len(low) and len(high) else math.nan


def auc_measure(low: Floats, high: Floats) -> Measure:
    """The area with its interval: DeLong's standard error, on the logit.

    Source: DeLong, DeLong & Clarke-Pearson 1988; the logit: Pepe 2003, The Statistical Evaluation of Medical Tests,
    section 5.2.
    """
    return folded_auc(low, high, np.zeros(len(low), np.intp), np.zeros(len(high), np.intp))


def farthest(areas: Iterable[_Area]) -> _Area | None:
    """Of areas of several classifiers the one farthest from guessing, .5: copies are below it, where the nearer one
    would hide them. None where none has a value."""
    known = [one for one in areas if one.value is not None]
    return max(known, key=lambda one: abs((one.value or 0.0) - 0.5), default=None)


def folded_auc(
    low: Floats,
    high: Floats,
    low_fold: NDArray[np.intp],
    high_fold: NDArray[np.intp],
    low_group: NDArray[np.intp] | None = None,
    high_group: NDArray[np.intp] | None = None,
) -> Measure:
    """The mean over folds of the area within each, with its interval.

    low_group, high_group: numbers of the groups whose rows go together, such as the patient of each row, each within
    one fold; without them every row is a group of its own.

    Scores of different folds come from different models and are never compared. The variance is DeLong's, from the
    placements of all rows about the mean of their fold (LeDell, Petersen & van der Laan 2015, "Computationally
    efficient confidence intervals for cross-validated area under the ROC curve"), times 2 where there are several
    folds: where there is nothing to find, a model is made of chance differences between the other folds, and every
    pair of rows of two folds acts twice, as learnt and tested and the other way round. Exactly 2 for a score that is a
    sum of similarities to the learnt rows; simulated coverage of .5 without it is 80 %. The more there is to find, the
    less it is, and the interval errs on the wide side. The placements of a group are summed (Obuchowski 1997,
    "Nonparametric analysis of clustered ROC curve data", with groups on one side only).
    """
    groups = [
        np.arange(len(rows)) if given is None else given for rows, given in ((high, high_group), (low, low_group))
    ]
    folds = np.intersect1d(low_fold, high_fold)
    areas, squares, count, freedom = [], np.zeros(2), np.zeros(2), np.zeros(2)
    for fold in folds:
        a, b = low[low_fold == fold], high[high_fold == fold]
        above = (_above(b, a), 1.0 - _above(a, b))
        areas.append(float(above[0].mean()))
        sums = [_sums(above[0], groups[0][high_fold == fold]), _sums(above[1], groups[1][low_fold == fold])]
        squares += [float((part**2).sum()) for part in sums]
        count += [len(part) for part in sums]
        freedom += [len(part) - 1 for part in sums]
    if not areas or (freedom < 1).any():
        return Measure(None, reason="too few rows for an area under a curve")
    twice = 2.0 if len(folds) > 1 else 1.0
    rows = np.array([len(high), len(low)], float)
    error = math.sqrt(twice * float((squares / freedom * count / rows**2).sum()))
    return _around(float(np.mean(areas)), error, int(count.min()))


def _sums(placements: Floats, group: NDArray[np.intp]) -> Floats:
    """By group the sum of its rows' placements, less their mean."""
    which = np.unique(group, return_inverse=True)[1].reshape(-1)
    return np.asarray(np.bincount(which, placements - placements.mean()), dtype=np.float64)


def _above(values: Floats, others: Floats) -> Floats:
    """By value the share of `others` below it, ties half."""
    ordered = np.sort(others)
    ranks = np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")
    return np.asarray(ranks / (2.0 * len(others)), np.float64)


def _around(area: float, error: float, fewer: int) -> Measure:
    """The interval on the logit; of a perfect area the exact bound of as many successes as the fewer rows."""
    tail = (1 - LEVEL) / 2
    if area in (0.0, 1.0):
        bound = tail ** (1 / fewer)
        return Measure(area, *((bound, 1.0) if area == 1.0 else (0.0, 1.0 - bound)))
    reach = -float(ndtri(tail)) * error / (area * (1 - area))
    low, high = (float(expit(logit(area) + step)) for step in (-reach, reach))
    return Measure(area, low, high)


def share_measure(count: float, of: int, *, fresh: float | None = None) -> Measure:
    """A share of independent rows with its exact interval (Clopper & Pearson 1934). `fresh`: of fresh real rows."""
    low, high = share_bounds(count, of)
    return Measure(count / of, low, high, fresh)


def share_bounds(count: float, of: int) -> tuple[float, float]:
    """The exact 95 % interval of a share (Clopper & Pearson 1934)."""
    tail = (1 - LEVEL) / 2
    low = float(betaincinv(count, of - count + 1, tail)) if count > 0 else 0.0
    high = float(betaincinv(count + 1, of - count, 1 - tail)) if count < of else 1.0
    return low, high


def wilson(share: float, size: float) -> Measure:
    """A share with its interval by Wilson 1927 for `size` independent rows, which need not be a whole number."""
    z2 = float(ndtri((1 - LEVEL) / 2)) ** 2
    centre = (share + z2 / (2 * size)) / (1 + z2 / size)
    reach = math.sqrt(z2 * (share * (1 - share) / size + z2 / (4 * size * size))) / (1 + z2 / size)
    return Measure(share, max(0.0, centre - reach), min(1.0, centre + reach))
