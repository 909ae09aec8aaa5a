"""One figure: some pairs, their densities as contours of real and synthetic points, and two scores of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import gaussian_kde

from grade_inflation.cases import Case, Points
from grade_inflation.measure import Row

SHOWN = ("ring", "banana", "energy")
_SIDES = (("real", "#0072b2"), ("synthetic", "#d55e00"))
_CELLS = 100


def draw(pairs: Sequence[Case], rows: Mapping[str, Row], path: Path) -> None:
    """One column a pair: real above, synthetic below, on the same axes."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shown = [case for case in pairs if case.key in SHOWN]
    figure, axes = plt.subplots(2, len(shown), figsize=(2.8 * len(shown), 5.4), squeeze=False)
    for column, case in zip(axes.T, shown, strict=True):
        points = case.real, case.draw(0)
        extent = _extent(points)
        for axis, side, (name, colour) in zip(column, points, _SIDES, strict=True):
            x, y, density, levels = _contours(side, extent)
            axis.contour(x, y, density, levels=levels, colors=colour, linewidths=1.1)
            axis.plot(*side[:: 1 + len(side) // 800].T, ".", color="#999999", ms=2, zorder=0)
            axis.set(xlim=extent[0], ylim=extent[1], xticks=[], yticks=[])
            if axis is axes[0, 0] or axis is axes[1, 0]:
                axis.set_ylabel(name, fontsize=11, color=colour)
        column[0].set_title(_heading(case, rows[case.key]), fontsize=9)
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)


def _heading(case: Case, row: Row) -> str:
    real, synthetic = case.title.split(" against ")
    means = row.means
    return (
        f"{real}\nagainst {synthetic}\ncorrelation score {means['correlation_score']:.3f}\n"
        f"Eden {means['eden_score']:.2f} of {row.ceiling:.2f}"
    )


def _extent(points: Sequence[Points]) -> tuple[tuple[float, float], tuple[float, float]]:
    low, high = np.quantile(np.vstack(points), [0.005, 0.995], axis=0)
    margin = 0.35 * (high - low)
    (x0, y0), (x1, y1) = low - margin, high + margin
    return (float(x0), float(x1)), (float(y0), float(y1))


def _contours(
    points: Points, extent: tuple[tuple[float, float], tuple[float, float]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Axes, density (y by x) and the iso-mass levels of a Gaussian kernel estimate by Scott's rule."""
    x, y = (np.linspace(*side, _CELLS) for side in extent)
    grid = np.stack(np.meshgrid(x, y)).reshape(2, -1)
    density = gaussian_kde(points.T)(grid)
    ascending = np.sort(density)
    mass = np.cumsum(ascending) / ascending.sum()
    levels = ascending[np.searchsorted(mass, np.linspace(0.05, 1, 5)[:-1])]
    return x, y, density.reshape(_CELLS, _CELLS), np.unique(levels)
