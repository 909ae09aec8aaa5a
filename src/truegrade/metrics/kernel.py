"""The kernel distance: MMD with a cubic polynomial kernel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from truegrade.engine.needs import Answers, Cubic, CubicSums, Direct, Floats, KernelSum, Need
from truegrade.errors import InputError, notice
from truegrade.metrics.base import Influence, Metric, MetricInfo, Outcome, check_whole
from truegrade.metrics.contrast import Contrast, pairs_of
from truegrade.metrics.drawing import Drawing, check_drawing, generator
from truegrade.samples import Samples


@dataclass(frozen=True)
class KernelDistance(Metric):
    """Kernel distance (KID for Inception features): squared MMD with k(x, y) = (x.y / d + 1)^3.

    Unbiased estimate on all samples (N, d) and (M, d): mean of k over pairs i != l of real samples, plus the
    same for the synthetic ones, minus twice the mean across. Lower is better; it scatters about 0 for two
    samples of one law and may be negative. The kernel is not shift-invariant: features matter as they are.
    The standard error is analytic (see `Contrast.standard_error`).

    compat="subsets" gives the published procedure instead: mean and standard deviation (ddof 0) of the
    unbiased estimate over `subsets` random subsets of `subset_size` samples of each set, drawn with `seed`. A
    subset larger than the smaller set shrinks to it, with a note. drawing="legacy" draws as torch-fidelity and
    clean-fid do: by numpy.random.RandomState(seed), of every pair the synthetic subset first.

    Raises InputError for parameters out of range. Source: Bińkowski et al. 2018, "Demystifying MMD GANs",
    section 4; estimator: Gretton et al. 2012, eq. 3.
    """

    compat: Literal["subsets"] | None = None
    subsets: int = 100
    subset_size: int = 1000
    seed: int = 0
    drawing: Drawing = "default"

    info: ClassVar[MetricInfo] = MetricInfo(
        key="kernel_distance",
        title="Kernel distance",
        family="distance",
        direction="lower",
        range=(float("-inf"), float("inf")),
        identical=None,
        formula="E k(X,X') + E k(Y,Y') - 2 E k(X,Y), k(x,y) = (x.y/d + 1)^3",
        reading="Near 0 (within its interval): no difference was found; slightly negative is normal there.",
        reference="binkowski2018",
        symmetric=True,
        invariances=frozenset({"order", "rotation"}),
        target=0.0,
        default=True,
    )

    def __post_init__(self) -> None:
        if self.compat not in (None, "subsets"):
            raise InputError(f"compat={self.compat!r} given; 'subsets' or None is accepted.")
        check_whole("subsets", self.subsets, 1)
        check_whole("subset_size", self.subset_size, 2)
        check_whole("seed", self.seed, 0)
        check_drawing(self.drawing, self.seed)
        if self.compat == "subsets":  # which subsets are drawn depends on the order and on the side
            drawn = replace(self.info, invariances=frozenset({"rotation"}), symmetric=False)
            object.__setattr__(self, "info", drawn)

    def needs(self) -> tuple[Need, ...]:
        return (*self._sums(), *((self._drawn(),) if self.compat == "subsets" else ()))

    def _sums(self) -> tuple[KernelSum, KernelSum, KernelSum]:
        return (
            KernelSum("real", "real", Cubic()),
            KernelSum("synthetic", "synthetic", Cubic()),
            KernelSum("real", "synthetic", Cubic()),
        )

    def _drawn(self) -> Direct:
        parameters = (
            ("drawing", self.drawing),
            ("seed", self.seed),
            ("size", self.subset_size),
            ("subsets", self.subsets),
        )
        return Direct(subset_kernel_distances, ("real", "synthetic"), parameters)

    def compute(self, answers: Answers) -> Outcome:
        parts = cubic_contrast(*(answers[need] for need in self._sums()))
        if self.compat == "subsets":
            return self._from_subsets(answers[self._drawn()], answers, parts)
        return Outcome(
            parts.value,
            per_sample={"real": parts.real, "synthetic": parts.synthetic},
            details={"estimator": "unbiased"},
            pairs=pairs_of(parts, _cubic),
            standard_error=parts.standard_error,
        )

    def _from_subsets(self, values: Floats, answers: Answers, parts: Contrast) -> Outcome:
        used = min(self.subset_size, answers.n_real, answers.n_synthetic)
        shrunk = (
            () if used == self.subset_size else (notice("subset_shrunk", asked=self.subset_size, used=used),)
        )
        return Outcome(
            float(values.mean()),
            details={
                "estimator": "unbiased, mean over subsets",
                "subset_sd": float(values.std()),
                "subset_size": used,
                "subsets": self.subsets,
            },
            warnings=shrunk,
            influence=_influence(parts, values, used),
        )


def _influence(parts: Contrast, values: Floats, used: int) -> Influence | None:
    """What each sample adds to a mean over subsets: on average over all draws what it adds to the estimate on all
    samples. The scatter of the draws, which is not known of one draw, is put on the synthetic side: models do not share
    it.
    """
    real, synthetic = (2.0 * (part - part.mean()) for part in (parts.real, parts.synthetic))
    if len(values) < 2 and max(len(real), len(synthetic)) > used:
        return None
    own = float(synthetic.var(ddof=1)) / len(synthetic)
    draws = float(values.var()) / max(len(values) - 1, 1)
    wider = (1.0 + draws / own) ** 0.5 if own > 0.0 else 1.0
    return Influence({"real": real, "synthetic": synthetic * wider}, 0.0)


def cubic_contrast(real: CubicSums, synthetic: CubicSums, across: CubicSums) -> Contrast:
    """Contrasts of the cubic kernel from the power sums of w, k = (w + o)^3.

    k = w^3 + 3 o w^2 + 3 o^2 w + o^3. A contrast subtracts a mean across from a mean within, so the constant
    o^3 drops out before it is ever added, and what is left of the second-largest term, 3 o^2 w, is the
    contrast of w: its parts linear in x alone or y alone cancel in the sum over both sides, among numbers of
    the size of w. A shift of the features by 1000 makes o^3 about 1e18 and would drown a value of order 1;
    this does not.
    """
    o = across.offset
    powers = np.array([3.0 * o * o, 3.0 * o, 1.0])
    n, m = real.rows.shape[1], synthetic.rows.shape[1]
    by_power_real = real.rows / (n - 1) - across.rows / m
    by_power_synthetic = synthetic.rows / (m - 1) - across.columns / n
    return Contrast(powers @ by_power_real, powers @ by_power_synthetic)


def _cubic(rows: Floats) -> Floats:
    """The cubic kernel of all pairs of rows (r, d), shape (r, r), without o^3 and what is linear in one row alone.

    Both cancel in every contrast and would drown the rest if the features sit on a large offset (`cubic_contrast`).
    """
    d, centre = rows.shape[1], rows.mean(0)
    u = rows - centre
    along, o = u @ centre, float(centre @ centre) / d + 1.0
    product = u @ u.T / d
    w = product + (along[:, None] + along[None, :]) / d
    return np.asarray(w**3 + 3.0 * o * w**2 + 3.0 * o * o * product)


def subset_kernel_distances(
    real: Samples, synthetic: Samples, *, seed: int, size: int, subsets: int, drawing: Drawing = "default"
) -> Floats:
    """The unbiased estimate on each of `subsets` random subsets (without replacement) of both sides."""
    rng = generator(drawing, seed)
    used = min(size, real.n, synthetic.n)
    turns = (synthetic, real) if drawing == "legacy" else (real, synthetic)
    values = np.empty(subsets)
    for t in range(subsets):
        first, second = (
            side.rows.take(np.sort(rng.choice(side.n, used, replace=False))).astype(np.float64) for side in turns
        )
        values[t] = _cubic_estimate(first, second)
    return values


def _cubic_estimate(x: Floats, y: Floats) -> float:
    """The unbiased estimate on two sets of one size, without o^3 (`cubic_contrast`)."""
    m, d = x.shape
    centre = (x.mean(0) + y.mean(0)) / 2.0
    u, v = x - centre, y - centre
    o = float(centre @ centre) / d + 1.0

    def totals(a: Floats, b: Floats, within: bool) -> Floats:
        w = (a @ b.T + (a @ centre)[:, None] + (b @ centre)[None, :]) / d
        if within:
            np.fill_diagonal(w, 0.0)
        squares = w * w
        return np.array([w.sum(), squares.sum(), np.multiply(squares, w, out=w).sum()])

    powers = np.array([3.0 * o * o, 3.0 * o, 1.0])
    own = (totals(u, u, True) + totals(v, v, True)) / (m * (m - 1))
    return float(powers @ (own - 2.0 * totals(u, v, False) / m**2))
