"""What an embedder is: a frozen, named and versioned record that turns images into vectors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from truegrade.images import Images
from truegrade.images.collection import Decoded


@dataclass(frozen=True, eq=False)
class Batch:
    """What a network made of b images: features (b, d), and probabilities of c classes (b, c) where it has classes."""

    features: NDArray[np.float32]
    probabilities: NDArray[np.float32] | None = None


class Embedder:
    """Base class; subclasses are frozen dataclasses whose fields are the options.

    name: key in the registry, and what stands beside a score: "Fréchet distance (lite0)".
    """

    name: ClassVar[str]

    def describe(self) -> dict[str, Any]:
        """Everything needed to make the same vectors again, as plain JSON values.

        At least: name, version, dimension, preprocessing (size, resize filter, antialias, normalisation), fingerprint
        of the weights. Two sets compare only where this is equal; it is part of the cache key.
        """
        raise NotImplementedError

    def fit(self, real: Images) -> Self:
        """The embedder as it is for this real set; only what has to be fitted (pixels with PCA) overrides it."""
        return self

    def prepare(self, image: Decoded) -> NDArray[np.float32]:
        """One image as the network's input; called on decoding threads, so it must not change anything."""
        raise NotImplementedError

    def run(self, inputs: NDArray[np.float32]) -> Batch:
        """The network on a stack of prepared images."""
        raise NotImplementedError

    @property
    def official(self) -> Mapping[str, str]:
        """The standard names of scores in this space by metric key; empty but for the genuine standard networks."""
        return {}
