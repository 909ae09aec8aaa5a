"""Where values lie on a drawn line: its ends, its ticks, and places along it in percent."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from truegrade.result import Score

_LARGEST, _SAME = 1e300, 1e-12
_WIDE = 30.0  # beyond this ratio of the largest to the least value a line is logarithmic


@dataclass(frozen=True)
class Scale:
    """A line from low to high, linear or logarithmic."""

    low: float
    high: float
    log: bool = False

    def at(self, value: float | None) -> float | None:
        """The place of a value in percent of the line, at an end if it lies beyond; None for none."""
        if value is None or math.isnan(value):
            return None
        share = self._share(min(max(value, self.low), self.high))
        return round(100 * share, 2)

    def _share(self, value: float) -> float:
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[dict[str, Any]]:
        """Round values along the line, {"at", "text"} each."""
        values = _decades(self.low, self.high) if self.log else _steps(self.low, self.high)
        return [{"at": self.at(value), "text": text} for value, text in values]

    def plain(self) -> dict[str, Any]:
        """The line as a dict: its ends, whether it is logarithmic, its ticks."""
        return {"low": self.low, "high": self.high, "log": self.log, "ticks": self.ticks()}


def shared_scale(scores: Iterable[Score | None]) -> Scale | None:
    """One line for the values, intervals, references and the ideal of these scores; None without a value."""
    have = [score for score in scores if score is not None and score.value is not None]
    if not have:
        return None
    about = have[0].about
    if about.range == (0.0, 1.0):
        return Scale(0.0, 1.0)
    centres = [s.value for s in have] + [s.floor.value for s in have if s.floor]
    ends = [end for s in have if s.interval for end in (s.interval.low, s.interval.high)]
    known = [v for v in centres if v is not None and math.isfinite(v)]
    if not known:
        return None
    if about.range[0] >= 0 and min(known) > 0 and max(known) > _WIDE * min(known):
        positive = [v for v in (*known, *ends) if 0 < v < _LARGEST]
        return Scale(max(min(positive), min(known) / 3) / 1.3, max(positive) * 1.15, log=True)
    ideal = 0.0 if about.target is None and about.direction == "lower" else about.target
    return around([*known, *(e for e in ends if math.isfinite(e)), *([] if ideal is None else [ideal])])


def around(values: Sequence[float]) -> Scale | None:
    """A linear line that holds the values with a little room; zero is an end where it is the least value.

    None where the values are too large for a line.
    """
    low, high = min(values), max(values)
    if max(-low, high) > _LARGEST:
        return None
    if high - low <= _SAME * max(abs(low), abs(high), 1e-290):
        room = max(abs(high), 1.0) * 0.05
        return Scale(low - room, high + room)
    room = 0.05 * (high - low)
    return Scale(low if low == 0 else low - room, high if high == 0 else high + room)


def _steps(low: float, high: float, most: int = 5) -> list[tuple[float, str]]:
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(s * power for s in (1, 2, 2.5, 5, 10) if s * power >= raw)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    decimals = max(0, -math.floor(math.log10(step)) + (1 if f"{step / power:g}" == "2.5" else 0))
    values = [i * step + 0.0 for i in range(first, last + 1)]
    return [(v, f"{v:.{decimals}f}" if abs(v) < 1e6 else f"{v:.2g}") for v in values]


def _decades(low: float, high: float) -> list[tuple[float, str]]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    parts = (1, 2, 5) if math.log10(high / low) < 2.2 else (1,)
    values = [part * 10.0**power for power in powers for part in parts]
    return [(v, f"{v:g}") for v in values if low <= v <= high]
