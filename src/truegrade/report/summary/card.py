"""The grade card and the fidelity-coverage plane as plain dicts: which scores, where on which scale, in what words.

Card: {"aspect", "title", "question", "absent", "scores": [gauge], "facts": [{"model", "text"}]}.
A gauge is one score on one scale {"key", "title", "role": "main" or "second", "better", "floor" (where it is the same
for all models, else ""), "scale", "marks": [mark per model]}.
A mark is {"model", "status", "value", "interval", "floor", "words", "level", "reason", "at", "low", "high", "floor_at",
"band", "ideal_at", "alt"}, places in percent of the scale. level: 0 as good as real data, 1 a little worse, 2 clearly
worse, 3 far; None unknown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from truegrade.report.summary.scale import Scale, shared_scale
from truegrade.report.words import bounds, comparison_words, level, noise, number, safe
from truegrade.result import Evaluation, Score

BETTER = {"higher": "higher is better", "lower": "lower is better"}
_ASPECTS: tuple[tuple[str, str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    (
        "fidelity",
        "Fidelity",
        "Are the samples realistic?",
        ("clipped_density", "precision", "symmetric_precision", "density"),
        ("symmetric_precision", "complement_precision", "precision"),
    ),
    (
        "coverage",
        "Coverage",
        "Is the variety of the real data there?",
        ("clipped_coverage", "coverage", "recall", "symmetric_recall"),
        ("symmetric_recall", "recall", "coverage"),
    ),
    (
        "copying",
        "Copying",
        "Are the samples new, or repeated training data?",
        ("authenticity", "copying_test"),
        ("copying_test",),
    ),
    (
        "distance",
        "Overall distance",
        "How far apart are the two sets as a whole?",
        ("frechet_distance", "energy_distance", "kernel_distance", "mmd", "nn_two_sample"),
        ("nn_two_sample", "energy_distance", "kernel_distance", "mmd"),
    ),
)


def grade_card(models: Mapping[str, Evaluation]) -> list[dict[str, Any]]:
    """The four aspects, each with the score that stands for it and a second opinion."""
    return [_aspect(models, *aspect) for aspect in _ASPECTS]


def card_keys(models: Mapping[str, Evaluation]) -> list[str]:
    """The keys of the scores that stand for an aspect on the card, each once."""
    gauges = (gauge for aspect in grade_card(models) for gauge in aspect["scores"])
    return list(dict.fromkeys(gauge["key"] for gauge in gauges if gauge["role"] == "main"))


def _aspect(
    models: Mapping[str, Evaluation],
    family: str,
    title: str,
    question: str,
    first: Sequence[str],
    second: Sequence[str],
) -> dict[str, Any]:
    main = _choose(models, first, family)
    other = None if main is None else _choose(models, [key for key in second if key != _base(main)], None)
    gauges = [_gauge(models, key, role) for key, role in ((main, "main"), (other, "second")) if key is not None]
    return {
        "aspect": family,
        "title": title,
        "question": question,
        "absent": "" if gauges else "No score of this kind was computed.",
        "scores": gauges,
        "facts": [] if main is None else list(_copies(models, main)),
    }


def _copies(models: Mapping[str, Evaluation], key: str) -> Iterator[dict[str, Any]]:
    """Which models hold exact copies, where the score on the card counted them; one line without a name if none."""
    scores = {name: e.scores[key] for name, e in models.items() if key in e.scores}
    counts = {name: score.details.get("exact_copies") for name, score in scores.items()}
    if None in counts.values() or any(score.about.family != "copying" for score in scores.values()):
        return
    if not any(counts.values()):
        yield {"model": "", "text": "No sample is an exact copy of a real one."}
    for name, copies in counts.items():
        if copies:
            yield {"model": name, "text": f"{copies:,} of {scores[name].n_synthetic:,} samples are exact copies."}


def _base(key: str) -> str:
    return key.partition("(")[0]


def _choose(models: Mapping[str, Evaluation], wanted: Sequence[str], family: str | None) -> str | None:
    """The first wanted key that has a value somewhere, else one that was tried, else any of the family."""
    tried = {key: score for evaluation in models.values() for key, score in evaluation.scores.items()}
    valued = {key for e in models.values() for key, score in e.scores.items() if score.value is not None}
    for have in (valued, tried):
        for key in wanted:
            if (found := next((k for k in tried if k in have and _base(k) == key), None)) is not None:
                return found
    return next((k for k, score in tried.items() if score.about.family == family), None)


def _gauge(models: Mapping[str, Evaluation], key: str, role: str) -> dict[str, Any]:
    scores = [evaluation.scores.get(key) for evaluation in models.values()]
    one = next(score for score in scores if score is not None)
    scale = shared_scale(scores)
    marks = [_mark(name, score, scale) for name, score in zip(models, scores, strict=True)]
    floors = {score.floor.value for score in scores if score is not None and score.floor is not None}
    return {
        "key": key,
        "title": one.title,
        "role": role,
        "better": better_words(one),
        "floor": next(mark["floor"] for mark in marks if mark["floor"]) if len(floors) == 1 and scale else "",
        "scale": None if scale is None else scale.plain(),
        "marks": marks,
    }


def better_words(score: Score) -> str:
    """Which way is better, in words."""
    about = score.about
    if about.direction != "target":
        return BETTER[about.direction]
    return "best near real against real" if about.target is None else f"best at {about.target:g}"


def _mark(name: str, score: Score | None, scale: Scale | None) -> dict[str, Any]:
    if score is None or score.value is None or scale is None:
        reason = "not computed" if score is None else score.reason or ""
        status = "absent" if score is None else score.status
        nothing = dict.fromkeys(("value", "interval", "floor", "words"), "")
        return {"model": name, "status": status, "reason": reason, "level": None, **nothing}
    interval, floor = score.interval, score.floor
    reach = noise(score)
    mark = {
        "model": name,
        "status": "ok",
        "reason": score.missing.get("interval", ""),
        "value": number(score.value, interval),
        "interval": "" if interval is None else bounds(interval),
        "floor": "" if floor is None else number(floor.value, interval),
        "words": comparison_words(score),
        "level": level(score),
        "at": scale.at(score.value),
        "low": None if interval is None else scale.at(interval.low),
        "high": None if interval is None else scale.at(interval.high),
        "floor_at": None if floor is None else scale.at(floor.value),
        "band": None if floor is None else [scale.at(floor.value - reach), scale.at(floor.value + reach)],
        "ideal_at": _ideal(score, scale),
    }
    return mark | {"alt": _alternative(score.title, mark)}


def _ideal(score: Score, scale: Scale) -> float | None:
    target = score.about.target
    if target is None and score.about.direction == "lower":
        target = max(0.0, score.about.range[0])
    return None if target is None or not scale.low <= target <= scale.high else scale.at(target)


def _alternative(title: str, mark: Mapping[str, Any]) -> str:
    parts = [f"{title} of {safe(mark['model'], 40)}: {mark['value']}"]
    parts += [f"95 % interval {mark['interval']}"] if mark["interval"] else []
    parts += [f"real against real {mark['floor']}"] if mark["floor"] else []
    return "; ".join([*parts, *([mark["words"]] if mark["words"] else [])])


# --- the plane -------------------------------------------------------------------------------------------

_PLANES = (("clipped_coverage", "clipped_density"), ("symmetric_recall", "symmetric_precision"))
_Z95 = 1.959964
_RADIUS95 = 2.447747  # root of the 95 % point of a chi-square with two degrees of freedom


def planes(models: Mapping[str, Evaluation]) -> list[dict[str, Any]]:
    """Coverage across, fidelity upwards: the clipped pair, and the symmetric pair that sees what it cannot."""
    pairs = [pair for pair in _PLANES if _points(models, *pair)]
    fallback = ("recall", "precision")
    return [_plane(models, *pair) for pair in pairs or ([fallback] if _points(models, *fallback) else [])]


def _points(models: Mapping[str, Evaluation], x: str, y: str) -> list[tuple[str, Score, Score]]:
    both = ((name, e.scores.get(x), e.scores.get(y)) for name, e in models.items())
    return [(name, a, b) for name, a, b in both if a and b and a.value is not None and b.value is not None]


def _plane(models: Mapping[str, Evaluation], x: str, y: str) -> dict[str, Any]:
    found = _points(models, x, y)
    points = [_point(name, a, b) for name, a, b in found]
    floors = [{"x": a.floor.value, "y": b.floor.value} for _, a, b in found if a.floor and b.floor][:1]
    least = min(
        min(p["x"] - p["half_x"], p["y"] - p["half_y"])
        for p in [*points, *({**f, "half_x": 0, "half_y": 0} for f in floors)]
    )
    low = max(0.0, math.floor(10 * min(least, 0.75) - 0.5) / 10)
    return {
        "x_key": x,
        "y_key": y,
        "x_title": found[0][1].title,
        "y_title": found[0][2].title,
        "low": 0.0 if low < 0.3 else low,
        "points": points,
        "floor": floors[0] if floors else None,
    }


def _point(name: str, x: Score, y: Score) -> dict[str, Any]:
    half_x, half_y = (0.0 if s.interval is None else (s.interval.high - s.interval.low) / 2 for s in (x, y))
    stretch = _RADIUS95 / _Z95
    return {
        "model": name,
        "x": x.value,
        "y": y.value,
        "x_text": number(x.value or 0.0, x.interval),
        "y_text": number(y.value or 0.0, y.interval),
        "half_x": round(stretch * half_x, 6),
        "half_y": round(stretch * half_y, 6),
        "correlation": round(_correlation(x, y), 4),
    }


def _correlation(x: Score, y: Score) -> float:
    """Of the errors of two scores, from traces whose entries come from the same real rows; else 0."""
    if x.trace is None or y.trace is None:
        return 0.0
    known = x.trace.shared(y.trace)
    if known is None or known.sum() < 2:
        return 0.0
    a, b = (v - v.mean() for v in (x.trace.values[known], y.trace.values[known]))
    if not (scale := math.sqrt(float(a @ a) * float(b @ b))):
        return 0.0
    shared = math.sqrt(max(0.0, (1 - _own(x)) * (1 - _own(y))))
    return float(min(0.99, max(-0.99, float(a @ b) / scale * shared)))


def _own(score: Score) -> float:
    """The share of a score's variance that its trace's values do not hold."""
    assert score.trace is not None
    whole = score.trace.error**2
    return score.trace.own / whole if whole > 0 else 0.0
