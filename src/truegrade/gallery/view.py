"""The map: some samples of both sides in the plane, with what the page needs to recompute hollow and filled."""

from __future__ import annotations

import math

import numpy as np

from truegrade.engine.needs import Floats, Ints
from truegrade.gallery.drawing import significant
from truegrade.gallery.facts import Facts, Side, SideFacts, label_of, name_of
from truegrade.gallery.plane import plane_of
from truegrade.gallery.specimens import Picked
from truegrade.result.exhibits import MapSide, MapView
from truegrade.samples import Samples

POINTS = 1500  # of each side
_LARGEST = 1e38  # that float32 holds, and differences of which it holds too
_STEPS = 10_000  # coordinates are kept to this part of their range


def map_view(facts: Facts, picked: Picked, seed: int, threads: int | None) -> MapView:
    """The map with at most 1,500 samples of each side, those of `picked` among them."""
    real, synthetic = facts.real.samples, facts.synthetic.samples
    plane = plane_of(real, seed)
    rows = [_shown_rows(s.n, picked.rows(side), side, seed) for side, s in _sides(facts)]
    points = [plane.points(s, at) for (_, s), at in zip(_sides(facts), rows, strict=True)]
    decimals = _decimals(points)
    levels = [
        _levels(real, rows[0], facts.synthetic, threads),
        _levels(synthetic, rows[1], facts.real, threads),
    ]
    left, right = (
        _map_side(known, at, np.round(xy, decimals), inside)
        for known, at, xy, inside in zip((facts.real, facts.synthetic), rows, points, levels, strict=True)
    )
    sizes = ((real.n, rows[0]), (synthetic.n, rows[1]))
    return MapView(left, right, plane.projection, plane.axes, facts.k, facts.most_k, _note(sizes))


def _sides(facts: Facts) -> tuple[tuple[Side, Samples], tuple[Side, Samples]]:
    return ("real", facts.real.samples), ("synthetic", facts.synthetic.samples)


def _shown_rows(n: int, wanted: Ints, side: str, seed: int) -> Ints:
    """All rows where they are few enough, else those that are wanted and others drawn at random; sorted."""
    if n <= POINTS:
        return np.arange(n)
    order = np.random.default_rng([seed, n, *side.encode()]).permutation(n)
    others = order[~np.isin(order, wanted)]
    return np.sort(np.concatenate([wanted, others[: POINTS - len(wanted)]]))


def _levels(samples: Samples, rows: Ints, other: SideFacts, threads: int | None) -> Ints:
    """From which k on the rows lie in the other side's manifold."""
    from truegrade.engine.levels import first_inside  # the compiler is imported at first use

    points = samples if len(rows) == samples.n else samples.subset(rows.astype(np.intp))
    return first_inside(points, other.samples, other.squared, threads=threads)


def _map_side(known: SideFacts, rows: Ints, points: Floats, inside: Ints) -> MapSide:
    """Distances are kept to four significant digits, grades to four decimals."""
    labels = known.samples.labels
    return MapSide(
        n=known.samples.n,
        rows=rows,
        points=(np.clip(points, -_LARGEST, _LARGEST) + 0.0).astype(np.float32),
        grade=np.round(known.grade[rows], 4).astype(np.float32),
        inside_from=inside,
        nearest=significant(known.nearest[rows]),
        own=significant(known.own[rows]),
        names=None if known.samples.ids is None else tuple(name_of(known.samples, int(row)) for row in rows),
        labels=None if labels is None else tuple(label_of(known.samples, int(row)) or "" for row in rows),
        partner=known.partner[rows].astype(np.int64),
    )


def _decimals(points: list[Floats]) -> int:
    """Decimals that keep a ten-thousandth of the extent of all points."""
    extent = max(float(np.ptp(np.concatenate(points), axis=0).max()), 1e-50)
    return int(np.clip(math.ceil(math.log10(_STEPS / extent)), 0, 50))


def _note(sizes: tuple[tuple[int, Ints], tuple[int, Ints]]) -> str:
    """Which points are shown, where that is not all of them."""
    parts = [
        f"{len(rows):,} of {n:,} {side} samples"
        for side, (n, rows) in zip(("real", "synthetic"), sizes, strict=True)
        if len(rows) < n
    ]
    if not parts:
        return ""
    return f"Shown are {' and '.join(parts)}, drawn at random, and among them those shown below the map."
