"""Which metric passes what in which space: criteria that are written down, and what they come to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from empirical_study.study import HIGHER_IS_BETTER

MONOTONE, BEYOND, ROBUST = 0.9, 3.0, 0.25
FOUND = ("noise", "generated", "collapse", "drop", "copies")
IGNORED = ("shift", "turn")
CRITERIA = f"""\
A score "worsens" by its direction. "Chance" is the spread of real against real: standard deviations over draws of two
sets of this size.
found: the score worsens with the damage (rank correlation at least {MONOTONE:g}) and at the end by more than
{BEYOND:g} standard deviations; the number is the least damage from which on it stands out that far.
ignored: shifting or turning all images worsens the score by at most {ROBUST:.0%} of what generated images in full do;
the number is that share (0 where it does not worsen).
samples: the least size of sets from which on every draw of generated images scores worse than every draw of real ones.
copies: as found, for the score against validation images less the score against the copied training images."""


@dataclass(frozen=True)
class Verdict:
    """Whether a metric passes one test, and the number that goes with it, or None."""

    passed: bool
    number: float | None = None


@dataclass(frozen=True, eq=False)
class Curves:
    """What one metric said in one space, by `curves_of`: larger is worse.

    by_experiment: levels (t,) and scores (t, draws). mean, spread: of real against real at the full size.
    """

    by_experiment: Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]]
    mean: float
    spread: float

    def beyond(self, experiment: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Levels, and by how many standard deviations the score is worse than real against real; for copies the gap."""
        levels, scores = self.by_experiment[experiment]
        gap = experiment == "copies"
        away = scores[:, 0] - (scores[0, 0] if gap else self.mean)
        # a gap is a difference of two scores; where real sets never differ, any change is beyond chance
        scale = self.spread * (np.sqrt(2.0) if gap else 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return levels, np.where(away == 0.0, 0.0, away / scale)


def curves_of(results: Mapping[str, Any], space: str, metric: str) -> Curves:
    """Of the results of `run_study`; InputError has no place here: every metric of the study has values."""
    sign = -1.0 if metric in HIGHER_IS_BETTER else 1.0
    values = results["spaces"][space]["values"][metric]
    table: dict[str, dict[float, list[float]]] = {}
    for (experiment, level, _), value in zip(results["cases"], values, strict=True):
        table.setdefault(experiment, {}).setdefault(level, []).append(np.nan if value is None else sign * value)
    found = {name: (np.array(list(rows)), np.array(list(rows.values()))) for name, rows in table.items()}
    levels, on_train = found.pop("copies-train")
    found["copies"] = (levels, found.pop("copies-validation")[1] - on_train)
    null = found["same"][1][-1]
    return Curves(found, float(null.mean()), float(null.std(ddof=1)))


def verdicts(results: Mapping[str, Any]) -> dict[str, dict[str, dict[str, Verdict]]]:
    """By space, metric and test."""
    return {
        space: {metric: _judge(curves_of(results, space, metric)) for metric in found["values"]}
        for space, found in results["spaces"].items()
    }


def _judge(curves: Curves) -> dict[str, Verdict]:
    judged = {name: _found(*curves.beyond(name)) for name in FOUND}
    judged |= {name: _ignored(curves, name) for name in IGNORED}
    return judged | {"samples": _samples(curves)}


def _found(levels: NDArray[np.float64], away: NDArray[np.float64]) -> Verdict:
    """Whether it grows with the level, beyond chance, and from which level on it stays there."""
    if not correlation(levels, away) >= MONOTONE or not away[-1] > BEYOND:
        return Verdict(False)
    below = np.flatnonzero(~(away > BEYOND))
    return Verdict(True, float(levels[below[-1] + 1 if below.size else 0]))


def _ignored(curves: Curves, experiment: str) -> Verdict:
    """What a harmless change costs, as a share of what generated images cost."""
    worse, worst = (float(np.diff(curves.by_experiment[e][1][[0, -1], 0])[0]) for e in (experiment, "generated"))
    if not worst > BEYOND * curves.spread:  # what does not see generated images cannot be robust
        return Verdict(False)
    share = max(worse / worst, 0.0)
    return Verdict(share <= ROBUST, share)


def _samples(curves: Curves) -> Verdict:
    """The size from which on real and generated images are apart in every draw."""
    sizes, same = curves.by_experiment["same"]
    apart = curves.by_experiment["other"][1].min(1) > same.max(1)
    if not apart[-1]:
        return Verdict(False)
    mixed = np.flatnonzero(~apart)
    return Verdict(True, float(sizes[mixed[-1] + 1 if mixed.size else 0]))


def correlation(levels: NDArray[np.float64], scores: NDArray[np.float64]) -> float:
    """Spearman's, with mean ranks of ties; 0 where either is constant."""
    a, b = rankdata(levels), rankdata(np.where(np.isnan(scores), -np.inf, scores))
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])
