"""The pass rules that suites share: what "falls linearly", "flat", "sees it" mean in numbers.

A rule is a frozen record of its tolerances; `words` states it as the report prints it. Bounded scores are judged in
their own unit. Distances have none, so what they do is judged in units of chance (see `Seen.chance`) or of what full
damage does to them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from truegrade.audit.scenario import Ruling, Seen

Floats = NDArray[np.float64]
Line = Callable[[Floats], Floats]
MONOTONE = 0.9
SLACK = 0.05  # of all that damage does: by so much a score may get better again, as one does that is at its worst
BEYOND = 3.0
RANKED = 0.95  # of all pairs of draws
_DIGITS = 9  # of a rank correlation: what is beyond them is rounding


def good_share(levels: Floats) -> Floats:
    """What is left when a share `levels` is bad."""
    return 1.0 - levels


def undefined(
    seen: Seen, arms: tuple[str, ...] | None = None, at: tuple[float, ...] | None = None
) -> Ruling | None:
    """The ruling on a metric that lacks values, None if it has them all. at: levels that matter, None for all."""
    lacking = {seen.levels[i] for arm in arms or seen.curves for i in np.flatnonzero(np.isnan(seen.curves[arm]).any(1))}
    lacking &= set(seen.levels if at is None else at)
    if not lacking:
        return None
    where = ", ".join(f"{level:g}" for level in sorted(lacking)[:6])
    return Ruling(None, f"it has no value at {where}")


@dataclass(frozen=True)
class Near:
    """The mean over repeats stays within a distance of a line. at: judged at these levels only."""

    line: Line
    within: float
    says: str
    at: tuple[float, ...] | None = None

    @property
    def words(self) -> str:
        return f"the mean is within {self.within:g} of {self.says}"

    def __call__(self, seen: Seen) -> Ruling:
        lacking = undefined(seen)
        if lacking:
            return lacking
        desired = np.asarray(self.line(seen.levels), np.float64)
        gap = np.abs(seen.means - desired)
        judged = gap if self.at is None else gap[np.isin(seen.levels, self.at)]
        worst = float(judged.max())
        at = seen.levels[int(np.flatnonzero(gap == worst)[0])]
        return Ruling(
            worst <= self.within,
            f"farthest from {self.says} at {at:g}: by {worst:.3g}",
            worst,
            self.within,
            desired=tuple(desired),
        )


@dataclass(frozen=True)
class Flat:
    """The mean hardly moves from where it is without damage. Distances: in standard deviations of chance."""

    within: float
    chances: float = BEYOND

    @property
    def words(self) -> str:
        return f"the mean moves by at most {self.within:g} (scores without bounds: {self.chances:g} times chance)"

    def __call__(self, seen: Seen) -> Ruling:
        lacking = undefined(seen)
        if lacking:
            return lacking
        start = seen.means[seen.reference or 0]
        moved = float(np.abs(seen.means - start).max())
        if bounded(seen):
            number, limit, unit = moved, self.within, ""
        else:
            number, limit, unit = in_chances(moved, seen.chance), self.chances, " times chance"
        desired = tuple(np.full(len(seen.levels), start))
        return Ruling(number <= limit, f"moves by up to {number:.3g}{unit}", number, limit, desired=desired)


@dataclass(frozen=True)
class Mirror:
    """The same value on both sides of 0: the mean at x and at -x differ by little."""

    within: float

    @property
    def words(self) -> str:
        return f"the means at x and -x differ by at most {self.within:g} (scores without bounds: of their range)"

    def __call__(self, seen: Seen) -> Ruling:
        lacking = undefined(seen)
        if lacking:
            return lacking
        back = [int(np.argmin(np.abs(seen.levels + level))) for level in seen.levels]
        gap = np.abs(seen.means - seen.means[back]) / (1.0 if bounded(seen) else max(float(np.ptp(seen.means)), 1e-300))
        at, worst = int(np.argmax(gap)), float(gap.max())
        reason = f"differs most at {abs(seen.levels[at]):g} and {-abs(seen.levels[at]):g}: by {worst:.3g}"
        return Ruling(worst <= self.within, reason, worst, self.within)


@dataclass(frozen=True)
class Worsens:
    """Sees the damage: the score gets worse along the axis, and at the end by more than chance.

    The number is the least damage from which on it stands out.
    """

    beyond: float = BEYOND
    monotone: float = MONOTONE
    least: float = 0.0

    @property
    def words(self) -> str:
        least = f" and by at least {self.least:g}" if self.least else ""
        return (
            f"gets worse along the axis (rank correlation at least {self.monotone:g}, or nowhere better than before by "
            f"more than chance or {SLACK:.0%}), at the end by more than {self.beyond:g} times chance{least}"
        )

    def __call__(self, seen: Seen) -> Ruling:
        lacking = undefined(seen)
        if lacking:
            return lacking
        start = seen.reference or 0
        damage = np.abs(seen.levels - seen.levels[start])
        last = int(np.argmax(damage))
        worse, base = worsening(seen, start, last)
        away = np.array([in_chances(change, seen.chance) for change in worse - base])
        along = round(rank_correlation(damage, worse), _DIGITS)
        back = _recovered(worse[np.argsort(damage, kind="stable")])
        steady = along >= self.monotone or back <= SLACK * (worse[last] - base) or back <= seen.chance
        enough = not bounded(seen) or worse[last] - base >= self.least
        if away[last] > self.beyond and steady and enough:
            first = _stands_out(seen.levels, away > self.beyond)
            return Ruling(True, f"stands out from {first:g} on ({away[last]:.3g} times chance at the end)", first)
        if away[last] < -self.beyond:
            return Ruling(False, f"gets better, by {-away[last]:.3g} times chance at the end")
        return Ruling(False, f"{away[last]:.3g} times chance at the end, rank correlation {along:.2f}")


@dataclass(frozen=True)
class Within:
    """The mean at one level lies between two values."""

    level: float
    low: float
    high: float

    @property
    def words(self) -> str:
        return f"between {self.low:g} and {self.high:g} at {self.level:g}"

    def __call__(self, seen: Seen) -> Ruling:
        at = int(np.argmin(np.abs(seen.levels - self.level)))
        value = float(seen.means[at])
        if np.isnan(value):
            return Ruling(None, f"it has no value at {self.level:g}")
        return Ruling(self.low <= value <= self.high, f"{value:.4g} at {self.level:g}", value)


@dataclass(frozen=True)
class Separates:
    """The size from which on draws of the worse set score worse than draws of the good one. arms: good, worse.

    Of all pairs of draws, so that more repeats do not make it harder.
    """

    arms: tuple[str, str]
    by: float | None = None

    @property
    def words(self) -> str:
        end = "the largest size" if self.by is None else f"{self.by:g}"
        good, bad = self.arms
        return f"from {end} on a {bad} draw scores worse than a {good} one in {RANKED:.0%} of all pairs"

    def __call__(self, seen: Seen) -> Ruling:
        good, bad = (seen.worse(arm) for arm in self.arms)
        with np.errstate(invalid="ignore"):
            apart = (bad[:, :, None] > good[:, None, :]).mean(axis=(1, 2)) >= RANKED  # NaN compares as False
        if np.isnan(good[-1]).any() or np.isnan(bad[-1]).any():
            return Ruling(None, f"it has no value at {seen.levels[-1]:g}")
        if not apart[-1]:
            return Ruling(False, f"{self.arms[0]} and {self.arms[1]} overlap at {seen.levels[-1]:g}")
        first = _stands_out(seen.levels, apart)
        passed = self.by is None or first <= self.by
        return Ruling(passed, f"apart from {first:g} on", first, self.by)


def worsening(seen: Seen, start: int, last: int) -> tuple[Floats, float]:
    """The mean by level, turned so that larger is worse, and what it is without damage.

    Of a score with a target: how far the mean is off on the side to which full damage moves it, so that chance about
    the target, on both sides of it, cancels.
    """
    if seen.info.direction != "target" or seen.info.target is None:
        worse = seen.worse().mean(axis=1)
        return worse, float(worse[start])
    off = seen.means - seen.info.target
    return np.copysign(1.0, off[last]) * off, float(abs(off[start]))


def bounded(seen: Seen) -> bool:
    """Whether the score has a unit of its own, from a worst to a best value. Distances have none, even bounded ones."""
    return seen.info.family != "distance" and bool(np.isfinite(seen.info.range).all())


def in_chances(change: float, chance: float) -> float:
    """A change in units of chance: 0 of nothing, infinite where nothing scatters. Without repeats there is no unit."""
    if change == 0.0:
        return 0.0
    if np.isnan(chance):
        return float("nan")
    return float(change / chance) if chance > 0.0 else float(np.copysign(np.inf, change))


def rank_correlation(a: Floats, b: Floats) -> float:
    """Spearman's, with mean ranks of ties; 0 where either is constant."""
    first, second = rankdata(a), rankdata(b)
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def _recovered(worse: Floats) -> float:
    """The most by which the score gets better again, levels in the order of damage."""
    return float((np.maximum.accumulate(worse) - worse).max())


def _stands_out(levels: Floats, out: NDArray[np.bool_]) -> float:
    """The level from which on all later levels stand out; levels are in the order of damage."""
    still = np.flatnonzero(~out)
    return float(levels[still[-1] + 1 if still.size else 0])
