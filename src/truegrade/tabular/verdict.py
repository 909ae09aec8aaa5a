"""What a synthetic table amounts to, in sentences: copies, columns, pairs, grade inflation, whole rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from truegrade.result.table import ColumnGrade, Inflated, PairGrade, TableGrades
from truegrade.tables.naming import shown

Graded = TypeVar("Graded", ColumnGrade, PairGrade)
GOOD = 0.9  # mean ratio from which on columns and pairs are as good as real ones
BAD = 0.6  # ratio below which one is far from the real one, if its interval says so too
LOST = 0.8  # correlation scores below it
TOLD = 0.6  # AUC from which on rows are told apart
MANY_COPIES = 0.5
_SHOWN = 3


def verdict(table: TableGrades) -> tuple[str, ...]:
    """Sentences, the most serious first; names of columns are cut, their control characters escaped."""
    return (*_copies(table), *_absent(table), *_columns(table), *_pairs(table), *_spared(table), *_told_apart(table))


def _copies(table: TableGrades) -> Iterator[str]:
    """What copies there are, where fresh real rows would not show as many."""
    if table.privacy is None or not any(note.code == "table_copies" for note in table.notices):
        return
    share = table.privacy.measures["exact_copies"].value or 0.0
    words = "This is a copy of the real table rather than a model of it" if share > MANY_COPIES else "Copies"
    yield f"{words}: {table.privacy.words[0]}"


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
    right = "The columns are right, but " if _fine(table.columns) else ""
    if inflated:
        worst = table.inflated[0]
        yield (
            f"{right}{_counted(len(inflated), 'pair')} not, of {found.of}, and the correlation score hides it (grade "
            f"inflation): worst {_names(worst)}, correlation score {worst.correlation_score:.3f}, Eden "
            f"score {worst.eden_ratio:.2f} of what real data get."
        )
        right = ""
    if far:
        words = [f"{_names(pair)} ({_of(pair):.2f} of what real data get)" for pair in far]
        yield f"{right}{_counted(len(far), 'pair')} far from the real ones, of {found.of}: {_listed(words)}."
    lost = [one for pair in table.pairs if (one := _correlation(pair)) is not None and one[0] < LOST]
    if lost:
        value, names = min(lost)
        yield f"Correlations are lost in {_number(len(lost), 'pair')}: worst {names}, correlation score {value:.2f}."


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
    """Whether no column is far from the real one or lacking."""
    return not any(column.lacking for column in columns) and not _far(columns)


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
    if known and sum(known) / len(known) >= GOOD:
        return "as well as real data would"
    return "nearly as well as real data would"


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
