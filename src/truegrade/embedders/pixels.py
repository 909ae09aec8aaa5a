"""`pixels`: the pixels themselves as features, at their own size or resized, or as principal components of real."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self, get_args

import numpy as np
from numpy.typing import NDArray

from truegrade.embedders.base import STRETCHED, WHOLE, Batch, Embedder, Progress
from truegrade.embedders.function import height_width, resized
from truegrade.embedders.principal import Principal, find_principal
from truegrade.errors import InputError
from truegrade.images import Images
from truegrade.images.collection import Decoded, PixelArray
from truegrade.images.resize import Filter

_LUMA = np.array([0.299, 0.587, 0.114], np.float32)  # ITU-R BT.601, of gamma-encoded values
_MOST_SIZES = 5
_MOST = 2**22  # pixels of an image: 2,048 x 2,048


@dataclass(frozen=True)
class Look:
    """What `fit` saw: the images' one size (height, width), None where `size` is given, and their channels, 1 or 3."""

    size: tuple[int, int] | None
    channels: int


@dataclass(frozen=True, eq=False)
class Pixels(Embedder):
    """Values 0 to 1, row by row, RGB or grey: (height * width * channels) float32, or `pca` principal components.

    size: resize to a side or (height, width), anti-aliased, not clipped; without it all images must have one size.
    filter: bicubic, bilinear, lanczos, box or nearest.
    pca: how many principal components (eigenvectors of the covariance of the real images, largest first, each with its
    largest entry positive) are kept; needs `fit` on the real set.
    channels: 1 (colours become grey by their luma), 3 (grey becomes three equal channels) or None: 1 where all images
    of the set that is looked at are grey, else 3. An image whose three channels are equal is grey.
    """

    name: ClassVar[str] = "pixels"

    size: int | tuple[int, int] | None = None
    filter: Filter = "bicubic"
    pca: int | None = None
    channels: int | None = None
    look: Look | None = field(default=None, repr=False, metadata={"state": True})
    principal: Principal | None = field(default=None, repr=False, metadata={"state": True})

    def __post_init__(self) -> None:
        fixed = height_width(self.size, "pixels")
        if fixed is not None and fixed[0] * fixed[1] > _MOST:
            raise InputError(f"size={self.size!r} given to pixels; up to {_MOST:,} pixels an image are accepted.")
        if self.filter not in get_args(Filter):
            raise InputError(f"filter={self.filter!r} given to pixels; {', '.join(get_args(Filter))} are accepted.")
        if self.channels not in (None, 1, 3):
            raise InputError(f"channels={self.channels!r} given to pixels; 1 (grey) or 3 (colour) is accepted.")
        whole = isinstance(self.pca, (int, np.integer)) and not isinstance(self.pca, bool) and self.pca > 0
        if self.pca is not None and not whole:
            raise InputError(f"pca={self.pca!r} given to pixels; a whole number of at least 1 is accepted.")

    def describe(self) -> dict[str, Any]:
        shape, size = self._shape, self._size
        return {
            "name": self.name,
            "version": "1",
            "dimension": self.pca or (None if shape is None else int(np.prod(shape))),
            "preprocessing": {
                "size": None if size is None else list(size),
                "region": WHOLE if self.size is None else STRETCHED,
                "filter": None if self.size is None else self.filter,
                "antialias": None if self.size is None else self.filter != "nearest",
                "values": "0 to 1",
                "layout": "height, width, channels",
            },
            "channels": self.channels if shape is None else shape[2],
            "pca": self.pca,
            "fingerprint": None if self.principal is None else self.principal.fingerprint,
        }

    def libraries(self) -> tuple[str, ...]:
        return super().libraries() if self.pca is None else (*super().libraries(), "scipy")

    @property
    def fitted(self) -> bool:
        return self._shape is not None and (self.pca is None or self.principal is not None)

    @property
    def needs_real(self) -> bool:
        return self.pca is not None

    @property
    def pixels(self) -> tuple[int, ...] | None:
        shape = self._shape
        return None if shape is None or self.pca is not None else shape[:2] if shape[2] == 1 else shape

    @property
    def _shape(self) -> tuple[int, int, int] | None:
        """Height, width and channels of what is embedded; None before the images were looked at."""
        channels = self.channels or (self.look and self.look.channels)
        return (*self._size, channels) if self._size and channels else None

    @property
    def _size(self) -> tuple[int, int] | None:
        return height_width(self.size, "pixels") or (None if self.look is None else self.look.size)

    # --- fitting -------------------------------------------------------------------------------------------

    def fit(self, real: Images, *, progress: Progress | None = None, threads: int | None = None) -> Pixels:
        """Look at the real images for their size and channels, and find their principal components.

        Raises InputError for images of different sizes where no size was given, and for more principal components than
        the images have.
        """
        fresh = replace(self, look=None, principal=None)
        seen = fresh if fresh._shape is not None else replace(fresh, look=_look_at(fresh, real, progress, threads))
        if seen.pca is None:
            return seen
        return replace(seen, principal=find_principal(seen._values, real, seen.pca, progress, threads))

    def state(self) -> dict[str, NDArray[Any]]:
        found: dict[str, NDArray[Any]] = {}
        if self.look is not None:
            found["look"] = np.array([*(self.look.size or (0, 0)), self.look.channels], np.int64)
        if self.principal is not None:
            found |= {"mean": self.principal.mean, "components": self.principal.components}
        return found

    def with_state(self, state: Mapping[str, NDArray[Any]]) -> Self:
        look = None
        if "look" in state:
            height, width, channels = (int(v) for v in state["look"])
            look = Look((height, width) if height else None, channels)
        found = Principal(state["mean"], state["components"]) if "mean" in state else None
        made = replace(self, look=look, principal=found)
        if not made.fitted:
            raise ValueError("this is not all that fit finds")
        return made

    # --- embedding -----------------------------------------------------------------------------------------

    def prepare(self, image: Decoded) -> NDArray[np.float32]:
        values = self._values(image)
        return values if self.principal is None else self.principal.project(values)

    def run(self, inputs: NDArray[np.float32]) -> Batch:
        return Batch(inputs)

    def _values(self, image: Decoded) -> NDArray[np.float32]:
        """The pixels of one image as a vector."""
        shape = self._shape
        if shape is None:
            raise InputError("pixels has to be fitted first: truegrade.embedders.fit(embedder, real).")
        grey = image.grey or is_grey(image.pixels)
        if shape[2] == 1 and not grey and self.channels is None:
            raise InputError(
                "it is in colour, and the images that pixels was fitted on are all grey. Say channels=3 (grey images "
                "get three equal channels) or channels=1 (colours become grey): --embed pixels:channels=1."
            )
        if self.size is None and image.pixels.shape[:2] != shape[:2]:
            raise InputError(
                f"it has {_text(image.pixels.shape)} pixels, and the others have {_text(shape)}. Give a size to resize "
                "all of them to: --embed pixels:size=32."
            )
        chosen = Decoded(image.index, _one_channel(image.pixels, grey), grey, {}) if shape[2] == 1 else image
        values = resized(chosen, shape[:2], self.filter)
        return (values[:, :, : shape[2]] / np.float32(255)).reshape(-1)


