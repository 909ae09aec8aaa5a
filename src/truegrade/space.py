"""Space: which feature space samples were embedded in, and how the things behind the vectors can be looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Space:
    """The feature space of embedded samples; part of the result.

    Attributes:
        name: as printed beside a score, such as "lite0".
        embedder: everything that is needed to make the same vectors again (version, preprocessing, resize and
            filter, dimension, fingerprint of the weights): plain JSON values. Two sets compare only where it is equal.
        images: what was read: counts of images used and skipped, of modes, of sizes, of conversions.
        versions: the libraries (and the device) that made the vectors: other ones may differ by rounding, in rare cases
            by more, and a file does not hide which they were. No part of what makes two spaces equal.
        official: the standard name of a score in this space by metric key, such as {"frechet_distance": "FID"}.
    """

    name: str
    embedder: Mapping[str, Any]
    images: Mapping[str, Any] = field(default_factory=dict)
    official: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict, compare=False)


class Pictures(Protocol):
    """What samples look like, read only when they are shown."""

    def thumbnails(self, rows: NDArray[np.intp], side: int) -> list[NDArray[np.uint8]]:
        """The images of these rows, each (height, width, 3) RGB with no edge longer than `side` pixels."""
        ...

    def subset(self, rows: NDArray[np.intp]) -> Pictures:
        """The pictures of these rows alone, in this order."""
        ...
