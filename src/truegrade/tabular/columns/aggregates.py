"""Means over columns and pairs; each says over how many it is taken, and nothing undefined raises one."""

from __future__ import annotations

from collections.abc import Sequence

from truegrade.density import SCORES
from truegrade.result.table import Aggregate, ColumnGrade, Measure, PairForm, PairGrade
from truegrade.tables import LEVELLED, NUMERIC, ColumnType

Graded = ColumnGrade | PairGrade
TOGETHER = 0.25
_LACKING, _UNKNOWN = Measure(0.0, 0.0, 0.0), Measure(None)
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

    column_score: over all columns, the main score (eden_line or total_variation) in parts of its ceiling, at most 1;
    its own ceiling is the mean of what fresh real rows get, which is below 1.
    eden_ratio: the same over all pairs (main scores eden_score, equidensity and eden_line).
    Plain means over the columns whose type has the score: eden_line, ks, range_coverage (numbers, dates),
    total_variation, category_coverage (categories), missing_share. Over the pairs of their form: the seven scores of
    numbers; pair_total_variation and equidensity of categories; pair_eden_line of numbers within categories. Their
    ceilings are means over the same, where all have one; what the synthetic table lacks is left out of these.

    Intervals are made of the mean distances of the parts' values from their ends. Parts share rows and columns, so
    their errors go together: their average correlation is taken as `TOGETHER`, which narrows the mean of k parts by
    sqrt(TOGETHER + (1 - TOGETHER) / k). Halves of breast cancer's 12 columns show .08 (columns) and .22 (pairs). The
    errors of the ceilings themselves are not in them.

    What has no value counts nowhere and is missing in `over`; if the synthetic table is why (`lacking`), it counts 0.
    """
    out = {"column_score": _ratios(columns), "eden_ratio": _ratios(pairs)}
    for key, types in _OF_COLUMNS.items():
        out[key] = _values([column for column in columns if column.type in types], key)
    for name, (form, key) in _OF_PAIRS.items():
        out[name] = _values([pair for pair in pairs if pair.form == form], key)
    return {key: found for key, found in out.items() if found.of}


def _ratios(graded: Sequence[Graded]) -> Aggregate:
    return _taken([_LACKING if one.lacking else _in_ceilings(one.scores.get(one.main)) for one in graded])


def _in_ceilings(found: Measure | None) -> Measure | None:
    """A score in parts of its ceiling, at most 1, and what fresh real rows get."""
    if found is None or found.value is None or not found.ceiling:
        return None
    low, high = (None if end is None else min(end / found.ceiling, 1.0) for end in (found.low, found.high))
    return Measure(min(found.value / found.ceiling, 1.0), low, high, found.fresh)


def _values(graded: Sequence[Graded], key: str) -> Aggregate:
    parts = [one.scores.get(key, _UNKNOWN) for one in graded]
    lacking = [part.value is None and one.lacking for one, part in zip(graded, parts, strict=True)]
    return _taken([_LACKING if lost else part for part, lost in zip(parts, lacking, strict=True)])


def _taken(parts: Sequence[Measure | None]) -> Aggregate:
    """The mean over those that have a value. What the synthetic table lacks is 0 for certain, and has no ceiling."""
    known = [part for part in parts if part is not None and part.value is not None]
    there = [part for part in known if part is not _LACKING]
    value = _mean([part.value for part in known])
    if not there:
        return Aggregate(value, len(known), len(parts))
    ends = [_mean([part.low for part in known]), _mean([part.high for part in known])]
    narrower = (TOGETHER + (1.0 - TOGETHER) / len(there)) ** 0.5
    low, high = (None if end is None or value is None else value + narrower * (end - value) for end in ends)
    return Aggregate(value, len(known), len(parts), low, high, _mean([part.ceiling for part in there]))


def _mean(values: Sequence[float | None]) -> float | None:
    """None where there are none, or one is unknown."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None
