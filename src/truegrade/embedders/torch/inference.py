"""Running a module for its values alone: evaluation mode, no gradients, full precision, everything put back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.embedders.torch.libraries import library
from truegrade.errors import InputError


def pick_device(device: str) -> str:
    """The device of that name; "auto" is CUDA if there is one, else the CPU. InputError for one that is not there."""
    torch = library("torch")
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    kind = device.partition(":")[0]
    if not there.get(kind, False):
        known = ", ".join(name for name, found in there.items() if found)
        raise InputError(f"device={device!r} given; here there is: auto, {known}.")
    return device


def device_name(device: str) -> str:
    """The device with the name of its hardware where torch tells it: "cpu", "cuda NVIDIA A100"."""
    kind = device.partition(":")[0]
    return kind if kind != "cuda" else f"{kind} {library('torch').cuda.get_device_name(device)}"


@contextmanager
def evaluating(module: Any, device: str) -> Iterator[None]:
    """Evaluation mode, without gradients, mixed precision or TF32; modes and settings are restored afterwards."""
    torch = library("torch")
    modes = [(part, part.training) for part in module.modules()]
    precision = torch.get_float32_matmul_precision()
    with ExitStack() as stack:
        for part, mode in modes:
            stack.callback(setattr, part, "training", mode)
        module.eval()
        if precision != "highest":
            stack.callback(torch.set_float32_matmul_precision, precision)
            torch.set_float32_matmul_precision("highest")
        if device.startswith("cuda"):
            flags = torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=True, allow_tf32=False)
            stack.enter_context(flags)
        stack.enter_context(torch.autocast(device.partition(":")[0], enabled=False))
        stack.enter_context(torch.inference_mode())
        yield


def tensor(inputs: NDArray[np.float32], device: str) -> Any:
    """The stack of images on the device, as float32."""
    return library("torch").from_numpy(np.ascontiguousarray(inputs, np.float32)).to(device)


def array(values: Any) -> NDArray[np.float32]:
    """A tensor as a float32 array of its own."""
    made: NDArray[np.float32] = values.float().cpu().numpy().copy()
    return made


def softmax(logits: Any) -> NDArray[np.float32]:
    """Class probabilities (b, c) of logits, computed in float64."""
    double = logits.cpu().double()
    return array(library("torch").softmax(double, 1))


def pooled(values: Any, what: str) -> Any:
    """Features (b, d): as they are, or (b, c, h, w) maps averaged over their positions."""
    torch = library("torch")
    if isinstance(values, torch.Tensor) and values.dim() == 2:
        return values.clone()
    if isinstance(values, torch.Tensor) and values.dim() == 4:
        return values.mean((2, 3))
    got = f"shape {tuple(values.shape)}" if isinstance(values, torch.Tensor) else type(values).__name__
    raise InputError(
        f"{what} gives {got}; features (images, d) or maps (images, channels, height, width) are accepted. Name a "
        "submodule with output=..., or wrap the module in one that returns features."
    )


def observed(module: Any, output: str | None, inputs: Any, what: str) -> tuple[Any, Any]:
    """Features of a submodule (by its dotted name; None: of the module itself), and what the module returns."""
    if output is None:
        result = module(inputs)
        return pooled(result, what), result
    seen: list[Any] = []
    part = module.get_submodule(output)
    # pooled inside the hook: a later layer may overwrite the tensor in place
    handle = part.register_forward_hook(lambda _part, _inputs, result: seen.append(pooled(result, f"{what}.{output}")))
    try:
        result = module(inputs)
    finally:
        handle.remove()
    if len(seen) != 1:
        raise InputError(f"{what}.{output} ran {len(seen)} times in one pass; name a submodule that runs once.")
    return seen[0], result
