"""The verdict on one synthetic set in plain words, from its scores beside their floors.

Rules, in this order; each needs a gap to real against real that is larger than the noise of the two values:

1. Copying. Authenticity lies below its real-against-real value by a tenth of that value or more (a tenth of
   the samples sit closer to a training sample than fresh data would), or the copying test C_T is below -3 and
   its interval below 0, or at least 1 % of the samples are exact copies while no real sample has a duplicate.
   Copies are real data, so every other score is excellent then: this rule comes first.
2. Coverage. The worst loss of clipped coverage and symmetric recall (whichever are there): how much of the
   way from the floor to 0 is lost. Either can miss what the other sees, hence the worst of both.
3. Fidelity. The same with clipped density and symmetric precision; and contraction (its own warning).
4. Otherwise: indistinguishable when no score differs from its floor by more than noise, else good.

A loss below `SLIGHT` is nothing to report, up to `CLEAR` it is "some", from there on it is the headline.
Without floors no verdict is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from truegrade.report.words import gap, loss, noise
from truegrade.result import Evaluation, Score

SLIGHT, CLEAR = 0.15, 0.35
COPIED = 0.10
COVERAGE = ("clipped_coverage", "symmetric_recall")
FIDELITY = ("clipped_density", "symmetric_precision")

Code = Literal["copies", "misses", "unrealistic", "good", "indistinguishable", "unknown"]


@dataclass(frozen=True)
class Verdict:
    """code: the headline as data. words: one sentence. findings: everything found, worst kind first."""

    code: Code
    words: str
    findings: tuple[str, ...]


def judge(evaluation: Evaluation) -> Verdict:
    """The verdict on one evaluation."""
    scores = [s for s in evaluation.scores.values() if s.status == "ok"]
    found: list[tuple[Code, str]] = []
    found += [("copies", text) for text in _copying(scores)]
    found += [("misses", text) for text in _coverage(scores)]
    found += [("unrealistic", text) for text in _fidelity(scores, copied=bool(found))]
    if found:
        texts = tuple(text for _, text in found)
        return Verdict(found[0][0], _sentence(texts), texts)
    judged = [s for s in scores if s.floor is not None]
    if not any(s.key in (*COVERAGE, *FIDELITY, "authenticity") for s in judged):
        return Verdict("unknown", "No verdict: too few scores with a real-against-real reference.", ())
    apart = [s for s in judged if (gap(s) or 0.0) > noise(s)]
    if not apart:
        return Verdict("indistinguishable", "Indistinguishable from real data by these scores.", ())
    slight = [
        text for text in (_some(scores, COVERAGE, "coverage"), _some(scores, FIDELITY, "fidelity")) if text
    ]
    tail = f" ({'; '.join(slight)})" if slight else ""
    return Verdict("good", f"Good: realistic, covers the variety, does not copy{tail}.", tuple(slight))


def _sentence(texts: tuple[str, ...]) -> str:
    joined = "; ".join(texts)
    return joined[0].upper() + joined[1:] + "."


def _copying(scores: list[Score]) -> list[str]:
    by_key = {s.key: s for s in scores}
    texts = []
    authenticity = by_key.get("authenticity")
    if authenticity is not None:
        copies, duplicates = (
            authenticity.details.get("exact_copies"),
            authenticity.details.get("real_duplicates"),
        )
        share = (copies or 0) / authenticity.n_synthetic
        apart, floor = gap(authenticity), authenticity.floor
        if apart is not None and floor is not None and apart > max(noise(authenticity), COPIED * floor.value):
            more = min(1.0, apart / floor.value)
            texts.append(f"copies its training data (about {more:.0%} of the samples are near copies)")
        if share >= 0.01 and not duplicates:
            texts.append(f"{share:.0%} of the samples are exact copies of training samples")
    test = by_key.get("copying_test")
    if (
        not texts
        and test is not None
        and (test.value or 0.0) < -3
        and (not test.interval or test.interval.high < 0)
    ):
        texts.append(f"copies its training data (copying test {test.value:.1f})")
    return texts


def _worst(scores: list[Score], keys: tuple[str, ...]) -> float:
    """The largest loss; 0 without any."""
    return max((loss(s) or 0.0 for s in scores if s.key in keys), default=0.0)


def _coverage(scores: list[Score]) -> list[str]:
    lost = _worst(scores, COVERAGE)
    return (
        [f"misses part of the variety (modes): {lost:.0%} of the coverage is lost"] if lost >= CLEAR else []
    )


def _fidelity(scores: list[Score], copied: bool) -> list[str]:
    """Copies crowd around training samples by nature, so contraction is not held against them again."""
    lost = _worst(scores, FIDELITY)
    texts = [f"many samples are unrealistic: {lost:.0%} of the fidelity is lost"] if lost >= CLEAR else []
    if not copied and any(w.code == "contraction" for s in scores for w in s.warnings):
        texts.append("samples huddle in the densest regions (contraction)")
    return texts


def _some(scores: list[Score], keys: tuple[str, ...], what: str) -> str:
    lost = _worst(scores, keys)
    return f"some {what} is lost, {lost:.0%}" if lost >= SLIGHT else ""
