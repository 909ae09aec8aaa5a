"""How often the 95 % intervals hold what they are to hold: `python -m benchmarks.coverage [--quick] [--missing]`.

Two laws are sampled again and again. An interval is to hold the expected score at these sizes, which is the mean over
all repetitions (most of them without an interval). Writes coverage.json beside this file and prints the table that
docs/uncertainty.md shows, and writes it there. Takes about an hour on two free cores; --missing simulates only the
metrics that coverage.json lacks and keeps the rest, --quick, a few minutes, only prints.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.grading import Run, choose, grade
from truegrade.metrics import FAMILIES, METRICS
from truegrade.metrics.base import Metric
from truegrade.result import Interval
from truegrade.samples import Samples
from truegrade.uncertainty.intervals import spread_of

OUT = Path(__file__).with_suffix(".json")
PAGE = Path(__file__).resolve().parents[1] / "docs" / "uncertainty.md"
START, END = "<!-- coverage: start -->", "<!-- coverage: end -->"
SIZE = 300
Rows = NDArray[np.float64]
Law = Callable[[np.random.Generator, int], tuple[Rows, Rows, Rows]]


def gaussian(d: int, *, scale: float = 1.0, shift: float = 0.0) -> Law:
    """Real and held-out N(0, I), synthetic N(shift, scale^2 I)."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Rows, Rows, Rows]:
        real, synthetic, holdout = rng.normal(size=(3, n, d))
        return real, shift + scale * synthetic, holdout

    return draw


def dropped_mode(rng: np.random.Generator, n: int) -> tuple[Rows, Rows, Rows]:
    """Five Gaussian modes in two dimensions, the last of which the generator never makes."""
    centres = 5.0 * np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1]])
    real, synthetic, holdout = (centres[rng.integers(0, k, n)] + rng.normal(size=(n, 2)) for k in (5, 4, 5))
    return real, synthetic, holdout


def uniform(rng: np.random.Generator, n: int) -> tuple[Rows, Rows, Rows]:
    """All sets uniform on the unit square."""
    real, synthetic, holdout = rng.random((3, n, 2))
    return real, synthetic, holdout


def shuffled_ring(rng: np.random.Generator, n: int) -> tuple[Rows, Rows, Rows]:
    """Real points on a noisy ring, synthetic ones with the columns of such a ring drawn apart."""
    angle = rng.uniform(0.0, 2.0 * np.pi, (4, n))
    radius = 1.0 + 0.05 * rng.normal(size=(4, n))
    rings = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=2)
    return rings[0], np.stack([rings[1][:, 0], rings[2][:, 1]], axis=1), rings[3]


LAWS: dict[str, Law] = {
    "same, d=2": gaussian(2),
    "same, d=16": gaussian(16),
    "scale 1.5, d=2": gaussian(2, scale=1.5),
    "shift 1/4, d=16": gaussian(16, shift=0.25),
    "dropped mode": dropped_mode,
}
PAIR_LAWS: dict[str, tuple[Law, int]] = {
    "same, n=100": (gaussian(2), 100),
    "same, n=1,000": (gaussian(2), 1000),
    "uniform, n=300": (uniform, 300),
    "scale 1.5, n=300": (gaussian(2, scale=1.5), 300),
    "dropped mode, n=300": (dropped_mode, 300),
    "ring, shuffled, n=300": (shuffled_ring, 300),
}
_EVERY: dict[str, Law] = LAWS | {name: law for name, (law, _) in PAIR_LAWS.items()}
PAIRS = FAMILIES["pairs"]
OTHERS = tuple(key for key in METRICS if key not in PAIRS)


def observe(law: str, seed: int, n: int, keys: Iterable[str], intervals: bool) -> dict[str, dict[str, Any]]:
    """Value of every metric (default parameters) and, if asked for, its interval, on one draw of a law."""
    rng = np.random.default_rng([seed, *law.encode()])
    names = ("real", "synthetic", "holdout")
    sides = {name: Samples.from_array(rows) for name, rows in zip(names, _EVERY[law](rng, n), strict=True)}
    metrics = {key: _reading(metric) for key, metric in choose(list(keys), holdout=True)[0].items()}
    run = Run(threads=1)
    grades = grade(metrics, sides, run)
    outcomes = {key: g.outcome for key, g in grades.items() if g.status == "ok"}
    fit = {key: metrics[key] for key in outcomes}
    found = spread_of(fit, outcomes, sides, seed=seed, run=run) if intervals else {}
    out: dict[str, dict[str, Any]] = {}
    for key, outcome in outcomes.items():
        interval = found[key].interval if intervals else None
        bounds = [interval.low, interval.high, interval.method] if isinstance(interval, Interval) else None
        out[key] = {"value": outcome.value, "interval": bounds}
    return out


def _reading(metric: Metric) -> Metric:
    """What reads class probabilities takes the rows as logits."""
    return replace(metric, logits=True) if "logits" in metric.parameters() else metric  # type: ignore[type-var]


def _observe(job: tuple[str, int, int, list[str], bool]) -> dict[str, dict[str, Any]]:
    return observe(*job)


