"""Grade inflation: pairs of numbers that the correlation score flatters."""

from __future__ import annotations

from collections.abc import Sequence

from truegrade.result.table import BAD_RATIO, Inflated, PairGrade

CORRELATION = 0.95
RATIO = BAD_RATIO


def inflated(pairs: Sequence[PairGrade]) -> tuple[Inflated, ...]:
    """Pairs with a correlation score above .95 whose Eden score is below .6 of its ceiling, worst first; without those
    that only a few outlying rows make bad."""
    found = [one for pair in pairs if (one := _flattered(pair)) is not None]
    return tuple(sorted(found, key=lambda one: (one.eden_ratio, one.first, one.second)))


def _flattered(pair: PairGrade) -> Inflated | None:
    if pair.form != "numbers" or pair.status != "ok" or pair.ratio is None or pair.spared:
        return None
    correlation, eden = pair.scores.get("correlation_score"), pair.scores["eden_score"]
    if correlation is None or correlation.value is None or eden.value is None:
        return None
    if not (correlation.value > CORRELATION and pair.ratio < RATIO):
        return None
    return Inflated(pair.first, pair.second, correlation.value, eden.value, pair.ratio)
