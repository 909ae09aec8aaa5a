"""The command that makes a page of a saved result."""

from __future__ import annotations

from pathlib import Path

from truegrade.cli.app import DONE, app
from truegrade.cli.files import Files
from truegrade.cli.tools import say, undamaged
from truegrade.report.summarize import summarize
from truegrade.result import read_result


@app.command
def report(
    saved: str, /, *, html: Path | None = None, markdown: Path | None = None, summary: Path | None = None
) -> int:
    """Make a page or a Markdown text of a saved result, without the data.

    Args:
        saved: A .json file that `evaluate --json` wrote.
        html: Write the page to this file; by default beside SAVED, with the ending .html.
        markdown: Write Markdown to this file.
        summary: Write what all outputs are drawn from to this file, as JSON: the numbers as they are shown.
    """
    if html is None and markdown is None and summary is None:
        html = Path(saved).with_suffix(".html")
    files = Files(html=html, markdown=markdown, summary=summary).ready([saved])
    result = read_result(saved)
    undamaged(saved, lambda: files.write(result, summarize(result)))
    for path in (html, markdown, summary):
        if path is not None:
            say(f"Written: {path}")
    return DONE
