"""Which pairs of numbers are drawn, and their densities as small pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import Literal

from truegrade.density import contour_cells, densities
from truegrade.result.table import PairGrade, PairPicture
from truegrade.tabular.columns.inflation import inflated
from truegrade.tabular.columns.numbers import Plane

WORST, BEST, INFLATED = 4, 2, 6
CELLS = 64  # of a picture along an axis
Why = Literal["worst", "best", "inflated"]
_Rank = tuple[float, str, str]


@dataclass
class Album:
    """Keeps the densities of the few pairs that may be drawn, of all that it is shown, in whatever order."""

    _held: dict[tuple[str, str], Plane] = field(default_factory=dict)
    _ranks: dict[Why, list[_Rank]] = field(default_factory=lambda: {"worst": [], "best": [], "inflated": []})
    _lock: Lock = field(default_factory=Lock)

    def show(self, grade: PairGrade, plane: Plane) -> None:
        ratio = grade.ratio
        if ratio is None:
            return
        names = grade.first, grade.second
        with self._lock:
            self._rank("worst", (ratio, *names), WORST)
            self._rank("best", (-ratio, *names), WORST + BEST)
            if inflated([grade]):
                self._rank("inflated", (ratio, *names), WORST + BEST + INFLATED)
            self._held[names] = plane.without_rows()
            wanted = {rank[1:] for ranks in self._ranks.values() for rank in ranks}
            self._held = {pair: held for pair, held in self._held.items() if pair in wanted}

    def _rank(self, why: Why, rank: _Rank, most: int) -> None:
        self._ranks[why] = sorted([*self._ranks[why], rank])[:most]

    def chosen(self) -> dict[tuple[str, str], Why]:
        """Pairs to draw, each once: worst first, then the best of the others, then the inflated ones of the others."""
        out: dict[tuple[str, str], Why] = {}
        most: tuple[tuple[Why, int], ...] = (("worst", WORST), ("best", BEST), ("inflated", INFLATED))
        for why, count in most:
            others = [rank[1:] for rank in self._ranks[why] if rank[1:] not in out]
            out |= dict.fromkeys(others[:count], why)
        return out

    def pictures(self) -> tuple[PairPicture, ...]:
        return tuple(_picture(*names, why, self._held[names]) for names, why in self.chosen().items())


def _picture(first: str, second: str, why: Why, plane: Plane) -> PairPicture:
    p, q = (
        densities(histogram, plane.frame, stats, plane.settings)
        for histogram, stats in zip(plane.histograms, plane.stats, strict=True)
    )
    drawn = contour_cells(p, q, plane.frame, CELLS)
    return PairPicture(first, second, why, drawn.real, drawn.synthetic, drawn.levels, drawn.extent)
