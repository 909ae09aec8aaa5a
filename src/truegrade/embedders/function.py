"""A function of yours as an embedder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.embedders.base import STRETCHED, WHOLE, Batch, Embedder
from truegrade.errors import InputError
from truegrade.images.collection import Decoded

Size = int | tuple[int, int]


@dataclass(frozen=True, eq=False)
class FunctionEmbedder(Embedder):
    """Vectors by a function: uint8 images (b, height, width, 3), RGB, to (b, d) or to a pair (features, probabilities).

    name: what stands beside a score. version: yours to change whenever the function makes other vectors; sets compare,
    and kept vectors are found again, by name and version. size: images are resized to it, a side or (height, width),
    and rounded; without it all must have one size. dimension: d if it is known before; another number of features is
    refused then.
    """

    name: str  # type: ignore[misc]  # of a class elsewhere
    version: str
    function: Callable[[NDArray[np.uint8]], Any] = field(repr=False)
    size: Size | None = None
    filter: str = "bicubic"
    dimension: int | None = None

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError(f"function={self.function!r} given to FunctionEmbedder; a function is accepted.")
        for what in ("name", "version"):
            if not str(getattr(self, what)).strip():
                raise InputError(f"FunctionEmbedder needs a {what} that is not empty.")
        height_width(self.size, "FunctionEmbedder")

    def describe(self) -> dict[str, Any]:
        size = height_width(self.size, "FunctionEmbedder")
        return {
            "name": str(self.name),
            "version": str(self.version),
            "dimension": self.dimension,
            "preprocessing": {
                "size": None if size is None else list(size),
                "region": WHOLE if size is None else STRETCHED,
                "filter": None if size is None else self.filter,
                "antialias": size is not None,
                "values": "0 to 255, whole numbers",
            },
            "fingerprint": None,
        }

    def prepare(self, image: Decoded) -> NDArray[np.float32]:
        return resized(image, height_width(self.size, "FunctionEmbedder"), self.filter)

    def run(self, inputs: NDArray[np.float32]) -> Batch:
        made = self.function(np.rint(inputs).clip(0, 255).astype(np.uint8))
        if isinstance(made, Batch):
            return made
        features, probabilities = made if isinstance(made, tuple) and len(made) == 2 else (made, None)
        try:
            return Batch(
                np.asarray(features, np.float32),
                None if probabilities is None else np.asarray(probabilities, np.float32),
            )
        except (TypeError, ValueError) as error:
            raise InputError(f"The embedder {self.name} returned what is no array of numbers: {error}.") from error


def resized(image: Decoded, size: tuple[int, int] | None, filter: str) -> NDArray[np.float32]:
    """The pixels of an image as float32, (height, width, 3), at that size if one is given."""
    if size is None or image.pixels.shape[:2] == size:
        return image.pixels.astype(np.float32)
    from truegrade.images.resize import resize

    return resize(image.pixels, size, filter=filter)  # type: ignore[arg-type]


def height_width(size: Size | None, who: str) -> tuple[int, int] | None:
    """A side or (height, width) as (height, width); InputError for anything else."""
    both = (size, size) if isinstance(size, (int, np.integer)) else size
    if both is None:
        return None
    whole = isinstance(both, (tuple, list)) and len(both) == 2
    if not whole or not all(isinstance(v, (int, np.integer)) and not isinstance(v, bool) and v > 0 for v in both):
        raise InputError(f"size={size!r} given to {who}; a side in pixels, or (height, width), is accepted.")
    return int(both[0]), int(both[1])
