"""What a synthetic table amounts to, in sentences: copies, columns, pairs, grade inflation, whole rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from truegrade.result.table import ColumnGrade, PairGrade, TableGrades

Graded = TypeVar("Graded", ColumnGrade, PairGrade)
GOOD, FAIR, BAD = 0.9, 0.75, 0.6  # of the ceiling
LOST = 0.8  # correlation scores below it
TOLD = 0.6  # AUC from which rows are told apart
MANY_COPIES = 0.5
_SHOWN = 3


def verdict(table: TableGrades) -> tuple[str, ...]:
    """Sentences, the most serious first; names of columns are as the user gave them."""
    return (*_copies(table), *_absent(table), *_columns(table), *_pairs(table), *_told_apart(table))


def _copies(table: TableGrades) -> Iterator[str]:
    """What copies there are, where fresh real rows would not show as many."""
    if table.privacy is None or not any(note.code == "table_copies" for note in table.notices):
        return
    share = table.privacy.measures["exact_copies"].value or 0.0
    words = "This is a copy of the real table rather than a model of it" if share > MANY_COPIES else "Copies"
    yield f"{words}: {table.privacy.words[0]}"


def _absent(table: TableGrades) -> Iterator[str]:
    absent = [column.name for column in table.columns if column.status == "absent"]
    if absent:
        yield f"{_counted(len(absent), 'column')} not in the synthetic table, counted as 0: {_listed(absent)}."


def _columns(table: TableGrades) -> Iterator[str]:
    found = table.aggregates.get("column_score")
    if found is None or found.value is None:
        return
    low = _worst(table.columns, BAD)
    if low:
        yield (
            f"{_counted(len(low), 'column')} of {found.of} far from the real ones: "
            f"{_listed([f'{column.name} ({_of(column):.2f} of what real data get)' for column in low])}."
        )
    elif not _fine(table.columns):
        yield f"The columns are close to the real ones (on average {found.value:.2f} of what real data get)."
    elif found.value >= GOOD:
        yield f"The columns are reproduced as well as real data would (on average {found.value:.2f})."


def _pairs(table: TableGrades) -> Iterator[str]:
    found = table.aggregates.get("eden_ratio")
    if found is None or found.value is None:
        return
    low = _worst(table.pairs, BAD)
    if not low:
        words = "as well as real data would" if found.value >= GOOD else "nearly as well as real data would"
        yield f"Pairs of columns are reproduced {words} (Eden ratio {found.value:.2f})."
        return
    inflated = {(one.first, one.second) for one in table.inflated}
    if inflated:
        worst = table.inflated[0]
        right = "The columns are right, but " if _fine(table.columns) else ""
        yield (
            f"{right}{_counted(len(inflated), 'pair')} of {found.of} not, and the correlation score hides it (grade "
            f"inflation): worst {worst.first} x {worst.second}, correlation score {worst.correlation_score:.3f}, Eden "
            f"score {worst.eden_ratio:.2f} of what real data get."
        )
    others = [pair for pair in low if (pair.first, pair.second) not in inflated]
    if others:
        right = "The columns are right, but " if _fine(table.columns) and not inflated else ""
        yield (
            f"{right}{_counted(len(others), 'pair')} of {found.of} far from the real ones: "
            f"{_listed([f'{pair.first} x {pair.second} ({_of(pair):.2f} of what real data get)' for pair in others])}."
        )
    lost = [one for pair in table.pairs if (one := _correlation(pair)) is not None and one[0] < LOST]
    if lost:
        value, names = min(lost)
        yield f"Correlations are lost in {_counted(len(lost), 'pair')}: worst {names} (correlation score {value:.2f})."


def _told_apart(table: TableGrades) -> Iterator[str]:
    known = [(found.value, found.low) for found in table.detection.values() if found.value is not None]
    if not known:
        return
    auc, low = max(known)
    if auc < TOLD or (low is not None and low <= 0.5):
        yield f"A classifier cannot tell synthetic rows from real ones (AUC {auc:.2f}, .5 is guessing)."
    else:
        yield f"A classifier tells synthetic rows from real ones (AUC {auc:.2f}, .5 is guessing)."


def _fine(columns: Sequence[ColumnGrade]) -> bool:
    """Whether no column is clearly worse than real data."""
    return all(column.status in ("ok", "identifier", "text") or not column.lacking for column in columns) and not any(
        _of(column) < FAIR for column in columns if column.ratio is not None or column.lacking
    )


def _worst(graded: Sequence[Graded], limit: float) -> list[Graded]:
    """Those below a part of their ceiling, worst first; the absent are said elsewhere."""
    low = [one for one in graded if (one.ratio is not None or one.lacking) and _of(one) < limit]
    return sorted((one for one in low if one.status != "absent"), key=_of)


def _of(one: ColumnGrade | PairGrade) -> float:
    return one.ratio or 0.0


def _correlation(pair: PairGrade) -> tuple[float, str] | None:
    found = pair.scores.get("correlation_score")
    return None if found is None or found.value is None else (found.value, f"{pair.first} x {pair.second}")


def _counted(count: int, what: str) -> str:
    return f"1 {what} is" if count == 1 else f"{count:,} {what}s are"


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words[:_SHOWN]) + (f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else "")
