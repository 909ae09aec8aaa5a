"""Which row of the scores belongs to which name in the ratings.

A name matches the same name; failing that, one that differs only in case, spaces and punctuation, if that leaves no
doubt: exactly one row of the scores, which no other name means. What matches nothing is listed, never dropped unsaid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from truegrade.agreement.table import Table
from truegrade.errors import InputError

NAMES = ("model", "name", "item", "id", "sample")
Key = tuple[str, ...]


def loosely(text: str) -> str:
    """Letters and digits only, without case."""
    return "".join(c for c in text.casefold() if c.isalnum()) or text


@dataclass(frozen=True, eq=False)
class Index:
    """Rows of a table by the texts in its key columns; InputError for two rows of one key."""

    rows: dict[Key, int]

    @staticmethod
    def of(table: Table, columns: Sequence[str]) -> Index:
        rows: dict[Key, int] = {}
        for row, key in enumerate(zip(*(table.text(c) for c in columns), strict=True)):
            if not all(key):
                raise InputError(f"{table.who}, row {row + 1} below the header: {' and '.join(columns)} must be there.")
            if key in rows:
                raise InputError(
                    f"{table.who} have {' / '.join(key)[:80]!r} twice, in rows {rows[key] + 1} and {row + 1} below the "
                    f"header; give one row for each {' and '.join(columns)}. (Both tables may have a column 'dataset'.)"
                )
            rows[key] = row
        return Index(rows)

    def match(self, wanted: Sequence[Key]) -> dict[Key, int]:
        """The row of each wanted key; those without are not in it."""
        found = {key: self.rows[key] for key in wanted if key in self.rows}
        taken = set(found.values())
        loose: dict[Key, list[int]] = {}
        for key, row in self.rows.items():
            loose.setdefault(tuple(map(loosely, key)), []).append(row)
        rest = [key for key in dict.fromkeys(wanted) if key not in found]
        asked = Counter(tuple(map(loosely, key)) for key in rest)
        for key in rest:
            near = tuple(map(loosely, key))
            rows = loose.get(near, [])
            if len(rows) == 1 and asked[near] == 1 and rows[0] not in taken:
                found[key] = rows[0]
        return found

    def others(self, matched: dict[Key, int]) -> tuple[str, ...]:
        """Keys whose row was not matched, as text."""
        used = set(matched.values())
        return tuple(" / ".join(key) for key, row in self.rows.items() if row not in used)


def shared(ratings: Table, scores: Table, names: Sequence[str]) -> list[tuple[str, str]]:
    """Those of these columns that both tables have, as (column of the ratings, column of the scores)."""
    pairs = [(ratings.named(name), scores.named(name)) for name in names]
    return [(a, b) for a, b in pairs if a is not None and b is not None]


def split_on(on: str | None) -> tuple[str | None, str | None]:
    """"A=B" as (A, B), "A" as (A, A)."""
    if on is None:
        return None, None
    if not isinstance(on, str):
        raise InputError(f"on={on!r} given; a column of both tables, or 'RATINGS_COLUMN=SCORES_COLUMN', is accepted.")
    first, equals, second = on.partition("=")
    if not first or (equals and not second):
        raise InputError(f"on={on!r} given; a column of both tables, or 'RATINGS_COLUMN=SCORES_COLUMN', is accepted.")
    return first, second or first


def name_column(table: Table, what: str) -> str:
    """The column with the names of the models or items."""
    column = table.named(*NAMES)
    if column is None:
        raise InputError(
            f"{table.who} have no column that names {what}: one of {', '.join(NAMES)} is looked for, found are "
            f"{table.header}. Name it with on (--on RATINGS_COLUMN=SCORES_COLUMN)."
        )
    return column
