"""Grades of recordings as they are where nobody wants real against real."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from truegrade.ecg.verdict import verdict
from truegrade.result.ecg import EcgGrades, Number

_NONE: dict[str, Any] = {"floor": None, "floor_low": None, "floor_high": None, "floor_n": 0, "floor_m": 0, "cuts": 0}


def without_floors(grades: EcgGrades) -> EcgGrades:
    """The same numbers without their floors, and a verdict that needs none; whether recordings were copied stays."""
    bare: EcgGrades = _bare(grades)
    bare = replace(bare, settings={key: value for key, value in grades.settings.items() if key != "cuts"})
    return replace(bare, verdict=verdict(bare))


def _bare(found: Any) -> Any:
    if isinstance(found, Number):
        return replace(found, **_NONE, note="No floor was asked for.")
    if isinstance(found, Mapping):
        return {key: _bare(value) for key, value in found.items()}
    if isinstance(found, tuple):
        return tuple(_bare(value) for value in found)
    if is_dataclass(found) and not isinstance(found, type):
        return replace(found, **{field.name: _bare(getattr(found, field.name)) for field in fields(found)})
    return found
