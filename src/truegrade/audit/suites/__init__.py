"""The suites of scenarios, by key. To add one, write its module beside this one and a line below."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from truegrade.audit.scenario import Scenario
from truegrade.audit.suites import clipped_paper, grade_inflation, own, raisa, study_2018
from truegrade.errors import InputError
from truegrade.metrics import METRICS
from truegrade.metrics.base import Metric
from truegrade.result import did_you_mean
from truegrade.result.audit import PublishedAgreement, ScenarioOutcome

Agree = Callable[[Sequence[ScenarioOutcome]], tuple[PublishedAgreement, ...]]
_FAMILIES = ("fidelity", "coverage", "two-sample", "copying")
_DISTANCES = ("frechet_distance", "kernel_distance", "mmd", "energy_distance")
_SLOW = ("top_precision", "top_recall", "prd_precision", "prd_recall", "vendi", "rarity", "realism")


def default_metrics() -> dict[str, Metric]:
    """What is audited where neither the user nor the suite says what: everything that shares sweeps."""
    chosen = [key for key, kind in METRICS.items() if kind.info.family in _FAMILIES and key not in _SLOW]
    return {key: METRICS[key]() for key in (*chosen, *_DISTANCES)}


@dataclass(frozen=True)
class Suite:
    """A set of scenarios. convention: its metrics with the parameters of the paper, by key; empty for the default ones.
    agreement: compares with what was published."""

    key: str
    words: str
    scenarios: tuple[Scenario, ...]
    convention: Mapping[str, Metric] = field(default_factory=dict)
    agreement: Agree | None = None


SUITES: dict[str, Suite] = {
    suite.key: suite
    for suite in (
        Suite("own", "the damage of all papers, and more, done to your own data", own.SCENARIOS),
        Suite(
            "clipped-paper",
            "Clipped Density and Clipped Coverage (Salvy et al. 2025)",
            clipped_paper.SCENARIOS,
        ),
        Suite(
            "raisa",
            "the fifteen sanity checks of Räisä et al. (2025)",
            raisa.SCENARIOS,
            raisa.CONVENTION,
            raisa.agreement,
        ),
        Suite(
            "study-2018",
            "an empirical study on evaluation metrics of GANs (Xu et al. 2018)",
            study_2018.SCENARIOS,
            study_2018.CONVENTION,
            study_2018.agreement,
        ),
        Suite(
            "grade-inflation",
            "grade inflation in generative models (2026)",
            grade_inflation.SCENARIOS,
            grade_inflation.CONVENTION,
        ),
    )
}


def get_suites(names: str | Sequence[str]) -> tuple[Suite, ...]:
    """The suites of these names; "all" is all. Raises InputError for an unknown one, with the nearest known."""
    asked = [names] if isinstance(names, str) else list(names)
    wanted = [key for name in asked for key in (SUITES if name == "all" else (name,))]
    for name in wanted:
        if name not in SUITES:
            near = did_you_mean(str(name), SUITES)
            raise InputError(f"There is no suite {str(name)[:60]!r}.{near} There are: {', '.join(SUITES)}, all.")
    if not wanted:
        raise InputError(f"No suite was chosen; there are: {', '.join(SUITES)}, all.")
    return tuple(SUITES[key] for key in dict.fromkeys(wanted))
