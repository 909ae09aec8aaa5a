"""Resizing in floats: values are not rounded to whole numbers, and shrinking averages over all pixels it leaves out.

With `antialias` each channel goes through Pillow's resampling of 32-bit floats, whose filter widens with the shrinking
factor. Without it only the nearest 1, 4 or 16 pixels are read however far the image shrinks, as
`torch.nn.functional.interpolate(align_corners=False)` does: some protocols are defined so. It aliases.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError
from truegrade.images.decode import pillow

RULE = 1  # version of the values that come out; another one makes another feature space
Filter = Literal["bicubic", "bilinear", "lanczos", "box", "nearest"]
_CUBIC = -0.75  # the a of the cubic kernel without anti-aliasing, torch's; Pillow's filter has -0.5
_SUPPORT = {"nearest": (0,), "bilinear": (0, 1), "bicubic": (-1, 0, 1, 2)}


def resize(
    pixels: NDArray[Any], size: tuple[int, int], filter: Filter = "bicubic", antialias: bool = True
) -> NDArray[np.float32]:
    """`pixels` (h, w, c), or (h, w), resized to `size` (height, width), as float32 in the unit of the input.

    Bicubic and lanczos have negative lobes, so values beside an edge can go beyond the range of the input (for 0 to
    255 a few dozen below 0 or above 255); nothing is clipped here. Clip where the network or the protocol wants it.
    An image that has the size already comes back with its values unchanged.

    Raises InputError for another shape, a size that is not two positive whole numbers, an unknown filter, and lanczos
    and box without `antialias`.
    """
    pixels = np.asarray(pixels)
    if pixels.ndim not in (2, 3) or pixels.size == 0:
        raise InputError(f"An image of shape {pixels.shape} given; (height, width, channels) is accepted.")
    height, width = _checked(size)
    known = get_args(Filter) if antialias else tuple(_SUPPORT)
    if filter not in known:
        how = "" if antialias else " without anti-aliasing"
        raise InputError(f"filter={filter!r} given; {', '.join(known)} are accepted{how}.")
    values = pixels.astype(np.float32)
    if pixels.shape[:2] == (height, width):
        return values
    if not antialias:
        return _along(_along(values, height, 0, filter), width, 1, filter)
    if values.ndim == 2:
        return _resample(values, height, width, filter)
    return np.stack([_resample(values[:, :, c], height, width, filter) for c in range(values.shape[2])], axis=2)


def _checked(size: object) -> tuple[int, int]:
    parts = tuple(size) if isinstance(size, (tuple, list)) else ()
    if len(parts) != 2 or not all(isinstance(v, (int, np.integer)) and v > 0 for v in parts):
        raise InputError(f"size={size!r} given; (height, width) in whole pixels is accepted.")
    return int(parts[0]), int(parts[1])


def _resample(channel: NDArray[np.float32], height: int, width: int, filter: str) -> NDArray[np.float32]:
    """One channel by Pillow's resampling in mode F."""
    module = pillow()
    image = module.fromarray(np.ascontiguousarray(channel))
    resampled: NDArray[np.float32] = np.asarray(image.resize((width, height), module.Resampling[filter.upper()]))
    return resampled


def _along(values: NDArray[np.float32], length: int, axis: int, filter: str) -> NDArray[np.float32]:
    """`values` sampled at `length` places along an axis, each from its nearest pixels."""
    if values.shape[axis] == length:
        return values
    places, weights = _taps(values.shape[axis], length, filter)
    shape = [1] * values.ndim
    shape[axis] = length
    parts = [values.take(at, axis) * weight.reshape(shape) for at, weight in zip(places, weights, strict=True)]
    return np.asarray(sum(parts[1:], parts[0]), np.float32)


@lru_cache(maxsize=64)
def _taps(before: int, after: int, filter: str) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Which pixels (k, after) each new one is made of, and their weights; places in float32, as torch has them."""
    scale = np.float32(before) / np.float32(after)
    step = np.arange(after, dtype=np.float32)
    if filter == "nearest":
        return np.minimum((step * scale).astype(np.intp), before - 1)[None], np.ones((1, after), np.float32)
    exact = np.float64(scale) * (step.astype(np.float64) + 0.5) - 0.5  # rounded once, as with a fused product
    place = exact.astype(np.float32).astype(np.float64)
    if filter == "bilinear":
        place = np.maximum(place, 0)
    base = np.floor(place)
    taps = np.array(_SUPPORT[filter])[:, None]
    away = np.abs((place - base)[None] - taps)
    weights = 1 - away if filter == "bilinear" else _cubic(away)
    return np.clip(base.astype(np.intp)[None] + taps, 0, before - 1), weights.astype(np.float32)


def _cubic(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The cubic convolution kernel at distances of at most 2. Source: Keys 1981, doi:10.1109/TASSP.1981.1163711."""
    a = _CUBIC
    near = (a + 2) * x**3 - (a + 3) * x**2 + 1
    far = a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a
    return np.where(x <= 1, near, far)
