"""The Inception Score: is every sample clearly of one class, and do all classes come up?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, get_args

import numpy as np

from truegrade.engine.needs import Answers, Direct, Floats, Need
from truegrade.errors import InputError, notice
from truegrade.metrics.base import Influence, Metric, MetricInfo, Outcome, check_flag, check_whole, undefined
from truegrade.metrics.class_probabilities import ClassSums, class_sums, entropy, reader
from truegrade.metrics.drawing import Drawing, Parts, check_drawing
from truegrade.samples import Samples

_BIASED = 0.1  # part of the score by which it comes out too low, from which on the user is told
_ALONE = "with one sample a split the score is 1 whatever the samples are; give fewer splits"


@dataclass(frozen=True)
class InceptionScore(Metric):
    """Inception Score: exp(mean_i KL(p_i || mean p)), p_i (c,) the class probabilities of synthetic sample i.

    Mean over `splits` parts of the M synthetic samples, after a shuffle with `seed` (shuffle=False: in their order);
    parts are as equal as they can be (parts="even"). Other tools cut M samples elsewhere if the splits do not divide
    them: "floor" at the whole part of i M / splits (torch-fidelity), "ceil" into parts of M / splits rounded up, the
    last one smaller, so that there may be fewer (torchmetrics). drawing="legacy" shuffles by
    numpy.random.RandomState(seed), as torch-fidelity does. Range 1 to c, higher is better: 1 where all samples look
    alike to the classifier, c where each is surely of one class and all classes come up equally often. The real
    samples are not read; their own score is the floor. It says nothing of what a classifier does not see: a generator
    that repeats one perfect image a class gets c.

    The probabilities are `Samples.probabilities` where an embedder with classes made the samples, else the rows if
    they are probabilities (each at least 0, sums within 1e-3 of 1); with logits=True the rows are logits.

    The value falls short of that of infinitely many samples by about the fraction (c - 1) / (2 n) at most, n samples
    a split: 10 splits of 50,000 samples and 1,000 classes fall short by up to 10 %. So compare equal sizes and splits.
    Parts of n samples score n at most; with one sample a split the value is 1, whatever they are, and has no interval.
    Details: sd over the splits with `ddof`; expected_bias, this shortfall estimated from the samples; without_splits;
    effective_classes, exp of the entropy of mean p; effective_choices, exp of the mean entropy of p_i (the score
    without splits is their quotient). per_sample, synthetic (M,): KL(p_i || mean p), small where the classifier is
    unsure.

    Raises InputError for parameters out of range, fewer samples than splits, and rows that are no probabilities.
    Source: Salimans et al. 2016, "Improved techniques for training GANs", section 4; bias: Chong & Forsyth 2020.
    """

    splits: int = 10
    seed: int = 0
    ddof: int = 0
    shuffle: bool = True
    logits: bool = False
    parts: Parts = "even"
    drawing: Drawing = "default"

    info: ClassVar[MetricInfo] = MetricInfo(
        key="inception_score",
        title="Inception Score",
        family="classes",
        direction="higher",
        range=(1.0, float("inf")),
        identical=None,
        formula="exp(mean_i KL(p_i || mean p)), mean over splits",
        reading="Near that of real samples: as confident and varied to the classifier; copies of a few samples pass.",
        reference="salimans2016",
        symmetric=False,
        invariances=frozenset(),
    )

    def __post_init__(self) -> None:
        check_whole("splits", self.splits, 1)
        check_whole("seed", self.seed, 0)
        check_flag("shuffle", self.shuffle)
        check_flag("logits", self.logits)
        check_drawing(self.drawing, self.seed)
        if self.parts not in get_args(Parts):
            raise InputError(f"parts={self.parts!r} given; accepted: {', '.join(get_args(Parts))}.")
        if self.ddof not in (0, 1) or isinstance(self.ddof, bool):
            raise InputError(f"ddof={self.ddof!r} given; 0 or 1 is accepted.")
        if self.splits == 1:  # which samples share a part depends on their order, unless there is one part
            object.__setattr__(self, "info", replace(self.info, invariances=frozenset({"order"})))

    def check_sizes(self, n_real: int, n_synthetic: int) -> None:
        if n_synthetic < self.splits:
            raise InputError(
                f"{n_synthetic} synthetic samples < {self.splits} splits; give at least one sample a split, better "
                "thousands, or fewer splits."
            )

    def check_samples(self, sides: Mapping[str, Samples]) -> None:
        found = reader(sides["synthetic"], "synthetic", self.logits)
        if isinstance(found, str):
            raise InputError(found)

    def needs(self) -> tuple[Need, ...]:
        seed, shuffle = (self.seed, self.shuffle) if self.splits > 1 and self.shuffle else (0, False)
        cut = (("parts", self.parts), ("seed", seed), ("shuffle", shuffle), ("splits", self.splits))
        settings = (("drawing", self.drawing), ("logits", self.logits), *cut)
        return (Direct(class_sums, ("synthetic",), settings),)

    def compute(self, answers: Answers) -> Outcome:
        sums: ClassSums | str = answers[self.needs()[0]]
        if isinstance(sums, str):
            return undefined(sums)
        scores, influence, bias = _over_splits(sums)
        value = float(scores.mean())
        mixed = entropy(sums.shares)
        parts = {"real": np.zeros(answers.n_real), "synthetic": influence}
        short = _shortfall(value, bias, sums)
        few = notice("class_bias", size=int(sums.sizes.min()), classes=len(sums.shares), share=short)
        return Outcome(
            value,
            per_sample={"synthetic": sums.divergences},
            details={
                "sd": float(scores.std(ddof=self.ddof)) if len(scores) > self.ddof else None,
                "splits": len(scores),
                "classes": len(sums.shares),
                "without_splits": float(np.exp(sums.log_score)),
                "effective_classes": float(np.exp(mixed)),
                "effective_choices": float(np.exp(max(mixed - sums.log_score, 0.0))),
                "expected_bias": bias,
            },
            warnings=(*sums.notices, *((few,) if short > _BIASED else ())),
            influence=_ALONE if sums.sizes.max() == 1 else Influence(parts, _variance(scores, sums)),
        )


def _shortfall(value: float, bias: float, sums: ClassSums) -> float:
    """The part of the score by which it is too low, estimated.

    Of s samples a split the score is at most s, and a split of few samples does not show how far off it is: where
    `bias` says little, the score without splits does, which knows of every class that is in use.
    """
    whole, size = float(np.exp(sums.log_score)), float(sums.sizes.mean())
    small = (whole - 1.0) / (2.0 * size) > _BIASED
    return max(-bias / value, 1.0 - value / whole if small else 0.0)


def _over_splits(sums: ClassSums) -> tuple[Floats, Floats, float]:
    """The score of every part; what each sample adds to their mean; by how much that mean is off on average.

    The log score of n samples is biased by - scatter / 2n (the entropy of a mean is curved), the exponential of a log
    score with the variance v by v/2. What a sample adds is what the log score loses without it: its divergence and,
    as it drew the mean of its part towards itself, a share of its chi-squared distance that counts in small parts.
    """
    sizes, count, scatter = sums.sizes, len(sums.sizes), np.maximum(sums.scatter, 0.0)
    means = np.bincount(sums.split, sums.within, count) / sizes
    squares = np.bincount(sums.split, (sums.within - means[sums.split]) ** 2, count) / sizes
    scores = np.exp(np.maximum(means, 0.0))
    bias = float((scores * (squares - scatter) / (2.0 * sizes)).mean())
    others = np.maximum(sizes - 1, 1)
    added = sums.within - means[sums.split] + (sums.apart - scatter[sums.split]) / (2.0 * others[sums.split])
    weight = scores * np.sqrt(sizes / others) * len(sums.split) / (count * sizes)
    return scores, weight[sums.split] * added, bias


def _variance(scores: Floats, sums: ClassSums) -> float:
    """A bound of the variance beyond first order of the mean of the scores."""
    return float((scores**2 * np.maximum(sums.scatter, 0.0) / (2.0 * sums.sizes**2)).sum()) / len(scores) ** 2
