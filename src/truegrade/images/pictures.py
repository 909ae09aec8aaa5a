"""Pictures: thumbnails of images, read only when they are shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError
from truegrade.images.ahead import in_order
from truegrade.images.collection import Images
from truegrade.images.resize import resize


@dataclass(frozen=True, eq=False)
class PicturesOf:
    """`truegrade.space.Pictures` of images. rows: which of them, by place in the set; None for all of them."""

    images: Images
    rows: NDArray[np.intp] | None = None

    def __len__(self) -> int:
        return len(self.images) if self.rows is None else len(self.rows)

    def thumbnails(self, rows: NDArray[np.intp], side: int) -> list[NDArray[np.uint8]]:
        """The images of these rows, each (height, width, 3) RGB; the longer edge has at most `side` pixels.

        Shrunk with anti-aliasing, never enlarged, their proportions kept. Raises InputError where an image cannot be
        read any more.
        """
        if side < 1:
            raise InputError(f"side={side} given; thumbnails have an edge of 1 pixel at least.")
        return list(in_order(lambda place: self._thumbnail(place, side), self._places(rows).tolist()))

    def subset(self, rows: NDArray[np.intp]) -> PicturesOf:
        """The pictures of these rows alone, in this order."""
        return PicturesOf(self.images, self._places(rows))

    def _places(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        chosen = np.arange(len(self.images)) if self.rows is None else self.rows
        places: NDArray[np.intp] = chosen[np.asarray(rows)]
        return places

    def _thumbnail(self, place: int, side: int) -> NDArray[np.uint8]:
        pixels = self.images.files.read(place).pixels
        height, width = pixels.shape[:2]
        factor = min(1.0, side / max(height, width))
        size = max(1, round(height * factor)), max(1, round(width * factor))
        small: NDArray[np.uint8] = np.rint(np.clip(resize(pixels, size), 0, 255)).astype(np.uint8)
        return small
