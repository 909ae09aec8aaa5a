"""Which of several models is better by a score, and whether that is more than noise.

All models are graded against the same real samples, so an unlucky choice of these moves all of them alike. The
error of a difference leaves that common part out: where the traces of two scores have one basis, it is the spread
of the entries' differences. Otherwise both errors are added as if nothing were shared, which overstates the error.

What is compared is the score as it is shown: clipped to its range where it was, and by its distance to the target
where it has one. The replicates are put through the same, so a score that is far beyond its range has no error.

Sources: Politis, Romano & Wolf, Subsampling, 1999 (replicates); Holm, Scandinavian Journal of Statistics 6, 1979;
Kendall, Biometrika 33, 1945 (tau-b).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from truegrade.errors import InputError
from truegrade.result import Agreement, Comparison, Difference, Evaluation, Interval, Rank, Score, SetFacts

LEVEL = 0.95
_FEWEST = 3  # replicates
Floats = NDArray[np.float64]


def combine(evaluations: Mapping[str, Evaluation]) -> Comparison:
    """Evaluations against one real set, also saved ones, as a comparison: differences, ranks, agreements.

    A score that was computed with other parameters, or other hold-out samples that it depends on, has no difference
    and a reason. Raises InputError for no evaluations, and where the real sets are not the same.
    """
    if not isinstance(evaluations, Mapping) or not evaluations:
        raise InputError("combine needs at least one evaluation by name, such as {'before': a, 'after': b}.")
    for name, evaluation in evaluations.items():
        if not isinstance(evaluation, Evaluation):
            raise InputError(f"{name!r} is a {type(evaluation).__name__}; an Evaluation is accepted.")
    first = next(iter(evaluations))
    for name, evaluation in evaluations.items():
        check_same_real((first, evaluations[first].real), (name, evaluation.real))
    found = differences(evaluations)
    return Comparison(dict(evaluations), found, ranks(evaluations, found), agreements(evaluations, found))


def check_same_real(first: tuple[str, SetFacts], second: tuple[str, SetFacts]) -> None:
    """InputError unless two named evaluations were made against the same real samples."""
    (one, a), (other, b) = first, second
    if (a.fingerprint, a.n, a.d) != (b.fingerprint, b.n, b.d):
        raise InputError(
            f"{one!r} was graded against {_described(a)}, {other!r} against {_described(b)}: scores on different real "
            "data cannot be compared. Grade both against the same real samples."
        )


def _described(facts: SetFacts) -> str:
    return f"{facts.n} real samples of {facts.d} features with the fingerprint {facts.fingerprint}"


# --- differences -----------------------------------------------------------------------------------------


def differences(evaluations: Mapping[str, Evaluation]) -> tuple[Difference, ...]:
    """Of every pair of models, in the order given, in every score that both have and that can be compared.

    The value is first - second; of a score with a target, of the distances to the target. p is two-sided, from a
    t distribution; p_holm is corrected for all differences that have a p.
    """
    found: list[Difference] = []
    for (one, a), (other, b) in combinations(evaluations.items(), 2):
        for key in a.scores.keys() & b.scores.keys():
            if merit(a[key]) is not None and merit(b[key]) is not None:
                reason = _unlike(a, b, key)
                known = Difference(key, one, other, None, reason=reason)
                found.append(known if reason else _difference(key, (one, a), (other, b)))
    order = {key: place for place, key in enumerate(key for e in evaluations.values() for key in e.scores)}
    places = {name: place for place, name in enumerate(evaluations)}
    found.sort(key=lambda d: (places[d.first], places[d.second], order[d.key]))
    tested = [d for d in found if d.p is not None]
    corrected = dict(zip(map(id, tested), holm([d.p for d in tested if d.p is not None]), strict=True))
    return tuple(_decided(d, corrected.get(id(d)), evaluations) for d in found)


def merit(score: Score) -> float | None:
    """The score turned so that more is better; None without a value, or without a direction to compare by."""
    if score.value is None or score.about.direction not in ("higher", "lower", "target"):
        return None
    if score.about.direction == "target" and score.about.target is None:
        return None
    compared = float(_compared(score, np.array(score.value)))
    return compared if score.about.direction == "higher" else -compared


def _unlike(a: Evaluation, b: Evaluation, key: str) -> str | None:
    """Why two scores of one key are not the same measurement, None if they are."""
    ours, theirs = a[key].parameters, b[key].parameters
    differ = [f"{name}={ours.get(name)} and {theirs.get(name)}" for name in {**ours, **theirs}
              if ours.get(name) != theirs.get(name)]
    if differ:
        return f"it was computed with other parameters ({'; '.join(differ)})"
    fresh = [e.holdout.fingerprint for e in (a, b) if e.holdout is not None]
    if a[key].about.family == "copying" and len(set(fresh)) > 1:
        return "it was computed with other hold-out samples"
    return None


def _difference(key: str, first: tuple[str, Evaluation], second: tuple[str, Evaluation]) -> Difference:
    (one, a), (other, b) = first, second
    value = float(_compared(a[key], np.array(a[key].value)) - _compared(b[key], np.array(b[key].value)))
    if a.synthetic.fingerprint == b.synthetic.fingerprint and value == 0.0:
        same = Interval(0.0, 0.0, LEVEL, "both are the same samples")
        return Difference(key, one, other, 0.0, same, 1.0, paired=True)
    for name, score in ((one, a[key]), (other, b[key])):
        if score.trace is None:
            why = score.missing.get("interval", "no intervals were computed")
            return Difference(key, one, other, value, reason=f"nothing is known of the error for {name}: {why}")
    error, freedom, paired = _error(a[key], b[key])
    if not np.isfinite(error) or freedom < 1:
        return Difference(key, one, other, value, reason="too few replicates are defined to know the error")
    method = "paired on the real samples" if paired else "not paired: the errors are taken as independent"
    interval = _interval(value, error, freedom, a[key], method)
    return Difference(key, one, other, value, interval, _p(value, error, freedom), paired=paired)


def _error(a: Score, b: Score) -> tuple[float, int, bool]:
    """Standard error of the difference, its degrees of freedom, and whether it is a paired one."""
    assert a.trace is not None
    assert b.trace is not None
    own = a.trace.own + b.trace.own
    common = a.trace.shared(b.trace)
    if common is not None and common.sum() >= _FEWEST:
        apart = _replicates(a, common) - _replicates(b, common)
        return float(np.sqrt(apart.var(ddof=1) + own)), _freedom(common, a, b), True
    used = [np.isfinite(s.trace.values) for s in (a, b) if s.trace is not None]
    if min(u.sum() for u in used) < _FEWEST:
        return float("nan"), 0, False
    spread = sum(float(_replicates(s, u).var(ddof=1)) for s, u in zip((a, b), used, strict=True))
    return float(np.sqrt(spread + own)), min(_freedom(u, s) for s, u in zip((a, b), used, strict=True)), False


def _freedom(used: NDArray[np.bool_], *scores: Score) -> int:
    """Degrees of freedom of an error from the entries `used`: what the least known of the scores has."""
    known = [score.trace.freedom for score in scores if score.trace is not None]
    return min([int(used.sum()) - 1, *(freedom for freedom in known if freedom is not None)])


def _replicates(score: Score, used: NDArray[np.bool_]) -> Floats:
    """What is compared, with the noise of the full sample: entries around the value, at its own scale."""
    assert score.trace is not None
    centre = score.value if score.raw is None else score.raw
    values = score.trace.values[used]
    return _compared(score, (centre or 0.0) + (values - values.mean()) * score.trace.scale)


def _compared(score: Score, values: Floats) -> Floats:
    """Raw values as they are compared: clipped where the score is, distances to the target where it has one."""
    about = score.about
    if score.raw is not None:
        values = np.clip(values, *about.range)
    return np.abs(values - about.target) if about.direction == "target" and about.target is not None else values


def _interval(value: float, error: float, freedom: int, score: Score, method: str) -> Interval:
    reach = float(stdtrit(freedom, (1 + LEVEL) / 2)) * error
    low, high = score.about.range
    widest = high - low
    if score.about.direction == "target" and score.about.target is not None:
        widest = max(high - score.about.target, score.about.target - low)
    return Interval(max(value - reach, -widest), min(value + reach, widest), LEVEL, method)


def _p(value: float, error: float, freedom: int) -> float:
    if value == 0.0:
        return 1.0
    return 0.0 if error == 0.0 else float(2 * stdtr(freedom, -abs(value) / error))


def holm(p: Sequence[float]) -> list[float]:
    """Holm's corrected p-values, in the order given: the r-th smallest of m (from 0) times m - r, never falling."""
    order = np.argsort(p, kind="stable")
    out, highest = [1.0] * len(p), 0.0
    for place, at in enumerate(order):
        highest = max(highest, min(1.0, (len(p) - place) * p[at]))
        out[at] = highest
    return out


