"""In the space of lite0 the kernel distance puts damage to photographs in the order in which it was done."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import truegrade as tg
from photographs import blurred, decoded, noisy, tiles
from truegrade.embedders import Embedder
from truegrade.embedders.lite0 import Lite0, RandomConv

PHOTOGRAPHS = ("astronaut.png", "chelsea.png", "coffee.png", "rocket.jpg")
TEXTURES = ("brick.png", "grass.png", "gravel.png")
SIDE = 64

Array = np.ndarray[Any, Any]


def embedded(embedder: Embedder, images: Iterable[Array]) -> Array:
    return np.concatenate([embedder.run(embedder.prepare(decoded(image))[None]).features for image in images])


def distance(real: Array, synthetic: Array) -> float:
    value = tg.metrics.KernelDistance()(real, synthetic).value
    assert value is not None
    return value


def test_more_blur_and_more_noise_are_farther_from_the_real_photographs() -> None:
    """32 real tiles against 32 others of the same photographs, damaged; blur in pixels, noise in levels of 255."""
    real, others = ([tile for name in PHOTOGRAPHS for tile in tiles(name, SIDE, 8, odd=odd)] for odd in (False, True))
    lite0, rng = Lite0(), np.random.default_rng(0)
    reference = embedded(lite0, real)

    def distances(damaged: Iterable[Iterable[Array]]) -> list[float]:
        return [distance(reference, embedded(lite0, images)) for images in damaged]

    blur = distances([blurred(tile, pixels) for tile in others] for pixels in (0.5, 1, 2))
    noise = distances([noisy(tile, levels, rng) for tile in others] for levels in (5, 15, 40))
    unchanged = distance(reference, embedded(lite0, others))
    for ladder in (blur, noise):
        assert all(less < more for less, more in pairwise([unchanged, *ladder]))


@pytest.mark.parametrize("kind", [Lite0, RandomConv])
def test_a_texture_is_nearer_to_itself_than_to_any_other(kind: type[Embedder]) -> None:
    """16 tiles of each texture against 16 others of the same one, and of another."""
    embedder = kind()
    even, odd = (
        {name: embedded(embedder, tiles(name, SIDE, 16, odd=odd)) for name in TEXTURES} for odd in (False, True)
    )
    for name in TEXTURES:
        same = distance(even[name], odd[name])
        different = [distance(even[name], odd[other]) for other in TEXTURES if other != name]
        assert same < 0.1 * min(different)
