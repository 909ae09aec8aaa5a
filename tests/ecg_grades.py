"""Grades of ECG recordings made by hand, with every field filled: what reports of recordings are drawn from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import exhibit_page
import results
from truegrade.ecg.strips import make_strips
from truegrade.recordings import LEADS_12, Recordings
from truegrade.result import About, Evaluation, Exhibits
from truegrade.result.ecg import (
    CopyPair,
    Discrimination,
    EcgCopies,
    EcgGrades,
    FeatureGrades,
    Finding,
    LeadLaws,
    Measurement,
    Number,
    RegistryGrade,
    Scorecard,
    Spread,
    Tell,
)
from truegrade.result.table import Task
from truegrade.samplers.ecg import simulate_ecg

METRICS = {
    "clipped_density": ("Clipped density", "higher", (0.0, 1.0)),
    "clipped_coverage": ("Clipped coverage", "higher", (0.0, 1.0)),
    "recall": ("Recall", "higher", (0.0, 1.0)),
    "frechet_distance": ("Fréchet distance", "lower", (0.0, float("inf"))),
    "kernel_distance": ("Kernel distance", "target", (float("-inf"), float("inf"))),
}
MEASURED = (
    ("heart_rate", "Heart rate", "bpm", 72.0, 12.0),
    ("qrs", "QRS duration", "ms", 96.0, 9.0),
    ("qtc_bazett", "QTc (Bazett)", "ms", 415.0, 22.0),
    ("axis", "Axis", "degrees", 42.0, 25.0),
)


def recordings(count: int, seed: int, leads: tuple[str, ...] = LEADS_12, **more: Any) -> Recordings:
    return simulate_ecg(count, fs=100.0, seed=seed, leads=leads, name="real" if seed == 0 else "made", **more)


def number(value: float | None, floor: float | None = 0.9, spread: float = 0.02, **more: Any) -> Number:
    if value is None:
        return Number(None, reason="every synthetic recording lacks this lead")
    known = {} if floor is None else {"floor": floor, "floor_low": floor - spread, "floor_high": floor + spread}
    facts: dict[str, Any] = {"floor_n": 20, "floor_m": 20, "cuts": 4, "n_real": 40, "n_synthetic": 40}
    return Number(value, **(facts | known | more))


def about() -> dict[str, About]:
    return {
        key: About("fidelity", direction, ends, None, "", f"How {title.lower()} reads.", "")
        for key, (title, direction, ends) in METRICS.items()
    }


def grades_of(at: int) -> dict[str, Number]:
    """The worse the larger `at`; the lead number 5 has a metric without a value."""
    bad = min(0.9, 0.09 * at)
    return {
        "clipped_density": number(0.9 - 0.8 * bad),
        "clipped_coverage": number(None) if at == 5 else number(0.91 - bad),
        "recall": number(0.9, 0.9),
        "frechet_distance": number(0.31 * 10**bad, 0.31, 0.03),
        "kernel_distance": number(0.001 + bad, None),
    }


def features(which: str, leads: tuple[str, ...], labels: tuple[str, ...]) -> FeatureGrades:
    return FeatureGrades(
        which,
        "mean, sd, root mean square, maximum, energy, zero crossings and lag-1 autocorrelation of a lead",
        {lead: grades_of(at) for at, lead in enumerate(leads)},
        grades_of(4),
        grades_of(6),
        {label: grades_of(at) for at, label in enumerate(labels)},
    )


def measurement(key: str, title: str, unit: str, middle: float, sd: float, shift: float) -> Measurement:
    edges = np.linspace(middle - 4 * sd, middle + 4 * sd, 21)

    def spread(at: float, width: float, failed: int) -> Spread:
        draws = np.random.default_rng(3).normal(at, width, 300)
        quantiles = tuple(float(q) for q in np.quantile(draws, (0.05, 0.25, 0.5, 0.75, 0.95)))
        counts = tuple(int(c) for c in np.histogram(draws, edges)[0])
        return Spread(300, failed, float(draws.mean()), float(draws.std()), quantiles, counts)

    return Measurement(
        key,
        title,
        unit,
        spread(middle, sd, 2),
        spread(middle + shift * sd, 0.7 * sd, 31),
        number(shift * sd, 0.2 * sd, 0.05 * sd),
        number(0.3, 0.08),
        number(0.97, 0.98),
        tuple(float(edge) for edge in edges),
    )


def registry(leads: tuple[str, ...]) -> tuple[RegistryGrade, ...]:
    keys = ("mmd", "dtw", "prd", "psd", "fd", "fed", "psnr", "ssim", "swd", "mae", "hrv", "pr_dist", "sqi", "nn_dist")
    made = []
    for at, key in enumerate((*keys, "heart_rate", "spectral_entropy")):
        score = Number(None, reason="no encoder: install truegrade[ecg]") if key == "fed" else number(0.1 * at, 0.3)
        per_lead = {lead: 0.01 * i + at for i, lead in enumerate(leads)}
        extra = {"precision": dict.fromkeys(leads, 0.9)} if key == "pr_dist" else {}
        made.append(RegistryGrade(key, key.upper(), key in ("pr_dist", "psnr", "ssim", "sqi"), score, per_lead, extra))
    return tuple(made)


def copies(flagged: bool) -> EcgCopies:
    share = number(0.4 if flagged else 0.0, 0.0, 0.0)
    pairs = (CopyPair(3, 5, 0.9991, 0.42), CopyPair(1, 2, 0.971, 0.0))
    return EcgCopies(share, 0.995, flagged, pairs, ("The most similar pair has a similarity of 0.999.",))


def discrimination() -> Discrimination:
    tells = (
        Tell("quantised", "Real recordings are whole microvolts, synthetic ones are not.", 1.0, "both were rounded"),
        Tell("derived_leads", "III is II - I exactly in real recordings only.", 0.98, "III to aVF were left out"),
    )
    raw = {"logistic": number(0.999, 0.52, low=0.99, high=1.0), "boosting": number(1.0, 0.5)}
    clean = {"logistic": number(0.71, 0.52, low=0.6, high=0.8), "boosting": Number(None, reason="too few recordings")}
    return Discrimination(raw, clean, tells, ("Without the tells 71 of 100 pairs are told right.",))


def findings(name: str) -> tuple[Finding, ...]:
    return (
        Finding("flat-leads", "warn", "real", "2 recordings have a flat lead.", "leave them", 2, (name, "b"), ("V2",)),
        Finding("units-differ", "refuse", "synthetic", "Synthetic values are 1000 times the real ones.", "--units uV"),
        Finding("unnamed-leads", "note", "both", "Nobody named the leads.", "--leads I,II,III"),
    )


def laws(leads: tuple[str, ...]) -> LeadLaws:
    real = np.eye(len(leads), dtype=np.float32)
    synthetic = np.full_like(real, 0.25) + 0.75 * real
    residuals = {"III = II - I": (0.0004, 0.031), "aVR = -(I + II) / 2": (0.0004, 0.02)}
    return LeadLaws(residuals, number(0.026, 0.0004, 0.0), number(0.25, 0.05), real, synthetic)


def exhibits(real: Recordings, synthetic: Recordings) -> Exhibits:
    """The map of both sides in the plane of their standard deviations, with each one's nearest on the other."""
    a, b = (np.log(one.data.astype(float).std(axis=2) + 1e-3) for one in (real, synthetic))
    found = exhibit_page.exhibits(a, b, most_k=5)
    assert found.map is not None
    across = exhibit_page.distances(a, b)
    sides = (found.map.real, across.argmin(1), real), (found.map.synthetic, across.argmin(0), synthetic)
    ours, theirs = (
        replace(side, partner=partner, names=tuple(map(str, one.ids)), labels=tuple(map(str, one.labels)))
        for side, partner, one in sides
    )
    return replace(found, map=replace(found.map, real=ours, synthetic=theirs), pairs=())


