"""What a monitor grades against: the training set, and real samples that the generator never saw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from truegrade.engine.moments import moments
from truegrade.engine.needs import Answers, Moments, MomentsAnswer, Need
from truegrade.errors import notice
from truegrade.grading import Run
from truegrade.metrics.base import Metric
from truegrade.metrics.frechet import FrechetDistance
from truegrade.monitor.collected import Collected
from truegrade.result import About, Evaluation, Reference, Score
from truegrade.samples import Samples
from truegrade.session import Session
from truegrade.uncertainty.floors import alone
from truegrade.uncertainty.intervals import Uncertainty, spread_of


@dataclass(frozen=True)
class KeptRun(Run):
    """A run that computes the mean and covariance of the reference sets once. lasting: their fingerprints."""

    lasting: frozenset[str] = frozenset()
    known: dict[str, MomentsAnswer] = field(default_factory=dict)

    def answer(self, needs: tuple[Need, ...], sides: Mapping[str, Samples]) -> Answers:
        """As `Run.answer` does."""
        mine = [n for n in needs if isinstance(n, Moments) and self._lasts(n, sides)]
        rest = tuple(n for n in needs if n not in mine)
        sizes = {name: samples.n for name, samples in sides.items()}
        found = super().answer(rest, sides) if rest else Answers({}, sizes, sides["real"].d)
        return Answers({**found.values, **{n: self.moments(sides[str(n.side)]) for n in mine}}, sizes, found.dimension)

    def moments(self, samples: Samples) -> MomentsAnswer:
        """Those of a reference set."""
        if samples.fingerprint not in self.known:
            self.known[samples.fingerprint] = moments(samples)
        return self.known[samples.fingerprint]

    def _lasts(self, need: Moments, sides: Mapping[str, Samples]) -> bool:
        return isinstance(need.side, str) and sides[need.side].fingerprint in self.lasting


@dataclass(frozen=True)
class Graded:
    """The evaluations of one moment, and by key how much nearer the samples are to the training set."""

    training: Evaluation
    validation: Evaluation | None = None
    gap: Mapping[str, float] | None = None


@dataclass(frozen=True)
class References:
    """training: the session of all real samples. validation: that of those the generator never saw.

    peer: training samples in the number of the validation samples, where there are more; the gap is taken from them,
    for most scores depend on the number of real samples.
    """

    training: Session
    validation: Session | None = None
    peer: Session | None = None

    def grade(self, synthetic: Samples, collected: Collected) -> Graded:
        """Against every reference."""
        training = _grade(self.training, synthetic, collected)
        if self.validation is None:
            return Graded(training)
        validation = _grade(self.validation, synthetic, collected)
        peer = training if self.peer is None else _grade(self.peer, synthetic, collected)
        return Graded(training, validation, gaps(peer, validation))


def references_of(session: Session) -> References:
    """The references of a session; its hold-out set, if it has one, are the validation samples."""
    found = _references(session)
    sessions = [one for one in (found.training, found.validation, found.peer) if one is not None]
    run = KeptRun(session.run.threads, session.run.cache, lasting=frozenset(s.real.fingerprint for s in sessions))
    return References(*(replace(one, run=run) for one in sessions))


def _references(training: Session) -> References:
    held = training.holdout
    if held is None:
        return References(training)
    metrics = {key: alone(m) for key, m in training.metrics.items() if not m.info.needs_holdout}
    other = replace(training, metrics=metrics, holdout=None, floors={})
    n = min(training.real.n, held.n)
    validation = replace(other, real=_drawn(held, n, training.seed))
    if held.n >= training.real.n:
        return References(training, validation)
    peer = replace(other, real=_drawn(training.real, n, training.seed), intervals=False, floor=False, floors={})
    return References(training, validation, peer)


def _drawn(samples: Samples, n: int, seed: int) -> Samples:
    if n == samples.n:
        return samples
    rows = np.sort(np.random.default_rng([seed, samples.n, n]).permutation(samples.n)[:n])
    return samples.subset(rows.astype(np.intp))


# --- the gap -------------------------------------------------------------------------------------------------


def gaps(training: Evaluation, validation: Evaluation) -> dict[str, float]:
    """By key, how much nearer the samples are to the training than to the validation set, in the score's unit.

    The difference of both scores, positive where the samples keep closer to the training set than fresh samples would
    (overfitting). Scores that are undefined on a side, or for which near and far mean nothing, have none.
    """
    out = {}
    for key, score in validation.scores.items():
        ours, sign = training.scores[key].value, towards(score.about)
        if ours is not None and score.value is not None and sign:
            out[key] = sign * (ours - score.value)
    return out


def towards(about: About) -> int:
    """1 where a higher score means nearer to the real samples, -1 where a lower one does, 0 where neither.

    Authenticity is the higher the farther the samples are from the real ones; a two-sample test that cannot tell the
    sets apart has a low accuracy, and the lowest for copies.
    """
    if about.family == "copying":
        return -1 if about.direction == "higher" else 0
    if about.family == "two-sample" or about.direction == "lower":
        return -1
    return 1 if about.direction == "higher" or about.target is not None else 0


# --- more samples than are kept ------------------------------------------------------------------------------


def _grade(session: Session, synthetic: Samples, collected: Collected) -> Evaluation:
    for size in [size for size in session.floors if size[0] != synthetic.n]:  # they hold copies of the real samples
        del session.floors[size]
    evaluation = session.evaluate(synthetic)
    if collected.seen == collected.kept:
        return evaluation
    scores = dict(evaluation.scores)
    for key, metric in session.metrics.items():
        if isinstance(metric, FrechetDistance) and scores[key].status == "ok":
            scores[key] = _of_all(session, metric, scores[key], synthetic, collected)
    note = notice("reservoir", seen=collected.seen, kept=collected.kept, seed=collected.seed)
    return replace(evaluation, scores=scores, notices=(*evaluation.notices, note))


def _of_all(session: Session, metric: Metric, score: Score, kept: Samples, collected: Collected) -> Score:
    """The score with the value for all samples seen; its interval is that of the kept ones, about the new value."""
    assert collected.moments is not None
    assert isinstance(session.run, KeptRun)
    moments: dict[Need, MomentsAnswer] = {
        Moments("real"): session.run.moments(session.real),
        Moments("synthetic"): collected.moments.finish(),
    }
    sizes = {"real": session.real.n, "synthetic": collected.seen}
    outcome = metric.compute(Answers(moments, sizes, session.real.d))
    if outcome.value is None or not np.isfinite(outcome.value):
        reason = outcome.reason or f"the value came out as {outcome.value}"
        return replace(score, value=None, raw=None, status="undefined", reason=reason, interval=None, trace=None)
    found = Uncertainty()
    if session.intervals:
        sides = {"real": session.real, "synthetic": kept}
        quiet = replace(session.run, cache=None, progress=None)
        found = spread_of({score.key: metric}, {score.key: outcome}, sides, seed=session.seed, run=quiet)[score.key]
    known = found.interval if not isinstance(found.interval, str) else None
    return replace(
        score,
        value=float(outcome.value),
        details=dict(outcome.details),
        warnings=outcome.warnings,
        interval=known,
        trace=found.trace,
        floor=None if score.floor is None else _carried(score.floor, session.real.n, kept.n, collected.seen),
        n_synthetic=collected.seen,
    )


def _carried(floor: Reference, n: int, kept: int, seen: int) -> Reference:
    """A reference for n against `kept` samples, for n against `seen`; its bias falls as 1/n + 1/m."""
    factor = (1 / n + 1 / seen) / (1 / n + 1 / kept)
    error = None if floor.error is None else floor.error * factor
    note = f"{floor.note}; carried to {n} against {seen} by the factor {factor:.4g}"
    return replace(floor, value=floor.value * factor, error=error, note=note, scaled=True)
