"""Every score of a table, by key: what a reader has to know of each, and where it stands in the grades."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from truegrade.result import About
from truegrade.result.table import TableGrades
from truegrade.tabular.rows.privacy import MEASURES
from truegrade.tabular.summed import Found, detection_auc, inflated_share, mean, private, utility_ratio

FAMILY = "table"
Part = Literal["pairs", "detection", "utility", "privacy"]


@dataclass(frozen=True)
class TableScore:
    """One number of a whole table: how to read it, which part of the grading makes it, and where it stands there."""

    key: str
    title: str
    part: Part
    about: About
    take: Callable[[TableGrades], Found]


def _about(direction: str, target: float | None, formula: str, reading: str, reference: str = "this package") -> About:
    return About(FAMILY, direction, (0.0, 1.0), target, formula, reading, reference)


_SCORES = (
    TableScore(
        "column_score",
        "Columns",
        "pairs",
        _about(
            "higher",
            1.0,
            "mean over columns of min(score / score of real data, 1); score: 1-D Eden of numbers, 1 - total variation "
            "of categories",
            "How well single columns are reproduced. Fresh real rows get a little less than 1: read it beside what "
            "they get. It sees no pairs.",
        ),
        mean("column_score"),
    ),
    TableScore(
        "eden_ratio",
        "Eden ratio of pairs",
        "pairs",
        _about(
            "higher",
            1.0,
            "mean over pairs of columns of min(score / score of real data, 1); score: Eden of two numbers, equidensity "
            "of two categories, mean 1-D Eden of a number within categories",
            "How well pairs of columns are reproduced, sparse regions included. Fresh real rows get a little less "
            "than 1: read it beside what they get.",
            "inflation",
        ),
        mean("eden_ratio"),
    ),
    TableScore(
        "pair_correlation_score",
        "Correlation score of pairs",
        "pairs",
        _about(
            "higher",
            None,
            "mean over pairs of numbers of 1 - |r_real - r_synthetic| / 2",
            "What is usually reported of pairs. It is near 1 for most models: read the Eden ratio beside it.",
            "inflation",
        ),
        mean("correlation_score"),
    ),
    TableScore(
        "inflated_share",
        "Grade inflation",
        "pairs",
        _about(
            "lower",
            0.0,
            "share of the pairs of numbers with a correlation score above .95 and an Eden ratio below .6",
            "How often the correlation score hides that a pair of columns is not reproduced; 0 is best.",
            "inflation",
        ),
        inflated_share,
    ),
    TableScore(
        "detection_auc",
        "Detection by a classifier",
        "detection",
        _about(
            "target",
            0.5,
            "cross-validated area under the ROC curve of real against synthetic rows, by that of two classifiers which "
            "is farthest from .5",
            "0.5 means that no classifier told the rows apart; 1 that it always did; well below 0.5 rows are repeated. "
            "The classifier farthest from 0.5 counts.",
            "lopezpaz2017",
        ),
        detection_auc,
    ),
    TableScore(
        "utility_ratio",
        "Train on synthetic, test on real",
        "utility",
        _about(
            "higher",
            1.0,
            "mean over predicted columns of (score of a model trained on synthetic rows - baseline) / (the same of one "
            "trained on real rows - baseline), each from 0 to 1; score: R squared or AUC on real rows that neither saw",
            "How much of what real rows teach about a column synthetic rows teach too; 1 is as much. A column that the "
            "synthetic table lacks counts as 0.",
        ),
        utility_ratio,
    ),
    TableScore(
        "exact_copy_share",
        "Exact copies of real rows",
        "privacy",
        _about("lower", 0.0, "share of synthetic rows that equal a real row", MEASURES["exact_copies"].reading),
        private("exact_copies"),
    ),
    TableScore(
        "close_copy_share",
        "Close copies of real rows",
        "privacy",
        _about(
            "lower",
            None,
            "share of synthetic rows with d(synthetic, nearest real) < d(that, its nearest real) / 2",
            MEASURES["close_copies"].reading,
        ),
        private("close_copies"),
    ),
    TableScore(
        "closer_to_train",
        "Closer to training than to held-out rows",
        "privacy",
        _about(
            "target",
            0.5,
            "share of synthetic rows nearer to a training row than to any of as many held-out rows",
            MEASURES["closer_to_train"].reading,
        ),
        private("closer_to_train"),
    ),
    TableScore(
        "membership_auc",
        "Membership inference",
        "privacy",
        _about(
            "target",
            0.5,
            "area under the ROC curve of training against held-out rows by the distance to the nearest synthetic row",
            MEASURES["membership_inference"].reading,
        ),
        private("membership_inference"),
    ),
    TableScore(
        "attribute_inference",
        "Attribute inference",
        "privacy",
        _about(
            "lower",
            None,
            "share of values of real rows that the nearest synthetic row in all other columns has too",
            MEASURES["attribute_inference"].reading + " Real against real: as many fresh real rows.",
        ),
        private("attribute_inference"),
    ),
)
TABLE_SCORES: dict[str, TableScore] = {score.key: score for score in _SCORES}
"""Every score of tables, by key."""
