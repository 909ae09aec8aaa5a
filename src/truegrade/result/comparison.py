"""Comparison: several synthetic sets against one real set, and which of them is better by what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from truegrade.result.evaluation import Evaluation
from truegrade.result.record import Reported, look_up
from truegrade.result.score import Interval


@dataclass(frozen=True)
class Difference:
    """The score `key` of model `first` minus that of model `second`, on the same real samples.

    value: of a score that is best near a target, the difference of the distances to the target. interval: of this
    difference. p: two-sided, of no difference; p_holm: corrected for all differences of the comparison. better: the
    better model where p_holm is below 0.05, else None (the two tie). paired: whether what the models share (the
    real samples) was taken out of the error. reason: why there is no value or no interval.
    """

    key: str
    first: str
    second: str
    value: float | None
    interval: Interval | None = None
    p: float | None = None
    p_holm: float | None = None
    better: str | None = None
    paired: bool = False
    reason: str | None = None


@dataclass(frozen=True)
class Rank:
    """Where a model stands by one score, 1 is best: no better than `best` and no worse than `worst`.

    best = 1 + number of models that are better beyond noise, worst = number of models - those that are worse.
    """

    best: int
    worst: int

    def __str__(self) -> str:
        return str(self.best) if self.best == self.worst else f"{self.best}-{self.worst}"


@dataclass(frozen=True)
class Agreement:
    """Kendall's tau-b between the orders of the models by two scores; None where it is undefined.

    decided: how many pairs of models both scores tell apart beyond noise; agreed: how many of these in the same
    direction.
    """

    first: str
    second: str
    kendall: float | None
    decided: int
    agreed: int


@dataclass(frozen=True, eq=False)
class Comparison(Reported):
    """Several synthetic sets graded against the same real set: `comparison["model A"]["recall"].value`.

    differences: of every pair of models in every score, in the order of the models. ranks: by score, then by
    model; scores without a direction to compare by are left out. agreements: of every pair of scores.
    """

    kind: ClassVar[str] = "comparison"

    evaluations: Mapping[str, Evaluation]
    differences: tuple[Difference, ...] = ()
    ranks: Mapping[str, Mapping[str, Rank]] = field(default_factory=dict)
    agreements: tuple[Agreement, ...] = ()

    def __post_init__(self) -> None:
        if not self.evaluations:
            raise ValueError("it holds no evaluation")

    def __getitem__(self, name: str) -> Evaluation:
        return look_up(self.evaluations, name, "model")

    def __iter__(self) -> Iterator[str]:
        return iter(self.evaluations)

    def __len__(self) -> int:
        return len(self.evaluations)
