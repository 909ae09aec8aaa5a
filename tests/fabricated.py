"""Evaluations made up from values and traces, for tests of what is done with results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from truegrade.metrics import METRICS
from truegrade.result import About, Evaluation, Interval, Provenance, Score, SetFacts, Trace

BASIS = "groups of the real samples"


def trace(values: ArrayLike, *, scale: float | None = None, own: float = 0.0, basis: str = BASIS, **more: Any) -> Trace:
    """Entries that are means of groups, unless another scale is given."""
    entries = np.asarray(values, dtype=np.float64)
    return Trace(entries, 1 / len(entries) ** 0.5 if scale is None else scale, basis, own, **more)


def score(key: str, value: float | None, traced: Trace | None = None, **changes: Any) -> Score:
    """A score of one of the metrics there are; with a trace it also has an interval."""
    info = METRICS[key].info
    about = About(info.family, info.direction, info.range, info.target, info.formula, info.reading, info.reference)
    fields: dict[str, Any] = {"key": key, "title": info.title, "about": about, "value": value, "trace": traced}
    fields |= {"n_real": 100, "n_synthetic": 100}
    if value is None:
        fields |= {"status": "undefined", "reason": "it cannot be computed"}
    if value is not None and traced is not None:
        reach = 2 * traced.error
        fields["interval"] = Interval(value - reach, value + reach, 0.95, "made up")
    return Score(**(fields | changes))


def evaluation(name: str, *scores: Score, m: int = 100, real: str = "real", **changes: Any) -> Evaluation:
    """An evaluation of a set with this name; its fingerprint is the name, that of the real set is `real`."""
    fields: dict[str, Any] = {
        "scores": {s.key: s for s in scores},
        "real": SetFacts("real", 100, 3, "float64", real, "memory"),
        "synthetic": SetFacts(name, m, 3, "float64", name, "memory"),
        "provenance": Provenance({}, 0, None, "2026-01-01T00:00:00+00:00", 0.0),
    }
    return Evaluation(**(fields | changes))


def steady(name: str, values: Mapping[str, float | None], *, noise: float = 0.01, m: int = 100) -> Evaluation:
    """An evaluation whose scores all have the standard error `noise`, independent of other evaluations."""
    rng = np.random.default_rng([ord(c) for c in name[:50]])
    entries = rng.normal(size=400)
    entries = (entries - entries.mean()) / entries.std(ddof=1) * noise
    made = [score(k, v, None if v is None else trace(v + entries, scale=1.0)) for k, v in values.items()]
    return evaluation(name, *made, m=m)
