"""The numbers that sum up a table, as scores like all others: by key, with what a reader has to know of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from truegrade.metrics import Choice
from truegrade.result import About, Interval, Reference, Score
from truegrade.result.table import Aggregate, Measure, TableGrades

FAMILY = "table"
LEVEL = 0.95
Part = Literal["pairs", "detection", "utility", "privacy"]
Found = Measure | Aggregate | str
"""A number with what is known of it, or why there is none."""


@dataclass(frozen=True)
class TableScore:
    """One number of a whole table: how to read it, which part of the grading makes it, and where it stands there."""

    key: str
    title: str
    part: Part
    about: About
    take: Callable[[TableGrades], Found]


def _about(
    direction: str, target: float | None, formula: str, reading: str, reference: str = "this package"
) -> About:
    return About(FAMILY, direction, (0.0, 1.0), target, formula, reading, reference)


def _mean(key: str) -> Callable[[TableGrades], Found]:
    return lambda table: table.aggregates.get(key, "no column or pair of these tables has it")


def _inflated(table: TableGrades) -> Found:
    of = sum(pair.form == "numbers" and pair.status == "ok" for pair in table.pairs)
    return Measure(len(table.inflated) / of) if of else "no pair of numbers was graded"


def _detection(table: TableGrades) -> Found:
    """That of the classifier which tells the rows apart best."""
    known = [found for found in table.detection.values() if found.value is not None]
    if known:
        return max(known, key=lambda found: found.value or 0.0)
    return next(iter(table.detection.values()), "it was not computed")


def _private(key: str) -> Callable[[TableGrades], Found]:
    def take(table: TableGrades) -> Found:
        none = "it was not computed"
        return none if table.privacy is None else table.privacy.measures.get(key, none)

    return take


_SCORES = (
    TableScore(
        "column_score",
        "Columns",
        "pairs",
        _about(
            "higher",
            1.0,
            "mean over columns of min(score / score of real data, 1); score: 1-D Eden of numbers, 1 - total variation "
            "of categories",
            "How well single columns are reproduced; 1 is as well as real data would. It sees no pairs.",
        ),
        _mean("column_score"),
    ),
    TableScore(
        "eden_ratio",
        "Eden ratio of pairs",
        "pairs",
        _about(
            "higher",
            1.0,
            "mean over pairs of columns of min(score / score of real data, 1); score: Eden of two numbers, equidensity "
            "of two categories, mean 1-D Eden of a number within categories",
            "How pairs of columns are reproduced, dense and sparse regions alike; 1 is what real data get.",
            "inflation",
        ),
        _mean("eden_ratio"),
    ),
    TableScore(
        "pair_correlation_score",
        "Correlation score of pairs",
        "pairs",
        _about(
            "higher",
            None,
            "mean over pairs of numbers of 1 - |r_real - r_synthetic| / 2",
            "What is usually reported of pairs. It is near 1 for most models: read the Eden ratio beside it.",
            "inflation",
        ),
        _mean("correlation_score"),
    ),
    TableScore(
        "inflated_share",
        "Grade inflation",
        "pairs",
        _about(
            "lower",
            0.0,
            "share of the pairs of numbers with a correlation score above .95 and an Eden ratio below .6",
            "How often the correlation score hides that a pair of columns is not reproduced; 0 is best.",
            "inflation",
        ),
        _inflated,
    ),
    TableScore(
        "detection_auc",
        "Detection by a classifier",
        "detection",
        _about(
            "target",
            0.5,
            "cross-validated area under the ROC curve of real against synthetic rows, by the better of two classifiers",
            "0.5 means that no classifier told the rows apart; 1 that it always did. Well below 0.5 rows are repeated.",
            "lopezpaz2017",
        ),
        _detection,
    ),
)
TABLE_SCORES: dict[str, TableScore] = {score.key: score for score in _SCORES}
"""Every score of tables, by key."""


@dataclass(frozen=True)
class Wanted:
    """Which scores of tables were asked for, by key. named: whether one by one or as a family, not by default."""

    keys: frozenset[str] = frozenset()
    named: bool = False

    @property
    def parts(self) -> frozenset[Part]:
        """What has to be graded for them."""
        return frozenset(TABLE_SCORES[key].part for key in self.keys)


def split_choice(metrics: Choice | Iterable[Choice] | None) -> tuple[Any, Wanted]:
    """The metrics that were asked for without the scores of tables, and these: all of them by default.

    "table" stands for all of them, as do "default" and "all".
    """
    if metrics is None or not isinstance(metrics, Iterable) or isinstance(metrics, type):
        return metrics, Wanted(frozenset(TABLE_SCORES) if metrics is None else frozenset())
    items = [metrics] if isinstance(metrics, str) else list(metrics)
    words = {item.removeprefix("family:") for item in items if isinstance(item, str)}
    rest = [i for i in items if not (isinstance(i, str) and i.removeprefix("family:") in (FAMILY, *TABLE_SCORES))]
    every = words & {FAMILY, "default", "all"}
    named = bool(words & {FAMILY, *TABLE_SCORES})
    return rest, Wanted(frozenset(TABLE_SCORES if every else words & set(TABLE_SCORES)), named)


def table_scores(table: TableGrades, keys: Iterable[str], n: int, m: int) -> dict[str, Score]:
    """The scores of a table that were asked for, by key; n, m: its rows on either side."""
    return {key: _score(one, one.take(table), n, m) for key, one in TABLE_SCORES.items() if key in keys}


def _score(one: TableScore, found: Found, n: int, m: int) -> Score:
    if isinstance(found, str) or found.value is None:
        reason = found if isinstance(found, str) else _why(found)
        return Score(one.key, one.title, one.about, None, n, m, status="undefined", reason=reason)
    interval = _interval(found)
    details: dict[str, Any] = {"over": found.over, "of": found.of} if isinstance(found, Aggregate) else {}
    note = "two samples of the real table at these sizes"
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
