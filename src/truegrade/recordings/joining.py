"""Recordings of several files as one set: same leads in one order, same rate, same length, or refused by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError, Notice, notice
from truegrade.recordings.checking import UNITS, check_fs, check_units, lead_tuple
from truegrade.recordings.leads import LEADS_12
from truegrade.recordings.pieces import Faults, Piece, grouped
from truegrade.recordings.record import Recordings
from truegrade.recordings.transforms import resample, resampled_length, samples_of
from truegrade.tables.naming import shown


@dataclass(frozen=True)
class Facts:
    """What the user says of a set; None leaves it to the files. See `load_ecg`."""

    name: str
    source: str
    fs: float | None = None
    units: str | None = None
    leads: Sequence[str] | None = None
    resample: float | None = None
    crop: float | None = None

    @property
    def who(self) -> str:
        return shown(self.name)


def join(pieces: Sequence[Piece], facts: Facts, faults: Faults) -> Recordings:
    """One set of the pieces, with ids. `faults` already holds what could not even be listed.

    Raises InputError with names and values for different sets of leads, rates (without `resample`) and lengths
    (without `crop`), and where the files contradict the facts.
    """
    count = sum(len(piece.ids) for piece in pieces) + len(faults.reasons)
    leads, named, told = agreed_leads(pieces, facts)
    rate = agreed_rate(pieces, facts)
    units, more = agreed_units(pieces, facts)
    short, pieces = len(faults.reasons), list(pieces)
    lengths = [_length(piece, rate, facts) for piece in pieces]
    length = _agreed_length(pieces, lengths, rate, facts, faults)
    if len(faults.reasons) > short:
        faults.settle(count)
        pieces = [piece for piece, has in zip(pieces, lengths, strict=True) if has >= length]
        lengths = [has for has in lengths if has >= length]
    values, ids = _read(pieces, leads, rate, length, units, facts, faults)
    faults.settle(count)
    found = Recordings.from_array(
        values, fs=rate, units=units, leads=leads if named else None, name=facts.name, source=facts.source, ids=ids,
        axes="NLT",
    )  # fmt: skip
    changed = _changes(pieces, lengths, rate, length, facts)
    return replace(found, notices=(*told, *more, *changed, *faults.notices(count)))


def agreed_leads(pieces: Sequence[Piece], facts: Facts) -> tuple[tuple[str, ...], bool, tuple[Notice, ...]]:
    """The leads in their order, whether they are names, and a note where some files have another order."""
    given = None if facts.leads is None else lead_tuple(facts.leads, facts.who)
    sets = {frozenset(piece.leads) if piece.leads else piece.count for piece in pieces}
    if given is not None and all(piece.leads and set(given) <= set(piece.leads) for piece in pieces):
        return given, True, ()
    if len(sets) > 1:
        text = grouped((piece.name, _leads_text(piece)) for piece in pieces)
        raise InputError(
            f"The recordings of {facts.who} have different leads: {text}. Give the leads that all of them have with "
            "leads=... (--leads), or grade them apart."
        )
    first = pieces[0]
    if first.leads is None:
        return given or tuple(str(at) for at in range(first.count)), given is not None, ()
    if given is not None:
        raise InputError(
            f"leads={shown(','.join(given), 120)} given for {facts.who}, whose files name their leads "
            f"{shown(', '.join(first.leads), 120)}. Give leads that they have, or none."
        )
    orders = {piece.leads for piece in pieces}
    usual = first.leads if len(orders) == 1 or set(first.leads) != set(LEADS_12) else LEADS_12
    odd = [piece.name for piece in pieces if piece.leads != usual]
    if not odd:
        return usual, True, ()
    count, order = len(pieces), shown(", ".join(usual), 120)
    return usual, True, (notice("leads_reordered", n=len(odd), count=count, side=facts.who, order=order, first=odd[0]),)


def _leads_text(piece: Piece) -> str:
    return f"{piece.count} unnamed" if piece.leads is None else shown(" ".join(sorted(piece.leads)), 120)


def agreed_rate(pieces: Sequence[Piece], facts: Facts) -> float | None:
    """The rate that the set will have; InputError where files disagree and no `resample` is given."""
    given, wanted = check_fs(facts.fs, facts.who), check_fs(facts.resample, facts.who)
    against = [(piece.name, f"{piece.rate:g} Hz") for piece in pieces if piece.rate is not None and piece.rate != given]
    if given is not None and against:
        raise InputError(
            f"fs={given:g} given for {facts.who}, and its files say otherwise: {grouped(against)}. Leave fs out, or "
            "resample them with resample=... (--resample)."
        )
    rates = {piece.rate if piece.rate is not None else given for piece in pieces}
    if wanted is not None:
        if None in rates:
            raise InputError(f"{facts.who} has no known sampling rate, so it cannot be resampled; give fs (--fs).")
        return wanted
    if len(rates) > 1:
        text = grouped((piece.name, f"{piece.rate:g} Hz" if piece.rate else "not said") for piece in pieces)
        raise InputError(
            f"The recordings of {facts.who} have different sampling rates: {text}. Bring them to one with "
            "resample=HZ (--resample), such as the lowest of them."
        )
    return rates.pop()


def agreed_units(pieces: Sequence[Piece], facts: Facts) -> tuple[str | None, tuple[Notice, ...]]:
    """The units in which values are kept, and a note where files have different ones."""
    given = None if facts.units is None else check_units(facts.units, facts.who)
    units = {None if piece.units is None else check_units(piece.units, facts.who) for piece in pieces}
    against = [(p.name, p.units) for p in pieces if p.units is not None and UNITS[p.units] != UNITS.get(given or "")]
    if given is not None and against:
        raise InputError(
            f"units={given!r} given for {facts.who}, and its files say otherwise: {grouped(against)}. Leave units out."
        )
    if given is not None or units == {None}:
        return given, ()
    if None in units:
        text = grouped((piece.name, piece.units or "not said") for piece in pieces)
        raise InputError(f"Some recordings of {facts.who} name their units and others do not: {text}.")
    if len(units) == 1:
        return units.pop(), ()
    parts = grouped((piece.name, str(piece.units)) for piece in pieces)
    return "mV", (notice("units_mixed", side=facts.who, parts=parts),)


def _length(piece: Piece, rate: float | None, facts: Facts) -> int:
    have = piece.rate if piece.rate is not None else facts.fs
    if have is None or rate is None or have == rate:
        return piece.length
    return resampled_length(piece.length, have, rate)


def _agreed_length(
    pieces: Sequence[Piece], lengths: Sequence[int], rate: float | None, facts: Facts, faults: Faults
) -> int:
    """Samples of every recording; those shorter than the crop become faults."""
    if facts.crop is None:
        if len(set(lengths)) > 1:
            said = [f"{n:,} samples" + (f", {n / rate:g} s" if rate else "") for n in lengths]
            raise InputError(
                f"The recordings of {facts.who} have different lengths: "
                f"{grouped(zip((piece.name for piece in pieces), said, strict=True))}. Cut them to one length with "
                "crop=SECONDS (--crop)."
            )
        return lengths[0]
    if rate is None:
        raise InputError(f"{facts.who} has no known sampling rate, so seconds mean nothing; give fs (--fs).")
    length = samples_of(facts.crop, rate, facts.who)
    for piece, has in zip(pieces, lengths, strict=True):
        for name in piece.ids if has < length else ():
            faults.reasons.append(f"{shown(name)} has {has / rate:g} s, shorter than the crop of {facts.crop:g} s.")
    return length


def _read(
    pieces: Sequence[Piece],
    leads: tuple[str, ...],
    rate: float | None,
    length: int,
    units: str | None,
    facts: Facts,
    faults: Faults,
) -> tuple[NDArray[np.generic], list[str]]:
    """Values (N, L, length) in the units, and the ids of what could be read."""
    scaled = any(piece.units not in (None, units) for piece in pieces)
    turned = any((piece.rate or facts.fs) != rate for piece in pieces)
    dtype = np.result_type(*(piece.dtype for piece in pieces))
    if (scaled or turned) and dtype != np.float32:
        dtype = np.dtype(np.float64)
    values, ids = np.empty((sum(len(piece.ids) for piece in pieces), len(leads), length), dtype), list[str]()
    for piece in pieces:
        with faults.watched():
            block = piece.read()
            have = piece.rate if piece.rate is not None else facts.fs
            if piece.leads is not None and piece.leads != leads:
                block = block[:, [piece.leads.index(lead) for lead in leads]]
            if have is not None and rate is not None and have != rate:
                block = resample(np.asarray(block, dtype=np.float64), have, rate)
            if piece.units not in (None, units):
                block = block * (UNITS[str(piece.units)] / UNITS[str(units)])
            values[len(ids) : len(ids) + len(block)] = block[..., :length]
            ids += piece.ids
        if faults.on_error == "refuse":
            faults.settle(1)
    return values[: len(ids)], ids


def _changes(
    pieces: Sequence[Piece], lengths: Sequence[int], rate: float | None, length: int, facts: Facts
) -> tuple[Notice, ...]:
    """Notes on recordings that were resampled or cut."""
    n = sum(len(piece.ids) for piece in pieces)
    turned = sum(len(piece.ids) for piece in pieces if (piece.rate or facts.fs) != rate)
    cut = sum(len(piece.ids) for piece, has in zip(pieces, lengths, strict=True) if has > length)
    told = []
    if turned:
        told.append(notice("recordings_resampled", n=turned, count=n, side=facts.who, hz=rate))
    if cut:
        told.append(notice("recordings_cropped", n=cut, count=n, side=facts.who, seconds=facts.crop))
    return tuple(told)
