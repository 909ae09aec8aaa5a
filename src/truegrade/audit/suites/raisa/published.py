"""The published cells of the fifteen checks, and how many of them are the same here.

published.csv holds every cell of the paper's table for twelve metrics: T passed, F failed, low or high passed in one of
two ways, NaN not asked. Source: the repository of Räisä, van Breugel and van der Schaar 2025 (MIT licence), arXiv
2505.22450. Its column precision_cover counts real samples, as our `recall_cover` does, and asks of it what it asks of
fidelity; so `convention` has the cover pair with these roles, too.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from truegrade.audit.suites.raisa.checks import REPEATS, SIZES, scenario_key
from truegrade.result.audit import Finding, PublishedAgreement, ScenarioOutcome

SOURCE = "Räisä et al. 2025"
COLUMNS: Mapping[str, str] = {
    "precision": "precision",
    "recall": "recall",
    "density": "density",
    "coverage": "coverage",
    "alpha_precision": "integrated_alpha_precision",
    "beta_recall": "integrated_beta_recall",
    "c_precision": "precision_cover",
    "c_recall": "recall_cover",
    "symmetric_precision": "sym_precision",
    "symmetric_recall": "sym_recall",
    "p_precision": "probabilistic_precision",
    "p_recall": "probabilistic_recall",
}
"""Our keys and the columns with the same roles."""
NOT_ASKED = "NaN"


@dataclass(frozen=True)
class Row:
    """One row: scenario and criterion, and the cell of each column."""

    scenario: str
    criterion: str
    cells: Mapping[str, str]


@cache
def published() -> tuple[Row, ...]:
    """All rows of the table, in its order."""
    text = files("truegrade.audit.suites.raisa").joinpath("published.csv").read_text(encoding="utf-8")
    return tuple(_row(record) for record in csv.DictReader(text.splitlines()))


def _row(record: Mapping[str, str]) -> Row:
    *index, desideratum, criterion = record["index/desideratum/criterion"].split("/")
    key = scenario_key(record["check"], "/".join(index))
    return Row(key, f"{desideratum}/{criterion}", {name: record[name] for name in COLUMNS.values()})


def agreement(outcomes: Sequence[ScenarioOutcome]) -> tuple[PublishedAgreement, ...]:
    """By metric, in how many published cells the verdict is the same. Only runs by the paper's convention count: all
    levels, 10 repeats, 1,000 samples; a metric that was not run, or with other parameters, is not there."""
    found = {
        (outcome.key, finding.criterion, finding.metric): finding
        for outcome in outcomes
        if _by_convention(outcome)
        for finding in outcome.findings
    }
    names = dict.fromkeys(metric for _, _, metric in found)
    return tuple(_of_metric(name, found) for name in names if _key(name) in COLUMNS)


def _by_convention(outcome: ScenarioOutcome) -> bool:
    """Whether this was run as in the paper; the number of samples is the axis of some checks."""
    counts = outcome.axis in ("samples in each set", "synthetic samples")
    as_many = counts or outcome.n in (SIZES[0], SIZES[0] + 1)  # one outlier more
    whole = len(outcome.levels) == _levels_of(outcome.key)
    return outcome.skipped is None and as_many and whole and outcome.repeats == REPEATS[0]


@cache
def _levels_of(key: str) -> int:
    from truegrade.audit.suites.raisa.checks import SCENARIOS

    return next((len(one.axis.levels) for one in SCENARIOS if one.key == key), 0)


def _key(name: str) -> str:
    """The metric of a name, without what sets it apart in an audit of several suites."""
    return name.partition("(")[0]


def _of_metric(name: str, found: Mapping[tuple[str, str, str], Finding]) -> PublishedAgreement:
    agreed, differ = 0, []
    for row in published():
        cell, finding = row.cells[COLUMNS[_key(name)]], found.get((row.scenario, row.criterion, name))
        if finding is None or cell == NOT_ASKED:
            continue
        ours = verdict(finding)
        if ours == cell:
            agreed += 1
        else:
            differ.append((f"{row.scenario.removeprefix('raisa-')}, {row.criterion}: {finding.reason}", cell, ours))
    return PublishedAgreement(name, SOURCE, agreed, agreed + len(differ), tuple(differ))


def verdict(finding: Finding) -> str:
    """A finding as the table writes it."""
    if finding.passed is None:
        return "no value"
    return (finding.word or "T") if finding.passed else "F"
