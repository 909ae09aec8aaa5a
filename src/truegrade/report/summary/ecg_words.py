"""Numbers of recordings as text, and in how far each is as good as real data: 10 steps, 10 as good.

cell: {"status", "value", "interval", "floor", "between" (of its cuts), "sizes", "reason", "note", "step" (None where
nothing says what is good), "apart" (by how much it is worse than its floor), "words" (as of scores), "sort"}.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from truegrade.report.words import bounds, comparison_words, safe, worse_by
from truegrade.result import Interval, Reference, Score
from truegrade.result.ecg import Number
from truegrade.result.score import About

View = dict[str, Any]
NAME, LEAD = 60, 16  # characters that are shown
ARROWS = {"higher": "\u2191", "lower": "\u2193", "target": "\u2192"}
BETTER = {"higher": "higher is better", "lower": "lower is better", "target": "best near real against real"}
_TENFOLD = 10.0  # times its floor an unbounded distance is as bad as can be shown


def figure(value: float | None) -> str:
    """Three digits, as short as they can be read."""
    if value is None or not math.isfinite(value):
        return "\u2013"
    size = abs(value)
    if value == 0:
        return "0"
    if size >= 1e6 or size < 1e-4:
        return f"{value:.1e}"
    if size >= 1000:
        return f"{value:,.0f}"
    return f"{value:.{max(0, min(5, 2 - math.floor(math.log10(size))))}f}"


def lead_name(text: str) -> str:
    """A lead's name as one short line."""
    return safe(text, LEAD) or "(no name)"


def cell(one: Number | None, about: About | None = None, score: Score | None = None) -> View:
    """A number beside its floor. score: the same number where it stands among the scores, whose floor it has then."""
    if score is not None and score.value is not None and score.floor is not None:
        one, words = _of_score(score), comparison_words(score)
    elif one is not None and one.value is not None and math.isfinite(one.value) and about is not None:
        words = comparison_words(as_score(one, about))
    else:
        words = ""
    if one is None or one.value is None:
        reason = "not computed" if one is None else safe(one.reason or "undefined", 400)
        empty = dict.fromkeys(("interval", "floor", "between", "sizes", "note"), "")
        none: View = {"status": "undefined", "value": "\u2013", "reason": reason, "step": None, "apart": None}
        return none | {"words": reason} | empty
    interval = interval_of(one.low, one.high)
    return {
        "status": "ok",
        "value": figure(one.value),
        "sort": one.value if math.isfinite(one.value) else None,
        "interval": "" if interval is None else bounds(interval),
        "floor": "" if one.floor is None else figure(one.floor),
        "between": _between(one),
        "sizes": _sizes(one),
        "reason": "",
        "note": safe(one.note, 300),
        "step": step_of(one, about),
        "apart": None if one.floor is None or about is None else _apart(one.value, one.floor, about),
        "words": words,
    }


def as_score(one: Number, about: About, key: str = "", title: str = "") -> Score:
    """A number as a score, so that the same is said of both."""
    floor = None if one.floor is None else Reference(one.floor, one.floor_n, one.floor_m, one.note)
    cuts = {} if one.floor_low is None else {"floor_low": one.floor_low, "floor_high": one.floor_high}
    assert one.value is not None
    low, high = about.range  # which rounding, or another kind of number, may leave
    about = replace(about, range=(min(low, one.value), max(high, one.value)))
    interval, sizes = interval_of(one.low, one.high), (one.n_real, one.n_synthetic)
    return Score(key, title, about, one.value, *sizes, interval=interval, floor=floor, details=cuts)


def _of_score(score: Score) -> Number:
    """A score as a number: the inverse of `as_score`."""
    ends = (None, None) if score.interval is None else (score.interval.low, score.interval.high)
    floor = score.floor
    assert floor is not None
    low, high = (score.details.get(key) for key in ("floor_low", "floor_high"))
    return Number(
        score.value,
        low=ends[0],
        high=ends[1],
        floor=floor.value,
        floor_low=low,
        floor_high=high,
        floor_n=floor.n,
        floor_m=floor.m,
        n_real=score.n_real,
        n_synthetic=score.n_synthetic,
        note=floor.note,
    )


def shared_sizes(cells: Iterable[View]) -> str:
    """The sizes of the floors and how many cuts they are the mean of, where all that have a floor have the same."""
    found = {one["sizes"] for one in cells if one["sizes"]}
    return found.pop() if len(found) == 1 else ""


def hint(found: View) -> str:
    """What a cell does not show: its words, and between what cuts of real data lie."""
    cuts = f"cuts of real data {found['between']}" if found["between"] else ""
    return "; ".join(part for part in (found["words"], cuts) if part) or "no real-against-real reference"


def interval_of(low: float | None, high: float | None) -> Interval | None:
    """The interval, None unless both ends are known and in order."""
    if low is None or high is None or not low <= high:
        return None
    return Interval(low, high, 0.95, "")


def _between(one: Number) -> str:
    if one.floor_low is None or one.floor_high is None or one.cuts < 2:
        return ""
    return f"{figure(one.floor_low)} to {figure(one.floor_high)}"


def _sizes(one: Number) -> str:
    if not one.floor_n or not one.floor_m:
        return ""
    cuts = f", mean of {one.cuts} random cuts" if one.cuts > 1 else ""
    return f"{one.floor_n:,} against {one.floor_m:,}{cuts}"


# --- position ----------------------------------------------------------------------------------------------


def step_of(one: Number, about: About | None) -> int | None:
    """10 for what is no worse than the worst cut of real data, then 9 down to 0 on the way to the worst value there is.

    Distances without a worst value: 0 from ten times their floor on, by the logarithm. None without a floor.
    """
    if one.value is None or one.floor is None or about is None:
        return None
    apart = _apart(one.value, one.floor, about)
    cuts = [cut for cut in (one.floor_low, one.floor_high) if cut is not None]
    reach = max([0.0, *(_apart(cut, one.floor, about) for cut in cuts)])
    if apart <= reach:
        return 10
    return min(9, max(0, round(10 * (1 - _share(one.value, one.floor, apart, reach, about)))))


def _apart(value: float, floor: float, about: About) -> float:
    """By how much a value is worse than the floor."""
    if about.direction == "lower":  # unbiased distances are below 0 by chance
        value, floor = (max(one, about.target or 0.0) for one in (value, floor))
    return worse_by(value, floor, about)


def _share(value: float, floor: float, apart: float, reach: float, about: About) -> float:
    """The part of the way from the floor to the worst value. reach: how far cuts of real data lie from the floor, which
    is the unit where the floor of a distance is about 0."""
    low, high = about.range
    ends = {"higher": floor - low, "lower": high - floor}
    target = floor if about.target is None else about.target
    worst = ends.get(about.direction, max(high - target, target - low))
    if math.isfinite(worst) and worst > 0:
        return min(1.0, apart / worst)
    if about.direction == "higher" and value > 0:
        return min(1.0, math.log(floor / value) / math.log(_TENFOLD))
    unit = max(abs(floor), reach)
    return min(1.0, math.log1p(apart / unit) / math.log(_TENFOLD)) if unit > 0 else 1.0
