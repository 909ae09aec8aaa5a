"""Late bindings: what a lower layer offers to the user but a higher layer does.

`metric(real, synthetic)` needs `evaluate`, and `print(evaluation)` needs the report, yet metrics may not
import evaluate nor results the report. The lower layer calls a hook from here; `truegrade/__init__.py`, which
Python always runs before any module of the package, binds it to a function that imports the higher layer
when it is first used. So the layers stay one-way, and nothing heavy is imported at start.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Hook:
    """A function that is bound later."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._function: Callable[..., Any] | None = None

    def bind(self, function: Callable[..., Any]) -> None:
        """Say what the hook calls."""
        self._function = function

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """Call the bound function; a RuntimeError if nothing was bound."""
        if self._function is None:
            raise RuntimeError(f"the hook {self.name} was never bound")
        return self._function(*args, **keywords)


grade_one = Hook("grade_one")
render_text = Hook("render_text")
write_html = Hook("write_html")
write_markdown = Hook("write_markdown")