def _decided(found: Difference, p_holm: float | None, evaluations: Mapping[str, Evaluation]) -> Difference:
    better = None
    if p_holm is not None and p_holm < 1 - LEVEL:
        first, second = (merit(evaluations[name][found.key]) or 0.0 for name in (found.first, found.second))
        better = found.first if first > second else found.second
    return Difference(
        found.key, found.first, found.second, found.value, found.interval, found.p, p_holm, better,
        found.paired, found.reason,
    )


# --- ranks and agreement -----------------------------------------------------------------------------------


def ranks(evaluations: Mapping[str, Evaluation], found: Sequence[Difference]) -> dict[str, dict[str, Rank]]:
    """By score and model; scores of which no two models could be tested are left out."""
    out: dict[str, dict[str, Rank]] = {}
    for key in dict.fromkeys(d.key for d in found if d.p is not None):
        mine = [d for d in found if d.key == key]
        models = [name for name, e in evaluations.items() if key in e.scores and merit(e[key]) is not None]
        out[key] = {
            name: Rank(
                1 + sum(d.better not in (None, name) for d in mine if name in (d.first, d.second)),
                len(models) - sum(d.better == name for d in mine),
            )
            for name in models
        }
    return out


def agreements(evaluations: Mapping[str, Evaluation], found: Sequence[Difference]) -> tuple[Agreement, ...]:
    """Of every pair of scores, over the models that have both."""
    keys = list(dict.fromkeys(d.key for d in found if d.value is not None))
    merits = {key: {n: m for n, e in evaluations.items() if key in e.scores and (m := merit(e[key])) is not None}
              for key in keys}
    better = {key: {(d.first, d.second): d.better for d in found if d.key == key and d.better} for key in keys}
    out = []
    for first, second in combinations(keys, 2):
        both = [name for name in merits[first] if name in merits[second]]
        tau = kendall([merits[first][n] for n in both], [merits[second][n] for n in both])
        decided = better[first].keys() & better[second].keys()
        agreed = sum(better[first][pair] == better[second][pair] for pair in decided)
        out.append(Agreement(first, second, tau, len(decided), agreed))
    return tuple(out)


def kendall(a: Sequence[float] | Floats, b: Sequence[float] | Floats) -> float | None:
    """Kendall's tau-b in [-1, 1]; None for fewer than three values, or where all values of a or b are equal."""
    upper = np.triu_indices(len(a), 1)
    first, second = (np.sign(np.subtract.outer(x, x))[upper] for x in (np.array(a), np.array(b)))
    scale = np.sqrt(float(np.abs(first).sum() * np.abs(second).sum()))
    return None if len(a) < 3 or scale == 0 else float(np.clip((first @ second) / scale, -1.0, 1.0))
