"""The registry on the two sides of an evaluation: every score with its floor, each failing for itself alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from truegrade.ecg.floors import Cuts, Value, beside, carried, partner_cuts, real_cuts
from truegrade.ecg.registry.base import Floor, RegistryMetric
from truegrade.ecg.registry.catalogue import AVAILABLE_METRICS
from truegrade.ecg.registry.result import MetricResult
from truegrade.ecg.registry.sides import Pair, Rows, pair_of
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
    given = parameters or {}
    chosen = tuple(key for key in AVAILABLE_METRICS if key != "fed" or key in given) if keys is None else tuple(keys)
    for key in (*chosen, *given):
        look_up(AVAILABLE_METRICS, key, "metric of recordings")
    pair = replace(pair_of(real, synthetic, None, None), shelf={})
    floors = _floors(pair, real, seed, cuts)
    read_once(chosen, (pair, *floors["partners"].pairs))
    metrics = (AVAILABLE_METRICS[key](**given.get(key, {})) for key in chosen)
    return tuple(_grade(metric, pair, floors[metric.floor]) for metric in metrics)


@dataclass(frozen=True, eq=False)
class _Cut:
    """Real against real, in the way that a kind of metric needs it."""

    cuts: Cuts
    pairs: tuple[Pair, ...]


def _floors(pair: Pair, real: Recordings, seed: int, cuts: int) -> dict[str, _Cut]:
    n, m = len(pair.real), len(pair.synthetic)
    looking = partner_cuts(n, n, real.patients, seed=seed, cuts=cuts + 1)
    found: dict[str, Cuts] = {
        "halves": real_cuts(real, m, seed=seed, cuts=cuts),
        "partners": partner_cuts(n, m, real.patients, seed=seed, cuts=cuts + 1),
        "real partners": tuple((among, rows) for rows, among in looking),
    }
    made = {kind: _Cut(some, tuple(_against(pair, *cut) for cut in some)) for kind, some in found.items()}
    return {**made, "1/n": made["halves"], "1/sqrt(n)": made["halves"]}


def _against(pair: Pair, one: Rows, other: Rows) -> Pair:
    """Real recordings against other real ones."""
    side = pair.real
    return replace(pair, real=side.subset(one), synthetic=side.subset(other), cache={}, whole=side)


def _grade(metric: RegistryMetric, pair: Pair, floor: _Cut) -> RegistryGrade:
    result: MetricResult | None = None
    value: Value
    try:
        result = metric.of(pair)
        value = _value(result)
    except TruegradeError as error:
        value = str(error)
    known = [] if result is None else [_floor(metric, one) for one in floor.pairs]
    sizes = len(pair.real), len(pair.synthetic)
    known, note = _at_sizes(metric.floor, known, floor.cuts, sizes)
    return RegistryGrade(
        key=metric.key,
        title=metric.title,
        higher_is_better=metric.higher_is_better,
        score=beside(value, known, floor.cuts if known else (), sizes=sizes, note=note),
        per_lead={} if result is None else result.per_lead_scores,
        extra={} if result is None else _numbers(result),
    )


def _at_sizes(kind: Floor, floors: list[Value], cuts: Cuts, sizes: tuple[int, int]) -> tuple[list[Value], str]:
    """The floors at the sizes of the sides, as far as that is known, and what has to be known to read them."""
    if not floors or not cuts:
        return floors, ""
    if kind in ("1/n", "1/sqrt(n)"):
        return carried(floors, cuts, sizes, power=1.0 if kind == "1/n" else 0.5)
    if kind == "halves":
        return floors, "The floor is not carried to the sizes of the sides: it depends little on them."
    side, asked = (1, sizes[1]) if kind == "partners" else (0, sizes[0])
    there = round(sum(len(cut[side]) for cut in cuts) / len(cuts))
    fewer = ", which makes it worse" if there < asked else ""
    return floors, f"Partners are chosen from {asked:,} recordings, in the floor from {there:,}{fewer}."


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
