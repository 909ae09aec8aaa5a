"""The grade of sets of which only mean and covariance are known."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version

import numpy as np

from truegrade import codec
from truegrade.engine.blas import thread_for
from truegrade.engine.moments import moments
from truegrade.engine.needs import MomentsAnswer
from truegrade.errors import InputError, Notice, notice
from truegrade.grading import Grade, choose, title_in
from truegrade.metrics import Choice, FrechetDistance
from truegrade.metrics.base import Metric, undefined
from truegrade.metrics.frechet import distance_between, divided_by
from truegrade.result import About, Evaluation, Provenance, Score, SetFacts
from truegrade.samples import Samples
from truegrade.statistics.record import Statistics

_LIBRARIES = ("truegrade", "numpy", "scipy")
_FEW = 500


def frechet_from_statistics(
    real: Statistics | Samples,
    synthetic: Statistics | Samples,
    *,
    metrics: Choice | Iterable[Choice] | None = None,
    seed: int = 0,
) -> Evaluation:
    """Grade where one side, or both, is only a mean and a covariance: the Fréchet distance, and nothing else.

    metrics: as for `evaluate`, None is the Fréchet distance alone; others are undefined in the result. There is no
    interval and no reference of real against real, for both need samples. The sizes are 0 where they are unknown.
    Raises InputError for two sides of another number of features or another feature space.
    """
    start, created = time.perf_counter(), datetime.now(UTC).isoformat(timespec="seconds")
    _check_pair(real, synthetic)
    lacking = _lacking(real, synthetic)
    chosen, _ = choose((FrechetDistance,) if metrics is None else metrics)
    with thread_for(real.d), np.errstate(all="ignore"):
        sides = (_moments(real), _moments(synthetic))
        grades = {key: _grade(metric, sides, lacking) for key, metric in chosen.items()}
    sizes, spaces = (real.n or 0, synthetic.n or 0), (real.space, synthetic.space)
    versions = {"python": platform.python_version(), **{name: version(name) for name in _LIBRARIES}}
    return Evaluation(
        scores={
            key: _score(key, title_in(spaces, chosen[key]), chosen[key], graded, lacking, sizes)
            for key, graded in grades.items()
        },
        real=_facts(real),
        synthetic=_facts(synthetic),
        provenance=Provenance(versions, seed, None, created, round(time.perf_counter() - start, 3)),
        notices=tuple(dict.fromkeys(_notices(real, synthetic))),
    )


def _check_pair(real: Statistics | Samples, synthetic: Statistics | Samples) -> None:
    if isinstance(real, Samples) and isinstance(synthetic, Samples):
        raise InputError("Both sides are samples; give them to evaluate, which grades them by every score.")
    if real.d != synthetic.d:
        raise InputError(
            f"{real.name} has {real.d} features, {synthetic.name} has {synthetic.d}. "
            "Both sides must come from the same feature space; make one of them again."
        )
    if real.space is not None and synthetic.space is not None and real.space.embedder != synthetic.space.embedder:
        raise InputError(
            f"{real.name} was made from vectors of {real.space.name}, {synthetic.name} from other ones of "
            f"{synthetic.space.name}; embed both in the same way."
        )


def _lacking(real: Statistics | Samples, synthetic: Statistics | Samples) -> str:
    sides = [s for s, given in (("real", real), ("synthetic", synthetic)) if isinstance(given, Statistics)]
    return "both sides are only a mean and a covariance" if len(sides) == 2 else _only(sides[0])


def _only(side: str) -> str:
    return f"the {side} side is only a mean and a covariance"


def _moments(given: Statistics | Samples) -> MomentsAnswer:
    """n is 0 where it is unknown."""
    if isinstance(given, Samples):
        return moments(given)
    return MomentsAnswer(given.mean, given.covariance, given.n or 0)


def _grade(metric: Metric, sides: tuple[MomentsAnswer, MomentsAnswer], lacking: str) -> Grade:
    if not isinstance(metric, FrechetDistance):
        return Grade.without(lacking)
    if metric.ddof != 1 and not all(side.n for side in sides):
        return Grade.without(f"ddof={metric.ddof} needs the number of samples, which a statistics file need not give")
    real, synthetic = (divided_by(m, m.n - metric.ddof) if m.n else m for m in sides)
    found = metric.reported(distance_between(real, synthetic))
    if found.value is None:
        return Grade("undefined", found, found.reason)
    if not np.isfinite(found.value):
        return Grade("undefined", undefined(""), f"the value came out as {found.value}")
    d = len(real.mean)
    notes = (notice("rank_deficient", n=m.n, d=d) for m in sides if 0 < m.n <= d)
    return Grade("ok", replace(found, warnings=tuple(dict.fromkeys(notes))))


def _missing(lacking: str) -> dict[str, str]:
    return {
        "interval": f"{lacking}, which do not show how the samples scatter",
        "floor": f"{lacking}, and real against real needs samples at the sizes of both sides",
    }


def _score(key: str, title: str, metric: Metric, graded: Grade, lacking: str, sizes: tuple[int, int]) -> Score:
    info, outcome, ok = metric.info, graded.outcome, graded.status == "ok"
    return Score(
        key=key,
        title=title + key.removeprefix(info.key),
        about=About(info.family, info.direction, info.range, info.target, info.formula, info.reading, info.reference),
        value=outcome.value if ok else None,
        status=graded.status,
        reason=graded.reason,
        missing=_missing(lacking) if ok else {},
        details={name: codec.plain(v) for name, v in outcome.details.items()},
        parameters={name: codec.plain(v) for name, v in metric.parameters().items()},
        warnings=outcome.warnings,
        n_real=sizes[0],
        n_synthetic=sizes[1],
    )


def _facts(given: Statistics | Samples) -> SetFacts:
    dtype = str(given.dtype) if isinstance(given, Samples) else str(given.mean.dtype)
    return SetFacts(given.name, given.n or 0, given.d, dtype, given.fingerprint, given.source, given.space)


def _notices(*given: Statistics | Samples) -> Iterator[Notice]:
    for side, one in zip(("real", "synthetic"), given, strict=True):
        if isinstance(one, Statistics):
            yield notice("statistics_only", side=side)
        else:
            yield from one.notices
        if one.n is not None and one.n < _FEW:
            yield notice("few_samples", n=one.n, side=side)
