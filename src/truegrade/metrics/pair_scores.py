"""The seven scores of a pair of columns: how much two sets of points in the plane are alike.

All of one evaluation come from one grading of the pair (`pair_grading.grade`), so that the densities are computed once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from truegrade.engine.needs import Answers, Direct, Need
from truegrade.errors import InputError, Notice, notice
from truegrade.metrics.base import Influence, Metric, MetricInfo, Outcome, Redrawn, undefined
from truegrade.metrics.earth_movers import CELLS
from truegrade.metrics.pair_grading import BY_ROWS, Grading, grade, mean_of

if TYPE_CHECKING:
    from truegrade.density import Settings
    from truegrade.samples import Samples

# --- what all of them are -------------------------------------------------------------------------------


class PairScore(Metric):
    """Base of the scores: the fields of a subclass are those of `truegrade.density.Settings` that concern it."""

    def __post_init__(self) -> None:
        self.settings()

    def sharing(self, settings: Settings) -> Self:
        """The same score, read off a grading with these settings, which must agree with its own parameters: scores
        that do so share the grading although each names only what concerns it."""
        out = replace(self)  # type: ignore[type-var]
        object.__setattr__(out, "_shared", settings)
        return out

    def settings(self) -> Settings:
        """The settings of the pair; the rest is as it is by default, so that all scores share one grading."""
        from truegrade.density import Settings

        shared: Settings | None = self.__dict__.get("_shared")
        if shared is not None:
            return shared
        return Settings(**{f.name: getattr(self, f.name) for f in fields(self)})  # type: ignore[arg-type]

    def needs(self) -> tuple[Need, ...]:
        return (Direct(grade, ("real", "synthetic"), (("settings", self.settings()),)),)

    def check_samples(self, sides: Mapping[str, Samples]) -> None:
        for side, samples in sides.items():
            if samples.d != 2:
                raise InputError(
                    f"The {side} set has {samples.d} columns; the scores of a pair take two, such as x[:, [0, 1]]. "
                    "For every pair of columns of a table give a data frame or a file of a table."
                )

    def compute(self, answers: Answers) -> Outcome:
        pair: Grading = answers[self.needs()[0]]
        found, key = pair.outcome, self.info.key
        if found.status != "ok":
            return undefined(f"{found.status}: {found.reason}")
        if key in found.undefined:
            return undefined(found.undefined[key])
        return self.graded(pair, {name: _plain(value) for name, value in found.details.items()})

    def graded(self, pair: Grading, details: Mapping[str, Any]) -> Outcome:
        """The outcome of a pair that has densities."""
        key, limits, rows = self.info.key, self.info.range, max(len(pair.p), len(pair.q)) <= BY_ROWS

        def ceiling(seed: int) -> tuple[float, float | None] | str:
            found = pair.ceilings(seed)
            return "the real set has no density of its own" if found is None else mean_of(found.values[key], limits)

        drawn = Redrawn(lambda seed: pair.redrawn(seed)[key], ceiling, _NOTE, rows)
        return Outcome(float(pair.outcome.values[key]), details=details, warnings=self._warnings(pair), redrawn=drawn)

    def _warnings(self, pair: Grading) -> tuple[Notice, ...]:
        """Own kernels of sets that differ in size differ even where the laws are one; points outside the grid."""
        n, m = len(pair.p), len(pair.q)
        told = []
        if self.parameters().get("bandwidth") == "own" and max(n, m) > 2 * min(n, m):
            told.append(notice("own_bandwidths", n=n, m=m))
        off = pair.outcome.details.get("outside", (0.0, 0.0))
        if any(off) and self.info.key in _ON_GRIDS:
            counts = {"n": round(off[0] * n), "m": round(off[1] * m)}
            told.append(notice("rows_outside_grid", **counts, all_n=n, all_m=m))
        return tuple(told)


_ON_GRIDS = ("kl_score", "js_score", "cs_score", "eden_score")
_NOTE = (
    "real against real at the same sizes: disjoint halves of the real set, carried to its size by sets drawn from it"
)
_NOTE_MOVED = "disjoint parts of the real set against each other, carried to its sizes"


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, (tuple, list)) else value


def _info(key: str, title: str, formula: str, reading: str, *, symmetric: bool = True, **more: Any) -> MetricInfo:
    invariances = more.pop("invariances", frozenset({"order", "shift", "scale", "rotation"}))
    return MetricInfo(
        key=key,
        title=title,
        family="pairs",
        direction="higher",
        range=more.pop("range", (0.0, 1.0)),
        identical=more.pop("identical", 1.0),
        formula=formula,
        reading=reading,
        reference="nguyen2025",
        symmetric=symmetric,
        invariances=invariances,
        features=2,
    )


# --- the scores ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CorrelationScore(PairScore):
    """Correlation score 1 - |R_p - R_q| / 2 of the correlations R of real (n, 2) and synthetic points (m, 2).

    Pearson's, or Spearman's with correlation="spearman". Range 0 to 1, higher is better. It sees nothing but one
    number of each set: very different shapes with one correlation are graded 1. Undefined where a pair has no density
    (constant columns, fewer than 3 rows, few distinct values, points on a line), as all scores of pairs.
    Raises InputError for parameters out of range and for other than two columns. Source: Nguyen et al. 2025.
    """

    correlation: Literal["pearson", "spearman"] = "pearson"

    info: ClassVar[MetricInfo] = _info(
        "correlation_score",
        "Correlation score",
        "1 - |R_p - R_q| / 2, R the correlation of the two columns",
        "Near 1 says that the correlations agree, and nothing of the shape: read it beside the Eden score.",
        invariances=frozenset({"order", "shift", "scale"}),
    )


@dataclass(frozen=True)
class EarthMoversScore(PairScore):
    """Earth mover's score exp(-W1) of real (n, 2) and synthetic points (m, 2).

    W1 is the least mean Euclidean distance that mass has to be moved, both sets in units of the REAL standard
    deviations. Range 0 to 1, higher is better. Exact up to 2,000 by 2,000 distinct points; above, points are gathered
    in 2,048 common cells at their means, which grades a little too low: by .006 for two samples of 4,000 of one law, by
    less than .002 where the laws differ. Its error is that of the dual potentials and of the real standard deviations.
    Undefined as all scores of pairs. Raises InputError for other than two columns. Source: Nguyen et al. 2025; Villani
    2009, chapter 6.
    """

    info: ClassVar[MetricInfo] = _info(
        "earth_movers_score",
        "Earth mover's score",
        "exp(-W1), both sets in units of the real mean and standard deviation",
        "Near its ceiling: little has to be moved. Fine structure is invisible to it.",
        symmetric=False,
        invariances=frozenset({"order", "shift", "scale"}),
    )

    def graded(self, pair: Grading, details: Mapping[str, Any]) -> Outcome:
        moved, (n, m) = pair.moved, (len(pair.p), len(pair.q))
        score = moved.score
        told = () if moved.cells is None else (notice("gathered_for_transport", n=n, m=m, cells=CELLS),)
        drawn = Redrawn(None, pair.earth_movers_ceiling, _NOTE_MOVED)
        parts = {side: -score * part for side, part in moved.parts.items()}
        return Outcome(
            score,
            details={"distance": moved.distance, "cells": moved.cells},
            warnings=told,
            influence=Influence(parts, 0.0) if moved.distance > 0.0 else None,
            redrawn=drawn,
        )


@dataclass(frozen=True)
class _ByDensity(PairScore):
    """What concerns every score that is made from densities."""

    bandwidth: Literal["own", "shared"] = "own"
    rule: str | float = "scott"
    method: Literal["grid", "monte-carlo"] = "grid"
    size: int = 50_000
    seed: int = 0


@dataclass(frozen=True)
class JaccardScore(_ByDensity):
    """Jaccard score: the share of all points of real (n, 2) and synthetic (m, 2) that lie inside the other set.

    Inside: where the other set's density is above `support` (.1) of its largest one at its own points. Densities are
    Gaussian kernels of the set's full covariance times n^(-1/3) (`rule`), each set's own or one for both (`bandwidth`),
    on a grid or at `size` random points (`method`, `seed`). Range 0 to 1, higher is better; identical sets
    too are below 1 by their own thin places (a Gaussian: .9), and holes are invisible to it.
    Undefined as all scores of pairs. Raises InputError for parameters out of range and for other than two columns.
    Source: Nguyen et al. 2025.
    """

    support: float = 0.1

    info: ClassVar[MetricInfo] = _info(
        "jaccard_score",
        "Jaccard score",
        "share of all points where the other set's density is above .1 of its maximum",
        "Near its ceiling: the sets cover the same ground, however the points lie there.",
        identical=None,
    )


@dataclass(frozen=True)
class KLScore(_ByDensity):
    """Kullback-Leibler score exp(-KL(f_p || f_q)) of the kernel densities of real (n, 2) and synthetic (m, 2) points.

    Parameters as of the Jaccard score. Range 0 to 1, higher is better. It punishes what the real set has and the
    synthetic one lacks. Undefined as all scores of pairs. Raises InputError for parameters out of range and for other
    than two columns. Source: Nguyen et al. 2025.
    """

    info: ClassVar[MetricInfo] = _info(
        "kl_score",
        "Kullback-Leibler score",
        "exp(-mean over f_p of log f_p / f_q)",
        "Near its ceiling: where there are real points there are about as many synthetic ones.",
        symmetric=False,
    )


@dataclass(frozen=True)
class JSScore(_ByDensity):
    """Jensen-Shannon score exp(-JS), JS = (KL(f_p || f) + KL(f_q || f)) / 2 with f = (f_p + f_q) / 2.

    Of the kernel densities of real (n, 2) and synthetic (m, 2) points, each set with kernels of its own (`bandwidth`
    "own") of its covariance times n^(-1/3) (`rule` "scott"), on a grid (`method`; "monte-carlo" takes `size` 50,000
    points of `seed` 0). Range .5 to 1, higher is better. Undefined as all scores of pairs. Raises InputError for
    parameters out of range and for other than two columns. Source: Nguyen et al. 2025.
    """

    info: ClassVar[MetricInfo] = _info(
        "js_score",
        "Jensen-Shannon score",
        "exp(-Jensen-Shannon divergence of both densities)",
        "From .5, nothing in common, to 1; already .9 is far from good: read it beside its ceiling.",
        range=(0.5, 1.0),
    )


@dataclass(frozen=True)
class CSScore(_ByDensity):
    """Cauchy-Schwarz score: the integral of f_p f_q over the root of those of f_p^2 and f_q^2.

    The cosine of the angle between the kernel densities of real (n, 2) and synthetic (m, 2) points, each set with
    kernels of its own (`bandwidth` "own") of its covariance times n^(-1/3) (`rule` "scott"), on a grid (`method`;
    "monte-carlo" takes `size` 50,000 points of `seed` 0). Range 0 to 1, higher is
    better; dense places count most. Undefined as all scores of pairs. Raises InputError for parameters out of range and
    for other than two columns. Source: Nguyen et al. 2025.
    """

    info: ClassVar[MetricInfo] = _info(
        "cs_score",
        "Cauchy-Schwarz score",
        "int f_p f_q / sqrt(int f_p^2 int f_q^2)",
        "Near its ceiling: the dense places are the same.",
    )


@dataclass(frozen=True)
class EdenScore(_ByDensity):
    """Eden score (equidensity): mean over annuli of area(A_i(p) and A_i(q)) / area(A_i(p) or A_i(q)).

    The iso-mass proportions linspace(thresh, 1, levels) cut the plane of each set, real (n, 2) and synthetic (m, 2),
    into levels - 1 annuli of density, each set by its own levels; every annulus counts the same however many points it
    holds. Other parameters as of the Jaccard score. Range 0 to 1, higher is better. Two samples of one law are far
    below 1, the more so the smaller they are (Gaussian: about .3 with 50 points, .67 with 1,000, .86 with 20,000; flat
    laws .4 with any number): read the ratio to the ceiling. Undefined as all scores of pairs. Raises InputError for
    parameters out of range and for other than two columns. Source: Nguyen et al. 2025.
    """

    levels: int = 5
    thresh: float = 0.05

    info: ClassVar[MetricInfo] = _info(
        "eden_score",
        "Eden score",
        "mean over annuli i of area(A_i(p) and A_i(q)) / area(A_i(p) or A_i(q))",
        "As a share of its ceiling, 1 is as good as real data; the ceiling itself is far below 1.",
    )
