"""The fixture `browser`, and compiled code of the tests, which is kept apart by the sources it was made from.

A function that is cached on disk is not compiled anew when a function that it calls changes in another file.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import torchvision_build

if TYPE_CHECKING:
    from browser import Browser

_ROOT = Path(__file__).resolve().parents[1]
_SOURCES = sorted((_ROOT / "src" / "truegrade" / "engine").rglob("*.py"))
_DIGEST = hashlib.sha256(b"".join(path.read_bytes() for path in _SOURCES)).hexdigest()[:16]
os.environ.setdefault("NUMBA_CACHE_DIR", str(_ROOT / ".numba_cache" / _DIGEST))
torchvision_build.install()


@pytest.fixture(scope="session")
def _chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests: starting it takes seconds."""
    import browser as harness

    lacking = harness.missing()
    if lacking and os.environ.get("CI"):
        pytest.fail(f"browser tests are required in CI: {lacking}")
    if lacking:
        pytest.skip(lacking)
    with harness.started(tmp_path_factory.mktemp("chromium")) as running:
        yield running


@pytest.fixture
def browser(_chromium: Browser) -> Browser:
    """A fresh offline tab of a headless Chromium (tests/browser.py). Skipped without one, except in CI."""
    _chromium.fresh()
    return _chromium
