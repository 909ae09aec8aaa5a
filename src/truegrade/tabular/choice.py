"""Which scores of tables were asked for, and what is graded and computed for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from truegrade.engine.needs import Need
from truegrade.metrics import Choice, refuse_unknown
from truegrade.samples import Samples
from truegrade.tables import LEVELLED, NUMERIC, Schema
from truegrade.tabular.rows.nearness import needs
from truegrade.tabular.scores import FAMILY, TABLE_SCORES, Part


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


def split_choice(metrics: Choice | Iterable[Choice] | None, others: Iterable[str] = ()) -> tuple[Any, Wanted]:
    """The metrics that were asked for without the scores of tables, and these: all of them by default.

    "table" stands for all of them, as do "default" and "all". others: names that are no metrics and known all the same,
    for the message about one that is not.
    """
    if metrics is None or not isinstance(metrics, Iterable) or isinstance(metrics, type):
        return metrics, Wanted(frozenset(TABLE_SCORES) if metrics is None else frozenset())
    items = [metrics] if isinstance(metrics, str) else list(metrics)
    words = {item.removeprefix("family:") for item in items if isinstance(item, str)}
    rest = [i for i in items if not (isinstance(i, str) and i.removeprefix("family:") in (FAMILY, *TABLE_SCORES))]
    for name in rest:
        if isinstance(name, str):
            refuse_unknown(name, (FAMILY, *TABLE_SCORES, *others))
    every = words & {FAMILY, "default", "all"}
    named = bool(words & {FAMILY, *TABLE_SCORES})
    return rest, Wanted(frozenset(TABLE_SCORES if every else words & set(TABLE_SCORES)), named)


def private_needs(parts: frozenset[Part], sides: Mapping[str, Samples], seed: int) -> tuple[Need, ...]:
    """What the engine has to answer for the privacy of whole rows; nothing where there are too few."""
    if "privacy" not in parts or sides["real"].n < 3 or sides["synthetic"].n < 2:
        return ()
    return needs("holdout" in sides and sides["holdout"].n > 1, seed=seed)
