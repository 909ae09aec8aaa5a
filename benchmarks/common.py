"""What the benchmarks share: the data, the two things timed in turn, and peak memory in a process of its own."""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import truegrade as tg
from truegrade.cores import usable_cores
from truegrade.engine.tiles import tile_size

NEIGHBOUR_METRICS = [
    *("precision", "recall", "density", "coverage", "clipped_density", "clipped_coverage"),
    *("complement_precision", "symmetric_precision", "symmetric_recall", "precision_cover", "recall_cover"),
    *("nearest_ball_precision", "nearest_ball_recall", "nearest_ball_f", "realism", "rarity"),
    *("p_precision", "p_recall", "nn_two_sample", "authenticity"),
]
SCALES = (0.25, 0.5, 1.0, 2.0, 4.0)


def everything() -> list[Any]:
    """All neighbour metrics, P-precision, MMD with five bandwidths and the kernel distance."""
    return [*NEIGHBOUR_METRICS, tg.metrics.MMD(bandwidth="median-real", scales=SCALES), tg.metrics.KernelDistance()]


def gaussian(n: int, d: int, seed: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.random.default_rng(seed).standard_normal((n, d), dtype=np.float32)


def in_turn(a: Callable[[], object], b: Callable[[], object], repeats: int) -> dict[str, Any]:
    """Times a and b alternately; seconds (median) of each, and the ratio b / a round by round."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for times, run in zip(seconds, (a, b), strict=True):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
    ratios = [y / x for x, y in zip(*seconds, strict=True)]
    return {
        "seconds": [statistics.median(times) for times in seconds],
        "ratio": statistics.median(ratios),
        "ratios": ratios,
    }


def bare_products(real: np.ndarray[Any, Any], synthetic: np.ndarray[Any, Any]) -> None:
    """The matrix products that an evaluation needs, on the same tiles and threads, and nothing else."""
    size = tile_size(len(real), real.shape[1], None)
    left, right = ([x[i : i + size] for i in range(0, len(x), size)] for x in (real, synthetic))
    tiles = [(side[i], side[j]) for side in (left, right) for i in range(len(side)) for j in range(i, len(side))]
    waiting, lock = iter([*tiles, *((a, b) for a in left for b in right)]), threading.Lock()

    def work() -> None:
        buffer = np.empty(size * size, np.float32)
        while True:
            with lock:
                tile = next(waiting, None)
            if tile is None:
                return
            a, b = tile
            np.matmul(a, b.T, out=buffer[: len(a) * len(b)].reshape(len(a), len(b)))

    with threadpool_limits(1, user_api="blas"):
        workers = [threading.Thread(target=work) for _ in range(usable_cores())]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()


def peak_of(code: str, *arguments: object) -> dict[str, Any]:
    """Runs `code` (which prints one JSON object last) in a process of its own; adds its peak memory in GB."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def peak_gigabytes() -> float:
    """Peak resident memory of this process (ru_maxrss would start at what the parent had when it was forked)."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) * 1024 / 1e9  # type: ignore[index]
