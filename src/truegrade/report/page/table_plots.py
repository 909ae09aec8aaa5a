"""Drawings of tables as SVG text for a page: densities of a pair of columns as contours, of one column as curves.

Straight from the plain dict (`report.summary.table_view`): the numbers are not touched, only placed. Colours and
strokes are classes of table.css.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.report.words import safe

_SIDE = 240  # of the square in which densities lie, in pixels of the drawing
_LEFT, _BELOW, _ROOM = 58, 40, 10  # room for numbers and names of the axes, and at the other edges
_WIDE, _HIGH = 320, 110  # of the box in which curves lie
_FINE = 4  # places a pixel has in a path
View = Mapping[str, Any]


def contours(picture: View, name: str) -> str:
    """Both densities of a pair of columns at their levels, on axes in the columns' units."""
    words = (
        f"Densities of {picture['first']} (across) and {picture['second']} (upwards); solid and filled: real, dashed: "
        f"synthetic. {picture['words']}."
    )
    inside = "".join(
        f'<path class="tb-{side}" d="{_outline(_grid(picture, side), picture["levels"][side])}"/>'
        for side in ("real", "synthetic")
    )
    frame = (
        f'<svg x="{_LEFT}" y="{_ROOM}" width="{_SIDE}" height="{_SIDE}" viewBox="0 0 {_SIDE * _FINE} {_SIDE * _FINE}">'
        f"{inside}</svg>"
    )
    size = (_LEFT + _SIDE + _ROOM, _ROOM + _SIDE + _BELOW)
    axes = _across(picture["x"], _SIDE, _ROOM + _SIDE) + _upwards(picture["y"])
    title = f"{picture['first']} and {picture['second']}"
    return _svg(f"{axes}{frame}{_box(_SIDE, _SIDE)}", size, name, title, words)


def curves(curve: View, name: str) -> str:
    """Both densities of one column, on an axis in its units."""
    top = max(*curve["real"], *curve["synthetic"]) or 1.0
    lines = "".join(
        f'<path class="tb-{side}" d="{_line(curve["at"], curve[side], top)}"/>' for side in ("real", "synthetic")
    )
    frame = (
        f'<svg x="{_ROOM}" y="{_ROOM}" width="{_WIDE}" height="{_HIGH}" '
        f'viewBox="0 0 {_WIDE * _FINE} {_HIGH * _FINE}">{lines}</svg>'
    )
    axes = _across(curve["x"], _WIDE, _ROOM + _HIGH, left=_ROOM, named=False)
    base = f'<path class="tb-frame" d="M{_ROOM} {_ROOM + _HIGH}h{_WIDE}"/>'
    size = (_WIDE + 2 * _ROOM, _HIGH + _ROOM + 22)
    words = f"Densities of {curve['name']}; filled: real, dashed: synthetic. {curve['words']}."
    return _svg(f"{axes}{frame}{base}", size, name, curve["name"], words)


# --- outlines ----------------------------------------------------------------------------------------------


def _grid(picture: View, side: str) -> NDArray[np.float64]:
    """The density of a side with a rim of zeros, so that every contour closes."""
    count = picture["grid"]
    flat = np.frombuffer(base64.b64decode(picture[side]), dtype=np.uint8)
    return np.pad(flat.reshape(count, -1).astype(np.float64), 1)


def _outline(grid: NDArray[np.float64], levels: Sequence[float]) -> str:
    """All contours as one path; a cell's middle is where its density is."""
    from contourpy import contour_generator

    rows, columns = (count - 2 for count in grid.shape)
    across = (np.arange(columns + 2) - 0.5) / columns * _SIDE * _FINE
    upwards = (1 - (np.arange(rows + 2) - 0.5) / rows) * _SIDE * _FINE
    found = contour_generator(across, upwards, grid)
    usable = sorted({max(level, 0.5) for level in levels if level < grid.max()})
    return "".join(_loop(np.asarray(points, dtype=np.float64)) for level in usable for points in found.lines(level))


