"""The sliced Wasserstein distance."""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp
from typing import ClassVar

import numpy as np

from truegrade.engine.needs import Answers, Direct, Floats, Need
from truegrade.metrics.base import Influence, Metric, MetricInfo, Outcome, check_whole
from truegrade.metrics.line import Lines, merge, transport_lines
from truegrade.metrics.transport import check_power
from truegrade.samples import Samples

_KEPT = 1 << 24  # coordinates of both sides on lines that one reading of the samples gives (128 MB)
_NUMBERS = 1 << 20  # of these worked on at a time


@dataclass(frozen=True)
class SlicedWasserstein(Metric):
    """Sliced Wasserstein distance SW_p: (mean over directions theta of W_p(theta.x, theta.y)^p)^(1/p), p = 2
    (default) or 1.

    Real (N, d), synthetic (M, d); `projections` random unit vectors theta (1,000), the same for all sets of d
    features and one `seed`. Each one-dimensional W_p is exact, for N != M too. Range 0 to infinity, lower is
    better, unit: that of the features. It sees every difference of two laws, but of a shift by v in d dimensions
    only about |v| / sqrt(d). For two samples of one law it falls as n^(-1/2) in any dimension (p = 1; p = 2 in
    well-behaved cases), so values compare at equal sizes. One feature needs no directions and has one.

    Details: projection_error, the standard error that comes from having so many directions and no more. The
    interval is that of the samples, these directions given: the dual potentials of each line say what every sample
    adds. As for the Wasserstein distance it concerns the expected value at these sizes, and is rather too wide
    where the laws are equal. per_sample: mean over the directions of what moving each real (N,) and synthetic (M,)
    sample costs; the mean of either is SW_p^p.

    Memory: 128 MB of coordinates along some directions, and blocks of samples, which are read again for the next
    directions (seven times in all for 50,000 and 50,000). Raises InputError for parameters out of range. Source:
    Bonneel, Rabin, Peyré & Pfister 2015, section 3.
    """

    p: int = 2
    projections: int = 1000
    seed: int = 0

    info: ClassVar[MetricInfo] = MetricInfo(
        key="sliced_wasserstein",
        title="Sliced Wasserstein distance",
        family="distance",
        direction="lower",
        range=(0.0, float("inf")),
        identical=0.0,
        formula="(mean over unit vectors t of W_p(t.x, t.y)^p)^(1/p), p = 2",
        reading="Small (near its floor) means that the sets look alike along every line through the feature space.",
        reference="bonneel2015",
        symmetric=True,
        invariances=frozenset({"order", "shift"}),
    )

    def __post_init__(self) -> None:
        check_power(self.p)
        check_whole("projections", self.projections, 2)
        check_whole("seed", self.seed, 0)

    def needs(self) -> tuple[Need, ...]:
        return (Direct(slices, ("real", "synthetic"), tuple(sorted(self.parameters().items()))),)

    def compute(self, answers: Answers) -> Outcome:
        found: Lines = answers[self.needs()[0]]
        mean = float(found.cost.mean())
        slope = mean ** (1.0 / self.p - 1.0) / self.p if mean > 0.0 else 0.0
        spread = float(found.cost.std(ddof=1)) if len(found.cost) > 1 else 0.0
        parts = {"real": found.real_potential * slope, "synthetic": found.synthetic_potential * slope}
        return Outcome(
            mean ** (1.0 / self.p),
            per_sample={"real": found.real_cost, "synthetic": found.synthetic_cost},
            details={
                "p": self.p,
                "projections": len(found.cost),
                "projection_error": slope * spread / float(len(found.cost) ** 0.5),
            },
            influence=Influence(parts, 0.0) if mean > 0.0 else None,
        )


def directions(count: int, d: int, seed: int) -> Floats:
    """Random unit vectors, (count, d), uniform over the sphere; for d = 1 the only one there is up to its sign."""
    if d == 1:
        return np.ones((1, 1))
    vectors = np.random.default_rng(seed).standard_normal((count, d))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def slices(real: Samples, synthetic: Samples, *, p: int, projections: int, seed: int) -> Lines:
    """Optimal transport along random directions, each on its own, their means by sample."""
    along = directions(projections, real.d, seed)
    centre = (real.summary.mean + synthetic.summary.mean) / 2.0
    unit = _unit(real, synthetic, centre)
    merged = merge(real.n, synthetic.n)
    found, weights = [], []
    for some in _parts(along, _KEPT // (real.n + synthetic.n)):
        x, y = (_coordinates(side, centre, unit, some) for side in (real, synthetic))
        step = _NUMBERS // (real.n + synthetic.n)
        for left, right in zip(_parts(x, step), _parts(y, step), strict=True):
            found.append(transport_lines(left, right, p, merged))
            weights.append(len(left) / len(along))
    return _together(found, weights, unit**p)


def _parts(rows: Floats, size: int) -> list[Floats]:
    """`size` rows at a time, at least one."""
    return [rows[start : start + max(1, size)] for start in range(0, len(rows), max(1, size))]


def _unit(real: Samples, synthetic: Samples, centre: Floats) -> float:
    """A power of two not far above the largest coordinate."""
    ends = [side.summary.lowest for side in (real, synthetic)] + [side.summary.highest for side in (real, synthetic)]
    largest = max(float(np.abs(end.astype(np.float64) - centre).max()) for end in ends)
    return float(2.0 ** frexp(largest)[1]) if largest > 0.0 else 1.0


def _coordinates(samples: Samples, centre: Floats, unit: float, along: Floats) -> Floats:
    """theta.(x - centre) / unit, shape (directions, n), rows read block by block."""
    out = np.empty((len(along), samples.n))
    start = 0
    for block in samples.blocks():
        rows = (block.astype(np.float64) - centre) / unit
        np.matmul(along, rows.T, out=out[:, start : start + len(rows)])
        start += len(rows)
    return out


def _together(found: list[Lines], weights: list[float], scale: float) -> Lines:
    def mean(parts: list[Floats]) -> Floats:
        return np.asarray(sum(w * part for w, part in zip(weights, parts, strict=True)) * scale)

    return Lines(
        np.concatenate([f.cost for f in found]) * scale,
        mean([f.real_cost for f in found]),
        mean([f.synthetic_cost for f in found]),
        mean([f.real_potential for f in found]),
        mean([f.synthetic_potential for f in found]),
    )
