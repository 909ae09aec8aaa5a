"""Where the waves of a median beat begin and end: QRS by the slope of all leads, P and T by tangents.

Own rules; on all leads at once, as cardiologists measure intervals of simultaneous leads. Works on one beat
(L, d) at a time, in mV or in any unit: every threshold is a part of the beat's own size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d, uniform_filter1d

BEFORE, AFTER = 0.44, 0.66  # s around R that are looked at
STEEP = 0.25  # of the largest slope: surely QRS, within 130 ms of R
QUIET = 0.05  # of the largest slope: no QRS any more, if for 16 ms
NOISY = 1.5  # times the noise of slopes
BLUR = 0.005  # s
REST = 0.016  # s
LEAST_WAVE = 0.03  # of the size of the QRS complex: a P or T wave stands out by more
LATEST = 0.6  # of an interval, and 100 ms: the T wave is over
LONGEST_PR = 0.34  # s
CLEAR = 3.0  # times what else is there before QRS: a P wave
NAN = float("nan")


@dataclass(frozen=True)
class Waves:
    """Seconds from the R peak: of the P wave its begin and peak, of QRS begin and end, of T peak and end; NaN where
    there is none or where it cannot be told."""

    p_on: float = NAN
    p_peak: float = NAN
    qrs_on: float = NAN
    qrs_off: float = NAN
    t_peak: float = NAN
    t_off: float = NAN


def delineate(beat: NDArray[np.float64], rate: float, interval: float) -> Waves:
    """The waves of a median beat (L, d) whose sample round(.44 rate) is the R peak; interval: s to the next beat."""
    zero = round(BEFORE * rate)
    on, off = _qrs(beat, zero, rate)
    if not on < off:
        return Waves()
    level = beat[:, max(0, int(on - 0.024 * rate)) : max(1, int(on))].mean(axis=1, keepdims=True)
    smooth = gaussian_filter1d(beat - level, 0.008 * rate, axis=1)
    size = float(np.sqrt((smooth[:, int(on) : int(off) + 1] ** 2).sum(axis=0).max()))
    late = min(beat.shape[1] - 1.0, on + (LATEST * interval + 0.1) * rate)
    t_peak, t_off = _wave(smooth, off + 0.05 * rate, late, size, rate, 1)
    previous = t_off - interval * rate if np.isfinite(t_off) else on - 0.5 * interval * rate
    early = max(0.0, on - LONGEST_PR * rate, previous)
    p_peak, p_on = _wave(_without_chord(smooth, early, on - 0.02 * rate, rate), early, on - 0.02 * rate, size, rate, -1)
    seconds = [float((at - zero) / rate) for at in (p_on, p_peak, on, off, t_peak, t_off)]
    return Waves(*seconds)


def _qrs(beat: NDArray[np.float64], zero: int, rate: float) -> tuple[float, float]:
    """Begin and end of the QRS complex in samples: outwards from steep slopes until all leads rest."""
    still = gaussian_filter1d(beat, BLUR * rate, axis=1)
    power = uniform_filter1d((np.gradient(still, axis=1) ** 2).sum(axis=0), max(1, round(0.012 * rate)))
    noise = float(np.quantile(power, 0.15))
    slope = np.sqrt(np.maximum(power - noise, 0.0))
    reach = round(0.13 * rate)
    near = slope[max(0, zero - reach) : zero + reach + 1]
    top = float(near.max()) if near.size else 0.0
    if top <= 0.0:
        return NAN, NAN
    steep = np.flatnonzero(near > STEEP * top) + max(0, zero - reach)
    quiet = max(QUIET * top, NOISY * float(np.sqrt(noise)))
    rest = max(1, round(REST * rate))
    return _outwards(slope, quiet, int(steep[0]), -1, rest), _outwards(slope, quiet, int(steep[-1]), 1, rest)


def _outwards(slope: NDArray[np.float64], quiet: float, start: int, way: int, rest: int) -> float:
    """The first of `rest` quiet samples in a row from start on, in the given way (where no such row is: of samples up
    to twice as loud); NaN where there is none."""
    ahead = slope[start::way] if way > 0 else slope[: start + 1][::-1]
    for louder in (1.0, 1.4, 2.0):
        runs = np.convolve(ahead < louder * quiet, np.ones(rest, int), "valid")
        found = np.flatnonzero(runs == rest)
        if len(found):
            return start + way * _crossing(ahead, int(found[0]), louder * quiet)
    return NAN


def _crossing(line: NDArray[np.float64], at: int, level: float) -> float:
    """Where between the sample before and the sample `at`, the first below, a line crosses a level."""
    if at == 0:
        return 0.0
    return at - 1.0 + float((line[at - 1] - level) / (line[at - 1] - line[at]))


def _without_chord(beat: NDArray[np.float64], low: float, high: float, rate: float) -> NDArray[np.float64]:
    """Without the line of each lead through its means at both ends of a window: the tail of the T wave before."""
    first, last, few = max(0, int(np.ceil(low))), int(high), max(1, round(0.012 * rate))
    if last - first < 4 * few:
        return beat
    begin, end = beat[:, first : first + few].mean(axis=1), beat[:, last + 1 - few : last + 1].mean(axis=1)
    share = np.clip((np.arange(beat.shape[1]) - first) / (last - first), 0.0, 1.0)
    out: NDArray[np.float64] = beat - begin[:, None] * (1.0 - share) - end[:, None] * share
    return out


def _wave(
    beat: NDArray[np.float64], low: float, high: float, size: float, rate: float, way: int
) -> tuple[float, float]:
    """Peak and outer end (way 1: the end, -1: the begin) of the largest wave between two samples: all leads are seen
    in the direction of that wave, and the tangent at its steepest outer slope meets the level before QRS."""
    first, last = max(0, int(np.ceil(low))), int(high)
    if last - first < 0.03 * rate:
        return NAN, NAN
    inner = beat[:, first : last + 1]
    sizes = np.sqrt((inner**2).sum(axis=0))
    at = int(sizes.argmax())
    seen = inner[:, at] @ inner / max(float(np.linalg.norm(inner[:, at])), 1e-300)
    ends = max(float(seen[0]), float(seen[-1])) if way < 0 else float(seen[0])
    around = float(np.quantile(sizes, 0.25)) if way < 0 else 0.0
    least = max(LEAST_WAVE * size, 0.3 * seen[at], CLEAR * around)
    if at in (0, last - first) or seen[at] - ends < least:
        return NAN, NAN
    outer = seen[at:] if way > 0 else seen[: at + 1][::-1]
    falls = -np.diff(outer)
    stop = np.flatnonzero(outer <= 0.0)
    falls = falls[: int(stop[0])] if len(stop) else falls
    steepest = int(falls.argmax())
    if falls[steepest] <= 0.0:
        return first + float(at), NAN
    meets = steepest + 0.5 + 0.5 * (outer[steepest] + outer[steepest + 1]) / falls[steepest]
    return first + float(at), first + at + way * float(meets)
