"""A human number per model (an error rate, a mean opinion): rank correlations with every score, by dataset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truegrade.agreement.joining import NAMES, Index, Key, name_column, shared, split_on
from truegrade.agreement.ranks import kendall, spearman
from truegrade.agreement.records import AgreementReport, Correlation
from truegrade.agreement.table import Table
from truegrade.errors import InputError

RATINGS = ("rating", "human_error", "human_err", "err_rt", "error_rate", "error", "mean", "value")
_BESIDE = ("n", "se", "sd", "std", "count", "dataset")


@dataclass(frozen=True, eq=False)
class _Joined:
    """Rows of ratings and scores that belong together."""

    columns: tuple[str, str]
    datasets: list[str]
    ours: NDArray[np.intp]
    theirs: NDArray[np.intp]
    lost: tuple[str, ...]
    others: tuple[str, ...]
    wanted: int


def agree_ratings(
    ratings: Table, scores: Table, *, on: str | None, rating: str, columns: Sequence[str]
) -> AgreementReport:
    """Spearman and Kendall of the column `rating` with each of `columns` of the scores, over the models of each
    dataset. Raises InputError where the tables cannot be joined or a column is no number."""
    joined = _join(ratings, scores, on)
    human = ratings.numbers(rating)[joined.ours]
    values = {name: scores.numbers(name)[joined.theirs] for name in columns}
    found = [
        _correlate(dataset, name, human, column, np.array([d == dataset for d in joined.datasets]))
        for dataset in dict.fromkeys(joined.datasets)
        for name, column in values.items()
    ]
    one, other = joined.columns
    return AgreementReport(
        form="ratings",
        ratings=ratings.who,
        scores=scores.who,
        joined=f"{one} = {other}, {len(joined.ours)} of {joined.wanted} rated models",
        rating=rating,
        correlations=tuple(found),
        unmatched_ratings=joined.lost,
        unmatched_scores=joined.others,
        notes=_notes(found),
    )


def rating_column(ratings: Table, rating: str | None, on: str | None) -> str:
    """The column of the human number: as named, else one with a usual name, else the only one with numbers."""
    if rating is not None:
        ratings.text(rating)
        return rating
    usual = ratings.named(*RATINGS)
    if usual is not None:
        return usual
    beside = {*NAMES, *_BESIDE, split_on(on)[0]}
    found = [c for c in ratings.columns if c.casefold() not in beside and not ratings.is_text(c)]
    if len(found) == 1:
        return found[0]
    raise InputError(
        f"{ratings.who}: which column is the human number? Found {', '.join(map(repr, found)) or 'none with numbers'}; "
        "name it with rating (--rating COLUMN)."
    )


def _join(ratings: Table, scores: Table, on: str | None) -> _Joined:
    mine, theirs = split_on(on)
    theirs = theirs or name_column(scores, "the models")
    context = shared(ratings, scores, ("dataset",))
    index = Index.of(scores, [*(b for _, b in context), theirs])
    candidates = [mine] if mine else _name_candidates(ratings, [a for a, _ in context])
    tried = {c: _keys(ratings, [*(a for a, _ in context), c]) for c in candidates}
    matches = {c: index.match(keys) for c, keys in tried.items()}
    best = max(matches, key=lambda c: len(matches[c]))  # the first of the best, so the usual name wins a draw
    Index.of(ratings, [*(a for a, _ in context), best])  # a model that is rated twice is refused
    keys, found = tried[best], matches[best]
    if not found:
        raise InputError(
            f"No name of the ratings ({', '.join(k[-1] for k in keys[:4])} ...) is one of the scores "
            f"({', '.join(k[-1] for k in list(index.rows)[:4])} ...). Name the columns to match with on "
            "(--on RATINGS_COLUMN=SCORES_COLUMN)."
        )
    ours = [row for row, key in enumerate(keys) if key in found]
    return _Joined(
        (best, theirs),
        [keys[row][0] if context else "" for row in ours],
        np.array(ours, dtype=np.intp),
        np.array([found[keys[row]] for row in ours], dtype=np.intp),
        tuple(" / ".join(key) for key in keys if key not in found),
        index.others(found),
        len(keys),
    )


def _name_candidates(ratings: Table, context: Sequence[str]) -> list[str]:
    """Columns that may hold the models' names, the one with the usual name first."""
    usual = ratings.named(*NAMES)
    found = [usual] if usual else []
    found += [c for c in ratings.columns if c not in (*context, usual) and ratings.is_text(c)]
    return found or [name_column(ratings, "the models")]


def _keys(table: Table, columns: Sequence[str]) -> list[Key]:
    return list(zip(*(table.text(c) for c in columns), strict=True))


def _correlate(
    dataset: str, name: str, human: NDArray[np.float64], score: NDArray[np.float64], rows: NDArray[np.bool_]
) -> Correlation:
    x, y = human[rows], score[rows]
    known = ~np.isnan(x) & ~np.isnan(y)
    x, y = x[known], y[known]
    return Correlation(dataset, name, len(x), int((~known).sum()), spearman(x, y), kendall(x, y))


def _notes(found: Sequence[Correlation]) -> tuple[str, ...]:
    """How many models each score lacks, those alike in one line."""
    lacking: dict[tuple[str, int, int], list[str]] = {}
    for c in found:
        if c.missing:
            lacking.setdefault((c.dataset, c.missing, c.n + c.missing), []).append(c.score)
    return tuple(
        (f"{dataset}: " if dataset else "")
        + f"no number for {missing} of {n} models, which were left out: {', '.join(names)}"
        for (dataset, missing, n), names in lacking.items()
    )
