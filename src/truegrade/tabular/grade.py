"""Grading a synthetic table against a real one: columns, pairs, inflation, detection, utility, privacy, a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from truegrade.codec import plain
from truegrade.density import Settings
from truegrade.engine.needs import Answers
from truegrade.errors import InputError
from truegrade.grading import Run
from truegrade.result.table import TableGrades
from truegrade.samples import Samples
from truegrade.tabular.choice import private_needs
from truegrade.tabular.columns.aggregates import aggregates
from truegrade.tabular.columns.inflation import inflated
from truegrade.tabular.columns.pairs import grade_columns_and_pairs
from truegrade.tabular.reading import Rows
from truegrade.tabular.rows.detection import detect
from truegrade.tabular.rows.privacy import privacy, privacy_notices
from truegrade.tabular.rows.together import together
from truegrade.tabular.rows.utility import utility
from truegrade.tabular.scores import Part
from truegrade.tabular.verdict import verdict


def grade_table(
    sides: Mapping[str, Samples], parts: frozenset[Part], answers: Answers, *, seed: int, intervals: bool, run: Run
) -> TableGrades:
    """What is known of the table of sides["synthetic"] against that of sides["real"], by the `parts` asked for.

    Every side has `.table`; a side "holdout" is real rows that the generator never saw. answers: to `private_needs`.
    What cannot be computed is undefined with a reason. Raises InputError for a side that is no table.
    """
    for side, samples in sides.items():
        if samples.table is None:
            raise InputError(f"The {side} set {samples.name!r} is no table; tables are graded against tables.")
    rows: dict[str, Rows] = {side: samples.table for side, samples in sides.items()}
    real, synthetic, fresh = rows["real"], rows["synthetic"], rows.get("holdout")
    sizes = len(real.drawn), len(synthetic.drawn)
    found = TableGrades((), (), encoding=real.encoding.words(), whole_rows=sizes)
    if "pairs" in parts:
        found = _with_pairs(found, real, synthetic, seed, intervals, run.labelled("pairs of columns"))
    if "detection" in parts:
        rows_of_both = together(real.drawn, synthetic.drawn)
        found = replace(found, detection=detect(*rows_of_both, seed=seed, threads=run.threads))
    if "utility" in parts:
        held = None if fresh is None else fresh.coded
        tasks = utility(real.coded, synthetic.coded, held, seed=seed, threads=run.threads)
        found = replace(found, utility=tasks)
    if "privacy" in parts:
        found = _with_privacy(found, rows, seed, run, answers if private_needs(parts, sides, seed) else None)
    return replace(found, verdict=verdict(found))


def _with_pairs(
    found: TableGrades, real: Rows, synthetic: Rows, seed: int, intervals: bool, run: Run
) -> TableGrades:
    settings = Settings(seed=seed)
    columns, pairs, pictures = grade_columns_and_pairs(
        real.coded, synthetic.coded, settings, seed=seed, intervals=intervals, progress=run.progress
    )
    return replace(
        found,
        columns=columns,
        pairs=pairs,
        pictures=pictures,
        inflated=inflated(pairs),
        aggregates=aggregates(columns, pairs),
        settings=plain(vars(settings)),
    )


def _with_privacy(
    found: TableGrades, rows: Mapping[str, Rows], seed: int, run: Run, answers: Answers | None
) -> TableGrades:
    held = rows["holdout"].drawn if "holdout" in rows else None
    private = privacy(rows["real"].drawn, rows["synthetic"].drawn, held, seed=seed, run=run, answers=answers)
    return replace(found, privacy=private, notices=(*found.notices, *privacy_notices(private)))
