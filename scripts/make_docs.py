"""Write docs/metrics.md from the metrics themselves (`make docs`); a test checks that it is up to date."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from truegrade.ecg import AVAILABLE_METRICS, ECG_SCORES
from truegrade.metrics import BIBLIOGRAPHY, FAMILIES, METRICS
from truegrade.metrics.base import Metric, MetricInfo
from truegrade.tabular import TABLE_SCORES

OUT = Path(__file__).resolve().parents[1] / "docs" / "metrics.md"

HEAD = """\
# The metrics

<!-- Written by scripts/make_docs.py from each metric's `info`. Change the metric, then run `make docs`. -->

x_i are the N real samples, y_j the M synthetic ones, k neighbours, d(., .) the Euclidean distance. r_i is the
distance from x_i to its k-th nearest other real sample, s_j the same among the synthetic samples.
Metrics marked * are in the default evaluation.
"""

FAMILY_TEXT = {
    "fidelity": "Do the synthetic samples look real?",
    "coverage": "Is every kind of real sample produced?",
    "distance": "How far apart are the two laws?",
    "classes": "Is a classifier sure of each synthetic sample, and do its classes all come up? p_j are probabilities.",
    "copying": "Are training samples repeated?",
    "two-sample": "Can the two sets be told apart?",
    "pairs": "Of two columns, points in the plane: is their joint density there? p is the real one, q the synthetic "
    "one.",
}

TABLE_TEXT = "Of a table with named columns; all are in its default evaluation. [Tables](tables.md) has more on each."

ECG_TEXT = "Of ECG recordings; all are in their default evaluation. [ECG](ecg.md) has more on them."

REGISTRY_TEXT = (
    "What `truegrade.ecg.AVAILABLE_METRICS` computes, and what differs from ECGEN-Eval 0.5.0, whose own numbers "
    '`compat="ecgen-eval-0.5"` gives where they are well defined.'
)

DIRECTION_TEXT = {
    "higher": "higher is better",
    "lower": "lower is better",
    "target": "the value of fresh real samples is best",
}


def number(value: float) -> str:
    """A number as prose wants it."""
    return f"{value:g}".replace("inf", "infinity")


def range_text(low: float, high: float) -> str:
    """A range in words."""
    if math.isinf(low) and math.isinf(high):
        return "any number"
    return f"{number(low)} or more" if math.isinf(high) else f"{number(low)} to {number(high)}"


def overview() -> Iterator[str]:
    """One table row per metric."""
    yield "| metric | family | range | better |"
    yield "|---|---|---|---|"
    for key, metric in METRICS.items():
        info = metric.info
        star = " *" if info.default else ""
        yield f"| [`{key}`](#{key}){star} | {info.family} | {range_text(*info.range)} | {info.direction} |"


def facts(metric: type[Metric], info: MetricInfo) -> Iterator[str]:
    """The list of what a metric declares."""
    yield f"- Value: {range_text(*info.range)}; {DIRECTION_TEXT[info.direction]}."
    if info.target is not None:
        yield f"- Fresh samples of the same law: {number(info.target)}."
    if info.identical is not None:
        yield f"- Identical sets: {number(info.identical)}."
    shown = ", ".join(f"`{f.name}={f.default!r}`" for f in fields(metric))  # type: ignore[arg-type]
    yield f"- Parameters: {shown}." if shown else "- No parameters."
    unchanged = ", ".join(sorted(info.invariances)) or "nothing"
    yield f"- Unchanged by: {unchanged}{', swapping the two sets' if info.symmetric else ''}."
    if info.needs_holdout:
        yield "- Needs a hold-out set."
    yield f"- Source: {BIBLIOGRAPHY[info.reference]}"


def section(key: str) -> Iterator[str]:
    """The part of the page about one metric."""
    metric = METRICS[key]
    info = metric.info
    yield from (f'<a id="{key}"></a>', "", f"### {info.title}", "", f"`{key}`: {info.formula}", "")
    yield from (info.reading, "", *facts(metric, info), "")


def table_section(key: str) -> Iterator[str]:
    """The part of the page about one score of tables."""
    one = TABLE_SCORES[key]
    about = one.about
    yield from (f'<a id="{key}"></a>', "", f"### {one.title}", "", f"`{key}`: {about.formula}", "", about.reading, "")
    yield f"- Value: {range_text(*about.range)}; {DIRECTION_TEXT[about.direction]}."
    if about.target is not None:
        yield f"- Ideal: {number(about.target)}."
    yield from (f"- Source: {BIBLIOGRAPHY.get(about.reference, about.reference)}", "")


def ecg_rows() -> Iterator[str]:
    """One table row per score of recordings."""
    yield "| score | is | range | better |"
    yield "|---|---|---|---|"
    for key, one in ECG_SCORES.items():
        about = one.about
        ideal = f", {number(about.target)} is ideal" if about.target is not None else ""
        what = about.formula.replace("|", "\\|")
        yield f"| `{key}` | {one.title}: {what} | {range_text(*about.range)} | {about.direction}{ideal} |"


def registry_rows() -> Iterator[str]:
    """One table row per metric of the registry of recordings."""
    yield "| metric | is | corrected |"
    yield "|---|---|---|"
    for key, metric in AVAILABLE_METRICS.items():
        texts = (" ".join(text.split()).replace("|", "\\|") for text in (metric.description, metric.corrected))
        yield f"| `{key}` | {' | '.join(texts)} |"


def page() -> str:
    """The whole page."""
    lines = [HEAD, *overview(), ""]
    for family, keys in FAMILIES.items():
        if keys:
            lines += [f"## {family.capitalize()} metrics", "", FAMILY_TEXT[family], ""]
            lines += [line for key in keys for line in section(key)]
    lines += ["## Scores of tables", "", TABLE_TEXT, ""]
    lines += [line for key in TABLE_SCORES for line in table_section(key)]
    lines += ["## Scores of ECG recordings", "", ECG_TEXT, "", *ecg_rows(), ""]
    lines += ["## The sixteen metrics of recordings", "", REGISTRY_TEXT, "", *registry_rows(), ""]
    return "\n".join(lines).rstrip() + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Write docs/metrics.md.")
    parser.add_argument("--out", type=Path, default=OUT)
    out = parser.parse_args().out
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
