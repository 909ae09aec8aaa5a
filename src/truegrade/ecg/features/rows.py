"""Vectors of recordings, of one lead or of all leads, and the samples that the engine grades."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.features.extract import Raw, extract
from truegrade.ecg.features.fit import Fit, fit_features
from truegrade.errors import InputError, Notice
from truegrade.recordings import Recordings
from truegrade.samples import Samples
from truegrade.space import Space

Part = Literal["real", "synthetic"]


@dataclass(frozen=True, eq=False)
class FeatureRows:
    """values: (n, d) float64, all finite. rows: (n,) which recordings they are of. names: (d,), "V1 energy"."""

    values: NDArray[np.float64]
    rows: NDArray[np.intp]
    names: tuple[str, ...]
    notices: tuple[Notice, ...] = ()


def features(
    recordings: Recordings, which: str, lead: str | None = None, *, fit: Fit | None = None, side: Part = "real"
) -> FeatureRows:
    """Vectors of recordings: of one lead, or of all leads side by side.

    Args:
        which: "descriptors", "spectral" (needs fs) or "beats".
        lead: its name; None for all leads that real recordings have often enough, see `Fit.whole`.
        fit: scales and directions of the real recordings; without one those of these recordings.
        side: of "real" recordings those without the lead (or one of the leads) are left out, as the electrode's fault;
            "synthetic" ones are all there, a missing lead as the flat line that it is.

    Raises InputError for another feature set, a lead that no two real recordings have, and a missing sampling rate.
    """
    fit = fit_features(recordings, which) if fit is None else fit
    raw = extract(recordings, which)
    leads = fit.whole if lead is None else (lead,)
    if lead is not None and (lead not in fit.leads or lead in fit.absent):
        raise InputError(f"Lead {lead!r} has no signal in the real recordings; {', '.join(fit.whole)} can be graded.")
    rows = np.arange(len(raw.values)) if side == "synthetic" else present(raw, leads)
    values = np.concatenate([fit.coordinates(raw, one) for one in leads], axis=1)
    return FeatureRows(values[rows], rows.astype(np.intp), fit.columns(lead), fit.notices)


def present(raw: Raw, leads: tuple[str, ...]) -> NDArray[np.intp]:
    """The recordings that have all these leads."""
    at = [raw.leads.index(one) for one in leads]
    return np.flatnonzero(~raw.missing[:, at].any(axis=1))


def to_samples(
    recordings: Recordings, which: str, fit: Fit | None = None, lead: str | None = None, *, side: Part = "real"
) -> Samples:
    """The vectors as samples: with ids, labels, patients as groups, and all the recordings in `.ecg`.

    Arguments as for `features`. The recording of each row: `sample_rows`. Raises InputError where fewer than 2
    real recordings have all leads.
    """
    fit = fit_features(recordings, which) if fit is None else fit
    found = features(recordings, which, lead, fit=fit, side=side)
    r, rows = recordings, found.rows
    if not len(rows):
        raise InputError(f"No recording of {r.name} has all of the leads {', '.join(fit.whole)}; there is no vector.")
    samples = Samples.from_array(
        found.values,
        name=r.name,
        source=r.source,
        ids=None if r.ids is None else r.ids[rows],
        labels=None if r.labels is None else r.labels[rows],
        columns=found.names,
    )
    return replace(
        samples,
        groups=None if r.patients is None else r.patients[rows],
        space=Space(f"ECG {which}", fit.record(lead)),
        ecg=recordings,
        notices=(*r.notices, *(found.notices if side == "real" else ())),
    )


def sample_rows(samples: Samples) -> NDArray[np.intp]:
    """Which recording of `samples.ecg` each row is of: all in order, or those that have all leads of the vectors."""
    recordings: Recordings = samples.ecg
    if samples.n == len(recordings) or samples.space is None:
        return np.arange(samples.n, dtype=np.intp)
    record = samples.space.embedder
    return present(extract(recordings, str(record["name"]).removeprefix("ecg ")), tuple(record["leads"]))
