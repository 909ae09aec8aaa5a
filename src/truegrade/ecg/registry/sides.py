"""What the metrics read: one side's recordings lead by lead, and two sides that agree in leads and sampling rate.

What a metric knows of single recordings is computed once per lead and sliced for parts of a side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.lacking import lost
from truegrade.errors import InputError
from truegrade.recordings import Recordings
from truegrade.recordings.checking import find_missing
from truegrade.recordings.leads import default_leads

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Given = Recordings | NDArray[Any]
T = TypeVar("T")
_known: WeakKeyDictionary[Recordings, dict[tuple[str, int], Any]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Side:
    """Recordings of one side, or some of them (`rows`)."""

    values: NDArray[Any]
    scale: float
    leads: tuple[str, ...]
    fs: float | None
    units: str | None
    name: str
    rows: Rows
    known: NDArray[np.bool_] | None = None
    _cache: dict[tuple[str, int], Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def length(self) -> int:
        """Samples of a recording."""
        return int(self.values.shape[2])

    def subset(self, rows: Rows) -> Side:
        """Some of these recordings; shares what was computed."""
        cache = self._cache
        return Side(
            self.values, self.scale, self.leads, self.fs, self.units, self.name, self.rows[rows], self.known, cache
        )

    def select(self, leads: Sequence[str]) -> Side:
        """These leads in this order."""
        if tuple(leads) == self.leads:
            return self
        at = [self.leads.index(lead) for lead in leads]
        known = None if self.known is None else self.known[:, at]
        return Side(self.values[:, at], self.scale, tuple(leads), self.fs, self.units, self.name, self.rows, known, {})

    def read(self, lead: int, rows: Rows) -> Floats:
        """(r, T) float64 of one lead, rows of this side."""
        out: Floats = np.asarray(self.values[self.rows[rows], lead], dtype=np.float64)
        return out if self.scale == 1.0 else out * self.scale

    def raw(self, lead: int) -> NDArray[np.floating]:
        """(n, T) of one lead in the precision given."""
        out = self.values[self.rows, lead]
        if out.dtype.kind != "f":
            out = out.astype(np.float64)
        return out if self.scale == 1.0 else np.asarray(out * out.dtype.type(self.scale))

    def alive(self, lead: int) -> NDArray[np.bool_]:
        """(n,): whether the lead is a signal."""
        if self.known is not None:
            return np.asarray(~self.known[self.rows, lead])
        key = ("missing", lead)
        if key not in self._cache:
            self._cache[key] = find_missing(self.values[:, lead : lead + 1])[0][:, 0]
        return np.asarray(~self._cache[key][self.rows])

    def per_record(self, key: str, lead: int, describe: Callable[[Floats], NDArray[Any]]) -> NDArray[Any]:
        """(n, ...) what `describe` says of each recording that has a signal, by blocks; NaN (None) of the others."""
        if (key, lead) not in self._cache:
            self._cache[key, lead] = _describe(self.whole(), lead, describe)
        return np.asarray(self._cache[key, lead][self.rows])

    def whole(self) -> Side:
        """The side that this is a part of."""
        everything = np.arange(len(self.values))
        return Side(
            self.values, self.scale, self.leads, self.fs, self.units, self.name, everything, self.known, self._cache
        )


def _describe(side: Side, lead: int, describe: Callable[[Floats], NDArray[Any]]) -> NDArray[Any]:
    living = np.flatnonzero(side.alive(lead))
    parts = [describe(side.read(lead, living[at : at + 128])) for at in range(0, len(living), 128)]
    if not parts:
        return np.full(len(side), np.nan)
    found = np.concatenate(parts)
    out = np.full((len(side), *found.shape[1:]), None if found.dtype == object else np.nan, dtype=found.dtype)
    out[living] = found
    return out


@dataclass(frozen=True, eq=False)
class Pair:
    """Real and synthetic recordings with the same leads and sampling rate.

    shelf: where pairs that share recordings keep the lead that was read last; None for a pair by itself. whole: of a
    part of the real recordings against another all of them, whose scales are used; else None.
    """

    real: Side
    synthetic: Side
    cache: dict[Any, Any] = field(default_factory=dict)
    shelf: dict[int, Any] | None = None
    whole: Side | None = None

    @property
    def leads(self) -> tuple[str, ...]:
        return self.real.leads

    @property
    def fs(self) -> float | None:
        return self.real.fs

    def lead(self, at: int) -> Lead:
        return Lead(self, at)

    def sampled(self, count: int | None, seed: int) -> Pair:
        """At most `count` recordings of each side, drawn without replacement."""
        if count is None or max(len(self.real), len(self.synthetic)) <= count:
            return self
        rng = np.random.default_rng(seed)
        real, synthetic = (
            side if len(side) <= count else side.subset(np.sort(rng.choice(len(side), count, replace=False)))
            for side in (self.real, self.synthetic)
        )
        return Pair(real, synthetic, whole=self.whole)


@dataclass(frozen=True, eq=False)
class Lead:
    """One lead of both sides; x and y are the recordings that have a signal there."""

    pair: Pair
    at: int

    @cached_property
    def x_rows(self) -> Rows:
        return np.flatnonzero(self.pair.real.alive(self.at))

    @cached_property
    def y_rows(self) -> Rows:
        return np.flatnonzero(self.pair.synthetic.alive(self.at))

    @property
    def n(self) -> int:
        return len(self.x_rows)

    @property
    def m(self) -> int:
        return len(self.y_rows)

    @property
    def total(self) -> int:
        """Synthetic recordings, those without a signal in this lead included."""
        return len(self.pair.synthetic)

    @property
    def share(self) -> float:
        """Share of the synthetic recordings that have a signal in this lead."""
        return self.m / self.total

    @property
    def lost(self) -> str:
        """Why its synthetic recordings do not speak for all, see `truegrade.ecg.lacking.lost`; "" where they do."""
        total = len(self.pair.real)
        return lost((self.total - self.m, self.total), (total - self.n, total))

    def each(self, key: str, describe: Callable[[Floats], NDArray[Any]]) -> tuple[NDArray[Any], NDArray[Any]]:
        """What `describe` says of each x and each y."""
        real, synthetic = self.pair.real, self.pair.synthetic
        return (
            real.per_record(key, self.at, describe)[self.x_rows],
            synthetic.per_record(key, self.at, describe)[self.y_rows],
        )

    def scale(self, key: str, describe: Callable[[Floats], NDArray[Any]]) -> NDArray[Any]:
        """What `describe` says of each real recording from which scales are taken."""
        side = self.pair.whole or self.pair.real
        return side.per_record(key, self.at, describe)[side.alive(self.at)]

    def once(self, key: str, make: Callable[[], T]) -> T:
        """make(), remembered as long as the pair lives."""
        if (key, self.at) not in self.pair.cache:
            self.pair.cache[key, self.at] = make()
        found: T = self.pair.cache[key, self.at]
        return found


def pair_of(real: Given, synthetic: Given, lead_names: Sequence[str] | None, fs: float | None) -> Pair:
    """Both sides of a metric. Raises InputError where they are no recordings or do not agree."""
    one, other = (_side(given, lead_names, fs, name) for given, name in ((real, "real"), (synthetic, "synthetic")))
    if len(one.leads) != len(other.leads):
        raise InputError(f"The real recordings have {len(one.leads)} leads, the synthetic ones {len(other.leads)}.")
    if set(one.leads) != set(other.leads):
        raise InputError(
            f"The real recordings have the leads {', '.join(one.leads)[:120]}, the synthetic ones "
            f"{', '.join(other.leads)[:120]}; the same leads are needed on both sides."
        )
    if None not in (one.fs, other.fs) and one.fs != other.fs:
        raise InputError(f"The real recordings have {one.fs:g} Hz, the synthetic ones {other.fs:g} Hz; resample one.")
    if one.units != other.units:
        known = "real" if one.units else "synthetic"
        raise InputError(f"Only of the {known} recordings the units are known; say units= of both, or of neither.")
    if one.fs is None or other.fs is None:
        one, other = (_at_rate(side, one.fs or other.fs) for side in (one, other))
    return Pair(one, other.select(one.leads))


def side_of(recordings: Recordings, name: str) -> Side:
    """All recordings as a side; what is known of single ones is remembered as long as the recordings live."""
    r = recordings
    cache = _known.setdefault(r, {})
    return Side(r.values, r.scale, r.leads, r.fs, r.units, name, np.arange(len(r)), r.missing, cache)


def _side(given: Given, lead_names: Sequence[str] | None, fs: float | None, name: str) -> Side:
    if isinstance(given, Recordings):
        if fs is not None and given.fs not in (None, fs):
            raise InputError(f"fs={fs:g} given, and the {name} recordings have {given.fs:g} Hz.")
        return _at_rate(side_of(given, name), given.fs or fs)
    array = np.asarray(given)
    if array.ndim != 3 or array.dtype.kind not in "iuf" or min(array.shape) == 0 or array.shape[2] < 2:
        raise InputError(
            f"The {name} recordings are of the shape {array.shape} and the type {array.dtype}; numbers of the shape "
            "(recordings, leads, samples) are accepted, or Recordings."
        )
    array = array.astype(np.float32) if array.dtype == np.float16 else array
    leads = tuple(map(str, lead_names)) if lead_names is not None else default_leads(array.shape[1])
    if len(leads) != array.shape[1] or len(set(leads)) != len(leads):
        raise InputError(
            f"lead_names={', '.join(leads)[:120]} given for {array.shape[1]} leads; one name each is accepted, "
            "all different."
        )
    return Side(array, 1.0, leads, fs, None, name, np.arange(len(array)))


def _at_rate(side: Side, fs: float | None) -> Side:
    if fs == side.fs:
        return side
    return Side(side.values, side.scale, side.leads, fs, side.units, side.name, side.rows, side.known)
