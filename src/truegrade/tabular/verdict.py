"""What a synthetic table amounts to, in sentences: copies, columns, pairs, grade inflation, whole rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from truegrade.result.table import ColumnGrade, Inflated, Measure, PairGrade, TableGrades, Task
from truegrade.tables.naming import shown
from truegrade.tabular.rows.chance import MARGIN
from truegrade.tabular.summed import detection_auc, utility_ratio

Graded = TypeVar("Graded", ColumnGrade, PairGrade)
GOOD = 0.9  # mean ratio from which on columns and pairs are as good as real ones
NEARLY = 0.8  # from which on they are nearly as good
BAD = 0.6  # ratio below which one is far from the real one, if its interval says so too
LOST = 0.8  # correlation scores below it
TOLD = 0.6  # AUC from which on rows are told apart
MANY_COPIES = 0.5
USEFUL = 0.5  # utility ratio below it: what real rows teach is lost
TAUGHT = 0.1  # gain above the baseline from which on real rows teach something
_SHOWN = 3
_IN_PART = "only in part"
_SPREAD = 3.0  # of the loss of a task with fresh rows, times the root of the real rows, of which 3 of 10 test


def verdict(table: TableGrades) -> tuple[str, ...]:
    """Sentences, the most serious first; names of columns are cut, their control characters escaped."""
    parts = (_copies, _absent, _columns, _lost, _pairs, _spared, _told_apart, _useless)
    return tuple(sentence for part in parts for sentence in part(table))


def _copies(table: TableGrades) -> Iterator[str]:
    """What copies there are, where fresh real rows would not show as many; without any, what else gives rows away."""
    notes = {note.code: note.text for note in reversed(table.notices)}
    if table.privacy is None:
        return
    equal, near = (table.privacy.measures.get(key, Measure(None)) for key in ("exact_copies", "close_copies"))
    exact = equal.value or 0.0 if "table_copies" in notes else 0.0
    close, fresh = near.value or 0.0, near.ceiling or 0.0
    if "table_copies" in notes:
        words = "This is a copy of the real table rather than a model of it" if exact > MANY_COPIES else "Copies"
        yield f"{words}: {table.privacy.words[0]}"
    if "close_copies" in notes and close > exact + MARGIN:
        words = "This nearly repeats the real table rather than models it" if close > MANY_COPIES else "Close copies"
        yield (
            f"{words}: {close:.1%} of the synthetic rows lie less than half as far from a real row as that row's own "
            f"nearest real row; {fresh:.1%} of fresh real rows do."
        )
    elif "table_leak" in notes and not _copied(table):
        yield notes["table_leak"]


def _copied(table: TableGrades) -> bool:
    """Whether exact or close copies are found beyond what fresh real rows show."""
    return any(note.code in ("table_copies", "close_copies") for note in table.notices)


def _absent(table: TableGrades) -> Iterator[str]:
    absent = [shown(column.name) for column in table.columns if column.status == "absent"]
    if absent:
        yield f"{_counted(len(absent), 'column')} not in the synthetic table, counted as 0: {_listed(absent)}."


def _columns(table: TableGrades) -> Iterator[str]:
    found = table.aggregates.get("column_score")
    if found is None or found.value is None:
        return
    far = [f"{shown(column.name)} ({_of(column):.2f} of what real data get)" for column in _far(table.columns)]
    if far:
        yield f"{_counted(len(far), 'column')} far from the real ones, of {found.of}: {_listed(far)}."
    elif _fine(table.columns):
        yield f"Single columns are reproduced {_how(table.columns)}."


def _lost(table: TableGrades) -> Iterator[str]:
    """Categories that no synthetic row has."""
    for column in [column for column in table.columns if column.lost][:_SHOWN]:
        levels = [f"{shown(level)} ({share:.0%} of the real values)" for level, share in column.lost]
        yield f"{shown(column.name)} lacks {_listed(levels)}."
    more = sum(bool(column.lost) for column in table.columns) - _SHOWN
    if more > 0:
        yield f"{_number(more, 'more column')} lack{'s' if more == 1 else ''} categories of the real ones."


def _spared(table: TableGrades) -> Iterator[str]:
    """Pairs that only a few outlying rows make bad, so that nobody is accused of them."""
    spared = [f"{pair.first} x {pair.second}" for pair in table.pairs if pair.spared]
    if spared:
        yield (
            f"A few outlying rows decide the Eden score of {_number(len(spared), 'pair')}, which "
            f"{'is' if len(spared) == 1 else 'are'} right without them: {_listed(spared)}. Look at these rows first."
        )


def _pairs(table: TableGrades) -> Iterator[str]:
    found = table.aggregates.get("eden_ratio")
    if found is None or found.value is None:
        return
    inflated = [(one.first, one.second) for one in table.inflated]
    far = [pair for pair in _far(table.pairs) if (pair.first, pair.second) not in inflated]
    if not far and not inflated:
        yield f"Pairs of columns are reproduced {_how(table.pairs)} (Eden ratio {found.value:.2f})."
        return
    fine = table.columns and _fine(table.columns) and _how(table.columns) != _IN_PART
    right = "The columns are right, but " if fine else ""
    if inflated:
        worst = table.inflated[0]
        yield (
            f"{right}{_counted(len(inflated), 'pair')} {'not' if right else 'far from the real ones'}, of {found.of}, "
            f"and the correlation score hides it (grade inflation): worst {_names(worst)}, correlation score "
            f"{worst.correlation_score:.3f}, Eden score {worst.eden_ratio:.2f} of what real data get."
        )
        right = ""
    if far:
        words = [f"{_names(pair)} ({_of(pair):.2f} of what real data get)" for pair in far]
        pairs = _counted(len(far), "more pair" if inflated else "pair")
        yield f"{right}{pairs} far from the real ones, of {found.of}: {_listed(words)}."
    lost = [one for pair in table.pairs if (one := _correlation(pair)) is not None and one[0] < LOST]
    if lost:
        value, names = min(lost)
        yield f"Correlations are lost in {_number(len(lost), 'pair')}: worst {names}, correlation score {value:.2f}."


def _told_apart(table: TableGrades) -> Iterator[str]:
    """By the classifier farthest from guessing; below it rows are told wrongly, which is no sign of quality."""
    found = detection_auc(table)
    if not isinstance(found, Measure) or found.value is None:
        return
    auc, low, high = found.value, found.low, found.high
    if auc >= TOLD and (low is None or low > 0.5):
        yield f"A classifier tells synthetic rows from real ones (AUC {auc:.2f}, .5 is guessing)."
    elif (high is None and auc > 1.0 - TOLD) or (high is not None and high >= 0.5):
        yield f"A classifier cannot tell synthetic rows from real ones (AUC {auc:.2f}, .5 is guessing)."
    elif _copied(table):
        yield (
            f"A classifier is wrong about rows that it has not seen (AUC {auc:.2f}, well below .5, which is guessing): "
            "rows of both sides come in near-equal pairs."
        )
    else:
        yield f"A classifier takes rows that it has not seen for the wrong side (AUC {auc:.2f}, .5 is guessing)."


def _useless(table: TableGrades) -> Iterator[str]:
    """What real rows clearly teach and synthetic rows do not, beyond chance, by the task that loses most."""
    tasks = [task for task in table.utility if task.real is not None and task.real - task.baseline >= TAUGHT]
    ratio = utility_ratio(replace(table, utility=tuple(tasks)))
    if isinstance(ratio, str) or ratio.value is None or ratio.value >= USEFUL:
        return
    chance = _SPREAD / math.sqrt(len(tasks) * max(1, table.whole_rows[0]))
    if sum(map(_loss, tasks)) / len(tasks) < 2.0 * chance:
        return
    worst = max(tasks, key=_loss)
    what = f"{shown(worst.target)} with {'an ' if worst.score == 'AUC' else ''}{worst.score}"
    if worst.synthetic is None:
        how = f"a model trained on real rows predicts {what} of {worst.real:.2f}, synthetic rows cannot train one"
    else:
        how = f"a model trained on synthetic rows predicts {what} of {worst.synthetic:.2f} instead of {worst.real:.2f}"
    yield f"What real rows teach is lost: {how}."


def _loss(task: Task) -> float:
    """What synthetic rows teach less, of an AUC doubled, as R squared and 2 AUC - 1 both reach from 0 to 1."""
    if task.synthetic is None:
        return math.inf
    return ((task.real or 0.0) - task.synthetic) * (2.0 if task.score == "AUC" else 1.0)


def _fine(columns: Sequence[ColumnGrade]) -> bool:
    """Whether no column is far from the real one, or lacking, or lacks categories."""
    return not any(column.lacking or column.lost for column in columns) and not _far(columns)


def _far(graded: Sequence[Graded]) -> list[Graded]:
    """Those far from the real ones beyond chance, the worst first; absent columns are said elsewhere."""
    found = [one for one in graded if one.status != "absent" and (one.lacking or _is_far(one))]
    return sorted(found, key=_of)


def _is_far(one: ColumnGrade | PairGrade) -> bool:
    """The ratio is below BAD, so is the upper end of its interval, distribution functions differ too, and it is not a
    few outlying rows."""
    main, curve = one.scores.get(one.main), one.scores.get("ks")
    if isinstance(one, PairGrade) and one.spared:
        return False
    if one.ratio is None or main is None or main.ceiling is None or one.ratio >= BAD:
        return False
    chance = main.high is not None and main.high >= BAD * main.ceiling
    same = curve is not None and curve.high is not None and curve.ceiling is not None and curve.high >= curve.ceiling
    return not chance and not same


def _how(graded: Sequence[ColumnGrade] | Sequence[PairGrade]) -> str:
    ratios = [0.0 if one.lacking else one.ratio for one in graded]
    known = [ratio for ratio in ratios if ratio is not None]
    mean = sum(known) / len(known) if known else 0.0
    if mean < NEARLY:
        return _IN_PART
    return "as well as real data would" if mean >= GOOD else "nearly as well as real data would"


def _of(one: ColumnGrade | PairGrade) -> float:
    return one.ratio or 0.0


def _correlation(pair: PairGrade) -> tuple[float, str] | None:
    found = pair.scores.get("correlation_score")
    return None if found is None or found.value is None else (found.value, _names(pair))


def _names(pair: PairGrade | Inflated) -> str:
    return f"{shown(pair.first)} x {shown(pair.second)}"


def _counted(count: int, what: str) -> str:
    return f"{_number(count, what)} {'is' if count == 1 else 'are'}"


def _number(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"{count:,} {what}s"


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words[:_SHOWN]) + (f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else "")
