"""Metrics of nearest neighbours among descriptors, lead by lead: pr_dist, nn_dist."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from truegrade.ecg.registry.base import Floor, Found, RegistryMetric
from truegrade.ecg.registry.sides import Floats, Lead, Pair, Rows
from truegrade.ecg.registry.vectors import scaled_sevens
from truegrade.errors import InputError
from truegrade.metrics.nearest_ball import harmonic_mean


@dataclass(frozen=True, kw_only=True)
class PRDist(RegistryMetric):
    """Precision and recall of the seven descriptors of a lead, divided by the real sd; the score is their F.

    rule "nearest": precision is the share of synthetic recordings within the ball of their nearest real one, whose
    radius is the distance to its k-th nearest other real one; recall the same with the sides exchanged. rule "union":
    within any ball (Kynkäänniemi et al. 2019); larger, and never more than one outlying ball away from 1. Balls are
    closed. F = 2 P R / (P + R). Range 0 to 1, higher is better. A synthetic recording without a signal is in no ball
    and lowers both by its share; where many more of them than of the real ones have none, the balls of the others are
    those of fewer neighbours in proportion, else they would grow. `extra`: "precision", "recall" by lead.

    Raises InputError for k >= n on either side and another rule.
    """

    k: int = 3
    rule: Literal["nearest", "union"] = "nearest"
    n_subsample: int | None = None
    seed: int = 42

    key: ClassVar[str] = "pr_dist"
    title: ClassVar[str] = "Precision and recall"
    higher_is_better: ClassVar[bool] = True
    worst: ClassVar[float | None] = 0.0
    description: ClassVar[str] = "F of precision and recall by neighbour balls of seven descriptors; higher is better."
    reference: ClassVar[str] = "Kynkäänniemi et al. 2019, Improved precision and recall metric; the nearest-ball rule."
    corrected: ClassVar[str] = (
        "No sub-sampling, float64 with exact ties, k >= n refused (there k is lowered silently), F without a constant "
        "in its denominator, the union rule on request."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rule not in ("nearest", "union"):
            raise InputError(f"rule={self.rule!r} given; 'nearest' or 'union' is accepted.")
        if self.rule == "union" and self.compat:
            raise InputError("ecgen-eval 0.5.0 knows no rule='union'; leave out compat=.")

    def smallest(self) -> tuple[int, int]:
        return (self.k + 1, self.k + 1)

    def check(self, pair: Pair) -> None:
        smallest = min(len(pair.real), len(pair.synthetic))
        if smallest <= self.k:
            raise InputError(
                f"k={self.k} given, and {len(pair.real)} real and {len(pair.synthetic)} synthetic recordings; at least "
                f"k + 1 = {self.k + 1} are needed on each side."
            )
        super().check(pair)

    def lost(self, lead: Lead) -> Found:
        reason = super().lost(lead).reason
        return Found(0.0, {"precision": self._precision(lead) if lead.m else 0.0, "recall": 0.0}, reason)

    def one_lead(self, lead: Lead) -> Found:
        x, y = scaled_sevens(lead)
        k = int(self.k * lead.share) if lead.lost else self.k
        recall = float(inside(y, x, k, self.rule).mean()) * lead.share if k else 0.0
        precision = self._precision(lead)
        return Found(harmonic_mean(precision, recall), {"precision": precision, "recall": recall})

    def _precision(self, lead: Lead) -> float:
        x, y = scaled_sevens(lead)
        return float(inside(x, y, self.k, self.rule).mean()) * lead.share


def inside(centres: Floats, points: Floats, k: int, rule: str = "nearest") -> NDArray[np.bool_]:
    """Which points lie in the closed k-th neighbour ball of their nearest centre, or of any."""
    tree = cKDTree(centres)
    kth = np.asarray(tree.query(centres, k + 1)[1])[:, -1]  # a centre is among its own neighbours, at distance 0
    squared_radii = squared(centres, centres[kth])
    if rule == "nearest":
        nearest = np.asarray(tree.query(points)[1])
        return np.asarray(squared(points, centres[nearest]) <= squared_radii[nearest])
    found = np.zeros(len(points), bool)
    wider = np.sqrt(squared_radii) * (1.0 + 1e-12) + 1e-300  # the tree rounds in its own way: decide here
    for centre, near in enumerate(cKDTree(points).query_ball_point(centres, wider)):
        rows: Rows = np.asarray(near, dtype=np.intp)
        found[rows] |= squared(points[rows], centres[centre]) <= squared_radii[centre]
    return found


def squared(a: Floats, b: Floats) -> Floats:
    """Squared distances of rows, rounded alike whichever of the two comes first."""
    out: Floats = ((a - b) ** 2).sum(axis=-1)
    return out


@dataclass(frozen=True, kw_only=True)
class NNDist(RegistryMetric):
    """Mean distance of a real recording to its nearest synthetic one, in the seven descriptors divided by the real sd.

    Range 0 to infinity, lower is better; 0 for copies, so read it beside the copies found and its floor. Synthetic
    recordings without a signal are nobody's neighbour. `extra["authenticity"]`: share of the synthetic recordings that
    are farther from their nearest real one than that is from its nearest other real one (Alaa et al. 2022).
    """

    n_subsample: int | None = None
    seed: int = 42

    key: ClassVar[str] = "nn_dist"
    floor: ClassVar[Floor] = "partners"
    title: ClassVar[str] = "Nearest-neighbour distance"
    least: ClassVar[tuple[int, int]] = (2, 1)
    description: ClassVar[str] = "Mean distance of real recordings to the nearest synthetic one; lower is better."
    reference: ClassVar[str] = "Meehan et al. 2020, A non-parametric test to detect data-copying; Alaa et al. 2022."
    corrected: ClassVar[str] = (
        "Authenticity by sample (there against the median of all real gaps), float64, no sub-sampling."
    )

    def one_lead(self, lead: Lead) -> Found:
        x, y = scaled_sevens(lead)
        tree = cKDTree(x)
        gaps = np.asarray(tree.query(x, 2)[0])[:, 1]
        distance, nearest = tree.query(y)
        return Found(
            float(np.asarray(cKDTree(y).query(x)[0]).mean()),
            {"authenticity": float((distance > gaps[nearest]).mean()) * lead.share},
        )
