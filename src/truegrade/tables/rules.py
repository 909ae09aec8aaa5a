"""Typing: what every column of the real table is compared as, and why. One table of rules, no data that is guessed.

1. No values at all, truth values: "category" without levels, "boolean". Texts that are all true or false are truth
   values, texts that are all numbers are numbers (but 007 and what has more digits than float64 are texts), texts that
   are all dates, and can be read in one way, are dates.
2. Numbers and dates are "few" when they have at most 10 different values, each three times on average, or at most 20
   different whole numbers in less than 5 % as many places. A counter (100 or more whole numbers without a repeat, in
   equal steps or without a gap) is an "identifier". Else they are a "number", a "date".
3. Texts are an "identifier" when there are 20 or more and 95 % differ, or more than 1,000 do; "text" if they are also
   long (five words or 40 letters on average). Else, and where the source calls them so, they are a "category".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from truegrade.tables.coded import LEVELLED, Column, ColumnType
from truegrade.tables.dates import Order, Reading, joint_zone, read_date, reading_of
from truegrade.tables.naming import listed
from truegrade.tables.readers import spelling
from truegrade.tables.table import Table
from truegrade.tables.tally import Tally, Vocabulary
from truegrade.tables.texts import all_numbers, number_of

MOST_LEVELS = 1_000
_FEW = 10
_FEW_WHOLE = 20
_COUNTER = 100
_IDENTIFIERS = 20
_SOURCE = "the source says so"


@dataclass(frozen=True)
class _Numbers:
    """What the rules look at in numbers, be they stored as such or as text."""

    present: int
    missing: int
    distinct: int
    more: bool
    unique: bool
    whole: bool
    low: float
    high: float
    step: float | None = None

    @staticmethod
    def of(found: Tally | Vocabulary) -> _Numbers:
        if isinstance(found, Tally):
            told = found.distinct
            rest = (found.whole, found.low, found.high, found.step)
            return _Numbers(found.present, found.missing, told.number, told.full, told.share == 1, *rest)
        values = {float(text) for text in found.known}
        whole = all(value.is_integer() for value in values)
        unique = found.share == 1
        return _Numbers(found.present, found.missing, len(values), found.full, unique, whole, min(values), max(values))


def typed(real: Table, name: str) -> Column:
    """The column by the rules, with its levels."""
    found, stored = real.profile[name], real.store.stored[name]
    column = Column(name, "category", "no values at all", stored=stored, zone=real.store.zones.get(name))
    if not found.present:
        return column
    if name in real.store.declared and _distinct(found) <= MOST_LEVELS:
        return with_levels(replace(column, why=_SOURCE), found)
    if isinstance(found, Tally):
        kind, why = _of_numbers(_Numbers.of(found), stored)
        if why == _SOURCE and real.source.lower().endswith((".csv", ".tsv")):  # which is all text
            why = "all texts read as YYYY-MM-DD" if kind == "date" else "the texts are true or false"
        return with_levels(replace(column, type=kind, why=why), found)
    return _of_text_column(column, found)


def _of_text_column(column: Column, found: Vocabulary) -> Column:
    if set(found.known) <= {"true", "false"}:
        return with_levels(replace(column, type="boolean", why="the texts are true or false"), found)
    if all_numbers(found.known):
        kind, why = _of_numbers(_Numbers.of(found), "number")
        return with_levels(replace(column, type=kind, why=f"texts that are numbers: {why}"), found)
    reading = reading_of(found.known)
    if reading not in ("none", "unclear"):
        return as_dates(column, found, "the texts are dates")
    kind, why = _of_texts(found, reading)
    return with_levels(replace(column, type=kind, why=why), found)


def as_dates(column: Column, found: Vocabulary, why: str) -> Column:
    """A column of texts that are dates."""
    order = order_of(reading_of(found.known))
    zones = {read_date(text, order)[1] for text in found.known}
    why += f", {order}" if order else ""
    return replace(column, type="date", why=why, zone=joint_zone(zones), order=order, levels=())


def order_of(reading: Reading) -> Order | None:
    return reading if reading in ("day first", "month first") else None


def _of_numbers(found: _Numbers, stored: str) -> tuple[ColumnType, str]:
    if stored == "boolean":
        return "boolean", _SOURCE
    distinct, present = found.distinct, found.present
    few = distinct <= _FEW and present >= 3 * distinct
    if few or (found.whole and stored == "number" and distinct <= _FEW_WHOLE and distinct < 0.05 * present):
        return "few", f"only {distinct} different value{'s' * (distinct != 1)} in {present:,}"
    if stored == "date":
        return "date", _SOURCE
    if found.whole and found.unique and present >= _COUNTER and not found.missing:
        if found.step is not None:
            return "identifier", f"a counter in steps of {found.step:g}"
        if found.high - found.low + 1 == present:
            return "identifier", f"whole numbers from {found.low:.0f} to {found.high:.0f}, each once"
    plural = "s" * (distinct != 1)
    return "number", f"{'more than ' * found.more}{distinct:,} different number{plural} in {present:,}"


def _of_texts(found: Vocabulary, reading: Reading) -> tuple[ColumnType, str]:
    distinct, present = found.number, found.present
    some = f"{'more than ' * found.full}{distinct:,} different text{'s' * (distinct != 1)} in {present:,}"
    if reading == "unclear":
        some += ", dates whose day and month cannot be told apart"
    many = found.number > MOST_LEVELS
    if many or (present >= _IDENTIFIERS and found.share >= 0.95):
        if _long(found):
            return "text", f"{some}, long ones"
        return "identifier", some + (f", more than {MOST_LEVELS:,} levels" if many else "")
    return "category", some + _nearly_numbers(found)


def _long(found: Vocabulary) -> bool:
    texts = list(found.known)
    letters = sum(map(len, texts)) / len(texts)
    return letters >= 40 or sum(text.count(" ") + 1 for text in texts) / len(texts) >= 5


def _nearly_numbers(found: Vocabulary) -> str:
    """Says it where most texts are numbers and the rest probably marks of missing values."""
    others = [text for text in found.known if number_of(text) is None]
    if not others:
        return "; digits with leading zeros, or too many for float64, are codes"
    if len(others) > 3 or 2 * len(others) >= len(found.known):
        return ""
    return f"; numbers but for {listed(others)}"


def with_levels(column: Column, found: Tally | Vocabulary) -> Column:
    """The column with its levels, where its type has some."""
    if column.type not in LEVELLED:
        return column
    return replace(column, levels=tuple(ranked(level_counts(found, column.stored))))


def level_counts(found: Tally | Vocabulary, stored: str) -> dict[str, int]:
    """How often each level occurs, by canonical text."""
    if isinstance(found, Vocabulary):
        return dict(found.known)
    spell = spelling(stored)
    return {spell(value): count for value, count in found.distinct.counts().items()}


def ranked(counts: Mapping[str, int]) -> list[str]:
    """Levels, the most frequent first; equally frequent ones by number, then by text."""
    return sorted(counts, key=lambda text: (-counts[text], *_place(text)))


def _place(text: str) -> tuple[float, str]:
    value = number_of(text)
    return (float("inf") if value is None or value != value else value, text)


def _distinct(found: Tally | Vocabulary) -> int:
    return found.distinct.number if isinstance(found, Tally) else found.number
