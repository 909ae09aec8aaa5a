"""EcgReader: the recordings of one evaluation, made alike, looked at before grading, and as vectors of features."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from truegrade.ecg.features import FEATURES, Fit, fit_features, to_samples
from truegrade.ecg.looked import look, remember
from truegrade.ecg.matching import in_order, named_alike, with_leads
from truegrade.ecg.options import PER_RECORD, EcgOptions, Role
from truegrade.errors import InputError
from truegrade.images import Images
from truegrade.images.collection import OnError
from truegrade.recordings import Recordings, as_recordings
from truegrade.recordings.loading import ARRAYS
from truegrade.recordings.whose import whose
from truegrade.result import did_you_mean
from truegrade.samples import Samples
from truegrade.tables import Table

DEFAULT = "descriptors"
TABLES = (".csv", ".tsv")


@dataclass
class EcgReader:
    """Turns recordings into samples; the set that is read first, the real one, fixes leads, their order and scales.

    options: what the recordings are. features: which vectors are made of them, a key of `FEATURES`. on_error: of files
    that cannot be read. role: whose the sets after the first are. real, fit: what the first set fixes. fresh: the
    hold-out recordings, once they were read.
    """

    options: EcgOptions = field(default_factory=EcgOptions)
    features: str = DEFAULT
    on_error: OnError = "refuse"
    role: Role = "synthetic"
    real: Recordings | None = None
    fit: Fit | None = None
    fresh: list[Recordings] = field(default_factory=list)

    def read(self, given: object, name: str | None) -> Samples | Images:
        """Samples of recordings, with `.ecg` and, where patients are known, `.groups`.

        Raises InputError for what cannot be read as recordings, what `preflight` refuses, and what loading, resampling
        and cropping raise.
        """
        if isinstance(given, Samples) and given.ecg is not None:  # read before
            if self.real is None:
                self._begin(given.ecg, features_of(given) or self.features)
            return given if name is None else replace(given, name=name)
        recordings = self.load(given, name)
        if self.real is None or self.fit is None:
            fit = self._begin(recordings, self.features)
            return to_samples(recordings, self.features, fit)
        recordings = self._beside(self.real, recordings)
        side: Any = "synthetic" if self.role == "synthetic" else "real"
        return to_samples(recordings, self.features, self.fit, side=side)

    def for_holdout(self) -> EcgReader:
        """What reads real recordings that the generator never saw; the two share what was read."""
        return replace(self, role="holdout")

    def load(self, given: object, name: str | None = None) -> Recordings:
        """The recordings of what is given, at the rate and of the length asked for, under a name that differs from that
        of the real ones."""
        role: Role = "real" if self.real is None else self.role
        found = load_side(given, name, role, self.options, self.on_error)
        if name is None and self.real is not None and found.name == self.real.name:
            return replace(found, name=_other_name(found, role))
        return found

    def _begin(self, real: Recordings, which: str) -> Fit:
        self.real, self.features, self.fit = real, which, fit_features(real, which)
        return self.fit

    def _beside(self, real: Recordings, other: Recordings) -> Recordings:
        """The other side with the leads of the real one, looked at; InputError where that finds what stops grading."""
        other = named_alike(real, other)
        same = set(real.leads) == set(other.leads)
        other = in_order(real, other) if same else other
        fresh = self.fresh[0] if self.fresh and self.role == "synthetic" else None
        found = look(real, other, self.options.override, fresh)
        other = other if same else with_leads(real, other)
        if self.role == "holdout":
            self.fresh.append(other)
        remember(real, other, found)
        return other


def load_side(given: object, name: str | None, role: Role, options: EcgOptions, on_error: OnError) -> Recordings:
    """The recordings of one side by what is said of it, at the rate and of the length asked for.

    Raises InputError for what holds no recordings, and what `as_recordings` raises.
    """
    if isinstance(given, (Samples, Images, Table)):
        raise InputError(
            f"{given.name} holds {_what(given)}, and kind='ecg' (--kind ecg) grades recordings: arrays (recordings, "
            "leads, samples), files of them, WFDB folders, or truegrade.ecg.Recordings."
        )
    how = options.of(role) | {"resample": options.resample, "crop": options.crop}
    if isinstance(given, (str, os.PathLike)):
        how |= {"on_error": on_error, "recursive": options.recursive}
        if Path(given).suffix.lower() != ".npz":
            how.pop("key", None)
    later = {what: how.pop(what) for what in PER_RECORD if what in how and by_record(given, how[what])}
    found = as_recordings(given, name=name, **how)
    found = found.select_leads(options.select) if options.select else found
    if not later:
        return found
    return whose(found, {}, later.get("patients", found.patients), later.get("labels", found.labels))


def feature_set(embed: object) -> str:
    """The feature set of recordings that `embed` names, the descriptors by default; InputError for anything else."""
    if embed is None:
        return DEFAULT
    if isinstance(embed, str) and embed in FEATURES:
        return embed
    near = did_you_mean(embed, FEATURES) if isinstance(embed, str) else ""
    raise InputError(
        f"embed={str(embed)[:60]!r} given, and recordings are graded by features of their own.{near} There are: "
        f"{', '.join(FEATURES)}."
    )


def features_of(samples: Samples) -> str | None:
    """The feature set that the vectors are of, None where they do not say."""
    name = "" if samples.space is None else str(samples.space.embedder.get("name", ""))
    which = name.removeprefix("ecg ")
    return which if which in FEATURES else None


def by_record(given: object, wish: object) -> bool:
    """Whether patients or labels are looked up by the names of recordings that are no files (those of arrays are their
    numbers)."""
    if isinstance(given, (str, os.PathLike)) and Path(given).suffix.lower() not in ARRAYS:
        return False  # loading does
    return isinstance(wish, Mapping) or (isinstance(wish, (str, os.PathLike)) and Path(wish).suffix.lower() in TABLES)


def _what(given: Samples | Images | Table) -> str:
    if isinstance(given, Samples):
        return f"vectors of {given.d} features"
    return "images" if isinstance(given, Images) else "a table"


def _other_name(found: Recordings, role: Role) -> str:
    """A name that tells two sets of one name apart: with the folder, else what the set is."""
    folder = "" if found.source == "memory" else Path(found.source).absolute().parent.name
    return f"{folder}/{found.name}" if folder else role
