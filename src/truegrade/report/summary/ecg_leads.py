"""Lead by lead: the metrics on each feature set as a heat map, and the sixteen metrics of the registry.

feature set: {"features", "title", "words", "metrics": [{"key", "title", "arrow", "better", "reading"}], "rows": [row],
"first" (how many of the metrics, the best known ones, are shown without asking), "labels": [row], "labels_left",
"sizes"}; row: {"name", "kind" ("lead", "mean", "whole", "label"), "cells"}.
registry: [{"key", "title", "arrow", "better", "score": cell, "leads": [{"name", "value"}], "extra": [{"name",
"leads"}]}].
Cells are as in ecg_words, with "alt": what they do not show.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from truegrade.ecg.scores import ECG_SCORES
from truegrade.report.summary.ecg_words import ARROWS, BETTER, View, cell, figure, hint, lead_name, shared_sizes
from truegrade.report.words import safe
from truegrade.result import Score
from truegrade.result.ecg import EcgGrades, FeatureGrades, Number, RegistryGrade
from truegrade.result.score import About

_TITLES = {
    "descriptors": "Seven descriptors a lead",
    "spectral": "Eleven descriptors a lead, with the spectrum",
    "beats": "The shape of the beats",
}
_LABELS, _EXTRA = 20, 12
_MAIN = (
    "clipped_density",
    "clipped_coverage",
    "precision",
    "recall",
    "symmetric_recall",
    "frechet_distance",
    "kernel_distance",
    "energy_distance",
    "mmd",
    "authenticity",
)
_FIRST, _LEAST = 8, 5  # metrics that are shown without asking


def features_view(ecg: EcgGrades, scores: Mapping[str, Score]) -> list[View]:
    """Every feature set that was graded. scores: of the evaluation; what the vectors of all leads were graded on has
    its floors from there, so that one number has one floor."""
    return [_features(one, ecg, scores if _same(one, scores) else {}) for one in ecg.features]


def _same(one: FeatureGrades, scores: Mapping[str, Score]) -> bool:
    """Whether the scores of the evaluation are those of this feature set: all their values agree."""
    both = [(n.value, scores[key].value) for key, n in one.whole.items() if key in scores]
    known = [(a, b) for a, b in both if a is not None and b is not None]
    return bool(known) and all(math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-9) for a, b in known)


def _features(one: FeatureGrades, ecg: EcgGrades, scores: Mapping[str, Score]) -> View:
    grades = [*one.per_lead.values(), one.mean, one.whole, *one.per_label.values()]
    used = {key for found in grades for key in found}
    main = [key for key in _MAIN if key in used]
    keys = main + [key for key in ecg.about if key in used - set(main)] + sorted(used - set(main) - set(ecg.about))
    leads = [lead for lead in ecg.leads if lead in one.per_lead]
    leads += [lead for lead in one.per_lead if lead not in ecg.leads]
    rows = [_row(lead_name(lead), "lead", one.per_lead[lead], keys, ecg) for lead in leads]
    rows += [_row("mean of leads", "mean", one.mean, keys, ecg)] if one.mean else []
    rows += [_row("all together", "whole", one.whole, keys, ecg, scores)] if one.whole else []
    labels = list(one.per_label.items())
    return {
        "features": one.features,
        "title": _TITLES.get(one.features) or safe(one.features, 60),
        "words": safe(one.words, 400),
        "metrics": [_metric(key, ecg) for key in keys],
        "rows": rows,
        "labels": [_row(safe(name, 40), "label", found, keys, ecg) for name, found in labels[:_LABELS]],
        "first": min(len(keys), max(len(main[:_FIRST]), _LEAST)),
        "labels_left": max(0, len(labels) - _LABELS),
        "sizes": _sizes(rows, scores),
    }


def _metric(key: str, ecg: EcgGrades) -> View:
    about = ecg.about.get(key)
    return {
        "key": key,
        "title": _title(key, ecg),
        "arrow": "" if about is None else ARROWS.get(about.direction, ""),
        "better": "" if about is None else BETTER.get(about.direction, ""),
        "reading": "" if about is None else safe(about.reading, 400),
    }


def _title(key: str, ecg: EcgGrades) -> str:
    return safe(ecg.titles.get(key) or key.replace("_", " ").capitalize(), 60)


def _row(
    name: str,
    kind: str,
    found: Mapping[str, Number],
    keys: Sequence[str],
    ecg: EcgGrades,
    scores: Mapping[str, Score] = MappingProxyType({}),
) -> View:
    cells = [cell(found.get(key), ecg.about.get(key), scores.get(key)) for key in keys]
    return {"name": name, "kind": kind, "cells": [one | {"alt": hint(one)} for one in cells]}


def _sizes(rows: Sequence[View], scores: Mapping[str, Score]) -> str:
    """The sizes of the floors, where they are the same for all; all leads together may have those of the scores."""
    leads = shared_sizes(one for row in rows if row["kind"] != "whole" or not scores for one in row["cells"])
    whole = any(row["kind"] == "whole" for row in rows) and bool(scores)
    return f"{leads}; all together as among the other scores" if leads and whole else leads


# --- the registry ------------------------------------------------------------------------------------------


def registry_view(ecg: EcgGrades, scores: Mapping[str, Score]) -> list[View]:
    """The sixteen metrics, each with its floor, and by lead: those that were asked for, which may have no value."""
    asked = [key.removeprefix("ecg_") for key in scores if key in ECG_SCORES and ECG_SCORES[key].part == "registry"]
    found = {one.key: one for one in ecg.registry if not asked or one.key in asked}
    for key in asked if found else ():
        if key not in found:
            score = scores[f"ecg_{key}"]
            none = Number(None, reason=score.reason or "not computed")
            found[key] = RegistryGrade(key, score.title, score.about.direction == "higher", none)
    return [_registry(one, ecg) for one in found.values()]


def _registry(one: RegistryGrade, ecg: EcgGrades) -> View:
    direction = "higher" if one.higher_is_better else "lower"
    known = ECG_SCORES.get(f"ecg_{one.key}")
    about = About("ecg", direction, (-math.inf, math.inf), None, "", "", "") if known is None else known.about
    return {
        "key": one.key,
        "title": safe(one.title, 60),
        "arrow": ARROWS[direction],
        "better": BETTER[direction],
        "score": cell(one.score, about),
        "leads": [{"name": lead_name(lead), "value": figure(one.per_lead[lead])} for lead in _ordered(one, ecg)],
        "extra": [
            {
                "name": safe(name, 40),
                "leads": [{"name": lead_name(lead), "value": figure(value)} for lead, value in found.items()],
            }
            for name, found in list(one.extra.items())[:_EXTRA]
        ],
    }


def _ordered(one: RegistryGrade, ecg: EcgGrades) -> list[str]:
    known = [lead for lead in ecg.leads if lead in one.per_lead]
    return known + [lead for lead in one.per_lead if lead not in known]
