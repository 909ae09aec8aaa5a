"""The Fréchet distance between the Gaussians that have the mean and covariance of each set."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
from scipy.linalg.lapack import dpotrf, dpstrf, dsygst

from truegrade.engine.needs import Answers, Floats, Moments, MomentsAnswer, Need
from truegrade.errors import InputError, notice
from truegrade.metrics.base import Expansion, Metric, MetricInfo, Outcome, Quadratic, check_flag, undefined

_ROUNDING = 1e-10  # of the trace: what may be missing below 0 and is clamped
_ENOUGH = 2  # samples a feature from which the influence of one sample is known well enough
_WELL_CONDITIONED = 1e-8  # smallest to largest eigenvalue of the product


@dataclass(frozen=True)
class FrechetDistance(Metric):
    """Fréchet distance FD = |mu_1 - mu_2|^2 + tr S_1 + tr S_2 - 2 tr (S_1 S_2)^(1/2).

    mu_1, S_1 mean and covariance of the real samples (N, d), mu_2, S_2 of the synthetic samples (M, d); sums of
    squares are divided by n - ddof, ddof 1 or 0. Range 0 to infinity, lower is better, unit: squared unit of the
    features. It is called FID only for features of the Inception network. For two samples of one law the value falls
    as c/n, so only values at the same sizes compare; read it beside its floor. Exact without a matrix root: the last
    trace is the nuclear norm of A^T B for any factors S_1 = A A^T, S_2 = B B^T; with at most d rows the centred rows
    are such factors. root=True gives sqrt(FD), in the unit of the features, as the 2018 study's published code does;
    its square is the detail `squared`.

    Undefined (never a number) should the value fall below 0 by more than rounding. Raises InputError for another ddof.
    Source: Heusel et al. 2017, "GANs trained by a two time-scale update rule", section 4, eq. 6;
    Dowson & Landau 1982.
    """

    ddof: int = 1
    root: bool = False

    info: ClassVar[MetricInfo] = MetricInfo(
        key="frechet_distance",
        title="Fréchet distance",
        family="distance",
        direction="lower",
        range=(0.0, float("inf")),
        identical=0.0,
        formula="|mu1 - mu2|^2 + tr S1 + tr S2 - 2 tr (S1 S2)^(1/2)",
        reading="Small (near its floor) means equal means and covariances; it says nothing beyond these two.",
        reference="heusel2017",
        symmetric=True,
        invariances=frozenset({"order", "shift", "rotation"}),
        default=True,
        bias="1/n",
    )

    def __post_init__(self) -> None:
        if isinstance(self.ddof, bool) or self.ddof not in (0, 1):
            raise InputError(f"ddof={self.ddof!r} given; 0 or 1 is accepted.")
        check_flag("root", self.root)
        if self.root:
            formula, title = f"square root of {self.info.formula}", f"Root of the {self.info.title}"
            object.__setattr__(self, "info", replace(self.info, bias="1/sqrt(n)", formula=formula, title=title))

    def needs(self) -> tuple[Need, ...]:
        return (Moments("real"), Moments("synthetic"))

    def compute(self, answers: Answers) -> Outcome:
        found = (answers[Moments("real")], answers[Moments("synthetic")])
        real, synthetic = (divided_by(m, m.n - self.ddof) for m in found)
        notes = (notice("rank_deficient", n=m.n, d=answers.dimension) for m in found if m.n <= answers.dimension)
        outcome = replace(distance_between(real, synthetic), warnings=tuple(dict.fromkeys(notes)))
        enough = outcome.value is not None and have_enough(real, synthetic, answers.dimension)
        return self.reported(replace(outcome, expand=partial(expansion, real, synthetic) if enough else None))

    def reported(self, outcome: Outcome) -> Outcome:
        """The outcome of the distance, or of its root, whose interval comes from sub-samples."""
        if not self.root or outcome.value is None:
            return outcome
        details = {**outcome.details, "squared": outcome.value}
        return replace(outcome, value=float(np.sqrt(outcome.value)), details=details, expand=None)


def distance_between(real: MomentsAnswer, synthetic: MomentsAnswer) -> Outcome:
    """The Fréchet distance of two means and covariances, and what it is made of; their n is not looked at."""
    shift = _mean_difference(real, synthetic)
    means = float(shift @ shift)
    spread = (_trace(real), _trace(synthetic))
    value = means + sum(spread) - 2.0 * cross_trace(real, synthetic)
    if value < -_ROUNDING * sum(spread):
        return undefined(f"the distance came out at {value:.3g}, below 0 by more than rounding")
    return Outcome(
        max(value, 0.0),
        details={
            "mean_part": means,
            "covariance_part": max(value - means, 0.0),
            "trace_real": spread[0],
            "trace_synthetic": spread[1],
        },
    )


def divided_by(m: MomentsAnswer, count: int) -> MomentsAnswer:
    """The moments with the sums of squares divided by `count` instead of n - 1."""
    if count == m.n - 1:
        return m
    share = (m.n - 1) / count
    covariance = None if m.covariance is None else m.covariance * share
    return replace(m, covariance=covariance, centred=None if m.centred is None else m.centred * share**0.5)


def have_enough(real: MomentsAnswer, synthetic: MomentsAnswer, d: int) -> bool:
    """Whether there are so many samples that the value has an expansion."""
    full = real.covariance is not None and synthetic.covariance is not None
    return full and min(real.n, synthetic.n) >= max(_ENOUGH * d, 10)


def cross_trace(a: MomentsAnswer, b: MomentsAnswer) -> float:
    """tr (S_a S_b)^(1/2).

    With factors S_a = A A^T and S_b = B B^T it is the sum of the singular values of A^T B.
    """
    if a.centred is None and b.centred is None:
        quick = _from_eigenvalues(a, b)
        if quick is not None:
            return quick
    product = _factor(a).T @ _factor(b)
    return float(np.linalg.svd(product, compute_uv=False).sum())


def _from_eigenvalues(a: MomentsAnswer, b: MomentsAnswer) -> float | None:
    """Sum of the roots of the eigenvalues of L^T S_b L, S_a = L L^T; None if the roots lose digits.

    L^T S_b L by dsygst, which makes one triangle of it and multiplies by no zeros: a quarter of two full products.
    """
    assert a.covariance is not None
    assert b.covariance is not None
    lower, failed = dpotrf(a.covariance.T, lower=1)
    if failed:
        return None
    product, _ = dsygst(b.covariance.T, lower, itype=2, lower=1)
    values = np.linalg.eigvalsh(product, UPLO="L")
    if values[0] <= 0.0:
        return None
    if values[0] <= _WELL_CONDITIONED * values[-1] and not _keep_digits(values, lower, b.covariance):
        return None
    return float(np.sqrt(values).sum())


def _keep_digits(values: Floats, lower: Floats, covariance: Floats) -> bool:
    """Whether the roots of eigenvalues add up well although the smallest are near the rounding of the largest.

    Covariances that fall off steadily have a graded product, whose small eigenvalues come out with most of their
    digits. That shows in their product: it is det S_a det S_b, and the logarithms give away the relative errors r_i
    as |sum r_i|. Rounding r_i in proportion to 1 / l_i then leaves about half of that times
    sqrt(sum 1/l) / sqrt(sum 1/l^2) in the sum of the roots; ten thousand times as much must be below what is
    clamped as rounding.
    """
    other, failed = dpotrf(covariance.T, lower=1)
    if failed:
        return False
    expected = 2.0 * float(np.log(np.diag(lower)).sum() + np.log(np.diag(other)).sum())
    logarithms = np.log(values)
    least = np.finfo(np.float64).eps * float(np.abs(logarithms).sum())  # what the logarithms themselves are worth
    off = abs(float(logarithms.sum()) - expected) + least
    inverse = values[0] / values
    left = 0.5 * off * float((values[0] * inverse.sum() / (inverse @ inverse)) ** 0.5)
    return bool(10_000.0 * left <= _ROUNDING * float(np.sqrt(values).sum()))


def expansion(real: MomentsAnswer, synthetic: MomentsAnswer) -> Expansion:
    """The Fréchet distance to second order in the two laws; both sides with a covariance (d, d).

    A real sample x adds 2 (mu_1 - mu_2).(x - mu_1) + (x - mu_1)' (I - T) (x - mu_1) - tr (I - T) S_1 with T the matrix
    that transports N(0, S_1) to N(0, S_2), T S_1 T = S_2; the synthetic side is the mirror image. For two samples of
    one Gaussian law with the eigenvalues l of its covariance the value is, to second order and in the eigenbasis,
    sum_i D_i^2 + sum_ij E_ij^2 / (2 (l_i + l_j)), D and E the differences of the means and covariances, all
    independent: expectation and variance of that are `bias` and `variance`.
    Source: Rippl, Munk & Sturm 2016, "Limit laws of the empirical Wasserstein distance: Gaussian distributions".
    """
    assert real.covariance is not None
    assert synthetic.covariance is not None
    scale = 1.0 / real.n + 1.0 / synthetic.n
    spectrum = np.maximum(np.linalg.eigvalsh((real.covariance + synthetic.covariance) / 2.0), 0.0)
    weights = _harmonic(spectrum)  # l_i l_j / (l_i + l_j); each pair i < j is counted twice in the sums
    return Expansion(
        partial(_influences, real, synthetic),
        bias=scale * float(spectrum.sum() + weights.sum() / 2.0 + np.trace(weights) / 2.0),
        variance=scale**2 * float(2.0 * (spectrum**2).sum() + (weights**2).sum() + np.trace(weights**2)),
        steepest=4.0 * scale * float(spectrum[-1]),
    )


def _influences(real: MomentsAnswer, synthetic: MomentsAnswer) -> dict[str, Quadratic]:
    assert real.covariance is not None
    assert synthetic.covariance is not None
    shift = _mean_difference(real, synthetic)
    there, back = transport(real.covariance, synthetic.covariance)
    return {
        "real": _influence(real.mean, shift, real.covariance, there),
        "synthetic": _influence(synthetic.mean, -shift, synthetic.covariance, back),
    }


def _influence(centre: Floats, shift: Floats, covariance: Floats, transported: Floats) -> Quadratic:
    matrix = np.eye(len(centre)) - transported
    return Quadratic(centre, 2.0 * shift, matrix, float(np.sum(matrix * covariance)))


def _harmonic(spectrum: Floats) -> Floats:
    total = spectrum[:, None] + spectrum
    return np.divide(np.outer(spectrum, spectrum), total, out=np.zeros_like(total), where=total > 0)


def transport(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """T with T a T = b and the same from b to a: a^(-1/2) (a^(1/2) b a^(1/2))^(1/2) a^(-1/2), symmetric.

    On the directions in which both have variance; in the others T is 0.
    """
    root, inverse = _roots(a)
    middle = root @ b @ root
    half, half_inverse = _roots((middle + middle.T) / 2.0)
    return np.asarray(inverse @ half @ inverse), np.asarray(root @ half_inverse @ root)


def _roots(matrix: Floats) -> tuple[Floats, Floats]:
    """Symmetric root and its pseudo-inverse of a positive semidefinite matrix."""
    values, vectors = np.linalg.eigh(matrix)
    noise = len(values) * np.finfo(np.float64).eps * max(float(values[-1]), 0.0)
    kept = values > noise
    root = np.sqrt(np.where(kept, values, 0.0))
    inverse = np.divide(1.0, root, out=np.zeros_like(root), where=kept)
    return (vectors * root) @ vectors.T, (vectors * inverse) @ vectors.T


def _factor(m: MomentsAnswer) -> Floats:
    """F of shape (d, r) with S = F F^T."""
    if m.centred is not None:
        return np.asarray(m.centred.T / np.sqrt(m.n - 1))
    assert m.covariance is not None
    varying = np.flatnonzero(np.diag(m.covariance) > 0.0)  # a constant column has a zero row in every factor
    part = m.covariance[np.ix_(varying, varying)]
    dense = _dense_factor(part) if len(varying) else part
    factor = np.zeros((len(m.covariance), dense.shape[1]))
    factor[varying] = dense
    return factor


def _dense_factor(covariance: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.cholesky(covariance))
    except np.linalg.LinAlgError:  # collinear columns: leave out the directions that hold only rounding
        lower, order, rank, _ = dpstrf(covariance, lower=1)  # with pivots; a tenth of the time of eigenvectors
        factor = np.empty((len(covariance), rank))
        factor[order - 1] = np.tril(lower)[:, :rank]
        return factor


def _trace(m: MomentsAnswer) -> float:
    if m.centred is not None:
        return float(np.einsum("ij,ij->", m.centred, m.centred)) / (m.n - 1)
    assert m.covariance is not None
    return float(np.trace(m.covariance))


def _mean_difference(a: MomentsAnswer, b: MomentsAnswer) -> Floats:
    difference = a.mean - b.mean
    if a.mean_low is not None and b.mean_low is not None:
        difference = difference + (a.mean_low - b.mean_low)
    return difference
