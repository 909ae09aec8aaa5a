"""Manifest: what was read of a set of images, what was done to each, and what was left out."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade import codec
from truegrade.errors import Notice, notice
from truegrade.images.collection import Decoded, Images, Skipped
from truegrade.images.listing import told


@dataclass(eq=False)
class Manifest:
    """Collected while a set is streamed: `for image in manifest.watch(images.stream()): ...`

    Attributes:
        images: the set. used: facts of each image that was read, by its place in the set. skipped: why an image
            could not be read, by its place.
    """

    images: Images
    used: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    skipped: dict[int, str] = field(default_factory=dict)

    def add(self, item: Decoded | Skipped) -> None:
        """Note one item of `Images.stream`."""
        if isinstance(item, Skipped):
            self.skipped[item.row] = str(item)
        else:
            self.used[item.index] = item.facts

    def watch(self, items: Iterable[Decoded | Skipped]) -> Iterator[Decoded | Skipped]:
        """The items as they are, noted one by one."""
        for item in items:
            self.add(item)
            yield item

    @property
    def rows(self) -> NDArray[np.intp]:
        """Places of the images that were read, ascending."""
        return np.array(sorted(self.used), np.intp)

    def summary(self) -> dict[str, Any]:
        """Counts as plain JSON values: used, skipped, passed_over, modes, formats, conversions, sizes, height, width.

        sizes counts different ones; height and width have min, median and max in pixels (None without any image).
        """
        facts = self.used.values()
        sizes = np.array([one["size"] for one in facts], np.int64).reshape(-1, 2)
        return {
            "used": len(self.used),
            "skipped": len(self.skipped),
            "passed_over": dict(self.images.listed or {}),
            "modes": _ranked(one["mode"] for one in facts),
            "formats": _ranked(one["format"] or "unknown" for one in facts),
            "conversions": self.conversions(),
            "sizes": len(np.unique(sizes, axis=0)),
            "height": _spread(sizes[:, 0]),
            "width": _spread(sizes[:, 1]),
        }

    def conversions(self) -> dict[str, int]:
        """How many images each kind of conversion was done to."""
        return _ranked(word for one in self.used.values() for word in one["conversions"])

    def notices(self) -> tuple[Notice, ...]:
        """One note with the counts of conversions, one on what could not be read; none where there is nothing."""
        notes, side, count = [], self.images.name, len(self.used) + len(self.skipped)
        if done := self.conversions():
            parts = ", ".join(told(Counter(done)))
            notes.append(notice("images_converted", side=side, count=f"{len(self.used):,}", parts=parts))
        if self.skipped:
            first = self.skipped[min(self.skipped)]
            skipped = f"{len(self.skipped):,}"
            notes.append(notice("images_skipped", side=side, skipped=skipped, count=f"{count:,}", first=first))
        return tuple(notes)

    def to_json(self, path: str | os.PathLike[str]) -> Path:
        """Write everything as strict JSON, whole or not at all: the summary, and one record per image in order.

        A record has the id and either mode, format, size (height, width), conversions and digest (SHA-256 of the
        file, or of the pixels of arrays), or the reason why the image was skipped. Raises InputError where the file
        cannot be written.
        """
        ids = self.images.ids
        facts: dict[int, Mapping[str, Any]] = {row: {"skipped": why} for row, why in self.skipped.items()} | self.used
        records = [{"id": ids[row], **facts[row]} for row in sorted(facts)]
        whole = {
            "kind": "truegrade image manifest",
            "version": 1,
            "name": self.images.name,
            "source": self.images.source,
            "summary": self.summary(),
            "images": records,
        }
        return codec.write(path, codec.dumps(whole))


def _ranked(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items(), key=lambda item: (-item[1], item[0])))


def _spread(values: NDArray[np.int64]) -> dict[str, float | int] | None:
    if not values.size:
        return None
    return {"min": int(values.min()), "median": float(np.median(values)), "max": int(values.max())}
