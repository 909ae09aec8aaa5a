"""The clinical scorecard: how each measurement is distributed over recordings of both sides, and how far apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.beats import distances
from truegrade.ecg.beats.measure import By, Measures, main_lead, measure
from truegrade.ecg.beats.peaks import LEAST_FS
from truegrade.ecg.chance import gap_p, independent
from truegrade.ecg.floors import Cuts, Value, beside, carried
from truegrade.recordings import Recordings
from truegrade.result.ecg import Measurement, Number, Scorecard, Spread

BINS = 24
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Kind:
    """A measurement: its name and unit; circular: an angle in degrees."""

    title: str
    unit: str
    circular: bool = False


KINDS = {
    "heart_rate": Kind("Heart rate", "bpm"),
    "sdnn": Kind("SDNN", "ms"),
    "rmssd": Kind("rMSSD", "ms"),
    "pr": Kind("PR interval", "ms"),
    "qrs": Kind("QRS duration", "ms"),
    "qt": Kind("QT interval", "ms"),
    "qtc_bazett": Kind("QTc (Bazett)", "ms"),
    "qtc_fridericia": Kind("QTc (Fridericia)", "ms"),
    "axis": Kind("Frontal axis", "degrees", circular=True),
    "p_amplitude": Kind("P amplitude", "mV"),
    "r_amplitude": Kind("R amplitude", "mV"),
    "t_amplitude": Kind("T amplitude", "mV"),
    "st": Kind("ST level at J + 60 ms", "mV"),
}
NO_UNITS = "units as given"


def scorecard(
    real: Recordings, synthetic: Recordings, *, seed: int = 0, cuts: Cuts = (), by: By = "truegrade"
) -> Scorecard:
    """Clinical measurements of both sides, each recording measured once.

    A measurement that fails (no beats, no P wave) is an outcome: it counts as a difference in the KS gap and the
    plausible share, and synthetic failures beyond the share of real ones make the distance larger. A real recording
    whose needed lead is no signal is left out of that measurement; a synthetic one is an outcome that no real one has.
    Floors of the distance and of the gap are carried to the sizes of the sides: both grow with the root of 1/n + 1/m.

    Args:
        seed: of the random relabellings. cuts: of `floors.real_cuts`, for the floor of every number.
        by: what delineates the waves, see `measure`.

    Without a sampling rate, of one below 40 Hz and of sides without a common lead there are no measurements, but a
    reason. Raises MissingExtra for by="neurokit2" without that library. Source: this package.
    """
    reason = _cannot(real, synthetic)
    if reason:
        return Scorecard((), reason=reason)
    common = [lead for lead in real.leads if lead in synthetic.leads]
    if set(common) != set(real.leads) or set(common) != set(synthetic.leads):
        real, synthetic = real.select_leads(common), synthetic.select_leads(common)
    lead = main_lead(real)
    sides = measure(real, lead=lead, by=by), measure(synthetic, lead=lead, by=by)
    unit = "mV" if real.units and synthetic.units else NO_UNITS
    alone = independent(real), independent(synthetic)
    found = (_measurement(key, kind, sides, cuts, lead, unit, alone, seed) for key, kind in KINDS.items())
    return Scorecard(
        tuple(found),
        by=sides[0].by,
        without_beats=(int((sides[0].beats == 0).sum()), int((sides[1].beats == 0).sum())),
    )


def _cannot(real: Recordings, synthetic: Recordings) -> str | None:
    """Why nothing can be measured."""
    for side in (real, synthetic):
        if side.fs is None:
            return f"The sampling rate of {side.name} is not known; give fs=, such as fs=500."
        if side.fs < LEAST_FS:
            return f"{side.name} has {side.fs:g} Hz; beats can be found from {LEAST_FS:g} Hz on."
    if not set(real.leads) & set(synthetic.leads):
        return "The two sides have no lead in common."
    return None


def _measurement(
    key: str,
    kind: Kind,
    sides: tuple[Measures, Measures],
    cuts: Cuts,
    lead: str,
    millivolts: str,
    alone: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    seed: int,
) -> Measurement:
    """One measurement of both sides: spreads, and three numbers with their floors."""
    real = np.where(sides[0].lacking[key], np.inf, sides[0].values[key])
    synthetic = np.where(sides[1].lacking[key], -np.inf, sides[1].values[key])
    middle = distances.centre(real) if kind.circular else 0.0
    if kind.circular:
        real, synthetic = distances.around(real, middle), distances.around(synthetic, middle)
    edges = _edges(real, synthetic, middle if kind.circular else None)
    absent = sides[0].absent.get(key)
    rules = ((distances.circle_distance if kind.circular else distances.line_distance, 0.5), (distances.gap, 0.5))
    apart, gap = (_number(rule, real, synthetic, cuts, absent, power) for rule, power in rules)
    return Measurement(
        key=key,
        title=f"{kind.title}, lead {lead}" if kind.unit == "mV" else kind.title,
        unit=millivolts if kind.unit == "mV" else kind.unit,
        real=_spread(real, edges),
        synthetic=_spread(synthetic, edges),
        distance=apart,
        ks=gap,
        plausible=_number(distances.plausible, real, synthetic, cuts, absent, None),
        edges=tuple(float(edge) for edge in edges),
        chance=None if absent else gap_p(distances.asked(real[alone[0]]), synthetic[alone[1]], seed=seed),
    )


def _number(
    rule: Callable[[Values, Values], float | str],
    real: Values,
    synthetic: Values,
    cuts: Cuts,
    absent: str | None,
    power: float | None,
) -> Number:
    """A number with its floor, on the recordings that were asked; power: with which the floor is carried."""
    if absent:
        return Number(None, reason=absent)
    sizes = len(distances.asked(real)), len(synthetic)
    floors: list[Value] = [rule(real[one], real[other]) for one, other in cuts]
    words = ""
    if power is not None:
        floors, words = carried(floors, cuts, (len(real), len(synthetic)), power=power)
    return beside(rule(real, synthetic), floors, cuts, sizes=sizes, note=words)


def _edges(real: Values, synthetic: Values, middle: float | None) -> Values:
    """Bins that both sides share: from the 1st to the 99th percentile of the two, an angle all around."""
    if middle is not None:
        return np.linspace(middle - 180.0, middle + 180.0, BINS + 1)
    known = [side[np.isfinite(side)] for side in (real, synthetic)]
    ends = [np.quantile(side, (0.01, 0.99)) for side in known if len(side)]
    if not ends:
        return np.empty(0)
    low, high = float(np.min(ends)), float(np.max(ends))
    return np.linspace(low, high, BINS + 1) if high > low else np.linspace(low - 0.5, low + 0.5, BINS + 1)


def _spread(values: Values, edges: Values) -> Spread:
    """How one side is distributed; what lies beyond the bins is counted in the outermost."""
    values = distances.asked(values)
    known = values[np.isfinite(values)]
    if not len(known) or not len(edges):
        return Spread(0, len(values), None, None, (), (0,) * max(0, len(edges) - 1))
    return Spread(
        n=len(known),
        failed=len(values) - len(known),
        mean=float(known.mean()),
        sd=float(known.std(ddof=1)) if len(known) > 1 else None,
        quantiles=tuple(float(at) for at in np.quantile(known, QUANTILES)),
        counts=tuple(int(count) for count in np.histogram(np.clip(known, edges[0], edges[-1]), edges)[0]),
    )
