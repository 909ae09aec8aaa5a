"""The libraries of the extra `torch`, imported when they are first needed."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
from typing import Any

from truegrade.errors import MissingExtra

_PACKAGES = {"open_clip": "open_clip_torch"}


def distribution(name: str) -> str:
    """What the library of this name is installed as."""
    return _PACKAGES.get(name, name)


def refuse_missing(who: str, *names: str) -> None:
    """MissingExtra where one of these libraries is not installed; imports none of them."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingExtra(f'The embedder {who} needs {", ".join(missing)}: pip install "truegrade[torch]".')


def library(name: str) -> Any:
    """The library of this name; MissingExtra where it is absent, or does not work beside the installed torch."""
    top = name.partition(".")[0]
    refuse_missing("asked for", top)
    try:
        return importlib.import_module(name)
    except (ImportError, OSError, RuntimeError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise MissingExtra(
            f"{_build(top)} does not load beside {_build('torch')}: {reason}. Install builds that belong together, "
            "both for CPU or both for the same CUDA, of the same day."
        ) from error


def _build(name: str) -> str:
    try:
        return f"{name} {importlib.metadata.version(distribution(name))}"
    except importlib.metadata.PackageNotFoundError:
        return name
