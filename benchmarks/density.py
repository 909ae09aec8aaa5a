"""Scores of a pair of columns: the grid against the paper's way of random points: `python -m benchmarks.density`.

First Eden, KL, JS, CS and Jaccard by the grid and with scipy's gaussian_kde at 50,000 random points, in turn, CPU time
of both; then the grid against exact kernels at 2,000,000 random points on eight shapes. About five minutes.
`python -m benchmarks.tables` records the first, and many sets of one generator.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import gaussian_kde
from threadpoolctl import threadpool_limits

import truegrade as tg
from truegrade.density import Settings, grade_pair

Array = np.ndarray[Any, np.dtype[np.float64]]
POINTS = 50_000
MANY = 2_000_000


def by_kernels(p: Array, q: Array, seed: int = 0) -> dict[str, float]:
    """The paper's Monte-Carlo with scipy: areas and integrals at uniform points, KL at draws from the real density."""
    rng = np.random.default_rng(seed)
    f, g = gaussian_kde(p.T), gaussian_kde(q.T)
    both = np.vstack([p, q])
    reach = 4 * np.sqrt(np.maximum(np.diag(f.covariance), np.diag(g.covariance)))
    low, high = both.min(axis=0) - reach, both.max(axis=0) + reach
    at = (low + (high - low) * rng.random((POINTS, 2))).T
    a, b = f(at), g(at)
    middle = (a + b) / 2
    drawn = f.resample(POINTS, seed=rng)
    at_own = [[h(x.T) for x in (p, q)] for h in (f, g)]
    inside = (at_own[1][0] > 0.1 * at_own[1][1].max()).sum() + (at_own[0][1] > 0.1 * at_own[0][0].max()).sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        js = sum(np.nansum(h * np.log(h / middle)) / h.sum() for h in (a, b)) / 2
        kl = np.mean(np.log(f(drawn) / g(drawn)))
    return {
        "eden_score": _eden(a, b),
        "kl_score": float(np.exp(-kl)),
        "js_score": float(np.exp(-js)),
        "cs_score": float((a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum())),
        "jaccard_score": float(inside / (len(p) + len(q))),
    }


def _eden(a: Array, b: Array) -> float:
    ratios = []
    bands = []
    for f in (a, b):
        ordered = np.sort(f)
        mass = np.cumsum(ordered) / ordered.sum()
        levels = ordered[np.searchsorted(mass, np.linspace(0.05, 1, 5)[:-1])]
        bands.append(np.searchsorted(levels, f, side="right"))
    for i in range(1, 5):
        ratios.append(((bands[0] == i) & (bands[1] == i)).sum() / ((bands[0] == i) | (bands[1] == i)).sum())
    return float(np.mean(ratios))


def against_kernels(n: int, rounds: int) -> dict[str, Any]:
    """CPU seconds of both on one thread, taken in turn `rounds` times, on a banana against its shuffled columns."""
    p, q = _shapes(n)["banana"]
    with threadpool_limits(1):
        return _against_kernels(p, q, rounds)


def _against_kernels(p: Array, q: Array, rounds: int) -> dict[str, Any]:
    grade_pair(p, q)  # compiled before it is timed
    seconds: tuple[list[float], list[float]] = ([], [])
    values: list[Any] = [None, None]
    for _ in range(rounds):
        for i, run in enumerate((lambda: dict(grade_pair(p, q).values), lambda: by_kernels(p, q))):
            start = time.process_time()
            values[i] = run()
            seconds[i].append(time.process_time() - start)
    apart = {key: values[0][key] - value for key, value in values[1].items()}
    ours, theirs = (float(np.median(s)) for s in seconds)
    return {"n": len(p), "points": POINTS, "seconds": [ours, theirs], "ratio": theirs / ours, "apart": apart}


