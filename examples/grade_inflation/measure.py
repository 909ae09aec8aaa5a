"""Every pair graded by the seven scores, over several draws of its synthetic side."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import truegrade as tg
from grade_inflation.cases import Case

RECORD = Path(__file__).with_name("sdmetrics.json")
KEYS = (
    "correlation_score",
    "earth_movers_score",
    "jaccard_score",
    "kl_score",
    "js_score",
    "cs_score",
    "eden_score",
)


@dataclass(frozen=True)
class Row:
    """One pair: every score's mean over the draws, the deviation of Eden's, and what real data get from real data."""

    key: str
    title: str
    draws: int
    means: dict[str, float]
    eden_sd: float | None
    ceiling: float

    @property
    def ratio(self) -> float:
        """Eden score in parts of its ceiling."""
        return self.means["eden_score"] / self.ceiling


def measure(pairs: Iterable[Case], draws: int) -> Iterator[Row]:
    """The rows, one after the other."""
    for case in pairs:
        seeds = range(1 if case.fixed else draws)
        scores = [tg.pair_scores(case.real, case.draw(seed), bandwidth=case.bandwidth) for seed in seeds]
        values = {key: np.array([one[key].value for one in scores], float) for key in KEYS}
        eden = values["eden_score"]
        yield Row(
            case.key,
            case.title,
            len(seeds),
            {key: float(found.mean()) for key, found in values.items()},
            float(eden.std(ddof=1)) if len(eden) > 1 else None,
            scores[0]["eden_score"].floor.value,
        )


def recorded() -> dict[str, Any]:
    """What sdmetrics said of the first draw of each pair, with its version."""
    return json.loads(RECORD.read_text(encoding="utf-8"))
