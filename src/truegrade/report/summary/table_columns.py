"""Columns in a report: how each was read, its scores, both sides' facts, and curves of the worst.

column: {"name", "type", "why", "status", "reason", "scores": {key: measure}, "missing": {"real", "synthetic"},
"real", "synthetic" (facts in words), "sort"}.
curve: {"name", "type", "words", "x" (axis) or None, "at", "real", "synthetic" (numbers), or "bars": [{"name", "real",
"synthetic", "text"}], "left_out"}.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from truegrade.report.summary.table_words import (
    NONE,
    TYPES,
    View,
    axis,
    column_name,
    measure,
    ratio_text,
    title,
    value_text,
)
from truegrade.report.words import counted, safe
from truegrade.result.table import ColumnGrade, Curves, TableGrades
from truegrade.tables import Facts

COLUMNS, CURVES, BARS, POINTS = 120, 12, 12, 160  # rows of the table, pictures, categories, places of a line
KEYS = ("eden_line", "ks", "total_variation", "range_coverage", "category_coverage", "missing_share")


def typing(table: TableGrades) -> list[View]:
    """Every column with its type and why it was read as that, in the order of the table."""
    return [
        {"name": column_name(c.name), "type": TYPES[c.type], "why": safe(c.why, 120), "status": c.status}
        for c in table.columns
    ]


def columns_view(table: TableGrades) -> View:
    """{"keys": those with a value in any column, "rows": [column], "left_out"}; the worst where there are many.

    Missing values stand in each row as shares.
    """
    columns = list(table.columns)
    if len(columns) > COLUMNS:
        worst = set(sorted(range(len(columns)), key=lambda i: badness(columns[i]))[:COLUMNS])
        columns = [column for i, column in enumerate(columns) if i in worst]
    used = {key for column in columns for key in column.scores}
    keys = [key for key in (*KEYS, *sorted(used - set(KEYS))) if key in used and key != "missing_share"]
    return {
        "keys": [{"key": key, "title": title(key)} for key in keys],
        "rows": [_column(column, keys) for column in columns],
        "left_out": len(table.columns) - len(columns),
    }


def badness(column: ColumnGrade) -> float:
    """For sorting: what the synthetic table lacks first, then by the main score; without scores last."""
    return -1.0 if column.lacking else math.inf if column.ratio is None else column.ratio


def _column(column: ColumnGrade, keys: list[str]) -> View:
    return {
        "name": column_name(column.name),
        "type": TYPES[column.type],
        "why": "" if column.why in (column.reason or "") else safe(column.why, 120),
        "status": column.status,
        "reason": safe(column.reason or "", 300),
        "lacking": column.lacking,
        "ratio": ratio_text(column.ratio),
        "scores": [measure(key, column.scores[key]) if key in column.scores else None for key in keys],
        "missing": {"real": _missing(column.real), "synthetic": _missing(column.synthetic)},
        "real": facts(column.real, column.type),
        "synthetic": facts(column.synthetic, column.type),
    }


def _missing(one: Facts | None) -> str:
    if one is None or not one.rows:
        return NONE
    share = 100 * one.missing / one.rows
    return "0 %" if not one.missing else f"{share:.1f} %" if share >= 0.1 else "< 0.1 %"


def facts(one: Facts | None, kind: str) -> str:
    """The range, mean and spread of numbers; how many values of others."""
    if one is None:
        return "not there"
    if one.rows == one.missing:
        return "no values"
    if kind not in ("number", "date") or one.low is None:
        return counted(one.distinct, "value")
    dates = kind == "date"
    ends = f"{value_text(one.low, dates)} to {value_text(one.high, dates)}"
    spread = "" if one.sd is None else f", sd {_short(one.sd)}{' days' if dates else ''}"
    mean = value_text(one.mean, dates) if dates or one.mean is None else _short(one.mean)
    return f"{ends}, mean {mean}{spread}"


def _short(value: float) -> str:
    return f"{value:.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.3g}"


# --- curves ------------------------------------------------------------------------------------------------


def curves_view(table: TableGrades) -> list[View]:
    """Both sides of the columns that keep their curves, the worst first."""
    have = sorted((c for c in table.columns if c.curves is not None and c.status == "ok"), key=badness)
    views = (_curve(column, column.curves) for column in have if column.curves is not None)
    return [view for view in views if view is not None][:CURVES]


def _curve(column: ColumnGrade, curves: Curves) -> View | None:
    view = {"name": column_name(column.name), "type": TYPES[column.type], "words": _words(column)}
    if curves.names is not None:
        return view | {"x": None, **_bars(curves.names, curves.real, curves.synthetic)}
    if curves.at is None or len(curves.at) < 2 or not np.isfinite(curves.at).all():
        return None
    every = -(-len(curves.at) // POINTS)
    low, high = float(curves.at[0]), float(curves.at[-1])
    if not low < high:
        return None
    return view | {
        "x": axis(column.name, low, high, column.type == "date"),
        "at": _list((curves.at[::every].astype(float) - low) / (high - low)),
        "real": _list(curves.real[::every]),
        "synthetic": _list(curves.synthetic[::every]),
    }


def _words(column: ColumnGrade) -> str:
    shown = measure(column.main, column.scores.get(column.main))
    if shown["status"] != "ok":
        return ""
    beside = f" of {shown['ceiling']} that real data get" if shown["ceiling"] else ""
    return f"{shown['title']} {shown['value']}{beside}"


def _bars(names: tuple[str, ...], real: NDArray[np.float32], synthetic: NDArray[np.float32]) -> View:
    """The largest categories of either side; what the grades call "other", all smaller ones together, comes last."""
    rest = len(names) - 1 if len(names) > BARS and names[-1] == "other" else None
    order = sorted(range(len(names)), key=lambda i: -max(float(real[i]), float(synthetic[i])))
    order = [i for i in order if i != rest][:BARS] + ([] if rest is None else [rest])
    shares = [(i, 100 * float(real[i]), 100 * float(synthetic[i])) for i in order]
    top = max((max(one, other) for _, one, other in shares), default=0.0) or 1.0
    rows = [
        {
            "name": safe(names[i], 40) or "(empty)",
            "rest": i == rest,
            **{side: {"text": f"{share:.1f} %", "part": round(100 * share / top, 1)} for side, share in both.items()},
        }
        for i, one, other in shares
        for both in ({"real": one, "synthetic": other},)
    ]
    return {"bars": rows, "left_out": len(names) - len(order)}


def _list(values: NDArray[np.floating]) -> list[float]:
    return [float(f"{v:.4g}") if math.isfinite(v) else 0.0 for v in values.tolist()]
