"""The codes of findings with what they mean, and how a finding is put together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from truegrade.result.ecg import Finding, Severity, Side

MOST_NAMED = 10


@dataclass(frozen=True)
class Code:
    """What a code means, and how serious it usually is."""

    severity: Severity
    meaning: str


CODES: dict[str, Code] = {
    "axes-swapped": Code("refuse", "the axes are not (recordings, leads, samples)"),
    "leads-too-many": Code("refuse", "more leads than an ECG has"),
    "units-differ": Code("refuse", "the sides are in different units"),
    "units-implausible": Code("refuse", "the values cannot be in the units stated"),
    "units-unknown": Code("note", "nobody stated the units"),
    "units-mixed": Code("refuse", "single recordings are in other units than the rest"),
    "amplitudes-differ": Code("warn", "one side is many times as high as the other"),
    "normalised-differ": Code("refuse", "one side alone was normalised"),
    "normalised": Code("warn", "the values were normalised: amplitudes are lost"),
    "leads-differ": Code("refuse", "the sides have different leads, or in another order"),
    "lead-order-differs": Code("refuse", "by the laws of the limb leads the sides hold them in different orders"),
    "lead-order": Code("warn", "by the laws of the limb leads they are in another order than their names"),
    "laws-broken": Code("warn", "the limb leads are not what they should be of each other"),
    "chest-order": Code("note", "the chest leads look like another order"),
    "leads-equal": Code("warn", "two leads are one and the same"),
    "no-beats": Code("warn", "most recordings have no beats"),
    "too-short": Code("refuse", "recordings last less than a second"),
    "fs-low": Code("warn", "the sampling rate is too low for beats"),
    "fs-differ": Code("refuse", "the sides have different sampling rates"),
    "fs-missing": Code("warn", "nobody stated the sampling rate"),
    "fs-implausible": Code("refuse", "heart rates and QRS widths speak against the sampling rate stated"),
    "fs-suspect": Code("warn", "beats of one side are faster and narrower by one factor"),
    "lengths-differ": Code("refuse", "the sides have recordings of different lengths"),
    "all-missing": Code("refuse", "no recording has a signal"),
    "lead-absent": Code("warn", "a lead has no signal in any recording"),
    "leads-flat": Code("warn", "some leads are constant"),
    "values-missing": Code("warn", "some leads have a NaN or an infinity"),
    "clipped": Code("warn", "some leads are cut off at their extreme values"),
    "padded": Code("warn", "recordings end in a constant"),
    "offset": Code("warn", "the baseline lies far from zero"),
    "arms-swapped": Code("note", "recordings look as if the arm electrodes were swapped"),
    "inverted": Code("warn", "leads of one side point the other way"),
    "duplicates": Code("warn", "recordings occur more than once"),
    "same-records": Code("warn", "synthetic recordings are exact copies of real ones"),
    "holdout-shared": Code("warn", "recordings or patients stand on the real side and in the hold-out"),
    "too-few": Code("refuse", "too few recordings"),
    "quantum-tell": Code("note", "the values of one side are multiples of a step"),
    "laws-tell": Code("note", "derived leads follow their laws more exactly on one side"),
    "powerline-tell": Code("note", "mains hum on one side only"),
    "spectrum-tell": Code("note", "nothing above a frequency on one side only"),
    "spectrum-cut": Code("note", "nothing above a frequency: resampled from a lower rate"),
    "mean-tell": Code("note", "a mean of exactly zero on one side only"),
}
"""Every code that `preflight` and `look_at` can give."""


def finding(
    code: str,
    side: Side,
    text: str,
    mend: str,
    *,
    severity: Severity | None = None,
    count: int = 0,
    records: Sequence[str] = (),
    leads: Sequence[str] = (),
) -> Finding:
    """A finding of a code in `CODES`, with its usual severity unless another is given."""
    named = tuple(plain(one) for one in records[:MOST_NAMED])
    return Finding(code, severity or CODES[code].severity, side, text, mend, count or len(records), named, tuple(leads))


def plain(name: object, most: int = 80) -> str:
    """A name as it may stand in a sentence: printable characters only, not too long."""
    text = "".join(char if char.isprintable() else "?" for char in str(name)[: most + 1])
    return text if len(text) <= most else f"{text[: most - 1]}…"


def listed(names: Sequence[object], most: int = 5) -> str:
    """Names in a row: the first few, and how many more there are."""
    shown = ", ".join(plain(one, 40) for one in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def option(name: str, value: object, side: Side = "both") -> str:
    """How to say something of the recordings: for one side or all, in Python and on the command line."""
    shown = json.dumps(value, ensure_ascii=False)
    if isinstance(value, float):
        shown = value = f"{value:g}"
    if isinstance(value, list):
        value = ",".join(value)
    if side == "both":
        return f'ecg={{"{name}": {shown}}} (--{name} {value})'
    return f'ecg={{"{name}": {{"{side}": {shown}}}}} (--{name} {side}={value})'
