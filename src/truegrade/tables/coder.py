"""code: reads a table in the terms of the real one; says whatever had to be reconciled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import Notice, notice
from truegrade.tables.coded import LEVELLED, NUMERIC, Coded, Column, Facts, Schema
from truegrade.tables.dates import Order, joint_zone, read_date, reading_of
from truegrade.tables.naming import listed, near, quoted
from truegrade.tables.readers import (
    DateLevels,
    NumberLevels,
    ParsedDates,
    ParsedNumbers,
    Reader,
    TextLevels,
    as_days,
    as_stored,
    nothing,
    spelling,
)
from truegrade.tables.rules import level_counts, order_of, ranked
from truegrade.tables.table import Table
from truegrade.tables.tally import Tally, Vocabulary
from truegrade.tables.texts import TRUTHS, canonical, finite

MOST_EXTRA = 1_000
OTHERS = "(further values)"
"""The level that stands for all extra values beyond MOST_EXTRA."""


@dataclass(frozen=True)
class _Reading:
    """How one column of a table is read, and what that came to."""

    column: Column
    facts: Facts
    reader: Reader | None = None
    extra: tuple[str, ...] = ()
    unread: int = 0
    foreign: tuple[str, ...] = ()  # some levels, where none is a real one
    example: str | None = None


def code(table: Table, schema: Schema) -> Coded:
    """The table in the terms of the schema, columns matched by name whatever their order.

    Texts are parsed where the real table has numbers or dates, and what cannot be read counts as missing; categories
    are harmonised (1, 1.0 and "1" are one). Reads the table once, and once more the texts that are parsed.
    Notices say which columns are absent or surplus and whatever had to be reconciled.
    """
    own = [column for column in schema.columns if column.name in table.store.stored]
    readings = [_reading(table, column) for column in own]
    parsed = _parsed_facts(table, readings)
    readings = [parsed.get(reading.column.name, reading) for reading in readings]
    absent = tuple(c.name for c in schema.columns if c.name not in table.store.stored)
    surplus = tuple(name for name in table.columns if name not in schema.by_name)
    return Coded(
        table=table,
        schema=schema,
        facts={r.column.name: r.facts for r in readings},
        extra={r.column.name: r.extra for r in readings if r.extra},
        absent=absent,
        surplus=surplus,
        notices=(*_differing_columns(table, absent, surplus), *_differing_values(table, readings)),
        readers={r.column.name: r.reader for r in readings if r.reader is not None},
    )


def _reading(table: Table, column: Column) -> _Reading:
    found, stored = table.profile[column.name], table.store.stored[column.name]
    zone = table.store.zones.get(column.name)
    facts = _facts(found, stored, zone)
    if column.type in LEVELLED:
        reader, extra = _levels(column, found, stored)
        foreign = extra if len(extra) == facts.distinct and column.levels else ()
        return _Reading(column, facts, reader, extra, foreign=foreign)
    if column.type not in NUMERIC:
        return _Reading(column, facts)
    if stored == "text":
        reader = ParsedNumbers() if column.type == "number" else ParsedDates(_order(column, found))
        return _Reading(column, facts, reader)
    if (stored == "date") == (column.type == "date"):
        return _Reading(column, facts, as_days if stored == "date" else as_stored)
    lost = Facts(len(table), len(table), 0, stored, zone=zone)
    return _Reading(column, lost, nothing, unread=found.present, example="dates" if stored == "date" else "numbers")


def _facts(found: Tally | Vocabulary, stored: str, zone: str | None) -> Facts:
    if isinstance(found, Vocabulary):
        return Facts(found.rows, found.missing, found.number, stored)
    low, high = (found.low, found.high) if found.present else (None, None)
    return Facts(found.rows, found.missing, found.distinct.number, stored, low, high, found.mean, found.sd, zone)


def _order(column: Column, found: Tally | Vocabulary) -> Order | None:
    """Of day and month: as these texts tell it, else as the real table's do."""
    known = found.known if isinstance(found, Vocabulary) else ()
    dates = [text for text in known if reading_of([text]) != "none"]
    return order_of(reading_of(dates)) or column.order


def _levels(column: Column, found: Tally | Vocabulary, stored: str) -> tuple[Reader, tuple[str, ...]]:
    """The reader of a levelled column and the levels that it has beyond those of the schema."""
    codes = {text: at for at, text in enumerate(column.levels)}
    codes = _aliases(codes) | codes
    counts = {text: n for text, n in level_counts(found, stored).items() if text not in codes}
    extra = tuple(ranked(counts)[:MOST_EXTRA])
    full = found.distinct.full if isinstance(found, Tally) else found.full
    if full or len(counts) > MOST_EXTRA:
        extra = (*extra, OTHERS)
    codes.update((text, len(column.levels) + at) for at, text in enumerate(extra))
    other = len(column.levels) + len(extra) - 1
    if isinstance(found, Vocabulary):
        return TextLevels(codes, other), extra
    kind = DateLevels if stored == "date" else NumberLevels
    values = _values_of(codes, stored) if found.distinct.full else list(found.distinct.counts())
    return kind(codes, other, values, spelling(stored)), extra


