"""The Sinkhorn divergence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from truegrade.engine.needs import Answers, Direct, Floats, Need
from truegrade.errors import NotConverged, notice
from truegrade.metrics.base import Influence, Metric, MetricInfo, Outcome, check_number, check_whole, positive
from truegrade.metrics.drawing import drawn_rows
from truegrade.metrics.entropic import between, within
from truegrade.metrics.ground import common_frame
from truegrade.metrics.transport import check_power
from truegrade.samples import Samples

RELATIVE_BLUR = 0.1  # of the real spread
_WIDER = 4.0  # times as wide as the real set: a synthetic set beyond sets the blur
_ROUNDING = 1e-15  # of the largest cost, which the softness cannot resolve


@dataclass(frozen=True)
class SinkhornDivergence(Metric):
    """Sinkhorn divergence S = OT(X, Y) - (OT(X, X) + OT(Y, Y)) / 2 with entropic optimal transport OT.

    OT(X, Y) = min over plans P of <P, c> + eps KL(P | uniform product), cost c = |x - y|^p / p, p = 2 (default) or
    1, and eps = blur^p. Real (N, d), synthetic (M, d). Range 0 to infinity, lower is better, unit: that of the
    features to the power p. For blur to 0 it is W_p^p / p, for blur to infinity half the squared distance of the
    means (p = 2). Identical sets give 0 to rounding. blur: the length below which it looks no closer, in the unit
    of the features; None (default): a tenth of the spread of the real set (root mean square distance from its mean;
    of a synthetic set that spreads more than four times as widely, a quarter of its spread instead), so that
    generators are compared at one blur, but the value is not symmetric. The detail `blur` says what was used.

    The marginals are met to `tolerance` (summed absolute error), else NotConverged is raised: small blurs may take
    more rounds than there are. Blurs so small that rounding does not let them be met so closely get a larger
    tolerance; the details `tolerance_used` and `marginal_error` say what was asked and reached. The interval is that
    of the linear part: each sample adds its potential across less that within its own set (per_sample; the means of
    both sides add up to S); where the laws are equal it is rather too wide.

    Memory: up to 4,000 x 4,000 the costs are kept (2 x 128 MB), beyond they are computed again in each round. Above
    `most` samples on a side that many are drawn (`seed`), with a note. Raises InputError for parameters out of
    range. Source: Feydy et al. 2019, "Interpolating between optimal transport and MMD using Sinkhorn divergences",
    eqs. 3 and 26.
    """

    p: int = 2
    blur: float | None = None
    tolerance: float = 1e-6
    most: int = 10_000
    seed: int = 0

    info: ClassVar[MetricInfo] = MetricInfo(
        key="sinkhorn_divergence",
        title="Sinkhorn divergence",
        family="distance",
        direction="lower",
        range=(0.0, float("inf")),
        identical=0.0,
        formula="OT(X,Y) - (OT(X,X) + OT(Y,Y)) / 2, entropic, c = |x - y|^p / p, eps = blur^p, p = 2",
        reading="Small (near its floor) means that little has to be moved, at no finer scale than the blur.",
        reference="feydy2019",
        symmetric=False,
        invariances=frozenset({"order", "shift", "rotation"}),
    )

    def __post_init__(self) -> None:
        check_power(self.p)
        check_whole("most", self.most, 2)
        check_whole("seed", self.seed, 0)
        check_number("tolerance", self.tolerance)
        if self.blur is not None:
            check_number("blur", self.blur, positive, "a positive, finite number or None")
            object.__setattr__(self, "info", replace(self.info, symmetric=True))

    def needs(self) -> tuple[Need, ...]:
        return (Direct(divergence, ("real", "synthetic"), tuple(sorted(self.parameters().items()))),)

    def compute(self, answers: Answers) -> Outcome:
        found: Divergence = answers[self.needs()[0]]
        n, m = len(found.real), len(found.synthetic)
        reduced = n < answers.n_real or m < answers.n_synthetic
        parts = {"real": found.real - found.real.mean(), "synthetic": found.synthetic - found.synthetic.mean()}
        error = float(np.sqrt(parts["real"].var(ddof=1) / n + parts["synthetic"].var(ddof=1) / m))
        return Outcome(
            found.value,
            per_sample={"real": found.real, "synthetic": found.synthetic},
            details={
                "p": self.p,
                "blur": found.blur,
                "iterations": found.iterations,
                "marginal_error": found.error,
                "tolerance_used": found.accuracy,
                "n_used": n,
                "m_used": m,
            },
            warnings=(notice("drawn_for_transport", n=n, m=m, seed=self.seed),) if reduced else (),
            influence=None if reduced else Influence(parts, 0.0),
            standard_error=error,
        )


@dataclass(frozen=True)
class Divergence:
    """value: mean of real (n,) plus mean of synthetic (m,), the potentials across less those within; how it was got.

    accuracy, error: of the marginals, what was asked and the largest of the three that were reached.
    """

    value: float
    real: Floats
    synthetic: Floats
    blur: float
    accuracy: float
    error: float
    iterations: int


def divergence(
    real: Samples, synthetic: Samples, *, blur: float | None, most: int, p: int, seed: int, tolerance: float
) -> Divergence:
    """Both sides drawn down to `most` rows, and the Sinkhorn divergence of what is left."""
    rng = np.random.default_rng(seed)
    x, y = (drawn_rows(side, most, rng) for side in (real, synthetic))
    length = _length(real, synthetic) if blur is None else float(blur)
    return sinkhorn(x, y, p, length, tolerance)


def _length(real: Samples, synthetic: Samples) -> float:
    """The default blur: of the real spread; of the distance of the means where nothing spreads."""
    means = real.summary.mean - synthetic.summary.mean
    for length in (max(real.spread, synthetic.spread / _WIDER), float(np.linalg.norm(means))):
        if length > 0.0:
            return RELATIVE_BLUR * length
    return 1.0


def sinkhorn(x: Floats, y: Floats, p: int, blur: float, tolerance: float) -> Divergence:
    """The Sinkhorn divergence of x (n, d) and y (m, d).

    For p = 2 both are centred first: |x - y|^2 / 2 then loses |mean difference|^2 / 2 and terms of one point alone,
    which the potentials take up, and nothing else changes. Sets that are far apart thus converge as fast as near
    ones.
    """
    x, y, unit = common_frame(x, y)
    shift = x.mean(0) - y.mean(0) if p == 2 else np.zeros(x.shape[1])
    along_x, along_y = (x - x.mean(0)) @ shift, (y.mean(0) - y) @ shift
    if p == 2:
        x, y = x - x.mean(0), y - y.mean(0)
    softness = (blur / unit) ** p
    largest = float(np.linalg.norm(x, axis=1).max() + np.linalg.norm(y, axis=1).max()) ** p / p
    accuracy = max(tolerance, _ROUNDING * largest / softness)
    across = between(x, y, p, softness, largest, accuracy)
    own_x, own_y = (within(z, p, softness, largest, accuracy) for z in (x, y))
    apart = float(shift @ shift) / 2.0
    value = across.cost - (own_x.cost + own_y.cost) / 2.0 + apart
    if value < -_lacking(accuracy, largest) - 1e-9 * (largest + softness):
        raise NotConverged(f"The Sinkhorn divergence came out at {value:.3g}, below 0 by more than rounding.")
    scale, value = unit**p, max(value, 0.0)
    left, right = across.left - own_x.left + along_x, across.right - own_y.right + along_y
    off = (value - left.mean() - right.mean()) / 2.0  # the potentials across are known up to a constant
    error = max(across.error, own_x.error, own_y.error)
    parts = ((left + off) * scale, (right + off) * scale)
    return Divergence(value * scale, *parts, blur, accuracy, error, across.iterations)


def _lacking(accuracy: float, largest: float) -> float:
    """How far a dual value may lie below its optimum.

    It is concave and its slope is what the marginals are off, `accuracy` in all, one half up and one half down; no
    potential spans more than the largest cost, so that the best one differs by twice that at most.
    """
    return accuracy * largest
