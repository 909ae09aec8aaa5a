"""Lead sets and the order of leads: names against the laws of the limb leads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.preflight.codes import finding, listed, option
from truegrade.ecg.preflight.facts import Facts
from truegrade.ecg.preflight.limbs import CHEST, CLEARER, LIMB, Order, residual_of
from truegrade.recordings import LEADS_12, Recordings
from truegrade.result.ecg import Finding, Side

BROKEN = 0.3
SIDES: tuple[Side, ...] = ("real", "synthetic")
Array = NDArray[np.float64]


def true_leads(facts: Facts) -> Recordings:
    """The recordings, under the names that the laws give them where nobody named them and the laws are clear."""
    order = None if facts.recordings.leads_named else facts.order
    return replace(facts.recordings, leads=order.leads) if order and order.clear else facts.recordings


def check_order(facts: Facts) -> Iterator[Finding]:
    """Names of one side against the laws; the order of its chest leads as a hint."""
    between = facts.between
    named = residual_of(between, facts.leads)
    order = facts.order if set(facts.leads) == set(LEADS_12) else None
    other = order is not None and order.clear and order.leads != _with_chest(facts.leads)
    if order and other and named is not None and named > CLEARER * max(order.residual, 1e-6):
        yield _other_order(facts, order, named)
        return
    if named is not None and named > BROKEN and np.trace(between) > 0:
        yield finding(
            "laws-broken",
            facts.side,
            f"III, aVR, aVL and aVF of the {facts.words} differ from their sums of I and II by {named:.0%} of their "
            "size, and no other order of the leads does better: recorded leads differ by rounding.",
            "Check the names and the order of the leads: " + _say(LEADS_12, facts) + ".",
            severity="warn" if facts.side == "real" else "note",
        )
        return
    yield from _chest_hint(facts, between)


def compare_leads(real: Facts, synthetic: Facts) -> Iterator[Finding]:
    """Different sets or orders of leads, by name and by law."""
    if real.leads != synthetic.leads:
        yield _other_leads(real, synthetic)
        return
    if set(real.leads) != set(LEADS_12):
        return
    orders = [facts.order for facts in (real, synthetic)]
    texts = [", ".join(order.leads) for order in orders if order and order.clear]
    if len(texts) == 2 and texts[0] != texts[1]:
        said = [option("leads", text.split(", "), side) for text, side in zip(texts, SIDES, strict=True)]
        yield finding(
            "lead-order-differs",
            "both",
            f"By the laws of the limb leads the real leads are {texts[0]}, the synthetic ones {texts[1]}.",
            f"Name the leads of each side in the order in which they are stored: {' and '.join(said)}.",
        )


def _with_chest(leads: tuple[str, ...]) -> tuple[str, ...]:
    """The names with V1 to V6 in the order in which chest leads stand, which the laws cannot tell."""
    rest = iter(CHEST)
    return tuple(lead if lead in LIMB else next(rest) for lead in leads)


def _other_order(facts: Facts, order: Order, named: float) -> Finding:
    who = "they are named" if facts.recordings.leads_named else "unnamed leads are taken for"
    return finding(
        "lead-order",
        facts.side,
        f"By Einthoven's and Goldberger's laws the leads of the {facts.words} are {', '.join(order.leads)} (residual "
        f"{order.residual:.2g} of their size), but {who} {', '.join(facts.leads)} (residual {named:.2g}).",
        f"Say {_say(order.leads, facts)}.",
        leads=order.leads,
    )


def _say(leads: tuple[str, ...], facts: Facts) -> str:
    return option("leads", list(leads), facts.said)


def _chest_hint(facts: Facts, between: Array) -> Iterator[Finding]:
    """V1 looks at the heart from the right and V6 from the left, as lead I does."""
    if not {"I", "V1", "V6"} <= set(facts.leads) or not np.trace(between) > 0:
        return
    size = np.sqrt(np.diag(between))
    at = {lead: facts.leads.index(lead) for lead in ("I", "V1", "V6")}
    if min(size[at["I"]], size[at["V1"]], size[at["V6"]]) <= 0:
        return
    first, last = (between[at["I"], at[one]] / (size[at["I"]] * size[at[one]]) for one in ("V1", "V6"))
    if first - last > 0.5:
        yield finding(
            "chest-order",
            facts.side,
            f"In the {facts.words} V1 goes with lead I (correlation {first:.2f}) and V6 does not ({last:.2f}); usually "
            "it is the other way round.",
            "Check the order of V1 to V6.",
        )


def _other_leads(real: Facts, synthetic: Facts) -> Finding:
    one, other = real.leads, synthetic.leads
    both = [lead for lead in one if lead in other]
    text = f"The real leads are {listed(one, 12)}, the synthetic ones {listed(other, 12)}"
    if set(one) == set(other):
        mend = f"{option('select', list(one))}, if the names are right."
        return finding("leads-differ", "both", f"{text}: the same in another order.", mend)
    unnamed = [facts.words for facts in (real, synthetic) if not facts.recordings.leads_named]
    name = f" Of the {' and the '.join(unnamed)} nobody named them: give leads (--leads)." if unnamed else ""
    shared = f"Give both sides the leads they share: {option('select', both)}."
    mend = shared if both else "They share none by name."
    return finding("leads-differ", "both", f"{text}: {len(both)} of them are shared.", mend + name)
