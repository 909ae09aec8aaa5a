"""Reading two tables in passes: moments and a sample of rows first, then counts, a group of pairs at a time.

Blocks of rows are the same whatever the pieces in which a file holds them, and each side adds its blocks in order: the
results do not depend on files or threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from truegrade.cores import usable_cores
from truegrade.density.stats import LineStats, SideStats, line_stats, sample_rows, side_stats
from truegrade.tables import BLOCK, Coded

Floats = NDArray[np.float64]
Block = Mapping[str, NDArray[Any]]
ENOUGH = 4_000  # sampled values
LEVELS = 256  # categories of a column, the most frequent, that a number is compared within
BUDGET = 600_000_000  # bytes of counts held at a time
KEPT = 150_000_000  # bytes of codes of categories of a side


class Job(Protocol):
    """One column or pair in the second pass."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that it reads."""
        ...

    @property
    def size(self) -> int:
        """Bytes of its counts."""
        ...

    def add(self, side: int, block: Block) -> None:
        """Count a block of rows of the real (0) or the synthetic (1) table."""
        ...


AnyJob = TypeVar("AnyJob", bound=Job)


@dataclass(frozen=True, eq=False)
class Found:
    """What the first pass finds in one table.

    sums: (k, k, 10) as `counting.add_moments` has them, of values less `centres` (k,). parts: by (number, category) as
    `counting.add_parts` has them. sample: by column; all rows where there are not many. codes: of the categories, kept
    so that they are not read again, unless they take more than `KEPT` bytes.
    """

    rows: int
    numbers: tuple[str, ...]
    centres: Floats
    sums: Floats
    parts: Mapping[tuple[str, str], Floats]
    sample: Block
    codes: Mapping[str, NDArray[Any]]
    _orders: dict[str, tuple[NDArray[np.intp], NDArray[np.intp]]] = field(default_factory=dict)

    def pair(self, first: str, second: str, every: int = 1) -> SideStats:
        """Of two numbers, over the rows in which both are known; of the sample every so manieth row, 0 for none."""
        i, j = self.numbers.index(first), self.numbers.index(second)
        order = [1, 0] if i > j else [0, 1]
        s, centre = self.sums[min(i, j), max(i, j)], self.centres[[min(i, j), max(i, j)]]
        n = int(s[0])
        if n == 0:
            return side_stats(np.empty((0, 2)))
        mean = s[1:3] / n
        cov = (np.array([[s[3], s[5]], [s[5], s[4]]]) - n * np.outer(mean, mean)) / max(n - 1, 1)
        low, high = s[[6, 8]], s[[7, 9]]
        points = self._points(first, second, every) if every else np.empty((0, 2))
        return SideStats(n, (centre + mean)[order], cov[np.ix_(order, order)], low[order], high[order], points)

    def _points(self, first: str, second: str, every: int) -> Floats:
        points = np.empty((-(-len(self.sample[first]) // every), 2))
        points[:, 0], points[:, 1] = self.sample[first][::every], self.sample[second][::every]
        known = ~(np.isnan(points[:, 0]) | np.isnan(points[:, 1]))
        return points if known.all() else points[known]

    def line(self, name: str) -> LineStats:
        """Of one number."""
        i, values = self.numbers.index(name), self.sample[name]
        return _line(self.sums[i, i][[0, 1, 3, 6, 7]], float(self.centres[i]), values[~np.isnan(values)])

    def lines(self, number: str, category: str, every: int = 1) -> list[LineStats]:
        """Of a number in the rows of each category of the real table, at most `LEVELS`; of large samples every so
        manieth value."""
        centre = float(self.centres[self.numbers.index(number)])
        parts = self.parts[number, category][:-1]
        order, ends = self._by_category(category, len(parts))
        values = self.sample[number][order]
        rows = (values[a:b] for a, b in pairwise(ends))
        rows = (part[:: every if len(part) > ENOUGH else 1] for part in rows)
        return [_line(sums, centre, part[~np.isnan(part)]) for sums, part in zip(parts, rows, strict=True)]

    def _by_category(self, category: str, levels: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The sampled rows in the order of the category, and where each level begins."""
        if category not in self._orders:
            codes = self.sample[category]
            order = np.argsort(codes, kind="stable")
            self._orders[category] = order, np.searchsorted(codes[order], np.arange(levels + 1))
        return self._orders[category]

    def rows_of(self, number: str, category: str) -> int:
        """Rows in which both are known."""
        return int(self.parts[number, category][:, 0].sum())

    def alone_in(self, number: str, category: str) -> set[str]:
        """Which of both have a single value in the rows in which both are known."""
        parts = self.parts[number, category]
        there = parts[parts[:, 0] > 0]
        if not len(there):
            return set()
        low, high = there[:, 3].min(), there[:, 4].max()
        return {name for name, alone in ((number, low == high), (category, len(there) == 1)) if alone}


def _line(sums: Floats, centre: float, sample: Floats) -> LineStats:
    n = int(sums[0])
    if n == 0:
        return line_stats(np.empty(0))
    mean = float(sums[1]) / n
    variance = max(0.0, float(sums[2]) - n * mean * mean) / max(n - 1, 1)
    return LineStats(n, centre + mean, variance, float(sums[3]), float(sums[4]), sample)


def first_pass(
    coded: Coded, numbers: Sequence[str], levelled: Sequence[str], mixed: Sequence[tuple[str, str]]
) -> Found:
    """Moments of the numbers, alone, in pairs and within categories (`mixed`), and a sample of rows."""
    from truegrade.tabular.columns import counting

    names = (*numbers, *levelled)
    rows = sample_rows(len(coded))
    centres = np.array([coded.facts[name].mean or 0.0 for name in numbers])
    centre_of = dict(zip(numbers, centres.tolist(), strict=True))
    sums = np.zeros((len(numbers), len(numbers), 10))
    sums[..., [6, 8]], sums[..., [7, 9]] = np.inf, -np.inf
    parts = {pair: _empty_parts(min(LEVELS, len(coded.schema[pair[1]].levels))) for pair in mixed}
    kept: dict[str, list[NDArray[Any]]] = {name: [] for name in names}
    codes = {name: np.empty(len(coded), _narrow(coded, name)) for name in levelled} if _fits(coded, levelled) else {}
    start = 0
    for block in coded.blocks(names) if names else ():
        size = len(block[names[0]])
        take = rows[np.searchsorted(rows, start) : np.searchsorted(rows, start + size)] - start
        for name in names:
            kept[name].append(block[name][take])
        for name, all_codes in codes.items():
            all_codes[start : start + size] = block[name]
        if numbers:
            counting.add_moments(np.stack([block[name] for name in numbers]), centres, sums)
        for (number, category), of in parts.items():
            counting.add_parts(block[number], centre_of[number], block[category], of)
        start += size
    sample = {name: np.concatenate(kept[name]) if kept[name] else np.zeros(0) for name in names}
    return Found(len(coded), tuple(numbers), centres, sums, parts, sample, codes)


def _narrow(coded: Coded, name: str) -> type[np.signedinteger[Any]]:
    return np.int16 if len(coded.levels(name)) < 2**15 else np.int32


def _fits(coded: Coded, levelled: Sequence[str]) -> bool:
    return sum(len(coded) * np.dtype(_narrow(coded, name)).itemsize for name in levelled) <= KEPT


def _empty_parts(levels: int) -> Floats:
    parts = np.zeros((levels + 1, 5))
    parts[:, 3], parts[:, 4] = np.inf, -np.inf
    return parts


def second_pass(
    jobs: Sequence[AnyJob],
    tables: tuple[Coded, Coded],
    found: tuple[Found, Found],
    finish: Callable[[AnyJob], Any],
    *,
    budget: int,
) -> list[Any]:
    """What `finish` makes of the jobs once they have counted all rows, in their order. Both tables are read once for
    every group of jobs whose counts fit into `budget` bytes."""
    out: list[Any] = []
    threads = usable_cores()
    for group in groups(jobs, budget):
        with ThreadPoolExecutor(min(2, threads)) as pool:
            sides = [pool.submit(_count, group, side, tables[side], found[side]) for side in (0, 1)]
            for side in sides:
                side.result()
        with ThreadPoolExecutor(threads) as pool:
            out += pool.map(finish, group)
    return out


def _count(jobs: Sequence[AnyJob], side: int, coded: Coded, found: Found) -> None:
    names = tuple(dict.fromkeys(name for job in jobs for name in job.names))
    for block in _blocks(coded, found, names):
        for job in jobs:
            job.add(side, block)


def _blocks(coded: Coded, found: Found, names: Sequence[str]) -> Iterator[Block]:
    """Blocks of these columns; codes come from memory where they were kept."""
    kept = {name: found.codes[name] for name in names if name in found.codes}
    unread = [name for name in names if name not in kept]
    starts = range(0, len(coded), BLOCK)
    read: Iterable[Block] = coded.blocks(unread) if unread else ({} for _ in starts)
    for start, block in zip(starts, read, strict=True):
        yield {**block, **{name: codes[start : start + BLOCK] for name, codes in kept.items()}}


def groups(jobs: Sequence[AnyJob], budget: int) -> Iterator[list[AnyJob]]:
    """Neighbouring jobs whose counts fit into `budget` bytes together, at least one at a time."""
    group: list[AnyJob] = []
    size = 0
    for job in jobs:
        if group and size + job.size > budget:
            yield group
            group, size = [], 0
        group.append(job)
        size += job.size
    if group:
        yield group
