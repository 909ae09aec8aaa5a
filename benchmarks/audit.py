"""The papers' experiments, run in full: `python -m benchmarks.audit [PART ...]`.

Parts: raisa, clipped, clipped-25000 (the paper's size), clipped-50000 (the unnormalised score alone), own
(the demo digits), quick (seconds of the quick audit). Writes what they come to into audit.json beside this file, and
tables and figures into docs/audit.md from that file alone; `--page` writes only the page. With `--resume DIR` a part
that was stopped goes on.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import truegrade as tg
from benchmarks import audit_page
from truegrade.audit.suites import SUITES, Suite
from truegrade.demo import load_demo
from truegrade.result.audit import AuditReport, ScenarioOutcome

_DIGITS = 4  # that are kept of a number


def run(part: str, folder: Path | None) -> dict[str, Any]:
    """What one part comes to, as plain values."""
    resume = None if folder is None else folder / f"{part}.journal"
    started, cpu = time.perf_counter(), time.process_time()
    report = _PARTS[part](resume)
    return compact(report) | {
        "seconds": round(time.perf_counter() - started, 1),
        "cpu_seconds": round(time.process_time() - cpu, 1),
    }


def _suite(key: str, **how: Any) -> Callable[[Path | None], AuditReport]:
    return lambda resume: tg.audit(suite=key, resume=resume, **how)


def _large(resume: Path | None) -> AuditReport:
    """The paper's size; two draws of each level, by the clipped pair and what it is compared with."""
    names = ["clipped_density", "clipped_coverage", "density", "coverage", "precision", "recall"]
    others = ["symmetric_precision", "symmetric_recall", "p_precision", "p_recall", "precision_cover", "recall_cover"]
    suite = _without("clipped-unnormalised")
    return tg.audit(suite=suite, metrics=[*names, *others], n=25_000, repeats=2, resume=resume)


def _unnormalised(resume: Path | None) -> AuditReport:
    one = next(s for s in SUITES["clipped-paper"].scenarios if s.key == "clipped-unnormalised")
    return tg.audit(suite=Suite("clipped-paper", "one of it", (one,)), n=50_000, repeats=2, resume=resume)


def _without(key: str) -> Suite:
    whole = SUITES["clipped-paper"]
    return Suite(whole.key, whole.words, tuple(s for s in whole.scenarios if s.key != key))


def _own(resume: Path | None) -> AuditReport:
    return tg.audit(load_demo()["train"], resume=resume)


def _quick(resume: Path | None) -> AuditReport:
    """1,000 rows, every suite."""
    rows = np.random.default_rng(0).normal(size=(1000, 32))
    return tg.audit(rows, suite="all", quick=True)


_PARTS: dict[str, Callable[[Path | None], AuditReport]] = {
    "raisa": _suite("raisa"),
    "clipped": _suite("clipped-paper"),
    "clipped-25000": _large,
    "clipped-50000": _unnormalised,
    "own": _own,
    "quick": _quick,
}


def compact(report: AuditReport) -> dict[str, Any]:
    """Means and ranges of all curves, what was found, and the tables, as plain values."""
    return {
        "versions": dict(report.provenance.versions),
        "scenarios": [_scenario(one) for one in report.scenarios if one.skipped is None],
        "standings": [[s.metric, s.space, s.property, s.passed, s.judged, s.expected] for s in report.standings],
        "agreement": [[a.metric, a.agreed, a.cells, [list(one) for one in a.differ]] for a in report.agreement],
        "advice": [] if report.recommendation is None else list(report.recommendation.words),
    }


def _scenario(one: ScenarioOutcome) -> dict[str, Any]:
    return {
        "key": one.key,
        "title": one.title,
        "axis": one.axis,
        "n": one.n,
        "d": one.d,
        "repeats": one.repeats,
        "levels": list(one.levels),
        "curves": {
            c.metric: {
                "desired": _short(c.desired),
                "arms": {arm: _band(values) for arm, values in c.values.items()},
            }
            for c in one.curves
        },
        "findings": [[f.metric, f.criterion, f.expected, f.passed, _short(f.number)] for f in one.findings],
    }


def _band(values: Any) -> dict[str, Any]:
    return {"mean": _short(values.mean(axis=1)), "low": _short(values.min(axis=1)), "high": _short(values.max(axis=1))}


def _short(value: Any) -> Any:
    """Numbers with few digits; null for what is not finite."""
    if value is None:
        return None
    if np.ndim(value):
        return [_short(float(one)) for one in value]
    return float(f"{value:.{_DIGITS}g}") if np.isfinite(value) else None


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.audit", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(_PARTS))
    parser.add_argument("--resume", type=Path, metavar="DIR", help="where journals are kept")
    parser.add_argument("--page", action="store_true", help="only write the page again")
    options = parser.parse_args()
    unknown = set(options.parts) - set(_PARTS)
    if unknown:
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(_PARTS)}")
    for part in () if options.page else options.parts or _PARTS:
        audit_page.record(part, run(part, options.resume))
        print(f"{part}: {audit_page.read()[part]['seconds']:g} s", flush=True)
    audit_page.write()


if __name__ == "__main__":
    main()
