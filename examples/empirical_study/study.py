"""The suite of the study in every space, and its metrics for two sets."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

import truegrade as tg
from empirical_study.classifier import fit_classifier
from empirical_study.digits import digits
from empirical_study.spaces import SPACES, Say, embedders
from truegrade.audit import audit
from truegrade.audit.judging import findings_of
from truegrade.audit.scenario import Seen, matching
from truegrade.audit.standings import recommend, standings
from truegrade.audit.suites import Suite
from truegrade.audit.suites.study_2018 import CONVENTION, SCENARIOS, agreement
from truegrade.images import Decoded
from truegrade.metrics.base import Metric
from truegrade.result.audit import AuditCurve, AuditReport, ScenarioOutcome

SUITE = "study-2018"
METRICS: dict[str, Metric] = {
    "inception_score": CONVENTION["inception_score"],
    "mode_score": CONVENTION["mode_score"],
    "relative_inverse_inception_score": tg.metrics.RelativeInverseInceptionScore(),
    "relative_inverse_mode_score": tg.metrics.RelativeInverseModeScore(),
    **{key: metric for key, metric in CONVENTION.items() if metric.info.family != "classes"},
}
"""Those of the suite, and the class scores as the study draws them: less is better."""
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
_DIGITS = 7  # that are kept of a number


def grade(real: tg.Samples, synthetic: tg.Samples) -> dict[str, float | None]:
    """All metrics of the study by key; None where one has no value."""
    chosen = list(METRICS.values())
    evaluation = tg.evaluate(real, synthetic, metrics=chosen, intervals=False, floor=False, exhibits=False)
    values = {key: evaluation[key].value for key in METRICS}
    return {key: None if value is None else float(f"{value:.{_DIGITS}g}") for key, value in values.items()}


def run_study(
    n: int,
    *,
    folder: str | os.PathLike[str] | None = None,
    seed: int = 0,
    quick: bool = False,
    spaces: Sequence[str] = SPACES,
    suite: str | Suite = SUITE,
    say: Say = lambda text: None,
) -> AuditReport:
    """The audit of n digits, or of up to n images of a folder, in these spaces."""
    classifier = None
    if folder is None:
        pixels, spare, labels = digits(n, seed)
        classifier = fit_classifier(spare, labels, seed=seed)
        images = tg.load_images(pixels, name="digits")
    else:
        images = _some_of(tg.load_images(folder, recursive=True), n, seed)

    def tell(done: int, total: int, what: str) -> None:
        if done * 20 // total > (done - 1) * 20 // total:
            say(f"{done:,} of {total:,} draws: {what}")

    return audit(
        images, suite=suite, embed=embedders(list(spaces), classifier), quick=quick, seed=seed, progress=tell
    )


def judged(report: AuditReport) -> AuditReport:
    """The report with its curves judged again by the rules as they are now."""
    scenarios = tuple(_judged(outcome) for outcome in report.scenarios)
    table = standings(scenarios)
    return replace(
        report,
        scenarios=scenarios,
        standings=table,
        recommendation=recommend(table, {metric.key: metric.family for metric in report.metrics}),
        agreement=agreement(scenarios),
    )


def _judged(outcome: ScenarioOutcome) -> ScenarioOutcome:
    scenario, findings = matching(SCENARIOS, outcome.key), []
    for curve in outcome.curves:
        findings += findings_of(scenario, curve.metric, seen_of(outcome, curve))[0]
    return replace(outcome, findings=tuple(findings))


def seen_of(outcome: ScenarioOutcome, curve: AuditCurve) -> Seen:
    """What the rules saw of a metric."""
    metric, start = CONVENTION[curve.metric], outcome.reference
    return Seen(
        levels=np.array(outcome.levels),
        curves=dict(curve.values),
        info=metric.info,
        reference=None if start is None else outcome.levels.index(start),
        parameters=metric.parameters(),
        n=outcome.n,
        seconds=None if curve.seconds is None else np.array(curve.seconds),
    )


def _some_of(images: tg.Images, n: int, seed: int) -> tg.Images:
    """Up to n of them, drawn with the seed."""
    rows = np.sort(np.random.default_rng(seed).permutation(len(images))[:n])
    return tg.load_images([one.pixels for one in images.stream(rows) if isinstance(one, Decoded)], name=images.name)
