"""Images a second of `lite0` on one and two threads, and the same network in torch on the same inputs.

`python -m benchmarks.lite0` prints a table. Images are 256 x 256; "whole" adds resizing and normalising to the network.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import in_turn
from truegrade.embedders.lite0 import Lite0, RandomConv
from truegrade.embedders.lite0.torchfile import read_tensors
from truegrade.embedders.lite0.weights import find_weights
from truegrade.images import Decoded

_BATCH, _IMAGES = 32, 64


def against_torch(threads: int, n: int = _BATCH, repeats: int = 3) -> dict[str, Any]:
    """The network alone, ours first; `ratio` is how many times longer torch takes."""
    images = np.random.default_rng(0).uniform(-1, 1, (n, 3, 224, 224)).astype(np.float32)
    outputs, network = _torch(threads)
    ours = Lite0(threads=threads)
    batches = [images[i : i + _BATCH] for i in range(0, n, _BATCH)]
    theirs, mine = outputs(network, batches[0])[0], ours.run(batches[0]).features
    worst = float((np.linalg.norm(mine - theirs, axis=1) / np.linalg.norm(theirs, axis=1)).max())
    timed = in_turn(
        lambda: [ours.run(batch) for batch in batches], lambda: [outputs(network, batch) for batch in batches], repeats
    )
    return {"n": n, "threads": threads, "difference": worst, **timed}


def whole(embedder: Lite0 | RandomConv, n: int = _IMAGES) -> dict[str, float]:
    """Seconds, and seconds of processor time, for n images from pixels to features."""
    pixels = np.random.default_rng(0).integers(0, 256, (n, 256, 256, 3), dtype=np.uint8)
    embedder.run(embedder.prepare(Decoded(0, pixels[0], False, {}))[None])  # the model is built and loaded
    wall, processor = time.perf_counter(), time.process_time()
    for start in range(0, n, _BATCH):
        embedder.run(np.stack([embedder.prepare(Decoded(0, p, False, {})) for p in pixels[start : start + _BATCH]]))
    return {"seconds": time.perf_counter() - wall, "processor": time.process_time() - processor}


def _torch(threads: int) -> tuple[Callable[..., Any], Any]:
    """timm's network with the same weights, as the tests have it."""
    tests = str(Path(__file__).resolve().parents[1] / "tests")
    if tests not in sys.path:
        sys.path.append(tests)
    import torchvision_build

    torchvision_build.install()
    import torch

    from oracles.lite0_timm import network, outputs

    torch.set_num_threads(threads)
    return outputs, network(read_tensors(find_weights().read_bytes()))


def main() -> None:
    for threads in (1, 2):
        found = against_torch(threads)
        ours, theirs = (found["n"] / seconds for seconds in found["seconds"])
        print(
            f"network, {threads} threads: {ours:.0f} images/s, torch {theirs:.0f}, {found['ratio']:.1f} times as long; "
            f"largest difference {found['difference']:.1e}"
        )
    for embedder in (Lite0(threads=1), Lite0(threads=2), RandomConv(threads=1)):
        seconds, processor = (1000 * value / _IMAGES for value in whole(embedder).values())
        print(
            f"{embedder.name} whole, {embedder.threads} threads: {1000 / seconds:.0f} images/s; "
            f"1,000 images take {seconds:.1f} s, and {processor:.1f} s of processor time"
        )


if __name__ == "__main__":
    main()
