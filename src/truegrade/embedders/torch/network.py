"""A network with weights from a file, from its library, or drawn: what the named torch embedders share."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from truegrade.embedders.base import Batch, Embedder
from truegrade.embedders.torch import inference, weights
from truegrade.embedders.torch.libraries import distribution, refuse_missing
from truegrade.images.collection import Decoded

_LOADING = threading.RLock()


@dataclass(frozen=True, eq=False)
class Network(Embedder):
    """Options that all share.

    weights: "path.pth" or "path.safetensors" (a file of yours, read as tensors only), "download" (by the library's own
    loader, only where it is asked for), "random" (untrained, for comparison; named so beside every score). Without it:
    InputError.
    seed: of random weights. device: "auto" (CUDA where there is one, else CPU), "cpu", "cuda", "mps".
    """

    weights: str | None = None
    seed: int = 0
    device: str = "auto"

    version: ClassVar[str] = "1"
    modules: ClassVar[tuple[str, ...]] = ("torch",)

    def __post_init__(self) -> None:
        refuse_missing(self.name, *self.modules)
        weights.refuse_none(self.name, self.weights)
        self.check()
        name = self.space_name()
        object.__setattr__(self, "name", f"{name}, random weights" if self.untrained else name)

    @property
    def untrained(self) -> bool:
        return self.weights == weights.RANDOM

    # --- what each network says of itself ------------------------------------------------------------------------

    def check(self) -> None:
        """InputError for options that cannot be."""

    def space_name(self) -> str:
        """What stands beside a score."""
        return self.name

    def build(self) -> Any:
        """The module with its values."""
        raise NotImplementedError

    @property
    def dimension(self) -> int:
        raise NotImplementedError

    @property
    def preprocessing(self) -> dict[str, Any]:
        """What `prepare` does, as plain values."""
        raise NotImplementedError

    def forward(self, module: Any, inputs: Any) -> tuple[Any, Any]:
        """Features (b, d) and class logits (b, c) or None, as tensors."""
        raise NotImplementedError

    def options(self) -> dict[str, Any]:
        """What else the features depend on."""
        return {}

    # --- the embedder --------------------------------------------------------------------------------------------

    @cached_property
    def module(self) -> Any:
        """The network on its device, in evaluation mode; made when it is first needed."""
        with _LOADING:
            if "module" not in self.__dict__:
                self.__dict__["module"] = self.build().eval().to(self.placed)
            return self.__dict__["module"]

    @cached_property
    def placed(self) -> str:
        return inference.pick_device(self.device)

    @cached_property
    def fingerprint(self) -> str:
        """sha256 of the weights, the same whatever file they came from."""
        return weights.fingerprint(self.module)

    def describe(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "version": self.version,
            "dimension": self.dimension,
            **self.options(),
            "preprocessing": self.preprocessing,
            "weights": f"random, seed {self.seed}" if self.untrained else "loaded",
            "fingerprint": self.fingerprint,
        }

    def libraries(self) -> tuple[str, ...]:
        return (*super().libraries(), *map(distribution, self.modules))

    def versions(self) -> dict[str, str]:
        return super().versions() | {"device": inference.device_name(self.placed)}

    def prepare(self, image: Decoded) -> NDArray[np.float32]:
        raise NotImplementedError

    def run(self, inputs: NDArray[np.float32]) -> Batch:
        with inference.evaluating(self.module, self.placed):
            features, logits = self.forward(self.module, inference.tensor(inputs, self.placed))
            return Batch(inference.array(features), None if logits is None else inference.softmax(logits))