def _values_of(codes: Mapping[str, int], stored: str) -> list[float]:
    """The numbers, or days, that levels are spellings of."""
    if stored == "date":
        days = [read_date(text)[0] for text in codes]
        return [value for value in days if value == value]
    return [float(text) for text in codes if finite(text)]


def _aliases(codes: Mapping[str, int]) -> dict[str, int]:
    """Other spellings of levels that are truth values: all words for true and false, true and false for two words.

    Levels that are words read no other words: where "yes" is real, "Yes" and "y" are further values.
    """
    truths = {TRUTHS[word.lower()]: code for word, code in codes.items() if word.lower() in TRUTHS}
    if len(truths) < len(codes):  # a level is no truth value, or two are the same one
        return {}
    if not set(codes) <= {"true", "false"}:
        return {word: truths[value] for word, value in (("true", True), ("false", False)) if value in truths}
    forms = {form: value for word, value in TRUTHS.items() for form in (word, word.upper(), word.capitalize())}
    return {form: truths[value] for form, value in forms.items() if value in truths}


def _parsed_facts(table: Table, readings: Sequence[_Reading]) -> dict[str, _Reading]:
    """The readings of columns whose texts are parsed, with facts of the numbers that came of them."""
    parsed = {r.column.name: r for r in readings if isinstance(r.reader, ParsedNumbers | ParsedDates)}
    tallies = {name: Tally() for name in parsed}
    examples: dict[str, str] = {}
    for block in table.store.blocks(list(parsed)) if parsed else ():
        for name, reading in parsed.items():
            assert reading.reader is not None
            values = reading.reader(block[name])
            tallies[name].add(values)
            if name not in examples and (bad := _first_unread(block[name], values)) is not None:
                examples[name] = bad
    return {name: _completed(r, tallies[name], examples.get(name)) for name, r in parsed.items()}


def _first_unread(texts: NDArray[np.object_], values: NDArray[np.float64]) -> str | None:
    for at in np.flatnonzero(np.isnan(values)):
        if texts[at] is not None and canonical(texts[at]) is not None:
            return str(texts[at])
    return None


def _completed(reading: _Reading, found: Tally, example: str | None) -> _Reading:
    reader = reading.reader
    zone = joint_zone(reader.zones) if isinstance(reader, ParsedDates) else None
    facts = _facts(found, "text", zone)
    return replace(reading, facts=facts, unread=facts.missing - reading.facts.missing, example=example)


def _differing_columns(table: Table, absent: Sequence[str], surplus: Sequence[str]) -> list[Notice]:
    said = []
    if absent:
        near_ones = [(name, near(name, surplus)) for name in absent[:10]]
        hints = [f"{quoted(name)} may be what it calls {quoted(hint)}" for name, hint in near_ones if hint is not None]
        hint = f" ({'; '.join(hints)})" if hints else ""
        said.append(notice("columns_absent", side=table.name, columns=listed(absent), hint=hint))
    if surplus:
        said.append(notice("columns_surplus", side=table.name, columns=listed(surplus)))
    return said


def _differing_values(table: Table, readings: Sequence[_Reading]) -> list[Notice]:
    said, mixed, zones = [], [], []
    for reading in readings:
        column, facts = reading.column, reading.facts
        if reading.unread:
            told = f"such as {quoted(reading.example)}" if facts.stored == "text" else f"but {reading.example}"
            numbers = {"count": f"{reading.unread:,}", "rows": f"{facts.rows:,}", "example": told}
            found = notice("values_unread", side=table.name, column=quoted(column.name), type=column.type, **numbers)
            said.append(replace(found, severity="serious") if reading.unread > facts.rows - facts.missing else found)
        if reading.foreign:
            levels = {"real": listed(column.levels, 5), "other": listed(reading.foreign, 5)}
            said.append(notice("levels_foreign", side=table.name, column=quoted(column.name), **levels))
        elif column.type in LEVELLED and facts.stored != column.stored and facts.missing < facts.rows and column.levels:
            mixed.append(f"{quoted(column.name)} ({column.stored} in the real table, {facts.stored} here)")
        if column.type == "date" and facts.zone != column.zone and facts.missing < facts.rows:
            ours, theirs = column.zone or "none", facts.zone or "none"
            zones.append(f"{quoted(column.name)} ({ours} in the real table, {theirs} here)")
    if mixed:
        said.append(notice("harmonised", side=table.name, columns=_cut(mixed)))
    if zones:
        said.append(notice("zones_differ", side=table.name, columns=_cut(zones)))
    return said


def _cut(parts: Sequence[str], most: int = 10) -> str:
    return ", ".join(parts[:most]) + (f" and {len(parts) - most:,} more" if len(parts) > most else "")
