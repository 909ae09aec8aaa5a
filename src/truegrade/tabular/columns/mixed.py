"""A number within the categories of another column: the mean over categories of Eden on a line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.density import LineFrame, LineStats, PairOutcome, Settings, line_frame
from truegrade.density.spread import fresh_ratio
from truegrade.result.table import Measure, PairGrade
from truegrade.tabular.columns.draws import LARGE, Effort, bounds, effort, generator
from truegrade.tabular.columns.lines import Sides, ceilings, edens
from truegrade.tabular.columns.passes import LEVELS, Found
from truegrade.tabular.columns.states import FEWEST, State, rows_state
from truegrade.tabular.columns.unseen import Law, law_of

_DRAWN = 24  # lines drawn at least up to 20,000 rows: with few categories chance evens out less
_EVERY = 4  # of large samples, every so manieth value is enough to find the extent
_COARSER = 4  # cells of a category are so much wider than those of a column: there are many categories


class MixedPair:
    """A pair of a number and a category in the second pass.

    Every category of the real table counts once: its Eden on a line, 0 where the synthetic table has no density in it
    (absent, fewer than 3 rows, a single value). Left out, and counted in the reason: categories in which the real
    table has fewer than 3 rows or a single value, and all beyond the `LEVELS` most frequent.
    """

    def __init__(
        self, first: str, second: str, number: str, found: tuple[Found, Found], settings: Settings, levels: int
    ) -> None:
        self.names = first, second
        self._number, self._category = number, second if number == first else first
        self._settings = settings
        parts = [side.lines(number, self._category, _EVERY) for side in found]
        both = list(zip(parts[0], parts[1], strict=True))
        self._rows = found[0].rows_of(number, self._category), found[1].rows_of(number, self._category)
        self._alone = tuple(side.alone_in(number, self._category) for side in found)
        self._absent, self._beyond = sum(real.n == 0 for real, _ in both), max(0, levels - LEVELS)
        self._sizes = np.array([real.n for real, _ in both], np.int64)
        made = [_frame(*pair, settings) for pair in both]
        used = [k for k, frame in enumerate(made) if frame is not None]
        frames = _alike([frame for frame in made if frame is not None])
        self._used = np.array(used, np.intp)
        self._there = np.array([_is_line(both[k][1]) for k in used], bool)
        self._moments = np.array([[(side.n, side.variance) for side in both[k]] for k in used]).reshape(-1, 2, 2)
        self._steps = np.array([frame.step for frame in frames])
        self._lows, self._scales = np.zeros(len(made)), np.full(len(made), np.nan)
        self._lows[used], self._scales[used] = [frame.low for frame in frames], 1.0 / self._steps
        self._shape = len(made), frames[0].cells if frames else 0
        self.size = 16 * self._shape[0] * self._shape[1]
        self._counts: list[NDArray[np.int64] | None] = [None, None]

    def add(self, side: int, block: Mapping[str, NDArray[Any]]) -> None:
        from truegrade.tabular.columns import counting

        counts = self._counts[side]
        if counts is None:
            counts = self._counts[side] = np.zeros(self._shape, np.int64)
        values, codes = block[self._number], block[self._category]
        counting.count_lines(values, codes, self._lows, self._scales, counts)

    def finish(self, seed: int, *, intervals: bool) -> PairGrade:
        state = rows_state(*self.names, self._rows, (self._alone[0], self._alone[1]))
        scores: dict[str, Measure] = {}
        reason = state.reason
        if state.ok and not len(self._used):
            state = State("degenerate", f"no real category has {FEWEST} rows and values that differ")
            reason = state.reason
        elif state.ok:
            scores["eden_line"] = self._grade(generator(seed, *self.names), intervals=intervals)
            reason = self._left_out()
        self._counts = [None, None]
        return PairGrade(*self.names, "mixed", state.status, reason, *self._rows, scores, state.lacking)

    def _side(self, which: int) -> Sides:
        counts = self._counts[which]
        if counts is None:
            counts = np.zeros(self._shape, np.int64)
        n, variances = self._moments[:, which].T
        return Sides(counts[self._used], n.astype(np.int64), variances / self._steps**2)

    def _grade(self, rng: np.random.Generator, *, intervals: bool) -> Measure:
        n, m = self._rows
        real, synthetic = self._side(0), self._side(1)
        work = effort(n, m, intervals)
        if work.interval:
            fewest = -(-_DRAWN // len(self._used))
            work = work.at_least(Effort(fewest, fewest), intervals)
        law = law_of(self._sizes)
        ceiling = [self._ideal(real, law, m / n, rng, carry=min(n, m) < LARGE) for _ in range(work.ceiling)]
        draws = [self._again(real, synthetic, rng) for _ in range(work.interval)]
        value = self._mean(real, synthetic, self._there)
        found = float(np.clip(np.mean(ceiling), 0.0, 1.0))
        return Measure(value, *bounds(value, np.array(draws)), found, fresh=fresh_ratio(np.array(ceiling)))

    def _ideal(self, real: Sides, law: Law, share: float, rng: np.random.Generator, *, carry: bool) -> float:
        """What a perfect model would get: it has as many rows of a category as chance gives, often too few."""
        rows = rng.poisson(law.expectations(real.n, rng) * share)
        there = rows >= FEWEST
        if not there.any():
            return 0.0
        return float(ceilings(real.take(there), rows[there], self._settings, rng, carry=carry).sum() / len(rows))

    def _again(self, real: Sides, synthetic: Sides, rng: np.random.Generator) -> float:
        """The value with both sides drawn again, the sizes of their categories too."""
        n, m = (rng.poisson(side.n) for side in (real, synthetic))
        drawn = real.draw(np.maximum(n, FEWEST), rng), synthetic.draw(m, rng)
        return self._mean(*drawn, self._there & (m >= FEWEST))

    def _mean(self, real: Sides, synthetic: Sides, there: NDArray[np.bool_]) -> float:
        return float(np.where(there, edens(real, synthetic, self._settings), 0.0).mean())

    def _left_out(self) -> str | None:
        used = len(self._used)
        left = self._shape[0] - self._absent - used + self._beyond
        if not left:
            return None
        return (
            f"left out: {left} of {left + used} real categories; they have fewer than {FEWEST} rows, a single value, "
            f"or come after the {LEVELS} most frequent"
        )


def _is_line(stats: LineStats) -> bool:
    """Whether there is a density, as `line_frame` decides it."""
    return stats.n >= FEWEST and stats.low < stats.high and 1e-290 < stats.variance < 1e290


def _frame(real: LineStats, synthetic: LineStats, settings: Settings) -> LineFrame | None:
    """Of one category: of both sides, of the real one alone where the synthetic one has no density, or none."""
    found = line_frame(real, synthetic, settings)
    if isinstance(found, PairOutcome):
        found = line_frame(real, real, settings)
    return None if isinstance(found, PairOutcome) else found


def _alike(frames: list[LineFrame]) -> list[LineFrame]:
    """The same lines, each in as many cells as the one that needs most of them, over `_COARSER`."""
    cells = max((frame.cells for frame in frames), default=2) // _COARSER + 2
    return [replace(f, step=f.step * (f.cells - 2) / (cells - 2), cells=cells) for f in frames]
