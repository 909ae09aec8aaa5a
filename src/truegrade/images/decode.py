"""How a picture becomes RGB pixels: one rule for every mode and depth.

1. The first picture of the file is read, and turned as its EXIF orientation says. ICC profiles are not applied.
2. Greyscale and 1-bit pictures get three equal channels. A palette is looked up. CMYK, YCbCr, HSV and LAB become RGB
   by Pillow's own formulas.
3. Transparency (an alpha channel, of a palette too, or one transparent colour) lies over white: with opacity a in 0 to
   255 the value c becomes (c a + 255 (255 - a)) / 255, rounded.
4. 16-bit greyscale is divided by 257 and 12-bit greyscale by 4095 / 255; both stay float32, not rounded. Where a TIFF
   says that 0 is white, it is. 16-bit colour, of which Pillow gives the upper 8 bits, is used so. 32-bit integers and
   floats have no range of their own: `value_range` says which values are black and white, otherwise they are refused.

What was done to an image stands in `facts["conversions"]`, in the words of this module. Of a Pillow image that its
holder has read already it cannot be told any more whether it had 16-bit colour, or was a TIFF that had to be turned.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import re
import struct
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError, MissingExtra
from truegrade.images.collection import Decoded, PixelArray
from truegrade.images.ranges import Range, scaled

GREY, ALPHA, PALETTE = "grey to three channels", "transparency over white", "palette looked up"
TWELVE = "12-bit grey scaled"
DEEP, SHALLOW, RANGE = "16-bit grey scaled", "16-bit colour read as 8-bit", "values scaled from the given range"
TURNED, FIRST, PROFILE = "turned as EXIF says", "first of several pictures", "ICC profile ignored"
LARGE = "read though larger than PIL.Image.MAX_IMAGE_PIXELS"
_GREYS = ("1", "L", "LA", "La", "I", "F")
_BITS, _PHOTOMETRIC = 258, 262  # tags of TIFF
_SEEN = "_truegrade_unread"  # attribute of Pillow images: what they said before their data was read
_TURNS = {2: (1, 0, 0), 3: (1, 1, 0), 4: (0, 1, 0), 5: (0, 0, 1), 6: (1, 0, 1), 7: (1, 1, 1), 8: (0, 1, 1)}
# Formats that are no pictures, need an outer program (Ghostscript for EPS), or can only be written.
_NEVER = {"EPS", "WMF", "MPEG", "GRIB", "BUFR", "HDF5", "PDF"}
_COMMON = ("PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF", "PPM")  # tried first: some of the rest are slow to say no


def pillow() -> Any:
    """Pillow's Image module; MissingExtra where it is not installed."""
    try:
        from PIL import Image
    except ImportError as error:
        raise MissingExtra('Reading pictures needs Pillow: pip install "truegrade[images]".') from error
    return Image


@cache
def formats() -> tuple[str, ...]:
    """The formats that are read, by Pillow's names."""
    image = pillow()
    image.init()
    return *_COMMON, *sorted(set(image.OPEN) - _NEVER - {*_COMMON})


@cache
def suffixes() -> frozenset[str]:
    """The file suffixes of these formats, in lower case."""
    return frozenset(s for s, kind in pillow().registered_extensions().items() if kind in formats())


def decode(raw: bytes, who: str, index: int, value_range: Range | None = None) -> Decoded:
    """The image in a file's content. InputError that begins with `who` where there is none or it is damaged."""
    try:
        with _opened(raw) as image:
            return _decoded(image, who, index, value_range, hashlib.sha256(raw).hexdigest())
    except (InputError, MissingExtra):
        raise
    except Exception as error:  # a damaged file makes Pillow's readers raise almost anything
        raise InputError(f"{who} cannot be read as an image: {_why(error)}.") from error


def _opened(raw: bytes) -> Any:
    """The picture of the first format that knows it, not read yet.

    As Image.open does it, but for its check of the size, which warns on stderr of large pictures: `_is_large` and
    a note take its place. Warnings cannot be silenced for one thread alone.
    """
    module = pillow()
    for kind in formats():
        make, accept = module.OPEN[kind]
        known = accept(raw[:16]) if accept else True  # a text says why a known format cannot be read here
        if not known or isinstance(known, str):
            continue
        with contextlib.suppress(SyntaxError, IndexError, TypeError, struct.error):  # by which readers say no
            return make(io.BytesIO(raw), "")
    raise module.UnidentifiedImageError


