"""Watch a small generator learn digits: every score over the steps, against training and validation samples.

    python examples/monitor_training.py            # about two minutes on two cores
    python examples/monitor_training.py --spaces pixels,random-conv,lite0,classes      # the study's four: ten minutes
    python examples/monitor_training.py --quick    # seconds: too short to learn much

Needs `pip install "truegrade[torch,report]"` (lite0 and random-conv also `images`); the digits (8 x 8 pixels) come with
truegrade. It writes monitor.png and monitor.json (of further spaces monitor_lite0.png and so on), and prints how the
scores improve, and the overfitting gap of the generator beside that of a "model" that replays its training images.
Ctrl-C ends the training early and keeps everything that was recorded.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import truegrade as tg
from truegrade.demo import PIXELS, load_demo
from truegrade.embedders import Embedder, FunctionEmbedder
from truegrade.monitor import Checkpoint

try:
    import torch
    from torch import nn
    from torch.nn import functional
    from torch.nn.utils.parametrizations import spectral_norm
except ImportError:
    sys.exit('This example trains with torch: pip install "truegrade[torch,report]"')

METRICS = ["default", "mmd", "wasserstein", "sliced_wasserstein"]
SHOWN = ["frechet_distance", "kernel_distance", "wasserstein", "coverage", "clipped_coverage", "nn_two_sample"]
FEW = [*SHOWN, "authenticity"]
SPACES = ("pixels", "random-conv", "lite0", "classes")
LATENT, BATCH = 32, 64
HALF = 8.0  # pixels are 0 to 16; the network works from -1 to 1


def generator() -> nn.Module:
    """Noise (b, 32) to digits (b, 1, 8, 8) from -1 to 1: a DCGAN of two layers."""
    return nn.Sequential(
        nn.Linear(LATENT, 64 * 4, bias=False),
        nn.Unflatten(1, (64, 2, 2)),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.ConvTranspose2d(64, 32, 4, 2, 1, bias=False),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.ConvTranspose2d(32, 1, 4, 2, 1),
        nn.Tanh(),
    )


def critic() -> nn.Module:
    """Digits to one number each: high for real ones."""
    return nn.Sequential(
        spectral_norm(nn.Conv2d(1, 32, 4, 2, 1)),
        nn.LeakyReLU(0.2),
        spectral_norm(nn.Conv2d(32, 64, 4, 2, 1)),
        nn.LeakyReLU(0.2),
        nn.Flatten(),
        spectral_norm(nn.Linear(64 * 4, 1)),
    )


class Training:
    """A generator and its critic, trained by the hinge loss; `average` is the generator that is graded."""

    def __init__(self, digits: np.ndarray, seed: int) -> None:
        torch.manual_seed(seed)
        self.digits = torch.from_numpy(digits / HALF - 1.0).reshape(-1, 1, *PIXELS)
        self.generator, self.critic, self.average = generator(), critic(), generator()
        self.average.load_state_dict(self.generator.state_dict())
        self.steps = [torch.optim.Adam(n.parameters(), 5e-4, (0.5, 0.9)) for n in (self.generator, self.critic)]

    def step(self) -> None:
        real = self.digits[torch.randint(len(self.digits), (BATCH,))]
        fake = self.generator(torch.randn(BATCH, LATENT))
        loss = functional.relu(1 - self.critic(real)).mean() + functional.relu(1 + self.critic(fake.detach())).mean()
        self._descend(1, loss)
        self._descend(0, -self.critic(fake).mean())
        with torch.no_grad():
            for mean, now in zip(self.average.parameters(), self.generator.parameters(), strict=True):
                mean.lerp_(now, 0.02)

    def _descend(self, which: int, loss: torch.Tensor) -> None:
        self.steps[which].zero_grad()
        loss.backward()
        self.steps[which].step()

    def samples(self, count: int) -> Iterator[torch.Tensor]:
        """Digits (b, 64) in batches, from 0 to 16."""
        for start in range(0, count, 256):
            noise = torch.randn(min(256, count - start), LATENT)
            with torch.no_grad():
                yield (self.average(noise).flatten(1) + 1.0) * HALF


class Watched:
    """One monitor a feature space, all fed with the same samples."""

    def __init__(
        self, spaces: list[str], metrics: list[str], train: np.ndarray, held: np.ndarray, labels: np.ndarray, seed: int
    ) -> None:
        self.monitors: dict[str, tg.Monitor] = {}
        for space in spaces:
            classes = ["inception_score", "mode_score"] if space in ("lite0", "classes") else []
            how = {"metrics": [*metrics, *classes], "seed": seed}
            if space == "pixels":  # vectors already
                self.monitors[space] = tg.monitor(train, validation=held, **how)
            else:
                embed = classifier(train, labels, seed) if space == "classes" else space
                self.monitors[space] = tg.monitor(pictures(train), validation=pictures(held), embed=embed, **how)

    def grade(self, batches: Iterator[torch.Tensor], step: int) -> None:
        whole = torch.cat(list(batches)).numpy()
        for space, monitor in self.monitors.items():
            monitor.reset()
            monitor.update(whole if space == "pixels" else pictures(whole))
            monitor.compute(step=step)
        print(row(next(iter(self.monitors.values())).history[-1]), flush=True)

    def table(self) -> str:
        """Every score at the first and the last grading, in every space."""
        names = {key: None for m in self.monitors.values() for key in m.history[-1].training}
        lines = [f"\n{'first to last grading':<28}" + "".join(f"{space:>24}" for space in self.monitors)]
        for key in names:
            histories = [monitor.history for monitor in self.monitors.values()]
            ends = [[one[at].training.get(key) for at in (0, -1)] for one in histories]
            cells = ["" if None in pair else " to ".join(f"{value:.4g}" for value in pair) for pair in ends]
            lines.append(f"{key:<28}" + "".join(f"{cell:>24}" for cell in cells))
        return "\n".join(lines)


def pictures(digits: np.ndarray) -> np.ndarray:
    """Rows of 64 values from 0 to 16 as grey images (n, 8, 8)."""
    return np.rint(np.clip(digits, 0.0, 16.0) * (255.0 / 16.0)).astype(np.uint8).reshape(-1, *PIXELS)


def classifier(digits: np.ndarray, labels: np.ndarray, seed: int) -> Embedder:
    """The class probabilities of a small network that was trained on the training digits."""
    torch.manual_seed(seed)
    net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    steps = torch.optim.Adam(net.parameters(), 1e-2)
    inputs, classes = torch.from_numpy(digits / 16.0), torch.from_numpy(labels.astype(np.int64))
    for _ in range(200):
        steps.zero_grad()
        functional.cross_entropy(net(inputs), classes).backward()
        steps.step()

    def probabilities(images: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        grey = torch.from_numpy(images[..., 0].reshape(len(images), -1) / np.float32(255.0))
        with torch.no_grad():
            found = torch.softmax(net(grey).double(), dim=1).numpy()
        return found, found

    return FunctionEmbedder("classes", version=str(seed), function=probabilities)


def watch(training: Training, watched: Watched, steps: int, every: int, count: int) -> None:
    """Train, and grade `count` fresh samples every few steps."""
    for step in range(steps + 1):
        if step % every == 0:
            watched.grade(training.samples(count), step)
        if step < steps:
            training.step()


def row(point: Checkpoint) -> str:
    cells = [f"{point.training[key]:>9.3f} {point.validation[key]:>9.3f}" for key in SHOWN[:1] + SHOWN[-3:]]
    return f"{point.step:>6} " + " ".join(cells)


def head() -> str:
    names = SHOWN[:1] + SHOWN[-3:]
    top = "       " + " ".join(f"{name[:19]:>19}" for name in names)
    return top + "\n  step " + " ".join(f"{'training':>9} {'valid.':>9}" for _ in names)


def gaps(ours: tg.Monitor, copies: tg.Monitor) -> str:
    """The gap of the generator beside that of a model that replays what it was trained on."""
    lines = [f"\n{'gap (positive: nearer to training)':<36}{'generator':>11}{'replay':>11}"]
    pairs = [(key, ours.history[-1].gap or {}, copies.history[-1].gap or {}) for key in FEW]
    return "\n".join(lines + [f"{key:<36}{a[key]:>11.3f}{b[key]:>11.3f}" for key, a, b in pairs])


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--steps", type=int, default=3000, help="training steps (default %(default)s)")
    parser.add_argument("--every", type=int, default=200, help="steps between two gradings (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--spaces", default="pixels", help=f"feature spaces, of {', '.join(SPACES)}")
    parser.add_argument("--out", type=Path, default=Path(), help="folder for monitor.png and monitor.json")
    parser.add_argument("--quick", action="store_true", help="a run of seconds: 60 steps, few samples and metrics")
    given = parser.parse_args()
    if given.steps < 1 or given.every < 1:
        parser.error("--steps and --every are at least 1")
    given.spaces = given.spaces.split(",")
    if not set(given.spaces) <= set(SPACES):
        parser.error(f"--spaces are some of {', '.join(SPACES)}")
    return given


def main() -> None:
    given = arguments()
    steps, every, metrics = (60, 30, FEW) if given.quick else (given.steps, given.every, METRICS)
    torch.set_num_threads(1)  # networks this small only wait for each other on more
    data, began = load_demo(), time.perf_counter()
    held = data["holdout"][: 200 if given.quick else None]
    train = data["train"][: len(held)]  # as many as there are validation samples, so that scores compare
    watched = Watched(given.spaces, metrics, train, held, data["train_labels"][: len(held)], given.seed)
    print(head())
    try:
        watch(Training(train, given.seed), watched, steps, every, len(train))
    except KeyboardInterrupt:
        print("\nEnded early; what was recorded is kept.")
    if not all(monitor.history for monitor in watched.monitors.values()):
        sys.exit("Nothing was recorded.")
    print(watched.table())
    replay = tg.monitor(train, validation=held, metrics=metrics, seed=given.seed, floor=False)
    replay.update(np.random.default_rng(given.seed).choice(train, len(train))).compute(step=0)
    if "pixels" in watched.monitors:
        print(gaps(watched.monitors["pixels"], replay))
    print()
    for at, (space, monitor) in enumerate(watched.monitors.items()):
        name = "monitor" if at == 0 else f"monitor_{space}"
        picture = monitor.plot(given.out / f"{name}.png", title=f"A small DCGAN on 8 x 8 digits, {space}")
        record = monitor.to_json(given.out / f"{name}.json")
        print(f"Wrote {picture} and {record}.")
    print(f"It took {time.perf_counter() - began:.0f} s.")


if __name__ == "__main__":
    main()
