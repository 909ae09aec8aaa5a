"""WFDB headers (.hea) as data, checked against themselves and against the data files they name.

Format: https://physionet.org/physiotools/wag/header-5.htm. Nothing outside a header's folder is ever opened.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from truegrade.errors import InputError
from truegrade.recordings.checking import UNITS, check_units
from truegrade.recordings.leads import canonical
from truegrade.tables.naming import quoted, shown

SAMPLE_BYTES = {
    8: Fraction(1), 16: Fraction(2), 24: Fraction(3), 32: Fraction(4), 61: Fraction(2), 80: Fraction(1),
    160: Fraction(2), 212: Fraction(3, 2), 310: Fraction(4, 3), 311: Fraction(4, 3),
}  # fmt: skip
"""Bytes of a sample by format."""
PACKED = (508, 516, 524)  # FLAC: their length is known only after unpacking
_INVALID = {16: -(2**15), 24: -(2**23), 32: -(2**31), 61: -(2**15), 80: -(2**7), 160: -(2**15), 212: -(2**11),
            310: -(2**9), 311: -(2**9), 508: -(2**7), 516: -(2**15), 524: -(2**23)}  # fmt: skip
_MOST_RATIO = 200  # samples a byte of a packed file
_MOST_BYTES, _MOST_SIGNALS = 2**20, 4096
_RECORD = re.compile(r"(?P<name>[^\s/]+)(?:/(?P<parts>\d+))?$")
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_RATE = re.compile(rf"(?P<fs>{_NUMBER})(?:/{_NUMBER})?(?:\({_NUMBER}\))?$")
_FORMAT = re.compile(r"(?P<fmt>\d{1,4})(?:x(?P<frame>\d{1,6}))?(?::(?P<skew>\d{1,9}))?(?:\+(?P<offset>\d{1,15}))?$")
_GAIN = re.compile(rf"(?P<gain>{_NUMBER})(?:\((?P<base>[+-]?\d{{1,12}})\))?(?:/(?P<units>\S+))?$")
_WHOLE = re.compile(r"[+-]?\d{1,12}$", re.ASCII)


@dataclass(frozen=True)
class Signal:
    """One signal line. `lead` is "" where it has no name; `gain` 0 where the signal is not calibrated."""

    file: str
    fmt: int
    frame: int
    skew: int
    offset: int
    gain: float
    baseline: int
    units: str
    checksum: int | None
    padded: bool
    lead: str

    @property
    def invalid(self) -> int | None:
        """The number that stands for "no value"."""
        return _INVALID.get(self.fmt)

    @property
    def factor(self) -> float | None:
        """Units to mV; None where they are no voltage."""
        try:
            return UNITS[check_units(self.units, self.lead)]
        except InputError:
            return None


@dataclass(frozen=True)
class Header:
    """A record's header: `path` without suffix, `fs` None where it is not given, `length` in frames."""

    path: Path
    fs: float | None
    length: int
    signals: tuple[Signal, ...]
    comments: Mapping[str, str] = field(default_factory=dict)


