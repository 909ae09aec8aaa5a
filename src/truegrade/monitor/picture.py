"""The drawing of a monitor's history: one small panel a metric, all over the same steps."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from truegrade.codec import write_by
from truegrade.errors import InputError
from truegrade.metrics.base import MetricInfo
from truegrade.monitor.history import Checkpoint

_TRAINING, _VALIDATION, _REAL, _INK, _MUTED = "#1f5fa8", "#c8501e", "#7a8b6f", "#222222", "#666666"
_COLUMNS, _WIDTH, _PANEL, _DPI = 4, 12.0, 2.15, 100  # inches: 1200 pixels across
_STYLE: dict[Any, Any] = {
    "text.parse_math": False,  # a $ in a name is a $
    "font.size": 10,
    "svg.fonttype": "none",
    "svg.hashsalt": "truegrade",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": _MUTED,
    "text.color": _INK,
    "xtick.color": _MUTED,
    "ytick.color": _MUTED,
}
_ARROWS = {"higher": "↑", "lower": "↓", "target": "→"}
_SUFFIXES = (".png", ".svg", ".pdf")


def draw(
    history: Sequence[Checkpoint], infos: Mapping[str, MetricInfo], path: str | os.PathLike[str], title: str = ""
) -> Path:
    """Draw and write the file, whole or not at all; see `Monitor.plot`."""
    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES:
        raise InputError(f"{path} has the suffix {suffix or '(none)'}; {', '.join(_SUFFIXES)} are written.")
    if not history:
        raise InputError("Nothing was recorded yet; call monitor.compute(step=...) first.")
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = _figure(history, infos, title)
        nothing = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}[suffix]
        return write_by(path, lambda out: figure.savefig(out, format=suffix[1:], dpi=_DPI, metadata=nothing))


def _figure(history: Sequence[Checkpoint], infos: Mapping[str, MetricInfo], title: str) -> Figure:
    down = -(-len(infos) // _COLUMNS)
    height = _PANEL * down + 0.75
    layout = ConstrainedLayoutEngine(rect=(0, 0, 1, 1 - 0.5 / height), h_pad=0.06, w_pad=0.06)
    figure = Figure(figsize=(_WIDTH, height), layout=layout)
    panels = figure.subplots(down, _COLUMNS, squeeze=False).ravel()
    for axes, (key, info) in zip(panels, infos.items(), strict=False):
        _panel(axes, key, info, history)
    for axes in panels[len(infos) :]:
        axes.set_visible(False)
    for axes in panels[max(0, len(infos) - _COLUMNS) : len(infos)]:
        axes.set_xlabel("step", color=_MUTED)
    figure.legend(handles=_legend(history), loc="upper right", ncols=3, frameon=False, fontsize=11)
    figure.text(0.008, 1 - 0.2 / height, title[:60], va="center", fontsize=12, fontweight="bold")
    return figure


def _legend(history: Sequence[Checkpoint]) -> list[Any]:
    handles: list[Any] = [Line2D([], [], color=_TRAINING, linewidth=2, label="against training samples")]
    if any(one.validation is not None for one in history):
        label = "against validation samples"
        handles.append(Line2D([], [], color=_VALIDATION, linestyle="--", linewidth=2, label=label))
    if any(one.floors for one in history):
        handles.append(Patch(facecolor=_REAL, alpha=0.35, edgecolor=_REAL, label="real against real"))
    return handles


def _panel(axes: Any, key: str, info: MetricInfo, history: Sequence[Checkpoint]) -> None:
    steps = [one.step for one in history]
    marker = "o" if len(steps) < 30 else ""
    _floor(axes, steps, [one.floors.get(key, (float("nan"), float("nan"))) for one in history])
    for values, colour, style in (
        ([one.training.get(key) for one in history], _TRAINING, "-"),
        ([(one.validation or {}).get(key) for one in history], _VALIDATION, "--"),
    ):
        known = [float("nan") if value is None else value for value in values]
        if any(v == v for v in known):
            axes.plot(steps, known, style, color=colour, linewidth=1.8, marker=marker, markersize=3.5)
        elif colour == _TRAINING:
            axes.text(0.5, 0.5, "undefined", transform=axes.transAxes, ha="center", color=_MUTED)
    name = info.title + key.removeprefix(info.key)
    axes.set_title(f"{name[:34]} {_ARROWS[info.direction]}", fontsize=10.5, loc="left")
    axes.locator_params(nbins=5)
    axes.margins(x=0.02)


def _floor(axes: Any, steps: Sequence[float], bands: Sequence[tuple[float, float]]) -> None:
    """Real against real: a line, and a band where its error is known."""
    if all(low != low for low, _ in bands):
        return
    if len(steps) == 1:
        steps, bands = [steps[0] - 0.5, steps[0] + 0.5], [*bands, *bands]
    axes.fill_between(steps, *zip(*bands, strict=True), color=_REAL, alpha=0.3, linewidth=0)
    axes.plot(steps, [(low + high) / 2 for low, high in bands], color=_REAL, linewidth=1.5, zorder=1)
