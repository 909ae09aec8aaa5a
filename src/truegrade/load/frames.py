"""Data frames of any library (pandas, polars, pyarrow ...) through narwhals; an index is never a feature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError, Notice, notice
from truegrade.load.choice import Choice, given_names, refuse_text, split_columns
from truegrade.rows import ArrayRows, as_floats
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
    split = split_columns(names, choice, _stored_index(frame))
    refuse_text(choice, {names[i]: _example(series[i]) for i in split.values if not _is_number(series[i])})
    arrays = [_floats(series[i], f"column {names[i]!r} of {choice.who}") for i in split.values]
    values = np.empty((len(frame), len(arrays)), np.result_type(np.float32, *arrays))
    for at, array in enumerate(arrays):
        values[:, at] = array
    return Samples.from_rows(
        ArrayRows(values),
        name=choice.name,
        source=choice.source,
        labels=choice.labels if split.labels is None else _plain(series[split.labels]),
        ids=choice.ids if split.ids is None else _plain(series[split.ids]),
        columns=given_names([names[i] for i in split.values]),
        notices=_converted([series[i] for i in split.values], values.dtype, choice.name),
    )


def _stored_index(frame: Frame) -> tuple[str, ...]:
    """Columns in which a pyarrow table or a .parquet file keeps the index of a pandas frame."""
    schema = getattr(nw.to_native(frame), "schema", None)
    stored = getattr(schema, "pandas_metadata", None) or {}
    return tuple(name for name in stored.get("index_columns", ()) if isinstance(name, str))


def _is_number(series: nw.Series[Any]) -> bool:
    return series.dtype.is_numeric() or series.dtype == nw.Boolean


def _example(series: nw.Series[Any]) -> object:
    present = series.drop_nulls().head(1).to_list()
    return present[0] if present else "nothing but missing values"


def _plain(series: nw.Series[Any]) -> NDArray[Any]:
    """Labels or ids; text where the column is not numeric, so that all frame libraries agree."""
    if series.dtype.is_numeric() and not series.is_null().any():
        return series.to_numpy()
    return np.array(series.to_list(), dtype=object)


def _floats(series: nw.Series[Any], who: str) -> NDArray[np.floating]:
    """One column as float32 or float64, missing values as NaN."""
    if series.is_null().any():
        boolean = series.dtype == nw.Boolean
        series = (series.cast(nw.Int8) if boolean else series).cast(nw.Float64)
    array = series.to_numpy()
    if array.dtype.kind not in "fiub":
        array = series.cast(nw.Float64).to_numpy()
    return as_floats(array, who)


def _converted(series: Sequence[nw.Series[Any]], to: np.dtype[Any], name: str) -> tuple[Notice, ...]:
    others = [str(s.dtype) for s in series if not s.dtype.is_float()]
    if not others:
        return ()
    what = f"{' and '.join(sorted(set(others)))} in {len(others)} of {len(series)} columns"
    return (notice("converted", side=name, dtype=what, to=to),)
