"""Grades of single columns: jobs of the second pass, and those for which there is nothing to count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.density import LineFrame, LineHistogram, PairOutcome, Settings, grade_line, line_curves, line_frame
from truegrade.density.spread import fresh_ratio
from truegrade.density.stats import LineStats
from truegrade.result.table import ColumnGrade, Curves, Measure
from truegrade.tables import Coded
from truegrade.tabular.columns.categories import grade_shares
from truegrade.tabular.columns.draws import LARGE, Effort, bounds, effort, generator, measures
from truegrade.tabular.columns.lines import Sides, ceilings, edens
from truegrade.tabular.columns.passes import Found
from truegrade.tabular.columns.places import grade_places, places_of
from truegrade.tabular.columns.states import State

PLACES = 64  # of a curve
NAMED = 12  # categories of a curve; the rest are "other"
DRAWN = 40  # columns that keep their curves
_EXPECTED, _CHANCE = 10, 0.001  # of a level that is lost
_FEWEST, _FEWEST_LARGE = Effort(4, 6), Effort(2, 4)  # draws of a line: cheap, also for large tables

Lost = tuple[tuple[str, float], ...]
Made = tuple[State, dict[str, Measure], Curves | None, Lost]


def bare_column(
    name: str,
    real: Coded,
    synthetic: Coded,
    state: State,
    scores: Mapping[str, Measure],
    curves: Curves | None = None,
    lost: Lost = (),
) -> ColumnGrade:
    """The grade of a column with what was found of it."""
    column = real.schema[name]
    return ColumnGrade(
        name,
        column.type,
        column.why,
        state.status,
        state.reason,
        real.facts[name],
        synthetic.facts.get(name),
        scores,
        curves,
        state.lacking,
        lost,
    )


def missing_share(
    name: str, real: Coded, synthetic: Coded, rng: np.random.Generator, *, intervals: bool
) -> dict[str, Measure]:
    """1 - |difference of the shares of missing values|, of a column that both tables have; no rows, no score."""
    sides = [coded.facts[name] for coded in (real, synthetic)]
    if not all(side.rows for side in sides):
        return {}
    counts = [np.array([side.missing, side.rows - side.missing]) for side in sides]
    return measures(counts[0], counts[1], {"missing_share": _same_missing}, rng, intervals=intervals, closed=True)


def _same_missing(p: NDArray[Any], q: NDArray[Any]) -> float:
    return 1.0 - abs(float(p[0] - q[0]))


class NumberColumn:
    """A column of numbers or dates in the second pass. Gives eden_line (where `state` is ok), ks and range_coverage."""

    def __init__(self, name: str, state: State, found: tuple[Found, Found], settings: Settings) -> None:
        self.names = (name,)
        self._state, self._settings = state, settings
        self._stats = found[0].line(name), found[1].line(name)
        self._places = places_of(*self._stats)
        self._counts = tuple(np.zeros(2 * len(self._places) + 1, np.int64) for _ in range(2))
        frame = line_frame(*self._stats, settings, repr(name)) if state.ok else None
        self._refused = frame if isinstance(frame, PairOutcome) else None
        self._frame = None if isinstance(frame, PairOutcome) else frame
        self._lines = None if self._frame is None else (self._frame.histogram(), self._frame.histogram())
        self.size = sum(counts.nbytes for counts in self._counts)

    def add(self, side: int, block: Mapping[str, NDArray[Any]]) -> None:
        from truegrade.tabular.columns import counting

        values = block[self.names[0]]
        counting.count_places(np.sort(values), self._places, self._counts[side])
        if self._lines is not None:
            self._lines[side].add(values)

    def finish(self, seed: int, *, intervals: bool) -> Made:
        state = self._state
        counts = self._counts[0], self._counts[1]
        rng = generator(seed, *self.names)
        scores = grade_places(counts, self._places, self._stats, rng, intervals=intervals)
        if self._refused is not None:
            state = State(self._refused.status, self._refused.reason)
        if self._lines is None or self._frame is None:
            return state, scores, None, ()
        eden = line_measure(self._lines, self._frame, self._stats, self._settings, rng, intervals=intervals)
        scores = {"eden_line": eden, **scores}
        drawn = line_curves(*self._lines, self._frame, *self._stats, self._settings, points=PLACES)
        self._lines = None
        return state, scores, Curves(drawn[0], None, drawn[1], drawn[2]), ()


def line_measure(
    lines: tuple[LineHistogram, LineHistogram],
    frame: LineFrame,
    stats: tuple[LineStats, LineStats],
    settings: Settings,
    rng: np.random.Generator,
    *,
    intervals: bool,
) -> Measure:
    """Eden on a line with its interval and ceiling, from draws of both sides."""
    value = float(grade_line(*lines, frame, *stats, settings).values["eden_line"])
    real, synthetic = (
        Sides(h.counts[None], np.array([h.n]), np.array([s.variance]) / frame.step**2)
        for h, s in zip(lines, stats, strict=True)
    )
    large = min(lines[0].n, lines[1].n) >= LARGE
    least = _FEWEST_LARGE if large else _FEWEST
    work = effort(lines[0].n, lines[1].n, intervals).at_least(least, intervals)
    ceiling = [ceilings(real, synthetic.n, settings, rng, carry=not large)[0] for _ in range(work.ceiling)]
    draws = [edens(real.draw(real.n, rng), synthetic.draw(synthetic.n, rng), settings)[0] for _ in range(work.interval)]
    found = float(np.clip(np.mean(ceiling), 0.0, 1.0))
    return Measure(value, *bounds(value, np.array(draws)), found, fresh=fresh_ratio(np.array(ceiling)))


class LevelColumn:
    """A column of categories in the second pass. Gives total_variation and category_coverage."""

    def __init__(self, name: str, levels: tuple[str, ...], state: State) -> None:
        self.names = (name,)
        self._levels, self._state = levels, state
        self._counts = tuple(np.zeros(len(levels), np.int64) for _ in range(2))
        self.size = 16 * len(levels)

    def add(self, side: int, block: Mapping[str, NDArray[Any]]) -> None:
        codes = block[self.names[0]]
        self._counts[side][:] += np.bincount(codes[codes >= 0], minlength=len(self._levels))

    def finish(self, seed: int, *, intervals: bool) -> Made:
        real, synthetic = self._counts
        scores = grade_shares(real, synthetic, generator(seed, *self.names), intervals=intervals)
        curves = self._curves(real / real.sum(), synthetic / synthetic.sum())
        return self._state, scores, curves, lost_levels(self._levels, real, synthetic)

    def _curves(self, real: NDArray[Any], synthetic: NDArray[Any]) -> Curves:
        order = np.argsort(-np.maximum(real, synthetic), kind="stable")
        first, rest = order[:NAMED], order[NAMED:]
        names = [self._levels[i] for i in first]
        shares = [np.append(side[first], side[rest].sum() if len(rest) else []) for side in (real, synthetic)]
        if len(rest):
            names.append("other")
        return Curves(None, tuple(names), shares[0].astype(np.float32), shares[1].astype(np.float32))


def lost_levels(levels: Sequence[str], real: NDArray[Any], synthetic: NDArray[Any]) -> Lost:
    """Levels without a synthetic row, most frequent first: a perfect model would have ten of them or more, and if all
    rows of both sides were dealt out anew, fewer than one in 1,000 deals would give all of a level to the real side."""
    n, m = int(real.sum()), int(synthetic.sum())
    share = real / n
    chance = (n / (n + m)) ** real.astype(np.float64)
    found = np.flatnonzero((synthetic == 0) & (share * m >= _EXPECTED) & (chance < _CHANCE))
    return tuple((levels[i], float(share[i])) for i in found[np.argsort(-real[found], kind="stable")])


def with_curves(columns: Sequence[ColumnGrade]) -> tuple[ColumnGrade, ...]:
    """The columns, curves only of the `DRAWN` worst; those without a ratio come last."""
    order = sorted(range(len(columns)), key=lambda i: (columns[i].ratio is None, columns[i].ratio or 0.0, i))
    kept = set(order[:DRAWN])
    return tuple(c if i in kept or c.curves is None else replace(c, curves=None) for i, c in enumerate(columns))
