"""Small tables in memory for the tests of columns and pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from truegrade.result.table import ColumnGrade, PairGrade
from truegrade.tables import Coded, MemoryStore, Table, code, describe


def table(columns: Mapping[str, Any], name: str = "table") -> Table:
    arrays = {key: np.asarray(values) for key, values in columns.items()}
    kinds = {"O": "text", "b": "boolean", "M": "date"}
    stored: Any = {key: kinds.get(values.dtype.kind, "number") for key, values in arrays.items()}
    return Table(MemoryStore(arrays, stored), name, "memory")


def coded(real: Mapping[str, Any], synthetic: Mapping[str, Any], types: Any = None) -> tuple[Coded, Coded]:
    """Both sides in the terms of the real one."""
    first, second = table(real, "real"), table(synthetic, "synthetic")
    schema = describe(first, types)
    return code(first, schema), code(second, schema)


def texts(values: Sequence[object]) -> Any:
    return np.array([None if v is None else str(v) for v in values], object)


def find(grades: Sequence[PairGrade], first: str, second: str) -> PairGrade:
    return next(p for p in grades if {p.first, p.second} == {first, second})


def column(grades: Sequence[ColumnGrade], name: str) -> ColumnGrade:
    return next(c for c in grades if c.name == name)


def ring(n: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, n)
    x, y = (f(angle) + 0.05 * rng.standard_normal(n) for f in (np.cos, np.sin))
    return x, y
