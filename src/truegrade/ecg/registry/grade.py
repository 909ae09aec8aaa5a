"""The registry on the two sides of an evaluation: every score with its floor, each failing for itself alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from truegrade.ecg.floors import Cuts, Value, beside, real_cuts
from truegrade.ecg.registry.base import RegistryMetric
from truegrade.ecg.registry.catalogue import AVAILABLE_METRICS
from truegrade.ecg.registry.result import MetricResult
from truegrade.ecg.registry.sides import Pair, pair_of
from truegrade.ecg.registry.waves import read_once
from truegrade.errors import TruegradeError
from truegrade.recordings import Recordings
from truegrade.result.ecg import RegistryGrade
from truegrade.result.record import look_up


def grade_registry(
    real: Recordings,
    synthetic: Recordings,
    *,
    seed: int,
    cuts: int = 2,
    keys: Sequence[str] | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
) -> tuple[RegistryGrade, ...]:
    """All sixteen metrics on the same recordings, sharing what they know of single ones.

    Args:
        seed, cuts: of the real-against-real cuts beside every score.
        keys: which metrics; None for all, `fed` only where `parameters` give it an encoder.
        parameters: of single metrics, by key.

    Raises InputError for an unknown key and for sides that do not agree; whatever a single metric refuses is the reason
    of its missing value.
    """
    pair = pair_of(real, synthetic, None, None)
    found = real_cuts(real, synthetic.n, seed=seed, cuts=cuts)
    given = parameters or {}
    chosen = tuple(key for key in AVAILABLE_METRICS if key != "fed" or key in given) if keys is None else tuple(keys)
    for key in (*chosen, *given):
        look_up(AVAILABLE_METRICS, key, "metric of recordings")
    pair = replace(pair, shelf={})
    floors = [replace(pair, real=pair.real.subset(a), synthetic=pair.real.subset(b), cache={}) for a, b in found]
    read_once(chosen, (pair, *floors))
    return tuple(_grade(AVAILABLE_METRICS[key](**given.get(key, {})), pair, found, floors) for key in chosen)


def _grade(metric: RegistryMetric, pair: Pair, cuts: Cuts, floors: Sequence[Pair]) -> RegistryGrade:
    result: MetricResult | None = None
    value: Value
    try:
        result = metric.of(pair)
        value = _value(result)
    except TruegradeError as error:
        value = str(error)
    known = [] if result is None else [_floor(metric, one) for one in floors]
    return RegistryGrade(
        key=metric.key,
        title=metric.title,
        higher_is_better=metric.higher_is_better,
        score=beside(value, known, cuts if known else (), sizes=(len(pair.real), len(pair.synthetic))),
        per_lead={} if result is None else result.per_lead_scores,
        extra={} if result is None else _numbers(result),
    )


def _floor(metric: RegistryMetric, cut: Pair) -> Value:
    try:
        return _value(metric.of(cut))
    except TruegradeError as error:
        return str(error)


def _value(result: MetricResult) -> Value:
    return result.score if math.isfinite(result.score) else result.reason


def _numbers(result: MetricResult) -> dict[str, dict[str, float | None]]:
    """What of `.extra` is numbers by lead."""
    return {
        name: {lead: None if value is None else float(value) for lead, value in values.items()}
        for name, values in result.extra.items()
        if isinstance(values, Mapping) and all(isinstance(one, (int, float, type(None))) for one in values.values())
    }
