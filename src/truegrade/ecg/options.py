"""EcgOptions: what a caller says of ECG recordings that files and arrays do not say themselves."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from truegrade.errors import InputError
from truegrade.result import did_you_mean

Role = Literal["real", "synthetic", "holdout"]
ROLES: tuple[Role, ...] = ("real", "synthetic", "holdout")
PER_SIDE = ("fs", "units", "leads", "axes", "patients", "labels", "key")
"""What may differ between the sides: one value for all, or a mapping by side."""
PER_RECORD = ("patients", "labels")
"""Of these a mapping may also be one by recording, and lists need a side."""


@dataclass(frozen=True, kw_only=True)
class EcgOptions:
    """What the recordings are, where they do not say so themselves, and how they are made alike.

    fs, units, leads, axes, patients, labels and key are one value for every set, or a mapping by side: {"real": "mV",
    "synthetic": "uV"}; what is said of "real" also holds for the hold-out, unless "holdout" is named.

    Attributes:
        fs: sampling rate in Hz. units: "mV", "uV", "V" or "nV". leads: their names, in the order of the array.
        axes: order of the axes of arrays: "NLT" (recordings, leads, samples; the default), "NTL", "LT" ...
        patients, labels: whose recording it is, and its class: a .csv file with the columns record and patient (or
            label), a mapping by recording, the name of an array of a .npz file or of a comment of headers, "folder"; by
            side also a list, one per recording. Patients are those of real recordings unless "synthetic" is named.
        key: which array of .npz files.
        select: leads, by name, that are graded; all others are left out on every side.
        resample: Hz; bring every set to this rate. Without it different rates are refused.
        crop: seconds; cut every recording to this length. Without it different lengths are refused.
        override: codes of findings that would stop the evaluation and shall not (see `truegrade.ecg.preflight`).
        recursive: read the folders inside a folder too.
    """

    fs: Any = None
    units: Any = None
    leads: Any = None
    axes: Any = None
    patients: Any = None
    labels: Any = None
    key: Any = None
    select: tuple[str, ...] = ()
    resample: float | None = None
    crop: float | None = None
    override: tuple[str, ...] = ()
    recursive: bool = False

    def __post_init__(self) -> None:
        for name in PER_SIDE:
            value = getattr(self, name)
            if name in PER_RECORD:
                _check_rows(name, value)
            elif isinstance(value, Mapping):
                _check_sides(name, value)
        for name in ("override", "select"):
            given = getattr(self, name)
            object.__setattr__(self, name, (given,) if isinstance(given, str) else tuple(given or ()))

    def of(self, role: Role) -> dict[str, Any]:
        """What is said of one side, by name; what nobody said is left out."""
        found = {}
        for name in PER_SIDE:
            value = getattr(self, name)
            if isinstance(value, Mapping) and set(value) <= set(ROLES):
                value = value.get(role, value.get("real") if role == "holdout" and name not in PER_RECORD else None)
            elif name == "patients" and role == "synthetic":
                value = None
            if value is not None:
                found[name] = value
        return found

    @staticmethod
    def read(given: EcgOptions | Mapping[str, Any] | None) -> EcgOptions:
        """The options of a mapping by name. Raises InputError for a name that there is not, with the nearest ones."""
        if given is None:
            return EcgOptions()
        if isinstance(given, EcgOptions):
            return given
        if not isinstance(given, Mapping):
            raise InputError(
                f"ecg={str(given)[:60]} given; EcgOptions or a mapping is accepted, such as {{'fs': 500}}."
            )
        known = [field.name for field in fields(EcgOptions)]
        for name in given:
            if name not in known:
                near = did_you_mean(str(name), known)
                raise InputError(f"ecg has no option {str(name)[:60]!r}.{near} There are: {', '.join(known)}.")
        return EcgOptions(**given)


def _check_sides(name: str, value: Mapping[Any, Any]) -> None:
    for side in value:
        if side not in ROLES:
            near = did_you_mean(str(side), ROLES)
            raise InputError(
                f"{name} given for the side {str(side)[:60]!r}.{near} One value for all sets is accepted, or a mapping "
                f"by side: {', '.join(ROLES)}."
            )


def _check_rows(name: str, value: object) -> None:
    """Lists are one per recording of one side, and have to say of which."""
    if value is None or callable(value) or isinstance(value, (str, os.PathLike, Mapping)):
        return
    raise InputError(
        f"{name} given as {type(value).__name__}; one per recording needs a side: {name}={{'real': [...]}}. A .csv "
        "file or a mapping by recording does not."
    )
