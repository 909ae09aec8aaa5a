"""The look at recordings before they are graded: what would make numbers meaningless, what biases, what gives away."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from truegrade.ecg.preflight.axes import check_axes
from truegrade.ecg.preflight.clock import check_clock, compare_clocks
from truegrade.ecg.preflight.codes import CODES as CODES
from truegrade.ecg.preflight.doubles import check_count, check_doubles, compare_doubles, compare_holdout
from truegrade.ecg.preflight.facts import ALONE, Facts, look
from truegrade.ecg.preflight.gaps import check_gaps
from truegrade.ecg.preflight.orders import check_order, compare_leads
from truegrade.ecg.preflight.polarity import check_polarity, compare_polarity
from truegrade.ecg.preflight.shape import check_beats, check_length, check_mixed, check_twice
from truegrade.ecg.preflight.spectrum import check_spectrum, compare_spectra
from truegrade.ecg.preflight.traces import compare_traces
from truegrade.ecg.preflight.units import check_offset, check_units, compare_units
from truegrade.errors import InputError
from truegrade.recordings import Recordings
from truegrade.result import did_you_mean
from truegrade.result.ecg import Finding, Side

EACH: tuple[Callable[[Facts], Iterable[Finding]], ...] = (
    check_order,
    check_units,
    check_mixed,
    check_twice,
    check_length,
    check_beats,
    check_clock,
    check_gaps,
    check_offset,
    check_polarity,
    check_doubles,
    check_spectrum,
)
PAIRED: tuple[Callable[[Facts, Facts], Iterable[Finding]], ...] = (
    compare_leads,
    compare_units,
    compare_clocks,
    compare_polarity,
    compare_doubles,
    compare_spectra,
    compare_traces,
)
RANK = {"refuse": 0, "warn": 1, "note": 2}
SETTLED = {
    "units-differ": ("units-implausible", "units-unknown"),
    "lead-order-differs": ("lead-order",),
    "spectrum-tell": ("spectrum-cut",),
}
"""What a finding about both sides says better than these of one side."""


def preflight(
    real: Recordings,
    synthetic: Recordings,
    override: Collection[str] = (),
    *,
    holdout: Recordings | None = None,
    k: int | None = None,
) -> tuple[Finding, ...]:
    """What is to be said of two sets of recordings before grading, the most serious first.

    Findings of severity "refuse" make numbers meaningless, see `refuse`; "warn" biases them; "note" is a tell.

    Args:
        override: codes that shall not stop the evaluation: their findings become "warn".
        holdout: other real recordings; looked through for those that are not fresh.
        k: neighbours that the metrics will look at; no side may have so few recordings.

    Raises InputError for a code in `override` that there is not. Holds some recordings at a time, and 64 of each side.
    """
    known = _known(override)
    found = [*check_axes(real, "real", "real recordings"), *check_axes(synthetic, "synthetic", "synthetic recordings")]
    if all(one.code in known for one in found):  # else nothing that follows would mean anything
        sides = look(real, "real", "real recordings"), look(synthetic, "synthetic", "synthetic recordings")
        found += chain.from_iterable(_alone(side, k) for side in sides)
        if not any(side.recordings.missing.all() for side in sides):
            found += chain.from_iterable(compare(*sides) for compare in PAIRED)
        if holdout is not None:
            found += compare_holdout(sides[0], look(holdout, "real", "hold-out recordings"))
    settled = {code for one in found for code in SETTLED.get(one.code, ())}
    return _sorted(one for one in found if one.code not in settled or one.code in known)


def look_at(recordings: Recordings, side: Side = "real") -> tuple[Finding, ...]:
    """What is to be said of one set of recordings alone, the most serious first; `side` stands in the findings."""
    found = list(check_axes(recordings, side, ALONE))
    if not found:
        found += _alone(look(recordings, side, ALONE), None)
    return _sorted(found)


def refuse(findings: Sequence[Finding], override: Collection[str] = ()) -> tuple[Finding, ...]:
    """The findings, those that were overridden as "warn". Raises one InputError that lists all others of severity
    "refuse", each with what mends it, and how to grade all the same; and for a code in `override` that there is not."""
    known = _known(override)
    serious = [one for one in findings if one.severity == "refuse" and one.code not in known]
    if not serious:
        return tuple(_overridden(one, known) for one in findings)
    lines = [f"- {one.code}: {one.text} {one.mend}" for one in serious]
    codes = list(dict.fromkeys(one.code for one in serious))
    shown = ", ".join(f'"{code}"' for code in codes)
    raise InputError(
        "These recordings cannot be graded as they are:\n" + "\n".join(lines) + "\nTo grade them all the same: "
        f'ecg={{"override": [{shown}]}} ({" ".join(f"--override {code}" for code in codes)}).'
    )


def _alone(facts: Facts, k: int | None) -> Iterator[Finding]:
    yield from check_count(facts, k)
    if facts.recordings.missing.all():
        yield from check_gaps(facts)
        return
    for check in EACH:
        yield from check(facts)


def _sorted(found: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(found, key=lambda one: RANK[one.severity]))


def _overridden(one: Finding, known: Collection[str]) -> Finding:
    if one.severity != "refuse" or one.code not in known:
        return one
    return replace(one, severity="warn", text=f"{one.text} Graded all the same, as was asked for.", overridden=True)


def _known(override: Collection[str]) -> frozenset[str]:
    codes = (override,) if isinstance(override, str) else tuple(override)
    for code in codes:
        if code not in CODES:
            near = did_you_mean(str(code), list(CODES))
            raise InputError(
                f"override={str(code)[:60]!r} given; there is no such finding.{near} There are: {', '.join(CODES)}."
            )
    return frozenset(codes)
