"""Pixels that are there already: arrays, memory maps, tensors, Pillow images, one after another or all at once."""

from __future__ import annotations

import tempfile
import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from truegrade.archive import Header
from truegrade.errors import InputError
from truegrade.images.collection import Decoded, OnError, PixelArray
from truegrade.images.decode import ALPHA, GREY, RANGE, contiguous, of_pillow, over_white, pixel_digest, three
from truegrade.images.ranges import BYTES, Range, scaled
from truegrade.images.shapes import channels_last, check_item, is_pillow, unwrapped
from truegrade.samples import Rows

MOVED = "channels moved last"


class Frames(Protocol):
    """Raw values of each image: arrays, or Pillow images; `first` tells whether channels come first in arrays."""

    def __len__(self) -> int: ...

    def frame(self, index: int) -> tuple[Any, bool]: ...

    def dtypes(self) -> set[np.dtype[Any]]:
        """The types of the arrays among them."""
        ...


@dataclass(frozen=True, eq=False)
class ArrayFrames:
    """The rows of an array in memory."""

    array: NDArray[Any]
    first: bool

    def __len__(self) -> int:
        return len(self.array)

    def frame(self, index: int) -> tuple[Any, bool]:
        return self.array[index], self.first

    def dtypes(self) -> set[np.dtype[Any]]:
        return {self.array.dtype}


@dataclass(frozen=True, eq=False)
class MappedFrames:
    """The rows of a .npy file. A map lives while one row is read, so that memory does not fill with its pages."""

    path: Path
    header: Header
    first: bool

    def __len__(self) -> int:
        return self.header.shape[0]

    def frame(self, index: int) -> tuple[Any, bool]:
        head = self.header
        order: Any = "F" if head.column_order else "C"
        try:
            mapped = np.memmap(self.path, head.dtype, "r", head.begin, head.shape, order=order)
        except (OSError, ValueError) as error:
            raise InputError(f"{self.path} changed while it was being read: {error}.") from error
        return np.array(mapped[index]), self.first

    def dtypes(self) -> set[np.dtype[Any]]:
        return {self.header.dtype}


@dataclass(frozen=True, eq=False)
class SampleFrames:
    """Samples whose rows are images of `size` pixels."""

    rows: Rows
    size: tuple[int, ...]

    def __len__(self) -> int:
        return self.rows.shape[0]

    def frame(self, index: int) -> tuple[Any, bool]:
        return self.rows.read(index, index + 1).reshape(self.size), False

    def dtypes(self) -> set[np.dtype[Any]]:
        return {self.rows.dtype}


@dataclass(frozen=True, eq=False)
class ListFrames:
    """A list of arrays, tensors or Pillow images, used where they lie."""

    items: Sequence[Any]

    def __len__(self) -> int:
        return len(self.items)

    def frame(self, index: int) -> tuple[Any, bool]:
        return unwrapped(self.items[index])

    def dtypes(self) -> set[np.dtype[Any]]:
        return {value.dtype for value, _ in map(unwrapped, self.items) if not is_pillow(value)}


@dataclass(eq=False)
class SpooledFrames:
    """What a generator gave, in a nameless temporary file that goes with this object: raw values, in their own type.

    decoded: what is known of Pillow images, which are decoded as they come. broken: why one of them could not be.
    """

    file: IO[bytes]
    places: list[tuple[int, tuple[int, ...], np.dtype[Any], bool]] = field(default_factory=list)
    decoded: dict[int, Decoded] = field(default_factory=dict)
    broken: dict[int, str] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __len__(self) -> int:
        return len(self.places)

    def __post_init__(self) -> None:
        weakref.finalize(self, self.file.close)

    def add_image(self, image: Any, who: str, value_range: Range | None) -> None:
        """A Pillow image, by its pixels; InputError where it cannot be read."""
        read = of_pillow(image, who, len(self), value_range)
        self.decoded[len(self)] = Decoded(read.index, np.empty((0, 0, 3), np.uint8), read.grey, read.facts)
        self.add(read.pixels, False)

    def add_broken(self, why: str) -> None:
        """In the place of an image that cannot be read."""
        self.broken[len(self)] = why
        self.add(np.empty((0, 0, 3), np.uint8), False)

    def add(self, value: NDArray[Any], first: bool) -> None:
        """An array."""
        array = np.ascontiguousarray(value)
        self.places.append((self.file.tell(), array.shape, array.dtype, first))
        try:
            self.file.write(array.data)
        except OSError as error:
            folder = tempfile.gettempdir()
            raise InputError(f"Images cannot be kept in {folder}: {error.strerror or error}.") from error

    def frame(self, index: int) -> tuple[Any, bool]:
        begin, shape, dtype, first = self.places[index]
        values = np.empty(shape, dtype)
        with self.lock:
            self.file.seek(begin)
            self.file.readinto(values.reshape(-1).view(np.uint8).data)  # type: ignore[attr-defined]
        return values, first

    def dtypes(self) -> set[np.dtype[Any]]:
        return {place[2] for index, place in enumerate(self.places) if self.is_raw(index)}

    def is_raw(self, index: int) -> bool:
        """Whether it came as an array."""
        return index not in self.decoded and index not in self.broken


