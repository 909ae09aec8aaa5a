"""The metrics of the 2018 study with its parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from truegrade.engine.needs import Answers
from truegrade.metrics import MMD, FrechetDistance, InceptionScore, ModeScore, NearestNeighbourTwoSample, Wasserstein
from truegrade.metrics.base import Metric, MetricInfo, Outcome


@dataclass(frozen=True)
class NearestNeighbourReal(NearestNeighbourTwoSample):
    """The 1-NN two-sample accuracy on the real samples alone, as the study shows it beside the whole.

    Parameters, range and what it raises: as for the whole. Source: Xu et al. 2018, section 2.
    """

    info: ClassVar[MetricInfo] = replace(
        NearestNeighbourTwoSample.info,
        key="nn_real",
        title="1-NN two-sample accuracy, real",
        formula="share of the real samples whose nearest other sample is real",
        reading="About 0.5: right; below it real samples sit beside synthetic ones: copies, or centres of modes.",
        reference="xu2018",
        symmetric=False,
        default=False,
    )

    def compute(self, answers: Answers) -> Outcome:
        return Outcome(float(super().compute(answers).details["accuracy_real"]))  # type: ignore[arg-type]


@dataclass(frozen=True)
class NearestNeighbourSynthetic(NearestNeighbourTwoSample):
    """The 1-NN two-sample accuracy on the synthetic samples alone, as the study shows it beside the whole.

    Parameters, range and what it raises: as for the whole. Source: Xu et al. 2018, section 2.
    """

    info: ClassVar[MetricInfo] = replace(
        NearestNeighbourReal.info,
        key="nn_synthetic",
        title="1-NN two-sample accuracy, synthetic",
        formula="share of the synthetic samples whose nearest other sample is synthetic",
        reading="About 0.5: right; above it synthetic samples sit beside each other: a collapse, or no real samples.",
    )

    def compute(self, answers: Answers) -> Outcome:
        return Outcome(float(super().compute(answers).details["accuracy_synthetic"]))  # type: ignore[arg-type]


CONVENTION: dict[str, Metric] = {
    metric.info.key: metric
    for metric in (
        InceptionScore(splits=1),
        ModeScore(),
        MMD(compat="gan-metrics"),
        Wasserstein(),
        FrechetDistance(),
        NearestNeighbourTwoSample(),
        NearestNeighbourReal(),
        NearestNeighbourSynthetic(),
    )
}
"""The study's six metrics by key, and the two parts of the last one: class scores without splits, its own MMD (Gaussian
kernel, squared bandwidth the mean squared distance of real samples, biased, square root)."""
