"""Alpha-precision and beta-recall in a one-class embedding, as Alaa et al. 2022 propose and the paper uses them.

The embedding is a network without biases, two hidden layers of 200 with ReLU, that 100 full steps of AdamW train to map
every real sample to the point (1, ..., 1). It is positively homogeneous, so it can only learn how far a sample may lie
in which direction; what it learns of single samples makes fresh ones look worse than those that it was trained on.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import Answers, Direct, Floats, Knn, Nearest, Need, Neighbours
from truegrade.engine.run import answer
from truegrade.metrics import AlphaPrecision, BetaRecall
from truegrade.metrics.alpha_beta import radii_about_mean
from truegrade.metrics.base import MetricInfo, Outcome
from truegrade.samples import Samples

Single = NDArray[np.float32]
HIDDEN, STEPS, RATE, DECAY = 200, 100, 1e-3, 1e-2
MOMENTS, TINY = (0.9, 0.999), 1e-8
_KEPT, _BLOCK = 8, 250


@dataclass(frozen=True, eq=False)
class Network:
    """Weights of the layers, each (inputs, outputs)."""

    layers: tuple[Single, ...]

    def __call__(self, samples: Samples) -> Single:
        """The embedded samples, (n, d)."""
        return np.concatenate([self.activations(block.astype(np.float32))[-1] for block in samples.blocks()])

    def activations(self, inputs: Single) -> list[Single]:
        """What each layer gets, and at last what comes out."""
        found = [inputs]
        for weights in self.layers[:-1]:
            found.append(np.maximum(found[-1] @ weights, 0.0))
        return [*found, found[-1] @ self.layers[-1]]


def train(samples: Samples) -> Network:
    """A network that has learnt to map these samples to (1, ..., 1); what it starts from depends on them alone."""
    rng = np.random.default_rng(np.frombuffer(samples.fingerprint.encode(), np.uint8))
    sizes, inputs = (samples.d, HIDDEN, HIDDEN, samples.d), samples.array().astype(np.float32)
    layers = [_start(rng, *shape) for shape in pairwise(sizes)]
    means, squares = ([np.zeros_like(weights) for weights in layers] for _ in range(2))
    for step in range(1, STEPS + 1):
        for i, slope in enumerate(_slopes(Network(tuple(layers)), inputs)):
            means[i] += (1.0 - MOMENTS[0]) * (slope - means[i])
            squares[i] += (1.0 - MOMENTS[1]) * (slope * slope - squares[i])
            size = np.sqrt(squares[i] / (1.0 - MOMENTS[1] ** step)) + TINY
            layers[i] = layers[i] * (1.0 - RATE * DECAY) - RATE / (1.0 - MOMENTS[0] ** step) * means[i] / size
    return Network(tuple(layers))


def _start(rng: np.random.Generator, inputs: int, outputs: int) -> Single:
    """Uniform within 1 / sqrt(inputs)."""
    bound = 1.0 / np.sqrt(inputs)
    return rng.uniform(-bound, bound, size=(inputs, outputs)).astype(np.float32)


def _slopes(network: Network, inputs: Single) -> list[Single]:
    """The gradient of 100 times the mean squared distance to (1, ..., 1), by layer."""
    total = [np.zeros_like(weights) for weights in network.layers]
    for first in range(0, len(inputs), _BLOCK):  # so many rows stay in a processor's cache
        *hidden, out = network.activations(inputs[first : first + _BLOCK])
        back = np.float32(200.0 / len(inputs)) * (out - np.float32(1.0))
        for i in reversed(range(len(hidden))):
            total[i] += hidden[i].T @ back
            if i:
                back = (back @ network.layers[i].T) * (hidden[i] > 0.0)
    return total


# --- what the metrics read ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Embedded:
    """A network and the real samples that it was trained on, embedded, with the nearest other one of each."""

    network: Network
    real: Samples
    own: Neighbours


class _Memo:
    """The last few networks by their samples, so that all levels of a scenario share one."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Embedded] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, real: Samples) -> Embedded:
        with self._lock:
            if real.fingerprint in self._kept:
                self._kept.move_to_end(real.fingerprint)
                return self._kept[real.fingerprint]
        made = _embedded(real)
        with self._lock:
            self._kept[real.fingerprint] = made
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return made


def _embedded(real: Samples) -> Embedded:
    network = train(real)
    inside = Samples.from_array(network(real).astype(np.float64), name=real.name)
    return Embedded(network, inside, answer((Knn("real", 1),), {"real": inside}, threads=1)[Knn("real", 1)])


_MEMO = _Memo()


def embedded_radii(real: Samples, of: Samples) -> Floats:
    """Distance of each sample of `of` to (1, ..., 1) in the embedding that the real samples are trained for, (n,)."""
    return np.asarray(np.linalg.norm(_MEMO.of(real).network(of).astype(np.float64) - 1.0, axis=1))


def embedded_neighbours(real: Samples, synthetic: Samples) -> tuple[Neighbours, Neighbours, Floats]:
    """In the embedding: of each real sample the nearest other real and the nearest synthetic one; and how far each
    synthetic sample is from the mean of all."""
    known = _MEMO.of(real)
    inside = Samples.from_array(known.network(synthetic).astype(np.float64), name=synthetic.name)
    nearest = Nearest("real", "synthetic", 1)
    matched = answer((nearest,), {"real": known.real, "synthetic": inside}, threads=1)[nearest]
    return known.own, matched, radii_about_mean(inside, inside)


@dataclass(frozen=True)
class OneClassAlphaPrecision(AlphaPrecision):
    """Alpha-precision about the centre (1, ..., 1) of a one-class embedding trained on the real samples.

    Parameters, formula and what it raises: as without the network, whose mean it has no use for. Real (N, d), synthetic
    (M, d). Source: Alaa et al. 2022 (the embedding of section 4), with the parameters of its published code.
    """

    info: ClassVar[MetricInfo] = replace(
        AlphaPrecision.info, title="Alpha-precision (one-class embedding)", invariances=frozenset({"order"})
    )

    def needs(self) -> tuple[Need, ...]:
        return (Direct(embedded_radii, ("real", "real")), Direct(embedded_radii, ("real", "synthetic")))


@dataclass(frozen=True)
class OneClassBetaRecall(BetaRecall):
    """Beta-recall in a one-class embedding trained on the real samples, about the mean of the embedded synthetic ones.

    Parameters, formula and what it raises: as without the network. Real (N, d), synthetic (M, d). Source: Alaa et al.
    2022, with the parameters of its published code.
    """

    info: ClassVar[MetricInfo] = replace(
        BetaRecall.info, title="Beta-recall (one-class embedding)", invariances=frozenset({"order"})
    )

    def needs(self) -> tuple[Need, ...]:
        return (Direct(embedded_neighbours, ("real", "synthetic")),)

    def compute(self, answers: Answers) -> Outcome:
        own, matched, radii = answers[self.needs()[0]]
        inside = dict(zip(super().needs(), (own, matched, radii), strict=True))
        return super().compute(Answers(inside, answers.sizes, answers.dimension))
