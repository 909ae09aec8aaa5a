"""Watch a small generator learn digits: every score over the steps, against training and validation samples.

    python examples/monitor_training.py            # about two minutes on two cores
    python examples/monitor_training.py --quick    # seconds: too short to learn much

Needs `pip install "truegrade[torch,report]"`; the digits (8 x 8 pixels) come with truegrade. It writes monitor.png and
monitor.json, and prints how the scores improve, and the overfitting gap of the generator beside that of a "model" that
replays its training images. Ctrl-C ends the training early and keeps everything that was recorded.
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


def watch(training: Training, monitor: tg.Monitor, steps: int, every: int, count: int) -> None:
    """Train, and grade `count` fresh samples every few steps."""
    for step in range(steps + 1):
        if step % every == 0:
            monitor.reset()
            for batch in training.samples(count):
                monitor.update(batch)
            monitor.compute(step=step)
            print(row(monitor.history[-1]), flush=True)
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
    pairs = [(key, ours.history[-1].gap or {}, copies.history[-1].gap or {}) for key in [*SHOWN, "authenticity"]]
    return "\n".join(lines + [f"{key:<36}{a[key]:>11.3f}{b[key]:>11.3f}" for key, a, b in pairs])


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--steps", type=int, default=3000, help="training steps (default %(default)s)")
    parser.add_argument("--every", type=int, default=200, help="steps between two gradings (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path(), help="folder for monitor.png and monitor.json")
    parser.add_argument("--quick", action="store_true", help="a run of seconds: 60 steps, few samples")
    given = parser.parse_args()
    if given.steps < 1 or given.every < 1:
        parser.error("--steps and --every are at least 1")
    return given


def main() -> None:
    given = arguments()
    steps, every = (60, 30) if given.quick else (given.steps, given.every)
    torch.set_num_threads(1)  # networks this small only wait for each other on more
    data, began = load_demo(), time.perf_counter()
    held = data["holdout"][: 200 if given.quick else None]
    train = data["train"][: len(held)]  # as many as there are validation samples, so that scores compare
    monitor = tg.monitor(train, validation=held, metrics=METRICS, seed=given.seed)
    print(head())
    try:
        watch(Training(train, given.seed), monitor, steps, every, len(train))
    except KeyboardInterrupt:
        print("\nEnded early; what was recorded is kept.")
    if not monitor.history:
        sys.exit("Nothing was recorded.")
    replay = tg.monitor(train, validation=held, metrics=METRICS, seed=given.seed, floor=False)
    replay.update(np.random.default_rng(given.seed).choice(train, len(train))).compute(step=0)
    print(gaps(monitor, replay))
    picture = monitor.plot(given.out / "monitor.png", title="A small DCGAN on 8 x 8 digits")
    record = monitor.to_json(given.out / "monitor.json")
    print(f"\nWrote {picture} and {record} in {time.perf_counter() - began:.0f} s.")


if __name__ == "__main__":
    main()
