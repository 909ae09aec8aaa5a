"""Stores of columns: in memory, and another store without some of its rows. Blocks are cut to BLOCK rows here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.tables.table import BLOCK, Block, Store, Stored


def recut(pieces: Iterable[Block], size: int = BLOCK) -> Iterator[Block]:
    """The same rows in blocks of `size`, the last one shorter, wherever the pieces end."""
    waiting: list[Block] = []
    rows = 0
    for piece in pieces:
        waiting.append(piece)
        rows += _length(piece)
        if rows < size:
            continue
        joined = _joined(waiting)
        whole = rows - rows % size
        for start in range(0, whole, size):
            yield {name: values[start : start + size] for name, values in joined.items()}
        rows -= whole
        waiting = [{name: values[whole:] for name, values in joined.items()}] if rows else []
    if rows:
        yield _joined(waiting)


def in_memory(store: Store) -> MemoryStore:
    """All columns of a store, read once; equal texts are kept once."""
    pieces: dict[str, list[NDArray[Any]]] = {name: [] for name in store.names}
    kept: dict[str, dict[Any, Any]] = {name: {} for name in store.names if store.stored[name] == "text"}
    for block in store.blocks(store.names):
        for name, values in block.items():
            pieces[name].append(shared_texts(values, kept[name]) if name in kept else values)
    columns = {name: np.concatenate(parts) if parts else np.empty(0) for name, parts in pieces.items()}
    return MemoryStore(columns, store.stored, store.zones, store.declared)


def shared_texts(values: NDArray[Any], kept: dict[Any, Any]) -> NDArray[Any]:
    """The texts, each an object that equal texts share; `kept` remembers them from block to block."""
    shared = np.empty(len(values), dtype=object)
    shared[:] = [kept.setdefault(text, text) for text in values.tolist()]
    return shared


@dataclass(frozen=True, eq=False)
class MemoryStore:
    """Columns as arrays of one length: numbers of any type, texts as objects, datetime64[us]."""

    columns: Mapping[str, NDArray[Any]]
    stored: Mapping[str, Stored]
    zones: Mapping[str, str | None] = field(default_factory=dict)
    declared: frozenset[str] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def blocks(self, names: Sequence[str]) -> Iterator[Block]:
        for start in range(0, len(self), BLOCK):
            yield {name: self._plain(name, self.columns[name][start : start + BLOCK]) for name in names}

    def take(self, names: Sequence[str], rows: NDArray[np.intp]) -> Block:
        return {name: self._plain(name, self.columns[name][rows]) for name in names}

    def _plain(self, name: str, values: NDArray[Any]) -> NDArray[Any]:
        return values.astype(np.float64, copy=False) if self.stored[name] in ("number", "boolean") else values


@dataclass(frozen=True, eq=False)
class Without:
    """A store without some of its rows."""

    store: Store
    left_out: NDArray[np.intp]

    @property
    def names(self) -> tuple[str, ...]:
        return self.store.names

    @property
    def stored(self) -> Mapping[str, Stored]:
        return self.store.stored

    @property
    def zones(self) -> Mapping[str, str | None]:
        return self.store.zones

    @property
    def declared(self) -> frozenset[str]:
        return self.store.declared

    def __len__(self) -> int:
        return len(self.store) - len(self.left_out)

    def blocks(self, names: Sequence[str]) -> Iterator[Block]:
        return recut(self._kept(names))

    def _kept(self, names: Sequence[str]) -> Iterator[Block]:
        start = 0
        for block in self.store.blocks(names):
            rows = _length(block)
            first, last = np.searchsorted(self.left_out, [start, start + rows])
            gone = self.left_out[first:last] - start
            yield {name: np.delete(values, gone) for name, values in block.items()} if len(gone) else block
            start += rows

    def take(self, names: Sequence[str], rows: NDArray[np.intp]) -> Block:
        return self.store.take(names, self.original(rows))

    def original(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Rows of the whole store, by rows of this one: each has as many left out before it as this counts."""
        before = self.left_out - np.arange(len(self.left_out))
        return rows + np.searchsorted(before, rows, side="right")


def _length(block: Block) -> int:
    return len(next(iter(block.values())))


def _joined(blocks: list[Block]) -> Block:
    if len(blocks) == 1:
        return blocks[0]
    return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
