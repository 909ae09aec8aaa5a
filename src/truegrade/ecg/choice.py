"""Which scores of ECG recordings were asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from truegrade.ecg.scores import ECG_SCORES, FAMILY
from truegrade.metrics import Choice

ECG_NAMES: tuple[str, ...] = (FAMILY, *ECG_SCORES)
"""Names of scores of recordings that `metrics` accepts."""


@dataclass(frozen=True)
class EcgWanted:
    """Which scores of recordings were asked for, by key. named: whether one by one or as a family, not by default."""

    keys: frozenset[str] = frozenset()
    named: bool = False

    @property
    def parts(self) -> frozenset[str]:
        """What has to be graded for them."""
        return frozenset(ECG_SCORES[key].part for key in self.keys)


def ecg_in_words(parts: frozenset[str], leads: int) -> list[str]:
    """What grading these parts of recordings would do, a line each."""
    told = {
        "leads": f"leads: metrics of features of each of {leads} leads, by label too",
        "registry": "registry: the sixteen metrics of truegrade.ecg.AVAILABLE_METRICS",
        "scorecard": "scorecard: beats found and delineated on both sides",
        "laws": "laws: Einthoven, Goldberger, correlations between leads",
        "copies": "copies: recordings that are real ones, at any phase of the beat",
        "discrimination": "discrimination: classifiers that tell real from synthetic, with and without trivial tells",
        "utility": "utility: models trained on synthetic and on real recordings, tested on real ones",
    }
    return [words for part, words in told.items() if part in parts]


def split_ecg_choice(metrics: Choice | Iterable[Choice] | None) -> tuple[Any, EcgWanted]:
    """The metrics that were asked for without the scores of recordings, and these: all of them by default.

    "ecg" stands for all of them, as do "default" and "all".
    """
    if metrics is None or not isinstance(metrics, Iterable) or isinstance(metrics, type):
        return metrics, EcgWanted(frozenset(ECG_SCORES) if metrics is None else frozenset())
    items = [metrics] if isinstance(metrics, str) else list(metrics)
    words = {item.removeprefix("family:") for item in items if isinstance(item, str)}
    rest = [i for i in items if not (isinstance(i, str) and i.removeprefix("family:") in ECG_NAMES)]
    every = words & {FAMILY, "default", "all"}
    return rest, EcgWanted(frozenset(ECG_SCORES if every else words & set(ECG_SCORES)), bool(words & {*ECG_NAMES}))
