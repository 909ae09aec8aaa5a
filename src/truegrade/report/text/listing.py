"""What is known before any grading: the table of metrics, the record of one, the facts of a file."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from truegrade.errors import Notice
from truegrade.metrics import BIBLIOGRAPHY
from truegrade.metrics.base import Metric
from truegrade.protocols import Protocol
from truegrade.report.summary.origin import in_words
from truegrade.report.words import counted, safe
from truegrade.result import About
from truegrade.samples import Samples


def table(metrics: Iterable[type[Metric]], scores: Iterable[tuple[str, About]] = ()) -> RenderableType:
    """One line per metric, then one per score of tables and recordings; the last column: where it is a default."""
    drawn = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("key", "family", "range", "better", "ideal", "default"):
        drawn.add_column(Text(heading, "bold"), no_wrap=True)
    for metric in metrics:
        info = metric.info
        cells = (
            info.key,
            info.family,
            _range(info.range),
            info.direction,
            _ideal(info.target),
            "yes" if info.default else "",
        )
        drawn.add_row(*(Text(cell) for cell in cells))
    for key, about in scores:
        where = "ECG" if about.family == "ecg" else "tables"
        line = (key, about.family, _range(about.range), about.direction, _ideal(about.target), where)
        drawn.add_row(*(Text(cell) for cell in line))
    return drawn


def protocols(known: Iterable[Protocol]) -> RenderableType:
    """Every protocol with its settings, and what it does not reproduce."""
    parts: list[RenderableType] = []
    for one in known:
        text = Text.assemble((one.name, "bold"), f"  {one.reproduces}, {one.source}\n")
        text.append(f"  images: {f'--embed {one.embed}' if one.embed else 'the tool takes vectors'}\n")
        for key, values in one.settings.items():
            text.append(f"  {key}: {in_words(values)}\n")
        for sentence in one.differs:
            text.append(f"  - {sentence}\n", "dim")
        parts.append(text)
    return Group(*parts)


def record(metric: type[Metric]) -> RenderableType:
    """Everything about one metric."""
    info = metric.info
    lines = {
        "key": info.key,
        "family": info.family,
        "range": _range(info.range),
        "better": info.direction,
        "ideal": _ideal(info.target) or "see real against real",
        "identical sets": "depends on them" if info.identical is None else f"{info.identical:g}",
        "symmetric": "yes" if info.symmetric else "no",
        "unchanged by": ", ".join(sorted(info.invariances)) or "nothing",
        "hold-out": "needed" if info.needs_holdout else "not needed",
        "parameters": ", ".join(f"{f.name}={getattr(metric(), f.name)!r}" for f in fields(metric)) or "none",  # type: ignore[arg-type]
        "formula": info.formula,
        "reading": info.reading,
        "reference": str(BIBLIOGRAPHY[info.reference]),
    }
    return Group(Text(info.title + "\n", "bold"), _grid(lines), Text("\n" + _flowing(metric.__doc__ or "")))


def table_record(key: str, title: str, about: About) -> RenderableType:
    """Everything about one score of tables."""
    lines = {
        "key": key,
        "family": about.family,
        "range": _range(about.range),
        "better": about.direction,
        "ideal": _ideal(about.target) or "see real against real",
        "formula": about.formula,
        "reading": about.reading,
        "reference": str(BIBLIOGRAPHY.get(about.reference, about.reference)),
    }
    return Group(Text(title + "\n", "bold"), _grid(lines))


def _grid(lines: Mapping[str, str]) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column()
    for name, text in lines.items():
        grid.add_row(Text(name, "bold"), Text(text))
    return grid


def _flowing(doc: str) -> str:
    """A docstring with one line per paragraph, for the printer to break; indented lines stay lines."""
    return re.sub(r"(?<=\S)\n(?=\S)", " ", inspect.cleandoc(doc))


def facts(path: str, samples: Samples, notices: Iterable[Notice]) -> RenderableType:
    """What a file holds, and what is doubtful about it."""
    text = Text(f"{safe(path, 200)}: {samples.n:,} samples x {counted(samples.d, 'feature')}, {samples.dtype}")
    text.append(f"\n  spread {samples.spread:.4g}, fingerprint {samples.fingerprint}")
    for note in notices:
        text.append(f"\n  {note.severity}: {safe(note.text, 600)}")
    return text


def _range(limits: tuple[float, float]) -> str:
    low, high = (f"{limit:g}".replace("inf", "∞") for limit in limits)
    return f"{low} to {high}"


def _ideal(target: float | None) -> str:
    return "" if target is None else f"{target:g}"
