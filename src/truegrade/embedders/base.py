"""What an embedder is: a frozen, named and versioned record that turns images into vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from truegrade.images import Images
from truegrade.images.collection import Decoded

Progress = Callable[[int, int, str], None]
"""Called with the images done, the images in all, and what is being done."""


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

    def prepare(self, image: Decoded) -> NDArray[np.float32]:
        """One image as the network's input; called on decoding threads, so it must not change anything."""
        raise NotImplementedError

    def run(self, inputs: NDArray[np.float32]) -> Batch:
        """The network on a stack of prepared images."""
        raise NotImplementedError

    # --- what most embedders leave as it is ----------------------------------------------------------------

    def fit(self, real: Images, *, progress: Progress | None = None, threads: int | None = None) -> Self:
        """The embedder as it is for this real set; only what has to be fitted (pixels) overrides it.

        Call `truegrade.embedders.fit`, which keeps what was found in the cache.
        """
        return self

    @property
    def fitted(self) -> bool:
        """Whether nothing is left to be fitted."""
        return True

    @property
    def needs_real(self) -> bool:
        """Whether `fit` must see the real set; otherwise a set may be embedded by what is found in itself."""
        return False

    def state(self) -> dict[str, NDArray[Any]]:
        """What `fit` found, as arrays."""
        return {}

    def with_state(self, state: Mapping[str, NDArray[Any]]) -> Self:
        """The embedder as `fit` left it, from its `state()`; ValueError or LookupError for what cannot be one."""
        return self

    @property
    def pixels(self) -> tuple[int, ...] | None:
        """Height, width and perhaps channels, where a vector is an image; else None."""
        return None

    @property
    def official(self) -> Mapping[str, str]:
        """The standard names of scores in this space by metric key; empty but for the genuine standard networks."""
        return {}
