"""Where recordings differ by more than chance: every lead of every feature set and all leads together, in one test."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.chance import MOST, Pooled, corrected_p, independent
from truegrade.ecg.features.extract import Raw, extract, part_of
from truegrade.ecg.features.fit import fit_features
from truegrade.recordings import Recordings

Floats = NDArray[np.float64]
Where = tuple[str, str]
"""A feature set and a lead; "" is all leads together."""


def differences(real: Recordings, synthetic: Recordings, sets: Collection[str], *, seed: int) -> dict[Where, float]:
    """The p-value of each lead of these feature sets, and of all leads together, corrected for all of them: see
    `corrected_p`.

    On one recording of each patient and at most 200 of a side. Features are scaled by both sides together: scales and
    directions of the real side alone would fit that side better, and so tell the sides apart. Real recordings without
    the lead are left out, synthetic ones are flat lines. Raises InputError where a set cannot be had.
    """
    fits = {which: fit_features(real, which) for which in sets}
    a, b = _drawn(real, seed), _drawn(synthetic, seed)
    found: dict[Where, Pooled] = {}
    for which, fit in fits.items():
        raws = extract(a, which), extract(b, which)
        leads = {lead: (lead,) for lead in fit.leads if lead not in fit.absent} | {"": fit.whole}
        for name, some in leads.items():
            rows = _rows(raws, some)
            parts = [_scaled(_of(raws, lead)[rows], together=which == "beats") for lead in some]
            found[which, name] = Pooled(np.concatenate(parts, axis=1), rows)
    return corrected_p(found, len(a), len(b), seed=seed)


def by_lead(found: dict[Where, float], which: str) -> dict[str, float]:
    """Those of one feature set, by lead."""
    return {lead: p for (one, lead), p in found.items() if one == which}


def _drawn(side: Recordings, seed: int) -> Recordings:
    rows = np.flatnonzero(independent(side))
    if len(rows) > MOST:
        rows = np.sort(np.random.default_rng(seed).choice(rows, MOST, replace=False))
    return side if len(rows) == len(side) else part_of(side, rows)


def _rows(raws: tuple[Raw, Raw], leads: tuple[str, ...]) -> NDArray[np.intp]:
    """Of both sides: real recordings that have these leads, and all synthetic ones."""
    ours, theirs = raws
    without = ours.missing[:, [ours.leads.index(lead) for lead in leads]].any(axis=1)
    count = len(ours.values)
    return np.concatenate([np.flatnonzero(~without), np.arange(count, count + len(theirs.values))])


def _of(raws: tuple[Raw, Raw], lead: str) -> Floats:
    """(n + m, p) of one lead; of a side that does not have it a line at 0."""
    parts: Iterator[Floats] = (
        raw.values[:, raw.leads.index(lead)] if lead in raw.leads else np.zeros((len(raw.values), raw.values.shape[2]))
        for raw in raws
    )
    return np.concatenate(list(parts))


def _scaled(values: Floats, *, together: bool) -> Floats:
    """Without constant features, over the sd of each; together: over one of all, so that forms keep their shape."""
    sd = values.std(axis=0)
    kept = sd > 1e-9 * np.abs(values).max(axis=0, initial=0.0)
    scale = float(np.sqrt((sd**2).sum())) if together else sd[kept]
    out: Floats = (values[:, kept] - values[:, kept].mean(axis=0)) / scale
    return out
