"""What numbers of recordings amount to: which are off, which leads differ by more than chance, what may be praised."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from truegrade.result.ecg import EcgGrades, FeatureGrades, Measurement, Number
from truegrade.result.score import About
from truegrade.uncertainty.paired import holm

TOLD = 0.65  # AUC of a classifier from which on recordings are told apart
MARGIN = 0.05  # by which a share may miss its least floor
FACTOR = 2.0  # of its largest floor above which a distance is off
CLINICAL = 1.5  # times the mean of its floors, carried to the sizes, above which a clinical distance is off
LEVEL = 0.05  # of all leads of all feature sets, or all measurements, together
KEYS = ("clipped_density", "clipped_coverage", "precision", "recall")


def copied(grades: EcgGrades) -> bool:
    """Whether more recordings are copies than fresh real ones explain; nothing is praised then."""
    return grades.copies is not None and grades.copies.flagged


def off(number: Number, about: About | None) -> bool:
    """Whether a number is worse than every real-against-real cut by more than a margin; never without a floor."""
    value, least, most = number.value, number.floor_low, number.floor_high
    if value is None or least is None or most is None or about is None:
        return False
    spread = max(most - least, _chance(number, about))
    if about.direction == "higher":
        return value < least - max(spread, MARGIN * max(1.0, abs(least)))
    if about.direction == "lower":
        return value > most + max(spread, (FACTOR - 1.0) * abs(most))
    margin = max(spread, 2.0 * MARGIN)
    return value < least - margin or value > most + margin


def _chance(number: Number, about: About) -> float:
    """Of a share: four standard errors of what real against real has at these sizes, as many numbers are looked at."""
    if about.range != (0.0, 1.0) or number.floor is None or not (number.n_real and number.n_synthetic):
        return 0.0
    share = min(max(number.floor, 0.05), 0.95)
    return 4.0 * math.sqrt(share * (1.0 - share) * (1.0 / number.n_real + 1.0 / number.n_synthetic))


def differ(grades: EcgGrades) -> set[tuple[str, str]]:
    """Feature sets and leads ("" for all together) that differ by more than chance, with all of them looked at."""
    return {(found.features, lead) for found in grades.features for lead, p in found.chance.items() if p < LEVEL}


def far_off(found: FeatureGrades, about: Mapping[str, About]) -> bool:
    """Whether likeness or variety is off in some lead or in all together, whether or not chance may explain it."""
    sides = (*found.per_lead.values(), found.whole)
    return any(off(side[key], about.get(key)) for side in sides for key in KEYS if key in side)


def open_to_praise(grades: EcgGrades) -> bool:
    """Whether nothing speaks against praise as a whole: there is a reference, every classifier may be guessing, and no
    synthetic lead is missing."""
    clean = {} if grades.discrimination is None else grades.discrimination.clean
    guessing = all(told_apart(one) == "hardly" for one in clean.values() if one.value is not None)
    return bool(grades.settings.get("cuts")) and guessing and not any(lost for _, lost in grades.missing.values())


def told_apart(auc: Number) -> Literal["told", "paired", "open", "hardly"]:
    """What the AUC of a classifier says: it tells the sides apart for sure and better than real from real; it is wrong
    for sure, as with near-equal pairs; its interval includes guessing and it is not far from it; or that is open."""
    value = auc.value or 0.0
    low, high = (value if end is None else end for end in (auc.low, auc.high))
    if low > 0.5 and (value >= TOLD or auc.low is not None) and (auc.floor_high is None or value > auc.floor_high):
        return "told"
    if high < 0.5 and value <= 1.0 - TOLD and (auc.floor_low is None or value < auc.floor_low):
        return "paired"
    guessing = abs(value - 0.5) < TOLD - 0.5 and (auc.low is None or auc.low <= 0.5)
    return "hardly" if guessing and (auc.high is None or auc.high >= 0.5) else "open"


def clinically_off(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Those that differ by more than chance, with all of them looked at, and by half more than real ones do."""
    tested = [one for one in measurements if one.chance is not None]
    corrected = holm([one.chance for one in tested if one.chance is not None])
    return [
        one
        for one, p in zip(tested, corrected, strict=True)
        if p < LEVEL
        and one.synthetic.n
        and one.distance.value is not None
        and one.distance.floor is not None
        and one.distance.value > CLINICAL * one.distance.floor
    ]


def never_measured(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Those that could be taken of real recordings and of no synthetic one."""
    return [one for one in measurements if one.real.n and one.synthetic.failed and not one.synthetic.n]


def beyond(distance: Number) -> bool:
    """Whether a distance is far above all its floors."""
    return distance.value is None or distance.value > FACTOR * (distance.floor_high or 0.0)
