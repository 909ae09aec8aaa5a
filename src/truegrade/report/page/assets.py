"""Styles and scripts of the pages, and how a content policy names them."""

from __future__ import annotations

import base64
import functools
import hashlib
from pathlib import Path

TEMPLATES = Path(__file__).parent / "templates"


@functools.cache
def asset(name: str) -> str:
    """The text of a template, style or script; its lines end as browsers read them, so that hashes are right."""
    return (TEMPLATES / name).read_text(encoding="utf-8")


def digest(text: str) -> str:
    """How a content policy names an inline text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
