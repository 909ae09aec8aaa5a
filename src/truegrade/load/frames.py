"""Data frames of any library (pandas, polars, pyarrow ...) through narwhals; an index is never a feature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError, Notice, notice
from truegrade.load.choice import Choice, given_names, refuse_text, split_columns
from truegrade.rows import ArrayRows, as_floats, refuse_integer
from truegrade.samples import Samples

Frame = nw.DataFrame[Any]


def as_frame(obj: object, who: str) -> Frame | None:
    """`obj` as an eager narwhals frame (lazy ones are collected), or None when it is no data frame."""
    try:
        frame = nw.from_native(obj, pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            return frame.collect()
    except nw.exceptions.DuplicateError as error:
        raise InputError(f"{who} has columns of the same name; column names must differ. {error}") from error
    return frame if isinstance(frame, nw.DataFrame) else None


def load_frame(frame: Frame, choice: Choice) -> Samples:
    """Samples of the numeric and boolean columns of a frame, n rows by d chosen columns.

    float32 when every column fits it, else float64. Raises InputError for columns of text, dates or lists
    (all are listed), for missing values (row and column are named), and for unknown columns.
    """
    choice.refuse_key()
    series = list(frame.iter_columns())
    names = [str(name) for name in frame.columns]
    split = split_columns(names, choice, stored_index(frame))
    refuse_text(choice, {names[i]: _example(series[i]) for i in split.values if not _is_number(series[i])})
    whose = {i: f"column {names[i]!r} of {choice.who}" for i in split.values}
    raw = [_numbers(series[i], who) for i, who in whose.items()]
    floats = [as_floats(array, who) for array, who in zip(raw, whose.values(), strict=True)]
    values = np.empty((len(frame), len(floats)), np.result_type(np.float32, *floats))
    for at, array in enumerate(floats):
        values[:, at] = array
    return Samples.from_rows(
        ArrayRows(values),
        name=choice.name,
        source=choice.source,
        labels=choice.labels if split.labels is None else plain(series[split.labels]),
        ids=choice.ids if split.ids is None else plain(series[split.ids]),
        columns=given_names([names[i] for i in split.values]),
        notices=_converted(raw, values.dtype, choice.name),
    )


def stored_index(frame: Frame) -> tuple[str, ...]:
    """Columns in which a pyarrow table or a .parquet file keeps the index of a pandas frame."""
    schema = getattr(nw.to_native(frame), "schema", None)
    stored = getattr(schema, "pandas_metadata", None) or {}
    return tuple(name for name in stored.get("index_columns", ()) if isinstance(name, str))


def _is_number(series: nw.Series[Any]) -> bool:
    return series.dtype.is_numeric() or series.dtype == nw.Boolean


def _example(series: nw.Series[Any]) -> object:
    present = series.drop_nulls().head(1).to_list()
    return present[0] if present else None


def plain(series: nw.Series[Any]) -> NDArray[Any]:
    """Labels or ids; text where the column is not numeric, so that all frame libraries agree."""
    if series.dtype.is_numeric() and not series.is_null().any():
        return series.to_numpy()
    return np.array(series.to_list(), dtype=object)


def _numbers(series: nw.Series[Any], who: str) -> NDArray[Any]:
    """One column in the nearest type of numpy, missing values as NaN."""
    wide = series.dtype in (nw.Int128, nw.UInt128)
    present = series.drop_nulls()
    if wide and len(present):
        refuse_integer(max(abs(int(present.min())), abs(int(present.max()))), who)
    if series.is_null().any() or wide or series.dtype == nw.Decimal:
        boolean = series.dtype == nw.Boolean
        series = (series.cast(nw.Int8) if boolean else series).cast(nw.Float64)
    return series.to_numpy()


def _converted(raw: Sequence[NDArray[Any]], to: np.dtype[Any], name: str) -> tuple[Notice, ...]:
    others = [str(a.dtype) for a in raw if a.dtype not in (np.float32, np.float64)]
    if not others:
        return ()
    what = f"{' and '.join(sorted(set(others)))} in {len(others)} of {len(raw)} columns"
    return (notice("converted", side=name, dtype=what, to=to),)
