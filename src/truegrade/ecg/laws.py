"""What leads are of each other: Einthoven's and Goldberger's laws, and correlations between leads."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from truegrade.ecg.floors import Cuts, number
from truegrade.ecg.tells import laws_of
from truegrade.errors import InputError
from truegrade.recordings import Recordings
from truegrade.result.ecg import LeadLaws, Number

WORDS: Mapping[str, str] = {
    "III": "III = II - I",
    "aVR": "aVR = -(I + II)/2",
    "aVL": "aVL = I - II/2",
    "aVF": "aVF = II - I/2",
}
LACKING = "Half the synthetic recordings or more lack a lead of the laws, and the worst break of a law has no size."
BLOCK = 16
Array = NDArray[np.float64]
Laws = Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class Relations:
    """One side by recording. median, squares, sizes: (N, laws), the median |residual|, its mean square, and the mean
    square of the derived lead or of its sum of I and II, whichever is larger; correlations: (N, L, L). Where a needed
    lead is missing: NaN in a real recording, infinity in a synthetic one."""

    median: Array
    squares: Array
    sizes: Array
    correlations: NDArray[np.float32]


def lead_laws(real: Recordings, synthetic: Recordings, *, cuts: Cuts = ()) -> LeadLaws:
    """How far the leads of synthetic recordings are from what leads are of each other.

    Residuals are those of III = II - I (Einthoven) and of aVR = -(I + II)/2, aVL = I - II/2 and aVF = II - I/2
    (Goldberger) at every sample, in mV. `residuals` are medians over recordings of the median |residual|. `einthoven`
    is the median over recordings of the root mean square over the laws and all samples, with its 95 % interval from
    order statistics; its floor is that of real recordings. `correlation_error` is the mean |difference| over pairs of
    leads of the Pearson correlations along time, averaged over recordings: 0 to 2, 0 is ideal; its floor is real
    against real. Floors are means over `cuts`.

    A lead that is missing in a real recording is left out there; one that is missing in every real recording has no
    numbers. A synthetic recording that lacks a lead counts as the worst: in `einthoven` as worse than all others
    (undefined where more than half lack one), in `relative` as 2, in `residuals` as twice the lead of real recordings
    or the worst of the others, in `correlation_error` as the opposite of perfect correlation (|difference| 1 + |r|).
    In the matrix of correlations such a pair counts as 0.

    Args:
        real, synthetic: recordings (N, L, T) with the same leads in the same order.
        cuts: of `truegrade.ecg.floors.real_cuts`; without them the correlations have no floor, and that of `einthoven`
            is of all real recordings.

    Memory: 4 L^2 bytes a recording and some recordings at a time. Raises InputError for different leads.
    Source: E. Goldberger, American Heart Journal 24 (1942), 378-396.
    """
    if real.leads != synthetic.leads:
        raise InputError(
            f"The real leads are {', '.join(real.leads)}, the synthetic ones {', '.join(synthetic.leads)}; the same "
            "leads in the same order are accepted: use select_leads."
        )
    laws = {
        lead: part for lead, part in laws_of(real.leads).items() if not real.missing[:, part != 0].any(axis=1).all()
    }
    one, other = relations(real, laws), relations(synthetic, laws, missing=math.inf)
    means = mean_of(one.correlations), _with_missing(other.correlations)
    means[1][np.isnan(means[0])] = np.nan
    return LeadLaws(
        residuals=_by_law(laws, _middle(one.median), _middle(_bounded(other.median, one.sizes))),
        relative=_by_law(laws, _relative(one), _relative(_worst(one, other))),
        einthoven=_einthoven(real, one.squares, other.squares, cuts),
        correlation_error=number(correlation_error, one.correlations, other.correlations, cuts),
        real=means[0].astype(np.float32),
        synthetic=means[1].astype(np.float32),
    )


def relations(recordings: Recordings, laws: Laws, *, missing: float = math.nan) -> Relations:
    """What the leads of each recording are of each other; `missing` where one is missing."""
    n, leads = len(recordings), len(recordings.leads)
    weights = np.array(list(laws.values())).reshape(len(laws), leads)
    at = [recordings.leads.index(lead) for lead in laws]
    numbers = np.full((3, n, len(laws)), np.nan)
    correlations = np.full((n, leads, leads), np.nan, np.float32)
    for start, values in recordings.blocks(BLOCK):
        part = slice(start, start + len(values))
        gone = recordings.missing[part]
        values[gone] = 0.0
        rest = weights @ values
        unknown = (weights != 0) @ gone.T > 0  # (laws, b)
        lead, sums = (np.square(one).mean(axis=2) for one in (values[:, at], values[:, at] - rest))
        block = np.stack([np.median(np.abs(rest), axis=2), np.square(rest).mean(axis=2), np.maximum(lead, sums)])
        numbers[:, part] = np.where(unknown.T, missing, block)
        correlations[part] = _correlations(values, gone, missing)
    return Relations(numbers[0], numbers[1], numbers[2], correlations)


def mean_of(correlations: NDArray[np.float32]) -> Array:
    """(L, L) the mean over recordings, NaN where no recording has both leads."""
    known = np.isfinite(correlations)
    count = known.sum(axis=0)
    total = np.where(known, correlations, 0.0).sum(axis=0, dtype=np.float64)
    mean: Array = np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0)
    return mean


def _with_missing(correlations: NDArray[np.float32]) -> Array:
    """(L, L) the mean over synthetic recordings, missing leads as correlated with nothing but themselves."""
    out: Array = np.where(np.isinf(correlations), np.eye(correlations.shape[1]), correlations).mean(axis=0)
    return out


def correlation_error(one: NDArray[np.float32], other: NDArray[np.float32]) -> float | str:
    """Mean |difference| over pairs of leads of the mean correlations (N, L, L), (M, L, L), or why there is none; a pair
    that is infinite counts as the opposite of a perfect correlation."""
    pairs = np.triu_indices(one.shape[1], 1)
    if not len(pairs[0]):
        return "One lead alone has no correlations with others."
    ours, theirs = mean_of(one)[pairs], mean_of(other)[pairs]
    missing = np.isinf(other).mean(axis=0)[pairs]
    gaps = (1.0 - missing) * np.abs(ours - np.where(missing < 1.0, theirs, ours)) + missing * (1.0 + np.abs(ours))
    if not np.isfinite(gaps).any():
        return "No two leads are there in any recording."
    return float(gaps[np.isfinite(gaps)].mean())


def _correlations(values: Array, gone: NDArray[np.bool_], missing: float) -> Array:
    """(b, L, L) Pearson correlations along time; `missing` of a lead that is gone."""
    centred = values - values.mean(axis=2, keepdims=True)
    between = centred @ centred.swapaxes(1, 2)
    size = np.sqrt(np.einsum("nll->nl", between))
    out: Array = np.divide(between, size[:, :, None] * size[:, None, :], out=np.zeros_like(between), where=between != 0)
    out[gone] = missing
    out.swapaxes(1, 2)[gone] = missing
    return out


def _einthoven(real: Recordings, squares: Array, others: Array, cuts: Cuts) -> Number:
    """The residual over all laws: median over synthetic recordings, with the real side's as floor."""
    if not squares.shape[1]:
        absent = [lead for lead in real.leads if real.missing[:, real.leads.index(lead)].all()]
        why = f" ({', '.join(absent)}: missing in every real recording)" if absent else ""
        return Number(
            None,
            reason=f"I, II and one of III, aVR, aVL and aVF are needed{why}.",
            n_real=real.n,
            n_synthetic=len(others),
        )
    floors, values = _roots(squares), _roots(others)
    low, high = (one if one is not None and math.isfinite(one) else None for one in median_interval(values))
    found = replace(number(_second, floors, values, cuts), low=low, high=high)
    if found.floor is not None:
        return found
    known = floors[np.isfinite(floors)]
    note = f"Floor: the same of the {len(known):,} real recordings that have these leads."
    return replace(found, floor=float(np.median(known)), floor_n=len(known), floor_m=len(known), note=note)


