"""torchvision's CUDA build beside torch's CPU build: `install` lets such a pair be imported under test.

The index that tests install from may have no other pair. torchvision then cannot load its compiled detection
operators and fails on describing them; nothing here runs one, so it is enough that their names exist.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

OPERATORS = ("nms", "qnms")


class Declare:
    """An import hook: finds nothing, but declares the operators right before torchvision is found by others."""

    def __init__(self) -> None:
        self.library: object | None = None

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name == "torchvision" and self.library is None and mismatched():
            import torch

            self.library = library = torch.library.Library("torchvision", "DEF")
            for operator in OPERATORS:
                library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        return None


def mismatched() -> bool:
    """Whether torchvision was built for CUDA and torch was not."""
    import torch

    spec = PathFinder.find_spec("torchvision")
    if torch.version.cuda is not None or spec is None or spec.origin is None:
        return False
    return "+cu" in (Path(spec.origin).parent / "version.py").read_text()


def install() -> None:
    sys.meta_path.insert(0, Declare())
