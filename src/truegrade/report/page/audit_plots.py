"""Curves of an audit as small SVG panels, one a metric, from the plain dict: numbers are only placed.

A unit is half a pixel. What all panels of a scenario share, the axis, is drawn once and used by each.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from truegrade.report.words import safe

View = Mapping[str, Any]
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 336, 12, 152
_WIDTH, _HEIGHT = 346, 186
_INSET = 22  # at both ends of an axis of names
_LETTER = 12.5  # wide, of a number on the axis
_NOTHING = f'<text x="{(_LEFT + _RIGHT) // 2}" y="90">no value</text>'
_COLOURS = 6
_TOLD = 7  # levels whose values are told to readers who do not see a panel
_NUMBERS = '<text class="y" x="50" y="27">{high}</text><text class="y" x="50" y="155">{low}</text>'
UNIT = f'<g id="au-unit">{_NUMBERS.format(high=1, low=0)}</g>'
"""The numbers of a score from 0 to 1, once a page."""


def axis(across: View, name: str) -> str:
    """What the panels of one scenario share: base line, numbers of the levels, where nothing is damaged."""
    places = _places(across)
    ticks = "".join(f"M{x} {_BOTTOM}v5" for x in dict.fromkeys(places))
    words = [str(i + 1) for i in range(len(places))] if across["names"] else across["levels"]
    shown = "".join(
        f'<text x="{x}" y="{_HEIGHT - 10}">{html.escape(word)}</text>' for x, word in _apart(places, words)
    )
    mark = ""
    if across["reference"] is not None:
        x = round(_LEFT + across["reference"] * (_RIGHT - _LEFT))
        mark = f'<path class="r" d="M{x} {_TOP}V{_BOTTOM}"/>'
    line = f'<path class="a" d="M{_LEFT} {_TOP}V{_BOTTOM}H{_RIGHT}{ticks}"/>'
    return f'<g id="{name}">{mark}{line}{shown}</g>'


def panel(view: View, across: View, name: str) -> str:
    """The curves of one metric. name: of the axis."""
    places = _places(across)
    dots = bool(across["names"])
    arms = view["arms"]
    empty = all(v is None for arm in arms for v in arm["mean"])
    parts = [f'<use href="#{name}"/>', _NOTHING if empty else _numbers(view["ticks"])]
    moved = [[x + _shift(i, len(arms)) if dots else x for x in places] for i in range(len(arms))]
    for i, arm in enumerate(arms):
        parts.append(_path("b", i, _bars(view, arm, moved[i]) if dots else _band(view, arm, moved[i])))
    if view["desired"] is not None:
        wanted = _levels(view, view["desired"])
        line = "".join(f"M{x - 14} {y}h28" for x, y in _known(places, wanted)) if dots else _line(places, wanted)
        parts.append(_path("d", 0, line))
    for i, arm in enumerate(arms):
        mean = _levels(view, arm["mean"])
        line = "".join(f"M{x} {y}h0" for x, y in _known(moved[i], mean)) if dots else _line(places, mean)
        parts.append(_path("p" if dots else "l", i, line))
    lacking = [] if empty else sorted({at for arm in arms for at in arm["lacking"] if at < len(places)})
    parts.append(_path("x", 0, "".join(f"M{places[at] - 6} {_BOTTOM - 13}l12 12m0-12l-12 12" for at in lacking)))
    title = html.escape(_words(view, across))
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"><title>{title}</title>{"".join(parts)}</svg>'


# --- places ------------------------------------------------------------------------------------------------


def _places(across: View) -> list[int]:
    inset = _INSET if across["names"] else 0
    wide = _RIGHT - _LEFT - 2 * inset
    return [round(_LEFT + inset + at * wide) for at in across["at"]]


def _shift(arm: int, count: int) -> int:
    return round(7 * (arm - (count - 1) / 2))


def _levels(view: View, values: Sequence[float | None]) -> list[int | None]:
    """Values as heights; what is beyond the scale, by rounding, lies on its edge."""
    low, span = view["bottom"], view["top"] - view["bottom"]
    high = _BOTTOM - _TOP
    return [None if v is None else round(_BOTTOM - min(max((v - low) / span, 0.0), 1.0) * high) for v in values]


def _known(places: Sequence[int], heights: Sequence[int | None]) -> list[tuple[int, int]]:
    return [(x, y) for x, y in zip(places, heights, strict=False) if y is not None]


def _pieces(places: Sequence[int], heights: Sequence[int | None]) -> Iterator[list[tuple[int, int]]]:
    """The points of a line, anew after every level without a value."""
    piece: list[tuple[int, int]] = []
    for x, y in zip(places, heights, strict=False):
        if y is not None:
            piece.append((x, y))
        elif piece:
            yield piece
            piece = []
    if piece:
        yield piece


# --- paths -------------------------------------------------------------------------------------------------


def _path(kind: str, arm: int, d: str) -> str:
    colour = f" c{arm % _COLOURS}" if arm else ""
    return f'<path class="{kind}{colour}" d="{d}"/>' if d else ""


def _line(places: Sequence[int], heights: Sequence[int | None]) -> str:
    return "".join(_steps(piece) for piece in _pieces(places, heights))


def _steps(points: Sequence[tuple[int, int]]) -> str:
    """A line through points, by its steps; a single point is a dot."""
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(points)]
    text = " ".join(f"{dx} {dy}" for dx, dy in steps).replace(" -", "-")
    return f"M{points[0][0]} {points[0][1]}" + (f"l{text}" if text else "h0")


def _band(view: View, arm: View, places: Sequence[int]) -> str:
    """From the smallest to the largest value, closed; nothing where they do not differ."""
    low, high = (_levels(view, arm[key]) for key in ("low", "high"))
    if low == high:
        return ""
    up, down = list(_pieces(places, high)), list(_pieces(places, low))
    return "".join(f"{_steps([*above, *reversed(below)])}z" for above, below in zip(up, down, strict=True))


def _bars(view: View, arm: View, places: Sequence[int]) -> str:
    """The same for levels that are names: a bar each."""
    low, high = (_levels(view, arm[key]) for key in ("low", "high"))
    return "".join(
        f"M{x - 2} {top}h4v{bottom - top}h-4z"
        for x, top, bottom in zip(places, high, low, strict=False)
        if top is not None and bottom is not None and bottom > top
    )


# --- words -------------------------------------------------------------------------------------------------


def _numbers(ticks: Sequence[str]) -> str:
    if list(ticks) == ["0", "1"]:
        return '<use href="#au-unit"/>'
    low, high = (html.escape(text) for text in ticks)
    return _NUMBERS.format(high=high, low=low)


def _apart(places: Sequence[int], words: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The first and the last number, and of those between as many as have room."""
    taken: list[tuple[float, float]] = []
    order = [0, len(places) - 1, *range(1, len(places) - 1)]
    for at in dict.fromkeys(i for i in order if 0 <= i < len(places)):
        half = _LETTER * len(words[at]) / 2 + 4
        x = min(places[at], round(_WIDTH - half))
        if all(x + half <= low or high <= x - half for low, high in taken):
            taken.append((x - half, x + half))
            yield x, words[at]


def _words(view: View, across: View) -> str:
    """What the panel shows: the means of some levels, of the first arm."""
    levels = [safe(text, 24) for text in across["names"] or across["levels"]]
    means = view["arms"][0]["mean"] if view["arms"] else []
    step = max(1, -(-len(means) // _TOLD))
    chosen = [i for i in range(len(means)) if i % step == 0 or i == len(means) - 1]
    told = (f"{'no value' if means[i] is None else f'{means[i]:.3g}'} at {levels[i]}" for i in chosen)
    return f"{safe(view['name'], 60)}: {', '.join(told)}"
