"""A pair of columns graded once for all of its scores: values, sets drawn again, ceilings; when asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.engine.needs import Floats
from truegrade.metrics.earth_movers import EarthMoved, earth_movers, earth_movers_ceiling

if TYPE_CHECKING:
    from truegrade.density import PairOutcome, Settings
    from truegrade.density.resample import Ceilings, Law, Values
    from truegrade.samples import Samples

REPEATS, CEILINGS = 50, 30  # sets drawn again for an interval, and for a ceiling
BY_ROWS = 100_000  # points up to which rows are drawn again; above, cells of the histogram
_DRAWN = ("correlation_score", "jaccard_score", "kl_score", "js_score", "cs_score", "eden_score")
_COLUMNS = ("first column", "second column")


@dataclass(eq=False)
class Grading:
    """A pair and what was computed of it so far; p (n, 2) real, q (m, 2) synthetic points."""

    p: Floats
    q: Floats
    settings: Settings
    names: tuple[str, str]
    _kept: dict[tuple[str, int], Any] = field(default_factory=dict)

    @cached_property
    def outcome(self) -> PairOutcome:
        from truegrade.density import grade_pair

        return grade_pair(self.p, self.q, self.settings, self.names)

    @cached_property
    def moved(self) -> EarthMoved:
        return earth_movers(self.p, self.q)

    def redrawn(self, seed: int) -> Values:
        """Scores by key of both sides drawn again, (REPEATS,), with the spread that intervals are made of."""
        found: Values = self._once("redrawn", seed, self._redraw)
        return found

    def ceilings(self, seed: int) -> Ceilings | None:
        """Scores by key of real against real at the sizes n and m, (CEILINGS,), on a grid of the real set alone; None
        where that has no density."""
        found: Ceilings | None = self._once("ceilings", seed, self._ceilings)
        return found

    def earth_movers_ceiling(self, seed: int) -> tuple[float, float | None] | str:
        drawn = self._once("earth movers", seed, lambda s: earth_movers_ceiling(self.p, len(self.q), seed=s))
        return mean_of(drawn, (0.0, 1.0))

    def _once(self, what: str, seed: int, draw: Callable[[int], Any]) -> Any:
        if (what, seed) not in self._kept:
            self._kept[what, seed] = draw(seed)
        return self._kept[what, seed]

    def _redraw(self, seed: int) -> Values:
        from truegrade.density import PairOutcome, frame_of, side_stats
        from truegrade.density.ranks import redrawn_ranks
        from truegrade.density.resample import redrawn, settled

        frame = frame_of(side_stats(self.p), side_stats(self.q), self.settings, self.names)
        assert not isinstance(frame, PairOutcome)  # or there would be no score to draw again
        laws = _law(self.p, frame), _law(self.q, frame)
        values = redrawn(*laws, frame, self.settings, repeats=REPEATS, seed=seed, scores=_DRAWN)
        if self._ranks_apart:
            real_rows, synthetic_rows = (side_stats(side).sample for side in (self.p, self.q))
            ranks = redrawn_ranks(real_rows, synthetic_rows, repeats=REPEATS, seed=seed)
            values = {**values, "correlation_score": ranks}
        real = self.ceilings(seed)
        return values if real is None else settled(values, real.whole)

    def _ceilings(self, seed: int) -> Ceilings | None:
        from truegrade.density import SAMPLE, PairOutcome, frame_of, side_stats
        from truegrade.density.ranks import ceilings_of_ranks
        from truegrade.density.resample import ceilings

        stats = side_stats(self.p)
        frame = frame_of(stats, stats, self.settings, self.names)
        if isinstance(frame, PairOutcome):
            return None
        law, m = _law(self.p, frame), len(self.q)
        found = ceilings(law, m, frame, self.settings, repeats=CEILINGS, seed=seed, scores=_DRAWN)
        if self._ranks_apart:
            ranks = ceilings_of_ranks(stats.sample, min(m, SAMPLE), repeats=CEILINGS, seed=seed)
            found = replace(found, values={**found.values, "correlation_score": ranks})
        return found

    @property
    def _ranks_apart(self) -> bool:
        """Cells have no ranks: of large sides they are those of the samples that the score itself is taken on."""
        return self.settings.correlation == "spearman" and max(len(self.p), len(self.q)) > BY_ROWS


def _law(points: Floats, frame: Any) -> Law:
    from truegrade.density import side_stats
    from truegrade.density.resample import Cells, Points

    if len(points) <= BY_ROWS:
        return Points(points, frame)
    histogram = frame.histogram()
    histogram.add(points)
    return Cells(histogram, frame, side_stats(points))


def mean_of(values: Floats, limits: tuple[float, float]) -> tuple[float, float | None] | str:
    known = values[np.isfinite(values)]
    if not len(known):
        return "real against real is undefined in every draw"
    error = float(known.std(ddof=1) / len(known) ** 0.5) if len(known) > 1 else None
    return float(np.clip(known.mean(), *limits)), error


def grade(real: Samples, synthetic: Samples, *, settings: Settings) -> Grading:
    """The pair, read whole: 16 bytes a point. Nothing is computed before a score asks for it."""
    columns = real.columns or synthetic.columns or _COLUMNS
    p, q = (side.array().astype(np.float64) for side in (real, synthetic))
    return Grading(p, q, settings, (columns[0], columns[1]))
