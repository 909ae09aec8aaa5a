"""Pairs of columns and large tables: CPU seconds and peak memory, each table in a process of its own.

`python -m benchmarks.tables` measures the parts "kernels" and "kernels large" (a pair by the grid and by scipy's
kernels), "repeats" (5,000 sets), "memory" (54 columns x 581,012 rows) and "parquet" (20 columns x 5,000,000 rows), or
those that are named, writes them to benchmarks/tables.json, and that to docs/tables.md. Run it on a machine that does
nothing else. `small` prints both tables with a hundredth of the rows and writes nothing.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import peak_of

_GRADED = """
import json, sys, time
from benchmarks.common import peak_gigabytes
from benchmarks.tables import {maker} as make
from truegrade.tables import code, describe
from truegrade.tabular.columns.aggregates import aggregates
from truegrade.tabular.columns.pairs import grade_columns_and_pairs
tables = [make(int(sys.argv[1]), seed, sys.argv[2]) for seed in (1, 2)]
before, start = time.process_time(), time.perf_counter()
schema = describe(tables[0])
real, synthetic = (code(table, schema) for table in tables)
read = time.process_time() - before
columns, pairs, _ = grade_columns_and_pairs(real, synthetic, seed=0)
seconds = time.process_time() - before
means = aggregates(columns, pairs)
print(json.dumps({{
    "cpu_seconds": seconds, "cpu_seconds_of_reading": read, "seconds": time.perf_counter() - start,
    "peak_gb": peak_gigabytes(), "columns": len(columns), "pairs": len(pairs),
    "graded": sum(pair.status == "ok" for pair in pairs),
    "means": {{key: means[key].value for key in ("column_score", "eden_ratio", "correlation_score")}},
}}))
"""


def simulated(rows: int, numbers: int, categories: int, seed: int) -> dict[str, NDArray[Any]]:
    """Columns that depend on a few factors: normal, skewed, heavy-tailed, bounded, two-peaked and whole numbers, some
    with missing values; truth values, few-valued numbers and texts with up to 40 categories."""
    rng, fixed = np.random.default_rng(seed), np.random.default_rng(0)
    factors = rng.standard_normal((4, rows))
    out: dict[str, NDArray[Any]] = {}
    for i in range(numbers):
        weights = fixed.standard_normal(4) / 2
        x = weights @ factors + rng.standard_normal(rows) / 2
        peaks = x + 3 * np.sign(factors[i % 4])
        shaped = (x, np.exp(x), x * np.abs(x) ** 1.5, np.tanh(x), peaks, np.rint(20 * x))[i % 6]
        out[f"number {i}"] = np.where(rng.random(rows) < 0.05, np.nan, shaped) if i % 10 == 9 else shaped
    for i in range(categories):
        x = factors[i % 4] + rng.standard_normal(rows)
        levels = (2, 3, 7, 12, 25, 40)[i % 6]
        codes = np.clip(((x + 3) / 6 * levels).astype(np.int64), 0, levels - 1)
        texts = np.array([f"category {k}" for k in range(levels)], object)
        out[f"category {i}"] = codes.astype(np.float64) if levels <= 3 else texts[codes]
    return out


def in_memory(rows: int, seed: int, _: str) -> Any:
    """54 columns."""
    from truegrade.tables import MemoryStore, Table

    columns = simulated(rows, 30, 24, seed)
    stored: Any = {name: "text" if values.dtype == object else "number" for name, values in columns.items()}
    return Table(MemoryStore(columns, stored), f"table {seed}", "memory")


def in_parquet(rows: int, seed: int, folder: str) -> Any:
    """20 columns of a file that `write_parquet` made."""
    from truegrade.load.mixed import load_table

    return load_table(str(Path(folder) / f"{seed}.parquet"))


def write_parquet(rows: int, seed: int, folder: str) -> None:
    """In pieces of 250,000 rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer = None
    for start in range(0, rows, 250_000):
        piece = pa.table(simulated(min(250_000, rows - start), 14, 6, 1000 * seed + start // 250_000))
        writer = writer or pq.ParquetWriter(Path(folder) / f"{seed}.parquet", piece.schema)
        writer.write_table(piece)
    if writer is not None:
        writer.close()


def all_pairs(rows: int = 581_012) -> dict[str, Any]:
    """1,431 pairs of 54 columns in memory."""
    return {"rows": rows, "source": "in memory", **peak_of(_GRADED.format(maker="in_memory"), rows, "-")}


def from_parquet(rows: int = 5_000_000) -> dict[str, Any]:
    """190 pairs of 20 columns, read block by block."""
    with tempfile.TemporaryDirectory() as folder:
        for seed in (1, 2):
            write_parquet(rows, seed, folder)
        return {"rows": rows, "source": "from Parquet", **peak_of(_GRADED.format(maker="in_parquet"), rows, folder)}


def main(arguments: list[str]) -> None:
    from benchmarks.__main__ import machine
    from benchmarks.density import against_kernels, repeat_sampling
    from benchmarks.table_page import PARTS, record

    if arguments == ["small"]:
        print("54 columns in memory:", all_pairs(5_810), flush=True)
        print("20 columns from Parquet:", from_parquet(50_000), flush=True)
        return
    runs: dict[str, Callable[[], dict[str, Any]]] = {
        "kernels": lambda: against_kernels(2_000, 3),
        "kernels large": lambda: against_kernels(20_000, 1),
        "repeats": repeat_sampling,
        "memory": all_pairs,
        "parquet": from_parquet,
    }
    if unknown := set(arguments) - set(runs):
        sys.exit(f"{', '.join(sorted(unknown))} given; small, or some of {', '.join(PARTS)} are accepted.")
    for part in PARTS:
        if not arguments or part in arguments:
            found = {**runs[part](), **machine()}
            print(f"{part}: {found}", flush=True)
            record(part, found)


if __name__ == "__main__":
    main(sys.argv[1:])
