"""What is one image or many: shapes of arrays, tensors, Pillow images. torch and Pillow are looked up, not imported."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError

CHANNELS = (1, 3, 4)


def channels_last(value: NDArray[Any], first: bool, who: str) -> tuple[NDArray[Any], bool]:
    """An image as (h, w) or (h, w, channels), and whether channels were moved there.

    Tensors have channels first where that is possible; arrays where they cannot have them last.
    """
    shape = value.shape
    if len(shape) == 2 and value.size:
        return value, False
    if len(shape) == 3 and value.size:
        leading, trailing = shape[0] in CHANNELS, shape[2] in CHANNELS
        if leading and (first or not trailing):
            return value.transpose(1, 2, 0), True
        if trailing:
            return value, False
    raise InputError(
        f"{who} has the shape {shape}; (height, width) or (height, width, 1, 3 or 4 channels) is accepted, and "
        "channels first where that is clear."
    )


def is_pillow(value: object) -> bool:
    """Whether it is a Pillow image; Pillow is looked up among the loaded modules."""
    module = sys.modules.get("PIL.Image")
    kind = getattr(module, "Image", None)  # lacking while another thread is importing it
    return kind is not None and isinstance(value, kind)


def unwrapped(value: Any) -> tuple[Any, bool]:
    """A tensor as an array (torch is looked up, never imported) and whether channels come first; others as they are.

    InputError for masked values: every pixel of an image has a value.
    """
    if isinstance(value, np.ma.MaskedArray):
        hidden = int(np.ma.getmaskarray(value).sum())
        if hidden:
            raise InputError(
                f"An array with {hidden:,} masked value(s) was given as images; say what stands there, as in "
                "values.filled(0), or leave these images out."
            )
        return np.asarray(value), False
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        tensor = value.detach().cpu()
        return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy(), True
    if not isinstance(value, np.ndarray) and not is_pillow(value) and hasattr(value, "__array__"):
        return np.asarray(value), False
    return value, False


def check_item(value: Any, item: object, who: str) -> None:
    """InputError for anything in a list or generator that is no image."""
    if is_pillow(value):
        return
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub" and value.ndim in (2, 3, 4):
        return
    kind = f"an array of {value.dtype}, shape {value.shape}" if isinstance(value, np.ndarray) else type(item).__name__
    pair = " If these are pairs of image and label, give the images alone." if isinstance(item, (tuple, dict)) else ""
    raise InputError(f"{who} is {kind}; Pillow images, arrays and tensors of numbers are accepted.{pair}")


def check_images(shape: tuple[int, ...], dtype: np.dtype[Any], first: bool, who: str, labelled: bool = False) -> None:
    """InputError where an array is not (n, height, width) or (n, height, width, channels) of numbers.

    What may be one image in colour is refused too, unless it is `labelled`: one label an image says that it is several.
    """
    if dtype.kind not in "fiub":
        raise InputError(f"{who} holds {dtype} values; images are arrays of numbers, uint8 or floats.")
    given = f"{who} has the shape {shape}"
    if len(shape) not in (3, 4):
        raise InputError(
            f"{given}; (n, height, width) or (n, height, width, 1, 3 or 4 channels) is accepted. For rows of pixels "
            "use values.reshape(-1, height, width)."
        )
    if 0 in shape:
        raise InputError(f"{given}, so it holds no pixels.")
    if len(shape) == 3 and (shape[2] in (3, 4) or shape[0] == 3) and not labelled:
        grey = ", ".join(map(str, (shape[0], 1, *shape[1:]) if first else (*shape, 1)))
        raise InputError(
            f"{given}, which looks like one image in colour; give several: (n, height, width, channels). If it is "
            f"{shape[0]} grey images, say so by the shape: values.reshape({grey})."
        )
    if len(shape) == 4:
        channels_last(np.empty(shape[1:], np.bool_), first, f"Each image of {who}")
