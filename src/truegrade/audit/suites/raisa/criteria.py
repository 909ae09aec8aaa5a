"""The pass criteria of Räisä et al. 2025: values at one level, and shapes of the mean over repeats along the axis.

A shape is a list of conditions. Its number is how far the condition that is missed most, or kept with least to spare,
is over its limit: negative where all are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truegrade.audit.rules import undefined
from truegrade.audit.scenario import Floats, Rule, Ruling, Seen

NEAR = 0.05  # of a value to its target
RISE = 0.2  # least difference between the high and the low part of a shape
SLACK = 0.1  # by which a high part may miss the highest value, and a low part the lowest
DROP = 0.1  # least fall by the middle of the axis
FLAT = 0.05  # between the highest and the lowest value of a line

Condition = tuple[float, str]
"""By how much a limit is passed, and what it is about."""


def ruled(conditions: Sequence[Condition], desired: tuple[float, ...] | None = None) -> Ruling:
    """Passed where no limit is passed."""
    over, what = max(conditions, key=lambda condition: condition[0])
    reason = f"{what}: {'misses' if over > 0 else 'keeps'} its limit by {abs(over):.3g}"
    return Ruling(over <= 0.0, reason, over, 0.0, desired=desired)


@dataclass(frozen=True)
class CloseTo:
    """The mean at one level is within 0.05 of a value. at: the level; None is the last one that was run, in order of
    the axis, and "first" the first one."""

    target: float
    at: float | str

    @property
    def words(self) -> str:
        place = self.at if isinstance(self.at, str) else f"{self.at:g}"
        return f"the mean at {_PLACES.get(str(place), place)} is within {NEAR:g} of {self.target:g}"

    def __call__(self, seen: Seen) -> Ruling:
        level, value = value_at(seen, self.at)
        if np.isnan(value):
            return Ruling(None, f"it has no value at {level:g}")
        kept = self.target - NEAR <= value <= self.target + NEAR
        return Ruling(kept, f"{value:.5g} at {level:g}", abs(value - self.target), NEAR)


@dataclass(frozen=True)
class LowOrHigh:
    """For synthetic samples that spread too far a diversity metric is near 0 ("low") or near 1 ("high"): the paper
    takes either, and asks for no more than that users can know which."""

    at: str

    @property
    def words(self) -> str:
        return f"the mean at {_PLACES[self.at]} is within {NEAR:g} of 0 (low) or of 1 (high)"

    def __call__(self, seen: Seen) -> Ruling:
        low, high = CloseTo(0.0, self.at)(seen), CloseTo(1.0, self.at)(seen)
        return one_of(low, high)


@dataclass(frozen=True)
class Either:
    """A diversity metric has one shape ("low") or another ("high"); the paper takes either."""

    low: Rule
    high: Rule

    @property
    def words(self) -> str:
        return f"low: {self.low.words}; or high: {self.high.words}"

    def __call__(self, seen: Seen) -> Ruling:
        return one_of(self.low(seen), self.high(seen))


def one_of(low: Ruling, high: Ruling) -> Ruling:
    """The ruling of whichever is passed, with its word; of the nearer one where neither is."""
    if low.passed is None or high.passed is None:
        return low if low.passed is None else high
    for found, word in ((low, "low"), (high, "high")):
        if found.passed:
            return Ruling(True, f"{word}: {found.reason}", found.number, found.tolerance, word)
    nearer, word = (low, "low") if over(low) <= over(high) else (high, "high")
    return Ruling(False, f"neither low nor high; nearer to {word}: {nearer.reason}", nearer.number, nearer.tolerance)


def over(ruling: Ruling) -> float:
    """By how much a ruling's number is over its tolerance."""
    return (ruling.number or 0.0) - (ruling.tolerance or 0.0)


@dataclass(frozen=True)
class Bell:
    """High in the middle, low at both ends."""

    middle: float

    @property
    def words(self) -> str:
        return (
            f"the mean at {self.middle:g} is at least {RISE:g} above both ends and at most {SLACK:g} below the "
            f"highest; one end is at most {SLACK:g} above the lowest"
        )

    def __call__(self, seen: Seen) -> Ruling:
        lacking = undefined(seen)
        if lacking:
            return lacking
        means = along(seen)
        middle = value_at(seen, self.middle)[1]
        return ruled(
            (
                (RISE - (middle - means[0]), "the middle above the left end"),
                (RISE - (middle - means[-1]), "the middle above the right end"),
                (means.max() - middle - SLACK, "the middle near the highest value"),
                (min(means[0], means[-1]) - means.min() - SLACK, "an end near the lowest value"),
            )
        )


@dataclass(frozen=True)
class Slope:
    """High at one end, low at the other. falls: from high to low, else from low to high. drop_by: a level by which a
    falling one has fallen."""

    falls: bool
    drop_by: float | None = None

    @property
    def words(self) -> str:
        high, low = ("first", "last") if self.falls else ("last", "first")
        drop = "" if self.drop_by is None else f"; it has fallen by {DROP:g} at {self.drop_by:.3g}"
        return (
            f"the mean is at least {RISE:g} higher at the {high} level than at the {low}, at most {SLACK:g} below the "
            f"highest there and at most {SLACK:g} above the lowest here{drop}"
        )

    def __call__(self, seen: Seen) -> Ruling:
        lacking = undefined(seen)
        if lacking:
            return lacking
        means = along(seen)
        high, low = (means[0], means[-1]) if self.falls else (means[-1], means[0])
        conditions = [
            (RISE - (high - low), f"{'falls' if self.falls else 'rises'} enough"),
            (means.max() - high - SLACK, "the high end near the highest value"),
            (low - means.min() - SLACK, "the low end near the lowest value"),
        ]
        if self.drop_by is not None:
            level, value = value_at(seen, self.drop_by)
            conditions.append((DROP - (high - value), f"has fallen at {level:.3g}"))
        return ruled(conditions)


@dataclass(frozen=True)
class Level:
    """A flat line. after: from this level on. desired: where a good one lies."""

    after: float = -np.inf
    desired: float | None = None

    @property
    def words(self) -> str:
        after = "" if np.isinf(self.after) else f" from {self.after:g} on"
        return f"the highest and the lowest mean{after} differ by at most {FLAT:g}"

    def __call__(self, seen: Seen) -> Ruling:
        lacking = undefined(seen)
        if lacking:
            return lacking
        judged = seen.means[seen.levels >= self.after]
        line = None if self.desired is None else (self.desired,) * len(seen.levels)
        return ruled([(float(np.ptp(judged)) - FLAT, f"from {judged.min():.3g} to {judged.max():.3g}")], line)


_PLACES = {"first": "the first level", "last": "the last level"}


def value_at(seen: Seen, at: float | str) -> tuple[float, float]:
    """The level, and the mean there."""
    if isinstance(at, str):
        index = int(np.argmin(seen.levels) if at == "first" else np.argmax(seen.levels))
    else:
        index = int(np.argmin(np.abs(seen.levels - at)))
    return float(seen.levels[index]), float(seen.means[index])


def along(seen: Seen) -> Floats:
    """The means in the order of their levels."""
    return np.asarray(seen.means[np.argsort(seen.levels)])
