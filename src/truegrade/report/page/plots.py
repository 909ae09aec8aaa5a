"""Drawings with matplotlib as SVG text for a page: text stays text, colours are the page's variables.

A drawing gets plain numbers from the summary and computes no statistic. The same numbers give the same bytes: no
dates, no random identifiers. Every identifier begins with the drawing's name, so that many fit in one page.
"""

from __future__ import annotations

import html
import io
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truegrade.report.words import safe

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import BboxBase

# colours as matplotlib draws them, and the variables of the page they stand for
_INK, _MUTED, _LINE, _ACCENT, _PAPER, _REAL = (f"#0{i}0{i}0{i}" for i in range(1, 7))
_NAMES = {_INK: "ink", _MUTED: "muted", _LINE: "line", _ACCENT: "accent", _PAPER: "paper", _REAL: "real"}
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "truegrade",
    "text.parse_math": False,  # a $ in a name is a $
    "font.size": 11,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "text.color": _INK,
    "axes.edgecolor": _LINE,
    "axes.labelcolor": _MUTED,
    "axes.labelsize": 11,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": _LINE,
    "ytick.color": _LINE,
    "xtick.labelcolor": _MUTED,
    "ytick.labelcolor": _MUTED,
    "axes.unicode_minus": True,
}
_DPI = 72.0  # one unit of the drawing is one pixel of the page at its natural size
_REFERENCE = "real vs real"
_LABEL = 20  # characters of a name


def plane(data: Mapping[str, Any], name: str, title: str, description: str) -> str:
    """Coverage across and fidelity upwards: a point with its 95 % ellipse for each model, a cross for real data."""
    with _figure(360, 345) as (figure, save):
        axes = figure.add_axes((0.14, 0.14, 0.83, 0.825))
        low = data["low"]
        room = 0.02 * (1 - low)
        axes.set_xlim(low - room, 1 + room)
        axes.set_ylim(low - room, 1 + room)
        axes.grid(color=_LINE, linewidth=0.5)
        axes.set_axisbelow(True)
        axes.set_xlabel(f"{data['x_title']}  →")
        axes.set_ylabel(f"{data['y_title']}  →")
        for point in data["points"]:
            _ellipse(axes, point)
        if data["floor"] is not None:
            axes.plot(data["floor"]["x"], data["floor"]["y"], "P", color=_REAL, markersize=10, markeredgecolor=_PAPER)
        for point in data["points"]:
            axes.plot(point["x"], point["y"], "o", color=_ACCENT, markersize=7.5, markeredgecolor=_PAPER)
        _labels(axes, data)
        return save(name, title, description)


def _ellipse(axes: Axes, point: Mapping[str, Any]) -> None:
    """Where both values are believed to be together; the part beyond the axes is cut off."""
    import numpy as np
    from matplotlib.patches import Polygon

    if not point["half_x"] and not point["half_y"]:
        return
    turn = np.linspace(0, 2 * np.pi, 73)
    r = point["correlation"]
    across = point["x"] + point["half_x"] * np.cos(turn)
    upwards = point["y"] + point["half_y"] * (r * np.cos(turn) + (1 - r * r) ** 0.5 * np.sin(turn))
    corners = np.clip(np.column_stack([across, upwards]), 0.0, 1.0)
    axes.add_patch(Polygon(corners, facecolor=_ACCENT, alpha=0.16, linewidth=0))
    axes.add_patch(Polygon(corners, facecolor="none", edgecolor=_ACCENT, linewidth=0.9, alpha=0.8))


def _labels(axes: Axes, data: Mapping[str, Any]) -> None:
    """Names beside their points, where there is room that no other label or point takes."""
    to_pixels = axes.transData.transform
    points = [*data["points"], *([data["floor"]] if data["floor"] else [])]
    spots: dict[tuple[float, float], list[str]] = {}  # models at one place share a label
    for point in points:
        x, y = to_pixels((point["x"], point["y"]))
        spots.setdefault((round(float(x), 1), round(float(y), 1)), []).append(_cut(point.get("model", _REFERENCE)))
    places, names = list(spots), [_cut(", ".join(words), 2 * _LABEL) for words in spots.values()]
    taken = [(x - 6, y - 6, x + 6, y + 6) for x, y in places]
    for (x, y), text in zip(places, names, strict=True):
        width = 6.6 * len(text) + 4
        for dx, dy in _offers(width):
            spot = (x + dx, y + dy, x + dx + width, y + dy + 12)
            if _inside(spot, axes.bbox) and not any(_overlap(spot, other) for other in taken):
                taken.append(spot)
                ends_here = dx < -width / 2 - 1
                axes.annotate(
                    text,
                    (spot[2] if ends_here else spot[0], spot[1] + 2),
                    xycoords="figure pixels",
                    color=_MUTED if text == _REFERENCE else _INK,
                    ha="right" if ends_here else "left",
                )
                break


