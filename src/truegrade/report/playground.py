"""The playground: one page where anyone damages a model and watches which numbers notice.

The page computes its numbers itself (templates/playground_numbers.js), by the formulas of `truegrade.metrics`.
"""

from __future__ import annotations

import base64
import hashlib
import os
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from truegrade.codec import write

_SCRIPTS = ("playground_numbers.js", "playground_words.js", "playground.js")


def playground(path: str | os.PathLike[str] = "play.html") -> Path:
    """Write the playground, one self-contained page, and return where it is.

    The page needs a browser with JavaScript and no network. Missing folders are made, an existing file is replaced.
    Raises InputError when `path` is a folder or cannot be written.
    """
    return write(path, page())


def page() -> str:
    """The page as text: style and scripts inside, everything else forbidden by its content policy."""
    style, script = _read("playground.css"), "\n".join(map(_read, _SCRIPTS))
    parts = {
        "STYLE_HASH": _digest(style),
        "SCRIPT_HASH": _digest(script),
        "VERSION": version("truegrade"),
        "STYLE_TEXT": style,
        "SCRIPT_TEXT": script,
    }
    text = _read("playground.html")
    for name, value in parts.items():
        text = text.replace(name, value, 1)
    return text


def _read(name: str) -> str:
    return (files("truegrade.report") / "templates" / name).read_text(encoding="utf-8").replace("\r\n", "\n")


def _digest(text: str) -> str:
    """How a content policy names an inline text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
