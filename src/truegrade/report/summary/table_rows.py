"""Whole rows of a table in a report: can a classifier tell them, are they of use, are they private."""

from __future__ import annotations

from collections.abc import Sequence

from truegrade.report.summary.scale import Scale
from truegrade.report.summary.table_words import NONE, View, column_name, measure
from truegrade.report.words import safe
from truegrade.result.table import Measure, Privacy, TableGrades, Task

_AUC = Scale(0.5, 1.0)
_TASKS, _COPIES = 20, 20


def rows_view(table: TableGrades) -> View:
    """{"sizes", "detection": [measure with words], "utility": [task], "privacy", "encoding": [[column, words]]}."""
    return {
        "sizes": list(table.whole_rows),
        "detection": [_detection(key, table) for key in table.detection],
        "utility": [_task(task) for task in table.utility[:_TASKS]],
        "privacy": None if table.privacy is None else _privacy(table.privacy),
        "encoding": [[column_name(name), safe(words, 200)] for name, words in list(table.encoding.items())[:200]],
    }


def _detection(key: str, table: TableGrades) -> View:
    one = table.detection[key]
    others = [found for name, found in table.detection.items() if name != key]
    found = measure(key, one, _AUC)
    return found | {"words": "" if found["status"] != "ok" else detection_words(one, others)}


def detection_words(one: Measure, others: Sequence[Measure] = ()) -> str:
    """What an AUC means, by counting; below guessing for sure, and no other classifier above it: rows are repeated."""
    right = min(100, max(0, round(100 * (one.value or 0.0))))
    below = one.high is not None and one.high < 0.5
    if below and all(other.value is None or other.value <= 0.5 for other in others):
        return "worse than guessing: rows of one side repeat those of the other"
    if right <= 52:
        return "no better than guessing: it cannot tell the rows apart"
    return f"of 100 pairs of a real and a synthetic row it tells {right} right; guessing gets 50"


def _task(task: Task) -> View:
    sides = {"real": task.real, "synthetic": task.synthetic, "baseline": task.baseline}
    return {
        "target": column_name(task.target),
        "score": safe(task.score, 40),
        **{side: NONE if value is None else f"{value:.3f}" for side, value in sides.items()},
        "real_at": _part(task.real),
        "synthetic_at": _part(task.synthetic),
        "baseline_at": _part(task.baseline),
        "reason": safe(task.reason or "", 300),
    }


def _part(value: float | None) -> float | None:
    return Scale(0.0, 1.0).at(value)


def _private(key: str, one: Measure) -> View:
    """A measure with what it means and what to hold it against: what fresh real rows show, or guessing."""
    from truegrade.tabular.rows.privacy import MEASURES  # with compiled code, needed for tables only

    found, about = measure(key, one), MEASURES.get(key)
    reference = f"{found['ceiling']}, fresh real rows" if found.get("ceiling") else ""
    if about is None:
        return found | {"about": "", "reference": reference}
    half = "0.5, ideal" if about.direction == "half" else ""
    return found | {"title": about.title, "about": about.reading, "reference": half or reference}


def _privacy(privacy: Privacy) -> View:
    return {
        "words": [safe(sentence, 400) for sentence in privacy.words],
        "measures": [_private(key, one) for key, one in privacy.measures.items()],
        "copies": [list(rows) for rows in privacy.copies[:_COPIES]],
    }
