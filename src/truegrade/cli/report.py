"""The command that makes a page of a saved result."""

from __future__ import annotations

from pathlib import Path

from truegrade import codec
from truegrade.cli.app import DONE, app
from truegrade.cli.files import Files
from truegrade.cli.tools import say, undamaged
from truegrade.report.summarize import summarize
from truegrade.report.summary.audit import audit_summary
from truegrade.result import read_result
from truegrade.result.audit import AuditReport


@app.command
def report(
    saved: str, /, *, html: Path | None = None, markdown: Path | None = None, summary: Path | None = None
) -> int:
    """Make a page or a Markdown text of a saved result, without the data.

    Args:
        saved: A .json file that `evaluate --json`, `compare --json` or `audit --json` wrote.
        html: Write the page to this file; by default beside SAVED, with the ending .html.
        markdown: Write Markdown to this file.
        summary: Write what all outputs are drawn from to this file, as JSON: the numbers as they are shown.
    """
    if html is None and markdown is None and summary is None:
        html = Path(saved).with_suffix(".html")
    files = Files(html=html, markdown=markdown, summary=summary).ready([saved])
    record = codec.read(saved)
    if record.get("kind") == AuditReport.kind:
        audit = AuditReport.from_dict(record)
        undamaged(saved, lambda: _write_audit(audit, files))
    else:
        result = read_result(saved)
        undamaged(saved, lambda: files.write(result, summarize(result)))
    for path in (html, markdown, summary):
        if path is not None:
            say(f"Written: {path}")
    return DONE


def _write_audit(audit: AuditReport, files: Files) -> None:
    if files.html is not None:
        audit.to_html(files.html)
    if files.markdown is not None:
        audit.to_markdown(files.markdown)
    if files.summary is not None:
        codec.write(files.summary, codec.dumps(audit_summary(audit)))
