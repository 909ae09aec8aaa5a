"""The command that compares scores with people: agree."""

from __future__ import annotations

import csv
from pathlib import Path

from truegrade.agreement import agree as agree_with
from truegrade.cli.app import DONE, app
from truegrade.cli.tools import say, unread
from truegrade.report.text.agreement import agreement_drawing


@app.command
def agree(
    ratings: str,
    scores_file: str,
    /,
    *,
    scores: str | None = None,
    rating: str | None = None,
    on: str | None = None,
    higher: str | None = None,
    lower: str | None = None,
    reference: str | None = None,
    json: Path | None = None,
) -> int:
    """How well do scores agree with people?

    Ratings are a human number per model (columns model [, dataset] and the number) or choices between two (columns
    rater, first, second, choice [, dataset, item]).

    Args:
        ratings: .csv or .tsv file of what people said.
        scores_file: .csv or .tsv file with one row per model or item and one column per score.
        scores: Which columns of the scores to use, separated by commas; all with numbers by default.
        rating: Column of the human number, where it is not clear.
        on: RATINGS_COLUMN=SCORES_COLUMN, the columns that hold the names of the models.
        higher: For choices: scores of which more is better, separated by commas (truegrade's own need not be named).
        lower: For choices: scores of which less is better.
        reference: For choices: the score that the others are tested against, instead of chance.
        json: Also write everything to this file.
    """
    target = None if json is None else unread(json, [ratings, scores_file])
    columns, more, less = (_split(text) for text in (scores, higher, lower))
    report = agree_with(
        ratings, scores_file, columns=columns, rating=rating, on=on, higher=more, lower=less, reference=reference
    )
    say(agreement_drawing(report))
    if target is not None:
        report.to_json(target)
    return DONE


def _split(text: str | None) -> list[str]:
    """Names separated by commas; a name that holds one is quoted, as in the file."""
    return [] if text is None else [name.strip() for name in next(csv.reader([text]), []) if name.strip()]
