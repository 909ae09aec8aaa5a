"""describe: the columns of the real table and what they are compared as, by rule (`rules.py`) or as asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import get_args

from truegrade.errors import InputError, Notice, notice
from truegrade.tables.coded import LEVELLED, NUMERIC, Column, ColumnType, Schema
from truegrade.tables.dates import reading_of
from truegrade.tables.naming import listed, near, quoted
from truegrade.tables.rules import MOST_LEVELS, as_dates, level_counts, typed, with_levels
from truegrade.tables.table import Table
from truegrade.tables.tally import Tally
from truegrade.tables.texts import finite

_TYPES: tuple[ColumnType, ...] = get_args(ColumnType)
ASKED = "asked for"
_BOOLEAN = frozenset({"true", "false", "1", "0"})


def describe(real: Table, types: Mapping[str, str] | None = None) -> Schema:
    """The columns of the real table and what they are compared as, by the rules of `truegrade.tables.rules`.

    Args:
        real: the real table; its values are read once.
        types: by column, another type than the rules would give: "number", "few", "category", "boolean", "date",
            "identifier" or "text" (the last two are not compared).

    Raises:
        InputError: unknown columns or types, and values that are not of the type asked for.
    """
    wanted = _checked(real, types or {})
    columns = [_as_asked(real, typed(real, name), wanted.get(name)) for name in real.columns]
    return Schema(tuple(columns), tuple(_notices(real, columns)))


def _checked(real: Table, types: Mapping[str, str]) -> dict[str, ColumnType]:
    wanted: dict[str, ColumnType] = {}
    for name, asked in types.items():
        if name not in real.columns:
            hint = near(name, real.columns)
            meant = f" Did you mean {quoted(hint)}?" if hint is not None else ""
            raise InputError(
                f"types names the column {quoted(name)}, which {real.who} does not have; it has "
                f"{listed(real.columns)}.{meant}"
            )
        found = next((known for known in _TYPES if known == asked), None)
        if found is None:
            hint = near(str(asked), _TYPES)
            meant = f" Did you mean {hint!r}?" if hint is not None else ""
            raise InputError(
                f"The type {quoted(asked)} was asked for column {quoted(name)}; {', '.join(_TYPES)} are known.{meant}"
            )
        wanted[name] = found
    return wanted


def _as_asked(real: Table, column: Column, kind: ColumnType | None) -> Column:
    """The column as the type that was asked for, if any; InputError where its values are not of that type."""
    if kind is None:
        return column
    column = replace(column, type=kind, why=ASKED, levels=())
    if kind in LEVELLED:
        return _levelled(real, column)
    if kind == "number":
        _check_numbers(real, column)
    elif kind == "date":
        return _dated(real, column)
    return column


def _levelled(real: Table, column: Column) -> Column:
    found = real.profile[column.name]
    full = found.distinct.full if isinstance(found, Tally) else found.full
    counts = level_counts(found, column.stored)
    if full or len(counts) > MOST_LEVELS:
        raise _refused(real, column, f"it has more than {MOST_LEVELS:,} different values, too many for shares")
    if column.type == "boolean" and not set(counts) <= _BOOLEAN:
        other = next(text for text in counts if text not in _BOOLEAN)
        raise _refused(real, column, f"true, false, 1 and 0 are accepted, and it has {quoted(other)}")
    return with_levels(column, found)


def _check_numbers(real: Table, column: Column) -> None:
    found = real.profile[column.name]
    if column.stored == "date":
        raise _refused(real, column, "it holds dates; 'date' compares them in days")
    if not isinstance(found, Tally):
        _refuse_texts(real, column, [text for text in found.known if not finite(text)])


def _dated(real: Table, column: Column) -> Column:
    found = real.profile[column.name]
    if isinstance(found, Tally):
        if column.stored != "date":
            raise _refused(real, column, "it holds numbers; give dates as such or as text like 2024-12-31")
        return column
    reading = reading_of(found.known)
    if reading == "unclear":
        raise _refused(real, column, "day and month cannot be told apart in them; write 2024-12-31")
    if reading == "none":
        _refuse_texts(real, column, [text for text in found.known if reading_of([text]) == "none"])
        raise _refused(real, column, "days and months change places in them; write 2024-12-31")
    return as_dates(column, found, ASKED)


def _refuse_texts(real: Table, column: Column, bad: Sequence[str]) -> None:
    if bad:
        raise _refused(real, column, f"{len(bad):,} of its texts are none, such as {quoted(bad[0])}; leave them empty")


def _refused(real: Table, column: Column, reason: str) -> InputError:
    return InputError(
        f"Column {quoted(column.name)} of {real.who} cannot be compared as {column.type!r}: {reason}. "
        "Without a type for it the rules choose one."
    )


def _notices(real: Table, columns: Sequence[Column]) -> list[Notice]:
    said = []
    left_out = [f"{quoted(c.name)} ({c.type}: {c.why})" for c in columns if c.type in ("identifier", "text")]
    if left_out:
        more = f" and {len(left_out) - 10:,} more" if len(left_out) > 10 else ""
        said.append(notice("columns_left_out", columns=", ".join(left_out[:10]) + more))
    unclear = [c.name for c in columns if c.type not in NUMERIC and c.why != ASKED and _unclear(real, c.name)]
    if unclear:
        said.append(notice("dates_unclear", columns=listed(unclear), side=real.name))
    return said


def _unclear(real: Table, name: str) -> bool:
    found = real.profile[name]
    return not isinstance(found, Tally) and bool(found.known) and reading_of(found.known) == "unclear"
