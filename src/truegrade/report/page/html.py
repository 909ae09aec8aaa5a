"""The page: one HTML file that needs nothing else, from the plain dict of `summarize`.

Everything a user named is escaped; what is not printable is shown as an escape. The page's content policy forbids
every request and every script but its own, by their hashes.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truegrade import codec
from truegrade.errors import MissingExtra
from truegrade.report.page import ecg_lines, ecg_plots, plots, table_plots
from truegrade.report.page.assets import TEMPLATES, asset, digest
from truegrade.report.summarize import summarize
from truegrade.report.words import safe, sized
from truegrade.result import Comparison, Evaluation

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_STYLES = ("page.css", "exhibits.css", "table.css")
_SCRIPTS = ("page.js", "table.js", "exhibits_map.js", "exhibits.js")
_SIDES = ("real", "synthetic")
_OF_ECG = ("ecg.css", "ecg.js")  # in pages of recordings only


def write_html(result: Evaluation | Comparison, path: str | os.PathLike[str]) -> Path:
    """Write the page to a file, whole or not at all; MissingExtra where jinja2 or matplotlib is not installed."""
    require_extra()
    target = codec.prepare_output(path)
    return codec.write(target, render_html(summarize(result)))


def render_html(summary: Mapping[str, Any]) -> str:
    """The page as text. The same summary gives the same text."""
    templates = environment()
    markup = markup_type()
    ecg = any(model.get("ecg") for model in summary["models"])
    scripts = [asset(name) for name in (*_SCRIPTS, *(_OF_ECG[1:] if ecg else ()))]
    page = templates.get_template("page.html").render(
        summary=summary,
        title=page_title(summary),
        sizes=_sizes(summary),
        anchors={metric["key"]: metric["anchor"] for metric in summary["metrics"]},
        policy=policy(scripts),
        style=markup("\n".join(asset(name) for name in (*_STYLES, *(_OF_ECG[:1] if ecg else ())))),
        scripts=[markup(script) for script in scripts],
        data=markup(embedded(summary)),
        draw=_Drawings(markup),
    )
    return page + "\n"


def page_title(summary: Mapping[str, Any], longest: int = 40) -> str:
    """A line of text that names the sets."""
    names = [safe(model["name"], longest) for model in summary["models"]]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(names[:3])}{more} against {safe(summary['real']['name'], longest)}: truegrade report"


def embedded(summary: Mapping[str, Any]) -> str:
    """Strict JSON that cannot end the script element it stands in; without what no script reads of tables and ECG."""
    models = [{**model, **_unread(model)} for model in summary.get("models", ())]
    text = json.dumps({**summary, "models": models} if models else summary, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _unread(model: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a model that scripts do without."""
    parts: dict[str, Any] = {"table": None} if model.get("table") else {}
    return parts | ({"ecg": {"rhythms": model["ecg"]["rhythms"]}} if model.get("ecg") else {})


def _sizes(summary: Mapping[str, Any]) -> str:
    sizes = sorted({model["n"] for model in summary["models"]})
    if not sizes[0]:
        return "an unknown number of"
    return f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"


def policy(scripts: list[str]) -> str:
    """No request to anywhere; no script but those with these contents."""
    allowed = " ".join(f"'{digest(script)}'" for script in scripts)
    return (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"script-src {allowed}"
    )


def require_extra() -> None:
    """MissingExtra where jinja2 or matplotlib is not installed; neither is imported."""
    for package in ("jinja2", "matplotlib"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtra(f"The report needs {package}; pip install 'truegrade[report]'.")


def markup_type() -> type[Markup]:
    """Text that is markup already; imported when a page is drawn."""
    from markupsafe import Markup

    return Markup


@functools.cache
def environment() -> Environment:
    """Templates that escape whatever they are given, and fail at what does not exist."""
    markup = markup_type()
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    def printable(value: Any) -> Any:
        """Text without control and direction characters, wherever it stands; lines stay lines."""
        if not isinstance(value, str) or isinstance(value, markup) or value.isprintable():
            return value
        return "\n".join(safe(line, len(line) + 1) for line in value.split("\n"))

    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=printable,
    )
    made.filters["shown"] = lambda text, longest: markup('<bdi dir="auto">{}</bdi>').format(safe(text, longest))
    made.filters["sized"] = sized
    made.filters["cut"] = lambda text, longest: text if len(text) <= longest else text[: longest - 1] + "…"
    return made


class _Drawings:
    """What the templates call for a drawing: the words for readers who do not see it come with it."""

    def __init__(self, markup: type[Markup]) -> None:
        self._markup = markup

    def plane(self, data: Mapping[str, Any], name: str) -> Markup:
        """Fidelity against coverage."""
        points = "; ".join(f"{safe(p['model'], 40)} {p['x_text']}, {p['y_text']}" for p in data["points"])
        title = f"{data['x_title']} and {data['y_title'].lower()} of each model"
        return self._markup(plots.plane(data, name, title, f"{title}: {points}."))

    def histogram(self, data: Mapping[str, Any], name: str, title: str) -> Markup:
        """Values of single samples."""
        rows = (f"{safe(r['model'], 40)}: median {_short(r['median'])} of {r['n']:,} samples" for r in data["rows"])
        words = f"From {_short(data['low'])} to {_short(data['high'])}. {'; '.join(rows)}."
        return self._markup(plots.histogram(data, name, f"{title} of each {data['side']} sample", words))

    def repeats(self, data: Mapping[str, Any], name: str, title: str) -> Markup:
        """Values of repeated sets; nothing where none is defined."""
        rows = [r for r in data["rows"] if r["values"]]
        if not rows:
            return self._markup("")
        told = (
            f"{safe(r['model'], 40)}: median {r['texts']['median']}, quartiles {r['texts']['quartiles']}" for r in rows
        )
        return self._markup(plots.repeats(data, name, f"{title} over repeated sets", f"{'; '.join(told)}."))

    def contours(self, picture: Mapping[str, Any], name: str) -> Markup:
        """Densities of a pair of columns."""
        return self._markup(table_plots.contours(picture, name))

    def curves(self, curve: Mapping[str, Any], name: str) -> Markup:
        """Densities of one column."""
        return self._markup(table_plots.curves(curve, name))

    def grid(self) -> Markup:
        """The squares of ECG paper, once a page."""
        return self._markup(ecg_plots.GRID)

    def strips(self, pair: Mapping[str, Any], name: str) -> tuple[Markup, Markup]:
        """Two recordings on paper."""
        one, other = ecg_plots.pair(pair["shown"], pair["other"], name)
        return self._markup(one), self._markup(other)

    def spread(self, row: Mapping[str, Any]) -> Markup:
        """How a measurement is distributed on both sides."""
        sides = (f"{side} median {row[side]['median']}, quartiles {row[side]['quartiles']}" for side in _SIDES)
        return self._markup(ecg_lines.distribution(row["chart"], f"{row['title']}, {row['unit']}: {'; '.join(sides)}"))


def _short(value: float | None) -> str:
    return "none" if value is None else f"{value:.3g}"
