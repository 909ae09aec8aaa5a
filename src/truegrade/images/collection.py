"""Images: the pictures of one side, listed at once, decoded one at a time and never all in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import Notice

OnError = Literal["refuse", "skip"]
PixelArray = NDArray[np.uint8] | NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Decoded:
    """One image: `pixels` (height, width, 3), RGB, uint8, or float32 in 0 to 255 where the source is deeper.

    index: its place in the collection. grey: whether the source had one channel. facts: what the manifest says of it
    (mode, size, conversion).
    """

    index: int
    pixels: PixelArray
    grey: bool
    facts: Mapping[str, Any]


class Source(Protocol):
    """Where images come from: files, members of an archive, rows of an array."""

    def __len__(self) -> int: ...

    def read(self, index: int) -> Decoded:
        """Decode one image; InputError that names it where it cannot be read."""
        ...

    def content(self, index: int) -> bytes:
        """A digest of its content (not of its name)."""
        ...

    def ids(self) -> tuple[str, ...]:
        """What each image is called: its path inside the folder or archive, or its row."""
        ...


@dataclass(frozen=True, eq=False)
class Images:
    """The images of one side.

    Attributes:
        files: where they come from; decoded on demand.
        name: what to call this set in results. source: a path, or "memory".
        on_error: "refuse" (the default: the first unreadable image is an InputError that names it) or "skip".
        labels: one per image, or None.
        notices: what was noted while listing (hidden files, texts).
        listed: counts of what the listing passed over, by why; part of the manifest.
    """

    files: Source
    name: str
    source: str
    on_error: OnError = "refuse"
    labels: NDArray[Any] | None = None
    notices: tuple[Notice, ...] = ()
    listed: Mapping[str, int] | None = None

    def __len__(self) -> int:
        return len(self.files)

    def stream(self, rows: NDArray[np.intp] | None = None, *, threads: int | None = None) -> Iterator[Decoded | str]:
        """The images in order, decoded ahead on a few threads with bounded memory.

        Where `on_error` is "skip", the reason (a string that names the image) stands in the place of an unreadable one.
        """
        raise NotImplementedError

    @property
    def fingerprint(self) -> str:
        """Hash of the contents in their order; names do not matter."""
        raise NotImplementedError
