"""Pass rules on what moves a score and what must not, and on what it costs.

Distances have no unit of their own: what they do is judged in units of chance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from truegrade.audit.expectations import ERRORS, chance_by_level, kept, scale
from truegrade.audit.rules import BEYOND, bounded, in_chances, undefined, worsening
from truegrade.audit.scenario import Floats, Ruling, Seen


@dataclass(frozen=True)
class Steady:
    """The mean stays where it is without damage. Distances: in standard deviations of chance."""

    within: float
    chances: float = BEYOND

    @property
    def words(self) -> str:
        return (
            f"the mean moves by at most {self.within:g} or {ERRORS:g} standard errors "
            f"(scores without bounds: {self.chances:g} times chance)"
        )

    def __call__(self, seen: Seen) -> Ruling:
        lacking = undefined(seen)
        if lacking:
            return lacking
        ends, at_start = scale(seen), seen.reference or 0
        start = float(seen.means[at_start])
        moved, chance = np.abs(seen.means - start), _chance(seen)
        chance = np.maximum(chance, chance[at_start])
        desired = (start,) * len(moved)
        if ends is None and not bounded(seen):
            away = np.array([in_chances(*pair) for pair in zip(moved, chance, strict=True)])
            at = int(np.argmax(away))
            reason = f"moves by {away[at]:.3g} times chance at {seen.levels[at]:g}"
            return Ruling(bool(away[at] <= self.chances), reason, float(away[at]), self.chances, desired=desired)
        unit = 1.0 if ends is None else abs(ends[1] - ends[0])
        limits = np.maximum(self.within, ERRORS * chance * np.sqrt(2.0 / seen.values.shape[1]) / unit)
        at = int(np.argmax(moved / unit - limits))
        reason = f"moves by {moved[at] / unit:.3g} at {seen.levels[at]:g}, from {start:.3g} to {seen.means[at]:.3g}"
        number, limit = float(moved[at]) / unit, float(limits[at])
        return Ruling(kept(number, limit, self.within), reason, number, limit, desired=desired)


def _chance(seen: Seen) -> Floats:
    """The standard deviation of one value at each level: where sizes differ that of each size, else one for all."""
    if seen.sizes is not None and np.ptp(seen.sizes, axis=0).any():
        return chance_by_level(seen)
    chance = seen.chance
    return np.full(len(seen.levels), chance if np.isfinite(chance) else 0.0)


@dataclass(frozen=True)
class Alike:
    """Two curves that should be one: at no level their means differ by more. Distances: in units of chance."""

    arms: tuple[str, str]
    within: float
    chances: float = BEYOND

    @property
    def words(self) -> str:
        return (
            f"the means {self.arms[0]} and {self.arms[1]} differ by at most {self.within:g} "
            f"(scores without bounds: {self.chances:g} times chance)"
        )

    def __call__(self, seen: Seen) -> Ruling:
        lacking = undefined(seen)
        if lacking:
            return lacking
        first, second = (seen.curves[arm].mean(axis=1) for arm in self.arms)
        gap = np.abs(second - first)
        at, desired = int(np.argmax(gap)), tuple(map(float, first))
        told = f"at {seen.levels[at]:g}: {first[at]:.3g} {self.arms[0]}, {second[at]:.3g} {self.arms[1]}"
        ends = scale(seen)
        if ends is None and not bounded(seen):
            number = in_chances(float(gap[at]), seen.chance)
            return Ruling(number <= self.chances, told, number, self.chances, desired=desired)
        number = float(gap[at]) / (1.0 if ends is None else abs(ends[1] - ends[0]))
        return Ruling(number <= self.within, told, number, self.within, desired=desired)


@dataclass(frozen=True)
class Apart:
    """At the ends of the axis the score is worse than without damage, by more than chance."""

    beyond: float = BEYOND

    @property
    def words(self) -> str:
        return f"at both ends of the axis it is worse than without damage, by more than {self.beyond:g} times chance"

    def __call__(self, seen: Seen) -> Ruling:
        lacking = undefined(seen)
        if lacking:
            return lacking
        start = seen.reference or 0
        away = []
        for end in (0, len(seen.levels) - 1):
            worse, base = worsening(seen, start, end)
            away.append(in_chances(float(worse[end]) - base, seen.chance))
        at = int(np.argmin(away))
        reason = f"{away[at]:.3g} times chance at {seen.levels[-at]:g}"
        return Ruling(away[at] > self.beyond, reason, away[at], self.beyond)


@dataclass(frozen=True)
class Unmoved:
    """Changes of both sets that a metric claims not to notice leave its value as it is.

    changes: by level the invariance that it is about. Judged in every draw, in the unit of the score or, of distances,
    of chance.
    """

    changes: Mapping[float, str] = field(hash=False)
    within: float = 0.01
    chances: float = 0.1

    @property
    def words(self) -> str:
        return (
            f"every change that it claims not to notice moves it by at most {self.within:g} "
            f"(scores without bounds: {self.chances:g} times chance)"
        )

    def __call__(self, seen: Seen) -> Ruling:
        claimed = [self.changes.get(float(level)) in seen.info.invariances for level in seen.levels]
        if not any(claimed):
            return Ruling(None, "it claims none")
        lacking = undefined(seen)
        if lacking:
            return lacking
        start = seen.reference or 0
        moved = np.where(claimed, np.abs(seen.values - seen.values[start]).max(axis=1), 0.0)
        at, ends = int(np.argmax(moved)), scale(seen)
        if ends is None and not bounded(seen):
            number, limit = in_chances(float(moved[at]), seen.chance), self.chances
        else:
            number, limit = float(moved[at]) / (1.0 if ends is None else abs(ends[1] - ends[0])), self.within
        what = self.changes.get(float(seen.levels[at]), "nothing")
        return Ruling(number <= limit, f"moves most by {what}: {number:.3g}", number, limit)


@dataclass(frozen=True)
class Cheap:
    """What the metric alone takes at the largest size."""

    seconds: float

    @property
    def words(self) -> str:
        return f"alone, on one processor, it takes at most {self.seconds:g} s at the largest size"

    def __call__(self, seen: Seen) -> Ruling:
        if seen.seconds is None or not np.isfinite(seen.seconds[-1]):
            return Ruling(None, "it was not timed")
        taken = float(seen.seconds[-1])
        size = "" if seen.sizes is None else f" for {seen.sizes[-1, 0]:.0f} against {seen.sizes[-1, 1]:.0f} samples"
        return Ruling(taken <= self.seconds, f"{taken:.3g} s{size}", taken, self.seconds)
