"""What `agree` returns: plain records of how scores agree with people, and their JSON form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from truegrade.result import Interval
from truegrade.result.record import Saved, look_up

Form = Literal["ratings", "choices"]


@dataclass(frozen=True)
class Coefficient:
    """A rank correlation: two-sided p of no association, and a 95 % interval.

    value and p are None where it is undefined, interval also where there are too few models; `reason` says why.
    test: how p was computed.
    """

    value: float | None
    p: float | None = None
    interval: Interval | None = None
    test: str = ""
    reason: str | None = None


@dataclass(frozen=True)
class Correlation:
    """A score against the human number, over the n models of one dataset ("" where datasets are not told apart).

    missing: models that were left out because the score or the human number is not there.
    """

    dataset: str
    score: str
    n: int
    missing: int
    spearman: Coefficient
    kendall: Coefficient


@dataclass(frozen=True)
class RaterAgreement:
    """The choices of one rater against those of one score, over n answers.

    tied: answers where the score has no preference; they count as disagreement. accuracy: the share of agreement.
    kappa: Cohen's; None where it is undefined, `reason` says why. missing: answers without a score.
    """

    rater: str
    score: str
    n: int
    tied: int
    missing: int
    accuracy: float | None
    kappa: float | None
    reason: str | None = None


@dataclass(frozen=True)
class ChoiceAgreement:
    """The choices of all raters against those of one score.

    n, tied, missing, accuracy, kappa: as for one rater, over all answers together.
    mean_kappa: the mean of the raters' kappas, over the `raters` that have one.
    p: one-sided, of the raters' kappas being no higher than chance (0) or than those of the reference score;
    p_worse: of the reference's being no higher than this score's. Both also corrected by Holm over the scores.
    """

    score: str
    direction: str
    n: int
    tied: int
    missing: int
    accuracy: float | None
    kappa: float | None
    mean_kappa: float | None
    raters: int
    p: float | None = None
    p_holm: float | None = None
    p_worse: float | None = None
    p_worse_holm: float | None = None
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class AgreementReport(Saved):
    """How scores agree with people: `report["fd_dinov2"]`.

    Attributes:
        form: "ratings" (a human number per model: `correlations`) or "choices" (`choices` and `raters`).
        ratings, scores: where the two tables came from. rating: the column of the human number.
        joined: by which columns the tables were matched, and how many rows were.
        reference: the score that the others are tested against; None means chance.
        unmatched_ratings, unmatched_scores: names that are only in one of the tables.
        left_out: columns of the scores that hold text and were not graded.
        notes: what else the reader must know.
    """

    kind: ClassVar[str] = "agreement"

    form: Form
    ratings: str
    scores: str
    joined: str
    rating: str | None = None
    correlations: tuple[Correlation, ...] = ()
    choices: tuple[ChoiceAgreement, ...] = ()
    raters: tuple[RaterAgreement, ...] = ()
    reference: str | None = None
    unmatched_ratings: tuple[str, ...] = ()
    unmatched_scores: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __getitem__(self, score: str) -> ChoiceAgreement | dict[str, Correlation]:
        """What was found for one score: over all raters, or by dataset."""
        if self.form == "choices":
            return look_up({c.score: c for c in self.choices}, score, "score")
        by_score: dict[str, dict[str, Correlation]] = {}
        for found in self.correlations:
            by_score.setdefault(found.score, {})[found.dataset] = found
        return look_up(by_score, score, "score")
