"""Which way leads point: arm electrodes swapped, and sides that are each other's mirror image."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.preflight.codes import finding
from truegrade.ecg.preflight.facts import Facts
from truegrade.result.ecg import Finding

DOWN, UP = 0.35, 0.65  # share of the QRS above the median, of leads that clearly point down or up
AGREED = 0.75  # share of recordings in which a lead has to point one way
FEWEST = 5


def check_polarity(facts: Facts) -> Iterator[Finding]:
    """Recordings whose lead I points down while aVR points up, as with the arm electrodes swapped."""
    if not {"I", "aVR"} <= set(facts.leads):
        return
    one, right = (facts.up[:, facts.leads.index(lead)] for lead in ("I", "aVR"))
    known = np.isfinite(one) & np.isfinite(right)
    rows = np.flatnonzero(known & (one < DOWN) & (right > UP))
    if not len(rows):
        return
    most = len(rows) > known.sum() / 2
    yield finding(
        "arms-swapped",
        facts.side,
        f"In {len(rows):,} of {len(facts):,} {facts.words} lead I points down and aVR up, as with the arm electrodes "
        f"swapped{' or all values negated' if most else ''}.",
        "Swap them back: negate I, exchange II with III and aVR with aVL. Or leave these recordings out."
        if not most
        else "Check the sign of the values and the order of the leads.",
        severity="warn" if most else "note",
        records=facts.names(rows),
    )


def compare_polarity(real: Facts, synthetic: Facts) -> Iterator[Finding]:
    """Leads that point one way in nearly all real recordings and the other way in nearly all synthetic ones."""
    shared = [lead for lead in real.leads if lead in synthetic.leads]
    ways = np.array([[_way(facts.up[:, facts.leads.index(lead)]) for lead in shared] for facts in (real, synthetic)])
    if not shared:
        return
    against = np.flatnonzero(ways[0] * ways[1] < 0)
    if not len(against):
        return
    known = int(np.count_nonzero(ways.all(axis=0)))
    leads = [shared[at] for at in against]
    whole = len(against) == known
    yield finding(
        "inverted",
        "both",
        f"{', '.join(leads)} point{'s' if len(leads) == 1 else ''} the other way in the synthetic recordings than in "
        f"the real ones ({len(against)} of the {known} leads that point one way on both sides).",
        "Negate the values of one side." if whole else "Check the order and the sign of these leads.",
        leads=leads,
    )


def _way(up: NDArray[np.float64]) -> int:
    """1 where a lead points up in most recordings, -1 down, 0 where that differs or too few tell."""
    known = up[np.isfinite(up)]
    if len(known) < FEWEST:
        return 0
    if (known > UP).mean() >= AGREED:
        return 1
    return -1 if (known < DOWN).mean() >= AGREED else 0
