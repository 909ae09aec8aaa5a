"""What the fifteen checks draw: the laws of real and synthetic samples.

Where the paper draws the real samples once for a whole curve, so do we: `once` takes them from the generator that all
levels share, and gives the synthetic samples one of the level's own. Every draw is standardised by the real samples, as
the paper does before any metric.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from truegrade.audit.scenario import Ask, Draw, Floats

Sampler = Callable[[Ask], Floats]
MODES, REACH = 10, 10.0  # of mode dropping: so many modes, on the diagonal from 0 to this
MODE_SCALES = {1: 1 / 6, 8: 1 / 3, 64: 1.0}
KEPT_MODES = 5  # of mode dropping and invention: so many are real
OVERLAP = 0.2  # the volume that two cubes share
PARETO = 1.01
APART = 6.0  # in standard deviations: too far for two Gaussians to meet

CENTRES = np.array(
    [
        [5.46794328, -4.08481523],
        [4.87211875, -13.64864684],
        [-16.39432073, 9.09802249],
        [-2.15447941, 12.46200019],
        [11.55784483, -4.96049923],
        [-24.60558474, 14.18020818],
        [16.84215967, -3.18710751],
        [-5.47807206, -6.77247129],
        [9.46726546, 1.05922347],
        [-5.40346201, -17.29490131],
    ]
)
"""Modes of mode dropping and invention, in the paper's order: the first five are real."""


def standardised(real: Floats, synthetic: Floats) -> Draw:
    """Both sets by the mean and the standard deviation of the real one, feature by feature (a constant one stays)."""
    mean, spread = real.mean(axis=0), real.std(axis=0)
    spread[spread == 0.0] = 1.0
    return Draw((real - mean) / spread, (synthetic - mean) / spread)


@dataclass(frozen=True)
class Once:
    """Real samples the same at all levels of a repeat, synthetic ones fresh at each."""

    real: Sampler
    synthetic: Sampler

    def __call__(self, ask: Ask) -> Draw:
        real = self.real(ask)
        own = np.random.default_rng([int(ask.rng.integers(2**63)), zlib.crc32(repr(ask.level).encode())])
        return standardised(real, self.synthetic(replace(ask, rng=own)))


@dataclass(frozen=True)
class Each:
    """Both sets fresh at each level; the scenario is not paired."""

    real: Sampler
    synthetic: Sampler

    def __call__(self, ask: Ask) -> Draw:
        real = self.real(ask)
        return standardised(real, self.synthetic(ask))


# --- Gaussians ---------------------------------------------------------------------------------------------


def gaussian(d: int) -> Sampler:
    """The standard Gaussian."""
    return lambda ask: ask.rng.normal(size=(ask.n, d))


def moved_gaussian(d: int) -> Sampler:
    """Its mean moved in every feature by the level."""
    return lambda ask: ask.rng.normal(ask.level, size=(ask.n, d))


def scaled_gaussian(d: int) -> Sampler:
    """Its standard deviation the level."""
    return lambda ask: ask.rng.normal(0.0, ask.level, size=(ask.n, d))


def with_outlier(of: Sampler, place: float) -> Sampler:
    """One sample more, at this place in every feature."""

    def draw(ask: Ask) -> Floats:
        samples = of(ask)
        return np.vstack([samples, np.full((1, samples.shape[1]), place)])

    return draw


def stretched(first_mean: float) -> Sampler:
    """A Gaussian in the plane whose second feature is stretched by the level."""
    return lambda ask: ask.rng.normal([first_mean, 0.0], size=(ask.n, 2)) * [1.0, ask.level]


def beside_pareto(moves: bool) -> Sampler:
    """A Gaussian feature, moved by the level or not, and one of a Pareto law whose mean hardly exists."""

    def draw(ask: Ask) -> Floats:
        first = ask.rng.normal(ask.level if moves else 0.0, size=ask.n)
        return np.column_stack([first, 1.0 + ask.rng.pareto(PARETO, size=ask.n)])

    return draw


def one_of_many(first_mean: float) -> Sampler:
    """A Gaussian with one feature of its own mean, and as many others as the level says."""

    def draw(ask: Ask) -> Floats:
        samples = ask.rng.normal(size=(ask.n, int(ask.level) + 1))
        samples[:, 0] += first_mean
        return samples

    return draw


