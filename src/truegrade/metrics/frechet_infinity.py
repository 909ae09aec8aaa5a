"""The Fréchet distance extrapolated to infinitely many samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import Answers, Direct, Floats, Moments, MomentsAnswer, Need
from truegrade.errors import InputError, notice
from truegrade.metrics.base import Expansion, Metric, MetricInfo, Outcome, check_whole, undefined
from truegrade.metrics.frechet import distance_between, expansion, have_enough

if TYPE_CHECKING:
    from truegrade.samples import Samples

_LINEAR = 2  # samples a feature in the smallest parts, from which on the bias is as good as linear in 1/n
_ROWS = 4096  # read at once


@dataclass(frozen=True)
class FrechetInfinity(Metric):
    """Fréchet distance for infinitely many samples of both laws: the intercept of a line in 1/n + 1/m.

    Both sets (N, d) and (M, d) are put in a random order (`seed`) and cut into k parts, k = 1 to `parts`; F_k is the
    mean Fréchet distance of the k pairs of parts, real part j against synthetic part j. With the default of 5 that is
    15 distances at 5 sizes, N to N/5. The parts of one cut cover both sets, so that every F_k holds the same linear
    part of the sampling error and the scatter of F_k about F_1 grows with k - 1; the line through F_1 that is best for
    such a scatter has the intercept F_1 - b, b = sum_k (F_k - F_1) / sum_k (x_k - 1), x_k the mean of 1/n + 1/m over
    the parts in units of that of the whole sets.

    Lower is better, range unbounded, unit: squared unit of the features. It scatters about 0 for two samples of one
    law and is negative about half the time there; it is reported as it is. Fewer cuts are made where parts would hold
    fewer than 2 samples a feature, but at least 3, or 2 where a third holds no more than d: below that the bias does
    not fall as 1/n, which a warning says. Details: `full_value` F_1, `bias` b, `r_squared` and `fit_error` (the
    standard error of the intercept that the scatter about the line shows, without the sampling error of the sets,
    which is in the interval), None with two sizes only.

    Raises InputError for parameters out of range and for fewer than 4 samples on a side. Source: Chong & Forsyth 2020,
    "Effectively unbiased FID and Inception Score and where to find them", section 3, who extrapolate in the generated
    set alone against fixed real statistics.
    """

    parts: int = 5
    seed: int = 0

    info: ClassVar[MetricInfo] = MetricInfo(
        key="frechet_distance_infinity",
        title="Fréchet distance, infinite samples",
        family="distance",
        direction="lower",
        range=(float("-inf"), float("inf")),
        identical=0.0,
        formula="intercept of the Fréchet distance over 1/n + 1/m of parts of both sets",
        reading="Near 0 (within its interval): equal means and covariances; comparable between sizes.",
        reference="chong2020",
        symmetric=True,
        invariances=frozenset({"shift", "rotation"}),
        target=0.0,
    )

    def __post_init__(self) -> None:
        check_whole("parts", self.parts, 2)
        check_whole("seed", self.seed, 0)

    def check_sizes(self, n_real: int, n_synthetic: int) -> None:
        for side, n in (("real", n_real), ("synthetic", n_synthetic)):
            if n < 4:
                raise InputError(f"{n} {side} samples given; at least 4 are needed, for parts of 2.")

    def _cuts(self) -> Direct:
        return Direct(part_distances, ("real", "synthetic"), (("most", self.parts), ("seed", self.seed)))

    def needs(self) -> tuple[Need, ...]:
        return (Moments("real"), Moments("synthetic"), self._cuts())

    def compute(self, answers: Answers) -> Outcome:
        real, synthetic = answers[Moments("real")], answers[Moments("synthetic")]
        whole = distance_between(real, synthetic)
        cuts: tuple[Cut, ...] = answers[self._cuts()]
        smallest, d = cuts[-1].smallest, answers.dimension
        notes = (notice("bias_not_linear", n=smallest, d=d),) if smallest <= d else ()
        if whole.value is None or not all(np.isfinite(cut.value) for cut in cuts):
            return undefined("a distance came out below 0 by more than rounding", notes)
        line = fit(np.array([1.0, *(c.x for c in cuts)]), np.array([whole.value, *(c.value for c in cuts)]))
        enough = have_enough(real, synthetic, d)
        return Outcome(
            line.intercept,
            details={
                "full_value": whole.value,
                "bias": line.slope,
                "r_squared": line.r_squared,
                "fit_error": line.error,
                "sizes": len(cuts) + 1,
                "smallest_part": smallest,
            },
            warnings=notes,
            expand=partial(_expansion, real, synthetic, line.inflation) if enough else None,
        )


def _expansion(real: MomentsAnswer, synthetic: MomentsAnswer, inflation: float) -> Expansion:
    """That of the Fréchet distance, rid of the bias; the fit adds to the second-order part."""
    found = expansion(real, synthetic)
    return replace(found, bias=0.0, variance=found.variance * inflation)


# --- the line ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """The fit. intercept: at x = 0; slope: what is added per unit of x. r_squared, error: None with two points.

    inflation: of the variance of the second-order part, whose pairs of samples only meet where they share a part:
        two samples share one of k parts with probability 1/k and then count k-fold, so a weighted sum of the F_k with
        the weights w_k has 1 + sum w_k^2 (k - 1) of the variance of F_1.
    """

    intercept: float
    slope: float
    r_squared: float | None
    error: float | None
    inflation: float


def fit(x: Floats, values: Floats) -> Line:
    """The line through the first point, x = 1, when the others scatter about it with variances in proportion to x - 1.

    x, values: (c,), c >= 2, x increasing from 1.
    """
    ahead, rise = x[1:] - 1.0, values[1:] - values[0]
    slope = float(rise.sum() / ahead.sum())
    intercept, inflation = float(values[0]) - slope, 1.0 + 1.0 / float(ahead.sum())
    if len(x) < 3:
        return Line(intercept, slope, None, None, inflation)
    residuals = rise - slope * ahead
    total = float(((values - values.mean()) ** 2).sum())
    scatter = float((residuals**2 / ahead).sum()) / (len(ahead) - 1)
    explained = 1.0 - float((residuals**2).sum()) / total if total > 0 else None
    return Line(intercept, slope, explained, float(np.sqrt(scatter / ahead.sum())), inflation)


# --- the parts ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cut:
    """Both sets in some parts. x: mean of 1/n + 1/m over the parts, relative to the whole sets; value: mean distance
    (NaN if one is undefined); smallest: samples in the smallest part of either set."""

    x: float
    value: float
    smallest: int


def part_distances(real: Samples, synthetic: Samples, *, most: int, seed: int) -> tuple[Cut, ...]:
    """The cuts into 2, 3, ... parts, at most `most`, and no more than leave parts for which the bias is linear."""
    fewest = min(real.n, synthetic.n)
    origin = real.rows.read(0, 1)[0].astype(np.float64)
    return tuple(_cut(real, synthetic, k, seed, origin) for k in range(2, _most_parts(fewest, real.d, most) + 1))


def _most_parts(n: int, d: int, most: int) -> int:
    linear, above = n // (_LINEAR * d), 3 if n // 3 > d else 2
    return max(2, min(most, max(linear, above), n // 2))


def _cut(real: Samples, synthetic: Samples, k: int, seed: int, origin: Floats) -> Cut:
    pairs = list(zip(_parts(real.n, k, seed), _parts(synthetic.n, k, seed), strict=True))
    values = []
    for ours, theirs in pairs:
        found = distance_between(_moments(real, ours, origin), _moments(synthetic, theirs, origin))
        values.append(np.nan if found.value is None else found.value)
    u = np.mean([1.0 / len(a) + 1.0 / len(b) for a, b in pairs])
    whole = 1.0 / real.n + 1.0 / synthetic.n
    return Cut(float(u / whole), float(np.mean(values)), min(min(len(a), len(b)) for a, b in pairs))


def _parts(n: int, k: int, seed: int) -> list[NDArray[np.intp]]:
    """n rows in k parts of nearly equal size, drawn anew for every k and alike for sets of one size.

    Alike, because sets whose rows belong together (reconstructions) must stay paired in the parts, as in the whole.
    """
    order = np.random.default_rng([seed, n, k]).permutation(n)
    return [np.sort(part) for part in np.array_split(order, k)]


def _moments(samples: Samples, rows: NDArray[np.intp], origin: Floats) -> MomentsAnswer:
    """Moments of some rows, relative to a point that both sides share, so that an offset costs no digits."""
    n, d = len(rows), samples.d
    mean = sum(block.sum(0) for block in _blocks(samples, rows, origin)) / n
    centred = (block - mean for block in _blocks(samples, rows, origin))
    if n <= d:
        return MomentsAnswer(np.asarray(mean), None, n, np.concatenate(list(centred)))
    scatter = np.zeros((d, d))
    for block in centred:
        scatter += block.T @ block
    return MomentsAnswer(np.asarray(mean), scatter / (n - 1), n)


def _blocks(samples: Samples, rows: NDArray[np.intp], origin: Floats) -> Iterator[Floats]:
    for start in range(0, len(rows), _ROWS):
        yield samples.rows.take(rows[start : start + _ROWS]).astype(np.float64) - origin
