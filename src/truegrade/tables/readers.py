"""What turns a block of a store into the numbers or codes that are compared; one reader a column."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.tables.dates import Order, day_text, days_of, read_date
from truegrade.tables.tally import MOST_DISTINCT
from truegrade.tables.texts import canonical, number_of, number_text

Reader = Callable[[NDArray[Any]], NDArray[Any]]
"""A block of one column, as the store holds it, to float64 (NaN is missing) or int32 codes (-1 is missing)."""


def as_stored(values: NDArray[Any]) -> NDArray[Any]:
    """Numbers as they are."""
    return values


def as_days(values: NDArray[Any]) -> NDArray[Any]:
    """Dates in days since 1970."""
    return days_of(values)


def nothing(values: NDArray[Any]) -> NDArray[Any]:
    """All missing: numbers where dates are compared, or the other way round."""
    return np.full(len(values), np.nan)


class _Remembered(dict[Any, Any]):
    """A function of texts that remembers what it said, within bounds."""

    def __init__(self, function: Callable[[str], Any], missing: Any) -> None:
        super().__init__({None: missing})
        self.function = function

    def __missing__(self, text: str) -> Any:
        value = self.function(text)
        if len(self) < MOST_DISTINCT:
            self[text] = value
        return value


class ParsedNumbers:
    """Texts as numbers; what is none, or no finite one, is missing."""

    def __init__(self) -> None:
        self._known = _Remembered(_finite_number, math.nan)

    def __call__(self, values: NDArray[Any]) -> NDArray[Any]:
        return np.fromiter(map(self._known.__getitem__, values.tolist()), np.float64, len(values))


class ParsedDates:
    """Texts as days since 1970; what is no date, or an unclear one, is missing. zones: those that were stated."""

    def __init__(self, order: Order | None) -> None:
        self.zones: set[str | None] = set()
        self._order = order
        self._known = _Remembered(self._read, math.nan)

    def __call__(self, values: NDArray[Any]) -> NDArray[Any]:
        return np.fromiter(map(self._known.__getitem__, values.tolist()), np.float64, len(values))

    def _read(self, text: str) -> float:
        days, zone = read_date(text, self._order)
        if not math.isnan(days):
            self.zones.add(zone)
        return days


class TextLevels:
    """Texts as codes of levels, by canonical text. other: the code of every text that is not among them."""

    def __init__(self, codes: Mapping[str, int], other: int) -> None:
        self._codes = codes
        self._other = other
        self._known = _Remembered(self._code, -1)

    def __call__(self, values: NDArray[Any]) -> NDArray[Any]:
        return np.fromiter(map(self._known.__getitem__, values.tolist()), np.int32, len(values))

    def _code(self, text: str) -> int:
        plain = canonical(text)
        return -1 if plain is None else self._codes.get(plain, self._other)


class NumberLevels:
    """Numbers as codes of levels; `spell` gives the canonical text of a number."""

    def __init__(
        self, codes: Mapping[str, int], other: int, values: list[float], spell: Callable[[float], str]
    ) -> None:
        known = sorted((value, codes[text]) for value in values if (text := spell(value)) in codes)
        self._values = np.array([value for value, _ in known], dtype=np.float64)
        self._codes = np.array([code for _, code in known], dtype=np.int32)
        self._other = other

    def __call__(self, values: NDArray[Any]) -> NDArray[Any]:
        if not len(self._values):
            return np.where(np.isnan(values), -1, self._other).astype(np.int32)
        at = np.minimum(np.searchsorted(self._values, values), len(self._values) - 1)
        codes = np.where(self._values[at] == values, self._codes[at], np.int32(self._other))
        codes[np.isnan(values)] = -1
        return codes


class DateLevels(NumberLevels):
    """Dates as codes of levels, through their days since 1970."""

    def __call__(self, values: NDArray[Any]) -> NDArray[Any]:
        return super().__call__(days_of(values))


def spelling(stored: str) -> Callable[[float], str]:
    """How a value of a tally is written as a level."""
    return {"boolean": _truth, "date": day_text}.get(stored, number_text)


def _truth(value: float) -> str:
    return "true" if value else "false"


def _finite_number(text: str) -> float:
    value = number_of(text)
    return math.nan if value is None or math.isinf(value) else value