def on_grid(rounded: bool) -> Sampler:
    """One Gaussian feature of standard deviation the level, rounded to whole numbers or not."""

    def draw(ask: Ask) -> Floats:
        samples = ask.level * ask.rng.normal(size=(ask.n, 1))
        return np.round(samples) if rounded else samples

    return draw


# --- mixtures ----------------------------------------------------------------------------------------------


def mixture(centres: Floats, scale: float, weights: Callable[[float], Floats]) -> Sampler:
    """Gaussian modes of one scale; weights: of the modes, by level, in proportion."""

    def draw(ask: Ask) -> Floats:
        of_each = weights(ask.level)
        mode = ask.rng.choice(len(of_each), size=ask.n, p=of_each / of_each.sum())
        return ask.rng.normal(centres[mode], scale)

    return draw


def on_diagonal(d: int, weights: Callable[[float], Floats]) -> Sampler:
    """Ten modes on the diagonal."""
    centres = np.repeat(np.linspace(0.0, REACH, MODES)[:, None], d, axis=1)
    return mixture(centres, MODE_SCALES[d], weights)


def all_modes(level: float) -> Floats:
    """All alike."""
    return np.ones(MODES)


def all_but_first_lighter(level: float) -> Floats:
    """All modes but the first lose a share of their weight."""
    return np.where(np.arange(MODES) == 0, 1.0, 1.0 - level)


def last_dropped(level: float) -> Floats:
    """So many of the last modes are gone."""
    return (np.arange(MODES) < MODES - level).astype(np.float64)


def first_modes(number: int | None = None) -> Sampler:
    """The first modes in the plane, so many or as many as the level says."""
    return mixture(CENTRES, 0.25, lambda level: np.ones(int(level) if number is None else number))


def two_modes(d: int) -> Sampler:
    """Two standard Gaussians in equal parts, their means the level apart in every feature."""

    def draw(ask: Ask) -> Floats:
        side = ask.rng.choice([-0.5, 0.5], size=(ask.n, 1))
        return side * ask.level + ask.rng.normal(size=(ask.n, d))

    return draw


def one_mode(d: int) -> Sampler:
    """One Gaussian between them, as wide as sqrt(1 + level^2) in every feature."""
    return lambda ask: np.sqrt(1.0 + ask.level**2) * ask.rng.normal(size=(ask.n, d))


# --- bodies ------------------------------------------------------------------------------------------------


def sphere(d: int, scaled: bool) -> Sampler:
    """Uniform on a sphere of radius 1, or of the level."""

    def draw(ask: Ask) -> Floats:
        return (ask.level if scaled else 1.0) * _directions(ask.rng, ask.n, d)

    return draw


def cube(d: int, moved: bool = False, counts: bool = False) -> Sampler:
    """Uniform in a unit cube; moved: along the diagonal, so far that a fifth of it is still shared.

    counts: as many samples as the level says.
    """
    start = 1.0 - OVERLAP ** (1.0 / d) if moved else 0.0
    return lambda ask: ask.rng.uniform(start, start + 1.0, size=(int(ask.level) if counts else ask.n, d))


def ball(radius: float, counts: bool) -> Sampler:
    """Uniform in a ball in space about 0; counts: as many samples as the level says."""

    def draw(ask: Ask) -> Floats:
        size = int(ask.level) if counts else ask.n
        return radius * _in_ball(ask.rng, size, 3)

    return draw


def torus(radius: float, thickness: float, counts: bool) -> Sampler:
    """A disc, uniform, turned by a uniform angle about the axis that it keeps a distance from."""

    def draw(ask: Ask) -> Floats:
        size = int(ask.level) if counts else ask.n
        disc, angle = thickness * _in_ball(ask.rng, size, 2), ask.rng.uniform(0.0, 2.0 * np.pi, size=size)
        away = radius + disc[:, 0]
        return np.column_stack([away * np.cos(angle), away * np.sin(angle), disc[:, 1]])

    return draw


def _directions(rng: np.random.Generator, size: int, d: int) -> Floats:
    """Uniform on the unit sphere."""
    found = rng.normal(size=(size, d))
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))


def _in_ball(rng: np.random.Generator, size: int, d: int) -> Floats:
    """Uniform in the unit ball."""
    return _directions(rng, size, d) * rng.uniform(size=(size, 1)) ** (1.0 / d)