def repeat_sampling(repeats: int = 5_000, n: int = 768) -> dict[str, Any]:
    """CPU seconds of the seven scores of many sets that a Gaussian copula of a banana makes."""
    p = _shapes(n)["banana"][0]
    copula = tg.samplers.GaussianCopula(p)
    with threadpool_limits(1):
        tg.repeat_pair_scores(p, copula, repeats=20)  # compiled before it is timed
        start = time.process_time()
        found = tg.repeat_pair_scores(p, copula, repeats=repeats)
        seconds = time.process_time() - start
    moved = int(np.isfinite(found["earth_movers_score"].values).sum())
    return {
        "n": n,
        "repeats": repeats,
        "moved": moved,
        "cpu_seconds": seconds,
        "means": {key: one.mean for key, one in found.items()},
    }


def against_many_points(size: int = MANY, n: int = 400) -> dict[str, Any]:
    """Grid minus Monte-Carlo by shape. A thin set is drawn in coordinates in which it is round: areas' ratios stay."""
    found = {}
    for name, (p, q) in _shapes(n).items():
        root = np.linalg.inv(np.linalg.cholesky(np.cov(p.T) + np.cov(q.T))).T
        grid = grade_pair(p, q).values
        drawn = grade_pair(p @ root, q @ root, Settings(method="monte-carlo", size=size)).values
        keys = [key for key in grid if key != "correlation_score"]
        found[name] = {key: (grid[key], grid[key] - drawn[key]) for key in keys}
        told = ", ".join(f"{key[:-6]} {grid[key]:.4f} ({grid[key] - drawn[key]:+.4f})" for key in keys)
        print(f"  {name}: {told}", flush=True)
    return found


def _shapes(n: int) -> dict[str, tuple[Array, Array]]:
    rng = np.random.default_rng(0)
    bend, angle = rng.normal(size=n), rng.uniform(0, 2 * np.pi, n)
    banana = np.column_stack([bend, bend**2 / 2 + 0.3 * rng.normal(size=n)])
    ring = np.column_stack([np.cos(angle), np.sin(angle)]) * (1 + 0.1 * rng.normal(size=(n, 1)))
    heaps = np.array([[0, 0], [4, 1], [1, 5]])[rng.integers(0, 3, n)] + 0.5 * rng.normal(size=(n, 2))

    def slanted(rho: float, size: int) -> Array:
        z = rng.normal(size=(size, 2))
        return np.column_stack([z[:, 0], rho * z[:, 0] + (1 - rho**2) ** 0.5 * z[:, 1]])

    def striped(size: int) -> Array:
        return np.column_stack([rng.random(size), (rng.integers(0, 6, size) + 0.3 * rng.random(size)) / 6])

    def shuffled(x: Array) -> Array:
        return np.column_stack([x[:, 0], rng.permutation(x[:, 1])])

    return {
        "normal": (rng.normal(size=(n, 2)), 1.2 * rng.normal(size=(n, 2)) + 0.3),
        "correlation .9999": (slanted(0.9999, 200), slanted(0.9999, 200)),
        "correlation .95 and .5": (slanted(0.95, n), slanted(0.5, n)),
        "ring, shuffled": (ring, shuffled(ring)),
        "banana": (banana, shuffled(banana)),
        "stripes, twice as many": (striped(n), striped(2 * n)),
        "heaps, shuffled": (heaps, shuffled(heaps)),
        "t, 2.5 degrees of freedom": (rng.standard_t(2.5, (n, 2)), 1.1 * rng.standard_t(2.5, (n, 2))),
    }


def main() -> None:
    runs: list[Callable[[], dict[str, Any]]] = [lambda: against_kernels(2000, 3), lambda: against_kernels(20_000, 1)]
    with threadpool_limits(1):
        for run in runs:
            found = run()
            ours, theirs = found["seconds"]
            most = max(found["apart"].values(), key=abs)
            print(
                f"n = {found['n']:,}: grid {ours * 1e3:.1f} ms, scipy at {POINTS:,} points {theirs:.1f} s, "
                f"ratio {found['ratio']:.0f}, largest difference {most:+.4f}",
                flush=True,
            )
        print(f"Grid, and grid minus exact kernels at {MANY:,} random points:")
        apart = against_many_points()
    assert all(abs(gap) < 0.005 for scores in apart.values() for _, gap in scores.values()), apart


if __name__ == "__main__":
    main()
