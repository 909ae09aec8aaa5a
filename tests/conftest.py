"""Compiled code of the tests is kept apart by the sources it was made from.

A function that is cached on disk is not compiled anew when a function that it calls changes in another file.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_SOURCES = sorted((_ROOT / "src" / "truegrade" / "engine").rglob("*.py"))
_DIGEST = hashlib.sha256(b"".join(path.read_bytes() for path in _SOURCES)).hexdigest()[:16]
os.environ.setdefault("NUMBA_CACHE_DIR", str(_ROOT / ".numba_cache" / _DIGEST))
