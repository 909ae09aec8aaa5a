"""Can classifiers tell synthetic recordings from real ones: as they are, and without what gives them away trivially?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg import learners
from truegrade.ecg.discrimination.clean import cleaned
from truegrade.ecg.discrimination.folds import told_apart
from truegrade.ecg.discrimination.signs import TELLING, Plan, Sign, signs
from truegrade.ecg.discrimination.vectors import Vectors, drawn, vectors
from truegrade.ecg.floors import beside, cuts_of
from truegrade.ecg.matching import with_leads
from truegrade.recordings import Recordings
from truegrade.recordings.transforms import resampled
from truegrade.result.ecg import Discrimination, Number
from truegrade.result.table import Measure
from truegrade.uncertainty.areas import farthest

ROWS = 500  # recordings of a side that classifiers learn from and are tested on
CUTS = 2
CLASSIFIERS: Mapping[str, Callable[[int], Any]] = {"boosting": learners.boosting, "logistic": learners.logistic}

Floats = NDArray[np.float64]


def discriminate(real: Recordings, synthetic: Recordings, *, seed: int) -> Discrimination:
    """Area under the ROC curve of classifiers of recordings, tested on recordings of patients that they never saw.

    .5 is ideal: no better than guessing; 1: always told apart. By classifier: "boosting" (gradient-boosted trees) and
    "logistic" (logistic regression). `raw`: of the recordings as they are, with the trivial signs (`signs`) among the
    features. `clean`: after these were removed on both sides alike, so that what is left is about hearts: means are
    removed, III, aVR, aVL and aVF are left out where I and II are there, values are rounded to the coarser step, padded
    ends cut off, and frequencies removed that one side alone has. `tells`: the signs that alone have an AUC of .75 or
    more, the most telling first.

    Features: 11 descriptors a lead and the form of the beats. Real recordings without one of the leads are left out,
    synthetic ones are flat lines there. Five folds; recordings of one patient and equal recordings stay in one fold. Of
    more than 500 recordings of a side that many are drawn. Interval: see `truegrade.uncertainty.areas.folded_auc`. The
    floor is that of real against real. Undefined with fewer than 10 recordings or 5 patients on a side, and
    without scikit-learn, where tells are found all the same.

    Source: Lopez-Paz & Oquab 2017, "Revisiting classifier two-sample tests".
    """
    a, b = drawn(real, ROWS, seed), drawn(with_leads(real, synthetic), ROWS, seed)
    found, plan = signs(a, b)
    telling = sorted((one for one in found if one.auc >= TELLING), key=lambda one: -one.auc)
    raw = _areas(a, b, found, seed)
    clean = _areas(*_clean(a, b, plan), (), seed)
    tells = tuple(one.tell() for one in telling)
    return Discrimination(raw, clean, tells, _words(raw, clean, telling))


def _clean(real: Recordings, synthetic: Recordings, plan: Plan) -> tuple[Recordings, Recordings]:
    """Both sides without the signs, at the lower rate where they differ."""
    sides = [cleaned(side, plan) for side in (real, synthetic)]
    if real.fs and synthetic.fs and real.fs != synthetic.fs:
        sides = [resampled(side, min(real.fs, synthetic.fs)) for side in sides]
    return sides[0], sides[1]


def _areas(real: Recordings, synthetic: Recordings, found: tuple[Sign, ...], seed: int) -> dict[str, Number]:
    if not learners.available():
        none = Number(None, n_real=len(real), n_synthetic=len(synthetic), reason=learners.NEEDED)
        return dict.fromkeys(CLASSIFIERS, none)
    made = vectors(real, (synthetic,))
    x = [_with_signs(made, at, [(one.real, one.synthetic)[at] for one in found]) for at in (0, 1)]
    patients = [
        None if side.patients is None else side.patients[rows]
        for side, rows in zip((real, synthetic), made.rows, strict=True)
    ]
    left_out = len(real) - len(x[0])
    note = f"Features: {made.words}."
    if left_out:
        note += f" {left_out:,} real recordings without one of the leads or without beats are left out."
    cuts = cuts_of(len(x[0]), len(x[1]), patients[0], seed=seed, cuts=CUTS)
    out = {}
    for key, make in CLASSIFIERS.items():
        measure = told_apart(x[0], x[1], (patients[0], patients[1]), make, seed)
        floors = [_value(told_apart(x[0][i], x[0][j], _of(patients[0], i, j), make, seed)) for i, j in cuts]
        number = beside(_value(measure), floors, cuts, sizes=(len(x[0]), len(x[1])), note=note)
        out[key] = replace(number, low=measure.low, high=measure.high)
    return out


def _value(measure: Measure) -> float | str:
    return measure.reason or "it is undefined" if measure.value is None else measure.value


def _of(patients: NDArray[Any] | None, *parts: NDArray[np.intp]) -> tuple[Any, Any]:
    one, other = (None if patients is None else patients[rows] for rows in parts)
    return one, other


def _with_signs(made: Vectors, side: int, columns: list[Floats]) -> Floats:
    """Features and signs; a recording without a number for a sign has -1, which none has."""
    parts = [np.nan_to_num(one[made.rows[side]], nan=-1.0) for one in columns]
    return np.column_stack([made.values[side], *parts])


def _words(raw: Mapping[str, Number], clean: Mapping[str, Number], telling: list[Sign]) -> tuple[str, ...]:
    words = []
    for numbers, when in ((raw, "As they are"), (clean, "Without trivial signs")):
        most = farthest(numbers.values())
        if most is not None:
            key = next(key for key, one in numbers.items() if one is most)
            floor = "" if most.floor is None else f"; real against real: {most.floor:.2f}"
            words.append(
                f"{when}, synthetic recordings are told from real ones in {most.value:.0%} of pairs ({key}, "
                f"{most.low:.0%} to {most.high:.0%}; guessing gets 50%{floor})."
            )
    for sign in telling:
        words.append(f"{sign.text} That alone tells {sign.auc:.0%} of pairs. {sign.neutralised}")
    reason = next((one.reason for one in raw.values() if one.value is None), None)
    return (*words, f"Classifiers: {reason}.") if reason else tuple(words)
