"""What a monitor keeps of the rows it has seen: a uniform sample of bounded size, and the moments of all of them.

Every row gets a random key when it comes in, and the rows with the smallest keys are kept. So which rows are kept
depends neither on how the rows were cut into batches nor on the order in which monitors are merged, and a merged
monitor holds a uniform sample of everything that any of them has seen.

`Collected` is a value: an update makes a new one. The old one stays valid until then, so an interrupted update has
no effect.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.moments import MomentState
from truegrade.errors import InputError, Notice

Arrays = dict[str, NDArray[Any]]
PER_ROW = ("rows", "probabilities")


@dataclass(frozen=True, eq=False)
class Collected:
    """Rows (kept, d) with class probabilities perhaps, and the moments of all rows seen.

    keep: most rows that are kept. seed, rank: of the random keys; every process has its own rank.
    batches, seen: batches and rows that came in, those of merged monitors included. drawn: keys drawn here.
    first: hash of the first row, a part of the seed, so that processes without a rank draw differently.
    store: the arrays in which the rows lie. slots: where; keys, ranks, arrivals: of each kept row, in no order.
    embedded: whether every batch said what made its vectors. notices: what was noted of batches.
    """

    keep: int
    seed: int
    rank: int = 0
    batches: int = 0
    seen: int = 0
    drawn: int = 0
    first: int = 0
    moments: MomentState | None = None
    store: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    slots: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp))
    keys: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, np.uint64))
    ranks: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    arrivals: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    arrived: int = 0
    embedded: bool = True
    notices: tuple[Notice, ...] = ()

    @property
    def kept(self) -> int:
        """Rows that are kept."""
        return len(self.slots)

    def with_batch(
        self, values: Mapping[str, NDArray[Any]], *, embedded: bool = False, notices: tuple[Notice, ...] = ()
    ) -> Collected:
        """With the rows (b, d) of one more batch; they are copied."""
        rows = values["rows"]
        first = self.first if self.drawn else _digest(rows[0])
        moments = MomentState(rows.shape[1]) if self.moments is None else self.moments.copy()
        moments.update(rows)
        grown = replace(self, first=first, moments=moments)
        grown = grown._added(values, grown._draw(len(rows)), np.full(len(rows), self.rank, np.int64))
        known = {note.code for note in self.notices}
        return replace(
            grown,
            batches=self.batches + 1,
            seen=self.seen + len(rows),
            drawn=self.drawn + len(rows),
            embedded=self.embedded and embedded,
            notices=(*self.notices, *(note for note in notices if note.code not in known)),
        )

    def merged(self, other: Collected) -> Collected:
        """With everything that the other has seen; the other stays as it is.

        Raises InputError where rows of the other are here already.
        """
        if other.seen == 0:
            return self
        if np.intersect1d(self.keys, other.keys).size:
            raise InputError(
                "These monitors share rows: one was merged already, or both saw the same samples. Merge each once, and "
                "give every process a seed of its own for its generator, and its rank: monitor(..., rank=rank)."
            )
        assert other.moments is not None
        moments = other.moments.copy() if self.moments is None else self.moments.copy()
        if self.moments is not None:
            moments.merge(other.moments)
        order = other.order()
        values = {name: array[other.slots[order]] for name, array in other.store.items()}
        grown = self._added(values, other.keys[order], other.ranks[order])
        return replace(
            grown,
            moments=moments,
            batches=self.batches + other.batches,
            seen=self.seen + other.seen,
            embedded=self.embedded and other.embedded,
            notices=tuple(dict.fromkeys((*self.notices, *other.notices))),
        )

    def values(self) -> Arrays:
        """The kept rows, and their probabilities, in the order of ranks and, within a rank, as they came in."""
        order = self.slots[self.order()]
        return {name: array[order] for name, array in self.store.items()}

    # --- random keys -------------------------------------------------------------------------------------------

    def _draw(self, count: int) -> NDArray[np.uint64]:
        """The keys of the next `count` rows: places `drawn` and following of one stream of random numbers."""
        stream = np.random.PCG64(np.random.SeedSequence([self.seed, self.rank, self.first]))
        stream.advance(self.drawn)
        return np.asarray(stream.random_raw(count), np.uint64)

    # --- rows --------------------------------------------------------------------------------------------------

    def order(self) -> NDArray[np.intp]:
        """The kept rows by rank and arrival, as places in `slots`."""
        return np.lexsort((self.arrivals, self.ranks))

    def _added(
        self, values: Mapping[str, NDArray[Any]], keys: NDArray[np.uint64], ranks: NDArray[np.int64]
    ) -> Collected:
        """With those of the rows whose keys are among the `keep` smallest, in places that are free."""
        had = self.kept
        if had and values.keys() != self.store.keys():
            raise InputError(
                "Some batches have class probabilities and others have none; embed all of them in the same way."
            )
        all_keys = np.concatenate([self.keys, keys])
        chosen = np.arange(len(all_keys))
        if len(chosen) > self.keep:
            chosen = np.sort(np.argpartition(all_keys, self.keep - 1)[: self.keep])
        stay, come = chosen[chosen < had], chosen[chosen >= had] - had
        store, free = self._room(values, len(come))
        for name, array in values.items():
            store[name][free] = array[come]
        arrivals = np.arange(self.arrived, self.arrived + len(keys))
        return replace(
            self,
            store=store,
            slots=np.concatenate([self.slots[stay], free]),
            keys=all_keys[chosen],
            ranks=np.concatenate([self.ranks, ranks])[chosen],
            arrivals=np.concatenate([self.arrivals, arrivals])[chosen],
            arrived=self.arrived + len(keys),
        )

    def _room(self, values: Mapping[str, NDArray[Any]], count: int) -> tuple[Arrays, NDArray[np.intp]]:
        """The store, perhaps made larger or of a wider type, and `count` places in it that hold no kept row."""
        have = len(self.store["rows"]) if self.store else 0
        size = have
        if have < self.kept + count:
            size = max(self.kept + count, min(2 * have, self.keep + count))
        store = {name: _grown(self.store.get(name), array, size) for name, array in values.items()}
        taken = np.zeros(size, bool)
        taken[self.slots] = True
        return store, np.flatnonzero(~taken)[:count]


def _grown(old: NDArray[Any] | None, more: NDArray[Any], size: int) -> NDArray[Any]:
    """The array `old` with `size` rows, of a type that holds both; itself where it is that already."""
    if old is None:
        return np.empty((size, *more.shape[1:]), more.dtype)
    dtype = np.result_type(old, more)
    if len(old) == size and old.dtype == dtype:
        return old
    new = np.empty((size, *old.shape[1:]), dtype)
    new[: len(old)] = old
    return new


def _digest(row: NDArray[Any]) -> int:
    """A number of 63 bits that stands for the content of a row, whatever its precision."""
    return int.from_bytes(hashlib.sha256(row.astype("<f8").tobytes()).digest()[:8], "little") >> 1
