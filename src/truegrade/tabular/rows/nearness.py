"""Distances of synthetic rows to the nearest real ones, beside those of fresh real rows, and what they give away."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from truegrade.engine.needs import Answers, Floats, Knn, Nearest, Need, Neighbours, Part
from truegrade.grading import Run
from truegrade.metrics.memorisation import Authenticity
from truegrade.result.table import Measure
from truegrade.tabular.rows.encode import Drawn
from truegrade.uncertainty.areas import auc_measure, wilson

KEYS = ("close_copies", "dcr_median", "dcr_p5", "nndr_median", "nndr_p5", "closer_to_train", "membership_inference")
_NO_HOLDOUT = "needs a hold-out set (real rows the generator never saw)"


def needs(holdout: bool, *, seed: int = 0) -> tuple[Need, ...]:
    """What the engine has to answer for the measures of whole rows."""
    own = (Knn("real", 2), Nearest("synthetic", "real", 1), Nearest("synthetic", "real", 2))
    if not holdout:
        return own
    return (
        *own,
        Nearest("holdout", "real", 2),
        Nearest("real", "synthetic", 1),
        Nearest("holdout", "synthetic", 1),
        *_equal_parts(seed),
    )


def _equal_parts(seed: int) -> tuple[Nearest, Nearest]:
    return (
        Nearest("synthetic", Part("real", "holdout", seed), 1),
        Nearest("synthetic", Part("holdout", "real", seed), 1),
    )


def distances(
    real: Drawn, synthetic: Drawn, holdout: Drawn | None, seed: int, run: Run, answers: Answers | None
) -> tuple[dict[str, Measure], list[str]]:
    """The measures of KEYS, and sentences; see `truegrade.tabular.rows.privacy`."""
    if len(real) < 3 or len(synthetic) < 2:
        reason = f"{len(real)} real and {len(synthetic)} synthetic rows; at least 3 and 2 are needed"
        return dict.fromkeys(KEYS, Measure(None, reason=reason)), []
    held = holdout is not None and len(holdout) >= 2
    if answers is None:
        sides = {"real": real.samples, "synthetic": synthetic.samples}
        sides |= {"holdout": holdout.samples} if holdout is not None and held else {}
        answers = run.labelled("privacy").answer(needs(held, seed=seed), sides)
    near, own = answers[Nearest("synthetic", "real", 2)], answers[Knn("real", 2)]
    fresh = answers[Nearest("holdout", "real", 2)] if held else own
    details = Authenticity().compute(answers).details
    out = {"close_copies": _close(details)}
    for name, of in (("dcr", _nearest_of), ("nndr", _ratio_of)):
        for part, share in (("median", 0.5), ("p5", 0.05)):
            out[f"{name}_{part}"] = _quantile(of(near), share, of(fresh))
    out |= _with_holdout(answers, seed) if held else dict.fromkeys(KEYS[-2:], Measure(None, reason=_NO_HOLDOUT))
    return out, _distance_words(out, "held-out rows" if held else "real rows among themselves")


def _close(details: Mapping[str, object]) -> Measure:
    share, expected, error = (float(str(details[key])) for key in ("close", "close_expected", "close_error"))
    reach = 1.96 * error
    return Measure(share, max(0.0, share - reach), min(1.0, share + reach), expected)


def _nearest_of(found: Neighbours) -> Floats:
    return np.sqrt(found.squared[:, 0])


def _ratio_of(found: Neighbours) -> Floats:
    nearest, second = np.sqrt(found.squared[:, 0]), np.sqrt(found.squared[:, 1])
    return np.divide(nearest, second, out=np.ones(len(nearest)), where=second > 0)


def _quantile(values: Floats, share: float, fresh: Floats) -> Measure:
    """A quantile, the order statistics about it, and that of fresh rows."""
    n = len(values)
    reach = 1.96 * math.sqrt(n * share * (1 - share))
    ordered = np.sort(values)
    low, high = (ordered[int(np.clip(round(n * share + step), 0, n - 1))] for step in (-reach - 1, reach))
    value = float(np.quantile(values, share))
    return Measure(value, min(float(low), value), max(float(high), value), float(np.quantile(fresh, share)))


def _with_holdout(answers: Answers, seed: int) -> dict[str, Measure]:
    train, held = (answers[need] for need in _equal_parts(seed))
    from_train, from_held = (answers[Nearest(side, "synthetic", 1)].squared[:, 0] for side in ("real", "holdout"))
    return {
        "closer_to_train": _closer(train, held, min(answers.sizes["real"], answers.sizes["holdout"])),
        "membership_inference": auc_measure(-from_held, -from_train),
    }


def _closer(train: Neighbours, held: Neighbours, size: int) -> Measure:
    """The share that is closer to training rows, and the independent rows that it is worth.

    With c_i the synthetic rows that have the i-th of 2 `size` real rows as their nearest, the share changes by c_i / m
    with that row's label, and random labels, half of each, give it the variance below.
    """
    a, b = train.squared[:, 0], held.squared[:, 0]
    m, total = len(a), 2 * size
    share = float(((a < b) + 0.5 * (a == b)).mean())
    nearest = np.where(a < b, train.indices[:, 0], size + held.indices[:, 0])[a != b]
    counts = np.bincount(nearest, minlength=total).astype(np.float64)
    spread = float((counts**2).sum() - counts.sum() ** 2 / total) / m**2 * total / (total - 1)
    return wilson(share, max(1.0, 1.0 / spread) if spread > 0 else float(m))


def _distance_words(found: Mapping[str, Measure], fresh: str) -> list[str]:
    dcr, train, member = (found[key] for key in ("dcr_median", "closer_to_train", "membership_inference"))
    words = [
        f"Half of the synthetic rows lie within {dcr.value:.3g} of a real row; for {fresh} it is {dcr.ceiling:.3g}."
    ]
    if train.value is not None:
        words.append(
            f"{train.value:.0%} of the synthetic rows lie closer to training than to held-out rows "
            f"({train.low:.0%} to {train.high:.0%}; 50% is ideal)."
        )
    if member.value is not None:
        words.append(
            "By the distance to the nearest synthetic row, training rows are told from held-out rows in "
            f"{member.value:.0%} of pairs ({member.low:.0%} to {member.high:.0%}; guessing gets 50%)."
        )
    return words
