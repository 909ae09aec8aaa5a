"""The verdict on a comparison in plain words: who is better in what, and what is within noise.

Every family is spoken for by a few scores. A model leads a family if it is among the best, beyond noise, by each of
them that tells any two models apart; if no model is, the scores disagree, and that is said. A model whose own
verdict is that it copies, or that its samples huddle, is never praised without that being said beside its name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from truegrade.report.verdict import judge
from truegrade.report.words import gap, noise, safe
from truegrade.result import Comparison
from truegrade.uncertainty.paired import merit

SPEAKERS: Mapping[str, tuple[str, ...]] = {
    "fidelity": ("clipped_density", "symmetric_precision"),
    "coverage": ("clipped_coverage", "symmetric_recall"),
    "distance": ("frechet_distance", "energy_distance", "kernel_distance", "mmd"),
    "copying": ("authenticity",),
}
NAMES = {"fidelity": "fidelity", "coverage": "coverage", "distance": "overall distance", "copying": "copying"}
_LED = {**NAMES, "copying": "originality"}  # nobody leads in copying
_PRAISE = {
    "fidelity": ("is more realistic", "are more realistic"),
    "coverage": ("covers more", "cover more"),
    "distance": ("is closer to the real data overall", "are closer to the real data overall"),
    "copying": ("stays farther from the training samples", "stay farther from the training samples"),
}
_BUT = {"copies": "which copies its training data", "contracted": "whose samples huddle in the densest regions"}
_BUT_MANY = {"copies": "copying training data", "contracted": "huddling in the densest regions"}
_CLEAR = "None is closer to the training samples than real data are."
_LONGEST = 32  # characters of a name
_LISTED = 3  # names of a group that are written out
_UNLIKE = 1.1  # ratio of sizes from which they are mentioned


@dataclass(frozen=True)
class Standing:
    """Who stands where in a family.

    outcome: "leads" (best are better than others by the scores that decide), "tie" (no difference beyond noise),
    "disagree" (the scores put different models first), "clear" (of copying: no model is closer to the training samples
    than real data are, so that being farther from them is no merit). last: those that trail by all scores that
    decide, and behind at least as many models as lead.
    by_score: for each score that was tested, the models that no other beats, in the order of the comparison.
    """

    family: str
    outcome: Literal["leads", "tie", "disagree", "clear"]
    best: tuple[str, ...]
    last: tuple[str, ...]
    by_score: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Versus:
    """words: one or a few sentences. findings: one line for each family, with the scores. standings: as data."""

    words: str
    findings: tuple[str, ...]
    standings: tuple[Standing, ...]


def versus(comparison: Comparison) -> Versus:
    """The verdict on a comparison; names are shortened and made harmless, but not escaped for HTML."""
    standings = tuple(s for family in SPEAKERS if (s := _standing(comparison, family)) is not None)
    speaker = _Speaker(comparison)
    if len(comparison) < 2:
        words = "There is one model only; nothing to compare."
    elif not standings:
        words = "The models cannot be ranked: " + _why_not(comparison)
    else:
        words = " ".join([*speaker.sentences(standings), *_unlike_sizes(comparison)])
    return Versus(words, tuple(speaker.finding(s) for s in standings), standings)


def order(comparison: Comparison, key: str) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    """The models from best to worst by one score, and of each neighbouring two whether they differ beyond noise."""
    have = {n: m for n, e in comparison.evaluations.items() if key in e.scores and (m := merit(e[key])) is not None}
    names = tuple(sorted(have, key=lambda name: -have[name]))
    decided = {frozenset((d.first, d.second)) for d in comparison.differences if d.key == key and d.better}
    return names, tuple(frozenset(pair) in decided for pair in pairwise(names))


def chain(comparison: Comparison, key: str) -> str:
    """The same as text: `C > A ~ B` where C is better than A beyond noise, and A and B are within noise."""
    names, apart = order(comparison, key)
    signs = [" > " if decided else " ~ " for decided in apart]
    return "".join(shown(name) + sign for name, sign in zip(names, [*signs, ""], strict=True))


def title(comparison: Comparison, key: str) -> str:
    """What a score is called in sentences."""
    return next(safe(e[key].title) for e in comparison.evaluations.values() if key in e.scores)


def shown(name: str) -> str:
    """A model's name as it is written in sentences."""
    return safe(name, _LONGEST)


