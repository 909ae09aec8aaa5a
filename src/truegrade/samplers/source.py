"""What a sampler is fitted on, column by column, and how drawn rows become an object of the same kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError
from truegrade.tables import MemoryStore, Stored, Table

Rows = NDArray[np.intp]
Floats = NDArray[np.float64]
Picks = Sequence[NDArray[Any]]  # one a column: rows of the data (whole numbers), or new values (floats, NaN is missing)


@dataclass(frozen=True, eq=False)
class Column:
    """One column as samplers see it.

    keys: (N,), what its values are ordered by, NaN where missing: numbers are their own keys, dates microseconds,
    booleans 0 and 1, categories 0, 1, 2 ... from the most frequent to the rarest (ties by text).
    number: whether new values may be made up; whole: whether these have to be whole numbers.
    """

    keys: Floats
    number: bool = False
    whole: bool = False


@dataclass(frozen=True, eq=False)
class Source:
    """The data: their columns, and `build`, which makes an object of the same kind of picks."""

    columns: tuple[Column, ...]
    build: Callable[[Picks], Any]

    def __len__(self) -> int:
        return len(self.columns[0].keys)


def read(data: object, who: str) -> Source:
    """The source of an (n, d) array, a data frame or a Table.

    Raises InputError for anything else, without rows or columns, and for infinite values.
    """
    if isinstance(data, Table):
        source = _table(data, who)
    else:
        frame = _as_frame(data, who)
        source = _array(data, who) if frame is None else _frame(frame)
    if not len(source):
        raise InputError(f"{who} was given no rows; give the rows to learn from.")
    for at, column in enumerate(source.columns):
        if np.isinf(column.keys).any():
            raise InputError(f"{who}: column {at} (counted from 0) holds infinite values; leave out their rows.")
    return source


def _as_frame(data: object, who: str) -> nw.DataFrame[Any] | None:
    try:
        frame = nw.from_native(data, pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            frame = frame.collect()
    except nw.exceptions.DuplicateError as error:
        raise InputError(f"{who} was given columns of the same name; column names must differ. {error}") from error
    return frame if isinstance(frame, nw.DataFrame) else None


def _array(data: object, who: str) -> Source:
    try:
        values = np.asarray(data)
    except ValueError as error:
        raise InputError(f"{who} takes an (n, d) array or a table; given rows differ in length.") from error
    if values.ndim != 2 or not values.shape[1] or values.dtype.kind not in "biuf":
        raise InputError(
            f"{who} takes an (n, d) array of numbers, a data frame or what load_table returns, "
            f"not {type(data).__name__} of shape {values.shape} and type {values.dtype}."
        )
    columns = [_column(values[:, at]) for at in range(values.shape[1])]

    def build(picks: Picks) -> NDArray[Any]:
        parts = [_taken(values[:, at], pick, columns[at]) for at, pick in enumerate(picks)]
        return np.stack(parts, axis=1)

    return Source(tuple(columns), build)


def _table(table: Table, who: str) -> Source:
    """A table, which holds all numbers as floats; what is made of it is a table in memory called `who`."""
    blocks = list(table.store.blocks(table.columns))
    arrays = {name: np.concatenate([block[name] for block in blocks]) for name in table.columns if blocks}
    columns = {name: _stored(values, table.store.stored[name]) for name, values in arrays.items()}

    def build(picks: Picks) -> Table:
        made = {n: _taken(arrays[n], pick, columns[n]) for n, pick in zip(arrays, picks, strict=True)}
        store = MemoryStore(made, table.store.stored, table.store.zones, table.store.declared)
        return Table(store, who, "memory")

    return Source(tuple(columns.values()), build)


def _stored(values: NDArray[Any], stored: Stored) -> Column:
    if stored == "number":
        return Column(values, number=True, whole=_only_whole(values))
    return Column(values) if stored == "boolean" else _column(values)


def _frame(frame: nw.DataFrame[Any]) -> Source:
    if not frame.columns:
        raise InputError("The frame has no columns; give at least one.")
    series = list(frame.iter_columns())
    columns = [_of_series(one) for one in series]

    def build(picks: Picks) -> Any:
        parts = [_series(one, pick, column) for one, pick, column in zip(series, picks, columns, strict=True)]
        return nw.concat(parts, how="horizontal").to_native()

    return Source(tuple(columns), build)


def _series(one: nw.Series[Any], pick: NDArray[Any], column: Column) -> nw.DataFrame[Any]:
    """One column of the new frame; a pandas index is dropped, since frames would be joined by it."""
    if pick.dtype.kind == "i":
        return nw.maybe_reset_index(one.to_frame()[pick])
    values = _rounded(pick, column)
    if one.dtype.is_integer() and not np.isnan(values).any():
        return nw.new_series(one.name, values.astype(np.int64), backend=one.implementation).to_frame()
    return nw.new_series(one.name, values, backend=one.implementation).fill_nan(None).to_frame()


def _taken(values: NDArray[Any], pick: NDArray[Any], column: Column) -> NDArray[Any]:
    if pick.dtype.kind == "i":
        return np.asarray(values[pick])
    return np.asarray(_rounded(pick, column), values.dtype if values.dtype.kind == "f" else np.int64)


def _rounded(values: Floats, column: Column) -> Floats:
    return np.asarray(np.rint(values)) if column.whole else values


def _of_series(one: nw.Series[Any]) -> Column:
    dtype = one.dtype
    missing = one.is_null().to_numpy().astype(bool)
    if dtype.is_numeric():
        values = np.where(missing, np.nan, one.fill_null(0).to_numpy().astype(np.float64))
        gaps = bool(np.isnan(values).any())  # pandas keeps whole numbers with gaps as floats
        return Column(values, number=True, whole=dtype.is_integer() or (gaps and _only_whole(values)))
    if dtype == nw.Boolean:
        return Column(np.where(missing, np.nan, [float(bool(value)) for value in one.fill_null(False).to_list()]))
    if dtype == nw.Datetime or dtype == nw.Date:
        days = one.cast(nw.Datetime("us")).to_numpy().astype("datetime64[us]")
        return _column(np.where(missing, np.datetime64("NaT"), days))
    texts = [None if gone else value for gone, value in zip(missing, one.to_list(), strict=True)]
    return _objects(texts)


def _column(values: NDArray[Any]) -> Column:
    if values.dtype.kind in "iuf":
        return Column(values.astype(np.float64), number=True, whole=values.dtype.kind != "f")
    if values.dtype.kind == "b":
        return Column(values.astype(np.float64))
    if values.dtype.kind == "M":
        micros = values.astype("datetime64[us]")
        return Column(np.where(np.isnat(micros), np.nan, micros.astype(np.int64).astype(np.float64)))
    return _objects(values.tolist())


def _objects(values: Sequence[object]) -> Column:
    """A column of Python objects: dates are ordered by time, all else by how frequent it is."""
    known = [value for value in values if not _is_missing(value)]
    if known and all(isinstance(value, date) and not getattr(value, "tzinfo", None) for value in known):
        return _column(np.array([None if _is_missing(value) else value for value in values], "datetime64[us]"))
    return Column(_frequency_keys(values))


def _only_whole(values: Floats) -> bool:
    known = values[~np.isnan(values)]
    return bool((known == np.rint(known)).all())


def _frequency_keys(values: Sequence[object]) -> Floats:
    """Places of the values in their order from the most frequent to the rarest; NaN for None and NaN."""
    texts = [None if _is_missing(value) else str(value) for value in values]
    counts = Counter(text for text in texts if text is not None)
    place = {text: at for at, text in enumerate(sorted(counts, key=lambda text: (-counts[text], text)))}
    return np.array([np.nan if text is None else place[text] for text in texts], np.float64)


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and value != value)
