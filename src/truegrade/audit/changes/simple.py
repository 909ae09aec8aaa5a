"""A simple generative model of images: a Gaussian on the leading principal parts of the real ones."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from truegrade.embedders.pixels import is_grey
from truegrade.engine.blas import single_thread
from truegrade.images import Decoded, Images, resize

_PARTS, _LEARN = 64, 1000  # principal parts, and images that are learnt from
_MOST = 64 * 64  # pixels of an image that is learnt at its own size
_SIDE = 64  # at which all others are learnt, and from which they are resized


@dataclass(frozen=True, eq=False)
class SimpleModel:
    """mean (h, w, c), parts (r, h, w, c) of images in 0 to 255: a draw is the mean and a normal share of each part."""

    mean: NDArray[np.float32]
    parts: NDArray[np.float32]

    @property
    def fingerprint(self) -> str:
        """Hash of both."""
        return hashlib.sha256(self.mean.tobytes() + self.parts.tobytes()).hexdigest()[:16]

    def draw_for(self, pixels: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
        """One image of the size of this one, (h, w, 3), and grey if this one is."""
        drawn = self.mean + np.tensordot(rng.standard_normal(len(self.parts), np.float32), self.parts, 1)
        drawn = resize(drawn.clip(0.0, 255.0), pixels.shape[:2], filter="bicubic")
        if is_grey(pixels):
            drawn = drawn.mean(axis=2, keepdims=True)
        return np.asarray(np.broadcast_to(drawn, pixels.shape), np.float32)


def learn(images: Images, seed: int) -> SimpleModel:
    """The model of up to 1,000 of the images, drawn with the seed; of their own size where they have one small size.

    Covariance: that of the images on their 64 leading principal parts (half of their number where they are few).
    """
    rows = np.sort(np.random.default_rng(seed).permutation(len(images))[:_LEARN])
    learnt = [image.pixels for image in images.stream(rows) if isinstance(image, Decoded)]
    sizes = {pixels.shape[:2] for pixels in learnt}
    small = len(sizes) == 1 and np.prod(learnt[0].shape[:2]) <= _MOST
    size = learnt[0].shape[:2] if small else (_SIDE, _SIDE)
    channels = 1 if all(map(is_grey, learnt)) else 3
    values = np.stack([resize(pixels[:, :, :channels], size) for pixels in learnt]).astype(np.float64)
    mean, parts = principal_parts(values.reshape(len(values), -1), max(1, min(_PARTS, len(values) // 2)))
    shape = values.shape[1:]
    return SimpleModel(mean.reshape(shape).astype(np.float32), parts.reshape(-1, *shape).astype(np.float32))


def principal_parts(values: NDArray[np.float64], count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mean (d,) of values (n, d), and their `count` leading principal directions (count, d), each as long as the
    values' standard deviation along it; by the products of rows, which are few."""
    n, mean = len(values), values.mean(axis=0)
    centred = values - mean
    with single_thread():
        _, left = eigh(centred @ centred.T, subset_by_index=(n - count, n - 1))
        return mean, left.T @ centred / np.sqrt(max(n - 1, 1))
