"""The metrics of the paper with its parameters, and our pair.

Neighbour counts are those of the paper's code: 3 for precision and recall; for density and coverage the smallest k
whose expected coverage of one law is above 0.95, which is 5 at all sizes of the checks; 4 for the probabilistic pair;
for the covers about (log n + 6) / 3, which is 5 at n = 1000, in balls of 15 samples beside their centre.
Alpha-precision and beta-recall are those in a one-class embedding. Where distances are tied the symmetric pair takes
closed balls: with open ones it has no value for whole numbers. The cover pair is there twice: with the roles of the
published columns, and with ours, which are those of the paper on the clipped pair.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

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
from truegrade.metrics.base import Metric, MetricInfo


@dataclass(frozen=True, kw_only=True)
class CPrecision(RecallCover):
    """What the published column C-Prec counts and is asked: the real samples of `recall_cover`, as fidelity.

    Parameters, formula, range and what it raises: as there. Source: Cheema and Urner 2023, their code; Räisä et al.
    2025.
    """

    info: ClassVar[MetricInfo] = replace(
        RecallCover.info, key="c_precision", title="Precision cover (roles of its code)", family="fidelity"
    )


@dataclass(frozen=True, kw_only=True)
class CRecall(PrecisionCover):
    """What the published column C-Rec counts and is asked: the synthetic samples of `precision_cover`, as coverage.

    Parameters, formula, range and what it raises: as there. Source: Cheema and Urner 2023, their code; Räisä et al.
    2025.
    """

    info: ClassVar[MetricInfo] = replace(
        PrecisionCover.info, key="c_recall", title="Recall cover (roles of its code)", family="coverage"
    )


CONVENTION: dict[str, Metric] = {
    metric.info.key: metric
    for metric in (
        Precision(k=3),
        Recall(k=3),
        Density(k=5),
        Coverage(k=5),
        OneClassAlphaPrecision(compat="official"),
        OneClassBetaRecall(compat="official"),
        CPrecision(k=5, count_self=False),
        CRecall(k=5, count_self=False),
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
