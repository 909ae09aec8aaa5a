"""What audits in full came to as tables and figures of docs/audit.md, from benchmarks/audit.json alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from truegrade.audit.scenario import PROPERTIES
from truegrade.metrics import METRICS

RESULTS = Path(__file__).with_name("audit.json")
DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "audit.md"
FIGURE = "audit_clipped_25000.png"
_PAIR = ("clipped_density", "clipped_coverage")
_DRAWN = (
    ("clipped-bad-share", ("clipped_density", "density", "precision", "symmetric_precision")),
    ("clipped-bad-share", ("clipped_coverage", "coverage", "recall", "symmetric_recall")),
    ("clipped-mode-drop", ("clipped_coverage", "coverage", "recall", "symmetric_recall")),
    ("clipped-translation", ("clipped_density", "clipped_coverage", "precision", "recall")),
)
_LINES = (("#0072b2", "-"), ("#d55e00", "-"), ("#009e73", "-"), ("#cc79a7", "--"))  # the last may lie on another


def read() -> dict[str, Any]:
    """What was measured so far, by part."""
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.is_file() else {}
    return found


def record(part: str, found: Mapping[str, Any]) -> None:
    """Put one part into the file."""
    RESULTS.write_text(json.dumps(read() | {part: found}, separators=(",", ":")) + "\n", encoding="utf-8")


def write() -> None:
    """Put tables between the marks `<!-- NAME -->` and `<!-- end -->` of the page, and draw the figure."""
    found, text = read(), PAGE.read_text(encoding="utf-8")
    for name, make in _TABLES.items():
        part = name.partition(" ")[0]
        mark = f"<!-- {name} -->\n"
        if part in found and mark in text:
            before, _, rest = text.partition(mark)
            text = before + mark + "\n".join(make(found[part])) + "\n" + rest[rest.index("<!-- end -->") :]
    PAGE.write_text(text, encoding="utf-8")
    if "clipped-25000" in found:
        draw(found["clipped-25000"], DOCS / FIGURE)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines of a Markdown table."""
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    yield from ("| " + " | ".join(row) + " |" for row in rows)


def agreement(found: Mapping[str, Any]) -> Iterator[str]:
    """Published cells: how many are the same, and which are not."""
    rows = [
        [
            f"`{metric}`",
            f"{agreed} of {cells}",
            f"{agreed / cells:.1%}",
            "; ".join(f"{cell} ({theirs}, here {ours})" for cell, theirs, ours in differ) or "none",
        ]
        for metric, agreed, cells, differ in found["agreement"]
    ]
    return table(("metric", "cells alike", "", "cells that differ (published, here)"), rows)


def passed(found: Mapping[str, Any]) -> Iterator[str]:
    """Of every metric how many of the checks that a good metric passes."""
    counts: dict[str, list[bool]] = {}
    for scenario in found["scenarios"]:
        for metric, _, expected, verdict, _ in scenario["findings"]:
            if expected and verdict is not None:
                counts.setdefault(metric, []).append(verdict)
    ranked = sorted(counts.items(), key=lambda item: -sum(item[1]) / len(item[1]))
    rows = [[f"`{m}`", f"{sum(v)} of {len(v)}", f"{sum(v) / len(v):.0%}"] for m, v in ranked]
    return table(("metric", "checks passed", ""), rows)


def curves(found: Mapping[str, Any]) -> Iterator[str]:
    """Means of the clipped pair and of what fails beside it, level by level."""
    for scenario in found["scenarios"]:
        shown = [m for m in (*_PAIR, "precision", "recall", "density", "coverage") if m in scenario["curves"]]
        shown = shown or list(scenario["curves"])
        levels = scenario["levels"]
        rows = [[f"`{metric}`", *map(_number, _mean(scenario, metric))] for metric in shown]
        yield f"\n{scenario['title']}, by {scenario['axis']} (n = {scenario['n']:,}, {scenario['repeats']} draws):\n"
        yield from table(("", *map(_number, levels)), rows)


def properties(found: Mapping[str, Any]) -> Iterator[str]:
    """The table metric x property, on the user's data."""
    cells: dict[str, dict[str, str]] = {}
    for metric, space, prop, good, judged, expected in found["standings"]:
        if space != "built-in laws":
            word = "yes" if good == judged else "no" if good == 0 else f"{good} of {judged}"
            cells.setdefault(metric, {})[prop] = word if expected else f"({word})"
    shown = [p for p in PROPERTIES if any(p in row for row in cells.values())]
    return table(("metric", *shown), [[f"`{m}`", *(row.get(p, "") for p in shown)] for m, row in cells.items()])


def advice(found: Mapping[str, Any]) -> Iterator[str]:
    """What was recommended."""
    return (f"- {words}" for words in found["advice"])


def quick(found: Mapping[str, Any]) -> Iterator[str]:
    """What the quick audit costs."""
    count, cpu, wall = len(found["scenarios"]), found["cpu_seconds"], found["seconds"]
    return iter([f"{count} scenarios: {cpu:.0f} s CPU, {wall:.0f} s on two cores."])


def unnormalised(found: Mapping[str, Any]) -> Iterator[str]:
    """By how much the mean misses its expected curve."""
    (scenario,) = found["scenarios"]
    ((_, _, _, verdict, number),) = scenario["findings"]
    n = scenario["n"]
    word = "passes" if verdict else "fails"
    return iter([f"At N = M = {n:,} the mean misses the expected curve by at most {number:.4f}: it {word}."])


_TABLES = {
    "raisa": agreement,
    "raisa passed": passed,
    "clipped": curves,
    "clipped-25000": curves,
    "clipped-50000": unnormalised,
    "own": properties,
    "own advice": advice,
    "quick": quick,
}


def draw(found: Mapping[str, Any], path: Path) -> None:
    """Four panels: what the clipped pair does, and what it is compared with."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    known = {scenario["key"]: scenario for scenario in found["scenarios"]}
    figure, axes = plt.subplots(1, len(_DRAWN), figsize=(4.1 * len(_DRAWN), 3.9), sharey=True)
    for axis, (key, metrics) in zip(axes, _DRAWN, strict=True):
        scenario = known[key]
        levels = scenario["levels"]
        desired = scenario["curves"][metrics[0]]["desired"]
        if desired:
            axis.plot(levels, desired, "--", color="#666666", lw=1, label="desired")
        for metric, (colour, style) in zip(metrics, _LINES, strict=True):
            band = next(iter(scenario["curves"][metric]["arms"].values()))
            axis.plot(levels, band["mean"], style, color=colour, lw=1.6, label=METRICS[metric].info.title)
            axis.fill_between(levels, band["low"], band["high"], color=colour, alpha=0.2, lw=0)
        axis.set(title=scenario["title"], xlabel=scenario["axis"], ylim=(-0.03, 1.05))
        axis.spines[["top", "right"]].set_visible(False)
        axis.legend(fontsize=8, frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=100, metadata={"Software": None})
    plt.close(figure)


def _mean(scenario: Mapping[str, Any], metric: str) -> list[float | None]:
    arms = scenario["curves"][metric]["arms"]
    mean: list[float | None] = next(iter(arms.values()))["mean"]
    return mean


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.3g}"
