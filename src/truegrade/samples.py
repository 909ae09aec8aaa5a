"""Samples: the validated data of one side, and the only door through which data comes in.

Validation of values happens here and nowhere else. `truegrade.load` turns files and foreign objects into
arrays and calls this; the engine only ever sees `Samples`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError, Notice, notice
from truegrade.rows import ArrayRows, MappedRows, Rows, as_array, as_floats, check_pixels, conversion, size_text
from truegrade.scan import Summary, scan
from truegrade.space import Pictures, Space, differences, differing

__all__ = ["SUMS_OFF", "ArrayRows", "Kind", "MappedRows", "Rows", "Samples", "align", "check_pair", "label_text"]

Kind = Literal["vectors"]
PerRow = Sequence[object] | NDArray[Any]
SUMS_OFF = 1e-3  # by which the class probabilities of a sample may miss the sum 1
_ROWS_PER_BLOCK = 4096


@dataclass(frozen=True, eq=False)
class Samples:
    """Validated samples of one side.

    Attributes:
        rows: the values, n rows by d columns, float32 or float64, all finite.
        name: what to call this set in results.
        source: where the data came from (a path, or "memory").
        summary: what one pass over the values found (fingerprint, mean, spread, ranges).
        kind: what the rows are; "vectors" is the only kind so far.
        ids, labels: one per row, or None.
        columns: column names, all different, or None.
        pixels: height, width and perhaps channels (last), where each row is an image; else None.
        probabilities: of each sample the probabilities of c classes, (n, c), or None.
        space: what made the rows of images or of a table, or None. pictures: how to look at those images.
        table: the table that the rows were encoded from (see `truegrade.tabular`), or None; a subset has none.
        ecg: the recordings that the rows are features of (see `truegrade.ecg`), or None; a subset has none.
        groups: of each sample what it belongs to, such as a patient, or None: floors never split a group.
        notices: what was noted while reading (conversions).
    """

    rows: Rows
    name: str
    source: str
    summary: Summary
    kind: Kind = "vectors"
    ids: NDArray[Any] | None = None
    labels: NDArray[Any] | None = None
    columns: tuple[str, ...] | None = None
    pixels: tuple[int, ...] | None = None
    probabilities: NDArray[np.floating] | None = None
    space: Space | None = None
    pictures: Pictures | None = None
    table: Any = None
    ecg: Any = None
    groups: NDArray[Any] | None = None
    notices: tuple[Notice, ...] = field(default=())

    @property
    def n(self) -> int:
        return self.rows.shape[0]

    @property
    def d(self) -> int:
        return self.rows.shape[1]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.rows.dtype

    @property
    def fingerprint(self) -> str:
        """Hash of shape, dtype and values: equal content has equal fingerprints, wherever it is kept.

        It describes the values at the time they were validated, so do not change an array that was handed in
        until its evaluation is done: C-contiguous float32 and float64 arrays are used as they are.
        """
        return self.summary.fingerprint

    @property
    def spread(self) -> float:
        """Root mean square distance of the rows from their mean, in the unit of the data."""
        return self.summary.spread

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return f"Samples({self.name!r}, {self.n} x {self.d} {self.dtype}, from {self.source})"

    def array(self) -> NDArray[np.floating]:
        """All values, (n, d), not to be written to; reads the whole file when the rows are on disk."""
        return self.rows.read(0, self.n)

    def blocks(self, size: int = _ROWS_PER_BLOCK) -> Iterator[NDArray[np.floating]]:
        """The values block by block, in order, `size` rows each; do not write to them."""
        for start in range(0, self.n, size):
            yield self.rows.read(start, min(start + size, self.n))

    def subset(self, rows: NDArray[np.intp] | NDArray[np.bool_], name: str | None = None) -> Samples:
        """The given rows as samples of their own, in memory, with their own fingerprint.

        `rows` are indices from 0, or a boolean mask of length n. Raises IndexError for rows outside 0..n-1.
        """
        mask = np.asarray(rows).dtype == bool
        index = np.flatnonzero(rows) if mask else np.asarray(rows, dtype=np.intp)
        if index.size and (index.min() < 0 or index.max() >= self.n):
            raise IndexError(f"rows {index.min()} to {index.max()} asked of {self.n} samples")
        return replace(
            Samples.from_array(self.rows.take(index), name=name or self.name, source=self.source),
            ids=None if self.ids is None else self.ids[index],
            labels=None if self.labels is None else self.labels[index],
            columns=self.columns,
            pixels=self.pixels,
            probabilities=None if self.probabilities is None else self.probabilities[index],
            space=self.space,
            pictures=None if self.pictures is None else self.pictures.subset(index),
            groups=None if self.groups is None else self.groups[index],
            notices=self.notices,
        )

    def as_images(self, pixels: Sequence[int]) -> Samples:
        """The same samples, each row an image of `pixels`: (height, width) or (height, width, channels).

        Raises InputError where that is another number of values than a row has.
        """
        return replace(self, pixels=check_pixels(pixels, self.d, self.name))

    @staticmethod
    def from_array(
        values: object,
        *,
        name: str = "samples",
        source: str = "memory",
        ids: PerRow | None = None,
        labels: PerRow | None = None,
        columns: Sequence[str] | None = None,
        pixels: Sequence[int] | None = None,
    ) -> Samples:
        """Validate an array (or anything numpy can turn into one) of shape (n, d).

        With `pixels`, (height, width) or (height, width, channels), each row is an image, and arrays of shape
        (n, height, width) or (n, height, width, channels) are accepted too.

        Integers, booleans and float16 are converted, to float32 when that is exact and to float64 otherwise;
        float32 and float64 stay what they are, C-contiguous ones without a copy.
        Raises InputError for another number of dimensions, for text, objects, records, dates and complex
        numbers, for NaN, infinity and masked values, for an empty set, for values beyond 1e40 (or all below
        1e-40), and for integers beyond 2^53.
        """
        array = as_array(values, name, pixels)
        floats = as_floats(array, name)
        samples = Samples.from_rows(
            ArrayRows(floats),
            name=name,
            source=source,
            ids=ids,
            labels=labels,
            columns=columns,
            notices=conversion(array.dtype, floats.dtype, name),
        )
        return samples if pixels is None else samples.as_images(pixels)

    @staticmethod
    def from_rows(
        rows: Rows,
        *,
        name: str,
        source: str,
        ids: PerRow | None = None,
        labels: PerRow | None = None,
        columns: Sequence[str] | None = None,
        notices: tuple[Notice, ...] = (),
    ) -> Samples:
        """Validate rows that are read by blocks, in one pass. Raises InputError as `from_array` does."""
        n, d = rows.shape
        if n == 0 or d == 0:
            raise InputError(
                f"{name} is empty (shape {n} x {d}). Give at least 2 rows (samples) and 1 column (feature)."
            )
        names = _column_names(columns, d, name)
        return Samples(
            rows=rows,
            name=name,
            source=source,
            summary=scan(rows, name if source == "memory" else f"{name} ({source})", names),
            ids=per_row(ids, n, "ids", name),
            labels=per_row(labels, n, "labels", name),
            columns=names,
            notices=notices,
        )


def check_pair(real: Samples, synthetic: Samples) -> tuple[Notice, ...]:
    """Refuse two sets that cannot be compared; note what makes their comparison doubtful.

    Sets with named columns go through `align` first.
    """
    for side, samples in (("real", real), ("synthetic", synthetic)):
        if samples.n < 2:
            raise InputError(
                f"The {side} set ({samples.name}) has {samples.n} sample; at least 2 are needed on each side."
            )
    _refuse_other_space(real, synthetic)
    if real.d != synthetic.d:
        turned = " Or are rows features here? Then transpose both." if real.n == synthetic.n else ""
        raise InputError(
            f"Real samples have {real.d} features, synthetic samples ({synthetic.name}) have {synthetic.d}. "
            f"Both sets must come from the same feature space; recompute one of them.{turned}"
        )
    if real.pixels and synthetic.pixels and real.pixels != synthetic.pixels:
        raise InputError(
            f"Real samples are images of {size_text(real.pixels)} pixels, synthetic samples ({synthetic.name}) of "
            f"{size_text(synthetic.pixels)}; give both the same."
        )
    if real.columns and synthetic.columns and real.columns != synthetic.columns:
        _refuse_other_names(real, synthetic)
        raise InputError(f"The columns of {synthetic.name} are in another order; align() matches them by name.")
    return tuple(dict.fromkeys([*real.notices, *synthetic.notices, *_doubts(real, synthetic)]))


def _refuse_other_space(real: Samples, synthetic: Samples) -> None:
    ours, theirs = real.space, synthetic.space
    if ours is not None and theirs is not None and ours.embedder != theirs.embedder:
        raise InputError(
            f"Real samples were embedded by {ours.name}, synthetic samples ({synthetic.name}) by {theirs.name}, and "
            f"they differ in {', '.join(differing(ours.embedder, theirs.embedder))}; embed both in the same way."
        )


def _doubts(real: Samples, synthetic: Samples) -> Iterator[Notice]:
    n, m, d = real.n, synthetic.n, real.d
    if real.space is None and _looks_transposed(n, m, d):
        yield notice("transposed", n=n, m=m, d=d)
    if (real.space is None) != (synthetic.space is None):
        known, other = (real, "synthetic") if synthetic.space is None else (synthetic, "real")
        assert known.space is not None
        yield notice("space_unknown", side=other, space=known.space.name)
    if real.space is not None and synthetic.space is not None:
        for what, ours, theirs in differences(real.space.images, synthetic.space.images):
            yield notice("images_differ", what=what, real=ours, synthetic=theirs)
    for side, size in (("real", n), ("synthetic", m)):
        if size < 500:
            yield notice("few_samples", n=size, side=side)
    if m > 2 * n or n > 2 * m:
        yield notice("unequal_sizes", n=n, m=m)
    if real.spread > 0 and not 0.05 <= synthetic.spread / real.spread <= 20:
        yield notice("scale_mismatch", ratio=synthetic.spread / real.spread)
    low, high = real.summary.lowest, real.summary.highest
    same = (low == high) & (low == synthetic.summary.lowest) & (high == synthetic.summary.highest)
    if same.any() and real.table is None:  # of tables each column says so itself
        yield notice("constant_columns", count=int(same.sum()), d=d)


def _looks_transposed(n: int, m: int, d: int) -> bool:
    """More columns than rows by far; or rows in the number of a usual feature width and columns not."""
    wide = d >= 10 * max(n, m)
    widths = n == m < d and n % 64 == 0 and d % 64 != 0
    return wide or widths


def align(real: Samples, synthetic: Samples) -> Samples:
    """`synthetic` with its columns in the order of `real`, matched by name, with a note if that moved any.

    Unchanged where one of the two has no column names. Raises InputError that lists the difference where the
    names are not the same set.
    """
    if not real.columns or not synthetic.columns or real.columns == synthetic.columns:
        return synthetic
    _refuse_other_names(real, synthetic)
    order = [synthetic.columns.index(name) for name in real.columns]
    moved = replace(
        Samples.from_array(synthetic.array()[:, order], name=synthetic.name, source=synthetic.source),
        ids=synthetic.ids,
        labels=synthetic.labels,
        columns=real.columns,
        pixels=synthetic.pixels,
        probabilities=synthetic.probabilities,
        space=synthetic.space,
        pictures=synthetic.pictures,
        groups=synthetic.groups,
    )
    return replace(moved, notices=(*synthetic.notices, notice("columns_reordered", side=synthetic.name)))


def _refuse_other_names(real: Samples, synthetic: Samples) -> None:
    ours, theirs = real.columns or (), synthetic.columns or ()
    missing = [repr(c) for c in ours if c not in set(theirs)]
    extra = [repr(c) for c in theirs if c not in set(ours)]
    if missing or extra:
        parts = [
            f"{what} {', '.join(names[:10])}{f' and {len(names) - 10} more' if len(names) > 10 else ''}"
            for what, names in (("it lacks", missing), ("it alone has", extra))
            if names
        ]
        raise InputError(
            f"The columns of {synthetic.name} are not those of {real.name}: {'; '.join(parts)}. "
            "Give both sides the same columns, or choose some: load(..., columns=[...]), --columns, or frame[[...]]."
        )


def _column_names(columns: Sequence[str] | None, d: int, who: str) -> tuple[str, ...] | None:
    if columns is None:
        return None
    names = tuple(str(c) for c in columns)
    if len(names) != d:
        raise InputError(f"{who} has {d} columns but {len(names)} column names; give one per column.")
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1] if len(set(names)) < d else []
    if twice:
        raise InputError(f"{who} has more than one column named {twice[0]!r}; column names must differ.")
    return names


def per_row(values: PerRow | None, n: int, what: str, who: str) -> NDArray[Any] | None:
    if values is None:
        return None
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InputError(f"The {what} of {who} are no plain list: {error}.") from error
    if array.shape != (n,):
        raise InputError(f"{who} has {n} rows but {what} of shape {array.shape}; give one per row.")
    missing = [i for i, v in enumerate(array) if _is_missing(v)] if array.dtype.kind in "OfMm" else []
    if missing:
        where = f"first in row {missing[0]} (from 0)"
        raise InputError(f"{who} has {len(missing)} missing {what}, {where}. Name them or drop those rows.")
    return array.astype(str) if array.dtype.kind == "O" else array


def _is_missing(value: object) -> bool:
    return value is None or (not isinstance(value, str) and str(value) in ("nan", "NaT", "<NA>"))


def label_text(value: object) -> str:
    """A label as text; whole numbers are the same label as an integer, a float or their text: 3, 3.0, "3", "3.0"."""
    text = str(value)
    whole, _, rest = text.partition(".")
    return whole if rest and not rest.strip("0") and whole.lstrip("-").isdecimal() else text
