"""The leads of one side in the order of the other, by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from truegrade.errors import notice
from truegrade.recordings import Recordings
from truegrade.recordings.checking import fingerprint_of, rechecked


def named_alike(real: Recordings, other: Recordings) -> Recordings:
    """Leads that nobody named under the names of as many real ones, in their order; noted where these were given."""
    if other.leads_named or not real.leads_named or len(other.leads) != len(real.leads):
        return other
    told = notice("ecg_leads_assumed", side=other.name, order=", ".join(real.leads))
    made = replace(other, leads=real.leads, notices=(*other.notices, told))
    return replace(made, fingerprint=fingerprint_of(made))


def in_order(real: Recordings, other: Recordings) -> Recordings:
    """The same leads in the order of the real ones, with a note where that moved any."""
    if other.leads == real.leads:
        return other
    moved = other.select_leads(real.leads)
    told = notice("ecg_leads_matched", side=other.name, order=", ".join(real.leads))
    return replace(moved, notices=(*other.notices, told))


def with_leads(real: Recordings, other: Recordings) -> Recordings:
    """The leads of the real ones: those it lacks are missing (NaN) in every recording, others are left out; noted."""
    if other.leads == real.leads:
        return other
    lacks = [lead for lead in real.leads if lead not in other.leads]
    surplus = [lead for lead in other.leads if lead not in real.leads]
    dtype = np.result_type(other.values.dtype, np.float32)
    values = np.full((len(other), len(real.leads), other.length), np.nan, dtype)
    for at, lead in enumerate(real.leads):
        if lead not in lacks:
            values[:, at] = other.values[:, other.leads.index(lead)]
    told = [notice("ecg_leads_lacking", side=other.name, leads=", ".join(lacks))] if lacks else []
    told += [notice("ecg_leads_surplus", side=other.name, leads=", ".join(surplus))] if surplus else []
    return rechecked(replace(other, values=values, leads=real.leads, notices=(*other.notices, *told)))
