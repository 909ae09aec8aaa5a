"""Fit: scales and directions learnt from the real recordings, so that both sides are measured alike."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.features.extract import Raw, extract
from truegrade.errors import InputError, Notice, notice
from truegrade.recordings import Recordings

DIRECTIONS = 8  # principal directions of the real beats of a lead
FARTHEST = 10.0  # real standard deviations by which a missing synthetic lead is off in any feature
RARE = 0.2  # share of real recordings with a missing lead below which these are left out, not the lead
_TINY = 1e-9  # of the largest value: a standard deviation below it is rounding


@dataclass(frozen=True, eq=False)
class Fit:
    """How features of each lead become coordinates.

    which: the feature set. leads: of the real recordings. names: of the p coordinates of a lead. centre, scale: (L, p)
    of the real recordings that have the lead; kept: (L, p), false for a coordinate that is constant in them. basis:
    (L, p - 1, points) principal directions of real beats, centre_form: (L, points) their mean form; None for the
    descriptors. whole: leads that stand in the vectors of all leads. absent: leads that no two real recordings have.
    notices: what was left out.
    """

    which: str
    leads: tuple[str, ...]
    names: tuple[str, ...]
    centre: NDArray[np.float64]
    scale: NDArray[np.float64]
    kept: NDArray[np.bool_]
    basis: NDArray[np.float64] | None
    centre_form: NDArray[np.float64] | None
    whole: tuple[str, ...]
    absent: tuple[str, ...]
    notices: tuple[Notice, ...] = ()

    def columns(self, lead: str | None = None) -> tuple[str, ...]:
        """Names of the coordinates of one lead, or of all leads in `whole`: "V1 energy"."""
        leads = self.whole if lead is None else (lead,)
        kept = {one: self.kept[self.leads.index(one)] for one in leads}
        return tuple(f"{one} {name}" for one in leads for name, keep in zip(self.names, kept[one], strict=True) if keep)

    def coordinates(self, raw: Raw, lead: str) -> NDArray[np.float64]:
        """(N, p') of one lead: centred and divided by the real sd; of a missing lead at most 10 of them off.

        A lead that the recordings do not have at all is missing in each.
        """
        at = self.leads.index(lead)
        here = raw.leads.index(lead) if lead in raw.leads else None
        values = np.zeros((len(raw.values), raw.values.shape[2])) if here is None else raw.values[:, here]
        missing = np.ones(len(values), bool) if here is None else raw.missing[:, here]
        if self.basis is not None and self.centre_form is not None:
            values = _projected(values, self.basis[at], self.centre_form[at])
        out = (values - self.centre[at]) / self.scale[at]
        out[missing] = np.clip(out[missing], -FARTHEST, FARTHEST)
        return np.ascontiguousarray(out[:, self.kept[at]])

    def record(self, lead: str | None) -> dict[str, Any]:
        """What makes the same vectors again, as plain JSON values."""
        digest = hashlib.sha256(repr((self.which, self.leads, self.names, self.whole)).encode())
        for part in (self.centre, self.scale, self.kept, self.basis, self.centre_form):
            digest.update(b"" if part is None else np.ascontiguousarray(part).tobytes())
        return {
            "name": f"ecg {self.which}",
            "version": 1,
            "leads": list(self.whole if lead is None else (lead,)),
            "dimension": len(self.columns(lead)),
            "fingerprint": digest.hexdigest()[:32],
        }


def fit_features(real: Recordings, which: str) -> Fit:
    """Scales of the features of `real`, per lead, from the recordings that have the lead. Raises as `extract` does,
    and InputError where no lead can be used."""
    raw = extract(real, which)
    basis, form = _directions(raw) if which == "beats" else (None, None)
    names = raw.names if basis is None else (*(f"direction {at + 1}" for at in range(basis.shape[1])), "off")
    count = len(raw.leads)
    centre, scale = np.zeros((count, len(names))), np.ones((count, len(names)))
    kept = np.zeros((count, len(names)), bool)
    for at in range(count):
        values = raw.values[~raw.missing[:, at], at]
        if len(values) < 2:
            continue
        if basis is not None and form is not None:
            values = _projected(values, basis[at], form[at])
        centre[at], spread = values.mean(axis=0), values.std(axis=0)
        kept[at] = spread > _TINY * np.abs(values).max(axis=0)
        if basis is not None:  # one scale for a lead: its directions keep their proportions, in mV
            spread = np.full(len(names), np.sqrt((spread**2).sum()))
        scale[at][kept[at]] = spread[kept[at]]
    usable = [lead for at, lead in enumerate(raw.leads) if kept[at].any()]
    if not usable:
        raise InputError(f"No lead of {real.name} has a signal in 2 recordings that differ; there is nothing to grade.")
    absent = tuple(lead for lead in raw.leads if lead not in usable)
    whole = _whole_leads(raw, usable)
    notices = (*_absences(raw, absent, whole, which), *_constants(raw.leads, names, kept, absent, which))
    return Fit(which, raw.leads, tuple(names), centre, scale, kept, basis, form, whole, absent, notices)


def _directions(raw: Raw) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Principal directions (L, c, points) and mean (L, points) of the real beats of each lead."""
    count, points = len(raw.leads), raw.values.shape[2]
    rank = min(DIRECTIONS, points)
    basis, form = np.zeros((count, rank, points)), np.zeros((count, points))
    for at in range(count):
        values = raw.values[~raw.missing[:, at], at]
        if len(values) < 2:
            continue
        form[at] = values.mean(axis=0)
        centred = values - form[at]
        _, vectors = np.linalg.eigh(centred.T @ centred)
        top = vectors[:, ::-1][:, : min(rank, len(values) - 1)].T
        signs = np.sign(top[np.arange(len(top)), np.abs(top).argmax(axis=1)])  # so that equal data have equal signs
        basis[at, : len(top)] = top * signs[:, None]
    return basis, form


def _projected(
    values: NDArray[np.float64], basis: NDArray[np.float64], form: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Coordinates in the real directions, and the length of what they leave."""
    centred = values - form
    along = centred @ basis.T
    off = np.linalg.norm(centred - along @ basis, axis=1)
    return np.concatenate([along, off[:, None]], axis=1)


def _whole_leads(raw: Raw, usable: list[str]) -> tuple[str, ...]:
    """Leads of the vectors of all leads: while 20 % of the real recordings or more lack one of them, without the lead
    that most recordings lack."""
    at = [raw.leads.index(lead) for lead in usable]
    while len(at) > 1 and raw.missing[:, at].any(axis=1).mean() >= RARE:
        at.remove(at[int(raw.missing[:, at].sum(axis=0).argmax())])
    return tuple(raw.leads[one] for one in at)


def _absences(raw: Raw, absent: tuple[str, ...], whole: tuple[str, ...], which: str) -> list[Notice]:
    lacks: Mapping[str, int] = {lead: int(raw.missing[:, at].sum()) for at, lead in enumerate(raw.leads)}
    out = [notice("ecg_lead_absent", lead=lead, what=which) for lead in absent]
    dropped = [lead for lead in raw.leads if lead not in (*whole, *absent)]
    if dropped:
        listed = ", ".join(f"{lead} ({lacks[lead]:,})" for lead in dropped)
        out.append(notice("ecg_leads_dropped", leads=listed, n=len(raw.values), what=which))
    lacking = int(raw.missing[:, [raw.leads.index(lead) for lead in whole]].any(axis=1).sum())
    if lacking:
        out.append(notice("ecg_left_out", count=lacking, n=len(raw.values), what=which))
    return out


def _constants(
    leads: tuple[str, ...], names: tuple[str, ...], kept: NDArray[np.bool_], absent: tuple[str, ...], which: str
) -> list[Notice]:
    if which == "beats":
        return []
    gone = [
        f"{lead} {name}"
        for at, lead in enumerate(leads)
        if lead not in absent
        for name, keep in zip(names, kept[at], strict=True)
        if not keep
    ]
    if not gone:
        return []
    listed = ", ".join(gone[:5]) + (f" and {len(gone) - 5} more" if len(gone) > 5 else "")
    return [notice("ecg_constant", names=listed, what=which)]