def _offers(width: float) -> Iterator[tuple[float, float]]:
    """Where the lower left corner of a label may lie relative to its point, in pixels, the best place first."""
    yield from ((9, -4), (-9 - width, -4), (-width / 2, 9), (-width / 2, -18))
    for across, up in ((9, 8), (9, -17), (12, -30), (12, 22), (12, -43)):
        yield from ((across, up), (-across - width, up))


def _inside(spot: Sequence[float], box: BboxBase) -> bool:
    """Whether a label stays in the figure: above the horizontal axis, but a little beyond the other edges."""
    across = box.x0 - 2 <= spot[0] and spot[2] <= box.x1 + 10
    return bool(across and box.y0 + 1 <= spot[1] and spot[3] <= box.y1 + 12)


def _overlap(a: Sequence[float], b: Sequence[float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def histogram(data: Mapping[str, Any], name: str, title: str, description: str) -> str:
    """Counts of per-sample values, one row for each model on a shared axis; a tick marks the median."""
    rows = data["rows"]
    bins = len(rows[0]["counts"])
    step = (data["high"] - data["low"]) / bins
    edges = [data["low"] + i * step for i in range(bins + 1)]
    top = 1.42 if len(rows) > 1 else 1.05  # a row's height in units of its tallest bar: room for its name
    height = (58 if len(rows) > 1 else 84) * len(rows) + 26
    colour = _ACCENT if data["side"] == "synthetic" else _REAL
    with _figure(360, height) as (figure, save):
        axes = figure.add_axes((0.02, 24 / height, 0.96, 1 - 26 / height))
        for at, row in enumerate(rows):
            y = top * (len(rows) - 1 - at)
            tallest = max(1, *row["counts"])
            axes.stairs([y + count / tallest for count in row["counts"]], edges, baseline=y, fill=True, color=colour)
            axes.axhline(y, color=_LINE, linewidth=0.8)
            if row["median"] is not None:
                middle = min(max(row["median"], data["low"]), data["high"])
                axes.plot([middle], [y], "^", color=_INK, markersize=6, clip_on=False, zorder=5)
            if len(rows) > 1:
                axes.text(0, y + 1.06, _cut(row["model"], 40), transform=axes.get_yaxis_transform(), va="bottom")
        axes.set_xlim(data["low"] - step, data["high"] + step)
        axes.set_ylim(0, top * len(rows))
        _bare(axes)
        return save(name, title, description)


def repeats(data: Mapping[str, Any], name: str, title: str, description: str) -> str:
    """Values of repeated sets: every value a point, a box from quartile to quartile, whiskers from 5 to 95 %."""
    rows = [row for row in data["rows"] if row["values"]]
    height = 46 * len(rows) + 34
    with _figure(360, height) as (figure, save):
        axes = figure.add_axes((0.02, 34 / height, 0.96, 1 - 36 / height))
        for at, row in enumerate(rows):
            _box(axes, row, len(rows) - 1 - at)
        if data["floor"] is not None:
            axes.axvline(data["floor"], color=_REAL, linewidth=1.5, linestyle=(0, (4, 3)), zorder=0)
        axes.set_ylim(-0.45, len(rows) - 0.35)
        axes.margins(x=0.04)
        _bare(axes)
        return save(name, title, description)


def _box(axes: Axes, row: Mapping[str, Any], y: float) -> None:
    from matplotlib.patches import Rectangle

    axes.plot([row["p05"], row["p95"]], [y, y], color=_ACCENT, linewidth=1.2)
    axes.add_patch(
        Rectangle((row["q25"], y - 0.13), row["q75"] - row["q25"], 0.26, facecolor=_ACCENT, alpha=0.25, linewidth=0)
    )
    axes.plot([row["median"]] * 2, [y - 0.17, y + 0.17], color=_ACCENT, linewidth=2)
    axes.plot(
        row["values"], [y] * len(row["values"]), "|", color=_ACCENT, alpha=0.55, markersize=7, markeredgewidth=0.8
    )
    axes.plot([row["mean"]], [y], "D", markerfacecolor=_PAPER, markeredgecolor=_ACCENT, markersize=5.5)
    axes.text(0, y + 0.27, _cut(row["model"], 40), transform=axes.get_yaxis_transform(), va="bottom")


def _bare(axes: Axes) -> None:
    """A few numbers below, nothing at the side."""
    from matplotlib.ticker import MaxNLocator

    axes.yaxis.set_visible(False)
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.tick_params(bottom=False)


def _cut(text: str, longest: int = _LABEL) -> str:
    return safe(text, longest)


# --- from matplotlib to the page -----------------------------------------------------------------------------


class _figure:
    """An empty figure of a size in pixels, and what turns it into SVG text; the style holds inside only."""

    def __init__(self, width: float, height: float) -> None:
        self.size = (width, height)

    def __enter__(self) -> tuple[Figure, Callable[[str, str, str], str]]:
        import matplotlib
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        self._quiet = warnings.catch_warnings()
        self._quiet.__enter__()
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # the reader's fonts count, not ours
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support")
        self._style = matplotlib.rc_context(_STYLE)
        self._style.__enter__()
        self.figure = Figure(figsize=(self.size[0] / _DPI, self.size[1] / _DPI), dpi=_DPI)
        self.figure.patch.set_visible(False)
        FigureCanvasSVG(self.figure)
        return self.figure, self._save

    def __exit__(self, *reason: Any) -> None:
        self._style.__exit__(*reason)
        self._quiet.__exit__(*reason)

    def _save(self, name: str, title: str, description: str) -> str:
        for axes in self.figure.axes:
            axes.patch.set_visible(False)
        text = io.StringIO()
        nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
        self.figure.savefig(text, format="svg", metadata=nothing, dpi=_DPI)
        return page_svg(text.getvalue(), name, title, description, self.size)


def page_svg(text: str, name: str, title: str, description: str, size: tuple[float, float]) -> str:
    """matplotlib's SVG made fit for a page: no prologue, no style of its own, own identifiers, words for readers."""
    text = text[text.index("<svg") :]
    inside = text[text.index(">") + 1 : text.rindex("</svg>")]
    inside = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", inside, flags=re.S)
    inside = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", inside, flags=re.S)
    used = set(re.findall(r'(?:xlink:href="|url\()#([^")]+)', inside))
    inside = re.sub(r' id="([^"]*)"', lambda m: f' id="{name}-{m[1]}"' if m[1] in used else "", inside)
    inside = re.sub(r'(xlink:href="|url\()#', rf"\g<1>#{name}-", inside)
    inside = re.sub(r'style="[^"]*"', lambda m: _variables(m[0]), inside)
    inside = re.sub(r' (d|x|y)="[^"]*"', lambda m: re.sub(r"\s+", " ", re.sub(r"-?\d+\.\d{3,}", _short, m[0])), inside)
    inside = re.sub(r"\s*\n\s*", "\n", re.sub(r"<g/>|(<g>\s*</g>)", "", inside)).strip()
    width, height = size
    return (
        f'<svg class="plot" viewBox="0 0 {width:g} {height:g}" style="max-width:{1.3 * width:g}px" role="img" '
        f'aria-labelledby="{name}-t {name}-d"><title id="{name}-t">{html.escape(title)}</title>'
        f'<desc id="{name}-d">{html.escape(description)}</desc>\n{inside}\n</svg>'
    )


def _short(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def _variables(style: str) -> str:
    """A style attribute with the page's variables instead of colours, and without a font's name."""
    for colour, variable in _NAMES.items():
        style = style.replace(colour, f"var(--{variable})")
    return re.sub(r"\s*font-family:[^;\"]*;?", "", re.sub(r"font: ([\d.]+px)[^;\"]*", r"font-size: \1", style))
