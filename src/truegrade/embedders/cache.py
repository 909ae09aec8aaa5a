"""Vectors that were made before, kept on disk by the content of the images and everything that made them.

The key holds what the embedder says of itself and the versions of its libraries. It holds no name and no folder: equal
images are found wherever they lie, and two sets of the same name are never mixed up. A damaged file counts as absent.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade import codec
from truegrade.embedders.base import Embedder
from truegrade.errors import InputError
from truegrade.images import Images, Skipped
from truegrade.images.manifest import Manifest
from truegrade.images.resize import RULE
from truegrade.stored import Arrays, cache_folder, keep_arrays, read_arrays

VERSION = 1  # of what is kept; another version finds nothing


@dataclass(frozen=True, eq=False)
class Embedded:
    """What embedding n images gave: features (k, d) float32 and probabilities (k, c) of the k images that could be
    read, and what was read. `manifest.rows` are the places of the k among the n, ascending.
    """

    features: NDArray[np.float32]
    probabilities: NDArray[np.float32] | None
    manifest: Manifest


def described(embedder: Embedder) -> dict[str, Any]:
    """What the embedder says of itself, and the rule of resizing, as strict JSON values.

    InputError where it does not say enough.
    """
    record: dict[str, Any] = codec.encode(codec.plain(embedder.describe()))
    lacking = [key for key in ("name", "version", "dimension") if key not in record]
    if lacking:
        raise InputError(
            f"The embedder {type(embedder).__name__} does not say its {', '.join(lacking)}; describe() returns a dict "
            "with name, version, dimension, preprocessing and fingerprint."
        )
    return record | {"version": str(record["version"]), "resize_rule": RULE}


@dataclass(frozen=True)
class EmbeddingCache:
    """A folder of vectors, and of what was fitted."""

    folder: Path

    def get(self, embedder: Embedder, images: Images) -> Embedded | None:
        """What this embedder made of these images, or None."""
        arrays = self._read("vectors", embedder, images)
        try:
            manifest = None if arrays is None else _manifest(images, arrays["manifest"])
            if arrays is None or manifest is None:
                return None
            made = Embedded(arrays["features"], arrays.get("probabilities"), manifest)
        except (LookupError, ValueError, TypeError, AttributeError):
            return None
        return made if _is_whole(made) else None

    def put(self, embedder: Embedder, images: Images, made: Embedded) -> None:
        """Keep vectors; a folder that cannot be written is no reason to lose them."""
        facts = {"used": made.manifest.used, "skipped": sorted(made.manifest.skipped)}
        text = codec.dumps(codec.encode(codec.plain(facts))).encode()
        arrays: Arrays = {"features": made.features, "manifest": np.frombuffer(text, np.uint8)}
        if made.probabilities is not None:
            arrays["probabilities"] = made.probabilities
        self._keep("vectors", embedder, images, arrays)

    def fitted(self, embedder: Embedder, real: Images) -> Embedder | None:
        """The embedder as it was fitted on these images before, or None."""
        found = self._read("fit", embedder, real)
        try:
            return None if found is None else embedder.with_state(found)
        except (LookupError, ValueError, TypeError):
            return None

    def put_fitted(self, embedder: Embedder, real: Images, fitted: Embedder) -> None:
        """Keep what was found when `embedder` was fitted."""
        self._keep("fit", embedder, real, fitted.state())

    def _read(self, what: str, embedder: Embedder, images: Images) -> Arrays | None:
        found = read_arrays(self._path(what, embedder, images))
        return None if found is None or found[1].get("digest") != _digest(found[0]) else found[0]

    def _keep(self, what: str, embedder: Embedder, images: Images, arrays: Mapping[str, NDArray[Any]]) -> None:
        keep_arrays(self._path(what, embedder, images), arrays, {"digest": _digest(arrays)})

    def _path(self, what: str, embedder: Embedder, images: Images) -> Path:
        made_by = [described(embedder), embedder.versions()]
        key = json.dumps([VERSION, what, made_by, images.fingerprint, images.on_error], sort_keys=True, allow_nan=False)
        return self.folder / f"{what}-{hashlib.sha256(key.encode()).hexdigest()[:40]}.safetensors"


def open_cache(folder: str | os.PathLike[str] | None) -> EmbeddingCache | None:
    """The cache in a folder, which is made if it is not there; InputError where it cannot be, None for None."""
    return None if folder is None else EmbeddingCache(cache_folder(folder, "a folder"))


def _digest(arrays: Mapping[str, NDArray[Any]]) -> str:
    whole = hashlib.sha256()
    for name in sorted(arrays):
        values = np.ascontiguousarray(arrays[name])
        whole.update(f"{name} {values.dtype.str} {values.shape}".encode())
        whole.update(values.reshape(-1).view(np.uint8).data)
    return whole.hexdigest()


def _manifest(images: Images, text: NDArray[np.uint8]) -> Manifest | None:
    """What was read; None where an image that could not be read then can be now."""
    record = json.loads(text.tobytes())
    used = {int(row): facts for row, facts in record["used"].items()}
    skipped = {int(row): images.read(int(row)) for row in record["skipped"]}
    told = {row: str(reason) for row, reason in skipped.items() if isinstance(reason, Skipped)}
    return Manifest(images, used, told) if len(told) == len(skipped) else None


def _is_whole(made: Embedded) -> bool:
    features, probabilities, rows = made.features, made.probabilities, made.manifest.rows
    return (
        features.ndim == 2
        and features.dtype == np.float32
        and 0 < len(features) == len(rows)
        and int(rows[0]) >= 0
        and len(rows) + len(made.manifest.skipped) == len(made.manifest.images)
        and (probabilities is None or (probabilities.ndim == 2 and len(probabilities) == len(features)))
    )
