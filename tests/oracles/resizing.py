"""Resizing by its definition: every new pixel a weighted mean of the old ones, one axis after the other."""

from __future__ import annotations

import math

import numpy as np


def triangle(x: float) -> float:
    return max(0.0, 1 - abs(x))


def cubic(x: float, a: float = -0.5) -> float:
    x = abs(x)
    if x < 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return (((x - 5) * x + 8) * x - 4) * a if x < 2 else 0.0


def lanczos(x: float) -> float:
    return float(np.sinc(x) * np.sinc(x / 3)) if abs(x) < 3 else 0.0


def box(x: float) -> float:
    return 1.0 if -0.5 < x <= 0.5 else 0.0


KERNELS = {"bilinear": (triangle, 1.0), "bicubic": (cubic, 2.0), "lanczos": (lanczos, 3.0), "box": (box, 0.5)}


def weights(before: int, after: int, filter: str) -> np.ndarray:
    """(after, before): the kernel, widened by the shrinking factor, at the distances of pixel centres; sums are 1."""
    kernel, reach = KERNELS[filter]
    scale = before / after
    wide = max(scale, 1.0)
    out = np.zeros((after, before))
    for i in range(after):
        centre = (i + 0.5) * scale
        first = max(0, math.floor(centre - reach * wide + 0.5))
        last = min(before, math.floor(centre + reach * wide + 0.5))
        for j in range(first, last):
            out[i, j] = kernel((j + 0.5 - centre) / wide)
    return out / out.sum(axis=1, keepdims=True)


def resize(pixels: np.ndarray, height: int, width: int, filter: str) -> np.ndarray:
    down, across = weights(pixels.shape[0], height, filter), weights(pixels.shape[1], width, filter)
    return np.einsum("ij,jkc,lk->ilc", down, pixels.astype(np.float64), across)
