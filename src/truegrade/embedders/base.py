"""What an embedder is: a frozen, named and versioned record that turns images into vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from truegrade.images import Images
from truegrade.images.collection import Decoded

Progress = Callable[[int, int, str], None]
"""Called with the images done, the images in all, and what is being done."""
WHOLE = "all"
STRETCHED = "all, proportions changed"
"""What `preprocessing` says of the `region` of an image that is embedded, as it is or resized to one size."""


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

        At least: name, version (a text), dimension (None where it is not known before), preprocessing (size, region,
        resize filter, antialias, normalisation), fingerprint of the weights. Two sets compare only where this is equal;
        it is part of the cache key.
        """
        raise NotImplementedError

    def prepare(self, image: Decoded) -> NDArray[np.float32]:
        """One image as the network's input; called on decoding threads, so it must not change anything."""
        raise NotImplementedError

    def run(self, inputs: NDArray[np.float32]) -> Batch:
        """The network on a stack of prepared images."""
        raise NotImplementedError

    # --- what most embedders leave as it is ----------------------------------------------------------------

    def libraries(self) -> tuple[str, ...]:
        """The distributions whose version may change a vector; those that are not installed count for nothing."""
        return ("pillow", "pillow-simd", "numpy")

    def versions(self) -> dict[str, str]:
        """What else made the vectors: the installed ones of `libraries`, and the device where there is a choice.

        Printed with a result and part of the cache key, but sets of different versions compare.
        """
        found: dict[str, str] = {}
        for name in self.libraries():
            with suppress(metadata.PackageNotFoundError):
                found[name] = metadata.version(name)
        return found

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
