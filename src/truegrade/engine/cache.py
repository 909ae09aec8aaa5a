"""Answers that concern one side alone, kept for the next evaluation: in memory, and on disk as safetensors.

The key holds the content fingerprint of the side, the need with its numbers resolved, the precision and the
version of the engine; equal keys mean equal answers. Nothing is unpickled.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from truegrade.engine.needs import CubicSums, Neighbours, PairSums
from truegrade.stored import keep_arrays, read_arrays

ENGINE_VERSION = 1
_KINDS: dict[str, type[Any]] = {"Neighbours": Neighbours, "PairSums": PairSums, "CubicSums": CubicSums}


@dataclass(eq=False)
class AnswerCache:
    """`folder=None` keeps answers for the life of the object only."""

    folder: Path | None = None
    _memory: dict[str, Any] = field(default_factory=dict)

    def get(self, key: str) -> Any | None:
        """The answer stored under `key`, or None. A damaged file counts as absent."""
        if key not in self._memory and self.folder is not None:
            found = _read(self._path(key))
            if found is not None:
                self._memory[key] = found
        return self._memory.get(key)

    def put(self, key: str, answer: Any) -> None:
        """Store an answer; a folder that cannot be written is no reason to lose the evaluation."""
        self._memory[key] = answer
        if self.folder is not None:
            _write(self._path(key), answer)

    def _path(self, key: str) -> Path:
        assert self.folder is not None
        return self.folder / f"{hashlib.sha256(key.encode()).hexdigest()[:40]}.safetensors"


def _read(path: Path) -> Any | None:
    found = read_arrays(path)
    if found is None:
        return None
    arrays, texts = found
    try:
        kind = _KINDS[texts["kind"]]
        return kind(**{name: float(a[0]) if name == "offset" else a for name, a in arrays.items()})
    except (LookupError, TypeError, ValueError):
        return None


def _write(path: Path, answer: Any) -> None:
    keep_arrays(path, vars(answer), {"kind": type(answer).__name__})
