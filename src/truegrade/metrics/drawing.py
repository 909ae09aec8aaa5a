"""Random draws from a set and parts of it, ours and as other tools make them."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from truegrade.engine.needs import Floats, Ints
from truegrade.errors import InputError
from truegrade.samples import Samples

Drawing = Literal["default", "legacy"]
Parts = Literal["even", "floor", "ceil"]
_LARGEST = 2**32 - 1


def check_drawing(drawing: object, seed: int) -> None:
    """Refuse an unknown generator, and a seed that the older one does not take."""
    if drawing not in get_args(Drawing):
        raise InputError(f"drawing={drawing!r} given; 'default' or 'legacy' (numpy.random.RandomState) is accepted.")
    if drawing == "legacy" and seed > _LARGEST:
        raise InputError(f"seed={seed} given; drawing='legacy' takes seeds up to {_LARGEST}.")


def generator(drawing: Drawing, seed: int) -> np.random.Generator | np.random.RandomState:
    """The generator of random numbers; the older one draws what it drew in every version of numpy."""
    if drawing == "legacy":
        return np.random.RandomState(seed)
    return np.random.default_rng(seed)


def drawn_rows(samples: Samples, most: int, rng: np.random.Generator) -> Floats:
    """All rows (n, d) in float64; of more than `most` that many random ones, in the order of the set."""
    if samples.n <= most:
        return samples.array().astype(np.float64)
    return samples.rows.take(np.sort(rng.choice(samples.n, most, replace=False))).astype(np.float64)


def part_sizes(n: int, splits: int, parts: Parts) -> Ints:
    """How many samples each part has. even: as equal as they can be, larger ones first; floor: up to the whole part of
    i n / splits; ceil: n / splits rounded up, the last one smaller, perhaps fewer parts."""
    steps = np.arange(splits)
    if parts == "floor":
        return np.asarray((steps + 1) * n // splits - steps * n // splits)
    if parts == "ceil":
        size = -(-n // splits)
        sizes = np.minimum(size, n - steps * size)
        return np.asarray(sizes[sizes > 0])
    return np.asarray(n // splits + (steps < n % splits))


def split_of(sizes: Ints, rng: np.random.Generator | np.random.RandomState | None) -> Ints:
    """Which part each of the samples is in, (n,): in their order, or after a shuffle."""
    n = int(sizes.sum())
    out = np.empty(n, np.int64)
    out[np.arange(n) if rng is None else rng.permutation(n)] = np.repeat(np.arange(len(sizes)), sizes)
    return out
