"""Texts of cells: which are missing, which are numbers or truth values, and one spelling for equal values."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "<na>"})
"""Texts, in any capitals, that stand for a missing value: in files and in frames alike."""
TRUTHS = {word: word[0] in "ty1" for word in ("true", "t", "yes", "y", "1", "false", "f", "no", "n", "0")}
"""Words, in any capitals, for truth values."""

_PLAIN = re.compile(r"[+-]?(?:(?:0|[1-9]\d{0,15})(?:\.\d*)?|\.\d+)", re.ASCII)
_CODE = re.compile(r"[+-]?0\d+", re.ASCII)
_COMMA = re.compile(r"[+-]?\d{1,3}(?:[. ]?\d{3})*,\d+", re.ASCII)


def canonical(text: str) -> str | None:
    """The one spelling of equal values, None for a missing one.

    Outer white space goes; "1.0" and "+1" are "1", "1.50" is "1.5", "TRUE" is "true"; "007" and "1e3" stay as they are.
    """
    stripped = text.strip()
    if len(stripped) < 6:
        small = stripped.lower()
        if small in MISSING:
            return None
        if small in ("true", "false"):
            return small
    if _PLAIN.fullmatch(stripped) and abs(value := float(stripped)) < 2**53:
        return number_text(value)
    return stripped


def number_text(value: float) -> str:
    """The canonical text of a number: "1" for 1.0, else the shortest that gives it back."""
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


def number_of(text: str) -> float | None:
    """The number that a text holds, infinities included; NaN where it is missing, None for any other text."""
    if "_" in text:  # float("1_0") is 10
        return None
    try:
        return float(text)
    except ValueError:
        return math.nan if text.strip().lower() in MISSING else None


def is_code(text: str) -> bool:
    """Whether digits are a code and not a number: a leading zero (007), or more digits than float64 tells apart."""
    stripped = text.strip()
    if _CODE.fullmatch(stripped):
        return True
    digits = stripped.lstrip("+-")
    return len(digits) > 15 and digits.isdigit() and int(digits) > 2**53


def all_numbers(texts: Iterable[str]) -> bool:
    """Whether every text is a finite number and none is a code."""
    return all(finite(text) and not is_code(text) for text in texts)


def finite(text: str) -> bool:
    """Whether the text is a finite number."""
    value = number_of(text)
    return value is not None and math.isfinite(value)


def has_decimal_commas(texts: Iterable[str]) -> bool:
    """Whether all texts are numbers and some are written with a decimal comma (1,5)."""
    found = False
    for text in texts:
        comma = _COMMA.fullmatch(text.strip()) is not None
        if not comma and number_of(text) is None:
            return False
        found = found or comma
    return found
