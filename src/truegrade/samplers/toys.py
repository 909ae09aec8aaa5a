"""Toy sets in the plane for demonstrations and tests: `toy(n, seed)` is an (n, 2) array. The recipes are our own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError

Floats = NDArray[np.float64]
Seed = int | np.random.Generator


def stripes(n: int, seed: Seed = 0) -> Floats:
    """Six level stripes: x ~ U(0, 1), y = (k + U(0, .3)) / 6 with k one of 0 to 5."""
    rng = _start(n, seed)
    x, k = rng.random(n), rng.integers(6, size=n)
    return np.column_stack([x, (k + rng.uniform(0.0, 0.3, n)) / 6])


def trimodal(n: int, seed: Seed = 0) -> Floats:
    """Three equal round clouds of standard deviation .3 in the corners of a triangle with sides of 2."""
    rng = _start(n, seed)
    corners = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, np.sqrt(3.0)]])
    return corners[rng.integers(3, size=n)] + rng.normal(0.0, 0.3, (n, 2))


def dart(n: int, seed: Seed = 0) -> Floats:
    """A bull's eye, a round cloud of standard deviation .15 with a third of the points, in a ring like `ring`."""
    rng = _start(n, seed)
    eye = rng.normal(0.0, 0.15, (n, 2))
    return np.where(rng.random((n, 1)) < 1 / 3, eye, _circle(np.ones(n), 0.07, rng))


def ring(n: int, seed: Seed = 0) -> Floats:
    """A ring: radius 1 with normal noise of standard deviation .07, every angle alike."""
    rng = _start(n, seed)
    return _circle(np.ones(n), 0.07, rng)


def two_rings(n: int, seed: Seed = 0) -> Floats:
    """Two such rings, of radius .5 and 1, with half of the points each."""
    rng = _start(n, seed)
    return _circle(np.where(rng.random(n) < 0.5, 0.5, 1.0), 0.07, rng)


def banana(n: int, seed: Seed = 0) -> Floats:
    """A bent cloud: x ~ N(0, 1), y = x^2 / 2 + N(0, .3^2)."""
    rng = _start(n, seed)
    x = rng.normal(size=n)
    return np.column_stack([x, x**2 / 2 + rng.normal(0.0, 0.3, n)])


TOYS: Mapping[str, Callable[[int, Seed], Floats]] = {
    toy.__name__: toy for toy in (stripes, trimodal, dart, ring, two_rings, banana)
}


def _circle(radius: Floats, noise: float, rng: np.random.Generator) -> Floats:
    angle = rng.uniform(0.0, 2.0 * np.pi, len(radius))
    far = radius + rng.normal(0.0, noise, len(radius))
    return np.column_stack([far * np.cos(angle), far * np.sin(angle)])


def _start(n: int, seed: Seed) -> np.random.Generator:
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
        raise InputError(f"A toy set takes a whole number of points above 0, not {n!r}.")
    return np.random.default_rng(seed)
