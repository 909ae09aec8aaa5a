"""How a result was made, and everything that is not in it with the reason, as plain dicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from truegrade.result import Comparison, Evaluation, SetFacts
from truegrade.space import Space


def provenance(models: Mapping[str, Evaluation]) -> dict[str, Any]:
    """{"sets", "space", "protocol", "versions", "seed", "threads", "created", "seconds", "plan"}, as recorded.

    space: how the vectors were made of images, in words, "" where they were not. Each set has "images": what was read,
    and with which libraries.
    protocol: {"name", "tool", "settings", "differs"}, a text each but for the last, a list; or None.
    """
    first = next(iter(models.values()))
    made = first.provenance
    sides = [("real", first.real), *([("hold-out", first.holdout)] if first.holdout else [])]
    sets = [_facts(role, facts) for role, facts in sides]
    return {
        "sets": [*sets, *(_facts("synthetic", e.synthetic) | {"name": name} for name, e in models.items())],
        "space": "" if first.real.space is None else in_words(first.real.space.embedder),
        "protocol": None if made.protocol is None else _protocol(made.protocol),
        "versions": [{"name": name, "text": text} for name, text in made.versions.items()],
        "seed": made.seed,
        "threads": made.threads,
        "created": made.created,
        "seconds": round(sum(e.provenance.seconds for e in models.values()), 1),
        "plan": first.plan,
    }


def _protocol(record: Mapping[str, Any]) -> dict[str, Any]:
    """A protocol in words: what it reproduces, the settings of every metric, what is not as there."""
    settings = [f"{key.replace('_', ' ')}: {in_words(values)}" for key, values in record.get("settings", {}).items()]
    unlike = [f"by their own conventions: {', '.join(names)}" for names in [record.get("outside")] if names]
    unlike += [f"as they were given: {', '.join(names)}" for names in [record.get("as_given")] if names]
    features = record.get("features")
    return {
        "name": str(record.get("name")),
        "tool": str(record.get("reproduces")),
        "settings": "; ".join([*settings, *unlike, *([f"features: {features}"] if features else [])]),
        "differs": [str(sentence) for sentence in record.get("differs", ())],
    }


def _facts(role: str, facts: SetFacts) -> dict[str, Any]:
    return {
        "role": role,
        "name": facts.name,
        "n": facts.n,
        "d": facts.d,
        "dtype": facts.dtype,
        "fingerprint": facts.fingerprint,
        "source": facts.source,
        "images": "" if facts.space is None else _embedded(facts.space),
    }


def _embedded(space: Space) -> str:
    """What was read of a set, and the libraries that made vectors of it where they are known."""
    parts = [images_in_words(space.images), f"made with {in_words(space.versions)}" if space.versions else ""]
    return "; ".join(filter(None, parts))


def images_in_words(read: Mapping[str, Any]) -> str:
    """What was read of a set of images: counts that are not 0, and sizes as height x width."""
    shown = {key: value for key, value in read.items() if value and key not in ("sizes", "height", "width")}
    ends = [read.get(edge) for edge in ("height", "width")]
    if all(isinstance(end, Mapping) for end in ends):
        low, high = (" x ".join(f"{end[which]:g}" for end in ends if end) for which in ("min", "max"))
        shown["size"] = low if low == high else f"{low} to {high}"
    return in_words(shown)


def in_words(record: Mapping[str, Any]) -> str:
    """A record of plain values in one line: 'name lite0, size 224 x 224, modes: RGB 20, L 3'."""
    return ", ".join(f"{key.replace('_', ' ')}{_value(value, key)}" for key, value in record.items())


def _value(value: Any, key: str = "") -> str:
    if isinstance(value, Mapping):
        return f": {in_words(value)}" if value else " none"
    if isinstance(value, (list, tuple)):
        return " " + (" x " if key == "size" else " to " if key == "clipped" else "/").join(str(one) for one in value)
    return f" {'yes' if value is True else 'no' if value is False else 'none' if value is None else value}"


def left_out(models: Mapping[str, Evaluation], comparison: Comparison | None) -> list[dict[str, Any]]:
    """What failed, is undefined or lacks an interval or a reference: {"what": [title], "kind", "reason", "models"}.

    Each kind with each reason once; models is empty where it concerns all of them.
    """
    lacking: dict[tuple[str, str, str], dict[str, None]] = {}
    for name, evaluation in models.items():
        for what, kind, reason in _lacking(evaluation):
            lacking.setdefault((what, kind, reason), {})[name] = None
    merged: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for (what, kind, reason), names in lacking.items():
        concerned = () if len(names) == len(models) else tuple(names)
        merged.setdefault((kind, reason, concerned), []).append(what)
    rows = [
        {"what": what, "kind": kind, "reason": reason, "models": list(names)}
        for (kind, reason, names), what in merged.items()
    ]
    return [*rows, *_undecided(comparison)]


def _lacking(evaluation: Evaluation) -> Iterator[tuple[str, str, str]]:
    for score in evaluation.scores.values():
        if score.status != "ok":
            yield score.title, score.status, score.reason or ""
        for what, why in score.missing.items():
            yield score.title, {"floor": "no reference", "interval": "no interval"}.get(what, f"no {what}"), why
        reasons: dict[str, list[str]] = {}
        for label, group in score.per_group.items():
            if group.value is None:
                reasons.setdefault(group.reason or "", []).append(label)
        for reason, labels in reasons.items():
            yield score.title, "undefined by label", f"{_some(labels)}: {reason}"


def _some(names: Iterable[str], most: int = 5) -> str:
    """The first names, each cut, and how many more there are."""
    names = list(names)
    text = ", ".join(name if len(name) <= 40 else name[:39] + "…" for name in names[:most])
    return text if len(names) <= most else f"{text} and {len(names) - most} more"


def _undecided(comparison: Comparison | None) -> Iterator[dict[str, Any]]:
    if comparison is None:
        return
    titles = {key: s.title for e in comparison.evaluations.values() for key, s in e.scores.items()}
    reasons: dict[tuple[str, str], list[str]] = {}
    for d in comparison.differences:
        if d.reason:
            reasons.setdefault((titles.get(d.key, d.key), d.reason), []).append(f"{d.first} and {d.second}")
    for (title, reason), pairs in reasons.items():
        yield {"what": [title], "kind": "no certain difference", "reason": f"{_some(pairs)}: {reason}", "models": []}
