"""Dynamic time warping of matched recordings: dtw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from truegrade.ecg.registry.base import Floor, Found, RegistryMetric
from truegrade.ecg.registry.sides import Floats, Lead, Rows, Side
from truegrade.errors import InputError

CANDIDATES = 4  # nearest real recordings by plain distance, of which the warped distance decides
POINTS = 1000  # of a recording at most, unless downsample says otherwise


@dataclass(frozen=True, kw_only=True)
class DTW(RegistryMetric):
    """Mean warped distance of a synthetic recording to its nearest real one.

    Square root of the least sum of squared differences along a warping path that stays within `window` times the
    length of the diagonal. Of `n_pairs` synthetic recordings drawn by `seed` (all, if there are no more) each is
    compared with the four real ones nearest without warping, and the smallest counts. Recordings are averaged over
    `downsample` samples first; None: so many that at most 1,000 points remain. In the unit of the recordings, times the
    root of the number of points; 0 to infinity, lower is better. A synthetic recording without a signal counts as the
    largest distance there is, to a flat line or among the others, and many of them leave the score undefined.
    Source: Berndt & Clifford 1994; Sakoe & Chiba 1978 for the band.
    """

    n_pairs: int = 200
    downsample: int | None = None
    window: float = 0.1
    seed: int = 42

    key: ClassVar[str] = "dtw"
    floor: ClassVar[Floor] = "real partners"
    title: ClassVar[str] = "Dynamic time warping"
    lost_counts: ClassVar[bool] = True
    same_length: ClassVar[bool] = True
    description: ClassVar[str] = (
        "Mean warped distance of synthetic recordings to the nearest real one; lower is better."
    )
    reference: ClassVar[str] = "Berndt & Clifford 1994, Using dynamic time warping to find patterns in time series."
    corrected: ClassVar[str] = (
        "Synthetic recordings against their nearest real one (there random pairs, so that even copies are far apart), "
        "averaged before samples are dropped, no second library whose presence changes the band."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (isinstance(self.window, (int, float)) and 0 < self.window <= 1):
            raise InputError(f"window={self.window!r} given; a share of the length above 0 and up to 1 is accepted.")

    def one_lead(self, lead: Lead) -> Found:
        length = lead.pair.real.length
        step = int(self.downsample or -(-length // POINTS))
        drawn = self._drawn(lead.total)
        living = drawn[np.isin(drawn, lead.y_rows)]
        if len(living) == 0:
            return self.lost(lead)
        real = thinned(lead.pair.real, lead.at, lead.x_rows, step)
        band = max(1, int(self.window * real.shape[1]))
        distances = nearest_warped(thinned(lead.pair.synthetic, lead.at, living, step), real, band)
        dead = len(drawn) - len(living)
        largest = max(float(np.linalg.norm(real, axis=1).max()), float(distances.max()))
        value = (float(distances.sum()) + dead * largest) / len(drawn)
        return Found(value, {"pairs": float(len(living))})

    def _drawn(self, total: int) -> Rows:
        if total <= self.n_pairs:
            return np.arange(total)
        return np.sort(np.random.default_rng(self.seed).choice(total, self.n_pairs, replace=False))


def nearest_warped(y: Floats, x: Floats, band: int) -> Floats:
    """(m,) warped distance of each y to the nearest of the rows of x that are nearest to it without warping."""
    from truegrade.ecg.registry.loops import warp

    squared = np.einsum("ij,ij->i", x, x) - 2.0 * (y @ x.T)
    near = np.argsort(squared, axis=1, kind="stable")[:, :CANDIDATES]
    return np.sqrt([min(warp(one, x[at], band) for at in some) for one, some in zip(y, near, strict=True)])


def thinned(side: Side, lead: int, rows: Rows, step: int) -> Floats:
    """(r, T // step) means of `step` samples in a row."""
    kept = max(1, side.length // step)
    out = np.empty((len(rows), kept))
    for start in range(0, len(rows), 128):
        block = side.read(lead, rows[start : start + 128])[:, : kept * step]
        out[start : start + len(block)] = block.reshape(len(block), kept, -1).mean(axis=2)
    return out
