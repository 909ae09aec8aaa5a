"""Pairs of columns in a report: the worst, those that the correlation score flatters, and those with a picture.

A picture is {"first", "second", "why", "words", "x", "y" (axes), "grid", "real", "synthetic" (text of a (grid, grid)
array of bytes, base64), "levels", "scores": [measure], "n_real", "n_synthetic"}.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from truegrade.density.settings import SCORES
from truegrade.report.summary.table_words import View, axis, by_key, column_name, measure, pair_words, ratio_text
from truegrade.report.words import number
from truegrade.result.table import Inflated, PairGrade, PairPicture, TableGrades

PICTURES = 12
LISTED = 50  # pairs of a list; the JSON has all
_WHY = {
    "worst": "among the worst pairs",
    "best": "among the best pairs",
    "inflated": "the correlation score flatters it",
}
_BARS = tuple(dict.fromkeys(("correlation_score", "eden_score", *SCORES)))  # the two that tell inflation together
_GOOD = 0.9
_CELLS = 128  # of a picture's side; finer ones are thinned


def worst_pairs(table: TableGrades, most: int = LISTED) -> list[View]:
    """The pairs farthest below their ceilings, the worst first."""
    graded = sorted((p for p in table.pairs if p.ratio is not None), key=_ratio)
    return [_pair(pair) for pair in graded[:most]]


def _ratio(pair: PairGrade) -> float:
    return math.inf if pair.ratio is None else pair.ratio


def _pair(pair: PairGrade) -> View:
    main = measure(pair.main, pair.scores.get(pair.main))
    correlation = pair.scores.get("correlation_score")
    return {
        "first": column_name(pair.first),
        "second": column_name(pair.second),
        "form": pair.form,
        "main": main,
        "ratio": ratio_text(pair.ratio),
        "correlation": "" if correlation is None or correlation.value is None else f"{correlation.value:.3f}",
    }


def inflated_pairs(table: TableGrades) -> View:
    """{"rows": the pairs that the correlation score flatters, worst first, "left_out", "possible", "words"}."""
    possible = sum("correlation_score" in pair.scores for pair in table.pairs if pair.status == "ok")
    return {
        "rows": [_inflated(one) for one in table.inflated[:LISTED]],
        "left_out": max(0, len(table.inflated) - LISTED),
        "possible": possible,
        "words": _inflated_words(len(table.inflated), possible),
    }


def _inflated(one: Inflated) -> View:
    eden_ceiling = one.eden_score / one.eden_ratio if one.eden_ratio else None
    return {
        "first": column_name(one.first),
        "second": column_name(one.second),
        "correlation": f"{one.correlation_score:.3f}",
        "eden": number(one.eden_score),
        "ceiling": "" if eden_ceiling is None else number(eden_ceiling),
        "ratio": ratio_text(one.eden_ratio),
    }


def _inflated_words(count: int, possible: int) -> str:
    if not possible:
        return "No pair of numbers has both scores, so there is nothing to flatter."
    if not count:
        return "No pair of numbers has a correlation score above 0.95 and an Eden score below 0.6 of its ceiling."
    have = "pair has" if count == 1 else "pairs have"
    return (
        f"{count:,} of {possible:,} {have} a correlation score above 0.95 although the Eden score stays below 0.6 of "
        "its ceiling: the correlation is right and the shape is wrong."
    )


# --- pictures ----------------------------------------------------------------------------------------------


def pair_pictures(table: TableGrades) -> list[View]:
    """What is drawn of pairs of numbers: flattered ones first, then the worst, then the best."""
    order = ("inflated", "worst", "best")
    pairs = {(pair.first, pair.second): pair for pair in table.pairs}
    dates = {column.name for column in table.columns if column.type == "date"}
    found = {(p.first, p.second): p for p in sorted(table.pictures, key=lambda p: -order.index(p.why))}
    chosen = sorted(found.values(), key=lambda p: order.index(p.why))
    return list(_pictures(chosen[:PICTURES], pairs, dates))


def _pictures(
    pictures: list[PairPicture], pairs: Mapping[tuple[str, str], PairGrade], dates: set[str]
) -> Iterator[View]:
    for one in pictures:
        pair = pairs.get((one.first, one.second))
        left, right, bottom, top = one.extent
        if pair is None or not (left < right and bottom < top and math.isfinite(right - left + top - bottom)):
            continue
        real, synthetic = thinned(one.real), thinned(one.synthetic)
        yield {
            "first": column_name(one.first),
            "second": column_name(one.second),
            "why": one.why,
            "why_words": _why(one, pair.ratio),
            "words": pair_words(pair),
            "ratio": ratio_text(pair.ratio),
            "x": axis(one.first, left, right, one.first in dates),
            "y": axis(one.second, bottom, top, one.second in dates),
            "grid": len(real),
            "real": _text(real),
            "synthetic": _text(synthetic),
            "levels": {side: list(one.levels.get(side, ())) for side in ("real", "synthetic")},
            "scores": by_key(pair.scores, *_BARS),
            "n_real": pair.n_real,
            "n_synthetic": pair.n_synthetic,
        }


def _why(one: PairPicture, ratio: float | None) -> str:
    """Why a pair is drawn; a pair nearly as good as real data is not called bad."""
    return "among the lowest" if one.why == "worst" and ratio is not None and ratio >= _GOOD else _WHY[one.why]


def thinned(grid: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Every so many cells, so that no side has more than _CELLS (which a drawing cannot show)."""
    every = -(-max(grid.shape) // _CELLS)
    return grid[::every, ::every]


def _text(grid: NDArray[np.uint8]) -> str:
    return base64.b64encode(np.ascontiguousarray(grid).tobytes()).decode("ascii")
