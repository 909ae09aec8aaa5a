"""Resizing in floats: values are not rounded to whole numbers, and shrinking averages over all pixels it leaves out.

With `antialias` the filters are Pillow's, which widen with the shrinking factor, taken in 32-bit floats as products
with sparse matrices: half the time of Pillow's own float resampling, and the same values to rounding. Without it only
the nearest 1, 4 or 16 pixels are read however far the image shrinks, as
`torch.nn.functional.interpolate(align_corners=False)` does: some protocols are defined so. It aliases.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError

RULE = 2  # version of the values that come out; another one makes another feature space
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
    if filter == "nearest":
        rows, columns = (_centres(*pair) for pair in zip(values.shape[:2], (height, width), strict=True))
        return np.ascontiguousarray(values[np.ix_(rows, columns)])
    return _resampled(values.reshape(*values.shape[:2], -1), height, width, filter).reshape(
        height, width, *values.shape[2:]
    )


def _checked(size: object) -> tuple[int, int]:
    parts = tuple(size) if isinstance(size, (tuple, list)) else ()
    if len(parts) != 2 or not all(isinstance(v, (int, np.integer)) and v > 0 for v in parts):
        raise InputError(f"size={size!r} given; (height, width) in whole pixels is accepted.")
    return int(parts[0]), int(parts[1])


def _resampled(values: NDArray[np.float32], height: int, width: int, filter: str) -> NDArray[np.float32]:
    """(h, w, c) resized along the height, then along the width."""
    before_height, before_width, channels = values.shape
    tall = _weights(before_height, height, filter) @ values.reshape(before_height, -1)
    turned = np.ascontiguousarray(tall.reshape(height, before_width, channels).transpose(1, 0, 2))
    wide = _weights(before_width, width, filter) @ turned.reshape(before_width, -1)
    return np.ascontiguousarray(wide.reshape(width, height, channels).transpose(1, 0, 2))


@lru_cache(maxsize=64)
def _weights(before: int, after: int, filter: str) -> Any:
    """The sparse matrix (after, before) of what each new pixel takes from the old ones, as Pillow's resampling does.

    A new pixel takes those within the filter's reach of its centre, widened by the shrinking factor; weights sum to 1.
    """
    from scipy.sparse import csr_matrix

    reach, kernel = _KERNELS[filter]
    step = before / after
    wider = max(step, 1.0)
    centre = (np.arange(after) + 0.5) * step
    first = np.maximum((centre - reach * wider + 0.5).astype(np.intp), 0)
    last = np.minimum((centre + reach * wider + 0.5).astype(np.intp), before)
    places = first[:, None] + np.arange(int((last - first).max()))
    weights = np.where(places < last[:, None], kernel((places - centre[:, None] + 0.5) / wider), 0.0)
    weights /= weights.sum(axis=1, keepdims=True)
    rows, taps = np.nonzero(weights)
    return csr_matrix((weights[rows, taps].astype(np.float32), (rows, places[rows, taps])), shape=(after, before))


def _centres(before: int, after: int) -> NDArray[np.intp]:
    """The old pixel in which the centre of each new one lies; summed up step by step, as Pillow does."""
    steps = np.full(after, before / after)
    steps[0] *= 0.5
    return np.minimum(np.cumsum(steps).astype(np.intp), before - 1)


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


def _cubic(x: NDArray[np.float64], a: float = _CUBIC) -> NDArray[np.float64]:
    """The cubic convolution kernel at distances of at most 2. Source: Keys 1981, doi:10.1109/TASSP.1981.1163711."""
    near = (a + 2) * x**3 - (a + 3) * x**2 + 1
    far = a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a
    return np.where(x <= 1, near, far)


def _box(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return ((x > -0.5) & (x <= 0.5)).astype(np.float64)


def _triangle(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.maximum(1.0 - np.abs(x), 0.0)


def _bicubic(x: NDArray[np.float64]) -> NDArray[np.float64]:
    away = np.abs(x)
    return np.where(away < 2.0, _cubic(away, -0.5), 0.0)


def _lanczos(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where((x >= -3.0) & (x < 3.0), np.sinc(x) * np.sinc(x / 3.0), 0.0)


_KERNELS: dict[str, tuple[float, Callable[[NDArray[np.float64]], NDArray[np.float64]]]] = {
    "box": (0.5, _box),
    "bilinear": (1.0, _triangle),
    "bicubic": (2.0, _bicubic),
    "lanczos": (3.0, _lanczos),
}
