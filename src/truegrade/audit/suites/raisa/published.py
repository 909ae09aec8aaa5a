"""The published cells of the fifteen checks, and how many of them are the same here.

published.csv holds every cell of the paper's table for twelve metrics: T passed, F failed, low or high passed in one of
two ways, NaN not asked. Source: the repository of Räisä, van Breugel and van der Schaar 2025 (MIT licence), arXiv
2505.22450. Its column precision_cover counts real samples, as our `recall_cover` does, and asks of it what it asks of
fidelity; so `convention` has the cover pair with these roles, too. The paper's own draws cannot be made again: where a
cell that differs comes out as published when our repeats are drawn again, the difference may be chance, and is said to.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from truegrade.audit.scenario import Criterion, Ruling, Seen, matching
from truegrade.audit.suites.raisa.checks import REPEATS, SCENARIOS, SIZES, scenario_key
from truegrade.audit.suites.raisa.convention import CONVENTION
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
REDRAWS = 200
BY_CHANCE = 0.05  # share of redraws with the published verdict from which on a difference is by chance


Found = tuple[Finding, ScenarioOutcome]


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
    levels, 10 repeats, 1,000 samples; a metric that was not run is not there. One with parameters of the user's own
    is compared all the same."""
    found = {
        (outcome.key, finding.criterion, finding.metric): (finding, outcome)
        for outcome in outcomes
        if _by_convention(outcome)
        for finding in outcome.findings
    }
    names = dict.fromkeys(metric for _, _, metric in found)
    return tuple(_of_metric(name, found) for name in names if _key(name) in COLUMNS)


def _by_convention(outcome: ScenarioOutcome) -> bool:
    """Whether this was run as in the paper; the number of samples is the axis of some checks."""
    counts = outcome.axis == "samples in each set"
    as_many = counts or outcome.n in (SIZES[0], SIZES[0] + 1)  # one outlier more
    whole = len(outcome.levels) == _levels_of(outcome.key)
    return outcome.skipped is None and as_many and whole and outcome.repeats == REPEATS[0]


@cache
def _levels_of(key: str) -> int:
    return next((len(one.axis.levels) for one in SCENARIOS if one.key == key), 0)


def _key(name: str) -> str:
    """The metric of a name, without what sets it apart in an audit of several suites."""
    return name.partition("(")[0]


def _of_metric(name: str, found: Mapping[tuple[str, str, str], Found]) -> PublishedAgreement:
    agreed, differ = 0, []
    for row in published():
        cell, here = row.cells[COLUMNS[_key(name)]], found.get((row.scenario, row.criterion, name))
        if here is None or cell == NOT_ASKED:
            continue
        finding, outcome = here
        ours = verdict(finding)
        if ours == cell:
            agreed += 1
        else:
            told = f"{row.scenario.removeprefix('raisa-')}, {row.criterion}: {finding.reason}"
            differ.append((told + _chance(outcome, name, row.criterion, cell), cell, ours))
    return PublishedAgreement(name, SOURCE, agreed, agreed + len(differ), tuple(differ))


def verdict(finding: Finding | Ruling) -> str:
    """A finding as the table writes it."""
    if finding.passed is None:
        return "no value"
    return (finding.word or "T") if finding.passed else "F"


# --- chance ------------------------------------------------------------------------------------------------


def _chance(outcome: ScenarioOutcome, metric: str, criterion: str, cell: str) -> str:
    """A few words where chance alone may make the difference."""
    share = share_of_redraws(outcome, metric, criterion, cell)
    return f"; by chance, as published in {share:.0%} of redraws of the repeats" if share >= BY_CHANCE else ""


def share_of_redraws(outcome: ScenarioOutcome, metric: str, criterion: str, cell: str) -> float:
    """How often the verdict is `cell` when the repeats are drawn again, with replacement, from those that there are;
    the same for the same outcome."""
    curve, info = outcome.curve(metric), CONVENTION[_key(metric)].info
    asked = (c for c in matching(SCENARIOS, outcome.key).criteria if c.key == criterion and c.expects(info))
    one: Criterion | None = next(asked, None)
    if curve is None or one is None:
        return 0.0
    (values,) = curve.values.values()
    repeats = values.shape[1]
    drawn = np.random.default_rng(0).integers(repeats, size=(REDRAWS, repeats))
    levels = np.array(outcome.levels, np.float64)
    cells = (verdict(one.rule(Seen(levels, {"score": values[:, again]}, info, None))) for again in drawn)
    return sum(found == cell for found in cells) / REDRAWS
