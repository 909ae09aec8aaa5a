"""A small digit classifier in numpy: its class probabilities and its last hidden layer are two spaces of the study."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]
_WIDTHS = (128, 64)
_RATE, _DECAY_1, _DECAY_2, _TINY = 1e-3, 0.9, 0.999, 1e-8
_BATCH = 100


@dataclass(frozen=True, eq=False)
class DigitClassifier:
    """Two hidden layers of rectified units and a softmax, by `fit_classifier`."""

    weights: tuple[Floats, ...]
    offsets: tuple[Floats, ...]

    def features(self, images: Pixels) -> Floats:
        """The last hidden layer, (n, 64)."""
        return self.both(images)[0]

    def probabilities(self, images: Pixels) -> Floats:
        """Of the classes, (n, c)."""
        return self.both(images)[1]

    def both(self, images: Pixels) -> tuple[Floats, Floats]:
        """Features and probabilities, on one core: threads would wait for each other in so small matrices."""
        with threadpool_limits(1):
            layers = self._layers(flat(images))
        return layers[-2], _softmax(layers[-1])

    def accuracy(self, images: Pixels, labels: NDArray[np.int64]) -> float:
        return float((self.probabilities(images).argmax(1) == labels).mean())

    def _layers(self, values: Floats) -> list[Floats]:
        """The input and what every layer makes of it; the last are logits."""
        layers = [values]
        for weight, offset in zip(self.weights[:-1], self.offsets[:-1], strict=True):
            layers.append(np.maximum(layers[-1] @ weight + offset, 0.0))
        return [*layers, layers[-1] @ self.weights[-1] + self.offsets[-1]]


def flat(images: Pixels) -> Floats:
    """Images (n, height, width), or with three equal channels, as rows of values 0 to 1."""
    grey = images[..., 0] if images.ndim == 4 else images
    return np.asarray(grey.reshape(len(grey), -1) / 255.0, np.float64)


def fit_classifier(images: Pixels, labels: NDArray[np.int64], *, seed: int = 0, epochs: int = 15) -> DigitClassifier:
    """Trained by Adam (Kingma & Ba 2015) on the cross-entropy, on one core: the matrices are small."""
    with threadpool_limits(1):
        return _fit(images, labels, np.random.default_rng(seed), epochs)


def _fit(images: Pixels, labels: NDArray[np.int64], rng: np.random.Generator, epochs: int) -> DigitClassifier:
    values, targets = flat(images), np.eye(int(labels.max()) + 1)[labels]
    sizes = (values.shape[1], *_WIDTHS, targets.shape[1])
    weights = [rng.normal(0.0, np.sqrt(2.0 / a), (a, b)) for a, b in pairwise(sizes)]
    parameters = [*weights, *(np.zeros(b) for b in sizes[1:])]
    first, second = ([np.zeros_like(p) for p in parameters] for _ in range(2))
    step, count = 0, len(weights)
    for _ in range(epochs):
        for rows in np.array_split(rng.permutation(len(values)), max(1, len(values) // _BATCH)):
            step += 1
            current = DigitClassifier(tuple(parameters[:count]), tuple(parameters[count:]))
            slopes = _slopes(current, values[rows], targets[rows])
            for p, g, m, v in zip(parameters, slopes, first, second, strict=True):
                m += (1 - _DECAY_1) * (g - m)
                v += (1 - _DECAY_2) * (g * g - v)
                p -= _RATE * (m / (1 - _DECAY_1**step)) / (np.sqrt(v / (1 - _DECAY_2**step)) + _TINY)
    return DigitClassifier(tuple(parameters[:count]), tuple(parameters[count:]))


def _slopes(model: DigitClassifier, values: Floats, targets: Floats) -> list[Floats]:
    """Of the mean cross-entropy, by every weight and then every offset."""
    layers = model._layers(values)
    error = (_softmax(layers[-1]) - targets) / len(values)
    weights, offsets = [], []
    for layer in reversed(range(len(model.weights))):
        weights.append(layers[layer].T @ error)
        offsets.append(error.sum(0))
        error = (error @ model.weights[layer].T) * (layers[layer] > 0)
    return [*reversed(weights), *reversed(offsets)]


def _softmax(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max(1, keepdims=True))
    return np.asarray(powers / powers.sum(1, keepdims=True))