def simulate(
    law: str, keys: Iterable[str], *, repetitions: int, more: int, n: int = SIZE, workers: int = 1
) -> dict[str, dict[str, Any]]:
    """Coverage of every metric under one law.

    Args:
        repetitions: draws with an interval. more: further draws that only count for the expected score.

    Returns:
        by metric: `coverage` (share of intervals that hold the expected score), `below` and `above` (share of
        intervals that lie below and above it), `width` (mean width of the intervals by that of the central 95 % of
        the scores; None where these all are equal), `at_limit` (share of scores at an end of the metric's range),
        `intervals` (how many there were) and `method`.
    """
    keys = list(keys)
    jobs = [(law, seed, n, keys, seed < repetitions) for seed in range(repetitions + more)]
    if workers > 1:
        with ProcessPoolExecutor(workers) as pool:
            draws = list(pool.map(_observe, jobs, chunksize=4))
    else:
        draws = [observe(*job) for job in jobs]
    return {key: _summary(key, [draw[key] for draw in draws if key in draw]) for key in keys}


def _summary(key: str, draws: list[dict[str, Any]]) -> dict[str, Any]:
    values = np.array([draw["value"] for draw in draws])
    expected, (low, high) = float(values.mean()), np.quantile(values, [0.025, 0.975])
    bounds = [draw["interval"] for draw in draws if draw["interval"] is not None]
    if not bounds:
        return {"coverage": None, "intervals": 0, "draws": len(draws), "method": "none"}
    above = float(np.mean([b[0] > expected for b in bounds]))
    below = float(np.mean([b[1] < expected for b in bounds]))
    width = float(np.mean([b[1] - b[0] for b in bounds]))
    return {
        "coverage": round(1.0 - above - below, 4),
        "below": round(below, 4),
        "above": round(above, 4),
        "width": round(width / float(high - low), 3) if high > low else None,
        "at_limit": round(float(np.isin(values, METRICS[key].info.range).mean()), 3),
        "intervals": len(bounds),
        "draws": len(draws),
        "method": bounds[0][2],
    }


def table(found: Mapping[str, Any]) -> str:
    """The results by law as a Markdown table: coverage in percent, and the width in brackets."""
    laws = list(found)
    lines = ["| metric | " + " | ".join(laws) + " |", "|---|" + "---|" * len(laws)]
    for key in found[laws[0]]:
        lines.append(f"| `{key}` | " + " | ".join(_cell(found[law][key]) for law in laws) + " |")
    return "\n".join(lines) + "\n"


def _cell(found: Mapping[str, Any]) -> str:
    if found["coverage"] is None:
        return "none"
    width = "-" if found["width"] is None else f"{found['width']:.2f}"
    mark = " ^" if found["at_limit"] >= 0.05 else ""
    return f"{100 * found['coverage']:.1f} ({width}){mark}"


def page_with(results: Mapping[str, Any], page: str) -> str:
    """The page with the table and how it was made between its two marks."""
    before, rest = page.split(START)
    after = rest.split(END)[1]
    cells = [(key, cell) for law in results["laws"].values() for key, cell in law.items()]
    counts: dict[tuple[int, int], list[str]] = {}
    for key, cell in dict(cells).items():
        if cell["intervals"]:
            counts.setdefault((cell["intervals"], cell["draws"]), []).append(key)
    most = max(counts, key=lambda count: len(counts[count]))
    made = (
        f"{results['size']} real, {results['size']} synthetic and {results['size']} held-out samples, "
        f"{most[0]} intervals a cell, expected score over {most[1]} draws"
        + "".join(f"; {', '.join(keys)}: {n} over {m}" for (n, m), keys in counts.items() if (n, m) != most)
        + "."
    )
    pair = next(iter(next(iter(results["pairs"].values())).values()))
    pairs = (
        f"Scores of a pair of columns, {pair['intervals']} intervals a cell, expected score over {pair['draws']} draws "
        "of as many real and synthetic points as the column says:"
    )
    tables = f"{made}\n\n{table(results['laws'])}\n{pairs}\n\n{table(results['pairs'])}"
    return f"{before}{START}\n{tables}{END}{after}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage of the 95 % intervals by simulation.")
    parser.add_argument("--quick", action="store_true", help="few repetitions; nothing is written")
    parser.add_argument("--missing", action="store_true", help="only metrics that coverage.json lacks")
    parser.add_argument("--metrics", help="only these, separated by commas; the rest of coverage.json is kept")
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--more", type=int, default=800)
    options = parser.parse_args()
    repetitions, more = (20, 100) if options.quick else (options.repetitions, options.more)
    workers = os.cpu_count() or 1
    keep = options.missing or options.metrics is not None
    old = json.loads(OUT.read_text(encoding="utf-8")) if keep else {}
    asked = None if options.metrics is None else options.metrics.split(",")

    def simulated(part: str, sizes: Mapping[str, int], keys: Iterable[str], more: int) -> dict[str, Any]:
        out = {}
        for law, n in sizes.items():
            kept = old.get(part, {}).get(law, {})
            wanted = [k for k in keys if (k not in kept if asked is None else k in asked)]
            counts = {"repetitions": repetitions, "more": more, "n": n, "workers": workers}
            found = kept | (simulate(law, wanted, **counts) if wanted else {})
            out[law] = {key: found[key] for key in keys if key in found}
        return out

    results = {
        "size": SIZE,
        "laws": simulated("laws", dict.fromkeys(LAWS, SIZE), OTHERS, more),
        "pairs": simulated("pairs", {law: n for law, (_, n) in PAIR_LAWS.items()}, PAIRS, more // 2),
    }
    if not options.quick:
        OUT.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(page_with(results, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(table(results["laws"]), table(results["pairs"]), sep="\n", end="")


if __name__ == "__main__":
    main()
