"""Recordings and leads that are not what they are said to be: other units, one lead twice, no beats, too short."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from truegrade.ecg.beats.peaks import LEAST_FS, r_peaks
from truegrade.ecg.preflight.codes import finding, listed, option
from truegrade.ecg.preflight.facts import Facts
from truegrade.result.ecg import Finding

TALLER = 100.0  # times the usual height of the set from which a recording is in other units
SAME = 1.0 - 1e-9  # correlation of leads that are one lead twice
SHORTEST = 1.0  # s
FEW_BEATS = 0.5  # share of recordings with beats below which a set is hardly one of ECGs
_LEAST = 3
_LOOKED = 24  # recordings that are searched for beats


def check_mixed(facts: Facts) -> Iterator[Finding]:
    """Single recordings many times as high as the others, as in other units."""
    known = np.isfinite(facts.swing).any(axis=1)
    if known.sum() < _LEAST:
        return
    heights = np.full(len(facts), np.nan)
    heights[known] = np.nanmedian(facts.swing[known], axis=1)
    usual = float(np.nanmedian(heights))
    rows = np.flatnonzero(heights >= TALLER * usual) if usual > 0 else np.empty(0, np.intp)
    if len(rows):
        times = float(np.median(heights[rows])) / usual
        yield finding(
            "units-mixed",
            facts.side,
            f"{len(rows):,} of {len(facts):,} {facts.words} {'is' if len(rows) == 1 else 'are'} about {times:,.3g} "
            f"times as high as the others, as in other units: {listed(facts.names(rows))}.",
            "Bring them to the units of the others, or leave them out.",
            severity="refuse" if facts.side == "real" else "warn",
            records=facts.names(rows),
        )


def check_twice(facts: Facts) -> Iterator[Finding]:
    """Leads that are another lead up to a factor."""
    size = np.sqrt(np.diag(facts.between))
    there = np.flatnonzero(size > 0)
    if len(there) < 2:
        return
    related = facts.between[np.ix_(there, there)] / (size[there, None] * size[None, there])
    pairs = np.argwhere(np.triu(np.abs(related) >= SAME, 1))
    if len(pairs):
        names = [(facts.leads[there[a]], facts.leads[there[b]]) for a, b in pairs]
        yield finding(
            "leads-equal",
            facts.side,
            f"In the {facts.words} {listed([f'{b} is {a}' for a, b in names])}, in every value up to a factor: no two "
            "leads of a heart are.",
            "Check how the leads were written; leave repeated ones out.",
            leads=tuple(dict.fromkeys(b for _, b in names)),
        )


def check_length(facts: Facts) -> Iterator[Finding]:
    """Recordings of less than a second, and rates too low for beats."""
    r = facts.recordings
    if r.fs is None:
        return
    if r.length / r.fs < SHORTEST:
        yield finding(
            "too-short",
            facts.side,
            f"The {facts.words} last {r.length / r.fs:.3g} s ({r.length:,} samples at {r.fs:g} Hz); no rhythm is in "
            f"less than {SHORTEST:g} s.",
            "Check the sampling rate and what they were cropped to.",
        )
    if r.fs < LEAST_FS:
        yield finding(
            "fs-low",
            facts.side,
            f"The {facts.words} have {r.fs:g} Hz; below {LEAST_FS:g} Hz beats cannot be found: no heart rates and "
            "intervals.",
            f"Give them at a higher rate, such as {option('resample', 250)} of recordings that had one.",
        )


def check_beats(facts: Facts) -> Iterator[Finding]:
    """Sets in which most recordings have no beats."""
    share = with_beats(facts)
    if share is not None and share < FEW_BEATS:
        yield finding(
            "no-beats",
            facts.side,
            f"Beats were found in {share:.0%} of the {facts.words} that were looked at: these are hardly ECGs.",
            "Check the sampling rate, the leads and that these are ECG recordings.",
        )


def with_beats(facts: Facts) -> float | None:
    """Share of recordings with two beats at least; None where they cannot be found. Of those that were looked at."""
    r = facts.recordings
    if r.fs is None or r.fs < LEAST_FS or r.length < 2 * SHORTEST * r.fs:
        return None
    at = np.unique(np.linspace(0, len(facts.rows) - 1, min(len(facts.rows), _LOOKED)).astype(np.intp))
    return float(np.mean([len(found) >= 2 for found in r_peaks(facts.sample[at], r.fs)]))
