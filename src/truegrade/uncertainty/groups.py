"""Scores by label: a score that is a function of per-sample means, over the samples with one label at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import Notice, notice
from truegrade.metrics.base import Means, Metric, Outcome
from truegrade.result import Group, Interval
from truegrade.samples import Samples, label_text
from truegrade.uncertainty.bootstrap import bootstrap_intervals

MOST_LABELS = 200
_REPLICATES, _FEWER = 400, 200  # resamples of each group; the second for more than 50 labels
_LONGEST_LABEL = 200

Mask = NDArray[np.bool_]


def group_scores(
    metrics: Mapping[str, Metric],
    outcomes: Mapping[str, Outcome],
    sides: Mapping[str, Samples],
    *,
    seed: int,
    intervals: bool = True,
) -> tuple[dict[str, dict[str, Group]], tuple[Notice, ...]]:
    """Every score by label, where a side has labels: its per-sample terms averaged over the rows with that label.

    The balls are still those of the whole sets. Labels are compared as text ("3" and 3.0 are the same), and come
    in their natural order. A score without per-sample terms, or whose terms are of sides without labels, has no
    groups. Of more than 200 labels none is computed, and a notice says so.

    Args:
        metrics, outcomes: by key, those that have a value.
        sides: the samples by side; a side without labels takes part in every group as a whole.
        intervals: add a percentile interval over the samples of the group (the balls taken as given); none where
            every resample gives the same value.

    Returns:
        groups by key and label, and notices.
    """
    labels = {side: _texts(s) for side, s in sides.items() if s.labels is not None}
    names = sorted({str(v) for side in ("real", "synthetic") for v in np.unique(labels.get(side, ()))}, key=natural)
    if not names:
        return {}, ()
    if len(names) > MOST_LABELS:
        return {}, (notice("many_labels", count=len(names), most=MOST_LABELS),)
    known = {
        key: outcome.means
        for key, outcome in outcomes.items()
        if outcome.means is not None and _fits(outcome.means, sides, labels)
    }
    ranges = {key: metrics[key].info.range for key in known}
    replicates = 0 if not intervals else _REPLICATES if len(names) <= 50 else _FEWER
    out: dict[str, dict[str, Group]] = {key: {} for key in known}
    for name, shown in zip(names, _shortened(names), strict=True):
        masks = {side: texts == name for side, texts in labels.items()}
        for key, group in _of_one(_Label(masks, sides), known, ranges, seed, replicates).items():
            out[key][shown] = group
    return out, ()


@dataclass(frozen=True)
class _Label:
    """The rows with one label: masks of the sides that have labels."""

    masks: Mapping[str, Mask]
    sides: Mapping[str, Samples]

    def size(self, side: str) -> int:
        return int(self.masks[side].sum()) if side in self.masks else self.sides[side].n

    def means(self, whole: Means) -> Means | str:
        """The same value over these rows; a string says why there is none."""
        for side, _ in whole.parts:
            if self.size(side) == 0:
                return f"no {side} samples with this label"
        parts = tuple((side, terms[self.masks[side]] if side in self.masks else terms) for side, terms in whole.parts)
        return Means(parts, whole.combine)


def _of_one(
    label: _Label,
    known: Mapping[str, Means],
    ranges: Mapping[str, tuple[float, float]],
    seed: int,
    replicates: int,
) -> dict[str, Group]:
    """All scores of the samples with one label."""
    sizes = label.size("real"), label.size("synthetic")
    restricted = {key: label.means(whole) for key, whole in known.items()}
    found = {key: means for key, means in restricted.items() if isinstance(means, Means)}
    bounds = bootstrap_intervals(found, ranges, seed=seed, replicates=replicates) if replicates else {}
    return {key: _group(means, bounds.get(key), sizes) for key, means in restricted.items()}


def _group(means: Means | str, interval: Interval | str | None, sizes: tuple[int, int]) -> Group:
    if isinstance(means, str):
        return Group(None, *sizes, reason=means)
    with np.errstate(all="ignore"):
        value = means.value()
    if not np.isfinite(value):
        return Group(None, *sizes, reason=f"the value came out as {value}")
    known = isinstance(interval, Interval) and interval.low < interval.high
    return Group(value, *sizes, interval=interval if known else None)  # type: ignore[arg-type]


def _fits(means: Means, sides: Mapping[str, Samples], labels: Mapping[str, NDArray[np.str_]]) -> bool:
    """Whether the terms are those of whole sides, and some of a side with labels."""
    return any(side in labels for side, _ in means.parts) and all(len(t) == sides[side].n for side, t in means.parts)


def _texts(samples: Samples) -> NDArray[np.str_]:
    """Labels as text (n,)."""
    values, which = np.unique(np.asarray(samples.labels), return_inverse=True)
    return np.array([label_text(v) for v in values])[which]


def natural(label: str) -> tuple[bool, float, str]:
    """A key that sorts labels as people do: numbers by their value, before words."""
    try:
        value = float(label)
    except ValueError:
        return True, 0.0, label
    return (False, value, label) if np.isfinite(value) else (True, 0.0, label)


def _shortened(names: list[str]) -> list[str]:
    """Labels of at most 200 characters, all different."""
    out: list[str] = []
    for number, name in enumerate(names):
        short = name if len(name) <= _LONGEST_LABEL else name[: _LONGEST_LABEL - 12] + "…"
        out.append(short if short not in out else f"{short} ({number})")
    return out
