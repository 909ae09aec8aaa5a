"""What `preflight` found of two sides, kept as long as the recordings are: they are looked at once."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from truegrade.ecg.preflight import preflight, refuse
from truegrade.errors import InputError
from truegrade.recordings import Recordings
from truegrade.result.ecg import Finding
from truegrade.tables.naming import shown

_SEEN: WeakKeyDictionary[Recordings, WeakKeyDictionary[Recordings, tuple[Finding, ...]]] = WeakKeyDictionary()


def look(
    real: Recordings, other: Recordings, override: Sequence[str] = (), holdout: Recordings | None = None
) -> tuple[Finding, ...]:
    """What `preflight` finds. Raises InputError, with the names of both sets, for what stops grading and is not
    overridden, and for an unknown code in `override`."""
    found = preflight(real, other, override, holdout=holdout)
    try:
        return refuse(found, override)
    except InputError as error:
        raise InputError(f"{shown(other.name)} against {shown(real.name)}: {error}") from error


def remember(real: Recordings, other: Recordings, findings: tuple[Finding, ...]) -> None:
    """Keep findings for these two sets."""
    _SEEN.setdefault(real, WeakKeyDictionary())[other] = findings


def findings_of(real: Recordings, other: Recordings) -> tuple[Finding, ...]:
    """What was found before these two were let through; where nobody looked, what is found now."""
    known = _SEEN.get(real, WeakKeyDictionary()).get(other)
    return preflight(real, other) if known is None else known
