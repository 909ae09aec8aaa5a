"""Dates in texts. Read is what can be read in one way only: ISO forms, names of months, year first.

Days and months as two numbers are read when the column itself tells their order (some number is above 12); an order
is never guessed. All dates become days since 1970 in UTC; what has no zone is taken as UTC.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Order = Literal["day first", "month first"]
Reading = Literal["day first", "month first", "clear", "unclear", "none"]
"""How the dates of a column are read: in an order that it tells, without needing one, not without being told one, or
not at all (not all of its texts are dates)."""

_DAY = 86_400e6  # microseconds
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_TIME = r"(?:[T ](\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)? ?(Z|[+-]\d\d:?\d\d)?)?"
_YEAR_FIRST = re.compile(r"(\d{4})([-/.])(\d\d?)\2(\d\d?)" + _TIME, re.ASCII)
_YEAR_LAST = re.compile(r"(\d\d?)([-/.])(\d\d?)\2(\d{4})" + _TIME, re.ASCII)
_DAY_NAME = re.compile(r"(\d\d?)[. -]+([A-Za-z]{3,9})[. -]+(\d{4})" + _TIME, re.ASCII)
_NAME_DAY = re.compile(r"([A-Za-z]{3,9})[. -]+(\d\d?),? +(\d{4})" + _TIME, re.ASCII)


@dataclass(frozen=True)
class _Parts:
    """Year, month and day as they stand; `swappable` where day and month are two numbers whose order is not told."""

    year: int
    first: int
    second: int
    time: tuple[Any, ...]
    swappable: bool = False


def days_of(values: NDArray[np.datetime64]) -> NDArray[np.float64]:
    """datetime64[us] as days since 1970, NaT as NaN."""
    days = values.astype(np.int64) / _DAY
    days[np.isnat(values)] = np.nan
    return days


def day_text(days: float) -> str:
    """Days since 1970 as ISO text, without the time where that is midnight."""
    try:
        moment = _EPOCH + timedelta(microseconds=round(days * _DAY))
    except OverflowError:
        return f"{days!r} days since 1970"
    return moment.date().isoformat() if days.is_integer() else moment.replace(tzinfo=None).isoformat(" ")


def read_date(text: str, order: Order | None = None) -> tuple[float, str | None]:
    """Days since 1970 (NaN where the text is no date, or none without an order) and the zone it states."""
    parts = _parts(text.strip())
    if parts is None or (parts.swappable and order is None and parts.first != parts.second):
        return math.nan, None
    swap = parts.swappable and order == "day first"
    month, day = (parts.second, parts.first) if swap else (parts.first, parts.second)
    hour, minute, second, fraction, zone = parts.time
    micro = int((fraction or "").ljust(6, "0")[:6])
    try:
        moment = datetime(parts.year, month, day, int(hour or 0), int(minute or 0), int(second or 0), micro)
        moment = moment.replace(tzinfo=_offset(zone))
    except ValueError:
        return math.nan, None
    return ((moment - _EPOCH) // timedelta(microseconds=1)) / _DAY, _zone_name(zone)


def reading_of(texts: Iterable[str]) -> Reading:
    """How dates in these texts are read; "none" when not all are dates, or days and months change places."""
    first = second = 0
    unclear = False
    for text in texts:
        parts = _parts(text.strip())
        if parts is None:
            return "none"
        if parts.swappable:
            first, second = max(first, parts.first), max(second, parts.second)
            unclear = unclear or parts.first != parts.second
        elif math.isnan(read_date(text)[0]):
            return "none"
    if first > 12 and second > 12:
        return "none"
    if first > 12 or second > 12:
        return "day first" if first > 12 else "month first"
    return "unclear" if unclear else "clear"


def joint_zone(zones: set[str | None]) -> str | None:
    """The zone of a column of dates whose texts state these."""
    return next(iter(zones), None) if len(zones) < 2 else "several zones"


def _parts(text: str) -> _Parts | None:
    if not 8 <= len(text) <= 45:
        return None
    if found := _YEAR_FIRST.fullmatch(text):
        return _Parts(int(found[1]), int(found[3]), int(found[4]), found.groups()[4:])
    if found := _YEAR_LAST.fullmatch(text):
        return _Parts(int(found[4]), int(found[1]), int(found[3]), found.groups()[4:], swappable=True)
    if (found := _DAY_NAME.fullmatch(text)) and (month := _month(found[2])):
        return _Parts(int(found[3]), month, int(found[1]), found.groups()[3:])
    if (found := _NAME_DAY.fullmatch(text)) and (month := _month(found[1])):
        return _Parts(int(found[3]), month, int(found[2]), found.groups()[3:])
    return None


def _month(name: str) -> int | None:
    """The month by its English name or the first three letters of it."""
    small = name.lower()
    return next((at for at, full in enumerate(_MONTHS, 1) if small in (full, full[:3])), None)


def _offset(zone: str | None) -> timezone:
    if zone is None or zone == "Z":
        return UTC
    digits = zone[1:].replace(":", "")
    ahead = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-ahead if zone[0] == "-" else ahead)


def _zone_name(zone: str | None) -> str | None:
    if zone is None:
        return None
    digits = zone[1:].replace(":", "")
    return "UTC" if zone == "Z" or digits == "0000" else f"{zone[0]}{digits[:2]}:{digits[2:]}"