def _loop(points: NDArray[np.float64]) -> str:
    """A closed line in whole places, without those that do not turn it."""
    places = np.rint(points).astype(np.int64)
    steps = np.diff(places, axis=0)
    steps = steps[(steps != 0).any(axis=1)]
    if len(steps) < 3:
        return ""
    return f"M{places[0, 0]} {places[0, 1]}l{' '.join(f'{dx} {dy}' for dx, dy in _joined(steps))}z"


def _joined(steps: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Steps in one direction as one."""
    x, y = 0, 0
    for dx, dy in steps.tolist():
        if (x or y) and x * dy == y * dx and x * dx + y * dy > 0:
            x, y = x + dx, y + dy
            continue
        if x or y:
            yield x, y
        x, y = dx, dy
    yield x, y


def _line(at: Sequence[float], values: Sequence[float], top: float) -> str:
    """A curve from the base line to the base line."""
    wide, high = _WIDE * _FINE, _HIGH * _FINE
    places = [f"{round(x * wide)} {round((1 - 0.96 * v / top) * high)}" for x, v in zip(at, values, strict=True)]
    return f"M{round(at[0] * wide)} {high}L{' '.join(places)} {round(at[-1] * wide)} {high}"


# --- axes --------------------------------------------------------------------------------------------------


def _across(axis: View, wide: float, y: float, left: float = _LEFT, named: bool = True) -> str:
    places = [(_at(left + wide * tick["at"] / 100), _text(tick["text"])) for tick in _apart(axis["ticks"], wide)]
    text = "".join(
        f'<path class="tb-tick" d="M{x} {y:g}v4"/><text x="{x}" y="{y + 15:g}" text-anchor="middle">{words}</text>'
        for x, words in places
    )
    name = f'<text class="tb-axis" x="{left + wide / 2:g}" y="{y + 33:g}" text-anchor="middle">{_name(axis)}</text>'
    return text + (name if named else "")


def _upwards(axis: View) -> str:
    places = [(_ROOM + _SIDE * (1 - tick["at"] / 100), tick["text"]) for tick in axis["ticks"]]
    longest = max((len(text) for _, text in places), default=0)
    turned = longest > 6  # long numbers stand upright, as the name does
    text = "".join(
        f'<path class="tb-tick" d="M{_LEFT} {_at(y)}h-4"/>'
        + (
            f'<text transform="translate({_LEFT - 8} {_at(y)})rotate(-90)" text-anchor="middle">{_text(words)}</text>'
            if turned
            else f'<text x="{_LEFT - 7}" y="{_at(y + 3.8)}" text-anchor="end">{_text(words)}</text>'
        )
        for y, words in places
    )
    place = f'transform="translate(11 {_ROOM + _SIDE / 2:g})rotate(-90)" text-anchor="middle"'
    return f'{text}<text class="tb-axis" {place}>{_name(axis)}</text>'


def _apart(ticks: Sequence[View], wide: float) -> Sequence[View]:
    """Every second one where all have no room beside each other."""
    needed = 7.0 * max((len(tick["text"]) for tick in ticks), default=0) + 8
    return ticks if len(ticks) < 2 or needed <= wide / len(ticks) else ticks[::2]


def _name(axis: View) -> str:
    return _text(safe(axis["name"], 34))


def _text(words: str) -> str:
    return html.escape(words)


def _at(place: float) -> str:
    return f"{place:.1f}".removesuffix(".0")


def _box(wide: float, high: float) -> str:
    return f'<path class="tb-frame" d="M{_LEFT} {_ROOM}h{wide}v{high}h-{wide}z"/>'


def _svg(inside: str, size: tuple[float, float], name: str, title: str, words: str) -> str:
    return (
        f'<svg class="tb-plot" viewBox="0 0 {size[0]:g} {size[1]:g}" style="max-width:{1.4 * size[0]:g}px" role="img" '
        f'aria-labelledby="{name}-t {name}-d"><title id="{name}-t">{html.escape(title)}</title>'
        f'<desc id="{name}-d">{html.escape(words)}</desc>{inside}</svg>'
    )
