"""Space: which feature space samples were embedded in, and how the things behind the vectors can be looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

_LOSSY = {"AVIF", "JPEG", "JPEG2000", "MPO", "WEBP"}


@dataclass(frozen=True)
class Space:
    """The feature space of embedded samples; part of the result.

    Attributes:
        name: as printed beside a score, such as "lite0".
        embedder: everything that is needed to make the same vectors again (version, preprocessing, resize and
            filter, dimension, fingerprint of the weights): plain JSON values. Two sets compare only where it is equal.
        images: what was read: counts of images used and skipped, of modes, of sizes, of conversions.
        versions: the libraries (and the device) that made the vectors: other ones may differ by rounding, in rare cases
            by more, and a file does not hide which they were. No part of what makes two spaces equal.
        official: the standard name of a score in this space by metric key, such as {"frechet_distance": "FID"}; of
            vectors in a file never what the file says, but `official_names`.
    """

    name: str
    embedder: Mapping[str, Any]
    images: Mapping[str, Any] = field(default_factory=dict)
    official: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict, compare=False)


FID_WEIGHTS = "6726825d0af5f729cebd5821db510b11b1cfad8faad88a03f1befd49fb9129b2"
"""sha256 of the published port of the weights of FID; its first eight digits stand in the file's name."""
FID_NAMES = {"frechet_distance": "FID", "kernel_distance": "KID", "inception_score": "Inception Score"}


def official_names(embedder: Mapping[str, Any]) -> Mapping[str, str]:
    """The standard names of scores by metric key, for what describes an embedder (`Space.embedder`).

    Those of FID for its network with the genuine weight file and all 2,048 features; empty for everything else.
    """
    given = embedder.get("name"), embedder.get("dimension"), embedder.get("file_sha256")
    return FID_NAMES if given == ("inception-fid", 2048, FID_WEIGHTS) else {}


def differing(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """In what two descriptions of an embedder differ, sorted."""
    return sorted(key for key in {**ours, **theirs} if ours.get(key) != theirs.get(key))


def differences(real: Mapping[str, Any], synthetic: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """What all images of one side have and none of the other: ("file formats", "PNG", "JPEG").

    Colour and lossy compression move features whatever the images show; formats without loss do not differ.
    """
    for what, words in (("formats", "file formats"), ("modes", "colour modes")):
        ours, theirs = (set(side.get(what) or {}) for side in (real, synthetic))
        harmless = what == "formats" and not (ours | theirs) & _LOSSY
        if ours and theirs and not ours & theirs and not harmless:
            yield words, ", ".join(sorted(map(str, ours))), ", ".join(sorted(map(str, theirs)))


class Pictures(Protocol):
    """What samples look like, read only when they are shown."""

    def thumbnails(self, rows: NDArray[np.intp], side: int) -> list[NDArray[np.uint8]]:
        """The images of these rows, each (height, width, 3) RGB with no edge longer than `side` pixels."""
        ...

    def subset(self, rows: NDArray[np.intp]) -> Pictures:
        """The pictures of these rows alone, in this order."""
        ...
