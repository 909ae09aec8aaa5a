"""Precision and recall of distributions: the PRD curve of two histograms over common clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from truegrade.engine.needs import Answers, Direct, Floats, Need
from truegrade.errors import InputError
from truegrade.metrics.base import DISTANCE_INVARIANCES, Metric, MetricInfo, Outcome, check_number, check_whole
from truegrade.metrics.cells import balanced_cells
from truegrade.samples import Samples

ANGLES = 1001
_SHOWN = 10  # every tenth point of the curve is kept: 101, with that of slope 1 among them


def slopes() -> Floats:
    """The slopes tan(i / 1002 * pi / 2), i = 1 .. 1001, at which the curve is taken; that in the middle is 1."""
    found = np.tan(np.arange(1, ANGLES + 1) / (ANGLES + 1) * np.pi / 2.0)
    found[ANGLES // 2] = 1.0
    return np.asarray(found)


def prd_curve(real: Floats, synthetic: Floats) -> tuple[Floats, Floats]:
    """Precision alpha and recall beta at each of the slopes, for two histograms (cells,) that each add up to 1.

    alpha(l) = sum over cells of min(l real, synthetic), beta(l) = alpha(l) / l.
    """
    at = slopes()
    alpha = np.minimum(at[:, None] * real, synthetic).sum(1)
    beta = np.minimum(real, synthetic / at[:, None]).sum(1)
    return np.minimum(alpha, 1.0), np.minimum(beta, 1.0)


def best_f(precision: Floats, recall: Floats, beta: float) -> float:
    """The largest F_beta = (1 + beta^2) p r / (beta^2 p + r) on a curve; 0 where both are 0."""
    below = beta * beta * precision + recall
    above = (1.0 + beta * beta) * precision * recall
    return float(np.divide(above, below, out=np.zeros_like(below), where=below > 0.0).max())


@dataclass(frozen=True)
class Curves:
    """precision and recall, (runs, 1001): the curve of each fit of the clusters."""

    precision: Floats
    recall: Floats

    def best(self, beta: float) -> float:
        """F_beta of the mean curve."""
        return best_f(self.precision.mean(0), self.recall.mean(0), beta)

    def deviation(self, beta: float) -> float | None:
        """Standard deviation of F_beta over the fits; None for one fit."""
        values = [best_f(p, r, beta) for p, r in zip(self.precision, self.recall, strict=True)]
        return float(np.std(values, ddof=1)) if len(values) > 1 else None


def prd_curves(real: Samples, synthetic: Samples, *, clusters: int, runs: int, seed: int) -> Curves:
    """The curve of each fit: shares of the real and of the synthetic samples in the same clusters."""
    curves = []
    for pair in balanced_cells(real, synthetic, cells=clusters, runs=runs, seed=seed):
        p, q = (np.bincount(labels, minlength=clusters) / len(labels) for labels in pair)
        curves.append(prd_curve(p, q))
    precision, recall = zip(*curves, strict=True)
    return Curves(np.stack(precision), np.stack(recall))


@dataclass(frozen=True)
class _PRD(Metric):
    """What both ends of the curve share."""

    clusters: int = 20
    runs: int = 10
    beta: float = 8.0
    seed: int = 0

    def __post_init__(self) -> None:
        check_whole("clusters", self.clusters, 1)
        check_whole("runs", self.runs, 1)
        check_whole("seed", self.seed, 0)
        check_number("beta", self.beta, lambda beta: 1.0 <= beta < float("inf"), "a number of at least 1")

    def check_sizes(self, n_real: int, n_synthetic: int) -> None:
        fewest = min(n_real, n_synthetic)
        if self.clusters > fewest:
            usual = " (the default)" if self.clusters == _PRD.clusters else " given"
            raise InputError(
                f"clusters={self.clusters}{usual} for {n_real} real and {n_synthetic} synthetic samples; 1 to {fewest} "
                f"is accepted: truegrade.metrics.{type(self).__name__}(clusters={fewest})."
            )

    def needs(self) -> tuple[Need, ...]:
        parameters = (("clusters", self.clusters), ("runs", self.runs), ("seed", self.seed))
        return (Direct(prd_curves, ("real", "synthetic"), parameters),)

    def _outcome(self, answers: Answers, beta: float) -> Outcome:
        curves: Curves = answers[self.needs()[0]]
        precision, recall = curves.precision.mean(0), curves.recall.mean(0)
        return Outcome(
            curves.best(beta),
            details={
                "sd_over_runs": curves.deviation(beta),
                "f_1": curves.best(1.0),
                "prd_curve_precision": tuple(precision[::_SHOWN].tolist()),
                "prd_curve_recall": tuple(recall[::_SHOWN].tolist()),
            },
        )


@dataclass(frozen=True)
class PRDPrecision(_PRD):
    """Precision of the PRD curve: its largest F_(1/beta), beta = 8.

    Real samples (N, d) and synthetic ones (M, d) together are cut into `clusters` k-means clusters; P and Q are the
    shares of the real and of the synthetic samples in each. At slopes l = tan(i / 1002 * pi / 2), i = 1 .. 1001,
    alpha(l) = sum of min(l P, Q) and beta(l) = alpha(l) / l; curves are averaged point by point over `runs` fits.
    The value is the maximum of (1 + b^2) alpha beta / (b^2 alpha + beta) with b = 1/8, which weighs precision.
    Range 0 to 1, higher is better; below 1 for two samples of one law, as histograms of few samples differ.
    Details: sd_over_runs, how much single fits differ; f_1, the largest F_1; and every tenth point of the mean curve
    (101 points, from slope near 0, where recall is the largest, to infinity).

    Ours: plain k-means instead of mini-batches, one start a fit; the clusters depend on the seed alone, not on the
    order of the rows; and where N and M differ each side weighs one half in the fit (published: equal sizes).

    Raises InputError for parameters out of range and for more clusters than samples on a side. Source: Sajjadi et al.
    2018, "Assessing generative models via precision and recall", section 3 (curve and slopes) and section 4 (F).
    """

    info: ClassVar[MetricInfo] = MetricInfo(
        key="prd_precision",
        title="PRD precision",
        family="fidelity",
        direction="higher",
        range=(0.0, 1.0),
        identical=1.0,
        formula="max over l of F_(1/8)(sum min(l P, Q), sum min(P, Q / l)), P, Q shares in 20 common clusters",
        reading="Near 1: clusters hold no larger share of synthetic than of real samples; lower: some do.",
        reference="sajjadi2018",
        symmetric=False,
        invariances=DISTANCE_INVARIANCES,
    )

    def compute(self, answers: Answers) -> Outcome:
        return self._outcome(answers, 1.0 / self.beta)


@dataclass(frozen=True)
class PRDRecall(_PRD):
    """Recall of the PRD curve: its largest F_beta, beta = 8.

    As PRD precision, with b = 8 in the place of 1/8, which weighs recall: real samples (N, d), synthetic ones (M, d),
    range 0 to 1, higher is better. It is the PRD precision of the same sets with their roles swapped.

    Raises InputError for parameters out of range and for more clusters than samples on a side. Source: Sajjadi et al.
    2018, "Assessing generative models via precision and recall", section 3 (curve and slopes) and section 4 (F).
    """

    info: ClassVar[MetricInfo] = MetricInfo(
        key="prd_recall",
        title="PRD recall",
        family="coverage",
        direction="higher",
        range=(0.0, 1.0),
        identical=1.0,
        formula="max over l of F_8(sum min(l P, Q), sum min(P, Q / l)), P, Q shares in 20 common clusters",
        reading="Near 1: no cluster of real samples lacks synthetic ones; lower: some do.",
        reference="sajjadi2018",
        symmetric=False,
        invariances=DISTANCE_INVARIANCES,
    )

    def compute(self, answers: Answers) -> Outcome:
        return self._outcome(answers, self.beta)
