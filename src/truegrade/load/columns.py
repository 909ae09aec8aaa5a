"""Columns of data frames, of any library, as the arrays that tables hold: numbers, truth values, texts, dates."""

from __future__ import annotations

import datetime
import decimal
import numbers
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from truegrade.tables import Stored
from truegrade.tables.texts import number_text

_WIDEST = 2**53  # beyond it float64 skips whole numbers
_TRUTH = (bool, np.bool_)
_DATE = (datetime.date, np.datetime64)  # of which datetime.datetime is one


@dataclass(frozen=True)
class Kind:
    """How a column is held.

    zone: of dates. declared: the source calls it a category. whole: an integer type, whose values cannot be infinite.
    wide: whole numbers that float64 cannot tell apart, held as text. foreign: Python objects.
    """

    stored: Stored
    zone: str | None = None
    declared: bool = False
    whole: bool = False
    wide: bool = False
    foreign: bool = False


def kind_of(series: nw.Series[Any]) -> Kind | None:
    """How the column is held, None for what is none of the four (lists, structs, bytes, times of day ...)."""
    dtype = series.dtype
    if dtype == nw.Boolean:
        return Kind("boolean")
    if dtype.is_integer():
        return Kind("text", whole=True, wide=True) if is_wide(series) else Kind("number", whole=True)
    if dtype.is_numeric() or dtype == nw.Duration:
        return Kind("number")
    if dtype == nw.String:
        return Kind("text")
    if dtype in (nw.Categorical, nw.Enum):
        return Kind("text", declared=True)
    if dtype == nw.Date:
        return Kind("date")
    if isinstance(dtype, nw.Datetime):
        return Kind("date", zone=dtype.time_zone)
    if dtype == nw.Unknown and series.is_null().all():
        return Kind("number")
    return _kind_of_objects(series.to_list()) if dtype == nw.Object else None


def is_wide(series: nw.Series[Any]) -> bool:
    """Whether some whole number is beyond 2^53."""
    present = series.drop_nulls()
    return len(present) > 0 and max(abs(int(present.min())), abs(int(present.max()))) > _WIDEST


def values_of(series: nw.Series[Any], kind: Kind) -> NDArray[Any]:
    """The column as a table holds it; numbers in the type they have, where they need not be NaN."""
    if kind.foreign:
        return _of_objects(series.to_list(), kind)
    if kind.stored == "text":
        return _texts(series)
    if kind.stored == "date":
        return _dates(series)
    if series.dtype == nw.Unknown:
        return np.full(len(series), np.nan)
    if series.dtype == nw.Duration:
        return _seconds(series)
    if series.is_null().any() or series.dtype in (nw.Decimal, nw.Int128, nw.UInt128):
        series = (series.cast(nw.Int8) if series.dtype == nw.Boolean else series).cast(nw.Float64)
    return series.to_numpy()


def _texts(series: nw.Series[Any]) -> NDArray[Any]:
    if series.implementation.is_pyarrow() and not series.dtype.is_integer():
        return _words(series.to_native())
    gaps = series.is_null().to_numpy()
    if series.dtype != nw.String:
        series = series.cast(nw.String)
    texts = np.array(series.to_numpy(), dtype=object)
    texts[gaps] = None
    return texts


def _words(column: Any) -> NDArray[Any]:
    """Texts of pyarrow; equal ones of a chunk are one object, which is much faster than one object each."""
    parts = [np.empty(0, dtype=object)]
    for chunk in column.chunks:
        encoded = chunk if hasattr(chunk, "indices") else chunk.dictionary_encode()
        values = [None if value is None else _text(value) for value in encoded.dictionary.to_pylist()]
        words = np.array([*values, None], dtype=object)
        parts.append(words[encoded.indices.fill_null(len(values)).to_numpy(zero_copy_only=False)])
    return np.concatenate(parts)


def _dates(series: nw.Series[Any]) -> NDArray[Any]:
    dtype = series.dtype
    if isinstance(dtype, nw.Datetime) and dtype.time_zone is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    values = series.to_numpy()
    return _of_objects(values, Kind("date")) if values.dtype == object else values.astype("datetime64[us]")


def _seconds(series: nw.Series[Any]) -> NDArray[np.float64]:
    spans = series.to_numpy().astype("timedelta64[us]")
    seconds = spans.astype(np.int64) / 1e6
    seconds[np.isnat(spans)] = np.nan
    return seconds


def _kind_of_objects(values: Iterable[object]) -> Kind | None:
    """What a column of Python objects holds; numbers, texts and truth values mixed are texts."""
    present = [value for value in values if not _is_gap(value)]
    if not present:
        return Kind("number", foreign=True)
    if all(isinstance(value, _TRUTH) for value in present):
        return Kind("boolean", foreign=True)
    if all(isinstance(value, numbers.Real | decimal.Decimal) for value in present):
        wide = any(isinstance(value, numbers.Integral) and abs(int(value)) > _WIDEST for value in present)
        return Kind("text" if wide else "number", wide=wide, foreign=True)
    if all(isinstance(value, _DATE) for value in present):
        zones = {str(getattr(value, "tzinfo", None) or "") for value in present}
        zone = "several zones" if len(zones) > 1 else next(iter(zones)) or None
        return Kind("date", zone=zone, foreign=True)
    scalars = (str, numbers.Real, decimal.Decimal, *_TRUTH, *_DATE)
    return Kind("text", foreign=True) if all(isinstance(value, scalars) for value in present) else None


def _is_gap(value: object) -> bool:
    """None, NaN, NaT and the marks of other libraries: what does not equal itself, or will not say."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _of_objects(values: Iterable[Any], kind: Kind) -> NDArray[Any]:
    present = [None if _is_gap(value) else value for value in values]
    if kind.stored == "date":
        return np.array([None if value is None else _moment(value) for value in present], dtype="datetime64[us]")
    if kind.stored == "text":
        texts = np.empty(len(present), dtype=object)
        texts[:] = [None if value is None else _text(value) for value in present]
        return texts
    return np.array([np.nan if value is None else float(value) for value in present], dtype=np.float64)


def _moment(value: Any) -> Any:
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.UTC).replace(tzinfo=None)
    return value


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, _TRUTH):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    return number_text(float(value)) if isinstance(value, numbers.Real) else str(value)
