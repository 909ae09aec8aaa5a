"""A column told by plain Python: one spelling of equal values, counts, mean and spread."""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal, InvalidOperation


def spelling(value):
    """The one spelling of equal values, None where it is missing."""
    if value is None or value != value:
        return None
    text = str(value).strip()
    if text.lower() in ("", "na", "n/a", "nan", "null", "none", "<na>"):
        return None
    if text.lower() in ("true", "false"):
        return text.lower()
    digits = text.lstrip("+-")
    if not digits.replace(".", "", 1).isdigit() or not digits.isascii() or (digits[0] == "0" and digits[1:2].isdigit()):
        return text
    try:
        exact = Decimal(text)
    except InvalidOperation:
        return text
    if abs(exact) >= 2**53:
        return text
    nearest = float(exact)
    return str(int(nearest)) if nearest == int(nearest) else repr(nearest)


def counts(values):
    return Counter(text for text in map(spelling, values) if text is not None)


def moments(values):
    """Mean and sample deviation of what is not NaN."""
    known = [value for value in values if value == value]
    mean = math.fsum(known) / len(known)
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in known) / (len(known) - 1))
