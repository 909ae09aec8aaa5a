"""Results made by hand, with every field filled: what reports are drawn from, without any computing."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from truegrade.errors import Notice
from truegrade.metrics import METRICS
from truegrade.result import (
    About,
    Agreement,
    Comparison,
    Difference,
    Evaluation,
    Group,
    Interval,
    Provenance,
    Rank,
    Reference,
    Repeats,
    Score,
    SetFacts,
    Trace,
)

HOSTILE = "<script>alert(1)</script>\"'&\u202eevil\u0007"
LONG = "long name " * 1000
ARABIC = "نموذج جديد"
KEYS = (
    "clipped_density",
    "symmetric_precision",
    "clipped_coverage",
    "symmetric_recall",
    "frechet_distance",
    "authenticity",
    "copying_test",
    "nn_two_sample",
)
_FLOORS = {"frechet_distance": 18.0, "authenticity": 0.57, "copying_test": 0.2, "nn_two_sample": 0.51}


def about(key: str) -> About:
    """The record of a real metric, as an evaluation copies it."""
    info = METRICS[key].info
    texts = (info.formula, info.reading, info.reference)
    return About(info.family, info.direction, info.range, info.target, *texts)


def score(
    key: str, value: float, half: float = 0.02, labels: tuple[str, ...] = ("0", "1", "2"), seed: int = 0
) -> Score:
    """A score with interval, reference, trace, repeats, values per sample and per label, details and a warning."""
    rng = np.random.default_rng(seed)
    low, high = about(key).range
    interval = Interval(max(low, value - half), min(high, value + half), 0.95, "made by hand")
    draws = value + half * rng.normal(size=9)
    quartiles = dict(
        zip(("p05", "q25", "median", "q75", "p95"), np.quantile(draws, (0.05, 0.25, 0.5, 0.75, 0.95)), strict=True)
    )
    groups = {label: Group(value - 0.01 * i, 100, 90 + i, replace(interval)) for i, label in enumerate(labels)}
    return Score(
        key=key,
        title=METRICS[key].info.title,
        about=about(key),
        value=value,
        raw=value * 1.1,
        n_real=300,
        n_synthetic=300,
        interval=interval,
        floor=Reference(_FLOORS.get(key, 0.97), 300, 300, "real against hold-out"),
        trace=Trace(value + half / 2 * np.sin(np.arange(1.0, 9.0) + seed), 1.0, "shared"),
        repeats=Repeats(draws, (300,) * 9, "9 runs", float(draws.mean()), float(draws.std(ddof=1)), **quartiles),
        per_sample={"synthetic": rng.gamma(2.0, size=300), "real": (rng.random(300) < 0.8).astype(float)},
        per_group={**groups, "rare": Group(None, 3, 0, None, "no synthetic samples")},
        details={"chance": 0.5, "exact_copies": 0, "note": None},
        parameters={"k": 5, "compat": None},
        warnings=(Notice("unbounded", "note", f"About {METRICS[key].info.title}."),),
    )


def evaluation(name: str = "model", shift: float = 0.0, keys: tuple[str, ...] = KEYS, **changes: Any) -> Evaluation:
    """An evaluation of these scores, the worse the larger the shift (0 to 0.9)."""
    values = {
        "clipped_density": 0.98 - 0.3 * shift,
        "symmetric_precision": 0.96 - 0.4 * shift,
        "clipped_coverage": 0.97 - shift,
        "symmetric_recall": 0.95 - 0.8 * shift,
        "frechet_distance": 19 + 900 * shift,
        "authenticity": 0.56 - shift / 2,
        "copying_test": 0.3 - 3 * shift,
        "nn_two_sample": 0.5 + shift / 2,
    }
    scores = {
        key: score(key, values[key], 4.0 if key == "frechet_distance" else 0.02, seed=i) for i, key in enumerate(keys)
    }
    facts = SetFacts("real digits", 300, 64, "float32", "0123456789abcdef0123456789abcdef", "memory")
    made = Provenance({"python": "3.11", "truegrade": "0.1.0"}, 0, 2, "2026-01-01T00:00:00+00:00", 1.5)
    serious = Notice("scale_mismatch", "serious", "Synthetic features spread 40 times as widely as the real ones.")
    known: dict[str, Any] = {
        "scores": scores,
        "real": facts,
        "synthetic": replace(facts, name=name, fingerprint="ab" * 16),
        "provenance": made,
        "holdout": replace(facts, name="hold-out"),
        "notices": (serious,) if shift > 0.5 else (),
        "plan": "sweep 1: inside real\n    5 nearest neighbours",
    }
    return Evaluation(**{**known, **changes})


def comparison(names: tuple[str, ...] = ("A", "B", "C"), keys: tuple[str, ...] = KEYS) -> Comparison:
    """A comparison of models that become worse by equal steps, with an undefined score and one without interval."""
    step = 0.6 / max(1, len(names) - 1)
    evaluations = {name: evaluation(name, step * i, keys) for i, name in enumerate(names)}
    evaluations[names[-1]] = replace(evaluations[names[-1]], scores=_with_gaps(evaluations[names[-1]]))
    differences = tuple(_difference(evaluations, key, a, b) for key in keys for a, b in combinations(names, 2))
    ranks = {
        key: {name: Rank(i + 1, i + 1 if i else min(2, len(names))) for i, name in enumerate(names)} for key in keys
    }
    agreements = tuple(Agreement(a, b, (-1.0) ** i * 0.6, 3, 2) for i, (a, b) in enumerate(combinations(keys, 2)))
    return Comparison(evaluations, differences, ranks, agreements)


def _with_gaps(one: Evaluation) -> dict[str, Score]:
    """The same scores, one of them undefined and one without interval and reference."""
    scores = dict(one.scores)
    first, second = list(scores)[-2:]
    scores[first] = replace(
        scores[first], value=None, raw=None, interval=None, floor=None, status="undefined", reason="too few cells"
    )
    missing = {"interval": "fewer than 8 samples", "floor": "no hold-out"}
    scores[second] = replace(scores[second], interval=None, floor=None, missing=missing)
    return scores


def _difference(evaluations: dict[str, Evaluation], key: str, a: str, b: str) -> Difference:
    x, y = evaluations[a][key].value, evaluations[b][key].value
    if x is None or y is None:
        return Difference(key, a, b, None, reason="one of the two has no value")
    half = 6.0 if key == "frechet_distance" else 0.03
    p = 0.0004 if abs(x - y) > half else 0.31
    better = None if p > 0.05 else (a if (x > y) == (evaluations[a][key].about.direction == "higher") else b)
    return Difference(
        key, a, b, x - y, Interval(x - y - half, x - y + half, 0.95, "paired"), p, min(1.0, 3 * p), better, True
    )
