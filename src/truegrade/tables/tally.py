"""What a column comes to in one pass: counts and moments of numbers, counts of texts. Bounded memory."""

from __future__ import annotations

import math
from collections import Counter
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.tables.texts import canonical

MOST_DISTINCT = 100_000  # different values of a column that are counted one by one


class Tally:
    """Numbers, block by block. NaN is missing. Blocks must be cut in the same places for equal last digits.

    Attributes: rows, missing: counts. low, high. whole: whether all are whole numbers. step: by how much every value
    exceeds the one before it, where that is always the same; else None.
    """

    def __init__(self) -> None:
        self.rows = self.missing = 0
        self.low, self.high = math.inf, -math.inf
        self.whole = True
        self.step: float | None = None
        self._stepping = True
        self._last = math.nan
        self._sums: list[float] = []
        self._mean = self._squares = 0.0
        self.distinct = Distinct()

    @property
    def present(self) -> int:
        return self.rows - self.missing

    @property
    def mean(self) -> float | None:
        """None without values, and where the sum leaves the range of float64."""
        if not self.present:
            return None
        if self.low == self.high:
            return self.low
        try:
            return _finite(math.fsum(self._sums) / self.present)
        except (OverflowError, ValueError):  # of sums that are infinite, or would be
            return None

    @property
    def sd(self) -> float | None:
        """Standard deviation (n - 1); None for fewer than two values."""
        if self.present < 2:
            return None
        return 0.0 if self.low == self.high else _finite(math.sqrt(self._squares / (self.present - 1)))

    def add(self, block: NDArray[np.float64]) -> None:
        gaps = np.isnan(block)
        gone = int(np.count_nonzero(gaps))
        values = block[~gaps] if gone else block
        self.rows += len(block)
        self.missing += gone
        if not len(values):
            return
        self.low, self.high = min(self.low, float(values.min())), max(self.high, float(values.max()))
        self.whole = self.whole and bool((values == np.floor(values)).all())
        self._add_moments(values)
        self._add_steps(values)
        self.distinct.add(values)

    def _add_moments(self, values: NDArray[np.float64]) -> None:
        """Chan's rule for merging means and squares."""
        before = self.present - len(values)
        with np.errstate(over="ignore", invalid="ignore"):
            total = values.sum()
            mean = total / len(values)
            shift = mean - self._mean
            self._squares += float(((values - mean) ** 2).sum() + shift**2 * (before * len(values) / self.present))
            self._mean = float(self._mean + shift * (len(values) / self.present))
        self._sums.append(float(total))

    def _add_steps(self, values: NDArray[np.float64]) -> None:
        if not (self._stepping and self.whole):
            self._stepping, self.step = False, None
            return
        joined = values if math.isnan(self._last) else np.concatenate([[self._last], values])
        self._last = float(values[-1])
        with np.errstate(over="ignore"):
            steps = np.diff(joined)
        if not len(steps):
            return
        first = float(steps[0]) if self.step is None else self.step
        self._stepping = first != 0 and bool((steps == first).all())
        self.step = first if self._stepping else None


class Distinct:
    """The different numbers and how often each occurs, until there are more than MOST_DISTINCT.

    Then `full` is set, the values are forgotten, and `counted` says among how many they were found.
    """

    def __init__(self) -> None:
        self.full = False
        self.counted = 0
        self._found = 0
        self._values = np.empty(0)
        self._counts = np.empty(0, dtype=np.int64)
        self._pending: list[tuple[NDArray[np.float64], NDArray[np.int64]]] = []
        self._waiting = 0

    def add(self, values: NDArray[np.float64]) -> None:
        if self.full:
            return
        self.counted += len(values)
        self._pending.append(_counted(values))
        self._waiting += len(self._pending[-1][0])
        if self._waiting > max(MOST_DISTINCT, len(self._values)):
            self._merge()

    @property
    def number(self) -> int:
        """How many there are; MOST_DISTINCT when there are more."""
        self._merge()
        return min(self._found, MOST_DISTINCT)

    @property
    def share(self) -> float:
        """Different values in parts of the values among which they were counted; 1 where none occurs twice."""
        self._merge()
        return self._found / self.counted if self.counted else 0.0

    def counts(self) -> dict[float, int]:
        """Values, ascending, and how often each occurs; empty when `full`."""
        self._merge()
        return dict(zip(self._values.tolist(), self._counts.tolist(), strict=True))

    def _merge(self) -> None:
        if not self._pending:
            return
        values = np.concatenate([self._values, *(v for v, _ in self._pending)])
        counts = np.concatenate([self._counts, *(c for _, c in self._pending)])
        self._pending, self._waiting = [], 0
        self._values, at = np.unique(values, return_inverse=True)
        self._counts = np.bincount(at, counts).astype(np.int64)
        self._found = len(self._values)
        if self._found > MOST_DISTINCT:
            self.full = True
            self._values, self._counts = np.empty(0), np.empty(0, dtype=np.int64)


class Vocabulary:
    """Texts, block by block. None is missing.

    Attributes: rows: count. counts: how often each text occurs as it stands, the first MOST_DISTINCT; full: whether
    there are more; counted: among how many texts they were found.
    """

    def __init__(self) -> None:
        self.rows = 0
        self.counts: Counter[str] = Counter()
        self.full = False
        self.counted = 0
        self._missing = 0

    def add(self, block: NDArray[Any]) -> None:
        texts = block.tolist()
        self.rows += len(texts)
        if self.full:
            self._missing += sum(text is None or (len(text) < 6 and canonical(text) is None) for text in texts)
            return
        self.counts.update(texts)
        self._missing += self.counts.pop(None, 0)  # type: ignore[call-overload]
        self.counted = self.rows - self._missing
        self.full = len(self.counts) > MOST_DISTINCT
        if self.full:
            self._missing += sum(n for text, n in self.counts.items() if canonical(text) is None)

    @cached_property
    def known(self) -> Counter[str]:
        """Counts by canonical text, missing marks left out. To be asked after the last block."""
        known: Counter[str] = Counter()
        for text, count in self.counts.items():
            if (plain := canonical(text)) is not None:
                known[plain] += count
        return known

    @property
    def missing(self) -> int:
        """Missing values and texts that stand for one."""
        if self.full:
            return self._missing
        return self.rows - sum(self.known.values())

    @property
    def present(self) -> int:
        return self.rows - self.missing

    @property
    def number(self) -> int:
        """How many different texts there are; MOST_DISTINCT when there are more."""
        return MOST_DISTINCT if self.full else len(self.known)

    @property
    def share(self) -> float:
        """Different texts in parts of the texts among which they were counted; 1 where none occurs twice."""
        return len(self.known) / max(sum(self.known.values()), 1)


def _counted(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Different values, ascending, and their counts (np.unique counts several times slower)."""
    ordered = np.sort(values)
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return ordered[starts], np.diff(starts, append=len(ordered))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
