"""DINOv2 through timm and CLIP through open_clip."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from truegrade.embedders.torch import weights
from truegrade.embedders.torch.libraries import library
from truegrade.embedders.torch.network import Network
from truegrade.embedders.torch.scaling import channels_first, normalised, said_of, scaled_to, torch_resize
from truegrade.errors import InputError
from truegrade.images.collection import Decoded


@dataclass(frozen=True, eq=False)
class DINOv2(Network):
    """DINOv2: the class token after the last norm. Source: Oquab et al. 2023; Stein et al. 2023 for its use here.

    model: any model name of timm. size: the side, bicubic and anti-aliased; 224 as Stein et al. use, DINOv2 was
    trained up to 518. A file may be timm's or the one published with DINOv2; its position table is resampled to `size`.
    """

    model: str = "vit_large_patch14_dinov2"
    size: int = 224

    name: ClassVar[str] = "dinov2"
    modules: ClassVar[tuple[str, ...]] = ("torch", "timm")

    def check(self) -> None:
        _check_size(self.name, self.size)

    def space_name(self) -> str:
        return self.name if self.model == "vit_large_patch14_dinov2" else f"{self.name} {self.model[:60]}"

    def build(self) -> Any:
        if self.weights == weights.DOWNLOAD:
            return weights.asked(self.name, lambda: self._make(pretrained=True))
        module = weights.seeded(self.seed, self._make)
        if not self.untrained:
            state = weights.read(str(self.weights))
            transformers = library("timm.models.vision_transformer")
            if isinstance(module, transformers.VisionTransformer):
                state = transformers.checkpoint_filter_fn(state, module)
            weights.put(module, state, f"{self.model} of timm", unused=("head.",))
        return module

    def _make(self, pretrained: bool = False) -> Any:
        timm = library("timm")
        if not timm.is_model(self.model):
            near = ", ".join(timm.list_models("*dinov2*"))
            raise InputError(f"timm has no model {self.model[:60]!r}; of DINOv2 it has: {near}.")
        try:
            return timm.create_model(self.model, pretrained=pretrained, num_classes=0, img_size=self.size)
        except (TypeError, AssertionError) as error:
            raise InputError(f"{self.model[:60]} of timm cannot be made for size={self.size}: {error}.") from error

    @property
    def dimension(self) -> int:
        return int(self.module.num_features)

    @property
    def preprocessing(self) -> dict[str, Any]:
        return said_of((self.size, self.size), "bicubic", *self._scaling)

    @property
    def _scaling(self) -> tuple[Any, Any]:
        known = self.module.pretrained_cfg
        return tuple(known["mean"]), tuple(known["std"])

    def options(self) -> dict[str, Any]:
        return {"model": self.model}

    def prepare(self, image: Decoded) -> NDArray[np.float32]:
        return normalised(image.pixels, (self.size, self.size), "bicubic", *self._scaling)

    def forward(self, module: Any, inputs: Any) -> tuple[Any, Any]:
        return module(inputs), None


@dataclass(frozen=True, eq=False)
class CLIP(Network):
    """CLIP's image features after the projection into the common space, not scaled to unit length.

    model: a model name of open_clip; "ViT-L-14-336-quickgelu" is the network of CMMD (OpenAI's weights need QuickGELU).
    tag: which of open_clip's weights to download. antialias: False resizes as the code of CMMD does (bicubic, sampled).
    Of a file only the tensors of the image side are read. Source: Radford et al. 2021; Jayasumana et al. 2024.
    """

    model: str = "ViT-L-14-336-quickgelu"
    tag: str = "openai"
    antialias: bool = True

    name: ClassVar[str] = "clip"
    modules: ClassVar[tuple[str, ...]] = ("torch", "open_clip")

    def space_name(self) -> str:
        return self.name if self.model == "ViT-L-14-336-quickgelu" else f"{self.name} {self.model[:60]}"

    def build(self) -> Any:
        if self.weights == weights.DOWNLOAD:
            return weights.asked(self.name, lambda: self._make(pretrained=self.tag))
        module = weights.seeded(self.seed, self._make)
        if not self.untrained:
            state = weights.read(str(self.weights))
            image = {k.removeprefix("visual."): v for k, v in state.items() if k.startswith("visual.")}
            weights.put(module, image or state, f"the image side of {self.model} of open_clip")
        return module

    def _make(self, pretrained: str | None = None) -> Any:
        open_clip = library("open_clip")
        known = open_clip.list_models()
        if self.model not in known:
            few = ", ".join(name for name in known if name.startswith("ViT-") and "SigLIP" not in name)
            raise InputError(f"open_clip has no model {self.model[:60]!r}; among others it has: {few}.")
        if pretrained is None and "hf_model_name" in open_clip.get_model_config(self.model).get("text_cfg", {}):
            raise InputError(
                f"The text side of {self.model} is described in a hub and would be fetched. Choose another model, or "
                'weights="download".'
            )
        with _quiet():
            options = {"pretrained_text": False, "require_pretrained": pretrained is not None}
            return open_clip.create_model(self.model, pretrained=pretrained, precision="fp32", **options).visual

    @property
    def dimension(self) -> int:
        return int(self.module.output_dim)

    @property
    def _known(self) -> dict[str, Any]:
        made: dict[str, Any] = self.module.preprocess_cfg
        return made

    @property
    def _size(self) -> tuple[int, int]:
        size = self._known["size"]
        return (size, size) if isinstance(size, int) else (int(size[0]), int(size[1]))

    @property
    def preprocessing(self) -> dict[str, Any]:
        return said_of(self._size, "bicubic", self._known["mean"], self._known["std"], self.antialias)

    def options(self) -> dict[str, Any]:
        return {"model": self.model}

    def prepare(self, image: Decoded) -> NDArray[np.float32]:
        mean, std = self._known["mean"], self._known["std"]
        if self.antialias:
            return normalised(image.pixels, self._size, "bicubic", mean, std)
        unit = torch_resize(channels_first(image.pixels) / np.float32(255), self._size, "bicubic", antialias=False)
        return scaled_to(unit, mean, std)

    def forward(self, module: Any, inputs: Any) -> tuple[Any, Any]:
        return module(inputs), None


def _check_size(who: str, size: object) -> None:
    if not isinstance(size, int) or size < 1:
        raise InputError(f"size={size!r} given to {who}; a side in pixels is accepted.")


@contextmanager
def _quiet() -> Iterator[None]:
    """open_clip speaks through the root logger, which then sets itself up; a handler there keeps it from that."""
    handler = logging.NullHandler()
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
