"""Drawings of recordings as SVG text: strips on ECG paper.

Straight from the plain dict (`report.summary.ecg_view`): the numbers are not touched, only placed. A unit of a strip's
drawing is 0.1 mm of paper: 1 s is 25 mm = 250 units, 1 mV is 10 mm = 100 units. Colours and strokes are classes of
ecg.css; the grid is the pattern `GRID`, once a page.
"""

from __future__ import annotations

import base64
import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.recordings import LEADS_12
from truegrade.report.page.ecg_lines import extremes, path, thinned

MM, SECOND, MILLIVOLT = 10, 250, 100  # units of the drawing
LEFT, ABOVE, BELOW, RIGHT = 150, 50, 100, 50  # room beside the rows, in whole squares of 5 mm
BOX = 2.5  # seconds of a lead of the standard twelve
ROWS = 12  # that are drawn at most
_HIGHEST, _ROOM = 500, (60, 20)  # of a row; above the trace, where the lead's name stands, and below it
_GAP, _SECONDS = -32768, 10.0
_NEAR, _COLUMN = 0.8, 4  # units by which a thinned line may be off; units of time in which extremes are kept
View = Mapping[str, Any]
Ints = NDArray[np.int64]
Extent = tuple[int, int]

GRID = (
    '<svg class="ecg-defs" width="0" height="0" aria-hidden="true"><defs>'
    '<pattern id="ecg-grid" width="50" height="50" patternUnits="userSpaceOnUse">'
    '<path class="ecg-mm" d="M10 0v50M20 0v50M30 0v50M40 0v50M0 10h50M0 20h50M0 30h50M0 40h50"/>'
    '<path class="ecg-5mm" d="M0 0h50M0 0v50"/></pattern></defs></svg>'
)


@dataclass(frozen=True)
class Segment:
    """A lead in a row: its samples from start to stop, beginning `at` units right of the row's begin."""

    lead: int
    start: int
    stop: int
    at: int


def pair(one: View, other: View | None, name: str) -> tuple[str, str]:
    """The drawings of two strips whose rows are equally high; the second empty where there is none."""
    both = [_Strip(strip) for strip in (one, other) if strip is not None]
    extents = [_extent([e for strip in both for e in strip.extents[at : at + 1]]) for at in range(len(both[0].extents))]
    alike = all(len(strip.rows) == len(extents) for strip in both)
    drawn = [strip.svg(extents if alike else None, f"{name}{at}") for at, strip in enumerate(both)]
    return drawn[0], drawn[1] if len(drawn) > 1 else ""


