"""What a page shows beyond the tables, as parts of the summary: each from the result, none from another."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from truegrade.report.summary.card import grade_card, planes
from truegrade.report.summary.contrasts import contrasts
from truegrade.report.summary.detail import group_tables, metric_details
from truegrade.report.summary.origin import left_out, provenance
from truegrade.result import Comparison, Evaluation


def page_parts(result: Evaluation | Comparison, models: Mapping[str, Evaluation]) -> dict[str, Any]:
    """{"card", "planes", "contrasts", "groups", "metrics", "left_out", "provenance"}; see the modules for each."""
    comparison = result if isinstance(result, Comparison) else None
    return {
        "card": grade_card(models),
        "planes": planes(models),
        "contrasts": None if comparison is None else contrasts(comparison),
        "groups": group_tables(models),
        "metrics": metric_details(models),
        "left_out": left_out(models, comparison),
        "provenance": provenance(models),
    }


def strict(value: Any) -> Any:
    """The same with None for every number that is not finite, so that it is strict JSON."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: strict(inside) for key, inside in value.items()}
    if isinstance(value, (list, tuple)):
        return [strict(inside) for inside in value]
    return value
