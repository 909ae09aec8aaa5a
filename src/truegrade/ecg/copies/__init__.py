"""Copies of real recordings among synthetic ones, at any phase: search, threshold, what fresh recordings show."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, hypergeom

from truegrade.ecg.copies.search import Nearest, Search
from truegrade.ecg.copies.tail import FEWEST, LEVEL, Tail, fit_tail
from truegrade.ecg.copies.words import sentences
from truegrade.ecg.floors import NO_FLOOR, Cuts, real_cuts
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
    are missing on a side are left out; a synthetic recording with fewer than half of the leads cannot be compared and
    is left out of the share, with a sentence.

    holdout: real recordings that the generator never saw; what they show is the floor. Without it: what cuts of the
    real recordings (`real_cuts` with `seed`) show. Memory: about 150 kB per recording of 12 leads and 10 s.
    """
    if not set(real.leads) & set(synthetic.leads):
        reason = "The two sides have no lead in common."
        return EcgCopies(Number(None, reason=reason, n_real=len(real), n_synthetic=len(synthetic)), 1.0, False)
    search = Search(real, *([synthetic] if holdout is None else [synthetic, holdout]))
    own = search.among_themselves()
    fresh = None if holdout is None else search.nearest(holdout)
    tail = fit_tail(own.best()[0] if len(real) >= FEWEST or fresh is None else fresh.best()[0])
    found = search.nearest(synthetic)
    copied, pairs = _pairs(found, tail.threshold)
    if fresh is None:
        share = _beside_cuts(copied[found.enough], own, real_cuts(real, len(synthetic), seed=seed), tail.threshold)
    else:
        share = _beside_holdout(copied[found.enough], len(real), fresh, tail.threshold)
    flagged = _flagged(found, copied, tail, share)
    lacking = int((~found.enough).sum())
    words = sentences(int(copied.sum()), int((found.equal >= 0).sum()), lacking, share, tail, flagged)
    return EcgCopies(share, tail.threshold, flagged, pairs, words)


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
