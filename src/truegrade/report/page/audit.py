"""The page of an audit: one HTML file that needs nothing else, from the plain dict of `audit_summary`.

Everything a user named is escaped, as on the page of an evaluation, whose looks and content policy it shares.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truegrade import codec
from truegrade.report.page import audit_plots
from truegrade.report.page.assets import asset
from truegrade.report.page.html import environment, markup_type, policy, require_extra
from truegrade.report.summary.audit import audit_summary
from truegrade.report.words import safe
from truegrade.result.audit import AuditReport

if TYPE_CHECKING:
    from markupsafe import Markup

_STYLES = ("page.css", "audit.css")
_SCRIPTS = ("page.js", "audit.js")
_NAME = 60  # characters of a name that are shown


def write_audit_html(report: AuditReport, path: str | os.PathLike[str]) -> Path:
    """Write the page to a file, whole or not at all; MissingExtra where jinja2 or matplotlib is not installed."""
    require_extra()
    target = codec.prepare_output(path)
    return codec.write(target, render_audit_html(report))


def render_audit_html(report: AuditReport) -> str:
    """The page as text. The same report gives the same text."""
    return audit_page(audit_summary(report))


def audit_page(summary: Mapping[str, Any]) -> str:
    """The page of a summary."""
    markup = markup_type()
    scripts = [asset(name) for name in _SCRIPTS]
    page = environment().get_template("audit.html").render(
        summary=summary,
        title=page_title(summary),
        policy=policy(scripts),
        style=markup("\n".join(asset(name) for name in _STYLES)),
        scripts=[markup(script) for script in scripts],
        draw=_Drawings(summary, markup),
    )
    return page + "\n"


def page_title(summary: Mapping[str, Any]) -> str:
    """A line of text that names the data."""
    return f"Do metrics behave on {safe(summary['name'], _NAME)}? truegrade audit"


class _Drawings:
    """What the templates call for names and panels; the same name is written the same way everywhere."""

    def __init__(self, summary: Mapping[str, Any], markup: type[Markup]) -> None:
        self._markup = markup
        self._numbers = {metric["key"]: at for at, metric in enumerate(summary["metrics"])}
        self._names = {metric["key"]: self._written(metric["name"]) for metric in summary["metrics"]}

    def _written(self, text: str) -> Markup:
        """A name; other alphabets keep to themselves."""
        shown = safe(text, _NAME)
        return self._markup("{}" if shown.isascii() else '<bdi dir="auto">{}</bdi>').format(shown)

    def who(self, row: Mapping[str, Any]) -> Markup:
        """The metric of a row."""
        known = self._names.get(row["metric"])
        return self._written(row["name"]) if known is None else known

    def at(self, row: Mapping[str, Any]) -> int:
        """The number of the metric of a row, by which it is picked."""
        return self._numbers.get(row["metric"], -1)

    def unit(self) -> Markup:
        """The numbers of a score from 0 to 1, once a page."""
        return self._markup(audit_plots.UNIT)

    def axis(self, scenario: Mapping[str, Any]) -> Markup:
        """What the panels of a scenario share."""
        return self._markup(audit_plots.axis(scenario["across"], f"{scenario['anchor']}x"))

    def panel(self, panel: Mapping[str, Any], scenario: Mapping[str, Any]) -> Markup:
        """The curves of one metric in one scenario."""
        return self._markup(audit_plots.panel(panel, scenario["across"], f"{scenario['anchor']}x"))
