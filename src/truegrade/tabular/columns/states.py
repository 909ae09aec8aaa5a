"""Whether a column can be graded at all, and whose fault it is if not."""

from __future__ import annotations

from dataclasses import dataclass

from truegrade.tables import LEVELLED, NUMERIC, Coded, Facts
from truegrade.tables.naming import quoted

FEWEST = 3  # rows of a side


@dataclass(frozen=True)
class State:
    """status and reason as of grades; lacking: the synthetic table is why."""

    status: str = "ok"
    reason: str | None = None
    lacking: bool = False

    @property
    def ok(self) -> bool:
        return self.status == "ok"


def column_state(name: str, real: Coded, synthetic: Coded) -> State:
    """By what both tables hold of the column. A category is not held to differ in the synthetic table: its shares are
    compared all the same."""
    column = real.schema[name]
    if column.type not in (*NUMERIC, *LEVELLED):
        return State(column.type, f"{quoted(name)} is {_WORDS[column.type]} ({column.why}); it is not compared")
    own = _own_state(name, real.facts[name], "real")
    if not own.ok:
        return own
    if not synthetic.has(name):
        return State("absent", f"the synthetic table has no column {quoted(name)}", lacking=True)
    other = _own_state(name, synthetic.facts[name], "synthetic")
    if other.status == "constant" and column.type in LEVELLED:
        return State()
    return State(other.status, other.reason, lacking=not other.ok)


_WORDS = {"identifier": "an identifier", "text": "free text"}


def _own_state(name: str, facts: Facts, side: str) -> State:
    known = facts.rows - facts.missing
    if known == 0:
        return State("missing", f"the {side} column {quoted(name)} has no values")
    if facts.distinct <= 1:
        words = "has a single value" if known == 1 else "is constant"
        return State("degenerate" if known < FEWEST else "constant", f"the {side} column {quoted(name)} {words}")
    if known < FEWEST:
        return State("degenerate", f"the {side} column {quoted(name)} has {known} values; at least {FEWEST} are needed")
    return State()


def pair_state(first: str, second: str, real: Coded, synthetic: Coded) -> State:
    """The first fault of either column, the real table's first. Here a category has to differ in both tables."""
    sides = (("real", real), ("synthetic", synthetic))
    for side, coded in sides:
        for name in (first, second):
            if not coded.has(name):
                return State("absent", f"the {side} table has no column {quoted(name)}", lacking=True)
            own = _own_state(name, coded.facts[name], side)
            if not own.ok:
                return State(own.status, own.reason, lacking=side == "synthetic")
    return State()


def rows_state(first: str, second: str, counts: tuple[int, int], alone: tuple[set[str], set[str]]) -> State:
    """Of the rows in which both columns are known. counts: how many on either side; alone: which of both columns have a
    single value there."""
    pair = f"{quoted(first)} and {quoted(second)}"
    for side, count, constant in zip(("real", "synthetic"), counts, alone, strict=True):
        lacking = side == "synthetic"
        if count == 0:
            return State("missing", f"no {side} row has values of both {pair}", lacking)
        if constant:
            name = first if first in constant else second
            status = "degenerate" if count < FEWEST else "constant"
            return State(status, f"the {side} column {quoted(name)} is constant where both are known", lacking)
        if count < FEWEST:
            return State("degenerate", f"{count} {side} rows have values of both {pair}; {FEWEST} are needed", lacking)
    return State()
