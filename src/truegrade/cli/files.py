"""The files a command writes: checked before the work, each written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truegrade import codec
from truegrade.cli import tools
from truegrade.cli.tools import UsageError
from truegrade.report.page.html import render_html, require_extra
from truegrade.report.text.markdown import render_markdown
from truegrade.result import Comparison, Evaluation


@dataclass(frozen=True)
class Files:
    """Where a result goes; None where it is not asked for."""

    json: Path | None = None
    html: Path | None = None
    markdown: Path | None = None
    summary: Path | None = None

    def ready(self, read: Sequence[str] = (), holdout: Path | None = None) -> Files:
        """The same files, known to be writable, different from each other and from those that are read.

        Raises UsageError where they are not, InputError where a file cannot be written, MissingExtra where a page is
        asked for and what draws it is not installed.
        """
        named = {f"--{kind}": path for kind, path in vars(self).items() if path is not None}
        places = [os.path.realpath(path) for path in named.values()]
        for at, place in enumerate(places):
            if place in places[:at]:
                raise UsageError(f"{list(named.values())[at]} was given twice; every output needs its own file.")
        if self.html is not None:
            require_extra()
        for option, path in named.items():
            tools.output(path, read, holdout, option)
        return self

    def write(self, result: Evaluation | Comparison, summary: dict[str, Any]) -> None:
        """Write all of them; `summary` is that of the result."""
        if self.json is not None:
            result.to_json(self.json)
        if self.html is not None:
            codec.write(self.html, render_html(summary))
        if self.markdown is not None:
            codec.write(self.markdown, render_markdown(summary))
        if self.summary is not None:
            codec.write(self.summary, codec.dumps(summary))