# --- standings -------------------------------------------------------------------------------------------


def _standing(comparison: Comparison, family: str) -> Standing | None:
    """None where no score of the family was tested."""
    tested = [key for key in SPEAKERS[family] if key in comparison.ranks]
    if not tested:
        return None
    best = {key: _placed(comparison, key, first=True) for key in tested}
    deciding = [key for key in tested if any(d.better for d in comparison.differences if d.key == key)]
    if not deciding:
        return Standing(family, "tie", (), (), best)
    clear = _clear(comparison) if family == "copying" else ()
    if len(clear) == len(comparison):
        return Standing(family, "clear", (), (), best)
    leading = _common(comparison, [best[key] for key in deciding])
    trailing = _common(comparison, [_placed(comparison, key, first=False) for key in deciding])
    behind = (name for name in trailing if name not in (*leading, *clear))
    last = tuple(n for n in behind if all(comparison.ranks[key][n].best > len(leading) for key in deciding))
    return Standing(family, "leads" if leading else "disagree", leading, last, best)


def _clear(comparison: Comparison) -> tuple[str, ...]:
    """Models that do not copy and whose authenticity is not below that of real data."""
    return tuple(
        name
        for name, evaluation in comparison.evaluations.items()
        if (score := evaluation.scores.get("authenticity")) is not None
        and (apart := gap(score)) is not None
        and apart <= noise(score)
        and judge(evaluation).code != "copies"
    )


def _placed(comparison: Comparison, key: str, *, first: bool) -> tuple[str, ...]:
    """Models that no other beats, or that beat no other."""
    ranks = comparison.ranks[key]
    return tuple(n for n, rank in ranks.items() if (rank.best == 1 if first else rank.worst == len(ranks)))