def spooled(items: Iterable[Any], who: str, value_range: Range | None, on_error: OnError) -> SpooledFrames:
    """Everything an iterator gives; batches (b, h, w, c) of arrays or (b, c, h, w) of tensors are taken apart.

    Pillow images are decoded now, with `value_range`. One that cannot be read is an InputError, or where `on_error` is
    "skip" a reason that stands in its place.
    """
    frames = SpooledFrames(tempfile.TemporaryFile(prefix="truegrade-"))  # noqa: SIM115 - closed with its frames
    for item in items:
        value, first = unwrapped(item)
        check_item(value, item, f"image {len(frames)} of {who}")
        if not is_pillow(value):
            for one in value if value.ndim == 4 else (value,):
                frames.add(one, first)
            continue
        try:
            frames.add_image(value, f"Image {len(frames)} of {who}", value_range)
        except InputError as error:
            if on_error != "skip":
                raise InputError(
                    f'{error} on_error="skip" (--on-error skip) leaves out what cannot be read.'
                ) from error
            frames.add_broken(str(error))
    return frames


@dataclass(frozen=True, eq=False)
class PixelSource:
    """Frames as images. value_range: black and white of every array in it; None where all are uint8 or decoded."""

    frames: Frames
    who: str
    value_range: Range | None = None

    def __len__(self) -> int:
        return len(self.frames)

    def read(self, index: int) -> Decoded:
        if isinstance(self.frames, SpooledFrames) and index in self.frames.broken:
            raise InputError(self.frames.broken[index])
        value, first = self.frames.frame(index)
        who = f"Image {index} of {self.who}"
        if is_pillow(value):
            return of_pillow(value, who, index, self.value_range)
        if isinstance(self.frames, SpooledFrames) and index in self.frames.decoded:
            known = self.frames.decoded[index]
            return Decoded(index, value, known.grey, known.facts)
        return self._decoded(index, value, first, who)

    def content(self, index: int) -> bytes:
        return bytes.fromhex(self.read(index).facts["digest"])

    def ids(self) -> tuple[str, ...]:
        return tuple(map(str, range(len(self))))

    def _decoded(self, index: int, value: NDArray[Any], first: bool, who: str) -> Decoded:
        values, moved = channels_last(value, first, who)
        done = [MOVED] if moved else []
        pixels, how = self._levels(values, who)
        done += how
        depth = 1 if pixels.ndim == 2 else pixels.shape[2]
        if depth == 4:
            colours, alpha = pixels[:, :, :3], pixels[:, :, 3]
            done += [ALPHA] if alpha.min(initial=255) < 255 else []
            pixels = _blended(colours, alpha)
        elif depth == 1:
            pixels, done = three(pixels.reshape(pixels.shape[:2])), [GREY, *done]
        pixels = contiguous(pixels)
        facts = {
            "mode": {1: "L", 3: "RGB", 4: "RGBA"}[depth],
            "format": f"array of {value.dtype}",
            "size": list(pixels.shape[:2]),
            "conversions": done,
            "digest": pixel_digest(pixels),
        }
        return Decoded(index, pixels, depth == 1, facts)

    def _levels(self, values: NDArray[Any], who: str) -> tuple[PixelArray, list[str]]:
        """The values in 0 to 255: uint8 where they are or are whole integers, else float32."""
        if values.dtype == np.bool_:
            return values.astype(np.uint8) * np.uint8(255), []
        if values.dtype == np.uint8 and self.value_range in (None, BYTES):
            return values, []
        levels = scaled(values, self.value_range or BYTES, who)
        if values.dtype.kind in "iu" and self.value_range == BYTES:
            return levels.astype(np.uint8), []
        return levels, [] if self.value_range == BYTES else [RANGE]


def _blended(colours: NDArray[Any], alpha: NDArray[Any]) -> PixelArray:
    if colours.dtype == np.uint8:
        return over_white(colours, alpha)
    a = alpha[:, :, None] / np.float32(255)
    return np.asarray(colours * a + np.float32(255) * (1 - a), np.float32)


def numbered(frames: Frames) -> Iterator[tuple[int, NDArray[Any]]]:
    """The arrays among the frames with their numbers."""
    for index in range(len(frames)):
        value, _ = frames.frame(index)
        if not is_pillow(value) and not (isinstance(frames, SpooledFrames) and not frames.is_raw(index)):
            yield index, value
