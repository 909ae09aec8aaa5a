"""Images and embedders for the tests of embedding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from truegrade.embedders import Batch, Embedder
from truegrade.errors import InputError
from truegrade.images import Images
from truegrade.images.collection import Decoded

GREYS = np.random.default_rng(0).integers(0, 256, (40, 8, 6), dtype=np.uint8)
COLOURS = np.random.default_rng(1).integers(0, 256, (40, 8, 6, 3), dtype=np.uint8)


@dataclass
class Pictured:
    """A source of arrays in memory that counts what is decoded; those in `broken` cannot be."""

    arrays: Sequence[NDArray[Any]]
    broken: frozenset[int] = frozenset()
    decoded: int = 0
    names: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.arrays)

    def read(self, index: int) -> Decoded:
        if index in self.broken:
            raise InputError(f"{self.ids()[index]} cannot be read as an image.")
        self.decoded += 1
        values = self.arrays[index]
        grey = values.ndim == 2
        pixels = np.repeat(values[:, :, None], 3, axis=2) if grey else values
        facts = {"mode": "L" if grey else "RGB", "format": "array", "size": list(pixels.shape[:2]), "conversions": []}
        return Decoded(index, pixels, grey, facts)

    def content(self, index: int) -> bytes:
        return f"{self.arrays[index].shape}".encode() + self.arrays[index].tobytes()

    def ids(self) -> tuple[str, ...]:
        return self.names or tuple(f"{i}.png" for i in range(len(self)))


def pictured(arrays: Sequence[NDArray[Any]], *, name: str = "faces", **more: Any) -> Images:
    """Images of arrays (height, width) or (height, width, 3)."""
    broken = frozenset(more.pop("broken", ()))
    return Images(Pictured(list(arrays), broken), name, "memory", **more)


def decoded(images: Images) -> int:
    """How many images were decoded so far."""
    assert isinstance(images.files, Pictured)
    return images.files.decoded


def folder(path: Path, arrays: Sequence[NDArray[np.uint8]]) -> Path:
    """A folder of .png files 00.png, 01.png ..."""
    path.mkdir(parents=True)
    for i, values in enumerate(arrays):
        Image.fromarray(values).save(path / f"{i:02d}.png")
    return path


@dataclass(frozen=True, eq=False)
class Means(Embedder):
    """Channel means and spreads, and two classes: dark and light."""

    name: ClassVar[str] = "means"

    scale: float = 1.0
    seed: int = 0

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "version": "1", "dimension": 6, "preprocessing": {}, "scale": self.scale}

    def prepare(self, image: Decoded) -> NDArray[np.float32]:
        pixels = image.pixels.astype(np.float64)
        values = np.concatenate([pixels.mean((0, 1)), pixels.std((0, 1))])
        return np.asarray(values * self.scale, np.float32)

    def run(self, inputs: NDArray[np.float32]) -> Batch:
        light = inputs[:, :1] / np.float32(255 * self.scale)
        return Batch(inputs, np.concatenate([1 - light, light], axis=1))


def means(arrays: Sequence[NDArray[Any]]) -> NDArray[np.float32]:
    """The features of `Means`, image by image."""
    rows = []
    for values in arrays:
        rgb = np.repeat(values[:, :, None], 3, axis=2) if values.ndim == 2 else values
        flat = rgb.reshape(-1, 3).astype(np.float64)
        rows.append([*flat.mean(0), *flat.std(0)])
    return np.array(rows, np.float32)
