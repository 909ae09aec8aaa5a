"""What a report shows of a table beyond the scores of whole rows, as one plain dict of bounded size.

table_view(...) = {"verdict": [sentence], "aggregates": [mean], "heat" (table_heat), "worst": [pair], "inflated",
"pictures" (table_pairs), "columns", "curves", "typing" (table_columns), "rows" (table_rows), "notices": [[severity,
text]]}. A measure is as in table_words. Texts are single printable lines; each output escapes for itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from truegrade.errors import Notice
from truegrade.report.summary.table_columns import KEYS, columns_view, curves_view, typing
from truegrade.report.summary.table_heat import heat_map
from truegrade.report.summary.table_pairs import inflated_pairs, pair_pictures, worst_pairs
from truegrade.report.summary.table_rows import rows_view
from truegrade.report.summary.table_words import NAME, View, column_name, interval_of, title
from truegrade.report.words import bounds, counted, number, safe
from truegrade.result import Evaluation
from truegrade.result.table import Aggregate, TableGrades

_NOTICES = 60
_SEVERITIES = ("serious", "caution", "note")
_MAIN = ("column_score", "eden_ratio")
_OF_COLUMNS = ("column_score", *KEYS)


def table_view(evaluation: Evaluation) -> View | None:
    """What the report shows of the table of one evaluation; None if it graded no table."""
    table = evaluation.table
    if table is None:
        return None
    long = [column.name for column in table.columns if len(column.name) > NAME]
    return {
        "verdict": [sentence_of(sentence, long) for sentence in table.verdict],
        "aggregates": [_aggregate(key, one) for key, one in table.aggregates.items()],
        "heat": heat_map(table),
        "worst": worst_pairs(table),
        "inflated": inflated_pairs(table),
        "pictures": pair_pictures(table),
        "columns": columns_view(table),
        "curves": curves_view(table),
        "typing": typing(table),
        "rows": rows_view(table),
        "notices": [[note.severity, sentence_of(note.text, long)] for note in _worst_first(table)],
    }


def sentence_of(text: str, names: Sequence[str]) -> str:
    """A sentence as one line, in which these names of columns, which are long, are cut."""
    for name in names:
        text = text.replace(name, column_name(name))
    return safe(text, 600)


def _worst_first(table: TableGrades) -> list[Notice]:
    return sorted(table.notices, key=lambda note: _SEVERITIES.index(note.severity))[:_NOTICES]


def _aggregate(key: str, one: Aggregate) -> View:
    interval = interval_of(one.low, one.high)
    what = "column" if key in _OF_COLUMNS else "pair"
    return {
        "key": key,
        "title": title(key),
        "main": key in _MAIN,
        "value": "undefined" if one.value is None else number(one.value, interval),
        "interval": "" if interval is None or one.value is None else bounds(interval),
        "ceiling": "" if one.ceiling is None else number(one.ceiling, interval),
        "over": f"over {one.over:,} of {counted(one.of, what)}",
    }
