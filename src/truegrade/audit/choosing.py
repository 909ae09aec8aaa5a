"""Which scenarios are run, with which metrics: suites, materials and wishes become tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from truegrade.audit.material import Material
from truegrade.audit.run import Task, make_task, not_run
from truegrade.audit.scenario import Scenario
from truegrade.audit.suites import Suite, default_metrics
from truegrade.codec import plain
from truegrade.metrics.base import Metric
from truegrade.result.audit import ScenarioOutcome

_WHAT = {
    "vectors": "vectors",
    "plane": "points in the plane (two columns)",
    "images": "images",
    "ecg": "ECG recordings",
}


@dataclass(frozen=True)
class Wishes:
    """What the user asked for. metrics: by key, None where each suite has its own. named: those that were given as a
    name and nothing else, which follow the convention of each suite."""

    metrics: Mapping[str, Metric] | None = None
    named: frozenset[str] = frozenset()
    quick: bool = False
    seed: int = 0
    n: int | None = None
    repeats: int | None = None


@dataclass
class Names:
    """One name for each metric of an audit: its key, and what sets it apart where two suites use it differently."""

    taken: dict[str, Metric] = field(default_factory=dict)

    def of(self, key: str, metric: Metric) -> str:
        """The name, kept."""
        first = self.taken.setdefault(key, metric)
        if first == metric:
            return key
        ours, theirs = metric.parameters(), first.parameters()
        differ = [f"{name}={plain(value)}" for name, value in ours.items() if value != theirs.get(name)]
        name = f"{key}({', '.join(differ)})"
        self.taken[name] = metric
        return name


def plan(
    suites: Sequence[Suite], materials: Sequence[Material], wishes: Wishes
) -> tuple[list[Task | ScenarioOutcome], dict[str, Metric]]:
    """What is run, in order, and in its place what is not, with the reason; and the metrics by name."""
    names = Names()
    found = [step for suite in suites for step in _steps(suite, materials, wishes, names)]
    return found, names.taken


def _steps(
    suite: Suite, materials: Sequence[Material], wishes: Wishes, names: Names
) -> Iterator[Task | ScenarioOutcome]:
    metrics = {names.of(key, metric): metric for key, metric in chosen(suite, wishes).items()}
    for scenario in suite.scenarios:
        for material in materials[:1] if scenario.data == "law" else materials:
            mine = metrics if wishes.metrics is not None else _concerned(scenario, metrics)
            if scenario.brings and wishes.metrics is None:
                mine = {names.of(metric.info.key, metric): metric for metric in scenario.brings}
            made = make_task(
                scenario,
                material,
                mine,
                quick=wishes.quick,
                seed=wishes.seed,
                n=wishes.n,
                repeats=wishes.repeats,
            )
            why = _why_not(scenario, material, made)
            yield made if why is None else not_run(made, why)


def chosen(suite: Suite, wishes: Wishes) -> dict[str, Metric]:
    """A suite's metrics, or those that the user asked for."""
    if wishes.metrics is None:
        return dict(suite.convention) or default_metrics()
    return {key: suite.convention.get(key, m) if key in wishes.named else m for key, m in wishes.metrics.items()}


def _concerned(scenario: Scenario, metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    """Of the suite's metrics those that the scenario is about."""
    about = scenario.metrics
    return {k: m for k, m in metrics.items() if not about or m.info.key in about or m.info.family in about}


def _why_not(scenario: Scenario, material: Material, task: Task) -> str | None:
    if scenario.data != "law" and scenario.data not in material.offers:
        return f"It needs {_WHAT[scenario.data]}."
    if not task.curved:
        return f"None of the metrics has a parameter {scenario.vary}."
    return None

