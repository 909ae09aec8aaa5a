"""The numbers of ecgen-eval 0.5.0, from its definitions, for `compat="ecgen-eval-0.5"`; written anew, for comparisons.

Where it has no rule (a NaN anywhere) there is no number here either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.registry.base import Found, RegistryMetric
from truegrade.ecg.registry.sides import Pair
from truegrade.errors import InputError

Array = NDArray[Any]
Numbers = tuple[float, dict[str, float | None]]


@dataclass
class Draws:
    """Sub-samples in the order in which that version draws them: both sides at once ("together"), or of every lead
    (real, synthetic) anew ("leads"). restart: a fresh generator for every draw."""

    count: int
    seed: int
    how: str
    restart: bool = False
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)

    def rows(self, n: int) -> Array | None:
        """Which of n rows, None for all."""
        if n <= self.count:
            return None
        rng = np.random.default_rng(self.seed) if self.restart else self.rng
        return rng.choice(n, size=self.count, replace=False)


def found_by_ecgen(metric: RegistryMetric, pair: Pair) -> list[Found]:
    """What each lead gives by that version. Raises InputError where a recording has a NaN or an infinity."""
    from truegrade.ecg.registry.compat import rhythm, vectors, waves

    for side in (pair.real, pair.synthetic):
        if not all(np.isfinite(side.raw(lead)).all() for lead in range(len(pair.leads))):
            raise InputError(f"ecgen-eval 0.5.0 has no rule for a NaN, and the {side.name} recordings have one.")
    known: dict[str, Callable[[Any, Pair], list[Numbers]]] = {
        **vectors.METRICS,
        **waves.METRICS,
        **rhythm.METRICS,
    }
    return [Found(value, extra) for value, extra in known[metric.key](metric, pair)]


def leads_of(metric: Any, pair: Pair, draws: Draws) -> Iterator[tuple[Array, Array]]:
    """(n, T) and (m, T) of each lead, sub-sampled as that version does, in the precision given."""
    sides = (pair.real, pair.synthetic)
    together = [draws.rows(len(side)) for side in sides] if draws.how == "together" else None
    for lead in range(len(pair.leads)):
        picks = together or [draws.rows(len(side)) for side in sides]
        x, y = (
            side.raw(lead) if rows is None else side.raw(lead)[rows] for side, rows in zip(sides, picks, strict=True)
        )
        yield x, y


def draws_of(metric: Any, default: int, how: str = "leads", *, seed: int | None = None, restart: bool = False) -> Draws:
    """The sub-sampling of a metric; seed: where that version fixes it."""
    count = default if metric.n_subsample is None else metric.n_subsample
    return Draws(count, metric.seed if seed is None else seed, how, restart)
