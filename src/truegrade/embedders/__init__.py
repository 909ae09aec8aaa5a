"""Embedders: images to vectors. One file a family; `REGISTRY` by name, `embed` runs one over a set of images.

base.py: what an embedder is. registry.py: by name. run.py: over a set. cache.py: kept for the next time.
provenance.py: written to files. pixels.py, lite0/, torch/, function.py: the embedders.
"""

from __future__ import annotations

from truegrade.embedders.base import Batch, Embedder, Progress
from truegrade.embedders.function import FunctionEmbedder
from truegrade.embedders.registry import REGISTRY, get_embedder, register
from truegrade.embedders.run import embed, fit

__all__ = [
    "REGISTRY",
    "Batch",
    "Embedder",
    "FunctionEmbedder",
    "Progress",
    "embed",
    "fit",
    "get_embedder",
    "register",
]
