"""What a cardiologist would ask: the measurements of beats on both sides, and the laws between leads.

scorecard: {"by", "reason", "without", "sizes" (of the floors), "rows": [row]}; row: {"key", "title", "unit", "real":
side, "synthetic": side, "distance", "ks", "plausible" (cells), "chart" or None}; side: {"median", "quartiles", "n",
"failed", "mean", "sd"};
chart: {"low", "high", "edges" (places 0 to 1), "real", "synthetic" (shares by bin), "ticks"}.
laws: {"residuals": [{"law", "real", "synthetic"}], "einthoven", "correlation" (cells), "pairs": the pairs of leads
whose correlations differ most}.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

import numpy as np

from truegrade.ecg.scores import ECG_SCORES
from truegrade.report.summary.ecg_words import View, cell, figure, lead_name, shared_sizes
from truegrade.report.summary.scale import Scale
from truegrade.report.words import safe
from truegrade.result import Score
from truegrade.result.ecg import EcgGrades, LeadLaws, Measurement, Scorecard, Spread
from truegrade.result.score import About

_DISTANCE, _LAWS, _CORRELATION = (
    ECG_SCORES[key].about for key in ("heart_rate_distance", "einthoven_error", "lead_correlation_error")
)
_SHARE_LOWER = About("ecg", "lower", (0.0, 1.0), None, "", "", "")
_SHARE_HIGHER = About("ecg", "higher", (0.0, 1.0), None, "", "", "")
_PAIRS = 5


def scorecard_view(ecg: EcgGrades, scores: Mapping[str, Score]) -> View | None:
    """The clinical scorecard, of it what was asked for; None where nothing was."""
    card = ecg.scorecard
    if card is None:
        return None
    asked = {key for key in scores if key in ECG_SCORES and ECG_SCORES[key].part == "scorecard"}
    shown = [one for one in card.measurements if not asked or f"{one.key}_distance" in asked]
    rows = [_measured(one) for one in shown]
    return {
        "by": safe(card.by, 120),
        "reason": safe(card.reason or "", 400),
        "without": _without(card),
        "rows": rows,
        "sizes": shared_sizes(row[key] for row in rows for key in ("distance", "ks", "plausible")),
    }


def _without(card: Scorecard) -> str:
    real, synthetic = card.without_beats
    if not real and not synthetic:
        return ""
    return f"No beat was found in {real:,} real and {synthetic:,} synthetic recordings."


def _measured(one: Measurement) -> View:
    return {
        "key": one.key,
        "title": safe(one.title, 60),
        "unit": safe(one.unit, 12),
        "real": _spread(one.real),
        "synthetic": _spread(one.synthetic),
        "distance": cell(one.distance, _DISTANCE),
        "ks": cell(one.ks, _SHARE_LOWER),
        "plausible": cell(one.plausible, _SHARE_HIGHER),
        "chart": _chart(one),
    }


def _spread(one: Spread) -> View:
    known = one.n > 0 and len(one.quantiles) == 5
    return {
        "n": one.n,
        "failed": one.failed,
        "median": figure(one.quantiles[2]) if known else "\u2013",
        "quartiles": f"{figure(one.quantiles[1])} to {figure(one.quantiles[3])}" if known else "",
        "mean": figure(one.mean),
        "sd": figure(one.sd),
    }


def _chart(one: Measurement) -> View | None:
    """Both histograms as shares of the recordings with a value; None where there is nothing to draw."""
    edges = np.asarray(one.edges, dtype=np.float64)
    if len(edges) < 2 or not np.isfinite(edges).all() or not edges[-1] > edges[0] or (np.diff(edges) <= 0).any():
        return None
    bins = len(edges) - 1
    if len(one.real.counts) != bins or len(one.synthetic.counts) != bins:
        return None
    low, high = float(edges[0]), float(edges[-1])
    return {
        "edges": [round(float(at), 5) for at in (edges - low) / (high - low)],
        "real": _shares(one.real),
        "synthetic": _shares(one.synthetic),
        "ticks": _few(Scale(low, high).ticks()),
    }


def _few(ticks: list[View]) -> list[View]:
    """At most four, evenly taken."""
    every = -(-len(ticks) // 4)
    return ticks[:: max(1, every)]


def _shares(one: Spread) -> list[float]:
    whole = max(1, sum(one.counts))
    return [round(count / whole, 5) for count in one.counts]


# --- laws between leads ------------------------------------------------------------------------------------


def laws_view(ecg: EcgGrades) -> View | None:
    """Residuals of the laws, and where the correlations of leads differ most; None where there are none."""
    laws = ecg.laws
    if laws is None:
        return None
    return {
        "residuals": [
            {"law": safe(law, 40), "real": _millivolts(real), "synthetic": _millivolts(synthetic)}
            for law, (real, synthetic) in laws.residuals.items()
        ],
        "einthoven": cell(laws.einthoven, _LAWS),
        "correlation": cell(laws.correlation_error, _CORRELATION),
        "pairs": _correlations(laws, ecg.leads),
    }


def _millivolts(value: float) -> str:
    return figure(value) if math.isfinite(value) else "no value"


def _correlations(laws: LeadLaws, leads: tuple[str, ...]) -> list[View]:
    count = len(leads)
    if laws.real.shape != (count, count) or laws.synthetic.shape != (count, count):
        return []
    pairs = [(i, j) for i, j in itertools.combinations(range(count), 2) if _both(laws, i, j)]
    pairs.sort(key=lambda at: -abs(float(laws.synthetic[at]) - float(laws.real[at])))
    return [
        {
            "leads": f"{lead_name(leads[i])} and {lead_name(leads[j])}",
            "real": f"{laws.real[i, j]:.2f}",
            "synthetic": f"{laws.synthetic[i, j]:.2f}",
        }
        for i, j in pairs[:_PAIRS]
    ]


def _both(laws: LeadLaws, i: int, j: int) -> bool:
    return bool(np.isfinite(laws.real[i, j]) and np.isfinite(laws.synthetic[i, j]))
