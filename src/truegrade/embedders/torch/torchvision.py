"""ResNet-34, VGG-16 and Inception v3 of torchvision: the three networks of the 2018 study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from truegrade.embedders.torch import inference, weights
from truegrade.embedders.torch.libraries import library
from truegrade.embedders.torch.network import Network
from truegrade.embedders.torch.scaling import IMAGENET, Three, normalised, said_of
from truegrade.errors import InputError
from truegrade.images.collection import Decoded

HALVES: tuple[Three, Three] = ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))


@dataclass(frozen=True, eq=False)
class TorchvisionNetwork(Network):
    """A classifier of torchvision: features of one layer, and its 1,000 ImageNet class probabilities.

    The whole image is resized, anti-aliased bilinear, to the side the network was trained at, without a crop.
    """

    modules: ClassVar[tuple[str, ...]] = ("torch", "torchvision")
    side: ClassVar[int] = 224
    scaling: ClassVar[tuple[Three, Three]] = IMAGENET
    function: ClassVar[str]
    enum: ClassVar[str]
    layer: ClassVar[str]
    build_options: ClassVar[dict[str, Any]] = {}

    def build(self) -> Any:
        models = library("torchvision").models
        make = getattr(models, self.function)
        module = weights.on_paper(lambda: make(weights=None, **self.build_options))
        if self.untrained:
            weights.draw(module, self.seed)
            return module
        if self.weights == weights.DOWNLOAD:
            chosen = getattr(models, self.enum).IMAGENET1K_V1
            fetch = lambda: chosen.get_state_dict(progress=False, check_hash=True, weights_only=True)  # noqa: E731
            state = weights.asked(self.name, fetch)
        else:
            state = weights.read(str(self.weights))
        weights.put(module, state, f"{self.function} of torchvision", unused=("AuxLogits.",))
        return module

    @property
    def preprocessing(self) -> dict[str, Any]:
        return said_of((self.side, self.side), "bilinear", *self.scaling)

    def prepare(self, image: Decoded) -> NDArray[np.float32]:
        return normalised(image.pixels, (self.side, self.side), "bilinear", *self.scaling)

    def forward(self, module: Any, inputs: Any) -> tuple[Any, Any]:
        return inference.observed(module, self.layer, inputs, self.function)


@dataclass(frozen=True, eq=False)
class ResNet34(TorchvisionNetwork):
    """ResNet-34: the 512 features after global average pooling. Source: Xu et al. 2018, their default space."""

    name: ClassVar[str] = "torchvision-resnet34"
    dimension: ClassVar[int] = 512
    function: ClassVar[str] = "resnet34"
    enum: ClassVar[str] = "ResNet34_Weights"
    layer: ClassVar[str] = "avgpool"


@dataclass(frozen=True, eq=False)
class Inception(TorchvisionNetwork):
    """Inception v3 as torchvision trained it: 2,048 features after global average pooling. Not the network of FID.

    Input 299 x 299 in -1 to 1, which is what torchvision's own input transform makes of ImageNet's scaling.
    """

    name: ClassVar[str] = "torchvision-inception"
    dimension: ClassVar[int] = 2048
    side: ClassVar[int] = 299
    scaling: ClassVar[tuple[Three, Three]] = HALVES
    function: ClassVar[str] = "inception_v3"
    enum: ClassVar[str] = "Inception_V3_Weights"
    layer: ClassVar[str] = "avgpool"
    build_options: ClassVar[dict[str, Any]] = {"aux_logits": False, "transform_input": False, "init_weights": False}


@dataclass(frozen=True, eq=False)
class VGG16(TorchvisionNetwork):
    """VGG-16.

    output: "pooled" (512: the convolutional features averaged over positions, as the study's other two networks are
    pooled), "conv" (25,088: the 7 x 7 x 512 convolutional features in a row, which the code of Xu et al. 2018 uses for
    VGG), or "fc2" (4,096 after the second fully connected layer and its ReLU, the space of Kynkäänniemi et al. 2019).
    """

    output: Literal["pooled", "conv", "fc2"] = "pooled"

    name: ClassVar[str] = "torchvision-vgg16"
    function: ClassVar[str] = "vgg16"
    enum: ClassVar[str] = "VGG16_Weights"

    def check(self) -> None:
        if self.output not in _VGG:
            raise InputError(f"output={self.output!r} given to {self.name}; accepted: {', '.join(_VGG)}.")

    def space_name(self) -> str:
        return self.name if self.output == "pooled" else f"{self.name} {self.output}"

    @property
    def dimension(self) -> int:
        return _VGG[self.output]

    def options(self) -> dict[str, Any]:
        return {"output": self.output}

    def forward(self, module: Any, inputs: Any) -> tuple[Any, Any]:
        # the modules are run by hand, since one of them overwrites its input in place
        maps = module.avgpool(module.features(inputs))
        flat = maps.flatten(1)
        second = module.classifier[:5](flat)
        features = {"pooled": maps.mean((2, 3)), "conv": flat, "fc2": second.clone()}[self.output]
        return features, module.classifier[5:](second)


_VGG = {"pooled": 512, "conv": 25088, "fc2": 4096}
