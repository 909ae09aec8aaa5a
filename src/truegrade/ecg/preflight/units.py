"""Units by the height of the QRS complexes, and normalised values."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.preflight.codes import finding, option
from truegrade.ecg.preflight.facts import Facts
from truegrade.ecg.preflight.shape import FEW_BEATS, with_beats
from truegrade.result.ecg import Finding

USUAL = 1.2  # mV: median peak-to-peak of a QRS complex over the twelve leads
LEAST, MOST = 0.1, 10.0  # mV: no set of surface ECG lies beyond
APART = 10.0  # ratio of heights from which the sides are hardly in one unit
FAR_APART = 100.0  # from which they cannot be
PER_MV = {"mV": 1.0, "uV": 1e3, "V": 1e-3, "nV": 1e6}
GAINS = {"counts of about 5 uV": 200.0, "counts of about 2.5 uV": 400.0}
OFFSET = 5.0  # times the height of the QRS
EXACT = 1e-3


def height(facts: Facts) -> float:
    """Median swing of all leads that are there, NaN for none."""
    known = facts.swing[np.isfinite(facts.swing)]
    return float(np.median(known)) if known.size else math.nan


def check_units(facts: Facts) -> Iterator[Finding]:
    """Units of one side: whether the values can be in them, and what they look like where nobody said it."""
    size, stated = height(facts), facts.recordings.units is not None
    if not size > 0 or normalised(facts):
        return
    likely = next((unit for unit, per in PER_MV.items() if LEAST <= size / per <= MOST), None)
    if not stated:
        looks = f"typical of {likely}" if likely else "typical of no unit"
        yield finding(
            "units-unknown",
            facts.side,
            f"Nobody stated the units of the {facts.words}; the median QRS height of {size:,.3g} is {looks}, and "
            "numbers in mV are in these units.",
            f"Say {option('units', likely or 'mV', facts.said)}.",
            severity="note" if likely == "mV" else "warn",
        )
    elif likely != "mV" and hearts(facts):
        raw = size / facts.recordings.scale
        better = next((unit for unit, per in PER_MV.items() if LEAST <= raw / per <= MOST), None)
        say = f"Say {option('units', better, facts.said)} if they are in these, or bring" if better else "Bring"
        looks = f"; as they are stored they are typical of {better}" if better else ""
        yield finding(
            "units-implausible",
            facts.side,
            f"The median QRS height of the {facts.words} is {size:,.3g} mV in the units stated, where {LEAST:g} to "
            f"{MOST:g} mV is possible{looks}.",
            f"{say} them to mV.",
            severity="refuse" if better else "warn",
        )


def compare_units(real: Facts, synthetic: Facts) -> Iterator[Finding]:
    """Heights of the two sides, and whether one alone was normalised."""
    kinds = normalised(real), normalised(synthetic)
    if kinds[0] != kinds[1]:
        yield _one_normalised(real, synthetic, kinds)
        return
    if kinds[0]:
        yield finding(
            "normalised",
            "both",
            f"Both sides were normalised ({kinds[0]}): amplitudes are lost, and so is every number in mV.",
            "Give the recordings as they were before, in mV.",
        )
        return
    heights = height(real), height(synthetic)
    if not min(heights) > 0 or 1 / APART <= heights[1] / heights[0] <= APART:
        return
    if not (hearts(real) and hearts(synthetic)):  # the height of a QRS complex means nothing
        return
    yield _apart(real, synthetic, heights)


def hearts(facts: Facts) -> bool:
    """Whether there are beats whose height can be judged; true where beats cannot be looked for."""
    share = with_beats(facts)
    return share is None or share >= FEW_BEATS


def check_offset(facts: Facts) -> Iterator[Finding]:
    """Baselines that lie far from zero."""
    with np.errstate(invalid="ignore", divide="ignore"):
        far = np.abs(facts.mean) > OFFSET * facts.swing
    if far.mean() < 0.1:
        return
    rows = np.flatnonzero(far.any(axis=1))
    middle = float(np.median(facts.mean[far]))
    yield finding(
        "offset",
        facts.side,
        f"{far.mean():.0%} of the leads of the {facts.words} have a baseline more than {OFFSET:g} QRS heights from "
        f"zero (median mean value {middle:,.3g}).",
        "Subtract the median of each lead, on both sides alike.",
        records=facts.names(rows),
    )


def normalised(facts: Facts) -> str | None:
    """How the values were normalised, None where they were not: by lead, by recording, or all together."""
    there = np.isfinite(facts.sd)
    if not there.any():
        return None
    for words, stats in (("by lead", _by_lead(facts, there)), ("by recording", _by_row(facts, there))):
        how = _how(*stats)
        if how:
            return f"{how}, {words}"
    low, high, mean, sd = (np.atleast_1d(one) for one in _whole(facts, there))
    how = _how(low, high, mean, sd)
    return f"{how}, over all" if how else None


Stats = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


def _by_lead(facts: Facts, there: NDArray[np.bool_]) -> Stats:
    return facts.low[there], facts.high[there], facts.mean[there], facts.sd[there]


def _by_row(facts: Facts, there: NDArray[np.bool_]) -> Stats:
    full = there.any(axis=1)
    low, high, mean, sd = (one[full] for one in (facts.low, facts.high, facts.mean, facts.sd))
    means = np.nanmean(mean, axis=1)
    square = np.nanmean(np.square(sd) + np.square(mean), axis=1)
    return np.nanmin(low, axis=1), np.nanmax(high, axis=1), means, np.sqrt(np.maximum(square - means**2, 0.0))


def _whole(facts: Facts, there: NDArray[np.bool_]) -> tuple[float, float, float, float]:
    mean = float(facts.mean[there].mean())
    square = float((np.square(facts.sd[there]) + np.square(facts.mean[there])).mean())
    low, high = float(facts.low[there].min()), float(facts.high[there].max())
    return low, high, mean, math.sqrt(max(square - mean**2, 0.0))


def _how(
    low: NDArray[np.float64], high: NDArray[np.float64], mean: NDArray[np.float64], sd: NDArray[np.float64]
) -> str | None:
    """Of one number a part: what nine in ten parts were brought to."""
    if ((np.abs(mean) < EXACT) & (np.abs(sd - 1.0) < EXACT)).mean() > 0.9:
        return "mean 0 and standard deviation 1"
    for least in (0.0, -1.0):
        if ((np.abs(low - least) < 1e-6) & (np.abs(high - 1.0) < 1e-6)).mean() > 0.9:
            return f"least value {least:g} and largest 1"
    return None


def _one_normalised(real: Facts, synthetic: Facts, kinds: tuple[str | None, str | None]) -> Finding:
    which, how = (real, kinds[0]) if kinds[0] else (synthetic, kinds[1])
    other = synthetic if which is real else real
    also = kinds[1] if which is real else kinds[0]
    return finding(
        "normalised-differ",
        "both" if also else which.side,
        f"The {which.words} were normalised ({how}), the {other.words} "
        f"{f'in another way ({also})' if also else f'were not (median QRS height {height(other):,.3g})'}.",
        "Undo it, or normalise both sides in one way.",
    )


def _apart(real: Facts, synthetic: Facts, heights: tuple[float, float]) -> Finding:
    ratio = heights[1] / heights[0]
    shown = f"{ratio:,.3g}" if ratio > 1 else f"1/{1 / ratio:,.3g}"
    guess = _guess(ratio)
    stated = [facts.words for facts in (real, synthetic) if facts.recordings.units is not None]
    said = ("nobody stated the units", "", "the units stated of one side cannot be right")
    why = f"only those of the {stated[0]} were stated" if len(stated) == 1 else said[len(stated)]
    text = (
        f"The synthetic QRS complexes are {shown} times as high as the real ones (median height {heights[1]:,.3g} "
        f"against {heights[0]:,.3g}){f', {guess}' if guess else ''}; {why}."
    )
    raw = [size / facts.recordings.scale for size, facts in zip(heights, (real, synthetic), strict=True)]
    pair = {side: _nearest(size) for side, size in zip(("real", "synthetic"), raw, strict=True)}
    shown_pair = ", ".join(f'"{side}": "{unit}"' for side, unit in pair.items())
    return finding(
        "units-differ" if guess or max(ratio, 1 / ratio) >= FAR_APART else "amplitudes-differ",
        "both",
        text,
        f'Say what the values of each side are, such as ecg={{"units": {{{shown_pair}}}}} '
        f"(--units real={pair['real']} --units synthetic={pair['synthetic']}), or multiply one side.",
    )


def _nearest(size: float) -> str:
    """The unit in which a QRS complex is about so high."""
    return min(PER_MV, key=lambda unit: abs(math.log10(size / PER_MV[unit] / USUAL)))


def _guess(ratio: float) -> str | None:
    """What a ratio of heights means, None where no two units are so far apart."""
    apart = abs(math.log10(ratio))
    if 5.0 <= apart <= 7.0:
        return "as V against uV would be"
    if 2.1 <= apart <= 2.75:
        name, gain = min(GAINS.items(), key=lambda item: abs(math.log10(item[1]) - apart))
        return f"as mV against {name} ({gain:g} a mV) would be"
    return "as mV against uV would be" if 2.75 < apart <= 3.6 else None
