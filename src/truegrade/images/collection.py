"""Images: the pictures of one side, listed at once, decoded one at a time and never all in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError, Notice
from truegrade.images.ahead import in_order

OnError = Literal["refuse", "skip"]
PixelArray = NDArray[np.uint8] | NDArray[np.float32]
RULE = 2  # version of the rules by which files become pixels (decode.py); part of every fingerprint


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


class Skipped(str):
    """Why an image could not be read; stands in its place. row: its place in the collection."""

    row: int

    def __new__(cls, row: int, reason: str) -> Skipped:
        made = super().__new__(cls, reason)
        made.row = row
        return made


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
    """The images of one side; `load_images` makes them.

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

    def __repr__(self) -> str:
        return f"Images({self.name!r}, {len(self):,} images, from {self.source})"

    @property
    def who(self) -> str:
        """The set in messages."""
        return self.name if self.source == "memory" else f"{self.name} ({self.source})"

    @property
    def ids(self) -> tuple[str, ...]:
        """What each image is called."""
        return self.files.ids()

    def read(self, index: int) -> Decoded | Skipped:
        """One image, or where `on_error` is "skip" why it cannot be read. Safe to call from several threads."""
        try:
            return self.files.read(index)
        except InputError as error:
            if self.on_error == "skip":
                return Skipped(index, str(error))
            raise

    def stream(
        self, rows: NDArray[np.intp] | None = None, *, threads: int | None = None
    ) -> Iterator[Decoded | Skipped]:
        """The images (of these rows) in order, decoded ahead on a few threads with bounded memory.

        Where `on_error` is "skip", the reason (a string that names the image) stands in the place of an unreadable
        one. Raises InputError for the first unreadable image otherwise, and where every one of them is unreadable.
        """
        chosen = range(len(self)) if rows is None else [int(row) for row in rows]
        done = 0
        skipped: list[Skipped] = []
        try:
            for item in in_order(self.read, chosen, threads):
                done += isinstance(item, Decoded)
                if isinstance(item, Skipped) and not done:
                    skipped = [*skipped[:1], item]
                yield item
        except InputError as error:
            raise InputError(
                f"{error} {done:,} of {len(chosen):,} images of {self.name} were read before it. Repair or remove it, "
                'or leave out what cannot be read: on_error="skip" (--on-error skip) counts it.'
            ) from error
        if chosen and not done:
            raise InputError(f"None of the {len(chosen):,} images of {self.who} can be read; first: {skipped[0]}")

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the contents in their order; names do not matter.

        Files are hashed as they are, so the same picture saved in another format is other content.
        """
        whole = hashlib.sha256(f"images {RULE} {len(self)}".encode())
        for digest in in_order(self._content, range(len(self))):
            whole.update(digest)
        return whole.hexdigest()[:32]

    def _content(self, index: int) -> bytes:
        try:
            return self.files.content(index)
        except InputError:
            if self.on_error == "skip":
                return bytes(32)
            raise
