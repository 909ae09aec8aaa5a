"""Means over columns and pairs; each says over how many it is taken, and nothing undefined raises one."""

from __future__ import annotations

from collections.abc import Sequence

from truegrade.density import SCORES
from truegrade.result.table import Aggregate, ColumnGrade, PairForm, PairGrade
from truegrade.tables import LEVELLED, NUMERIC, ColumnType

Graded = ColumnGrade | PairGrade
_OF_COLUMNS: dict[str, tuple[ColumnType, ...]] = {
    "eden_line": NUMERIC,
    "ks": NUMERIC,
    "range_coverage": NUMERIC,
    "total_variation": LEVELLED,
    "category_coverage": LEVELLED,
    "missing_share": (*NUMERIC, *LEVELLED, "identifier", "text"),
}
_OF_PAIRS: dict[str, tuple[PairForm, str]] = {
    **{key: ("numbers", key) for key in SCORES},
    "pair_total_variation": ("categories", "total_variation"),
    "equidensity": ("categories", "equidensity"),
    "pair_eden_line": ("mixed", "eden_line"),
}


def aggregates(columns: Sequence[ColumnGrade], pairs: Sequence[PairGrade]) -> dict[str, Aggregate]:
    """Means by key; those that no column or pair could have are left out.

    column_score: over all columns, the main score (eden_line or total_variation) in parts of its ceiling, at most 1.
    eden_ratio: the same over all pairs (main scores eden_score, equidensity and eden_line).
    Plain means over the columns whose type has the score: eden_line, ks, range_coverage (numbers, dates),
    total_variation, category_coverage (categories), missing_share. Over the pairs of their form: the seven scores of
    numbers; pair_total_variation and equidensity of categories; pair_eden_line of numbers within categories. Their
    ceilings are means over the same, where all have one.

    What has no value counts nowhere and is missing in `over`; if the synthetic table is why (`lacking`), it counts 0.
    """
    out = {"column_score": _ratios(columns), "eden_ratio": _ratios(pairs)}
    for key, types in _OF_COLUMNS.items():
        out[key] = _values([column for column in columns if column.type in types], key)
    for name, (form, key) in _OF_PAIRS.items():
        out[name] = _values([pair for pair in pairs if pair.form == form], key)
    return {key: found for key, found in out.items() if found.of}


def _ratios(graded: Sequence[Graded]) -> Aggregate:
    ratios = [0.0 if one.lacking else one.ratio for one in graded]
    known = [min(ratio, 1.0) for ratio in ratios if ratio is not None]
    return Aggregate(_mean(known), len(known), len(graded), ceiling=1.0 if known else None)


def _values(graded: Sequence[Graded], key: str) -> Aggregate:
    values: list[float] = []
    ceilings: list[float | None] = []
    for one in graded:
        found = one.scores.get(key)
        if found is not None and found.value is not None:
            values.append(found.value)
            ceilings.append(found.ceiling)
        elif one.lacking:
            values.append(0.0)
    known = [ceiling for ceiling in ceilings if ceiling is not None]
    whole = bool(known) and len(known) == len(values)
    return Aggregate(_mean(values), len(values), len(graded), ceiling=_mean(known) if whole else None)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
