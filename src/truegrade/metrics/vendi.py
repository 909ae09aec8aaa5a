"""The Vendi score: an effective number of different samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.special import entr

from truegrade.engine.needs import Answers, Direct, Floats, Need
from truegrade.metrics.base import Influence, Metric, MetricInfo, Outcome, check_number, undefined
from truegrade.metrics.unit import no_direction, unit_blocks, zero_rows

if TYPE_CHECKING:
    from truegrade.samples import Samples

_CROWDED = "with no more samples than features the score grows with every sample, and its scatter is not known"
_NEAR_SHANNON = 1e-2  # of the order 1: where a power sum is too near 1 to be read off itself
_EPSILON = float(np.finfo(np.float64).eps)
Projection = Callable[[Floats], Floats]
"""Of weights of the eigenvectors (r,): every sample's squared components along them, weighted and summed, (n,)."""


@dataclass(frozen=True)
class Vendi(Metric):
    """Vendi score of the synthetic samples: exp of the entropy of the eigenvalues of K / n, K the cosine similarities.

    1 for samples (M, d) that all point in one direction, M for M orthogonal ones: the effective number of different
    directions. Range 1 to min(M, d), higher is more various, no unit. order q: 1 is the Shannon entropy above, other
    positive q give (sum l^q)^(1/(1-q)), infinity 1 / max l; a larger q looks more at the common directions. No real
    samples enter the value, so noise is variety too: read it beside a fidelity score and beside the details
    `real`, the score of the real samples, and `ratio`, synthetic over real. It grows with the number of samples until
    that is many times d; the ratio is fair for sets of one size only.

    The eigenvalues are those of K (n, n) or, where d is smaller, of the (d, d) matrix of the second moments, which has
    the same ones. per_sample: what each synthetic sample adds to the value, to first order, mean 0; large for rare
    directions. The interval is made from it; there is none for M <= d. Undefined where a row is all zeros. Raises
    InputError for an order that is not above 0.

    Source: Friedman & Dieng 2023, "The Vendi Score: A diversity evaluation metric for machine learning", TMLR;
    order: Pasarkar & Dieng 2024, "Cousins of the Vendi score".
    """

    order: float = 1.0

    info: ClassVar[MetricInfo] = MetricInfo(
        key="vendi",
        title="Vendi score",
        family="coverage",
        direction="higher",
        range=(1.0, float("inf")),
        identical=None,
        formula="exp(-sum l log l), l the eigenvalues of the cosine similarities of the synthetic samples / M",
        reading="The effective number of different directions; near that of the real samples: as various as they are.",
        reference="friedman2023",
        symmetric=False,
        invariances=frozenset({"order", "scale", "rotation"}),
    )

    def __post_init__(self) -> None:
        check_number("order", self.order, lambda order: order > 0.0, "a number above 0, or infinity,")
        object.__setattr__(self, "order", float(self.order))

    def _of(self, side: str) -> Direct:
        return Direct(variety, (side,), (("order", self.order),))

    def needs(self) -> tuple[Need, ...]:
        return (self._of("synthetic"), self._of("real"))

    def compute(self, answers: Answers) -> Outcome:
        synthetic: Variety = answers[self._of("synthetic")]
        real: Variety = answers[self._of("real")]
        reason = no_direction({"synthetic": synthetic.zeros})
        if reason is not None:
            return undefined(reason)
        known = real.zeros == 0
        parts = {"synthetic": synthetic.added, "real": np.zeros(answers.n_real)}
        return Outcome(
            synthetic.score,
            per_sample={"synthetic": synthetic.added},
            details={"real": real.score if known else None, "ratio": synthetic.score / real.score if known else None},
            influence=Influence(parts, 0.0) if answers.n_synthetic > answers.dimension else _CROWDED,
        )


@dataclass(frozen=True)
class Variety:
    """score, and what each sample adds to it to first order (n,), of samples of which `zeros` are all zero (then both
    are empty: 1 and 0)."""

    score: float
    added: Floats
    zeros: int


def variety(samples: Samples, *, order: float) -> Variety:
    """The Vendi score of one side."""
    zeros = zero_rows(samples)
    if zeros:
        return Variety(1.0, np.zeros(samples.n), zeros)
    spectrum, project = _by_features(samples) if samples.d < samples.n else _by_samples(samples)
    spectrum = np.where(spectrum > len(spectrum) * _EPSILON * spectrum[-1], spectrum, 0.0)
    score, weights = _score(spectrum / spectrum.sum(), order)
    added = project(weights)
    return Variety(score, added - added.mean(), 0)


def _score(spectrum: Floats, order: float) -> tuple[float, Floats]:
    """The score of eigenvalues (r,) that add up to 1, and its derivative by each, up to a constant."""
    if abs(order - 1.0) < _NEAR_SHANNON:
        return _score_near_shannon(spectrum, order)
    largest = float(spectrum.max())
    if order == np.inf:
        return max(1.0, 1.0 / largest), np.where(spectrum == largest, -1.0 / largest**2, 0.0)
    shares = spectrum / largest  # so that a high power does not vanish
    total = float((shares**order).sum())
    score = float(np.exp((np.log(total) + order * np.log(largest)) / (1.0 - order)))
    slopes = np.maximum(shares, _EPSILON) ** (order - 1.0)
    return max(score, 1.0), score * order / (1.0 - order) * slopes / (total * largest)


def _score_near_shannon(spectrum: Floats, order: float) -> tuple[float, Floats]:
    """The same without the division of a vanishing logarithm by 1 - order: from what l^(order - 1) differs from 1."""
    logs = np.log(np.maximum(spectrum, _EPSILON))
    if order == 1.0:
        score = float(np.exp(entr(spectrum).sum()))
        return max(score, 1.0), -score * logs
    beyond = np.expm1((order - 1.0) * logs)
    total = float((spectrum * beyond).sum())
    score = float(np.exp(np.log1p(total) / (1.0 - order)))
    return max(score, 1.0), score * order / (1.0 - order) * beyond / (1.0 + total)


def _by_features(samples: Samples) -> tuple[Floats, Projection]:
    moments = np.zeros((samples.d, samples.d))
    for _, rows in unit_blocks(samples):
        moments += rows.T @ rows
    values, vectors = np.linalg.eigh(moments / samples.n)
    return values, partial(_projected, samples, vectors)


def _projected(samples: Samples, vectors: Floats, weights: Floats) -> Floats:
    out = np.empty(samples.n)
    for at, rows in unit_blocks(samples):
        out[at] = (rows @ vectors) ** 2 @ weights
    return out


def _by_samples(samples: Samples) -> tuple[Floats, Projection]:
    rows = np.concatenate([block for _, block in unit_blocks(samples)])
    values, vectors = np.linalg.eigh(rows @ rows.T / samples.n)
    lengths = samples.n * np.maximum(values, 0.0)
    return values, lambda weights: np.asarray(vectors**2 @ (lengths * weights))
