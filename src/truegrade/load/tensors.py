"""Tensors of torch as numpy arrays."""

from __future__ import annotations

import sys
from typing import Any

from truegrade.errors import InputError


def from_tensor(obj: object, who: str) -> tuple[object, str | None]:
    """A torch tensor as a numpy array, and its type where numpy has none for it; other objects as they are.

    torch is looked up among the loaded modules, never imported.
    """
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(obj, torch.Tensor):
        return obj, None
    tensor: Any = obj.detach().cpu()
    brain = tensor.dtype == torch.bfloat16
    try:
        return (tensor.float() if brain else tensor).numpy(), "bfloat16" if brain else None
    except (TypeError, RuntimeError) as error:
        raise InputError(f"{who} is a tensor that numpy cannot hold: {error}") from error
