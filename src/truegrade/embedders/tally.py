"""What was read of every image, until the manifest of truegrade.images is there."""

from __future__ import annotations

from collections import Counter
from typing import Any

from truegrade.errors import Notice
from truegrade.images import Skipped
from truegrade.images.collection import Decoded


class Manifest:
    """Collected while images are streamed."""

    def __init__(self) -> None:
        self._used: list[dict[str, Any]] = []
        self._skipped: list[dict[str, Any]] = []

    def add(self, item: Decoded | Skipped) -> None:
        if isinstance(item, Decoded):
            self._used.append({"index": item.index, **item.facts})
        else:
            self._skipped.append({"index": item.index, "reason": str(item)})

    def to_dict(self) -> dict[str, Any]:
        return {"used": self._used, "skipped": self._skipped}

    @staticmethod
    def summary_of(record: dict[str, Any]) -> dict[str, Any]:
        modes = Counter(one["mode"] for one in record["used"])
        return {"used": len(record["used"]), "skipped": len(record["skipped"]), "modes": dict(modes)}

    @staticmethod
    def notices_of(record: dict[str, Any], name: str) -> tuple[Notice, ...]:
        return ()
