"""Embedders: images to vectors. One file a family; `REGISTRY` by name, `embed` runs one over a set of images."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from truegrade.embedders.base import Batch, Embedder
from truegrade.images import Images
from truegrade.samples import Samples

Progress = Callable[[int, int, str], None]


def get_embedder(choice: str | Embedder) -> Embedder:
    """The embedder of a name, with options perhaps: "lite0", "pixels:size=32,pca=64"; instances come back as they are.

    Raises InputError for an unknown name or option (with the nearest known ones), MissingExtra where what it needs is
    not installed.
    """
    raise NotImplementedError


def embed(
    images: Images,
    embedder: str | Embedder = "lite0",
    *,
    cache: Path | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    batch: int = 32,
) -> Samples:
    """The images as vectors, with class probabilities where the network has classes.

    The result knows its `space` (embedder, what was read), its `ids` and `labels`, and its `pictures`.
    An embedder that must be fitted has to be fitted before (`Embedder.fit`).
    """
    raise NotImplementedError


__all__ = ["Batch", "Embedder", "embed", "get_embedder"]
