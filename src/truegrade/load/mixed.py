"""Tables with columns of any type, from files, frames, arrays and samples: `load_table`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError, Notice, notice
from truegrade.load.arrow import FileStore, Pieces, need_pyarrow, open_pieces, read_stream
from truegrade.load.cells import read_cells
from truegrade.load.choice import Choice, PerRow, split_columns
from truegrade.load.columns import Kind, is_wide, kind_of, values_of
from truegrade.load.frames import Frame, as_frame, plain, stored_index
from truegrade.samples import Samples, per_row
from truegrade.tables import MemoryStore, Store, Stored, Table
from truegrade.tables.naming import listed, quoted
from truegrade.tables.store import Without, in_memory, shared_texts
from truegrade.tables.table import BLOCK, Block

OnError = Literal["refuse", "skip"]
TABLE_SUFFIXES = (".csv", ".tsv", ".parquet", ".arrow", ".feather", ".ipc")
_WIDEST = 2**53
_KEPT = 2**25  # cells of a file that are kept in memory; larger ones are read anew on every pass


def load_table(
    source: object,
    *,
    name: str | None = None,
    labels: str | PerRow | None = None,
    ids: str | PerRow | None = None,
    columns: Sequence[str] | None = None,
    on_error: OnError = "refuse",
) -> Table:
    """A table with columns of any type: numbers, truth values, texts, dates; missing values are allowed.

    Args:
        source: a path (.csv and .tsv; .parquet, .arrow, .feather, .ipc with the extra `tabular`), a data frame of any
            library, an (n, d) array of numbers, or Samples. Large files are read anew on every pass, in bounded
            memory; do not change them until the evaluation is done.
        name: what to call the table in results; the file's name without suffix by default.
        labels, ids: one per row, or the name of a column, which then is not graded.
        columns: names of the columns to grade, in this order; all others by default.
        on_error: rows with an infinity: "refuse" the table, or "skip" these rows and count them.

    Raises:
        InputError: the file is not there or damaged, the table is empty, two columns have one name, a column that was
            asked for is lacking, or a number is infinite (column and row are named).
        MissingExtra: the file's type needs pyarrow.
    """
    chosen = (columns,) if isinstance(columns, str) else columns
    path = Path(source) if isinstance(source, str | os.PathLike) else None
    called = name or (path.stem if path else getattr(source, "name", None) if _known(source) else None) or "table"
    where = str(path) if path else "memory"
    picked = None if chosen is None else tuple(map(str, chosen))
    return open_table(source, Choice(called, where, None, labels, ids, picked), on_error)


def open_table(source: object, choice: Choice, on_error: OnError = "refuse") -> Table:
    """What `load_table` returns, by a choice that is made already."""
    if on_error not in ("refuse", "skip"):
        raise InputError(f"on_error={on_error!r} is not known; 'refuse' and 'skip' are.")
    if isinstance(source, Table):
        return replace(source, name=choice.name)
    if isinstance(source, Samples):
        return table_of(source)
    parts = _parts(source, choice)
    n, d = len(parts.store), len(parts.store.names)
    if n == 0 or d == 0:
        raise InputError(
            f"{choice.who} is empty ({n} rows, {d} columns that can be compared). Give at least one row and one column "
            "of numbers, truth values, texts or dates."
        )
    labels = per_row(choice.labels if parts.labels is None else parts.labels, n, "labels", choice.name)
    ids = per_row(choice.ids if parts.ids is None else parts.ids, n, "ids", choice.name)
    table = Table(parts.store, choice.name, choice.source, labels, ids, parts.notices)
    return _without_infinities(table, parts.doubtful, on_error)


def is_numeric_table(table: Table) -> bool:
    """Whether every column holds finite numbers or truth values, none missing, so that its rows are vectors."""
    if not all(stored in ("number", "boolean") for stored in table.store.stored.values()):
        return False
    blocks = table.store.blocks(table.columns)
    return all(bool(np.isfinite(values).all()) for block in blocks for values in block.values())


def table_of(samples: Samples) -> Table:
    """The columns of samples as a table; those without names are called "0", "1" ..."""
    return Table(
        MatrixStore(samples), samples.name, samples.source, samples.labels, samples.ids, notices=samples.notices
    )


@dataclass(frozen=True, eq=False)
class MatrixStore:
    """Columns of samples, which may be mapped from a file."""

    samples: Samples
    zones: Mapping[str, str | None] = field(default_factory=dict)
    declared: frozenset[str] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        return self.samples.columns or tuple(str(at) for at in range(self.samples.d))

    @property
    def stored(self) -> Mapping[str, Stored]:
        return dict.fromkeys(self.names, "number")

    def __len__(self) -> int:
        return self.samples.n

    def blocks(self, names: Sequence[str]) -> Iterator[Block]:
        for rows in self.samples.blocks(BLOCK):
            yield self._block(rows, names)

    def take(self, names: Sequence[str], rows: NDArray[np.intp]) -> Block:
        return self._block(self.samples.rows.take(rows), names)

    def _block(self, rows: NDArray[np.floating], names: Sequence[str]) -> Block:
        places = {name: at for at, name in enumerate(self.names)}
        return {name: rows[:, places[name]].astype(np.float64) for name in names}


@dataclass(frozen=True, eq=False)
class _Parts:
    """doubtful: columns that may hold an infinity."""

    store: Store
    doubtful: Sequence[str]
    labels: NDArray[Any] | None = None
    ids: NDArray[Any] | None = None
    notices: tuple[Notice, ...] = ()


def _known(source: object) -> bool:
    return isinstance(source, Table | Samples)


def _parts(source: object, choice: Choice) -> _Parts:
    if isinstance(source, str | os.PathLike):
        return _of_file(Path(source), choice)
    frame = as_frame(source, choice.who)
    if frame is not None:
        return _of_frame(frame, choice)
    if isinstance(source, np.ndarray) and source.ndim == 2 and source.dtype.kind in "fiub":
        choice.refuse_names()
        names = [str(at) for at in range(source.shape[1])]
        store = MemoryStore({name: source[:, at] for at, name in enumerate(names)}, dict.fromkeys(names, "number"))
        return _Parts(store, names)
    raise InputError(
        f"{choice.who} is of type {type(source).__name__}; a path, a data frame, a two-dimensional array of numbers "
        "or Samples is accepted as a table."
    )


def _of_file(path: Path, choice: Choice) -> _Parts:
    suffix = path.suffix.lower()
    if suffix not in TABLE_SUFFIXES:
        raise InputError(f"{path} has the suffix {suffix or '(none)'}; {', '.join(TABLE_SUFFIXES)} are tables.")
    if not path.is_file():
        raise InputError(f"There is no file {path} (looked in {path.absolute().parent}).")
    try:
        if suffix in (".csv", ".tsv"):
            cells = read_cells(path, choice)
            numbers = [name for name, stored in cells.store.stored.items() if stored == "number"]
            return _Parts(cells.store, numbers, cells.labels, cells.ids)
        need_pyarrow(path)
        stream = read_stream(path, choice)
        return _of_pieces(open_pieces(path, choice), choice) if stream is None else _of_frame(stream, choice)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error


def _of_frame(frame: Frame, choice: Choice) -> _Parts:
    choice.refuse_key()
    names = [str(name) for name in frame.columns]
    split = split_columns(names, choice, stored_index(frame))
    series = dict(zip(names, frame.iter_columns(), strict=True))
    found = {names[at]: kind_of(series[names[at]]) for at in split.values}
    kinds = {name: kind for name, kind in found.items() if kind is not None}
    columns = {name: values_of(series[name], kind) for name, kind in kinds.items()}
    for name, kind in kinds.items():
        if kind.stored == "text":
            columns[name] = shared_texts(columns[name], {})
    store = MemoryStore(
        columns,
        {name: kind.stored for name, kind in kinds.items()},
        {name: kind.zone for name, kind in kinds.items()},
        frozenset(name for name, kind in kinds.items() if kind.declared),
    )
    labels, ids = (None if at is None else plain(series[names[at]]) for at in (split.labels, split.ids))
    said = _notices(found, {name: series[name].dtype for name in found}, choice)
    return _Parts(store, _doubtful(kinds), labels, ids, tuple(said))


def _of_pieces(pieces: Pieces, choice: Choice) -> _Parts:
    choice.refuse_key()
    names = list(pieces.empty.columns)
    split = split_columns(names, choice, stored_index(pieces.empty))
    found = {names[at]: kind_of(pieces.empty[names[at]]) for at in split.values}
    unsure = [name for name, kind in found.items() if kind is not None and not _within(pieces.bounds(name))]
    for name in _wide(pieces, [n for n in unsure if pieces.empty[n].dtype.is_integer()]):
        found[name] = Kind("text", whole=True, wide=True)
    kinds = {name: kind for name, kind in found.items() if kind is not None}
    store: Store = FileStore(pieces, kinds)
    if len(store) * len(store.names) <= _KEPT:
        store = in_memory(store)
    labels, ids = (None if at is None else _column(pieces, names[at]) for at in (split.labels, split.ids))
    said = _notices(found, {name: pieces.empty[name].dtype for name in found}, choice)
    return _Parts(store, [name for name in _doubtful(kinds) if name in unsure], labels, ids, tuple(said))


def _doubtful(kinds: Mapping[str, Kind]) -> list[str]:
    return [name for name, kind in kinds.items() if kind.stored == "number" and not kind.whole]


def _within(bounds: tuple[float, float] | None) -> bool:
    """Whether numbers within these bounds are finite, and distinct as float64 where they are whole."""
    return bounds is not None and isinstance(bounds[0], int | float) and -_WIDEST <= bounds[0] <= bounds[1] <= _WIDEST


def _wide(pieces: Pieces, names: Sequence[str]) -> set[str]:
    """The columns that hold whole numbers beyond 2^53."""
    wide: set[str] = set()
    for piece in range(len(pieces.lengths)) if names else ():
        for frame in pieces.frames(piece, names):
            wide |= {name for name in names if name not in wide and is_wide(frame[name])}
    return wide


def _column(pieces: Pieces, name: str) -> NDArray[Any]:
    frames = (f for piece in range(len(pieces.lengths)) for f in pieces.frames(piece, [name]))
    return np.concatenate([plain(pieces.empty[name]), *(plain(frame[name]) for frame in frames)])


def _notices(found: Mapping[str, Kind | None], dtypes: Mapping[str, object], choice: Choice) -> Iterator[Notice]:
    lost = [f"{quoted(name)} ({str(dtypes[name])[:40]})" for name, kind in found.items() if kind is None]
    if lost:
        more = f" and {len(lost) - 10} more" if len(lost) > 10 else ""
        yield notice("columns_unsupported", side=choice.name, columns=", ".join(lost[:10]) + more)
    wide = [name for name, kind in found.items() if kind is not None and kind.wide]
    if wide:
        yield notice("wide_integers", side=choice.name, columns=listed(wide))


def _without_infinities(table: Table, doubtful: Sequence[str], on_error: OnError) -> Table:
    """The table; without its rows that hold an infinity, or InputError that says where the first one is."""
    rows, first = _infinities(table.store, doubtful)
    if not len(rows):
        return table
    if on_error == "refuse":
        raise InputError(
            f"{table.who} holds an infinity in column {quoted(first)}, row {rows[0]} (from 0), and in {len(rows):,} of "
            f"{len(table):,} rows in all. Replace infinities by numbers or leave their cells empty; or leave out "
            "those rows: on_error='skip', --on-error skip."
        )
    if len(rows) == len(table):
        raise InputError(f"Every row of {table.who} holds an infinity; none would be left.")
    kept = np.delete(np.arange(len(table)), rows)
    numbers_said = {"count": f"{len(rows):,}", "rows": f"{len(table):,}", "row": rows[0], "column": quoted(first)}
    said = notice("rows_left_out", side=table.name, **numbers_said)
    labels, ids = (None if v is None else v[kept] for v in (table.labels, table.ids))
    store = Without(table.store, rows)
    return replace(table, store=store, labels=labels, ids=ids, notices=(*table.notices, said))


def _infinities(store: Store, names: Sequence[str]) -> tuple[NDArray[np.intp], str]:
    """Rows that hold an infinity, and the first column that does in the first of them."""
    found: list[NDArray[np.intp]] = []
    first, start = "", 0
    for block in store.blocks(names) if names else ():
        bad = {name: np.isinf(values) for name, values in block.items()}
        any_bad = np.logical_or.reduce(list(bad.values()))
        rows = np.flatnonzero(any_bad)
        if len(rows):
            first = first or next(name for name in names if bad[name][rows[0]])
            found.append(rows + start)
        start += len(any_bad)
    return np.concatenate(found or [np.empty(0, dtype=np.intp)]), first
