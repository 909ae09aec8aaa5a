"""The metrics and their table: `METRICS` by key, `FAMILIES` by what they speak about, `resolve` by choice.

To add a metric, write its file and add one import line below; everything else follows from its `info`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import fields
from typing import get_args

from truegrade.errors import InputError
from truegrade.metrics.alpha_beta import AlphaPrecision as AlphaPrecision
from truegrade.metrics.alpha_beta import BetaRecall as BetaRecall
from truegrade.metrics.base import Family, Metric
from truegrade.metrics.base import MetricInfo as MetricInfo
from truegrade.metrics.bibliography import BIBLIOGRAPHY as BIBLIOGRAPHY
from truegrade.metrics.class_scores import InceptionScore as InceptionScore
from truegrade.metrics.clipped import ClippedCoverage as ClippedCoverage
from truegrade.metrics.clipped import ClippedDensity as ClippedDensity
from truegrade.metrics.cmmd import CMMD as CMMD
from truegrade.metrics.cover import PrecisionCover as PrecisionCover
from truegrade.metrics.cover import RecallCover as RecallCover
from truegrade.metrics.density_coverage import Coverage as Coverage
from truegrade.metrics.density_coverage import Density as Density
from truegrade.metrics.energy import EnergyDistance as EnergyDistance
from truegrade.metrics.fld import FeatureLikelihoodDivergence as FeatureLikelihoodDivergence
from truegrade.metrics.frechet import FrechetDistance as FrechetDistance
from truegrade.metrics.frechet_infinity import FrechetInfinity as FrechetInfinity
from truegrade.metrics.kernel import KernelDistance as KernelDistance
from truegrade.metrics.memorisation import Authenticity as Authenticity
from truegrade.metrics.memorisation import CopyingTest as CopyingTest
from truegrade.metrics.mmd import MMD as MMD
from truegrade.metrics.mode_scores import ModeScore as ModeScore
from truegrade.metrics.mode_scores import RelativeInverseInceptionScore as RelativeInverseInceptionScore
from truegrade.metrics.mode_scores import RelativeInverseModeScore as RelativeInverseModeScore
from truegrade.metrics.nearest_ball import NearestBallF as NearestBallF
from truegrade.metrics.nearest_ball import NearestBallPrecision as NearestBallPrecision
from truegrade.metrics.nearest_ball import NearestBallRecall as NearestBallRecall
from truegrade.metrics.pair_scores import CorrelationScore as CorrelationScore
from truegrade.metrics.pair_scores import CSScore as CSScore
from truegrade.metrics.pair_scores import EarthMoversScore as EarthMoversScore
from truegrade.metrics.pair_scores import EdenScore as EdenScore
from truegrade.metrics.pair_scores import JaccardScore as JaccardScore
from truegrade.metrics.pair_scores import JSScore as JSScore
from truegrade.metrics.pair_scores import KLScore as KLScore
from truegrade.metrics.prd import PRDPrecision as PRDPrecision
from truegrade.metrics.prd import PRDRecall as PRDRecall
from truegrade.metrics.precision_recall import Precision as Precision
from truegrade.metrics.precision_recall import Rarity as Rarity
from truegrade.metrics.precision_recall import RealismScore as RealismScore
from truegrade.metrics.precision_recall import Recall as Recall
from truegrade.metrics.probabilistic import PPrecision as PPrecision
from truegrade.metrics.probabilistic import PRecall as PRecall
from truegrade.metrics.sinkhorn import SinkhornDivergence as SinkhornDivergence
from truegrade.metrics.sliced import SlicedWasserstein as SlicedWasserstein
from truegrade.metrics.symmetric import ComplementPrecision as ComplementPrecision
from truegrade.metrics.symmetric import SymmetricPrecision as SymmetricPrecision
from truegrade.metrics.symmetric import SymmetricRecall as SymmetricRecall
from truegrade.metrics.topological import TopPrecision as TopPrecision
from truegrade.metrics.topological import TopRecall as TopRecall
from truegrade.metrics.transport import Wasserstein as Wasserstein
from truegrade.metrics.two_sample import NearestNeighbourTwoSample as NearestNeighbourTwoSample
from truegrade.metrics.vendi import Vendi as Vendi

Choice = str | Metric | type[Metric]

_FAMILY_ORDER: tuple[str, ...] = get_args(Family)


def _registered() -> dict[str, type[Metric]]:
    """Every metric class imported above, by key: by family, those of the default evaluation first."""
    found = [v for v in globals().values() if isinstance(v, type) and issubclass(v, Metric) and v is not Metric]
    found.sort(key=lambda c: (_FAMILY_ORDER.index(c.info.family), not c.info.default, c.info.key))
    return {c.info.key: c for c in found}


METRICS: dict[str, type[Metric]] = _registered()
FAMILIES: dict[str, tuple[str, ...]] = {
    family: tuple(key for key, c in METRICS.items() if c.info.family == family) for family in _FAMILY_ORDER
}


def resolve(choice: Choice | Iterable[Choice] = "default", k: int | None = None) -> tuple[Metric, ...]:
    """The metrics that were asked for, each once, in the order asked.

    Args:
        choice: one or several of: keys ("precision"), family names ("fidelity"), "default", "all", metric
            instances, metric classes. "coverage" is the metric, "family:coverage" the family.
        k: neighbour count for those chosen by name that have a parameter `k`; instances keep theirs.

    Raises InputError for an unknown name (with the nearest known ones) and for an empty choice.
    """
    if isinstance(choice, str) or not isinstance(choice, Iterable):
        choice = [choice]
    chosen = [metric for item in choice for metric in _resolve_one(item, k)]
    if not chosen:
        raise InputError("No metric was chosen; name at least one, or 'default'.")
    return tuple(dict.fromkeys(chosen))


def _resolve_one(item: Choice, k: int | None) -> list[Metric]:
    if isinstance(item, Metric):
        return [item]
    if isinstance(item, type) and issubclass(item, Metric):
        return [_build(item, k)]
    if isinstance(item, str):
        return [_build(METRICS[key], k) for key in _keys(item)]
    raise InputError(f"metric {item!r} given; a key, a family name or a metric of truegrade.metrics is accepted.")


def _keys(name: str) -> tuple[str, ...]:
    if name in METRICS:
        return (name,)
    if name == "all":
        return tuple(METRICS)
    if name == "default":
        return tuple(key for key, c in METRICS.items() if c.info.default)
    family = name.removeprefix("family:")
    if family in FAMILIES:
        return FAMILIES[family]
    raise unknown(name)


def refuse_unknown(name: str, others: Iterable[str]) -> None:
    """InputError for what is neither a metric, a family nor one of these other names."""
    if name.removeprefix("family:") not in {*METRICS, *FAMILIES, "default", "all", *others}:
        raise unknown(name, others)


def unknown(name: str, others: Iterable[str] = ()) -> InputError:
    """What to say of a name that is no metric: the nearest ones, or all that there are."""
    known = list(dict.fromkeys([*METRICS, *FAMILIES, *others, "default", "all"]))  # coverage is a metric and a family
    near = difflib.get_close_matches(name.lower().replace("-", "_").replace(" ", "_"), known, n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"Known: {', '.join(known)}."
    return InputError(f"There is no metric called {name!r}. {hint}")


def _build(metric: type[Metric], k: int | None) -> Metric:
    has_k = any(f.name == "k" for f in fields(metric))  # type: ignore[arg-type]
    return metric(k=k) if k is not None and has_k else metric()  # type: ignore[call-arg]
