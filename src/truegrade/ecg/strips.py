"""The few recordings that a report draws on paper, and one small lead of all that its map shows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from truegrade.recordings import Recordings
from truegrade.result.ecg import EcgCopies, Rhythm, Strip, StripPair
from truegrade.result.exhibits import Exhibits, MapSide, Specimen

EACH = 4  # pairs of each kind
FASTEST, SECONDS = 250.0, 10.0  # of a strip
SMALL = 62.5  # Hz of a rhythm
GAP, SMALL_GAP = -32768, -128  # a missing sample
_ROWS = 128
_USUAL = 1.5  # mV that the largest values are drawn as, where nobody said the units
Floats = NDArray[np.float64]
Side = Literal["real", "synthetic"]
Rows = Mapping[Side, Mapping[int, int]]


def make_strips(
    real: Recordings,
    synthetic: Recordings,
    exhibits: Exhibits | None,
    copies: EcgCopies | None,
    *,
    seed: int = 0,
) -> tuple[tuple[StripPair, ...], tuple[Rhythm, ...]]:
    """Strips of the worst and best synthetic, the least covered real and the most suspicious recordings, at most 4 of
    each beside their nearest on the other side; and a rhythm of every recording on the map.

    Rows of `exhibits` and `copies` are those of the recordings. Strips are int16 in microvolts of at most 10 s, at 250
    Hz at most; rhythms are lead II, else the first lead that both sides have, int8 at about 62.5 Hz. Both are filtered
    before samples are left out. Where the sampling rate is not known, fs is 0 and all samples of a short recording are
    kept; where the units are not known, values are scaled so that large ones are about 1.5 mV. `seed` decides which of
    equally good recordings are shown. What copies a real recording is never among the best.
    """
    sides: dict[Side, Recordings] = {"real": real, "synthetic": synthetic}
    gain = 1.0 if real.units and synthetic.units else _gain(sides.values())
    drawn = _Drawn(sides, gain, exhibits)
    pairs = tuple(_pairs(drawn, exhibits, copies, seed))
    return pairs, () if exhibits is None or exhibits.map is None else _rhythms(sides, exhibits, gain)


# --- which recordings --------------------------------------------------------------------------------------


def _pairs(drawn: _Drawn, exhibits: Exhibits | None, copies: EcgCopies | None, seed: int) -> Iterator[StripPair]:
    worst: list[int] = []
    copied = {pair.synthetic for pair in copies.pairs} if copies is not None and copies.flagged else set()
    if exhibits is not None:
        worst = [row for row in _worst(exhibits.worst, drawn.maps.get("synthetic")) if row not in copied][:EACH]
        yield from (drawn.pair("worst", "synthetic", row) for row in worst)
        if not _many(copies, drawn.sides["synthetic"]):
            best = _best(drawn.maps.get("synthetic"), {*worst, *copied}, seed)
            yield from (drawn.pair("best", "synthetic", row) for row in best)
        missed = _worst(exhibits.uncovered, drawn.maps.get("real"))[:EACH]
        yield from (drawn.pair("uncovered", "real", row) for row in missed)
    for found in () if copies is None else copies.pairs[:EACH]:
        shift = f" at a shift of {found.shift:.2f} s" if found.shift else ""
        note = f"similarity {found.similarity:.3f} over all leads{shift}"
        yield drawn.pair("copy", "synthetic", found.synthetic, found.real, note)


def _worst(chosen: Sequence[Specimen], side: MapSide | None) -> list[int]:
    """Rows of the specimens; where there are none, those of the lowest grades on the map."""
    if chosen or side is None:
        return [one.row for one in chosen]
    grade = np.nan_to_num(side.grade.astype(np.float64), nan=np.inf)
    order = np.lexsort((-side.nearest, grade))
    return [int(side.rows[at]) for at in order if math.isfinite(grade[at])]


def _best(side: MapSide | None, without: set[int], seed: int) -> list[int]:
    """Rows of the highest grades; of equal ones some at random, as the nearest to a real one is not the best."""
    if side is None:
        return []
    chance = np.random.default_rng([seed, len(side.rows)]).random(len(side.rows))
    order = np.lexsort((chance, -side.grade.astype(np.float64)))
    able = (at for at in order if not np.isnan(side.grade[at]) and int(side.rows[at]) not in without)
    return [int(side.rows[at]) for at in able][:EACH]


def _many(copies: EcgCopies | None, synthetic: Recordings) -> bool:
    """Whether there are more copies than are known by row, so that any recording may be one."""
    if copies is None or not copies.flagged:
        return False
    return round((copies.share.value or 0.0) * len(synthetic)) > len({pair.synthetic for pair in copies.pairs})


@dataclass(frozen=True)
class _Drawn:
    """Makes strips of rows, with what the exhibits know of them."""

    sides: Mapping[Side, Recordings]
    gain: float
    exhibits: Exhibits | None

    @property
    def maps(self) -> dict[Side, MapSide]:
        if self.exhibits is None or self.exhibits.map is None:
            return {}
        return {"real": self.exhibits.map.real, "synthetic": self.exhibits.map.synthetic}

    def pair(
        self,
        why: Literal["worst", "best", "uncovered", "copy"],
        side: Side,
        row: int,
        other: int | None = None,
        note: str = "",
    ) -> StripPair:
        """The recording beside `other`, else beside its nearest on the other side where that is known."""
        across: Side = "synthetic" if side == "real" else "real"
        found = self.facts(side, row)
        beside = found.get("partner") if other is None else other
        if beside is None:
            note = note or f"which {across} recording is the nearest was not kept"
        return StripPair(
            why,
            self.strip(side, row),
            None if beside is None else self.strip(across, int(beside)),
            None if other is not None else found.get("nearest"),
            note,
        )

    def facts(self, side: Side, row: int) -> dict[str, Any]:
        """Grade, distance to and row of the nearest on the other side, those that are known."""
        known = self.maps.get(side)
        if known is None or not (at := np.flatnonzero(known.rows == row)).size:
            return {}
        values = {"grade": float(known.grade[at[0]]), "nearest": float(known.nearest[at[0]])}
        partner = {} if known.partner is None else {"partner": int(known.partner[at[0]])}
        return {key: value for key, value in values.items() if math.isfinite(value)} | partner

    def strip(self, side: Side, row: int) -> Strip:
        recordings = self.sides[side]
        kept = recordings.length if not recordings.fs else min(recordings.length, round(SECONDS * recordings.fs))
        values = np.asarray(recordings.values[row, :, :kept], dtype=np.float64) * recordings.scale * self.gain
        slower, fs = resampled(values, recordings.fs, FASTEST)
        return Strip(
            side=side,
            row=row,
            name=recordings.record_name(row),
            leads=recordings.leads,
            fs=fs,
            values=_whole(slower * 1000.0, 32767, GAP).astype(np.int16),
            grade=self.facts(side, row).get("grade"),
            label=None if recordings.labels is None else str(recordings.labels[row]),
        )


# --- values ------------------------------------------------------------------------------------------------


def resampled(values: Floats, fs: float | None, most: float) -> tuple[Floats, float]:
    """Values (..., T) at no more than `most` Hz without aliases, and their rate (0 where it is not known).

    The result is NaN where the value at or beside its place is NaN or infinite.
    """
    from scipy.signal import resample_poly

    rate = fs or values.shape[-1] / SECONDS
    if rate <= most * 1.000001:
        return np.where(np.isfinite(values), values, np.nan), float(fs or 0.0)
    part = Fraction(most / rate).limit_denominator(1000)
    broken = ~np.isfinite(values)
    clean = np.where(broken, 0.0, values)
    middle = clean.mean(axis=-1, keepdims=True)  # edges are padded with zeros
    slower = resample_poly(clean - middle, part.numerator, part.denominator, axis=-1) + middle
    if broken.any():
        source = np.arange(slower.shape[-1]) * part.denominator / part.numerator
        low, high = np.floor(source).astype(int), np.minimum(np.ceil(source).astype(int), values.shape[-1] - 1)
        slower = np.where(broken[..., low] | broken[..., high], np.nan, slower)
    return np.asarray(slower, np.float64), float(fs or 0.0) * part.numerator / part.denominator


def _whole(values: Floats, most: int, gap: int) -> Floats:
    """Whole numbers up to +-most; `gap` where there is no value."""
    return np.where(np.isfinite(values), np.rint(np.clip(values, -most, most)), gap)


def _gain(sides: Iterable[Recordings]) -> float:
    """What brings the largest values of both sides together to 1.5, not counting a thousandth of them."""
    some = [np.asarray(one.values[:_ROWS], np.float64).ravel() * one.scale for one in sides]
    sizes = np.concatenate([np.abs(values[np.isfinite(values)]) for values in some])
    large = float(np.quantile(sizes, 0.999)) if len(sizes) else 0.0
    return _USUAL / large if large > 0 else 1.0


def _rhythms(sides: Mapping[Side, Recordings], exhibits: Exhibits, gain: float) -> tuple[Rhythm, ...]:
    assert exhibits.map is not None
    rows: dict[Side, NDArray[np.int64]] = {"real": exhibits.map.real.rows, "synthetic": exhibits.map.synthetic.rows}
    shared = [lead for lead in sides["real"].leads if lead in sides["synthetic"].leads]
    if not shared:
        return ()
    lead = "II" if "II" in shared else shared[0]
    made = {side: _one_lead(sides[side], lead, rows[side], gain) for side in rows}
    sizes = np.concatenate([np.abs(values[np.isfinite(values)]).ravel() for values, _ in made.values()])
    step = _round_up(float(np.quantile(sizes, 0.9999)) / 127) if len(sizes) else 1.0
    return tuple(
        Rhythm(side, lead, fs, step, rows[side].astype(np.int64), _whole(values / step, 127, SMALL_GAP).astype(np.int8))
        for side, (values, fs) in made.items()
    )


def _one_lead(recordings: Recordings, lead: str, rows: NDArray[np.int64], gain: float) -> tuple[Floats, float]:
    """(p, T') of one lead, at most 10 s at about 62.5 Hz."""
    at = recordings.leads.index(lead)
    kept = recordings.length if not recordings.fs else min(recordings.length, round(SECONDS * recordings.fs))
    parts, fs = [], 0.0
    for start in range(0, len(rows), _ROWS):
        some = np.asarray(recordings.values[rows[start : start + _ROWS], at, :kept], np.float64)
        slower, fs = resampled(some * recordings.scale * gain, recordings.fs, SMALL)
        parts.append(slower)
    return np.concatenate(parts) if parts else np.empty((0, 0)), fs


def _round_up(step: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    if step <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(step))
    return next((many * power for many in (1, 2, 5) if many * power >= step), 10 * power)
