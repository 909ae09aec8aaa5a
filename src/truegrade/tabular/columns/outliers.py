"""A few outlying rows that decide a pair: they set the width of the kernels, so that all other rows look different."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from truegrade.density import Frame, Settings, SideStats, frame_of, grade_pair, side_stats
from truegrade.density.resample import Points, Resampled, ceilings
from truegrade.density.stats import Floats
from truegrade.result.table import Measure, PairGrade
from truegrade.tables.naming import quoted
from truegrade.tabular.columns.inflation import RATIO

TAIL = 0.001  # of the rows, at either end of either column, are left out
FACTOR = 2.0  # by which that has to change the covariance in some direction
_MOST = 8_192  # rows of a side that are graded again
_REPEATS = 3


def with_inside(
    pair: PairGrade, stats: Callable[[int], tuple[SideStats, SideStats]], settings: Settings, seed: int
) -> PairGrade:
    """The grade; where it is bad and a few outlying rows may be why, also that of the other rows, and words for it.

    stats: both sides with every so manieth of the sampled rows.
    """
    if pair.ratio is not None and pair.ratio >= RATIO:  # None: real against real comes to nothing, for outliers
        return pair
    sides = stats(1)
    inside = [_inside(side.sample) for side in sides]
    if not any(_decisive(side.cov, kept) for side, kept in zip(sides, inside, strict=True)):
        return pair
    real, synthetic = (kept[:: -(-max(len(kept), 1) // _MOST)] for kept in inside)
    found = _graded(real, synthetic, settings, seed)
    if found is None:
        return pair
    pair = replace(pair, inside=found)
    return replace(pair, reason=_words(pair)) if pair.spared else pair


def _inside(points: Floats) -> Floats:
    """The rows within the quantiles of both columns; extremes are cut where there are few rows."""
    if len(points) < 4:
        return points
    low, high = np.quantile(points, (TAIL, 1.0 - TAIL), axis=0)
    kept: Floats = points[((points >= low) & (points <= high)).all(axis=1)]
    return kept


def _decisive(whole: Floats, kept: Floats) -> bool:
    """Whether the few rows left out change the covariance, and so the kernel, by FACTOR in some direction."""
    if len(kept) < 3:
        return False
    part = np.cov(kept.T)
    scale = np.sqrt(np.diag(part))
    if not (scale > 0.0).all():
        return False
    unit = part / np.outer(scale, scale)
    if 1.0 - abs(unit[0, 1]) < 1e-12:
        return True
    return bool(np.linalg.eigvals(np.linalg.solve(unit, whole / np.outer(scale, scale))).real.max() > FACTOR)


def _graded(real: Floats, synthetic: Floats, settings: Settings, seed: int) -> Measure | None:
    outcome = grade_pair(real, synthetic, settings)
    stats = side_stats(real)
    frame = frame_of(stats, stats, settings)
    if outcome.status != "ok" or not isinstance(frame, Frame):
        return None
    frame = frame.for_draws(stats, stats, settings)
    ways = {"repeats": _REPEATS, "seed": seed}
    drawn = ceilings(Points(real, frame), len(synthetic), frame, settings, scores=("eden_score",), **ways)  # type: ignore[arg-type]
    return Measure(outcome.values["eden_score"], ceiling=Resampled({}, drawn.values).ceiling("eden_score"))


def _words(pair: PairGrade) -> str:
    assert pair.inside is not None
    return (
        f"a few outlying rows decide how wide the kernels of {quoted(pair.first)} and {quoted(pair.second)} are; "
        f"without them the Eden score is {pair.inside.ratio:.2f} of what real data get"
    )
