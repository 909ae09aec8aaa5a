"""Table: the rows of one side with columns of any type, read block by block; never more in memory than is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import Notice
from truegrade.tables.dates import days_of
from truegrade.tables.tally import Tally, Vocabulary

Stored = Literal["number", "boolean", "text", "date"]
BLOCK = 16_384  # rows; blocks are the same whatever the pieces in which a file holds them, so results are too
Block = dict[str, NDArray[Any]]
"""By column: float64 with NaN for missing ("number"; "boolean" as 0.0 and 1.0), object array of str and None ("text"),
datetime64[us] in UTC with NaT for missing ("date")."""


class Store(Protocol):
    """Where the columns are: in memory, or in a Parquet file that is read anew on every pass."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def stored(self) -> Mapping[str, Stored]: ...

    @property
    def zones(self) -> Mapping[str, str | None]:
        """Of columns of dates: their zone, None without one."""
        ...

    @property
    def declared(self) -> frozenset[str]:
        """Columns that the source itself calls categories."""
        ...

    def __len__(self) -> int: ...

    def blocks(self, names: Sequence[str]) -> Iterator[Block]:
        """These columns, in blocks of BLOCK rows (the last one shorter)."""
        ...

    def take(self, names: Sequence[str], rows: NDArray[np.intp]) -> Block:
        """These columns of these rows, which ascend."""
        ...


@dataclass(frozen=True, eq=False)
class Table:
    """A table of one side; `truegrade.load_table` makes it.

    Attributes:
        store: the columns. name: what to call this table in results. source: a path, or "memory".
        labels, ids: one per row, or None.
        notices: what was noted while reading.
    """

    store: Store
    name: str
    source: str
    labels: NDArray[Any] | None = None
    ids: NDArray[Any] | None = None
    notices: tuple[Notice, ...] = ()

    def __len__(self) -> int:
        return len(self.store)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.store.names

    def __repr__(self) -> str:
        return f"Table({self.name!r}, {len(self):,} rows x {len(self.columns)} columns, from {self.source})"

    @cached_property
    def profile(self) -> Mapping[str, Tally | Vocabulary]:
        """What each column comes to: one pass over the table, the first time it is asked for."""
        return profile(self.store)

    @property
    def who(self) -> str:
        """The table in messages."""
        return self.name if self.source == "memory" else f"{self.name} ({self.source})"


def profile(store: Store) -> dict[str, Tally | Vocabulary]:
    """Counts of every column as it is stored, truth values as 0 and 1, dates in days since 1970."""
    found: dict[str, Tally | Vocabulary] = {
        name: Vocabulary() if store.stored[name] == "text" else Tally() for name in store.names
    }
    for block in store.blocks(store.names):
        for name, values in block.items():
            found[name].add(days_of(values) if store.stored[name] == "date" else values)
    return found
