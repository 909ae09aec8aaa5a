"""The playground: one page where anyone damages a model and watches which numbers notice.

The page computes its numbers itself (templates/playground_numbers.js), by the formulas of `truegrade.metrics`.
"""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path

from truegrade.codec import write
from truegrade.report.page.assets import asset, digest

_SCRIPTS = ("playground_numbers.js", "playground_words.js", "playground.js")


def playground(path: str | os.PathLike[str] = "play.html") -> Path:
    """Write the playground, one self-contained page, and return where it is.

    The page needs a browser with JavaScript and no network. Missing folders are made, an existing file is replaced.
    Raises InputError when `path` is a folder or cannot be written.
    """
    return write(path, page())


def page() -> str:
    """The page as text: style and scripts inside, everything else forbidden by its content policy."""
    style, script = asset("playground.css"), "\n".join(map(asset, _SCRIPTS))
    parts = {
        "STYLE_HASH": digest(style),
        "SCRIPT_HASH": digest(script),
        "VERSION": version("truegrade"),
        "STYLE_TEXT": style,
        "SCRIPT_TEXT": script,
    }
    text = asset("playground.html")
    for name, value in parts.items():
        text = text.replace(name, value, 1)
    return text
