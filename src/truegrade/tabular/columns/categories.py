"""Scores of shares of categories and of joint tables, and the counting of joint tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from truegrade.result.table import Measure, PairGrade
from truegrade.tabular.columns.draws import generator, measures
from truegrade.tabular.columns.states import rows_state

Ints = NDArray[np.int64]
Shares = NDArray[np.float64]
_DENSE = 1 << 20  # cells of a joint table that is held in full
_WAITING = 1 << 20  # rows that wait to be sorted into a table of many cells


def total_variation(p: Shares, q: Shares) -> float:
    """1 - TV, TV = sum |p - q| / 2, of shares p (real) and q (synthetic), both (c,), of the same cells.

    0 (no cell in common) to 1 (equal shares); symmetric.
    """
    return 1.0 - 0.5 * float(np.abs(p - q).sum())


def equidensity(p: Shares, q: Shares) -> float:
    """Mean of min(p, q) / max(p, q) over the cells that occur in either; p, q: shares (c,).

    Every cell counts once, however rare, as every annulus does in the Eden score: total variation hardly notices that
    all rare combinations are gone, this does. 0 (no cell in common) to 1 (equal shares); symmetric. Ours: read it
    against its ceiling, as two real tables also differ in their rare cells.
    """
    larger = np.maximum(p, q)
    occurs = larger > 0
    return float((np.minimum(p, q)[occurs] / larger[occurs]).mean()) if occurs.any() else 0.0


def category_coverage(p: Shares, q: Shares) -> float:
    """Share of the real cells (p > 0) that occur in the synthetic table (q > 0)."""
    occurs = p > 0
    return float((q[occurs] > 0).mean()) if occurs.any() else 0.0


class Counts(Protocol):
    """Counts over the cells of a joint table, to which blocks of rows are added."""

    def add(self, first: NDArray[Any], second: NDArray[Any]) -> None: ...

    def found(self) -> tuple[Ints, Ints]:
        """The cells that occur, ascending, and how often."""
        ...


class DenseCounts:
    """Every cell has its place."""

    def __init__(self, rows: int, columns: int) -> None:
        self._counts = np.zeros((rows, columns), np.int64)

    def add(self, first: NDArray[Any], second: NDArray[Any]) -> None:
        from truegrade.tabular.columns import counting

        counting.count_codes(first, second, self._counts)

    def found(self) -> tuple[Ints, Ints]:
        flat = self._counts.ravel()
        cells = np.flatnonzero(flat)
        return cells.astype(np.int64), flat[cells]


class SparseCounts:
    """Only the cells that occur are held: for columns with many categories."""

    def __init__(self, rows: int, columns: int) -> None:
        self._columns = columns
        self._cells, self._counts = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._waiting: list[Ints] = []

    def add(self, first: NDArray[Any], second: NDArray[Any]) -> None:
        known = (first >= 0) & (second >= 0)
        self._waiting.append(first[known].astype(np.int64) * self._columns + second[known])
        if sum(map(len, self._waiting)) > _WAITING:
            self._sort_in()

    def found(self) -> tuple[Ints, Ints]:
        self._sort_in()
        return self._cells, self._counts

    def _sort_in(self) -> None:
        cells, counts = np.unique(np.concatenate([np.zeros(0, np.int64), *self._waiting]), return_counts=True)
        self._waiting = []
        self._cells, self._counts = merged(self._cells, self._counts, cells, counts)


def joint_counts(rows: int, columns: int) -> Counts:
    """An empty joint table of codes below `rows` and below `columns`."""
    return DenseCounts(rows, columns) if rows * columns <= _DENSE else SparseCounts(rows, columns)


def table_size(rows: int, columns: int, n: int) -> int:
    """Bytes that one joint table of n rows takes."""
    cells = rows * columns
    return 8 * cells if cells <= _DENSE else 16 * min(cells, n) + 32 * _WAITING


def merged(a: Ints, a_counts: Ints, b: Ints, b_counts: Ints) -> tuple[Ints, Ints]:
    """Two lists of cells with counts as one."""
    cells, at = np.unique(np.concatenate([a, b]), return_inverse=True)
    counts = np.zeros(len(cells), np.int64)
    np.add.at(counts, at, np.concatenate([a_counts, b_counts]))
    return cells, counts


def aligned(real: tuple[Ints, Ints], synthetic: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Counts of both sides over the cells that occur in either."""
    cells = np.union1d(real[0], synthetic[0])
    out = []
    for own, counts in (real, synthetic):
        spread = np.zeros(len(cells), np.int64)
        spread[np.searchsorted(cells, own)] = counts
        out.append(spread)
    return out[0], out[1]


def grade_tables(real: Ints, synthetic: Ints, rng: np.random.Generator, *, intervals: bool) -> dict[str, Measure]:
    """total_variation and equidensity of two joint tables, as counts over the same cells; neither is empty."""
    scores = {"total_variation": total_variation, "equidensity": equidensity}
    return measures(real, synthetic, scores, rng, intervals=intervals)


def grade_shares(real: Ints, synthetic: Ints, rng: np.random.Generator, *, intervals: bool) -> dict[str, Measure]:
    """total_variation and category_coverage of one column. A coverage has no interval: a draw from a table never holds
    a category that the table lacks."""
    scores = {"total_variation": total_variation, "category_coverage": category_coverage}
    return measures(real, synthetic, scores, rng, intervals=intervals, bare=("category_coverage",))


class TablePair:
    """A pair of categories in the second pass."""

    def __init__(self, first: str, second: str, levels: tuple[int, int], rows: int) -> None:
        self.names = first, second
        self.size = 2 * table_size(*levels, rows)
        self._columns = levels[1]
        self._counts: list[Counts] = [joint_counts(*levels) for _ in range(2)]

    def add(self, side: int, block: Mapping[str, NDArray[Any]]) -> None:
        first, second = self.names
        self._counts[side].add(block[first], block[second])

    def finish(self, seed: int, *, intervals: bool) -> PairGrade:
        found = [counts.found() for counts in self._counts]
        self._counts = []
        rows = int(found[0][1].sum()), int(found[1][1].sum())
        state = rows_state(*self.names, rows, (self._alone(found[0][0]), self._alone(found[1][0])))
        scores = {}
        if state.ok:
            scores = grade_tables(*aligned(*found), generator(seed, *self.names), intervals=intervals)
        return PairGrade(*self.names, "categories", state.status, state.reason, *rows, scores, state.lacking)

    def _alone(self, cells: Ints) -> set[str]:
        parts = zip(self.names, (cells // self._columns, cells % self._columns), strict=True)
        return {name for name, part in parts if len(part) and (part == part[0]).all()}
