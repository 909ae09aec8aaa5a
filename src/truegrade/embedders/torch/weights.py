"""Weights: read from a user's file as tensors only, put into a network, fingerprinted, or drawn at random."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from truegrade.embedders.torch.libraries import library
from truegrade.errors import InputError, MissingExtra, TruegradeError

DOWNLOAD = "download"
RANDOM = "random"
_SHOWN = 5
_COUNTS = "num_batches_tracked"  # how often a norm was trained: no value depends on it
_SAFE = (2, 6)  # before, the restricted reader itself could be made to run code: CVE-2025-32434
_WRAPPERS = ("state_dict", "model", "model_state_dict")


def refuse_none(who: str, weights: object, also: str = "") -> None:
    """InputError unless `weights` says where weights come from: an existing file, "download" or "random"."""
    accepted = (
        f'accepted: weights="path.pth" or "path.safetensors" (a file of yours), "download" (asks the network, once), '
        f'"random" (untrained, for comparison).{also}'
    )
    if weights is None:
        raise InputError(f"The embedder {who} has no weights of its own and downloads none unasked; {accepted}")
    if not isinstance(weights, (str, Path)) or not str(weights):
        raise InputError(f"weights={weights!r} given to the embedder {who}; {accepted}")
    if weights not in (DOWNLOAD, RANDOM) and not Path(weights).is_file():
        raise InputError(f"There is no weight file {str(weights)[:200]!r} for the embedder {who}; {accepted}")


def read(path: str | Path) -> dict[str, Any]:
    """The tensors of a .safetensors file or of a torch file, by name.

    A torch file is a pickle; torch's own restricted reader takes tensors and plain containers of it and refuses the
    rest. A dict that holds the weights under "state_dict" or "model" is opened, the prefix "module." of a parallel
    wrapper dropped. Raises InputError for what cannot be read so, MissingExtra where torch's reader is an unsafe one.
    """
    if Path(path).suffix.lower() != ".safetensors":
        _refuse_unsafe_reader()
    try:
        if Path(path).suffix.lower() == ".safetensors":
            held = library("safetensors.torch").load_file(str(path))
        else:
            held = _load(library("torch"), path)
    except Exception as error:  # torch raises whatever a damaged or foreign file leads to
        raise InputError(
            f"The weight file {str(path)[:200]!r} cannot be read as tensors: {_first_line(error)}. A state dict is "
            "accepted, written by torch.save(module.state_dict(), path) or as .safetensors; a whole saved module or a "
            "TorchScript archive holds code and is not run."
        ) from error
    return _tensors(path, held)


def _load(torch: Any, path: str | Path) -> Any:
    with warnings.catch_warnings():  # of old pickles and TorchScript: the file is read, or refused in our words
        warnings.simplefilter("ignore", UserWarning)
        return torch.load(str(path), map_location="cpu", weights_only=True)


def put(module: Any, state: Mapping[str, Any], what: str, *, unused: Iterable[str] = ()) -> None:
    """Put tensors into a module, all of them: InputError that lists the missing, unexpected and misshapen names.

    unused: prefixes of names that this use of the network has no place for. Training counts of norms may be absent.
    """
    wanted = module.state_dict()
    given = {name: value for name, value in state.items() if not name.startswith(tuple(unused))}
    needed = [name for name in wanted if not name.endswith(_COUNTS)]
    wrong = {
        "missing": [name for name in needed if name not in given],
        "unexpected": [name for name in given if name not in wanted],
        "of another shape": [
            f"{name} {tuple(given[name].shape)} for {tuple(wanted[name].shape)}"
            for name in needed
            if name in given and given[name].shape != wanted[name].shape
        ],
    }
    if any(wrong.values()):
        found = "; ".join(f"{len(names)} {how}: {_some(names)}" for how, names in wrong.items() if names)
        raise InputError(f"The weights do not fit {what}; {len(needed)} tensors expected, {len(given)} given: {found}.")
    zero = library("torch").zeros((), dtype=library("torch").int64)
    counts = {name: zero.clone() for name in wanted if name.endswith(_COUNTS)}
    values = {name: value.float() if value.is_floating_point() else value for name, value in given.items()}
    module.load_state_dict(counts | values, assign=True)
    module.requires_grad_(False)


def fingerprint(module: Any) -> str:
    """sha256 over names, types, shapes and values of a module's state in the order of the names."""
    torch = library("torch")
    digest = hashlib.sha256()
    for name, value in sorted(module.state_dict().items()):
        if name.endswith(_COUNTS) or not isinstance(value, torch.Tensor):
            continue
        digest.update(f"{name} {value.dtype} {tuple(value.shape)}\n".encode())
        flat = value.detach().cpu().contiguous().reshape(-1)
        digest.update(flat.view(torch.uint8).numpy().data)
    return digest.hexdigest()


