"""Words and numbers of tables: titles of keys, a measure as text and as places on a line, dates, ticks of axes."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from typing import Any

from truegrade.report.summary.scale import Scale
from truegrade.report.words import bounds, number, safe
from truegrade.result import Interval
from truegrade.result.table import Measure, PairGrade

View = dict[str, Any]
TITLES = {
    "correlation_score": "Correlation",
    "earth_movers_score": "Earth mover's",
    "jaccard_score": "Jaccard",
    "kl_score": "Kullback-Leibler",
    "js_score": "Jensen-Shannon",
    "cs_score": "Cauchy-Schwarz",
    "eden_score": "Eden",
    "total_variation": "Total variation",
    "equidensity": "Equidensity",
    "eden_line": "Eden in 1-D",
    "ks": "Kolmogorov-Smirnov",
    "range_coverage": "Range coverage",
    "category_coverage": "Category coverage",
    "missing_share": "Missing share",
    "column_score": "Columns, in parts of their ceilings",
    "eden_ratio": "Pairs, in parts of their ceilings",
    "boosting": "Gradient-boosted trees",
    "logistic": "Logistic regression",
    "pair_total_variation": "Total variation of pairs",
    "pair_eden_line": "Eden in 1-D within categories",
}
TYPES = {
    "number": "number",
    "few": "few-valued number",
    "category": "category",
    "boolean": "boolean",
    "date": "date",
    "identifier": "identifier",
    "text": "free text",
}
NONE = "\u2013"
NAME = 40  # characters of a column's name that are shown
_EPOCH = datetime.datetime(1970, 1, 1)
_FARTHEST = 2_900_000.0  # days to the year 9900 or so


def title(key: str) -> str:
    """What a key is called."""
    return TITLES.get(key) or safe(key.replace("_", " ").capitalize())


def column_name(text: str) -> str:
    """A column's name as one short line."""
    return safe(text, NAME) or "(no name)"


def ratio_text(ratio: float | None) -> str:
    """0.62; empty for none."""
    return "" if ratio is None else f"{ratio:.2f}"


def measure(key: str, one: Measure | None, scale: Scale | None = None) -> View:
    """A measure as text and as places in percent of a line (0 to 1 unless told)."""
    line = scale or Scale(0.0, 1.0)
    if one is None or one.value is None:
        reason = "not computed" if one is None else safe(one.reason or "undefined", 400)
        return {"key": key, "title": title(key), "status": "undefined", "reason": reason}
    interval = interval_of(one.low, one.high)
    return {
        "key": key,
        "title": title(key),
        "status": "ok",
        "value": number(one.value, interval),
        "sort": one.value,
        "interval": "" if interval is None else bounds(interval),
        "ceiling": "" if one.ceiling is None else number(one.ceiling, interval),
        "ratio": ratio_text(one.ratio),
        "at": line.at(one.value),
        "low": None if interval is None else line.at(interval.low),
        "high": None if interval is None else line.at(interval.high),
        "ceiling_at": line.at(one.ceiling),
    }


def interval_of(low: float | None, high: float | None) -> Interval | None:
    """The interval, None unless both ends are known and in order."""
    if low is None or high is None or not low <= high:
        return None
    return Interval(low, high, 0.95, "")


def pair_words(pair: PairGrade) -> str:
    """The main score of a pair beside its ceiling, or why there is none."""
    found = pair.scores.get(pair.main)
    if pair.status != "ok" or found is None or found.value is None:
        reason = pair.reason or (found.reason if found is not None else None)
        words = safe(f"{pair.status}: {reason}" if reason else pair.status, 200)
        return f"{words}; counts as 0" if pair.lacking else words
    shown = measure(pair.main, found)
    words = f"{shown['title']} {shown['value']}"
    return f"{words} of {shown['ceiling']} that real data get" if shown["ceiling"] else f"{words}, no ceiling"


def status_words(status: str) -> str:
    """A status of columns and pairs, in words for a legend."""
    return {
        "constant": "constant",
        "missing": "no values",
        "absent": "not in the synthetic table",
        "identifier": "identifier",
        "text": "free text",
        "degenerate": "too few rows or values",
        "collinear": "on one line",
    }.get(status, safe(status, 40))


# --- axes --------------------------------------------------------------------------------------------------


def axis(name: str, low: float, high: float, dates: bool = False) -> View:
    """An axis in the column's own units: its ends, and ticks at places in percent."""
    ticks = (_date_ticks if dates else _number_ticks)(low, high)
    return {"name": column_name(name), "low": low, "high": high, "ticks": ticks}


def value_text(value: float | None, dates: bool = False) -> str:
    """A value of a column: a number, or the day of a date."""
    if value is None or not math.isfinite(value):
        return NONE
    day = _day(value) if dates else None
    return f"{value:.4g}" if day is None else day.date().isoformat()


def _number_ticks(low: float, high: float) -> list[View]:
    ticks: list[View] = Scale(low, high).ticks() if low < high else [{"at": 50.0, "text": value_text(low)}]
    if len({tick["text"] for tick in ticks}) < len(ticks):  # large numbers that differ little
        values = [(tick["at"], low + (high - low) * tick["at"] / 100) for tick in ticks[::2]]
        return [{"at": at, "text": f"{value:,.0f}"} for at, value in values]
    return ticks


def _date_ticks(low: float, high: float) -> list[View]:
    """Three days along the axis; numbers where these are no days of a calendar."""
    if _day(low) is None or _day(high) is None or low >= high:
        return _number_ticks(low, high)
    places = (16.0, 50.0, 84.0)
    return [{"at": at, "text": value_text(low + (high - low) * at / 100, dates=True)} for at in places]


def _day(days: float) -> datetime.datetime | None:
    if not -700_000 < days < _FARTHEST:
        return None
    return _EPOCH + datetime.timedelta(days=days)


def by_key(scores: Mapping[str, Measure], *keys: str) -> list[View]:
    """The measures among these keys that are there."""
    return [measure(key, scores[key]) for key in keys if key in scores]
