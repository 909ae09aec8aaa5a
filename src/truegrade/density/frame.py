"""The grid on which the densities of two sides are compared: its axes, extent and cells."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from truegrade.density.histogram import Histogram
from truegrade.density.refusals import refusal
from truegrade.density.settings import DEFAULT, Names, PairOutcome, Settings
from truegrade.density.spans import Span, may_lose, span, tails
from truegrade.density.stats import Floats, SideStats

NAMES: Names = ("first column", "second column")
FEWEST, MOST = 256, 2048  # cells along an axis
PER_SD = 6  # cells per narrower kernel sd
DRAWN = 3  # and of frames for draws
_FREE = 512  # cells up to which a grid is never cut at quantiles


@dataclass(frozen=True, eq=False)
class Frame:
    """A grid in coordinates z = matrix @ (x - centre), in which the covariances of both sides are diagonal.

    In these coordinates both kernels are axis-aligned, whatever the correlation; ratios of areas do not change under
    affine maps. low, step: (2,) centre of the first cell and distance between cells; shape: cells (gx, gy).
    shared: variances (2,) of the shared kernel before the rule's factor, and the number of points for that.
    cut: whether the extent ends at quantiles of both sides (heavy tails; .001 and .999 unless that leaves out too much
    for `thresh`) instead of their extremes.
    """

    matrix: Floats
    centre: Floats
    low: Floats
    step: Floats
    shape: tuple[int, int]
    shared: tuple[Floats, int]
    cut: bool = False

    def histogram(self) -> Histogram:
        """An empty histogram on this grid."""
        return Histogram(self.centre, self.matrix / self.step[:, None], self.low / self.step, self.shape)

    def variances(self, stats: SideStats) -> Floats:
        """(2,) variances of a side along the axes."""
        found: Floats = np.maximum((self.matrix @ stats.cov * self.matrix).sum(axis=1), 0.0)
        return found

    def kernel(self, stats: SideStats, settings: Settings) -> Floats:
        """(2,) standard deviations of a side's kernel along the axes, in cells.

        Correlation in these axes is left out. It is 0 for the sides that the frame was made for; sets drawn from them
        again have a little, which turns their kernels by as little.
        """
        sd: Floats = _kernel(self.variances(stats), stats.n, self.shared, settings) / self.step
        return sd

    def cells(self, points: Floats) -> Floats:
        """Places (n, 2) of points on the grid, in cells from the centre of the first one."""
        placed: Floats = ((points - self.centre) @ self.matrix.T - self.low) / self.step
        return placed

    def points(self, cells: Floats) -> Floats:
        """The points (n, 2) at places on the grid."""
        found: Floats = np.linalg.solve(self.matrix, (cells * self.step + self.low).T).T + self.centre
        return found

    def in_cells(self, shape: tuple[int, int]) -> Frame:
        """The same plane in so many cells."""
        step = self.step * (np.array(self.shape) - 2) / (np.array(shape) - 2)
        return replace(self, step=step, shape=shape)

    def for_draws(self, real: SideStats, synthetic: SideStats, settings: Settings) -> Frame:
        """The same plane in the cells that draws from these sides are graded on: DRAWN to the narrower kernel sd, no
        more than there are.

        Eden of a draw moves by .006 either way, .001 on average, a tenth of what chance moves it; draws are many.
        """
        narrow = np.minimum(self.kernel(real, settings), self.kernel(synthetic, settings))
        wanted = np.ceil(DRAWN * (np.array(self.shape) - 2) / np.maximum(narrow, 1e-9)) + 2
        first, second = (int(min(most, cells)) for most, cells in zip(self.shape, wanted, strict=True))
        return self.in_cells((first, second))


def frame_of(
    real: SideStats, synthetic: SideStats, settings: Settings = DEFAULT, names: Names = NAMES
) -> Frame | PairOutcome:
    """The grid for these two sides, or the outcome that says why a side has no density.

    Cells per axis: PER_SD to the narrower kernel's sd, from FEWEST to MOST. The same, mirrored at most, for any affine
    map of both sides, and the same with the sides exchanged.
    """
    refused = refusal(real, synthetic, settings, names)
    if refused is not None:
        return refused
    matrix, centre = axes(real.cov, synthetic.cov), real.mean / 2 + synthetic.mean / 2
    variances = [np.einsum("ij,jk,ik->i", matrix, side.cov, matrix) for side in (real, synthetic)]
    if min(v.min() for v in variances) <= 0.0:
        return PairOutcome("collinear", "No density: one set is a line at the scale of the other.")
    shared = (variances[0] / 2 + variances[1] / 2, min(real.n, synthetic.n))
    kernels = [_kernel(v, s.n, shared, settings) for v, s in zip(variances, (real, synthetic), strict=True)]
    placed = [(side.sample - centre) @ matrix.T for side in (real, synthetic)]
    narrow = np.minimum(*kernels)
    spans = _spans(placed, kernels, narrow, settings.thresh)
    low, high = (np.array([span[i] for span in spans]) for i in (0, 1))
    counts = [_count(*span[:2], sd) for span, sd in zip(spans, narrow, strict=True)]
    step = (high - low) / (np.array(counts) - 2)
    return Frame(matrix, centre, low, step, (counts[0], counts[1]), shared, any(span[2] for span in spans))


def axes(first: Floats, second: Floats) -> Floats:
    """The matrix in whose coordinates both covariances are diagonal and their sum is the identity.

    Cholesky of the sum, then the rotation by at most 45 degrees that diagonalises the difference: exchanging the
    two changes nothing. Where the two are proportional any rotation would do, and none is taken.
    """
    unit = np.sqrt(np.diag(first) / 2 + np.diag(second) / 2)
    scaled = [cov / unit / unit[:, None] for cov in (first, second)]
    inverse = np.linalg.inv(np.linalg.cholesky(scaled[0] + scaled[1]))
    difference = inverse @ (scaled[0] - scaled[1]) @ inverse.T
    across, along = 2.0 * difference[0, 1], difference[0, 0] - difference[1, 1]
    if abs(across) < 1e-12 and abs(along) < 1e-12:
        angle = 0.0
    else:
        angle = 0.5 * math.atan(across / along) if along != 0.0 else math.pi / 4
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    matrix: Floats = turn @ inverse / unit
    return matrix


def _kernel(variances: Floats, n: int, shared: tuple[Floats, int], settings: Settings) -> Floats:
    if settings.bandwidth == "shared":
        variances, n = shared
    kernel: Floats = np.sqrt(variances) * settings.factor(n)
    return kernel


def _spans(placed: list[Floats], kernels: list[Floats], narrow: Floats, thresh: float) -> list[Span]:
    """Of both axes."""
    free = _FREE * narrow / PER_SD
    for tail in tails(thresh):
        spans = [span([z[:, k] for z in placed], [float(sd[k]) for sd in kernels], tail, free[k]) for k in (0, 1)]
        if not any(cut for *_, cut in spans) or may_lose(max(_left_out(z, spans) for z in placed), thresh):
            break
    return spans


def _left_out(placed: Floats, spans: list[Span]) -> float:
    """Share of the points that the spans of both axes do not hold."""
    low, high = ([span[i] for span in spans] for i in (0, 1))
    return float(((placed < low) | (placed > high)).any(axis=1).mean())



def _count(low: float, high: float, narrow: float) -> int:
    wanted = PER_SD * (high - low) / narrow
    return int(min(MOST, max(FEWEST, 8 * math.ceil(min(wanted, MOST) / 8))))
