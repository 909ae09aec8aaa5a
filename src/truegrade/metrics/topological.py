"""Topological precision and recall: supports of kernel densities at a bootstrap confidence level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import Answers, Direct, Floats, Need
from truegrade.errors import InputError
from truegrade.metrics.base import (
    DISTANCE_INVARIANCES,
    Metric,
    MetricInfo,
    Outcome,
    check_number,
    check_whole,
    undefined,
)
from truegrade.metrics.distances import squared_tiles
from truegrade.metrics.ordered import mean_row, ordered_rows
from truegrade.samples import Samples

_PROJECTED = 32  # features that more are projected to
_BLOCK = 64  # rows whose distances to later ones are looked at together
_NEIGHBOURS = 5  # times the number of features: the neighbour that the bandwidth reaches


@dataclass(frozen=True)
class Supports:
    """Of one projection and bootstrap: who lies where.

    real, synthetic: of the samples in the support of their own side, which lie in that of the other side too.
    own_real, own_synthetic: share of a side's samples in its own support. width_real, width_synthetic: bandwidths.
    """

    real: NDArray[np.bool_]
    synthetic: NDArray[np.bool_]
    own_real: float
    own_synthetic: float
    width_real: float
    width_synthetic: float

    @property
    def recall(self) -> float | None:
        """None where the support holds no real sample."""
        return float(self.real.mean()) if len(self.real) else None

    @property
    def precision(self) -> float | None:
        """None where the support holds no synthetic sample."""
        return float(self.synthetic.mean()) if len(self.synthetic) else None


def supports(
    real: Samples, synthetic: Samples, *, alpha: float, bootstraps: int, most: int, repeats: int, seed: int
) -> tuple[Supports, ...]:
    """One record for each of the seeds seed .. seed + repeats - 1, on at most `most` rows of a side."""
    middle = (mean_row(real) + mean_row(synthetic)) / 2.0
    x, y = (ordered_rows(side, middle, most) for side in (real, synthetic))
    return tuple(_compare(x, y, s, alpha, bootstraps) for s in range(seed, seed + repeats))


def projected(rows: Floats, seed: int) -> Floats:
    """Rows (n, d) with more than 32 features on 32 random directions, of variance 2 / (d + 32) a feature."""
    d = rows.shape[1]
    if d <= _PROJECTED:
        return rows
    spread = np.sqrt(2.0 / (d + _PROJECTED))
    return np.asarray(rows @ np.random.default_rng(seed).normal(0.0, spread, (d, _PROJECTED)))


def _compare(x: Floats, y: Floats, seed: int, alpha: float, bootstraps: int) -> Supports:
    x, y = (_shuffled(projected(rows, seed), seed) for rows in (x, y))
    own_x, own_y = (_own_density(rows, seed, alpha, bootstraps) for rows in (x, y))  # equal sets: equal supports
    x_in_y, y_in_x = _across(x, y, own_x.width, own_y.width)
    held_x, held_y = own_x.above(own_x.at_rows), own_y.above(own_y.at_rows)
    inside = own_y.above(x_in_y[held_x]), own_x.above(y_in_x[held_y])
    return Supports(*inside, float(held_x.mean()), float(held_y.mean()), own_x.width, own_y.width)


def _shuffled(rows: Floats, seed: int) -> Floats:
    return rows[np.random.default_rng([seed, 1]).permutation(len(rows))]


@dataclass(frozen=True)
class _Density:
    """A side's density at its own rows (n,), the bandwidth, and the half-width of the confidence band."""

    at_rows: Floats
    width: float
    limit: float

    def above(self, densities: Floats) -> NDArray[np.bool_]:
        """Which points with these densities lie in the support; rounding does not make a tie larger."""
        return np.asarray(densities > self.limit * (1.0 + 1e-9))


