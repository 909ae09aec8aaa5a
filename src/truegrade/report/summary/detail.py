"""Everything about each metric, and the scores by label, as plain dicts; what is counted here is only drawn later.

A metric is {"anchor", "key", "title", "family", "better", "formula", "reading", "reference", "url", "parameters",
"results": [result per model], "spreads": [histogram by side], "repeats": {...} or None}. A histogram is {"side", "low",
"high", "clipped", "rows": [{"model", "counts", "n", "median", "not_finite"}]}, or of samples that count or do not
{"side", "shares": [{"model", "count", "n"}]}.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade import codec
from truegrade.metrics import BIBLIOGRAPHY
from truegrade.report.summary.card import better_words
from truegrade.report.summary.repeats import repeats_text
from truegrade.report.summary.scale import Scale
from truegrade.report.words import bounds, comparison_words, level, number, sized
from truegrade.result import Evaluation, Repeats, Score

BINS = 24
MOST_LABELS = 200
MOST_DETAILS = 8
MOST_MODELS = 12  # whose distributions are drawn


def metric_details(models: Mapping[str, Evaluation]) -> list[dict[str, Any]]:
    """One record for every score that some model has."""
    keys = list(dict.fromkeys(key for evaluation in models.values() for key in evaluation.scores))
    return [
        _metric(f"m{at}", [(name, e.scores.get(key)) for name, e in models.items()]) for at, key in enumerate(keys, 1)
    ]


def _metric(anchor: str, scores: Sequence[tuple[str, Score | None]]) -> dict[str, Any]:
    have = [(name, score) for name, score in scores if score is not None]
    one = have[0][1]
    return {
        "anchor": anchor,
        "key": one.key,
        "title": one.title,
        "family": one.about.family,
        "better": better_words(one),
        "range": " to ".join(f"{end:g}".replace("inf", "∞") for end in one.about.range),
        "formula": one.about.formula,
        "reading": one.about.reading,
        "reference": BIBLIOGRAPHY.get(one.about.reference, one.about.reference),
        "url": address(BIBLIOGRAPHY.get(one.about.reference, "")),
        "parameters": [{"name": name, "text": _text(value)} for name, value in one.parameters.items()],
        "results": [_result(name, score) for name, score in have],
        "further": _further([score for _, score in have]),
        "spreads": list(_spreads(have[:MOST_MODELS])),
        "repeats": _repeats(have[:MOST_MODELS]),
    }


def address(reference: str) -> str:
    """Where a reference can be read: its arXiv, DOI or web address; empty if it names none."""
    for pattern, start in (
        (r"arXiv:(\d{4}\.\d{4,5})", "https://arxiv.org/abs/"),
        (r"doi:(10\.\S+)", "https://doi.org/"),
    ):
        if found := re.search(pattern, reference):
            return start + found[1].rstrip(".,;")
    found = re.search(r"https://\S+", reference)
    return found[0].rstrip(".,;") if found else ""


def _text(value: object) -> str:
    """A parameter or a further number as text."""
    if isinstance(value, float):
        return number(value) if math.isfinite(value) else str(value)
    value = codec.plain(value)
    if isinstance(value, dict):
        inside = ", ".join(f"{k}={_text(v)}" for k, v in value.items() if k != "type")
        return f"{value['type']}({inside})" if "type" in value else inside
    if isinstance(value, list):
        return ", ".join(_text(v) for v in value)
    return {"None": "none", "True": "yes", "False": "no"}.get(str(value), str(value))


def _short(value: object) -> str:
    """A further number as text; of a curve only how many numbers it has."""
    if isinstance(value, (list, tuple)):
        return f"{len(value)} numbers"
    return "" if value is None else _text(value)


def _result(name: str, score: Score) -> dict[str, Any]:
    interval, floor = score.interval, score.floor
    return {
        "model": name,
        "status": score.status,
        "value": "" if score.value is None else number(score.value, interval),
        "raw": "" if score.raw is None or score.raw == score.value else _text(score.raw),
        "interval": "" if interval is None else bounds(interval),
        "level": "" if interval is None else f"{interval.level:.0%}",
        "method": "" if interval is None else interval.method,
        "floor": "" if floor is None else number(floor.value, interval),
        "floor_note": "" if floor is None else floor.note,
        "words": comparison_words(score) if score.value is not None else "",
        "standing": level(score),
        "reason": score.reason or "",
        "missing": [f"no {what}: {why}" for what, why in score.missing.items()],
        "sizes": f"{sized(score.n_real)} real, {sized(score.n_synthetic)} synthetic",
        "warnings": [{"severity": w.severity, "text": w.text} for w in score.warnings],
    }


def _further(scores: Sequence[Score]) -> dict[str, Any]:
    """The further numbers of a metric, a column each and a row for each model; the first few of them."""
    known = dict.fromkeys(k for s in scores for k, v in s.details.items() if v is not None)
    keys = list(known)[:MOST_DETAILS]
    rows = [[_short(s.details.get(key)) for key in keys] for s in scores]
    return {"names": [key.replace("_", " ") for key in keys], "rows": rows}


# --- per sample --------------------------------------------------------------------------------------------


def _spreads(scores: Sequence[tuple[str, Score]]) -> Iterator[dict[str, Any]]:
    for side in ("real", "synthetic"):
        found = [
            (name, np.asarray(score.per_sample[side], np.float64)) for name, score in scores if _drawable(score, side)
        ]
        finite = np.concatenate([v[np.isfinite(v)] for _, v in found]) if found else np.empty(0)
        if not len(finite):
            continue
        if np.isin(finite, (0.0, 1.0)).all():
            shares = [{"model": name, "count": int((v == 1).sum()), "n": len(v)} for name, v in found]
            yield {"side": side, "shares": shares}
        else:
            yield {"side": side, **_histogram(found, finite)}


def _drawable(score: Score, side: str) -> bool:
    values = score.per_sample.get(side)
    return values is not None and values.ndim == 1 and values.dtype.kind in "fiub" and len(values) > 0


def _histogram(found: Sequence[tuple[str, NDArray[np.float64]]], finite: NDArray[np.float64]) -> dict[str, Any]:
    """Counts in equal bins that all models share; the outermost bins also hold the half per cent beyond either end."""
    low, high = (float(q) for q in np.quantile(finite, (0.005, 0.995)))
    least, most = float(finite.min()), float(finite.max())
    if most - least <= 2 * (high - low) or high <= low:
        low, high = least, most
    size = max(abs(low), abs(high))
    if high - low <= 1e-9 * size or not high > low:  # one value, or too close for bins
        low, high = low - max(0.5, 0.05 * size), high + max(0.5, 0.05 * size)
    return {
        "low": low,
        "high": high,
        "clipped": bool(least < low or most > high),
        "rows": [_counts(name, values, low, high) for name, values in found],
    }


def _counts(name: str, values: NDArray[np.float64], low: float, high: float) -> dict[str, Any]:
    finite = values[np.isfinite(values)]
    counts, _ = np.histogram(np.clip(finite, low, high), BINS, (low, high))
    return {
        "model": name,
        "counts": counts.tolist(),
        "n": len(values),
        "median": None if not len(finite) else float(np.median(finite)),
        "not_finite": len(values) - len(finite),
    }


# --- repeats -----------------------------------------------------------------------------------------------

_STATISTICS = ("mean", "median", "q25", "q75", "p05", "p95")


def _repeats(scores: Sequence[tuple[str, Score]]) -> dict[str, Any] | None:
    """The values of repeated draws by model, with their statistics; None without any."""
    rows = [_draws(name, score.repeats) for name, score in scores if score.repeats is not None]
    floor = next((s.floor.value for _, s in scores if s.floor is not None and s.repeats is not None), None)
    return {"rows": rows, "floor": floor} if rows else None


def _draws(name: str, repeats: Repeats) -> dict[str, Any]:
    values = [float(v) for v in repeats.values.tolist() if math.isfinite(v)]
    statistics = {what: getattr(repeats, what) for what in _STATISTICS}
    return {"model": name, "values": values, **statistics, "texts": repeats_text(repeats)}


# --- by label ------------------------------------------------------------------------------------------------


def group_tables(models: Mapping[str, Evaluation]) -> list[dict[str, Any]]:
    """Scores by label: of one set one table with a column a score, of several a table a score, a column a set.

    A table is {"title", "columns": [text], "better": [text], "rows": [{"label", "n_real", "n_synthetic", "cells"}],
    "left_out"}; a cell is {"text", "interval", "sort", "part" (percent of the column's scale), "reason"}. The worst
    labels of the first column come first.
    """
    keys = list(dict.fromkeys(k for e in models.values() for k, s in e.scores.items() if s.per_group))
    if not keys:
        return []
    if len(models) == 1:
        (evaluation,) = models.values()
        columns = [(evaluation[key].title, evaluation[key]) for key in keys]
        return [_group_table("", columns)]
    tables = []
    for key in keys:
        have = [(name, e.scores[key]) for name, e in models.items() if key in e.scores and e.scores[key].per_group]
        tables.append(_group_table(have[0][1].title, have))
    return tables


def _group_table(title: str, columns: Sequence[tuple[str, Score]]) -> dict[str, Any]:
    labels = list(dict.fromkeys(label for _, score in columns for label in score.per_group))
    first = columns[0][1]
    labels.sort(key=lambda label: _badness(first, label), reverse=True)
    scales = (
        [_scale([score]) for _, score in columns] if not title else [_scale([s for _, s in columns])] * len(columns)
    )
    return {
        "title": title,
        "columns": [name for name, _ in columns],
        "better": [better_words(score) for _, score in columns],
        "rows": [_group_row(label, columns, scales) for label in labels[:MOST_LABELS]],
        "left_out": max(0, len(labels) - MOST_LABELS),
    }


def _badness(score: Score, label: str) -> float:
    """Larger is worse; labels without a value come first."""
    group = score.per_group.get(label)
    if group is None or group.value is None or not math.isfinite(group.value):
        return math.inf
    if score.about.direction == "target":
        return abs(group.value - (score.about.target or 0.0))
    return group.value if score.about.direction == "lower" else -group.value


def _scale(scores: Sequence[Score]) -> Scale | None:
    values = [g.value for s in scores for g in s.per_group.values() if g.value is not None and math.isfinite(g.value)]
    if not values:
        return None
    if scores[0].about.range == (0.0, 1.0):
        return Scale(0.0, 1.0)
    low, high = min(0.0, *values), max(0.0, *values)
    return Scale(low, high if high > low else low + 1.0)


def _group_row(label: str, columns: Sequence[tuple[str, Score]], scales: Sequence[Scale | None]) -> dict[str, Any]:
    groups = [score.per_group.get(label) for _, score in columns]
    known = next(group for group in groups if group is not None)
    cells = []
    for group, scale in zip(groups, scales, strict=True):
        value = None if group is None or group.value is None or not math.isfinite(group.value) else group.value
        interval = None if group is None else group.interval
        cells.append(
            {
                "text": "" if value is None else number(value, interval),
                "interval": "" if interval is None else bounds(interval),
                "sort": value,
                "part": None if scale is None else scale.at(value),
                "reason": "not computed" if group is None else group.reason or "",
            }
        )
    sizes = [group for group in groups if group is not None]
    return {
        "label": label,
        "n_real": known.n_real,
        "n_synthetic": known.n_synthetic if len({g.n_synthetic for g in sizes}) == 1 else None,
        "cells": cells,
    }
