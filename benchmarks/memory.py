"""Peak memory of whole processes."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import gaussian, peak_of

_IN_MEMORY = """
import json, sys, time
import truegrade as tg
from benchmarks.common import everything, gaussian, peak_gigabytes
n = int(sys.argv[1])
start = time.perf_counter()
evaluation = tg.evaluate(gaussian(n, 1024, 1), gaussian(n, 1024, 2), metrics=everything(), intervals=False, floor=False)
failed = [key for key, score in evaluation.scores.items() if score.status != "ok"]
print(json.dumps({"seconds": time.perf_counter() - start, "peak_gb": peak_gigabytes(), "failed": failed}))
"""

_MAPPED = """
import json, sys, time
import truegrade as tg
from benchmarks.common import gaussian, peak_gigabytes
keys = ["precision", "density", "coverage", "clipped_density", "clipped_coverage", "authenticity"]
start = time.perf_counter()
evaluation = tg.evaluate(gaussian(5000, 1024, 1), tg.load(sys.argv[1]), metrics=keys, intervals=False, floor=False)
values = {key: score.value for key, score in evaluation.scores.items()}
print(json.dumps({"seconds": time.perf_counter() - start, "peak_gb": peak_gigabytes(), "values": values}))
"""


def in_memory(n: int) -> dict[str, Any]:
    """N = M = n rows of 1,024 columns, every metric of the overhead benchmark."""
    return {"n": n, "d": 1024, **peak_of(_IN_MEMORY, n)}


def mapped(rows: int) -> dict[str, Any]:
    """`rows` synthetic rows in a file against 5,000 real ones: the metrics that need no synthetic-synthetic pairs."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "synthetic.npy"
        file = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(rows, 1024))
        for start in range(0, rows, 50_000):
            file[start : start + 50_000] = gaussian(min(50_000, rows - start), 1024, 10 + start)
        file.flush()
        return {"n": 5_000, "m": rows, "d": 1024, **peak_of(_MAPPED, path)}
