"""Names of ECG leads, the orders in which files hold them, and what one lead is of others."""

from __future__ import annotations

from collections.abc import Mapping

LEADS_12 = ("I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6")
LEADS_8 = ("I", "II", "V1", "V2", "V3", "V4", "V5", "V6")
DERIVED: Mapping[str, Mapping[str, float]] = {
    "III": {"I": -1.0, "II": 1.0},
    "aVR": {"I": -0.5, "II": -0.5},
    "aVL": {"I": 1.0, "II": -0.5},
    "aVF": {"I": -0.5, "II": 1.0},
}
"""Einthoven's (III) and Goldberger's (aVR, aVL, aVF) leads as sums of I and II."""
_CANONICAL = {name.upper(): name for name in LEADS_12}


def canonical(name: str) -> str:
    """The usual spelling of a lead ("avr", "AVR", "Lead II", "ECG V1", "MLII" -> "aVR", "aVR", "II", "V1", "II").

    Others are kept as given, "-aVR" too, which is another signal.
    """
    text = str(name).strip()
    key = text.upper()
    for prefix in ("ECG", "LEAD"):
        key = key.removeprefix(prefix).lstrip(" _-") if key.startswith(prefix) else key
    return _CANONICAL.get(key.removeprefix("ML"), text)


def default_leads(count: int) -> tuple[str, ...]:
    """Names where none are given: the standard twelve or eight, else L1, L2 ..."""
    if count in (12, 8):
        return LEADS_12 if count == 12 else LEADS_8
    return tuple(f"L{at}" for at in range(1, count + 1))
