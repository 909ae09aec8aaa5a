"""What the caller wants of a file or an object: its name, and which parts are values, labels and ids."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from numpy.typing import NDArray

from truegrade.errors import InputError

PerRow = Sequence[object] | NDArray[Any]
Kind = Literal["auto", "vectors", "table", "ecg"]
MOST_COLUMNS = 200  # of a table; more are features


class NoNumbers(InputError):
    """A table with text, dates or missing values where vectors are asked for; `found` is what it holds."""

    def __init__(self, found: str, advice: str) -> None:
        super().__init__(f"{found} {advice}")
        self.found = found


class LackingName(InputError):
    """The file has no column or array of a name that was asked for; `names` are those it lacks."""

    def __init__(self, text: str, names: Sequence[str]) -> None:
        super().__init__(text)
        self.names = tuple(names)


@dataclass(frozen=True, eq=False)
class Choice:
    """The caller's wishes.

    Attributes:
        name: what to call the set; also how messages name it.
        source: where it comes from, for the record ("memory" or a path).
        key: which array of an archive.
        labels, ids: one value per row; or the name of a column (tables) or of an array (archives).
        columns: which columns of a table are the values, in this order; None for all others.
        pixels: height, width and perhaps channels, where each sample is an image.
    """

    name: str
    source: str = "memory"
    key: str | None = None
    labels: str | PerRow | None = None
    ids: str | PerRow | None = None
    columns: tuple[str, ...] | None = None
    pixels: Sequence[int] | None = None

    @property
    def who(self) -> str:
        """The set in messages."""
        return self.name if self.source == "memory" else f"{self.name} ({self.source})"

    def refuse_key(self) -> None:
        """For everything but an archive."""
        if self.key is not None:
            raise InputError(
                f"key={self.key!r} chooses an array of a .npz archive, and {self.who} is none. Leave it out."
            )

    def refuse_names(self) -> None:
        """For arrays, whose columns have no names."""
        for what, wish in (("labels", self.labels), ("ids", self.ids)):
            if isinstance(wish, str):
                raise InputError(
                    f"{what}={wish!r} names a column, but {self.who} has none with a name. Give one value per row."
                )
        self.refuse_columns()

    def refuse_columns(self) -> None:
        """For arrays and archives."""
        if self.columns is not None:
            raise InputError(
                f"columns={list(self.columns)!r} names columns, but {self.who} has none. "
                "Choose them in the array itself: values[:, [0, 2]]."
            )


@dataclass(frozen=True)
class Split:
    """Positions of the columns of a table, by what they are for."""

    values: tuple[int, ...]
    labels: int | None
    ids: int | None


def split_columns(names: Sequence[str], choice: Choice, index: Sequence[str] = ()) -> Split:
    """Which columns of a table are values, labels and ids.

    `index` names columns that are row names, not values, unless the caller asks for them. Raises InputError
    for names that occur twice and for wishes the table does not have.
    """
    if len(set(names)) < len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise InputError(f"{choice.who} has more than one column named {twice!r}; column names must differ.")
    labels = choice.labels if isinstance(choice.labels, str) else None
    ids = choice.ids if isinstance(choice.ids, str) else None
    asked = [*(choice.columns or ()), *(name for name in (labels, ids) if name is not None)]
    lacking = [name for name in asked if name not in names]
    if lacking:
        raise LackingName(f"{choice.who} has no column {listing(lacking)}; it has {listing(names)}.", lacking)
    if len(set(choice.columns or ())) < len(choice.columns or ()):
        raise InputError(f"columns={list(choice.columns or ())!r} names a column of {choice.who} twice.")
    if choice.columns is None:
        values = [i for i, name in enumerate(names) if name not in (labels, ids, *index)]
    else:
        values = [names.index(name) for name in choice.columns]
    return Split(
        tuple(values),
        None if labels is None else names.index(labels),
        None if ids is None else names.index(ids),
    )


def given_names(names: Sequence[object]) -> tuple[str, ...] | None:
    """Column names as text; None when they only count the columns (0, 1, 2 ... or column_0, column_1 ...)."""
    texts = tuple(str(name) for name in names)
    counted = tuple(str(i) for i in range(len(texts)))
    return None if texts in (counted, tuple(f"column_{i}" for i in counted)) else texts


def are_features(names: Sequence[str]) -> bool:
    """Whether column names only count features: f0, f1 ...; 0, 1, 2 ...; or more than 200 of them."""
    parts = [re.fullmatch(r"(.*?)(\d+)", name, re.DOTALL) for name in names[:MOST_COLUMNS]]
    found = [(part[1], int(part[2][-15:])) for part in parts if part]
    if not found or len(found) < len(names):
        return len(names) > MOST_COLUMNS
    prefixes, counters = {prefix for prefix, _ in found}, sorted(counter for _, counter in found)
    if prefixes == {""}:  # 2019, 2020 ... are years
        return counters[0] < 2 and counters == list(range(counters[0], counters[0] + len(counters)))
    return len(prefixes) == 1 and len(set(counters)) == len(counters)


def check_kind(kind: object) -> Kind:
    """One of the kinds; InputError for anything else."""
    found: Kind | None = next((one for one in get_args(Kind) if one == kind), None)
    if found is None:
        raise InputError(f"kind={str(kind)[:60]!r} given; {', '.join(map(repr, get_args(Kind)))} is accepted.")
    return found


def listing(names: Sequence[str], most: int = 10) -> str:
    """Names quoted and separated by commas, cut after `most`."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(repr(name) for name in names[:most]) + more


def refuse_text(choice: Choice, examples: dict[str, object]) -> None:
    """One error for all columns that are no numbers; `examples` holds one of their values each."""
    if not examples:
        return
    told = {n: "no values" if v is None else f"such as {str(v)[:40]!r}" for n, v in examples.items()}
    shown = [f"{name!r} ({text})" for name, text in list(told.items())[:10]]
    more = f" and {len(examples) - 10} more" if len(examples) > 10 else ""
    raise NoNumbers(
        f"{choice.who} has {len(examples)} column(s) that are not numbers: {', '.join(shown)}{more}.",
        "Choose the columns to grade (load(..., columns=[...]), --columns, or frame[[...]]), name the column of "
        "classes with labels=..., encode the text as numbers first, or grade it as a table: kind='table' "
        "(--kind table).",
    )
