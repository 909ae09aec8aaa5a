"""What can be chosen of the scores of a pair of columns, and what they come to. METRICS: Grade Inflation paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

SCORES = (
    "correlation_score",
    "earth_movers_score",
    "jaccard_score",
    "kl_score",
    "js_score",
    "cs_score",
    "eden_score",
)
Bandwidth = Literal["own", "shared"]
Method = Literal["grid", "monte-carlo"]
Correlation = Literal["pearson", "spearman"]


@dataclass(frozen=True)
class Settings:
    """What can be chosen.

    levels: iso-mass proportions linspace(thresh, 1, levels), which bound levels - 1 annuli.
    bandwidth: "own", a kernel for each set, or "shared", one for both.
    rule: "scott", "silverman" (the same in two dimensions), or a factor for each set's standard deviations.
    method: on a "grid", or "monte-carlo" by `size` uniform points drawn with `seed`.
    correlation: of the correlation score. support: part of its largest density from which on a point counts as inside
    a set, for the Jaccard score.
    """

    levels: int = 5
    thresh: float = 0.05
    bandwidth: Bandwidth = "own"
    rule: str | float = "scott"
    method: Method = "grid"
    size: int = 50_000
    seed: int = 0
    correlation: Correlation = "pearson"
    support: float = 0.1


@dataclass(frozen=True)
class PairOutcome:
    """The scores of a pair by key, or why there are none.

    status: "ok", "constant", "missing", "degenerate" (too few rows or distinct values) or "collinear"; reason: words
    for it. undefined: by key, why a single score has no value although the others do. details: cells, cut, annuli.
    """

    status: str
    reason: str | None = None
    values: Mapping[str, float] = field(default_factory=dict)
    undefined: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