def _second(real: Array, synthetic: Array) -> float | str:
    """The median of the second side, which is the whole of its grade: the laws are known."""
    known = synthetic[~np.isnan(synthetic)]
    if not len(known):
        return "no recording has these leads"
    middle = float(np.median(known))
    return middle if math.isfinite(middle) else LACKING


def median_interval(values: Array, level: float = 0.95) -> tuple[float | None, float | None]:
    """The interval of order statistics that holds the median of the population with at least this probability,
    whatever the distribution; (None, None) with too few values."""
    n = len(values)
    rank = int(binom.ppf((1.0 - level) / 2.0, n, 0.5))
    if rank < 1:
        return None, None
    ordered = np.sort(values)
    return float(ordered[rank - 1]), float(ordered[n - rank])


def _roots(squares: Array) -> Array:
    """(N,) root mean square over the laws that can be told, NaN where none can; infinite where one is."""
    known = ~np.isnan(squares)
    total, count = np.where(known, squares, 0.0).sum(axis=1), known.sum(axis=1)
    roots: Array = np.sqrt(np.divide(total, count, out=np.full(len(squares), np.nan), where=count > 0))
    return roots


def _worst(real: Relations, synthetic: Relations) -> Relations:
    """The synthetic side with missing leads as large as the real ones are, and inverted: 2 of the lead off."""
    size = np.broadcast_to(np.nanmean(real.sizes, axis=0), synthetic.sizes.shape)
    gone = np.isinf(synthetic.sizes)
    squares, sizes = np.where(gone, 4.0 * size, synthetic.squares), np.where(gone, size, synthetic.sizes)
    return replace(synthetic, squares=squares, sizes=sizes)


def _bounded(medians: Array, sizes: Array) -> Array:
    """Median residuals of synthetic recordings, infinite ones as twice the real leads (root mean square), or as the
    largest of the others."""
    largest = np.where(np.isinf(medians), 0.0, medians).max(axis=0, initial=0.0)
    worst = np.maximum(largest, 2.0 * np.sqrt(np.nanmean(sizes, axis=0)))
    out: Array = np.where(np.isinf(medians), worst, medians)
    return out


def _relative(side: Relations) -> list[float]:
    """By law, the root mean square of the residual as a part of that of the lead."""
    rest, size = np.nanmean(side.squares, axis=0), np.nanmean(side.sizes, axis=0)
    return [math.sqrt(a / b) if b > 0 else 0.0 for a, b in zip(rest, size, strict=True)]


def _middle(values: Array) -> list[float]:
    return [float(one) for one in np.nanmedian(values, axis=0)]


def _by_law(laws: Laws, real: list[float], synthetic: list[float]) -> dict[str, tuple[float, float]]:
    return {WORDS[lead]: (one, other) for lead, one, other in zip(laws, real, synthetic, strict=True)}
