"""What the neighbour metrics share: the tie rule, metrics over balls, shares of samples, warnings about radii of 0."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import Answers, BallCounts, Balls, Side
from truegrade.errors import InputError, Notice, notice
from truegrade.metrics.base import Means, Metric, Outcome, check_k, check_k_fits, undefined

Ties = Literal["closed", "strict"]
Compat = Literal["official"]


def check_ties(ties: str) -> None:
    """Refuse a tie rule that is neither closed (d <= r counts) nor strict (d < r counts)."""
    if ties not in ("closed", "strict"):
        raise InputError(f"ties={ties!r} given; 'closed' (d <= r is inside) or 'strict' (d < r) is accepted.")


def check_compat(compat: str | None) -> None:
    """Refuse a convention other than the formula (None) and the published code ('official')."""
    if compat not in (None, "official"):
        raise InputError(f"compat={compat!r} given; None (the formula) or 'official' (the published code) is accepted.")


def zero_radius_notices(radii: NDArray[Any], side: str, k: int, ties: str = "closed") -> tuple[Notice, ...]:
    """A notice when samples of `side` have k or more exact duplicates, so that their ball is a point."""
    count = int((radii == 0).sum())
    if not count:
        return ()
    if ties == "strict":
        return (notice("zero_radius_strict", count=count, n=len(radii), side=side),)
    return (notice("zero_radius", count=count, n=len(radii), side=side, k=k),)


def all_empty(radii: NDArray[Any], side: str, k: int, ties: str) -> Outcome | None:
    """Undefined when the tie rule is strict and every ball is a point: nothing could ever be inside."""
    if ties == "closed" or bool((radii > 0).any()):
        return None
    return undefined(
        f"every {side} sample has {k} or more exact duplicates, so every ball has radius 0 and with strict "
        "ties holds nothing; use ties='closed'",
        zero_radius_notices(radii, side, k, ties),
    )


@dataclass(frozen=True, kw_only=True)
class BallMetric(Metric):
    """A metric that asks who lies in whose k-neighbour ball; subclasses say which balls, and judge them."""

    k: int = 5
    ties: Ties = "closed"

    def __post_init__(self) -> None:
        check_k(self.k)
        check_ties(self.ties)

    def check_sizes(self, n_real: int, n_synthetic: int) -> None:
        sizes: dict[Side, int] = {"real": n_real, "synthetic": n_synthetic}
        for need in self.needs():
            check_k_fits(need.k, sizes[need.centres], str(need.centres))

    def needs(self) -> tuple[BallCounts, ...]:
        raise NotImplementedError

    def compute(self, answers: Answers) -> Outcome:
        needs = self.needs()
        balls = tuple(answers[need] for need in needs)
        for need, these in zip(needs, balls, strict=True):
            empty = all_empty(these.radii, str(need.centres), self.k, self.ties)
            if empty is not None:
                return empty
        notices = (
            zero_radius_notices(these.radii, str(need.centres), self.k, self.ties)
            for need, these in zip(needs, balls, strict=True)
        )
        return self.judge(balls, tuple(n for some in notices for n in some))

    def judge(self, balls: tuple[Balls, ...], warnings: tuple[Notice, ...]) -> Outcome:
        """The value from the answers to `needs()`; warnings about balls of radius 0 are given."""
        raise NotImplementedError


def unchanged(mean: float) -> float:
    """The value that is the mean itself."""
    return mean


def scaled(factor: float, mean: float) -> float:
    """The value that is a fixed multiple of the mean."""
    return factor * mean


def share(inside: NDArray[np.bool_], side: str, warnings: tuple[Notice, ...] = ()) -> Outcome:
    """The share of samples of `side` that are inside, with each sample's own 0 or 1."""
    return mean_of(inside.astype(np.float64), side, warnings)


def mean_of(
    values: NDArray[np.float64],
    side: str,
    warnings: tuple[Notice, ...] = (),
    factor: float = 1.0,
    **details: float,
) -> Outcome:
    """`factor` times the mean of one number per sample of `side`."""
    combine = unchanged if factor == 1.0 else partial(scaled, factor)
    means = Means(((side, values),), combine)
    return Outcome(means.value(), per_sample={side: factor * values}, details=details, warnings=warnings, means=means)
