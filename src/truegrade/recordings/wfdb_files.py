"""`load_ecg_wfdb`: WFDB records, each checked against its header, in physical units."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError, MissingExtra, Notice, notice
from truegrade.recordings.headers import Header, Signal, read_header
from truegrade.recordings.joining import Facts, join
from truegrade.recordings.pieces import Faults, OnError, Piece, cap, list_files, name_of
from truegrade.recordings.record import Recordings
from truegrade.recordings.whose import PerRecord, whose
from truegrade.tables.naming import shown

DATA = (".dat", ".mat")
_NO_GAIN = 200.0  # per mV: what the format takes where a header gives no gain


def load_ecg_wfdb(
    path: str | os.PathLike[str],
    *,
    fs: float | None = None,
    units: str | None = None,
    leads: Sequence[str] | None = None,
    name: str | None = None,
    patients: PerRecord = None,
    labels: PerRecord = None,
    recursive: bool = False,
    on_error: OnError = "refuse",
    resample: float | None = None,
    crop: float | None = None,
    max_samples: int | None = None,
) -> Recordings:
    """A WFDB record, or all records of a folder, in mV. Needs the extra `ecg`.

    Args:
        path: a record with or without a suffix (.hea, .dat, .mat), or a folder of .hea files.
        fs, units: checked against the headers; needed only where these do not say.
        leads: which to take, in this order; all by default. Names are compared in the usual spelling.
        patients, labels: of each record: a mapping of ids, a function of id and comments (a dict such as
            {"Age": "56", "Dx": "426783006"}), a sequence, the name of a comment ("Dx"), "folder" for the folder that a
            record lies in, or a .csv file with the columns record and patient, or label.
        recursive: records of folders inside too.
        on_error: "refuse" records that cannot be used, or "skip" and count them.
        resample: rate in Hz to bring all to. crop: seconds to cut all to.
        max_samples: the first so many records, in natural order of their names.

    Returns Recordings whose ids are paths inside the folder without suffix; samples marked as invalid are NaN.

    Raises:
        InputError: no record; a header that is damaged, does not fit its data file, or names a file elsewhere;
            different leads, rates or lengths; facts that contradict the headers. Records and their values are named.
        MissingExtra: the package wfdb is not installed.
    """
    place = Path(path)
    facts = Facts(name or name_of(place), str(place), fs, units, leads, resample, crop)
    root, paths = _records(place, recursive, facts.who)
    count, told = cap(len(paths), max_samples, facts.who)
    paths = paths[:count]
    faults, records = Faults(on_error, facts.who), list[_Record]()
    for header in paths:
        with faults.watched():
            records.append(_record(header, root, facts))
    faults.settle(len(paths))
    found = join([record.piece() for record in records], facts, faults)
    comments = {record.id: record.header.comments for record in records}
    found = replace(found, notices=(*told, *found.notices, *_doubts(records, facts.who)))
    return whose(found, comments, patients, labels)


def _records(place: Path, recursive: bool, who: str) -> tuple[Path, list[Path]]:
    """The folder that ids are relative to, and the headers."""
    if place.is_dir():
        headers = list_files(place, recursive).of(".hea")
        if headers:
            return place, headers
        inside = "" if recursive else " Of folders inside, say recursive=True (--recursive)."
        raise InputError(f"{who} holds no WFDB headers (.hea).{inside}")
    known = place.suffix.lower() in (".hea", *DATA)
    tries = [place] if place.suffix == ".hea" else [*([place.with_suffix(".hea")] if known else []), _hea(place)]
    header = next((one for one in tries if one.is_file()), None)
    if header is None:
        raise InputError(f"{shown(str(place), 200)} is no WFDB record: there is no {shown(tries[0].name)}.")
    return header.parent, [header]


def _hea(place: Path) -> Path:
    return place.with_name(place.name + ".hea")


@dataclass(eq=False)
class _Record:
    """A record whose header was found to fit; `wrong_sum` is known after reading."""

    id: str
    header: Header
    kept: list[int]
    wrong_sum: bool = False

    @property
    def signals(self) -> list[Signal]:
        return [self.header.signals[at] for at in self.kept]

    def piece(self) -> Piece:
        first = self.signals[0]
        named = all(signal.lead for signal in self.signals)
        units = {signal.units for signal in self.signals}
        wide = any(signal.fmt in (24, 32, 524) for signal in self.signals)
        skew = max(signal.skew for signal in self.signals)
        return Piece(
            ids=(self.id,),
            leads=tuple(signal.lead for signal in self.signals) if named else None,
            count=len(self.kept),
            length=(self.header.length - skew) * first.frame,
            rate=None if self.header.fs is None else self.header.fs * first.frame,
            units=_spelt(units.pop()) if len(units) == 1 else "mV",
            dtype=np.dtype(np.float64 if wide else np.float32),
            read=self.read,
        )

    def read(self) -> NDArray[np.floating]:
        """(1, L, T) in the units of the piece."""
        raw = _digital(self.header, shown(self.id))
        unit = self.piece().units
        rows = []
        for at in self.kept:
            signal, samples = self.header.signals[at], raw[at]
            self.wrong_sum |= signal.checksum is not None and (int(samples.sum()) - signal.checksum) % 65536 != 0
            skipped = signal.skew * signal.frame
            samples = samples[skipped : skipped + self.piece().length]
            row = (samples - float(signal.baseline)) / (signal.gain or _NO_GAIN)
            row[samples == signal.invalid] = np.nan
            rows.append(row * (1.0 if _spelt(signal.units) == unit else signal.factor or 1.0))
        return np.stack(rows)[None]


def _spelt(units: str) -> str:
    from truegrade.recordings.checking import check_units

    return check_units(units, "a signal")


def _record(path: Path, root: Path, facts: Facts) -> _Record:
    """The record of a header, with the leads asked for, or all; InputError where that cannot be."""
    from truegrade.recordings.checking import lead_tuple

    name = path.relative_to(root).with_suffix("").as_posix()
    header = read_header(path, shown(name))
    wanted = None if facts.leads is None else set(lead_tuple(facts.leads, facts.who))
    has = {signal.lead for signal in header.signals}
    chosen = wanted is not None and wanted <= has
    kept = [at for at, s in enumerate(header.signals) if not chosen or s.lead in (wanted or ())]
    record = _Record(name, header, kept)
    other = [signal for signal in record.signals if signal.factor is None]
    if other:
        text = ", ".join(f"{shown(s.lead) or 'unnamed'} in {shown(s.units, 20)}" for s in other[:5])
        raise InputError(f"{shown(name)} holds signals that are no voltages: {text}. Choose leads=... (--leads).")
    leads = [signal.lead for signal in record.signals if signal.lead]
    twice = [lead for lead in leads if leads.count(lead) > 1]
    if twice:
        raise InputError(f"{shown(name)} has more than one lead named {shown(twice[0])}.")
    if len({signal.frame for signal in record.signals}) > 1:
        text = ", ".join(f"{shown(s.lead)} x {s.frame}" for s in record.signals[:12])
        raise InputError(
            f"{shown(name)} holds signals of different sampling rates ({text}). Choose leads=... (--leads)."
        )
    return record


def _doubts(records: Sequence[_Record], who: str) -> tuple[Notice, ...]:
    """Cautions about records without a gain, and with a wrong checksum."""
    bare = [record.id for record in records if any(signal.gain == 0 for signal in record.signals)]
    wrong = [record.id for record in records if record.wrong_sum]
    count = len(records)
    return tuple(
        notice(code, n=len(ids), count=count, side=who, first=shown(ids[0]))
        for code, ids in (("gain_unknown", bare), ("checksum_differs", wrong))
        if ids
    )


def _digital(header: Header, who: str) -> list[NDArray[np.int64]]:
    """The samples of every signal as they are stored, by the package wfdb."""
    place = str(header.path.absolute())
    if "::" in place or "://" in place:
        raise InputError(f"{who} lies in a folder with '::' or '://' in its name; rename it.")
    try:
        found: Any = _reader()(place, physical=False, smooth_frames=False, ignore_skew=True)
    except MissingExtra:
        raise
    except Exception as error:
        raise InputError(f"{who} cannot be read by wfdb: {type(error).__name__}: {shown(str(error), 200)}.") from error
    signals = header.signals
    ours = [(s.file, str(s.fmt), s.offset or None, s.frame) for s in signals]
    theirs = list(
        zip(found.file_name, found.fmt, [o or None for o in found.byte_offset], found.samps_per_frame, strict=True)
    )
    sizes = [len(samples) for samples in found.e_d_signal]
    if ours != theirs or sizes != [header.length * s.frame for s in signals]:
        raise InputError(f"{who}: its header is read in two ways; write it again with wfdb.wrsamp.")
    return [np.asarray(samples, dtype=np.int64) for samples in found.e_d_signal]


def _reader() -> Callable[..., object]:
    """wfdb.rdrecord, which warns of other packages' plans while it is imported and run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import wfdb
        except ImportError as error:
            raise MissingExtra("WFDB records need the package wfdb: pip install 'truegrade[ecg]'.") from error

        def read(*args: object, **kwargs: object) -> object:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return wfdb.rdrecord(*args, **kwargs)

    return read
