"""Images read in a second: `python -m benchmarks.images`. Prints one line for each format and number of threads."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

from truegrade.images import load_images
from truegrade.images.ahead import decoding_threads

_COUNT = 1000


def photograph_like(side: int) -> Image.Image:
    """Random patches, enlarged: about as hard to unpack as a photograph."""
    patches = np.random.default_rng(0).integers(0, 256, (side // 8, side // 8, 3)).astype(np.uint8)
    return Image.fromarray(patches).resize((side, side), Image.Resampling.BICUBIC)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for suffix in ("jpg", "png", "webp"):
            path = Path(folder) / f"a.{suffix}"
            photograph_like(256).save(path)
            images = load_images([path] * _COUNT)
            for threads in sorted({1, decoding_threads()}):
                start, work = time.perf_counter(), time.process_time()
                for _ in images.stream(threads=threads):
                    pass
                rate, cost = _COUNT / (time.perf_counter() - start), (time.process_time() - work) / _COUNT
                print(f".{suffix} 256 x 256, {threads} threads: {rate:,.0f} images/s, {cost * 1e3:.2f} ms of CPU each")


if __name__ == "__main__":
    main()
