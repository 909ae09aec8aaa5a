"""Tells: what gives one side away though it says nothing about the heart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.preflight.codes import finding, option
from truegrade.ecg.preflight.facts import Facts
from truegrade.ecg.preflight.orders import true_leads
from truegrade.ecg.tells import auc, derived_residual, laws_of, off_grid, quantum
from truegrade.recordings.leads import DERIVED
from truegrade.result.ecg import Finding

COARSEST = 0.1  # mV: a larger step is no rounding, but other units
CLEAR = 0.8  # AUC from which a tell is worth a word
EXACT, ROUNDED = 1e-5, 2e-3  # mV: residual of leads that were computed, and of leads that were rounded after it
ZERO = 1e-5  # mean as a part of the standard deviation
Array = NDArray[np.float64]


def compare_traces(real: Facts, synthetic: Facts) -> Iterator[Finding]:
    """Steps, laws and means that tell the sides apart."""
    if real.leads != synthetic.leads:
        return
    yield from _steps(real, synthetic)
    yield from _laws(real, synthetic)
    yield from _means(real, synthetic)


def _steps(real: Facts, synthetic: Facts) -> Iterator[Finding]:
    steps = [quantum(facts.sample) for facts in (real, synthetic)]
    known = [step for step in steps if step]
    if not known or max(known) > COARSEST or (len(known) == 2 and max(known) < 1.1 * min(known)):
        return
    area = auc(*(off_grid(facts.sample, max(known)) for facts in (real, synthetic)))
    if area < CLEAR:
        return
    words = [f"multiples of {1000 * step:.3g} uV" if step else "multiples of no step" for step in steps]
    yield finding(
        "quantum-tell",
        "both" if len(known) == 2 else "real" if steps[0] else "synthetic",
        f"The real values are {words[0]}, the synthetic ones {words[1]}: rounding alone tells them apart with an AUC "
        f"of {area:.2f}.",
        f"Round both sides alike: np.round(x / {max(known):.4g}) * {max(known):.4g}.",
    )


def _laws(real: Facts, synthetic: Facts) -> Iterator[Finding]:
    sides = [true_leads(facts) for facts in (real, synthetic)]
    if not laws_of(sides[0].leads) or sides[0].leads != sides[1].leads:
        return
    rests = [derived_residual(side) for side in sides]
    area = auc(*(np.round(rest, 7) for rest in rests))
    known = [rest[np.isfinite(rest)] for rest in rests]
    if area < CLEAR or not all(len(rest) for rest in known):
        return
    yield finding(
        "laws-tell",
        "both",
        f"The limb leads follow their laws: of the real recordings {_shares(known[0])}, of the synthetic ones "
        f"{_shares(known[1])}; that alone tells them apart with an AUC of {area:.2f}.",
        "Compute III, aVR, aVL and aVF from I and II on both sides, or grade the others alone: "
        f"{option('select', [lead for lead in sides[0].leads if lead not in DERIVED])}.",
    )


def _shares(rest: Array) -> str:
    exact, rounded = (rest <= EXACT).mean(), ((rest > EXACT) & (rest <= ROUNDED)).mean()
    parts = {"exactly": exact, "up to rounding": rounded, "further off": 1.0 - exact - rounded}
    shown = ", ".join(f"{part:.0%} {how}" for how, part in parts.items() if part > 0)
    return f"{shown} (median residual {1000 * np.median(rest):.2g} uV)"


def _means(real: Facts, synthetic: Facts) -> Iterator[Finding]:
    parts = []
    for facts in (real, synthetic):
        with np.errstate(invalid="ignore", divide="ignore"):
            part = np.abs(facts.mean) / facts.sd
        part = part[np.isfinite(part).any(axis=1)]
        if not len(part):
            return
        parts.append(np.nanmax(part, axis=1))
    shares = [float((part < ZERO).mean()) for part in parts]
    if abs(shares[0] - shares[1]) < CLEAR:
        return
    side = real if shares[0] > shares[1] else synthetic
    yield finding(
        "mean-tell",
        side.side,
        f"{shares[0]:.0%} of the real recordings and {shares[1]:.0%} of the synthetic ones have a mean of exactly zero "
        f"in every lead (AUC {auc(parts[0], parts[1]):.2f}).",
        "Subtract the mean of every lead on both sides.",
    )
