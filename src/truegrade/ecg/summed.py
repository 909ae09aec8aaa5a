"""Where the numbers that sum up recordings stand in their grades, and which of several counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from truegrade.result.ecg import EcgGrades, Number
from truegrade.uncertainty.areas import farthest

Found = Number | str
"""A number with its floor, or why there is none."""
_NO_ENCODER = 'it needs an encoder of recordings: truegrade.ecg.AVAILABLE_METRICS["fed"](encoder=...)'
Take = Callable[[EcgGrades], Found]


def registry(key: str) -> Take:
    """The score of a metric of the registry."""

    def take(grades: EcgGrades) -> Found:
        none = _NO_ENCODER if key == "fed" and grades.registry else "it was not computed"
        return next((one.score for one in grades.registry if one.key == key), none)

    return take


def mean(key: str) -> Take:
    """The mean over leads of a metric on the descriptors."""

    def take(grades: EcgGrades) -> Found:
        found = next((one for one in grades.features if one.features == "descriptors"), None)
        return "it was not computed" if found is None else found.mean.get(key, "it was not computed")

    return take


def distance(key: str) -> Take:
    """How far the two distributions of a clinical measurement lie apart."""

    def take(grades: EcgGrades) -> Found:
        card = grades.scorecard
        if card is None or card.reason:
            return "it was not computed" if card is None else str(card.reason)
        return next((one.distance for one in card.measurements if one.key == key), "it was not measured")

    return take


def auc(grades: EcgGrades) -> Found:
    """That of the classifier farthest from guessing, without the trivial tells."""
    found = [] if grades.discrimination is None else list(grades.discrimination.clean.values())
    return farthest(found) or next(iter(found), "it was not computed")


def utility(grades: EcgGrades) -> Found:
    """Share of what real recordings teach above the baseline that synthetic ones teach too, 0 to 1 a task; undefined
    where the synthetic ones have no labels or too few, 0 where their labels are of one class."""
    shares = [
        min(1.0, max(0.0, (task.synthetic - task.baseline) / gain))
        for task in grades.utility
        if task.real is not None and task.synthetic is not None and (gain := task.real - task.baseline) > 0
    ]
    if shares:
        return Number(sum(shares) / len(shares))
    if not grades.utility:
        return "the recordings have no labels to learn; say them with labels="
    return next((task.reason for task in grades.utility if task.reason), "real recordings teach nothing here")


def missing(grades: EcgGrades) -> Found:
    """Shares of leads without a signal, of the synthetic and (as floor) of the real side."""
    n, m = (int(grades.settings.get(side, 0)) for side in ("n_real", "n_synthetic"))
    if not (grades.missing and n and m):
        return "it was not counted"
    real, synthetic = (sum(lead[side] for lead in grades.missing.values()) for side in (0, 1))
    count = len(grades.missing)
    note = "Floor: the share of real leads that are missing."
    return Number(
        synthetic / (m * count), floor=real / (n * count), floor_n=n, floor_m=n, n_real=n, n_synthetic=m, note=note
    )


def laws(name: Literal["einthoven", "correlation_error"]) -> Take:
    """A number of the laws of leads."""

    def take(grades: EcgGrades) -> Found:
        if grades.laws is None:
            return "it was not computed"
        found: Number = getattr(grades.laws, name)
        return found

    return take


def copies(grades: EcgGrades) -> Found:
    """The share of copies."""
    return "it was not computed" if grades.copies is None else grades.copies.share
