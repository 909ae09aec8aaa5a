"""Sampling rates and lengths: stated, equal, and possible for a heart."""

from __future__ import annotations

import math
from collections.abc import Iterator

from truegrade.ecg.preflight.codes import finding, option
from truegrade.ecg.preflight.facts import Facts
from truegrade.result.ecg import Finding

RATES = (25.0, 250.0)  # beats per minute within which the median of a set lies
WIDTHS = (0.018, 0.080)  # s, usual widths of the R wave's autocorrelation at half its height
USUAL_FS = (500.0, 100.0, 250.0, 360.0, 1000.0, 125.0, 128.0, 200.0, 300.0, 257.0, 400.0, 2000.0)  # commonest first


def check_clock(facts: Facts) -> Iterator[Finding]:
    """The sampling rate of one side: whether it was stated, and whether hearts beat at it."""
    fs = facts.recordings.fs
    if fs is None:
        yield finding(
            "fs-missing",
            facts.side,
            f"Nobody stated the sampling rate of the {facts.words}: no heart rates, intervals or frequencies.",
            f"Say {option('fs', 500, facts.said)}, with the rate they have.",
        )
        return
    found = facts.pace
    if found is None or found.known < max(2, len(facts.rows) // 2):
        return
    rate, width = 60.0 * fs / found.period, found.width / fs
    slow, fast = rate < RATES[0], rate > RATES[1]
    if not (slow or fast) or (slow and width < WIDTHS[0]) or (fast and width > WIDTHS[1]):
        return
    both = (slow and width > WIDTHS[1]) or (fast and width < WIDTHS[0])
    better = next((one for one in USUAL_FS if 45 <= 60 * one / found.period <= 130), None)
    likely = f" At {better:g} Hz they would have {60 * better / found.period:.0f}." if better else ""
    yield finding(
        "fs-implausible",
        facts.side,
        f"At the {fs:g} Hz stated the {facts.words} have {rate:.0f} beats a minute and R waves of "
        f"{1000 * width:.0f} ms (medians of {found.known} recordings).{likely}",
        f"Say {option('fs', better or 500, facts.said)} if that is the rate.",
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
    yield from _lengths(real, synthetic)
    if one is not None and one == other:
        yield from _suspect(real, synthetic, one)


def _lengths(real: Facts, synthetic: Facts) -> Iterator[Finding]:
    """Recordings of different lengths: in seconds where the rates are known, else in samples."""
    sides = real.recordings, synthetic.recordings
    known = [side.fs or sides[1 - at].fs for at, side in enumerate(sides)]
    long = [side.length / (fs or 1.0) for side, fs in zip(sides, known, strict=True)]
    if abs(long[0] - long[1]) < 1.0 / min(fs or 1.0 for fs in known):
        return
    seconds = [f" ({length:.4g} s)" if fs else "" for length, fs in zip(long, known, strict=True)]
    crop = option("crop", float(f"{min(long):.6g}"))
    yield finding(
        "lengths-differ",
        "both",
        f"The real recordings have {sides[0].length:,} samples{seconds[0]}, the synthetic ones "
        f"{sides[1].length:,}{seconds[1]}.",
        f"Cut both to one length: {crop if all(known) else f'x[:, :, :{min(long):.0f}]'}.",
    )


def _suspect(real: Facts, synthetic: Facts, fs: float) -> Iterator[Finding]:
    """Beats that are faster and narrower by one factor, as under another sampling rate."""
    paces = [facts.pace for facts in (real, synthetic)]
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
