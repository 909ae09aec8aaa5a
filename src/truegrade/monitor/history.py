"""What a monitor recorded: the scores at every step, against the training and the validation reference."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from truegrade import codec
from truegrade.errors import InputError
from truegrade.monitor.references import Graded
from truegrade.result import Evaluation

Step = int | float
Values = Mapping[str, float | None]


@dataclass(frozen=True)
class Checkpoint:
    """The scores of one step, by metric key; None where a score is undefined.

    Attributes:
        step: as given to `compute`. seen, kept: synthetic samples seen until then, and kept.
        training: scores against the real samples. validation: against those the generator never saw, or None.
        gap: how much nearer to the training than to the validation set, in the score's unit; positive is overfitting.
        floors: low and high end of real against real (two standard errors about it, where they are known).
        intervals: 95 % intervals of `training`, where they were asked for. reasons: why scores are undefined.
    """

    step: Step
    seen: int
    kept: int
    training: Values
    validation: Values | None = None
    gap: Mapping[str, float] | None = None
    floors: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)


def checkpoint(step: Step, seen: int, kept: int, graded: Graded) -> Checkpoint:
    """The record of one step."""
    scores, other = graded.training.scores, graded.validation
    return Checkpoint(
        step,
        seen,
        kept,
        training=_values(graded.training),
        validation=None if other is None else _values(other),
        gap=graded.gap,
        floors={key: _band(s.floor.value, s.floor.error, s.about.range) for key, s in scores.items() if s.floor},
        intervals={key: (s.interval.low, s.interval.high) for key, s in scores.items() if s.interval},
        reasons={key: s.reason for key, s in scores.items() if s.reason},
    )


def _values(evaluation: Evaluation) -> dict[str, float | None]:
    return {key: score.value for key, score in evaluation.scores.items()}


def _band(value: float, error: float | None, limits: tuple[float, float]) -> tuple[float, float]:
    ends = (value - 2.0 * (error or 0.0), value + 2.0 * (error or 0.0))
    return max(ends[0], min(limits[0], value)), min(ends[1], max(limits[1], value))


def check_step(step: object) -> Step:
    """The step as a number; InputError for anything else."""
    if isinstance(step, bool) or not isinstance(step, (int, float, np.integer, np.floating)) or not math.isfinite(step):
        raise InputError(f"step={str(step)[:60]!r} given; a finite number is accepted, such as the epoch.")
    return int(step) if isinstance(step, (int, np.integer)) else float(step)


def rows(history: Sequence[Checkpoint]) -> Iterator[dict[str, Any]]:
    """One plain row for every step and metric."""
    for one in history:
        for key, value in one.training.items():
            low, high = one.floors.get(key, (None, None))
            yield {
                "step": one.step,
                "seen": one.seen,
                "kept": one.kept,
                "metric": key,
                "training": value,
                "validation": None if one.validation is None else one.validation.get(key),
                "gap": None if one.gap is None else one.gap.get(key),
                "floor_low": low,
                "floor_high": high,
            }


def as_text(history: Sequence[Checkpoint]) -> str:
    """The history as strict JSON."""
    return codec.dumps({"history": [asdict(one) for one in history]})


def of_records(records: Sequence[Mapping[str, Any]]) -> tuple[Checkpoint, ...]:
    """The inverse of the list in `as_text`; InputError for what is none."""
    try:
        return tuple(codec.build(Checkpoint, record) for record in records)
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise InputError(f"This is no history of a monitor: {error}.") from error
