"""A pair of columns graded once for all of its scores: values, sets drawn again, ceilings; when asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from truegrade.engine.needs import Floats
from truegrade.metrics.earth_movers import EarthMoved, earth_movers, earth_movers_ceiling

if TYPE_CHECKING:
    from truegrade.density import PairOutcome, Settings
    from truegrade.density.resample import Law, Values
    from truegrade.samples import Samples

REPEATS, CEILINGS = 50, 20  # sets drawn again for an interval, and for a ceiling
BY_ROWS = 100_000  # points up to which rows are drawn again; above, cells of the histogram
_COLUMNS = ("first column", "second column")


@dataclass(eq=False)
class Grading:
    """A pair and what was computed of it so far; p (n, 2) real, q (m, 2) synthetic points."""

    p: Floats
    q: Floats
    settings: Settings
    names: tuple[str, str]
    _kept: dict[tuple[str, int], Values] = field(default_factory=dict)

    @cached_property
    def outcome(self) -> PairOutcome:
        from truegrade.density import grade_pair

        return grade_pair(self.p, self.q, self.settings, self.names)

    @cached_property
    def moved(self) -> EarthMoved:
        return earth_movers(self.p, self.q)

    def redrawn(self, seed: int) -> Values:
        """Scores by key of both sides drawn again, (REPEATS,)."""
        from truegrade.density import resample

        return self._once("redrawn", seed, partial(resample.redrawn, repeats=REPEATS), self.q)

    def ceilings(self, seed: int) -> Values:
        """Scores by key of real against real at the sizes n and m, (CEILINGS,); on a grid of the real set alone."""
        from truegrade.density import resample

        return self._once("ceilings", seed, partial(resample.ceilings, repeats=CEILINGS), None)

    def earth_movers_ceiling(self, seed: int) -> tuple[float, float | None] | str:
        key = ("earth movers", seed)
        if key not in self._kept:
            drawn = earth_movers_ceiling(self.p, len(self.q), seed=seed)
            self._kept[key] = {"earth_movers_score": drawn}
        return mean_of(self._kept[key]["earth_movers_score"], (0.0, 1.0))

    def _once(self, what: str, seed: int, draw: Any, other: Floats | None) -> Values:
        if (what, seed) not in self._kept:
            self._kept[what, seed] = self._draw(draw, seed, other)
        return self._kept[what, seed]

    def _draw(self, draw: Any, seed: int, other: Floats | None) -> Values:
        from truegrade.density import SCORES, PairOutcome, frame_of, side_stats

        base = side_stats(self.p)
        frame = frame_of(base, base if other is None else side_stats(other), self.settings, self.names)
        if isinstance(frame, PairOutcome):
            return {}
        second = len(self.q) if other is None else _law(other, frame)
        scores = [key for key in SCORES if key != "earth_movers_score"]
        found: Values = draw(_law(self.p, frame), second, frame, self.settings, seed=seed, scores=scores)
        return found


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