def of_pillow(image: Any, who: str, index: int, value_range: Range | None = None) -> Decoded:
    """The same of a Pillow image that the caller holds."""
    try:
        return _decoded(image, who, index, value_range, None)
    except InputError:
        raise
    except Exception as error:  # it may be a damaged file that was opened and not read yet
        raise InputError(f"{who} cannot be read as an image: {_why(error)}.") from error


def _decoded(image: Any, who: str, index: int, value_range: Range | None, digest: str | None) -> Decoded:
    """The pixels of an opened Pillow image by the rule; Pillow's own errors where its data is damaged."""
    done = [LARGE] if _is_large(image, who) else []
    if done and image.format == "TIFF":
        _make_room(image)
    done += [FIRST] if getattr(image, "is_animated", False) else []  # n_frames would walk through the whole file
    seen = _seen(image)
    image.load()
    pixels, grey, how = _to_rgb(image, who, value_range, seen.shallow)
    done += [SHALLOW, *how] if seen.shallow else how
    turn = _orientation(image)  # Pillow has turned TIFF already while it loaded it
    if turn in _TURNS:
        pixels = _turned(pixels, turn)
    done += [TURNED] if seen.orientation in _TURNS else []
    done += [PROFILE] if image.info.get("icc_profile") else []
    facts = {
        "mode": image.mode,
        "format": image.format,
        "size": list(pixels.shape[:2]),
        "conversions": done,
        "digest": digest or pixel_digest(pixels),
    }
    return Decoded(index, pixels, grey, facts)


@dataclass(frozen=True)
class _Unread:
    """What only a picture whose data was not read yet tells: its orientation, and whether it has 16-bit colour."""

    orientation: int
    shallow: bool


def _seen(image: Any) -> _Unread:
    """What an image tells before it is read, kept on it for the next time that it is asked."""
    layout = str([tile[3] for tile in getattr(image, "tile", ())])
    if layout == "[]" and hasattr(image, _SEEN):
        kept: _Unread = getattr(image, _SEEN)
        return kept
    seen = _Unread(_orientation(image), ";16" in layout and not image.mode.startswith("I"))
    if layout != "[]":
        setattr(image, _SEEN, seen)
    return seen


def pixel_digest(pixels: PixelArray) -> str:
    """Hash of pixels, their shape and type, in hexadecimal digits."""
    whole = hashlib.sha256(f"{pixels.dtype.str} {pixels.shape}".encode())
    whole.update(np.ascontiguousarray(pixels).data)
    return whole.hexdigest()


