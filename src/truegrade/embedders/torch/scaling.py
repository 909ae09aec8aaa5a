"""One image as a network's input: resized as a whole, scaled, channels first."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.embedders.base import STRETCHED
from truegrade.embedders.torch.libraries import library
from truegrade.images.resize import Filter, resize

Three = tuple[float, float, float]
IMAGENET: tuple[Three, Three] = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


def normalised(
    pixels: NDArray[Any], size: tuple[int, int], filter: Filter, mean: Three, std: Three
) -> NDArray[np.float32]:
    """Anti-aliased float resize, then (x / 255 - mean) / std; (3, h, w)."""
    scaled = resize(pixels, size, filter=filter, antialias=True) / np.float32(255)
    return scaled_to(channels_first(scaled), mean, std)


def said_of(
    size: tuple[int, int], filter: str, mean: Three, std: Three, antialias: bool = True
) -> dict[str, Any]:
    """What an embedder that normalises so says of its preprocessing, as plain values."""
    resized = {"size": list(size), "region": STRETCHED, "filter": filter, "antialias": antialias}
    return resized | {"mean": list(mean), "std": list(std)}


def scaled_to(image: NDArray[np.float32], mean: Three, std: Three) -> NDArray[np.float32]:
    """(x - mean) / std of (3, h, w), channel by channel."""
    centre, spread = (np.array(three, np.float32)[:, None, None] for three in (mean, std))
    made: NDArray[np.float32] = (image - centre) / spread
    return made


def channels_first(image: NDArray[Any]) -> NDArray[np.float32]:
    """(h, w, 3) as a compact (3, h, w)."""
    return np.ascontiguousarray(image.transpose(2, 0, 1), np.float32)


def torch_resize(image: NDArray[Any], size: tuple[int, int], mode: str, antialias: bool) -> NDArray[np.float32]:
    """(3, h, w) resized by torch's own interpolation with align_corners False, as tools built on it do."""
    torch = library("torch")
    values = torch.from_numpy(np.ascontiguousarray(image, np.float32))[None]
    made = torch.nn.functional.interpolate(values, size=size, mode=mode, align_corners=False, antialias=antialias)
    return np.asarray(made[0].numpy(), np.float32)


def corner_resize(image: NDArray[Any], size: tuple[int, int]) -> NDArray[np.float32]:
    """(h, w, 3) bilinear between pixel corners: output pixel i samples at i * old / new, as TensorFlow 1 did.

    Not anti-aliased; the last row and column are repeated past the edge. float32 throughout, rows of each pair of
    columns first, so that it rounds as torch-fidelity's does.
    """
    values = np.asarray(image, np.float32)
    (low_y, high_y, part_y), (low_x, high_x, part_x) = (
        _corners(old, new) for old, new in zip(values.shape[:2], size, strict=True)
    )
    upper, lower = values[low_y], values[high_y]
    top = upper[:, low_x] + (upper[:, high_x] - upper[:, low_x]) * part_x[None, :, None]
    bottom = lower[:, low_x] + (lower[:, high_x] - lower[:, low_x]) * part_x[None, :, None]
    made: NDArray[np.float32] = top + (bottom - top) * part_y[:, None, None]
    return made


def _corners(old: int, new: int) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float32]]:
    at = np.arange(new, dtype=np.float32) * np.float32(old / new)
    low = at.astype(np.intp)
    return low, np.minimum(low + 1, old - 1), at - low.astype(np.float32)
