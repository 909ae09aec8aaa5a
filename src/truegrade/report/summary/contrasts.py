"""Differences, ranks and agreement of a comparison as plain dicts, for the tables and marks of a report.

forests: [{"key", "title", "better", "open", "scale", "zero_at", "rows": [difference], "left_out"}]; a difference is
{"first", "second", "value", "interval", "p", "better", "words", "at", "low", "high", "reason"}, places in percent.
ranks: {"models", "rows": [{"title", "cells": [{"text", "best"}]}]}.
agreement: {"titles", "rows": [[{"text", "kendall", "heat", "alt"}]]}.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from truegrade.report.summary.card import better_words, card_keys
from truegrade.report.summary.scale import Scale, around
from truegrade.report.versus import order
from truegrade.report.words import bounds, chance, number
from truegrade.result import Agreement, Comparison, Difference, Score

MOST_PAIRS = 15  # of models that are shown for one score; beyond that, neighbours in its order


def contrasts(comparison: Comparison) -> dict[str, Any] | None:
    """Everything that compares models; None where there is nothing of the kind."""
    if not (comparison.differences or comparison.ranks or comparison.agreements):
        return None
    return {"forests": _forests(comparison), "ranks": _ranks(comparison), "agreement": _agreement(comparison)}


# --- differences -------------------------------------------------------------------------------------------


def _forests(comparison: Comparison) -> list[dict[str, Any]]:
    found: dict[str, list[Difference]] = {}
    for difference in comparison.differences:
        found.setdefault(difference.key, []).append(difference)
    shown = [key for key in card_keys(comparison.evaluations) if key in found]
    keys = [*shown, *(key for key in found if key not in shown)]
    return [_forest(comparison, key, found[key], key in shown) for key in keys]


def _forest(comparison: Comparison, key: str, found: Sequence[Difference], on_card: bool) -> dict[str, Any]:
    one = _score(comparison, key)
    shown = list(found) if len(found) <= MOST_PAIRS else _neighbours(comparison, key, found)
    scale = _scale(shown)
    return {
        "key": key,
        "title": _title(comparison, key),
        "better": "" if one is None else better_words(one),
        "open": on_card,
        "scale": None if scale is None else scale.plain(),
        "zero_at": None if scale is None else scale.at(0.0),
        "rows": [_row(difference, scale) for difference in shown],
        "left_out": len(found) - len(shown),
    }


def _score(comparison: Comparison, key: str) -> Score | None:
    return next((e.scores[key] for e in comparison.evaluations.values() if key in e.scores), None)


def _title(comparison: Comparison, key: str) -> str:
    score = _score(comparison, key)
    return key if score is None else score.title


def _neighbours(comparison: Comparison, key: str, found: Sequence[Difference]) -> list[Difference]:
    """Of many pairs those of models that follow each other in the order of the score, the best first."""
    names, _ = order(comparison, key)
    places = {frozenset(pair): place for place, pair in enumerate(pairwise(names))}
    near = [d for d in found if frozenset((d.first, d.second)) in places]
    return sorted(near, key=lambda d: places[frozenset((d.first, d.second))])


def _scale(found: Sequence[Difference]) -> Scale | None:
    values = [d.value for d in found if d.value is not None]
    values += [end for d in found if d.interval and d.value is not None for end in (d.interval.low, d.interval.high)]
    finite = [v for v in values if math.isfinite(v)]
    return around([*finite, 0.0, max(map(abs, finite)) * 0.1, -max(map(abs, finite)) * 0.1]) if finite else None


def _row(difference: Difference, scale: Scale | None) -> dict[str, Any]:
    value, interval = difference.value, difference.interval
    return {
        "first": difference.first,
        "second": difference.second,
        "value": "" if value is None else signed(value, number(value, interval)),
        "interval": "" if interval is None else bounds(interval),
        "p": "" if difference.p_holm is None else chance(difference.p_holm),
        "better": difference.better or "",
        "words": _words(difference),
        "at": None if scale is None else scale.at(value),
        "low": None if scale is None or interval is None else scale.at(interval.low),
        "high": None if scale is None or interval is None else scale.at(interval.high),
        "paired": difference.paired,
        "reason": difference.reason or "",
    }


def signed(value: float, text: str) -> str:
    """A difference with its sign; a text of zeros has none."""
    return f"+{text}" if value > 0 and text.strip("0.") else text


def _words(difference: Difference) -> str:
    if difference.better is not None:
        return "better"
    return "no p-value" if difference.p_holm is None else "within noise"


# --- ranks and agreement -------------------------------------------------------------------------------------


def _ranks(comparison: Comparison) -> dict[str, Any] | None:
    if not comparison.ranks:
        return None
    models = list(comparison.evaluations)
    rows = []
    for key, ranks in comparison.ranks.items():
        cells = [ranks.get(name) for name in models]
        texts = [
            {"text": "" if r is None else str(r).replace("-", "\u2013"), "best": bool(r and r.best == 1)} for r in cells
        ]
        rows.append({"key": key, "title": _title(comparison, key), "cells": texts})
    return {"models": models, "rows": rows}


def _agreement(comparison: Comparison) -> dict[str, Any] | None:
    """The triangle of Kendall's taus; only where there are three models or more."""
    if not comparison.agreements or len(comparison.evaluations) < 3:
        return None
    keys = list(dict.fromkeys(key for a in comparison.agreements for key in (a.first, a.second)))
    known = {frozenset((a.first, a.second)): a for a in comparison.agreements}
    titles = [_title(comparison, key) for key in keys]
    rows = [
        [_cell(known.get(frozenset((keys[i], keys[j]))), titles[i], titles[j]) for j in range(i)]
        for i in range(len(keys))
    ]
    return {"titles": titles, "rows": rows}


def _cell(agreement: Agreement | None, first: str, second: str) -> dict[str, Any]:
    if agreement is None or agreement.kendall is None:
        return {"text": "·", "kendall": None, "heat": 0, "alt": f"{first} and {second}: undefined"}
    tau = agreement.kendall
    alt = f"{first} and {second}: tau {tau:.2f}; agree on {agreement.agreed} of {agreement.decided} decided pairs"
    return {"text": f"{tau:.2f}".replace("-", "\u2212"), "kendall": tau, "heat": round(85 * max(0.0, tau)), "alt": alt}
