"""The metrics of the paper with its parameters, and our pair.

Neighbour counts are those of the paper's code: 3 for precision and recall; for density and coverage the smallest k
whose expected coverage of one law is above 0.95, which is 5 at all sizes of the checks; 4 for the probabilistic pair;
for the covers about (log n + 6) / 3, which is 5 at n = 1000, in balls of 15 samples beside their centre.
Alpha-precision and beta-recall are those in a one-class embedding. Where distances are tied the symmetric pair takes
closed balls: with open ones it has no value for whole numbers.
"""

from __future__ import annotations

from truegrade.audit.suites.raisa.one_class import OneClassAlphaPrecision, OneClassBetaRecall
from truegrade.metrics import (
    ClippedCoverage,
    ClippedDensity,
    Coverage,
    Density,
    PPrecision,
    PRecall,
    Precision,
    PrecisionCover,
    Recall,
    RecallCover,
    SymmetricPrecision,
    SymmetricRecall,
)
from truegrade.metrics.base import Metric

CONVENTION: dict[str, Metric] = {
    metric.info.key: metric
    for metric in (
        Precision(k=3),
        Recall(k=3),
        Density(k=5),
        Coverage(k=5),
        OneClassAlphaPrecision(compat="official"),
        OneClassBetaRecall(compat="official"),
        PrecisionCover(k=5, count_self=False),
        RecallCover(k=5, count_self=False),
        SymmetricPrecision(k=5),
        SymmetricRecall(k=5),
        PPrecision(),
        PRecall(),
        ClippedDensity(k=5),
        ClippedCoverage(k=5),
    )
}
"""By key; ours last."""
