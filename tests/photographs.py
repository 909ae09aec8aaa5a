"""Photographs and textures that come with scikit-image, and tiles of them; read from its wheel, never downloaded."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.images import Decoded

Pixels = NDArray[np.uint8]


@cache
def photograph(name: str) -> Pixels:
    """An image (height, width, 3) by its file's name, such as "coffee.png"."""
    from PIL import Image

    spec = find_spec("skimage")
    assert spec is not None
    assert spec.origin is not None
    with Image.open(Path(spec.origin).parent / "data" / name) as image:
        return np.asarray(image.convert("RGB"))


def tiles(name: str, side: int, count: int, *, odd: bool) -> list[Pixels]:
    """`count` tiles spread evenly over a photograph, of the odd or the even squares of its chequerboard."""
    image = photograph(name)
    places = [
        (top, left)
        for top in range(0, image.shape[0] - side + 1, side)
        for left in range(0, image.shape[1] - side + 1, side)
        if (top // side + left // side) % 2 == odd
    ]
    chosen = np.linspace(0, len(places) - 1, count).round().astype(int)
    assert len(set(chosen)) == count, f"{name} has {len(places)} such tiles"
    return [image[top : top + side, left : left + side] for top, left in (places[at] for at in chosen)]


def blurred(tile: NDArray[Any], pixels: float) -> NDArray[np.float32]:
    """The tile under a Gaussian blur of this standard deviation."""
    from scipy.ndimage import gaussian_filter

    return np.asarray(gaussian_filter(tile.astype(np.float32), (pixels, pixels, 0), mode="reflect"))


def noisy(tile: NDArray[Any], levels: float, rng: np.random.Generator) -> NDArray[np.float32]:
    """The tile with Gaussian noise of this standard deviation (of 255 levels), clipped to 0 to 255."""
    return np.asarray((tile + levels * rng.standard_normal(tile.shape)).clip(0, 255), np.float32)


def decoded(pixels: NDArray[Any], index: int = 0) -> Decoded:
    return Decoded(index, pixels, False, {})
