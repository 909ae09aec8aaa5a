"""The pairs: what is real, and how synthetic points are drawn."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Protocol

import numpy as np

import truegrade as tg
from truegrade.samplers import GaussianCopula, IndependentMargins, MultivariateNormal, toys
from truegrade.samplers.known import anscombe, energy

Points = np.ndarray  # (n, 2)


class Source(Protocol):
    """What makes synthetic points."""

    def sample(self, n: int, rng: int | np.random.Generator) -> Points: ...


@dataclass(frozen=True)
class Case:
    """A pair of columns. source: what makes the synthetic points, `size` of them, or the points themselves."""

    key: str
    title: str
    real: Points
    source: Source | Points
    times: int = 1
    bandwidth: str = "own"

    @property
    def fixed(self) -> bool:
        """Whether there is only one synthetic set."""
        return isinstance(self.source, np.ndarray)

    @property
    def size(self) -> int:
        return self.times * len(self.real)

    def draw(self, seed: int) -> Points:
        """One synthetic set."""
        return self.source if isinstance(self.source, np.ndarray) else self.source.sample(self.size, seed)


@dataclass(frozen=True)
class Toy:
    """A toy set as a source: the true law."""

    toy: Callable[[int, int | np.random.Generator], Points]

    def sample(self, n: int, rng: int | np.random.Generator) -> Points:
        return self.toy(n, np.random.default_rng([1, rng]) if isinstance(rng, int) else rng)


@dataclass(frozen=True)
class NormalMargins:
    """Two independent normal columns."""

    parts: tuple[MultivariateNormal, MultivariateNormal]

    def sample(self, n: int, rng: int | np.random.Generator) -> Points:
        rng = np.random.default_rng(rng)
        return np.hstack([column.sample(n, rng) for column in self.parts])


def cases(datasaurus: Path | None = None) -> Iterator[Case]:
    """All pairs; those of the Datasaurus where its file is given."""
    yield from _toys()
    rows, sets = energy(), anscombe()
    yield Case("energy", "Energy X2, X3 against a Gaussian copula", rows, GaussianCopula(rows))
    for one, other in combinations(sets, 2):
        yield Case(f"anscombe_{one}_{other}", f"Anscombe {one} against {other}", sets[one], sets[other])
    yield from _stripes()
    if datasaurus is not None:
        yield from _datasaurus(read_datasaurus(datasaurus))


def _toys() -> Iterator[Case]:
    ring, two, banana = toys.ring(2000, 0), toys.two_rings(1000, 0), toys.banana(1000, 0)
    yield Case("ring", "Ring against its shuffled columns", ring, IndependentMargins(ring))
    yield Case("ring_fresh", "Ring against a fresh ring", ring, Toy(toys.ring))
    yield Case("two_rings", "Two rings against their shuffled columns", two, IndependentMargins(two))
    yield Case("banana", "Banana against a normal distribution", banana, MultivariateNormal(banana))


def _stripes() -> Iterator[Case]:
    """Stripes and their copula, a perfect model of them, at the real size and at twenty times as many points."""
    real = toys.stripes(2000, 0)
    for times, bandwidth in ((1, "own"), (20, "own"), (20, "shared")):
        title = f"Stripes against a copula, {2000 * times:,} points, {bandwidth} bandwidth"
        yield Case(f"stripes_{times}_{bandwidth}", title, real, GaussianCopula(real), times, bandwidth)


def _datasaurus(sets: Mapping[str, Points]) -> Iterator[Case]:
    dino = sets["dino"]
    alone = NormalMargins((MultivariateNormal(dino[:, :1]), MultivariateNormal(dino[:, 1:])))
    yield Case("dino", "Dino against a Gaussian of its means and deviations", dino, alone)
    for one, other in (("circle", "x_shape"), ("dino", "slant_up")):
        title = f"Datasaurus {one} against {other}"
        yield Case(f"datasaurus_{one}_{other}", title, sets[one], sets[other])


def read_datasaurus(path: Path) -> dict[str, Points]:
    """The 13 sets by name from the tab-separated table dataset, x, y of the R package datasauRus."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        sets: dict[str, list[tuple[float, float]]] = {}
        for row in rows:
            sets.setdefault(row["dataset"], []).append((float(row["x"]), float(row["y"])))
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise tg.InputError(
            f"{path} is not the tab-separated table dataset, x, y of the Datasaurus: {error}"
        ) from error
    if not {"dino", "circle", "x_shape", "slant_up"} <= set(sets):
        raise tg.InputError(f"{path} holds {', '.join(sets) or 'no sets'}; the Datasaurus has dino and twelve others.")
    return {name: np.array(points) for name, points in sets.items()}
