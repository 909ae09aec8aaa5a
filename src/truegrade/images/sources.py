"""Where images come from: files, members of a zip, rows of an array."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError
from truegrade.images.collection import Decoded
from truegrade.images.decode import decode


@dataclass(frozen=True, eq=False)
class FileSource:
    """Picture files; `names` are their ids."""

    paths: tuple[Path, ...]
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.paths)

    def read(self, index: int) -> Decoded:
        return decode(self._raw(index), str(self.paths[index]), index)

    def content(self, index: int) -> bytes:
        return hashlib.sha256(self._raw(index)).digest()

    def ids(self) -> tuple[str, ...]:
        return self.names

    def _raw(self, index: int) -> bytes:
        try:
            return self.paths[index].read_bytes()
        except OSError as error:
            raise InputError(f"{self.paths[index]} cannot be read: {error.strerror or error}.") from error


@dataclass(frozen=True, eq=False)
class ArraySource:
    """Rows of an array (n, height, width, 3) or (n, height, width) of uint8."""

    array: NDArray[Any]

    def __len__(self) -> int:
        return len(self.array)

    def read(self, index: int) -> Decoded:
        pixels = np.asarray(self.array[index])
        grey = pixels.ndim == 2
        if grey:
            pixels = np.repeat(pixels[:, :, None], 3, axis=2)
        facts = {"mode": "L" if grey else "RGB", "size": list(pixels.shape[:2]), "conversions": []}
        return Decoded(index, pixels, grey, facts)

    def content(self, index: int) -> bytes:
        row = np.ascontiguousarray(self.array[index])
        return hashlib.sha256(f"{row.dtype.str}{row.shape}".encode() + row.tobytes()).digest()

    def ids(self) -> tuple[str, ...]:
        return tuple(map(str, range(len(self))))
