"""Does the model copy? Authenticity, and the copying test against held-out samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import Answers, Direct, Floats, Knn, Nearest, Need, Neighbours
from truegrade.errors import InputError, Notice, notice
from truegrade.metrics.base import (
    DISTANCE_INVARIANCES,
    Means,
    Metric,
    MetricInfo,
    Outcome,
    check_whole,
    undefined,
)
from truegrade.metrics.cells import kmeans_cells

# For fresh samples at most 2/3 are nearer to their real neighbour than that neighbour's own: the limit of a
# dense sample in one dimension; the share falls with the dimension.
_FRESH_AT_MOST = 2.0 / 3.0
_CLOSE_SHARE, _CLOSE_ERRORS = 0.02, 4.0


@dataclass(frozen=True)
class Authenticity(Metric):
    """Share of synthetic y_j with d(y_j, x*) > d(x*, nearest other real of x*), x* = nearest real of y_j.

    Real (N, d), synthetic (M, d). Range 0 to 1; a copy counts 0. The value for fresh samples of the same law
    depends on the dimension (about .40, .70 and .82 for Gaussians in 2, 16 and 64), so read it beside its
    baseline: with holdout=True the same share for the held-out real samples is the detail `baseline`. Ties
    count as not authentic. per_sample: 1 authentic, 0 not, for synthetic (M,).

    Details beside it: close, the share of y_j with d(y_j, x*) < half of d(x*, nearest other real of x*); such a
    sample is nearer to one training sample than to the midpoint of any two, which neither fresh samples in many
    dimensions nor samples that huddle in dense regions are. close_expected: the same share of the real samples,
    each against all others; close_error: the standard error of close, in which samples that share their x* count
    as few.

    Warnings: exact_copies (distance exactly 0); close_copies when close exceeds what is expected by more than 2
    percentage points and 4 standard errors; else near_copies when the value lies below the baseline by more than
    5 percentage points and 3 standard errors (near_copies_alone without a hold-out: below 1/3, which fresh samples
    exceed in every dimension); no_holdout. Raises InputError for fewer than 3 real samples. Source: Alaa et al.
    2022, "How faithful is your synthetic data?", the definition of authenticity; the close copies are ours.
    """

    holdout: bool = False

    info: ClassVar[MetricInfo] = MetricInfo(
        key="authenticity",
        title="Authenticity",
        family="copying",
        direction="higher",
        range=(0.0, 1.0),
        identical=0.0,
        formula="share of y with d(y, x*) > d(x*, NN of x* in X), x* = NN of y in X",
        reading="Near the value of fresh real samples is right; well below it are near copies.",
        reference="alaa2022",
        symmetric=False,
        default=True,
    )

    def needs(self) -> tuple[Need, ...]:
        fresh = (Nearest("holdout", "real", 1),) if self.holdout else ()
        return (Knn("real", 2), Nearest("synthetic", "real", 1), *fresh)

    def check_sizes(self, n_real: int, n_synthetic: int) -> None:
        if n_real < 3:
            raise InputError(f"{n_real} real samples given; at least 3 are needed to know how far apart they lie.")

    def compute(self, answers: Answers) -> Outcome:
        own = answers[Knn("real", 2)]
        nearest = answers[Nearest("synthetic", "real", 1)]
        authentic = _authentic(nearest, own)
        baseline = None
        if self.holdout:
            baseline = _authentic(answers[Nearest("holdout", "real", 1)], own)
        copies = int((nearest.squared[:, 0] == 0.0).sum())
        close = _close(nearest, own)
        means = Means((("synthetic", authentic),), float)
        return Outcome(
            means.value(),
            per_sample={"synthetic": authentic},
            details={
                "baseline": None if baseline is None else float(baseline.mean()),
                "exact_copies": copies,
                "close": close.share,
                "close_expected": close.expected,
                "close_error": close.error,
                "real_duplicates": int((own.squared[:, 0] == 0.0).sum()),
            },
            warnings=_copy_warnings(authentic, baseline, copies, close),
            means=means,
        )


def _authentic(nearest: Neighbours, own: Neighbours) -> Floats:
    """1 where a sample is farther from its nearest real x* than x* from its nearest other real sample."""
    return np.asarray(nearest.squared[:, 0] > own.squared[nearest.indices[:, 0], 0], np.float64)


@dataclass(frozen=True)
class _Close:
    """Share of close copies, the share to expect of fresh samples, and the standard error of the difference."""

    share: float
    expected: float
    error: float

    @property
    def many(self) -> bool:
        """Whether there are more than chance explains."""
        return self.share - self.expected > max(_CLOSE_SHARE, _CLOSE_ERRORS * self.error)


def _close(nearest: Neighbours, own: Neighbours) -> _Close:
    """Synthetic samples nearer to their x* than half its distance to its own nearest; and real ones, left out in turn.

    Samples around one x* stand or fall together: m of them count as (sum c)^2 / sum c^2, c how many each x* has.
    """
    partner = nearest.indices[:, 0]
    share = float((4.0 * nearest.squared[:, 0] < own.squared[partner, 0]).mean())
    n, left_out = len(own.indices), own.indices[:, 0]
    mutual = own.indices[left_out, 0] == np.arange(n)
    others = np.where(mutual, own.squared[left_out, 1], own.squared[left_out, 0])
    expected = float((4.0 * own.squared[:, 0] < others).mean())
    counts = np.bincount(partner, minlength=n).astype(np.float64)
    independent = float(counts.sum() ** 2 / (counts @ counts))
    chance = min(max(expected, 1.0 / n), 1.0 - 1.0 / n)
    error = (chance * (1.0 - chance) * (1.0 / independent + 1.0 / n)) ** 0.5
    return _Close(share, expected, error)


def _copy_warnings(
    authentic: Floats, baseline: Floats | None, copies: int, close: _Close
) -> tuple[Notice, ...]:
    notes = []
    m, near = len(authentic), 1.0 - float(authentic.mean())
    if copies:
        notes.append(notice("exact_copies", count=copies, m=m))
    expected = _FRESH_AT_MOST if baseline is None else 1.0 - float(baseline.mean())
    noise = expected * (1.0 - expected) * (1.0 / m + (0.0 if baseline is None else 1.0 / len(baseline)))
    if close.many:
        notes.append(notice("close_copies", share=close.share, expected=close.expected))
    elif near - expected > max(0.05, 3.0 * noise**0.5):
        code = "near_copies_alone" if baseline is None else "near_copies"
        notes.append(notice(code, share=near, expected=expected))
    if baseline is None:
        notes.append(notice("no_holdout"))
    return tuple(notes)


@dataclass(frozen=True)
class CopyingTest(Metric):
    """The copying test C_T: are synthetic samples nearer to the training set than held-out samples are?

    Training (real) samples T are split into `cells` k-means cells. In each cell, Z is the Mann-Whitney
    statistic of the distances to the nearest training sample: U = #{synthetic farther than held-out} + half
    the ties, Z = (U - n m / 2) / sqrt(var U), ranks averaged and the variance corrected for ties, no
    continuity correction. C_T = sum of P(cell) Z over the cells with at least `min_synthetic` synthetic
    samples, P the share of held-out samples, divided by the sum of these P. Distances are those to the whole
    training set.

    Range unbounded, target 0; well below 0 (-3 and less) means copying, well above 0 underfitting. Details: Z
    and weight of each cell, and the standard error, which is that of C_T for a model that does not copy,
    sqrt(sum of squared weights). Undefined when no cell has enough samples. Cells are seeded and do not
    depend on the order of the rows. per_sample: distances to training, synthetic (M,).

    Raises InputError for parameters out of range or fewer training samples than cells.
    Source: Meehan, Chaudhuri & Dasgupta 2020, "A non-parametric test to detect data-copying in generative
    models", section 3 (Z_U and C_T), with tau = min_synthetic / M.
    """

    cells: int = 3
    min_synthetic: int = 20
    seed: int = 0

    info: ClassVar[MetricInfo] = MetricInfo(
        key="copying_test",
        title="Copying test C_T",
        family="copying",
        direction="target",
        range=(float("-inf"), float("inf")),
        identical=None,
        formula="mean over cells of the Mann-Whitney z of distances to training, synthetic against held-out",
        reading="Between -3 and 3 no copying is seen; below -3 the model copies; above 3 it is too far away.",
        reference="meehan2020",
        symmetric=False,
        invariances=DISTANCE_INVARIANCES,
        target=0.0,
        needs_holdout=True,
    )

    def __post_init__(self) -> None:
        check_whole("cells", self.cells, 1)
        check_whole("min_synthetic", self.min_synthetic, 1)
        check_whole("seed", self.seed, 0)

    def check_sizes(self, n_real: int, n_synthetic: int) -> None:
        if self.cells > n_real:
            raise InputError(
                f"cells={self.cells} given for {n_real} real samples; 1 to {n_real} is accepted."
            )

    def _cells(self) -> Direct:
        parameters = (("cells", self.cells), ("seed", self.seed))
        return Direct(kmeans_cells, ("real", "synthetic", "holdout"), parameters)

    def needs(self) -> tuple[Need, ...]:
        return (Nearest("synthetic", "real", 1), Nearest("holdout", "real", 1), self._cells())

    def compute(self, answers: Answers) -> Outcome:
        distances = answers[Nearest("synthetic", "real", 1)].squared[:, 0]
        fresh = answers[Nearest("holdout", "real", 1)].squared[:, 0]
        cell_of, cell_of_fresh = answers[self._cells()]
        z, share, used = self._by_cell(distances, fresh, cell_of, cell_of_fresh)
        if not used.any():
            return undefined(
                f"no cell holds {self.min_synthetic} synthetic samples and a held-out sample; "
                "use fewer cells or a smaller min_synthetic"
            )
        weights = np.where(used, share, 0.0) / share[used].sum()
        left_out = int((~used).sum())
        note = notice("cells_left_out", count=left_out, cells=self.cells, share=float(share[used].sum()))
        details: dict[str, float | int | str | None] = {"n_holdout": len(fresh)}
        for c in range(self.cells):
            details[f"z_{c}"] = float(z[c]) if used[c] else None
            details[f"weight_{c}"] = float(weights[c])
        return Outcome(
            float(weights @ z),
            per_sample={"synthetic": np.sqrt(distances)},
            details=details,
            warnings=(note,) if left_out else (),
            standard_error=float(np.sqrt(weights @ weights)),
        )

    def _by_cell(
        self, distances: Floats, fresh: Floats, cell_of: NDArray[np.intp], cell_of_fresh: NDArray[np.intp]
    ) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        z, share = np.zeros(self.cells), np.zeros(self.cells)
        used = np.zeros(self.cells, bool)
        for c in range(self.cells):
            a, b = distances[cell_of == c], fresh[cell_of_fresh == c]
            share[c] = len(b) / len(fresh)
            used[c] = len(a) >= self.min_synthetic and len(b) > 0
            z[c] = mann_whitney_z(a, b) if used[c] else 0.0
        return z, share, used


def mann_whitney_z(a: Floats, b: Floats) -> float:
    """z of U = #{a_i > b_j} + half the ties, variance corrected for ties; 0 if all values are equal."""
    n, m = len(a), len(b)
    _, which, counts = np.unique(np.concatenate([a, b]), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2.0)[which]  # of tied values their mean
    u = float(ranks[:n].sum()) - n * (n + 1) / 2.0
    counts = counts.astype(np.float64)
    total = n + m
    ties = float((counts**3 - counts).sum()) / (total * (total - 1))
    variance = n * m / 12.0 * ((total + 1) - ties)
    return (u - n * m / 2.0) / float(np.sqrt(variance)) if variance > 0.0 else 0.0
