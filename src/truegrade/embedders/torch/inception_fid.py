"""inception-fid: the network of FID, KID and the Inception Score, with a weight file of the user's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from truegrade.embedders.base import STRETCHED
from truegrade.embedders.torch import weights
from truegrade.embedders.torch.libraries import library
from truegrade.embedders.torch.network import Network
from truegrade.embedders.torch.scaling import channels_first, corner_resize, torch_resize
from truegrade.errors import InputError
from truegrade.images.collection import Decoded
from truegrade.images.resize import resize as clean_resize
from truegrade.space import FID_NAMES, FID_WEIGHTS

GENUINE = FID_WEIGHTS
ADDRESS = "https://github.com/mseitzer/pytorch-fid/releases/download/fid_weights/pt_inception-2015-12-05-6726825d.pth"
SIDE = (299, 299)


def _pytorch_fid(pixels: NDArray[Any]) -> NDArray[np.float32]:
    unit = channels_first(pixels) / np.float32(255)
    return 2 * torch_resize(unit, SIDE, "bilinear", antialias=False) - 1


def _clean_fid(pixels: NDArray[Any]) -> NDArray[np.float32]:
    made = clean_resize(pixels, SIDE, filter="bicubic", antialias=True)
    return _centred(channels_first(made).clip(0, 255))


def _torch_fidelity(pixels: NDArray[Any]) -> NDArray[np.float32]:
    return _centred(channels_first(corner_resize(pixels, SIDE)))


def _torchmetrics(pixels: NDArray[Any]) -> NDArray[np.float32]:
    return _centred(torch_resize(channels_first(pixels), SIDE, "bilinear", antialias=True))


def _centred(image: NDArray[np.float32]) -> NDArray[np.float32]:
    return (image - np.float32(128)) / np.float32(128)


Resize = Literal["pytorch-fid", "clean-fid", "torch-fidelity", "torchmetrics"]
_WAYS: dict[str, tuple[Callable[[NDArray[Any]], NDArray[np.float32]], str, bool, str]] = {
    "pytorch-fid": (_pytorch_fid, "bilinear", False, "2 x / 255 - 1"),
    "clean-fid": (_clean_fid, "bicubic, clipped to 0 to 255", True, "(x - 128) / 128"),
    "torch-fidelity": (_torch_fidelity, "bilinear between pixel corners, as TensorFlow 1", False, "(x - 128) / 128"),
    "torchmetrics": (_torchmetrics, "bilinear", True, "(x - 128) / 128"),
}


@dataclass(frozen=True, eq=False)
class InceptionFID(Network):
    """The Inception network of FID.

    weights: the published file pt_inception-2015-12-05-6726825d.pth (or torch-fidelity's copy of it). Its content
    decides: only a file with its sha256 gives FID, KID and the Inception Score their names; with other weights a score
    is named after the file's digest. "download" fetches it through torch.hub; "random" is untrained.
    resize: whose way to 299 x 299 and into the network's range. dims: 2048 (the features of FID), or 768, 192, 64 of
    earlier layers, averaged over positions. With 2048 also the probabilities of its 1,008 classes, from logits without
    the bias, as the Inception Score is computed.
    """

    resize: Resize = "pytorch-fid"
    dims: int = 2048

    name: ClassVar[str] = "inception-fid"

    def check(self) -> None:
        if self.resize not in _WAYS:
            raise InputError(f"resize={self.resize!r} given to {self.name}; accepted: {', '.join(_WAYS)}.")
        if self.dims not in (64, 192, 768, 2048):
            raise InputError(f"dims={self.dims!r} given to {self.name}; accepted: 64, 192, 768, 2048.")

    def space_name(self) -> str:
        name = self.name if self.dims == 2048 else f"{self.name} {self.dims}"
        foreign = self.weights not in (weights.RANDOM, weights.DOWNLOAD) and self.file_sha256 != GENUINE
        return f"{name}, weights {str(self.file_sha256)[:8]}" if foreign else name

    @cached_property
    def file_sha256(self) -> str | None:
        """sha256 of the weight file, downloaded first if that was asked for; None for random weights."""
        if self.weights == weights.RANDOM:
            return None
        if self.weights == weights.DOWNLOAD and "module" not in self.__dict__:
            _ = self.module
        return weights.file_digest(self._file)

    @property
    def official(self) -> Mapping[str, str]:
        """FID, KID and Inception Score for the genuine file and 2,048 features; else nothing."""
        return FID_NAMES if self.dims == 2048 and self.file_sha256 == GENUINE else {}

    def options(self) -> dict[str, Any]:
        return {} if self.untrained else {"file_sha256": self.file_sha256}

    @property
    def dimension(self) -> int:
        return self.dims

    @property
    def preprocessing(self) -> dict[str, Any]:
        _, filter, antialias, scale = _WAYS[self.resize]
        size = {"size": list(SIDE), "region": STRETCHED}
        return {**size, "as": self.resize, "filter": filter, "antialias": antialias, "scaling": scale}

    def prepare(self, image: Decoded) -> NDArray[np.float32]:
        return _WAYS[self.resize][0](image.pixels)

    def build(self) -> Any:
        from truegrade.embedders.torch.inception_net import FIDInception

        module = weights.on_paper(FIDInception)
        if self.untrained:
            weights.draw(module, self.seed)
            return module
        if self.weights == weights.DOWNLOAD:
            hub = library("torch.hub")
            fetch = lambda: hub.load_state_dict_from_url(ADDRESS, progress=False, check_hash=True, weights_only=True)  # noqa: E731
            weights.asked(self.name, fetch)
        weights.put(module, weights.read(self._file), "the Inception network of FID")
        return module

    @property
    def _file(self) -> Path:
        """The weight file: the user's, or where torch.hub keeps the downloaded one."""
        if self.weights != weights.DOWNLOAD:
            return Path(str(self.weights))
        return Path(library("torch.hub").get_dir()) / "checkpoints" / ADDRESS.rpartition("/")[2]

    def forward(self, module: Any, inputs: Any) -> tuple[Any, Any]:
        features, logits = module(inputs, self.dims)
        return features, logits
