"""Audit: metrics put through controlled damage, to see whether they behave.

scenario: what is asked; suites/: the scenarios; rules, expectations, movement: pass rules that they share;
material: the user's data; changes: damage before embedding; opening, choosing: from wishes to tasks; run: draws and
grades; journal: what was measured so far; judging, standings: from curves to findings, the table of properties and
advice.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truegrade.ecg.options import EcgOptions
from truegrade.embedders import Embedder
from truegrade.grading import Progress
from truegrade.images.collection import OnError
from truegrade.load import Kind
from truegrade.metrics import Choice

if TYPE_CHECKING:
    from truegrade.audit.suites import Suite
    from truegrade.result.audit import AuditReport


def audit(
    real: object = None,
    *,
    suite: str | Suite | Sequence[str | Suite] = "own",
    metrics: Choice | Iterable[Choice] | None = None,
    k: int | None = None,
    quick: bool = False,
    seed: int = 0,
    n: int | None = None,
    repeats: int | None = None,
    embed: str | Embedder | Iterable[str | Embedder] | None = None,
    kind: Kind = "auto",
    types: Mapping[str, str] | None = None,
    ecg: EcgOptions | Mapping[str, Any] | None = None,
    on_error: OnError = "refuse",
    threads: int | None = None,
    resume: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> AuditReport:
    """Do metrics behave, on this data? Puts them through controlled damage and judges what they say.

    Args:
        real: real samples, (n, d) with n of 40 or more: all that `truegrade.evaluate` takes (vectors, points in the
            plane, tables, images, recordings). None takes built-in samples, for suites that bring their own laws.
        suite: which scenarios: "own" (damage of your own data), "clipped-paper", "raisa", "study-2018",
            "grade-inflation", "all", a `Suite` of your own, or several.
        metrics: keys, families or metrics, also of your own; None takes those of each suite. A key alone is that metric
            with the parameters of each suite's paper.
        k: neighbour count of the metrics that `metrics` names.
        quick: fewer levels, repeats and samples.
        seed: of everything that is drawn.
        n, repeats: samples a side of built-in laws, and draws of each level, in place of a scenario's own.
        embed: feature space of images, or several to be compared; see `truegrade.evaluate`.
        kind, types, ecg, on_error: how `real` is read; see `truegrade.evaluate`.
        threads: processors to use; no value depends on it.
        resume: a file in which every measurement is kept at once; given again, the audit goes on where it was.
            It knows a metric by its class and parameters: take another file when you change its code.
        progress: called with draws done, draws in all, and what is drawn.

    Returns a report with the curves, a finding for every metric and criterion, the table metric x property, advice, and
    the agreement with published tables. Raises InputError for unknown suites and metrics, for data that cannot be read
    or are too few, and for a journal of another audit. A scenario that the data do not allow is skipped, with a reason.
    """
    from truegrade.audit.auditing import run_audit  # scenarios are imported when one is run

    return run_audit(
        real,
        suite=suite,
        metrics=metrics,
        k=k,
        quick=quick,
        seed=seed,
        n=n,
        repeats=repeats,
        embed=embed,
        reading={"kind": kind, "types": types, "ecg": ecg, "on_error": on_error},
        threads=threads,
        resume=resume,
        progress=progress,
    )
