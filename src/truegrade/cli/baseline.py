"""--baseline: a saved result that new ones must not be worse than, beyond noise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from truegrade import combine
from truegrade.errors import InputError
from truegrade.report.summary.differences import compared_title, p_text
from truegrade.report.words import bounds, number, safe
from truegrade.result import Comparison, Difference, Evaluation, did_you_mean, read_result
from truegrade.samples import Samples
from truegrade.session import facts_of
from truegrade.uncertainty.paired import check_same_real


@dataclass(frozen=True)
class Check:
    """What became of one model: words for stdout, and complaints where it is worse than the baseline."""

    words: str
    worse: tuple[str, ...]


@dataclass(frozen=True)
class Baseline:
    """A saved Evaluation, or a saved Comparison that holds a model of the same name."""

    path: Path
    saved: Evaluation | Comparison

    def of(self, name: str) -> Evaluation:
        """What the model `name` is compared with."""
        if isinstance(self.saved, Evaluation):
            return self.saved
        if name not in self.saved.evaluations:
            raise InputError(
                f"--baseline {self.path} holds no model named {name!r}.{did_you_mean(name, self.saved)} "
                f"There are: {', '.join(self.saved)}. Name the set as it was named there: NAME=FILE."
            )
        return self.saved[name]

    def refuse(self, real: Samples, names: Iterable[str]) -> None:
        """InputError, before any work, for models that it does not hold and for another real set."""
        facts = facts_of(real)
        for name in names:
            check_same_real((f"the baseline {self.path}", self.of(name).real), (name, facts))

    def check(self, name: str, now: Evaluation) -> Check:
        """Whether any score is significantly worse, or has lost its value; InputError where nothing can be tested."""
        before, old = self.of(name), f"{name} before"
        found = combine({old: before, name: now}).differences
        lost = [k for k in before.scores.keys() & now.scores.keys() if before[k].status == "ok" != now[k].status]
        tested = [d for d in found if d.p_holm is not None]
        if not tested and not lost:
            why = next((d.reason for d in found if d.reason), "the two have no score in common")
            raise InputError(f"Nothing of the baseline {self.path} can be compared with {name}: {why}.")
        worse = [_worse(d, before, now, name, self.path) for d in tested if d.better == old]
        worse += [f"{now[k].title} of {name} has no value any more: {now[k].reason}" for k in sorted(lost)]
        return Check("\n".join(_words(found, now, name, old, self.path)), tuple(worse))


def read_baseline(path: Path | None) -> Baseline | None:
    """The saved result; None without a path."""
    return None if path is None else Baseline(path, read_result(path))


def _worse(found: Difference, before: Evaluation, now: Evaluation, name: str, path: Path) -> str:
    was, is_ = (number(e[found.key].value or 0.0, e[found.key].interval) for e in (before, now))
    assert found.p_holm is not None
    what = f"{now[found.key].title} of {name}"
    return f"{what} is worse than in {path}: {was} before, {is_} now ({p_text(found.p_holm)})."


def _words(found: Iterable[Difference], now: Evaluation, name: str, old: str, path: Path) -> Iterator[str]:
    """Worse, better, within noise, not compared: a line each."""
    groups: dict[str, list[str]] = {"worse": [], "better": [], "within noise": [], "not compared": []}
    for d in found:
        title = compared_title(now[d.key])
        if d.p_holm is None:
            groups["not compared"].append(f"{title} ({safe(d.reason or 'unknown', 200)})")
        elif d.better is None:
            groups["within noise"].append(title)
        elif d.interval is not None and d.value is not None:
            change = -d.value, -d.interval.high, -d.interval.low
            text = number(change[0], d.interval)
            apart = bounds(type(d.interval)(change[1], change[2], d.interval.level, d.interval.method))
            groups["worse" if d.better == old else "better"].append(f"{title} ({text}, {apart})")
    yield f"\n{safe(name)} against the baseline {safe(str(path), 200)}, change with its 95 % interval"
    for group, texts in groups.items():
        if texts:
            yield f"  {group}: {'; '.join(texts)}"  # a title may hold a comma
