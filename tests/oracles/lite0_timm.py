"""EfficientNet-Lite0 by timm, with the weights of the package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def lite0(tensors: Mapping[str, NDArray[Any]], inputs: Floats) -> tuple[Floats, Floats]:
    """Features (b, 1280) and logits (b, 1000) of normalised inputs (b, 3, 224, 224).

    The file and timm list the same tensors in the same order (of use) under different names.
    """
    import timm
    import torch

    network: Any = timm.create_model("tf_efficientnet_lite0", pretrained=False).eval()
    state = network.state_dict()
    named = {name: torch.from_numpy(value.copy()) for name, value in zip(state, tensors.values(), strict=True)}
    network.load_state_dict(named, strict=True)
    with torch.no_grad():
        features = network.forward_head(network.forward_features(torch.from_numpy(inputs)), pre_logits=True)
        logits = network.classifier(features)
    return features.numpy(), logits.numpy()
