"""Grades every case in every space with every metric of the study."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import numpy as np

import truegrade as tg
from empirical_study.cases import Plan, all_cases
from empirical_study.images import Material
from empirical_study.spaces import SPACES, Say, embed_pool

CLASS_METRICS = {
    "inception_score": tg.metrics.InceptionScore(splits=1),
    "mode_score": tg.metrics.ModeScore(),
    "relative_inverse_inception_score": tg.metrics.RelativeInverseInceptionScore(),
    "relative_inverse_mode_score": tg.metrics.RelativeInverseModeScore(),
}
DISTANCES = {
    "mmd": tg.metrics.MMD(compat="gan-metrics"),
    "wasserstein": tg.metrics.Wasserstein(),
    "frechet_distance": tg.metrics.FrechetDistance(),
    "nn_two_sample": tg.metrics.NearestNeighbourTwoSample(),
}
NEIGHBOUR_PARTS = {"nn_real": "accuracy_real", "nn_synthetic": "accuracy_synthetic"}
NAMES = {
    "inception_score": "Inception Score",
    "mode_score": "Mode Score",
    "relative_inverse_inception_score": "relative inverse Inception Score",
    "relative_inverse_mode_score": "relative inverse Mode Score",
    "mmd": "MMD",
    "wasserstein": "Wasserstein distance",
    "frechet_distance": "Fréchet distance",
    "nn_two_sample": "1-NN accuracy",
    "nn_real": "1-NN accuracy, real",
    "nn_synthetic": "1-NN accuracy, synthetic",
}
HIGHER_IS_BETTER = frozenset({"inception_score", "mode_score"})
_QUIET: dict[str, Any] = {"intervals": False, "floor": False, "exhibits": False}
_DIGITS = 7  # that are kept of a number


def grade(real: tg.Samples, synthetic: tg.Samples) -> dict[str, float | None]:
    """All metrics of the study by key; None where one has no value."""
    chosen = dict(DISTANCES)
    if real.probabilities is not None:
        chosen = {**CLASS_METRICS, **DISTANCES}
    evaluation = tg.evaluate(real, synthetic, metrics=chosen.values(), **_QUIET)
    values = {key: evaluation[key].value for key in chosen}
    details = evaluation["nn_two_sample"].details
    values |= {key: details.get(detail) for key, detail in NEIGHBOUR_PARTS.items()}
    return {key: None if value is None else float(f"{value:.{_DIGITS}g}") for key, value in values.items()}


def run_study(
    material: Material, plan: Plan, *, seed: int = 0, spaces: Iterable[str] = SPACES, say: Say = lambda text: None
) -> dict[str, Any]:
    """Everything as plain values: the cases, and by space and metric one value a case; and the seconds it took."""
    cases = all_cases(material, plan, seed)
    found: dict[str, Any] = {}
    for space in spaces:
        say(f"{space}: embedding {len(material.pool):,} images")
        started = time.perf_counter()
        pool = embed_pool(material, space, seed)
        embedding = time.perf_counter() - started
        say(f"{space}: grading {len(cases)} pairs of sets")
        graded = [grade(pool.subset(case.real), pool.subset(case.synthetic)) for case in cases]
        found[space] = {
            "dimension": pool.d,
            "values": {key: [row[key] for row in graded] for key in graded[0]},
            "milliseconds_an_image": round(1e3 * embedding / pool.n, 2),
            "milliseconds": _times(pool, material),
        }
    return {
        "n": plan.n,
        "sizes": list(plan.sizes),
        "draws": plan.draws,
        "seed": seed,
        "image": list(material.pool.shape[1:]),
        "spare": len(material.spare),
        "cases": [[case.experiment, case.level, case.draw] for case in cases],
        "spaces": found,
    }


def _times(pool: tg.Samples, material: Material) -> dict[str, float]:
    """Of each metric alone, real against generated: the least of three, in milliseconds."""
    real, synthetic = (pool.subset(material.rows[name]) for name in ("train", "generated"))
    chosen = {**({} if pool.probabilities is None else CLASS_METRICS), **DISTANCES}
    times = {}
    for key, metric in chosen.items():
        taken = []
        for _ in range(3):
            started = time.perf_counter()
            tg.evaluate(real, synthetic, metrics=metric, **_QUIET)
            taken.append(time.perf_counter() - started)
        times[key] = round(1e3 * float(np.min(taken)), 1)
    return times | dict.fromkeys(NEIGHBOUR_PARTS, times["nn_two_sample"])
