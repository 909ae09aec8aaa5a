"""Pass rules of the study that concern two curves at once."""

from __future__ import annotations

from dataclasses import dataclass, replace

from truegrade.audit.rules import BEYOND, MONOTONE, Worsens, undefined, worsening
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
        return f"the distance of the values against {self.arms[0]} and {self.arms[1]} samples {self._rule.words}"

    @property
    def _rule(self) -> Worsens:
        return Worsens(self.beyond, self.monotone)

    def __call__(self, seen: Seen) -> Ruling:
        lacking = undefined(seen, self.arms)
        if lacking:
            return lacking
        return self._rule(gap(seen, self.arms))


def gap(seen: Seen, arms: tuple[str, str]) -> Seen:
    """The values of the second arm less those of the first as one curve, turned so that it grows to the last level."""
    apart = seen.curves[arms[1]] - seen.curves[arms[0]]
    way = -1.0 if apart[-1].mean() < apart[seen.reference or 0].mean() else 1.0
    return replace(seen, curves={"gap": way * apart}, info=replace(seen.info, direction="lower"))


@dataclass(frozen=True)
class Ignores:
    """A harmless change of all samples moves a score little beside damage of all samples, to the worse or the better.

    arms: harmless, damage. The number is the part that it moves it. Who does not see the damage fails where the
    harmless change is seen; else nothing can be said.
    """

    arms: tuple[str, str]
    within: float = 0.25
    beyond: float = BEYOND

    @property
    def words(self) -> str:
        return (
            f"moves by at most {self.within:.0%} of what {self.arms[1]} samples cost (or cannot be said where these "
            f"are seen by at most {self.beyond:g} times chance)"
        )

    def __call__(self, seen: Seen) -> Ruling:
        lacking = undefined(seen, self.arms)
        if lacking:
            return lacking
        start = seen.reference or 0
        cost, most = (_cost(replace(seen, curves={arm: seen.curves[arm]}), start) for arm in self.arms)
        if most > self.beyond * seen.chance:
            way, share = "worse" if cost > 0 else "better", abs(cost) / most
            reason = f"{way} by {share:.0%} of what {self.arms[1]} samples cost"
            return Ruling(share <= self.within, reason, share, self.within)
        if abs(cost) > self.beyond * seen.chance:
            return Ruling(False, f"is seen, and {self.arms[1]} samples are not")
        return Ruling(None, f"does not see {self.arms[1]} samples either")  # who sees nothing ignores nothing


def _cost(seen: Seen, start: int) -> float:
    """By how much the mean is worse at the last level."""
    worse, base = worsening(seen, start, -1)
    return float(worse[-1] - base)
