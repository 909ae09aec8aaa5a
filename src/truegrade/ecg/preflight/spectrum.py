"""Mains hum, and spectra that end below the half of the sampling rate."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from truegrade.ecg.preflight.codes import finding
from truegrade.ecg.preflight.facts import Facts
from truegrade.ecg.tells import auc
from truegrade.result.ecg import Finding

MAINS = (50.0, 60.0)
HUM = 10.0  # times the power beside it
CLEAR_AUC, CLEAR_SHARE = 0.8, 0.5
LOWEST, GAP = 30.0, 7.5  # Hz: no cut below, and within how much of the spectrum it falls
DROP, STEEPER = np.log(1e3), 3.0  # fall of the power at a cut; a spectrum that falls as fast before it has none
Array = NDArray[np.float64]


def check_spectrum(facts: Facts) -> Iterator[Finding]:
    """A spectrum that ends early: recordings that were brought up from a lower rate."""
    cut = _cut(facts)
    fs = facts.recordings.fs
    if cut is not None and fs is not None:
        yield finding(
            "spectrum-cut",
            facts.side,
            f"The {facts.words} have nothing above {cut:.0f} Hz, though at {fs:g} Hz they could reach {fs / 2:g} Hz: "
            f"they look filtered, or resampled from about {2 * cut:.0f} Hz.",
            "Nothing to mend if both sides are so; else filter or resample the other side alike.",
        )


def compare_spectra(real: Facts, synthetic: Facts) -> Iterator[Finding]:
    """Mains hum, or the end of a spectrum, on one side only."""
    fs = real.recordings.fs
    if fs is None or fs != synthetic.recordings.fs:
        return
    for mains in MAINS:
        yield from _hum(real, synthetic, mains, fs)
    cuts = _cut(real), _cut(synthetic)
    if (cuts[0] is None) == (cuts[1] is None):
        return
    cut = next(one for one in cuts if one is not None)
    which, other = (real, synthetic) if cuts[0] is not None else (synthetic, real)
    area = auc(*(_share_above(facts, cut) for facts in (real, synthetic)))
    yield finding(
        "spectrum-tell",
        which.side,
        f"The {which.words} have nothing above {cut:.0f} Hz, the {other.words} do; that alone tells them apart with an "
        f"AUC of {area:.2f}.",
        f"Filter both sides below {cut:.0f} Hz, or bring both to {2 * cut:.0f} Hz.",
    )


def _hum(real: Facts, synthetic: Facts, mains: float, fs: float) -> Iterator[Finding]:
    if mains + 8.0 > fs / 2:
        return
    rises = [_rise(facts, mains) for facts in (real, synthetic)]
    if not all(len(rise) for rise in rises):
        return
    shares = [float((rise > HUM).mean()) for rise in rises]
    area = auc(np.log(rises[0]), np.log(rises[1]))
    if area < CLEAR_AUC or abs(shares[0] - shares[1]) < CLEAR_SHARE:
        return
    side = real if shares[0] > shares[1] else synthetic
    yield finding(
        "powerline-tell",
        side.side,
        f"Mains hum at {mains:g} Hz stands out in {shares[0]:.0%} of the real recordings and {shares[1]:.0%} of the "
        f"synthetic ones (AUC {area:.2f}).",
        f"Filter {mains:g} Hz out on both sides.",
    )


def _rise(facts: Facts, mains: float) -> Array:
    """Power at the mains frequency over that 4 to 8 Hz beside it, median over leads, of recordings with a signal."""
    at, power = facts.powers
    peak = power[..., np.abs(at - mains) <= 0.6].max(axis=-1, initial=0.0)
    away = np.abs(at - mains)
    if not ((away >= 4.0) & (away <= 8.0)).any():
        return np.empty(0)
    beside = np.median(power[..., (away >= 4.0) & (away <= 8.0)], axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        rises = peak / beside
    rises[~(np.isfinite(rises) & (rises > 0))] = np.nan
    rises = rises[np.isfinite(rises).any(axis=1)]
    return np.asarray(np.nanmedian(rises, axis=1)) if len(rises) else np.empty(0)


def _share_above(facts: Facts, cut: float) -> Array:
    """Logarithm of the share of power above a frequency, by recording."""
    at, power = facts.powers
    above, whole = (np.nansum(power[..., keep], axis=(1, 2)) for keep in (at > 1.1 * cut, at >= 0))
    part: Array = np.divide(above, whole, out=np.full(len(whole), np.nan), where=whole > 0)
    return np.asarray(np.log(part + 1e-30))


def _cut(facts: Facts) -> float | None:
    """The frequency above which the geometric mean of the spectra is below a thousandth of what it is just below; None
    without such an edge up to 85 % of the half of the sampling rate."""
    if facts.recordings.fs is None:
        return None
    at, power = facts.powers
    flat = power.reshape(-1, power.shape[-1])
    flat = flat[np.isfinite(flat).all(axis=1) & (flat.max(axis=1) > 0)]
    if not len(flat) or len(at) < 40:
        return None
    shape = np.log(flat / flat.sum(axis=1, keepdims=True) + 1e-30).mean(axis=0)
    gap = min(len(at) // 16, int(np.searchsorted(at, GAP)))
    later = np.maximum.accumulate(shape[::-1])[::-1]  # the most power from here on
    edges = np.arange(max(4 * gap, int(np.searchsorted(at, LOWEST))), int(0.85 * len(at)) - gap)
    before = sliding_window_view(shape, gap).min(axis=1)[edges - 2 * gap]
    drop, usual = before - later[edges + gap], shape[edges - 3 * gap] - before
    drop[drop <= STEEPER * usual] = 0.0
    return float(at[edges[drop.argmax()]]) if drop.max(initial=0.0) > DROP else None
