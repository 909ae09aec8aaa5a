"""Words of an audit's report: names of metrics, scopes and properties, numbers, verdict and settings."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from truegrade.audit.scenario import PROPERTIES
from truegrade.report.words import counted, safe
from truegrade.result.audit import AuditedMetric, AuditReport, Finding

LAWS, GIVEN = "built-in laws", "your data"  # as the table of properties calls its scopes
_MOST = 3  # metrics that a verdict names


def property_words(name: str) -> str:
    """What a metric with this property does; of one that this version does not know, its name."""
    known: Mapping[str, str] = PROPERTIES  # type: ignore[assignment]
    return known.get(name, name)


def short(value: float | None) -> str:
    """Three digits, whole from a thousand on; empty without a value."""
    if value is None or math.isnan(value):
        return ""
    if math.isinf(value):
        return "\u221e" if value > 0 else "\u2212\u221e"
    if 1000 <= abs(value) < 1e7:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def tick(value: float) -> str:
    """A number at the end of a scale, with few letters."""
    for size, letter in ((1e6, "M"), (1e4, "k")):
        if size <= abs(value) < 1e9:
            return f"{value / (1e6 if letter == 'M' else 1e3):.3g}{letter}"
    return short(value)


class Names:
    """What metrics are called: their titles, with what sets those apart that share a title."""

    def __init__(self, metrics: Sequence[AuditedMetric]) -> None:
        self._titles = {m.key: _title(m) for m in metrics}
        twice = {title for title, count in Counter(self._titles.values()).items() if count > 1}
        self._titles = {key: f"{title} [{key}]" if title in twice else title for key, title in self._titles.items()}

    def of(self, key: str) -> str:
        """The name of a metric; of one that is not in the report, its key."""
        return self._titles.get(key, key)

    def split(self, name: str) -> tuple[str, str]:
        """The key of a metric, and the space, of "key in space"."""
        if name in self._titles:
            return name, ""
        for key in sorted(self._titles, key=len, reverse=True):
            if name.startswith(f"{key} in "):
                return key, name.removeprefix(f"{key} in ")
        return name, ""


def _title(metric: AuditedMetric) -> str:
    name, _, parameters = metric.key.partition("(")
    return f"{metric.title} ({parameters}" if parameters else metric.title or name


def scope_title(space: str, law: bool) -> str:
    """What the rows of one scope were found on. law: whether built-in samples stood in for the user's data."""
    if space == LAWS:
        return "On built-in laws"
    if space == GIVEN:
        return "On the built-in samples" if law else "On your data"
    return f"On your data in {space}"


def verdict(report: AuditReport, names: Names) -> str:
    """How many checks there were, how many that a good metric passes were failed, and by which metrics most."""
    findings = [f for s in report.scenarios for f in s.findings]
    run = sum(s.skipped is None for s in report.scenarios)
    if not findings:
        return "Nothing could be checked." if not run else "Nothing was checked."
    asked = [f for f in findings if f.expected]
    part = "all" if len(asked) == len(findings) else f"{len(asked):,} of them"
    start = (
        f"{counted(len({f.metric for f in findings}), 'metric')} went through {counted(run, 'scenario')}: "
        f"{counted(len(findings), 'check')}, {part} of what a good metric does"
    )
    return f"{start}. {_failed(asked, names)}" if asked else f"{start}."


def _failed(asked: Sequence[Finding], names: Names) -> str:
    failed = Counter(f.metric for f in asked if f.passed is False)
    total = Counter(f.metric for f in asked)
    open_ = sum(f.passed is None for f in asked)
    unsaid = f" {open_:,} could not be judged." if open_ else ""
    if not failed:
        return f"None of these was failed.{unsaid}"
    most = sorted(failed, key=lambda key: (-failed[key], total[key]))[:_MOST]
    listed = ", ".join(f"{safe(names.of(key))} ({failed[key]} of {total[key]})" for key in most)
    whose = f"most by {listed}" if len(failed) > len(most) else f"by {listed}"
    return f"{failed.total():,} of these were failed, {whose}.{unsaid}"


def facts(report: AuditReport) -> list[str]:
    """What was audited, one fact each."""
    return list(_facts(report.data, report.settings, report))


def _facts(data: Mapping[str, Any], settings: Mapping[str, Any], report: AuditReport) -> Iterator[str]:
    sizes = [int(d) for d in data.get("d") or ()]
    features = " and ".join(f"{d:,}" for d in sizes) + (" feature" if sizes == [1] else " features")
    spaces = [safe(space, 40) for space in data.get("spaces") or () if space]
    inside = f" of {', '.join(spaces)}" if spaces else ""
    kind = "built-in sample" if data.get("law") else "real sample"
    yield f"{counted(int(data.get('n') or 0), kind)}, {features}{inside}"
    suites = settings.get("suites") or list(dict.fromkeys(s.suite for s in report.scenarios))
    yield f"{'suite' if len(suites) == 1 else 'suites'} {', '.join(safe(key, 40) for key in suites)}"
    yield f"{counted(len(report.scenarios), 'scenario')}, {counted(len(report.metrics), 'metric')}"
    yield "quick: fewer levels, repeats and samples" if settings.get("quick") else "full"
    if settings.get("n"):
        yield f"{settings['n']:,} samples a side of built-in laws"
    if settings.get("repeats"):
        yield f"{settings['repeats']} repeats"
    yield f"seed {report.provenance.seed}"


def command(report: AuditReport) -> str:
    """The command that comes to the same audit, as far as a command can say it."""
    data, settings = report.data, report.settings
    parts = ["truegrade audit"] + ([] if data.get("law") else [str(data.get("source") or data.get("name"))])
    parts += ["--suite", ",".join(settings.get("suites") or ())]
    for option, value in (
        ("--metrics", ",".join(settings.get("metrics") or ())),
        ("--k", settings.get("k")),
        ("--embed", " ".join(space for space in data.get("spaces") or () if space)),
        ("--n", settings.get("n")),
        ("--repeats", settings.get("repeats")),
        ("--seed", report.provenance.seed or None),
    ):
        parts += [option, str(value)] if value else []
    return " ".join(parts + (["--quick"] if settings.get("quick") else []))
