"""Recordings and patients that occur twice, and sets that are too small."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.preflight.codes import finding, listed
from truegrade.ecg.preflight.facts import Facts
from truegrade.recordings import Recordings
from truegrade.result.ecg import Finding

PLACES = 48  # values of each recording that are compared, besides mean and spread of every lead
NEAR = 1e-5  # of the usual size of a value
Array = NDArray[np.float64]


def check_count(facts: Facts, k: int | None) -> Iterator[Finding]:
    """Fewer recordings than neighbours are looked at, or one alone."""
    least = max(2, (k or 0) + 1)
    if len(facts) < least:
        have = f"is 1 {facts.words.removesuffix('s')}" if len(facts) == 1 else f"are {len(facts)} {facts.words}"
        yield finding(
            "too-few",
            facts.side,
            f"There {have}; at least {least} are needed{f' for k={k}' if k else ''}, since a radius to the "
            f"{k or 1}-nearest neighbour has to exist.",
            "Give more recordings" + (f", or a smaller k (below {len(facts)})." if k and len(facts) > 2 else "."),
            count=len(facts),
        )


def check_doubles(facts: Facts) -> Iterator[Finding]:
    """Recordings that are equal to an earlier one."""
    marks = _marks(facts)
    scale = _scale(marks)
    order = np.argsort(marks[:, 0], kind="stable")
    twice: dict[int, int] = {}
    group = [order[0]]
    for row in order[1:]:
        near = [other for other in group if abs(marks[row, 0] - marks[other, 0]) <= scale]
        first = next((other for other in near if _equal(marks[row], marks[other], scale)), None)
        if first is not None:
            twice[int(row)] = int(first)
        else:
            near.append(row)
        group = near[-20:]
    rows = sorted(row for row in twice if not facts.recordings.missing[row].all())
    pairs = [f"{facts.names([row])[0]} is {facts.names([twice[row]])[0]}" for row in rows[:5]]
    if rows:
        yield finding(
            "duplicates",
            facts.side,
            f"{len(rows):,} of {len(facts):,} {facts.words} {'repeats' if len(rows) == 1 else 'repeat'} another one "
            f"exactly: {listed(pairs)}{' ...' if len(rows) > len(pairs) else ''}.",
            "Leave the repeated ones out.",
            records=facts.names(rows),
        )


def compare_doubles(real: Facts, synthetic: Facts) -> Iterator[Finding]:
    """Synthetic recordings that are real ones."""
    rows = _copies(real, synthetic)
    if len(rows):
        yield finding(
            "same-records",
            "synthetic",
            f"{len(rows):,} of {len(synthetic):,} synthetic recordings {'is' if len(rows) == 1 else 'are'} an exact "
            "copy of a real one: "
            f"{listed(synthetic.names(rows))}.",
            "Give recordings that were generated, not those that the generator was trained on.",
            records=synthetic.names(rows),
        )


def compare_holdout(real: Facts, holdout: Facts) -> Iterator[Finding]:
    """Recordings and patients that are both real ones and held out."""
    rows = _copies(real, holdout)
    one, other = real.recordings.patients, holdout.recordings.patients
    shared = sorted(_names(one) & _names(other))
    same = sorted(_names(real.recordings.ids) & _names(holdout.recordings.ids))
    parts = [f"{len(rows):,} recordings are equal"] if len(rows) else []
    parts += [f"{len(same):,} ids occur on both sides ({listed(same)})"] if same else []
    parts += [f"{len(shared):,} patients have recordings on both sides ({listed(shared)})"] if shared else []
    if parts:
        yield finding(
            "holdout-shared",
            "real",
            f"The hold-out has to be recordings that the real side does not have: {'; '.join(parts)}.",
            "Split by patient, so that no patient is both in the real recordings and in the hold-out.",
            count=max(len(rows), len(same), len(shared)),
            records=shared or same or holdout.names(rows),
        )


def _names(values: NDArray[Any] | None) -> set[str]:
    return set() if values is None else {str(one) for one in values}


def _copies(one: Facts, other: Facts) -> NDArray[np.intp]:
    """Recordings of `other` that are equal to one of `one`."""
    a, b = one.recordings, other.recordings
    if a.values.shape[1:] != b.values.shape[1:]:
        return np.empty(0, np.intp)
    marks, others = _marks(one), _marks(other)
    scale = _scale(marks)
    order = np.argsort(marks[:, 0], kind="stable")
    keys = marks[order, 0]
    first = np.searchsorted(keys, others[:, 0] - scale, "left")
    last = np.searchsorted(keys, others[:, 0] + scale, "right")
    found = [
        row
        for row in range(len(others))
        if not b.missing[row].all()
        and any(_equal(others[row], marks[at], scale) for at in order[first[row] : min(last[row], first[row] + 50)])
    ]
    return np.array(found, dtype=np.intp)


def _marks(facts: Facts) -> Array:
    """(N, 1 + 2 L + places): a sum to sort by, mean and sd of each lead, values at places that are always the same."""
    r: Recordings = facts.recordings
    _, leads, length = r.values.shape
    rng = np.random.default_rng(0)
    at, when = rng.integers(0, leads, PLACES), rng.integers(0, length, PLACES)
    values = np.nan_to_num(np.asarray(r.values[:, at, when], dtype=np.float64) * r.scale)
    stats = np.nan_to_num(np.concatenate([facts.mean, facts.sd], axis=1))
    return np.concatenate([values.mean(axis=1, keepdims=True), stats, values], axis=1)


def _scale(marks: Array) -> float:
    return NEAR * float(np.median(np.abs(marks[:, 1:])) + np.finfo(float).tiny)


def _equal(one: Array, other: Array, scale: float) -> bool:
    return bool((np.abs(one - other) <= scale).all())
