"""Leads without a signal, with gaps, cut off, or ending in a constant: lead by lead, with the recordings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.preflight.codes import finding, listed, option
from truegrade.ecg.preflight.facts import Facts
from truegrade.result.ecg import Finding

LONG_TAIL = 0.02  # part of a recording from which a constant end biases
MOST_GROUPS = 6
REAL_RULE = "They are left out of the numbers of those leads."
SYNTHETIC_RULE = "They are graded as what the generator made, flat lines."


def check_gaps(facts: Facts) -> Iterator[Finding]:
    """Flat, broken, absent and clipped leads, and constant ends."""
    missing, broken = facts.recordings.missing, facts.recordings.broken
    absent: NDArray[np.bool_] = np.asarray(missing.all(axis=0))
    if absent.all():
        yield finding(
            "all-missing",
            facts.side,
            f"No lead of the {len(facts):,} {facts.words} has a signal: all are constant or have a NaN or an infinity.",
            "Check how they were written and read.",
            count=len(facts),
            leads=facts.leads,
        )
        return
    if absent.any():
        yield _absent(facts, absent)
    rule = REAL_RULE if facts.side == "real" else SYNTHETIC_RULE
    yield from _by_lead(
        "leads-flat", "flat", missing & ~broken & ~absent, facts, f"{rule} Or leave these recordings out."
    )
    yield from _by_lead(
        "values-missing", "broken by a NaN or an infinity", broken & ~absent, facts, f"{rule} Or fill the gaps first."
    )
    yield from _by_lead(
        "clipped",
        "cut off at an extreme value",
        facts.clipped,
        facts,
        "Leave these recordings out, or read them with a wider range.",
    )
    yield from _tails(facts)


def _by_lead(code: str, what: str, at: NDArray[np.bool_], facts: Facts, mend: str) -> Iterator[Finding]:
    """One finding over all leads concerned; leads that fail in the same recordings are named together."""
    if not at.any():
        return
    rows = np.flatnonzero(at.any(axis=1))
    groups: defaultdict[tuple[int, ...], list[str]] = defaultdict(list)
    for lead in np.flatnonzero(at.any(axis=0)):
        groups[tuple(np.flatnonzero(at[:, lead]))].append(facts.leads[lead])
    most = sorted(groups.items(), key=lambda item: -len(item[0]))
    parts = [f"{', '.join(leads)} in {_which(found, facts)}" for found, leads in most[:MOST_GROUPS]]
    rest = "" if len(most) <= MOST_GROUPS else f"; and {len(most) - MOST_GROUPS} more"
    yield finding(
        code,
        facts.side,
        f"Leads of {len(rows):,} of {len(facts):,} {facts.words} are {what}: {'; '.join(parts)}{rest}.",
        mend,
        records=facts.names(rows),
        leads=[facts.leads[lead] for lead in np.flatnonzero(at.any(axis=0))],
    )


def _which(rows: tuple[int, ...], facts: Facts) -> str:
    return listed(facts.names(list(rows)), 4)


def _absent(facts: Facts, absent: NDArray[np.bool_]) -> Finding:
    leads = [lead for lead, gone in zip(facts.leads, absent, strict=True) if gone]
    rule = "they count as the worst value" if facts.side == "synthetic" else "they have no numbers on either side"
    return finding(
        "lead-absent",
        facts.side,
        f"{', '.join(leads)}: no signal in any of the {len(facts):,} {facts.words}; {rule}.",
        "Check how they were written, or leave these leads out on both sides: "
        f"{option('select', [lead for lead in facts.leads if lead not in leads])}.",
        count=len(facts),
        leads=leads,
    )


def _tails(facts: Facts) -> Iterator[Finding]:
    long = facts.recordings.length
    rows = np.flatnonzero(facts.tail)
    if not len(rows):
        return
    tail = float(np.median(facts.tail[rows]))
    fs = facts.recordings.fs
    rest = long - int(facts.tail.max())
    crop = option("crop", float(f"{rest / fs:.4g}")) if fs else f"x[:, :, :{rest}]"
    seconds = f" ({tail / fs:.3g} s)" if fs else ""
    yield finding(
        "padded",
        facts.side,
        f"{len(rows):,} of {len(facts):,} {facts.words} end in a constant, of {tail:,.0f} samples{seconds} in the "
        "median.",
        f"Cut both sides before it: {crop}.",
        severity="warn" if tail >= LONG_TAIL * long else "note",
        records=facts.names(rows),
    )
