"""The Fréchet distance between the Gaussians that have the mean and covariance of each set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from truegrade.engine.needs import Answers, Floats, Moments, MomentsAnswer, Need
from truegrade.errors import notice
from truegrade.metrics.base import Metric, MetricInfo, Outcome, undefined

_ROUNDING = 1e-10  # of the trace: what may be missing below 0 and is clamped
_WELL_CONDITIONED = 1e-8  # smallest to largest eigenvalue of the product


@dataclass(frozen=True)
class FrechetDistance(Metric):
    """Fréchet distance FD = |mu_1 - mu_2|^2 + tr S_1 + tr S_2 - 2 tr (S_1 S_2)^(1/2).

    mu_1, S_1 mean and covariance (ddof 1) of the real samples (N, d), mu_2, S_2 of the synthetic samples (M,
    d). Range 0 to infinity, lower is better, unit: squared unit of the features. It is called FID only for
    features of the Inception network. For two samples of one law the value falls as c/n, so only values at
    the same sizes compare; read it beside its floor. Exact without a matrix root: the last trace is the
    nuclear norm of A^T B for any factors S_1 = A A^T, S_2 = B B^T; with at most d rows the centred rows are
    such factors.

    Undefined (never a number) should the value fall below 0 by more than rounding.
    Source: Heusel et al. 2017, "GANs trained by a two time-scale update rule", section 4, eq. 6;
    Dowson & Landau 1982.
    """

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

    def needs(self) -> tuple[Need, ...]:
        return (Moments("real"), Moments("synthetic"))

    def compute(self, answers: Answers) -> Outcome:
        real, synthetic = answers[Moments("real")], answers[Moments("synthetic")]
        shift = _mean_difference(real, synthetic)
        means = float(shift @ shift)
        traces = _trace(real) + _trace(synthetic)
        value = means + traces - 2.0 * cross_trace(real, synthetic)
        notes = tuple(
            notice("rank_deficient", n=m.n, d=answers.dimension)
            for m in (real, synthetic)
            if m.n <= answers.dimension
        )
        if value < -_ROUNDING * traces:
            return undefined(f"the distance came out at {value:.3g}, below 0 by more than rounding", notes)
        return Outcome(
            max(value, 0.0),
            details={
                "mean_part": means,
                "covariance_part": max(value - means, 0.0),
                "trace_real": _trace(real),
                "trace_synthetic": _trace(synthetic),
            },
            warnings=tuple(dict.fromkeys(notes)),
        )


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
    """Sum of the roots of the eigenvalues of L^T S_b L, S_a = L L^T; None if the roots lose digits."""
    assert a.covariance is not None
    assert b.covariance is not None
    try:
        lower = np.linalg.cholesky(a.covariance)
    except np.linalg.LinAlgError:
        return None
    values = np.linalg.eigvalsh(lower.T @ (b.covariance @ lower))
    if values[0] <= _WELL_CONDITIONED * values[-1]:
        return None
    return float(np.sqrt(values).sum())


def _factor(m: MomentsAnswer) -> Floats:
    """F of shape (d, r) with S = F F^T."""
    if m.centred is not None:
        return np.asarray(m.centred.T / np.sqrt(m.n - 1))
    assert m.covariance is not None
    varying = np.flatnonzero(np.diag(m.covariance) > 0.0)  # a constant column has a zero row in every factor
    part = m.covariance[np.ix_(varying, varying)]
    factor = np.zeros((len(m.covariance), len(varying)))
    factor[varying] = _dense_factor(part) if len(varying) else 0.0
    return factor


def _dense_factor(covariance: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.cholesky(covariance))
    except np.linalg.LinAlgError:  # collinear columns: leave out the directions that hold only rounding
        values, vectors = np.linalg.eigh(covariance)
        noise = len(values) * np.finfo(np.float64).eps * values[-1]
        return np.asarray(vectors * np.sqrt(np.where(values > noise, values, 0.0)))


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
