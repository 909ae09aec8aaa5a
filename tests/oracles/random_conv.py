"""The untrained network written out in numpy, float64, with its weights drawn again from the raw numbers of PCG64."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Doubles = NDArray[np.float64]


def weights(seed: int) -> list[Doubles]:
    """He-uniform weights: uniform on (-b, b), b^2 = 6 / fan-in, so that the variance is 2 / fan-in."""
    raw = np.random.PCG64(seed)
    drawn, channels = [], [3, 32, 64, 128, 256, 512]
    for before, after in pairwise(channels):
        fan_in = 9 * before
        unit = raw.random_raw(after * fan_in) // 2**11 / 2**53
        weight = (2 * unit - 1) * (6 / fan_in) ** 0.5
        drawn.append(weight.astype(np.float32).astype(np.float64).reshape(after, before, 3, 3))
    return drawn


def features(image: Doubles, drawn: list[Doubles]) -> Doubles:
    """Features (512,) of one normalised image (3, side, side)."""
    x = image
    for i, weight in enumerate(drawn):
        if i:
            half = x.shape[1] // 2 * 2
            x = x[:, :half, :half].reshape(len(x), half // 2, 2, half // 2, 2).mean((2, 4))
        windows = sliding_window_view(np.pad(x, ((0, 0), (1, 1), (1, 1))), (3, 3), axis=(1, 2))
        x = np.maximum(np.einsum("oikl,ihwkl->ohw", weight, windows, optimize=True), 0)
    return np.asarray(x.mean((1, 2)))
