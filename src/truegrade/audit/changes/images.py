"""Images changed before they are embedded; each is changed at its own size, when it is read."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from truegrade.audit.changes.simple import learn
from truegrade.embedders.pixels import is_grey
from truegrade.images import Decoded, Images
from truegrade.images.collection import PixelArray, Source
from truegrade.images.decode import pixel_digest
from truegrade.samples import Samples

Pixels = NDArray[np.float32]
Change = Callable[[Pixels, np.random.Generator], Pixels]
"""Pixels (h, w, 3) in 0 to 255 to as many others; equal channels stay equal."""
_RULE = 1  # version of the changes; part of what kept vectors are found by
_SHIFT, _TURN, _BLUR = 1 / 14, 10.0, 1 / 28  # of a side: 2 pixels of 28; degrees; of the shorter side


def image_changes(
    images: Images, embed: Callable[[Images], Samples], seed: int
) -> Mapping[str, Callable[[], Samples]]:
    """By name, all images with a change, embedded when asked for.

    shift: moved by up to 1/14 of each side. turn: turned by up to 10 degrees. blur: smoothed by 1/28 of the shorter
    side. noise: uniform noise in the place of each. simple: in the place of each one drawn by a Gaussian on the 64
    leading principal parts of the images.
    """
    changes: dict[str, Change] = {"shift": shifted, "turn": turned, "blur": blurred, "noise": noise}
    made: dict[str, Callable[[], Samples]] = {
        name: partial(_embedded, images, embed, name, change, seed) for name, change in changes.items()
    }
    made["simple"] = partial(_of_model, images, embed, seed)
    return made


def _embedded(
    images: Images, embed: Callable[[Images], Samples], name: str, change: Change, seed: int, also: str = ""
) -> Samples:
    return embed(changed(images, name, change, seed, also))


def _of_model(images: Images, embed: Callable[[Images], Samples], seed: int) -> Samples:
    model = learn(images, seed)
    return _embedded(images, embed, "simple", model.draw_for, seed, model.fingerprint)


def changed(images: Images, name: str, change: Change, seed: int, also: str = "") -> Images:
    """The same images with a change; `also`: what it depends on beside the image and the seed."""
    source = ChangedSource(images.files, name, change, seed, f"{_RULE} {name} {seed} {also}")
    return replace(images, files=source, name=f"{images.name}: {name}")


@dataclass(frozen=True, eq=False)
class ChangedSource:
    """A source whose images are changed as they are read. What is drawn for an image depends on its place and the seed,
    not on the others. key: what the change depends on."""

    files: Source
    name: str
    change: Change
    seed: int
    key: str

    def __len__(self) -> int:
        return len(self.files)

    def ids(self) -> tuple[str, ...]:
        return self.files.ids()

    def content(self, index: int) -> bytes:
        return hashlib.sha256(f"{self.key} {index} ".encode() + self.files.content(index)).digest()

    def read(self, index: int) -> Decoded:
        """The image, changed; what is said of how it was decoded stays."""
        image = self.files.read(index)
        rng = np.random.default_rng([self.seed, zlib.crc32(self.name.encode()), index])
        made = self.change(image.pixels.astype(np.float32), rng).clip(0.0, 255.0)
        whole = image.pixels.dtype == np.uint8
        pixels: PixelArray = np.rint(made).astype(np.uint8) if whole else made.astype(np.float32)
        return replace(image, pixels=pixels, facts={**image.facts, "digest": pixel_digest(pixels)})


def shifted(pixels: Pixels, rng: np.random.Generator) -> Pixels:
    """Moved by up to 1/14 of each side, in whole pixels, never by none; the edge is continued."""
    most = np.maximum(np.rint(_SHIFT * np.array(pixels.shape[:2])), 1).astype(np.intp)
    down, right = rng.integers(-most, most + 1)
    if down == right == 0:
        down = most[0]
    rows, columns = (np.clip(np.arange(n) - by, 0, n - 1) for n, by in zip(pixels.shape, (down, right), strict=False))
    return pixels[np.ix_(rows, columns)]


def turned(pixels: Pixels, rng: np.random.Generator) -> Pixels:
    """Turned about its middle by up to 10 degrees either way, interpolated linearly; the edge is continued."""
    angle = rng.uniform(-_TURN, _TURN)
    made = ndimage.rotate(pixels, angle, axes=(1, 0), reshape=False, order=1, mode="nearest")
    return np.asarray(made, np.float32)


def blurred(pixels: Pixels, rng: np.random.Generator) -> Pixels:
    """Smoothed by a Gaussian whose standard deviation is 1/28 of the shorter side, half a pixel at least."""
    sigma = max(0.5, _BLUR * min(pixels.shape[:2]))
    return np.asarray(ndimage.gaussian_filter(pixels, (sigma, sigma, 0.0), mode="nearest"), np.float32)


def noise(pixels: Pixels, rng: np.random.Generator) -> Pixels:
    """Independent uniform values; grey where the image is grey."""
    channels = 1 if is_grey(pixels) else 3
    drawn = rng.integers(0, 256, (*pixels.shape[:2], channels)).astype(np.float32)
    return np.broadcast_to(drawn, pixels.shape)