def _common(comparison: Comparison, groups: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(name for name in comparison.evaluations if all(name in group for group in groups))


# --- words -----------------------------------------------------------------------------------------------


class _Speaker:
    """Sentences about the models of one comparison."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.codes = {name: judge(evaluation).code for name, evaluation in comparison.evaluations.items()}
        self.told: set[str] = set()  # of whom a group said what must be known

    def sentences(self, standings: Sequence[Standing]) -> list[str]:
        """Who leads in what, then where the scores disagree, then what is within noise, then the copies."""
        ties = [NAMES[s.family] for s in standings if s.outcome == "tie"]
        led = [s for s in standings if s.outcome == "leads"]
        tied = _within_noise(ties) if ties else ""
        if len(self.comparison) == 2:
            pair = ", ".join(self._pair(led))  # begins with a name, which stays as it is
            out = [f"{pair}; {tied}." if tied else f"{pair}."] if led else [_sentence(tied)] if tied else []
        else:
            out = [*self._many(led), *([_sentence(tied)] if tied else [])]
        out += [self._disagreement(s) for s in standings if s.outcome == "disagree"]
        out += [_CLEAR for s in standings if s.outcome == "clear"]
        return out + self._unsaid(" ".join(out))

    def _pair(self, led: Sequence[Standing]) -> list[str]:
        """A is more realistic and covers more; one clause for each model, the first family's winner first."""
        won: dict[str, list[str]] = {}
        for standing in led:
            won.setdefault(standing.best[0], []).append(_PRAISE[standing.family][0])
        return [f"{self.named(name)} {_listed(praise)}" for name, praise in won.items()]

    def _many(self, led: Sequence[Standing]) -> list[str]:
        """One sentence for all families in which the same models lead and the same are last."""
        alike: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
        for standing in led:
            alike.setdefault((standing.best, standing.last), []).append(_LED[standing.family])
        out = []
        for (best, last), families in alike.items():
            lead = f"{self.group(best)} {'leads' if len(best) == 1 else 'lead'} in {_listed(families)}"
            close = ", within noise of each other" if len(best) > 1 else ""
            rear = f"; {_names(last)} {'is' if len(last) == 1 else 'are'} last" if last else ""
            out.append(f"{lead}{close}{rear}.")  # begins with a name, which stays as it is
        return out

    def _disagreement(self, standing: Standing) -> str:
        first = {key: names for key, names in standing.by_score.items() if len(names) < len(self.comparison)}
        said = [f"{self.title(key)} favours {self.group(names)}" for key, names in first.items()]
        return f"The scores of {NAMES[standing.family]} disagree: {', '.join(said)}."

    def _unsaid(self, said: str) -> list[str]:
        """That a model copies, where it was not named before."""
        said_of = {n for n in self.codes if n in self.told or self.named(n) in said}
        copying = [n for n, code in self.codes.items() if code == "copies" and n not in said_of]
        if not copying:
            return []
        return [f"{_names(copying)} {'copies its' if len(copying) == 1 else 'copy their'} training data."]

    def finding(self, standing: Standing) -> str:
        """A family in one line: each score with who is ahead by it."""
        parts = []
        for key, names in standing.by_score.items():
            ranked = self.comparison.ranks[key]
            missing = [name for name in self.comparison.evaluations if name not in ranked]
            ahead = "within noise" if len(names) == len(ranked) else f"{self.group(names)} ahead"
            ahead = "none is below real data" if standing.outcome == "clear" else ahead
            parts.append(f"{self.title(key)}: {ahead}" + (f" (no value for {_names(missing)})" if missing else ""))
        return f"{_sentence(NAMES[standing.family])[:-1]}. {'; '.join(parts)}."

    def title(self, key: str) -> str:
        return title(self.comparison, key)

    def named(self, name: str) -> str:
        """A name with what must be known before it is praised."""
        but = _BUT.get(self.codes[name])
        return f"{shown(name)} ({but})" if but else shown(name)

    def group(self, names: Sequence[str]) -> str:
        """A, B and 4 more; what must be known of any of them before praise, however many there are."""
        alike = {self.codes[name] for name in names}
        if 1 < len(names) <= _LISTED and len(alike) == 1 and (but := _BUT_MANY.get(*alike)):
            self.told.update(names)
            return f"{_names(names)} ({'both' if len(names) == 2 else 'all'} {but})"
        if len(names) <= _LISTED:
            return _listed([self.named(name) for name in names])
        marks = [f"{n} of them {text}" for code, text in _BUT_MANY.items() if (n := self._count(names, code))]
        return _names(names) + (f" ({_listed(marks)})" if marks else "")

    def _count(self, names: Sequence[str], code: str) -> int:
        return sum(self.codes[name] == code for name in names)


def _names(names: Sequence[str]) -> str:
    rest = len(names) - _LISTED
    return _listed([*map(shown, names[:_LISTED]), *([f"{rest} more"] if rest > 0 else [])])


def _within_noise(families: Sequence[str]) -> str:
    if len(families) == 1:
        return f"the difference in {families[0]} is within noise"
    return f"the differences in {_listed(families)} are within noise"


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _why_not(comparison: Comparison) -> str:
    if not any(key in e.scores for keys in SPEAKERS.values() for key in keys for e in comparison.evaluations.values()):
        return "no score speaks for fidelity, coverage, distance or copying. Read the verdict on each."
    reasons = list(dict.fromkeys(d.reason for d in comparison.differences if d.reason))
    return f"{safe(reasons[0], 200)}." if reasons else "no score speaks for fidelity, coverage, distance or copying."


def _unlike_sizes(comparison: Comparison) -> list[str]:
    sizes = [e.synthetic.n for e in comparison.evaluations.values()]
    if min(sizes) == 0 or max(sizes) <= _UNLIKE * min(sizes):  # 0: unknown
        return []
    return [f"The sets differ in size ({min(sizes):,} to {max(sizes):,}), on which scores depend: grade equal sizes."]
