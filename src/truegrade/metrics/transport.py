"""The exact Wasserstein distance. The only file that uses POT, and only where the sets differ in size."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from math import gcd
from typing import Any, ClassVar

import numpy as np

from truegrade.engine.needs import Answers, Direct, Floats, Need
from truegrade.errors import InputError, MissingExtra, NotConverged, notice
from truegrade.metrics.assignment import assign
from truegrade.metrics.base import Influence, Metric, MetricInfo, Outcome, check_whole
from truegrade.metrics.drawing import drawn_rows
from truegrade.metrics.ground import common_frame, costs, paired_costs
from truegrade.metrics.line import merge, transport_lines
from truegrade.samples import Samples

ITERATIONS = 10**9  # of the network simplex; it ends by itself long before
_GAP = 1e-9  # of the cost, up to which the dual bound has to come
_ROUNDING = 1e-13  # of the largest cost: what the bound may lack beside


@dataclass(frozen=True)
class Wasserstein(Metric):
    """Wasserstein distance W_p, p = 1 (default) or 2: (least mean of |x - y|^p over all ways to match the sets)^(1/p).

    Real (N, d), synthetic (M, d), Euclidean ground distance, every sample of the same mass. Range 0 to infinity,
    lower is better, unit: that of the features. Exact: N = M is solved as an assignment, N != M by a network
    simplex (POT, extra `ot`), d = 1 by sorting; each optimum is proved by dual potentials to 1e-9 of the cost, else
    NotConverged is raised. Identical sets give exactly 0. per_sample: what moving each real (N,) and each synthetic
    (M,) sample costs, |x - y|^p; the mean of either is W_p^p, and the samples that lie far off stand out.

    It is biased upwards and slowly: W between two samples of one law falls only as n^(-1/d) for d > 2, so values
    compare at equal sizes alone, and the floor beside the value (real against real) says what a perfect model would
    get.

    The error is that of the linear part: the potentials f, g are what each sample adds, var f / N + var g / M. It
    concerns the EXPECTED value at these sizes, not the distance of the laws; by the Efron-Stein inequality it is on
    average not too small, at any size, and rather too large where the laws are equal.

    Memory: the N x M costs in float64 (200 MB for 5,000 x 5,000); the network simplex takes about ten times that. Above
    `most` samples on a side: mean over `subsets` random subsets of `subset_size` of each side that is larger (`seed`),
    with a note; such values compare only with values at these sizes, depend on the row order, and have no per_sample.

    Raises InputError for parameters out of range, MissingExtra without POT for N != M, NotConverged. Source:
    Villani 2009, "Optimal transport, old and new", chapter 6; as a score Xu et al. 2018, section 2; linear part: del
    Barrio & Loubes 2019.
    """

    p: int = 1
    most: int = 5000
    subsets: int = 3
    subset_size: int = 5000
    seed: int = 0

    info: ClassVar[MetricInfo] = MetricInfo(
        key="wasserstein",
        title="Wasserstein distance",
        family="distance",
        direction="lower",
        range=(0.0, float("inf")),
        identical=0.0,
        formula="(min over matchings of mean |x - y|^p)^(1/p), p = 1",
        reading="How far samples have to be moved on average; read it beside its floor, which is far from 0.",
        reference="villani2009",
        symmetric=True,
        invariances=frozenset({"order", "shift", "rotation"}),
    )

    def __post_init__(self) -> None:
        check_power(self.p)
        for name, low in (("most", 2), ("subsets", 1), ("subset_size", 2), ("seed", 0)):
            check_whole(name, getattr(self, name), low)

    def needs(self) -> tuple[Need, ...]:
        return (Direct(transports, ("real", "synthetic"), tuple(sorted(self.parameters().items()))),)

    def compute(self, answers: Answers) -> Outcome:
        found: tuple[Transport, ...] = answers[self.needs()[0]]
        values = np.array([t.cost ** (1.0 / self.p) for t in found])
        details: dict[str, float | int | str | None] = {"p": self.p, "relative_gap": max(t.gap for t in found)}
        if len(found) == 1 and len(found[0].real_cost) == answers.n_real:
            return self._whole(found[0], float(values[0]), details)
        n, m = len(found[0].real_cost), len(found[0].synthetic_cost)
        drawn = float(values.std(ddof=1)) if len(values) > 1 else 0.0
        parts = [_influence(t, self.p) for t in found]
        sampling = np.mean([_variance(part, answers.n_real, answers.n_synthetic) for part in parts])
        details |= {"subsets": len(found), "n_used": n, "m_used": m, "subset_sd": drawn}
        numbers = {"most": self.most, "subsets": len(found), "n": n, "m": m, "seed": self.seed}
        return Outcome(
            float(values.mean()),
            details=details,
            warnings=(notice("subset_mean", **numbers),),
            standard_error=float(np.sqrt(sampling + drawn**2 / len(values))),
        )

    def _whole(self, found: Transport, value: float, details: dict[str, float | int | str | None]) -> Outcome:
        return Outcome(
            value,
            per_sample={"real": found.real_cost, "synthetic": found.synthetic_cost},
            details=details,
            influence=Influence(_influence(found, self.p), 0.0) if value > 0.0 else None,
        )


def check_power(p: object) -> None:
    """Refuse what is neither 1 nor 2."""
    if isinstance(p, bool) or p not in (1, 2):
        raise InputError(f"p={p!r} given; 1 or 2 is accepted.")


def _influence(found: Transport, p: int) -> dict[str, Floats]:
    """What each sample adds to the root of the cost."""
    slope = found.cost ** (1.0 / p - 1.0) / p if found.cost > 0.0 else 0.0
    return {"real": found.real_potential * slope, "synthetic": found.synthetic_potential * slope}


def _variance(parts: dict[str, Floats], n: int, m: int) -> float:
    return float(parts["real"].var(ddof=1) / n + parts["synthetic"].var(ddof=1) / m)


# --- the optimum -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Transport:
    """The least mean cost |x - y|^p, what moving each sample costs, and dual potentials, each with mean 0.

    gap: how far the dual bound lies below the cost, as a share of it.
    """

    cost: float
    real_cost: Floats
    synthetic_cost: Floats
    real_potential: Floats
    synthetic_potential: Floats
    gap: float


def transports(
    real: Samples, synthetic: Samples, *, most: int, p: int, seed: int, subset_size: int, subsets: int
) -> tuple[Transport, ...]:
    """The exact transport of the whole sets, or above `most` samples of each of several random subsets."""
    if max(real.n, synthetic.n) <= most:
        return (transport(real.array().astype(np.float64), synthetic.array().astype(np.float64), p),)
    rng = np.random.default_rng(seed)
    draws = ([drawn_rows(side, subset_size, rng) for side in (real, synthetic)] for _ in range(subsets))
    return tuple(transport(x, y, p) for x, y in draws)


def transport(x: Floats, y: Floats, p: int) -> Transport:
    """The exact transport of x (n, d) to y (m, d); raises NotConverged if its optimality cannot be proved."""
    x, y, unit = common_frame(x, y)
    solve = _on_a_line if x.shape[1] == 1 else _assigned if len(x) == len(y) else _by_simplex
    found = solve(x, y, p)
    scale = unit**p
    return Transport(
        found.cost * scale,
        found.real_cost * scale,
        found.synthetic_cost * scale,
        found.real_potential * scale,
        found.synthetic_potential * scale,
        found.gap,
    )


def _on_a_line(x: Floats, y: Floats, p: int) -> Transport:
    found = transport_lines(x.T, y.T, p, merge(len(x), len(y)))
    parts = (found.real_cost, found.synthetic_cost, found.real_potential, found.synthetic_potential)
    return Transport(float(found.cost[0]), *parts, 0.0)


def _assigned(x: Floats, y: Floats, p: int) -> Transport:
    reduced = costs(x, y, p)
    largest = float(reduced.max())
    partner, potential = assign(reduced)
    del reduced
    moved = paired_costs(x, y[partner], p)
    back = np.empty_like(moved)
    back[partner] = moved
    return _proved(x, y, p, moved, back, potential, largest)


def _by_simplex(x: Floats, y: Floats, p: int) -> Transport:
    """With whole numbers as masses, so that the flows are whole numbers and proportional sets cost exactly 0."""
    n, m = len(x), len(y)
    ground = costs(x, y, p)
    common = gcd(n, m)
    flow, log = _network_simplex(np.full(n, m / common), np.full(m, n / common), ground)
    largest = float(ground.max())
    ground *= flow
    real_cost = ground.sum(1) / (m / common)
    synthetic_cost = ground.sum(0) / (n / common)
    del ground, flow
    return _proved(x, y, p, real_cost, synthetic_cost, np.asarray(log["v"]), largest)


def _network_simplex(a: Floats, b: Floats, ground: Floats) -> tuple[Floats, dict[str, Any]]:
    try:
        from ot.lp import emd
    except ImportError as error:
        sizes = f"{len(a)} real against {len(b)} synthetic samples"
        raise MissingExtra(
            f'The Wasserstein distance of {sizes} needs POT: pip install "truegrade[ot]". '
            "Or give as many synthetic as real samples."
        ) from error
    with warnings.catch_warnings(record=True):  # its status is read instead
        warnings.simplefilter("always")
        flow, log = emd(a, b, ground, numItermax=ITERATIONS, log=True)
    if log["warning"] is not None or log["result_code"] != 1:
        said = log["warning"] or f"status {log['result_code']}"
        raise NotConverged(f"The network simplex of POT did not reach the optimum: {said}")
    return flow, log


def _proved(
    x: Floats, y: Floats, p: int, real_cost: Floats, synthetic_cost: Floats, potential: Floats, largest: float
) -> Transport:
    """The transport, if the potentials of the synthetic side prove it: for any v and u_i = min_j (c_ij - v_j) no
    transport costs less than mean u + mean v (linear programming duality).
    """
    ground = costs(x, y, p)
    step = max(1, (1 << 20) // len(y))
    rows = range(0, len(x), step)
    other = np.concatenate([(ground[i : i + step] - potential).min(1) for i in rows])
    cost = float(real_cost.mean())
    missing = cost - float(other.mean() + potential.mean())
    if not missing <= _GAP * cost + _ROUNDING * largest:
        share = missing / cost if cost > 0.0 else float("inf")
        raise NotConverged(f"The best transport was not found: its cost is proved only to {share:.2g} of itself.")
    return Transport(
        cost,
        real_cost,
        synthetic_cost,
        other - other.mean(),
        potential - potential.mean(),
        max(missing, 0.0) / cost if cost > 0.0 else 0.0,
    )
