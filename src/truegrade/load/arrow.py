"""Tables in .parquet and Arrow files, read piece by piece as they are needed (extra `tabular`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError, MissingExtra
from truegrade.load.choice import Choice
from truegrade.load.columns import Kind, values_of
from truegrade.load.frames import Frame
from truegrade.tables import BLOCK, Stored
from truegrade.tables.store import recut
from truegrade.tables.table import Block

_MAGIC = b"ARROW1"  # with which Arrow files begin, streams not
_BUFFER = 2**20  # bytes of a column that are read ahead


class Pieces(Protocol):
    """A file in pieces (row groups, batches) that can be read one by one. empty: a frame with its columns, no rows."""

    empty: Frame
    lengths: tuple[int, ...]

    def frames(self, piece: int, names: Sequence[str]) -> Iterator[Frame]:
        """These columns of a piece, a few rows at a time."""
        ...

    def bounds(self, name: str) -> tuple[float, float] | None:
        """Least and largest number of a column, where the file itself says them."""
        ...


class ParquetPieces:
    """The row groups of a .parquet file."""

    def __init__(self, path: Path, choice: Choice) -> None:
        import pyarrow.parquet

        self._open: Any = pyarrow.parquet.ParquetFile
        self._path, self._who = path, choice.who
        with reading(choice.who, "a .parquet file"), self._open(path) as file:
            self._metadata = file.metadata
            self.empty = as_frame(file.schema_arrow.empty_table(), choice.who)
            groups = range(self._metadata.num_row_groups)
            self.lengths = tuple(self._metadata.row_group(group).num_rows for group in groups)

    def frames(self, piece: int, names: Sequence[str]) -> Iterator[Frame]:
        import pyarrow

        how: dict[str, Any] = {"metadata": self._metadata, "buffer_size": _BUFFER, "pre_buffer": False}
        with reading(self._who, "a .parquet file"), self._open(self._path, **how) as file:
            for batch in file.iter_batches(BLOCK, row_groups=[piece], columns=list(names), use_threads=False):
                yield as_frame(pyarrow.Table.from_batches([batch]).select(list(names)), self._who)

    def bounds(self, name: str) -> tuple[float, float] | None:
        paths = [self._metadata.schema.column(at).path for at in range(self._metadata.num_columns)]
        if paths.count(name) != 1:
            return None
        groups = [self._metadata.row_group(group) for group in range(len(self.lengths))]
        told = [group.column(paths.index(name)).statistics for group in groups]
        if not told or not all(known is not None and known.has_min_max for known in told):
            return None
        return min(known.min for known in told), max(known.max for known in told)


class ArrowPieces:
    """The record batches of an Arrow file (.arrow, .feather, .ipc), memory-mapped."""

    def __init__(self, path: Path, choice: Choice) -> None:
        self._path, self._who = path, choice.who
        with reading(choice.who, "an Arrow file"), self._reader() as reader:
            self.empty = as_frame(reader.schema.empty_table(), choice.who)
            self._names = list(reader.schema.names)
            self.lengths = tuple(reader.get_batch(at).num_rows for at in range(reader.num_record_batches))

    @contextmanager
    def _reader(self, names: Sequence[str] | None = None) -> Iterator[Any]:
        import pyarrow.ipc

        fields = None if names is None else sorted(self._names.index(name) for name in names)
        options = pyarrow.ipc.IpcReadOptions(included_fields=fields)
        with pyarrow.memory_map(str(self._path)) as source, pyarrow.ipc.open_file(source, options=options) as reader:
            yield reader

    def frames(self, piece: int, names: Sequence[str]) -> Iterator[Frame]:
        import pyarrow

        with reading(self._who, "an Arrow file"), self._reader(names) as reader:
            table = pyarrow.Table.from_batches([reader.get_batch(piece)]).select(list(names))
            for start in range(0, table.num_rows, BLOCK):
                yield as_frame(table.slice(start, BLOCK), self._who)

    def bounds(self, name: str) -> tuple[float, float] | None:
        return None


def read_stream(path: Path, choice: Choice) -> Frame | None:
    """An Arrow stream as a frame, mapped from the file; None for a file that can be read in pieces."""
    import pyarrow.ipc

    with open(path, "rb") as file:
        if path.suffix.lower() == ".parquet" or file.read(len(_MAGIC)) == _MAGIC:
            return None
    with reading(choice.who, "an Arrow file"), pyarrow.memory_map(str(path)) as source:
        return as_frame(pyarrow.ipc.open_stream(source).read_all(), choice.who)


def need_pyarrow(path: Path) -> None:
    """MissingExtra where pyarrow is not installed."""
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise MissingExtra(
            f"Reading {path} needs pyarrow. Install it with: pip install 'truegrade[tabular]'"
        ) from error


def open_pieces(path: Path, choice: Choice) -> Pieces:
    """The file as pieces. Raises MissingExtra without pyarrow, InputError for a damaged file."""
    need_pyarrow(path)
    return ParquetPieces(path, choice) if path.suffix.lower() == ".parquet" else ArrowPieces(path, choice)


@contextmanager
def reading(who: str, what: str) -> Iterator[None]:
    """Errors of pyarrow as one of ours."""
    import pyarrow

    try:
        yield
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"{who} is not {what}, or it is damaged: {error}") from error


def as_frame(table: Any, who: str) -> Frame:
    try:
        return nw.from_native(table, eager_only=True)
    except nw.exceptions.DuplicateError as error:
        raise InputError(f"{who} has columns of the same name; column names must differ. {error}") from error


@dataclass(frozen=True, eq=False)
class FileStore:
    """Columns of a file that is read anew on every pass, cut to BLOCK rows wherever its pieces end."""

    pieces: Pieces
    kinds: Mapping[str, Kind]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.kinds)

    @property
    def stored(self) -> Mapping[str, Stored]:
        return {name: kind.stored for name, kind in self.kinds.items()}

    @property
    def zones(self) -> Mapping[str, str | None]:
        return {name: kind.zone for name, kind in self.kinds.items()}

    @property
    def declared(self) -> frozenset[str]:
        return frozenset(name for name, kind in self.kinds.items() if kind.declared)

    def __len__(self) -> int:
        return sum(self.pieces.lengths)

    def blocks(self, names: Sequence[str]) -> Iterator[Block]:
        frames = (frame for piece in range(len(self.pieces.lengths)) for frame in self.pieces.frames(piece, names))
        return recut(self._block(frame, names) for frame in frames)

    def take(self, names: Sequence[str], rows: NDArray[np.intp]) -> Block:
        """Reads only the pieces in which some of the rows are."""
        found: list[Block] = []
        start = 0
        for piece, length in enumerate(self.pieces.lengths):
            first, last = np.searchsorted(rows, [start, start + length])
            if first < last:
                found.extend(self._taken(piece, names, rows[first:last] - start))
            start += length
        nothing = self._block(self.pieces.empty, names)
        return {name: np.concatenate([nothing[name], *(block[name] for block in found)]) for name in names}

    def _taken(self, piece: int, names: Sequence[str], rows: NDArray[np.intp]) -> Iterator[Block]:
        start = 0
        for frame in self.pieces.frames(piece, names):
            first, last = np.searchsorted(rows, [start, start + len(frame)])
            if first < last:
                yield self._block(frame[rows[first:last] - start, :], names)
            start += len(frame)
            if last == len(rows):
                return

    def _block(self, frame: Frame, names: Sequence[str]) -> Block:
        return {name: self._values(frame[name], self.kinds[name]) for name in names}

    def _values(self, series: nw.Series[Any], kind: Kind) -> NDArray[Any]:
        values = values_of(series, kind)
        return values.astype(np.float64, copy=False) if kind.stored in ("number", "boolean") else values
