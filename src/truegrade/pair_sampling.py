"""The scores of a pair of columns: of two sets of points, and of many sets of one generator (repeat sampling)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError
from truegrade.evaluate import evaluate
from truegrade.load import as_samples
from truegrade.metrics import FAMILIES, METRICS
from truegrade.metrics.base import check_whole
from truegrade.metrics.earth_movers import earth_movers_distance
from truegrade.metrics.pair_scores import PairScore
from truegrade.result import Evaluation, Repeats
from truegrade.uncertainty.repeats import summary

if TYPE_CHECKING:
    from truegrade.density import Density, Frame, Histogram, Settings, SideStats

Floats = NDArray[np.float64]
_FIRST = 16  # sets that the grid is laid out for
_TRANSPORTS = 150_000_000  # sources times sinks of all sets whose earth mover's distance is computed: 15 seconds


class Sampler(Protocol):
    """What makes points, such as those of `truegrade.samplers`."""

    def sample(self, n: int, rng: np.random.Generator) -> object:
        """(n, 2) points."""
        ...


def pair_scores(
    p: object,
    q: object,
    *,
    levels: int = 5,
    thresh: float = 0.05,
    bandwidth: Literal["own", "shared"] = "own",
    rule: str | float = "scott",
    method: Literal["grid", "monte-carlo"] = "grid",
    size: int = 50_000,
    correlation: Literal["pearson", "spearman"] = "pearson",
    support: float = 0.1,
    seed: int = 0,
    intervals: bool = True,
    floor: bool = True,
) -> Evaluation:
    """The seven scores of real points p (n, 2) and synthetic points q (m, 2): `pair_scores(p, q)["eden_score"].value`.

    Each has an interval, its ceiling in `.floor` (real against real at the same sizes) and `.details["ratio"]`, the
    share of the ceiling that was reached. Range 0 to 1 (js_score from .5), higher is better.

    Args:
        levels, thresh: iso-mass proportions linspace(thresh, 1, levels) of the Eden score.
        bandwidth: kernels of each set's "own" (the paper), or "shared", better for sets of different sizes.
        rule: "scott", "silverman", or the factor between standard deviations of a set and of its kernel.
        method: densities on a "grid", or "monte-carlo": at `size` random points, as the paper has it.
        correlation: "pearson" or "spearman". support: share of its maximum from which a density counts as inside.
        seed: of all that is drawn. intervals, floor: leave them out to be quicker.

    Raises InputError for parameters out of range and for other than two columns. Scores of what has no density
    (constant columns, few rows or values, points on a line) have the status "undefined" and a reason.
    Source: Nguyen et al. 2025, "Grade Inflation in Generative Models".
    """
    settings = _settings(levels, thresh, bandwidth, rule, method, size, correlation, support, seed)
    metrics: list[PairScore] = []
    for key in FAMILIES["pairs"]:
        kind = METRICS[key]
        assert issubclass(kind, PairScore)
        own = {f.name: getattr(settings, f.name) for f in fields(kind)}  # type: ignore[arg-type]
        metrics.append(kind(**own).sharing(settings))
    return evaluate(p, q, metrics=metrics, seed=seed, intervals=intervals, floor=floor, exhibits=False)


def repeat_pair_scores(
    p: object,
    source: Sampler | object,
    *,
    repeats: int = 1000,
    size: int | None = None,
    seed: int = 0,
    levels: int = 5,
    thresh: float = 0.05,
    bandwidth: Literal["own", "shared"] = "own",
    rule: str | float = "scott",
    correlation: Literal["pearson", "spearman"] = "pearson",
    support: float = 0.1,
) -> dict[str, Repeats]:
    """Distributions of the seven scores over many synthetic sets of one generator, by key: mean, sd, quantiles.

    Args:
        p: real points (n, 2).
        source: a fitted sampler, or a pool of points (M, 2) of which sets are drawn without replacement.
        repeats: how many sets of `size` points (None: as many as p has).

    The density of p is computed once, on a grid that is laid out for p and the first sets; kernels of later sets are
    those of their own variances along its axes. The earth mover's distance is exact and costs most: it is computed of
    as many sets, evenly spread, as take some 15 seconds (of all sets where distinct points are few, of 254 sets of
    768 different points); the other values are NaN and `how` says so. A set without a density has NaN for every score.
    Raises InputError for parameters out of range, real points without a density, and a pool that is not larger than a
    set. Source: Nguyen et al. 2025, section 3.9.
    """
    settings = _settings(levels, thresh, bandwidth, rule, "grid", 50_000, correlation, support, seed)
    check_whole("repeats", repeats, 2)
    real = _points(p, "real")
    n = len(real) if size is None else size
    check_whole("size", n, 3)
    draw, how = _drawing(source, int(repeats), int(n), int(seed))
    found, moved = _table(real, draw, int(repeats), settings)
    told = how if moved == repeats else f"{how}; earth mover's distance of {moved} of them"
    sizes = (int(n),) * int(repeats)
    return {key: summary(found[key], sizes, told if key == "earth_movers_score" else how) for key in FAMILIES["pairs"]}


def _settings(
    levels: int,
    thresh: float,
    bandwidth: Literal["own", "shared"],
    rule: str | float,
    method: Literal["grid", "monte-carlo"],
    size: int,
    correlation: Literal["pearson", "spearman"],
    support: float,
    seed: int,
) -> Settings:
    from truegrade.density import Settings

    return Settings(levels, thresh, bandwidth, rule, method, size, seed, correlation, support)


def _points(given: object, name: str) -> Floats:
    """Validated points (n, 2)."""
    samples = as_samples(given, name)
    if samples.d != 2:
        raise InputError(f"The {name} set has {samples.d} columns; points (n, 2) are accepted.")
    return np.ascontiguousarray(samples.array(), np.float64)


# --- the sets ------------------------------------------------------------------------------------------


def _drawing(source: object, repeats: int, n: int, seed: int) -> tuple[Callable[[int], Floats], str]:
    """What makes set number i, and how in words."""
    if hasattr(source, "sample") and not hasattr(source, "columns"):  # data frames sample too
        sampler = source

        def drawn(i: int) -> Floats:
            points = np.asarray(sampler.sample(n, np.random.default_rng([seed, i])), np.float64)
            if points.shape != (n, 2) or not np.isfinite(points).all():
                raise InputError(f"The sampler gave {points.shape} for {n} points; finite numbers (n, 2) are accepted.")
            return points

        return drawn, f"{repeats} sets of {n:,} from {type(sampler).__name__}, seed {seed}"
    pool = _points(source, "pool")
    m = len(pool)
    if m <= n:
        raise InputError(
            f"The pool has {m} points, and sets of {n} are to be drawn from it; give more than {n}, best "
            f"{repeats * n}, a smaller `size`, or a sampler."
        )
    if repeats * n <= m:
        order = np.random.default_rng([seed, n, m]).permutation(m)
        return lambda i: pool[order[i * n : (i + 1) * n]], f"{repeats} disjoint sets of {n:,} from {m:,}, seed {seed}"
    how = f"{repeats} sets of {n:,}, each drawn without replacement from {m:,}, seed {seed}; they share points"
    return lambda i: pool[np.random.default_rng([seed, i]).choice(m, n, replace=False)], how


# --- their scores --------------------------------------------------------------------------------------


def _table(
    real: Floats, draw: Callable[[int], Floats], repeats: int, settings: Settings
) -> tuple[dict[str, list[float]], int]:
    """Scores by key of every set, and of how many sets the earth mover's distance was computed."""
    first = [draw(i) for i in range(min(_FIRST, repeats))]
    fixed = _RealSide(real, first, settings)
    cost = max(1, int(np.prod([len(np.unique(points, axis=0)) for points in (real, first[0])])))
    moved = min(repeats, max(20, _TRANSPORTS // cost))
    wanted = set(np.linspace(0, repeats - 1, moved).round().astype(int).tolist())
    found: dict[str, list[float]] = {key: [] for key in FAMILIES["pairs"]}
    for i, points in enumerate(_sets(first, draw, repeats)):
        values = fixed.scores(points)
        if values and i in wanted:
            values["earth_movers_score"] = float(np.exp(-earth_movers_distance(real, points)))
        for key, column in found.items():
            column.append(values.get(key, np.nan))
    return found, len(wanted)


def _sets(first: Sequence[Floats], draw: Callable[[int], Floats], repeats: int) -> Iterator[Floats]:
    yield from first
    for i in range(len(first), repeats):
        yield draw(i)


class _RealSide:
    """The real set with its density, against which sets are graded one by one."""

    def __init__(self, real: Floats, first: Sequence[Floats], settings: Settings) -> None:
        from dataclasses import replace

        from truegrade.density import PairOutcome, densities, frame_of, side_stats

        self.settings, self.stats = settings, side_stats(real)
        pooled = replace(side_stats(np.concatenate(first)), n=len(first[0]))
        frame = frame_of(self.stats, pooled, settings)
        if isinstance(frame, PairOutcome):
            raise InputError(f"These sets cannot be compared as densities. {frame.reason}")
        self.frame: Frame = frame
        self.histogram: Histogram = frame.histogram()
        self.histogram.add(real)
        self.density: Density = densities(self.histogram, frame, self.stats, settings)

    def scores(self, points: Floats) -> dict[str, float]:
        """All but the earth mover's; nothing where the set has no density."""
        from truegrade.density import densities, side_stats
        from truegrade.density.correlations import correlation_score
        from truegrade.density.grades import eden, jaccard, overlap_scores
        from truegrade.density.refusals import refusal

        stats: SideStats = side_stats(points)
        if refusal(self.stats, stats, self.settings, ("first column", "second column")) is not None:
            return {}
        histogram = self.frame.histogram()
        histogram.add(points)
        density = densities(histogram, self.frame, stats, self.settings)
        both, sides = (self.density, density), (self.stats, stats)
        return {
            "correlation_score": correlation_score(*sides, self.settings),
            "jaccard_score": jaccard(both, (self.histogram, histogram), sides, self.settings),
            **overlap_scores(self.density, density, (self.histogram, histogram), sides),
            "eden_score": eden(self.density, density)[0],
        }


