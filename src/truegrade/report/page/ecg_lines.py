"""Lines of recordings as SVG paths with few points, and distributions of measurements as small histograms."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

View = Mapping[str, Any]
Ints = NDArray[np.int64]


def path(x: Ints, y: Ints, begins: Ints) -> str:
    """Lines through whole places, each piece by its steps."""
    ends = [*begins[1:].tolist(), len(x)]
    out = []
    for start, stop in zip(begins.tolist(), ends, strict=True):
        steps = np.column_stack([np.diff(x[start:stop]), np.diff(y[start:stop])]).ravel().tolist()
        text = " ".join(map(str, steps)).replace(" -", "-")
        out.append(f"M{x[start]} {y[start]}" + (f"l{text}" if text else "h1"))
    return "".join(out)


def thinned(x: Ints, y: Ints, near: float) -> Ints:
    """Which points (n,) of a line to keep so that it passes no other one farther than `near` above or below."""
    xs, ys = x.tolist(), y.tolist()
    if len(xs) < 3:
        return np.arange(len(xs))
    kept, anchor, low, high = [0], 0, -math.inf, math.inf
    for i in range(1, len(xs)):
        run, rise = xs[i] - xs[anchor], ys[i] - ys[anchor]
        if run > 0 and low <= rise / run <= high:
            low, high = max(low, (rise - near) / run), min(high, (rise + near) / run)
            continue
        if i - 1 > anchor:
            kept.append(i - 1)
            anchor = i - 1
            run, rise = xs[i] - xs[anchor], ys[i] - ys[anchor]
        if run <= 0:  # two samples in one place: both are kept
            kept.append(i)
            anchor, low, high = i, -math.inf, math.inf
            continue
        low, high = (rise - near) / run, (rise + near) / run
    if kept[-1] != len(xs) - 1:
        kept.append(len(xs) - 1)
    return np.asarray(kept)


def extremes(x: Ints, y: Ints, column: int) -> Ints:
    """The least and the largest point of every `column` units of time, in their order, and both ends."""
    place = x // column
    order = np.lexsort((y, place))
    turn = np.flatnonzero(np.diff(place[order])) + 1
    least, largest = order[np.concatenate([[0], turn])], order[np.concatenate([turn - 1, [len(x) - 1]])]
    return np.unique(np.concatenate([[0], least, largest, [len(x) - 1]]))


# --- distributions -----------------------------------------------------------------------------------------

_WIDE, _HIGH = 240, 44


def distribution(chart: View, words: str) -> str:
    """Both histograms on one axis: real filled, synthetic as an outline."""
    edges = [round(at * _WIDE, 1) for at in chart["edges"]]
    densities = {side: _densities(chart["edges"], chart[side]) for side in ("real", "synthetic")}
    top = max(max(values) for values in densities.values()) or 1.0
    lines = "".join(
        f'<path class="tb-{side}" d="{_steps(edges, [v / top for v in values])}"/>'
        for side, values in densities.items()
    )
    places = ((f"{tick['at'] * _WIDE / 100:.4g}", html.escape(tick["text"])) for tick in chart["ticks"])
    ticks = "".join(
        f'<path class="tb-tick" d="M{x} {_HIGH}v4"/><text x="{x}" y="{_HIGH + 15}" text-anchor="middle">{text}</text>'
        for x, text in places
    )
    return (
        f'<svg class="tb-plot ecg-spread" viewBox="-14 -3 {_WIDE + 28} {_HIGH + 22}" role="img" '
        f'aria-label="{html.escape(words)}"><path class="tb-frame" d="M0 {_HIGH}h{_WIDE}"/>{lines}{ticks}</svg>'
    )


def _densities(edges: Sequence[float], shares: Sequence[float]) -> list[float]:
    return [share / (high - low) for share, low, high in zip(shares, edges[:-1], edges[1:], strict=True)]


def _steps(edges: Sequence[float], heights: Sequence[float]) -> str:
    out = [f"M{edges[0]:g} {_HIGH}"]
    for height, right in zip(heights, edges[1:], strict=True):
        out.append(f"V{round(_HIGH * (1 - height), 1):g}H{right:g}")
    return "".join(out) + f"V{_HIGH}"
