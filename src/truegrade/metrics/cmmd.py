"""CMMD: MMD of the directions of the samples with a Gaussian kernel of fixed width."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import Answers, Direct, Floats, Need, PairSums
from truegrade.metrics.base import Metric, MetricInfo, Outcome, undefined
from truegrade.metrics.contrast import clamp_rounding, contrast, pairs_of
from truegrade.metrics.unit import ROWS, no_direction, unit_blocks, unit_rows, zero_rows

if TYPE_CHECKING:
    from truegrade.samples import Samples

_TIMES = 1000.0
_SQUARED_WIDTH = 100.0  # of the kernel, sigma = 10
_FACTOR = _TIMES * float(np.exp(-1.0 / _SQUARED_WIDTH))
_SELF = float(np.expm1(1.0 / _SQUARED_WIDTH))
_DOUBLE = 2**25  # pairs up to which products are in double precision


@dataclass(frozen=True)
class CMMD(Metric):
    """CMMD = 1000 (mean k(x, x') + mean k(y, y') - 2 mean k(x, y)), k(a, b) = exp(-|a - b|^2 / (2 10^2)).

    x, y are the real (N, d) and synthetic (M, d) samples scaled to length 1. The means are over all pairs, those of a
    sample with itself included (V-statistic, as published), so the value is never negative and for two samples of one
    law falls as 1/n. Range 0 to 39.6, lower is better, no unit. It is the published score for features of CLIP
    (ViT-L/14 at 336 pixels) only; of other features it is another number.

    On the unit sphere a width of 10 is so large that the kernel is almost linear: the value is nearly
    10 |mean x - mean y|^2 and hardly sees anything but the means of the directions, no covariance. Exact up to 1e-9
    absolute; memory does not grow with the number of pairs. Undefined where a row is all zeros.

    Source: Jayasumana et al. 2024, "Rethinking FID: Towards a better evaluation metric for image generation",
    section 5.
    """

    info: ClassVar[MetricInfo] = MetricInfo(
        key="cmmd",
        title="MMD of directions (CMMD with CLIP features)",
        family="distance",
        direction="lower",
        range=(0.0, 2.0 * _TIMES * float(-np.expm1(-2.0 / _SQUARED_WIDTH))),
        identical=0.0,
        formula="1000 (E k(X,X') + E k(Y,Y') - 2 E k(X,Y)), k(x,y) = exp(-|x-y|^2 / 200), rows of length 1",
        reading="Near its floor: the mean directions are equal; it is nearly blind to everything else.",
        reference="jayasumana2024",
        symmetric=True,
        invariances=frozenset({"order", "scale", "rotation"}),
        bias="1/n",
    )

    def needs(self) -> tuple[Need, ...]:
        return (Direct(direction_sums, ("real", "synthetic")),)

    def compute(self, answers: Answers) -> Outcome:
        (need,) = self.needs()
        sums: DirectionSums = answers[need]
        reason = no_direction(sums.zeros)
        if reason is not None:
            return undefined(reason)
        parts = contrast(sums.real, sums.synthetic, sums.across, estimator="biased", itself=_FACTOR * _SELF)
        shift = float(sums.shift @ sums.shift)
        return Outcome(
            min(clamp_rounding(parts.value, 1.0), self.info.range[1]),
            per_sample={"real": parts.real, "synthetic": parts.synthetic},
            details={"mean_part": 10.0 * shift, "estimator": "biased"},
            pairs=pairs_of(parts, _kernel),
            standard_error=parts.standard_error,
        )


@dataclass(frozen=True)
class DirectionSums:
    """Sums of 1000 k less a constant that cancels, over pairs of different samples; shift: mean x - mean y (d,).

    zeros: how many rows of each side are all zero; all sums are empty if there are any.
    """

    real: PairSums
    synthetic: PairSums
    across: PairSums
    shift: Floats
    zeros: dict[str, int]


def direction_sums(real: Samples, synthetic: Samples) -> DirectionSums:
    """The sums from which CMMD is made.

    With s = a.b and t = s / 100, k = exp(-0.01) (1 + t + g(t)). The constant cancels, the sums of t are those of the
    means, and g is below 0.00006, so that single precision is plenty for it where there are many pairs.
    """
    zeros = {"real": zero_rows(real), "synthetic": zero_rows(synthetic)}
    if any(zeros.values()):
        none = PairSums(np.zeros(0), np.zeros(0))
        return DirectionSums(none, none, none, np.zeros(real.d), zeros)
    means = {side.fingerprint: _mean(side) for side in (real, synthetic)}
    shift = means[real.fingerprint] - means[synthetic.fingerprint]
    pairs = ((real, real), (synthetic, synthetic), (real, synthetic))
    within_real, within_synthetic, across = (
        _sums(a, b, means[a.fingerprint], means[b.fingerprint], same=at < 2) for at, (a, b) in enumerate(pairs)
    )
    return DirectionSums(within_real, within_synthetic, across, shift, zeros)


def _mean(samples: Samples) -> Floats:
    return np.asarray(sum(rows.sum(0) for _, rows in unit_blocks(samples)) / samples.n)


def _sums(a: Samples, b: Samples, mean_a: Floats, mean_b: Floats, *, same: bool) -> PairSums:
    rows, columns = np.empty(a.n), np.empty(b.n)
    for at, block in unit_blocks(a):
        rows[at] = block @ mean_b * (b.n / _SQUARED_WIDTH)
    for at, block in unit_blocks(b):
        columns[at] = block @ mean_a * (a.n / _SQUARED_WIDTH)
    dtype = np.float64 if a.n * b.n <= _DOUBLE else np.float32
    for at, block in unit_blocks(a):
        for start in range(at.start if same else 0, b.n, ROWS):
            there = slice(start, min(start + ROWS, b.n))
            values = _beyond_linear(block, unit_rows(b, there.start, there.stop), dtype)
            rows[at] += values.sum(1, dtype=np.float64)
            if not same:
                columns[there] += values.sum(0, dtype=np.float64)
            elif there != at:  # the mirror image of this tile is not visited
                rows[there] += values.sum(0, dtype=np.float64)
    if same:
        rows -= _SELF
        columns = rows
    return PairSums(_FACTOR * rows, _FACTOR * columns)


def _beyond_linear(a: Floats, b: Floats, dtype: type[np.floating]) -> NDArray[np.floating]:
    """exp(t) - 1 - t of all pairs; |t| <= 0.01, so six terms are exact. In place: tiles are larger than the cache."""
    t = a.astype(dtype) @ b.astype(dtype).T
    t *= dtype(1.0 / _SQUARED_WIDTH)
    out = np.full_like(t, 1.0)
    for order in (6, 5, 4, 3):
        out *= t
        out *= dtype(1.0 / order)
        out += dtype(1.0)
    out *= t
    out *= t
    out *= dtype(0.5)
    return out


def _kernel(rows: Floats) -> Floats:
    """1000 k of all pairs of rows (r, d), shape (r, r)."""
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(_TIMES * np.exp((np.minimum(unit @ unit.T, 1.0) - 1.0) / _SQUARED_WIDTH))
