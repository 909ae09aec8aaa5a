"""The same numbers from other libraries: prdc 0.2 and scikit-learn's brute-force neighbours."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import prdc
from sklearn.neighbors import NearestNeighbors

import truegrade as tg
from benchmarks.common import gaussian, in_turn
from truegrade.engine.needs import Knn
from truegrade.engine.run import answer

_FOUR = [tg.metrics.Precision(ties="strict"), tg.metrics.Recall(ties="strict")]
_FOUR += [tg.metrics.Density(ties="strict"), tg.metrics.Coverage(ties="strict")]


def against_prdc(n: int = 5_000, d: int = 1024, repeats: int = 3) -> dict[str, Any]:
    """Precision, recall, density and coverage, k = 5; the values must be equal."""
    real, synthetic = gaussian(n, d, 1), gaussian(n, d, 2)
    values: dict[str, Any] = {}

    def ours() -> None:
        scores = tg.evaluate(real, synthetic, metrics=_FOUR, intervals=False, floor=False).scores.values()
        values["ours"] = [score.value for score in scores]

    def theirs() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            found = prdc.compute_prdc(real, synthetic, nearest_k=5)
        values["theirs"] = [float(found[key]) for key in ("precision", "recall", "density", "coverage")]

    ours()
    timed = in_turn(ours, theirs, repeats)
    return {"n": n, "d": d, "equal": values["ours"] == values["theirs"], **timed}


def against_scikit_learn(n: int = 10_000, d: int = 1024, repeats: int = 3) -> dict[str, Any]:
    """The 5 nearest other samples inside one set."""
    rows = gaussian(n, d, 1)
    samples = tg.Samples.from_array(rows)

    def ours() -> object:
        return answer([Knn("real", 5)], {"real": samples})

    def theirs() -> object:
        return NearestNeighbors(n_neighbors=5, algorithm="brute", n_jobs=-1).fit(rows).kneighbors()

    ours()
    return {"n": n, "d": d, **in_turn(ours, theirs, repeats)}
