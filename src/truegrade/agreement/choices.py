"""Choices between two by raters: Cohen's kappa with every score, and whether it beats chance or another score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from truegrade.agreement.joining import Index, name_column, shared, split_on
from truegrade.agreement.kappa import cohen_kappa, signed_rank_p
from truegrade.agreement.records import AgreementReport, ChoiceAgreement, RaterAgreement
from truegrade.agreement.table import Table
from truegrade.errors import InputError
from truegrade.metrics import METRICS
from truegrade.uncertainty.paired import holm

COLUMNS = ("rater", "first", "second", "choice")
FIRST, SECOND, TIE, UNKNOWN = 0, 1, 2, -1
Ints = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class _Answers:
    """Answers that were given: who, what (FIRST or SECOND), and the rows of the scores that were shown."""

    raters: list[str]
    chosen: Ints
    first: Ints
    second: Ints


def agree_choices(
    ratings: Table,
    scores: Table,
    *,
    on: str | None,
    columns: Sequence[str],
    higher: Sequence[str],
    lower: Sequence[str],
    reference: str | None,
) -> AgreementReport:
    """Kappa of every rater, and of all, with the choices that each of `columns` of the scores makes."""
    worth = {name: _Worth.of(name, higher, lower) for name in columns}
    if reference is not None and reference not in worth:
        raise InputError(f"reference={reference!r} given; one of the scores is accepted: {', '.join(worth)}.")
    answers, joined, lost, others, notes = _join(ratings, scores, on)
    choices = {name: _choices(w.of_values(scores.numbers(name)), answers) for name, w in worth.items()}
    raters = tuple(_rater(r, name, c, answers) for name, c in choices.items() for r in dict.fromkeys(answers.raters))
    found = [_overall(name, worth[name].words, c, answers, raters) for name, c in choices.items()]
    return AgreementReport(
        form="choices",
        ratings=ratings.who,
        scores=scores.who,
        joined=joined,
        choices=tuple(_tested(found, raters, reference)),
        raters=raters,
        reference=reference,
        unmatched_ratings=lost,
        unmatched_scores=others,
        notes=notes,
    )


@dataclass(frozen=True)
class _Worth:
    """Which values of a score are better."""

    words: str
    sign: float
    target: float | None = None

    @staticmethod
    def of(name: str, higher: Sequence[str], lower: Sequence[str]) -> _Worth:
        """As told, else as the metric of that name says; InputError where neither does."""
        if name in higher and name in lower:
            raise InputError(f"{name!r} was given as higher and as lower; one of both is accepted.")
        if name in higher or name in lower:
            return _Worth("higher", 1.0) if name in higher else _Worth("lower", -1.0)
        info = METRICS[name].info if name in METRICS else None
        if info is None or (info.direction == "target" and info.target is None):
            raise InputError(
                f"Is a higher or a lower {name!r} better? It is no metric of truegrade that says so: give higher or "
                f"lower (--higher {name} or --lower {name}), or choose other columns (--scores)."
            )
        if info.direction == "target":
            return _Worth(f"near {info.target:g}", -1.0, info.target)
        return _Worth(info.direction, 1.0 if info.direction == "higher" else -1.0)

    def of_values(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The values so that more is better."""
        return self.sign * (values if self.target is None else np.abs(values - self.target))


