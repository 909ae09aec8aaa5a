"""Exact Wasserstein distance against POT's network simplex: `python -m benchmarks.transport`, about a minute.

CPU time of both, from points to value; the values must agree to 1e-9.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import ot
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

from truegrade.metrics.transport import transport

CASES = [(2000, 64), (2000, 2), (4000, 64)]


def against_pot(n: int, d: int, repeats: int = 1) -> dict[str, Any]:
    """W_1 of n real and n synthetic points in d dimensions, shifted by half a unit in all."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(n, d)), rng.normal(size=(n, d)) + 0.5 / d**0.5

    def ours() -> float:
        return transport(x, y, 1).cost

    def theirs() -> float:
        return float(ot.emd2([], [], cdist(x, y), numItermax=10**9))

    with threadpool_limits(1):
        mine, pots = (min(_cpu(run) for _ in range(repeats)) for run in (ours, theirs))
        return {"n": n, "d": d, "seconds": [mine, pots], "ratio": pots / mine, "apart": abs(ours() / theirs() - 1.0)}


def _cpu(run: Callable[[], float]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def main() -> None:
    for n, d in CASES:
        found = against_pot(n, d)
        mine, pots = found["seconds"]
        print(f"{n} x {n}, d = {d}: ours {mine:.1f} s, POT {pots:.1f} s, ratio {found['ratio']:.2f}", flush=True)
        assert found["apart"] < 1e-9, found


if __name__ == "__main__":
    main()
