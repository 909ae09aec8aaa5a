"""Exhibits: the few samples that are worth looking at, kept with the result so that pictures need no data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from truegrade.result.record import Record

Drawing = Literal["bars", "image"]


@dataclass(frozen=True, eq=False)
class MapSide(Record):
    """The points of one side that are shown in the map, p of them.

    rows: their rows in the set (p,). points: coordinates (p, 2). grade: 0 (bad) to 1 (good) (p,): of a synthetic
    sample how realistic it is, of a real one how well it is covered; NaN where there is no such score.
    inside_from: the least k for which the point lies in the other set's manifold, that is in the ball of some
    sample of the other set that reaches to its k-th nearest neighbour; 0 where no k up to `most_k` is enough (p,).
    nearest: distance to the nearest sample of the other set (p,); own: to the nearest of its own set (p,).
    names: what to call each point; labels: its label, or None if the side has none.
    partner: row of the nearest sample of the other set (p,), None where it was not kept.
    """

    n: int
    rows: NDArray[np.int64]
    points: NDArray[np.float32]
    grade: NDArray[np.float32]
    inside_from: NDArray[np.int64]
    nearest: NDArray[np.float32]
    own: NDArray[np.float32]
    names: tuple[str, ...] | None = None
    labels: tuple[str, ...] | None = None
    partner: NDArray[np.int64] | None = None


@dataclass(frozen=True, eq=False)
class MapView(Record):
    """Real and synthetic samples in the plane.

    projection: how the plane was chosen, in words; axes: what the two directions are. k: the neighbour count to
    begin with, most_k: up to which `inside_from` was computed. Everything but the choice of points refers to the
    whole sets; note says so where not all points are shown.
    """

    real: MapSide
    synthetic: MapSide
    projection: str
    axes: tuple[str, str]
    k: int
    most_k: int
    note: str = ""


@dataclass(frozen=True, eq=False)
class Specimen(Record):
    """One sample to look at: its row, what to call it, its grade (0 bad to 1 good), its values as they are drawn.

    nearest: distance to the nearest sample of the other set.
    """

    side: Literal["real", "synthetic"]
    row: int
    name: str
    values: NDArray[Any]
    grade: float | None = None
    nearest: float | None = None
    label: str | None = None


@dataclass(frozen=True, eq=False)
class Pair(Record):
    """A synthetic sample and the real sample nearest to it.

    distance: between them. own: from the real sample to its own nearest other real sample. exact: whether the
    two are equal to the last bit.
    """

    synthetic: Specimen
    real: Specimen
    distance: float
    own: float
    exact: bool


@dataclass(frozen=True, eq=False)
class Exhibits(Record):
    """What a report shows of the samples themselves.

    drawing: "image" where the rows are pixels (`shape`: height, width and perhaps channels), else "bars".
    low, high: the range of each shown feature over real samples (5th and 95th percentile for bars; the whole
    range of the real values for images). columns: names of the shown features, or None.
    shown: how many features each specimen holds, of `d`.
    """

    map: MapView | None
    worst: tuple[Specimen, ...]
    uncovered: tuple[Specimen, ...]
    pairs: tuple[Pair, ...]
    drawing: Drawing
    low: NDArray[Any]
    high: NDArray[Any]
    d: int
    shown: int
    shape: tuple[int, ...] | None = None
    columns: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
