"""What the scenarios on the user's own data are made of: disjoint parts, the frame of the data, modes, sets to damage.

All of it works for any vectors: constant columns stay constant, scales are those of each column, and what the data do
not allow is refused with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truegrade.audit.material import Material, Rows
from truegrade.audit.scenario import Ask, Floats
from truegrade.engine.blas import single_thread
from truegrade.errors import InputError
from truegrade.metrics.cells import kmeans_cells
from truegrade.samples import Samples

SUITE = "own"
SIZES, REPEATS = (2500, 500), (5, 3)
"""Samples a side at most, and draws of each level."""
FIDELITY, COVERAGE = ("fidelity",), ("coverage",)
BOTH, WHOLE = FIDELITY + COVERAGE, ("distance", "two-sample")
_MODES, _LEAST_OF_MODE = 10, 20
_FRAME_ROWS = 2000
_BEYOND, _FARTHEST = 4.0, 6.0  # reaches: a ball about a real sample ends within 3 reaches of the centre


@dataclass(frozen=True, eq=False)
class Frame:
    """centre, scale: (d,) of the columns, scale from the middle half of the values so that heavy tails do not set it.
    reach: distance of the farthest sample from the centre."""

    centre: Floats
    scale: Floats
    reach: float


@dataclass(frozen=True, eq=False)
class Modes:
    """labels: (n,) the mode of each sample. centres: (modes, d)."""

    labels: Rows
    centres: Floats


# --- parts of the samples ----------------------------------------------------------------------------------


def parts_of(ask: Ask, count: int, least: int = 10) -> tuple[Rows, ...]:
    """Disjoint parts of the real samples, of equal size, of at most `ask.n` samples."""
    found = tuple(part[: ask.n] for part in ask.material.split(ask.rng, count))
    enough(ask.material, len(found[0]), least, f"{count} parts")
    return found


def enough(material: Material, has: int, least: int, what: str) -> None:
    """Refuse data of which a part would be too small."""
    if has < least:
        raise InputError(
            f"{material.n} samples are too few: {what} leave {max(has, 0)} for a set, and {least} are needed."
        )


def samples_of(ask: Ask, rows: Rows) -> Samples:
    """These samples as they are, with all that is known of them."""
    return ask.material.real.subset(rows)


def values_of(ask: Ask, rows: Rows) -> Floats:
    """The values of these samples, a copy that may be changed."""
    return ask.material.rows(rows)


# --- the frame of the data ---------------------------------------------------------------------------------


def frame_of(material: Material) -> Frame:
    """Centre, scales and reach of all real samples, found once.

    Raises InputError where all samples are the same: then there is nothing to damage.
    """
    found: Frame = material.kept("own: frame", lambda: _frame(material))
    return found


def _frame(material: Material) -> Frame:
    real = material.real
    some = material.rows(np.unique(np.linspace(0, real.n - 1, min(real.n, _FRAME_ROWS)).astype(np.intp)))
    low, high = np.quantile(some, [0.25, 0.75], axis=0)
    scale = (high - low) / 1.349  # of a Gaussian the standard deviation
    scale = np.where(scale > 0.0, scale, some.std(axis=0))  # rare values: most are the same
    centre = np.median(some, axis=0)
    reach = max(float(np.linalg.norm(block - centre, axis=1).max()) for block in real.blocks())
    if reach == 0.0 or not (scale > 0.0).any():
        raise InputError(f"The samples of {real.name} are (nearly) all the same; there is nothing to damage.")
    return Frame(centre, scale, reach)


def far_out(frame: Frame, count: int, rng: np.random.Generator) -> Floats:
    """Samples in all directions, 4 to 6 times as far from the centre as the farthest real one: no real ball gets there.

    Constant columns stay constant.
    """
    away = rng.normal(size=(count, len(frame.centre))) * frame.scale
    distance = frame.reach * rng.uniform(_BEYOND, _FARTHEST, size=(count, 1))
    return np.asarray(frame.centre + away / np.linalg.norm(away, axis=1, keepdims=True) * distance)


def spoil(frame: Frame, values: Floats, share: float, rng: np.random.Generator) -> Floats:
    """The first samples are far out; equal draws for every share, so that a larger share only adds to a smaller."""
    count = round(share * len(values))
    return np.concatenate([far_out(frame, len(values), rng)[:count], values[count:]])


# --- modes -------------------------------------------------------------------------------------------------


def modes_of(material: Material) -> Modes:
    """Up to ten k-means clusters of all real samples, of 20 samples on average or more; found once.

    Raises InputError where there are fewer than two.
    """
    found: Modes = material.kept("own: modes", lambda: _modes(material))
    return found


def _modes(material: Material) -> Modes:
    real = material.real
    count = min(_MODES, real.n // _LEAST_OF_MODE)
    if count >= 2:
        with single_thread():
            (cells,) = kmeans_cells(real, real, cells=count, seed=0)
        labels = np.unique(cells, return_inverse=True)[1].astype(np.intp)
        labels = np.random.default_rng(0).permutation(int(labels.max()) + 1)[labels]  # they came by distance
    if count < 2 or labels.max() < 1:
        raise InputError(f"{real.n} samples of {real.name} do not fall into two or more clusters.")
    sums = np.zeros((int(labels.max()) + 1, real.d))
    start = 0
    for block in real.blocks():
        np.add.at(sums, labels[start : start + len(block)], np.asarray(block, np.float64))
        start += len(block)
    return Modes(labels, sums / np.bincount(labels)[:, None])


def by_mode(modes: Modes, rows: Rows) -> tuple[Rows, NDArray[np.intp]]:
    """The rows sorted by mode, and the number of each row's mode; modes are numbered from 0 in no special order."""
    order = np.argsort(modes.labels[rows], kind="stable")
    return rows[order], modes.labels[rows[order]]