def over_white(colours: NDArray[np.uint8], alpha: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Values (h, w, c) with opacity (h, w) over white, rounded to the nearest whole number."""
    a = alpha[:, :, None].astype(np.uint32)
    blended: NDArray[np.uint8] = ((colours * a + 255 * (255 - a) + 127) // 255).astype(np.uint8)
    return blended


def contiguous(pixels: NDArray[Any]) -> PixelArray:
    """Pixels in plain memory order, uint8 or float32 as they are."""
    return np.ascontiguousarray(pixels)


def three(values: NDArray[Any]) -> NDArray[Any]:
    """One channel (h, w) as three equal ones (h, w, 3)."""
    return np.repeat(values[:, :, None], 3, axis=2)


def _to_rgb(image: Any, who: str, value_range: Range | None, shallow: bool) -> tuple[PixelArray, bool, list[str]]:
    """Pixels, whether they were grey, and what was done."""
    mode = image.mode
    if mode.startswith("I;16") or mode in ("I", "F"):
        values, how = _deep(image, who, value_range)
        return three(values), True, [GREY, *how]
    grey = mode in _GREYS
    done = [GREY] if grey else [PALETTE] if mode in ("P", "PA") else []
    if mode not in ("1", "L", "RGB", "P", "LA", "La", "PA", "RGBA", "RGBa"):
        done.append(f"{mode} to RGB")
    if mode == "La":  # Pillow makes nothing else of it
        image = image.convert("LA")
    if not _has_transparency(image, shallow):
        if grey:
            return three(np.asarray(image.convert("L"))), True, done
        return np.asarray(image if mode == "RGB" else image.convert("RGB")), False, done
    with_alpha = np.asarray(image.convert("RGBA"))
    colours, alpha = with_alpha[:, :, :3], with_alpha[:, :, 3]
    if alpha.min() == 255:
        return np.ascontiguousarray(colours), grey, done
    return over_white(colours, alpha), grey, [*done, ALPHA]


def _has_transparency(image: Any, shallow: bool) -> bool:
    palette = getattr(image, "palette", None)
    in_palette = image.mode == "P" and palette is not None and palette.mode.endswith("A")
    one = "transparency" in image.info and not shallow  # it is given in 16 bits, which are gone
    return image.mode in ("LA", "PA", "RGBA", "RGBa") or in_palette or one


def _deep(image: Any, who: str, value_range: Range | None) -> tuple[NDArray[np.float32], list[str]]:
    """More than 8 bits of grey as float32 (h, w) in 0 to 255, and what was done."""
    values = np.asarray(image)
    white_is_0 = _tag(image, _PHOTOMETRIC) == 0  # of deep pictures Pillow turns none over
    if image.mode.startswith("I;16") or (image.mode == "I" and image.format in ("PNG", "PPM")):
        twelve = _tag(image, _BITS) == 12  # Pillow leaves the values as they are
        deep = (values.astype(np.float64) / ((4095 if twelve else 65535) / 255)).astype(np.float32)
        deep = 255 - deep if white_is_0 else deep
        how = TWELVE if twelve else DEEP
        clear = image.info.get("transparency")
        if not isinstance(clear, int):
            return deep, [how]
        return np.where(values == clear, np.float32(255), deep), [how, ALPHA]
    kind = "floats" if image.mode == "F" else "32-bit integers"
    if white_is_0:
        raise InputError(f"{who} holds {kind} of which the lowest is white; save it with the lowest as black.")
    if value_range is None:
        raise InputError(
            f"{who} holds {kind} ({np.min(values):g} to {np.max(values):g}), whose black and white are not known; say "
            "them: value_range=(0, 1), (0, 65535) or the like (--value-range 0,1)."
        )
    return scaled(values, value_range, who), [RANGE]


def _tag(image: Any, number: int) -> int | None:
    """A tag of a TIFF, the first value of several; None of any other picture."""
    value = getattr(image, "tag_v2", {}).get(number) if image.format == "TIFF" else None
    value = value[0] if isinstance(value, tuple) and value else value
    return value if isinstance(value, int) else None


def _is_large(image: Any, who: str) -> bool:
    """Whether Pillow would warn of its size; InputError where it would refuse it."""
    limit = pillow().MAX_IMAGE_PIXELS
    width, height = image.size
    if limit is not None and width * height > 2 * limit:
        raise InputError(_huge(who, f"{width:,} x {height:,} pixels"))
    if width * height == 0:
        raise InputError(f"{who} has {width} x {height} pixels; an image needs one at least.")
    return limit is not None and width * height > limit


def _make_room(image: Any) -> None:
    """What the reader of TIFF does before it reads, without the warning that the picture is large."""
    size = getattr(image, "_tile_size", None)
    if size and getattr(image, "_im", image) is None:
        image.im = pillow().core.new(image.mode, size)


def _huge(who: str, size: str) -> str:
    return (
        f"{who} has {size}, and Pillow refuses such images as decompression bombs. If it is genuine, make it smaller, "
        "or raise PIL.Image.MAX_IMAGE_PIXELS."
    )


def _why(error: Exception) -> str:
    kind = type(error).__name__
    if kind == "UnidentifiedImageError":
        return "its content is of no image format that Pillow knows, or its header is damaged"
    if kind.startswith("DecompressionBomb"):
        return f"it is too large ({str(error).rstrip('.')}). If it is genuine, raise PIL.Image.MAX_IMAGE_PIXELS"
    words = re.sub(r" \(\d+ bytes not processed\)", "", str(error))  # how many depends on what was read before
    return f"{words.rstrip('.') or kind}"


def _orientation(image: Any) -> int:
    """The EXIF orientation, 1 where there is none or EXIF cannot be read."""
    try:
        return int(image.getexif().get(0x0112, 1))
    except Exception:  # damaged EXIF of a sound picture; Pillow raises almost anything
        return 1


def _turned(pixels: PixelArray, orientation: int) -> PixelArray:
    """The pixels as a viewer shows them: transposed, then mirrored left to right and upside down as its code says."""
    mirrored, upside_down, transposed = _TURNS[orientation]
    out: NDArray[Any] = pixels.transpose(1, 0, 2) if transposed else pixels
    out = out[:, ::-1] if mirrored else out
    out = out[::-1] if upside_down else out
    return contiguous(out)
