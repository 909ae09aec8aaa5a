"""Pass rules of the study that concern two curves at once, or time."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from truegrade.audit.rules import BEYOND, MONOTONE, Worsens, undefined
from truegrade.audit.scenario import Ruling, Seen


@dataclass(frozen=True)
class Betrays:
    """Copies show: the scores against the samples that were copied and against others part as their share grows.

    arms: copied, others. Judged by the distance of the two values from what it is without copies, whichever way it
    goes, so that scores of copying, which get worse against what was copied, are judged alike.
    """

    arms: tuple[str, str]
    beyond: float = BEYOND
    monotone: float = MONOTONE

    @property
    def words(self) -> str:
        return (
            f"the values against {self.arms[0]} and {self.arms[1]} samples part as the share grows (rank correlation "
            f"at least {self.monotone:g}), at the end by more than {self.beyond:g} times chance"
        )

    def __call__(self, seen: Seen) -> Ruling:
        lacking = undefined(seen, self.arms)
        if lacking:
            return lacking
        gap = seen.curves[self.arms[1]] - seen.curves[self.arms[0]]
        start = seen.reference or 0
        way = -1.0 if gap[-1].mean() < gap[start].mean() else 1.0
        one = replace(seen, curves={"gap": way * gap}, info=replace(seen.info, direction="lower"))
        return Worsens(self.beyond, self.monotone)(one)


@dataclass(frozen=True)
class Ignores:
    """A harmless change of all samples costs little beside damage of all samples.

    arms: harmless, damage. The number is the part that it costs, 0 where the score does not get worse.
    """

    arms: tuple[str, str]
    within: float = 0.25
    beyond: float = BEYOND

    @property
    def words(self) -> str:
        return (
            f"costs at most {self.within:.0%} of what {self.arms[1]} samples cost, which are seen by more than "
            f"{self.beyond:g} times chance"
        )

    def __call__(self, seen: Seen) -> Ruling:
        lacking = undefined(seen, self.arms)
        if lacking:
            return lacking
        start = seen.reference or 0
        changed, damaged = (seen.worse(arm).mean(axis=1) for arm in self.arms)
        cost, most = (float(worse[-1] - worse[start]) for worse in (changed, damaged))
        if not most > self.beyond * seen.chance:  # what does not see damage cannot be said to ignore anything
            return Ruling(False, f"{self.arms[1]} samples are not seen either")
        share = max(cost / most, 0.0)
        return Ruling(share <= self.within, f"costs {share:.0%} of {self.arms[1]} samples", share, self.within)


@dataclass(frozen=True)
class Affordable:
    """What a metric takes at a large size, by the growth of its time between the two largest that were measured.

    Its time grows with the samples at least in proportion, since all of them are read.
    """

    samples: int = 10_000
    within: float = 60.0

    @property
    def words(self) -> str:
        return (
            f"at most {self.within:g} s for {self.samples:,} samples a side on one processor, by the growth of the "
            "time between the two largest sizes"
        )

    def __call__(self, seen: Seen) -> Ruling:
        if seen.seconds is None or not np.isfinite(seen.seconds[-2:]).all() or np.isnan(seen.means[-1]):
            return Ruling(None, f"it has no value at {seen.levels[-1]:g}")
        (small, large), (before, at) = seen.levels[-2:], seen.seconds[-2:]
        power = max(1.0, float(np.log(at / before) / np.log(large / small)))
        taken = float(at * (self.samples / large) ** power)
        reason = f"{at * 1e3:.3g} ms at {large:g}, power {power:.2g}: {taken:.3g} s at {self.samples:,}"
        return Ruling(taken <= self.within, reason, taken, self.within)
