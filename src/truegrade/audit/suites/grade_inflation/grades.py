"""Pass rules for scores that are read as grades: 0 for the worst, 1 for the best.

A grade is a score on its own range. Most rules look at shares: the grade of a low fit in parts of the grade that a high
fit gets at the same sizes, since that is the most a perfect model can get (its ceiling).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truegrade.audit.rules import undefined
from truegrade.audit.scenario import Ruling, Seen

Floats = NDArray[np.float64]
HALF = 0.5
NO_GRADE = Ruling(None, "it has no worst and best value, so it gives no grade")
_NO_HIGH = Ruling(None, "it grades high fits 0, so that there is nothing to compare with")


def has_grades(seen: Seen) -> bool:
    """Whether values have a worst and a best end."""
    return bool(np.isfinite(seen.info.range).all()) and seen.info.direction != "target"


def grades(seen: Seen, arm: str) -> Floats:
    """The values of an arm as grades, levels x repeats."""
    low, high = seen.info.range
    scaled = (seen.curves[arm] - low) / (high - low)
    return np.asarray(scaled if seen.info.direction == "higher" else 1.0 - scaled)


def shares(seen: Seen, high: str | None = None) -> Floats | Ruling:
    """Mean grades in parts of those of high fits, arms x levels; or why there are none.

    high: the arm that holds the high fits, level by level, and is left out; None: every arm's undamaged level does.
    """
    if not has_grades(seen):
        return NO_GRADE
    lacking = undefined(seen)
    if lacking:
        return lacking
    means = {arm: grades(seen, arm).mean(axis=1) for arm in seen.curves}
    low = np.array([found for arm, found in means.items() if arm != high])
    best = means[high][None, :] if high is not None else low[:, [seen.reference or 0]]
    return np.asarray(low / best) if best.min() > 0.0 else _NO_HIGH


@dataclass(frozen=True)
class Separated:
    """Low fits get at most a part of the grade of high fits, on average over arms and levels.

    high: see `shares`. last: only the last level is a low fit (a ladder); otherwise every level but the undamaged one.
    """

    most: float = HALF
    high: str | None = None
    last: bool = False

    @property
    def words(self) -> str:
        return f"low fits get on average at most {self.most:g} of the grade of high fits"

    def __call__(self, seen: Seen) -> Ruling:
        found = shares(seen, self.high)
        if isinstance(found, Ruling):
            return found
        judged = self._low(seen, found)
        number = float(judged.mean())
        told = f"low fits get {number:.2f} of the grade of high fits (from {judged.min():.2f} to {judged.max():.2f})"
        return Ruling(number <= self.most, told, number, self.most)

    def _low(self, seen: Seen, found: Floats) -> Floats:
        if self.last:
            return found[:, -1:]
        return found if self.high is not None else np.delete(found, seen.reference or 0, axis=1)


@dataclass(frozen=True)
class SeparatedAt:
    """A low fit gets at most a part of the grade of a high fit, at every one of some levels of a parameter."""

    at: tuple[float, ...]
    high: str
    most: float = HALF

    @property
    def words(self) -> str:
        where = ", ".join(f"{level:g}" for level in self.at)
        return f"the low fit gets at most {self.most:g} of the grade of the high fit at each of {where}"

    def __call__(self, seen: Seen) -> Ruling:
        found = shares(seen, self.high)
        if isinstance(found, Ruling):
            return found
        judged = np.isin(seen.levels, self.at)
        number = float(found[:, judged].max())
        worst = zip(seen.levels, found.max(axis=0), strict=True)
        told = ", ".join(f"{share:.2f} at {level:g}" for level, share in worst)
        return Ruling(number <= self.most, f"in parts of the high fit: {told}", number, self.most)


@dataclass(frozen=True)
class Deflated:
    """Grade inflation on ladders from a high fit (level 0) to a low one (1), which are to fall in proportion.

    What a grade exceeds the line from the high fit's grade down to 0 by, on average over arms and levels, in parts of
    what a score exceeds it by that gives all of them the grade of the high fit: 0 for no inflation, 1 for a blind
    score. What falls short of the line does not make up for it.
    """

    most: float = HALF

    @property
    def words(self) -> str:
        return f"grades exceed those in proportion by at most {self.most:g} of what a blind score's do"

    def __call__(self, seen: Seen) -> Ruling:
        found = shares(seen)
        if isinstance(found, Ruling):
            return found
        excess = np.maximum(found - (1.0 - seen.levels), 0.0)
        number = float(excess.mean() / seen.levels.mean())
        told = f"exceeds the grades in proportion by {number:.2f} of what a blind score does"
        return Ruling(number <= self.most, told, number, self.most, desired=self._line(seen))

    def _line(self, seen: Seen) -> tuple[float, ...]:
        """In the score's own values, for the first arm."""
        low, high = seen.info.range
        best = grades(seen, next(iter(seen.curves)))[seen.reference or 0].mean() * (1.0 - seen.levels)
        scaled = best if seen.info.direction == "higher" else 1.0 - best
        return tuple(map(float, low + (high - low) * scaled))


@dataclass(frozen=True)
class KeepsGrade:
    """A perfect model keeps its grade, whatever the axis changes."""

    least: float = 0.9

    @property
    def words(self) -> str:
        return f"a perfect model keeps at least {self.least:g} of its grade"

    def __call__(self, seen: Seen) -> Ruling:
        found = shares(seen)
        if isinstance(found, Ruling):
            return found
        at = int(np.argmin(found.min(axis=0)))
        number = float(found.min())
        told = f"keeps least at {seen.levels[at]:g}: {number:.2f}"
        return Ruling(number >= self.least, told, number, self.least)


@dataclass(frozen=True)
class FullGrade:
    """A perfect model gets nearly the best grade there is."""

    least: float = 0.9

    @property
    def words(self) -> str:
        return f"the mean grade of a perfect model is at least {self.least:g} at every level"

    def __call__(self, seen: Seen) -> Ruling:
        if not has_grades(seen):
            return NO_GRADE
        lacking = undefined(seen)
        if lacking:
            return lacking
        found = grades(seen, next(iter(seen.curves))).mean(axis=1)
        at = int(np.argmin(found))
        number = float(found[at])
        return Ruling(number >= self.least, f"lowest at {seen.levels[at]:g}: {number:.3g}", number, self.least)


@dataclass(frozen=True)
class Repeatable:
    """The value does not depend on what is drawn to compute it: repeats of the same data differ by little."""

    at: float
    within: float

    @property
    def words(self) -> str:
        return f"on the same data largest and smallest value differ by at most {self.within:g} at {self.at:g}"

    def __call__(self, seen: Seen) -> Ruling:
        lacking = undefined(seen)
        if lacking:
            return lacking
        spread = np.ptp(seen.values, axis=1)
        number = float(spread[int(np.argmin(np.abs(seen.levels - self.at)))])
        told = ", ".join(f"{one:.3f} at {level:g}" for level, one in zip(seen.levels, spread, strict=True))
        return Ruling(number <= self.within, f"differ by {told}", number, self.within)


@dataclass(frozen=True)
class InParts:
    """No verdict: what each level gets in parts of the undamaged one, for data of which nobody knows what is right."""

    names: tuple[str, ...]

    @property
    def words(self) -> str:
        return "told, not judged: the grade in parts of what real data get from real data"

    def __call__(self, seen: Seen) -> Ruling:
        found = shares(seen)
        if isinstance(found, Ruling):
            return found
        told = ", ".join(f"{self.names[int(i)]} {share:.2f}" for i, share in zip(seen.levels, found[0], strict=True))
        return Ruling(None, told, float(found[0].min()))
