"""The networks that need no torch: `lite0`, EfficientNet-Lite0, and `random-conv`, an untrained one to compare with.

weights and torchfile read the weights, graph makes the models, session runs them.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from truegrade.cores import usable_cores
from truegrade.embedders.base import STRETCHED, Batch, Embedder
from truegrade.embedders.lite0 import graph, weights
from truegrade.embedders.lite0.session import kept_model, open_session, require, run_session
from truegrade.errors import InputError
from truegrade.images.collection import Decoded

Fit = Literal["crop", "stretch"]
Output = Literal["features", "probabilities", "logits"]

_LITE0_VERSION = "1"
_RANDOM_VERSION = "1"


class _Network(Embedder):
    """What both networks share: a square input made of the image, and whole numbers checked.

    The largest square in the middle of an image ("crop"), or all of it with its proportions changed ("stretch"), is
    resized with an anti-aliased bicubic filter in floating point, clipped to 0 to 255 and normalised. Square images
    come out the same either way.
    """

    fit_to: Fit
    threads: int | None
    _mean: ClassVar[float]
    _scale: ClassVar[float]

    def _check(self, **whole: tuple[int | None, int]) -> None:
        require(self.name)
        _check_choice(f"fit_to of the embedder {self.name}", self.fit_to, get_args(Fit))
        for option, (value, least) in {"threads": (self.threads, 1), **whole}.items():
            accepted = isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= least
            if not accepted and not (option == "threads" and value is None):
                raise InputError(
                    f"{option} of the embedder {self.name} is {value!r}; a whole number of at least {least} "
                    "is accepted."
                )

    @property
    def _side(self) -> int:
        raise NotImplementedError

    @property
    def _threads(self) -> int:
        return int(self.threads or usable_cores())

    def libraries(self) -> tuple[str, ...]:
        return (*super().libraries(), "onnxruntime", "onnxruntime-gpu")

    def prepare(self, image: Decoded) -> NDArray[np.float32]:
        from truegrade.images.resize import resize

        pixels = _middle(image.pixels) if self.fit_to == "crop" else image.pixels
        resized = resize(pixels, (self._side, self._side), filter="bicubic", antialias=True)
        values = np.ascontiguousarray(resized.transpose(2, 0, 1))
        np.clip(values, 0.0, 255.0, out=values)
        values -= np.float32(self._mean)
        values *= np.float32(1.0 / self._scale)
        return values

    def _preprocessing(self) -> dict[str, Any]:
        return {
            "size": [self._side, self._side],
            "fit_to": self.fit_to,
            "region": "largest square in the middle" if self.fit_to == "crop" else STRETCHED,
            "filter": "bicubic",
            "antialias": True,
            "clipped": [0, 255],
            "channels": "RGB",
            "normalisation": f"(x - {self._mean:g}) / {self._scale:g}",
        }


@dataclass(frozen=True)
class Lite0(_Network):
    """EfficientNet-Lite0, trained on ImageNet: 1280 features, and probabilities of its 1000 classes.

    Features are the mean over all places of the last convolution. Batch norm is folded into the convolutions in
    float64; the network runs in float32 on the processor. A score in this space is called after it, "Fréchet distance
    (lite0)", and compares with no score of another network.

    output: what becomes the rows: "features" (b, 1280), "logits" (b, 1000) or "probabilities" (b, 1000; the space of
    class probabilities). The probabilities are given beside the rows in any case.
    fit_to: "crop" (the largest square in the middle, as the network's own evaluation) or "stretch" (the whole image,
    as FID's usual preprocessing); the same for square images.
    threads: of the network; None is all cores. It does not change the vectors.

    Raises MissingExtra without truegrade[images], InputError for an option that is not accepted.
    Source: Tan and Le 2019, "EfficientNet"; Lite0 is its variant with ReLU6 and without squeeze-and-excitation.
    """

    name: ClassVar[str] = "lite0"
    _mean: ClassVar[float] = 127.0
    _scale: ClassVar[float] = 128.0

    output: Output = "features"
    fit_to: Fit = "crop"
    threads: int | None = None

    def __post_init__(self) -> None:
        _check_choice("output of the embedder lite0", self.output, get_args(Output))
        self._check()
        weights.find_weights()
        if self.output != "features":  # another space, and another name beside its scores
            object.__setattr__(self, "name", f"{self.name} {self.output}")

    def describe(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "version": _LITE0_VERSION,
            "network": "EfficientNet-Lite0, ImageNet",
            "output": self.output,
            "dimension": 1280 if self.output == "features" else 1000,
            "preprocessing": self._preprocessing(),
            "fingerprint": f"sha256:{weights.SHA256}",
        }

    def run(self, inputs: NDArray[np.float32]) -> Batch:
        features, logits = run_session(_lite0_session(self._threads), inputs, ("features", "logits"))
        probabilities = softmax(logits)
        return Batch({"features": features, "logits": logits}.get(self.output, probabilities), probabilities)

    @property
    def _side(self) -> int:
        return graph.LITE0_SIZE


@dataclass(frozen=True)
class RandomConv(_Network):
    """An untrained convolutional network: 512 features, no classes.

    Five 3 x 3 convolutions (32, 64, 128, 256, 512 channels) without bias, each with ReLU, 2 x 2 mean pooling between
    them, and the mean over all places at the end. Weights are He-uniform, drawn with `seed` in a way that gives the
    same numbers on every machine. It shows how much of a result is owed to training: the empirical study of Xu et al.
    2018 ("An empirical study on evaluation metrics of GANs") compares trained features with those of a randomly
    initialised network, too. This network is small and not theirs.

    size: images are resized to size x size, at least 16. fit_to, threads: as in `Lite0`.
    Raises MissingExtra without truegrade[images], InputError for an option that is not accepted.
    Source of the weights' law: He et al. 2015, "Delving deep into rectifiers", eq. 10 with a uniform law.
    """

    name: ClassVar[str] = "random-conv"
    _mean: ClassVar[float] = 127.5
    _scale: ClassVar[float] = 127.5

    seed: int = 0
    size: int = 64
    fit_to: Fit = "crop"
    threads: int | None = None

    def __post_init__(self) -> None:
        self._check(seed=(self.seed, 0), size=(self.size, 16))

    def describe(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "version": _RANDOM_VERSION,
            "network": "5 untrained 3 x 3 convolutions, He-uniform",
            "seed": int(self.seed),
            "dimension": 512,
            "preprocessing": self._preprocessing(),
            "fingerprint": f"sha256:{_random_fingerprint(int(self.seed))}",
        }

    def run(self, inputs: NDArray[np.float32]) -> Batch:
        session = _random_session(int(self.seed), int(self.size), self._threads)
        return Batch(run_session(session, inputs, ("features",))[0])

    @property
    def _side(self) -> int:
        return int(self.size)


@lru_cache(maxsize=4)
def _lite0_session(threads: int) -> Any:
    def build() -> bytes:
        return graph.lite0_model(weights.load_weights(weights.find_weights(), graph.lite0_shapes()))

    return open_session(kept_model(f"lite0-{_LITE0_VERSION}-{weights.SHA256[:16]}", build), threads)


@lru_cache(maxsize=4)
def _random_session(seed: int, size: int, threads: int) -> Any:
    return open_session(graph.random_model(graph.random_weights(seed), size), threads)


@lru_cache(maxsize=16)
def _random_fingerprint(seed: int) -> str:
    whole = hashlib.sha256()
    for weight in graph.random_weights(seed):
        whole.update(weight.astype("<f4").tobytes())
    return whole.hexdigest()


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Probabilities (b, c) of logits, computed in float64."""
    shifted = np.exp(logits.astype(np.float64) - logits.max(axis=1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=1, keepdims=True), np.float32)


def _middle(pixels: NDArray[Any]) -> NDArray[Any]:
    """The largest square in the middle of an image (height, width, 3)."""
    height, width = pixels.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    return pixels[top : top + side, left : left + side]


def _check_choice(what: str, value: object, accepted: tuple[str, ...]) -> None:
    if value not in accepted:
        raise InputError(f"{what} is {str(value)[:60]!r}; {', '.join(accepted)} are accepted.")


__all__ = ["Lite0", "RandomConv"]
