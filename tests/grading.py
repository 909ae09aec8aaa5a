"""Grade two arrays with one metric, with answers from the naive oracle or from the engine."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import NDArray

from oracles.naive_answers import naive_answers
from truegrade.engine.needs import Answers, Need
from truegrade.metrics.base import Metric, Outcome
from truegrade.samples import Samples

PROVIDERS = ["naive", *(["engine"] if importlib.util.find_spec("truegrade.engine.run") else [])]


def answer(needs: Iterable[Need], sides: Mapping[str, NDArray[Any]], provider: str) -> Answers:
    if provider == "naive":
        return naive_answers(needs, sides)
    from truegrade.engine import run

    return run.answer(needs, {name: Samples.from_array(a, name=name) for name, a in sides.items()})


def grade_all(
    metrics: Iterable[Metric],
    real: NDArray[Any],
    synthetic: NDArray[Any],
    provider: str = "naive",
    **more: NDArray[Any],
) -> dict[str, Outcome]:
    """Outcomes by key; the shared needs are answered once."""
    metrics = list(metrics)
    for metric in metrics:
        metric.check_sizes(len(real), len(synthetic))
    needs = [need for metric in metrics for need in metric.needs()]
    answers = answer(needs, {"real": real, "synthetic": synthetic, **more}, provider)
    return {metric.info.key: metric.compute(answers) for metric in metrics}


def grade(
    metric: Metric,
    real: NDArray[Any],
    synthetic: NDArray[Any],
    provider: str = "naive",
    **more: NDArray[Any],
) -> Outcome:
    return grade_all([metric], real, synthetic, provider, **more)[metric.info.key]
