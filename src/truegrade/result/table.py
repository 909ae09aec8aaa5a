"""TableGrades: what is known of a synthetic table beyond the scores of whole rows: columns, pairs of columns, privacy.

Bounded in size: only a few pairs and columns keep their curves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import Notice
from truegrade.result.record import Record
from truegrade.tables import NUMERIC, ColumnType, Facts

BAD_RATIO = 0.6  # of the ceiling: pairs below it are far from the real ones
PairForm = Literal["numbers", "categories", "mixed"]


@dataclass(frozen=True)
class Measure:
    """One number of a column, of a pair or of the whole table.

    value: None where it is undefined; `reason` then says why. low, high: its 95 % interval, None where there is none.
    ceiling: the same of real against real at these sizes (for what is better higher), which is what a perfect model
    would get. fresh: min(ratio, 1) of fresh real rows on average: below 1, as chance lowers it and never raises it.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    ceiling: float | None = None
    reason: str | None = None
    fresh: float | None = None

    @property
    def ratio(self) -> float | None:
        """value / ceiling: 0 or more, above 1 where the table does better than real data would on average. None where
        either is unknown or the ceiling is 0."""
        if self.value is None or not self.ceiling:
            return None
        return self.value / self.ceiling


@dataclass(frozen=True, eq=False)
class Curves(Record):
    """A column of both sides for drawing: densities at the places `at` (g,), or shares of the categories `names`."""

    at: NDArray[np.float32] | None
    names: tuple[str, ...] | None
    real: NDArray[np.float32]
    synthetic: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class ColumnGrade(Record):
    """One column. status: "ok", or why it has no scores ("constant", "missing", "absent", "identifier", "text",
    "degenerate"), with the reason in words. type: as it was compared; why: what made it that.

    scores: by key: eden_line, ks, total_variation, range_coverage, category_coverage, missing_share (all 0 to 1, higher
    is better), those that its type has.
    lacking: there is no main score, and the synthetic table is why (absent, constant or empty where the real column is
    not): counts as 0 in the aggregates.
    lost: levels that no synthetic row has, more than chance explains, with their shares of the real values; most first.
    """

    name: str
    type: ColumnType
    why: str
    status: str
    reason: str | None
    real: Facts
    synthetic: Facts | None
    scores: Mapping[str, Measure] = field(default_factory=dict)
    curves: Curves | None = None
    lacking: bool = False
    lost: tuple[tuple[str, float], ...] = ()

    @property
    def main(self) -> str:
        """The key of the score that speaks for the column: eden_line or total_variation."""
        return "eden_line" if self.type in NUMERIC else "total_variation"

    @property
    def ratio(self) -> float | None:
        """The main score in parts of its ceiling, None where the column has none."""
        found = self.scores.get(self.main)
        return None if found is None else found.ratio


@dataclass(frozen=True, eq=False)
class PairGrade(Record):
    """One pair of columns, `first` before `second` in the order of the real table.

    form: "numbers": the seven scores (keys of `truegrade.density.SCORES`); "categories": total_variation and
    equidensity; "mixed": number by category, eden_line as the mean over categories. status and reason as of columns
    (also "collinear": two numbers on one line; where both tables have the same one eden_line, along it, speaks for
    them). n_real, n_synthetic: rows in which both are known.
    main: the key of the score that speaks for the pair: eden_score, equidensity or eden_line.
    lacking: as of columns.
    inside: the main score of the rows within the .001 and .999 quantiles of both columns, of a bad pair of numbers in
    which the few others set the width of the kernels. spared: with these rows alone it is not bad; `reason` says so.
    """

    first: str
    second: str
    form: PairForm
    status: str
    reason: str | None
    n_real: int
    n_synthetic: int
    scores: Mapping[str, Measure] = field(default_factory=dict)
    lacking: bool = False
    inside: Measure | None = None

    @property
    def spared(self) -> bool:
        return self.inside is not None and (self.inside.ratio or 0.0) >= BAD_RATIO

    @property
    def main(self) -> str:
        if self.status == "collinear":
            return "eden_line"
        return {"numbers": "eden_score", "categories": "equidensity", "mixed": "eden_line"}[self.form]

    @property
    def ratio(self) -> float | None:
        """The main score in parts of its ceiling; 1 is as good as real data. None where the pair has none."""
        found = self.scores.get(self.main)
        return None if found is None else found.ratio


