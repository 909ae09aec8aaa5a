"""Any torch module of the user's as an embedder."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.embedders.base import Batch, Embedder
from truegrade.embedders.torch import inference, weights
from truegrade.embedders.torch.libraries import library, refuse_missing
from truegrade.embedders.torch.scaling import Three, normalised, said_of
from truegrade.errors import InputError
from truegrade.images.collection import Decoded
from truegrade.images.resize import Filter


@dataclass(frozen=True, eq=False)
class TorchModule(Embedder):
    """A torch.nn.Module as embedder: images (b, 3, h, w) to features (b, d).

    The input is the whole image, resized with anti-aliasing to `size` (a side, or height and width) by `filter`, and
    scaled to (x / 255 - mean) / std. The features are what the module returns, or what its submodule `output` (dotted
    name, as in `named_modules`) returns; maps (b, c, h, w) are averaged over their positions.

    name: what stands beside a score. version: change it when the code of the module changes; a change of its weights
    is seen by itself. classes: the module returns class logits, whose softmax is kept for scores of classes.
    channels: 1 for a module of grey images; colour images are then refused. device: "auto" leaves the module where it
    is; any other moves it there. The module runs in evaluation mode; the mode of every part is put back afterwards.

    Raises InputError for options that cannot be, and when the module returns what is no features.
    """

    module: Any = field(repr=False)
    name: str  # type: ignore[misc]  # of a class elsewhere
    version: str
    size: int | tuple[int, int]
    mean: Three = (0.0, 0.0, 0.0)
    std: Three = (1.0, 1.0, 1.0)
    filter: Filter = "bicubic"
    output: str | None = None
    classes: bool = False
    channels: int = 3
    device: str = "auto"

    def __post_init__(self) -> None:
        refuse_missing("TorchModule", "torch")
        if not isinstance(self.module, library("torch").nn.Module):
            raise InputError(f"TorchModule was given a {type(self.module).__name__}; a torch.nn.Module is accepted.")
        for what in ("name", "version"):
            if not isinstance(getattr(self, what), str) or not getattr(self, what).strip():
                raise InputError(f"TorchModule needs a {what} that is a text and not empty.")
        self._check_input()
        known = dict(self.module.named_modules())
        if self.output is not None and (not self.output or self.output not in known):
            raise InputError(f"There is no submodule {self.output!r}; there are: {', '.join(list(known)[1:13])}.")

    def _check_input(self) -> None:
        """InputError for a size, channels or a scaling that cannot be."""
        shape = self.shape
        if not isinstance(shape, tuple) or len(shape) != 2 or not all(isinstance(s, int) and s > 0 for s in shape):
            raise InputError(f"size={self.size!r} given to TorchModule; a side or (height, width) is accepted.")
        if self.channels not in (1, 3):
            raise InputError(f"channels={self.channels!r} given to TorchModule; 1 or 3 is accepted.")
        scaling = (self.mean, self.std)
        if any(np.shape(three) != (3,) or not np.isfinite(three).all() for three in scaling) or min(self.std) <= 0:
            raise InputError(f"mean={self.mean!r}, std={self.std!r} given; three finite numbers each, std above 0.")

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of the input."""
        return (self.size, self.size) if isinstance(self.size, int) else self.size

    def describe(self) -> dict[str, Any]:
        """See `Embedder.describe`; the fingerprint is that of the weights as they are now."""
        return {
            "name": self.name,
            "version": self.version,
            "dimension": None,
            "class": f"{type(self.module).__module__}.{type(self.module).__qualname__}",
            "output": self.output,
            "classes": self.classes,
            "preprocessing": said_of(self.shape, self.filter, self.mean, self.std) | {"channels": self.channels},
            "fingerprint": weights.fingerprint(self.module),
        }

    def libraries(self) -> tuple[str, ...]:
        return (*super().libraries(), "torch")

    def versions(self) -> dict[str, str]:
        return super().versions() | {"device": inference.device_name(self._device())}

    def prepare(self, image: Decoded) -> NDArray[np.float32]:
        if self.channels == 1 and not image.grey:
            raise InputError(f"Image {image.index} is in colour; {self.name} takes grey images (channels=1).")
        prepared = normalised(image.pixels, self.shape, self.filter, self.mean, self.std)
        return prepared[: self.channels]

    def run(self, inputs: NDArray[np.float32]) -> Batch:
        device = self._place()
        with inference.evaluating(self.module, device):
            images = inference.tensor(inputs, device)
            features, result = inference.observed(self.module, self.output, images, self.name)
            if not self.classes:
                return Batch(inference.array(features))
            logits = inference.pooled(result, f"{self.name} (classes=True)")
            return Batch(inference.array(features), inference.softmax(logits))

    def _place(self) -> str:
        """Where the module is or, if a device was asked for, where it is moved to."""
        device = self._device()
        if self.device != "auto":
            self.module.to(device)
        return device

    def _device(self) -> str:
        if self.device != "auto":
            return inference.pick_device(self.device)
        values = next(iter(self.module.state_dict().values()), None)
        return "cpu" if values is None else str(values.device)