def read_header(path: Path, who: str) -> Header:
    """The header `path` (.hea) and its check against the data files; InputError with what is wrong."""
    with open(path, "rb") as file:
        raw = file.read(_MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        raise InputError(f"{who} has a header of more than {_MOST_BYTES:,} bytes, which no header has.")
    lines = [line.strip() for line in raw.decode("utf-8", "replace").splitlines() if line.strip()]
    body = [line for line in lines if not line.startswith("#")]
    if not body:
        raise InputError(f"{who} has an empty header.")
    count, fs, length = _record_line(body[0], who)
    if len(body) - 1 != count:
        raise InputError(f"{who}: its header promises {count} signals and describes {len(body) - 1}.")
    signals = tuple(_signal_line(line, who) for line in body[1:])
    header = Header(path.with_suffix(""), fs, length, signals, _comments(lines))
    return _checked(header, who)


def _record_line(line: str, who: str) -> tuple[int, float | None, int]:
    """Number of signals, rate, and length (0 where it is not given)."""
    words = line.split()
    name = _RECORD.match(words[0])
    counts = len(words) > 1 and words[1].isascii() and words[1].isdigit() and len(words[1]) < 9
    if name is None or not counts:
        raise InputError(f"{who}: {quoted(line)} is no record line of a WFDB header (name, number of signals, ...).")
    if name["parts"] is not None:
        raise InputError(f"{who} is a record of {name['parts']} segments; give the segments' own headers.")
    if not 0 < int(words[1]) <= _MOST_SIGNALS:
        raise InputError(f"{who}: its header describes {words[1]} signals; 1 to {_MOST_SIGNALS:,} are accepted.")
    rate = _RATE.match(words[2]) if len(words) > 2 else None
    if len(words) > 2 and (rate is None or not 0 < float(rate["fs"]) < math.inf):
        raise InputError(f"{who}: {quoted(words[2])} is no sampling rate.")
    if len(words) > 3 and not (words[3].isascii() and words[3].isdigit() and len(words[3]) < 16):
        raise InputError(f"{who}: {quoted(words[3])} is no number of samples.")
    return int(words[1]), float(rate["fs"]) if rate else None, int(words[3]) if len(words) > 3 else 0


def _signal_line(line: str, who: str) -> Signal:
    words = line.split(maxsplit=8)
    form = _FORMAT.match(words[1]) if len(words) > 1 else None
    gain = _GAIN.match(words[2]) if len(words) > 2 else None
    numbers = [word for word in words[3:8] if _WHOLE.match(word)]
    if form is None or (len(words) > 2 and gain is None) or len(numbers) < len(words[3:8]):
        raise InputError(f"{who}: {quoted(line)} is no signal line of a WFDB header.")
    if int(form["fmt"]) not in SAMPLE_BYTES and int(form["fmt"]) not in PACKED:
        raise InputError(f"{who}: the signal format {form['fmt']} is not known.")
    zero = int(numbers[1]) if len(numbers) > 1 else 0
    return Signal(
        file=words[0],
        fmt=int(form["fmt"]),
        frame=int(form["frame"] or 1) or 1,
        skew=int(form["skew"] or 0),
        offset=int(form["offset"] or 0),
        gain=float(gain["gain"]) if gain else 0.0,
        baseline=int(gain["base"]) if gain and gain["base"] else zero,
        units=(gain["units"] if gain else None) or "mV",
        checksum=int(numbers[3]) if len(numbers) > 3 else None,
        padded=len(numbers) > 4 and int(numbers[4]) != 0,
        lead=canonical(words[8]) if len(words) > 8 else "",
    )


def _comments(lines: list[str]) -> dict[str, str]:
    """What comments such as "# Age: 56" say."""
    pairs = (line.lstrip("#").partition(":") for line in lines if line.startswith("#"))
    return {key.strip(): value.strip() for key, mark, value in pairs if mark and key.strip()}


def _checked(header: Header, who: str) -> Header:
    """The header with its length, taken from the data file where it is not given; see `read_header`."""
    length = header.length
    for name in dict.fromkeys(signal.file for signal in header.signals):
        signals = [signal for signal in header.signals if signal.file == name]
        first = signals[0]
        if any((one.fmt, one.offset) != (first.fmt, first.offset) for one in signals):
            raise InputError(f"{who}: the signals of {quoted(name)} have different formats or offsets.")
        size = data_file(header.path.parent, name, who).stat().st_size - first.offset
        frame = sum(signal.frame for signal in signals)
        if first.fmt in PACKED:
            if not 0 < length * frame <= max(size, 0) * _MOST_RATIO:
                raise InputError(f"{who}: its header promises {length:,} samples, which {size:,} bytes cannot hold.")
            continue
        each = SAMPLE_BYTES[first.fmt] * frame
        length = length or max(0, int(size / each))
        need = math.ceil(each * length)
        if size < need or length < 2:
            raise InputError(
                f"{who} is cut short: its header promises {length:,} samples of {len(signals)} signals, {need:,} "
                f"bytes; {shown(name)} holds {max(size, 0):,}."
            )
        if size - need >= max(int(each), 4) and not any(signal.padded for signal in signals):
            raise InputError(
                f"{who}: its header describes {need:,} bytes ({length:,} samples of {len(signals)} signals), and "
                f"{shown(name)} holds {size:,}. Is it the header of another file?"
            )
    return Header(header.path, header.fs, length, header.signals, header.comments)


def data_file(folder: Path, name: str, who: str) -> Path:
    """The data file beside a header; InputError where the name leads elsewhere or to no file."""
    if re.fullmatch(r"[\w.\-]+", name) is None or name.strip(".") == "" or name in ("-", "~"):
        raise InputError(
            f"{who}: its header names the data file {quoted(name)}, which is no plain name of a file beside it; files "
            "elsewhere are not read."
        )
    path = folder / name
    if not path.is_file():
        raise InputError(f"{who}: its data file {shown(name)} is not there.")
    return path
