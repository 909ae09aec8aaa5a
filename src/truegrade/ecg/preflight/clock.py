"""Sampling rates and lengths: stated, equal, and possible for a heart."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft

from truegrade.ecg.preflight.codes import finding, option
from truegrade.ecg.preflight.facts import Facts
from truegrade.result.ecg import Finding

RATES = (25.0, 250.0)  # beats per minute within which the median of a set lies
WIDTHS = (0.010, 0.090)  # s, half-height width of the R wave's autocorrelation
USUAL_FS = (100.0, 125.0, 128.0, 200.0, 240.0, 250.0, 256.0, 257.0, 300.0, 360.0, 400.0, 500.0, 512.0, 1000.0, 2000.0)
REGULAR = 0.3  # autocorrelation from which a period is believed
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Pace:
    """Median beat period and R wave width of a side, in samples; how many recordings have them."""

    period: float
    width: float
    known: int


def check_clock(facts: Facts) -> Iterator[Finding]:
    """The sampling rate of one side: whether it was stated, and whether hearts beat at it."""
    fs = facts.recordings.fs
    if fs is None:
        yield finding(
            "fs-missing",
            facts.side,
            f"Nobody stated the sampling rate of the {facts.words}: no heart rates, intervals or frequencies.",
            f"Say {option('fs', 500, facts.side)}, with the rate they have.",
        )
        return
    found = pace(facts.sample)
    if found is None or found.known < max(2, len(facts.rows) // 2):
        return
    rate, width = 60.0 * fs / found.period, found.width / fs
    slow, fast = rate < RATES[0] or width > WIDTHS[1], rate > RATES[1] or width < WIDTHS[0]
    off = rate < RATES[0] or rate > RATES[1]
    if not off or slow == fast:
        return
    both = (rate < RATES[0] and width > WIDTHS[1]) or (rate > RATES[1] and width < WIDTHS[0])
    fitting = [one for one in USUAL_FS if 45 <= 60 * one / found.period <= 130]
    better = min(fitting, key=lambda one: abs(math.log(found.width / one / 0.03)), default=None)
    likely = f" At {better:g} Hz they would have {60 * better / found.period:.0f}." if better else ""
    yield finding(
        "fs-implausible",
        facts.side,
        f"At the {fs:g} Hz stated the {facts.words} have {rate:.0f} beats a minute and R waves of "
        f"{1000 * width:.0f} ms (medians of {found.known} recordings).{likely}",
        f"Say {option('fs', better or 500, facts.side)} if that is the rate.",
        severity="refuse" if both else "warn",
    )


def compare_clocks(real: Facts, synthetic: Facts) -> Iterator[Finding]:
    """Rates and lengths of the two sides."""
    one, other = real.recordings.fs, synthetic.recordings.fs
    if (one is None) != (other is None):
        missing = synthetic if other is None else real
        known = one or other
        yield finding(
            "fs-differ",
            missing.side,
            f"The sampling rate of the {missing.words} was not stated; the other side has {known:g} Hz.",
            f"Say {option('fs', known or 500, missing.side)} if it is the same, else the rate they have.",
        )
    elif one is not None and other is not None and one != other:
        least = min(one, other)
        yield finding(
            "fs-differ",
            "both",
            f"The real recordings have {one:g} Hz, the synthetic ones {other:g} Hz.",
            f"Bring both to one rate: {option('resample', least)}.",
        )
        return
    lengths = real.recordings.length, synthetic.recordings.length
    if lengths[0] != lengths[1]:
        yield _lengths(lengths, one or other)
    if one is not None and one == other:
        yield from _suspect(real, synthetic, one)


def _lengths(lengths: tuple[int, int], fs: float | None) -> Finding:
    seconds = [f" ({length / fs:g} s)" if fs else "" for length in lengths]
    least = min(lengths)
    mend = option("crop", float(f"{least / fs:.6g}")) if fs else f"x[:, :, :{least}], or fs (--fs) and then a crop"
    return finding(
        "lengths-differ",
        "both",
        f"The real recordings have {lengths[0]:,} samples{seconds[0]}, the synthetic ones {lengths[1]:,}{seconds[1]}.",
        f"Cut both to one length: {mend}.",
    )


def _suspect(real: Facts, synthetic: Facts, fs: float) -> Iterator[Finding]:
    """Beats that are faster and narrower by one factor, as under another sampling rate."""
    paces = [pace(facts.sample) for facts in (real, synthetic)]
    known = [one for one in paces if one is not None and one.known >= 3]
    if len(known) < 2 or known[0].known < len(real.rows) // 2 or known[1].known < len(synthetic.rows) // 2:
        return
    faster, narrower = known[0].period / known[1].period, known[0].width / known[1].width
    both = math.sqrt(faster * narrower)
    if max(both, 1 / both) < 1.7 or max(faster / narrower, narrower / faster) > 1.35:
        return
    rates = [60.0 * fs / one.period for one in known]
    widths = [1000.0 * one.width / fs for one in known]
    yield finding(
        "fs-suspect",
        "both",
        f"Synthetic hearts beat {rates[1]:.0f} times a minute with R waves of {widths[1]:.0f} ms, real ones "
        f"{rates[0]:.0f} times with {widths[0]:.0f} ms: faster and narrower by one factor, as under a wrong sampling "
        "rate.",
        f"If the synthetic recordings have {fs / both:.0f} Hz say {option('fs', round(fs / both), 'synthetic')}.",
    )


def pace(values: Array) -> Pace | None:
    """Beat period and R wave width of recordings (s, L, T), from the autocorrelation of the squared signal.

    The width is where the autocorrelation has fallen to half, twice; the period its first high return. Recordings
    without a regular one are left out; None where all are.
    """
    found = [one for one in (_pace(record) for record in values) if one]
    if not found:
        return None
    period, width = np.median(np.array(found), axis=0)
    return Pace(float(period), float(width), len(found))


def _pace(record: Array) -> tuple[float, float] | None:
    there = record[np.isfinite(record).all(axis=1)]
    if not len(there) or there.shape[1] < 16:
        return None
    energy = np.square(there - np.median(there, axis=1, keepdims=True)).sum(axis=0)
    energy = energy - energy.mean()
    length = len(energy)
    spectrum = rfft(energy, next_fast_len(2 * length))
    raw = irfft(np.square(np.abs(spectrum)), next_fast_len(2 * length))[: length // 2]
    if not raw[0] > 0:
        return None
    same = raw / raw[0] * (length / (length - np.arange(len(raw))))
    below = np.flatnonzero(same < 0.5)
    if not len(below):
        return None
    half = below[0] - (0.5 - same[below[0]]) / (same[below[0] - 1] - same[below[0]])
    start = max(int(4 * half), 3)
    later = same[start:]
    if len(later) < 3 or later.max() < REGULAR:
        return None
    tops = np.flatnonzero((later[1:-1] >= later[:-2]) & (later[1:-1] > later[2:]) & (later[1:-1] >= 0.8 * later.max()))
    return (float(start + 1 + tops[0]), 2.0 * float(half)) if len(tops) else None
