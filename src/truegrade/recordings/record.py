"""Recordings: the validated ECG recordings of one side, as (record, lead, time)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError, Notice
from truegrade.recordings.leads import canonical
from truegrade.tables.naming import quoted, shown

BLOCK = 64  # recordings that are held as float64 at once


@dataclass(frozen=True, eq=False, repr=False)
class Recordings:
    """ECG recordings of one side.

    Attributes:
        values: (N, L, T) as they were given: integers or floats, in memory or a memory map; never written to.
        leads: names of the L leads, all different, in the usual spelling.
        fs: sampling rate in Hz, None where nobody said it.
        units: what `values` * `scale` is in: "mV", or None where nobody said it.
        scale: factor from `values` to millivolts (1 where the units are not known).
        name, source: what to call the set; a path or "memory".
        missing: (N, L), true where a lead of a record is no signal: constant, or with a NaN or an infinity.
        broken: (N, L), true where a lead has a NaN or an infinity (a part of `missing`).
        ids: of each record, such as its file; patients: whose record it is; labels: its class. (N,) or None.
        leads_named: whether somebody named the leads, or they are only the usual order.
        fingerprint: hash of shape, dtype, values, leads, fs and units.
        notices: what was noted while reading.
    """

    values: NDArray[Any]
    leads: tuple[str, ...]
    fs: float | None
    units: str | None
    scale: float
    name: str
    source: str
    missing: NDArray[np.bool_]
    broken: NDArray[np.bool_]
    fingerprint: str
    ids: NDArray[Any] | None = None
    patients: NDArray[Any] | None = None
    labels: NDArray[Any] | None = None
    leads_named: bool = False
    notices: tuple[Notice, ...] = field(default=())

    def __len__(self) -> int:
        return int(self.values.shape[0])

    def __repr__(self) -> str:
        rate = "fs unknown" if self.fs is None else f"{self.fs:g} Hz"
        shape = " x ".join(map(str, self.values.shape))
        return f"Recordings({quoted(self.name)}, {shape}, {rate}, {self.units or 'units unknown'})"

    @property
    def n(self) -> int:
        return len(self)

    @property
    def length(self) -> int:
        """Samples of a recording, T."""
        return int(self.values.shape[2])

    @property
    def lead_names(self) -> list[str]:
        """The leads as a list."""
        return list(self.leads)

    @cached_property
    def data(self) -> NDArray[np.floating]:
        """All values (N, L, T) in memory, as floats in millivolts (in the units given where not known): float64
        of integers, else in the precision given. NaN stays NaN."""
        single = self.values.dtype.kind == "f" and self.values.dtype.itemsize == 4
        dtype = np.dtype(np.float32 if single else np.float64)
        values: NDArray[np.floating] = np.asarray(self.values, dtype=dtype)
        scaled: NDArray[np.floating] = values * dtype.type(self.scale)  # in the precision of the values
        return scaled

    def lead(self, name: str) -> NDArray[np.float64]:
        """One lead of all recordings, (N, T) float64 in millivolts. Raises InputError for a lead there is not."""
        return np.asarray(self.values[:, self._at(name), :], dtype=np.float64) * self.scale

    def _at(self, lead: str) -> int:
        """The number of a lead, by its name in any spelling."""
        name = lead if lead in self.leads else canonical(lead)
        if name not in self.leads:
            has = shown(", ".join(self.leads), 200)
            raise InputError(f"{shown(self.name)} has no lead {quoted(lead)}; it has {has}.")
        return self.leads.index(name)

    def read(self, start: int, stop: int) -> NDArray[np.float64]:
        """Recordings start to stop, (b, L, T) float64 in millivolts."""
        return np.asarray(self.values[start:stop], dtype=np.float64) * self.scale

    def blocks(self, size: int = BLOCK) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """(first record, values) block by block, as `read` gives them."""
        for start in range(0, len(self), size):
            yield start, self.read(start, min(start + size, len(self)))

    def record_name(self, row: int) -> str:
        """What to call a recording in a message: its id, else its number from 0."""
        return f"recording {row}" if self.ids is None else str(self.ids[row])

    def subset(self, rows: NDArray[Any], name: str | None = None) -> Recordings:
        """The given recordings (indices or a mask) as a set of their own, with a fingerprint of their own."""
        from truegrade.recordings.checking import fingerprint_of

        index = np.flatnonzero(rows) if np.asarray(rows).dtype == bool else np.asarray(rows, dtype=np.intp)

        def of(values: NDArray[Any] | None) -> NDArray[Any] | None:
            return None if values is None else values[index]

        kept = replace(
            self,
            values=self.values[index],
            missing=self.missing[index],
            broken=self.broken[index],
            ids=of(self.ids),
            patients=of(self.patients),
            labels=of(self.labels),
            name=name or self.name,
        )
        return replace(kept, fingerprint=fingerprint_of(kept))

    def select_leads(self, leads: Sequence[str]) -> Recordings:
        """The named leads alone, in this order. Raises InputError for a lead there is not, or given twice."""
        from truegrade.recordings.checking import fingerprint_of

        if tuple(leads) == self.leads:
            return self
        at = [self._at(lead) for lead in leads]
        if not at or len(set(at)) < len(at):
            raise InputError(f"leads={shown(repr(leads), 200)} given; one or more different leads are accepted.")
        kept = replace(
            self,
            values=self.values[:, at, :],
            leads=tuple(self.leads[one] for one in at),
            missing=self.missing[:, at],
            broken=self.broken[:, at],
        )
        return replace(kept, fingerprint=fingerprint_of(kept))

    def resampled(self, hz: float) -> Recordings:
        """At another sampling rate, in mV, in memory; low-pass filtered where the rate goes down.

        Polyphase filter (scipy.signal.resample_poly) about the line between first and last sample; flat leads stay
        flat. Raises InputError where `fs` is not known, and for a rate that is no number above 0.
        """
        from truegrade.recordings.transforms import resampled

        return resampled(self, hz)

    def cropped(self, seconds: float) -> Recordings:
        """The first seconds of each recording. Raises InputError where `fs` is not known or the recordings are
        shorter."""
        from truegrade.recordings.transforms import cropped

        return cropped(self, seconds)

    @staticmethod
    def from_array(
        values: object,
        *,
        fs: float | None = None,
        units: str | None = None,
        leads: Sequence[str] | None = None,
        name: str = "recordings",
        source: str = "memory",
        ids: Sequence[object] | NDArray[Any] | None = None,
        patients: Sequence[object] | NDArray[Any] | None = None,
        labels: Sequence[object] | NDArray[Any] | None = None,
        axes: str | None = None,
    ) -> Recordings:
        """Validate (N, L, T): integers, float16 to float64; NaN and infinities are kept and make the lead missing.

        fs: Hz. units: "mV", "uV" (or "µV"), "V", "nV". leads: L names. axes: the order of the array where it is
        another, such as "NTL", "TL" (one recording) or "NT" (one lead); it is turned, not copied. Raises InputError for
        another shape, no recordings, fewer than 2 samples, fs that is no positive number, unknown units, twice the same
        lead, values beyond 1e30, and where ids, patients or labels are not one per recording.
        """
        from truegrade.recordings.checking import check_recordings

        return check_recordings(values, fs, units, leads, name, source, ids, patients, labels, axes)
