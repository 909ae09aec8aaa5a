"""Every score of ECG recordings, by key: what a reader has to know of each, and where it stands in the grades."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from truegrade.ecg import summed
from truegrade.ecg.summed import Found, Take
from truegrade.result import About, Interval, Reference, Score
from truegrade.result.ecg import EcgGrades, Number
from truegrade.result.score import Status

FAMILY = "ecg"
Part = Literal["leads", "registry", "scorecard", "laws", "copies", "discrimination", "utility"]
PARTS: tuple[Part, ...] = ("leads", "registry", "scorecard", "laws", "copies", "discrimination", "utility")
_LEVEL = 0.95
_INF = math.inf
_NATS = (0.0, math.log(2.0) * (1.0 + 1e-9))  # of a divergence, which rounding may lift


@dataclass(frozen=True)
class EcgScore:
    """One number that sums up recordings: how to read it, which part of the grading makes it, and where it stands."""

    key: str
    title: str
    part: Part
    about: About
    take: Take


def _one(
    key: str,
    title: str,
    part: Part,
    take: Take,
    direction: str,
    span: tuple[float, float],
    words: tuple[str, str],
    *,
    target: float | None = None,
    reference: str = "this package",
) -> EcgScore:
    return EcgScore(key, title, part, About(FAMILY, direction, span, target, *words, reference), take)


def _sixteen() -> Iterator[EcgScore]:
    """The metrics of the registry."""
    descriptors = "seven descriptors of a lead"
    f_of = f"F of both on {descriptors}, in the ball of the nearest one, k = 3 or --k"
    for key, title, direction, span, what in (
        ("mmd", "MMD", "lower", (-1.0, 2.0), f"squared distance of the laws of {descriptors} in a kernel space"),
        ("dtw", "Dynamic time warping", "lower", (0.0, _INF), "warped distance of recordings to the nearest real one"),
        ("prd", "Percent root difference", "lower", (0.0, _INF), "difference of real ones from the nearest, in %"),
        ("psd", "Power spectrum", "lower", _NATS, "Jensen-Shannon divergence of mean power spectra"),
        ("fd", "Fréchet distance of descriptors", "lower", (0.0, _INF), "Fréchet distance of eleven descriptors"),
        ("fed", "Fréchet distance of embeddings", "lower", (0.0, _INF), "Fréchet distance of an encoder's vectors"),
        ("psnr", "Peak signal to noise", "higher", (-_INF, _INF), "range of real recordings over the nearest, in dB"),
        ("ssim", "Structural similarity", "higher", (-1.0, 1.0), "similarity of real recordings to the most similar"),
        ("swd", "Sliced Wasserstein", "lower", (0.0, _INF), f"transport of {descriptors} along random directions"),
        ("mae", "Mean absolute error", "lower", (0.0, _INF), "mean |difference| of real recordings from the nearest"),
        ("hrv", "RR variability", "lower", _NATS, "Jensen-Shannon divergence of SDNN, RMSSD and pNN50"),
        ("pr_dist", "Precision and recall of descriptors", "higher", (0.0, 1.0), f_of),
        ("sqi", "Signal quality", "higher", (-1.0, 1.0), "correlation of synthetic beats with the mean real beat"),
        ("nn_dist", "Nearest-neighbour distance", "lower", (0.0, _INF), "distance of real recordings to the nearest"),
        ("heart_rate", "Heart rate", "lower", _NATS, "Jensen-Shannon divergence of heart rates"),
        ("spectral_entropy", "Spectral entropy", "lower", _NATS, "Jensen-Shannon divergence of spectral entropies"),
    ):
        reading = f"The metric {key!r} of truegrade.ecg.AVAILABLE_METRICS; read it beside what real data get."
        words = (what if key == "fed" else f"{what}, mean over leads", reading)
        yield _one(f"ecg_{key}", title, "registry", summed.registry(key), direction, span, words)


def _leads() -> Iterator[EcgScore]:
    for key, title, what in (
        ("precision", "Precision by lead", "How many synthetic leads look like real ones."),
        ("recall", "Recall by lead", "How much of the variety of real leads is there."),
        ("clipped_density", "Clipped density by lead", "How many synthetic leads lie where real ones do."),
        ("clipped_coverage", "Clipped coverage by lead", "How many real leads have synthetic ones about them."),
    ):
        formula = f"mean over leads of {key} on the 7 descriptors of a lead; a lead that all synthetic ones lack is 0"
        yield _one(f"lead_{key}", title, "leads", summed.mean(key), "higher", (0.0, 1.0), (formula, what))


def _measured() -> Iterator[EcgScore]:
    for key, title, unit in (
        ("heart_rate", "Heart rates", "beats per minute"),
        ("sdnn", "SDNN", "ms"),
        ("rmssd", "RMSSD", "ms"),
        ("pr", "PR intervals", "ms"),
        ("qrs", "QRS durations", "ms"),
        ("qt", "QT intervals", "ms"),
        ("qtc_bazett", "QTc (Bazett)", "ms"),
        ("qtc_fridericia", "QTc (Fridericia)", "ms"),
        ("axis", "Electrical axes", "degrees"),
        ("p_amplitude", "P amplitudes", "mV"),
        ("r_amplitude", "R amplitudes", "mV"),
        ("t_amplitude", "T amplitudes", "mV"),
        ("st", "ST levels", "mV"),
    ):
        formula = f"Wasserstein-1 distance of the two distributions over recordings, {unit}"
        reading = f"By how much {title} differ on average ({unit}), read beside real against real."
        take = summed.distance(key)
        yield _one(f"{key}_distance", f"{title}, distance", "scorecard", take, "lower", (0.0, _INF), (formula, reading))


_OTHERS = (
    _one(
        "einthoven_error",
        "Error of Einthoven's and Goldberger's laws",
        "laws",
        summed.laws("einthoven"),
        "lower",
        (0.0, _INF),
        (
            "median |residual| in mV of III = II - I, aVR = -(I + II) / 2, aVL = I - II / 2, aVF = II - I / 2",
            "0 where leads that follow from I and II do; the floor is what the real recordings have.",
        ),
    ),
    _one(
        "lead_correlation_error",
        "Error of correlations between leads",
        "laws",
        summed.laws("correlation_error"),
        "lower",
        (0.0, 2.0),
        ("mean |difference| of the two mean correlation matrices of leads", "0 where leads go together as real ones."),
    ),
    _one(
        "discriminative_auc",
        "Told apart by a classifier",
        "discrimination",
        summed.auc,
        "target",
        (0.0, 1.0),
        (
            "cross-validated area under the ROC curve of real against synthetic recordings, without trivial tells, by "
            "the classifier farthest from .5",
            "0.5 means that no classifier told them apart, 1 that it always did; well below 0.5 recordings are copies.",
        ),
        target=0.5,
        reference="lopezpaz2017",
    ),
    _one(
        "ecg_copies",
        "Copies of real recordings",
        "copies",
        summed.copies,
        "lower",
        (0.0, 1.0),
        (
            "share of synthetic recordings whose normalised cross-correlation with a real one at the best shift is "
            "above that of fresh real ones",
            "More than fresh real recordings have means that real recordings were copied.",
        ),
    ),
    _one(
        "ecg_utility",
        "Train on synthetic, test on real",
        "utility",
        summed.utility,
        "higher",
        (0.0, 1.0),
        (
            "mean over tasks of (score of a model trained on synthetic recordings - baseline) / (the same of one "
            "trained on real ones - baseline), each from 0 to 1",
            "How much of what real recordings teach synthetic ones teach too; 1 is as much.",
        ),
        target=1.0,
    ),
    _one(
        "missing_leads",
        "Missing leads",
        "leads",
        summed.missing,
        "lower",
        (0.0, 1.0),
        (
            "share of synthetic leads that are flat or have a NaN",
            "0 where every lead of every recording is a signal.",
        ),
    ),
)
ECG_SCORES: dict[str, EcgScore] = {one.key: one for one in (*_leads(), *_OTHERS, *_measured(), *_sixteen())}
"""Every score of recordings, by key."""


def ecg_scores(grades: EcgGrades, keys: Iterable[str], n: int, m: int) -> dict[str, Score]:
    """The scores of recordings that were asked for, by key; n, m: recordings on either side.

    What a part that failed would have made is undefined with its reason.
    """
    failed = grades.settings.get("failed", {})
    out = {}
    for key in (key for key in ECG_SCORES if key in set(keys)):
        one = ECG_SCORES[key]
        found = failed[one.part] if one.part in failed else one.take(grades)
        score = _score(one, found, n, m, one.part in grades.settings.get("defects", ()))
        out[key] = replace(score, parameters={"k": grades.settings.get("k", 3)}) if key == "ecg_pr_dist" else score
    return out


def _score(one: EcgScore, found: Found, n: int, m: int, defect: bool) -> Score:
    number = Number(None, reason=found) if isinstance(found, str) else found
    n, m = number.n_real or n, number.n_synthetic or m
    status: Status = "ok"
    reason = number.reason
    if number.value is None:
        status, reason = "failed" if defect else "undefined", reason or "it is undefined"
    elif not one.about.range[0] <= number.value <= one.about.range[1]:
        status, reason = "failed", f"the value came out as {number.value}"
    if status != "ok":
        return Score(one.key, one.title, one.about, None, n, m, status=status, reason=reason)
    interval = _interval(number)
    missing = {} if interval is not None else {"interval": "none is computed for this score"}
    if number.floor is None:
        missing["floor"] = number.note or "none is computed for this score"
    return Score(
        one.key,
        one.title,
        one.about,
        float(number.value or 0.0),
        n,
        m,
        interval=interval,
        floor=_floor(number),
        missing=missing,
        details={} if number.floor_low is None else {"floor_low": number.floor_low, "floor_high": number.floor_high},
    )


def _floor(number: Number) -> Reference | None:
    if number.floor is None:
        return None
    return Reference(number.floor, number.floor_n, number.floor_m, number.note)


def _interval(number: Number) -> Interval | None:
    if number.low is None or number.high is None or not number.low <= number.high:
        return None
    return Interval(number.low, number.high, _LEVEL, "of the part that it comes from")
