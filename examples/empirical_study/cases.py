"""Which sets are graded against which: the experiments of the study, as rows of one pool of images."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.cluster.vq import kmeans2

from empirical_study.classifier import Pixels
from empirical_study.images import Material, Rows, principal_parts

CLUSTERS = 50
_PARTS, _ROUNDS = 32, 30

DAMAGES = {
    "noise": "share of noise",
    "generated": "share of generated images",
    "collapse": "share of clusters collapsed",
    "drop": "share of clusters dropped",
    "shift": "share of shifted images",
    "turn": "share of turned images",
}
"""Experiments whose level is a share of what was done to the synthetic set, and how the axis is called."""


@dataclass(frozen=True, eq=False)
class Case:
    """One pair of sets. experiment, level, draw: what it belongs to."""

    experiment: str
    level: float
    draw: int
    real: Rows
    synthetic: Rows


@dataclass(frozen=True)
class Plan:
    """How much is run. shares: of damage; of clusters half of that is dropped. draws: of each size of sets."""

    n: int
    shares: tuple[float, ...] = (0.0, 0.1, 0.2, 0.4, 0.7, 1.0)
    draws: int = 8

    @property
    def sizes(self) -> tuple[int, ...]:
        """Of sets, for the number of samples needed."""
        return (*(size for size in (20, 50, 100, 200, 500, 1000) if size < self.n), self.n)


def all_cases(material: Material, plan: Plan, seed: int) -> list[Case]:
    """Everything that is graded."""
    rng = np.random.default_rng([seed, 2])
    return [
        *_mixtures(material, plan, rng),
        *_collapse_and_drop(material, plan, rng),
        *_sizes(material, plan, rng),
        *_copies(material, plan, rng),
    ]


def _mixtures(material: Material, plan: Plan, rng: np.random.Generator) -> list[Case]:
    """A growing share of fresh real images is replaced, by noise, generated images or themselves transformed."""
    train, fresh = material.rows["train"], material.rows["fresh"]
    order = rng.permutation(material.n)
    kinds = {"noise": "noise", "generated": "generated", "shift": "shifted", "turn": "turned"}
    cases = []
    for experiment, other in kinds.items():
        for share in plan.shares:
            mixed = fresh.copy()
            places = order[: round(share * material.n)]
            mixed[places] = material.rows[other][places]
            cases.append(Case(experiment, share, 0, train, mixed))
    return cases


def _collapse_and_drop(material: Material, plan: Plan, rng: np.random.Generator) -> list[Case]:
    """Clusters of real images become copies of the image nearest to their centre, or are replaced by other clusters.

    The clusters are those of "fresh" and "validation" together. Half the clusters at most are dropped, so that the
    places can be filled with images of the kept clusters that are not in the set yet, none of them twice.
    """
    fresh = material.rows["fresh"]
    pool = np.concatenate([fresh, material.rows["validation"]])
    clusters = min(CLUSTERS, material.n // 4)
    cluster, middle = cluster_of(material.pool[pool], clusters, rng)
    order, cases, n = rng.permutation(clusters), [], material.n
    reserve = n + rng.permutation(len(pool) - n)
    for share in plan.shares:
        hit = np.isin(cluster[:n], order[: round(share * clusters)])
        collapsed = np.where(hit, pool[middle[cluster[:n]]], fresh)
        cases.append(Case("collapse", share, 0, material.rows["train"], collapsed))
    for share in (share / 2 for share in plan.shares):
        gone = order[: round(share * clusters)]
        left = np.flatnonzero(~np.isin(cluster[:n], gone))
        filling = reserve[~np.isin(cluster[reserve], gone)][: n - len(left)]
        kept = pool[np.concatenate([left, filling])]
        cases.append(Case("drop", share, 0, material.rows["train"][: len(kept)], kept))
    return cases


def cluster_of(images: Pixels, clusters: int, rng: np.random.Generator) -> tuple[Rows, Rows]:
    """k-means on principal parts of the pixels: the cluster of each image, and the row nearest to each centre."""
    values = images.reshape(len(images), -1).astype(np.float64)
    values -= values.mean(0)
    left = principal_parts(values, min(_PARTS, len(values) // 2))
    parts = left * np.linalg.norm(left.T @ values, axis=1)
    starts = parts[rng.choice(len(parts), clusters, replace=False)]
    centres, cluster = kmeans2(parts, starts, iter=_ROUNDS, minit="matrix", missing="warn")
    middle = np.zeros(clusters, np.intp)
    for number in range(clusters):
        members = np.flatnonzero(cluster == number)
        if members.size:
            middle[number] = members[((parts[members] - centres[number]) ** 2).sum(1).argmin()]
    return np.asarray(cluster, np.intp), middle


def _sizes(material: Material, plan: Plan, rng: np.random.Generator) -> list[Case]:
    """Sets of few images: real against real, and real against generated."""
    cases = []
    for size in plan.sizes:
        for draw in range(plan.draws):
            drawn = rng.choice(material.real, 2 * size, replace=False)
            made = rng.choice(material.rows["generated"], size, replace=False)
            cases.append(Case("same", size, draw, drawn[:size], drawn[size:]))
            cases.append(Case("other", size, draw, drawn[:size], made))
    return cases


def _copies(material: Material, plan: Plan, rng: np.random.Generator) -> list[Case]:
    """A set of fresh real images with a growing share of copies of "train", against that and against "validation"."""
    train, order, cases = material.rows["train"], rng.permutation(material.n), []
    for share in plan.shares:
        mixed = material.rows["fresh"].copy()
        places = order[: round(share * material.n)]
        mixed[places] = train[places]
        cases.append(Case("copies-train", share, 0, train, mixed))
        cases.append(Case("copies-validation", share, 0, material.rows["validation"], mixed))
    return cases
