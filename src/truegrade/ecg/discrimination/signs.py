"""Trivial signs of where recordings come from, one number per recording each, and the sentences about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.discrimination.ends import padding, shares_above, sharper_edge
from truegrade.ecg.tells import auc, derived_residual, laws_of, off_grid, quantum
from truegrade.recordings import Recordings
from truegrade.result.ecg import Tell

TELLING = 0.75  # AUC from which on a sign is named
_BLOCK = 64
_NONE = 1e-5  # mV: a residual below it is rounding of the numbers
_CENTRED = 1e-6  # of the standard deviation: a mean below it is 0
_OFF = 0.02  # of the standard deviation: a mean above it is that of a heart, however large
_MOST_CUT = 0.2  # of the length that is cut off at an end, at the most
_SAME_STEP = 0.01

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sign:
    """real, synthetic: (n,), (m,) a number per recording, NaN where it has none."""

    code: str
    text: str
    neutralised: str
    real: Floats
    synthetic: Floats

    @property
    def auc(self) -> float:
        return auc(self.real, self.synthetic)

    def tell(self) -> Tell:
        return Tell(self.code, self.text, self.auc, self.neutralised)


@dataclass(frozen=True, eq=False)
class Plan:
    """What is done on both sides to remove the signs. step: in mV, to which values are rounded. derived: leads that are
    left out. cut: samples at the begin and the end. highest: Hz (or cycles per sample), above which nothing is left."""

    step: float | None
    derived: tuple[str, ...]
    cut: tuple[int, int]
    highest: float | None


def signs(real: Recordings, synthetic: Recordings) -> tuple[tuple[Sign, ...], Plan]:
    """All signs that these two sets can have, telling or not, and what removes them."""
    step, quantisation = _step(real, synthetic)
    derived, laws = _laws(real, synthetic)
    cut, ends = _ends(real, synthetic)
    highest, band = _band(real, synthetic)
    found = (quantisation, laws, _means(real, synthetic), ends, band)
    return tuple(one for one in found if one is not None), Plan(step, derived, cut, highest)


def _step(real: Recordings, synthetic: Recordings) -> tuple[float | None, Sign | None]:
    steps = [quantum(side.values) for side in (real, synthetic)]
    steps = [None if one is None else one * side.scale for one, side in zip(steps, (real, synthetic), strict=True)]
    known = [one for one in steps if one is not None]
    if not known:
        return None, None
    step = max(known)
    if len(known) == 2 and step / min(known) - 1 < _SAME_STEP:
        return step, None
    unit = "uV" if real.units else "in the units given"
    size = [None if one is None else one * (1000.0 if real.units else 1.0) for one in steps]
    said = ["have no step" if one is None else f"are multiples of {one:.3g} {unit}" for one in size]
    values = [_by_blocks(side, lambda block: off_grid(block, step)) for side in (real, synthetic)]
    text = f"Rounding: the values of the real recordings {said[0]}, those of the synthetic ones {said[1]}."
    coarser = max(one for one in size if one is not None)
    return step, Sign("quantisation", text, f"Both sides are rounded to {coarser:.3g} {unit}.", *values)


def _laws(real: Recordings, synthetic: Recordings) -> tuple[tuple[str, ...], Sign | None]:
    derived = tuple(laws_of(real.leads))
    if not derived:
        return (), None
    values = [np.maximum(derived_residual(side), _NONE) for side in (real, synthetic)]
    sizes = ["unknown" if np.isnan(one).all() else _micro(float(np.nanmedian(one)), real) for one in values]
    text = (
        f"Derived leads: {', '.join(derived)} differ from their sums of I and II by {sizes[0]} in the real recordings "
        f"and by {sizes[1]} in the synthetic ones (root mean square)."
    )
    return derived, Sign("derived-leads", text, f"{', '.join(derived)} are left out on both sides.", *values)


def _micro(size: float, side: Recordings) -> str:
    if size <= _NONE:
        return "nothing"
    return f"{1000.0 * size:.2g} uV" if side.units else f"{size:.2g}"


def _means(real: Recordings, synthetic: Recordings) -> Sign:
    values = [_by_blocks(side, _centred) for side in (real, synthetic)]
    sizes = [float(np.nanmedian(one)) if np.isfinite(one).any() else np.nan for one in values]
    said = ["0" if size <= 2 * _CENTRED else f"{_least(size)} standard deviations from 0" for size in sizes]
    text = f"Zero mean: the mean of a lead is {said[0]} in the real recordings and {said[1]} in the synthetic ones."
    return Sign("zero-mean", text, "The mean of every lead is removed on both sides.", values[0], values[1])


def _least(size: float) -> str:
    """A size in words; what is as large as that of a heart may be, or larger, is not told apart."""
    return f"{_OFF:g} or more" if size >= _OFF else f"{size:.2g}"


def _centred(block: Floats) -> Floats:
    """The median over leads of |mean| / sd."""
    with np.errstate(invalid="ignore", divide="ignore"):
        size = np.abs(block.mean(axis=2)) / block.std(axis=2)
    size[~np.isfinite(size)] = np.nan
    out = np.full(len(size), np.nan)
    some = np.isfinite(size).any(axis=1)
    out[some] = np.nanmedian(size[some], axis=1)
    return np.asarray(np.clip(out, _CENTRED, _OFF))


def _ends(real: Recordings, synthetic: Recordings) -> tuple[tuple[int, int], Sign]:
    found = [padding(side) for side in (real, synthetic)]
    most = int(_MOST_CUT * min(real.length, synthetic.length))
    cut = tuple(min(most, max(int(np.quantile(one[:, end], 0.95)) for one in found)) for end in (0, 1))
    values = [one.max(axis=1).astype(np.float64) for one in found]
    said = ["nothing" if np.median(one) == 0 else f"{np.median(one):,.0f} samples" for one in values]
    text = (
        f"Padding: at an end of the recordings {said[0]} of the real and {said[1]} of the synthetic ones (median) "
        "repeat one value in all leads."
    )
    neutralised = f"{cut[0]:,} samples at the begin and {cut[1]:,} at the end are cut off on both sides."
    return (cut[0], cut[1]), Sign("padding", text, neutralised, values[0], values[1])


def _band(real: Recordings, synthetic: Recordings) -> tuple[float | None, Sign | None]:
    found = [shares_above(side) for side in (real, synthetic)]
    sharper = sharper_edge(*found)
    if sharper is None:
        return None, None
    at, edges = sharper
    unit = "Hz" if real.fs else "cycles per sample"
    values = [np.log10(np.maximum(one.shares[:, at], 1e-12)) for one in found]
    text = (
        f"Bandwidth: the real recordings hold nothing above {edges[0]:.3g} {unit}, the synthetic ones above "
        f"{edges[1]:.3g} {unit} (less than 0.001% of their energy)."
    )
    highest = min(edges)
    return highest, Sign("bandwidth", text, f"All above {highest:.3g} {unit} is removed on both sides.", *values)


def _by_blocks(side: Recordings, measure: Callable[[Floats], Floats]) -> Floats:
    parts = []
    for start, block in side.blocks(_BLOCK):
        block[side.broken[start : start + len(block)]] = 0.0
        parts.append(np.asarray(measure(block), np.float64))
    return np.concatenate(parts)
