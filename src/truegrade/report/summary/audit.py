"""An audit as one plain dict, which terminal, Markdown and page are drawn from.

"verdict" and "facts" say what was audited; "advice", "properties", "tables" and "agreement" are those of `audit_table`,
"suites" those of `audit_scenarios`. "metrics": [{"key", "name", "family", "asked", "failed", "failures"}], failures by
scenario. "skipped", "provenance", "guide": what was not run, how it was made, how to read it.
All leaves are text or numbers; text is as the user gave it: each output escapes for itself.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from truegrade.report.summary import audit_scenarios, audit_table, audit_words
from truegrade.report.summary.audit_words import Names
from truegrade.report.summary.parts import strict
from truegrade.result.audit import AuditReport

SCHEMA = 1
GUIDE = (
    "A failed check is no reason against a metric, but tells what its value does not say: where this damage may be "
    "present, read another metric beside it.",
    "A check stands for one kind of damage, of one size, on these data. A pass says that the metric behaved here; it "
    "is no promise for other data.",
    "What is asked of a metric depends on its kind: fidelity need not see missing modes, nor coverage a bad sample. "
    "What is only described is no fault.",
    "Tolerances are those of the scenario, some widened by what chance does at this size. A number close to its "
    "tolerance may fall on the other side with another seed.",
    "Curves are drawn over the whole range of a score where it has one; a score without bounds over its own values, so "
    "heights of different panels cannot be compared.",
)


def audit_summary(report: AuditReport) -> dict[str, Any]:
    """The dict that terminal, HTML and Markdown are drawn from."""
    names = Names(report.metrics)
    suites = audit_scenarios.suites(report, names)
    summary = {
        "schema": SCHEMA,
        "kind": "audit",
        "name": str(report.data.get("name") or "real samples"),
        "law": bool(report.data.get("law")),
        "verdict": audit_words.verdict(report, names),
        "facts": audit_words.facts(report),
        "advice": audit_table.advice(report, names),
        "properties": audit_table.properties(report),
        "tables": audit_table.tables(report, names),
        "metrics": _metrics(report, names, suites),
        "agreement": audit_table.agreement(report, names),
        "suites": suites,
        "skipped": audit_table.skipped(report.scenarios),
        "guide": list(GUIDE),
        "provenance": _provenance(report),
    }
    return dict(strict(summary))


def _metrics(report: AuditReport, names: Names, suites: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every metric with the scenarios in which it fails something that a good one passes."""
    failures: dict[str, dict[str, dict[str, Any]]] = {}
    failed: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    for scenario in (s for suite in suites for s in suite["scenarios"]):
        for row in scenario["findings"]:
            asked[row["metric"]] += row["state"] in ("fails", "passes", "unknown")
            if row["state"] == "fails":
                failed[row["metric"]] += 1
                where = {key: scenario[key] for key in ("anchor", "title", "space")} | {"properties": []}
                place = failures.setdefault(row["metric"], {}).setdefault(scenario["anchor"], where)
                place["properties"] += [row["property"]] if row["property"] not in place["properties"] else []
    families = {m.key: m.family for m in report.metrics}
    keys = [*families, *(key for key in asked if key not in families)]
    return [
        {
            "key": key,
            "name": names.of(key),
            "family": families.get(key, ""),
            "asked": asked[key],
            "failed": failed[key],
            "failures": list(failures.get(key, {}).values()),
        }
        for key in keys
    ]


def _provenance(report: AuditReport) -> dict[str, Any]:
    made, data = report.provenance, report.data
    return {
        "versions": [{"name": name, "text": text} for name, text in made.versions.items()],
        "seed": made.seed,
        "threads": made.threads,
        "created": made.created,
        "seconds": made.seconds,
        "source": str(data.get("source") or ""),
        "fingerprints": [str(one)[:12] for one in data.get("fingerprints") or ()],
        "command": audit_words.command(report),
    }
