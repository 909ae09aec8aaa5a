"""What is known of every sample of both sides: grades, distances, radii. Arrays over whole sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from truegrade.engine.needs import Answers, Floats, Ints, Knn, Nearest
from truegrade.metrics.base import Metric, Outcome
from truegrade.samples import Samples, label_text

Side = Literal["real", "synthetic"]

MOST_K = 10
USUAL_K = 5
_LONGEST_NAME = 200
_BY_FAMILY = {"synthetic": "fidelity", "real": "coverage"}
_BEST = {
    "synthetic": ("clipped_density", "precision", "symmetric_precision", "nearest_ball_precision"),
    "real": ("clipped_coverage", "recall", "symmetric_recall", "nearest_ball_recall"),
}


@dataclass(frozen=True, eq=False)
class SideFacts:
    """One side, n samples.

    grade: 0 (bad) to 1 (good), NaN where no score gives one (n,). squared: squared distances to the nearest
    others of the same side (n, K). nearest, partner: distance to and row of the nearest sample of the other side.
    crowding: `nearest` in units of the k-neighbour radius of the real sample concerned (the sample itself, or the
    one nearest to a synthetic sample); what orders samples of equal grade.
    """

    samples: Samples
    grade: Floats
    squared: Floats
    nearest: Floats
    partner: Ints
    crowding: Floats

    @property
    def own(self) -> Floats:
        """Distance to the nearest other sample of the same side."""
        return np.sqrt(self.squared[:, 0])


@dataclass(frozen=True, eq=False)
class Facts:
    """Both sides, and the neighbour counts: k to begin with, K up to which neighbours are known."""

    real: SideFacts
    synthetic: SideFacts
    k: int

    @property
    def most_k(self) -> int:
        """K."""
        return int(self.real.squared.shape[1])


def shared_k(metrics: Mapping[str, Metric]) -> int:
    """The neighbour count of precision, else of the first score that has one."""
    order = sorted(metrics.values(), key=lambda m: m.info.key not in ("precision", "recall"))
    found: list[int] = [m.parameters()["k"] for m in order if "k" in m.parameters()]
    return found[0] if found else USUAL_K


def widest_k(k: int, n: int, m: int) -> int:
    """Up to which k neighbours are asked for."""
    return min(max(k, MOST_K), n - 1, m - 1)


def facts_of(
    metrics: Mapping[str, Metric],
    outcomes: Mapping[str, Outcome],
    answers: Answers,
    real: Samples,
    synthetic: Samples,
) -> Facts:
    """The facts, from the answers to `truegrade.gallery.needs`."""
    wide = widest_k(shared_k(metrics), real.n, synthetic.n)
    k = min(shared_k(metrics), wide)
    own = {side: answers[Knn(side, wide)].squared for side in ("real", "synthetic")}
    across = {"real": answers[Nearest("real", "synthetic")], "synthetic": answers[Nearest("synthetic", "real")]}
    nearest = {side: found.distances[:, 0] for side, found in across.items()}
    partner = {side: found.indices[:, 0] for side, found in across.items()}
    radii = np.sqrt(own["real"][:, k - 1])
    crowding = {
        "real": ratio(nearest["real"], radii),
        "synthetic": ratio(nearest["synthetic"], radii[partner["synthetic"]]),
    }

    def side(which: Side, samples: Samples) -> SideFacts:
        grade = grade_of(which, samples.n, metrics, outcomes)
        return SideFacts(samples, grade, own[which], nearest[which], partner[which], crowding[which])

    return Facts(side("real", real), side("synthetic", synthetic), k)


def ratio(distance: Floats, unit: Floats) -> Floats:
    """distance / unit; 0 / 0 is 0, anything else over 0 is infinite."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(np.where(distance == 0, 0.0, distance / unit))


def grade_of(side: Side, n: int, metrics: Mapping[str, Metric], outcomes: Mapping[str, Outcome]) -> Floats:
    """Per-sample values of the best suited score that has them, 0 to 1 (n,); NaN where there is none."""
    fit = [
        (metric.info.key, np.asarray(outcomes[key].per_sample[side], np.float64))
        for key, metric in metrics.items()
        if metric.info.family == _BY_FAMILY[side]
        and (*metric.info.range, metric.info.direction) == (0.0, 1.0, "higher")
        and len(outcomes[key].per_sample.get(side, ())) == n
    ]
    known = dict(reversed(fit))  # of several with one key the first
    best = next((known[key] for key in _BEST[side] if key in known), None)
    if best is None:
        best = next(iter(values for _, values in fit), np.full(n, np.nan))
    return np.clip(best, 0.0, 1.0)


def name_of(samples: Samples, row: int) -> str:
    """The sample's id, at most 200 characters of it; its row, counted from 0, if it has none."""
    return f"row {row}" if samples.ids is None else shortened(samples.ids[row])


def label_of(samples: Samples, row: int) -> str | None:
    """The sample's label as text, at most 200 characters of it; None if the side has none."""
    return None if samples.labels is None else shortened(label_text(samples.labels[row]))


def shortened(value: object) -> str:
    """A user's text as it is, cut after 200 characters."""
    text = str(value)
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1] + "…"
