"""What was measured of tables as the section "Speed" of docs/tables.md, from benchmarks/tables.json alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).with_name("tables.json")
PAGE = Path(__file__).parents[1] / "docs" / "tables.md"
START = "<!-- Written by `python -m benchmarks.tables` from benchmarks/tables.json. -->"
END = "<!-- End of what it wrote. -->"


def section(results: Mapping[str, Any]) -> str:
    """The lines between START and END: a row for each part that was measured."""
    cores = sorted({found["cores"] for found in results.values()})
    rows = [row for part, found in results.items() for row in _ROWS[part](found)]
    return "\n".join(
        [
            "## Speed",
            "",
            "`python -m benchmarks.tables` measures it on your machine; these figures are [what it "
            "wrote](../benchmarks/tables.json)",
            f"on {' and '.join(map(str, cores))} shared cores. Seconds are CPU seconds of all cores together.",
            "",
            "| what | CPU | beside |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


def _kernels(found: Mapping[str, Any]) -> list[str]:
    ours, theirs = found["seconds"]
    return [
        f"| Eden, KL, JS, CS and Jaccard of a pair, {found['n']:,} x {found['n']:,} points | {ours * 1e3:.0f} ms | "
        f"{theirs:.1f} s with scipy's gaussian_kde at {found['points']:,} random points: {found['ratio']:,.0f} times "
        "as much |"
    ]


def _repeats(found: Mapping[str, Any]) -> list[str]:
    return [
        f"| all seven scores of {found['repeats']:,} repeat samples of {found['n']:,} points (the earth mover's of "
        f"{found['moved']:,}) | {found['cpu_seconds']:.1f} s | |"
    ]


def _table(found: Mapping[str, Any]) -> list[str]:
    return [
        f"| {found['pairs']:,} pairs of {found['columns']} columns, {found['rows']:,} rows a side, {found['source']} | "
        f"{found['cpu_seconds']:.1f} s | peak memory {found['peak_gb']:.2f} GB |"
    ]


_ROWS = {"kernels": _kernels, "kernels large": _kernels, "repeats": _repeats, "memory": _table, "parquet": _table}
PARTS = tuple(_ROWS)


def with_section(page: str, results: Mapping[str, Any]) -> str:
    """The page with this section between its two marks."""
    before, rest = page.split(START)
    _, after = rest.split(END)
    return f"{before}{START}\n\n{section(results)}\n{END}{after}"


def read() -> dict[str, Any]:
    """What was measured so far, by part, in the order of PARTS."""
    found = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.is_file() else {}
    return {part: found[part] for part in PARTS if part in found}


def record(part: str, found: Mapping[str, Any]) -> None:
    """Puts one part into the JSON, and the section into the page."""
    known = read() | {part: dict(found)}
    known = {name: known[name] for name in PARTS if name in known}
    RESULTS.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(with_section(PAGE.read_text(encoding="utf-8"), known), encoding="utf-8")