class _Strip:
    """One recording and the rows in which it is drawn."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.fs = view["fs"] or view["samples"] / _SECONDS
        flat = np.frombuffer(base64.b64decode(view["values"]), dtype="<i2").astype(np.int64)
        self.values: Ints = flat.reshape(len(view["leads"]), view["samples"])
        self.rows = layout(view["leads"], view["samples"], self.fs)
        self.extents = [_extent([_reach(self.values[s.lead, s.start : s.stop]) for s in row]) for row in self.rows]

    def svg(self, extents: Sequence[Extent] | None, name: str) -> str:
        chosen = [_fitting(extent) for extent in (extents or self.extents)]
        wide = LEFT + RIGHT + max(s.at + round((s.stop - s.start) / self.fs * SECOND) for row in self.rows for s in row)
        wide = -(-wide // 50) * 50
        high = ABOVE + sum(up + down for up, down in chosen) + BELOW
        parts, notes, top = [], list[str](), ABOVE
        column = self._column()
        for row, (up, down) in zip(self.rows, chosen, strict=True):
            parts.append(calibration(top + up))
            for segment in row:
                drawn, words = self._segment(segment, top, up, down, column)
                parts.append(drawn)
                notes += [words] if words else []
            top += up + down
        words = self._words(notes)
        scale = "   ".join(self.view["scale"])
        more = len(self.view["leads"]) - len({s.lead for row in self.rows for s in row})
        scale += f"   {more} more leads are not drawn" if more else ""
        parts.append(f'<text class="ecg-scale" x="{LEFT}" y="{high - 34}">{html.escape(scale)}</text>')
        return svg("".join(parts), (wide, high), name, self.view, words)

    def _words(self, notes: Sequence[str]) -> str:
        leads = self.view["leads"]
        said = f"{self.view['side'].capitalize()} recording {self.view['name']}: {len(leads)} leads, "
        said += f"{self.view['samples'] / self.fs:.3g} s" if self.view["fs"] else f"{self.view['samples']} samples"
        return said + ". " + "; ".join([*self.view["scale"], *notes]) + "."

    def _column(self) -> int:
        """The width of columns in which only extremes are kept, so that the drawing is small; 0: all is drawn."""
        drawn = [s for row in self.rows for s in row if not self._silent(s)]
        if sum(len(self._points(s, 0)[0]) for s in drawn) <= self.view["points"]:
            return 0
        wide = sum((s.stop - s.start) / self.fs * SECOND for s in drawn)
        return int(max(_COLUMN, math.ceil(2 * wide / self.view["points"])))

    def _points(self, s: Segment, column: int) -> tuple[Ints, Ints, Ints]:
        """Places along time and values of a lead as they are drawn, and where gaps begin."""
        values = self.values[s.lead, s.start : s.stop]
        x = np.rint(np.arange(len(values)) / self.fs * SECOND).astype(np.int64)
        y = np.rint(-values * (MILLIVOLT / 1000)).astype(np.int64)
        have = values != _GAP
        runs = np.flatnonzero(np.diff(np.concatenate([[0], have.astype(np.int8), [0]])))
        kept: list[Ints] = []
        begins = [0]
        for start, stop in zip(runs[::2], runs[1::2], strict=True):
            index = np.arange(start, stop)
            index = index[extremes(x[index], y[index], column)] if column else index
            index = index[thinned(x[index], y[index], _NEAR)]
            kept.append(index)
            begins.append(begins[-1] + len(index))
        index = np.concatenate(kept) if kept else np.empty(0, np.int64)
        return x[index], y[index], np.asarray(begins[:-1])

    def _silent(self, s: Segment) -> bool:
        whole = self.values[s.lead]
        return bool((whole == whole[0]).all())

    def _segment(self, s: Segment, top: int, up: int, down: int, column: int) -> tuple[str, str]:
        """The drawing of a lead, and what has to be said of it."""
        lead, x0, base = self.view["leads"][s.lead], LEFT + s.at, top + up
        label = f'<text class="ecg-lead" x="{x0 + 12}" y="{top + 46}">{html.escape(lead)}</text>'
        if s.at:
            label = f'<path class="ecg-cut" d="M{x0} {base - 40}v80"/>' + label
        if self._silent(s):
            why = "no signal" if self.values[s.lead, 0] == _GAP else "flat: no signal"
            return f'{label}<text class="ecg-none" x="{x0 + 40}" y="{base}">{why}</text>', f"{lead}: {why}"
        x, y, begins = self._points(s, column)
        over = (y < -up) | (y > down)
        trace = path(x + x0, np.clip(y, -up, down) + base, begins)
        drawn = f'<path class="ecg-trace ecg-{self.view["side"]}" d="{trace}"/>{label}'
        if not over.any():
            return drawn, ""
        return drawn + _marks(x + x0, y, over, top, base + down), f"{lead} is cut off where it leaves its row"


# --- rows --------------------------------------------------------------------------------------------------


def layout(leads: Sequence[str], samples: int, fs: float) -> list[list[Segment]]:
    """Three rows of four leads of 2.5 s and a rhythm strip of lead II for the standard twelve, else a row a lead."""
    if set(leads) != set(LEADS_12):
        return [[Segment(lead, 0, samples, 0)] for lead in range(min(len(leads), ROWS))]
    at = {lead: i for i, lead in enumerate(leads)}
    seconds = min(BOX, samples / fs)
    running = samples / fs >= 4 * BOX - 1e-6  # each lead where the one before it ended, as a recorder writes
    rows = []
    for first in range(3):
        row = []
        for column in range(4):
            start = round(column * BOX * fs) if running else 0
            stop = min(samples, start + round(seconds * fs) + 1)
            row.append(Segment(at[LEADS_12[first + 3 * column]], start, stop, round(column * seconds * SECOND)))
        rows.append(row)
    return [*rows, [Segment(at["II"], 0, samples, 0)]]


def _reach(values: Ints) -> Extent:
    """How far up and down a lead goes, in units."""
    known = values[values != _GAP]
    if not len(known):
        return 0, 0
    return math.ceil(max(0, known.max()) / 10), math.ceil(max(0, -known.min()) / 10)


def _extent(extents: Sequence[Extent]) -> Extent:
    return max((up for up, _ in extents), default=0), max((down for _, down in extents), default=0)


def _fitting(extent: Extent) -> Extent:
    """Room above and below the line of 0 mV in whole squares of 5 mm; at most 50 mm together."""
    up, down = (max(100, -(-(reach + room) // 50) * 50) for reach, room in zip(extent, _ROOM, strict=True))
    if up + down <= _HIGHEST:
        return up, down
    half = _HIGHEST // 2
    if min(up, down) <= half:
        return (_HIGHEST - down, down) if up > half else (up, _HIGHEST - up)
    return half, half


def calibration(base: int) -> str:
    """The pulse of 1 mV and 0.2 s, left of the traces."""
    return f'<path class="ecg-pulse" d="M30 {base}h20v-{MILLIVOLT}h{SECOND // 5}v{MILLIVOLT}h20"/>'


def _marks(x: Ints, y: Ints, over: NDArray[np.bool_], top: int, bottom: int) -> str:
    """A triangle at the row's edge for each place where a trace leaves it."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], over, [False]]).astype(np.int8)))
    out = []
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        middle, up = int(x[start:stop].mean()), y[start] < 0
        out.append(f"M{middle} {top}l-14 26h28z" if up else f"M{middle} {bottom}l-14-26h28z")
    return f'<path class="ecg-over" d="{"".join(out)}"><title>cut off at the edge of its row</title></path>'


def svg(inside: str, size: tuple[int, int], name: str, strip: View, words: str) -> str:
    """A drawing on paper."""
    return (
        f'<svg class="ecg-paper" viewBox="0 0 {size[0]} {size[1]}" role="img" aria-label="{html.escape(words)}" '
        f'data-side="{strip["side"]}" data-row="{strip["row"]}" id="{name}">'
        f'<rect class="ecg-ground" width="{size[0]}" height="{size[1]}"/>'
        f'<rect fill="url(#ecg-grid)" width="{size[0]}" height="{size[1]}"/>{inside}</svg>'
    )
