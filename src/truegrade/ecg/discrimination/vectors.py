"""Recordings as rows for classifiers: eleven descriptors of every lead, and the form of the beats of all leads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.features import extract, fit_features, part_of
from truegrade.engine.blas import single_thread
from truegrade.recordings import Recordings

DIRECTIONS = 20  # of the beats of all leads together
_BEATING = 0.5  # share of the real recordings that must have beats, for these to be used

Floats = NDArray[np.float64]
Index = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Vectors:
    """Rows of every side, all finite, and which recordings they are of. Real recordings without one of the leads (or
    without beats, where these are used) are left out; synthetic ones are all there."""

    values: tuple[Floats, ...]
    rows: tuple[Index, ...]
    words: str


def drawn(side: Recordings, most: int, seed: int) -> Recordings:
    """All recordings, or so many of them at random."""
    if len(side) <= most:
        return side
    return part_of(side, np.sort(np.random.default_rng(seed).choice(len(side), most, replace=False)))


def vectors(real: Recordings, others: tuple[Recordings, ...], held: tuple[bool, ...] | None = None) -> Vectors:
    """Of real recordings and of others of the same leads; `held`: which of the others are real ones, too.

    Leads are those that real recordings have often enough. Directions of beats are those of all sides together, so
    that none of them is described better than another. Raises InputError where no real lead has a signal.
    """
    sides = (real, *others)
    real_ones = (True, *(held or (False,) * len(others)))
    timed = all(side.fs is not None for side in sides)
    which = "spectral" if timed else "descriptors"
    leads = fit_features(real, which).whole
    parts = [_taken(sides, real_ones, which, leads)]
    if timed:
        beats = _taken(sides, real_ones, "beats", leads)
        if beats[1][0].mean() >= _BEATING:
            parts.append((_reduced(beats[0]), beats[1]))
    whole = [np.logical_and.reduce([part[1][at] for part in parts]) for at in range(len(sides))]
    rows = tuple(np.flatnonzero(one).astype(np.intp) for one in whole)
    values = tuple(np.concatenate([part[0][at] for part in parts], axis=1)[rows[at]] for at in range(len(sides)))
    words = f"{11 if timed else 7} descriptors of each of {len(leads)} leads"
    return Vectors(values, rows, f"{words} and the form of the beats" if len(parts) > 1 else words)


def _taken(
    sides: tuple[Recordings, ...], real: tuple[bool, ...], which: str, leads: tuple[str, ...]
) -> tuple[list[Floats], list[NDArray[np.bool_]]]:
    """By side the features of these leads side by side, and the recordings that count."""
    values, counts = [], []
    for side, is_real in zip(sides, real, strict=True):
        raw = extract(side, which)
        at = [raw.leads.index(lead) for lead in leads]
        values.append(raw.values[:, at].reshape(len(side), -1))
        counts.append(np.asarray(~raw.missing[:, at].any(axis=1) | (not is_real)))
    return values, counts


def _reduced(values: list[Floats]) -> list[Floats]:
    """Coordinates along the main directions of all rows together, and the length of what they leave."""
    centre = np.concatenate(values).mean(axis=0)
    with single_thread():
        _, sizes, directions = np.linalg.svd(np.concatenate(values) - centre, full_matrices=False)
        basis = directions[:DIRECTIONS][sizes[:DIRECTIONS] > 1e-6 * sizes[0]].T
        out = []
        for one in values:
            along = (one - centre) @ basis
            off = np.linalg.norm(one - centre - along @ basis.T, axis=1)
            out.append(np.column_stack([along, off]))
    return out
