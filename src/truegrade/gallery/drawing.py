"""What is kept of a sample's values so that it can be drawn: a few features, pixels, or a picture made small."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import Floats, Ints
from truegrade.errors import TruegradeError
from truegrade.result.exhibits import Drawing
from truegrade.samples import Samples

_FEATURES = 256
_SIDE = 64  # pixels of a row that is an image
_PICTURE = 96  # pixels of an image that was embedded
_ROWS = 5000  # that percentiles are taken of
_STEPS = 1000  # values are kept to at least this part of their range


@dataclass(frozen=True, eq=False)
class Canvas:
    """How samples are drawn; the fields are those of `Exhibits`. pixels: of the samples, None for bars.

    decimals: to which values are rounded. pictures: samples are drawn as the images that they were embedded from.
    """

    drawing: Drawing
    low: NDArray[Any]
    high: NDArray[Any]
    shown: int
    decimals: int
    shape: tuple[int, ...] | None = None
    pixels: tuple[int, ...] | None = None
    columns: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    pictures: bool = False

    def values(self, samples: Samples, rows: Ints) -> list[NDArray[Any]]:
        """What is drawn of the given rows."""
        if len(rows) == 0:
            return []
        if self.pictures:
            assert self.shape is not None
            return [_framed(one, self.shape[0]).ravel() for one in _looks(samples, rows, self.shape[0])]
        taken = samples.rows.take(rows.astype(np.intp)).astype(np.float64)
        taken = taken[:, : self.shown] if self.pixels is None else _thumbnails(taken, self.pixels)
        return [compact(values, self.decimals) for values in taken]


def canvas_of(real: Samples, synthetic: Samples, seed: int) -> Canvas:
    """How to draw samples of these sets: as images if either side says that it holds pixels."""
    if real.pictures is not None and synthetic.pictures is not None:
        return _pictures(real, synthetic)
    pixels = real.pixels or synthetic.pixels
    if pixels is not None:
        return _image(real, pixels)
    shown = min(real.d, _FEATURES)
    rows = np.arange(real.n)
    if real.n > _ROWS:
        rows = np.sort(np.random.default_rng([seed, real.n, 1]).choice(real.n, _ROWS, replace=False))
    values = real.rows.take(rows)[:, :shown].astype(np.float64)
    low, high = np.percentile(values, [5, 95], axis=0)
    decimals = _decimals(float(real.summary.highest[:shown].max()) - float(real.summary.lowest[:shown].min()))
    notes = [f"The first {shown} of {real.d} features are drawn."] if shown < real.d else []
    if real.n > _ROWS:
        notes.append(f"The ranges of the features are those of {_ROWS:,} real samples drawn at random.")
    return Canvas(
        "bars",
        compact(low, decimals),
        compact(high, decimals),
        shown,
        decimals,
        columns=None if real.columns is None else real.columns[:shown],
        notes=tuple(notes),
    )


def _pictures(real: Samples, synthetic: Samples) -> Canvas:
    """Squares as large as the larger of the first images of both sides, within limits."""
    first = np.zeros(1, np.int64)
    side = max(max(one.shape[:2]) for samples in (real, synthetic) for one in _looks(samples, first, _PICTURE))
    size = side * side * 3
    low, high = np.zeros(size, np.uint8), np.full(size, 255, np.uint8)
    return Canvas("image", low, high, size, 0, shape=(side, side, 3), pictures=True)


def _looks(samples: Samples, rows: Ints, side: int) -> list[NDArray[np.uint8]]:
    """The images of these rows; an empty one where a file is no longer what it was."""
    assert samples.pictures is not None
    try:
        return samples.pictures.thumbnails(rows.astype(np.intp), side)
    except (OSError, TruegradeError):
        return [np.full((side, side, 3), 255, np.uint8)] * len(rows)


def _framed(image: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """An image (height, width, 3) in the middle of a white square."""
    square = np.full((side, side, 3), 255, np.uint8)
    height, width = image.shape[:2]
    top, left = (side - height) // 2, (side - width) // 2
    square[top : top + height, left : left + width] = image
    return square


def _image(real: Samples, pixels: tuple[int, ...]) -> Canvas:
    low, high = float(real.summary.lowest.min()), float(real.summary.highest.max())
    step, decimals = _step(pixels), _decimals(high - low)
    shape = (*(-(-side // step) for side in pixels[:2]), *pixels[2:])
    size = math.prod(shape)
    given = " x ".join(map(str, pixels))
    note = f"Images of {given} pixels are shown as {' x '.join(map(str, shape))}: means over blocks of {step} x {step}."
    return Canvas(
        "image",
        compact(np.full(size, low), decimals),
        compact(np.full(size, high), decimals),
        size,
        decimals,
        shape=shape,
        pixels=pixels,
        notes=(note,) if step > 1 else (),
    )


def _step(pixels: tuple[int, ...]) -> int:
    """Side of the blocks that become one pixel."""
    return -(-max(pixels[:2]) // _SIDE)


def _thumbnails(rows: Floats, pixels: tuple[int, ...]) -> Floats:
    """Images (n, d) as images of at most 64 x 64 pixels: means over square blocks, smaller ones at the far edges."""
    step = _step(pixels)
    if step == 1:
        return rows
    height, width = pixels[:2]
    images = rows.reshape(len(rows), height, width, -1)
    for axis, side in ((1, height), (2, width)):
        starts = np.arange(0, side, step)
        counts = np.diff(starts, append=side).reshape([-1 if a == axis else 1 for a in range(4)])
        images = np.add.reduceat(images, starts, axis=axis) / counts
    return images.reshape(len(rows), -1)


def _decimals(span: float) -> int:
    """Decimals that keep a thousandth of `span`."""
    return int(np.clip(math.ceil(math.log10(_STEPS / span)), 0, 50)) if span > 0 else 6


def compact(values: Floats, decimals: int) -> NDArray[Any]:
    """Values rounded for drawing, in the smallest type that holds them: whole numbers or float32.

    A rounded float32 is written with few digits. Values that float32 cannot hold stay float64.
    """
    rounded = np.round(values, decimals) + 0.0  # no negative zero
    if (rounded == np.trunc(rounded)).all() and float(np.abs(rounded).max(initial=0.0)) < 2**31:
        kinds = (np.uint8, np.int16, np.int32)
        low, high = float(rounded.min(initial=0.0)), float(rounded.max(initial=0.0))
        kind = next(k for k in kinds if np.iinfo(k).min <= low and high <= np.iinfo(k).max)
        return rounded.astype(kind)
    with np.errstate(over="ignore", under="ignore"):
        single = rounded.astype(np.float32)
        return single if np.isfinite(single).all() and (single != 0).any() else rounded


def significant(values: Floats, digits: int = 4) -> NDArray[np.float32]:
    """Values with this many significant digits, within what float32 holds; NaN stays NaN."""
    size = np.where((values == 0) | ~np.isfinite(values), 1.0, np.abs(values))
    factor = 10.0 ** (digits - 1 - np.floor(np.log10(size)))
    limit = float(np.finfo(np.float32).max)
    with np.errstate(under="ignore"):
        return np.clip(np.round(values * factor) / factor, -limit, limit).astype(np.float32)
