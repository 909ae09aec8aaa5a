"""MetricResult: what a metric of the registry answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, eq=False)
class MetricResult:
    """Score of synthetic recordings against real ones, in all and by lead.

    Attributes:
        metric_name: the key in `AVAILABLE_METRICS`.
        score: mean over the leads that have real recordings. Infinite (minus infinity where higher is better), with a
            `reason`, where a lead that the synthetic recordings lack has no worst value; never NaN.
        higher_is_better: direction of the score.
        per_lead_scores: by lead; None where it is undefined, `extra["reasons"]` then says why.
        extra: more numbers by name and lead; always "missing_real", "missing_synthetic": recordings without a signal.
        description, reference: what was measured, and where it comes from.
        corrected: what differs from ecgen-eval 0.5.0 ("" where its number was asked for).
        reason: why the score is infinite.
    """

    metric_name: str
    score: float
    higher_is_better: bool = False
    per_lead_scores: Mapping[str, float | None] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    description: str = ""
    reference: str = ""
    corrected: str = ""
    reason: str | None = None

    def summary_dict(self) -> dict[str, Any]:
        """Name, score, direction and scores by lead, rounded to six digits after the point."""
        leads = {lead: None if value is None else round(value, 6) for lead, value in self.per_lead_scores.items()}
        return {
            "metric": self.metric_name,
            "score": round(self.score, 6),
            "higher_is_better": self.higher_is_better,
            "per_lead_scores": leads,
        }
