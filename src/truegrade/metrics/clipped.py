"""Clipped density and clipped coverage: shares of good samples, calibrated, not swayed by outliers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import Answers, BallCounts, Knn, Need, OwnBallCounts
from truegrade.errors import Notice, notice
from truegrade.metrics.balls import Compat, check_compat, zero_radius_notices
from truegrade.metrics.base import Means, Metric, MetricInfo, Outcome, check_k, check_k_fits
from truegrade.metrics.placements import expected_hits, expected_minimum

_CONTRACTED = 1.2
_BLIND = (
    "It cannot see modes shrunk to their centres, contraction in many dimensions or copies of the real "
    "samples: read it with symmetric_precision, symmetric_recall, the 1-NN test (nn_two_sample) and the "
    "copy check (authenticity)."
)


@dataclass(frozen=True, kw_only=True)
class _Clipped(Metric):
    """The parameters of the pair: both read the k-neighbour balls of the real samples."""

    k: int = 5
    compat: Compat | None = None

    def __post_init__(self) -> None:
        check_k(self.k)
        check_compat(self.compat)

    def check_sizes(self, n_real: int, n_synthetic: int) -> None:
        check_k_fits(self.k, n_real, "real")


@dataclass(frozen=True, kw_only=True)
class ClippedDensity(_Clipped):
    """Share of good samples, by how densely real samples surround the synthetic ones, clipped and calibrated.

    R_i = min(r_i, median of all r);  c_j = min(1, #{ i : d(x_i, y_j) <= R_i } / k) for each synthetic sample;
    b_l = min(1, #{ i != l : d(x_i, x_l) <= R_i } / k) for each real sample;
    raw = mean_j c_j / mean_l b_l;  value = min(raw, 1).
    Real (n, d), synthetic (m, d). Range [0, 1], higher is better. Per sample: c_j for each synthetic sample.
    A raw ratio above 1.2 is contraction, not quality, and is warned about. Balls are closed: exact copies are
    inside even a ball of radius 0, so identical sets always get 1; mean_l b_l is positive for any data,
    because every ball that is not clipped holds its own k neighbours.

    compat="official" builds b_l from the k listed neighbours only, as the published code does: equal to the
    formula on continuous data, but it saturates when distances are tied.

    Raises InputError for k < 1, an unknown compat, and k >= n.
    Source: Salvy et al. 2025 (definition of Clipped Density).
    """

    info: ClassVar[MetricInfo] = MetricInfo(
        key="clipped_density",
        title="Clipped density",
        family="fidelity",
        direction="higher",
        range=(0.0, 1.0),
        identical=1.0,
        target=1.0,
        formula="mean_j min(1, #{i : d(x_i, y_j) <= R_i}/k) / the same of real in real, at most 1",
        reading="Reads as the share of synthetic samples that are realistic. " + _BLIND,
        reference="salvy2025",
        symmetric=False,
        default=True,
    )

    def needs(self) -> tuple[Need, ...]:
        own: Need = OwnBallCounts("real", self.k, clip=True)
        balls = BallCounts("real", "synthetic", self.k, clip=True)
        return (balls, own) if self.compat is None else (balls, own, Knn("real", self.k))

    def compute(self, answers: Answers) -> Outcome:
        balls = answers[BallCounts("real", "synthetic", self.k, clip=True)]
        own = answers[OwnBallCounts("real", self.k, clip=True)].per_point_closed
        if self.compat == "official":
            own = _listed_own_counts(answers, self.k, balls.radii)
        graded, reference = (np.minimum(c, self.k) / self.k for c in (balls.per_point_closed, own))
        means = Means((("synthetic", graded), ("real", reference)), _capped_ratio)
        raw = _ratio(float(graded.mean()), float(reference.mean()))
        notices = (notice("clipped_pair"), *zero_radius_notices(balls.radii, "real", self.k))
        if raw > _CONTRACTED:
            notices += (notice("contraction", raw=raw),)
        return Outcome(
            min(raw, 1.0),
            raw=raw,
            per_sample={"synthetic": graded},
            details={"unnormalised": float(graded.mean()), "normaliser": float(reference.mean())},
            warnings=notices,
            means=means,
        )


def _listed_own_counts(answers: Answers, k: int, clipped: NDArray[Any]) -> NDArray[Any]:
    """For each real sample, how many others list it among their k neighbours within their clipped radius."""
    listed = answers[Knn("real", k)]
    within = listed.distances <= clipped[:, None]
    return np.bincount(listed.indices[within], minlength=len(clipped))


def _ratio(a: float, b: float) -> float:
    """a / b; for a resample without any real neighbours (b = 0) fully good if a > 0."""
    return a / b if b > 0 else float(a > 0)


def _capped_ratio(a: float, b: float) -> float:
    return min(_ratio(a, b), 1.0)


@dataclass(frozen=True, kw_only=True)
class ClippedCoverage(_Clipped):
    """Share of good samples, by how well the balls of the real samples are filled, calibrated in closed form.

    y = mean_i min(1, #{ j : d(x_i, y_j) <= r_i } / k), radii not clipped;  value = g(y), where g inverts the
    expected y of m' good samples: g(f(m')) = m' / M, linear between. f(m') = E[min(J, k)] / k, J ~
    BetaBinomial(m', k, N - k). Real (n, d), synthetic (m, d). Range [0, 1], higher is better. Raw: the line
    continued beyond f(M). Per sample: each real sample's term of y.

    Tied distances: synthetic and real samples at exactly r_i come in random order, and the term is the exact
    mean over all orders. Equal to the plain count on continuous data; with every sample the same point on
    both sides y = f(M) and the value 1.

    compat="official" gives the published code's number: the plain closed count, the first table entry that is
    not below y (entries below m' = k set to 0), its position divided by M + 1.

    The value is biased low for one law (.976 on average at n = m = 1000) because it is clipped at 1; it is
    ill-conditioned for m much larger than n, which is warned about.

    Raises InputError for k < 1, an unknown compat, and k >= n.
    Source: Salvy et al. 2025 (definition of Clipped Coverage); closed form and ties are ours.
    """

    info: ClassVar[MetricInfo] = MetricInfo(
        key="clipped_coverage",
        title="Clipped coverage",
        family="coverage",
        direction="higher",
        range=(0.0, 1.0),
        identical=1.0,
        target=1.0,
        formula="g(mean_i min(1, #{j : d(x_i, y_j) <= r_i}/k)), g(f(m)) = m/M",
        reading="Reads as the share of synthetic samples that help to cover the real ones. " + _BLIND,
        reference="salvy2025",
        symmetric=False,
        default=True,
    )

    def needs(self) -> tuple[Need, ...]:
        return (BallCounts("real", "synthetic", self.k), Knn("real", self.k))

    def compute(self, answers: Answers) -> Outcome:
        balls, known = answers[BallCounts("real", "synthetic", self.k)], answers[Knn("real", self.k)]
        table, increments = expected_hits(answers.n_real, answers.n_synthetic, self.k)
        if self.compat == "official":
            counts = np.minimum(balls.per_centre_closed, self.k).astype(np.float64)
            combine = partial(_position, table=table, k=self.k, n=answers.n_real)
        else:
            inside = known.strictly_inside
            counts = expected_minimum(
                balls.per_centre_strict,
                known.at_radius,
                self.k - inside,
                balls.per_centre_closed - balls.per_centre_strict,
                self.k,
            )
            combine = partial(_capped_share, table=table, increments=increments, k=self.k)
        means, mean = Means((("real", counts),), combine), float(counts.mean())
        slope = _top_slope(increments)
        return Outcome(
            means.value(),
            raw=_share_of_good(mean / self.k, table, increments),
            per_sample={"real": counts / self.k},
            details={
                "unnormalised": mean / self.k,
                "expected_of_one_law": float(table[-1]),
                "slope_at_top": slope,
            },
            warnings=self._notices(answers, balls.radii, slope),
            means=means,
        )

    def _notices(self, answers: Answers, radii: NDArray[Any], slope: float) -> tuple[Notice, ...]:
        notices = (notice("clipped_pair"), *zero_radius_notices(radii, "real", self.k))
        n, m = answers.n_real, answers.n_synthetic
        return notices if m <= 2 * n else (*notices, notice("ill_conditioned", n=n, m=m, slope=slope))


def _share_of_good(y: float, table: NDArray[Any], increments: NDArray[Any]) -> float:
    """g(y): the share m / M whose expectation is y, linear between entries and beyond the last."""
    m = len(table) - 1
    if y <= table[-1]:
        return float(np.interp(y, table, np.arange(m + 1) / m))
    return float(1.0 + (y - table[-1]) * _top_slope(increments))


def _top_slope(increments: NDArray[Any]) -> float:
    """Slope of g just below its upper end (0 in the extreme where the last step underflows)."""
    step, m = float(increments[-2]), len(increments) - 1
    return 1.0 / (m * step) if m * step > 1e-300 else 0.0


def _capped_share(mean: float, *, table: NDArray[Any], increments: NDArray[Any], k: int) -> float:
    return min(_share_of_good(mean / k, table, increments), 1.0)


def _position(mean: float, *, table: NDArray[Any], k: int, n: int) -> float:
    """The published code's reading of the table; the total is an integer, so equality with i / n is exact."""
    y = round(mean * n) / (k * n)
    entries = np.where(np.arange(len(table)) < k, 0.0, table)
    return int(np.searchsorted(entries, y, side="left")) / len(table)
