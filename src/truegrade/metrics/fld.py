"""Feature likelihood divergence: how likely held-out samples are under a mixture about the synthetic ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import Answers, Direct, Floats, Need
from truegrade.errors import InputError
from truegrade.metrics.base import Metric, MetricInfo, Outcome, check_whole
from truegrade.metrics.distances import squared_tiles
from truegrade.metrics.ordered import mean_row, ordered_rows
from truegrade.samples import Samples

_RATE, _STEPS = 0.5, 50  # of the gradient ascent, as published
_MEMORY, _MEMORY_SQUARED, _TINY = 0.9, 0.999, 1e-8  # Adam's usual ones
_SHORTER = 0.9  # distances to the mean shrink to this in the base likelihood
_BESIDE = 1e-3  # added to the squared distance that a variance starts from
_LOWEST, _HIGHEST = -40.0, 20.0  # logarithms of variances
_POINT = -20.0  # below it a Gaussian is a point: its deviation is under 5e-5 of that of the feature
_HELD = 20_000_000  # distances kept in memory; more are computed anew in each step
_FARTHEST, _LEAST = 1e20, np.float32(-80.0)  # a squared distance and an exponent that single precision holds
_COPIES = (
    "every sample is a copy of one that the mixture is fitted to: variances fall with each step of the fit, so that "
    "the value says that all are copies and nothing by its size"
)
Singles = NDArray[np.float32]


@dataclass(frozen=True)
class Mixture:
    """Equally weighted isotropic Gaussians: centres (m, d) and the logarithms of their variances (m,)."""

    centres: Floats
    log_variances: Floats

    def log_likelihoods(self, rows: Floats) -> Floats:
        """log of the density at each row, (n,)."""
        m, d = self.centres.shape
        falls, tops = 0.5 * np.exp(-self.log_variances), -0.5 * d * self.log_variances
        out = np.empty(len(rows))
        for part, squared in squared_tiles(rows, self.centres):
            each = tops - squared * falls
            most = each.max(1)
            out[part] = most + np.log(np.exp(each - most[:, None]).sum(1))
        return np.asarray(out - np.log(m) - 0.5 * d * np.log(2.0 * np.pi))

    @property
    def collapsed(self) -> bool:
        """Whether every variance is far below what separates samples, and falls for as long as the fit goes on."""
        return bool(self.log_variances.max() < _POINT)

    def loss(self, rows: Floats) -> float:
        """Mean negative log-likelihood a feature, in hundredths."""
        return -100.0 * float(self.log_likelihoods(rows).mean()) / int(rows.shape[1])


def fit_mixture(centres: Floats, rows: Floats) -> Mixture:
    """The variances that make `rows` (n, d) likely, after 50 steps of Adam on their logarithms.

    What is maximised is the mean of log(mixture(x) + base(x)); base is a Gaussian about the mean of the rows, as if x
    lay at 0.9 of its distance, with a variance of its own. It lets go of rows that no centre is near to. Gradients are
    in single precision (as published), which takes a third of the time.
    """
    n, d = rows.shape
    held = list(_single_tiles(rows, centres)) if n * len(centres) <= _HELD else None
    nearest = np.full(len(centres), np.inf)
    for _, exact in squared_tiles(rows, centres):
        np.minimum(nearest, exact.min(0), out=nearest)
    away = _single(_SHORTER**2 * np.square(rows - rows.mean(0)).sum(1))

    def gradient(logs: Floats) -> Floats:
        parts = held or _single_tiles(rows, centres)
        total = sum((_gradient(squared, away[part], logs, d) for part, squared in parts), np.zeros_like(logs))
        return np.asarray(total / (n * d))

    start = np.append(np.log((nearest + _BESIDE) / d), 0.0)  # the last is that of the base
    return Mixture(centres, _climb(start, gradient)[:-1])


def _climb(logs: Floats, gradient: Callable[[Floats], Floats]) -> Floats:
    """50 steps of Adam uphill; all but the last number are kept within bounds."""
    first, second = np.zeros_like(logs), np.zeros_like(logs)
    for step in range(1, _STEPS + 1):
        found = gradient(logs)
        first = _MEMORY * first + (1.0 - _MEMORY) * found
        second = _MEMORY_SQUARED * second + (1.0 - _MEMORY_SQUARED) * found**2
        size = np.sqrt(second / (1.0 - _MEMORY_SQUARED**step)) + _TINY
        logs = logs + _RATE * (first / (1.0 - _MEMORY**step)) / size
        logs[:-1] = np.clip(logs[:-1], _LOWEST, _HIGHEST)
    return logs


def _single(values: Floats) -> Singles:
    return np.minimum(values, _FARTHEST).astype(np.float32)


def _single_tiles(rows: Floats, centres: Floats) -> Iterator[tuple[slice, Singles]]:
    return ((part, _single(squared)) for part, squared in squared_tiles(rows, centres))


def _gradient(squared: Singles, away: Singles, logs: Floats, d: int) -> Floats:
    """Of the sum over some rows of log(mixture + base), by the logarithms of the variances, (m + 1,).

    It is the sum over rows of r (squared / (2 variance) - d / 2), r the share of the component in the density there.
    """
    falls, tops = 0.5 * np.exp(-logs), -0.5 * d * logs
    tops[:-1] -= np.log(len(logs) - 1)
    each = squared * -falls[:-1].astype(np.float32)
    each += tops[:-1].astype(np.float32)
    base = (tops[-1] - away * falls[-1]).astype(np.float32)
    most = np.maximum(each.max(1), base)
    each -= most[:, None]
    np.maximum(each, _LEAST, out=each)  # what is smaller is slow and does not count
    np.exp(each, out=each)
    base = np.exp(np.maximum(base - most, _LEAST))
    one = 1.0 / (each.sum(1) + base)
    mass = one @ each
    each *= squared
    pull = one @ each
    shares = one * base
    whole = np.append(mass, shares.sum()).astype(np.float64)
    return np.asarray(np.append(pull, shares @ away) * falls - 0.5 * d * whole)


@dataclass(frozen=True)
class Losses:
    """Mean negative log-likelihoods a feature, in hundredths, of the training and of the held-out samples.

    of_holdout, of_training: under the mixture about synthetic samples; baseline: of the held-out samples under the
    mixture about one half of the training samples. n, m: training and synthetic samples that were used.
    collapsed: whether all Gaussians of a mixture shrank to points: copies of what they are fitted to.
    """

    of_holdout: float
    of_training: float
    baseline: float
    n: int
    m: int
    collapsed: bool


def losses(real: Samples, synthetic: Samples, holdout: Samples, *, most: int, seed: int) -> Losses:
    """Fit both mixtures to training samples, at most `most` of each side; features scaled by the held-out ones."""
    mean = mean_row(holdout)
    scale = _deviations(holdout, mean)
    train, generated = (ordered_rows(s, mean, most) / scale for s in (real, synthetic))
    fresh = ordered_rows(holdout, mean, holdout.n) / scale
    fitted = fit_mixture(generated, train)
    order = np.random.default_rng(seed).permutation(len(train))
    half = min(len(generated), len(train) // 2)
    base = fit_mixture(train[np.sort(order[:half])], train[np.sort(order[half:])])
    found = fitted.loss(fresh), fitted.loss(train), base.loss(fresh)
    return Losses(*found, len(train), len(generated), fitted.collapsed or base.collapsed)


def _deviations(samples: Samples, mean: Floats) -> Floats:
    """Standard deviation (ddof 1) of each feature; 1 for constant ones."""
    total = np.zeros(samples.d)
    for block in samples.blocks():
        total += np.square(block - mean).sum(0)
    found = np.sqrt(total / (samples.n - 1))
    noise = 1e-12 * np.abs(mean)  # of a constant column
    return np.where(found > noise, found, 1.0)


@dataclass(frozen=True)
class FeatureLikelihoodDivergence(Metric):
    """Feature likelihood divergence: 100 / d times the log-likelihood that held-out samples lose.

    Real samples (N, d) are the training set, the hold-out (H, d) fresh ones, the synthetic set is (M, d). Features are
    divided by the standard deviation (ddof 1) of the hold-out. q(x) = mean over synthetic y_j of N(x; y_j, s_j^2 I);
    the s_j maximise the mean over training samples of log(q(x) + base(x)), where base is a Gaussian about the training
    mean at 0.9 of the distance, of fitted variance, and only keeps outliers from stretching the rest. Value: mean over
    the hold-out of -100 / d log q(x), minus the same of a mixture about one half of the training samples (as many as
    there are synthetic ones, if those are fewer) fitted to the others.

    Range unbounded, lower is better, near 0 as good as training samples. A copy of a training sample gets a tiny s_j
    and leaves held-out samples unlikely, so that copying costs as much as poor fidelity or coverage do: for exact
    copies the value is huge, grows with every step of the fit and has no interval. It is in the family of distances
    because it blends the three and cannot say which. Detail generalisation_gap: the value of training
    minus that of held-out samples, clearly below that of fresh samples where the model copies. Further: nll_holdout,
    nll_training, nll_baseline (the three terms), n_training, n_generated.

    The published procedure is 50 steps of Adam (rate 0.5) on log s_j^2, from the distance to the nearest training
    sample, and so is this. Ours: all samples in each step (published: batches of 10,000); halves that the seed alone
    fixes, not the order of the rows; at most `most` training and synthetic samples, evenly spaced by their distance
    to the mean (published: 10,000 synthetic); constant features are only centred.

    Raises InputError for parameters out of range and fewer than 4 training samples. Undefined without a hold-out.
    Source: Jiralerspong et al. 2023, "Feature Likelihood Divergence", section 3, and its published code.
    """

    most: int = 4000
    seed: int = 0

    info: ClassVar[MetricInfo] = MetricInfo(
        key="fld",
        title="Feature likelihood divergence",
        family="distance",
        direction="lower",
        range=(float("-inf"), float("inf")),
        identical=None,
        formula="-100/d mean over hold-out of log(mean_j N(x; y_j, s_j^2 I)), s_j fitted to training, minus a baseline",
        reading="Near its reference: held-out samples are as likely as can be; higher: misses, bad samples or copies.",
        reference="jiralerspong2023",
        symmetric=False,
        invariances=frozenset({"order", "shift", "scale"}),
        needs_holdout=True,
    )

    def __post_init__(self) -> None:
        check_whole("most", self.most, 4)
        check_whole("seed", self.seed, 0)

    def check_sizes(self, n_real: int, n_synthetic: int) -> None:
        if n_real < 4:
            raise InputError(f"{n_real} real samples given; at least 4 are needed to fit one half to the other.")

    def needs(self) -> tuple[Need, ...]:
        parameters = (("most", self.most), ("seed", self.seed))
        return (Direct(losses, ("real", "synthetic", "holdout"), parameters),)

    def compute(self, answers: Answers) -> Outcome:
        found: Losses = answers[self.needs()[0]]
        return Outcome(
            found.of_holdout - found.baseline,
            details={
                "generalisation_gap": found.of_training - found.of_holdout,
                "nll_holdout": found.of_holdout,
                "nll_training": found.of_training,
                "nll_baseline": found.baseline,
                "n_training": found.n,
                "n_generated": found.m,
            },
            influence=_COPIES if found.collapsed else None,
        )
