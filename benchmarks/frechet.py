"""The Fréchet distance against the usual way, scipy's matrix square root of the product of the covariances.

`python -m benchmarks.frechet` prints CPU seconds (of all threads), means and covariances included, with one thread of
the matrix library and with as many as it takes by itself. The square root is the peer here; the library has none.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg
from threadpoolctl import threadpool_limits

from truegrade.engine.moments import moments
from truegrade.engine.needs import Answers, Moments
from truegrade.metrics import FrechetDistance
from truegrade.samples import Samples

SIZES = ((500, 2048, 10.0), (3_000, 2048, 3.0))
"""Samples on each side, features, and how many times less CPU is asked."""


def sets(n: int, d: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Float32 features, correlated and with variances over three decades, as those of networks are."""
    rng = np.random.default_rng(0)
    mix = rng.standard_normal((d, d), dtype=np.float32) / d**0.5
    deviations = np.logspace(0.5, -1, d, dtype=np.float32)
    real = rng.standard_normal((n, d), dtype=np.float32) * deviations @ mix
    return real, rng.standard_normal((n, d), dtype=np.float32) * deviations[::-1] @ mix + np.float32(0.02)


def ours(sides: dict[str, Samples]) -> float:
    found = {Moments(name): moments(side) for name, side in sides.items()}
    outcome = FrechetDistance().compute(Answers(found, {k: s.n for k, s in sides.items()}, sides["real"].d))
    assert outcome.value is not None
    return outcome.value


def by_square_root(real: np.ndarray[Any, Any], synthetic: np.ndarray[Any, Any]) -> float:
    """The real part is taken, as usual; nothing is added to the diagonals."""
    (mean_a, a), (mean_b, b) = (
        (x.mean(0), np.cov(x, rowvar=False)) for x in (real.astype(np.float64), synthetic.astype(np.float64))
    )
    root = scipy.linalg.sqrtm(a @ b)
    return float(((mean_a - mean_b) ** 2).sum() + np.trace(a) + np.trace(b) - 2.0 * np.trace(root.real))


def cpu_seconds(run: Callable[[], float]) -> tuple[float, float, float]:
    """Value, CPU and wall-clock seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    value = run()
    return value, time.process_time() - cpu, time.perf_counter() - wall


def against_square_root(n: int, d: int, threads: int | None) -> dict[str, Any]:
    real, synthetic = sets(n, d)
    with threadpool_limits(threads, user_api="blas"):
        sides = {"real": Samples.from_array(real), "synthetic": Samples.from_array(synthetic)}
        value, cpu, wall = cpu_seconds(lambda: ours(sides))
        usual, usual_cpu, usual_wall = cpu_seconds(lambda: by_square_root(real, synthetic))
    return {
        "n": n,
        "d": d,
        "threads": threads,
        "cpu_seconds": [cpu, usual_cpu],
        "seconds": [wall, usual_wall],
        "ratio": usual_cpu / cpu,
        "values": [value, usual],
        "difference": abs(value - usual) / usual,
    }


def main() -> None:
    for n, d, asked in SIZES:
        for threads in (1, None):
            found = against_square_root(n, d, threads)
            cpu, usual = found["cpu_seconds"]
            how = "one thread" if threads else "threads as they come"
            print(f"n = {n:,}, d = {d:,}, {how}: {found['ratio']:.1f} times less CPU (asked: {asked:g})", flush=True)
            print(f"  CPU {usual:.2f} s against {cpu:.2f} s, wall clock {found['seconds'][1]:.2f} s against", end=" ")
            print(f"{found['seconds'][0]:.2f} s; values differ by {found['difference']:.1e}", flush=True)


if __name__ == "__main__":
    main()