def file_digest(path: str | Path) -> str:
    """sha256 of a file's content, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def on_paper(make: Callable[[], Any]) -> Any:
    """A module without values: nothing is drawn for what a file or `draw` fills in anyway."""
    with library("torch").device("meta"):
        return make().eval()


def draw(module: Any, seed: int) -> None:
    """Values for a module made on paper: He-normal weights (fan in, for ReLU), zero biases, norms that change nothing.

    Source: He et al. 2015. The same seed gives the same values on CPU; the global generators are left as they were.
    """
    torch = library("torch")
    module.to_empty(device="cpu")
    generator = torch.Generator().manual_seed(seed)
    for name, value in module.state_dict().items():
        if value.dim() >= 2:
            value.normal_(0.0, (2.0 / value[0].numel()) ** 0.5, generator=generator)
        elif name.endswith(("weight", "running_var")):
            value.fill_(1)
        else:
            value.zero_()
    module.requires_grad_(False)


def seeded(seed: int, make: Callable[[], Any]) -> Any:
    """A module with its library's own random values of that seed; the global generator is left as it was."""
    torch = library("torch")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return make().float().eval().requires_grad_(False)


def asked(who: str, fetch: Callable[[], Any]) -> Any:
    """What a download returns; InputError with the way round where it fails."""
    _refuse_unsafe_reader()
    try:
        return fetch()
    except TruegradeError:
        raise
    except Exception as error:  # each library fails in ways of its own: no network, refused, damaged, no such file
        raise InputError(
            f"The weights of the embedder {who} could not be downloaded: {_first_line(error)}. Fetch the file by other "
            'means and give weights="path".'
        ) from error


def _refuse_unsafe_reader() -> None:
    version = str(library("torch").__version__)
    if tuple(int(part) for part in version.split(".")[:2]) < _SAFE:
        raise MissingExtra(
            f"torch {version} is installed, and a file of weights can make its reader run code (CVE-2025-32434); "
            'torch 2.6 or newer is accepted: pip install "truegrade[torch]". A .safetensors file is read by any.'
        )


def _tensors(path: str | Path, held: Any) -> dict[str, Any]:
    torch = library("torch")
    for key in _WRAPPERS:
        if isinstance(held, Mapping) and isinstance(held.get(key), Mapping):
            held = held[key]
    if not isinstance(held, Mapping) or not held or not all(isinstance(v, torch.Tensor) for v in held.values()):
        raise InputError(f"The weight file {str(path)[:200]!r} holds no state dict: tensors by name are accepted.")
    names = list(map(str, held))
    prefix = "module." if all(name.startswith("module.") for name in names) else ""
    return {name.removeprefix(prefix): value.detach() for name, value in zip(names, held.values(), strict=True)}


def _first_line(error: BaseException) -> str:
    """What went wrong, without control characters and without torch's advice to run what is in the file."""
    whole = str(error).strip()
    if "weights_only" in whole or type(error).__name__ == "UnpicklingError":
        return "the file is damaged, or holds more than tensors, and nothing in it is run"
    line = "".join(c if c.isprintable() else " " for c in whole.partition("\n")[0])[:300].strip().rstrip(".")
    return f"{type(error).__name__}: {line}" if line else type(error).__name__


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(name[:80] for name in names[:_SHOWN]) + more
