"""ECG recordings: CPU seconds and peak memory of each part of grading, and pr_dist beside ecgen-eval's.

`python -m benchmarks.ecg` grades 1,000 recordings of 12 leads and 5,000 samples against as many, part by part and by
`tg.evaluate`, each in a process of its own, times pr_dist of truegrade and of ecgen-eval in turns at 1,000, prints all
and writes benchmarks/ecg.json. Run it on a machine that does nothing else. `python -m benchmarks.ecg 100` does so with
100 recordings and writes nothing.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import peak_of

_RESULTS = Path(__file__).with_name("ecg.json")
FS, SECONDS = 500.0, 10.0

_READ = """
import json, sys, time
from benchmarks.common import peak_gigabytes
from benchmarks.ecg import read
start = time.process_time()
real, synthetic = (read(path) for path in sys.argv[1:3])
reading = time.process_time() - start
"""
_PARTS = (
    _READ
    + """
from benchmarks.ecg import by_part
seconds = {"reading": reading, **by_part(real, synthetic)}
print(json.dumps({"cpu_seconds": seconds, "peak_gb": peak_gigabytes()}))
"""
)
_WHOLE = (
    _READ
    + """
from benchmarks.ecg import whole
print(json.dumps({"cpu_seconds": whole(real, synthetic), "peak_gb": peak_gigabytes()}))
"""
)
_PR_DIST = (
    _READ
    + """
from benchmarks.ecg import pr_dist_in_turn
print(json.dumps({**pr_dist_in_turn(real, synthetic), "peak_gb": peak_gigabytes()}))
"""
)


def write(folder: Path, n: int) -> tuple[Path, Path]:
    """Two files (n, 12, 5000) float32 in mV of simulated recordings."""
    from truegrade.samplers.ecg import simulate_ecg

    paths = folder / "real.npy", folder / "synthetic.npy"
    for seed, path in enumerate(paths):
        np.save(path, simulate_ecg(n, fs=FS, seconds=SECONDS, seed=seed).values)
    return paths


def read(path: str) -> Any:
    """The recordings of a file, as a memory map: two classes in turn, each recording a patient of its own."""
    from truegrade.recordings import LEADS_12, Recordings

    values = np.load(path, mmap_mode="r")
    n = len(values)
    labels = np.array(["normal", "bundle branch block"])[np.arange(n) % 2]
    return Recordings.from_array(
        values, fs=FS, units="mV", leads=LEADS_12, name=Path(path).stem, labels=labels, patients=np.arange(n)
    )


class Clock:
    """CPU seconds by part, from what `grade_ecg` reports as its progress."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.part, self.start = "", time.process_time()

    def tell(self, done: int, total: int, what: str) -> None:
        """A new part begins; what is reported within a part is no new one."""
        part = what.removeprefix("ECG: ") if what.startswith("ECG: ") else ""
        if part and part != self.part:
            self.stop()
            self.part = part

    def stop(self) -> dict[str, float]:
        now = time.process_time()
        if self.part:
            self.seconds[self.part] = self.seconds.get(self.part, 0.0) + now - self.start
        self.start = now
        return self.seconds


def by_part(real: Any, synthetic: Any) -> dict[str, Any]:
    """CPU seconds of the look before grading, and of each part of `grade_ecg`."""
    from truegrade.ecg.features import fit_features, to_samples
    from truegrade.ecg.grade import grade_ecg
    from truegrade.ecg.looked import look, remember
    from truegrade.ecg.scores import PARTS
    from truegrade.grading import Run

    clock = Clock()
    clock.tell(0, 0, "ECG: look before grading")
    remember(real, synthetic, look(real, synthetic))
    clock.tell(0, 0, "ECG: vectors")
    fit = fit_features(real, "descriptors")
    sides = {
        "real": to_samples(real, "descriptors", fit),
        "synthetic": to_samples(synthetic, "descriptors", fit, side="synthetic"),
    }
    found = grade_ecg(sides, PARTS, seed=0, run=Run(progress=clock.tell))
    seconds = clock.stop()
    card = seconds.get("scorecard", 0.0)
    total = sum(seconds.values())
    return {**seconds, "total": total, "without scorecard": total - card, "failed": dict(found.settings["failed"])}


def whole(real: Any, synthetic: Any) -> dict[str, float]:
    """CPU seconds of `tg.evaluate` with its defaults: the look before grading, the metrics of vectors with their floors
    and intervals, the exhibits, and all parts of `grade_ecg`."""
    import truegrade as tg

    clock, start = Clock(), time.process_time()
    tg.evaluate(real, synthetic, kind="ecg", progress=clock.tell)
    total, card = time.process_time() - start, clock.stop().get("scorecard", 0.0)
    return {"total": total, "scorecard": card, "without scorecard": total - card}


def pr_dist_in_turn(real: Any, synthetic: Any, repeats: int = 3) -> dict[str, Any]:
    """Seconds of pr_dist: truegrade on every recording, ecgen-eval as it is (it draws 500 of each side)."""
    from ecgen_eval.metrics import AVAILABLE_METRICS as PEER

    from benchmarks.common import in_turn
    from truegrade.ecg.registry import AVAILABLE_METRICS

    arrays = np.asarray(real.values), np.asarray(synthetic.values)
    names = list(real.leads)
    mine, theirs = AVAILABLE_METRICS["pr_dist"](), PEER["pr_dist"]()
    found = in_turn(
        lambda: mine.compute(*arrays, lead_names=names), lambda: theirs.compute(*arrays, lead_names=names), repeats
    )
    scores = [float(one.compute(*arrays, lead_names=names).score) for one in (mine, theirs)]
    return {**found, "scores": scores, "of": ["truegrade", "ecgen-eval 0.5.0"]}


def main(arguments: list[str]) -> None:
    from benchmarks.__main__ import machine

    n = int(arguments[0]) if arguments else 1_000
    with tempfile.TemporaryDirectory() as folder:
        paths = write(Path(folder), n)
        found: dict[str, Any] = {"recordings": n, "leads": 12, "samples": round(FS * SECONDS)}
        found["parts"] = peak_of(_PARTS, *paths)
        print(json.dumps(found["parts"], indent=1), flush=True)
        found["whole"] = peak_of(_WHOLE, *paths)
        print(json.dumps(found["whole"], indent=1), flush=True)
        found["pr_dist"] = peak_of(_PR_DIST, *paths)
        print(json.dumps(found["pr_dist"], indent=1), flush=True)
    if not arguments:
        _RESULTS.write_text(json.dumps({**found, **machine()}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
