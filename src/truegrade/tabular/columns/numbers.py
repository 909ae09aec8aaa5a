"""A pair of numbers: the seven scores from joint histograms, ceilings and intervals from draws of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.density import SCORES, Frame, Histogram, PairOutcome, Settings, SideStats, frame_of, grade_histograms
from truegrade.density.resample import Cells, Law, Points, Resampled, ceilings, redrawn, resampled
from truegrade.density.spread import fresh_ratio
from truegrade.result.table import Measure, PairGrade
from truegrade.tabular.columns import transport
from truegrade.tabular.columns.collinear import line_scores, line_state
from truegrade.tabular.columns.draws import LARGE, Effort, effort, generator
from truegrade.tabular.columns.outliers import with_inside
from truegrade.tabular.columns.passes import Found
from truegrade.tabular.columns.states import State, rows_state

_WIDER = 2  # cells of large tables: 3 to the narrower kernel sd
_EVERY = 4  # of the sampled rows, every so manieth is enough there to find the extent
_ALL_DRAWN = 2_000  # rows of the smaller table up to which all scores have a ceiling and an interval
_USUAL = 2**19  # cells; on more, which sides of very different spread need, fewer draws of those two are made
_QUICK = ("correlation_score", "eden_score")  # beyond, these two


class NumberPair:
    """A pair of numbers in the second pass."""

    def __init__(self, first: str, second: str, found: tuple[Found, Found], settings: Settings) -> None:
        self.names = first, second
        self._found, self._settings = found, settings
        self._refused: State | None = None
        self._frame: Frame | None = None
        self._histograms: list[Histogram | None] = [None, None]
        self._rows = found[0].pair(first, second, 0).n, found[1].pair(first, second, 0).n
        self._large = min(self._rows) >= LARGE
        stats = self._stats(_EVERY if self._large else 1)
        made = frame_of(*stats, settings, self.names)
        if isinstance(made, PairOutcome):
            self._refused = self._fault(made, stats)
            self.size = 0
            return
        self._frame = coarser(made) if self._large else made
        self.size = 2 * 4 * self._frame.shape[0] * self._frame.shape[1]

    def _stats(self, every: int) -> tuple[SideStats, SideStats]:
        return self._found[0].pair(*self.names, every), self._found[1].pair(*self.names, every)

    def _fault(self, refused: PairOutcome, stats: tuple[SideStats, SideStats]) -> State:
        """The synthetic table is why if the real one against itself has densities."""
        real = stats[0]
        lacking = isinstance(frame_of(real, real, self._settings, self.names), Frame)
        state = rows_state(*self.names, self._rows, (_alone(self.names, stats[0]), _alone(self.names, stats[1])))
        if not state.ok:
            return state
        return line_state(self.names, refused) or State(refused.status, refused.reason, lacking)

    def add(self, side: int, block: Mapping[str, NDArray[Any]]) -> None:
        if self._frame is None:
            return
        histogram = self._histograms[side]
        if histogram is None:
            histogram = self._histograms[side] = self._frame.histogram()
        histogram.add_columns(block[self.names[0]], block[self.names[1]])

    def finish(self, seed: int, *, intervals: bool) -> tuple[PairGrade, Plane | None]:
        """The grade, and what a picture of the pair can be drawn from."""
        if self._frame is None or self._refused is not None:
            return self._without_plane(self._refused or State(), seed, intervals=intervals), None
        filled = [h if h is not None else self._frame.histogram() for h in self._histograms]
        sampled = 0 if not any(h.outside for h in filled) else _EVERY
        every = sampled if self._large and self._settings.correlation == "pearson" else 1
        plane = Plane(self._frame, (filled[0], filled[1]), self._stats(every), self._settings)
        self._histograms = [None, None]
        number = int(generator(seed, *self.names).integers(2**31))
        scores = plane.scores(effort(*self._rows, intervals), number)
        grade = PairGrade(*self.names, "numbers", "ok", None, *self._rows, scores)
        return with_inside(grade, self._stats, self._settings, number), plane

    def _without_plane(self, state: State, seed: int, *, intervals: bool) -> PairGrade:
        scores: dict[str, Measure] = {}
        if state.status == "collinear" and not state.lacking:
            scores = line_scores(self.names, self._stats(1), self._settings, seed, intervals=intervals)
        return PairGrade(*self.names, "numbers", state.status, state.reason, *self._rows, scores, state.lacking)


@dataclass(frozen=True, eq=False)
class Plane:
    """Both sides of a pair on the cells of one frame."""

    frame: Frame
    histograms: tuple[Histogram, Histogram]
    stats: tuple[SideStats, SideStats]
    settings: Settings

    def without_rows(self) -> Plane:
        """The same without the samples of rows, which no picture needs."""
        none = np.empty((0, 2))
        return replace(self, stats=(replace(self.stats[0], sample=none), replace(self.stats[1], sample=none)))

    def scores(self, work: Effort, seed: int) -> dict[str, Measure]:
        outcome = grade_histograms(*self.histograms, self.frame, *self.stats, self.settings)
        drawn = self._resampled(work, seed)
        scores = {key: _measure(key, outcome.values, outcome, drawn) for key in SCORES}
        moved = transport.score(self.histograms, self.frame, self.stats)
        ideal = transport.ceiling(self._real_frame() or self.frame, self.stats, seed)
        return scores | {"earth_movers_score": Measure(moved, ceiling=ideal)}

    def _resampled(self, work: Effort, seed: int) -> Resampled:
        n, m = self.histograms[0].n, self.histograms[1].n
        frame, real, synthetic = self._laws()
        alone, only = self._real_alone(frame, real)
        carry = min(n, m) < LARGE
        wanted, less = self._affordable(alone, work)
        ideal = ceilings(only, m, alone, self.settings, repeats=less.ceiling, seed=seed, scores=wanted, carry=carry)
        wanted, less = self._affordable(frame, work)
        drawn = redrawn(real, synthetic, frame, self.settings, repeats=less.interval, seed=seed, scores=wanted)
        return resampled(drawn, ideal)

    def _affordable(self, frame: Frame, work: Effort) -> tuple[tuple[str, ...], Effort]:
        """Which scores are drawn on these cells, and how often."""
        cells = frame.shape[0] * frame.shape[1]
        if min(h.n for h in self.histograms) > _ALL_DRAWN or cells > _USUAL:
            return _QUICK, work.fewer(cells // _USUAL)
        return tuple(key for key in SCORES if key != "earth_movers_score"), work

    def _real_alone(self, frame: Frame, real: Law) -> tuple[Frame, Law]:
        """For ceilings: coarse cells of the real side alone, so that they do not depend on what it is compared with;
        the frame and the law where not all rows are known."""
        found = self._real_frame()
        return (frame, real) if found is None else (found, Points(self.stats[0].sample, found))

    def _real_frame(self) -> Frame | None:
        side = self.stats[0]
        found = frame_of(side, side, self.settings) if side.complete else None
        return found.for_draws(side, side, self.settings) if isinstance(found, Frame) else None

    def _laws(self) -> tuple[Frame, Law, Law]:
        """Both sides to draw from, and the cells to grade draws on: rows on wider cells where all are known, else what
        the cells hold."""
        if all(side.complete for side in self.stats):
            frame = self.frame.for_draws(*self.stats, self.settings)
            return frame, Points(self.stats[0].sample, frame), Points(self.stats[1].sample, frame)
        real, synthetic = (Cells(h, self.frame, s) for h, s in zip(self.histograms, self.stats, strict=True))
        return self.frame, real, synthetic


def _measure(key: str, values: Mapping[str, float], outcome: PairOutcome, drawn: Resampled) -> Measure:
    if key not in values:
        return Measure(None, ceiling=drawn.ceiling(key), reason=outcome.undefined.get(key, "undefined"))
    value = float(values[key])
    low, high = drawn.interval(key, value) or (None, None)
    fresh = fresh_ratio(drawn.ceilings[key]) if key in drawn.ceilings else None
    return Measure(value, low, high, drawn.ceiling(key), fresh=fresh)


def _alone(names: tuple[str, str], stats: SideStats) -> set[str]:
    return {name for name, low, high in zip(names, stats.low, stats.high, strict=True) if stats.n and low == high}


def coarser(frame: Frame) -> Frame:
    """The same plane in cells twice as wide."""
    first, second = (-(-(cells - 2) // _WIDER) + 2 for cells in frame.shape)
    return frame.in_cells((first, second))
