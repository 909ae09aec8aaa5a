"""Agreement of scores with people: `agree(ratings, scores)`. See docs/agreement.md for the tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from truegrade.agreement.choices import COLUMNS, agree_choices
from truegrade.agreement.joining import NAMES, split_on
from truegrade.agreement.ratings import agree_ratings, rating_column
from truegrade.agreement.records import AgreementReport as AgreementReport
from truegrade.agreement.records import ChoiceAgreement as ChoiceAgreement
from truegrade.agreement.records import Coefficient as Coefficient
from truegrade.agreement.records import Correlation as Correlation
from truegrade.agreement.records import RaterAgreement as RaterAgreement
from truegrade.agreement.table import Table, as_table
from truegrade.errors import InputError

__all__ = ["AgreementReport", "ChoiceAgreement", "Coefficient", "Correlation", "RaterAgreement", "agree"]


def agree(
    ratings: object,
    scores: object,
    *,
    columns: Sequence[str] | None = None,
    rating: str | None = None,
    on: str | None = None,
    higher: Sequence[str] = (),
    lower: Sequence[str] = (),
    reference: str | None = None,
) -> AgreementReport:
    """How well scores agree with people.

    The ratings are either a human number per model (columns model [, dataset] and the number, say an error rate):
    Spearman and Kendall with every score, by dataset. Or choices between two (columns rater, first, second, choice
    [, dataset, item]; choice is "first", "second" or the chosen name): Cohen's kappa of every rater and score, where
    a score's ties count as disagreement, and a one-sided Wilcoxon signed-rank test over the raters' kappas, corrected
    by Holm over the scores.

    Args:
        ratings, scores: paths of .csv or .tsv files, data frames, or dicts of columns. The scores have one row per
            model (or item) and one column per score.
        columns: which columns of the scores to grade; all that hold numbers by default.
        rating: the column of the human number, where it is not clear.
        on: the columns that hold the names, as "RATINGS_COLUMN=SCORES_COLUMN" or one name for both; by default
            "model", or the text column of the ratings that matches most names of the scores.
        higher, lower: for choices: scores of which more, or less, is better; metrics of truegrade need neither.
        reference: for choices: the score that the others are tested against, instead of chance.

    Raises InputError for other tables, text where a number should be, a model that is there twice, names that
    nowhere match, and scores whose direction is not known.
    """
    people, graded = as_table(ratings, "Ratings"), as_table(scores, "Scores")
    asked, more, less = _names("columns", columns or ()), _names("higher", higher), _names("lower", lower)
    have = [name for name in COLUMNS if people.named(name)]
    if len(have) == len(COLUMNS):
        chosen, left_out = _scores(graded, asked, split_on(on)[1], [*more, *less])
        if rating is not None:
            raise InputError(f"rating={rating!r} given, but the ratings are choices; they have no human number.")
        report = agree_choices(people, graded, on=on, columns=chosen, higher=more, lower=less, reference=reference)
    else:
        _check_form(people, have, on)
        if more or less or reference is not None:
            raise InputError(
                "higher, lower and reference concern choices between two; a correlation with a human number is given "
                "as it is, with its sign."
            )
        human = rating_column(people, rating, on)
        chosen, left_out = _scores(graded, asked, split_on(on)[1], [])
        report = agree_ratings(people, graded, on=on, rating=human, columns=chosen)
    return replace(report, left_out=left_out)


def _names(what: str, given: Sequence[str]) -> list[str]:
    names = [given] if isinstance(given, str) else list(given)
    if not all(isinstance(name, str) for name in names):
        raise InputError(f"{what}={given!r} given; names of columns are accepted.")
    return names


def _check_form(people: Table, have: Sequence[str], on: str | None) -> None:
    """InputError where the ratings are neither form."""
    if (people.named(*NAMES) or on is not None) and not have:
        return
    if not have and any(people.is_text(name) for name in people.columns):
        return
    raise InputError(
        f"{people.who} have the columns {people.header}. Accepted are a human number per model (columns model, "
        f"optionally dataset, and the number), or choices ({', '.join(COLUMNS)}, optionally dataset and item). "
        "Rename the columns."
    )


def _scores(
    graded: Table, asked: Sequence[str], key: str | None, directed: Sequence[str]
) -> tuple[list[str], tuple[str, ...]]:
    """The columns to grade, and those that hold text and are left out."""
    for name in (*asked, *directed):
        graded.text(name)
    if asked:
        return list(dict.fromkeys(asked)), ()
    keys = {*NAMES, "dataset"}
    rest = [c for c in graded.columns if c.casefold() not in keys and c != key]
    text = [c for c in rest if graded.is_text(c) or not any(graded.text(c))]
    chosen = [c for c in rest if c not in text]
    if not chosen:
        raise InputError(f"{graded.who} have no column of numbers; found are {graded.header}.")
    return chosen, tuple(text)
