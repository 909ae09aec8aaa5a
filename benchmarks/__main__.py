"""Runs the benchmarks, prints a table and writes it with all figures to benchmarks/results.json.

`python -m benchmarks` takes some minutes; `--large` adds 50,000 x 50,000 and a file of 1,000,000 rows (4 GB of disk).
Run it on a machine that does nothing else. Tables: `python -m benchmarks.tables`.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.memory import in_memory, mapped
from benchmarks.overhead import overhead
from benchmarks.peers import against_prdc, against_scikit_learn
from truegrade.cores import usable_cores

_RESULTS = Path(__file__).with_name("results.json")
_USUAL: dict[str, Callable[[], dict[str, Any]]] = {
    "all metrics / bare products, 10,000 x 10,000 x 1,024": lambda: overhead(10_000, repeats=9),
    "all metrics / bare products, 20,000 x 20,000 x 1,024": lambda: overhead(20_000),
    "prdc 0.2 / precision, recall, density, coverage, 5,000 x 5,000 x 1,024": against_prdc,
    "scikit-learn brute force / 5 neighbours, 10,000 x 1,024": against_scikit_learn,
    "peak memory, 20,000 x 20,000 x 1,024": lambda: in_memory(20_000),
}
_LARGE: dict[str, Callable[[], dict[str, Any]]] = {
    "all metrics / bare products, 50,000 x 50,000 x 1,024": lambda: overhead(50_000, repeats=1),
    "peak memory, 1,000,000 rows from a file x 5,000 x 1,024": lambda: mapped(1_000_000),
}


def main(arguments: list[str]) -> None:
    chosen = {**_USUAL, **(_LARGE if "--large" in arguments else {})}
    results = json.loads(_RESULTS.read_text()) if _RESULTS.is_file() else {}
    for name, run in chosen.items():
        results[name] = {**run(), **machine()}
        print(f"{name}: {_said(results[name])}", flush=True)
        _RESULTS.write_text(json.dumps(results, indent=1) + "\n")


def machine() -> dict[str, Any]:
    return {"cores": usable_cores(), "processor": platform.machine(), "numpy": np.__version__}


def _said(result: dict[str, Any]) -> str:
    if "ratio" in result:
        first, second = result["seconds"]
        return f"{result['ratio']:.2f} times ({second:.2f} s / {first:.2f} s)"
    return f"{result['peak_gb']:.2f} GB, {result['seconds']:.0f} s"


if __name__ == "__main__":
    main(sys.argv[1:])