@dataclass(frozen=True, eq=False)
class PairPicture(Record):
    """The densities of a pair of numbers for drawing: (g, g), rows along `second` from low to high.

    real, synthetic: each in 255ths of its own square root of density over the largest: density = top * (v / 255)^2.
    levels: by side the iso-mass levels, on the same scale 0 to 255 (so that contours can be drawn at them).
    extent: low and high of `first`, low and high of `second`.
    """

    first: str
    second: str
    why: Literal["worst", "best", "inflated"]
    real: NDArray[np.uint8]
    synthetic: NDArray[np.uint8]
    levels: Mapping[str, tuple[float, ...]]
    extent: tuple[float, float, float, float]


@dataclass(frozen=True)
class Inflated:
    """A pair that the correlation score flatters: above .95 while the Eden score is below .6 of its ceiling."""

    first: str
    second: str
    correlation_score: float
    eden_score: float
    eden_ratio: float


@dataclass(frozen=True)
class Aggregate:
    """A mean over columns or pairs. over: how many it is taken over; of: how many there are. The others have no value
    and never raise it; a column that the synthetic table lacks counts as 0. low, high: its 95 % interval, made
    of those of all parts; None unless all have one. ceiling: what fresh
    real rows get on average."""

    value: float | None
    over: int
    of: int
    low: float | None = None
    high: float | None = None
    ceiling: float | None = None


@dataclass(frozen=True)
class Task:
    """Predicting one column from the others: score of a model trained on real and on synthetic rows, both on rows that
    neither saw. score: "AUC" (several classes: mean of one against the rest) or "R squared"; baseline: of a model
    that always says the same."""

    target: str
    score: str
    real: float | None
    synthetic: float | None
    baseline: float
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class Privacy(Record):
    """How near the synthetic rows come to the real ones.

    measures: by key; meaning and direction of each stand in truegrade.tabular.rows.privacy. words: a sentence each, for
    the report. copies: rows (synthetic, real) of exact copies, the first 20. many_copies: whether there are more exact
    copies than chance explains.
    """

    measures: Mapping[str, Measure]
    words: tuple[str, ...] = ()
    copies: tuple[tuple[int, int], ...] = ()
    many_copies: bool = False


@dataclass(frozen=True, eq=False)
class TableGrades(Record):
    """A synthetic table against a real one.

    columns, pairs: every column of the real table and every pair of them that is compared. inflated: worst first.
    aggregates: by key, means over columns and pairs. pictures: densities of a few pairs.
    detection: cross-validated AUC of a classifier that tells real from synthetic rows (.5 is ideal), by classifier.
    utility: train on synthetic, test on real. encoding: how rows became vectors, in words, column by column.
    whole_rows: how many real and synthetic rows the scores of whole rows were taken on.
    verdict: what the table amounts to, in sentences.
    """

    columns: tuple[ColumnGrade, ...]
    pairs: tuple[PairGrade, ...]
    inflated: tuple[Inflated, ...] = ()
    aggregates: Mapping[str, Aggregate] = field(default_factory=dict)
    pictures: tuple[PairPicture, ...] = ()
    detection: Mapping[str, Measure] = field(default_factory=dict)
    utility: tuple[Task, ...] = ()
    privacy: Privacy | None = None
    encoding: Mapping[str, str] = field(default_factory=dict)
    whole_rows: tuple[int, int] = (0, 0)
    notices: tuple[Notice, ...] = ()
    verdict: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
