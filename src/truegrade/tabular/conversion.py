"""The numbers that sum up a table as scores like all others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from truegrade.result import Interval, Reference, Score
from truegrade.result.table import Aggregate, Measure, TableGrades
from truegrade.tabular.scores import TABLE_SCORES, TableScore
from truegrade.tabular.summed import Found

LEVEL = 0.95
_SAMPLES = "two samples of the real table at these sizes"
_FRESH = "fresh real rows: those of the hold-out, or without one the other rows of the real table"


def table_scores(table: TableGrades, keys: Iterable[str], n: int, m: int) -> dict[str, Score]:
    """The scores of a table that were asked for, by key; n, m: its rows on either side."""
    return {key: _score(one, one.take(table), n, m) for key, one in TABLE_SCORES.items() if key in keys}


def _score(one: TableScore, found: Found, n: int, m: int) -> Score:
    if isinstance(found, str) or found.value is None:
        reason = found if isinstance(found, str) else _why(found)
        return Score(one.key, one.title, one.about, None, n, m, status="undefined", reason=reason)
    interval = _interval(found)
    details: dict[str, Any] = {"over": found.over, "of": found.of} if isinstance(found, Aggregate) else {}
    note = _FRESH if one.part == "privacy" else _SAMPLES
    return Score(
        one.key,
        one.title,
        one.about,
        float(found.value),
        n,
        m,
        interval=interval,
        floor=None if found.ceiling is None else Reference(float(found.ceiling), n, m, note),
        missing={} if interval is not None else {"interval": "none is computed for this score"},
        details=details,
    )


def _why(found: Measure | Aggregate) -> str:
    if isinstance(found, Measure):
        return found.reason or "it is undefined"
    return f"none of {found.of} has a value"


def _interval(found: Measure | Aggregate) -> Interval | None:
    if found.low is None or found.high is None or not found.low <= found.high:
        return None
    return Interval(float(found.low), float(found.high), LEVEL, "of the part that it comes from")
