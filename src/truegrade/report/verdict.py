"""The verdict on one synthetic set in plain words, from its scores beside their floors.

Rules, in this order; a loss is the part of the way from the floor to the worst value that is lost, and counts
only where value and floor are apart: by more than the noise of both, widened for the number of scores that are
looked at (`words.together`), so that real samples are taken for anything else at most once in twenty times:

1. Copying. Copies are real data, so every other score is excellent then: this rule comes first. ECG recordings
   repeat real ones, perhaps at another phase, more than fresh real ones do (`truegrade.ecg.copies`). At least 1 %
   of the samples are exact copies while no real sample has a duplicate (of tables: and more than chance explains);
   or there are more close copies than chance explains (the warning of authenticity: less than half as far away as
   the training sample's own nearest, which huddling does not bring about); or a tenth of authenticity is lost
   (a tenth of the samples sit closer to a training sample than fresh data would), or the copying test C_T is
   below -3 and its interval below 0. Samples that huddle in the densest regions sit close to training samples
   too, without being copies. What tells the two apart is the 1-NN test: the nearest neighbour of a copy is
   real, that of a huddling sample is synthetic. So where that test was made it must find synthetic samples
   less often beside their own kind than chance would, by 2 standard errors (from 3 on, the loss of
   authenticity need not exceed its own noise); where it was not, contraction must not have been found.
2. Contraction (the warning of clipped density, where density is not also as high for real data): the samples
   huddle in the densest regions. It is the cause of what follows, so it is named before it, and the loss of
   symmetric precision then means huddling, not unrealistic samples.
3. Fidelity. The worst loss of clipped density and symmetric precision (whichever are there): either can miss
   what the other sees.
4. Coverage. The same with clipped coverage and symmetric recall. Clipped coverage is the share of ALL synthetic
   samples that help to cover, so bad samples lower it although no kind of real sample is missing: of its loss
   only the part counts that good samples lack. Where clearly more coverage than fidelity is lost, coverage is
   named first.
5. ECG recordings: what their own grades find wrong (`report.verdict_ecg`), so that the headline is never better than
   the verdict on them. Where no score of vectors was asked for, the means over leads take the place of 2 to 4.
6. Otherwise the set is fair (a loss of SLIGHT or more), or it cannot be told at this size (no score is apart from its
   floor, but an interval reaches from there to a clear loss), good, or indistinguishable: no score is apart from its
   floor.

A loss below `SLIGHT` is nothing to report, up to `CLEAR` it is "some", from there on it is the headline.
Without floors no verdict is given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from truegrade.report.verdict_ecg import by_lead, copies_of, faults, size_of
from truegrade.report.words import bounds, gap, loss, noise, number, open_loss, standing, together
from truegrade.result import Evaluation, Score

SLIGHT, CLEAR = 0.10, 0.35
_CONTRACTED = 1.2  # density, from which on the warning speaks of contraction
COPIED = 0.10
COVERAGE = ("clipped_coverage", "symmetric_recall")
COPYING = ("authenticity", "copying_test")
FIDELITY = ("clipped_density", "symmetric_precision")

_CHANCE = "Good: indistinguishable from real data by these scores."
_TOO_FEW = "No verdict: too few scores with a real-against-real reference."
_BY_TABLE = "See what is said of its columns, pairs and rows."  # the verdict on the table
_NAMED = 3  # scores that are named

Code = Literal[
    "copies",
    "misses",
    "unrealistic",
    "contracted",
    "recordings",
    "fair",
    "unclear",
    "good",
    "indistinguishable",
    "unknown",
]
Scores = Mapping[str, Score]
Finding = tuple[Code, str]


@dataclass(frozen=True)
class Verdict:
    """code: the headline as data. words: one sentence. findings: everything found, worst kind first."""

    code: Code
    words: str
    findings: tuple[str, ...]


def judge(evaluation: Evaluation) -> Verdict:
    """The verdict on one evaluation."""
    scores = {key: s for key, s in evaluation.scores.items() if s.status == "ok"}
    vectors = any(_seen(scores, keys) for keys in (COVERAGE, FIDELITY))
    scores = scores if vectors else {**by_lead(evaluation.ecg), **scores}
    private = None if evaluation.table is None else evaluation.table.privacy
    copying = [*_repeated(evaluation), *_copying(scores, exact=private is None or private.many_copies)]
    found = [*copying, *_lost(scores, copied=bool(copying))]
    found += [("recordings", text) for text in faults(evaluation.ecg)]
    if found:
        texts = tuple(text for _, text in found)
        told = [text for code, text in found if code != "recordings"] or texts[:1]
        return Verdict(found[0][0], _sentence("; ".join(told)), texts)
    if not any(_seen(scores, keys) for keys in (COVERAGE, FIDELITY)):
        return _without(evaluation)
    return _right(scores, "" if vectors else size_of(evaluation.ecg))


def _right(scores: Scores, size: str) -> Verdict:
    """Where nothing is clearly wrong: fair, not to be told, indistinguishable or good. size: of recordings."""
    slight = tuple(
        f"some {what} is lost ({lost:.0%})"
        for what, lost in (("coverage", _coverage_lost(scores)), ("fidelity", _worst(scores, FIDELITY)))
        if lost >= SLIGHT
    )
    if slight:
        return Verdict("fair", _sentence("; ".join((f"fair: {slight[0]}", *slight[1:], *_clean(scores)))), slight)
    if unclear := _unclear(scores):
        return Verdict("unclear", _sentence(f"cannot be told at this size: {unclear}"), ())
    judged = [s for s in scores.values() if s.floor is not None]
    if all((gap(s) or 0.0) <= _many(scores) * noise(s) for s in judged):
        words = f"Good: as real recordings are at this size{size}." if size else _CHANCE
        return Verdict("indistinguishable", words + _alone(judged), ())
    good = [words for words, keys in (("realistic", FIDELITY), ("covers the variety", COVERAGE)) if _seen(scores, keys)]
    return Verdict("good", _sentence(f"good: {', '.join((*good, *_clean(scores)))}{size}"), ())


def _unclear(scores: Scores) -> str:
    """The score whose interval reaches farthest from as good as real to clearly bad; empty without any."""
    wide = {key: open_loss(scores[key]) for key in (*FIDELITY, *COVERAGE) if key in scores}
    worst = max(wide, key=lambda key: wide[key], default=None)
    if worst is None or wide[worst] < CLEAR:
        return ""
    one = scores[worst]
    assert one.interval is not None
    assert one.floor is not None
    reach, floor = bounds(one.interval), number(one.floor.value, one.interval)
    return f"the interval of {one.title}, {reach}, holds good and bad values (real data get {floor})"


def _without(evaluation: Evaluation) -> Verdict:
    """Where no score of fidelity or coverage has a floor: what else there is."""
    if evaluation.table is not None and evaluation.table.verdict:
        return Verdict("unknown", _BY_TABLE, ())
    known = [(at, s) for s in evaluation.scores.values() if evaluation.ecg and (at := standing(s)[0]) is not None]
    if not known:
        return Verdict("unknown", _TOO_FEW, ())
    level, worst = max(known, key=lambda item: (item[0], loss(item[1]) or 0.0))
    if level == 0:
        what = worst.title if len(known) == 1 else f"all {len(known)} scores"
        return Verdict("unclear", f"As real recordings at this size by {what}; nothing else was asked for.", ())
    assert worst.value is not None
    assert worst.floor is not None
    beside = f"{number(worst.value)}, real data get {number(worst.floor.value)}"
    told = f"{worst.title} is {standing(worst)[1]} ({beside})"
    return Verdict("fair" if level == 1 else "recordings", _sentence(told), (told,))


def _many(scores: Scores) -> float:
    """By what the noise grows because all scores with a floor are looked at."""
    return together(sum(s.floor is not None for s in scores.values()))


def _alone(judged: Sequence[Score]) -> str:
    """Which scores lose something when each is looked at alone, as tables and cards do, which say so."""
    names = [s.title for s in judged if (loss(s) or 0.0) >= SLIGHT]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f" Worse alone, which may be chance: {', '.join(names[:_NAMED])}{more}." if names else ""


def _seen(scores: Scores, keys: tuple[str, ...]) -> bool:
    """Whether one of these scores has a value and a floor, so that something can be said of it."""
    return any(key in scores and scores[key].floor is not None for key in keys)


def _clean(scores: Scores) -> tuple[str, ...]:
    """That it does not copy, where that was looked at."""
    return ("does not copy",) if _seen(scores, COPYING) else ()


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


# --- copying ---------------------------------------------------------------------------------------------


def _repeated(evaluation: Evaluation) -> list[Finding]:
    """ECG recordings that repeat a real one, perhaps at another phase, more than fresh real ones do."""
    text = copies_of(evaluation.ecg)
    return [("copies", text)] if text else []


def _copying(scores: Scores, exact: bool) -> list[Finding]:
    """exact: whether exact copies count; of tables only where there are more than chance explains."""
    texts = []
    authenticity, test = scores.get("authenticity"), scores.get("copying_test")
    errors = _beside_real(scores.get("nn_two_sample"))
    believed = not _contracted(scores) if errors is None else errors > 2
    certain = errors is not None and errors > 3
    lost = 0.0 if authenticity is None else _authenticity_lost(authenticity, certain)
    near = max(_close(authenticity), lost if believed and lost >= COPIED else 0.0)
    if near > 0:
        texts.append(f"copies its training data (about {near:.0%} of the samples are near copies)")
    elif believed and test is not None and (test.value or 0.0) < -3 and _below_zero(test):
        texts.append(f"copies its training data (copying test {test.value:.1f})")
    if exact and authenticity is not None and not authenticity.details.get("real_duplicates"):
        share = (authenticity.details.get("exact_copies") or 0) / authenticity.n_synthetic
        if share >= 0.01:
            texts.append(f"{share:.0%} of the samples are exact copies of training samples")
    return [("copies", text) for text in texts]


def _close(score: Score | None) -> float:
    """The share of close copies beyond what fresh samples have, if there are more than chance explains."""
    if score is None or not any(w.code == "close_copies" for w in score.warnings):
        return 0.0
    return float(score.details["close"] - score.details["close_expected"])


def _authenticity_lost(score: Score, certain: bool) -> float:
    """What part of its floor authenticity lost; 0 without a floor, and within the noise unless certain."""
    apart = gap(score)
    if apart is None or score.floor is None or score.floor.value <= 0:
        return 0.0
    if apart <= (0.0 if certain else noise(score)):
        return 0.0
    return min(1.0, apart / score.floor.value)


def _below_zero(score: Score) -> bool:
    return score.interval is None or score.interval.high < 0


def _beside_real(score: Score | None) -> float | None:
    """By how many standard errors more often than by chance a synthetic sample's nearest is real."""
    if score is None:
        return None
    rate, chance, m = (score.details.get(k) for k in ("accuracy_synthetic", "chance", "m_used"))
    if rate is None or chance is None or not m:
        return None
    return float((chance - rate) / (chance * (1 - chance) / m) ** 0.5)