def is_grey(pixels: PixelArray) -> bool:
    """Whether the three channels are equal everywhere."""
    red, green, blue = (pixels[:, :, channel] for channel in range(3))
    return bool(np.array_equal(red, green) and np.array_equal(red, blue))


def _one_channel(pixels: PixelArray, grey: bool) -> NDArray[Any]:
    """The luma, three times, which is what resizing takes."""
    if grey:
        return pixels
    luma = pixels.astype(np.float32) @ _LUMA
    return np.repeat(luma[:, :, None], 3, axis=2)


def _look_at(embedder: Pixels, real: Images, progress: Progress | None, threads: int | None) -> Look:
    """The one size of the images and whether they are all grey; stops as soon as nothing is open."""
    sizes: Counter[tuple[int, ...]] = Counter()
    channels = embedder.channels or 1
    for done, image in enumerate(real.stream(threads=threads), 1):
        if not isinstance(image, Decoded):
            continue
        sizes[image.pixels.shape[:2]] += 1
        if embedder.channels is None and not (image.grey or is_grey(image.pixels)):
            channels = 3
        if progress is not None:
            progress(done, len(real), f"looking at {real.name}")
        if embedder.size is not None and channels == 3:
            break
    if embedder.size is not None:
        return Look(None, channels)
    if len(sizes) != 1:
        raise InputError(_sizes_text(real, sizes))
    height, width = next(iter(sizes))
    return Look((height, width), channels)


def _sizes_text(real: Images, sizes: Counter[tuple[int, ...]]) -> str:
    found = ", ".join(f"{_text(size)} ({count:,})" for size, count in sizes.most_common(_MOST_SIZES))
    more = f" and {len(sizes) - _MOST_SIZES} more sizes" if len(sizes) > _MOST_SIZES else ""
    return (
        f"The images of {real.name} have different sizes, height x width: {found}{more}. pixels needs one: give a "
        "size to resize all of them to: --embed pixels:size=32."
    )


def _text(size: tuple[int, ...]) -> str:
    return f"{size[0]} x {size[1]}"
