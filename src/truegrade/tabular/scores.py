"""The numbers that sum up a table, as scores like all others: by key, with what a reader has to know of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from truegrade.engine.needs import Need
from truegrade.metrics import Choice
from truegrade.result import About, Interval, Reference, Score
from truegrade.result.table import Aggregate, Measure, TableGrades
from truegrade.samples import Samples
from truegrade.tables import LEVELLED, NUMERIC, Schema
from truegrade.tabular.nearness import needs
from truegrade.tabular.privacy import MEASURES

FAMILY = "table"
LEVEL = 0.95
Part = Literal["pairs", "detection", "utility", "privacy"]
Found = Measure | Aggregate | str
"""A number with what is known of it, or why there is none."""


@dataclass(frozen=True)
class TableScore:
    """One number of a whole table: how to read it, which part of the grading makes it, and where it stands there."""

    key: str
    title: str
    part: Part
    about: About
    take: Callable[[TableGrades], Found]


def _about(
    direction: str, target: float | None, formula: str, reading: str, reference: str = "this package"
) -> About:
    return About(FAMILY, direction, (0.0, 1.0), target, formula, reading, reference)


def _mean(key: str) -> Callable[[TableGrades], Found]:
    return lambda table: table.aggregates.get(key, "no column or pair of these tables has it")


def _ratio(key: str) -> Callable[[TableGrades], Found]:
    """Without a reference: of fresh real rows such a mean is a little below 1, as chance lowers it and never raises."""

    def take(table: TableGrades) -> Found:
        found = _mean(key)(table)
        return replace(found, ceiling=None) if isinstance(found, Aggregate) else found

    return take


def _inflated(table: TableGrades) -> Found:
    of = sum(pair.form == "numbers" and pair.status == "ok" for pair in table.pairs)
    return Measure(len(table.inflated) / of) if of else "no pair of numbers was graded"


def _detection(table: TableGrades) -> Found:
    """That of the classifier which tells the rows apart best."""
    known = [found for found in table.detection.values() if found.value is not None]
    if known:
        return max(known, key=lambda found: found.value or 0.0)
    return next(iter(table.detection.values()), "it was not computed")


def _utility(table: TableGrades) -> Found:
    """How much of what real rows teach synthetic rows teach; each task from 0 to 1."""
    parts = [
        min(1.0, max(0.0, (task.synthetic - task.baseline) / (task.real - task.baseline)))
        for task in table.utility
        if task.real is not None and task.synthetic is not None and task.real > task.baseline
    ]
    if parts:
        return Aggregate(sum(parts) / len(parts), len(parts), len(table.utility))
    return next((task.reason for task in table.utility if task.reason), "no column can be predicted from the others")


def private_needs(parts: frozenset[Part], sides: Mapping[str, Samples], seed: int) -> tuple[Need, ...]:
    """What the engine has to answer for the privacy of whole rows; nothing where there are too few."""
    if "privacy" not in parts or sides["real"].n < 3 or sides["synthetic"].n < 2:
        return ()
    return needs("holdout" in sides and sides["holdout"].n > 1, seed=seed)


def _private(key: str) -> Callable[[TableGrades], Found]:
    def take(table: TableGrades) -> Found:
        none = "it was not computed"
        return none if table.privacy is None else table.privacy.measures.get(key, none)

    return take


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
            "How well single columns are reproduced: near 1 as well as fresh real rows would. It sees no pairs.",
        ),
        _ratio("column_score"),
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
            "How well pairs of columns are reproduced, sparse regions included: near 1 as well as fresh real rows.",
            "inflation",
        ),
        _ratio("eden_ratio"),
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
        _mean("correlation_score"),
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
        _inflated,
    ),
    TableScore(
        "detection_auc",
        "Detection by a classifier",
        "detection",
        _about(
            "target",
            0.5,
            "cross-validated area under the ROC curve of real against synthetic rows, by the better of two classifiers",
            "0.5 means that no classifier told the rows apart; 1 that it always did. Well below 0.5 rows are repeated.",
            "lopezpaz2017",
        ),
        _detection,
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
            "How much of what real rows teach about a column synthetic rows teach too; 1 is as much.",
        ),
        _utility,
    ),
    TableScore(
        "exact_copy_share",
        "Exact copies of real rows",
        "privacy",
        _about("lower", 0.0, "share of synthetic rows that equal a real row", MEASURES["exact_copies"].reading),
        _private("exact_copies"),
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
        _private("close_copies"),
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
        _private("closer_to_train"),
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
        _private("membership_inference"),
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
        _private("attribute_inference"),
    ),
)
TABLE_SCORES: dict[str, TableScore] = {score.key: score for score in _SCORES}
"""Every score of tables, by key."""


@dataclass(frozen=True)
class Wanted:
    """Which scores of tables were asked for, by key. named: whether one by one or as a family, not by default."""

    keys: frozenset[str] = frozenset()
    named: bool = False

    @property
    def parts(self) -> frozenset[Part]:
        """What has to be graded for them."""
        return frozenset(TABLE_SCORES[key].part for key in self.keys)


def in_words(parts: frozenset[Part], schema: Schema) -> list[str]:
    """What grading these parts of a table would do, a line each."""
    count = len(schema.names(*NUMERIC, *LEVELLED))
    told: dict[Part, str] = {
        "pairs": f"columns: {count}, pairs of columns: {count * (count - 1) // 2}, grade inflation",
        "detection": "detection: classifiers that tell real from synthetic rows",
        "utility": "utility: models trained on synthetic and on real rows, tested on real ones",
        "privacy": "privacy: copies, distances to real rows, inference of attributes",
    }
    return [words for part, words in told.items() if part in parts]


def split_choice(metrics: Choice | Iterable[Choice] | None) -> tuple[Any, Wanted]:
    """The metrics that were asked for without the scores of tables, and these: all of them by default.

    "table" stands for all of them, as do "default" and "all".
    """
    if metrics is None or not isinstance(metrics, Iterable) or isinstance(metrics, type):
        return metrics, Wanted(frozenset(TABLE_SCORES) if metrics is None else frozenset())
    items = [metrics] if isinstance(metrics, str) else list(metrics)
    words = {item.removeprefix("family:") for item in items if isinstance(item, str)}
    rest = [i for i in items if not (isinstance(i, str) and i.removeprefix("family:") in (FAMILY, *TABLE_SCORES))]
    every = words & {FAMILY, "default", "all"}
    named = bool(words & {FAMILY, *TABLE_SCORES})
    return rest, Wanted(frozenset(TABLE_SCORES if every else words & set(TABLE_SCORES)), named)


def table_scores(table: TableGrades, keys: Iterable[str], n: int, m: int) -> dict[str, Score]:
    """The scores of a table that were asked for, by key; n, m: its rows on either side."""
    return {key: _score(one, one.take(table), n, m) for key, one in TABLE_SCORES.items() if key in keys}


def _score(one: TableScore, found: Found, n: int, m: int) -> Score:
    if isinstance(found, str) or found.value is None:
        reason = found if isinstance(found, str) else _why(found)
        return Score(one.key, one.title, one.about, None, n, m, status="undefined", reason=reason)
    interval = _interval(found)
    details: dict[str, Any] = {"over": found.over, "of": found.of} if isinstance(found, Aggregate) else {}
    note = "two samples of the real table at these sizes"
    return Score(
        one.key,
        one.title,
        one.about,
        float(found.value),
        n,
        m,
        interval=interval,
        floor=None if found.ceiling is None else Reference(float(found.ceiling), n, m, note),
        missing={} if interval is not None else {"interval": "none is computed for this score"},
        details=details,
    )


def _why(found: Measure | Aggregate) -> str:
    if isinstance(found, Measure):
        return found.reason or "it is undefined"
    return f"none of {found.of} has a value"


def _interval(found: Measure | Aggregate) -> Interval | None:
    if found.low is None or found.high is None or not found.low <= found.high:
        return None
    return Interval(float(found.low), float(found.high), LEVEL, "of the part that it comes from")
