"""Evaluation or Comparison to one plain dict that every output is drawn from; nothing is computed later.

Layout: {"schema", "kind", "real", "models": [model], "families": [family], "notices": [notice]}.
real is {"name", "n", "d", "space" (the name of the feature space, or None)}.
A family is {"family", "title", "rows": [row]}.
A model is {"name", "n", "verdict", "verdict_code", "findings", "also" (those that the verdict does not name),
"exhibits" (as in `report.exhibit_view`), "table" (as in `report.table_view`), "ecg" (as in `report.ecg_view`)};
a row is one metric {"key", "title", "direction", "arrow", "ideal", "reading", "floor", "floor_note", "cells"} with
one cell per model {"status", "value", "interval", "floor", "words", "note", "repeats" (as in `report.repeats`)};
a notice is {"severity", "code", "score", "text", "models"}, score "" if it concerns the sets, models [] if it
concerns all.
"versus" is None for an evaluation, else as in `report.differences.versus_summary`. What only pages show is in
`report.parts`: card, planes, contrasts, groups, metrics, left_out, provenance.
All leaves are text or numbers; text is as the user gave it: each output escapes for itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truegrade.report.summary.differences import versus_summary
from truegrade.report.summary.ecg_view import ecg_view
from truegrade.report.summary.exhibit_view import exhibit_view
from truegrade.report.summary.parts import page_parts, strict
from truegrade.report.summary.repeats import repeats_text
from truegrade.report.summary.table_view import table_view
from truegrade.report.verdict import judge
from truegrade.report.words import bounds, comparison_words, number
from truegrade.result import Comparison, Evaluation, Score

SCHEMA = 2
ARROWS = {"higher": "↑", "lower": "↓", "target": "→"}
_TITLES = {
    "fidelity": "Fidelity: are the samples realistic?",
    "coverage": "Coverage: is the variety of the real data there?",
    "distance": "Distance between the two sets",
    "classes": "Class probabilities: confident and varied?",
    "two-sample": "Can the sets be told apart?",
    "pairs": "The joint density of two columns",
    "table": "The table: columns, pairs of them, rows",
    "ecg": "The recordings: leads, beats, laws between leads",
    "copying": "Copying: are samples of the training data repeated?",
}
_SEVERITIES = ("serious", "caution", "note")


def summarize(result: Evaluation | Comparison) -> dict[str, Any]:
    """The dict that terminal, HTML and Markdown are drawn from."""
    single = isinstance(result, Evaluation)
    models: Mapping[str, Evaluation] = (
        {result.synthetic.name: result} if isinstance(result, Evaluation) else result.evaluations
    )
    first = next(iter(models.values()))
    summary = {
        "schema": SCHEMA,
        "kind": "evaluation" if single else "comparison",
        "real": {
            "name": first.real.name,
            "n": first.real.n,
            "d": first.real.d,
            "space": None if first.real.space is None else first.real.space.name,
        },
        "models": [_model(name, evaluation, len(models)) for name, evaluation in models.items()],
        "families": list(_families(models)),
        "notices": _notices(models),
        "versus": None if isinstance(result, Evaluation) else versus_summary(result),
        **page_parts(result, models),
    }
    return dict(strict(summary))


def _model(name: str, evaluation: Evaluation, models: int) -> dict[str, Any]:
    verdict = judge(evaluation)
    return {
        "name": name,
        "n": evaluation.synthetic.n,
        "verdict": verdict.words,
        "verdict_code": verdict.code,
        "findings": list(verdict.findings),
        "also": [text for text in verdict.findings if text.lower() not in verdict.words.lower()],
        "exhibits": exhibit_view(evaluation),
        "table": table_view(evaluation),
        "ecg": ecg_view(evaluation, models),
    }


def _families(models: Mapping[str, Evaluation]) -> Iterator[dict[str, Any]]:
    keys = list(dict.fromkeys(key for evaluation in models.values() for key in evaluation.scores))
    rows: dict[str, list[dict[str, Any]]] = {family: [] for family in _TITLES}
    for key in keys:
        scores = [evaluation.scores.get(key) for evaluation in models.values()]
        one = next(score for score in scores if score is not None)
        rows.setdefault(one.about.family, []).append(_row(one, scores))
    for family, found in rows.items():
        if found:
            yield {"family": family, "title": _TITLES.get(family, family), "rows": found}


def _row(one: Score, scores: list[Score | None]) -> dict[str, Any]:
    floors = [s.floor for s in scores if s is not None and s.floor is not None]
    widest = max((s.interval for s in scores if s and s.interval), key=lambda i: i.high - i.low, default=None)
    shown = {id(s): number(s.floor.value, widest) for s in scores if s and s.floor}
    return {
        "key": one.key,
        "title": one.title,
        "direction": one.about.direction,
        "arrow": ARROWS.get(one.about.direction, ""),
        "ideal": one.about.target,
        "reading": one.about.reading,
        "floor": None if not floors else next(iter(shown.values())),
        "floor_note": None if not floors else floors[0].note,
        "cells": [_cell(score) | {"floor": shown.get(id(score), "")} for score in scores],
    }


def _cell(score: Score | None) -> dict[str, Any]:
    if score is None:
        return {"status": "absent", "value": "", "interval": "", "words": "", "note": "not computed", "repeats": None}
    if score.status != "ok" or score.value is None:
        return {
            "status": score.status,
            "value": score.status,
            "interval": "",
            "words": "",
            "note": score.reason or "",
            "repeats": repeats_text(score.repeats),
        }
    return {
        "status": "ok",
        "value": number(score.value, score.interval),
        "interval": "" if score.interval is None else bounds(score.interval),
        "words": comparison_words(score),
        "note": score.missing.get("interval", ""),
        "repeats": repeats_text(score.repeats),
    }


def _notices(models: Mapping[str, Evaluation]) -> list[dict[str, Any]]:
    """Every notice once, the worst first, with the models it belongs to (all: an empty list)."""
    found: dict[tuple[str, str, str], dict[str, None]] = {}
    titles: dict[tuple[str, str, str], dict[str, None]] = {}
    for name, evaluation in models.items():
        told = [("", note) for note in evaluation.notices]
        told += [(score.title, note) for score in evaluation.scores.values() for note in score.warnings]
        for title, note in told:
            found.setdefault((note.severity, note.code, note.text), {})[name] = None
            titles.setdefault((note.severity, note.code, note.text), {})[title] = None
    rows = [
        {
            "severity": severity,
            "code": code,
            "score": ", ".join(titles[severity, code, text]),
            "text": text,
            "models": [] if len(names) == len(models) else list(names),
        }
        for (severity, code, text), names in found.items()
    ]
    return sorted(rows, key=lambda row: _SEVERITIES.index(row["severity"]))