def neighbours(n: int, d: int) -> int:
    """Which neighbour of n rows with d features the bandwidth reaches: the (5 d)-th, at most every second one."""
    return max(1, min(_NEIGHBOURS * d, n // 2))


def bandwidth(rows: Floats) -> float:
    """The median distance of a row (n, d) to its k-th nearest later row, of rows with k later ones; k = 5 d."""
    n, k = len(rows), neighbours(*rows.shape)
    found = []
    for start in range(0, n - k, _BLOCK):
        block = rows[start : min(start + _BLOCK, n - k)]
        squared = np.concatenate([tile for _, tile in squared_tiles(block, rows[start:])])
        squared[np.tri(*squared.shape) > 0.0] = np.inf  # the row itself and those before it
        found.append(np.partition(squared, k - 1, axis=1)[:, k - 1])
    reached = np.sort(np.concatenate(found))
    return float(np.sqrt(reached[max(0, len(reached) // 2 - 1)]))


def _own_density(rows: Floats, seed: int, alpha: float, bootstraps: int) -> _Density:
    """The band's half-width is the (1 - alpha)-quantile over bootstraps of the largest change at a row."""
    n, width = len(rows), bandwidth(rows)
    drawn = np.random.default_rng([seed, 2]).multinomial(n, np.full(n, 1.0 / n), size=bootstraps)
    weights = np.concatenate([np.ones((1, n)), drawn]).T / n
    found = np.empty((n, bootstraps + 1))
    for part, squared in squared_tiles(rows, rows):
        found[part] = kernel(squared, width) @ weights
    density = found[:, 0]
    changes = np.abs(found[:, 1:] - density[:, None]).max(0)
    return _Density(density, width, float(np.quantile(changes, 1.0 - alpha)))


def _across(x: Floats, y: Floats, width_x: float, width_y: float) -> tuple[Floats, Floats]:
    """The density of y at the rows of x, and of x at the rows of y."""
    x_in_y, y_in_x = np.empty(len(x)), np.zeros(len(y))
    for part, squared in squared_tiles(x, y):
        x_in_y[part] = kernel(squared, width_y).mean(1)
        y_in_x += kernel(squared, width_x).sum(0)
    return x_in_y, y_in_x / len(x)


def kernel(squared: Floats, width: float) -> Floats:
    """cos(pi / 2 * distance / width) within the width, else 0: the kernel density but for a factor that cancels.

    With the width 0 (the limit of small ones) it is 1 where the distance is 0.
    """
    out = np.zeros(squared.size)
    inside = np.flatnonzero(squared <= width * width)
    near = squared.ravel()[inside]
    out[inside] = np.cos(np.sqrt(near) * (0.5 * np.pi / width)) if width > 0.0 else 1.0
    return out.reshape(squared.shape)


_NO_INTERVAL = (
    "the band of a density is set by few samples, so that the value scatters about as much in half of them as in all, "
    "and parts of the samples do not show its error; see its spread over seeds, or repeat it with further sets"
)


@dataclass(frozen=True)
class _Topological(Metric):
    """What both share."""

    alpha: float = 0.1
    bootstraps: int = 50
    repeats: int = 5
    most: int = 4000
    seed: int = 0

    def __post_init__(self) -> None:
        check_number("alpha", self.alpha, lambda alpha: 0.0 < alpha < 1.0, "a number between 0 and 1")
        check_whole("bootstraps", self.bootstraps, 1)
        check_whole("repeats", self.repeats, 1)
        check_whole("most", self.most, 4)
        check_whole("seed", self.seed, 0)

    def check_sizes(self, n_real: int, n_synthetic: int) -> None:
        if min(n_real, n_synthetic) < 4:
            raise InputError(
                f"{n_real} real and {n_synthetic} synthetic samples given; at least 4 on a side are needed to "
                "estimate a density."
            )

    def needs(self) -> tuple[Need, ...]:
        names = ("alpha", "bootstraps", "most", "repeats", "seed")
        return (Direct(supports, ("real", "synthetic"), tuple((name, getattr(self, name)) for name in names)),)

    def _outcome(self, answers: Answers, side: str) -> Outcome:
        found: tuple[Supports, ...] = answers[self.needs()[0]]
        precisions = [s.precision for s in found if s.precision is not None]
        recalls = [s.recall for s in found if s.recall is not None]
        values = precisions if side == "synthetic" else recalls
        if len(values) < len(found):
            return undefined(f"no {side} sample lies where the {side} density is above its confidence band; give more")
        f = None
        if precisions and recalls:
            p, r = float(np.mean(precisions)), float(np.mean(recalls))
            f = 2.0 * p * r / (p + r) if p + r > 0.0 else 0.0
        value = float(np.mean(values))
        return Outcome(
            value,
            influence=_NO_INTERVAL,
            details={
                "f": f,
                "sd_over_seeds": float(np.std(values, ddof=1)) if len(values) > 1 else None,
                "lowest_of_seeds": min(values),
                "highest_of_seeds": max(values),
                "real_in_own_support": float(np.mean([s.own_real for s in found])),
                "synthetic_in_own_support": float(np.mean([s.own_synthetic for s in found])),
                "bandwidth_real": float(np.mean([s.width_real for s in found])),
                "bandwidth_synthetic": float(np.mean([s.width_synthetic for s in found])),
            },
        )


@dataclass(frozen=True)
class TopPrecision(_Topological):
    """Topological precision: of the synthetic samples in their own support, the share in the real support.

    Real samples (N, d) and synthetic ones (M, d) with more than 32 features are projected on 32 random directions.
    Each side's density is p(x) = mean over its samples of cos(pi/2 |x - x_i| / h) within h (times a constant, which
    cancels); its support is where p > c. c is the (1 - alpha)-quantile over bootstraps of the largest change of p at a
    sample of the side. h: with the rows in random order, the median distance of a row to its k-th nearest later row,
    k = 5 d (d after the projection), over rows with k later ones. Range 0 to 1, higher is better. What lies in no
    dense place, outliers of either side included, does not count at all.

    Everything random (projection, order, bootstrap) is drawn from the seed, for rows in an order that only depends on
    their values, the same for both sides: order does not matter and equal sets get 1. The value is the mean over
    `repeats` seeds. Details: sd_over_seeds, lowest_of_seeds and highest_of_seeds tell how much one draw differs from
    another; f, the harmonic mean of both values; the share of each side in its own support; bandwidths. There is no
    interval: sub-sampled ones were a third too narrow.

    Ours: 50 bootstraps (published 10); the same bandwidth in 1 to 3 features (published: by persistent homology);
    k at most half of the samples; at most `most` samples of a side, evenly spaced by their distance to the middle.
    With more than 32 features a rotation changes the projection, and so the value within its spread over seeds.

    Undefined when no synthetic sample lies in the own support. Raises InputError for parameters out of range and
    fewer than 4 samples on a side. Source: Kim et al. 2023, "TopP&R: robust support estimation approach for evaluating
    fidelity and diversity in generative models", and its published code (top-pr 0.2.1).
    """

    info: ClassVar[MetricInfo] = MetricInfo(
        key="top_precision",
        title="Topological precision",
        family="fidelity",
        direction="higher",
        range=(0.0, 1.0),
        identical=1.0,
        formula="#{j: p(y_j) > c_X and q(y_j) > c_Y} / #{j: q(y_j) > c_Y}, p, q kernel densities, c their bands",
        reading="Near 1: where synthetic samples are dense, real ones are too; scattered samples do not count.",
        reference="kim2023",
        symmetric=False,
        invariances=DISTANCE_INVARIANCES,
    )

    def compute(self, answers: Answers) -> Outcome:
        return self._outcome(answers, "synthetic")


@dataclass(frozen=True)
class TopRecall(_Topological):
    """Topological recall: of the real samples in their own support, the share in the synthetic support.

    As topological precision with the roles of real (N, d) and synthetic (M, d) samples swapped. Range 0 to 1, higher
    is better.

    Undefined when no real sample lies in the own support. Raises InputError for parameters out of range and fewer than
    4 samples on a side. Source: Kim et al. 2023, "TopP&R: robust support estimation approach for evaluating fidelity
    and diversity in generative models", and its published code (top-pr 0.2.1).
    """

    info: ClassVar[MetricInfo] = MetricInfo(
        key="top_recall",
        title="Topological recall",
        family="coverage",
        direction="higher",
        range=(0.0, 1.0),
        identical=1.0,
        formula="#{i: q(x_i) > c_Y and p(x_i) > c_X} / #{i: p(x_i) > c_X}, p, q kernel densities, c their bands",
        reading="Near 1: where real samples are dense, synthetic ones are too; scattered samples do not count.",
        reference="kim2023",
        symmetric=False,
        invariances=DISTANCE_INVARIANCES,
    )

    def compute(self, answers: Answers) -> Outcome:
        return self._outcome(answers, "real")