def _join(
    ratings: Table, scores: Table, on: str | None
) -> tuple[_Answers, str, tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    named = {name: ratings.text(ratings.named(name) or name) for name in COLUMNS}
    column = split_on(on)[1] or name_column(scores, "what was rated")
    context = [(a, b) for a, b in shared(ratings, scores, ("dataset", "item")) if b != column]
    index = Index.of(scores, [*(b for _, b in context), column])
    where = [ratings.text(a) for a, _ in context]
    keys = {side: list(zip(*where, named[side], strict=True)) for side in ("first", "second")}
    found = index.match([*keys["first"], *keys["second"]])
    shown = [row for row in range(ratings.n) if keys["first"][row] in found and keys["second"][row] in found]
    kept = [row for row in shown if named["choice"][row]]
    if not kept:
        raise InputError(
            f"No pair of the ratings ({named['first'][0]!r} and {named['second'][0]!r} ...) is in the scores "
            f"({', '.join(k[-1] for k in list(index.rows)[:4])} ...), or none has a choice; name the column of the "
            "scores that holds the names with on (--on COLUMN)."
        )
    sides = [np.array([found[keys[side][row]] for row in kept], dtype=np.intp) for side in ("first", "second")]
    chosen = [_side(named, row, ratings.who) for row in kept]
    raters = [named["rater"][row] for row in kept]
    if not all(raters):
        raise InputError(f"{ratings.who}: {sum(not r for r in raters)} answers have no rater; fill the column 'rater'.")
    lost = {
        "answers left out, about names that the scores do not have": ratings.n - len(shown),
        "answers left out, without a choice": len(shown) - len(kept),
    }
    asked = dict.fromkeys([*keys["first"], *keys["second"]])
    return (
        _Answers(raters, np.array(chosen, dtype=np.intp), *sides),
        f"{' and '.join([*(b for _, b in context), column])} of the scores, {len(kept)} of {ratings.n} answers",
        tuple(" / ".join(key) for key in asked if key not in found),
        index.others(found),
        tuple(f"{text}: {count}" for text, count in lost.items() if count),
    )


def _side(named: Mapping[str, Sequence[str]], row: int, who: str) -> int:
    choice, first, second = (named[name][row] for name in ("choice", "first", "second"))
    words = {"first": FIRST, "1": FIRST, "second": SECOND, "2": SECOND}
    meant = {side for side, name in ((FIRST, first), (SECOND, second)) if name == choice}
    if not meant or first == second:
        meant |= {words[choice.casefold()]} if choice.casefold() in words else set()
    if first == second or len(meant) != 1:
        what = f"shows {first[:40]!r} twice" if first == second else f"has the choice {choice[:40]!r}"
        raise InputError(
            f"{who}: row {row + 1} below the header {what}; two different names are accepted, and as choice 'first', "
            "'second' or one of the two names (empty: no answer)."
        )
    return meant.pop()


def _choices(values: NDArray[np.float64], answers: _Answers) -> Ints:
    """What a score chooses: FIRST, SECOND, TIE, or UNKNOWN where a value is missing."""
    a, b = values[answers.first], values[answers.second]
    chosen = np.where(a > b, FIRST, np.where(b > a, SECOND, TIE))
    return np.where(np.isnan(a) | np.isnan(b), UNKNOWN, chosen).astype(np.intp)


def _rater(rater: str, score: str, choices: Ints, answers: _Answers) -> RaterAgreement:
    mine = np.array([name == rater for name in answers.raters])
    kappa, accuracy, n, tied = _measure(answers.chosen[mine], choices[mine])
    value, reason = (None, kappa) if isinstance(kappa, str) else (kappa, None)
    return RaterAgreement(rater, score, n, tied, int(mine.sum()) - n, accuracy, value, reason)


def _measure(people: Ints, score: Ints) -> tuple[float | str, float | None, int, int]:
    """kappa (or why not), share of agreement, answers, ties; a tie of the score agrees with nobody."""
    known = score != UNKNOWN
    people, score = people[known], score[known]
    accuracy = float((people == score).mean()) if len(people) else None
    return cohen_kappa(people, score), accuracy, len(people), int((score == TIE).sum())


def _overall(
    score: str, words: str, choices: Ints, answers: _Answers, raters: Sequence[RaterAgreement]
) -> ChoiceAgreement:
    kappa, accuracy, n, tied = _measure(answers.chosen, choices)
    kappas = [r.kappa for r in raters if r.score == score and r.kappa is not None]
    value, reason = (None, kappa) if isinstance(kappa, str) else (kappa, None)
    mean = float(np.mean(kappas)) if kappas else None
    missing = len(choices) - n
    return ChoiceAgreement(score, words, n, tied, missing, accuracy, value, mean, len(kappas), reason=reason)


def _tested(
    found: Sequence[ChoiceAgreement], raters: Sequence[RaterAgreement], reference: str | None
) -> list[ChoiceAgreement]:
    """With the p-values: each score's kappas, rater by rater, against 0 or against the reference's."""
    kappas = {c.score: {r.rater: r.kappa for r in raters if r.score == c.score} for c in found}
    better: dict[str, float | str] = {}
    worse: dict[str, float | str] = {}
    for name, mine in kappas.items():
        base: Mapping[str, float | None] = dict.fromkeys(mine, 0.0) if reference is None else kappas[reference]
        pairs = [(mine[r], base[r]) for r in mine]
        differences = [a - b for a, b in pairs if a is not None and b is not None]
        if name != reference:
            better[name] = signed_rank_p(differences)
            if reference is not None:
                worse[name] = signed_rank_p([-d for d in differences])
    columns = {"p": _known(better), "p_worse": _known(worse)}
    columns |= {f"{what}_holm": dict(zip(p, holm(list(p.values())), strict=True)) for what, p in columns.items()}
    reasons = {name: p for name, p in better.items() if isinstance(p, str)}
    return [
        replace(c, reason=c.reason or reasons.get(c.score), **{w: p.get(c.score) for w, p in columns.items()})  # type: ignore[arg-type]
        for c in found
    ]


def _known(p: Mapping[str, float | str]) -> dict[str, float]:
    return {name: value for name, value in p.items() if not isinstance(value, str)}