# --- coverage and fidelity ---------------------------------------------------------------------------------


def _lost(scores: Scores, copied: bool) -> list[Finding]:
    """Contraction, fidelity and coverage, the cause or the larger loss first.

    Copies crowd around training samples by nature, so contraction is not held against them again.
    """
    contracted = _contracted(scores)
    coverage, fidelity = _coverage_lost(scores), _worst(scores, FIDELITY[:1] if contracted else FIDELITY)
    findings: list[Finding] = []
    if fidelity >= CLEAR:
        findings.append(("unrealistic", f"many samples are unrealistic: {fidelity:.0%} of the fidelity is lost"))
    if coverage >= CLEAR:
        text = f"misses part of the variety: {coverage:.0%} of the coverage is lost"
        findings.insert(0 if coverage - fidelity >= SLIGHT else len(findings), ("misses", text))
    if contracted and not copied:
        findings.insert(0, ("contracted", "samples huddle in the densest regions (contraction)"))
    return findings


def _coverage_lost(scores: Scores) -> float:
    """The loss of coverage that bad samples do not explain: of clipped coverage, what good samples lack."""
    lost, bad = _worst(scores, COVERAGE[:1]), _worst(scores, FIDELITY[:1])
    lacking = max(0.0, (lost - bad) / (1.0 - bad)) if bad < 1.0 else 0.0
    return max(lacking, _worst(scores, COVERAGE[1:]))


def _worst(scores: Scores, keys: tuple[str, ...]) -> float:
    """The largest loss; 0 without any."""
    factor = _many(scores)
    return max((loss(scores[key], factor) or 0.0 for key in keys if key in scores), default=0.0)


def _contracted(scores: Scores) -> bool:
    """Whether contraction was found that is not there in real against real as well (as with heavy tails).

    Without a floor (so few samples that there is none, say) density must be above the limit of that warning for sure.
    """
    density = scores.get("density")
    apart = True
    if density is not None and density.value is not None and density.floor is not None:
        apart = density.value - density.floor.value > noise(density)
    elif density is not None and density.interval is not None:
        apart = density.interval.low > _CONTRACTED
    return apart and any(w.code == "contraction" for s in scores.values() for w in s.warnings)
