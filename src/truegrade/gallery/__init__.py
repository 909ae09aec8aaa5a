"""Which samples are worth looking at, and where they lie: the `Exhibits` of an evaluation.

`needs` names what the engine has to answer beside the metrics' own needs, `build` makes the record from that.
facts.py: what is known of every sample; plane.py: two directions; view.py: the map; specimens.py: the worst, the
uncovered and the nearest pairs; drawing.py: what is kept of a sample's values.
"""

from __future__ import annotations

from collections.abc import Mapping

from truegrade.engine.needs import (
    Answers,
    BallCounts,
    BallRatio,
    Knn,
    Nearest,
    Need,
    OwnBallCounts,
    ProductWithin,
)
from truegrade.gallery.drawing import canvas_of
from truegrade.gallery.facts import Facts, facts_of, shared_k, widest_k
from truegrade.gallery.specimens import pick
from truegrade.gallery.view import map_view
from truegrade.metrics.base import Metric, Outcome
from truegrade.result.exhibits import Exhibits
from truegrade.samples import Samples

_NEIGHBOURS = {BallCounts, BallRatio, Knn, Nearest, OwnBallCounts, ProductWithin}
_CHEAP = 5e9  # multiply-adds that may be spent on neighbours that no metric asked for: about a tenth of a second


def needs(metrics: Mapping[str, Metric], real: Samples, synthetic: Samples) -> tuple[Need, ...]:
    """What `build` reads; empty where no metric looks at neighbours and looking for them would take long."""
    asked = {type(need) for metric in metrics.values() for need in metric.needs()}
    cost = float(real.n + synthetic.n) ** 2 * (real.d + 100) / 2
    if cost > _CHEAP and not asked & _NEIGHBOURS:
        return ()
    k = widest_k(shared_k(metrics), real.n, synthetic.n)
    pairs = (Nearest("real", "synthetic"), Nearest("synthetic", "real"))
    return (Knn("real", k), Knn("synthetic", k), *pairs)


def build(
    metrics: Mapping[str, Metric],
    outcomes: Mapping[str, Outcome],
    answers: Answers,
    sides: Mapping[str, Samples],
    *,
    seed: int,
    threads: int | None = None,
) -> Exhibits:
    """The exhibits of one synthetic set.

    Args:
        metrics, outcomes: by key, those that have a value.
        answers: to `needs(metrics, ...)`.
        sides: "real" and "synthetic".
        seed: of the rows that are shown and of those that the plane is fitted on.
        threads: default all processors; nothing depends on it.
    """
    real, synthetic = sides["real"], sides["synthetic"]
    facts: Facts = facts_of(metrics, outcomes, answers, real, synthetic)
    canvas = canvas_of(real, synthetic, seed)
    picked = pick(facts, real, synthetic, canvas)
    return Exhibits(
        map=map_view(facts, picked, seed, threads),
        worst=picked.worst,
        uncovered=picked.uncovered,
        pairs=picked.pairs,
        drawing=canvas.drawing,
        low=canvas.low,
        high=canvas.high,
        d=real.d,
        shown=canvas.shown,
        shape=canvas.shape,
        columns=canvas.columns,
        notes=(*canvas.notes, *picked.notes),
    )


__all__ = ["build", "needs"]
