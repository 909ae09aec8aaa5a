"""Monitoring training: batches come in, scores over the steps come out, against training and validation samples.

watch.py: the monitor itself. collected.py: what is kept of the rows. stored.py: that as arrays. batches.py: reading a
batch. references.py: what is graded against, and the gap. history.py: what was recorded. picture.py: its drawing.
torchmetric.py: as a torchmetrics object (imported by itself).
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from truegrade.embedders import Embedder
from truegrade.engine.cache import AnswerCache
from truegrade.errors import InputError
from truegrade.images import Images
from truegrade.images.ranges import check_range
from truegrade.metrics import Choice
from truegrade.metrics.base import check_whole
from truegrade.monitor.batches import Intake, as_images, is_pictures
from truegrade.monitor.collected import Collected
from truegrade.monitor.history import Checkpoint
from truegrade.monitor.references import references_of
from truegrade.monitor.watch import Monitor
from truegrade.opening import open_session
from truegrade.samples import Samples
from truegrade.statistics import holds_statistics

__all__ = ["Checkpoint", "Monitor", "monitor"]


def monitor(
    real: object,
    *,
    metrics: Choice | Iterable[Choice] | None = None,
    k: int | None = None,
    seed: int = 0,
    embed: str | Embedder | None = None,
    validation: object = None,
    keep: int = 50_000,
    intervals: bool = False,
    floor: bool = True,
    threads: int | None = None,
    cache: AnswerCache | str | os.PathLike[str] | None = None,
    value_range: tuple[float, float] | None = None,
    rank: int = 0,
) -> Monitor:
    """Watch a generator while it is trained: `monitor.update(batch)`, then `monitor.compute(step=epoch)`.

    What concerns the real samples alone is computed once. The scores of `compute` are those of
    `truegrade.evaluate(real, all batches in one piece, holdout=validation)`, however the batches were cut.

    Args:
        real: the training samples, (n, d), or images; anything that `truegrade.evaluate` takes.
        metrics, k, seed, embed, threads, cache: as for `evaluate`.
        validation: real samples that the generator never saw. They are the hold-out set of copy checks, and
            everything is graded against them too: `against_validation`, `gap`.
        keep: most synthetic samples that are kept, at least 2. Of more, that many are drawn at random (seeded) from
            all seen; the Fréchet distance is always that of all.
        intervals, floor: add a 95 % interval, and the same metric of real against real, to every score. Intervals
            cost several times the evaluation.
        value_range: black and white of images of floats, where that is not evident; one for all batches.
        rank: number of this process, where several will be merged: it sets their draws apart and orders their rows.

    Raises InputError as `evaluate` does.
    """
    check_whole("keep", keep, 2)
    check_whole("rank", rank, 0)
    chosen = check_range(value_range)
    for side, given in (("real", real), ("validation", validation)):
        if given is not None and holds_statistics(given):
            raise InputError(f"The {side} side is only a mean and a covariance, and a monitor needs samples.")
    session, reader = open_session(
        _ranged(real, "real", embed, chosen),
        metrics=metrics,
        k=k,
        seed=seed,
        holdout=None if validation is None else _ranged(validation, "validation", embed, chosen),
        embed=embed,
        intervals=intervals,
        floor=floor,
        exhibits=False,
        threads=threads,
        cache=AnswerCache() if cache is None else cache,
    )
    nothing = Collected(int(keep), int(seed), int(rank))
    return Monitor(references_of(session), Intake(reader, session.real, chosen), nothing)


def _ranged(given: object, name: str, embed: object, value_range: tuple[float, float] | None) -> object:
    """Images in memory with the range that was said, so that evaluation reads them so; others as they are."""
    if value_range is None or embed is None or isinstance(given, (Samples, Images)) or not is_pictures(given):
        return given
    return as_images(given, name, value_range)
