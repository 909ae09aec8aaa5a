"""Options of ECG recordings on the command line, the recordings that they name, and what `check` says of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from cyclopts import Parameter

from truegrade.cli.tools import UsageError
from truegrade.ecg.kind import are_recordings
from truegrade.ecg.options import ROLES, EcgOptions
from truegrade.errors import Notice
from truegrade.load import Kind
from truegrade.recordings import Recordings
from truegrade.report.words import counted, safe
from truegrade.result.ecg import Finding

_BETWEEN = re.compile(rf",(?=(?:{'|'.join(ROLES)})=)")


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class EcgFlags:
    """What ECG recordings are, where their files do not say so, and how they are made alike.

    Attributes:
        fs: Sampling rate of ECG recordings in Hz; of one side real=500, and again for the other.
        units: Their units: mV, uV, V or nV; of one side real=mV.
        leads: Names of their leads in the order of the array, separated by commas; of one side synthetic=I,II,V1.
        axes: Order of the axes of arrays, such as NTL (N recordings, L leads, T samples); of one side real=NTL.
        patients: Whose each recording is: a .csv file with the columns record and patient, an array of a .npz file,
            or "folder". No patient then stands on both sides of a reference.
        select: Leads by name that are graded, separated by commas; others are left out on both sides.
        resample: Bring all recordings to this rate in Hz; else different rates are refused.
        crop: Cut all recordings to so many seconds; else different lengths are refused.
        override: Codes of findings that would stop the evaluation and shall not, separated by commas.
    """

    fs: Annotated[list[str] | None, Parameter(negative=())] = None
    units: Annotated[list[str] | None, Parameter(negative=())] = None
    leads: Annotated[list[str] | None, Parameter(negative=())] = None
    axes: Annotated[list[str] | None, Parameter(negative=())] = None
    patients: Annotated[list[str] | None, Parameter(negative=())] = None
    select: str | None = None
    resample: float | None = None
    crop: float | None = None
    override: Annotated[list[str] | None, Parameter(negative=())] = None

    def given(self) -> dict[str, Any]:
        """The options of recordings that were used, by name."""
        names = ("fs", "units", "leads", "axes", "patients", "select", "resample", "crop", "override")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def recordings(self, *, labels: str | None, key: str | None, recursive: bool) -> EcgOptions:
        """As `truegrade.evaluate` takes them. UsageError for what cannot be read as such."""
        plain: Callable[[str], Any] = str
        read = {"fs": _rate, "leads": _names}
        how = {
            name: by_side(f"--{name}", value, read.get(name, plain))
            for name, value in self.given().items()
            if isinstance(value, list) and name != "override"
        }
        codes = [code for text in self.override or () for code in text.split(",") if code]
        select = () if self.select is None else tuple(_names(self.select))
        alike: dict[str, Any] = {"select": select, "resample": self.resample, "crop": self.crop}
        more = {**alike, "override": tuple(codes)}
        by_label = None if labels is None else by_side("--labels", [labels], str)
        return EcgOptions(**how, **more, labels=by_label, key=key, recursive=recursive)


def by_side(option: str, texts: Sequence[str], read: Callable[[str], Any]) -> Any:
    """VALUE, or SIDE=VALUE (several separated by commas, or one an option), as one value or a mapping by side."""
    found: dict[str, Any] = {}
    for text in (part for whole in texts for part in _BETWEEN.split(whole)):
        side, equals, value = text.partition("=")
        name = side if equals and side in ROLES else ""
        if name in found or ("" in found) or (found and not name):
            raise UsageError(f"{option} {text} given beside another; one value for all, or SIDE=VALUE once a side.")
        found[name] = read(value if name else text)
    return found.get("", found)


def _rate(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--fs {text!r} given; a rate in Hz is accepted, such as 500 or real=500.") from None


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def recording_facts(path: str, recordings: Recordings, findings: Iterable[Finding], notices: Iterable[Notice]) -> str:
    """What a set of recordings is, and what was found of it."""
    r = recordings
    rate = "sampling rate not known" if r.fs is None else f"{r.fs:g} Hz, {r.length / r.fs:g} s"
    units = r.units if r.units and r.scale == 1.0 else f"units of {r.scale:g} mV" if r.units else "units not known"
    leads = ", ".join(r.leads)
    lines = [
        f"{safe(path, 2000)}: {counted(len(r), 'ECG recording')} of {counted(len(r.leads), 'lead')} and "
        f"{r.length:,} samples",
        f"  {rate}, {units}, {r.values.dtype}",
        f"  leads {safe(leads, 400)}{'' if r.leads_named else ' (nobody named them)'}",
    ]
    if r.patients is not None:
        lines.append(f"  patients: {len(set(r.patients.tolist())):,}")
    lines.append(f"  fingerprint {r.fingerprint}")
    lines += [f"  {note.severity}: {safe(note.text, 600)}" for note in notices]
    for one in findings:
        lines += [f"  {one.severity} {one.code}: {safe(one.text, 1000)}", f"    {safe(one.mend, 600)}"]
    return "\n".join(lines)


def kind_of(path: str, kind: Kind, flags: EcgFlags) -> Kind:
    """The kind that was asked for, "ecg" where none was and the path is of WFDB records. UsageError for options of
    recordings where the file is something else."""
    found: Kind = "ecg" if kind == "auto" and are_recordings(path) else kind
    used = list(flags.given())
    if used and found != "ecg":
        raise UsageError(f"--{used[0]} given, which is for ECG recordings: add --kind ecg, or leave it out.")
    return found
