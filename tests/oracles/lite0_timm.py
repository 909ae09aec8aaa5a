"""EfficientNet-Lite0 by timm, with the weights of the package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def network(tensors: Mapping[str, NDArray[Any]]) -> Any:
    """timm's module; the file and timm list the same tensors in the same order under different names."""
    import timm
    import torch

    made: Any = timm.create_model("tf_efficientnet_lite0", pretrained=False).eval()
    values = [torch.from_numpy(tensor.copy()) for tensor in tensors.values()]
    made.load_state_dict(dict(zip(made.state_dict(), values, strict=True)), strict=True)
    return made


def outputs(module: Any, inputs: Floats) -> tuple[Floats, Floats]:
    """Features (b, 1280) and logits (b, 1000) of normalised inputs (b, 3, 224, 224)."""
    import torch

    with torch.no_grad():
        features = module.forward_head(module.forward_features(torch.from_numpy(inputs)), pre_logits=True)
        return features.numpy(), module.classifier(features).numpy()
