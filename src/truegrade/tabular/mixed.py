"""A number within the categories of another column: the mean over categories of Eden on a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.density import LineFrame, LineStats, PairOutcome, Settings, line_frame
from truegrade.result.table import Measure, PairGrade
from truegrade.tabular.draws import Effort, bounds, effort, generator
from truegrade.tabular.lines import Line, coarser, counted
from truegrade.tabular.passes import LEVELS, Found
from truegrade.tabular.states import FEWEST, State, rows_state

_DRAWN = 24  # lines drawn at least: with few categories chance evens out less
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
        parts = [side.lines(number, self._category) for side in found]
        both = list(zip(parts[0], parts[1], strict=True))
        self._rows = found[0].rows_of(number, self._category), found[1].rows_of(number, self._category)
        self._alone = tuple(side.alone_in(number, self._category) for side in found)
        self._beyond = max(0, levels - LEVELS)
        self._frames = [_frame(*pair, settings) for pair in both]
        self._there = [isinstance(line_frame(synthetic, synthetic), LineFrame) for _, synthetic in both]
        self._stats = [(_without_rows(real), _without_rows(synthetic)) for real, synthetic in both]
        sizes = [0 if frame is None else frame.cells for frame in self._frames]
        self._starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        self._lows = np.array([0.0 if frame is None else frame.low for frame in self._frames])
        self._scales = np.array([0.0 if frame is None else 1.0 / frame.step for frame in self._frames])
        self.size = 16 * int(self._starts[-1])
        self._counts: list[NDArray[np.int64] | None] = [None, None]
        self._seen = np.zeros((2, len(sizes)), np.int64)

    def add(self, side: int, block: Mapping[str, NDArray[Any]]) -> None:
        from truegrade.tabular import counting

        counts = self._counts[side]
        if counts is None:
            counts = self._counts[side] = np.zeros(int(self._starts[-1]), np.int64)
        values, codes = block[self._number], block[self._category]
        counting.count_lines(values, codes, self._lows, self._scales, self._starts, counts, self._seen[side])

    def finish(self, seed: int, *, intervals: bool) -> PairGrade:
        state = rows_state(*self.names, self._rows, (self._alone[0], self._alone[1]))
        scores: dict[str, Measure] = {}
        reason = state.reason
        if state.ok:
            lines = self._lines()
            reason = self._left_out(len(lines))
            if lines:
                scores["eden_line"] = self._grade(lines, generator(seed, *self.names), intervals=intervals)
            else:
                state = State("degenerate", f"no real category has {FEWEST} rows and values that differ")
                reason = state.reason
        self._counts = [None, None]
        return PairGrade(*self.names, "mixed", state.status, reason, *self._rows, scores, state.lacking)

    def _lines(self) -> list[tuple[Line, bool]]:
        """By category that counts, both sides, and whether the synthetic one has a density."""
        out = []
        for k, (frame, stats) in enumerate(zip(self._frames, self._stats, strict=True)):
            if frame is None:
                continue
            cells = slice(self._starts[k], self._starts[k + 1])
            sides = [
                counted(frame, counts[cells] if counts is not None else np.zeros(frame.cells, np.int64), int(seen))
                for counts, seen in zip(self._counts, self._seen[:, k], strict=True)
            ]
            out.append((Line(frame, (sides[0], sides[1]), stats), self._there[k]))
        return out

    def _grade(self, lines: list[tuple[Line, bool]], rng: np.random.Generator, *, intervals: bool) -> Measure:
        n, m = self._rows
        fewest = Effort(-(-_DRAWN // len(lines)), -(-_DRAWN // len(lines)))
        work, settings = effort(n, m, intervals).at_least(fewest, intervals), self._settings
        alike = [max(FEWEST, round(line.counts[0].n * m / n)) for line, _ in lines]  # rows a perfect model would have
        value = _mean(line.eden(settings) if there else 0.0 for line, there in lines)
        ceiling = [
            _mean(line.ceiling(settings, rng, k) for (line, _), k in zip(lines, alike, strict=True))
            for _ in range(work.ceiling)
        ]
        draws = [
            _mean(line.redrawn(rng).eden(settings) if there else 0.0 for line, there in lines)
            for _ in range(work.interval)
        ]
        return Measure(value, *bounds(value, np.array(draws)), min(1.0, _mean(ceiling)))

    def _left_out(self, used: int) -> str | None:
        absent = sum(real.n == 0 for real, _ in self._stats)
        left = len(self._stats) - absent - used + self._beyond
        if not left:
            return None
        return (
            f"left out: {left} of {left + used} real categories; they have fewer than {FEWEST} rows, a single value, "
            f"or come after the {LEVELS} most frequent"
        )


def _without_rows(stats: LineStats) -> LineStats:
    return replace(stats, sample=np.empty(0))


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def _frame(real: LineStats, synthetic: LineStats, settings: Settings) -> LineFrame | None:
    """Of one category: of both sides, of the real one alone where the synthetic one has no density, or none."""
    found = line_frame(real, synthetic, settings)
    if isinstance(found, PairOutcome):
        found = line_frame(real, real, settings)
    return None if isinstance(found, PairOutcome) else coarser(found, _COARSER)
