"""Single samples as small pictures: vectors as bars on the range of real values, pixels as thumbnails.

A picture is plain data: {"box": [width, height], "stretch", "paths": [{"role", "d", "title"}], "image", "alt",
"remarks"}. The page draws the paths as SVG over the image, if there is one (a data URI); role is the CSS class.
A further way of drawing is a function in `PICTURES`.
"""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.report.words import counted, safe
from truegrade.result import Exhibits

Picture = dict[str, Any]
Floats = NDArray[np.float64]
MOST_PIXELS = 96  # longest side of a thumbnail
MOST_REMARKS = 3
BAR, HEIGHT = 4, 60  # width of one bar and height of the box
BOTTOM, TOP = -0.5, 1.5  # the box on the scale of `places`, where 0 to 1 is the real range


def picture(values: NDArray[Any], exhibits: Exhibits) -> Picture:
    """One sample as it is drawn; what cannot be drawn in the wanted way is drawn as bars."""
    shown = np.nan_to_num(np.asarray(values, dtype=np.float64).ravel())
    drawing = "bars" if exhibits.drawing == "image" and layout(exhibits, shown.size) is None else exhibits.drawing
    return PICTURES.get(drawing, bars)(shown, exhibits)


# --- bars --------------------------------------------------------------------------------------------------


def bars(values: Floats, exhibits: Exhibits) -> Picture:
    """Each feature from the middle of its real range (the shaded band) to its value; what sticks out is `odd`."""
    count = min(values.size, exhibits.low.size)
    low, high = (np.asarray(ends, dtype=np.float64)[:count] for ends in (exhibits.low, exhibits.high))
    values = values[:count]
    place = places(values, low, high)
    within, beyond = place.clip(0, 1), np.maximum(place - 1, -place)
    unusual = [int(i) for i in np.argsort(-beyond, kind="stable")[:MOST_REMARKS] if beyond[i] > 0]
    remarks = [remark(i, values[i], low[i], high[i], exhibits.columns) for i in unusual]
    outside = int((beyond > 0).sum())
    alt = f"{counted(count, 'feature')}, {outside or 'none'} outside the usual range of real samples"
    return {
        "box": [BAR * max(count, 1), HEIGHT],
        "stretch": True,
        "paths": [
            {"role": "band", "d": _rectangle(0, BAR * max(count, 1), 0.0, 1.0)},
            {"role": "bar", "d": "".join(_bars(np.full(count, 0.5), within))},
            {"role": "odd", "d": "".join(_bars(within, place.clip(BOTTOM, TOP)))},
            *(
                {"role": "hot", "d": _rectangle(BAR * i, BAR, BOTTOM, TOP), "title": text}
                for i, text in zip(unusual, remarks, strict=True)
            ),
        ],
        "image": None,
        "alt": f"{alt}: {'; '.join(remarks)}" if remarks else alt,
        "remarks": remarks,
    }


def places(values: Floats, low: Floats, high: Floats) -> Floats:
    """Values on a scale where the real range is 0 to 1; of a range of one value the rest is infinitely far."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        scaled = values / 2 - low / 2  # halves: the width of the largest ranges overflows
        scaled /= high / 2 - low / 2
    place: Floats = np.where(np.isnan(scaled) | (values == low) & (low == high), 0.5, scaled)
    return place


def remark(index: int, value: float, low: float, high: float, columns: tuple[str, ...] | None) -> str:
    """'petal length: 7.1, real 1.2 to 6.4'; features without names are counted from 0, as rows are."""
    name = safe(columns[index], 40) if columns is not None and index < len(columns) else f"feature {index}"
    return f"{name}: {value:.3g}, real {low:.3g}" + (f" to {high:.3g}" if low < high else "")


def _bars(begin: Floats, end: Floats) -> Iterator[str]:
    for i in np.flatnonzero(begin != end):
        yield _rectangle(BAR * int(i), BAR - 1, float(begin[i]), float(end[i]))


def _rectangle(left: int, width: int, begin: float, end: float) -> str:
    """Between two places."""
    lower, upper = (round(HEIGHT * (TOP - place) / (TOP - BOTTOM), 1) for place in (begin, end))
    return f"M{left} {lower:g}h{width}V{upper:g}h-{width}z"


# --- pixels ------------------------------------------------------------------------------------------------


def thumbnail(values: Floats, exhibits: Exhibits) -> Picture:
    """The pixels, black to white over the whole range of the real values, as a PNG."""
    shape = layout(exhibits, values.size)
    assert shape is not None
    low, high = _whole_range(exhibits)
    scaled = np.zeros(values.size) if high <= low else (values - low) / (high - low)
    pixels = shrink(scaled.clip(0, 1).reshape(shape), MOST_PIXELS)
    height, width = pixels.shape[:2]
    encoded = base64.b64encode(png(np.rint(pixels * 255).astype(np.uint8))).decode("ascii")
    return {
        "box": [width, height],
        "stretch": False,
        "paths": [],
        "image": f"data:image/png;base64,{encoded}",
        "alt": f"image of {shape[1]} by {shape[0]} pixels",
        "remarks": [],
    }


def layout(exhibits: Exhibits, size: int) -> tuple[int, int, int] | None:
    """Height, width and channels, or None where the values are no such image."""
    shape = exhibits.shape
    if shape is None or len(shape) not in (2, 3) or any(s < 1 for s in shape) or math.prod(shape) != size:
        return None
    height, width, channels = (*shape, 1) if len(shape) == 2 else shape
    return (height, width, channels) if channels in (1, 3) else None


def shrink(pixels: Floats, most: int) -> Floats:
    """Means over square blocks, so that no side is longer than `most`; the last rows may be cut."""
    step = -(-max(pixels.shape[:2]) // most)
    if step == 1:
        return pixels
    step_y, step_x = (min(step, side) for side in pixels.shape[:2])
    height, width = pixels.shape[0] // step_y, pixels.shape[1] // step_x
    cut = pixels[: height * step_y, : width * step_x]
    smaller: Floats = cut.reshape(height, step_y, width, step_x, -1).mean(axis=(1, 3))
    return smaller


def png(pixels: NDArray[np.uint8]) -> bytes:
    """(h, w, 1) grey or (h, w, 3) coloured pixels as a PNG file (ISO/IEC 15948)."""
    height, width, channels = pixels.shape
    lines = np.zeros((height, width * channels + 1), dtype=np.uint8)  # the first byte of a line: no filter
    lines[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2}[channels], 0, 0, 0)
    body = _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _whole_range(exhibits: Exhibits) -> tuple[float, float]:
    low, high = np.nan_to_num(np.asarray(exhibits.low)), np.nan_to_num(np.asarray(exhibits.high))
    return (float(low.min()), float(high.max())) if low.size and high.size else (0.0, 1.0)


PICTURES: dict[str, Callable[[Floats, Exhibits], Picture]] = {"bars": bars, "image": thumbnail}
