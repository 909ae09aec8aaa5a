"""The numbers that sum up the grades of a table: means, shares, and the one of several that counts."""

from __future__ import annotations

from collections.abc import Callable

from truegrade.result.table import Aggregate, Measure, TableGrades
from truegrade.uncertainty.areas import farthest

Found = Measure | Aggregate | str
"""A number with what is known of it, or why there is none."""


def mean(key: str) -> Callable[[TableGrades], Found]:
    return lambda table: table.aggregates.get(key, "no column or pair of these tables has it")


def inflated_share(table: TableGrades) -> Found:
    of = sum(pair.form == "numbers" and pair.status == "ok" for pair in table.pairs)
    return Measure(len(table.inflated) / of) if of else "no pair of numbers was graded"


def detection_auc(table: TableGrades) -> Found:
    """That of the classifier farthest from guessing."""
    return farthest(table.detection.values()) or next(iter(table.detection.values()), "it was not computed")


def utility_ratio(table: TableGrades) -> Found:
    """How much of what real rows teach synthetic rows teach; each task from 0 to 1.

    What real rows teach and synthetic ones cannot (they lack the column or its values) counts as 0, so that a column
    which is left out is no better than a bad one.
    """
    parts = [
        0.0 if task.synthetic is None else min(1.0, max(0.0, (task.synthetic - task.baseline) / gain))
        for task in table.utility
        if task.real is not None and (gain := task.real - task.baseline) > 0
    ]
    if parts:
        return Aggregate(sum(parts) / len(parts), len(parts), len(table.utility))
    return next((task.reason for task in table.utility if task.reason), "no column can be predicted from the others")


def private(key: str) -> Callable[[TableGrades], Found]:
    def take(table: TableGrades) -> Found:
        none = "it was not computed"
        return none if table.privacy is None else table.privacy.measures.get(key, none)

    return take
