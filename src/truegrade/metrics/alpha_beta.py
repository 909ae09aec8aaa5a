"""Alpha-precision and beta-recall about the mean ("naive": without the one-class embedding network)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from truegrade.engine.needs import Answers, Direct, Floats, Knn, Nearest, Need
from truegrade.errors import InputError
from truegrade.metrics.base import Means, Metric, MetricInfo, Outcome, check_whole
from truegrade.samples import Samples


def radii_about_mean(centre_of: Samples, of: Samples) -> Floats:
    """Distance of each sample of `of` to the mean of `centre_of`, float64, shape (n,)."""
    first = centre_of.rows.read(0, 1)[0].astype(np.float64)
    total = np.zeros(centre_of.d)
    for block in centre_of.blocks():
        total += (block - first).sum(0)
    offset = total / centre_of.n
    return np.concatenate([np.linalg.norm((block - first) - offset, axis=1) for block in of.blocks()])


def _check(levels: int, compat: str | None) -> None:
    check_whole("levels", levels, 2)
    if compat not in (None, "official"):
        raise InputError(f"compat={compat!r} given; 'official' or None is accepted.")


def _outcome(side: str, inside: Floats, compat: str | None) -> Outcome:
    """From the indicators inside (n, levels) to 1 - 2 * mean gap, as a function of their means."""
    levels = np.linspace(0.0, 1.0, inside.shape[1])
    divisor = len(levels) - 1 if compat == "official" else len(levels)

    def score(shares: Floats) -> float:
        return float(1.0 - 2.0 * np.abs(shares - levels).sum() / divisor)

    means = Means(((side, inside),), score)
    shares = inside.mean(0)
    return Outcome(
        means.value(),
        per_sample={side: inside.mean(1)},
        details={
            "mean_gap": float(np.abs(shares - levels).mean()),
            "mean_share": float(shares.mean()),
            "share_at_1": float(shares[-1]),
        },
        means=means,
    )


@dataclass(frozen=True)
class AlphaPrecision(Metric):
    """Alpha-precision about the mean: 1 - 2 * mean over levels a of |P_a - a|.

    P_a = share of synthetic samples (M, d) within the a-quantile (linear) of the distances of real samples
    (N, d) to the real mean, closed; `levels` values of a from 0 to 1, ends included. Range 0 to 1, higher is
    better: 0 is the worst possible curve (all or nothing inside), 1 is P_a = a at every level. Only the
    spread about one centre is seen. compat="official" divides the summed gap by levels - 1 instead of levels,
    which is the published code's number (it may fall slightly below 0). per_sample: share of the levels at
    which a synthetic sample is inside, (M,).

    Raises InputError for fewer than 2 levels. Source: Alaa et al. 2022, "How faithful is your synthetic
    data?", alpha-precision and its integrated gap, with the identity as embedding.
    """

    levels: int = 30
    compat: Literal["official"] | None = None

    info: ClassVar[MetricInfo] = MetricInfo(
        key="alpha_precision",
        title="Alpha-precision (naive)",
        family="fidelity",
        direction="higher",
        range=(0.0, 1.0),
        identical=None,
        formula="1 - 2 mean_a |P_a - a|, P_a = share of Y within the a-quantile radius of X about its mean",
        reading="Near 1: synthetic samples lie about the real mean at the same distances as real samples.",
        reference="alaa2022",
        symmetric=False,
        target=1.0,
    )

    def __post_init__(self) -> None:
        _check(self.levels, self.compat)
        if self.compat == "official":  # all or nothing inside: 1 - levels / (levels - 1)
            wider = replace(self.info, range=(-1.0 / (self.levels - 1), 1.0))
            object.__setattr__(self, "info", wider)

    def needs(self) -> tuple[Need, ...]:
        return (Direct(radii_about_mean, ("real", "real")), Direct(radii_about_mean, ("real", "synthetic")))

    def compute(self, answers: Answers) -> Outcome:
        real, synthetic = (answers[need] for need in self.needs())
        limits = np.quantile(real, np.linspace(0.0, 1.0, self.levels))
        return _outcome("synthetic", (synthetic[:, None] <= limits).astype(np.float64), self.compat)


@dataclass(frozen=True)
class BetaRecall(Metric):
    """Beta-recall about the mean: 1 - 2 * mean over levels b of |R_b - b|.

    R_b = share of real samples x_i (N, d) whose nearest synthetic sample y* is at most as far away as the
    nearest other real sample and lies within the b-quantile radius: the b-quantile (linear), over all i, of
    the distances of the matched samples y* to the synthetic mean, closed. `levels` values of b from 0 to 1.
    Range 0 to 1, higher is better, but for two samples of one law only about half of the real samples have a
    synthetic one nearer than a real one: the value tops out near 0.5 there, and near 1 only for copies.
    compat="official" divides the summed gap by levels - 1, which is the published code's number. per_sample:
    share of the levels at which a real sample is recalled, (N,).

    Raises InputError for fewer than 2 levels. Source: Alaa et al. 2022, "How faithful is your synthetic
    data?", beta-recall and its integrated gap, with the identity as embedding.
    """

    levels: int = 30
    compat: Literal["official"] | None = None

    info: ClassVar[MetricInfo] = MetricInfo(
        key="beta_recall",
        title="Beta-recall (naive)",
        family="coverage",
        direction="higher",
        range=(0.0, 1.0),
        identical=None,
        formula="1 - 2 mean_b |R_b - b|, R_b = share of x with d(x, y*) <= d(x, NN_X) and y* in the b-ball",
        reading="About 0.5 is what fresh samples of the same law get; near 0: not covered.",
        reference="alaa2022",
        symmetric=False,
        target=0.5,
    )

    def __post_init__(self) -> None:
        _check(self.levels, self.compat)

    def needs(self) -> tuple[Need, ...]:
        return (
            Knn("real", 1),
            Nearest("real", "synthetic", 1),
            Direct(radii_about_mean, ("synthetic", "synthetic")),
        )

    def compute(self, answers: Answers) -> Outcome:
        own, matched = answers[Knn("real", 1)], answers[Nearest("real", "synthetic", 1)]
        radii = answers[Direct(radii_about_mean, ("synthetic", "synthetic"))][matched.indices[:, 0]]
        limits = np.quantile(radii, np.linspace(0.0, 1.0, self.levels))
        near = matched.squared[:, :1] <= own.squared[:, :1]
        return _outcome("real", (near & (radii[:, None] <= limits)).astype(np.float64), self.compat)
