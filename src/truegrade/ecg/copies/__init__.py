"""Copies of real recordings among synthetic ones, at any phase: search, threshold, what fresh recordings show."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, hypergeom

from truegrade.ecg.copies.groups import by_leads
from truegrade.ecg.copies.search import Nearest, Search
from truegrade.ecg.copies.tail import FEWEST, LEVEL, Tail, fit_tail
from truegrade.ecg.copies.waves import common_leads
from truegrade.ecg.copies.words import sentences
from truegrade.ecg.floors import NO_FLOOR, Cuts, fresh_of, real_cuts
from truegrade.recordings import Recordings
from truegrade.result.ecg import CopyPair, EcgCopies, Number
from truegrade.uncertainty.areas import share_bounds

LISTED = 20
_DOUBT = 0.01  # chance of a false alarm

Bools = NDArray[np.bool_]


def find_copies(real: Recordings, synthetic: Recordings, holdout: Recordings | None = None, *, seed: int) -> EcgCopies:
    """Which synthetic recordings are real ones, perhaps shifted, scaled, noisy, resampled or without some leads.

    Similarity: the cross-correlation over all common leads at the best shift, from .5 to 40 Hz, normalised: 1 where two
    recordings are equal up to a factor. A recording may be shifted as one that is cut from a longer one (at least half
    of the shorter has to overlap), which also finds one that was turned around the circle, by the longer of its two
    pieces. A shift of s seconds: the synthetic recording at t is the real one at t + s.

    Recordings whose values are equal are copies whatever their similarity; others are from a threshold on that one of a
    thousand fresh recordings exceeds. It is learnt from the tail of what each real recording has to the most similar
    one of another patient, so that rhythms which are alike are no copies where real ones are as much alike. Leads that
    are missing on a side are left out; a synthetic recording with fewer than half of the leads is searched for on those
    it has, with a threshold that is learnt on these. One without a signal, or with leads that are rare among such
    recordings, cannot be compared and is left out of the share, with a sentence.

    holdout: real recordings that the generator never saw; what they show is the floor (those of patients of the real
    side are left out). Without it: what cuts of the real recordings (`real_cuts` with `seed`) show. Memory: about
    150 kB per recording of 12 leads and 10 s.
    """
    holdout = fresh_of(real, holdout)
    leads = common_leads(real, synthetic, *([] if holdout is None else [holdout]))
    if not leads:
        reason = "The two sides have no lead in common."
        return EcgCopies(Number(None, reason=reason, n_real=len(real), n_synthetic=len(synthetic)), 1.0, False)
    cuts = real_cuts(real, len(synthetic), seed=seed)
    whole = _part(real, synthetic, holdout, np.arange(len(synthetic)), cuts)
    parts = [whole]
    few = whole.rows[~whole.found.enough]
    known, has = (~side.missing[:, [side.leads.index(lead) for lead in leads]] for side in (real, synthetic))
    for some, rows in by_leads(has[few] & known.any(axis=0)):
        names = [leads[at] for at in some]
        fresh = None if holdout is None else holdout.select_leads(names)
        theirs = synthetic.subset(few[rows]).select_leads(names)
        parts.append(_part(real.select_leads(names), theirs, fresh, few[rows], cuts))
    return _together(parts, len(synthetic))


@dataclass(frozen=True, eq=False)
class _Part:
    """Synthetic recordings (`rows`) that were compared on the same leads."""

    rows: NDArray[np.intp]
    found: Nearest
    copied: Bools
    pairs: tuple[CopyPair, ...]
    tail: Tail
    share: Number
    flagged: bool


def _part(
    real: Recordings, synthetic: Recordings, holdout: Recordings | None, rows: NDArray[np.intp], cuts: Cuts
) -> _Part:
    search = Search(real, *([synthetic] if holdout is None else [synthetic, holdout]))
    own = search.among_themselves()
    fresh = None if holdout is None else search.nearest(holdout)
    tail = fit_tail(own.best()[0] if len(real) >= FEWEST or fresh is None else fresh.best()[0])
    found = search.nearest(synthetic)
    copied, pairs = _pairs(found, tail.threshold)
    if fresh is None:
        share = _beside_cuts(copied[found.enough], own, cuts, tail.threshold)
    else:
        share = _beside_holdout(copied[found.enough], len(real), fresh, tail.threshold)
    pairs = tuple(replace(one, synthetic=int(rows[one.synthetic])) for one in pairs)
    return _Part(rows, found, copied, pairs, tail, share, _flagged(found, copied, tail, share))


def _together(parts: list[_Part], m: int) -> EcgCopies:
    """Of all recordings, whatever leads they were compared on."""
    share, tail = _summed([part.share for part in parts]), parts[0].tail
    count, equal = (sum(int(one.sum()) for one in of) for of in zip(*_counts(parts), strict=True))
    pairs = sorted((pair for part in parts for pair in part.pairs), key=lambda pair: -pair.similarity)[:LISTED]
    flagged = any(part.flagged for part in parts)
    few = sum(part.share.n_synthetic for part in parts[1:])
    lacking = m - sum(int(part.found.enough.sum()) for part in parts)
    words = sentences(count, equal, few, lacking, share, tail, flagged)
    return EcgCopies(share, tail.threshold, flagged, tuple(pairs), words)


def _counts(parts: list[_Part]) -> list[tuple[Bools, Bools]]:
    return [(part.copied, part.found.equal >= 0) for part in parts]


def _summed(shares: list[Number]) -> Number:
    """The share of all, with the floors by how many recordings each is for."""
    known = [one for one in shares if one.value is not None]
    if len(known) < 2:
        return known[0] if known else shares[0]
    m = sum(one.n_synthetic for one in known)
    count = round(sum((one.value or 0.0) * one.n_synthetic for one in known))
    low, high = share_bounds(count, m)
    most = max(known, key=lambda one: one.n_synthetic)
    summed = replace(most, value=count / m, low=low, high=high, n_synthetic=m)
    if any(one.floor is None for one in known):
        return replace(summed, floor=None, floor_low=None, floor_high=None, floor_n=0, floor_m=0, cuts=0)
    floor, low, high = (
        sum(one.n_synthetic / m * (getattr(one, name) or 0.0) for one in known)
        for name in ("floor", "floor_low", "floor_high")
    )
    return replace(summed, floor=floor, floor_low=low, floor_high=high)


def _copied(found: Nearest, threshold: float, of: Bools | None = None) -> Bools:
    return np.asarray((found.best(of)[0] >= threshold) | (found.equal >= 0))


def _pairs(found: Nearest, threshold: float) -> tuple[Bools, tuple[CopyPair, ...]]:
    """(m,) whether each is a copy, and the most similar ones."""
    copied = _copied(found, threshold)
    similarity, rows, shift = found.best()
    same = found.equal >= 0
    similarity, shift = np.where(same, 1.0, similarity), np.where(same, 0.0, shift)
    rows = np.where(same, found.equal, rows)
    order = np.argsort(np.where(copied, -similarity, 2.0), kind="stable")[: min(LISTED, int(copied.sum()))]
    return copied, tuple(CopyPair(int(i), int(rows[i]), float(similarity[i]), float(shift[i])) for i in order)


def _share(copied: Bools, n: int, floors: list[float], sizes: tuple[int, int], where: str) -> Number:
    m = len(copied)
    if not m:
        return Number(None, n_real=n, reason="No synthetic recording has a signal in half of the leads.")
    low, high = share_bounds(int(copied.sum()), m)
    share = float(copied.mean())
    if not floors:
        return Number(share, low, high, n_real=n, n_synthetic=m, note=where)
    return Number(
        share,
        low,
        high,
        float(np.mean(floors)),
        min(floors),
        max(floors),
        *sizes,
        cuts=len(floors),
        n_real=n,
        n_synthetic=m,
        note=where,
    )


def _beside_holdout(copied: Bools, n: int, fresh: Nearest, threshold: float) -> Number:
    kept = _copied(fresh, threshold)[fresh.enough]
    if not len(kept):
        return _share(copied, n, [], (0, 0), "No floor: no held-out recording has a signal in half of the leads.")
    return _share(copied, n, [float(kept.mean())], (n, len(kept)), f"Floor: {len(kept):,} held-out recordings.")


def _beside_cuts(copied: Bools, own: Nearest, cuts: Cuts, threshold: float) -> Number:
    """Real recordings of one part of each cut, searched for among those of the other."""
    floors, sizes = [], []
    for one, other in cuts:
        of = np.zeros(len(own.rows), bool)
        of[one] = True
        kept = other[own.enough[other]]
        if len(kept):
            floors.append(float(_copied(own, threshold, of)[kept].mean()))
            sizes.append((len(one), len(kept)))
    if not floors:
        return _share(copied, len(own.rows), [], (0, 0), f"{NO_FLOOR}.")
    n, m = (round(sum(size[i] for size in sizes) / len(sizes)) for i in (0, 1))
    where = f"Floor: mean of {len(floors)} random cuts of the real recordings, {n:,} against {m:,}."
    return _share(copied, len(own.rows), floors, (n, m), where)


def _flagged(found: Nearest, copied: Bools, tail: Tail, share: Number) -> bool:
    """More than fresh real recordings explain? One copy is enough if no fresh recording would be as similar."""
    count, m = int(copied.sum()), share.n_synthetic
    if not count or not m:
        return False
    seen = round((share.floor or 0.0) * share.floor_m)
    if seen:  # real recordings repeat each other: more of them than among fresh ones?
        return bool(hypergeom.sf(count - 1, m + share.floor_m, count + seen, m) < _DOUBT)
    if (found.equal >= 0).any():
        return True
    rare = m * tail.beyond(float(found.best()[0].max())) < _DOUBT
    return bool(rare or binom.sf(count - 1, m, LEVEL) < _DOUBT)
