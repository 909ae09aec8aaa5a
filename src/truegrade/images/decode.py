"""How a picture becomes RGB pixels: one rule for every mode and depth."""

from __future__ import annotations

import hashlib
import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError, MissingExtra
from truegrade.images.collection import Decoded


def pillow() -> Any:
    """Pillow's Image module; MissingExtra where it is not installed."""
    try:
        from PIL import Image
    except ImportError as error:
        raise MissingExtra('Reading pictures needs Pillow: pip install "truegrade[images]".') from error
    return Image


def decode(raw: bytes, who: str, index: int) -> Decoded:
    """The pixels of a file's content."""
    image_module = pillow()
    try:
        with image_module.open(io.BytesIO(raw)) as image:
            image.load()
            mode, grey = image.mode, image.mode in ("1", "L")
            pixels: NDArray[np.uint8] = np.asarray(image.convert("RGB"))
    except Exception as error:
        raise InputError(f"{who} cannot be read as an image: {error}.") from error
    facts = {"mode": mode, "size": list(pixels.shape[:2]), "digest": hashlib.sha256(raw).hexdigest(), "conversions": []}
    return Decoded(index, pixels, grey, facts)