def sides(count: int = 12, leads: tuple[str, ...] = LEADS_12) -> tuple[Recordings, Recordings]:
    return recordings(count, 0, leads), recordings(count, 1, leads, noise=0.05, rate=(90.0, 130.0))


def ecg_grades(
    leads: tuple[str, ...] = LEADS_12,
    *,
    flagged: bool = False,
    name: str = "a",
    labels: tuple[str, ...] = ("normal", "bundle branch block"),
    shown: tuple[Recordings, Recordings, Exhibits] | None = None,
) -> EcgGrades:
    """Grades with everything filled, strips and rhythms of these recordings among it."""
    found = copies(flagged)
    strips, rhythms = ((), ()) if shown is None else make_strips(*shown, found, seed=0)
    missing = dict.fromkeys(leads, (0, 0)) | {leads[-1]: (2, 5)}
    return EcgGrades(
        leads,
        100.0,
        "mV",
        10.0,
        findings(name),
        missing,
        about(),
        {key: title for key, (title, _, _) in METRICS.items()},
        (features("descriptors", leads, labels), features("spectral", leads, ())),
        registry(leads),
        Scorecard(tuple(measurement(*one, 0.8) for one in MEASURED), "neurokit2 0.3.0", None, (0, 3)),
        laws(leads),
        found,
        discrimination(),
        (Task("label", "AUC", 0.97, 0.81, 0.5), Task(name, "AUC", None, None, 0.5, "one class only")),
        strips,
        rhythms,
        (f"The worst lead is {leads[-1]}.", "Synthetic hearts beat too fast: 81 against 72 beats per minute."),
    )


def evaluation(model: str = "model", leads: tuple[str, ...] = LEADS_12, count: int = 12, **changes: Any) -> Evaluation:
    """An evaluation of ECG recordings with one score of their features, the map and the strips."""
    real, synthetic = sides(count, leads)
    shown = exhibits(real, synthetic)
    found = results.evaluation(model, 0.3, ("clipped_coverage",))
    scores = {key: replace(score, per_sample={}, repeats=None) for key, score in found.scores.items()}
    grades = ecg_grades(leads, shown=(real, synthetic, shown), **changes)
    return replace(found, scores=scores, exhibits=shown, ecg=grades)
