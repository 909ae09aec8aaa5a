"""Pass rules that know what theory says of a score: its worst and best value, and its mean for one law.

Where few repeats cannot show a mean to within the tolerance, three standard errors take its place: no metric is blamed
for chance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from truegrade.audit.rules import Line, in_chances, undefined
from truegrade.audit.scenario import Floats, Rule, Ruling, Seen, spread_of

Expected = Callable[[int, int, int], float]
"""The mean of a metric for two samples of one law, from the numbers of real and of synthetic samples and k."""
ERRORS = 3.0
BLURRED = 2.0  # times its tolerance: beyond, a widened limit is no limit
_ERRORS_EXACT = 4.0  # several levels at once
_NO_SCALE = "it has no scale from a worst to a best value"


def kept(number: float, limit: float, within: float) -> bool | None:
    """Whether a number keeps its limit; None where it does so only because chance made the limit far larger than the
    tolerance: then so few draws of so uncertain a score say nothing."""
    if number > limit:
        return False
    return True if limit <= BLURRED * within or number <= within / BLURRED else None


def scale(seen: Seen) -> tuple[float, float] | None:
    """The worst and the best value of a score, None where it has none (distances, the classifier, the copy tests)."""
    info = seen.info
    low, high = info.range
    if info.family not in ("fidelity", "coverage", "pairs"):
        return None
    if info.direction == "target":
        ends = (low, float("nan") if info.target is None else info.target)
    elif info.direction == "higher":
        ends = (low, high if info.target is None else info.target)
    else:
        ends = (high, low if info.target is None else info.target)
    return ends if np.isfinite(ends).all() else None


def error_of_mean(seen: Seen) -> float:
    """The standard error of a mean over repeats; 0 where it is not known, so that the tolerance stands."""
    found = seen.chance / np.sqrt(seen.values.shape[1])
    return float(found) if np.isfinite(found) else 0.0


def chance_by_level(seen: Seen) -> Floats:
    """The standard deviation of one value at each level, (t,), where levels differ in size and not in damage.

    Pooled over levels: from one size to another chance falls as 1/sqrt(n), that in a distance of one law as 1/n.
    """
    if seen.sizes is None or seen.values.shape[1] < 2:
        return np.zeros(len(seen.levels))
    fall = seen.sizes.min(axis=1) ** (1.0 if seen.info.family == "distance" else 0.5)
    each = spread_of(seen.values * fall[:, None])
    unit = float(each.max())
    return np.asarray(unit * np.sqrt(np.mean((each / unit) ** 2)) / fall if unit > 0.0 else 0.0 * fall)


@dataclass(frozen=True)
class ForSamples:
    """A rule with a tolerance that is meant for so many samples: with fewer it grows as chance does, by 1/sqrt(n)."""

    make: Callable[[float], Rule]
    within: float
    samples: int

    @property
    def words(self) -> str:
        return f"{self.make(self.within).words}; with fewer than {self.samples:,} samples as chance grows, by 1/sqrt(n)"

    def __call__(self, seen: Seen) -> Ruling:
        least = seen.n if seen.sizes is None else float(seen.sizes.min())
        return self.make(self.within * max(1.0, self.samples / least) ** 0.5)(seen)


@dataclass(frozen=True)
class Reads:
    """The mean follows a line between the score's worst (0) and best value (1).

    relative: from the worst value to where it is without damage, instead of to its best. at: judged there only.
    """

    line: Line
    within: float
    says: str
    relative: bool = False
    at: tuple[float, ...] | None = None

    @property
    def words(self) -> str:
        end = "where it is without damage" if self.relative else "best"
        within = f"within {self.within:g} (or {ERRORS:g} standard errors)"
        return f"read from worst to {end}, the mean is {within} of {self.says}"

    def __call__(self, seen: Seen) -> Ruling:
        ends = scale(seen)
        lacking = Ruling(None, _NO_SCALE) if ends is None else undefined(seen, at=self.at)
        if ends is None or lacking is not None:
            return lacking or Ruling(None, _NO_SCALE)
        worst, best = ends
        top = float(seen.means[seen.reference or 0]) if self.relative else best
        if self.relative and (top - worst) / (best - worst) <= 0.05:
            return Ruling(False, f"is at {top:.3g} without any damage")
        unit = abs(top - worst)
        line = np.asarray(self.line(seen.levels), np.float64)
        desired = worst + (top - worst) * line
        gap = np.abs(seen.means - desired) / unit
        judged = np.isin(seen.levels, self.at) if self.at is not None else np.ones(len(gap), bool)
        if not judged.any():
            return Ruling(None, "the levels that this is about were not run")
        at = int(np.argmax(np.where(judged, gap, -1.0)))
        number, limit = float(gap[at]), max(self.within, ERRORS * error_of_mean(seen) / unit)
        reason = f"farthest from {self.says} at {seen.levels[at]:g}: {seen.means[at]:.3g}, not {desired[at]:.3g}"
        return Ruling(kept(number, limit, self.within), reason, number, limit, desired=tuple(desired))


@dataclass(frozen=True)
class Exact:
    """The mean at every level is the one that theory gives for samples of one law, at these sizes and this k.

    of_good: the level is the share of bad synthetic samples, and theory speaks of the good ones.
    """

    expected: Expected
    within: float
    says: str
    of_good: bool = False

    @property
    def words(self) -> str:
        return f"the mean is within {self.within:g} (or {_ERRORS_EXACT:g} standard errors) of {self.says}"

    def __call__(self, seen: Seen) -> Ruling:
        lacking = undefined(seen)
        if lacking or seen.sizes is None:
            return lacking or Ruling(None, "the sizes are not known")
        if seen.tied:
            return Ruling(None, "theory speaks of laws without ties, and many distances are tied here")
        given = seen.parameters.get("k")
        k = int(given) if isinstance(given, (int, np.integer)) else 1
        bad = seen.levels if self.of_good else np.zeros(len(seen.levels))
        sizes = zip(seen.sizes[:, 0], seen.sizes[:, 1], bad, strict=True)
        desired = np.array([self.expected(int(n), int(m) - round(x * m), k) for n, m, x in sizes])
        gap = np.abs(seen.means - desired)
        errors = chance_by_level(seen) / np.sqrt(seen.values.shape[1])
        limits = np.maximum(self.within, _ERRORS_EXACT * errors)
        at = int(np.argmax(gap - limits))
        reason = f"{seen.means[at]:.4g} at {seen.levels[at]:g}, where {desired[at]:.4g} is expected"
        return Ruling(
            bool((gap <= limits).all()), reason, float(gap[at]), float(limits[at]), desired=tuple(desired)
        )


@dataclass(frozen=True)
class Unbiased:
    """For two samples of one law the mean is the ideal value, at every size together: Student's test over repeats.

    Differences are multiplied by the number of real samples, since the chance in a distance falls with it.
    """

    level: float = 0.003

    @property
    def words(self) -> str:
        return f"for fresh samples the mean is the ideal value, within chance (t test, level {self.level:g})"

    def __call__(self, seen: Seen) -> Ruling:
        ideal = seen.info.target
        if ideal is None:
            ideal = seen.info.range[0] if seen.info.direction == "lower" else float("nan")
        lacking = undefined(seen)
        if lacking or seen.sizes is None or not np.isfinite(ideal):
            return lacking or Ruling(None, "it has no ideal value for fresh samples")
        off = ((seen.values - ideal) * seen.sizes[:, :1]).mean(axis=0)
        if len(off) < 3:
            return Ruling(None, "too few draws to know its chance")
        error = float(spread_of(off[None])[0]) / np.sqrt(len(off))
        number = abs(in_chances(float(off.mean()), error))
        limit = float(student.ppf(1.0 - self.level / 2.0, len(off) - 1))
        return Ruling(number <= limit, f"{number:.3g} standard errors from {ideal:g}", number, limit)


@dataclass(frozen=True)
class OnTarget:
    """Without damage the mean is near the ideal value, where the metric has one."""

    within: float

    @property
    def words(self) -> str:
        within = f"within {self.within:g} (or {ERRORS:g} standard errors)"
        return f"for fresh samples the mean is {within} of the ideal value"

    def __call__(self, seen: Seen) -> Ruling:
        ideal, value = seen.info.target, float(seen.means[seen.reference or 0])
        if ideal is None or np.isnan(value):
            return Ruling(None, "it has no ideal value for fresh samples" if ideal is None else "it has no value")
        gap, limit = abs(value - ideal), max(self.within, ERRORS * error_of_mean(seen))
        return Ruling(kept(gap, limit, self.within), f"{value:.3g}, where {ideal:g} is right", gap, limit)
