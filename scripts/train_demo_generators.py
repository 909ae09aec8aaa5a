"""Make the demo data: real 8 x 8 digits and three generated sets (good, missing digits, copying).

    python scripts/train_demo_generators.py [--out src/truegrade/demo/digits.npz]

Needs numpy and, for the real digits, scikit-learn. The result is the same on every run.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

Pixels = NDArray[np.float64]
Labels = NDArray[np.int64]

SEED = 20240
N_TRAIN = 900
N_GENERATED = 900
WHITE = 16  # pixels are whole numbers from 0 to 16
MISSED = (2, 4, 6, 8)
OUT = Path(__file__).resolve().parents[1] / "src" / "truegrade" / "demo" / "digits.npz"


def as_pixels(values: Pixels) -> NDArray[np.uint8]:
    """Clip and round to the grey levels that real digits have, so that fractions give nothing away."""
    return np.rint(np.clip(values, 0, WHITE)).astype(np.uint8)


@dataclass(frozen=True)
class LocalGaussians:
    """A mixture of Gaussians, one per training image, each fitted to the nearest images of the same digit.

    The covariance of `neighbours` images is broad enough not to point back at any single one. Their means
    alone would leave the digits too much alike, so the centre goes part of the way (`lean`) from the mean
    back to the image, and deviations are stretched by `stretch`.
    """

    images: Pixels
    labels: Labels
    neighbours: int = 40
    lean: float = 0.4
    stretch: float = 1.1

    def neighbourhood(self, i: int) -> Pixels:
        """The images of the same digit that are nearest to image i, itself included."""
        same = self.images[self.labels == self.labels[i]]
        squared = ((same - self.images[i]) ** 2).sum(1)
        nearest: Pixels = same[np.argsort(squared, kind="stable")[: self.neighbours]]
        return nearest

    def sample(self, n: int, digits: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.uint8]:
        """n images of the given digits.

        A Gaussian with the sample covariance of rows x_1..x_K is mean + sum_k u_k (x_k - mean) / sqrt(K - 1),
        u_k standard normal: no factorisation, hence the same result everywhere.
        """
        drawn = np.empty((n, self.images.shape[1]))
        allowed = np.flatnonzero(np.isin(self.labels, digits))
        for row, i in enumerate(rng.choice(allowed, n)):
            near = self.neighbourhood(i)
            mean = near.mean(0)
            centre = mean + self.lean * (self.images[i] - mean)
            weights = rng.standard_normal(len(near)) / np.sqrt(len(near) - 1)
            drawn[row] = centre + self.stretch * (weights @ (near - mean))
        return as_pixels(drawn)


@dataclass(frozen=True)
class Copier:
    """A kernel density estimate so narrow that it has learned the training images by heart.

    With this bandwidth rounding leaves about half of the images exactly as they were; in most others a pixel
    or two is one grey level off.
    """

    images: Pixels
    bandwidth: float = 0.2

    def sample(self, n: int, rng: np.random.Generator) -> NDArray[np.uint8]:
        chosen = self.images[rng.integers(len(self.images), size=n)]
        return as_pixels(chosen + self.bandwidth * rng.standard_normal(chosen.shape))


def make() -> dict[str, NDArray[np.uint8]]:
    """All arrays of the demo, by name."""
    rng = np.random.default_rng(SEED)
    images, labels = load_digits(return_X_y=True)
    order = rng.permutation(len(images))
    train, holdout = np.split(images[order], [N_TRAIN])
    train_labels, holdout_labels = np.split(labels[order], [N_TRAIN])
    model = LocalGaussians(train, train_labels)
    kept = tuple(digit for digit in range(10) if digit not in MISSED)
    return {
        "train": as_pixels(train),
        "holdout": as_pixels(holdout),
        "train_labels": train_labels.astype(np.uint8),
        "holdout_labels": holdout_labels.astype(np.uint8),
        "good": model.sample(N_GENERATED, tuple(range(10)), rng),
        "mode_dropping": model.sample(N_GENERATED, kept, rng),
        "copying": Copier(train).sample(N_GENERATED, rng),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the demo data.")
    parser.add_argument("--out", type=Path, default=OUT)
    out = parser.parse_args().out
    with out.open("wb") as file:
        np.savez_compressed(file, **make())  # type: ignore[arg-type]
    print(f"{out}: {out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
