"""Class probabilities against those of the real samples: the Mode Score and the relative inverse scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from truegrade.engine.needs import Answers, Direct, Floats, Need
from truegrade.errors import InputError, Notice, notice
from truegrade.metrics.base import Influence, Metric, MetricInfo, Outcome, check_flag, undefined
from truegrade.metrics.class_probabilities import ClassSums, PairSums, entropy, pair_sums, readers
from truegrade.samples import Samples


@dataclass(frozen=True)
class _PairScore(Metric):
    """What the three scores share that read both sets whole: no splits, so the order of the samples is nothing."""

    logits: bool = False

    def __post_init__(self) -> None:
        check_flag("logits", self.logits)

    def check_samples(self, sides: Mapping[str, Samples]) -> None:
        found = readers(sides["real"], sides["synthetic"], self.logits)
        if isinstance(found, str):
            raise InputError(found)

    def needs(self) -> tuple[Need, ...]:
        return (Direct(pair_sums, ("real", "synthetic"), (("logits", self.logits),)),)

    def compute(self, answers: Answers) -> Outcome:
        sums: PairSums | str = answers[self.needs()[0]]
        return undefined(sums) if isinstance(sums, str) else self.outcome(sums)

    def outcome(self, sums: PairSums) -> Outcome:
        """From the sums over both sets."""
        raise NotImplementedError


@dataclass(frozen=True)
class ModeScore(_PairScore):
    """Mode Score, modified: exp(mean_j KL(p_j || q) - KL(q || q_real)), p_j (c,) of synthetic sample j.

    q and q_real are the mean probabilities of the M synthetic and the N real samples, without splits. The Inception
    Score (of all samples at once) divided by exp(KL(q || q_real)), so that classes must come up as often as in the
    real data. Range 0 to c, higher is better; exactly 0 where a class of the synthetic samples has the probability 0
    in all real ones (with a note, and without an interval). Where the published script is called with the two sets
    swapped it gives another number: here synthetic samples are the p_j.

    Probabilities as for the Inception Score, and biased alike: its logarithm falls short by about
    (c - 1) / M + (c - 1) / (2 N) at most. first="real" swaps the roles, so that real samples are the p_j, as that
    script has it when it grades a generator. Details: the classes whose shares differ most, counted from 0, with the
    shares; exp of the entropies of q and q_real; the two factors of the value. per_sample (M,): KL(p_j || q).

    Raises InputError for rows that are no probabilities, for different classes on both sides and another `first`.
    Source: Xu et al. 2018, "An empirical study on evaluation metrics of generative adversarial networks", section 2,
    after Che et al. 2017, "Mode regularized generative adversarial networks", section 4.
    """

    info: ClassVar[MetricInfo] = MetricInfo(
        key="mode_score",
        title="Mode Score",
        family="classes",
        direction="higher",
        range=(0.0, float("inf")),
        identical=None,
        formula="exp(mean_j KL(p_j || q) - KL(q || q_real)), q the mean of p_j",
        reading="Near that of real samples: as confident, and the classes as often as in the real data.",
        reference="xu2018",
        symmetric=False,
        invariances=frozenset({"order"}),
    )

    first: Literal["synthetic", "real"] = "synthetic"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.first not in ("synthetic", "real"):
            raise InputError(f"first={self.first!r} given; 'synthetic' (as published) or 'real' is accepted.")

    def needs(self) -> tuple[Need, ...]:
        if self.first == "synthetic":
            return super().needs()
        swapped = ("synthetic", "real")
        return (Direct(pair_sums, swapped, (("logits", self.logits), ("names", swapped))),)

    def outcome(self, sums: PairSums) -> Outcome:
        value, influence = _mode_score(sums)
        sides = {"real": sums.real, "synthetic": sums.synthetic}
        if self.first == "real":
            sides = {"real": sums.synthetic, "synthetic": sums.real}
            influence = _swapped(influence)
        return Outcome(
            value,
            per_sample={self.first: sums.synthetic.divergences},
            details=_share_details(sides["real"].shares, sides["synthetic"].shares)
            | {
                "inception_score": float(np.exp(sums.synthetic.log_score)),
                "balance": 0.0 if sums.drift is None else float(np.exp(-max(float(sums.drift.mean()), 0.0))),
            },
            warnings=_notices(sums, self.first),
            influence=influence,
        )


@dataclass(frozen=True)
class RelativeInverseInceptionScore(_PairScore):
    """Relative inverse Inception Score: 1 - IS / IS_real.

    IS is the Inception Score of the synthetic samples (M, c), IS_real the same score of the real samples (N, c), both
    of all samples at once, without splits. Range - infinity to 1, lower is better: 0 for samples that are as confident
    and varied to the classifier as real ones; below 0 where more so, which is no merit.

    Probabilities as for the Inception Score. The bias of both scores cancels for sets of one size and one law.
    Details: both scores.

    Raises InputError for rows that are no probabilities and for different classes on both sides.
    Source: Xu et al. 2018, "An empirical study on evaluation metrics of generative adversarial networks", section 3.
    """

    info: ClassVar[MetricInfo] = MetricInfo(
        key="relative_inverse_inception_score",
        title="Relative inverse Inception Score",
        family="classes",
        direction="lower",
        range=(float("-inf"), 1.0),
        identical=0.0,
        formula="1 - IS / IS_real, without splits",
        reading="Near 0: as confident and varied as real samples; near 1: unsure or all alike; below 0 is no merit.",
        reference="xu2018",
        symmetric=False,
        invariances=frozenset({"order"}),
        target=0.0,
    )

    def outcome(self, sums: PairSums) -> Outcome:
        score = float(np.exp(sums.synthetic.log_score))
        parts = {"real": np.zeros(len(sums.weight)), "synthetic": _centred(sums.synthetic.divergences) * score}
        influence = Influence(parts, score**2 * _log_error(sums.synthetic, 0.5) ** 2)
        return _relative(score, influence, sums)


@dataclass(frozen=True)
class RelativeInverseModeScore(_PairScore):
    """Relative inverse Mode Score: 1 - MS / MS_real.

    MS is the Mode Score of the synthetic samples (M, c) against the real samples (N, c). MS_real is that of the real
    samples against themselves, which is their Inception Score without splits, for their classes come up as often as
    they do. Range - infinity to 1, lower is better: 0 for samples as confident as real ones and of the same classes;
    below 0 where more so, which is no merit.

    Probabilities as for the Inception Score. Biased upwards with few samples, as MS holds their KL to the real mean.
    Details: both scores.

    Raises InputError for rows that are no probabilities and for different classes on both sides.
    Source: Xu et al. 2018, "An empirical study on evaluation metrics of generative adversarial networks", section 3.
    """

    info: ClassVar[MetricInfo] = MetricInfo(
        key="relative_inverse_mode_score",
        title="Relative inverse Mode Score",
        family="classes",
        direction="lower",
        range=(float("-inf"), 1.0),
        identical=0.0,
        formula="1 - MS / MS_real, MS_real the Inception Score of the real samples",
        reading="Near 0: as confident as real samples, of the same classes; near 1: not at all; below 0 is no merit.",
        reference="xu2018",
        symmetric=False,
        invariances=frozenset({"order"}),
        target=0.0,
    )

    def outcome(self, sums: PairSums) -> Outcome:
        return _relative(*_mode_score(sums), sums)


def _mode_score(sums: PairSums) -> tuple[float, Influence | str]:
    """The score, and what each sample adds to it.

    Its logarithm is the mean of sum p log p, plus 2 H(q), plus sum q log q_real: a synthetic sample adds its
    divergence less its drift, a real one its weight.
    """
    if sums.drift is None:
        return 0.0, "a class of the synthetic samples is absent in the real ones, and the score exactly 0"
    value = float(np.exp(sums.synthetic.log_score - max(float(sums.drift.mean()), 0.0)))
    synthetic = _centred(sums.synthetic.divergences - sums.drift) * value
    error = value * (_log_error(sums.synthetic, 1.0) + _log_error(sums.real, 0.5))
    return value, Influence({"real": _centred(sums.weight) * value, "synthetic": synthetic}, error**2)


def _relative(score: float, influence: Influence | str, sums: PairSums) -> Outcome:
    """1 - score / the Inception Score of the real samples."""
    of_real = float(np.exp(sums.real.log_score))
    if isinstance(influence, Influence):
        real = _centred(sums.real.divergences) * score - influence.parts["real"]
        parts = {"real": real / of_real, "synthetic": -influence.parts["synthetic"] / of_real}
        error = float(influence.second**0.5) + score * _log_error(sums.real, 0.5)
        influence = Influence(parts, (error / of_real) ** 2)
    return Outcome(
        1.0 - score / of_real,
        details={"score_real": of_real, "score_synthetic": score, "classes": len(sums.real.shares)},
        warnings=_notices(sums),
        influence=influence,
    )


def _log_error(sums: ClassSums, times: float) -> float:
    """A bound of the standard deviation of `times` the sum over the classes of (mean - expected mean)^2 / mean."""
    return times * float(np.sqrt(2.0 * max(sums.scatter[0], 0.0))) / len(sums.divergences)


def _swapped(influence: Influence | str) -> Influence | str:
    """With the names of the two sides exchanged."""
    if isinstance(influence, str):
        return "a class of the real samples is absent in the synthetic ones, and the score exactly 0"
    parts = {"real": influence.parts["synthetic"], "synthetic": influence.parts["real"]}
    return replace(influence, parts=parts)


def _centred(values: Floats) -> Floats:
    return np.asarray(values - values.mean())


def _share_details(real: Floats, synthetic: Floats) -> dict[str, float | int | str | None]:
    """Which class is there too often and which too rarely, by the difference of the shares."""
    more, less = int(np.argmax(synthetic - real)), int(np.argmin(synthetic - real))
    return {
        "classes": len(real),
        "effective_classes_real": float(np.exp(entropy(real))),
        "effective_classes_synthetic": float(np.exp(entropy(synthetic))),
        "overused_class": more,
        "overused_share_real": float(real[more]),
        "overused_share_synthetic": float(synthetic[more]),
        "missing_class": less,
        "missing_share_real": float(real[less]),
        "missing_share_synthetic": float(synthetic[less]),
    }


def _notices(sums: PairSums, first: str = "synthetic") -> tuple[Notice, ...]:
    second = "real" if first == "synthetic" else "synthetic"
    numbers = {"count": sums.unseen, "classes": len(sums.real.shares), "first": first, "second": second}
    absent = (notice("class_unseen", **numbers),) if sums.unseen else ()
    return (*sums.real.notices, *sums.synthetic.notices, *absent)
